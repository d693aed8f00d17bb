//! Closest point on a surface: pre-filtered in f32 with a margin, decided in f64; ties go to the lowest facet index.

use super::super::simd::{Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, nearest_first};
use super::super::triangle::{self, Feature};
use super::super::{Point, Pose};
use super::{Surface, SurfaceHit};

/// Bound on the relative f32 error of a filtered distance: about thirty roundings.
const FILTER_ERROR: f64 = 32.0 / (1_u64 << 24) as f64;

/// Parameters of a batch of closest-point searches.
#[derive(Clone, Copy)]
pub struct ClosestQuery<'a> {
    /// Surface to search.
    pub surface: &'a Surface,
    /// Transformation of the query points into the frame of the surface.
    pub surface_from_points: &'a Pose,
    /// Maximum distance of a hit, inclusive, mm.
    pub max_distance_mm: f64,
}

/// Writes the closest surface point of each of `points` to `out`; `None` if there is none within the maximum distance
/// or the point is not finite. Fast if the points are ordered along a space-filling curve: each search starts with the
/// facet found by the previous one.
pub fn closest_in_order(query: &ClosestQuery<'_>, points: &[Point], out: &mut [Option<SurfaceHit>]) {
    dispatch(Batch { query, points, facets: &mut [], out });
}

/// As [`closest_in_order`]; each search starts with the facet of its point in `facets`, such as that found in a nearby
/// pose ([`NO_FACET`] for none), which is replaced by the one found.
pub fn closest_from_last(
    query: &ClosestQuery<'_>,
    points: &[Point],
    facets: &mut [u32],
    out: &mut [Option<SurfaceHit>],
) {
    dispatch(Batch { query, points, facets, out });
}

/// Index that no facet has.
pub const NO_FACET: u32 = u32::MAX;

struct Batch<'a, 'q> {
    query: &'q ClosestQuery<'a>,
    points: &'q [Point],
    /// Where the searches start, one for each point; or empty.
    facets: &'q mut [u32],
    out: &'q mut [Option<SurfaceHit>],
}

impl Task for Batch<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut stack = Stack::default();
        let mut previous = None;
        let mut facets = self.facets.iter_mut();
        for (point, out) in self.points.iter().zip(self.out.iter_mut()) {
            let moved = self.query.surface_from_points * point;
            let last = facets.next();
            let initial_facet = last.as_deref().copied().filter(|facet| *facet != NO_FACET).or(previous);
            *out = self.query.surface.closest::<L>(&moved, self.query.max_distance_mm, initial_facet, &mut stack);
            if let Some(hit) = out {
                previous = Some(hit.facet);
                if let Some(last) = last {
                    *last = hit.facet;
                }
            }
        }
    }
}

/// A single search; see [`closest_in_order`] for batches.
struct Single<'a> {
    surface: &'a Surface,
    point: &'a Point,
    max_distance_mm: f64,
    initial_facet: Option<u32>,
}

impl Task for Single<'_> {
    type Output = Option<SurfaceHit>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<SurfaceHit> {
        self.surface.closest::<L>(self.point, self.max_distance_mm, self.initial_facet, &mut Stack::default())
    }
}

/// A single search among some of the facets.
struct Selective<'a, A> {
    surface: &'a Surface,
    point: &'a Point,
    max_distance_mm: f64,
    accepts: A,
}

impl<A: Fn(u32) -> bool> Task for Selective<'_, A> {
    type Output = Option<SurfaceHit>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<SurfaceHit> {
        let search = Search::new(self.surface, self.point, self.max_distance_mm, self.accepts)?;
        search.run::<L>(None, &mut Stack::default())
    }
}

impl Surface {
    /// Surface point closest to `point`, in the frame of the surface; `None` if there is none within `max_distance_mm`
    /// or `point` is not finite.
    pub fn closest_point(&self, point: &Point, max_distance_mm: f64) -> Option<SurfaceHit> {
        self.closest_point_from(point, max_distance_mm, None)
    }

    /// As [`Self::closest_point`]; faster if `initial_facet` is close to the point.
    pub fn closest_point_from(
        &self,
        point: &Point,
        max_distance_mm: f64,
        initial_facet: Option<u32>,
    ) -> Option<SurfaceHit> {
        dispatch(Single { surface: self, point, max_distance_mm, initial_facet })
    }

    /// As [`Self::closest_point`], among the facets for which `accepts` holds.
    pub fn closest_point_where(
        &self,
        point: &Point,
        max_distance_mm: f64,
        accepts: impl Fn(u32) -> bool,
    ) -> Option<SurfaceHit> {
        dispatch(Selective { surface: self, point, max_distance_mm, accepts })
    }

    #[inline(always)]
    fn closest<L: Lanes>(
        &self,
        point: &Point,
        max_distance_mm: f64,
        initial_facet: Option<u32>,
        stack: &mut Stack,
    ) -> Option<SurfaceHit> {
        Search::new(self, point, max_distance_mm, |_| true)?.run::<L>(initial_facet, stack)
    }
}

pub(super) struct Search<'a, A> {
    surface: &'a Surface,
    point: &'a Point,
    pub(super) local: [f32; 3],
    error_mm: f64,
    /// Squared distance beyond which candidates are rejected, mm².
    pub(super) squared: f64,
    best: Option<(u32, Point, Feature)>,
    accepts: A,
}

impl<'a, A: Fn(u32) -> bool> Search<'a, A> {
    /// `None` if the point is not finite.
    #[inline(always)]
    pub(super) fn new(surface: &'a Surface, point: &'a Point, max_distance_mm: f64, accepts: A) -> Option<Self> {
        let reach = (point - surface.centre).amax();
        reach.is_finite().then(|| Self {
            surface,
            point,
            local: surface.local(point),
            error_mm: FILTER_ERROR * (surface.reach_mm + reach),
            squared: max_distance_mm * max_distance_mm,
            best: None,
            accepts,
        })
    }

    #[inline(always)]
    fn run<L: Lanes>(mut self, initial_facet: Option<u32>, stack: &mut Stack) -> Option<SurfaceHit> {
        let mut limit = self.limit();
        if let Some(facet) = initial_facet {
            self.consider(facet, &mut limit);
        }
        let local = self.local;
        nearest_first::<L>(&self.surface.tree, local, &mut limit, stack, &mut self);
        let distance_mm = self.squared.sqrt();
        self.best.map(|(facet, point, feature)| SurfaceHit { point, distance_mm, facet, feature })
    }

    /// Squared f32 distance up to which a candidate may still be the closest, enlarged by the f32 error.
    #[inline(always)]
    pub(super) fn limit(&self) -> f32 {
        let widened = self.squared.sqrt() + self.error_mm;
        (widened * widened * (1.0 + 4.0 * FILTER_ERROR)) as f32
    }

    #[inline(always)]
    fn consider(&mut self, facet: u32, limit: &mut f32) {
        let (candidate, feature) = triangle::closest_point(self.point, &self.surface.mesh.corners(facet as usize));
        let squared = (self.point - candidate).norm_squared();
        let wins = match self.best {
            Some((best, ..)) => squared < self.squared || (squared == self.squared && facet < best),
            None => squared <= self.squared,
        };
        if wins && (self.accepts)(facet) {
            let closer = squared < self.squared;
            self.squared = squared;
            self.best = Some((facet, candidate, feature));
            if closer {
                *limit = self.limit();
            }
        }
    }
}

impl<A: Fn(u32) -> bool> Visitor for Search<'_, A> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let pack = &self.surface.packs[pack];
        let mut candidates = pack.within::<L>(self.local, *limit);
        while candidates != 0 {
            let lane = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let facet = pack.facets[lane];
            if facet != u32::MAX {
                self.consider(facet, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::simd::dispatch_portable;
    use base::random::Random;

    fn brute_force(surface: &Surface, point: &Point) -> (f64, u32) {
        let squared = |facet: usize| {
            let (closest, _) = triangle::closest_point(point, &surface.mesh().corners(facet));
            (point - closest).norm_squared()
        };
        (0..surface.mesh().facets.len())
            .map(|facet| (squared(facet), facet as u32))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .unwrap()
    }

    #[test]
    fn agrees_with_brute_force_on_every_instruction_set_near_and_far() {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        for offset_mm in [0.0, 10_000.0] {
            mesh.vertices.iter_mut().for_each(|v| v.coords.x += offset_mm);
            let surface = Surface::new(mesh.clone());
            let mut random = Random::new(1, 0);
            for _ in 0..2000 {
                let spread = if random.uniform() < 0.5 { 40.0 } else { 400.0 };
                let point = Point::new(
                    offset_mm + random.range(-spread, spread),
                    random.range(-spread, spread),
                    random.range(-spread, spread),
                );
                let (squared, facet) = brute_force(&surface, &point);
                let fast = surface.closest_point(&point, f64::INFINITY).unwrap();
                let single =
                    Single { surface: &surface, point: &point, max_distance_mm: f64::INFINITY, initial_facet: None };
                assert_eq!(Some(fast), dispatch_portable(single));
                assert_eq!((fast.distance_mm, fast.facet), (squared.sqrt(), facet));
            }
        }
    }

    #[test]
    fn batch_and_single_searches_agree() {
        let surface = Surface::new(shapes::sphere(20.0, 4));
        let mut random = Random::new(2, 0);
        let mut points: Vec<Point> =
            (0..3000).map(|_| Point::from(random.rotation() * crate::Vector::z() * random.range(15.0, 25.0))).collect();
        points[7] = Point::new(f64::NAN, 0.0, 0.0);
        let pose = Pose::translation(0.5, 0.25, 0.0);
        let query = ClosestQuery { surface: &surface, surface_from_points: &pose, max_distance_mm: 2.0 };
        let mut hits = vec![None; points.len()];
        closest_in_order(&query, &points, &mut hits);
        assert_eq!(hits[7], None);
        // From another pose, and from where the points were in the last one.
        let mut facets = vec![NO_FACET; points.len()];
        for shift_mm in [0.0, 0.5] {
            let pose = Pose::translation(shift_mm, 0.5 * shift_mm, 0.0);
            let query = ClosestQuery { surface_from_points: &pose, ..query };
            let mut again = vec![None; points.len()];
            closest_from_last(&query, &points, &mut facets, &mut again);
            assert!(shift_mm == 0.0 || again == hits);
        }
        for (point, hit) in points.iter().zip(&hits) {
            assert_eq!(*hit, surface.closest_point(&(pose * point), 2.0));
        }
        assert!(hits.iter().any(Option::is_none) && hits.iter().any(Option::is_some));
    }

    #[test]
    fn only_accepted_facets_are_found() {
        let surface = Surface::new(shapes::cuboid(Point::new(-1.0, -1.0, -1.0), Point::new(1.0, 1.0, 1.0)));
        let is_on_top = |facet: u32| surface.mesh().normal(facet as usize).z > 0.5;
        let hit = surface.closest_point_where(&Point::new(0.25, 0.0, -0.5), 2.0, is_on_top).unwrap();
        assert_eq!((hit.distance_mm, hit.point), (1.5, Point::new(0.25, 0.0, 1.0)));
        assert_eq!(surface.closest_point_where(&Point::new(0.25, 0.0, -0.5), 1.4, is_on_top), None);
    }

    #[test]
    fn sign_is_correct_at_cube_corners_and_edges() {
        let surface = Surface::new(shapes::cuboid(Point::new(-1.0, -1.0, -1.0), Point::new(1.0, 1.0, 1.0)));
        let mut random = Random::new(3, 0);
        for _ in 0..20_000 {
            let point = Point::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0), random.range(-2.0, 2.0));
            let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
            let signed = surface.signed_distance_mm(&point, &hit);
            let outside: f64 = point.coords.iter().map(|c| (c.abs() - 1.0).max(0.0).powi(2)).sum::<f64>().sqrt();
            let truth = if outside > 0.0 { outside } else { point.coords.amax() - 1.0 };
            assert!((signed - truth).abs() < 1e-12, "{point} {signed} {truth}");
        }
    }

    #[test]
    fn points_on_edges_and_corners_have_zero_deviation() {
        let surface = Surface::new(shapes::cuboid(Point::origin(), Point::new(3.0, 2.0, 1.0)));
        for corner in surface.bounds().corners() {
            for i in 0..=10 {
                let edge = Point::new(corner.x, corner.y, f64::from(i) / 10.0);
                let hit = surface.closest_point(&edge, 1.0).unwrap();
                assert_eq!(surface.signed_distance_mm(&edge, &hit), 0.0);
            }
        }
    }
}
