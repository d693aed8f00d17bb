//! Rays and edges against closed shells: which of them hold a point, and which an edge passes through.

use rayon::prelude::*;

use super::Shells;
use crate::topology::NO_NEIGHBOUR;
use crate::{Aabb, Point, Surface, Vector, triangle};

/// Points of a shell that must agree on which others it lies in.
const SAMPLES: usize = 8;
/// Tried one after the other; along no axis and no diagonal, so that rays through edges are the exception.
const DIRECTIONS: [[f64; 3]; 6] = [
    [0.435_281, 0.738_117, 0.515_529],
    [-0.612_374, 0.271_828, 0.742_313],
    [0.183_411, -0.577_121, 0.795_797],
    [0.801_233, 0.141_592, -0.581_413],
    [-0.314_159, -0.866_311, -0.388_467],
    [-0.707_003, 0.503_127, -0.497_019],
];
/// A hit nearer to the edge of its facet than this (barycentric) may be one of the neighbour as well.
const EDGE: f64 = 1e-7;
/// A ray at less than this angle to a facet, rad, does not tell its sides.
const GRAZES: f64 = 1e-6;

/// What is asked of.
pub struct Rays<'a> {
    pub surface: &'a Surface,
    pub shells: &'a Shells,
    /// What is nearer touches, mm.
    pub touches_mm: f64,
}

/// How a shell lies to the closed ones.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Those that its points lie in.
    pub within: Vec<u32>,
    /// Those that it lies partly in.
    pub crossed: Vec<u32>,
    /// Whether no point of it could tell.
    pub is_unclear: bool,
}

impl Rays<'_> {
    /// How the shell of that number lies to the closed ones, all of which that count lie in `near`.
    pub fn examine(&self, number: usize, near: &Aabb) -> Found {
        let (shell, own) = (&self.shells.list[number], number as u32);
        if near.is_empty() || !shell.is_rimless {
            return Found::default();
        }
        let sample = |i: usize| shell.facets[i * shell.facets.len() / SAMPLES];
        let middle = |facet: u32| triangle::centroid(&self.surface.mesh().corners(facet as usize));
        let around: Vec<Vec<u32>> = (0..SAMPLES).filter_map(|i| self.around(&middle(sample(i)), own)).collect();
        let mut crossed = differing(&around);
        let edges: Vec<u32> = shell.facets.par_iter().flat_map_iter(|&facet| self.crossed(facet, own, near)).collect();
        crossed.extend(edges);
        crossed.sort_unstable();
        crossed.dedup();
        Found { is_unclear: around.is_empty(), within: around.into_iter().next().unwrap_or_default(), crossed }
    }

    /// The closed shells other than `own` that `point` lies in, ascending. `None` where it lies on one.
    fn around(&self, point: &Point, own: u32) -> Option<Vec<u32>> {
        DIRECTIONS.iter().find_map(|direction| self.cast(point, &Vector::from(*direction).normalize(), own))
    }

    /// The same by one ray; `None` where it touches an edge or grazes a facet, too.
    fn cast(&self, point: &Point, direction: &Vector, own: u32) -> Option<Vec<u32>> {
        let mut windings: Vec<(u32, i32)> = Vec::new();
        let mut is_clear = true;
        self.surface.each_hit(point, direction, [-self.touches_mm, f64::INFINITY], EDGE, |hit| {
            let number = self.shells.of_facet[hit.facet as usize];
            let shell = &self.shells.list[number as usize];
            if number == own || !shell.is_closed {
                return;
            }
            let corners = self.surface.mesh().corners(hit.facet as usize);
            let along = triangle::normal(&corners).dot(direction);
            let is_inner = triangle::intersect_line(point, direction, &corners, -EDGE).is_some();
            is_clear &= is_inner && hit.t > self.touches_mm && along.abs() > GRAZES;
            let is_inward = self.shells.is_opposed[hit.facet as usize] != (shell.volume_mm3 < 0.0);
            let leaves = if (along > 0.0) != is_inward { 1 } else { -1 };
            match windings.iter_mut().find(|(shell, _)| *shell == number) {
                Some((_, winding)) => *winding += leaves,
                None => windings.push((number, leaves)),
            }
        });
        let mut around: Vec<u32> = windings.iter().filter(|(_, winding)| *winding != 0).map(|own| own.0).collect();
        around.sort_unstable();
        is_clear.then_some(around)
    }

    /// The closed shells that the edges of a facet pass into or out of. Each edge is asked of one of its facets.
    fn crossed(&self, facet: u32, own: u32, near: &Aabb) -> Vec<u32> {
        let neighbours = self.surface.topology().neighbours[facet as usize];
        let corners = self.surface.mesh().corners(facet as usize);
        let is_own = |&edge: &usize| neighbours[edge] == NO_NEIGHBOUR || neighbours[edge] > facet;
        let crossed = |edge: usize| self.crossed_between(&corners[edge], &corners[(edge + 1) % 3], own, near);
        (0..3).filter(is_own).flat_map(crossed).collect()
    }

    /// Between the places where the edge meets other shells it lies within them or not; where it only touches them, it
    /// lies on them, and tells nothing.
    fn crossed_between(&self, from: &Point, to: &Point, own: u32, near: &Aabb) -> Vec<u32> {
        if !Aabb::of_points([from, to]).overlaps(near) {
            return Vec::new();
        }
        let along = to - from;
        let mut places = vec![0.0, 1.0];
        self.surface.each_hit(from, &along, [0.0, 1.0], EDGE, |hit| {
            let number = self.shells.of_facet[hit.facet as usize];
            if number != own && self.shells.list[number as usize].is_closed {
                places.push(hit.t);
            }
        });
        if places.len() == 2 {
            return Vec::new();
        }
        places.sort_by(f64::total_cmp);
        let middle = |pair: &[f64]| from + along * (0.5 * (pair[0] + pair[1]));
        let around: Vec<Vec<u32>> = places.windows(2).filter_map(|pair| self.around(&middle(pair), own)).collect();
        differing(&around)
    }
}

/// What is not in all of the lists.
fn differing(lists: &[Vec<u32>]) -> Vec<u32> {
    let missing = |number: &&u32| lists.iter().any(|list| !list.contains(*number));
    lists.iter().flatten().filter(missing).copied().collect()
}
