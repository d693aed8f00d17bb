//! Callouts: flags beside the part, each with a line to the region out of tolerance, the surface point or the toleranced
//! feature that it tells of; dashed where the part lies before it.

use std::sync::Arc;

use egui::{Color32, FontId, Galley, Id, Painter, Pos2, Rect, Sense, Shape, Stroke, Vec2};

use super::control_frame::{ControlFrame, LaidOutFrame};
use super::{Spot, Viewport, legend};
use crate::panels::points;
use crate::remembered::Side;
use crate::theme;
use base::{length_text, signed_length};
use geometry::{Point, Vector};
use inspect::deviation::Check;
use inspect::features::measured::MeasuredFeature;
use inspect::features::{Element, Shape as Shape3d};
use inspect::parts::Nominal;
use inspect::surface_points::{SurfacePoint, SurfacePoints};
use inspect::tolerances::recipe::ToleranceRecipe;
use inspect::tolerances::{Characteristic, Judged};
use render::colour_scale::ColourScale;
use render::sight;
use session::Document;
use session::pipeline::State;
use session::plan::ElementId;
use texts::text;

/// Most flags of regions.
const MAX_REGIONS: usize = 10;
/// Most points of a feature among which that of its flag is chosen.
const MAX_SAMPLES: usize = 64;
/// Space between flags, and between a flag and the edge of the view, points.
const GAP: f32 = 5.0;
const EDGE: f32 = 10.0;
/// Space kept free above for the toolbar, and below on the left for the axes, points.
pub(super) const ABOVE: f32 = 44.0;
pub(super) const AXES: f32 = 100.0;
/// Space kept free above for the view cube, points.
pub(super) const CUBE: f32 = 110.0;
/// Width of the stripe in the colour of the deviation, points.
const STRIPE: f32 = 5.0;
/// Width of lines to what flags tell of, points: of one pixel, a line takes half the triangles of a thicker one.
const LINE: f32 = 1.0;
/// Radius of the corners of flags, points.
const CORNER: f32 = 2.0;

/// A flag.
pub(super) struct Flag {
    content: Content,
    /// Colour of its stripe.
    colour: Color32,
    /// What it tells of, and what a click shows.
    spot: Spot,
    hint: String,
    /// How far the spot may lie off the surface of the nominal, mm.
    beside_mm: f64,
}

enum Content {
    Text(String),
    Frame(ControlFrame),
}

/// The content, laid out.
enum LaidOut {
    Text(Arc<Galley>),
    Frame(LaidOutFrame),
}

impl Content {
    fn laid_out(self, painter: &Painter, ink: Color32) -> LaidOut {
        match self {
            Self::Text(text) => LaidOut::Text(painter.layout_no_wrap(text, FontId::proportional(12.5), ink)),
            Self::Frame(frame) => LaidOut::Frame(frame.laid_out(painter, ink)),
        }
    }
}

impl LaidOut {
    fn size(&self) -> Vec2 {
        match self {
            Self::Text(galley) => galley.size(),
            Self::Frame(frame) => frame.size(),
        }
    }

    fn paint(self, painter: &Painter, min: Pos2, ink: Color32) {
        match self {
            Self::Text(galley) => {
                painter.galley(min, galley, ink);
            }
            Self::Frame(frame) => frame.paint(painter, min, ink),
        }
    }
}

fn colour_of(scale: &ColourScale, deviation_mm: f64) -> Color32 {
    let [r, g, b] = scale.colour(Some(deviation_mm));
    Color32::from_rgb(r, g, b)
}

/// Flags of the tolerances that were judged, each at the point that determines its value.
pub(super) fn of_tolerances(document: &Document) -> Vec<Flag> {
    let pose = document.nominal_from_scan();
    let radius_mm = 0.1 * document.nominal().map_or(0.0, |nominal| nominal.surface.bounds().diagonal());
    let flag = |(id, own): (ElementId, &ToleranceRecipe)| {
        let judged = document.result::<Judged>(Some(id)).filter(|_| document.state(id) == State::Fresh)?;
        let feature: &MeasuredFeature = document.result(own.feature)?;
        let at = pose * judged.worst.or_else(|| point_of(feature))?;
        let is_round = matches!(feature.element, Element::Shape(shape) if own.asked.has_round_zone(&shape));
        let content = match own.asked.characteristic {
            Characteristic::Size { .. } => {
                let is_round = matches!(
                    feature.element,
                    Element::Shape(Shape3d::Circle { .. } | Shape3d::Sphere { .. } | Shape3d::Cylinder { .. })
                );
                let round = if is_round { "Ø " } else { "" };
                let (size, upper) =
                    (format!("{round}{}", length_text(judged.measured_mm, 3)), judged.limit_mm.to_string());
                Content::Text(match judged.lower_mm {
                    Some(lower) => text!("viewport-size", size = size, lower = lower.to_string(), upper = upper),
                    None => format!("{size} mm ({upper})"),
                })
            }
            _ => {
                let is_ball = matches!(feature.element, Element::Shape(Shape3d::Sphere { .. }));
                let round = if !is_round {
                    ""
                } else if is_ball {
                    "SØ "
                } else {
                    "Ø "
                };
                Content::Frame(ControlFrame::of(&own.asked, round, length_text(judged.measured_mm, 3)))
            }
        };
        Some(Flag {
            content,
            colour: theme::of_judged(judged),
            spot: Spot { name: document.plan.name(id), at, radius_mm },
            hint: text!("viewport-show-measured"),
            beside_mm: 0.02 * radius_mm + judged.measured_mm,
        })
    };
    document.tolerances().filter_map(flag).collect()
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

/// Flags of the worst regions.
pub(super) fn of_regions(check: &Check, scale: &ColourScale) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (region, number) in check.regions.iter().take(MAX_REGIONS).zip(1..) {
        let (name, at) = (number.to_string(), Point::from(region.peak_at_mm));
        flags.push(Flag {
            content: Content::Text(format!("{number}   {} mm", signed_length(region.peak_mm, 3))),
            colour: colour_of(scale, region.peak_mm),
            spot: Spot { name, at, radius_mm: region.radius_mm },
            hint: text!("viewport-show-region"),
            beside_mm: region.peak_mm,
        });
    }
    flags
}

/// Flags of the surface points that were measured.
pub(super) fn of_points(made: &SurfacePoints, scale: &ColourScale) -> Vec<Flag> {
    let flag = |own: &SurfacePoint| {
        let deviation_mm = own.measured.as_ref().ok()?.0;
        let text = format!("{}   {} mm", own.name, signed_length(deviation_mm, 3));
        Some(Flag {
            content: Content::Text(text),
            colour: colour_of(scale, deviation_mm),
            spot: points::spot(own, made.parameters.at.radius_mm),
            hint: text!("viewport-show-point"),
            beside_mm: deviation_mm,
        })
    };
    made.points.iter().filter_map(flag).collect()
}

/// Draws flags over the viewport in `rect`; returns the spot of the flag that was clicked.
pub(super) fn show(
    ui: &egui::Ui,
    viewport: &Viewport,
    rect: Rect,
    flags: Vec<Flag>,
    nominal: Option<&Nominal>,
    legend_at: Option<Side>,
) -> Option<Spot> {
    // Where a point is seen, and whether the part lies before it.
    let on_screen = |at: &Point, beside_mm: f64| {
        let ((x, y), is_hidden) = sight::of(&viewport.camera, nominal.map(|own| &own.surface), (at, beside_mm))?;
        let seen_at = rect.min + Vec2::new(x, y) / viewport.scale;
        rect.contains(seen_at).then_some((seen_at, is_hidden))
    };
    let (painter, ink) = (ui.painter_at(rect), ui.visuals().text_color());
    let halo = ui.visuals().window_fill.gamma_multiply(0.66);
    let flags: Vec<_> = flags
        .into_iter()
        .filter_map(|own| {
            let (anchor, is_hidden) = on_screen(&own.spot.at, own.beside_mm)?;
            Some(((anchor, is_hidden), own.content.laid_out(&painter, ink), own.colour, (own.spot, own.hint)))
        })
        .collect();
    let sizes: Vec<Vec2> =
        flags.iter().map(|(_, content, ..)| content.size() + Vec2::new(STRIPE + 14.0, 8.0)).collect();
    let anchors: Vec<Pos2> = flags.iter().map(|((anchor, _), ..)| *anchor).collect();
    // Beside the legend, and at the right beside it or below the view cube.
    let (left, right, above) = match legend_at {
        Some(Side::Right) => (EDGE, legend::WIDTH, ABOVE),
        Some(Side::Left) => (legend::WIDTH, EDGE, CUBE),
        None => (EDGE, EDGE, CUBE),
    };
    let free = Rect::from_min_max(rect.min + Vec2::new(left, above), rect.max - Vec2::new(right, EDGE));
    let mut clicked = None;
    let rects = layout(free, AXES, &sizes, &anchors);
    // Lines first, so that none runs over a flag.
    for (flag, ((anchor, is_hidden), ..)) in rects.iter().zip(&flags) {
        let Some(flag) = flag else { continue };
        let side = if anchor.x < flag.center().x { flag.left_center() } else { flag.right_center() };
        painter.line_segment([side, *anchor], Stroke::new(3.0, halo));
        if *is_hidden {
            painter.extend(Shape::dashed_line(&[side, *anchor], Stroke::new(LINE, ink), 8.0, 6.0));
            painter.circle_stroke(*anchor, 3.5, Stroke::new(LINE, ink));
        } else {
            painter.line_segment([side, *anchor], Stroke::new(LINE, ink));
            painter.circle_filled(*anchor, 4.0, halo);
            painter.circle_filled(*anchor, 3.0, ink);
        }
    }
    for (flag, (_, content, colour, (spot, hint))) in rects.iter().zip(flags) {
        let Some(flag) = flag else { continue };
        let response = ui.interact(*flag, Id::unique(("callout", &spot.name)), Sense::click());
        let name = text!("viewport-callout", name = spot.name.as_str());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        let edge = if response.hovered() {
            Stroke::new(1.5, theme::ACCENT)
        } else {
            Stroke::new(1.0, ink.gamma_multiply(0.35))
        };
        painter.rect(*flag, CORNER, ui.visuals().window_fill, edge, egui::StrokeKind::Inside);
        let stripe = Rect::from_min_size(flag.min + Vec2::splat(3.0), Vec2::new(STRIPE, flag.height() - 6.0));
        painter.rect_filled(stripe, 0.0, colour);
        content.paint(&painter, flag.min + Vec2::new(STRIPE + 9.0, 4.0), ink);
        if response.on_hover_text(hint).clicked() {
            clicked = Some(spot);
        }
    }
    clicked
}

/// Places flags of `sizes` in two columns at the sides of `free`, each on the side of its anchor and as near to it in
/// height as the others allow, without overlap. The left column ends `kept_below` above the right one. `None` for flags
/// that find no room; earlier ones go first.
fn layout(free: Rect, kept_below: f32, sizes: &[Vec2], anchors: &[Pos2]) -> Vec<Option<Rect>> {
    let bottoms = [free.bottom() - kept_below, free.bottom()];
    let mut columns: [Vec<usize>; 2] = Default::default();
    let mut room = bottoms.map(|bottom| bottom - free.top());
    let widest = sizes.iter().map(|size| size.x).fold(0.0, f32::max);
    for (flag, (size, anchor)) in sizes.iter().zip(anchors).enumerate() {
        let near = usize::from(anchor.x > free.center().x);
        // In a narrow view both columns would be one.
        let sides = if 2.0 * widest + GAP > free.width() { [1, 1] } else { [near, 1 - near] };
        if let Some(side) = sides.into_iter().find(|side| room[*side] >= size.y) {
            room[side] -= size.y + GAP;
            columns[side].push(flag);
        }
    }
    let mut rects = vec![None; sizes.len()];
    for (side, column) in columns.iter_mut().enumerate() {
        column.sort_by(|a, b| anchors[*a].y.total_cmp(&anchors[*b].y));
        // Downwards from the top, then back up from the bottom.
        let mut tops: Vec<f32> = Vec::with_capacity(column.len());
        let mut from = free.top();
        for flag in column.iter() {
            let top = (anchors[*flag].y - 0.5 * sizes[*flag].y).max(from);
            from = top + sizes[*flag].y + GAP;
            tops.push(top);
        }
        let mut to = bottoms[side];
        for (top, flag) in tops.iter_mut().zip(column.iter()).rev() {
            *top = top.min(to - sizes[*flag].y);
            to = *top - GAP;
        }
        for (top, flag) in tops.iter().zip(column.iter()) {
            let left = if side == 0 { free.left() } else { free.right() - sizes[*flag].x };
            rects[*flag] = Some(Rect::from_min_size(Pos2::new(left, *top), sizes[*flag]));
        }
    }
    rects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_never_overlap_in_any_view_and_stay_in_it() {
        // A fixed sequence of numbers from 0 to 1.
        let mut state = 7_u64;
        let mut share = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32
        };
        for view in 0..100 {
            let size = Vec2::new(300.0 + 1700.0 * share(), 300.0 + 900.0 * share());
            let free = Rect::from_min_size(Pos2::new(200.0, 90.0), size);
            let sizes: Vec<Vec2> = (0..40).map(|_| Vec2::new(80.0 + 40.0 * share(), 22.0)).collect();
            let anchors: Vec<Pos2> =
                (0..40).map(|_| free.min + Vec2::new(size.x * share(), size.y * share())).collect();
            let rects: Vec<Rect> = layout(free, AXES, &sizes, &anchors).into_iter().flatten().collect();
            for (index, own) in rects.iter().enumerate() {
                assert!(free.expand(0.01).contains_rect(*own), "view {view}: {own:?} is not within {free:?}");
                for other in &rects[index + 1..] {
                    assert!(!own.shrink(0.01).intersects(*other), "view {view}: {own:?} and {other:?} overlap");
                }
            }
            let fits = (size.y - AXES) / 27.0 + size.y / 27.0;
            assert!(rects.len() as f32 >= fits.min(40.0) / 2.0 - 2.0, "view {view}: only {} flags", rects.len());
        }
    }

    #[test]
    fn a_flag_stands_beside_its_anchor_where_there_is_room() {
        let free = Rect::from_min_size(Pos2::ZERO, Vec2::new(800.0, 600.0));
        let size = Vec2::new(90.0, 22.0);
        let anchors = [Pos2::new(300.0, 200.0), Pos2::new(700.0, 400.0), Pos2::new(310.0, 205.0)];
        let rects = layout(free, AXES, &[size; 3], &anchors);
        let [Some(first), Some(second), Some(third)] = rects[..] else { panic!("{rects:?}") };
        assert!(first.left() == 0.0 && second.right() == 800.0 && third.left() == 0.0);
        assert!((second.center().y - 400.0).abs() < 1e-3 && (first.center().y - 200.0).abs() < 1e-3);
        assert!(third.top() >= first.bottom());
    }
}
