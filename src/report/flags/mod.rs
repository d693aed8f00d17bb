//! Flags beside the part: each with a line to the region out of tolerance, the surface point or the toleranced feature that
//! it tells of. The viewport and the pictures of the report have the same ones, laid out by the same rules.

mod control_frame;
mod drawing;
mod layout;
mod picture;

use super::{Input, colour_scale, surface_points};
use base::LengthUnit;
use control_frame::ControlFrame;
use geometry::{Point, Vector};
use inspect::deviation::Check;
use inspect::deviation::regions::Region;
use inspect::features::measured::MeasuredFeature;
use inspect::features::{Element, Shape};
use inspect::surface_points::{SurfacePoint, SurfacePoints};
use inspect::tolerances::Conformity;
use inspect::tolerances::recipe::ToleranceRecipe;
use inspect::tolerances::{Characteristic, Judged, decided};
use render::colour_scale::ColourScale;
use session::Document;
use session::pipeline::State;
use session::plan::ElementId;
use texts::text;

pub use drawing::{CORNER, FlagMark, PlacedFlag, Rect, Shade, TEXT_SIZE};
pub use layout::{EDGE, FlagView, Kept, placed};
pub use picture::FlagPicture;
pub(super) use picture::{circle, colour_of, inset};

/// Most flags of regions.
const MAX_REGIONS: usize = 10;
/// Most points of a feature among which that of its flag is chosen.
const MAX_SAMPLES: usize = 64;

/// A flag.
#[derive(Clone, Debug)]
pub struct Flag {
    /// What it tells of.
    pub kind: FlagKind,
    /// Name of the region, the point or the tolerance.
    pub name: String,
    /// Where that lies, nominal frame, mm.
    pub at: Point,
    /// Radius of the area of interest, mm.
    pub radius_mm: f64,
    /// The element that it tells of, chosen by a click as in the tree; `None` if that would show nothing more.
    pub element: Option<ElementId>,
    /// How far the spot may lie off the surface of the nominal, mm.
    beside_mm: f64,
    /// Colour of its stripe.
    stripe: Shade,
    content: Content,
}

/// What a flag tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    /// A region out of tolerance.
    Region,
    /// A surface point.
    Point,
    /// A toleranced feature.
    Tolerance,
}

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    Frame(ControlFrame),
}

impl Flag {
    /// Its text; `None` of one that is a feature control frame.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Frame(_) => None,
        }
    }
}

/// All flags of a report: the worst regions, the tolerances that were judged, and the surface points that were measured.
pub(super) fn of_report(input: &Input<'_>) -> Vec<Flag> {
    let document = input.document;
    let scale = |tolerance| colour_scale(tolerance, document);
    let unit = document.settings.shown_unit;
    let mut flags = of_regions(input.check, &scale(input.check.parameters.tolerance), unit);
    flags.extend(of_tolerances(document));
    for (_, made) in surface_points::up_to_date(document) {
        flags.extend(of_points(made, &scale(made.parameters.tolerance), unit));
    }
    flags
}

/// Flags of the tolerances that were judged, each at the point that determines its value.
pub fn of_tolerances(document: &Document) -> Vec<Flag> {
    let pose = document.nominal_from_scan();
    let radius_mm = 0.1 * document.nominal().map_or(0.0, |nominal| nominal.surface.bounds().diagonal());
    let flag = |(id, own): (ElementId, &ToleranceRecipe)| {
        let judged = document.result::<Judged>(Some(id)).filter(|_| document.state(id) == State::Fresh)?;
        let feature: &MeasuredFeature = document.result(own.feature)?;
        Some(Flag {
            kind: FlagKind::Tolerance,
            name: document.plan.name(id),
            at: pose * judged.worst.or_else(|| point_of(feature))?,
            radius_mm,
            element: Some(id),
            beside_mm: 0.02 * radius_mm + judged.measured_mm,
            stripe: Shade::Verdict(decided(judged.conformity, judged.verdict)),
            content: content_of(own, judged, &feature.element, document.settings.shown_unit),
        })
    };
    document.tolerances().filter_map(flag).collect()
}

/// A size as a text, another tolerance as a feature control frame; lengths in `unit`.
fn content_of(own: &ToleranceRecipe, judged: &Judged, element: &Element, unit: LengthUnit) -> Content {
    let value = unit.length_text(judged.measured_mm, 3);
    if let Characteristic::Size { .. } = own.asked.characteristic {
        let is_round =
            matches!(element, Element::Shape(Shape::Circle { .. } | Shape::Sphere { .. } | Shape::Cylinder { .. }));
        let (size, upper) = (format!("{}{value}", if is_round { "Ø " } else { "" }), unit.stated_text(judged.limit_mm));
        return Content::Text(match judged.lower_mm {
            Some(lower) => {
                let lower = unit.stated_text(lower);
                text!("viewport-size", size = size, unit = unit.symbol(), lower = lower, upper = upper)
            }
            None => format!("{size} {} ({upper})", unit.symbol()),
        });
    }
    let is_round = matches!(element, Element::Shape(shape) if own.asked.has_round_zone(shape));
    let is_ball = matches!(element, Element::Shape(Shape::Sphere { .. }));
    let round = match (is_round, is_ball) {
        (false, _) => "",
        (true, true) => "SØ ",
        (true, false) => "Ø ",
    };
    Content::Frame(ControlFrame::of(&own.asked, round, value, unit))
}

/// A measured point of a feature: that next to the mean, among some that are spread over it.
fn point_of(feature: &MeasuredFeature) -> Option<Point> {
    let step = feature.points.len().div_ceil(MAX_SAMPLES).max(1);
    let points: Vec<Point> = feature.points.iter().step_by(step).copied().collect();
    let sum: Vector = points.iter().map(|point| point.coords).sum();
    let mean = Point::from(sum / points.len().max(1) as f64);
    let distance = |point: &&Point| (**point - mean).norm_squared();
    points.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).copied()
}

/// Flags of the worst regions, with their peaks in `unit`.
pub fn of_regions(check: &Check, scale: &ColourScale, unit: LengthUnit) -> Vec<Flag> {
    let regions = check.regions.iter().take(MAX_REGIONS).zip(1..);
    let flag = |(region, number): (&Region, usize)| Flag {
        kind: FlagKind::Region,
        name: number.to_string(),
        at: Point::from(region.peak_at_mm),
        radius_mm: region.radius_mm,
        element: None,
        beside_mm: region.peak_mm,
        stripe: Shade::Own(scale.colour(Some(region.peak_mm))),
        content: Content::Text(format!("{number}   {} {}", unit.signed_length(region.peak_mm, 3), unit.symbol())),
    };
    regions.map(flag).collect()
}

/// Flags of the surface points that were measured, with their deviations in `unit`.
pub fn of_points(made: &SurfacePoints, scale: &ColourScale, unit: LengthUnit) -> Vec<Flag> {
    let flag = |own: &SurfacePoint| {
        let deviation_mm = own.measured.as_ref().ok()?.0;
        Some(Flag {
            kind: FlagKind::Point,
            name: own.name.clone(),
            at: own.at,
            radius_mm: made.parameters.at.radius_mm,
            element: None,
            beside_mm: deviation_mm,
            stripe: Shade::Own(scale.colour(Some(deviation_mm))),
            content: Content::Text(format!(
                "{}   {} {}{}",
                own.name,
                unit.signed_length(deviation_mm, 3),
                unit.symbol(),
                // What is in doubt must not look like what is proven.
                if made.conformity_of(own) == Some(Conformity::Undecided) { " ?" } else { "" }
            )),
        })
    };
    made.points.iter().filter_map(flag).collect()
}
