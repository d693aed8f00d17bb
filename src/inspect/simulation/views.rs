//! Poses of the simulated sensor.

use super::sensor::Sensor;
use geometry::{Aabb, Point, Pose, Vector};

/// Pose, nominal from sensor, of a sensor that looks at `target` from its working distance. `from`: direction from the
/// part to the sensor, nominal frame.
pub fn looking_at(target: &Point, from: &Vector, sensor: &Sensor) -> Pose {
    let outward = if from.norm() > 0.0 { from.normalize() } else { Vector::z() };
    let camera = target + outward * sensor.working_distance_mm;
    let up = if outward.y.abs() < 0.9 { Vector::y() } else { Vector::x() };
    let rotation = nalgebra::UnitQuaternion::face_towards(&-outward, &up);
    Pose::from_parts(camera.coords.into(), rotation)
}

/// Poses from `count` directions spread evenly over the sphere (Fibonacci lattice), each with as many snapshots side by
/// side as the part needs ([`tiles`]).
pub fn around(bounds: &Aabb, sensor: &Sensor, count: usize) -> Vec<Pose> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count.max(1))
        .flat_map(|i| {
            let z = 1.0 - 2.0 * (i as f64 + 0.5) / count.max(1) as f64;
            let (radius, angle) = ((1.0 - z * z).sqrt(), golden * i as f64);
            tiles(bounds, &Vector::new(radius * angle.cos(), radius * angle.sin(), z), sensor)
        })
        .collect()
}

/// Poses of snapshots that together cover the part from direction `from`.
pub fn tiles(bounds: &Aabb, from: &Vector, sensor: &Sensor) -> Vec<Pose> {
    let central = looking_at(&bounds.centre(), from, sensor);
    let local: Vec<Point> = bounds.corners().iter().map(|corner| central.inverse() * corner).collect();
    let extent = Aabb::of_points(&local).size();
    // Sized for the near end of the measuring volume, where the field is smallest; neighbours overlap by a tenth.
    let near = 1.0 - 0.5 * sensor.range_mm / sensor.working_distance_mm;
    let count = |axis: usize| (extent[axis] / (0.9 * near * sensor.field_mm[axis])).ceil().max(1.0) as usize;
    let counts = [count(0), count(1), (extent.z / (0.9 * sensor.range_mm)).ceil().max(1.0) as usize];
    let offset = |tile: usize, axis: usize| {
        let index = tile / counts[..axis].iter().product::<usize>() % counts[axis];
        extent[axis] * ((index as f64 + 0.5) / counts[axis] as f64 - 0.5)
    };
    (0..counts.iter().product())
        .map(|tile| central * Pose::translation(offset(tile, 0), offset(tile, 1), offset(tile, 2)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_looks_at_its_target_from_the_working_distance() {
        let sensor = Sensor::default();
        for from in [Vector::z(), -Vector::y(), Vector::new(1.0, 2.0, -0.3)] {
            let target = Point::new(5.0, 6.0, 7.0);
            let in_sensor = looking_at(&target, &from, &sensor).inverse() * target;
            assert!((in_sensor - Point::new(0.0, 0.0, sensor.working_distance_mm)).norm() < 1e-9);
        }
    }
}
