//! How well an alignment determines each degree of freedom.

use nalgebra::{Matrix6, SymmetricEigen};
use serde::{Deserialize, Serialize};

use geometry::Point;

/// Normal matrix of the last iteration, with rotations about `pivot`, and its least determined direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Information {
    /// 6 x 6, by rows: rotations x, y, z (per rad²), then translations x, y, z (per mm²), for unit weight.
    pub matrix: [[f64; 6]; 6],
    /// Centre of rotation, nominal frame, mm.
    pub pivot: Option<Point>,
    /// Smallest eigenvalue divided by the largest, with rotations scaled by the part's half-size: near 0 the weakest
    /// direction is undetermined.
    pub weakest_ratio: f64,
    /// The least determined direction, or all undetermined ones, in words.
    pub weakest: String,
    /// Undetermined degrees of freedom in words, weakest first: a sphere has three, a plane three, a cylinder two.
    #[serde(default)]
    pub open: Vec<String>,
}

/// Directions whose eigenvalue is below this share of the largest count as undetermined by a scan.
const MIN_EIGENVALUE_RATIO: f64 = 1e-3;

const AXES: [&str; 3] = ["x", "y", "z"];

impl Information {
    /// Decomposes `hessian` (rotations about `pivot`) for a part of half-size `lever_mm`.
    pub fn new(hessian: &Matrix6<f64>, pivot: Point, lever_mm: f64) -> Self {
        Self::with_limit(hessian, pivot, lever_mm, MIN_EIGENVALUE_RATIO)
    }

    /// As [`Information::new`]; directions whose eigenvalue is below `min_ratio` of the largest count as undetermined.
    pub fn with_limit(hessian: &Matrix6<f64>, pivot: Point, lever_mm: f64, min_ratio: f64) -> Self {
        let lever = if lever_mm > 0.0 { lever_mm } else { 1.0 };
        let scale =
            Matrix6::from_diagonal(&nalgebra::Vector6::new(1.0 / lever, 1.0 / lever, 1.0 / lever, 1.0, 1.0, 1.0));
        let eigen = SymmetricEigen::new(scale * hessian * scale);
        let (weak, strong) = (eigen.eigenvalues.imin(), eigen.eigenvalues.imax());
        let largest = eigen.eigenvalues[strong];
        let ratio = if largest > 0.0 { (eigen.eigenvalues[weak] / largest).max(0.0) } else { 0.0 };
        let describe = |column: usize| {
            let direction = eigen.eigenvectors.column(column);
            let (rotation, translation) = (direction.fixed_rows::<3>(0), direction.fixed_rows::<3>(3));
            if rotation.norm() >= translation.norm() {
                format!("rotation about {}", axis_words([rotation[0], rotation[1], rotation[2]]))
            } else {
                format!("translation along {}", axis_words([translation[0], translation[1], translation[2]]))
            }
        };
        let mut open: Vec<usize> = (0..6).filter(|&i| eigen.eigenvalues[i] <= min_ratio * largest).collect();
        open.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let open: Vec<String> = open.into_iter().map(describe).collect();
        let weakest = match open.as_slice() {
            [] => format!("least determined: {}", describe(weak)),
            [one] => format!("{one} is not determined by this scan"),
            many => format!("{} are not determined by this scan", many.join(", ")),
        };
        Self {
            matrix: std::array::from_fn(|row| std::array::from_fn(|column| hessian[(row, column)])),
            pivot: Some(pivot),
            weakest_ratio: ratio,
            weakest,
            open,
        }
    }
}

/// A direction of the nominal frame in words, regardless of sign: the name of an axis within about 18° of it, else its
/// unit vector.
pub fn axis_words(direction: [f64; 3]) -> String {
    let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
    let unit = direction.map(|c| if length > 0.0 { c / length } else { 0.0 });
    match (0..3).find(|&axis| unit[axis].abs() > 0.95) {
        Some(axis) => AXES[axis].to_owned(),
        None => format!("the direction ({:.2}, {:.2}, {:.2})", unit[0], unit[1], unit[2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector6;

    #[test]
    fn a_plane_does_not_determine_translation_in_it_and_rotation_about_its_normal() {
        let mut hessian = Matrix6::zeros();
        for (x, y) in [(0.0, 0.0), (9.0, 1.0), (-4.0, 6.0), (2.0, -8.0)] {
            let row = Vector6::new(y, -x, 0.0, 0.0, 0.0, 1.0);
            hessian += row * row.transpose();
        }
        let information = Information::new(&hessian, Point::origin(), 10.0);
        assert!(information.weakest_ratio < 1e-12);
        assert_eq!(information.open.len(), 3, "{:?}", information.open);
        assert!(information.weakest.contains("are not determined"), "{}", information.weakest);
    }
}
