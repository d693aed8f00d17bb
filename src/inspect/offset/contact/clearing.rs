//! Moves the facets of a contact volume clear of the part.
//!
//! Vertices alone at the radius of the tool do not suffice: on a convex part a facet between them is a chord, nearer to the
//! part by its sagitta, and in notches finer than a voxel vertices themselves are too near. So facets are looked at over
//! their whole area, by the exact distance, and their vertices moved away from the part until none gouges.

use rayon::prelude::*;

use geometry::{Mesh, Point, Surface, Vector};

/// Corrections of a vertex that is too close to the part, and of facets.
const PUSHES: usize = 32;
const ROUNDS: usize = 24;
/// Share of the radius that is rounding.
const ROUNDING: f64 = 1e-9;
/// Parts of an edge between the points of a facet that are looked at.
const PARTS: u32 = 4;
/// How much nearer to the part a facet may be between these points, in squares of its longest edge over the radius of the tool:
/// a point of the part reaches between them by so much at most.
const BETWEEN: f64 = 0.015;
/// How much farther than it is too near a facet is moved, relative.
const FARTHER: f64 = 1.1;

/// Moves the vertices of `mesh` away from the part until its facets are no closer than `radius_mm` to it; their least distance
/// then, mm.
pub(super) fn clear(surface: &Surface, mesh: &mut Mesh, radius_mm: f64) -> f64 {
    push_out(surface, mesh, radius_mm);
    let mut facets: Vec<u32> = (0..mesh.facets.len() as u32).collect();
    let mut least_mm = f64::INFINITY;
    for round in 0..=ROUNDS {
        let feet = feet(surface, mesh, &facets);
        let check = Check { surface, mesh, feet: &feet, radius_mm };
        let near: Vec<(u32, f64, f64)> = facets
            .par_iter()
            .map(|&facet| {
                let (own_mm, wanted_mm) = check.least_and_wanted_mm(facet as usize);
                (facet, own_mm, wanted_mm)
            })
            .collect();
        let own_mm = near.iter().map(|own| own.1).fold(f64::INFINITY, f64::min);
        // What is not looked at again was clear by itself.
        least_mm = if round == 0 { own_mm } else { least_mm.max(radius_mm).min(own_mm) };
        let mut pushes_mm = vec![0.0_f64; mesh.vertices.len()];
        for (facet, own_mm, wanted_mm) in near.iter().filter(|own| own.1 < own.2) {
            for &corner in &mesh.facets[*facet as usize] {
                let push = &mut pushes_mm[corner as usize];
                *push = push.max(FARTHER * (wanted_mm - own_mm));
            }
        }
        if round == ROUNDS || pushes_mm.iter().all(|by_mm| *by_mm == 0.0) {
            break;
        }
        let directions: Vec<Vector> = feet.iter().zip(&mesh.vertices).map(|(foot, own)| away(foot, own)).collect();
        for ((vertex, direction), by_mm) in mesh.vertices.iter_mut().zip(directions).zip(&pushes_mm) {
            *vertex += direction * *by_mm;
        }
        // What shares a vertex with what was moved.
        let is_touched =
            |facet: &u32| mesh.facets[*facet as usize].iter().any(|&corner| pushes_mm[corner as usize] > 0.0);
        facets = (0..mesh.facets.len() as u32).filter(is_touched).collect();
    }
    least_mm
}

/// Moves the vertices that are closer to the part than the radius of the tool away from it: those in notches that are
/// finer than a voxel.
fn push_out(surface: &Surface, mesh: &mut Mesh, radius_mm: f64) {
    mesh.vertices.par_iter_mut().for_each(|vertex| {
        for _ in 0..PUSHES {
            let hit = surface.closest_point(vertex, radius_mm);
            let Some(hit) = hit.filter(|hit| hit.distance_mm > 0.0 && hit.distance_mm < radius_mm * (1.0 - ROUNDING))
            else {
                break;
            };
            *vertex = hit.point + (*vertex - hit.point) * (radius_mm / hit.distance_mm);
        }
    });
}

/// The point of the part closest to each vertex of some facets; `None` of the others.
fn feet(surface: &Surface, mesh: &Mesh, facets: &[u32]) -> Vec<Option<Point>> {
    let mut is_asked = vec![false; mesh.vertices.len()];
    facets.iter().flat_map(|own| mesh.facets[*own as usize]).for_each(|corner| is_asked[corner as usize] = true);
    let foot = |(vertex, is_asked): (&Point, &bool)| {
        is_asked.then(|| surface.closest_point(vertex, f64::INFINITY)).flatten().map(|hit| hit.point)
    };
    mesh.vertices.par_iter().zip(&is_asked).map(foot).collect()
}

/// Direction from the part to a vertex.
fn away(foot: &Option<Point>, vertex: &Point) -> Vector {
    foot.and_then(|foot| (vertex - foot).try_normalize(0.0)).unwrap_or_default()
}

struct Check<'a> {
    surface: &'a Surface,
    mesh: &'a Mesh,
    feet: &'a [Option<Point>],
    radius_mm: f64,
}

impl Check<'_> {
    fn longest_mm(&self, facet: usize) -> f64 {
        let [a, b, c] = self.mesh.corners(facet);
        (b - a).norm().max((c - b).norm()).max((a - c).norm())
    }

    /// Least distance of the points of a facet from the part, mm, infinite where that is surely above the radius; and what it
    /// must be for no point between these to be too near, mm.
    fn least_and_wanted_mm(&self, facet: usize) -> (f64, f64) {
        let (corners, longest_mm) = (self.mesh.corners(facet), self.longest_mm(facet));
        let flat_mm = self.radius_mm * (1.0 - ROUNDING);
        let ways = self.mesh.facets[facet]
            .map(|corner| self.feet[corner as usize].map(|foot| self.mesh.vertices[corner as usize] - foot));
        let [Some(a), Some(b), Some(c)] = ways else { return (f64::INFINITY, flat_mm) };
        let least_mm = [a, b, c].map(|way| way.norm()).into_iter().fold(f64::INFINITY, f64::min);
        if least_mm > self.radius_mm + longest_mm {
            return (f64::INFINITY, flat_mm);
        }
        let distance_mm =
            |at: &Point| self.surface.closest_point(at, f64::INFINITY).map_or(f64::INFINITY, |hit| hit.distance_mm);
        let at = |[i, j, k]: [u32; 3]| {
            let [a, b, c] = corners.map(|corner| corner.coords);
            Point::from((a * f64::from(i) + b * f64::from(j) + c * f64::from(k)) / f64::from(i + j + k))
        };
        let coarse = [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]].map(|own| distance_mm(&at(own)));
        let coarse_mm = coarse.into_iter().fold(least_mm, f64::min);
        // Over a plane of the part, all of it is as far.
        if (a - b).norm().max((a - c).norm()) < 1e3 * ROUNDING * self.radius_mm && coarse_mm >= flat_mm {
            return (coarse_mm, flat_mm);
        }
        let all = (0..=PARTS).flat_map(|i| (0..=PARTS - i).map(move |j| [i, j, PARTS - i - j]));
        let inner = all.filter(|own| own.iter().all(|share| *share < PARTS));
        let fine_mm = inner.map(|own| distance_mm(&at(own))).fold(coarse_mm, f64::min);
        (fine_mm, self.radius_mm + BETWEEN * longest_mm.powi(2) / self.radius_mm)
    }
}
