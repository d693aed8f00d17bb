//! Views of points and vectors as flat arrays of coordinates, as kernels read them.
#![allow(unsafe_code)]

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_contiguous() {
        let points = [Point::new(1.0, 2.0, 3.0), Point::new(4.0, 5.0, 6.0)];
        assert_eq!(of_points(&points), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(of_vectors(&points.map(|point| -point.coords))[3..], [-4.0, -5.0, -6.0]);
        assert!(of_points(&[]).is_empty());
    }
}
