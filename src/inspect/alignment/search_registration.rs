//! Point-to-point registration with a chosen closest-point search, and tracking of successive scans of one part: each
//! scan starts from the pose of the one before and, for walking searches, from its matches (Raettig 2021).

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Alignment, Information, Method, Rivals, StopReason};
use base::{Progress, Result, UserError};
use compute::icp::{self, Answer, Filter, Search, Start, Stop, Truth};
use compute::registration::Target;
use compute::{Backend, Compute};
use geometry::{Aabb, OrderedPoints, Point, Pose, SearchablePoints, Surface, Vector, sampling};

/// Points sampled from the facets per scan point. Above 1, so that few scan points share a match.
const NOMINAL_POINTS_PER_SCAN_POINT: f64 = 4.0 / 3.0;

/// Target of a registration.
#[derive(Clone, Copy)]
pub enum Nominal<'a> {
    /// A surface with facets.
    Surface(&'a Surface),
    /// A point cloud with unit normals of arbitrary sign.
    Cloud {
        /// The points, mm.
        points: &'a SearchablePoints<'a>,
        /// One normal per point.
        normals: &'a [Vector],
    },
}

impl<'a> Nominal<'a> {
    /// Bounding box, mm.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Surface(surface) => *surface.bounds(),
            Self::Cloud { points, .. } => Aabb::of_points_parallel(points.points()),
        }
    }

    /// The target for a best fit.
    pub fn target(&self) -> Target<'a> {
        match *self {
            Self::Surface(surface) => Target::Surface(surface),
            Self::Cloud { points, normals } => Target::Cloud { points: points.points(), tree: points.tree(), normals },
        }
    }

    /// Default target points for a scan of `sensed` points: facets are sampled evenly by area, a cloud is taken whole.
    pub fn points_for(&self, sensed: usize) -> Vec<Point> {
        match self {
            Self::Surface(_) => self.points((sensed as f64 * NOMINAL_POINTS_PER_SCAN_POINT) as usize),
            Self::Cloud { points, .. } => points.points().to_vec(),
        }
    }

    /// `count` target points: sampled evenly by area on facets; from a cloud at most all of its points, evenly along a
    /// space-filling curve.
    pub fn points(&self, count: usize) -> Vec<Point> {
        match self {
            Self::Surface(surface) => {
                sampling::by_area(surface.mesh(), count, 1).iter().map(|sample| sample.point).collect()
            }
            Self::Cloud { points, .. } => thinned(&OrderedPoints::new(points.points()), Some(count)).points.clone(),
        }
    }
}

/// Parameters of a registration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Closest-point search.
    pub search: Search,
    /// Rejection of point pairs.
    pub filter: Filter,
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Stop when the mean squared distance falls below this, mm²; 0 disables the limit.
    pub error_limit_mm2: f64,
    /// Stop when the mean squared distance changes by less than this, mm²; a negative value disables the limit, `None`
    /// is the square of a millionth of the nominal's diagonal.
    pub change_limit_mm2: Option<f64>,
    /// Number of target points; `None` for [`Nominal::points_for`].
    pub nominal_points: Option<usize>,
    /// Maximum number of scan points used; `None` for all.
    pub scan_points: Option<usize>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            search: Search::Walk(Start::LeafThenPrevious),
            filter: Filter::None,
            max_iterations: 100,
            error_limit_mm2: 0.0,
            change_limit_mm2: None,
            nominal_points: None,
            scan_points: None,
        }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        let sentence = match self.filter {
            // An infinite limit rejects nothing, which is allowed.
            Filter::Sigma { limit, .. } | Filter::Mad { limit, .. } if !(limit > 0.0) => {
                "The limit for rejecting pairs must be a number of standard deviations above 0."
            }
            _ if self.max_iterations == 0 => "Give at least one iteration.",
            _ if !(self.error_limit_mm2 >= 0.0) => "The limit of the mean squared distance must be 0 mm² or more.",
            _ if self.change_limit_mm2.is_some_and(f64::is_nan) => {
                "The limit of the change of the mean squared distance must be a number of mm²."
            }
            _ if [self.nominal_points, self.scan_points].into_iter().flatten().any(|count| count < 3) => {
                "Registration needs at least three points on both sides."
            }
            _ => return Ok(()),
        };
        Err(UserError::usage(sentence))
    }
}

/// Result of registering a scan.
#[derive(Clone, Debug)]
pub struct RegistrationResult {
    /// Start pose, nominal from scan.
    pub start: Pose,
    /// Whether the search started from the matches of the previous scan.
    pub started_from_matches: bool,
    /// Time from points in host memory to the pose, ms.
    pub total_ms: f64,
    /// The ICP result; its sensed points are the scan points along the space-filling curve, thinned if so requested.
    pub answer: Answer,
}

impl RegistrationResult {
    /// The result as an [`Alignment`], with empty `information`: point-to-point pairs resist sliding along a surface,
    /// so they do not show how well a degree of freedom is determined.
    pub fn alignment(&self) -> Alignment {
        let answer = &self.answer;
        let active = answer.active.iter().filter(|active| **active).count();
        Alignment {
            method: Method::BestFit,
            nominal_from_scan: answer.truth_from_sensed,
            by_hand: false,
            rms_mm: answer.error_mm2().sqrt(),
            iterations: answer.iterations.len(),
            overlap: active as f64 / answer.active.len().max(1) as f64,
            converged: answer.stop != Stop::MaxIterations,
            stop: match answer.stop {
                Stop::SmallError => StopReason::SmallError,
                Stop::SmallChange => StopReason::SmallChange,
                Stop::MaxIterations => StopReason::MaxIterations,
            },
            information: Information::default(),
            alternatives: Vec::new(),
            rivals: Rivals::NotSearched,
            explained: None,
            among_others: None,
            uniform_offset: None,
            main: None,
            as_before: Vec::new(),
        }
    }
}

/// Registers successive scans of one part.
pub struct Tracker {
    truth: Truth,
    parameters: Parameters,
    previous: Option<PreviousScan>,
}

/// Result of the previous scan.
struct PreviousScan {
    nominal_from_scan: Pose,
    /// Indices of its points in the cloud, and their matches.
    numbers: Vec<u32>,
    matches: Vec<u32>,
}

impl Tracker {
    /// Samples the nominal for scans of about `scan_points` points, and builds the Delaunay graph if the search walks
    /// on it.
    ///
    /// Returns an error if a parameter is out of range or the work is cancelled.
    pub fn new(nominal: &Nominal<'_>, scan_points: usize, parameters: Parameters, progress: &Progress) -> Result<Self> {
        parameters.check()?;
        progress.report(0.0, "Sampling the nominal")?;
        let sensed = parameters.scan_points.map_or(scan_points, |max| max.min(scan_points));
        let points = match parameters.nominal_points {
            Some(count) => nominal.points(count),
            None => nominal.points_for(sensed.max(3)),
        };
        let truth = Truth::new(&points);
        if matches!(parameters.search, Search::Walk(_)) {
            truth.graph(progress)?;
        }
        Ok(Self { truth, parameters, previous: None })
    }

    /// The target points, along a space-filling curve.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Registers the next scan, starting from `start`; if that is `None`, from the pose of the previous scan, and for
    /// the first scan from the identity.
    ///
    /// Returns an error if the backend fails or the work is cancelled.
    pub fn register(
        &mut self,
        backend: &dyn Backend,
        scan: &OrderedPoints,
        start: Option<Pose>,
        progress: &Progress,
    ) -> Result<RegistrationResult> {
        let sensed = thinned(scan, self.parameters.scan_points);
        let previous_pose = self.previous.as_ref().map(|previous| previous.nominal_from_scan);
        let start = start.or(previous_pose).unwrap_or_else(Pose::identity);
        let uses_matches = self.parameters.search.uses_initial_matches();
        let seeds =
            self.previous.as_ref().filter(|_| uses_matches).map(|previous| self.seeds(previous, &sensed, &start));
        let started_from_matches = seeds.is_some();
        let defaults = icp::Parameters::new(self.parameters.search, &self.truth);
        let parameters = icp::Parameters {
            filter: self.parameters.filter,
            max_iterations: self.parameters.max_iterations,
            error_limit_mm2: self.parameters.error_limit_mm2,
            change_limit_mm2: self.parameters.change_limit_mm2.unwrap_or(defaults.change_limit_mm2),
            start,
            previous: seeds,
            ..defaults
        };
        let started = Instant::now();
        let answer = backend.compute(
            &icp::Request { problem: &icp::Problem { truth: &self.truth, sensed: &sensed }, parameters: &parameters },
            progress,
        )?;
        let total_ms = started.elapsed().as_secs_f64() * 1e3;
        self.previous = Some(PreviousScan {
            nominal_from_scan: answer.truth_from_sensed,
            numbers: sensed.numbers.clone(),
            matches: answer.matches.clone(),
        });
        Ok(RegistrationResult { start, started_from_matches, total_ms, answer })
    }

    /// Start points of the walks of a scan from the matches of the previous one: an index of a target point per scan
    /// point. A walk finds the closest point from any start, so a poor guess only costs time.
    ///
    /// Sensors that report the same rays in every scan assign the same index to about the same position; for others the
    /// same fraction along the curve is a guess that needs no search. The guess with the smaller distances is used.
    fn seeds(&self, previous: &PreviousScan, sensed: &OrderedPoints, pose: &Pose) -> Vec<u32> {
        let (previous_count, count) = (previous.matches.len(), sensed.points.len());
        let by_curve: Vec<u32> =
            (0..count).map(|i| previous.matches.get(i * previous_count / count.max(1)).copied().unwrap_or(0)).collect();
        let Some(by_index) = matches_by_index(previous, &sensed.numbers) else { return by_curve };
        let distance_sum = |seeds: &[u32]| -> f64 {
            let pairs = sensed.points.iter().zip(seeds).step_by(count.div_ceil(SEED_SAMPLES).max(1));
            pairs.map(|(point, &seed)| (pose * point - self.truth.points()[seed as usize]).norm()).sum()
        };
        if distance_sum(&by_index) <= distance_sum(&by_curve) { by_index } else { by_curve }
    }
}

/// Scan points on which the two guesses of start points are compared.
const SEED_SAMPLES: usize = 1000;

/// Previous matches of the points with these indices; `None` if one of the indices is new.
fn matches_by_index(previous: &PreviousScan, indices: &[u32]) -> Option<Vec<u32>> {
    let count = previous.numbers.iter().max().map_or(0, |&max| max as usize + 1);
    let mut matches = vec![None; count];
    for (&index, &found) in previous.numbers.iter().zip(&previous.matches) {
        if let Some(entry) = matches.get_mut(index as usize) {
            *entry = Some(found);
        }
    }
    indices.iter().map(|&index| matches.get(index as usize).copied().flatten()).collect()
}

/// At most `max_count` of the points, evenly along the curve.
fn thinned(points: &OrderedPoints, max_count: Option<usize>) -> Cow<'_, OrderedPoints> {
    let all = points.points.len();
    match max_count.filter(|&count| count < all) {
        None => Cow::Borrowed(points),
        Some(count) => {
            let kept = || (0..count).map(|i| i * all / count);
            Cow::Owned(OrderedPoints {
                points: kept().map(|i| points.points[i]).collect(),
                numbers: kept().map(|i| points.numbers[i]).collect(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::{mesh::shapes, transform};

    fn part() -> Surface {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        Surface::new(mesh)
    }

    /// A scan of the part with its points in random order, and its true pose, nominal from scan.
    fn scan(part: &Surface, count: usize, turn: f64, seed: u64) -> (OrderedPoints, Pose) {
        let pose = Pose::new(Vector::new(0.5, -0.2, 0.3) * turn, Vector::new(0.04, -0.06, 0.05) * turn);
        let mut points: Vec<Point> =
            sampling::by_area(part.mesh(), count, seed).iter().map(|s| pose.inverse() * s.point).collect();
        Random::new(seed, 5).shuffle(&mut points);
        (OrderedPoints::new(&points), pose)
    }

    #[test]
    fn scans_of_different_point_counts_are_tracked_from_pose_and_matches() {
        let part = part();
        let (search, silent) = (Search::Walk(Start::Previous), Progress::silent());
        // Far below the residual that the sampling leaves, about 1 mm².
        let parameters = Parameters { search, change_limit_mm2: Some(1e-4), ..Parameters::default() };
        let mut tracker = Tracker::new(&Nominal::Surface(&part), 3000, parameters, &silent).unwrap();
        let (first, _) = scan(&part, 3000, 2.0, 1);
        let first = tracker.register(&Cpu, &first, None, &silent).unwrap();
        let (second, pose) = scan(&part, 2500, 2.01, 2);
        let second = tracker.register(&Cpu, &second, None, &silent).unwrap();
        assert!(!first.started_from_matches && second.started_from_matches);
        assert_eq!(second.start, first.answer.truth_from_sensed);
        let (before, after) = (first.answer.iterations.len(), second.answer.iterations.len());
        assert!(2 * after <= before, "{before} {after}");
        let visited = |registered: &RegistrationResult| registered.answer.mean_visited(0..1);
        assert!(visited(&second) < 0.75 * visited(&first), "{} {}", visited(&first), visited(&second));
        // Different samples of one surface register only to a fraction of their spacing of some 2 mm.
        let at = pose.inverse_transform_point(&Point::origin());
        let (apart_mm, angle_rad) = transform::difference(&second.answer.truth_from_sensed, &pose, &at);
        assert!(apart_mm < 0.5 && angle_rad < 0.02, "{apart_mm} {angle_rad}");
    }

    #[test]
    fn points_that_keep_their_indices_start_from_their_own_matches() {
        let part = part();
        let parameters = Parameters { search: Search::Walk(Start::Previous), ..Parameters::default() };
        let silent = Progress::silent();
        let mut tracker = Tracker::new(&Nominal::Surface(&part), 3000, parameters, &silent).unwrap();
        let (first, _) = scan(&part, 3000, 1.0, 1);
        tracker.register(&Cpu, &first, None, &silent).unwrap();
        let (moved, _) = scan(&part, 3000, 1.01, 1);
        let second = tracker.register(&Cpu, &moved, None, &silent).unwrap();
        // Little more than the check that no neighbour is closer.
        assert!(second.answer.mean_visited(0..1) < 2.0, "{}", second.answer.mean_visited(0..1));
    }

    #[test]
    fn the_nominal_can_be_a_cloud_and_thinning_keeps_the_requested_count() {
        let part = part();
        let cloud: Vec<Point> = sampling::by_area(part.mesh(), 6000, 3).iter().map(|s| s.point).collect();
        let searchable = SearchablePoints::new(&cloud);
        let nominal = Nominal::Cloud { points: &searchable, normals: &[] };
        assert_eq!((nominal.points(700).len(), nominal.points(90_000).len()), (700, 6000));
        let (scan, pose) = scan(&part, 3000, 1.0, 4);
        let parameters = Parameters {
            search: Search::KdTree,
            scan_points: Some(1000),
            max_iterations: 300,
            ..Parameters::default()
        };
        let silent = Progress::silent();
        let mut tracker = Tracker::new(&nominal, 3000, parameters, &silent).unwrap();
        assert_eq!(tracker.truth().points().len(), 6000);
        let registered = tracker.register(&Cpu, &scan, Some(Pose::identity()), &silent).unwrap();
        assert_eq!(registered.answer.matches.len(), 1000);
        let alignment = registered.alignment();
        let at = pose.inverse_transform_point(&Point::origin());
        let (apart_mm, _) = transform::difference(&alignment.nominal_from_scan, &pose, &at);
        assert!(apart_mm < 0.5 && alignment.overlap == 1.0, "{apart_mm}");
    }

    #[test]
    fn parameters_out_of_range_are_errors() {
        let error = |parameters: Parameters| parameters.check().unwrap_err().sentence;
        let usual = Parameters::default();
        assert!(usual.check().is_ok());
        let filter = |limit| Parameters { filter: Filter::Sigma { from: 3, limit }, ..usual.clone() };
        assert!(error(filter(0.0)).contains("above 0") && error(filter(f64::NAN)).contains("above 0"));
        assert!(filter(f64::INFINITY).check().is_ok());
        assert!(error(Parameters { max_iterations: 0, ..usual.clone() }).contains("one iteration"));
        assert!(error(Parameters { error_limit_mm2: -1.0, ..usual.clone() }).contains("0 mm²"));
        assert!(error(Parameters { scan_points: Some(2), ..usual }).contains("three points"));
    }
}
