//! Deviations along one direction, or within the plane perpendicular to it ([`super::planar`]), for all points, in place
//! of those from the closest point of the nominal.
//!
//! A point is measured along its line in this direction, to the crossing with the nominal that is nearest to it. How far
//! that can be follows from the closest point: on a surface whose normal has a cosine c with the direction, it is as far
//! as the closest point divided by c. Crossings farther away are those of other faces, and where the surface runs nearly
//! along the direction nothing is measured. The processor computes this, whatever the backend.

use rayon::prelude::*;

use super::{DistantPoints, Scan};
use base::{Progress, Result};
use compute::point_deviation::{MatchState, PointDeviation};
use geometry::{Point, Pose, Surface, Vector};

/// Minimum cosine between the direction and the normal of the nominal, up to sign; within a plane, between that plane and
/// the normal.
pub(super) const MIN_COSINE: f64 = 0.1;
/// Enlargement of facets, barycentric, so that no line passes between two.
const EDGE_TOLERANCE: f64 = 1e-9;
/// Addition to the distance of the crossing, for rounding, mm.
pub(super) const MARGIN_MM: f64 = 1e-6;
/// Points per parallel task.
const CHUNK: usize = 1024;

/// Input of a measurement along a direction, or within the plane perpendicular to it.
pub(super) struct Request<'a> {
    /// The nominal.
    pub surface: &'a Surface,
    /// The scan.
    pub scan: &'a Scan<'a>,
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// Unit direction, nominal frame.
    pub direction: Vector,
    /// Whether each point is measured within the plane through it that is perpendicular to the direction.
    pub in_plane: bool,
    /// Maximum distance of a crossing, mm.
    pub max_distance_mm: f64,
    /// Deviation of each scan point from the closest point of the nominal.
    pub closest: &'a [PointDeviation],
}

impl Request<'_> {
    /// Measures all points that have a closest point; the others stay as they are. Points with a crossing beyond the
    /// maximum distance are too far; where the surface runs along the direction, or the line or plane through a point meets
    /// no face near its closest point, the angle is wrong.
    ///
    /// Returns an error if the work is cancelled.
    pub fn measure(&self, progress: &Progress) -> Result<Vec<PointDeviation>> {
        let mut found = self.closest.to_vec();
        let label = if self.in_plane { "Measuring within planes" } else { "Measuring along the direction" };
        let counter = progress.counter(found.len().div_ceil(CHUNK), label);
        let chunks = found.par_chunks_mut(CHUNK).zip(self.scan.cloud.points.par_chunks(CHUNK));
        chunks.for_each(|(found, points)| {
            if !counter.step() {
                return;
            }
            let matched = found.iter_mut().zip(points).filter(|(own, _)| own.state == MatchState::Matched);
            matched.for_each(|(own, point)| {
                let point = self.nominal_from_scan * point;
                *own = if self.in_plane { self.within_plane(own, &point) } else { self.along(own, &point) };
            });
        });
        progress.check()?;
        Ok(found)
    }

    /// The deviation of `point`, nominal frame, whose closest point is known.
    fn along(&self, closest: &PointDeviation, point: &Point) -> PointDeviation {
        let cosine = |facet: u32| self.surface.mesh().normal(facet as usize).dot(&self.direction);
        let without_data = PointDeviation { state: MatchState::WrongAngle, ..*closest };
        let cosine_here = cosine(closest.facet).abs();
        if cosine_here < MIN_COSINE {
            return without_data;
        }
        // Farther away it would be another face; twice as far where this one is curved.
        let reach_mm = 2.0 * closest.deviation_mm.abs() / cosine_here + MARGIN_MM;
        // The point lies outside if the way from it to the crossing leads against the normal.
        let is_outside = |t: f64, facet: u32| t * cosine(facet) <= 0.0;
        let has_side = closest.deviation_mm.abs() > MARGIN_MM;
        let mut nearest: Option<(f64, u32)> = None;
        self.surface.each_hit(point, &self.direction, [-reach_mm, reach_mm], EDGE_TOLERANCE, |hit| {
            let is_nearer = |(t, facet): (f64, u32)| (hit.t.abs(), hit.facet) < (t.abs(), facet);
            if has_side && is_outside(hit.t, hit.facet) != (closest.deviation_mm > 0.0) {
                return;
            }
            if nearest.is_none_or(is_nearer) {
                nearest = Some((hit.t, hit.facet));
            }
        });
        let Some((t, facet)) = nearest else { return without_data };
        let deviation_mm = if is_outside(t, facet) { t.abs() } else { -t.abs() };
        let state = if cosine(facet).abs() < MIN_COSINE {
            MatchState::WrongAngle
        } else if t.abs() > self.max_distance_mm {
            MatchState::TooFar
        } else {
            MatchState::Matched
        };
        PointDeviation { deviation_mm, facet, state }
    }
}

/// The points whose line or plane meets no face near their closest points, although the nominal is not `is_parallel`, by
/// facet, with the deviations from their closest points. Along the direction they are no smaller, so what is out of
/// tolerance by these is out of tolerance.
pub(super) fn missed(
    along: &[PointDeviation],
    closest: &[PointDeviation],
    is_parallel: impl Fn(u32) -> bool,
) -> DistantPoints {
    let is_missed = |own: &PointDeviation, closest: &PointDeviation| {
        let is_left_out = own.state == MatchState::WrongAngle && closest.state == MatchState::Matched;
        is_left_out && !is_parallel(closest.facet)
    };
    let all = along.iter().zip(closest).zip(0..).filter(|((own, closest), _)| is_missed(own, closest));
    let (indices, deviations) = all.map(|((_, closest), index)| (index, *closest)).unzip();
    DistantPoints { indices, deviations }
}

/// Whether deviations cannot be measured on a face with this `normal`: it runs nearly along the direction, or in the plane
/// perpendicular to it.
pub(super) fn is_parallel(normal: &Vector, direction: &Vector, in_plane: bool) -> bool {
    let inclination = if in_plane { normal.cross(direction).norm() } else { normal.dot(direction).abs() };
    inclination < MIN_COSINE
}

/// The points that have a closest point within the maximum distance, but a crossing beyond it: these are no less part of
/// what is judged than points whose closest point is beyond it.
pub(super) fn beyond(along: &[PointDeviation], closest: &[PointDeviation], max_distance_mm: f64) -> DistantPoints {
    let is_beyond = |own: &PointDeviation, closest: &PointDeviation| {
        let has_crossing = own.state == MatchState::TooFar && own.deviation_mm.abs() > max_distance_mm;
        has_crossing && closest.state == MatchState::Matched
    };
    let all = along.iter().zip(closest).zip(0_u32..).filter(|((own, closest), _)| is_beyond(own, closest));
    let (indices, deviations) =
        all.map(|((own, _), index)| (index, PointDeviation { state: MatchState::Matched, ..*own })).unzip();
    DistantPoints { indices, deviations }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::check::{self, Check, Compared};
    use super::super::{DeviationMap, Parameters, Verdict};
    use super::*;
    use crate::parts::{Actual, Nominal};
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, Mesh};

    /// Half the length of the sides of the sloped plane, mm.
    const HALF_MM: f64 = 20.0;

    /// A square about the origin that rises along x by `slope_rad`, and its normal.
    pub fn sloped(slope_rad: f64) -> (Nominal, Vector) {
        let (sin, cos) = slope_rad.sin_cos();
        let at = |u: f64, v: f64| Point::new(u * cos, v, u * sin);
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(u, v)| at(u * HALF_MM, v * HALF_MM));
        let mesh = Mesh { vertices: corners.to_vec(), facets: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() };
        (Nominal::in_memory("slope", Surface::new(mesh)), Vector::new(-sin, 0.0, cos))
    }

    /// Points above the inner half of a sloped square, `height_mm` along its normal.
    pub fn above(slope_rad: f64, height_mm: f64) -> Vec<Point> {
        let ((sin, cos), normal) = (slope_rad.sin_cos(), sloped(slope_rad).1);
        let steps = (0..400).map(|i| (f64::from(i % 20), f64::from(i / 20)));
        let on_plane = steps.map(|(u, v)| (u - 9.7, v - 9.6)).map(|(u, v)| Point::new(u * cos, v, u * sin));
        on_plane.map(|point| point + normal * height_mm).collect()
    }

    pub fn check_of(nominal: &Nominal, points: Vec<Point>, parameters: &Parameters) -> Check {
        let actual = Actual::in_memory("scan", Cloud::from_points(points));
        let compared = Compared { nominal, actual: &actual, is_found: false };
        check::run(&Cpu, &compared, &Pose::identity(), parameters, 0.3, &Progress::silent()).unwrap()
    }

    fn along(direction: [f64; 3]) -> Parameters {
        Parameters { direction: Some(direction), ..Parameters::default() }
    }

    pub fn states(check: &Check) -> Vec<MatchState> {
        let DeviationMap::Points(points) = check.measurement.map() else { panic!("points") };
        points.iter().map(|own| own.state).collect()
    }

    #[test]
    fn on_a_sloped_plane_the_deviation_is_the_distance_divided_by_the_cosine() {
        let slope_rad = 0.5_f64;
        let (nominal, normal) = sloped(slope_rad);
        for height_mm in [0.2, -0.2, 0.0] {
            for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, -2.0], [1.0, 0.0, 0.0], [-1.0, 3.0, 2.0]] {
                let cosine = normal.dot(&Vector::from(direction)) / Vector::from(direction).norm();
                let check = check_of(&nominal, above(slope_rad, height_mm), &along(direction));
                let values: Vec<f64> = check.measurement.map().values().flatten().collect();
                assert_eq!(values.len(), 400, "{direction:?}: {:?}", check.excluded);
                let expected_mm = height_mm / cosine.abs();
                for mm in values {
                    assert!((mm - expected_mm).abs() < 1e-9, "{direction:?} at {height_mm}: {mm}, not {expected_mm}");
                }
            }
        }
        // 0.09 along the normal is in tolerance, and 0.103 along z is not.
        let points = above(slope_rad, 0.09);
        assert!(check_of(&nominal, points.clone(), &Parameters::default()).regions.is_empty());
        let check = check_of(&nominal, points, &along([0.0, 0.0, 1.0]));
        assert_eq!((check.verdict(), check.regions.len()), (Verdict::Fail, 1), "{:?}", check.judgement);
        assert!(check.judgement.remarks.contains(&"Deviations are measured along Z.".to_owned()));
    }

    #[test]
    fn where_the_surface_runs_along_the_direction_nothing_is_measured() {
        let block =
            Nominal::in_memory("block", Surface::new(shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))));
        let grid = |i: i32| (f64::from(i % 20) + 0.5, f64::from(i / 20) + 0.5);
        let top = (0..400).map(grid).map(|(u, v)| Point::new(u, v, 10.02));
        // Within the block by less than the scan's noise: the line upwards crosses the top, which is none of its own.
        let front = (0..200).map(grid).map(|(u, v)| Point::new(u, 0.01, v));
        let check = check_of(&block, top.chain(front).collect(), &along([0.0, 0.0, 1.0]));
        let states = states(&check);
        assert!(states[..400].iter().all(|own| *own == MatchState::Matched));
        assert!(states[400..].iter().all(|own| *own == MatchState::WrongAngle), "{:?}", check.excluded);
        assert_eq!(check.excluded.wrong_angle, 200);
        assert!((check.statistics.max_mm - 0.02).abs() < 1e-9 && (check.statistics.min_mm - 0.02).abs() < 1e-9);
        // On slopes of 84° and 86°, whose cosines are 0.105 and 0.07.
        for (slope_rad, wrong_angle) in [(1.466, 0), (1.5, 400)] {
            let mut points = above(slope_rad, 0.01);
            let mut both = sloped(slope_rad).0.surface.into_mesh();
            both.append(&sloped(0.0).0.surface.into_mesh());
            let nominal = Nominal::in_memory("slopes", Surface::new(both));
            points.push(Point::new(-15.0, 15.0, 0.01));
            let check = check_of(&nominal, points, &along([0.0, 0.0, 1.0]));
            assert_eq!(check.excluded.wrong_angle, wrong_angle, "{slope_rad}: {:?}", check.excluded);
        }
    }

    #[test]
    fn a_crossing_beyond_the_maximum_distance_is_judged_all_the_same() {
        // 1.5 mm along the normal, 3 mm along x.
        let slope_rad = std::f64::consts::FRAC_PI_6;
        let (nominal, _) = sloped(slope_rad);
        let check = check_of(&nominal, above(slope_rad, 0.0), &along([1.0, 0.0, 0.0]));
        assert!(check.regions.is_empty(), "{:?}", check.regions);
        let mut points = above(slope_rad, 0.0);
        points.iter_mut().filter(|point| point.x > 0.0).for_each(|point| point.x -= 3.0);
        let check = check_of(&nominal, points, &along([1.0, 0.0, 0.0]));
        assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
        assert!((check.regions[0].peak_mm - 3.0).abs() < 0.05 && check.regions[0].beyond_max_distance);
    }
}
