//! A frustum: a flat top and four flanks that slope down from it. A polyhedron without slots, all of whose faces can be
//! probed from above.

mod automatic;

use super::drawn::{self, Drawn, Imperfect, smooth_min};
use super::five_planes::FivePlanes;
use super::{RegionName, region_name};
use geometry::{Mesh, Point, Vector};

/// The artefact.
pub static FRUSTUM: FivePlanes = FivePlanes {
    name: "Frustum",
    regions: &REGIONS,
    parts: [("top", &[0]), ("W", &[1]), ("E", &[2]), ("N", &[3]), ("S", &[4])],
    pairs: ["flanks west and east", "flanks north and south"],
    order: &[(1, 2, 0, "The west and the east flank"), (4, 3, 1, "The south and the north flank")],
    flank_deg: None,
    find: automatic::find,
};

const REGIONS: [RegionName; 5] = [
    region_name("T", "top"),
    region_name("W", "west flank"),
    region_name("E", "east flank"),
    region_name("N", "north flank"),
    region_name("S", "south flank"),
];

/// Half extents of the top, mm.
const TOP_HALF_MM: [f64; 2] = [14.0, 36.0];
/// Half extents of the base at the foot of the flanks, mm.
const BASE_HALF_MM: [f64; 2] = [34.0, 56.0];
/// Minimum and maximum corner of the base, mm.
const BASE_CORNERS_MM: [[f64; 2]; 2] = [[-BASE_HALF_MM[0], -BASE_HALF_MM[1]], BASE_HALF_MM];
/// Slope of the flanks relative to the top, degrees.
const FLANK_DEG: f64 = 30.0;
const THICKNESS_MM: f64 = 30.0;

/// 68 x 112 mm, flanks at 30 degrees; the origin is the centre of the top.
pub struct Drawing;

impl Drawing {
    /// Distances beyond the top's edges along X and Y, mm; negative on the top.
    fn beyond(x: f64, y: f64) -> [f64; 2] {
        [x.abs() - TOP_HALF_MM[0], y.abs() - TOP_HALF_MM[1]]
    }

    fn height_mm(x: f64, y: f64) -> f64 {
        let [x, y] = Self::beyond(x, y);
        -x.max(y).max(0.0) * FLANK_DEG.to_radians().tan()
    }

    fn normal(region: usize) -> Vector {
        let (sin, cos) = FLANK_DEG.to_radians().sin_cos();
        let side = [Vector::zeros(), -Vector::x(), Vector::x(), Vector::y(), -Vector::y()][region];
        if region == 0 { Vector::z() } else { side * sin + Vector::z() * cos }
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        let step_mm = if *imperfect == Imperfect::default() { 2.0 } else { 0.25 };
        let corners = BASE_CORNERS_MM;
        let height = |x: f64, y: f64| {
            let ([dx, dy], width) = (Self::beyond(x, y), imperfect.rounding_mm);
            let fall = -smooth_min(smooth_min(-dx, -dy, width), 0.0, width);
            -fall * FLANK_DEG.to_radians().tan() + imperfect.height_error_mm(x, y, corners)
        };
        drawn::plate(corners, THICKNESS_MM, step_mm, &height)
    }

    fn view_centre(&self) -> Point {
        Point::new(0.0, 0.0, Self::height_mm(BASE_HALF_MM[0], 0.0))
    }

    fn region_at(&self, point: &Point, margin_mm: f64) -> Option<usize> {
        let (x, y) = (point.x, point.y);
        let [dx, dy] = Self::beyond(x, y);
        let inside = BASE_HALF_MM[0] - x.abs() > margin_mm && BASE_HALF_MM[1] - y.abs() > margin_mm;
        if !inside || point.z < Self::height_mm(BASE_HALF_MM[0], 0.0) {
            return None;
        }
        if dx.max(dy) < -margin_mm {
            return Some(0);
        }
        if dx > dy.max(0.0) + margin_mm {
            return Some(if x < 0.0 { 1 } else { 2 });
        }
        (dy > dx.max(0.0) + margin_mm).then_some(if y > 0.0 { 3 } else { 4 })
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        let points: Vec<(Point, Vector)> = drawn::lattice(BASE_HALF_MM.map(|half| -half), BASE_HALF_MM)
            .map(|(x, y)| Point::new(x, y, Self::height_mm(x, y)))
            .filter(|point| self.region_at(point, 2.0) == Some(region))
            .map(|point| (point, Self::normal(region)))
            .collect();
        drawn::spread(&points, count)
    }

    fn height_error_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.height_error_mm(x, y, BASE_CORNERS_MM)
    }
}
