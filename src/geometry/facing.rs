//! Which way open shells face. Closed ones have an inside; of an open one, outside is where the sensor was, or else the side
//! from which more of it can be seen.

use rayon::prelude::*;

use super::shells::{Shell, Shells};
use super::transform::half_sphere;
use super::triangle::{area_vector, centroid};
use super::{Mesh, Surface, Vector, winding};

/// Facets of a shell that are looked at.
const MAX_SAMPLES: usize = 240;
/// Directions in which each of them is looked at, of both sides together.
const DIRECTIONS: usize = 64;
/// Least cosine between a facet's normal and a direction.
const MIN_COSINE: f64 = 0.2;
/// Least difference of the two sides, as a share of their sum, that decides.
const MIN_DIFFERENCE: f64 = 0.1;

/// A mesh that faces outward as far as that can be told.
pub struct Facing {
    /// The mesh.
    pub surface: Surface,
    /// Share of its area of which outside cannot be told from inside, 0 to 1: it faces either way.
    pub undecided_share: f64,
}

/// Winds the facets of each shell alike and outward. `to_sensor`: direction from a facet to what measured it, if known.
pub fn outward(mesh: Mesh, to_sensor: impl Fn(usize) -> Option<Vector> + Sync) -> Facing {
    let surface = Surface::new(mesh);
    let (mut turned, _) = winding::examine(&surface);
    let shells = Shells::of(surface.mesh(), surface.topology());
    let open = |shell: &&Shell| !shell.is_closed;
    let sides: Vec<(&Shell, Side)> =
        shells.list.par_iter().filter(open).map(|shell| (shell, side(&surface, &shells, shell, &to_sensor))).collect();
    let (area_mm2, mut undecided_mm2) = (surface.mesh().area_mm2(), 0.0);
    for (shell, side) in sides {
        if side == Side::Unknown {
            let area_of = |&facet: &u32| 0.5 * area_vector(&surface.mesh().corners(facet as usize)).norm();
            undecided_mm2 += shell.facets.iter().map(area_of).sum::<f64>();
        }
        turned.extend(shells.reversed_facets(shell, side == Side::Back));
    }
    let undecided_share = undecided_mm2 / area_mm2.max(f64::MIN_POSITIVE);
    if turned.is_empty() {
        return Facing { surface, undecided_share };
    }
    let mut mesh = surface.into_mesh();
    mesh.reverse(&turned);
    Facing { surface: Surface::new(mesh), undecided_share }
}

/// Which side of a shell is outside: that to which its first facet's normal points, or the other one.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Front,
    Back,
    Unknown,
}

impl Side {
    fn of(front: f64, back: f64) -> Self {
        if (front - back).abs() <= MIN_DIFFERENCE * (front + back) {
            Self::Unknown
        } else if front > back {
            Self::Front
        } else {
            Self::Back
        }
    }
}

fn side(
    surface: &Surface,
    shells: &Shells,
    shell: &Shell,
    to_sensor: &(impl Fn(usize) -> Option<Vector> + Sync),
) -> Side {
    let mesh = surface.mesh();
    let normal_of = |facet: u32| {
        let normal = mesh.normal(facet as usize);
        if shells.is_reversed[facet as usize] { -normal } else { normal }
    };
    let step = shell.facets.len().div_ceil(MAX_SAMPLES);
    let samples: Vec<u32> = shell.facets.iter().step_by(step).copied().collect();
    let (mut front, mut back) = (0.0, 0.0);
    for &facet in &samples {
        match to_sensor(facet as usize).map(|direction| direction.dot(&normal_of(facet))) {
            Some(cosine) if cosine > 0.0 => front += 1.0,
            Some(_) => back += 1.0,
            None => {}
        }
    }
    if front + back > 0.5 * samples.len() as f64 {
        return Side::of(front, back);
    }
    let far_mm = 2.0 * surface.bounds().diagonal();
    let seen = |facet: &u32| {
        let (normal, centre) = (normal_of(*facet), centroid(&mesh.corners(*facet as usize)));
        let mut sides = [0.0, 0.0];
        for direction in half_sphere(DIRECTIONS / 2).flat_map(|own| [own, -own]) {
            let cosine = normal.dot(&direction);
            if cosine.abs() > MIN_COSINE && !surface.is_hit(&centre, &direction, [1e-6 * far_mm, far_mm]) {
                sides[usize::from(cosine < 0.0)] += 1.0;
            }
        }
        sides
    };
    let seen: Vec<[f64; 2]> = samples.par_iter().map(seen).collect();
    let sum = |side: usize| seen.iter().map(|own| own[side]).sum();
    Side::of(sum(0), sum(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::mesh::shapes;

    /// A dome of a sphere, its facets wound at random.
    fn dome(min_z: f64) -> Mesh {
        let sphere = shapes::sphere(10.0, 4);
        let is_above = |facet: &u32| sphere.corners(*facet as usize).iter().all(|corner| corner.z > min_z);
        let mut mesh = sphere.part(&(0..sphere.facets.len() as u32).filter(is_above).collect::<Vec<_>>());
        let mut random = base::random::Random::new(3, 0);
        mesh.facets.iter_mut().filter(|_| random.uniform() < 0.5).for_each(|facet| facet.swap(1, 2));
        mesh
    }

    fn facing_out(surface: &Surface) -> usize {
        let mesh = surface.mesh();
        (0..mesh.facets.len())
            .filter(|&facet| mesh.normal(facet).dot(&centroid(&mesh.corners(facet)).coords) > 0.0)
            .count()
    }

    #[test]
    fn domes_and_closed_shells_face_outward() {
        for min_z in [-11.0, -6.0, 0.0, 4.0] {
            let mesh = dome(min_z);
            let count = mesh.facets.len();
            let facing = outward(mesh, |_| None);
            assert_eq!((facing_out(&facing.surface), facing.undecided_share), (count, 0.0), "{min_z}");
        }
    }

    #[test]
    fn a_flat_sheet_is_undecided_unless_the_sensor_is_known() {
        let cuboid = shapes::cuboid(Point::origin(), Point::new(10.0, 10.0, 1.0));
        let top: Vec<u32> = (0..12).filter(|&facet| cuboid.normal(facet as usize).z > 0.5).collect();
        let sheet = || cuboid.part(&top);
        assert!((outward(sheet(), |_| None).undecided_share - 1.0).abs() < 1e-12);
        for z in [1.0, -1.0] {
            let facing = outward(sheet(), |_| Some(Vector::z() * z));
            assert_eq!(facing.undecided_share, 0.0);
            let mesh = facing.surface.mesh();
            assert!((0..mesh.facets.len()).all(|facet| mesh.normal(facet).z * z > 0.99));
        }
    }
}
