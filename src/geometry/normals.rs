//! Normals that a scan's file holds, and their sides.

use super::{Cloud, Vector};

/// The file's own normals, where every point has one.
pub fn stored(cloud: &Cloud) -> Option<Vec<Vector>> {
    let complete = cloud.normals.len() == cloud.points.len() && !cloud.points.is_empty();
    complete.then(|| cloud.normals.iter().map(|normal| super::cloud::vector(*normal)).collect())
}

/// Normals, one for each point, turned towards the sensor where the file says where it stood.
pub fn turned_to_sensor(cloud: &Cloud, mut normals: Vec<Vector>) -> Vec<Vector> {
    for (i, normal) in normals.iter_mut().enumerate() {
        if cloud.direction_to_sensor(i).is_some_and(|direction| direction.dot(normal) < 0.0) {
            *normal = -*normal;
        }
    }
    normals
}

/// Whether [`turned_to_sensor`] can tell the two sides of the surface apart for this cloud.
pub fn are_oriented(cloud: &Cloud) -> bool {
    let all = cloud.points.len();
    all > 0 && (cloud.to_sensor.len() == all || cloud.viewpoint.is_some())
}

/// Whether the file's own normals look at the sensor, as far as the file says where that stood. Normals of files that
/// do not say it are of unknown sign: many programs write them at random.
pub fn face_the_sensor(cloud: &Cloud) -> bool {
    let step = (cloud.normals.len() / 5000).max(1);
    let facing = |(i, normal): (usize, &[f32; 3])| {
        cloud.direction_to_sensor(i).map(|direction| direction.dot(&super::cloud::vector(*normal)) > 0.0)
    };
    let seen: Vec<bool> = cloud.normals.iter().enumerate().step_by(step).filter_map(facing).collect();
    !seen.is_empty() && seen.iter().filter(|faces| **faces).count() * 20 > seen.len() * 19
}
