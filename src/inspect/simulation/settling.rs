//! Parts that are thrown into a bin one after the other and come to rest, as rigid bodies (rapier).

use std::collections::BTreeMap;

use nalgebra::Isometry3;
use rapier3d_f64::parry::transformation::vhacd::VHACDParameters;
use rapier3d_f64::prelude::{
    ColliderBuilder, PhysicsWorld, Pose as BodyPose, RigidBodyBuilder, RigidBodyHandle, SharedShape,
    Vector as BodyVector,
};
use rayon::prelude::*;

use super::pile::surface_at;
use base::random::Random;
use base::{Progress, Result, UserError};
use geometry::{Pose, Surface};

/// Steps of 1/60 s after which the next part is thrown, and after which the pile counts as at rest whatever still moves.
const STEPS_OF_A_PART: usize = 90;
const MAX_STEPS: usize = 1_500;
/// Coefficient of friction of steel on steel, and how fast rolling dies out, 1/s.
const FRICTION: f64 = 0.4;
const DAMPING: f64 = 0.5;
/// Height of the walls that keep parts in, in half sides of the bin; the walls that are seen are lower.
const WALL_HEIGHT: f64 = 40.0;

/// Poses in which parts (indices of `surfaces`) rest in a square bin on z = 0, in the order in which they were thrown.
///
/// A part counts as the convex hulls of its pieces (V-HACD; Mamou and Ghorbel, ICIP 2009), made of its own facets, so hulls
/// reach beyond it only where it is hollow. Returns an error if a part does not exist or has no volume, or if the work is
/// cancelled.
pub fn settle(
    surfaces: &[&Surface],
    parts: &[usize],
    half_side_mm: f64,
    random: &mut Random,
    progress: &Progress,
) -> Result<Vec<Pose>> {
    let mut kinds = parts.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    progress.report(0.0, "Dropping parts")?;
    let bodies: Vec<Body> =
        kinds.par_iter().map(|&kind| Body::new(surface_at(surfaces, kind)?, half_side_mm)).collect::<Result<_>>()?;
    let bodies: BTreeMap<usize, Body> = kinds.into_iter().zip(bodies).collect();
    let mut world = bin();
    let mut handles: Vec<RigidBodyHandle> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let body = &bodies[part];
        let reach = (1.0 - body.radius).max(0.0);
        let [x, y] = std::array::from_fn(|_| random.range(-reach, reach));
        let top = handles.iter().map(|handle| world.bodies[*handle].translation().z).fold(0.0, f64::max);
        let start =
            Pose::from_parts(nalgebra::Translation3::new(x, y, top + 2.0 * body.radius + 0.2), random.rotation());
        let own = RigidBodyBuilder::dynamic().pose(start.into()).angular_damping(DAMPING).ccd_enabled(true);
        handles.push(world.insert(own, ColliderBuilder::new(body.shape.clone()).friction(FRICTION)).0);
        for _ in 0..STEPS_OF_A_PART {
            world.step();
        }
        progress.report((number + 1) as f32 / (parts.len() + 1) as f32, "Dropping parts")?;
    }
    for _ in 0..MAX_STEPS {
        if handles.iter().all(|handle| world.bodies[*handle].is_sleeping()) {
            break;
        }
        world.step();
        progress.check()?;
    }
    let at_rest = parts.iter().zip(&handles).map(|(part, handle)| {
        let pose: Isometry3<f64> = (*world.bodies[*handle].position()).into();
        let centre = bodies[part].centre_mm;
        Pose::from_parts((half_side_mm * pose.translation.vector - pose.rotation * centre).into(), pose.rotation)
    });
    Ok(at_rest.collect())
}

/// A part as a rigid body about the centre of its bounds; its unit of length is half the side of the bin.
struct Body {
    shape: SharedShape,
    radius: f64,
    centre_mm: geometry::Vector,
}

impl Body {
    fn new(surface: &Surface, unit_mm: f64) -> Result<Self> {
        let (mesh, bounds) = (surface.mesh(), surface.bounds());
        let flat = || UserError::input("A part without volume cannot be thrown into a bin.");
        if mesh.facets.is_empty() || (bounds.max - bounds.min).amin() <= 0.0 {
            return Err(flat());
        }
        let centre_mm = bounds.centre().coords;
        let local = |vertex: &geometry::Point| {
            let own = (vertex.coords - centre_mm) / unit_mm;
            BodyVector::new(own.x, own.y, own.z)
        };
        let vertices: Vec<BodyVector> = mesh.vertices.iter().map(local).collect();
        let parameters =
            VHACDParameters { resolution: 64, concavity: 5e-3, max_convex_hulls: 48, ..Default::default() };
        let shape = SharedShape::convex_decomposition_with_params(&vertices, &mesh.facets, &parameters);
        if shape.as_compound().is_none_or(|own| own.shapes().is_empty()) {
            return Err(flat());
        }
        Ok(Self { shape, radius: 0.5 * bounds.diagonal() / unit_mm, centre_mm })
    }
}

/// A bin of half a side of 1, its walls as high as anything falls.
fn bin() -> PhysicsWorld {
    let mut world = PhysicsWorld { gravity: BodyVector::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
    let mut add = |half: [f64; 3], at: [f64; 3]| {
        let shape = ColliderBuilder::cuboid(half[0], half[1], half[2]).friction(FRICTION);
        world.insert(RigidBodyBuilder::fixed(), shape.position(BodyPose::from_translation(at.into())));
    };
    let high = 0.5 * WALL_HEIGHT;
    add([2.0, 2.0, 0.5], [0.0, 0.0, -0.5]);
    for side in [-1.5, 1.5] {
        add([0.5, 2.0, high], [side, 0.0, high]);
        add([2.0, 0.5, high], [0.0, side, high]);
    }
    world
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Point, Vector, sampling};

    fn settled(surfaces: &[&Surface], parts: &[usize], half_side_mm: f64, seed: u64) -> Vec<Pose> {
        settle(surfaces, parts, half_side_mm, &mut Random::new(seed, 1), &Progress::silent()).unwrap()
    }

    #[test]
    fn a_block_comes_to_lie_on_one_of_its_faces() {
        let block = Surface::new(shapes::cuboid(Point::new(10.0, 0.0, 0.0), Point::new(50.0, 30.0, 20.0)));
        for seed in 0..10 {
            let pose = settled(&[&block], &[0], 60.0, seed)[0];
            let up = pose.rotation.inverse() * Vector::z();
            assert!(up.amax() > 0.9999, "{up}");
            let lowest = block.mesh().vertices.iter().map(|vertex| (pose * vertex).z).fold(f64::INFINITY, f64::min);
            assert!(lowest.abs() < 0.05, "{lowest}");
        }
    }

    #[test]
    fn parts_at_rest_stay_in_the_bin_and_out_of_each_other() {
        let block = Surface::new(shapes::cuboid(Point::new(-20.0, -10.0, -5.0), Point::new(20.0, 10.0, 5.0)));
        let ring = Surface::new(shapes::torus(15.0, 5.0, 48, 24));
        let (surfaces, parts, half_side_mm) = ([&block, &ring], [0, 1, 0, 1, 0, 1, 0, 1], 40.0);
        let poses = settled(&surfaces, &parts, half_side_mm, 3);
        let mut depths_mm = Vec::new();
        for (number, own) in poses.iter().enumerate() {
            let samples = sampling::by_area(surfaces[parts[number]].mesh(), 500, 9);
            for sample in &samples {
                let at = own * sample.point;
                assert!(at.z > -0.1 && at.x.abs().max(at.y.abs()) < half_side_mm + 0.1, "{at}");
            }
            for (other, other_part) in poses.iter().zip(parts).take(number) {
                let depth_mm = |sample: &sampling::SurfaceSample| {
                    let (point, surface) = (other.inverse() * (own * sample.point), surfaces[other_part]);
                    let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
                    -surface.signed_distance_mm(&point, &hit)
                };
                depths_mm.push(samples.iter().map(depth_mm).fold(0.0, f64::max));
            }
        }
        let deepest_mm = depths_mm.iter().copied().fold(0.0, f64::max);
        // 0.5 % of the size of a part on average.
        assert!(depths_mm.iter().sum::<f64>() / (depths_mm.len() as f64) < 0.2 && deepest_mm < 1.0, "{deepest_mm}");
        // Some lie on others.
        assert!(poses.iter().any(|own| own.translation.z > 12.0));
        assert_eq!(poses, settled(&surfaces, &parts, half_side_mm, 3));
    }

    #[test]
    fn what_has_no_volume_and_what_does_not_exist_are_said() {
        let mut random = Random::new(1, 1);
        let sheet = Surface::new(geometry::Mesh::default());
        let mut error =
            |parts: &[usize]| settle(&[&sheet], parts, 10.0, &mut random, &Progress::silent()).unwrap_err().sentence;
        assert!(error(&[0]).contains("without volume") && error(&[1]).contains("no part 1"));
    }
}
