//! The vertex of a patch: where the tangent planes at its crossings meet.

use crate::{Point, Vector};

/// A point where the surface crosses an edge, and its outward unit normal there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Position, mm.
    pub point: Point,
    /// Outward unit normal; zero if there is none.
    pub normal: Vector,
}

/// Eigenvalues below this fraction of the greatest are of a direction in which the surface is smooth.
const SMOOTH: f64 = 0.03;

/// The point nearest to the middle of the crossings that is nearest to all their tangent planes, within the cube from
/// `min` to `max` (Ju et al., "Dual contouring of Hermite data", 2002).
pub(super) fn vertex(crossings: impl Iterator<Item = Crossing> + Clone, min: &Point, max: &Point) -> Point {
    let count = crossings.clone().count().max(1) as f64;
    let middle = Point::from(crossings.clone().map(|own| own.point.coords).sum::<Vector>() / count);
    let (mut matrix, mut right) = (nalgebra::Matrix3::zeros(), Vector::zeros());
    for Crossing { point, normal } in crossings {
        matrix += normal * normal.transpose();
        right += normal * normal.dot(&(point - middle));
    }
    let eigen = matrix.symmetric_eigen();
    let greatest = eigen.eigenvalues.max();
    let mut step = Vector::zeros();
    for axis in (0..3).filter(|&axis| eigen.eigenvalues[axis] > SMOOTH * greatest) {
        let direction = eigen.eigenvectors.column(axis);
        step += direction * (direction.dot(&right) / eigen.eigenvalues[axis]);
    }
    let vertex = middle + step;
    Point::from(Vector::from_fn(|axis, _| vertex[axis].clamp(min[axis], max[axis])))
}
