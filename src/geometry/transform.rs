//! Rigid motions as 4x4 matrices (row-major, acting on column vectors, mm) and as text.

use nalgebra::{Matrix3, Rotation3, Translation3, UnitQuaternion};

use super::{Point, Pose, Vector};
use base::{Result, UserError};

/// Rows of the homogeneous 4x4 matrix of `pose`; translation in mm.
pub fn rows_of(pose: &Pose) -> [[f64; 4]; 4] {
    let matrix = pose.to_homogeneous();
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)]))
}

/// Unit vectors spread evenly over half of the sphere (Fibonacci lattice).
pub fn half_sphere(count: usize) -> impl Iterator<Item = Vector> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |i| {
        let z = (i as f64 + 0.5) / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vector::new(radius * cos, radius * sin, z)
    })
}

/// Two unit vectors perpendicular to a unit vector and to each other, the second `direction` × the first.
pub fn perpendicular_axes(direction: &Vector) -> [Vector; 2] {
    let reference = if direction.x.abs() < 0.7 { Vector::x() } else { Vector::y() };
    let first = direction.cross(&reference).normalize();
    [first, direction.cross(&first)]
}

/// Pose from the rows of a homogeneous 4x4 matrix. Returns an error if the matrix is not a rigid motion: rotation
/// orthonormal within 1e-5 and without reflection, last row within 1e-9.
pub fn from_rows(rows: &[[f64; 4]; 4]) -> Result<Pose> {
    let rotation = Matrix3::from_fn(|row, column| rows[row][column]);
    let is_finite = rows.iter().flatten().all(|value| value.is_finite());
    let has_rigid_last_row = (0..4).all(|i| (rows[3][i] - if i == 3 { 1.0 } else { 0.0 }).abs() < 1e-9);
    let is_orthonormal = (rotation.transpose() * rotation - Matrix3::identity()).abs().max() < 1e-5;
    if !is_finite || !has_rigid_last_row || !is_orthonormal || rotation.determinant() < 0.0 {
        return Err(UserError::input(
            "The 4x4 matrix is not a rigid motion: the upper left 3x3 block must be a rotation (no scaling, no \
             reflection) and the last row 0 0 0 1.",
        ));
    }
    // Nearest rotation: files carry few digits.
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_eps(
        &rotation,
        1e-15,
        100,
        Rotation3::from_matrix_unchecked(rotation),
    ));
    Ok(Pose::from_parts(Translation3::new(rows[0][3], rows[1][3], rows[2][3]), rotation))
}

/// Parses a 4x4 matrix: sixteen numbers, row by row, separated by white space, commas or semicolons; `#` starts a
/// comment. Returns an error if the text or the matrix is invalid.
pub fn parse_pose(text: &str) -> Result<Pose> {
    let mut numbers = Vec::with_capacity(16);
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        for word in content.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty()) {
            let value: f64 = word.parse().map_err(|_| {
                UserError::input(format!("Line {}: “{word}” is not a number; sixteen are expected.", index + 1))
            })?;
            numbers.push(value);
        }
    }
    if numbers.len() != 16 {
        return Err(UserError::input(format!(
            "A 4x4 matrix needs sixteen numbers, row by row; {} were found.",
            numbers.len()
        )));
    }
    from_rows(&std::array::from_fn(|row| std::array::from_fn(|column| numbers[4 * row + column])))
}

/// `pose` as four lines of matrix rows, in full precision, for [`parse_pose`].
pub fn pose_text(pose: &Pose) -> String {
    rows_of(pose).iter().map(|row| format!("{} {} {} {}\n", row[0], row[1], row[2], row[3])).collect()
}

/// Rotation about `pivot` by `turn` (axis times angle, rad) followed by the translation `shift` (mm): one step of a
/// fit.
pub fn step_about(pivot: &Point, turn: Vector, shift: Vector) -> Pose {
    Pose::from_parts((pivot.coords + shift).into(), UnitQuaternion::from_scaled_axis(turn))
        * Pose::translation(-pivot.x, -pivot.y, -pivot.z)
}

/// Difference of two poses: distance between the images of `at` (mm) and angle between the rotations (rad).
pub fn difference(a: &Pose, b: &Pose, at: &Point) -> (f64, f64) {
    ((a * at - b * at).norm(), a.rotation.angle_to(&b.rotation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn perpendicular_axes_form_a_right_handed_frame() {
        for direction in [Vector::x(), -Vector::x(), Vector::y(), Vector::z(), Vector::new(0.6, -0.8, 0.0)] {
            let [u, v] = perpendicular_axes(&direction);
            let frame = Matrix3::from_columns(&[u, v, direction]);
            assert!((frame.transpose() * frame - Matrix3::identity()).amax() < 1e-12);
            assert!(frame.determinant() > 0.0);
        }
    }

    #[test]
    fn text_round_trip_composes_to_identity() {
        let mut random = Random::new(3, 0);
        for _ in 0..100 {
            let pose = Pose::from_parts(
                Translation3::new(random.range(-1e4, 1e4), random.normal(), random.normal()),
                random.rotation(),
            );
            let back = parse_pose(&pose_text(&pose)).unwrap();
            let (shift, angle) = difference(&pose, &back, &Point::new(100.0, 0.0, 0.0));
            assert!(shift < 1e-11 && angle < 1e-13, "{shift} {angle}");
        }
    }

    #[test]
    fn a_reflection_is_rejected() {
        let reflection = "-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1";
        assert!(parse_pose(reflection).unwrap_err().sentence.contains("not a rigid motion"));
    }

    #[test]
    fn a_scaled_matrix_and_too_few_numbers_are_rejected() {
        assert!(parse_pose("2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1").is_err());
        assert!(parse_pose("1 0 0").unwrap_err().sentence.contains("3 were found"));
    }
}
