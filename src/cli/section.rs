//! `shadowgraph section`: a part and a scan of it cut by planes, by the same commands as the window.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use serde_json::json;

use super::arguments;
use super::console::Console;
use crate::output::outln;
use base::{LengthUnit, Result, UserError};
use compute::DeviceChoice;
use dispatch::{Command, Context, Dispatcher, Parts, Sections};
use geometry::{Point, Vector};
use inspect::alignment::Method;
use inspect::deviation::Tolerance;
use inspect::recipe::Product as _;
use inspect::section::dimension::{Dimension, DimensionKind};
use inspect::section::{Parameters, Placement};
use session::plan::{ElementId, Recipe};

/// `section`
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("position").required(true),
    after_help = "Deviations are measured in the plane: on a surface inclined to it they are larger than along the \
        normal of the surface.\n\nExamples:\n  shadowgraph section --nominal part.step --axis z --at-mm 12 --out \
        section/\n  shadowgraph section --nominal part.step --scan scan.ply --axis x --at-mm 5 --count 10 --spacing-mm \
        10 --tolerance-mm 0.05 --out sections/\n  shadowgraph section --nominal tube.step --scan scan.ply --along \
        '0,0,0;40,0,5;60,30,10' --every-mm 5 --out sections/\n  shadowgraph section --nominal part.step --scan \
        scan.ply --edge 40,0,20 --count 12 --out sections/"
)]
pub struct Section {
    /// Nominal: a mesh or CAD file.
    #[arg(long)]
    pub nominal: PathBuf,
    /// Scan; several are merged as snapshots of one part in one frame. Without it the nominal alone is cut.
    #[arg(long)]
    pub scan: Vec<PathBuf>,
    /// Unit of the nominal's coordinates (CAD files state their own).
    #[arg(long)]
    pub nominal_units: Option<LengthUnit>,
    /// Unit of the scan's coordinates.
    #[arg(long)]
    pub scan_units: Option<LengthUnit>,
    /// Alignment method.
    #[arg(long, value_enum, default_value = "auto")]
    pub align: Method,
    /// Text file with the 4x4 matrix nominal_from_scan. A best fit starts from it; with `--align none` it is used
    /// unchanged.
    #[arg(long)]
    pub pose: Option<PathBuf>,
    #[command(flatten)]
    pub references: super::reference_points::ReferenceOptions,
    /// Axis of the nominal that the planes are perpendicular to.
    #[arg(long, value_enum, group = "position", requires = "at_mm")]
    pub axis: Option<Axis>,
    /// Position of the first plane on the axis, mm.
    #[arg(long, allow_hyphen_values = true, requires = "axis")]
    pub at_mm: Option<f64>,
    /// Three points of the plane, x,y,z each, counter-clockwise as it is seen.
    #[arg(long, value_parser = point, num_args = 3, value_name = "X,Y,Z", allow_hyphen_values = true, group = "position")]
    pub through: Option<Vec<Point>>,
    /// Normal of the plane, towards the viewer, x,y,z.
    #[arg(long, value_parser = point, value_name = "X,Y,Z", allow_hyphen_values = true, group = "position")]
    pub normal: Option<Point>,
    /// A point of the plane with this normal, x,y,z.
    #[arg(long, value_parser = point, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "normal",
        default_value = "0,0,0")]
    pub point: Point,
    /// Smooth curve that the planes are perpendicular to, through these points, x,y,z each: --count of them from its
    /// beginning to its end, one of them halfway, or one --every-mm of it.
    #[arg(long, value_parser = curve_points, value_name = "X,Y,Z;X,Y,Z…", allow_hyphen_values = true, group = "position")]
    pub along: Option<CurvePoints>,
    /// Edge of the nominal that the planes are perpendicular to: the one nearest to this point, x,y,z; --count of them at
    /// equal distances, or one --every-mm of it, none at its ends.
    #[arg(long, value_parser = point, value_name = "X,Y,Z", allow_hyphen_values = true, group = "position")]
    pub edge: Option<Point>,
    /// The curve returns from its last point to its first.
    #[arg(long, requires = "along")]
    pub closed: bool,
    /// Distance along the curve or edge from each plane to the next, mm.
    #[arg(long, conflicts_with_all = ["count", "spacing_mm"])]
    pub every_mm: Option<f64>,
    /// Number of parallel planes, or of planes along the curve or edge.
    #[arg(long, default_value_t = 1)]
    pub count: usize,
    /// Distance from each parallel plane to the next, mm.
    #[arg(long, default_value_t = Parameters::default().spacing_mm, allow_hyphen_values = true)]
    pub spacing_mm: f64,
    /// Half the thickness of the slab whose points are taken, mm; by default 1.5 times their spacing.
    #[arg(long)]
    pub half_width_mm: Option<f64>,
    /// Maximum distance of a point to the nominal, mm.
    #[arg(long, default_value_t = Parameters::default().max_distance_mm)]
    pub max_distance_mm: f64,
    /// Tolerance limits of the deviations in the plane, mm, inclusive.
    #[arg(long, value_parser = arguments::tolerance, default_value = "-0.1,0.1", allow_hyphen_values = true)]
    pub tolerance_mm: Tolerance,
    /// Share of the contour of each plane that must be measured for a PASS, %.
    #[arg(long, default_value_t = 100.0 * Parameters::default().min_coverage)]
    pub min_coverage: f64,
    /// A dimension in the first plane: `distance`, `step` or `angle` of the two lines or arcs nearest to two positions
    /// (coordinates of the plane as in the DXF files, mm), or `radius` of one; `gap` and `flush` of two surfaces that end
    /// at a gap, the reference first, with the depth below them down to which their ends belong to the gap, or the length
    /// of them that is measured, as `@MM` (by default 3 and 10); with limits of its deviation where it is judged:
    /// `distance=10,0;10,20:-0.1,0.1`. May be given several times.
    #[arg(long, value_parser = dimension, value_name = "KIND=X,Y[;X,Y][@MM][:LO,HI]")]
    pub dimension: Vec<Dimension>,
    /// Factor by which the drawings enlarge deviations; by default one that shows them well.
    #[arg(long)]
    pub enlarge: Option<f64>,
    /// Exit with code 4 if a section is out of tolerance, with 6 if too little of it was measured.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
    /// Write drawings (SVG), contours (DXF) and deviations (CSV) into this folder.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// Axes of the nominal frame.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub enum Axis {
    /// Seen from the right.
    X,
    /// Seen from the front.
    Y,
    /// Seen from above.
    Z,
}

/// The points of a curve, nominal frame, mm.
#[derive(Clone, Debug)]
pub struct CurvePoints(Vec<Point>);

fn curve_points(text: &str) -> std::result::Result<CurvePoints, String> {
    text.split(';').map(point).collect::<std::result::Result<_, _>>().map(CurvePoints)
}

fn point(text: &str) -> std::result::Result<Point, String> {
    arguments::three(text).map(Point::from)
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Section, json: bool, context: &Context) -> Result<i32> {
    let parameters = parameters(arguments)?;
    if arguments.enlarge.is_some_and(|factor| !(factor > 0.0 && factor.is_finite())) {
        return Err(UserError::usage("The factor of --enlarge must be positive."));
    }
    let console = Console::new();
    let mut dispatcher = Dispatcher::new(context.clone());
    let outcome = job(arguments, parameters, &mut dispatcher, &console);
    console.done();
    dispatcher.messages.iter().for_each(|message| console.say(&message.text));
    let id = outcome?;
    let section = dispatcher.document.result::<inspect::section::Section>(Some(id));
    let section = section.ok_or_else(|| UserError::internal("The section has no result."))?;
    let verdict = section.verdict();
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.section/1",
            "software": report::software(),
            "backend": dispatcher.context.backend.device(),
            "verdict": verdict,
            "covers": section.covers(),
            "largest_gap_mm": section.largest_gap().map(|own| own.0),
            "statistics": section.is_compared.then(|| section.statistics()),
            "length_mm": section.statistics().length_mm,
            "half_width_mm": section.half_width_mm,
            "parameters": section.parameters,
            "dimensions": section.dimensions,
            "planes": section.planes,
            "notes": section.notes,
        }))?;
    } else {
        let headline = verdict.map(|own| own.headline(&section.covers().unwrap_or_default()) + ". ");
        outln!("{}{}", headline.unwrap_or_default(), section.sentences().join(" "));
    }
    Ok(super::exit_code(verdict, arguments.fail_on_out_of_tolerance))
}

fn job(
    arguments: &Section,
    parameters: Parameters,
    dispatcher: &mut Dispatcher,
    console: &Console,
) -> Result<ElementId> {
    let progress = console.progress();
    let mut send = |command: Command| dispatcher.run_now(command, &progress);
    send(Parts::OpenNominal { path: arguments.nominal.clone(), unit: arguments.nominal_units }.into())?;
    if !arguments.scan.is_empty() {
        send(Parts::OpenScans { paths: arguments.scan.clone(), unit: arguments.scan_units, columns: None }.into())?;
        super::inspect::align(arguments.align, arguments.pose.as_deref(), None, &mut send)?;
        arguments.references.align(&mut send)?;
    }
    send(Sections::Add(parameters).into())?;
    let is_section = |recipe: &Recipe| matches!(recipe, Recipe::Section(_));
    let elements = dispatcher.document.plan.elements();
    let id = elements.iter().find(|own| is_section(&own.recipe)).map(|own| own.id);
    let id = id.ok_or_else(|| UserError::internal("The plan holds no section."))?;
    if let Some(out) = &arguments.out {
        dispatcher.run_now(Sections::Save(id, out.clone(), arguments.enlarge), &progress)?;
    }
    Ok(id)
}

/// E.g. `distance=10,0;10,20:-0.1,0.1` or `gap=10,0;20,0@3`.
fn dimension(text: &str) -> std::result::Result<Dimension, String> {
    const FORM: &str = "a dimension is written like distance=10,0;10,20 or radius=4,2:-0.1,0.1";
    let (kind, rest) = text.split_once('=').ok_or(FORM)?;
    let kind = DimensionKind::ALL.into_iter().find(|own| own.name().eq_ignore_ascii_case(kind.trim())).ok_or(FORM)?;
    let (positions, limits) = match rest.split_once(':') {
        Some((positions, limits)) => (positions, Some(arguments::tolerance(limits)?)),
        None => (rest, None),
    };
    let (positions, extent_mm) = match positions.split_once('@') {
        Some((positions, mm)) => (positions, Some(mm.trim().parse::<f64>().map_err(|_| FORM)?)),
        None => (positions, None),
    };
    let position = |text: &str| match arguments::numbers(text).as_deref() {
        Ok(&[x, y]) => Ok([x, y]),
        _ => Err(FORM.to_owned()),
    };
    let picks = positions.split(';').map(position).collect::<std::result::Result<_, _>>()?;
    let own = Dimension { kind, plane: 0, picks, tolerance: limits, extent_mm };
    own.wrong().map_or(Ok(own.clone()), |wrong| Err(wrong.to_owned()))
}

fn parameters(arguments: &Section) -> Result<Parameters> {
    let parameters = Parameters {
        placement: placement(arguments)?,
        count: arguments.count,
        spacing_mm: arguments.every_mm.unwrap_or(arguments.spacing_mm),
        half_width_mm: arguments.half_width_mm,
        max_distance_mm: arguments.max_distance_mm,
        tolerance: arguments.tolerance_mm,
        min_coverage: arguments.min_coverage / 100.0,
        dimensions: arguments.dimension.clone(),
    };
    parameters.check()?;
    Ok(parameters)
}

fn placement(arguments: &Section) -> Result<Placement> {
    if let Some(CurvePoints(points)) = &arguments.along {
        let every_spacing = arguments.every_mm.is_some();
        return Ok(Placement::Curve { points: points.clone(), is_closed: arguments.closed, every_spacing });
    }
    if let Some(point) = arguments.edge {
        return Ok(Placement::Edge { point, every_spacing: arguments.every_mm.is_some() });
    }
    if arguments.closed || arguments.every_mm.is_some() {
        return Err(UserError::usage(
            "--closed is for a curve, with --along; --every-mm for that or an edge, with --edge.",
        ));
    }
    Ok(match (arguments.axis, arguments.at_mm, arguments.through.as_deref(), arguments.normal) {
        (Some(axis), Some(at_mm), ..) => Placement::Axis { axis: axis as usize, at_mm },
        (_, _, Some(&[a, b, c]), _) => Placement::ThreePoints { points: [a, b, c] },
        (_, _, _, Some(normal)) => {
            Placement::PointNormal { point: arguments.point, normal: Vector::from(normal.coords) }
        }
        _ => {
            return Err(UserError::usage(
                "Say where the section lies, with --axis, --through, --normal, --along or --edge.",
            ));
        }
    })
}
