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

/// Index that no facet has.
pub const NO_FACET: u32 = u32::MAX;

/// The facet that a point was closest to.
#[derive(Clone, Copy, Debug)]
pub struct LastFacet {
    /// Its index, [`NO_FACET`] for none.
    pub facet: u32,
    /// How much farther every other facet is at least, mm.
    pub lead_mm: f32,
}

impl Default for LastFacet {
    fn default() -> Self {
        Self { facet: NO_FACET, lead_mm: 0.0 }
    }
}

/// How points moved since the search for their last facets, and how far the next search looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Movement {
    /// Maximum distance of a point from where it was, mm.
    pub moved_mm: f64,
    /// Leads of facets are found up to this, mm.
    pub lead_mm: f64,
}

/// Writes the closest surface point of each of `points` to `out`; `None` if there is none within the maximum distance
/// or the point is not finite. Fast if the points are ordered along a space-filling curve: each search starts with the
/// facet found by the previous one.
pub fn closest_in_order(query: &ClosestQuery<'_>, points: &[Point], out: &mut [Option<SurfaceHit>]) {
    dispatch(Batch { query, points, last: &mut [], movement: Movement::default(), out });
}

/// As [`closest_in_order`], of points whose `last` facets are those of the pose before the `movement`; they are replaced by
/// what is found. A facet that leads by more than twice the movement is still the closest; otherwise the search starts with
/// it.
pub fn closest_from_last(
    query: &ClosestQuery<'_>,
    points: &[Point],
    last: &mut [LastFacet],
    movement: Movement,
    out: &mut [Option<SurfaceHit>],
) {
    dispatch(Batch { query, points, last, movement, out });
}

struct Batch<'a, 'q> {
    query: &'q ClosestQuery<'a>,
    points: &'q [Point],
    /// Where the searches start, one for each point; or empty.
    last: &'q mut [LastFacet],
    movement: Movement,
    out: &'q mut [Option<SurfaceHit>],
}

impl Task for Batch<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let ClosestQuery { surface, surface_from_points, max_distance_mm } = *self.query;
        let mut stack = Stack::default();
        let mut previous = None;
        let mut all_last = self.last.iter_mut();
        // Both the closest facet and the others may have come nearer or gone away.
        let lost_mm = (2.0 * self.movement.moved_mm * (1.0 + FILTER_ERROR)) as f32;
        for (point, out) in self.points.iter().zip(self.out.iter_mut()) {
            let moved = surface_from_points * point;
            let mut last = all_last.next();
            if let Some(last) = &mut last
                && last.facet != NO_FACET
            {
                last.lead_mm -= lost_mm;
                if last.lead_mm > 0.0 {
                    *out = surface.hit_on(last.facet, &moved, max_distance_mm);
                    previous = Some(last.facet);
                    continue;
                }
            }
            let initial_facet = last.as_deref().map(|own| own.facet).filter(|own| *own != NO_FACET).or(previous);
            *out = None;
            let Some(mut search) = Search::new(surface, &moved, max_distance_mm, |_| true) else { continue };
            search.lead_mm = self.movement.lead_mm;
            *out = search.run::<L>(initial_facet, &mut stack);
            if let Some(hit) = out {
                previous = Some(hit.facet);
                if let Some(last) = last {
                    *last = LastFacet { facet: hit.facet, lead_mm: search.lead_of(hit.distance_mm) };
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
        let mut search = Search::new(self.surface, self.point, self.max_distance_mm, self.accepts)?;
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

    /// The closest point of a facet; `None` beyond the maximum distance.
    #[inline(always)]
    fn hit_on(&self, facet: u32, point: &Point, max_distance_mm: f64) -> Option<SurfaceHit> {
        let (closest, feature) = triangle::closest_point(point, &self.mesh.corners(facet as usize));
        let squared = (point - closest).norm_squared();
        (squared <= max_distance_mm * max_distance_mm).then(|| SurfaceHit {
            point: closest,
            distance_mm: squared.sqrt(),
            facet,
            feature,
        })
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
    /// Squared distance of the nearest other candidate, mm².
    second: f64,
    /// How much farther than the closest facet others are looked at, mm.
    lead_mm: f64,
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
            second: f64::INFINITY,
            lead_mm: 0.0,
            accepts,
        })
    }

    #[inline(always)]
    fn run<L: Lanes>(&mut self, initial_facet: Option<u32>, stack: &mut Stack) -> Option<SurfaceHit> {
        let mut limit = self.limit();
        if let Some(facet) = initial_facet {
            self.consider(facet, &mut limit);
        }
        let local = self.local;
        nearest_first::<L>(&self.surface.tree, local, &mut limit, stack, self);
        let distance_mm = self.squared.sqrt();
        self.best.map(|(facet, point, feature)| SurfaceHit { point, distance_mm, facet, feature })
    }

    /// By how much the facet found, at `distance_mm`, is closer than any other at least, mm.
    #[inline(always)]
    fn lead_of(&self, distance_mm: f64) -> f32 {
        let lead_mm = (self.second.sqrt() - distance_mm).min(self.lead_mm);
        // Less what is rounded of the positions.
        ((lead_mm - 1e-6 * self.error_mm) * (1.0 - FILTER_ERROR)) as f32
    }

    /// Squared f32 distance up to which a candidate may still be the closest, or less than the lead behind it; enlarged by
    /// the f32 error.
    #[inline(always)]
    pub(super) fn limit(&self) -> f32 {
        let widened = self.squared.sqrt() + self.lead_mm + self.error_mm;
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
        let is_again = self.best.is_some_and(|(best, ..)| best == facet);
        if wins && (self.accepts)(facet) {
            let closer = squared < self.squared;
            if self.best.is_some() && !is_again {
                self.second = self.second.min(self.squared);
            }
            self.squared = squared;
            self.best = Some((facet, candidate, feature));
            if closer {
                *limit = self.limit();
            }
        } else if !is_again {
            self.second = self.second.min(squared);
        }
    }
}

impl<A: Fn(u32) -> bool> Visitor for Search<'_, A> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let pack = &self.surface.packs[pack];
        let (mut candidates, distances) = pack.distances_within::<L>(self.local, *limit);
        while candidates != 0 {
            // The nearest first, behind which most of the others are out of reach.
            let mut lane = candidates.trailing_zeros() as usize;
            let mut others = candidates & (candidates - 1);
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                others &= others - 1;
                if distances[other] < distances[lane] {
                    lane = other;
                }
            }
            if distances[lane] > *limit {
                break;
            }
            candidates &= !(1 << lane);
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
        for (point, hit) in points.iter().zip(&hits) {
            assert_eq!(*hit, surface.closest_point(&(pose * point), 2.0));
        }
        assert!(hits.iter().any(Option::is_none) && hits.iter().any(Option::is_some));
    }

    #[test]
    fn facets_that_lead_need_no_search_and_are_those_of_one() {
        let surface = Surface::new(shapes::sphere(20.0, 4));
        let mut random = Random::new(2, 0);
        let mut on_sphere = || Point::from(random.rotation() * crate::Vector::z() * random.range(17.0, 22.0));
        let mut points: Vec<Point> = (0..3000).map(|_| on_sphere()).collect();
        points[7] = Point::new(f64::NAN, 0.0, 0.0);
        let mut last = vec![LastFacet::default(); points.len()];
        let (mut leading, mut before_mm) = (0, None);
        for step in 0..8 {
            let shift_mm = 0.3_f64.powi(step);
            let pose = Pose::translation(0.6 * shift_mm, 0.0, 0.8 * shift_mm);
            let query = ClosestQuery { surface: &surface, surface_from_points: &pose, max_distance_mm: 2.0 };
            let moved_mm = before_mm.replace(shift_mm).map_or(0.0, |before_mm: f64| before_mm - shift_mm);
            let lost_mm = 2.0 * moved_mm as f32;
            leading += last.iter().filter(|own| own.lead_mm > lost_mm).count();
            let mut hits = vec![None; points.len()];
            let movement = Movement { moved_mm: 1.001 * moved_mm, lead_mm: 4.0 * moved_mm };
            closest_from_last(&query, &points, &mut last, movement, &mut hits);
            let mut searched = vec![None; points.len()];
            closest_in_order(&query, &points, &mut searched);
            assert!(hits == searched && hits[7].is_none(), "step {step}");
        }
        assert!(leading > points.len(), "{leading}");
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
