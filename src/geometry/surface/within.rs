//! All facets within a distance of a point.

use super::super::simd::{Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, nearest_first};
use super::super::{Point, triangle};
use super::Surface;
use super::closest::Search;

impl Surface {
    /// All facets within `max_distance_mm` of `point`, inclusive, with their distances, mm; none if `point` is not finite.
    /// `None` if they are more than `max_count`.
    pub fn facets_within(&self, point: &Point, max_distance_mm: f64, max_count: usize) -> Option<Vec<(u32, f64)>> {
        let found = dispatch(Within { surface: self, point, max_distance_mm, max_count });
        (found.len() <= max_count).then_some(found)
    }
}

struct Within<'a> {
    surface: &'a Surface,
    point: &'a Point,
    max_distance_mm: f64,
    max_count: usize,
}

impl Task for Within<'_> {
    type Output = Vec<(u32, f64)>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<(u32, f64)> {
        let Self { surface, point, max_distance_mm, max_count } = self;
        let Some(search) = Search::new(surface, point, max_distance_mm, |_| true) else { return Vec::new() };
        let mut limit = search.limit();
        let (local, squared) = (search.local, search.squared);
        let mut found = Found { surface, point, local, squared, max_count, facets: Vec::new() };
        nearest_first::<L>(&surface.tree, local, &mut limit, &mut Stack::default(), &mut found);
        found.facets
    }
}

struct Found<'a> {
    surface: &'a Surface,
    point: &'a Point,
    local: [f32; 3],
    /// Squared distance beyond which facets are left out, mm².
    squared: f64,
    max_count: usize,
    facets: Vec<(u32, f64)>,
}

impl Visitor for Found<'_> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let pack = &self.surface.packs[pack];
        let mut candidates = pack.within::<L>(self.local, *limit);
        while candidates != 0 {
            let facet = pack.facets[candidates.trailing_zeros() as usize];
            candidates &= candidates - 1;
            if facet != u32::MAX {
                let corners = self.surface.mesh.corners(facet as usize);
                let squared = (self.point - triangle::closest_point(self.point, &corners).0).norm_squared();
                if squared <= self.squared {
                    self.facets.push((facet, squared.sqrt()));
                }
            }
        }
        if self.facets.len() > self.max_count {
            // Nothing is that near, so the search ends.
            *limit = -1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use base::random::Random;

    #[test]
    fn they_are_those_of_a_test_of_all() {
        let surface = Surface::new(shapes::torus(30.0, 8.0, 60, 30));
        let mut random = Random::new(5, 0);
        let mut count = 0;
        for _ in 0..300 {
            let point = Point::from([0, 1, 2].map(|_| random.range(-40.0, 40.0)));
            let limit_mm = random.range(1.0, 20.0);
            let distance_mm = |facet: u32| {
                let corners = surface.mesh().corners(facet as usize);
                (point - triangle::closest_point(&point, &corners).0).norm()
            };
            let all = (0..surface.mesh().facets.len() as u32).map(|facet| (facet, distance_mm(facet)));
            let expected: Vec<(u32, f64)> = all.filter(|own| own.1 <= limit_mm).collect();
            let mut found = surface.facets_within(&point, limit_mm, expected.len()).unwrap();
            found.sort_by_key(|own| own.0);
            assert_eq!(found, expected);
            assert!(found.is_empty() || surface.facets_within(&point, limit_mm, expected.len() - 1).is_none());
            count += found.len();
        }
        let nowhere = Point::new(f64::NAN, 0.0, 0.0);
        assert!(count > 1_000 && surface.facets_within(&nowhere, 1e3, 9).is_some_and(|found| found.is_empty()));
    }
}
