//! Registration iterations on a CUDA device. Only the normal equations are read back.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};
use nalgebra::{Matrix6, Vector6};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::order_statistic::{OrderStatistics, Rank};
use super::points::{DevicePoints, PointsParameter};
use super::queries::{Candidates, GateParameter, QueriesParameter, resident_normals};
use super::surface::DeviceSurface;
use crate::registration::{Answer, Metric, Problem, Robust, Step};
use base::Result;
use geometry::{Point, Vector};

/// `Request` of registration.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    queries: QueriesParameter,
    metric: u32,
    is_robust: u32,
    gate: GateParameter,
    pivot: [f64; 3],
    trim: f64,
    floor_mm: f64,
}

/// `Pairs` of registration.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct PairsParameter {
    directions: u64,
    residuals: u64,
}

/// Doubles per block in the partial sums, padding included, and in the answer.
const PARTIAL_STRIDE: usize = 32;
const ANSWER_TERMS: usize = 33;
/// Threads per block and maximum number of blocks of kernels whose threads process several pairs each. Fixed, so that
/// sums are bitwise identical on every device.
const THREADS: u32 = 256;
const MAX_BLOCKS: usize = 512;

/// `Cloud` of registration.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct CloudParameter {
    points: PointsParameter,
    normals: u64,
}

/// The object registered onto, resident on a device.
pub(super) enum DeviceTarget {
    Surface(Arc<DeviceSurface>, Candidates),
    Cloud { points: DevicePoints, normals: Buffer<f64> },
}

impl DeviceTarget {
    /// A surface, with memory for up to `queries` queries.
    pub fn surface(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, queries: usize) -> Result<Self> {
        Ok(Self::Surface(surface, Candidates::new(driver, queries)?))
    }

    /// A cloud: uploads points and normals, and builds the tree.
    pub fn cloud(driver: &Arc<dyn Driver>, points: &[Point], normals: &[Vector]) -> Result<Self> {
        require(driver.as_ref(), DevicePoints::bytes(points.len()) + 24 * normals.len(), "The target cloud")?;
        let normals = Buffer::from_slice(driver, flat::of_vectors(normals))?;
        Ok(Self::Cloud { points: DevicePoints::new(driver, points)?, normals })
    }

    /// Launches the search for the correspondence of each query.
    fn find_pairs(&self, driver: &dyn Driver, request: &RequestParameter, pairs: &PairsParameter) -> Result<()> {
        let count = request.queries.count();
        match self {
            Self::Surface(surface, candidates) => {
                let surface = surface.parameter();
                let found = candidates.search(driver, &surface, &request.queries)?;
                let arguments: [&[u8]; 4] = [bytes_of(&surface), bytes_of(request), bytes_of(&found), bytes_of(pairs)];
                launch_each(driver, "pair_with_surface", count, &arguments)
            }
            Self::Cloud { points, normals } => {
                let cloud = CloudParameter { points: points.parameter(), normals: normals.address() };
                launch_each(driver, "pair_with_points", count, &[bytes_of(&cloud), bytes_of(request), bytes_of(pairs)])
            }
        }
    }
}

/// A registration resident on a device.
pub struct DeviceRegistration {
    driver: Arc<dyn Driver>,
    target: DeviceTarget,
    oriented: bool,
    points: Buffer<f64>,
    normals: Option<Buffer<f64>>,
    directions: Buffer<f64>,
    residuals: Buffer<f64>,
    statistics: OrderStatistics,
    partial: Buffer<f64>,
    answer: Buffer<f64>,
}

impl DeviceRegistration {
    /// Uploads the points. `target` is the resident copy of the target in the problem.
    pub(super) fn new(driver: &Arc<dyn Driver>, target: DeviceTarget, problem: &Problem<'_>) -> Result<Self> {
        let count = problem.points.points.len();
        let normals = if problem.normals.is_empty() { 0 } else { 24 };
        require(driver.as_ref(), count * (24 + normals + Candidates::BYTES + 32 + 8), "The best fit")?;
        Ok(Self {
            driver: Arc::clone(driver),
            target,
            oriented: problem.oriented,
            points: Buffer::from_slice(driver, flat::of_points(&problem.points.points))?,
            normals: resident_normals(driver, problem.points, problem.normals)?,
            directions: Buffer::new(driver, 3 * count)?,
            residuals: Buffer::new(driver, count)?,
            statistics: OrderStatistics::new(driver, count)?,
            partial: Buffer::new(driver, MAX_BLOCKS * PARTIAL_STRIDE)?,
            answer: Buffer::new(driver, ANSWER_TERMS)?,
        })
    }

    /// Runs one iteration.
    pub fn step(&self, step: &Step) -> Result<Answer> {
        self.launch(step)?;
        self.read()
    }

    /// Launches an iteration, without waiting for it.
    pub fn launch(&self, step: &Step) -> Result<()> {
        let driver = self.driver.as_ref();
        let request = RequestParameter {
            queries: QueriesParameter::new(&self.points, step.stride, &step.nominal_from_scan, step.max_distance_mm),
            metric: match step.metric {
                Metric::PointToTriangle => 0,
                Metric::PointToPlane => 1,
                Metric::PointToPoint => 2,
            },
            is_robust: u32::from(step.robust != Robust::None),
            gate: GateParameter::new(self.normals.as_ref(), self.oriented, step.max_angle_rad),
            pivot: step.pivot.into(),
            trim: step.trim,
            floor_mm: step.floor_mm,
        };
        let spread = self.statistics.spread();
        let pairs = PairsParameter { directions: self.directions.address(), residuals: self.residuals.address() };
        let count = request.queries.count();
        let count_u32 = count as u32;
        let (partial, answer) = (self.partial.address(), self.answer.address());
        self.target.find_pairs(driver, &request, &pairs)?;
        let blocks = count.div_ceil(4 * THREADS as usize).clamp(1, MAX_BLOCKS) as u32;
        if step.trim > 0.0 {
            self.statistics.find(driver, pairs.residuals, count_u32, blocks, step.trim, Rank::Cutoff)?;
        }
        self.statistics.find(driver, pairs.residuals, count_u32, blocks, step.trim, Rank::Median)?;
        let sums: [&[u8]; 4] = [bytes_of(&request), bytes_of(&pairs), bytes_of(&spread), bytes_of(&partial)];
        driver.launch("sum_equations", blocks, THREADS, &sums)?;
        let totals: [&[u8]; 5] =
            [bytes_of(&request), bytes_of(&partial), bytes_of(&blocks), bytes_of(&spread), bytes_of(&answer)];
        driver.launch("total_equations", 1, THREADS, &totals)
    }

    /// Waits for the answer of the iteration and downloads it.
    pub fn read(&self) -> Result<Answer> {
        let sums = self.answer.read()?;
        let mut hessian = Matrix6::zeros();
        let mut terms = sums.iter();
        for row in 0..6 {
            for column in row..6 {
                let term = terms.next().copied().unwrap_or(f64::NAN);
                hessian[(row, column)] = term;
                hessian[(column, row)] = term;
            }
        }
        Ok(Answer {
            hessian,
            gradient: Vector6::from_fn(|i, _| sums[21 + i]),
            weighted_squares: sums[27],
            weight: sums[28],
            curvature: sums[29],
            used: sums[30] as usize,
            matched: sums[31] as usize,
            scale_mm: sums[32],
        })
    }
}
