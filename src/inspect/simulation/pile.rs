//! Piles of parts, scanned from above by the simulated sensor: for scenes in which the parts and their poses are known. On a
//! floor each part stays where it first touches what lies there, so that all its sides are seen as often; in a bin parts come
//! to rest.

use rayon::prelude::*;

use super::sensor::{self, Sensor};
use super::{settling, views};
use base::random::Random;
use base::{Progress, Result, UserError};
use geometry::mesh::shapes;
use geometry::{Aabb, Cloud, Mesh, Point, Pose, Surface, Vector, sampling};

/// Points of a part that decide how deep it falls.
const CONTACT_POINTS: usize = 1_500;
/// Gap between what touches, as a share of a part's size.
const GAP: f64 = 1e-3;
/// Height and thickness of the walls of a bin, as shares of half its side.
const WALL: [f64; 2] = [0.4, 0.02];
/// Points that decide how much of a part is seen.
const SEEN_POINTS: usize = 600;

/// A part in a pile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedPart {
    /// Index of the part.
    pub part: usize,
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// Share of its surface facing the sensor that nothing else hides, 0 to 1.
    pub visible_fraction: f64,
}

/// A pile of parts and its scan.
pub struct Pile {
    /// The parts, in the order in which they fell.
    pub parts: Vec<PlacedPart>,
    /// What the sensor measured, scene frame, with the directions to it.
    pub cloud: Cloud,
}

/// What a pile lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Nothing that is seen.
    Unseen,
    /// A floor.
    Floor,
    /// The floor and the four walls of a bin.
    Bin,
}

/// How parts are piled and scanned.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Half the side of the square in which they are dropped, mm.
    pub half_side_mm: f64,
    /// The sensor; its field and range should hold the pile.
    pub sensor: Sensor,
    /// Greatest angle between the line of sight and the vertical, rad.
    pub max_tilt_rad: f64,
    /// What they lie on.
    pub support: Support,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Parameters {
    /// For `count` parts of `size_mm`: a square that they about fill, and a sensor that sees it.
    pub fn for_parts(count: usize, size_mm: f64, seed: u64) -> Self {
        Self::in_square(0.42 * size_mm * (count as f64).sqrt().max(1.0), size_mm, seed)
    }

    /// For `count` parts of `size_mm`, the largest of `largest_mm`, in a bin that they fill.
    pub fn in_bin(count: usize, size_mm: f64, largest_mm: f64, seed: u64) -> Self {
        let half_side_mm = (0.32 * size_mm * (count as f64).sqrt()).max(0.6 * largest_mm);
        Self { support: Support::Bin, ..Self::in_square(half_side_mm, size_mm, seed) }
    }

    fn in_square(half_side_mm: f64, size_mm: f64, seed: u64) -> Self {
        let field_mm = 2.0 * half_side_mm + 1.6 * size_mm;
        let working_distance_mm = 2.5 * field_mm;
        let sensor = Sensor {
            working_distance_mm,
            range_mm: 1.2 * field_mm,
            field_mm: [field_mm; 2],
            pitch_mm: [field_mm / 420.0; 2],
            baseline_mm: 0.15 * working_distance_mm,
            range_sigma_mm: 4e-4 * size_mm,
            correlation_mm: 0.01 * size_mm,
            bias_mm: 2e-4 * size_mm,
            ..Sensor::default()
        };
        Self { half_side_mm, sensor, max_tilt_rad: 0.35, support: Support::Floor, seed }
    }
}

/// Drops `parts` (indices of `surfaces`), one after the other, and scans the pile from above.
///
/// Returns an error if a part does not exist, if the sensor sees nothing, or if the work is cancelled.
pub fn run(surfaces: &[&Surface], parts: &[usize], parameters: &Parameters, progress: &Progress) -> Result<Pile> {
    let mut random = Random::new(parameters.seed, 0x9113);
    let (half_side_mm, falling) = (parameters.half_side_mm, progress.part(0.0, 0.5));
    let poses = match parameters.support {
        Support::Bin => settling::settle(surfaces, parts, half_side_mm, &mut random, &falling)?,
        Support::Floor | Support::Unseen => drop_all(surfaces, parts, half_side_mm, &mut random, &falling)?,
    };
    let placed: Vec<(usize, Pose)> = parts.iter().copied().zip(poses).collect();
    let angle = random.range(0.0, std::f64::consts::TAU);
    let tilt = random.range(0.0, parameters.max_tilt_rad);
    let from = Vector::new(tilt.sin() * angle.cos(), tilt.sin() * angle.sin(), tilt.cos());
    scan(surfaces, &placed, &from, parameters, &progress.part(0.5, 1.0))
}

/// Scans parts (indices of `surfaces`) in given poses, seen from the direction `from`.
///
/// Returns an error if a part does not exist, if the sensor sees nothing, or if the work is cancelled.
pub fn scan(
    surfaces: &[&Surface],
    placed: &[(usize, Pose)],
    from: &Vector,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Pile> {
    let mut scene = Mesh::default();
    for (part, pose) in placed {
        append(&mut scene, surface_at(surfaces, *part)?.mesh(), pose);
    }
    let bounds = scene.bounds();
    append_support(&mut scene, &bounds, parameters);
    let scene = Surface::new(scene);
    let scene_from_sensor = views::looking_at(&bounds.centre(), from, &parameters.sensor);
    let snapshot = sensor::take(&scene, &parameters.sensor, &scene_from_sensor, parameters.seed, 0, progress)?;
    if snapshot.points.is_empty() {
        return Err(UserError::input("The simulated sensor saw nothing of the pile."));
    }
    let points = snapshot.points.iter().map(|own| scene_from_sensor * own.measured).collect();
    let viewpoint = scene_from_sensor * Point::origin();
    let cloud = Cloud { viewpoint: Some(viewpoint), ..Cloud::from_points(points) };
    let parts = placed
        .iter()
        .map(|&(part, scene_from_part)| PlacedPart {
            part,
            scene_from_part,
            visible_fraction: visible_fraction(surfaces[part], &scene_from_part, &scene, &viewpoint),
        })
        .collect();
    Ok(Pile { parts, cloud })
}

pub(super) fn surface_at<'a>(surfaces: &[&'a Surface], part: usize) -> Result<&'a Surface> {
    let missing = || UserError::usage(format!("There is no part {part}, counted from 0."));
    surfaces.get(part).copied().ok_or_else(missing)
}

fn append(pile: &mut Mesh, part: &Mesh, pose: &Pose) {
    let mut moved = part.clone();
    moved.vertices.iter_mut().for_each(|vertex| *vertex = pose * *vertex);
    pile.append(&moved);
}

/// Adds what is seen of the support of a pile.
fn append_support(scene: &mut Mesh, pile: &Aabb, parameters: &Parameters) {
    let half_side_mm = parameters.half_side_mm;
    let [high, thick] = WALL.map(|share| share * half_side_mm);
    let mut add = |low: [f64; 3], high: [f64; 3]| scene.append(&shapes::cuboid(low.into(), high.into()));
    match parameters.support {
        Support::Unseen => {}
        Support::Floor => {
            let reach = 4.0 * half_side_mm + pile.diagonal();
            add([-reach, -reach, -1.0], [reach, reach, 0.0]);
        }
        Support::Bin => {
            let (inner, outer) = (half_side_mm, half_side_mm + thick);
            add([-outer, -outer, -thick], [outer, outer, 0.0]);
            add([-outer, -outer, 0.0], [-inner, outer, high]);
            add([inner, -outer, 0.0], [outer, outer, high]);
            add([-inner, -outer, 0.0], [inner, -inner, high]);
            add([-inner, inner, 0.0], [inner, outer, high]);
        }
    }
}

/// The poses in which parts stay where they first touch what lies there.
fn drop_all(
    surfaces: &[&Surface],
    parts: &[usize],
    half_side_mm: f64,
    random: &mut Random,
    progress: &Progress,
) -> Result<Vec<Pose>> {
    let mut pile = Mesh::default();
    let mut poses = Vec::new();
    for (number, &part) in parts.iter().enumerate() {
        progress.report(number as f32 / parts.len() as f32, "Dropping parts")?;
        let surface = surface_at(surfaces, part)?;
        let pose = drop_one(surface, &pile, half_side_mm, random);
        append(&mut pile, surface.mesh(), &pose);
        poses.push(pose);
    }
    Ok(poses)
}

/// The pose in which a part falls straight down until it touches what lies there.
fn drop_one(surface: &Surface, pile: &Mesh, half_side_mm: f64, random: &mut Random) -> Pose {
    let rotation = random.rotation();
    let turned = Pose::from_parts(nalgebra::Translation3::identity(), rotation);
    let bounds = Aabb::of_points(&surface.mesh().vertices.iter().map(|vertex| turned * vertex).collect::<Vec<_>>());
    let ceiling = if pile.facets.is_empty() { 0.0 } else { pile.bounds().max.z };
    let gap_mm = GAP * bounds.diagonal();
    let at = |limit: f64, centre: f64, random: &mut Random| random.range(-limit, limit) - centre;
    let [x, y] = [bounds.centre().x, bounds.centre().y].map(|centre| at(half_side_mm, centre, random));
    let above = Pose::translation(x, y, ceiling - bounds.min.z + 10.0 * gap_mm) * turned;
    // It falls to the floor, or until a point of one is above a facet of the other.
    let mut fall = bounds.min.z + above.translation.z;
    if !pile.facets.is_empty() {
        let below = Surface::new(pile.clone());
        let down = -Vector::z();
        let far = ceiling + 2.0 * bounds.diagonal() + 20.0 * gap_mm;
        let own = sampling::by_area(surface.mesh(), CONTACT_POINTS, 1);
        let of_own = own
            .par_iter()
            .map(|sample| below.first_hit(&(above * sample.point), &down, 0.0, far).map_or(f64::INFINITY, |hit| hit.t));
        let up = above.rotation.inverse() * Vector::z();
        let of_pile = sampling::by_area(pile, 4 * CONTACT_POINTS, 2);
        let of_pile = of_pile.par_iter().map(|sample| {
            let from = above.inverse() * sample.point;
            surface.first_hit(&from, &up, 0.0, far).map_or(f64::INFINITY, |hit| hit.t)
        });
        fall = fall.min(of_own.chain(of_pile).reduce(|| f64::INFINITY, f64::min));
    }
    Pose::translation(0.0, 0.0, gap_mm - fall) * above
}

/// Share of what of a part faces the sensor, not hidden by itself, that the scene does not hide.
fn visible_fraction(surface: &Surface, scene_from_part: &Pose, scene: &Surface, viewpoint: &Point) -> f64 {
    let sensor = scene_from_part.inverse() * viewpoint;
    let clearance_mm = 1e-3 * surface.bounds().diagonal();
    let faces = |own: &&sampling::SurfaceSample| {
        own.normal.dot(&(sensor - own.point).normalize()) > 0.2
            && !surface.is_blocked(&sensor, &own.point, clearance_mm)
    };
    let samples = sampling::by_area(surface.mesh(), SEEN_POINTS, 3);
    let facing: Vec<_> = samples.iter().filter(faces).collect();
    let seen = facing.iter().filter(|own| !scene.is_blocked(viewpoint, &(scene_from_part * own.point), clearance_mm));
    seen.count() as f64 / facing.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_on_each_other_and_not_in_each_other() {
        let cuboid = Surface::new(shapes::cuboid(Point::new(-20.0, -10.0, -5.0), Point::new(20.0, 10.0, 5.0)));
        let torus = Surface::new(shapes::torus(15.0, 5.0, 48, 24));
        let surfaces = [&cuboid, &torus];
        let parts = [0, 1, 0, 1, 0, 1];
        let mut parameters = Parameters::for_parts(parts.len(), 45.0, 3);
        parameters.sensor.pitch_mm = parameters.sensor.pitch_mm.map(|pitch| 4.0 * pitch);
        let pile = run(&surfaces, &parts, &parameters, &Progress::silent()).unwrap();
        assert!(pile.cloud.points.len() > 2000 && pile.parts.len() == 6);
        for (number, own) in pile.parts.iter().enumerate() {
            let lowest = surfaces[own.part].mesh().vertices.iter().map(|v| (own.scene_from_part * v).z);
            assert!(lowest.fold(f64::INFINITY, f64::min) > 0.0);
            for other in &pile.parts[..number] {
                let into = other.scene_from_part.inverse() * own.scene_from_part;
                let deepest =
                    sampling::by_area(surfaces[own.part].mesh(), 500, 9).iter().fold(0.0_f64, |deepest, s| {
                        let (point, surface) = (into * s.point, surfaces[other.part]);
                        let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
                        deepest.max(-surface.signed_distance_mm(&point, &hit))
                    });
                assert!(deepest < 0.3, "{deepest}");
            }
        }
        assert!(pile.parts.iter().all(|own| (0.0..=1.0).contains(&own.visible_fraction)));
        assert!(pile.parts.last().unwrap().visible_fraction > 0.99);
        let again = run(&surfaces, &parts, &parameters, &Progress::silent()).unwrap();
        assert!(again.parts == pile.parts && again.cloud.points == pile.cloud.points);
    }
}
