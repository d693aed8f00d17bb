//! Plates with two straight marks that cross: square-edged slots, slots that are black on white, or lines drawn by a
//! pen in the CMM's head.

mod automatic;

use super::drawn::{self, Drawn, Imperfect};
use super::edges::Edge;
use super::plane_and_lines::PlaneAndLines;
use super::{RegionName, region_name};
use geometry::{Mesh, Point, Vector};

/// A metal plate with milled slots.
pub static SQUARE_SLOTS: PlaneAndLines = PlaneAndLines {
    name: "Square slots",
    regions: &SLOTS,
    edge: Edge::Height,
    find: |cloud, progress| automatic::find(SQUARE_SLOTS.name, &Drawing::SQUARE_SLOTS, cloud, progress),
};
/// White on black plastic, engraved through to the black.
pub static GREYSCALE_SLOTS: PlaneAndLines = PlaneAndLines {
    name: "Greyscale slots",
    regions: &SLOTS,
    edge: Edge::Greyscale,
    find: |cloud, progress| automatic::find(GREYSCALE_SLOTS.name, &Drawing::GREYSCALE_SLOTS, cloud, progress),
};
/// A plate on which the CMM drew two lines with a pen.
pub static PEN_LINES: PlaneAndLines = PlaneAndLines {
    name: "Pen lines",
    regions: &LINES,
    edge: Edge::DarkStroke,
    find: |cloud, progress| automatic::find(PEN_LINES.name, &Drawing::PEN_LINES, cloud, progress),
};

const SLOTS: [RegionName; 5] = [
    region_name("PL", "plane"),
    region_name("LL", "long slot, left edge"),
    region_name("LR", "long slot, right edge"),
    region_name("SU", "short slot, upper edge"),
    region_name("SL", "short slot, lower edge"),
];
const LINES: [RegionName; 3] =
    [region_name("PL", "plane"), region_name("LY", "line along Y"), region_name("LX", "line along X")];

/// A plate with a mark along Y and one along X, both through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing {
    min_mm: [f64; 2],
    max_mm: [f64; 2],
    /// Start and end of the mark along Y, and of the one along X, mm.
    extents_mm: [[f64; 2]; 2],
    half_width_mm: f64,
    depth_mm: f64,
    /// Brightness of the marks; that of the plate is 1.
    mark_brightness: f64,
    /// Whether each edge is a region; otherwise each mark.
    by_edges: bool,
}

/// Horizontal extent of a slot's wall, mm: it is slightly inclined so that it can be meshed.
const WALL_MM: f64 = 0.25;
const THICKNESS_MM: f64 = 12.0;
/// Half width of the band that is brushed along an edge or line, mm.
const BAND_HALF_WIDTH_MM: f64 = 2.5;
/// Clearance of the plane's region from marks, mm.
const MARK_CLEARANCE_MM: f64 = 3.0;

impl Drawing {
    /// 10 mm wide and 3 mm deep.
    pub const SQUARE_SLOTS: Self = Self {
        min_mm: [-42.0, -88.0],
        max_mm: [50.0, 56.0],
        extents_mm: [[-76.0, 44.0], [-32.0, 40.0]],
        half_width_mm: 5.0,
        depth_mm: 3.0,
        mark_brightness: 1.0,
        by_edges: true,
    };
    /// 3.175 mm wide and 0.1 mm deep.
    pub const GREYSCALE_SLOTS: Self =
        Self { half_width_mm: 1.5875, depth_mm: 0.1, mark_brightness: 0.15, ..Self::SQUARE_SLOTS };
    /// Strokes of 0.5 mm width that start at the origin.
    pub const PEN_LINES: Self = Self {
        min_mm: [-24.0, -24.0],
        max_mm: [56.0, 108.0],
        extents_mm: [[0.0, 100.0], [0.0, 48.0]],
        half_width_mm: 0.25,
        depth_mm: 0.0,
        mark_brightness: 0.2,
        by_edges: false,
    };

    /// Whether marks are recognised by their depth; otherwise by their darkness.
    fn is_found_by_depth(&self) -> bool {
        self.depth_mm > 1.0
    }

    /// Number of regions.
    fn region_count(&self) -> usize {
        if self.by_edges { SLOTS.len() } else { LINES.len() }
    }

    /// Distances of a position from the nearer edge and the nearer end of a mark, mm; negative outside. `mark` 0 runs
    /// along Y, 1 along X.
    fn inside(&self, mark: usize, x: f64, y: f64) -> (f64, f64) {
        let (across, along) = if mark == 0 { (x, y) } else { (y, x) };
        let [from, to] = self.extents_mm[mark];
        (self.half_width_mm - across.abs(), (along - from).min(to - along))
    }

    fn depth(&self, mark: usize, x: f64, y: f64) -> f64 {
        let (edge, end) = self.inside(mark, x, y);
        edge.min(end)
    }

    /// Relative position along a mark, 0 to 1.
    fn relative_position(&self, mark: usize, x: f64, y: f64) -> f64 {
        let [from, to] = self.extents_mm[mark];
        ((if mark == 0 { y } else { x } - from) / (to - from)).clamp(0.0, 1.0)
    }

    fn manufactured_height_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let fall = |mark: usize| {
            let inside = self.depth(mark, x, y);
            let round = imperfect.rounding_mm + imperfect.askew_mm * self.relative_position(mark, x, y);
            // The rim is a quarter of a circle, the wall below it is inclined.
            let rim = if round > 0.0 {
                round - (round * round - (inside + round).clamp(0.0, round).powi(2)).sqrt()
            } else {
                0.0
            };
            (rim + inside.max(0.0) * self.depth_mm / WALL_MM).min(self.depth_mm)
        };
        -fall(0).max(fall(1)) + imperfect.height_error_mm(x, y, [self.min_mm, self.max_mm])
    }

    /// Whether a position along a mark is clear of its ends and of the crossing.
    fn is_clear(&self, mark: usize, x: f64, y: f64, margin_mm: f64) -> bool {
        let (_, end) = self.inside(mark, x, y);
        let from_crossing = if mark == 0 { y.abs() } else { x.abs() };
        end > margin_mm + 1.0 && from_crossing > self.half_width_mm + MARK_CLEARANCE_MM + margin_mm
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        let height = |x: f64, y: f64| self.manufactured_height_mm(x, y, imperfect);
        drawn::plate([self.min_mm, self.max_mm], THICKNESS_MM, WALL_MM, &height)
    }

    fn view_centre(&self) -> Point {
        let centre = |axis: usize| 0.5 * (self.min_mm[axis] + self.max_mm[axis]);
        Point::new(centre(0), centre(1), 0.0)
    }

    fn region_at(&self, point: &Point, margin_mm: f64) -> Option<usize> {
        let (x, y) = (point.x, point.y);
        let on_plate = (0..2).all(|k| point[k] > self.min_mm[k] + margin_mm && point[k] < self.max_mm[k] - margin_mm);
        let on_top = point.z > -0.5 * THICKNESS_MM;
        if !(on_plate && on_top) {
            return None;
        }
        for (mark, across) in [(0, x), (1, y)] {
            if !self.is_clear(mark, x, y, margin_mm) {
                continue;
            }
            if !self.by_edges {
                if across.abs() < BAND_HALF_WIDTH_MM {
                    return Some(1 + mark);
                }
            } else if (across.abs() - self.half_width_mm).abs() < BAND_HALF_WIDTH_MM {
                // Long slot: left, right; short slot: upper, lower.
                return Some(1 + 2 * mark + usize::from((across > 0.0) == (mark == 0)));
            }
        }
        let is_outside = |mark: usize| self.depth(mark, x, y) < -MARK_CLEARANCE_MM - margin_mm;
        (is_outside(0) && is_outside(1)).then_some(0)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        if region == 0 {
            let points: Vec<Point> = drawn::lattice(self.min_mm, self.max_mm)
                .map(|(x, y)| Point::new(x, y, 0.0))
                .filter(|point| self.region_at(point, 2.0) == Some(0))
                .collect();
            return drawn::spread(&points, count).into_iter().map(|point| (point, Vector::z())).collect();
        }
        let mark = if self.by_edges { (region - 1) / 2 } else { region - 1 };
        // Slots are probed on their walls from within; a pen line is probed from above.
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
        let [from, to] = self.extents_mm[mark];
        let point_at = |along: f64| {
            let across = side * self.half_width_mm;
            let (x, y) = if mark == 0 { (across, along) } else { (along, across) };
            (Point::new(x, y, if side == 0.0 { 0.0 } else { -0.5 * self.depth_mm }), x, y)
        };
        let steps = (2.0 * (to - from)) as usize;
        let inward = if mark == 0 { -Vector::x() * side } else { -Vector::y() * side };
        let outward = if side == 0.0 { Vector::z() } else { inward };
        let points: Vec<(Point, Vector)> = (0..=steps)
            .map(|i| point_at(from + 0.5 * i as f64))
            .filter(|&(_, x, y)| self.is_clear(mark, x, y, 1.0))
            .map(|(point, ..)| (point, outward))
            .collect();
        drawn::spread(&points, count)
    }

    fn height_error_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.height_error_mm(x, y, [self.min_mm, self.max_mm])
    }

    fn brightness(&self, point: &Point, imperfect: &Imperfect) -> f64 {
        let is_marked = (0..2).any(|mark| {
            let shift = imperfect.askew_mm * self.relative_position(mark, point.x, point.y);
            let (x, y) = if mark == 0 { (point.x - shift, point.y) } else { (point.x, point.y - shift) };
            self.depth(mark, x, y) > 0.0
        });
        if is_marked { self.mark_brightness } else { 1.0 }
    }
}
