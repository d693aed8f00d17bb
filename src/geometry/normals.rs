//! Normals stored in scan files, and their orientation towards the sensor.

use super::{Cloud, Vector};

/// The normals stored in the file; `None` unless every point has one.
pub fn stored(cloud: &Cloud) -> Option<Vec<Vector>> {
    let is_complete = cloud.normals.len() == cloud.points.len() && !cloud.points.is_empty();
    is_complete.then(|| cloud.normals.iter().map(|normal| super::cloud::vector(*normal)).collect())
}

/// Flips `normals` (one per point of `cloud`) towards the sensor where the direction to it is known; the others are
/// unchanged.
pub fn oriented_to_sensor(cloud: &Cloud, mut normals: Vec<Vector>) -> Vec<Vector> {
    for (i, normal) in normals.iter_mut().enumerate() {
        if cloud.direction_to_sensor(i).is_some_and(|direction| direction.dot(normal) < 0.0) {
            *normal = -*normal;
        }
    }
    normals
}

/// Whether the direction to the sensor is known for all points, so that [`oriented_to_sensor`] orients every normal.
pub fn are_oriented(cloud: &Cloud) -> bool {
    let count = cloud.points.len();
    count > 0 && (cloud.to_sensor.len() == count || cloud.viewpoint.is_some())
}

/// Whether more than 95 % of the stored normals point towards the sensor, judged on a sample of those points whose
/// direction to the sensor is known. False if none is: many programs write normals of arbitrary sign.
pub fn are_facing_sensor(cloud: &Cloud) -> bool {
    let step = (cloud.normals.len() / 5000).max(1);
    let faces_sensor_at = |(i, normal): (usize, &[f32; 3])| {
        cloud.direction_to_sensor(i).map(|direction| direction.dot(&super::cloud::vector(*normal)) > 0.0)
    };
    let is_facing: Vec<bool> = cloud.normals.iter().enumerate().step_by(step).filter_map(faces_sensor_at).collect();
    !is_facing.is_empty() && is_facing.iter().filter(|faces_sensor| **faces_sensor).count() * 20 > is_facing.len() * 19
}
