//! Plates with two straight marks that cross: slots with square edges, slots that are black on white, or lines drawn by
//! a pen in the machine's own head.

mod automatic;

use super::drawn::{self, Drawn, Imperfect};
use super::edges::Edge;
use super::plane_and_lines::PlaneAndLines;
use super::{RegionName, named};
use geometry::{Mesh, Point, Vector};

/// A plate of metal with milled slots.
pub static SQUARE_SLOTS: PlaneAndLines = PlaneAndLines {
    name: "Square slots",
    regions: &SLOTS,
    edge: Edge::Height,
    find: |cloud, progress| automatic::find(SQUARE_SLOTS.name, &Drawing::SQUARE_SLOTS, cloud, progress),
};
/// White over black plastic, cut through to the black.
pub static GREYSCALE_SLOTS: PlaneAndLines = PlaneAndLines {
    name: "Greyscale slots",
    regions: &SLOTS,
    edge: Edge::Greyscale,
    find: |cloud, progress| automatic::find(GREYSCALE_SLOTS.name, &Drawing::GREYSCALE_SLOTS, cloud, progress),
};
/// A plate that the machine drew two lines on.
pub static PEN_LINES: PlaneAndLines = PlaneAndLines {
    name: "Pen lines",
    regions: &LINES,
    edge: Edge::DarkStroke,
    find: |cloud, progress| automatic::find(PEN_LINES.name, &Drawing::PEN_LINES, cloud, progress),
};

const SLOTS: [RegionName; 5] = [
    named("PL", "plane"),
    named("LL", "long slot, left edge"),
    named("LR", "long slot, right edge"),
    named("SU", "short slot, upper edge"),
    named("SL", "short slot, lower edge"),
];
const LINES: [RegionName; 3] = [named("PL", "plane"), named("LY", "line along Y"), named("LX", "line along X")];

/// A plate with a mark along Y and one along X, both through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing {
    least_mm: [f64; 2],
    greatest_mm: [f64; 2],
    /// Where the mark along Y begins and ends, and the one along X.
    from_to_mm: [[f64; 2]; 2],
    half_width_mm: f64,
    depth_mm: f64,
    /// Brightness of the marks; the plate's is 1.
    ink: f64,
    /// Whether each edge is a region, else each mark.
    by_edges: bool,
}

/// The wall of a slot leans by this much, mm, so that it can be meshed.
const WALL_MM: f64 = 0.25;
const THICKNESS_MM: f64 = 12.0;
/// A band to be brushed holds so much on either side of an edge or line, mm.
const BAND_MM: f64 = 2.5;
/// The plane is brushed so much clear of marks, mm.
const CLEAR_MM: f64 = 3.0;

impl Drawing {
    /// 10 mm wide and 3 mm deep.
    pub const SQUARE_SLOTS: Self = Self {
        least_mm: [-42.0, -88.0],
        greatest_mm: [50.0, 56.0],
        from_to_mm: [[-76.0, 44.0], [-32.0, 40.0]],
        half_width_mm: 5.0,
        depth_mm: 3.0,
        ink: 1.0,
        by_edges: true,
    };
    /// 3.175 mm wide and 0.1 mm deep.
    pub const GREYSCALE_SLOTS: Self = Self { half_width_mm: 1.5875, depth_mm: 0.1, ink: 0.15, ..Self::SQUARE_SLOTS };
    /// Strokes of 0.5 mm that leave the origin.
    pub const PEN_LINES: Self = Self {
        least_mm: [-24.0, -24.0],
        greatest_mm: [56.0, 108.0],
        from_to_mm: [[0.0, 100.0], [0.0, 48.0]],
        half_width_mm: 0.25,
        depth_mm: 0.0,
        ink: 0.2,
        by_edges: false,
    };

    /// Whether marks lie deeper than noise; else they are dark.
    fn is_told_by_depth(&self) -> bool {
        self.depth_mm > 1.0
    }

    /// Its regions.
    fn regions(&self) -> usize {
        if self.by_edges { SLOTS.len() } else { LINES.len() }
    }

    /// How far inside a mark a place is, mm: from its edges, and from its ends. `mark` 0 runs along Y, 1 along X.
    fn inside(&self, mark: usize, x: f64, y: f64) -> (f64, f64) {
        let (across, along) = if mark == 0 { (x, y) } else { (y, x) };
        let [from, to] = self.from_to_mm[mark];
        (self.half_width_mm - across.abs(), (along - from).min(to - along))
    }

    fn depth(&self, mark: usize, x: f64, y: f64) -> f64 {
        let (edge, end) = self.inside(mark, x, y);
        edge.min(end)
    }

    /// How far along a mark a place is, 0 to 1.
    fn share(&self, mark: usize, x: f64, y: f64) -> f64 {
        let [from, to] = self.from_to_mm[mark];
        ((if mark == 0 { y } else { x } - from) / (to - from)).clamp(0.0, 1.0)
    }

    fn made_height(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let fall = |mark: usize| {
            let inside = self.depth(mark, x, y);
            let round = imperfect.rounding_mm + imperfect.askew_mm * self.share(mark, x, y);
            // The rim is a quarter of a circle, the wall below it leans.
            let rim = if round > 0.0 {
                round - (round * round - (inside + round).clamp(0.0, round).powi(2)).sqrt()
            } else {
                0.0
            };
            (rim + inside.max(0.0) * self.depth_mm / WALL_MM).min(self.depth_mm)
        };
        -fall(0).max(fall(1)) + imperfect.above(x, y, [self.least_mm, self.greatest_mm])
    }

    /// Away from ends and from where both marks cross.
    fn clear_along(&self, mark: usize, x: f64, y: f64, margin_mm: f64) -> bool {
        let (_, end) = self.inside(mark, x, y);
        let from_crossing = if mark == 0 { y.abs() } else { x.abs() };
        end > margin_mm + 1.0 && from_crossing > self.half_width_mm + CLEAR_MM + margin_mm
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        let height = |x: f64, y: f64| self.made_height(x, y, imperfect);
        drawn::plate([self.least_mm, self.greatest_mm], THICKNESS_MM, WALL_MM, &height)
    }

    fn middle(&self) -> Point {
        let middle = |axis: usize| 0.5 * (self.least_mm[axis] + self.greatest_mm[axis]);
        Point::new(middle(0), middle(1), 0.0)
    }

    fn region_at(&self, place: &Point, margin_mm: f64) -> Option<usize> {
        let (x, y) = (place.x, place.y);
        let on_plate =
            (0..2).all(|k| place[k] > self.least_mm[k] + margin_mm && place[k] < self.greatest_mm[k] - margin_mm);
        let on_top = place.z > -0.5 * THICKNESS_MM;
        if !(on_plate && on_top) {
            return None;
        }
        for (mark, across) in [(0, x), (1, y)] {
            if !self.clear_along(mark, x, y, margin_mm) {
                continue;
            }
            if !self.by_edges {
                if across.abs() < BAND_MM {
                    return Some(1 + mark);
                }
            } else if (across.abs() - self.half_width_mm).abs() < BAND_MM {
                // The long slot: left, right; the short one: upper, lower.
                return Some(1 + 2 * mark + usize::from((across > 0.0) == (mark == 0)));
            }
        }
        let beside = |mark: usize| self.depth(mark, x, y) < -CLEAR_MM - margin_mm;
        (beside(0) && beside(1)).then_some(0)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        if region == 0 {
            let places: Vec<Point> = drawn::lattice(self.least_mm, self.greatest_mm)
                .map(|(x, y)| Point::new(x, y, 0.0))
                .filter(|place| self.region_at(place, 2.0) == Some(0))
                .collect();
            return drawn::spread(&places, count).into_iter().map(|place| (place, Vector::z())).collect();
        }
        let mark = if self.by_edges { (region - 1) / 2 } else { region - 1 };
        // Slots are touched on their walls from within; a pen stood on the line.
        let side = match (self.by_edges, mark, region % 2 == 1) {
            (false, ..) => 0.0,
            (true, 0, first) => {
                if first {
                    -1.0
                } else {
                    1.0
                }
            }
            (true, _, first) => {
                if first {
                    1.0
                } else {
                    -1.0
                }
            }
        };
        let [from, to] = self.from_to_mm[mark];
        let place = |along: f64| {
            let across = side * self.half_width_mm;
            let (x, y) = if mark == 0 { (across, along) } else { (along, across) };
            (Point::new(x, y, if side == 0.0 { 0.0 } else { -0.5 * self.depth_mm }), x, y)
        };
        let steps = (2.0 * (to - from)) as usize;
        let inward = if mark == 0 { -Vector::x() * side } else { -Vector::y() * side };
        let outward = if side == 0.0 { Vector::z() } else { inward };
        let places: Vec<(Point, Vector)> = (0..=steps)
            .map(|i| place(from + 0.5 * i as f64))
            .filter(|&(_, x, y)| self.clear_along(mark, x, y, 1.0))
            .map(|(place, ..)| (place, outward))
            .collect();
        drawn::spread(&places, count)
    }

    fn off_drawing(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.above(x, y, [self.least_mm, self.greatest_mm])
    }

    fn ink(&self, place: &Point, imperfect: &Imperfect) -> f64 {
        let marked = (0..2).any(|mark| {
            let by = imperfect.askew_mm * self.share(mark, place.x, place.y);
            let (x, y) = if mark == 0 { (place.x - by, place.y) } else { (place.x, place.y - by) };
            self.depth(mark, x, y) > 0.0
        });
        if marked { self.ink } else { 1.0 }
    }
}
