//! Callouts: flags beside the part, each with a line to the region out of tolerance or the surface point that it tells
//! of; dashed where the part lies before it.

use egui::{Color32, FontId, Id, Pos2, Rect, Sense, Shape, Stroke, Vec2};

use super::{Spot, Viewport, legend};
use crate::panels::points;
use crate::theme;
use base::signed;
use geometry::Point;
use inspect::deviation::Check;
use inspect::parts::Nominal;
use inspect::surface_points::{SurfacePoint, SurfacePoints};
use render::colour_scale::ColourScale;
use render::sight;

/// Most flags of regions.
const MAX_REGIONS: usize = 10;
/// Space between flags, and between a flag and the edge of the view, points.
const GAP: f32 = 5.0;
const EDGE: f32 = 10.0;
/// Space kept free above for the toolbar, and below on the left for the axes, points.
const ABOVE: f32 = 44.0;
const AXES: f32 = 100.0;
/// Width of the stripe in the colour of the deviation, points.
const STRIPE: f32 = 5.0;

/// A flag.
pub(super) struct Flag {
    text: String,
    /// What it tells of, and what a click shows.
    spot: Spot,
    hint: &'static str,
    deviation_mm: f64,
}

/// Flags of the worst regions.
pub(super) fn of_regions(check: &Check) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (region, number) in check.regions.iter().take(MAX_REGIONS).zip(1..) {
        let (name, at) = (number.to_string(), Point::from(region.peak_at_mm));
        flags.push(Flag {
            text: format!("{number}   {} mm", signed(region.peak_mm, 3)),
            spot: Spot { name, at, radius_mm: region.radius_mm },
            hint: "Show this region",
            deviation_mm: region.peak_mm,
        });
    }
    flags
}

/// Flags of the surface points that were measured.
pub(super) fn of_points(made: &SurfacePoints) -> Vec<Flag> {
    let flag = |own: &SurfacePoint| {
        let deviation_mm = own.measured.as_ref().ok()?.0;
        let text = format!("{}   {} mm", own.name, signed(deviation_mm, 3));
        Some(Flag {
            text,
            spot: points::spot(own, made.parameters.at.radius_mm),
            hint: "Show this point",
            deviation_mm,
        })
    };
    made.points.iter().filter_map(flag).collect()
}

/// Draws flags over the viewport in `rect`; returns the spot of the flag that was clicked.
pub(super) fn show(
    ui: &egui::Ui,
    viewport: &Viewport,
    rect: Rect,
    (flags, nominal): (Vec<Flag>, Option<&Nominal>),
    scale: &ColourScale,
) -> Option<Spot> {
    // Where a point is seen, and whether the part lies before it.
    let on_screen = |at: &Point, deviation_mm: f64| {
        let ((x, y), is_hidden) = sight::of(&viewport.camera, nominal.map(|own| &own.surface), (at, deviation_mm))?;
        let seen_at = rect.min + Vec2::new(x, y) / viewport.scale;
        rect.contains(seen_at).then_some((seen_at, is_hidden))
    };
    let (painter, ink) = (ui.painter_at(rect), ui.visuals().text_color());
    let halo = ui.visuals().window_fill.gamma_multiply(0.66);
    let flags: Vec<_> = flags
        .into_iter()
        .filter_map(|own| {
            let (anchor, is_hidden) = on_screen(&own.spot.at, own.deviation_mm)?;
            let galley = painter.layout_no_wrap(own.text, FontId::proportional(12.5), ink);
            let [r, g, b] = scale.colour(Some(own.deviation_mm));
            Some(((anchor, is_hidden), galley, Color32::from_rgb(r, g, b), (own.spot, own.hint)))
        })
        .collect();
    let sizes: Vec<Vec2> = flags.iter().map(|(_, galley, ..)| galley.size() + Vec2::new(STRIPE + 14.0, 8.0)).collect();
    let anchors: Vec<Pos2> = flags.iter().map(|((anchor, _), ..)| *anchor).collect();
    let free = Rect::from_min_max(rect.min + Vec2::new(EDGE, ABOVE), rect.max - Vec2::new(legend::WIDTH, EDGE));
    let mut clicked = None;
    let rects = layout(free, AXES, &sizes, &anchors);
    // Lines first, so that none runs over a flag.
    for (flag, ((anchor, is_hidden), ..)) in rects.iter().zip(&flags) {
        let Some(flag) = flag else { continue };
        let side = if anchor.x < flag.center().x { flag.left_center() } else { flag.right_center() };
        painter.line_segment([side, *anchor], Stroke::new(3.0, halo));
        if *is_hidden {
            painter.extend(Shape::dashed_line(&[side, *anchor], Stroke::new(1.2, ink), 4.0, 4.0));
            painter.circle(*anchor, 3.5, Color32::TRANSPARENT, Stroke::new(1.2, ink));
        } else {
            painter.line_segment([side, *anchor], Stroke::new(1.2, ink));
            painter.circle(*anchor, 3.0, ink, Stroke::new(1.5, halo));
        }
    }
    for (flag, (_, galley, colour, (spot, hint))) in rects.iter().zip(flags) {
        let Some(flag) = flag else { continue };
        let response = ui.interact(*flag, Id::unique(("callout", &spot.name)), Sense::click());
        let name = format!("Callout {}", spot.name);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        let edge = if response.hovered() {
            Stroke::new(1.5, theme::ACCENT)
        } else {
            Stroke::new(1.0, ink.gamma_multiply(0.35))
        };
        painter.rect(*flag, 4.0, ui.visuals().window_fill, edge, egui::StrokeKind::Inside);
        let stripe = Rect::from_min_size(flag.min + Vec2::splat(3.0), Vec2::new(STRIPE, flag.height() - 6.0));
        painter.rect_filled(stripe, 2.0, colour);
        painter.galley(flag.min + Vec2::new(STRIPE + 9.0, 4.0), galley, ink);
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
