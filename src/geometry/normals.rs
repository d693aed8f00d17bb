//! Normals of point clouds by local planes.

use rayon::prelude::*;

use super::kd_tree::Neighbours;
use super::{Cloud, KdTree, OrderedPoints, Point, Vector};

/// Unit normals of all points of `cloud`: its own where the file has them, else those of the plane through the `k`
/// nearest points. Turned towards the sensor where the file says where it stood; of either sign elsewhere.
pub fn of_cloud(cloud: &Cloud, tree: &KdTree, k: usize) -> Vec<Vector> {
    if cloud.normals.len() == cloud.points.len() && !cloud.points.is_empty() {
        let stored = cloud.normals.iter().map(|normal| super::cloud::vector(*normal)).collect();
        return turned_to_sensor(cloud, stored);
    }
    let ordered = OrderedPoints::new(&cloud.points);
    let fitted: Vec<Vector> = ordered
        .points
        .par_chunks(512)
        .flat_map_iter(|chunk| {
            let mut neighbours = Neighbours::default();
            chunk.iter().map(|point| plane_normal(point, tree, &cloud.points, k, &mut neighbours)).collect::<Vec<_>>()
        })
        .collect();
    turned_to_sensor(cloud, ordered.scatter(&fitted))
}

fn turned_to_sensor(cloud: &Cloud, mut normals: Vec<Vector>) -> Vec<Vector> {
    for (i, normal) in normals.iter_mut().enumerate() {
        if cloud.direction_to_sensor(i).is_some_and(|direction| direction.dot(normal) < 0.0) {
            *normal = -*normal;
        }
    }
    normals
}

/// Whether [`of_cloud`] can tell the two sides of the surface apart for this cloud.
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

fn plane_normal(point: &Point, tree: &KdTree, points: &[Point], k: usize, neighbours: &mut Neighbours) -> Vector {
    tree.k_nearest(point, k, f64::INFINITY, neighbours);
    let found = &neighbours.found;
    let offsets = found.iter().map(|neighbour| points[neighbour.number as usize] - point);
    let mean = offsets.clone().sum::<Vector>() / found.len().max(1) as f64;
    let mut spread = nalgebra::Matrix3::zeros();
    for offset in offsets {
        let centred = offset - mean;
        spread += centred * centred.transpose();
    }
    let eigen = nalgebra::SymmetricEigen::new(spread);
    let thinnest = eigen.eigenvalues.imin();
    eigen.eigenvectors.column(thinnest).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn normals_of_a_noisy_sphere_point_at_the_sensor() {
        let mut random = Random::new(8, 0);
        let points: Vec<Point> = (0..20_000)
            .map(|_| Point::from(random.rotation() * Vector::z() * 50.0))
            .filter(|point| point.z > 0.0)
            .collect();
        let cloud = Cloud { viewpoint: Some(Point::new(0.0, 0.0, 300.0)), ..Cloud::from_points(points) };
        let normals = of_cloud(&cloud, &KdTree::new(&cloud.points), 16);
        for (point, normal) in cloud.points.iter().zip(&normals).filter(|(point, _)| point.z > 15.0) {
            assert!(normal.dot(&point.coords.normalize()) > 0.99, "{point} {normal}");
        }
    }
}
