//! Iterative closest point registration of two clouds (Besl and McKay 1992) with a choice of closest-point searches
//! (Raettig 2021).
//!
//! Correspondences are point to point, so the accuracy is limited by the point spacing of the truth. The best fit of
//! the application uses [`super::registration`] instead, which finds correspondences on the surface itself.

use super::cuda::Cuda;
use super::{Capability, cpu};

use std::sync::OnceLock;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use geometry::{Aabb, DelaunayGraph, KdTree, OrderedPoints, Point, Pose};

/// Start of a walk on the Delaunay graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The point nearest to the mean of all points ("Zero").
    #[serde(rename = "middle")]
    Centre,
    /// The nearest point in the k-d tree leaf reached without backtracking ("KD-ANN").
    Leaf,
    /// The match of the previous iteration; in the first one, the point nearest to the mean ("PNN").
    Previous,
    /// The match of the previous iteration; in the first one, the nearest point in the leaf ("PNN optimized").
    #[default]
    LeafThenPrevious,
}

/// Method of the closest-point search. All but the approximate one are exact and find the same pairs, except among
/// equidistant points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Tests every point.
    BruteForce,
    /// k-d tree with backtracking.
    KdTree,
    /// k-d tree without backtracking: the nearest point in the leaf reached, not always the closest of all.
    ApproximateKdTree,
    /// Walk from neighbour to neighbour on the Delaunay graph.
    Walk(Start),
}

impl Search {
    /// All searches.
    pub const ALL: [Self; 7] = [
        Self::BruteForce,
        Self::KdTree,
        Self::ApproximateKdTree,
        Self::Walk(Start::Centre),
        Self::Walk(Start::Leaf),
        Self::Walk(Start::Previous),
        Self::Walk(Start::LeafThenPrevious),
    ];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BruteForce => "Brute force",
            Self::KdTree => "k-d tree",
            Self::ApproximateKdTree => "k-d tree, approximate",
            Self::Walk(Start::Centre) => "Walk from the centre",
            Self::Walk(Start::Leaf) => "Walk from the k-d leaf",
            Self::Walk(Start::Previous) => "Walk from the last match",
            Self::Walk(Start::LeafThenPrevious) => "Walk from leaf, then last match",
        }
    }

    /// Name on the command line and in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::BruteForce => "brute-force",
            Self::KdTree => "k-d-tree",
            Self::ApproximateKdTree => "approximate",
            Self::Walk(Start::Centre) => "walk-middle",
            Self::Walk(Start::Leaf) => "walk-leaf",
            Self::Walk(Start::Previous) => "walk-previous",
            Self::Walk(Start::LeafThenPrevious) => "walk-leaf-then-previous",
        }
    }

    /// Whether the closest point is always found.
    pub fn is_exact(self) -> bool {
        self != Self::ApproximateKdTree
    }

    /// Whether it can start from initial matches, such as those of the previous scan.
    pub fn uses_initial_matches(self) -> bool {
        matches!(self, Self::Walk(Start::Previous | Start::LeafThenPrevious))
    }
}

impl clap::ValueEnum for Search {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    /// The published names of the walks are accepted as aliases.
    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let value = clap::builder::PossibleValue::new(self.key()).help(self.name());
        Some(match self {
            Self::Walk(Start::Centre) => value.alias("walk-zero"),
            Self::Walk(Start::Leaf) => value.alias("walk-k-d"),
            Self::Walk(Start::LeafThenPrevious) => value.aliases(["walk-optimised", "walk-optimized"]),
            _ => value,
        })
    }
}

/// Outlier filter. Applied to all pairs in every iteration, so a rejected point can return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Keeps all pairs.
    #[default]
    None,
    /// Rejects pairs whose distance exceeds the mean of all distances by more than `limit` standard deviations.
    Sigma {
        /// First iteration that rejects pairs, from 0.
        from: usize,
        /// Number of standard deviations.
        limit: f64,
    },
    /// Rejects pairs whose distance exceeds `limit` robust standard deviations (1.4826 times the median distance).
    Mad {
        /// First iteration that rejects pairs, from 0.
        from: usize,
        /// Number of robust standard deviations.
        limit: f64,
    },
}

impl Filter {
    /// Whether the filter is active in `iteration`.
    pub fn is_on(self, iteration: usize) -> bool {
        match self {
            Self::None => false,
            Self::Sigma { from, .. } | Self::Mad { from, .. } => iteration >= from,
        }
    }
}

/// The cloud registered onto, with its search structures, which are built on first use.
#[derive(Debug, Default)]
pub struct Truth {
    points: Vec<Point>,
    tree: OnceLock<KdTree>,
    graph: OnceLock<DelaunayGraph>,
}

impl Truth {
    /// From finite points, mm. They are sorted along a space-filling curve; indices into the truth refer to that order.
    pub fn new(points: &[Point]) -> Self {
        Self { points: OrderedPoints::new(points).points, ..Self::default() }
    }

    /// The points in curve order, mm.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// k-d tree of the points.
    pub fn tree(&self) -> &KdTree {
        base::once::get_or_make(&self.tree, || KdTree::new(&self.points))
    }

    /// Delaunay graph of the points. Returns an error if there are too many points for one.
    pub fn graph(&self, progress: &Progress) -> Result<&DelaunayGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = DelaunayGraph::new(&self.points, progress)?;
        Ok(self.graph.get_or_init(|| graph))
    }

    /// Centre of the bounding box, mm: the reference point for sums.
    pub fn centre(&self) -> Point {
        Aabb::of_points_parallel(&self.points).centre()
    }
}

/// The two clouds.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The cloud registered onto.
    pub truth: &'a Truth,
    /// The sensed points along a space-filling curve, mm. Every pose refers to these, never to points already moved.
    pub sensed: &'a OrderedPoints,
}

/// Parameters of the registration.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Closest-point search.
    pub search: Search,
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Stops when the mean squared distance falls below this, mm².
    pub error_limit_mm2: f64,
    /// Stops when the mean squared distance changes by less than this, mm². Negative: never.
    pub change_limit_mm2: f64,
    /// Outlier filter.
    pub filter: Filter,
    /// Initial pose, truth from sensed.
    pub start: Pose,
    /// Initial matches for walks from the previous match, as [`Answer::matches`] of the previous scan in a sequence.
    pub previous: Option<Vec<u32>>,
    /// Whether to record the histogram of walk lengths, which takes time.
    pub records_walk_lengths: bool,
}

impl Parameters {
    /// Defaults for a search: up to 100 iterations, until the mean squared distance changes by less than the square of
    /// one millionth of the truth's bounding-box diagonal.
    pub fn new(search: Search, truth: &Truth) -> Self {
        let diagonal_mm = Aabb::of_points_parallel(truth.points()).diagonal();
        Self {
            search,
            max_iterations: 100,
            error_limit_mm2: 0.0,
            change_limit_mm2: (1e-6 * diagonal_mm).powi(2),
            filter: Filter::None,
            start: Pose::identity(),
            previous: None,
            records_walk_lengths: false,
        }
    }
}

/// Stopping criterion that was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The mean squared distance fell below its limit.
    SmallError,
    /// The mean squared distance changed by less than its limit.
    SmallChange,
    /// The maximum number of iterations was reached.
    #[default]
    MaxIterations,
}

impl Stop {
    /// Display text.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallError => "the mean squared distance fell below its limit",
            Self::SmallChange => "the mean squared distance changed by less than its limit",
            Self::MaxIterations => "the maximum number of iterations was reached",
        }
    }
}

/// Result of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iteration {
    /// Pose after the iteration.
    pub truth_from_sensed: Pose,
    /// Mean squared distance of its pairs at that pose, mm².
    pub error_mm2: f64,
    /// Number of pairs that passed the filter.
    pub active: usize,
    /// Number of graph vertices visited by all queries together; 0 for searches without a graph.
    pub visited: u64,
}

/// Number of bins of each histogram in [`Answer::visits`].
pub const WALK_LENGTH_BINS: usize = 256;

/// Computation times of a registration, ms. The rest of the total was spent on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Transforming the points and searching for their matches.
    pub search_ms: f64,
    /// Summing over the pairs; on the CPU the mean squared distance, too.
    pub sums_ms: f64,
    /// Solving for the motion.
    pub solve_ms: f64,
    /// Uploading points and search structures, and reading back results.
    pub transfer_ms: f64,
}

/// Result of a registration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Final pose.
    pub truth_from_sensed: Pose,
    /// Stopping criterion that was met.
    pub stop: Stop,
    /// All iterations in order.
    pub iterations: Vec<Iteration>,
    /// Last match of each sensed point, in their order, as an index into [`Truth::points`].
    pub matches: Vec<u32>,
    /// Whether each sensed point passed the filter in the last iteration.
    pub active: Vec<bool>,
    /// Histograms of the vertices visited per walk, of the first iteration and of all others together; the last bin
    /// holds all longer walks. Zeros if not recorded.
    pub visits: [Vec<u32>; 2],
    /// Computation times.
    pub timings: Timings,
}

impl Answer {
    /// Final mean squared distance, mm².
    pub fn error_mm2(&self) -> f64 {
        self.iterations.last().map_or(0.0, |iteration| iteration.error_mm2)
    }

    /// Mean number of vertices visited per walk over a range of iterations.
    pub fn mean_visited(&self, range: impl std::slice::SliceIndex<[Iteration], Output = [Iteration]>) -> f64 {
        let iterations = self.iterations.get(range).unwrap_or_default();
        let walks = iterations.len() * self.matches.len();
        iterations.iter().map(|iteration| iteration.visited).sum::<u64>() as f64 / walks.max(1) as f64
    }
}

/// Returns an error for fewer than three points, values that are not finite, no iterations or foreign matches.
fn check(problem: &Problem<'_>, parameters: &Parameters) -> Result<()> {
    let (truth, sensed) = (problem.truth.points().len(), problem.sensed.points.len());
    if truth < 3 || sensed < 3 {
        return Err(UserError::input(format!(
            "Registration needs at least three points on both sides; there are {sensed} and {truth}."
        )));
    }
    // Also false for NaN.
    let is_finite = |point: &Point| point.coords.iter().all(|coordinate| coordinate.abs() < 1e150);
    let is_start_finite = is_finite(&parameters.start.translation.vector.into())
        && parameters.start.rotation.coords.iter().all(|term| term.is_finite());
    if !is_start_finite || !problem.sensed.points.par_iter().all(is_finite) {
        return Err(UserError::input("Registration needs finite points and a finite initial pose."));
    }
    if parameters.max_iterations == 0 {
        return Err(UserError::usage("Give at least one iteration."));
    }
    if parameters
        .previous
        .as_ref()
        .is_some_and(|previous| previous.len() != sensed || previous.iter().any(|&index| index as usize >= truth))
    {
        return Err(UserError::usage("The initial matches belong to other points."));
    }
    Ok(())
}

/// The error for pairs that do not determine the rotation.
pub fn undetermined() -> UserError {
    UserError::input("The matched points are collinear or coincident, so the rotation is not determined.")
}

/// The criterion that stops the registration after `iteration`, if any. A small change counts only once the filter is
/// active.
pub fn stop_after(parameters: &Parameters, iteration: usize, error_mm2: f64, before_mm2: Option<f64>) -> Option<Stop> {
    let is_settled = parameters.filter == Filter::None || parameters.filter.is_on(iteration);
    if error_mm2 < parameters.error_limit_mm2 {
        Some(Stop::SmallError)
    } else if is_settled && before_mm2.is_some_and(|before| (before - error_mm2).abs() < parameters.change_limit_mm2) {
        Some(Stop::SmallChange)
    } else {
        None
    }
}

/// A registration problem with its parameters.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The two clouds.
    pub problem: &'a Problem<'a>,
    /// Parameters of the registration.
    pub parameters: &'a Parameters,
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const LABEL: &'static str = "Registering point clouds";

    fn check(&self) -> Result<()> {
        check(self.problem, self.parameters)
    }

    fn is_request_error(&self, error: &UserError) -> bool {
        *error == undetermined()
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::icp::run(self.problem, self.parameters, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer> {
        cuda.prepare_icp(self.problem, self.parameters, progress)?.run(self.parameters, progress)
    }
}
