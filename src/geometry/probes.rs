//! Points of a surface by which its poses are judged, and from which directions each can be seen.

use rayon::prelude::*;

use super::point_pairs::OrientedPoint;
use super::{Surface, Vector};

/// Cells of the octahedral map of directions along each axis; `MAP` of pose_scores.cu.
const MAP: usize = 16;
/// Words of 32 directions each.
pub const WORDS: usize = MAP * MAP / 32;
/// Least cosine between a normal and a direction from which the point counts as seen.
const MIN_COSINE: f64 = 0.2;

/// Points of a surface with the directions from which each is seen.
#[derive(Clone, Debug, Default)]
pub struct Probes {
    /// The points, frame of the surface.
    pub points: Vec<OrientedPoint>,
    /// By point: a bit for each cell of directions in which the surface does not hide it.
    pub seen_from: Vec<[u32; WORDS]>,
}

impl Probes {
    /// Those of `points` that some direction sees: without those of inner faces. Points of open surfaces are seen from both
    /// sides.
    pub fn new(surface: &Surface, points: &[OrientedPoint]) -> Self {
        let far_mm = 2.0 * surface.bounds().diagonal();
        let clearance_mm = 1e-6 * far_mm;
        let directions: Vec<Vector> = (0..MAP * MAP).map(direction_of).collect();
        let is_open = !surface.topology().is_closed();
        let of_point = |own: &OrientedPoint| {
            let mut seen = [0_u32; WORDS];
            for (cell, direction) in directions.iter().enumerate() {
                let cosine = own.normal.dot(direction);
                let cosine = if is_open { cosine.abs() } else { cosine };
                let is_seen = cosine > MIN_COSINE
                    && !surface.is_blocked(&(own.point + direction * far_mm), &own.point, clearance_mm);
                seen[cell / 32] |= u32::from(is_seen) << (cell % 32);
            }
            (*own, seen)
        };
        let all = points.par_iter().map(of_point).filter(|(_, seen)| seen.iter().any(|word| *word != 0));
        let (points, seen_from) = all.unzip();
        Self { points, seen_from }
    }

    /// Whether a point is seen from a direction, not of unit length, as far as the cells of directions tell.
    #[inline]
    pub fn is_seen(&self, point: usize, direction: &Vector) -> bool {
        let cell = cell_of(direction);
        self.seen_from.get(point).is_some_and(|seen| seen[cell / 32] >> (cell % 32) & 1 == 1)
    }
}

/// Cell of a direction: octahedral map (Meyer et al., "On floating-point normal vectors", 2010).
#[inline]
fn cell_of(direction: &Vector) -> usize {
    let sum = direction.x.abs() + direction.y.abs() + direction.z.abs();
    let (mut u, mut v) = (direction.x / sum, direction.y / sum);
    if direction.z < 0.0 {
        let (over, across) = (1.0 - v.abs(), 1.0 - u.abs());
        u = if u < 0.0 { -over } else { over };
        v = if v < 0.0 { -across } else { across };
    }
    let at = |own: f64| (((own + 1.0) * (0.5 * MAP as f64)) as usize).min(MAP - 1);
    at(v) * MAP + at(u)
}

/// The direction in the middle of a cell.
fn direction_of(cell: usize) -> Vector {
    let at = |index: usize| (index as f64 + 0.5) * (2.0 / MAP as f64) - 1.0;
    let (u, v) = (at(cell % MAP), at(cell / MAP));
    let z = 1.0 - u.abs() - v.abs();
    let folded = |own: f64, other: f64| (1.0 - other.abs()) * own.signum();
    let (x, y) = if z < 0.0 { (folded(u, v), folded(v, u)) } else { (u, v) };
    Vector::new(x, y, z).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn directions_come_back_to_their_cells() {
        assert!((0..MAP * MAP).all(|cell| cell_of(&direction_of(cell)) == cell));
        let mut random = Random::new(1, 0);
        for _ in 0..10_000 {
            let direction = random.rotation() * Vector::z();
            assert!(direction_of(cell_of(&direction)).angle(&direction) < 0.3, "{direction}");
        }
    }

    #[test]
    fn what_lies_in_a_hollow_is_seen_through_its_mouth_alone() {
        // A bottom 20 mm wide between two walls 40 mm high.
        let mut mesh = shapes::cuboid(Point::new(-10.0, -50.0, -2.0), Point::new(10.0, 50.0, 0.0));
        for x in [-12.0, 10.0] {
            mesh.append(&shapes::cuboid(Point::new(x, -50.0, -2.0), Point::new(x + 2.0, 50.0, 40.0)));
        }
        let surface = Surface::new(mesh);
        let bottom = OrientedPoint { point: Point::origin(), normal: Vector::z() };
        let probes = Probes::new(&surface, &[bottom]);
        assert!(probes.is_seen(0, &Vector::new(0.0, 0.1, 1.0)) && probes.is_seen(0, &Vector::new(0.0, 1.0, 1.0)));
        assert!(!probes.is_seen(0, &Vector::new(1.0, 0.0, 1.0)) && !probes.is_seen(0, &-Vector::z()));
    }
}
