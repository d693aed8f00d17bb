//! Thinning on a CUDA device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver, launch_each, require};
use super::grid::DeviceGrid;
use super::points::DevicePoints;
use crate::Capability;
use crate::thinning::{Request, Rule};
use base::{Progress, Result, UserError};
use geometry::{Aabb, Point};

/// KEPT of thinning.cu.
const KEPT: u32 = 1;
/// Rounds launched between two reads of the number of undecided points.
const ROUNDS_PER_READ: usize = 4;

/// Points resident on a device; the computation can be repeated.
pub struct ThinningJob {
    driver: Arc<dyn Driver>,
    /// `None` without points.
    by: Option<By>,
}

enum By {
    Cells(ByCells),
    Distance(ByDistance),
}

/// One point in each cell: the points in order of their cells, the nearest to the cell's centre first.
struct ByCells {
    grid: DeviceGrid,
    /// Bits of each key of the sort, the least significant key first.
    key_bits: [u32; 5],
    /// Per point: how many points its cell holds, where it is the first of them.
    point_counts: Buffer<u32>,
}

/// No two points nearer than a distance: rounds in which every undecided point looks at its neighbours.
struct ByDistance {
    points: DevicePoints,
    distance_mm: f64,
    states: Buffer<u32>,
    undecided: Buffer<u32>,
}

impl ThinningJob {
    /// Uploads the points.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let points = request.points.points();
        let by = match request.rule {
            _ if points.is_empty() => None,
            Rule::Cells(cell_mm) => Some(By::Cells(ByCells::new(driver, points, cell_mm)?)),
            Rule::Distance(distance_mm) => Some(By::Distance(ByDistance::new(driver, points, distance_mm)?)),
        };
        Ok(Self { driver: Arc::clone(driver), by })
    }

    /// Thins; waits where the next step depends on the last one.
    pub fn launch(&self, progress: &Progress) -> Result<()> {
        match &self.by {
            None => Ok(()),
            Some(By::Cells(own)) => own.launch(&self.driver),
            Some(By::Distance(own)) => own.launch(&self.driver, progress),
        }
    }

    /// Waits, and downloads the indices of the points kept, in ascending order.
    pub fn read(&self) -> Result<Vec<u32>> {
        match &self.by {
            None => Ok(Vec::new()),
            Some(By::Cells(own)) => Ok(indices_where(&own.point_counts.read()?, |points| points > 0)),
            Some(By::Distance(own)) => own.read(),
        }
    }
}

impl ByCells {
    fn new(driver: &Arc<dyn Driver>, points: &[Point], cell_mm: f64) -> Result<Self> {
        let (bounds, count) = (Aabb::of_points_parallel(points), points.len());
        let cells = bounds.size() / cell_mm;
        if !(cells.max() < f64::from(u32::MAX)) {
            return Err(UserError::input("The cells are too small to be indexed on a CUDA device."));
        }
        require(driver.as_ref(), count * (24 + 6 * 4), Request::LABEL)?;
        let [x, y, z] = [0, 1, 2].map(|axis| u32::BITS - (cells[axis] as u32).leading_zeros());
        Ok(Self {
            grid: DeviceGrid::new(driver, points, &bounds.min, cell_mm)?,
            // The distance from the cell's centre in two words, then the cell.
            key_bits: [32, 32, x, y, z],
            point_counts: Buffer::new(driver, count)?,
        })
    }

    fn launch(&self, driver: &Arc<dyn Driver>) -> Result<()> {
        let keys: Vec<(u32, u32)> = (0..).zip(self.key_bits).collect();
        let order = self.grid.sorted(driver, "thin_keys", &keys)?;
        let (from, to) = (order.address(), self.point_counts.address());
        let arguments: [&[u8]; 3] = [bytes_of(&self.grid.parameter), bytes_of(&from), bytes_of(&to)];
        launch_each(driver.as_ref(), "thin_cells", self.point_counts.count(), &arguments)
    }
}

impl ByDistance {
    fn new(driver: &Arc<dyn Driver>, points: &[Point], distance_mm: f64) -> Result<Self> {
        require(driver.as_ref(), DevicePoints::bytes(points.len()) + points.len() * 4, Request::LABEL)?;
        Ok(Self {
            points: DevicePoints::new(driver, points)?,
            distance_mm,
            states: Buffer::new(driver, points.len())?,
            undecided: Buffer::new(driver, 1)?,
        })
    }

    fn launch(&self, driver: &Arc<dyn Driver>, progress: &Progress) -> Result<()> {
        let (parameter, states, undecided) = (self.points.parameter(), self.states.address(), self.undecided.address());
        let count = self.states.count();
        let arguments: [&[u8]; 4] =
            [bytes_of(&parameter), bytes_of(&self.distance_mm), bytes_of(&states), bytes_of(&undecided)];
        driver.clear(states, count * size_of::<u32>())?;
        loop {
            for _ in 0..ROUNDS_PER_READ {
                driver.clear(undecided, size_of::<u32>())?;
                launch_each(driver.as_ref(), "thin_round", count, &arguments)?;
            }
            let left = self.undecided.read()?.iter().sum::<u32>();
            progress.report(1.0 - left as f32 / count as f32, Request::LABEL)?;
            if left == 0 {
                return Ok(());
            }
        }
    }

    fn read(&self) -> Result<Vec<u32>> {
        let mut kept = indices_where(&self.states.read()?, |state| state == KEPT);
        let indices = self.points.indices().read()?;
        kept.iter_mut().for_each(|index| *index = indices[*index as usize]);
        kept.sort_unstable();
        Ok(kept)
    }
}

fn indices_where(values: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    (0_u32..).zip(values).filter_map(|(index, &value)| keep(value).then_some(index)).collect()
}
