//! Iterative closest points between two clouds (Besl and McKay 1992), with exchangeable searches for the closest point
//! (Raettig 2021).
//!
//! Pairs are point to point, so the result is no better than the truth is sampled: what the window aligns with is
//! [`super::registration`], which pairs with true surfaces.

use super::cuda::Cuda;
use super::{Capability, cpu};

use std::sync::OnceLock;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use geometry::{Aabb, DelaunayGraph, KdTree, OrderedPoints, Point, Pose};

/// Where a walk on the Delaunay graph starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At the point nearest to the mean of all ("Zero").
    Middle,
    /// At the nearest point of the leaf of a k-d tree ("KD-ANN").
    Leaf,
    /// At the point's match of the iteration before, first in the middle ("PNN").
    Previous,
    /// At the point's match of the iteration before, first in the leaf ("PNN optimized").
    #[default]
    LeafThenPrevious,
}

/// How the closest point is searched for. All but the approximate one are exact and give the same pairs, but for
/// points that are equally near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Looks at every point.
    BruteForce,
    /// Down a k-d tree and back up where another branch may be nearer.
    KdTree,
    /// Down a k-d tree, the nearest of the leaf arrived at: not always the closest.
    ApproximateKdTree,
    /// From neighbour to neighbour of the Delaunay graph.
    Walk(Start),
}

impl Search {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::BruteForce,
        Self::KdTree,
        Self::ApproximateKdTree,
        Self::Walk(Start::Middle),
        Self::Walk(Start::Leaf),
        Self::Walk(Start::Previous),
        Self::Walk(Start::LeafThenPrevious),
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::BruteForce => "Brute force",
            Self::KdTree => "k-d tree",
            Self::ApproximateKdTree => "k-d tree, approximate",
            Self::Walk(Start::Middle) => "Walk from the middle",
            Self::Walk(Start::Leaf) => "Walk from the k-d leaf",
            Self::Walk(Start::Previous) => "Walk from the last match",
            Self::Walk(Start::LeafThenPrevious) => "Walk from leaf, then last match",
        }
    }

    /// Its name on the command line and in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::BruteForce => "brute-force",
            Self::KdTree => "k-d-tree",
            Self::ApproximateKdTree => "approximate",
            Self::Walk(Start::Middle) => "walk-middle",
            Self::Walk(Start::Leaf) => "walk-leaf",
            Self::Walk(Start::Previous) => "walk-previous",
            Self::Walk(Start::LeafThenPrevious) => "walk-leaf-then-previous",
        }
    }

    /// Whether it finds the closest point always.
    pub fn is_exact(self) -> bool {
        self != Self::ApproximateKdTree
    }

    /// Whether it starts from matches that are known from before, as those of the scan before this one.
    pub fn starts_from_matches(self) -> bool {
        matches!(self, Self::Walk(Start::Previous | Start::LeafThenPrevious))
    }
}

impl clap::ValueEnum for Search {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    /// Walks go by their published names, too.
    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let value = clap::builder::PossibleValue::new(self.key()).help(self.name());
        Some(match self {
            Self::Walk(Start::Middle) => value.alias("walk-zero"),
            Self::Walk(Start::Leaf) => value.alias("walk-k-d"),
            Self::Walk(Start::LeafThenPrevious) => value.aliases(["walk-optimised", "walk-optimized"]),
            _ => value,
        })
    }
}

/// Which pairs take part. Decided anew in every iteration from all pairs, so a point that was left out may come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// All.
    #[default]
    None,
    /// From an iteration on, those not farther apart than the mean and `limit` standard deviations of all distances.
    Sigma {
        /// The first iteration that leaves pairs out, from 0.
        from: usize,
        /// Standard deviations.
        limit: f64,
    },
    /// From an iteration on, those not farther apart than `limit` robust standard deviations (1.4826 times the median
    /// distance).
    Mad {
        /// The first iteration that leaves pairs out, from 0.
        from: usize,
        /// Robust standard deviations.
        limit: f64,
    },
}

impl Filter {
    /// Whether pairs may be left out in `iteration`.
    pub fn is_on(self, iteration: usize) -> bool {
        match self {
            Self::None => false,
            Self::Sigma { from, .. } | Self::Mad { from, .. } => iteration >= from,
        }
    }
}

/// The points registered onto, and what the searches need of them, made when first asked for.
#[derive(Debug, Default)]
pub struct Truth {
    points: Vec<Point>,
    tree: OnceLock<KdTree>,
    graph: OnceLock<DelaunayGraph>,
}

impl Truth {
    /// Of finite points, mm, which are laid along a space-filling curve: their numbers here are places on it.
    pub fn new(points: &[Point]) -> Self {
        Self { points: OrderedPoints::new(points).points, ..Self::default() }
    }

    /// The points along the curve.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Their tree.
    pub fn tree(&self) -> &KdTree {
        self.tree.get_or_init(|| KdTree::new(&self.points))
    }

    /// Their Delaunay graph.
    pub fn graph(&self, progress: &Progress) -> Result<&DelaunayGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = DelaunayGraph::new(&self.points, progress)?;
        Ok(self.graph.get_or_init(|| graph))
    }

    /// The place that sums are taken about, mm.
    pub fn centre(&self) -> Point {
        Aabb::of_many(&self.points).centre()
    }
}

/// What is registered.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// What is registered onto.
    pub truth: &'a Truth,
    /// Sensed points along a space-filling curve, mm; every pose is of these, never of points moved before.
    pub sensed: &'a OrderedPoints,
}

/// How it is registered.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The search.
    pub search: Search,
    /// Most iterations.
    pub max_iterations: usize,
    /// Stop when the mean squared distance falls below this, mm².
    pub error_limit_mm2: f64,
    /// Stop when the mean squared distance falls by less than this, mm². Negative: never.
    pub change_limit_mm2: f64,
    /// Which pairs take part.
    pub filter: Filter,
    /// Where it starts: truth from sensed.
    pub start: Pose,
    /// The matches that walks from the last match start with, as [`Answer::matches`]; for scans that follow each other.
    pub previous: Option<Vec<u32>>,
    /// Whether walks are counted by their length, which takes time.
    pub counts_walks: bool,
}

impl Parameters {
    /// With a search: up to 100 iterations, until the mean squared distance falls by less than the square of a
    /// millionth of the truth's diagonal.
    pub fn new(search: Search, truth: &Truth) -> Self {
        let diagonal_mm = Aabb::of_many(truth.points()).diagonal();
        Self {
            search,
            max_iterations: 100,
            error_limit_mm2: 0.0,
            change_limit_mm2: (1e-6 * diagonal_mm).powi(2),
            filter: Filter::None,
            start: Pose::identity(),
            previous: None,
            counts_walks: false,
        }
    }
}

/// Why it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The error fell below its limit.
    SmallError,
    /// The error fell by less than its limit.
    SmallChange,
    /// The most iterations were done.
    #[default]
    MaxIterations,
}

impl Stop {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallError => "the mean squared distance fell below its limit",
            Self::SmallChange => "the mean squared distance changed by less than its limit",
            Self::MaxIterations => "the largest number of iterations was reached",
        }
    }
}

/// One iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iteration {
    /// The pose it ended with.
    pub truth_from_sensed: Pose,
    /// Mean squared distance of its pairs after it, mm².
    pub error_mm2: f64,
    /// Pairs that took part.
    pub active: usize,
    /// Points that its searches stood on, all queries together; 0 where the search walks on no graph.
    pub visited: u64,
}

/// Entries of [`Answer::visits`].
pub const VISITS: usize = 256;

/// Where the time of a registration went, ms; what is not in here, the host took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Moving the points and searching their matches.
    pub search_ms: f64,
    /// Summing over the pairs, and the error before.
    pub sums_ms: f64,
    /// Finding the motion.
    pub solve_ms: f64,
    /// Bringing points and structures to the device and results back.
    pub transfer_ms: f64,
}

/// The outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The pose.
    pub truth_from_sensed: Pose,
    /// Why it ended.
    pub stop: Stop,
    /// All iterations.
    pub iterations: Vec<Iteration>,
    /// The last match of each sensed point, as numbers of the ordered truth in the order of the sensed points.
    pub matches: Vec<u32>,
    /// Which sensed points took part in the last iteration.
    pub active: Vec<bool>,
    /// Walks by the number of points they stood on, of the first iteration and of all others together; the last entry
    /// holds all longer ones. Zeros where they were not counted.
    pub visits: [Vec<u32>; 2],
    /// Where the time went.
    pub stages: Stages,
}

impl Answer {
    /// Mean squared distance at the end, mm².
    pub fn error_mm2(&self) -> f64 {
        self.iterations.last().map_or(0.0, |iteration| iteration.error_mm2)
    }

    /// Points that a walk stood on, in the mean of some of the iterations.
    pub fn mean_visited(&self, of: impl std::slice::SliceIndex<[Iteration], Output = [Iteration]>) -> f64 {
        let counted = self.iterations.get(of).unwrap_or_default();
        let walks = counted.len() * self.matches.len();
        counted.iter().map(|iteration| iteration.visited).sum::<u64>() as f64 / walks.max(1) as f64
    }
}

/// Refuses what cannot be registered.
fn check(problem: &Problem<'_>, parameters: &Parameters) -> Result<()> {
    let (truth, sensed) = (problem.truth.points().len(), problem.sensed.points.len());
    if truth < 3 || sensed < 3 {
        return Err(UserError::input(format!(
            "Registration needs at least three points on both sides; there are {sensed} and {truth}."
        )));
    }
    // NaN fails this, too.
    let is_place = |place: &Point| place.coords.iter().all(|coordinate| coordinate.abs() < 1e150);
    let starts_somewhere = is_place(&parameters.start.translation.vector.into())
        && parameters.start.rotation.coords.iter().all(|term| term.is_finite());
    if !starts_somewhere || !problem.sensed.points.par_iter().all(is_place) {
        return Err(UserError::input("Registration needs finite points and a finite pose to start from."));
    }
    if parameters.max_iterations == 0 {
        return Err(UserError::usage("Give at least one iteration."));
    }
    if parameters
        .previous
        .as_ref()
        .is_some_and(|previous| previous.len() != sensed || previous.iter().any(|&number| number as usize >= truth))
    {
        return Err(UserError::usage("The matches to start with belong to other points."));
    }
    Ok(())
}

/// What is said where the pairs leave a rotation open.
pub fn undetermined() -> UserError {
    UserError::input("The matched points lie on a line (or in one place), so a rotation stays open.")
}

/// Whether to stop after `iteration` with this error, and why. A small change does not end it before the filter is on.
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

/// A problem, and how it is to be solved.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The clouds.
    pub problem: &'a Problem<'a>,
    /// How.
    pub parameters: &'a Parameters,
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const STAGE: &'static str = "Pairing points";

    fn check(&self) -> Result<()> {
        check(self.problem, self.parameters)
    }

    fn is_at_fault(&self, error: &UserError) -> bool {
        *error == undetermined()
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::icp::run(self.problem, self.parameters, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer> {
        cuda.prepare_icp(self.problem, self.parameters, progress)?.run(self.parameters, progress)
    }
}
