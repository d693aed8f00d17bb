//! Votes of point pairs for poses on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, require};
use crate::Capability;
use crate::pose_votes::{ANGLE_BINS, Bin, MAX_PEAKS, Peak, Request};
use base::Result;
use geometry::point_pairs::{LocalPoint, PointPair};

/// Threads of a block; `VOTERS` of pose_votes.cu.
const THREADS: u32 = 256;
/// Greatest number of blocks, each with counts of its own: more than run at once on any device, and their counts stay in
/// the cache of one.
const MAX_BLOCKS: usize = 528;

/// `Ballot` of pose_votes.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BallotParameter {
    points: u64,
    references: u64,
    starts: u64,
    entries: u64,
    counts: u64,
    point_count: u32,
    reference_count: u32,
    slots: u32,
    distance_steps: u32,
    steps_per_mm: f32,
    reach_mm2: f32,
    oriented: u32,
    pad: u32,
}

/// `Bin` of pose_votes.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct DeviceBin {
    votes: u32,
    slot: u32,
}

/// A vote resident on a device; can be launched repeatedly.
pub struct PoseVotesJob<'a> {
    driver: Arc<dyn Driver>,
    request: Request<'a>,
    points: Buffer<LocalPoint>,
    references: Buffer<LocalPoint>,
    starts: Buffer<u32>,
    entries: Buffer<PointPair>,
    counts: Buffer<u32>,
    bins: Buffer<DeviceBin>,
}

impl<'a> PoseVotesJob<'a> {
    /// Uploads scene and table.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'a>) -> Result<Self> {
        let voters = request.voters();
        let (starts, entries) = request.table.buckets();
        let (blocks, slots) = (voters.references.len().clamp(1, MAX_BLOCKS), request.model.len() * ANGLE_BINS);
        let points = (voters.points.len() + voters.references.len()) * size_of::<LocalPoint>();
        let table = size_of_val(starts) + size_of_val(entries);
        let bins = voters.references.len() * MAX_PEAKS;
        require(driver.as_ref(), points + table + 4 * blocks * slots + 8 * bins, Request::LABEL)?;
        Ok(Self {
            driver: Arc::clone(driver),
            request: *request,
            points: Buffer::from_slice(driver, &voters.points)?,
            references: Buffer::from_slice(driver, &voters.references)?,
            starts: Buffer::from_slice(driver, starts)?,
            entries: Buffer::from_slice(driver, entries)?,
            counts: Buffer::new(driver, blocks * slots)?,
            bins: Buffer::new(driver, bins)?,
        })
    }

    /// Launches the count, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let references = self.references.count();
        if references == 0 {
            return Ok(());
        }
        let (steps_per_mm, distance_steps) = self.request.table.distance_steps();
        let ballot = BallotParameter {
            points: self.points.address(),
            references: self.references.address(),
            starts: self.starts.address(),
            entries: self.entries.address(),
            counts: self.counts.address(),
            point_count: self.points.count() as u32,
            reference_count: references as u32,
            slots: (self.request.model.len() * ANGLE_BINS) as u32,
            distance_steps,
            steps_per_mm,
            reach_mm2: self.request.table.reach_mm2(),
            oriented: u32::from(self.request.oriented),
            pad: 0,
        };
        let blocks = references.min(MAX_BLOCKS) as u32;
        self.driver.launch("count_pose_votes", blocks, THREADS, &[bytes_of(&ballot), bytes_of(&self.bins.address())])
    }

    /// Waits for the count and downloads its peaks.
    pub fn read(&self) -> Result<Vec<Peak>> {
        let bins = self.bins.read_as(|own| Bin { votes: own.votes, slot: own.slot })?;
        Ok(self.request.peaks(bins.as_chunks::<MAX_PEAKS>().0))
    }

    /// Counts once.
    pub fn run(&self) -> Result<Vec<Peak>> {
        self.launch()?;
        self.read()
    }
}
