//! Parallel planes on a CUDA device: all planes of all sets in one launch.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, require};
use crate::parallel_planes::{Moments, PlaneSet, Request, sets, shift_of};
use base::Result;
use geometry::Vector;

/// Points per chunk, and threads of the block that sums it; SUM_THREADS of block_sum.cuh.
const CHUNK: usize = 8192;
const THREADS: u32 = 256;

/// `Chunk` of parallel_planes.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct ChunkParameter {
    first: u64,
    count: u32,
    plane: u32,
}

/// `Plane` of parallel_planes.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct PlaneParameter {
    shift: [f64; 3],
    first_chunk: u32,
    chunks: u32,
}

/// Points resident on a device; the computation can be repeated.
pub struct ParallelPlanesJob<'a> {
    driver: Arc<dyn Driver>,
    request: Request<'a>,
    shifts: Vec<Vector>,
    points: Buffer<[f32; 4]>,
    chunks: Buffer<ChunkParameter>,
    planes: Buffer<PlaneParameter>,
    partial: Buffer<f64>,
    done: Buffer<u32>,
    moments: Buffer<Moments>,
}

impl<'a> ParallelPlanesJob<'a> {
    /// Uploads the points.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'a>) -> Result<Self> {
        require(driver.as_ref(), size_of_val(request.points), "Fitting planes")?;
        let (mut chunks, mut planes, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = 0;
        for (plane, points) in request.points_by_plane().enumerate() {
            let shift = shift_of(points);
            let (first_chunk, chunk_count) = (chunks.len() as u32, points.len().div_ceil(CHUNK) as u32);
            planes.push(PlaneParameter { shift: shift.into(), first_chunk, chunks: chunk_count });
            shifts.push(shift);
            for chunk in points.chunks(CHUNK) {
                chunks.push(ChunkParameter { first, count: chunk.len() as u32, plane: plane as u32 });
                first += chunk.len() as u64;
            }
        }
        Ok(Self {
            driver: Arc::clone(driver),
            request: *request,
            shifts,
            points: Buffer::from_slice(driver, request.points)?,
            partial: Buffer::new(driver, size_of::<Moments>() / size_of::<f64>() * chunks.len())?,
            done: Buffer::zeros(driver, planes.len())?,
            // Planes without points keep the zeros.
            moments: Buffer::zeros(driver, planes.len())?,
            chunks: Buffer::from_slice(driver, &chunks)?,
            planes: Buffer::from_slice(driver, &planes)?,
        })
    }

    /// Launches the sums, without waiting for them.
    pub fn launch(&self) -> Result<()> {
        let blocks = self.chunks.count() as u32;
        if blocks == 0 {
            return Ok(());
        }
        let (points, chunks, planes) = (self.points.address(), self.chunks.address(), self.planes.address());
        let (partial, done, moments) = (self.partial.address(), self.done.address(), self.moments.address());
        let arguments: [&[u8]; 6] = [
            bytes_of(&points),
            bytes_of(&chunks),
            bytes_of(&planes),
            bytes_of(&partial),
            bytes_of(&done),
            bytes_of(&moments),
        ];
        self.driver.launch("plane_moments", blocks, THREADS, &arguments)
    }

    /// Waits for the sums and solves the sets.
    pub fn read(&self) -> Result<Vec<PlaneSet>> {
        let moments = self.moments.read()?;
        let references = self.shifts.iter().map(|shift| self.request.origin + shift);
        let planes: Vec<_> = moments.into_iter().zip(references).collect();
        Ok(sets(&self.request, &planes))
    }
}
