//! The output of `register`: pose, inverse, angles, and convergence.

use serde_json::{Value, json};

use geometry::{Pose, transform};
use inspect::alignment::StopReason;
use inspect::calibration::angles_rad;

/// Convergence of a registration.
pub struct Convergence<'a> {
    /// Number of iterations.
    pub iterations: usize,
    /// Why the iterations stopped, for display.
    pub stop: &'a str,
    /// Mean squared distance minimised by each iteration, mm².
    pub history_mm2: &'a [f64],
}

/// Why a best fit stopped, for display.
pub fn stop_words(stop: StopReason) -> &'static str {
    match stop {
        StopReason::SmallStep => "the last step moved the part by less than its limit",
        StopReason::SmallChange => "the mean squared distance changed by less than its limit",
        StopReason::SmallError => "the mean squared distance fell below its limit",
        StopReason::MaxIterations => "the maximum number of iterations was reached",
    }
}

/// Why a best fit stopped, as a JSON key; the same keys as for searches.
pub fn stop_key(stop: StopReason) -> &'static str {
    match stop {
        StopReason::SmallStep => "small-step",
        StopReason::SmallChange => "small-change",
        StopReason::SmallError => "small-error",
        StopReason::MaxIterations => "max-iterations",
    }
}

/// The pose in all common forms: nominal from scan, its inverse, angles a, b, c of `Rx(a) Ry(b) Rz(c)`, and the unit
/// quaternion, scalar first.
pub fn pose_json(pose: &Pose) -> Value {
    json!({
        "nominal_from_scan": transform::rows_of(pose),
        "scan_from_nominal": transform::rows_of(&pose.inverse()),
        "translation_mm": pose.translation.vector.as_slice(),
        "euler_xyz_deg": angles_rad(pose).map(f64::to_degrees),
        "quaternion_wxyz": quaternion(pose),
        "rotation_deg": pose.rotation.angle().to_degrees(),
    })
}

/// The 4x4 matrix, followed by everything else as comments, so that the output is a valid pose file.
pub fn text(pose: &Pose, convergence: &Convergence<'_>) -> String {
    let commented = |text: &str| -> String { text.lines().map(|line| format!("# {line}\n")).collect() };
    let [a, b, c] = angles_rad(pose).map(f64::to_degrees);
    let [w, x, y, z] = quaternion(pose);
    let mut text = transform::pose_text(pose);
    text += "# scan_from_nominal, the inverse:\n";
    text += &commented(&transform::pose_text(&pose.inverse()));
    text += &format!("# angles of Rx Ry Rz, degrees: {a} {b} {c}\n");
    text += &format!("# quaternion w, x, y, z: {w} {x} {y} {z}\n");
    text += &format!("# {} iterations; {}\n", convergence.iterations, convergence.stop);
    let history: Vec<String> = convergence.history_mm2.iter().map(|error| format!("{error:.6e}")).collect();
    if !history.is_empty() {
        text += &format!("# mean squared distance of each iteration, mm²: {}\n", history.join(" "));
    }
    text
}

fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.rotation.quaternion();
    // Of the two quaternions of a rotation, the one with an angle of at most 180°.
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    [q.w, q.i, q.j, q.k].map(|part| sign * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Vector};
    use nalgebra::{Quaternion, UnitQuaternion};

    #[test]
    fn every_form_is_the_same_pose_and_the_text_is_a_pose_file() {
        let pose = Pose::new(Vector::new(10.0, -20.0, 30.0), Vector::new(2.5, -1.0, 0.7));
        let value = pose_json(&pose);
        let rows = |key: &str| -> Pose {
            let rows: [[f64; 4]; 4] = serde_json::from_value(value[key].clone()).unwrap();
            transform::from_rows(&rows).unwrap()
        };
        let numbers = |key: &str| -> Vec<f64> { serde_json::from_value(value[key].clone()).unwrap() };
        let at = Point::new(100.0, 50.0, -20.0);
        let round_trip = rows("nominal_from_scan") * rows("scan_from_nominal");
        let (apart_mm, angle_rad) = transform::difference(&round_trip, &Pose::identity(), &at);
        assert!(apart_mm < 1e-11 && angle_rad < 1e-12, "{apart_mm} {angle_rad}");
        let [w, x, y, z] = numbers("quaternion_wxyz")[..] else { panic!("four numbers") };
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        assert!(w >= 0.0 && turn.angle_to(&pose.rotation) < 1e-7);
        let angles: Vec<f64> = numbers("euler_xyz_deg").iter().map(|angle| angle.to_radians()).collect();
        let axes = [Vector::x_axis(), Vector::y_axis(), Vector::z_axis()];
        let turns = axes.iter().zip(&angles).map(|(axis, &angle)| UnitQuaternion::from_axis_angle(axis, angle));
        let turn = turns.fold(UnitQuaternion::identity(), |all, own| all * own);
        assert!(turn.angle_to(&pose.rotation) < 1e-7);
        let convergence =
            Convergence { iterations: 2, stop: stop_words(StopReason::SmallStep), history_mm2: &[1.0, 0.25] };
        let text = text(&pose, &convergence);
        assert_eq!(transform::parse_pose(&text).unwrap().translation, pose.translation);
        assert!(text.contains("2 iterations") && text.contains("2.500000e-1") && text.contains("quaternion"));
    }
}
