//! How deep the inside of a part is: the largest ball in it.

use rayon::prelude::*;

use super::samples::SkinSample;
use base::random::Random;
use geometry::{Point, SolidSurface, Vector};

/// Balls that are enlarged further, the largest first.
const STARTS: usize = 32;
/// Shrinking of a ball that still counts, relative, and most steps of it.
const CONVERGED: f64 = 1e-9;
const MAX_STEPS: usize = 64;
/// Directions tried at each step of an ascent, and the share of its radius at which it ends.
const DIRECTIONS: usize = 40;
const SMALLEST_STEP: f64 = 1e-7;
/// Most steps of an ascent.
const MAX_ASCENT: usize = 400;

/// The centre of the largest ball in a part that was found, and its radius, mm; `None` if it encloses nothing.
///
/// Balls that touch the skin at its samples shrink until nothing else is in them (Ma, Bae and Choi 2012), which leads to the
/// medial axis; from the largest ones the distance is climbed (Hooke and Jeeves 1961).
pub(super) fn deepest(solid: &SolidSurface<'_>, samples: &[SkinSample]) -> Option<(Point, f64)> {
    let mut balls: Vec<(Point, f64)> = samples.par_iter().filter_map(|own| ball(solid, own)).collect();
    let order = |a: &(Point, f64), b: &(Point, f64)| {
        b.1.total_cmp(&a.1).then_with(|| {
            a.0.coords
                .as_slice()
                .iter()
                .zip(b.0.coords.as_slice())
                .fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)))
        })
    };
    balls.sort_by(order);
    balls.truncate(STARTS);
    let climbed: Vec<(Point, f64)> = balls.into_par_iter().map(|own| climb(solid, own)).collect();
    climbed.into_iter().min_by(order)
}

/// The ball inside that touches the skin at a sample and nothing else before; `None` if it has no room.
fn ball(solid: &SolidSurface<'_>, sample: &SkinSample) -> Option<(Point, f64)> {
    let surface = solid.surface();
    let mut radius_mm = 0.5 * surface.bounds().diagonal();
    for _ in 0..MAX_STEPS {
        let centre = sample.at - sample.normal * radius_mm;
        let Some(hit) = surface.closest_point(&centre, radius_mm * (1.0 - CONVERGED)) else { break };
        let away = hit.point - sample.at;
        let along = -away.dot(&sample.normal);
        if !(along > 0.0) {
            // Its own facet, to rounding.
            break;
        }
        radius_mm = away.norm_squared() / (2.0 * along);
    }
    let centre = sample.at - sample.normal * radius_mm;
    let depth_mm = depth_mm(solid, &centre);
    (depth_mm > 0.0).then_some((centre, depth_mm))
}

/// How deep a point lies inside, mm; negative outside.
fn depth_mm(solid: &SolidSurface<'_>, at: &Point) -> f64 {
    let distance_mm = solid.surface().closest_point(at, f64::INFINITY).map_or(0.0, |hit| hit.distance_mm);
    if solid.contains(at) { distance_mm } else { -distance_mm }
}

fn climb(solid: &SolidSurface<'_>, (mut at, mut radius_mm): (Point, f64)) -> (Point, f64) {
    let (mut step_mm, mut random) = (0.5 * radius_mm, Random::new(11, 0xDEE9));
    for _ in 0..MAX_ASCENT {
        if step_mm < SMALLEST_STEP * radius_mm {
            break;
        }
        let directions = (0..DIRECTIONS).map(|index| match index {
            0..6 => {
                let mut axis = Vector::zeros();
                axis[index / 2] = if index % 2 == 0 { 1.0 } else { -1.0 };
                axis
            }
            _ => random.rotation() * Vector::x(),
        });
        let tried = directions.map(|direction| at + direction * step_mm).map(|own| (own, depth_mm(solid, &own)));
        match tried.max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((better, depth_mm)) if depth_mm > radius_mm => (at, radius_mm) = (better, depth_mm),
            _ => step_mm *= 0.5,
        }
    }
    (at, radius_mm)
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Mesh, Sides, Surface};

    fn of(mesh: Mesh) -> f64 {
        let surface = Surface::new(mesh);
        let solid = SolidSurface::new(&surface, Sides::Normals);
        deepest(&solid, &samples::of(&surface, 2000)).unwrap().1
    }

    #[test]
    fn the_largest_balls_in_cuboids_spheres_and_tori_are_found() {
        for size in [[10.0, 8.0, 6.0], [50.0, 50.0, 0.1], [1.0, 1.0, 40.0], [3.0, 3.0, 3.0]] {
            let cuboid = shapes::cuboid(Point::origin(), Point::from(size));
            let wanted = 0.5 * size.into_iter().fold(f64::INFINITY, f64::min);
            assert!((of(cuboid) - wanted).abs() < 1e-4 * wanted, "{size:?}");
        }
        let sphere = of(shapes::sphere(5.0, 4));
        assert!((4.97..5.0).contains(&sphere), "{sphere}");
        let torus = of(shapes::torus(12.0, 3.0, 96, 48));
        assert!((2.98..3.0).contains(&torus), "{torus}");
        // A large body behind a thin plate.
        let mut both = shapes::cuboid(Point::new(-50.0, -50.0, 0.0), Point::new(50.0, 50.0, 0.2));
        both.append(&shapes::sphere(2.0, 3));
        both.vertices.iter_mut().skip(8).for_each(|own| own.z += 30.0);
        assert!((1.93..2.0).contains(&of(both)));
    }
}
