//! Features of a surface about each of some oriented points: a histogram of how its normals stand to each other, and a frame
//! of the normal and the direction in which it bends most.

mod curvature;
mod histograms;

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};
use rayon::prelude::*;

use super::point_pairs::OrientedPoint;
use super::{KdTree, Point, Vector};
pub use curvature::Curvature;
pub use histograms::{Descriptor, LENGTH, squared_distance};

/// Fewest neighbours that say something of a surface.
const MIN_NEIGHBOURS: usize = 6;

/// What is known of a surface about a point.
#[derive(Clone, Copy, Debug)]
pub struct LocalFeature {
    /// Its fast point feature histogram.
    pub descriptor: Descriptor,
    /// How the surface bends.
    pub curvature: Curvature,
    /// Rotation that maps x onto the normal and y onto the direction in which the surface bends most.
    pub frame: UnitQuaternion<f64>,
}

/// The features of each point from those within `radius_mm`; `None` where these are too few or do not span a surface.
pub fn of_points(points: &[OrientedPoint], radius_mm: f64) -> Vec<Option<LocalFeature>> {
    let positions: Vec<Point> = points.iter().map(|own| own.point).collect();
    let tree = KdTree::new(&positions);
    let around = |own: &Point| {
        let mut near = Vec::new();
        tree.within_radius(own, radius_mm, |neighbour| {
            if neighbour.squared_mm2 > 0.0 {
                near.push(neighbour.number);
            }
        });
        near.sort_unstable();
        near
    };
    let neighbours: Vec<Vec<u32>> = positions.par_iter().map(around).collect();
    let descriptors = histograms::of_points(points, &neighbours, radius_mm);
    let all = points.par_iter().zip(&neighbours).zip(descriptors);
    all.map(|((own, near), descriptor)| {
        if near.len() < MIN_NEIGHBOURS {
            return None;
        }
        let curvature = Curvature::at(own, near.iter().filter_map(|&index| points.get(index as usize)))?;
        Some(LocalFeature { descriptor, curvature, frame: frame(&own.normal, &curvature.direction) })
    })
    .collect()
}

fn frame(normal: &Vector, direction: &Vector) -> UnitQuaternion<f64> {
    let axes = Matrix3::from_columns(&[*normal, *direction, normal.cross(direction)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use crate::mesh::shapes;
    use crate::oriented_matches::twin;
    use crate::point_pairs::sampled_points;

    #[test]
    fn features_move_with_the_surface_and_tell_its_forms_apart() {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 10.0));
        mesh.append(&shapes::torus(18.0, 6.0, 64, 32));
        let points = sampled_points(&mesh, 9_000, 1);
        let pose = Pose::new(Vector::new(40.0, -7.0, 900.0), Vector::new(0.4, -1.9, 0.7));
        let move_point =
            |own: &OrientedPoint| OrientedPoint { point: pose * own.point, normal: pose.rotation * own.normal };
        let moved: Vec<OrientedPoint> = points.iter().map(move_point).collect();
        let (still, moved) = (of_points(&points, 4.0), of_points(&moved, 4.0));
        let mut compared = 0;
        for (a, b) in still.iter().zip(&moved) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            compared += 1;
            assert_eq!(a.descriptor.len(), LENGTH);
            let apart = a.descriptor.iter().zip(&b.descriptor).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 1.0, "{a:?} {b:?}");
            for histogram in a.descriptor.as_chunks::<11>().0 {
                assert!((histogram.iter().sum::<f32>() - 100.0).abs() < 1e-3);
            }
            if a.curvature.ratio() > 2.0 {
                // Either of the two.
                let turned = pose.rotation * a.frame;
                let off_rad = turned.angle_to(&b.frame).min(turned.angle_to(&twin(&b.frame)));
                assert!(off_rad < 1e-3, "{off_rad}");
            }
        }
        assert!(compared > 8_900, "{compared}");
        // In the middle of a face, and on the ring.
        let at = |wanted: &dyn Fn(&Point) -> bool| {
            (0..points.len())
                .filter(|&index| wanted(&points[index].point))
                .filter_map(|index| still[index].as_ref())
                .next()
                .unwrap()
        };
        let face = at(&|p| p.z == 10.0 && (p.x - 45.0).abs() < 8.0 && (p.y - 20.0).abs() < 8.0);
        let ring = at(&|p| p.z < -5.5);
        let apart = face.descriptor.iter().zip(&ring.descriptor).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        assert!(apart > 50.0 && face.curvature.ratio() < 1.2 && ring.curvature.ratio() > 2.0, "{apart}");
    }
}
