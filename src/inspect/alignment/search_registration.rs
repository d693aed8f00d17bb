//! Registration point to point with a chosen search for the closest point, and tracking: of scans of one part that follow
//! each other, the pose and, for walks, the matches of one start the next (Raettig 2021).

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Alignment, Information, Method, Rivals, StopReason};
use base::{Progress, Result, UserError};
use compute::icp::{self, Answer, Filter, Search, Start, Stop, Truth};
use compute::registration::Target;
use compute::{Backend, Compute};
use geometry::{Aabb, OrderedPoints, Point, Pose, SearchablePoints, Surface, Vector, sampling};

/// Points sampled from facets for each point of the scan: no fewer than the scan has, so that no point of it shares its
/// match with many others.
const TRUTH_SHARE: f64 = 4.0 / 3.0;

/// What a scan is registered onto.
#[derive(Clone, Copy)]
pub enum Nominal<'a> {
    /// A nominal with facets.
    Surface(&'a Surface),
    /// Another cloud and its unit normals, of either sign.
    Cloud {
        /// Its points, mm.
        points: &'a SearchablePoints<'a>,
        /// A normal for each.
        normals: &'a [Vector],
    },
}

impl<'a> Nominal<'a> {
    /// Box around it, mm.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Surface(surface) => *surface.bounds(),
            Self::Cloud { points, .. } => Aabb::of_many(points.places()),
        }
    }

    /// As a best fit takes it.
    pub fn target(&self) -> Target<'a> {
        match *self {
            Self::Surface(surface) => Target::Surface(surface),
            Self::Cloud { points, normals } => Target::Cloud { points: points.places(), tree: points.tree(), normals },
        }
    }

    /// The points that `sensed` points are registered onto where nobody says how many: facets are sampled evenly by
    /// area, a cloud is taken as it is.
    pub fn points_for(&self, sensed: usize) -> Vec<Point> {
        match self {
            Self::Surface(_) => self.points((sensed as f64 * TRUTH_SHARE) as usize),
            Self::Cloud { points, .. } => points.places().to_vec(),
        }
    }

    /// `count` points of it: even by area on facets; of a cloud no more than it has, evenly along a space-filling curve.
    pub fn points(&self, count: usize) -> Vec<Point> {
        match self {
            Self::Surface(surface) => {
                sampling::by_area(surface.mesh(), count, 1).iter().map(|sample| sample.point).collect()
            }
            Self::Cloud { points, .. } => thinned(&OrderedPoints::new(points.places()), Some(count)).points.clone(),
        }
    }
}

/// How it is registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The search for the closest point.
    pub search: Search,
    /// Which pairs take part.
    pub filter: Filter,
    /// Largest number of iterations.
    pub max_iterations: usize,
    /// Stop when the mean squared distance falls below this, mm²; 0 never stops by it.
    pub error_limit_mm2: f64,
    /// Stop when the mean squared distance changes by less than this, mm²; negative never stops by it, `None` takes the
    /// square of a millionth of the nominal's diagonal.
    pub change_limit_mm2: Option<f64>,
    /// Points of the nominal; `None` takes [`Nominal::points_for`].
    pub nominal_points: Option<usize>,
    /// Points of the scan that take part, at most; `None` takes all.
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
    /// A sentence where a value makes no sense.
    pub fn check(&self) -> Result<()> {
        let sentence = match self.filter {
            // An infinite limit leaves nothing out, which is allowed.
            Filter::Sigma { limit, .. } | Filter::Mad { limit, .. } if !(limit > 0.0) => {
                "Pairs are left out beyond a number of standard deviations above 0."
            }
            _ if self.max_iterations == 0 => "Give at least one iteration.",
            _ if !(self.error_limit_mm2 >= 0.0) => "The limit of the mean squared distance must be 0 mm² or more.",
            _ if self.change_limit_mm2.is_some_and(f64::is_nan) => "The limit of the change must be a number of mm².",
            _ if [self.nominal_points, self.scan_points].into_iter().flatten().any(|count| count < 3) => {
                "Registration needs at least three points on both sides."
            }
            _ => return Ok(()),
        };
        Err(UserError::usage(sentence))
    }
}

/// A registered scan.
#[derive(Clone, Debug)]
pub struct Registered {
    /// Where it started: nominal from scan.
    pub start: Pose,
    /// Whether the search started from matches of the scan before.
    pub knew_matches: bool,
    /// From points in the host's memory to the pose, ms.
    pub total_ms: f64,
    /// The registration itself; its sensed points are those of the scan along the curve, thinned where that was asked.
    pub answer: Answer,
}

impl Registered {
    /// As the document keeps it. Point-to-point pairs resist sliding along a surface, so they do not show how well a
    /// degree of freedom is determined: that stays open.
    pub fn alignment(&self) -> Alignment {
        let answer = &self.answer;
        let active = answer.active.iter().filter(|active| **active).count();
        Alignment {
            method: Method::BestFit,
            nominal_from_scan: answer.truth_from_sensed,
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
            rivals: Rivals::NotSought,
            explained: None,
        }
    }
}

/// Registers scans of one part one after the other.
pub struct Tracker {
    truth: Truth,
    parameters: Parameters,
    last: Option<Last>,
}

/// What is known from the scan before.
struct Last {
    nominal_from_scan: Pose,
    /// Its points' numbers in the cloud, and their matches.
    numbers: Vec<u32>,
    matches: Vec<u32>,
}

impl Tracker {
    /// Samples the nominal for scans of about `scan_points` points, and builds the graph where the search walks on it.
    pub fn new(nominal: &Nominal<'_>, scan_points: usize, parameters: Parameters, progress: &Progress) -> Result<Self> {
        parameters.check()?;
        progress.report(0.0, "Sampling the nominal")?;
        let sensed = parameters.scan_points.map_or(scan_points, |most| most.min(scan_points));
        let points = match parameters.nominal_points {
            Some(count) => nominal.points(count),
            None => nominal.points_for(sensed.max(3)),
        };
        let truth = Truth::new(&points);
        if matches!(parameters.search, Search::Walk(_)) {
            truth.graph(progress)?;
        }
        Ok(Self { truth, parameters, last: None })
    }

    /// The nominal's points, along a space-filling curve.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Registers the next scan: from `start`, or where that is `None` from where the scan before ended (the first from
    /// its own frame).
    pub fn register(
        &mut self,
        backend: &dyn Backend,
        scan: &OrderedPoints,
        start: Option<Pose>,
        progress: &Progress,
    ) -> Result<Registered> {
        let sensed = thinned(scan, self.parameters.scan_points);
        let before = self.last.as_ref().map(|last| last.nominal_from_scan);
        let start = start.or(before).unwrap_or_else(Pose::identity);
        let knows = self.parameters.search.starts_from_matches();
        let previous = self.last.as_ref().filter(|_| knows).map(|last| self.seeds(last, &sensed, &start));
        let knew_matches = previous.is_some();
        let usual = icp::Parameters::new(self.parameters.search, &self.truth);
        let parameters = icp::Parameters {
            filter: self.parameters.filter,
            max_iterations: self.parameters.max_iterations,
            error_limit_mm2: self.parameters.error_limit_mm2,
            change_limit_mm2: self.parameters.change_limit_mm2.unwrap_or(usual.change_limit_mm2),
            start,
            previous,
            ..usual
        };
        let started = Instant::now();
        let answer = backend.compute(
            &icp::Request { problem: &icp::Problem { truth: &self.truth, sensed: &sensed }, parameters: &parameters },
            progress,
        )?;
        let total_ms = started.elapsed().as_secs_f64() * 1e3;
        self.last = Some(Last {
            nominal_from_scan: answer.truth_from_sensed,
            numbers: sensed.numbers.clone(),
            matches: answer.matches.clone(),
        });
        Ok(Registered { start, knew_matches, total_ms, answer })
    }

    /// Where the walks of a scan start, by what the one before it found: a match near each point. A walk from anywhere
    /// finds the closest point, so a poor guess costs time only.
    ///
    /// Sensors that report the same rays give the same numbers to the same places; for others the share of the way along
    /// the curve is a guess that costs no search. The guesses that lie nearer are taken.
    fn seeds(&self, last: &Last, sensed: &OrderedPoints, pose: &Pose) -> Vec<u32> {
        let (before, now) = (last.matches.len(), sensed.points.len());
        let by_curve: Vec<u32> =
            (0..now).map(|i| last.matches.get(i * before / now.max(1)).copied().unwrap_or(0)).collect();
        let Some(by_number) = by_number(last, &sensed.numbers) else { return by_curve };
        let off = |seeds: &[u32]| -> f64 {
            let pairs = sensed.points.iter().zip(seeds).step_by(now.div_ceil(JUDGED).max(1));
            pairs.map(|(point, &seed)| (pose * point - self.truth.points()[seed as usize]).norm()).sum()
        };
        if off(&by_number) <= off(&by_curve) { by_number } else { by_curve }
    }
}

/// Points that two ways of guessing are compared by.
const JUDGED: usize = 1000;

/// The matches of the points of those numbers; `None` where one of them is new.
fn by_number(last: &Last, numbers: &[u32]) -> Option<Vec<u32>> {
    let count = last.numbers.iter().max().map_or(0, |&largest| largest as usize + 1);
    let mut of_number = vec![None; count];
    for (&number, &found) in last.numbers.iter().zip(&last.matches) {
        if let Some(own) = of_number.get_mut(number as usize) {
            *own = Some(found);
        }
    }
    numbers.iter().map(|&number| of_number.get(number as usize).copied().flatten()).collect()
}

/// At most `most` of the points, evenly along the curve.
fn thinned(points: &OrderedPoints, most: Option<usize>) -> Cow<'_, OrderedPoints> {
    let all = points.points.len();
    match most.filter(|&most| most < all) {
        None => Cow::Borrowed(points),
        Some(most) => {
            let kept = || (0..most).map(|i| i * all / most);
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

    /// A scan of the part, its points in any order, and the pose that it was moved by.
    fn scan(part: &Surface, count: usize, turn: f64, seed: u64) -> (OrderedPoints, Pose) {
        let pose = Pose::new(Vector::new(0.5, -0.2, 0.3) * turn, Vector::new(0.04, -0.06, 0.05) * turn);
        let mut points: Vec<Point> =
            sampling::by_area(part.mesh(), count, seed).iter().map(|s| pose.inverse() * s.point).collect();
        Random::new(seed, 5).shuffle(&mut points);
        (OrderedPoints::new(&points), pose)
    }

    #[test]
    fn scans_of_other_numbers_of_points_are_tracked_from_pose_and_matches() {
        let part = part();
        let (search, silent) = (Search::Walk(Start::Previous), Progress::silent());
        // Far below what the sampling leaves, about 1 mm².
        let parameters = Parameters { search, change_limit_mm2: Some(1e-4), ..Parameters::default() };
        let mut tracker = Tracker::new(&Nominal::Surface(&part), 3000, parameters, &silent).unwrap();
        let (first, _) = scan(&part, 3000, 2.0, 1);
        let first = tracker.register(&Cpu, &first, None, &silent).unwrap();
        let (second, pose) = scan(&part, 2500, 2.01, 2);
        let second = tracker.register(&Cpu, &second, None, &silent).unwrap();
        assert!(!first.knew_matches && second.knew_matches);
        assert_eq!(second.start, first.answer.truth_from_sensed);
        let (before, after) = (first.answer.iterations.len(), second.answer.iterations.len());
        assert!(2 * after <= before, "{before} {after}");
        let visited = |registered: &Registered| registered.answer.mean_visited(0..1);
        assert!(visited(&second) < 0.75 * visited(&first), "{} {}", visited(&first), visited(&second));
        // Points that are not the same ones hold each other off by a part of their spacing, some 2 mm.
        let at = pose.inverse_transform_point(&Point::origin());
        let (apart_mm, angle_rad) = transform::difference(&second.answer.truth_from_sensed, &pose, &at);
        assert!(apart_mm < 0.5 && angle_rad < 0.02, "{apart_mm} {angle_rad}");
    }

    #[test]
    fn points_that_keep_their_numbers_start_from_their_own_matches() {
        let part = part();
        let parameters = Parameters { search: Search::Walk(Start::Previous), ..Parameters::default() };
        let silent = Progress::silent();
        let mut tracker = Tracker::new(&Nominal::Surface(&part), 3000, parameters, &silent).unwrap();
        let (first, _) = scan(&part, 3000, 1.0, 1);
        tracker.register(&Cpu, &first, None, &silent).unwrap();
        let (moved, _) = scan(&part, 3000, 1.01, 1);
        let second = tracker.register(&Cpu, &moved, None, &silent).unwrap();
        // Little more than to see that no neighbour is nearer.
        assert!(second.answer.mean_visited(0..1) < 2.0, "{}", second.answer.mean_visited(0..1));
    }

    #[test]
    fn a_cloud_is_a_nominal_and_thinning_takes_as_many_as_were_asked() {
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
    fn values_that_make_no_sense_are_sentences() {
        let says = |parameters: Parameters| parameters.check().unwrap_err().sentence;
        let usual = Parameters::default();
        assert!(usual.check().is_ok());
        let filter = |limit| Parameters { filter: Filter::Sigma { from: 3, limit }, ..usual.clone() };
        assert!(says(filter(0.0)).contains("above 0") && says(filter(f64::NAN)).contains("above 0"));
        assert!(filter(f64::INFINITY).check().is_ok());
        assert!(says(Parameters { max_iterations: 0, ..usual.clone() }).contains("one iteration"));
        assert!(says(Parameters { error_limit_mm2: -1.0, ..usual.clone() }).contains("0 mm²"));
        assert!(says(Parameters { scan_points: Some(2), ..usual }).contains("three points"));
    }
}
