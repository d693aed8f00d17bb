//! Views of points, vectors and oriented points as flat arrays of coordinates, as kernels read them.
#![allow(unsafe_code)]

use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Vector};

/// x, y, z of each point, mm.
pub fn of_points(points: &[Point]) -> &[f64] {
    const { assert!(size_of::<Point>() == 3 * size_of::<f64>()) };
    // SAFETY: nalgebra's points and vectors of constant size are `repr(C)` around an array of their coordinates, and
    // nothing else fits their size.
    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), 3 * points.len()) }
}

/// x, y, z of each vector.
pub fn of_vectors(vectors: &[Vector]) -> &[f64] {
    const { assert!(size_of::<Vector>() == 3 * size_of::<f64>()) };
    // SAFETY: as for points.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), 3 * vectors.len()) }
}

/// x, y, z of each point, mm, and of its normal.
pub fn of_oriented(points: &[OrientedPoint]) -> &[f64] {
    const { assert!(size_of::<OrientedPoint>() == 6 * size_of::<f64>()) };
    // SAFETY: `repr(C)` with a point before a vector, each as above, and nothing else fits its size.
    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), 6 * points.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_contiguous() {
        let points = [Point::new(1.0, 2.0, 3.0), Point::new(4.0, 5.0, 6.0)];
        assert_eq!(of_points(&points), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(of_vectors(&points.map(|point| -point.coords))[3..], [-4.0, -5.0, -6.0]);
        assert!(of_points(&[]).is_empty());
        let oriented = OrientedPoint { point: points[0], normal: points[1].coords };
        assert_eq!(of_oriented(&[oriented, oriented])[6..], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}
