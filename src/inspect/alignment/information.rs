//! How well an alignment determines each degree of freedom.

use nalgebra::{Matrix3, Matrix6, SymmetricEigen};
use serde::{Deserialize, Serialize};

use geometry::{Point, Pose, Vector, transform};

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

/// A principal direction of the position of an aligned part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionAxis {
    /// Unit vector, nominal frame.
    pub direction: Vector,
    /// Standard deviation along it, mm; `None` if the scan does not determine it.
    pub sigma_mm: Option<f64>,
}

/// A motion that the points determine weakly.
#[derive(Clone, Copy, Debug)]
pub struct WeakMotion {
    pivot: Point,
    /// Rotation about the pivot, rad per mm.
    turn: Vector,
    /// Translation, mm per mm.
    shift: Vector,
    /// Its standard deviation for points whose errors have one of 1 mm, mm.
    pub sigma: f64,
}

impl WeakMotion {
    /// A small motion of that kind, by some mm.
    pub fn by_mm(&self, distance_mm: f64) -> Pose {
        transform::step_about(&self.pivot, self.turn * distance_mm, self.shift * distance_mm)
    }

    /// The axis that it turns about, if it is not rather a translation: a point on it, mm, and its direction.
    pub fn axis(&self, lever_mm: f64) -> Option<(Point, Vector)> {
        // Where the turn about the pivot and the shift cancel.
        let from_pivot = self.turn.cross(&self.shift) / self.turn.norm_squared();
        (self.turn.norm() * lever_mm >= self.shift.norm()).then(|| (self.pivot + from_pivot, self.turn.normalize()))
    }
}

/// Directions whose eigenvalue is below this share of the largest count as undetermined by a scan.
const MIN_EIGENVALUE_RATIO: f64 = 1e-3;

const AXES: [&str; 3] = ["x", "y", "z"];

/// How words for an undetermined translation begin.
const TRANSLATION: &str = "translation along";

impl Information {
    /// Whether a translation is undetermined, so that it is not known where the part lies.
    pub fn is_place_open(&self) -> bool {
        self.open.iter().any(|own| own.starts_with(TRANSLATION))
    }

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
                format!("{TRANSLATION} {}", axis_words([translation[0], translation[1], translation[2]]))
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

    /// The motions, nominal frame, that the points determine weakly: those whose eigenvalue, with rotations scaled by `lever_mm`, is
    /// at most `max_ratio` of the largest.
    pub fn weak_motions(&self, lever_mm: f64, max_ratio: f64) -> Vec<WeakMotion> {
        let Some(pivot) = self.pivot else { return Vec::new() };
        let scale = |index: usize| if index < 3 { 1.0 / lever_mm } else { 1.0 };
        let scaled = Matrix6::from_fn(|row, column| self.matrix[row][column] * scale(row) * scale(column));
        let eigen = SymmetricEigen::new(scaled);
        let limit = max_ratio * eigen.eigenvalues.amax();
        let motion = |index: usize| {
            let direction = eigen.eigenvectors.column(index);
            let (turn, shift) = (direction.fixed_rows::<3>(0) / lever_mm, direction.fixed_rows::<3>(3).into_owned());
            WeakMotion { pivot, turn, shift, sigma: 1.0 / eigen.eigenvalues[index].max(f64::MIN_POSITIVE).sqrt() }
        };
        (0..6).filter(|&index| eigen.eigenvalues[index] <= limit).map(motion).collect()
    }

    /// The principal directions of the position of the pivot, whatever the rotation is, most uncertain first, for points whose
    /// errors are independent with standard deviation `sigma_mm`; `None` without a normal matrix.
    pub fn position_axes(&self, sigma_mm: f64) -> Option<[PositionAxis; 3]> {
        self.pivot?;
        let block = |row: usize, column: usize| Matrix3::from_fn(|i, j| self.matrix[row + i][column + j]);
        let of_rotation = SymmetricEigen::new(block(0, 0));
        let least = MIN_EIGENVALUE_RATIO * of_rotation.eigenvalues.amax();
        let inverse = of_rotation.eigenvalues.map(|own| if own > least { 1.0 / own } else { 0.0 });
        let inverse =
            of_rotation.eigenvectors * Matrix3::from_diagonal(&inverse) * of_rotation.eigenvectors.transpose();
        let information = block(3, 3) - block(3, 0) * inverse * block(0, 3);
        let eigen = SymmetricEigen::new(0.5 * (information + information.transpose()));
        let largest = block(3, 3).symmetric_eigenvalues().amax();
        if !(largest > 0.0) {
            return None;
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        Some(order.map(|index| {
            let value = eigen.eigenvalues[index];
            PositionAxis {
                direction: eigen.eigenvectors.column(index).into(),
                sigma_mm: (value > MIN_EIGENVALUE_RATIO * largest).then(|| sigma_mm / value.sqrt()),
            }
        }))
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
    use base::random::Random;
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

    /// Rows of the design matrix for points on the faces of a box of which one is shifted, so that positions and rotations
    /// depend on each other.
    fn rows() -> Vec<Vector6<f64>> {
        let mut random = Random::new(5, 0);
        let draw = |_| {
            let point = Vector::new(random.range(2.0, 20.0), random.range(-9.0, 9.0), random.range(-3.0, 5.0));
            let normal = [Vector::x(), Vector::y(), Vector::z(), Vector::z()][random.index(4)];
            let moment = point.cross(&normal);
            Vector6::new(moment.x, moment.y, moment.z, normal.x, normal.y, normal.z)
        };
        (0..60).map(draw).collect()
    }

    #[test]
    fn the_position_scatters_as_its_axes_say() {
        let rows = rows();
        let hessian: Matrix6<f64> = rows.iter().map(|row| row * row.transpose()).sum();
        let axes = Information::new(&hessian, Point::origin(), 10.0).position_axes(0.02).unwrap();
        let inverse = hessian.try_inverse().unwrap();
        let mut random = Random::new(6, 0);
        let mut squares = [0.0; 3];
        let draws = 4_000;
        for _ in 0..draws {
            let gradient: Vector6<f64> = rows.iter().map(|row| row * (0.02 * random.normal())).sum();
            let shift: Vector = (inverse * gradient).fixed_rows::<3>(3).into();
            for (square, axis) in squares.iter_mut().zip(&axes) {
                *square += shift.dot(&axis.direction).powi(2);
            }
        }
        for (square, axis) in squares.iter().zip(&axes) {
            let ratio = (square / f64::from(draws)).sqrt() / axis.sigma_mm.unwrap();
            assert!((ratio - 1.0).abs() < 0.04, "{ratio} {axes:?}");
        }
        assert!(axes[0].sigma_mm > axes[1].sigma_mm && axes[1].sigma_mm > axes[2].sigma_mm);
    }

    #[test]
    fn a_cylinder_may_turn_about_its_axis_and_slide_along_it() {
        let mut random = Random::new(8, 0);
        let on_axis = Point::new(4.0, -7.0, 0.0);
        let mut hessian = Matrix6::zeros();
        for _ in 0..300 {
            let (sine, cosine) = random.range(0.0, std::f64::consts::TAU).sin_cos();
            let normal = Vector::new(cosine, sine, 0.0);
            let point = on_axis + normal * 5.0 + Vector::z() * random.range(-9.0, 9.0);
            let moment = point.coords.cross(&normal);
            let row = Vector6::new(moment.x, moment.y, moment.z, normal.x, normal.y, normal.z);
            hessian += row * row.transpose();
        }
        let motions = Information::new(&hessian, Point::origin(), 10.0).weak_motions(10.0, 1e-6);
        assert_eq!(motions.len(), 2);
        // Whatever mixture of the two they are, they leave a cylinder where it is.
        for motion in &motions {
            let moved = motion.by_mm(0.01);
            for height in [-5.0, 5.0] {
                let own = moved * (on_axis + Vector::z() * height);
                assert!((own - on_axis).xy().norm() < 1e-4 * 0.01 + 1e-5, "{own}");
            }
        }
        let (at, axis) = motions.iter().find_map(|own| own.axis(10.0)).unwrap();
        let off = (at - on_axis).cross(&axis).norm();
        assert!(axis.z.abs() > 0.999_999 && off < 1e-4, "{at} {axis}");
    }

    #[test]
    fn what_a_plane_leaves_open_has_no_uncertainty() {
        let mut hessian = Matrix6::zeros();
        for (x, y) in [(9.0, 1.0), (-9.0, -1.0), (2.0, -8.0), (-2.0, 8.0)] {
            let row = Vector6::new(y, -x, 0.0, 0.0, 0.0, 1.0);
            hessian += row * row.transpose();
        }
        let axes = Information::new(&hessian, Point::origin(), 10.0).position_axes(0.1).unwrap();
        assert!(axes[0].sigma_mm.is_none() && axes[1].sigma_mm.is_none());
        assert!((axes[2].sigma_mm.unwrap() - 0.05).abs() < 1e-12 && axes[2].direction.z.abs() > 0.999);
        assert!(Information::default().position_axes(0.1).is_none());
    }
}
