//! Iterative closest point registration on a CUDA device. Several iterations run without host synchronisation before
//! the state is read.

use std::sync::Arc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of};
use nalgebra::{Quaternion, UnitQuaternion};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::order_statistic::{OrderStatistics, Rank};
use super::points::{DevicePoints, PointsParameter};
use super::queries::pose_parameter;
use crate::icp::{
    Answer, Filter, Iteration, Parameters, Problem, Search, Start, Stop, Timings, WALK_LENGTH_BINS, undetermined,
};
use base::{Progress, Result};
use geometry::{DelaunayGraph, Pose, Vector};

/// Threads per block and maximum number of blocks. Fixed, so that sums are bitwise identical on every device.
const THREADS: u32 = 256;
const MAX_BLOCKS: usize = 512;
/// Doubles per block in the partial sums, padding included.
const PARTIAL_STRIDE: usize = 32;
/// Iterations launched between two reads of the state.
const ITERATIONS_PER_READ: usize = 10;

/// `Graph` of nearest.cuh.
#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct GraphParameter {
    rows: u64,
    edges: u64,
    centre: u32,
    pad: u32,
}

/// `Request` of icp.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    truth: PointsParameter,
    graph: GraphParameter,
    sensed: u64,
    count: u32,
    max_iterations: u32,
    matches: u64,
    distances: u64,
    visits: u64,
    state: u64,
    history: u64,
    partial: u64,
    sensed_about: [f64; 3],
    truth_about: [f64; 3],
    error_limit: f64,
    change_limit: f64,
    filter_limit: f64,
    filter: u32,
    filter_from: u32,
    start: u32,
    has_previous: u32,
}

/// `State` of icp.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct State {
    pose: [f64; 7],
    error: f64,
    cutoff: f64,
    iteration: u32,
    stop: u32,
    arrived: u32,
    active: u32,
    cycles: [u64; 3],
}

/// Values of `State::stop`.
const RUNNING: u32 = 0;
const UNDETERMINED: u32 = 4;

/// `Iteration` of icp.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct IterationRecord {
    pose: [f64; 7],
    error: f64,
    visited: f64,
    active: u32,
    pad: u32,
}

/// Both clouds resident on a device; can be registered repeatedly.
pub struct IcpJob {
    driver: Arc<dyn Driver>,
    truth: DevicePoints,
    graph: Option<DeviceGraph>,
    sensed: Buffer<f64>,
    sensed_about: [f64; 3],
    truth_about: [f64; 3],
    count: usize,
    /// Two halves, of even and of odd iterations, as are the distances.
    matches: Buffer<u32>,
    distances: Buffer<f64>,
    statistics: OrderStatistics,
    visits: Buffer<u32>,
    state: Buffer<State>,
    history: Buffer<IterationRecord>,
    partial: Buffer<f64>,
    upload_ms: f64,
}

impl IcpJob {
    /// Uploads both clouds, and the graph if the search walks on it. Needs at least one point on each side.
    pub(super) fn new(
        driver: &Arc<dyn Driver>,
        problem: &Problem<'_>,
        parameters: &Parameters,
        progress: &Progress,
    ) -> Result<Self> {
        // Built on the host, which does not count as transfer.
        let walks = matches!(parameters.search, Search::Walk(_));
        let graph = if walks { Some(problem.truth.graph(progress)?) } else { None };
        let started = Instant::now();
        let count = problem.sensed.points.len();
        let graph_bytes = graph.map_or(0, |graph| 20 * graph.neighbours.len() + 16 * graph.len());
        let truth_bytes = DevicePoints::bytes(problem.truth.points().len()) + graph_bytes;
        require(driver.as_ref(), truth_bytes + count * (24 + 2 * (4 + 8) + 8), "Registration")?;
        let truth = DevicePoints::new(driver, problem.truth.points())?;
        let graph = graph.map(|graph| DeviceGraph::new(driver, &truth, graph)).transpose()?;
        let mut job = Self {
            driver: Arc::clone(driver),
            truth,
            graph,
            sensed: Buffer::from_slice(driver, flat::of_points(&problem.sensed.points))?,
            sensed_about: problem.sensed.points[0].into(),
            truth_about: problem.truth.centre().into(),
            count,
            matches: Buffer::new(driver, 2 * count)?,
            distances: Buffer::new(driver, 2 * count)?,
            statistics: OrderStatistics::new(driver, count)?,
            visits: Buffer::new(driver, 2 * WALK_LENGTH_BINS)?,
            state: Buffer::new(driver, 1)?,
            history: Buffer::zeros(driver, parameters.max_iterations)?,
            partial: Buffer::new(driver, MAX_BLOCKS * PARTIAL_STRIDE)?,
            upload_ms: 0.0,
        };
        driver.synchronize()?;
        job.upload_ms = ms_since(started);
        Ok(job)
    }

    /// Registers from `parameters.start`. The search must be that of the job, and the iterations no more than its own.
    pub fn run(&self, parameters: &Parameters, progress: &Progress) -> Result<Answer> {
        let started = Instant::now();
        self.begin(parameters)?;
        let mut state = self.read_state()?;
        while state.stop == RUNNING {
            let done = state.iteration as usize;
            progress.report(done as f32 / parameters.max_iterations as f32, "Registering")?;
            // One launch more than iterations: the error of an iteration is evaluated by the next launch.
            let until = (done + ITERATIONS_PER_READ).min(parameters.max_iterations + 1);
            (done..until).try_for_each(|iteration| self.launch(parameters, iteration))?;
            state = self.read_state()?;
        }
        if state.stop == UNDETERMINED {
            return Err(undetermined());
        }
        let (device_ms, reading) = (ms_since(started), Instant::now());
        let mut answer = self.read(parameters, &state)?;
        let cycles = state.cycles.iter().sum::<u64>().max(1) as f64;
        let [search_ms, sums_ms, solve_ms] = state.cycles.map(|step| device_ms * step as f64 / cycles);
        answer.timings = Timings { search_ms, sums_ms, solve_ms, transfer_ms: self.upload_ms + ms_since(reading) };
        Ok(answer)
    }

    /// Resets the state to the initial pose and matches.
    pub fn begin(&self, parameters: &Parameters) -> Result<()> {
        let driver = self.driver.as_ref();
        let (pose, infinite) = (pose_parameter(&parameters.start), f64::INFINITY);
        let state = State {
            pose,
            error: infinite,
            cutoff: infinite,
            iteration: 0,
            stop: RUNNING,
            arrived: 0,
            active: 0,
            cycles: [0; 3],
        };
        driver.upload(self.state.address(), bytes_of(&state))?;
        if parameters.records_walk_lengths {
            driver.clear(self.visits.address(), 4 * self.visits.count())?;
        }
        if let (Some(previous), Some(graph)) = (&parameters.previous, &self.graph) {
            // Stored as those of an iteration before the first.
            let matches = self.half_address(&self.matches, 1);
            driver.upload(matches, bytemuck::cast_slice(previous))?;
            self.reindex(matches, &graph.tree_positions)?;
        }
        Ok(())
    }

    /// Launches an iteration, without waiting for it. Iterations must be launched in order.
    pub fn launch(&self, parameters: &Parameters, iteration: usize) -> Result<()> {
        let (driver, request) = (self.driver.as_ref(), self.request(parameters));
        let count = self.count;
        let blocks = count.div_ceil(THREADS as usize).clamp(1, MAX_BLOCKS) as u32;
        let kernel = match parameters.search {
            Search::BruteForce => "icp_brute_force",
            Search::KdTree => "icp_tree",
            Search::ApproximateKdTree => "icp_leaf",
            Search::Walk(_) => "icp_walk",
        };
        driver.launch(kernel, blocks, THREADS, &[bytes_of(&request)])?;
        if !parameters.filter.is_on(iteration) || iteration >= parameters.max_iterations {
            return Ok(());
        }
        if let Filter::Mad { .. } = parameters.filter {
            let distances = self.half_address(&self.distances, iteration);
            self.statistics.find(driver, distances, count as u32, blocks, 0.0, Rank::Median)?;
        }
        let spread = self.statistics.spread();
        driver.launch("icp_filtered", blocks, THREADS, &[bytes_of(&request), bytes_of(&spread)])
    }

    fn request(&self, parameters: &Parameters) -> RequestParameter {
        let (filter, filter_from, filter_limit) = match parameters.filter {
            Filter::None => (0, 0, 0.0),
            Filter::Sigma { from, limit } => (1, from, limit),
            Filter::Mad { from, limit } => (2, from, limit),
        };
        RequestParameter {
            truth: self.truth.parameter(),
            graph: self.graph.as_ref().map(DeviceGraph::parameter).unwrap_or_default(),
            sensed: self.sensed.address(),
            count: self.count as u32,
            max_iterations: parameters.max_iterations as u32,
            matches: self.matches.address(),
            distances: self.distances.address(),
            visits: if parameters.records_walk_lengths { self.visits.address() } else { 0 },
            state: self.state.address(),
            history: self.history.address(),
            partial: self.partial.address(),
            sensed_about: self.sensed_about,
            truth_about: self.truth_about,
            error_limit: parameters.error_limit_mm2,
            change_limit: parameters.change_limit_mm2,
            filter_limit,
            filter,
            filter_from: filter_from as u32,
            start: match parameters.search {
                Search::Walk(Start::Leaf) => 1,
                Search::Walk(Start::Previous) => 2,
                Search::Walk(Start::LeafThenPrevious) => 3,
                _ => 0,
            },
            has_previous: u32::from(parameters.previous.is_some()),
        }
    }

    /// Waits for all iterations launched and downloads the state.
    fn read_state(&self) -> Result<State> {
        Ok(self.state.read()?[0])
    }

    /// Address of the half of a buffer that an iteration writes.
    fn half_address<T: Pod>(&self, buffer: &Buffer<T>, iteration: usize) -> u64 {
        buffer.address() + ((iteration % 2) * self.count * size_of::<T>()) as u64
    }

    /// Replaces each match by its entry in `map`.
    fn reindex(&self, matches: u64, map: &Buffer<u32>) -> Result<()> {
        let (count, of_map) = (self.count as u32, map.address());
        let arguments: [&[u8]; 3] = [bytes_of(&matches), bytes_of(&count), bytes_of(&of_map)];
        launch_each(self.driver.as_ref(), "icp_rename", self.count, &arguments)
    }

    fn read(&self, parameters: &Parameters, state: &State) -> Result<Answer> {
        // The half with the matches of the last motion; the search launched after it wrote to the other half.
        let last = state.iteration as usize + 1;
        let of_matches = self.half_address(&self.matches, last);
        self.reindex(of_matches, self.truth.indices())?;
        let (mut matches, mut distances) = (vec![0_u32; self.count], vec![0.0_f64; self.count]);
        self.driver.download(bytemuck::cast_slice_mut(&mut matches), of_matches)?;
        self.driver.download(bytemuck::cast_slice_mut(&mut distances), self.half_address(&self.distances, last))?;
        let record = |record: &IterationRecord| Iteration {
            truth_from_sensed: pose_of(&record.pose),
            error_mm2: record.error,
            active: record.active as usize,
            visited: record.visited as u64,
        };
        let visits = if parameters.records_walk_lengths { self.visits.read()? } else { vec![0; 2 * WALK_LENGTH_BINS] };
        let (first, others) = visits.split_at(WALK_LENGTH_BINS);
        Ok(Answer {
            truth_from_sensed: pose_of(&state.pose),
            stop: match state.stop {
                1 => Stop::SmallError,
                2 => Stop::SmallChange,
                _ => Stop::MaxIterations,
            },
            iterations: self.history.read()?.iter().take(state.iteration as usize).map(record).collect(),
            matches,
            active: distances.iter().map(|&distance| distance <= state.cutoff).collect(),
            visits: [first.to_vec(), others.to_vec()],
            timings: Timings::default(),
        })
    }
}

fn ms_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn pose_of(p: &[f64; 7]) -> Pose {
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(p[3], p[0], p[1], p[2]));
    Pose::from_parts(Vector::new(p[4], p[5], p[6]).into(), rotation)
}

/// A Delaunay graph resident on a device, its vertices in tree order.
struct DeviceGraph {
    rows: Buffer<[u32; 2]>,
    edges: Buffer<[f32; 4]>,
    /// Position in tree order of each truth point.
    tree_positions: Buffer<u32>,
    centre: u32,
}

impl DeviceGraph {
    fn new(driver: &Arc<dyn Driver>, truth: &DevicePoints, graph: &DelaunayGraph) -> Result<Self> {
        let count = graph.len();
        let points = truth.parameter();
        let tree_positions = Buffer::new(driver, count)?;
        let of_positions = tree_positions.address();
        launch_each(driver.as_ref(), "invert_order", count, &[bytes_of(&points), bytes_of(&of_positions)])?;
        let (starts, neighbours) =
            (Buffer::from_slice(driver, &graph.starts)?, Buffer::from_slice(driver, &graph.neighbours)?);
        let (rows, edges) = (Buffer::new(driver, count)?, Buffer::new(driver, graph.neighbours.len())?);
        let parts = [of_positions, starts.address(), neighbours.address(), rows.address(), edges.address()];
        let mut arguments: Vec<&[u8]> = vec![bytes_of(&points)];
        arguments.extend(parts.iter().map(bytes_of));
        launch_each(driver.as_ref(), "place_graph", count, &arguments)?;
        let mut centre = 0_u32;
        driver.download(bytemuck::bytes_of_mut(&mut centre), of_positions + 4 * u64::from(graph.central_point))?;
        Ok(Self { rows, edges, tree_positions, centre })
    }

    fn parameter(&self) -> GraphParameter {
        GraphParameter { rows: self.rows.address(), edges: self.edges.address(), centre: self.centre, pad: 0 }
    }
}
