//! Parallel planes on the device: all planes of all sets in one launch.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, require};
use crate::parallel_planes::{Moments, PlaneSet, Request, sets, shift_of};
use base::Result;
use geometry::Vector;

/// Points of a chunk, and threads of the block that sums it; THREADS of parallel_planes.cu.
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

/// Points resident on a device: summed as often as wanted, read when wanted.
pub struct ParallelPlanesJob<'a> {
    driver: Arc<dyn Driver>,
    request: Request<'a>,
    shifts: Vec<Vector>,
    points: Buffer<[f32; 4]>,
    chunks: Buffer<ChunkParameter>,
    planes: Buffer<PlaneParameter>,
    shares: Buffer<f64>,
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
            let (first_chunk, own) = (chunks.len() as u32, points.len().div_ceil(CHUNK) as u32);
            planes.push(PlaneParameter { shift: shift.into(), first_chunk, chunks: own });
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
            points: Buffer::of(driver, request.points)?,
            shares: Buffer::new(driver, size_of::<Moments>() / size_of::<f64>() * chunks.len())?,
            done: Buffer::zeros(driver, planes.len())?,
            // Planes without points keep these zeros.
            moments: Buffer::zeros(driver, planes.len())?,
            chunks: Buffer::of(driver, &chunks)?,
            planes: Buffer::of(driver, &planes)?,
        })
    }

    /// Starts the sums.
    pub fn launch(&self) -> Result<()> {
        let blocks = self.chunks.count() as u32;
        if blocks == 0 {
            return Ok(());
        }
        let (points, chunks, planes) = (self.points.place(), self.chunks.place(), self.planes.place());
        let (shares, done, moments) = (self.shares.place(), self.done.place(), self.moments.place());
        let arguments: [&[u8]; 6] = [
            bytes_of(&points),
            bytes_of(&chunks),
            bytes_of(&planes),
            bytes_of(&shares),
            bytes_of(&done),
            bytes_of(&moments),
        ];
        self.driver.launch("plane_moments", blocks, THREADS, &arguments)
    }

    /// Waits for the sets.
    pub fn read(&self) -> Result<Vec<PlaneSet>> {
        let moments = self.moments.read()?;
        let places = self.shifts.iter().map(|shift| self.request.origin + shift);
        let planes: Vec<_> = moments.into_iter().zip(places).collect();
        Ok(sets(&self.request, &planes))
    }
}
