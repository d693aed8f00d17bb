//! Where flags stand: in two columns at the sides of a view, each beside what it tells of, without overlap.

use super::Flag;
use super::drawing::{PlacedFlag, Rect};
use geometry::Surface;
use render::{ViewCamera, sight};

/// Space between flags, points.
const GAP: f32 = 5.0;
/// Space between flags and the edge of the view, points.
pub const EDGE: f32 = 10.0;

/// A view with flags.
pub struct FlagView<'a> {
    /// Its camera.
    pub camera: &'a ViewCamera,
    /// Pixels of the camera per point.
    pub pixels_per_point: f32,
    /// Width and height, points.
    pub size: [f32; 2],
    /// What flags keep clear of.
    pub kept: Kept,
}

/// Space that flags keep free along the edges of a view, points.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// At the left.
    pub left: f32,
    /// At the right.
    pub right: f32,
    /// Above.
    pub above: f32,
    /// Below.
    pub below: f32,
    /// Below the flags at the left, beyond that.
    pub below_left: f32,
}

impl Default for Kept {
    fn default() -> Self {
        Self { left: EDGE, right: EDGE, above: EDGE, below: EDGE, below_left: 0.0 }
    }
}

/// Places flags in a view of the part; `measure` gives width and height of a text. What lies outside the view has none, and
/// those that find no room are left out: of what is hidden sooner than of what is seen, and later ones before earlier ones.
pub fn placed(
    flags: Vec<Flag>,
    view: &FlagView<'_>,
    surface: Option<&Surface>,
    measure: &dyn Fn(&str) -> [f32; 2],
) -> Vec<PlacedFlag> {
    let [width, height] = view.size;
    let seen = |flag: Flag| {
        let ((x, y), is_hidden) = sight::of(view.camera, surface, (&flag.at, flag.beside_mm))?;
        let anchor = [x, y].map(|pixels| pixels / view.pixels_per_point);
        let is_inside = (0.0..=width).contains(&anchor[0]) && (0.0..=height).contains(&anchor[1]);
        is_inside.then_some((flag, (anchor, is_hidden)))
    };
    let seen: Vec<(Flag, ([f32; 2], bool))> = flags.into_iter().filter_map(seen).collect();
    let boxes: Vec<Space> =
        seen.iter().map(|(flag, (anchor, _))| Space { size: flag.size(measure), anchor: *anchor }).collect();
    let mut order: Vec<usize> = (0..seen.len()).collect();
    order.sort_by_key(|index| seen[*index].1.1);
    let Kept { left, right, above, below, below_left } = view.kept;
    let free = [left, above, width - left - right, height - above - below];
    let rects = layout(free, below_left, &boxes, &order);
    let standing = |((flag, seen), rect): ((Flag, _), Option<Rect>)| Some(flag.standing(rect?, seen, measure));
    seen.into_iter().zip(rects).filter_map(standing).collect()
}

/// What is placed of a flag.
struct Space {
    size: [f32; 2],
    anchor: [f32; 2],
}

/// Places flags in two columns at the sides of `free`, each on the side of its anchor and as near to it in height as the
/// others allow, without overlap. The left column ends `kept_below` above the right one. `None` for flags that find no room;
/// those that come first in `order` go first.
fn layout([left, top, width, height]: Rect, kept_below: f32, boxes: &[Space], order: &[usize]) -> Vec<Option<Rect>> {
    let bottoms = [top + height - kept_below, top + height];
    let mut columns: [Vec<usize>; 2] = Default::default();
    let mut room = bottoms.map(|bottom| bottom - top);
    let widest = boxes.iter().map(|own| own.size[0]).fold(0.0, f32::max);
    for flag in order {
        let Space { size, anchor } = &boxes[*flag];
        let near = usize::from(anchor[0] > left + 0.5 * width);
        // In a narrow view both columns would be one.
        let sides = if 2.0 * widest + GAP > width { [1, 1] } else { [near, 1 - near] };
        if let Some(side) = sides.into_iter().find(|side| room[*side] >= size[1]) {
            room[side] -= size[1] + GAP;
            columns[side].push(*flag);
        }
    }
    let mut rects = vec![None; boxes.len()];
    for (side, column) in columns.iter_mut().enumerate() {
        column.sort_by(|a, b| boxes[*a].anchor[1].total_cmp(&boxes[*b].anchor[1]));
        // Downwards from the top, then back up from the bottom.
        let mut tops: Vec<f32> = Vec::with_capacity(column.len());
        let mut from = top;
        for Space { size, anchor } in column.iter().map(|flag| &boxes[*flag]) {
            let top = (anchor[1] - 0.5 * size[1]).max(from);
            from = top + size[1] + GAP;
            tops.push(top);
        }
        let mut to = bottoms[side];
        for (top, flag) in tops.iter_mut().zip(column.iter()).rev() {
            *top = top.min(to - boxes[*flag].size[1]);
            to = *top - GAP;
        }
        for (top, flag) in tops.iter().zip(column.iter()) {
            let [w, h] = boxes[*flag].size;
            let left = if side == 0 { left } else { left + width - w };
            rects[*flag] = Some([left, *top, w, h]);
        }
    }
    rects
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two flags share more than an edge.
    fn overlap([x, y, w, h]: Rect, [x2, y2, w2, h2]: Rect) -> bool {
        x + w > x2 + 0.01 && x2 + w2 > x + 0.01 && y + h > y2 + 0.01 && y2 + h2 > y + 0.01
    }

    #[test]
    fn flags_never_overlap_in_any_view_and_stay_in_it() {
        const AXES: f32 = 100.0;
        // A fixed sequence of numbers from 0 to 1.
        let mut state = 7_u64;
        let mut share = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32
        };
        for view in 0..100 {
            let [width, height] = [300.0 + 1700.0 * share(), 300.0 + 900.0 * share()];
            let free = [200.0, 90.0, width, height];
            let boxes: Vec<Space> = (0..40)
                .map(|_| Space {
                    size: [80.0 + 40.0 * share(), 22.0],
                    anchor: [200.0 + width * share(), 90.0 + height * share()],
                })
                .collect();
            let order: Vec<usize> = (0..40).collect();
            let rects: Vec<Rect> = layout(free, AXES, &boxes, &order).into_iter().flatten().collect();
            for (index, own) in rects.iter().enumerate() {
                let [x, y, w, h] = *own;
                assert!(x > 199.99 && x + w < 200.01 + width, "view {view}: {own:?} is not within {free:?}");
                assert!(y > 89.99 && y + h < 90.01 + height, "view {view}: {own:?} is not within {free:?}");
                for other in &rects[index + 1..] {
                    assert!(!overlap(*own, *other), "view {view}: {own:?} and {other:?} overlap");
                }
            }
            let fits = (height - AXES) / 27.0 + height / 27.0;
            assert!(rects.len() as f32 >= fits.min(40.0) / 2.0 - 2.0, "view {view}: only {} flags", rects.len());
        }
    }

    #[test]
    fn a_flag_stands_beside_its_anchor_where_there_is_room() {
        let boxes = [[300.0, 200.0], [700.0, 400.0], [310.0, 205.0]].map(|anchor| Space { size: [90.0, 22.0], anchor });
        let rects = layout([0.0, 0.0, 800.0, 600.0], 100.0, &boxes, &[0, 1, 2]);
        let [Some(first), Some(second), Some(third)] = rects[..] else { panic!("{rects:?}") };
        assert!(first[0] == 0.0 && second[0] + second[2] == 800.0 && third[0] == 0.0);
        assert!((second[1] + 11.0 - 400.0).abs() < 1e-3 && (first[1] + 11.0 - 200.0).abs() < 1e-3);
        assert!(third[1] >= first[1] + first[3]);
        // Where there is room for one, it is that which goes first.
        let rects = layout([0.0, 0.0, 150.0, 30.0], 0.0, &boxes, &[2, 0, 1]);
        assert!(rects[0].is_none() && rects[1].is_none() && rects[2].is_some(), "{rects:?}");
    }
}
