//! Nearest descriptors on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};
use rayon::prelude::*;

use super::driver::{Buffer, Driver, require};
use crate::Capability;
use crate::nearest_descriptors::{Match, Request};
use base::Result;
use geometry::local_features::LENGTH;

/// `COLUMNS`, `PER_THREAD`, `TILE` and `FINDERS` of nearest_descriptors.cu.
const COLUMNS: u32 = 128;
const PER_THREAD: usize = 2;
const TILE: usize = 32;
const FINDERS: u32 = 256;
/// Distances that are held at once: their queries take turns.
const MAX_DISTANCES: usize = 1 << 25;

/// `Request` of nearest_descriptors.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    references: u64,
    queries: u64,
    squared: u64,
    keys: u64,
    reference_count: u32,
    query_count: u32,
    count: u32,
    pad: u32,
}

/// Descriptors resident on a device; their nearest can be found repeatedly.
pub struct NearestDescriptorsJob {
    driver: Arc<dyn Driver>,
    references: Buffer<f32>,
    queries: Buffer<f32>,
    squared: Buffer<f32>,
    keys: Buffer<u64>,
    count: usize,
    /// Queries whose distances are held at once.
    at_once: usize,
}

impl NearestDescriptorsJob {
    /// Uploads references and queries.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let (references, queries) = (request.references, request.queries);
        let at_once = (MAX_DISTANCES / references.len().max(1)).next_multiple_of(TILE).min(queries.len());
        let distances = at_once * references.len();
        let count = request.kept();
        let values = LENGTH * (references.len() + queries.len());
        require(driver.as_ref(), 4 * (values + distances) + 8 * count * queries.len(), Request::LABEL)?;
        let by_value: Vec<f32> =
            (0..LENGTH).into_par_iter().flat_map_iter(|value| references.iter().map(move |own| own[value])).collect();
        Ok(Self {
            driver: Arc::clone(driver),
            references: Buffer::from_slice(driver, &by_value)?,
            queries: Buffer::from_slice(driver, queries.as_flattened())?,
            squared: Buffer::new(driver, distances)?,
            keys: Buffer::new(driver, count * queries.len())?,
            count,
            at_once,
        })
    }

    /// Launches the search, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let (references, queries) = (self.references.count() / LENGTH, self.queries.count() / LENGTH);
        if self.count == 0 {
            return Ok(());
        }
        for first in (0..queries).step_by(self.at_once.max(1)) {
            let query_count = self.at_once.min(queries - first);
            let request = RequestParameter {
                references: self.references.address(),
                queries: self.queries.address() + (4 * LENGTH * first) as u64,
                squared: self.squared.address(),
                keys: self.keys.address() + (8 * self.count * first) as u64,
                reference_count: references as u32,
                query_count: query_count as u32,
                count: self.count as u32,
                pad: 0,
            };
            let blocks = query_count.div_ceil(TILE) * references.div_ceil(COLUMNS as usize * PER_THREAD);
            self.driver.launch("descriptor_distances", blocks as u32, COLUMNS, &[bytes_of(&request)])?;
            self.driver.launch("nearest_descriptors", query_count as u32, FINDERS, &[bytes_of(&request)])?;
        }
        Ok(())
    }

    /// Waits for the search and downloads what it found, by query.
    pub fn read(&self) -> Result<Vec<Vec<Match>>> {
        if self.count == 0 {
            return Ok(vec![Vec::new(); self.queries.count() / LENGTH]);
        }
        let keys = self.keys.read()?;
        Ok(keys.chunks(self.count).map(|own| own.iter().copied().map(Match::of_key).collect()).collect())
    }

    /// Searches once.
    pub fn run(&self) -> Result<Vec<Vec<Match>>> {
        self.launch()?;
        self.read()
    }
}
