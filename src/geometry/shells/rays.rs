//! Containment tests against closed shells by ray casting: which shells contain a point, and which an edge crosses.

use rayon::prelude::*;

use super::Shells;
use crate::topology::NO_NEIGHBOUR;
use crate::{Aabb, Point, Surface, Vector, triangle};

/// Sample points of a shell; if they lie in different shells, the shells overlap.
const SAMPLE_POINTS: usize = 8;
/// Sample points of a shell that overlaps others, of which the one in the fewest shells is sought.
const MORE_SAMPLE_POINTS: usize = 64;
/// Ray directions, tried in this order. None is along an axis or a diagonal, so that hits on edges are rare.
const DIRECTIONS: [[f64; 3]; 6] = [
    [0.435_281, 0.738_117, 0.515_529],
    [-0.612_374, 0.271_828, 0.742_313],
    [0.183_411, -0.577_121, 0.795_797],
    [0.801_233, 0.141_592, -0.581_413],
    [-0.314_159, -0.866_311, -0.388_467],
    [-0.707_003, 0.503_127, -0.497_019],
];
/// A hit closer than this (barycentric) to the edge of its facet may also be a hit of the neighbouring facet.
const EDGE_TOLERANCE: f64 = 1e-7;
/// A ray at less than this angle to a facet, rad, does not decide which side of it a point is on.
const MIN_GRAZING_ANGLE_RAD: f64 = 1e-6;

/// Ray casting against the closed shells of a surface.
pub struct RayCaster<'a> {
    /// The surface; `shells` are its shells.
    pub surface: &'a Surface,
    /// Shells of the surface.
    pub shells: &'a Shells,
    /// Distance below which surfaces count as touching, mm.
    pub touch_distance_mm: f64,
}

/// Position of a shell relative to the closed shells.
#[derive(Clone, Debug, Default)]
pub struct Containment {
    /// Closed shells that contain its sample points, by index, ascending.
    pub within: Vec<u32>,
    /// Closed shells that it lies only partly in, by index, ascending.
    pub crossed: Vec<u32>,
    /// Number of closed shells that contain the sample point in the fewest.
    pub least: usize,
    /// Whether no sample point gave a result.
    pub is_undecided: bool,
}

impl RayCaster<'_> {
    /// Containment of shell `index` in the closed shells; `near` bounds all those that matter. Shells with a boundary
    /// are not examined.
    pub fn examine(&self, index: usize, near: &Aabb) -> Containment {
        let (shell, own) = (&self.shells.list[index], index as u32);
        if near.is_empty() || !shell.has_no_boundary {
            return Containment::default();
        }
        let centroid = |facet: u32| triangle::centroid(&self.surface.mesh().corners(facet as usize));
        let samples = |count: usize| -> Vec<Vec<u32>> {
            let facets = (0..count).map(|i| shell.facets[i * shell.facets.len() / count]);
            facets.filter_map(|facet| self.containing(&centroid(facet), own)).collect()
        };
        let mut containing = samples(SAMPLE_POINTS);
        let mut crossed = not_in_all(&containing);
        let edges: Vec<u32> = shell.facets.par_iter().flat_map_iter(|&facet| self.crossed(facet, own, near)).collect();
        crossed.extend(edges);
        crossed.sort_unstable();
        crossed.dedup();
        if !crossed.is_empty() {
            containing.extend(samples(MORE_SAMPLE_POINTS));
        }
        Containment {
            least: containing.iter().map(Vec::len).min().unwrap_or_default(),
            is_undecided: containing.is_empty(),
            within: containing.into_iter().next().unwrap_or_default(),
            crossed,
        }
    }

    /// Closed shells other than `own` that contain `point`, ascending. `None` if no ray decides, as for a point on a
    /// shell.
    fn containing(&self, point: &Point, own: u32) -> Option<Vec<u32>> {
        DIRECTIONS.iter().find_map(|direction| self.cast(point, &Vector::from(*direction).normalize(), own))
    }

    /// The same from a single ray. `None` also if the ray touches an edge or grazes a facet.
    fn cast(&self, point: &Point, direction: &Vector, own: u32) -> Option<Vec<u32>> {
        let mut windings: Vec<(u32, i32)> = Vec::new();
        let mut is_decided = true;
        self.surface.each_hit(point, direction, [-self.touch_distance_mm, f64::INFINITY], EDGE_TOLERANCE, |hit| {
            let index = self.shells.of_facet[hit.facet as usize];
            let shell = &self.shells.list[index as usize];
            if index == own || !shell.is_closed {
                return;
            }
            let corners = self.surface.mesh().corners(hit.facet as usize);
            let cosine = triangle::normal(&corners).dot(direction);
            let is_interior = triangle::intersect_line(point, direction, &corners, -EDGE_TOLERANCE).is_some();
            is_decided &= is_interior && hit.t > self.touch_distance_mm && cosine.abs() > MIN_GRAZING_ANGLE_RAD;
            let is_inward = self.shells.is_reversed[hit.facet as usize] != (shell.volume_mm3 < 0.0);
            let crossing = if (cosine > 0.0) != is_inward { 1 } else { -1 };
            match windings.iter_mut().find(|(shell, _)| *shell == index) {
                Some((_, winding)) => *winding += crossing,
                None => windings.push((index, crossing)),
            }
        });
        let mut containing: Vec<u32> =
            windings.iter().filter(|(_, winding)| *winding != 0).map(|entry| entry.0).collect();
        containing.sort_unstable();
        is_decided.then_some(containing)
    }

    /// Closed shells whose surface the edges of `facet` cross. Each edge is tested for one of its facets only.
    fn crossed(&self, facet: u32, own: u32, near: &Aabb) -> Vec<u32> {
        let neighbours = self.surface.topology().neighbours[facet as usize];
        let corners = self.surface.mesh().corners(facet as usize);
        let is_tested_here = |&edge: &usize| neighbours[edge] == NO_NEIGHBOUR || neighbours[edge] > facet;
        let crossed = |edge: usize| self.crossed_between(&corners[edge], &corners[(edge + 1) % 3], own, near);
        (0..3).filter(is_tested_here).flat_map(crossed).collect()
    }

    /// Closed shells that contain part of the segment but not all of it, from the midpoints between its intersections
    /// with other shells. Midpoints that lie on a shell, where the segment only touches it, do not count.
    fn crossed_between(&self, from: &Point, to: &Point, own: u32, near: &Aabb) -> Vec<u32> {
        if !Aabb::of_points([from, to]).overlaps(near) {
            return Vec::new();
        }
        let along = to - from;
        let mut parameters = vec![0.0, 1.0];
        self.surface.each_hit(from, &along, [0.0, 1.0], EDGE_TOLERANCE, |hit| {
            let index = self.shells.of_facet[hit.facet as usize];
            if index != own && self.shells.list[index as usize].is_closed {
                parameters.push(hit.t);
            }
        });
        if parameters.len() == 2 {
            return Vec::new();
        }
        parameters.sort_by(f64::total_cmp);
        let midpoint = |pair: &[f64]| from + along * (0.5 * (pair[0] + pair[1]));
        let containing: Vec<Vec<u32>> =
            parameters.windows(2).filter_map(|pair| self.containing(&midpoint(pair), own)).collect();
        not_in_all(&containing)
    }
}

/// Elements missing from at least one of the lists.
fn not_in_all(lists: &[Vec<u32>]) -> Vec<u32> {
    let missing = |index: &&u32| lists.iter().any(|list| !list.contains(*index));
    lists.iter().flatten().filter(missing).copied().collect()
}
