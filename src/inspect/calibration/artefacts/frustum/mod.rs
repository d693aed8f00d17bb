//! A frustum: a flat top, and four flanks that fall away from it. A polyhedron that a ball probe touches from above,
//! without slots.

mod automatic;

use super::drawn::{self, Drawn, Imperfect, smooth_least};
use super::five_planes::FivePlanes;
use super::{RegionName, named};
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
    named("T", "top"),
    named("W", "west flank"),
    named("E", "east flank"),
    named("N", "north flank"),
    named("S", "south flank"),
];

/// Half of the top, mm.
const TOP: [f64; 2] = [14.0, 36.0];
/// Half of what the flanks end at, mm.
const BASE: [f64; 2] = [34.0, 56.0];
/// The least and the greatest corner of the base, mm.
const CORNERS: [[f64; 2]; 2] = [[-BASE[0], -BASE[1]], BASE];
/// Angle of the flanks below the top, degrees.
const FLANK_DEG: f64 = 30.0;
const THICKNESS_MM: f64 = 30.0;

/// 68 x 112 mm, with flanks of 30 degrees: its own frame begins in the middle of the top.
pub struct Drawing;

impl Drawing {
    /// How far beyond the top's edges a place lies, mm.
    fn beyond(x: f64, y: f64) -> [f64; 2] {
        [x.abs() - TOP[0], y.abs() - TOP[1]]
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
        let corners = CORNERS;
        let height = |x: f64, y: f64| {
            let ([dx, dy], width) = (Self::beyond(x, y), imperfect.rounding_mm);
            let fall = -smooth_least(smooth_least(-dx, -dy, width), 0.0, width);
            -fall * FLANK_DEG.to_radians().tan() + imperfect.above(x, y, corners)
        };
        drawn::plate(corners, THICKNESS_MM, step_mm, &height)
    }

    fn middle(&self) -> Point {
        Point::new(0.0, 0.0, Self::height_mm(BASE[0], 0.0))
    }

    fn region_at(&self, place: &Point, margin_mm: f64) -> Option<usize> {
        let (x, y) = (place.x, place.y);
        let [dx, dy] = Self::beyond(x, y);
        let inside = BASE[0] - x.abs() > margin_mm && BASE[1] - y.abs() > margin_mm;
        if !inside || place.z < Self::height_mm(BASE[0], 0.0) {
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
        let places: Vec<(Point, Vector)> = drawn::lattice(BASE.map(|half| -half), BASE)
            .map(|(x, y)| Point::new(x, y, Self::height_mm(x, y)))
            .filter(|place| self.region_at(place, 2.0) == Some(region))
            .map(|place| (place, Self::normal(region)))
            .collect();
        drawn::spread(&places, count)
    }

    fn off_drawing(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.above(x, y, CORNERS)
    }
}
