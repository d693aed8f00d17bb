//! Dilations and erosions of voxel volumes by templates on a CUDA device.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, cast_slice_mut};

use super::companions::Companions;
use super::distance_offset::{Children, CubesParameter, children, skin};
use super::driver::{Buffer, Driver, launch_each, require};
use super::voxels::{DeviceTree, DeviceVolume, TreeParameter};
use crate::Capability;
use crate::morphological_offset::{Answer, Request, template};
use base::random::Random;
use base::{Progress, Result, UserError};
use geometry::voxels::BuildTimes;

/// `Template` of morphological_offset.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct TemplateParameter {
    voxels: u64,
    count: u32,
    is_erosion: u32,
    reach: i32,
    pad: u32,
}

/// Voxels that the template is moved over at a time, times its voxels: a fraction of a second.
const TESTS_AT_A_TIME: usize = 1 << 40;
/// Longest edge, voxels, of the region that a template reaches from a leaf, and threads of a block that holds such a region;
/// as in morphological_offset.cu.
const REGION: i32 = 64;
const NEAR_THREADS: u32 = 256;
/// The last ranges that a device of several takes are this share of its work.
const LEAST_SHARE: usize = 128;

/// A volume and a template resident on a device.
struct Resident {
    driver: Arc<dyn Driver>,
    source: DeviceTree,
    bits: Buffer<u32>,
    template: Buffer<i32>,
    is_erosion: u32,
    reach: i32,
}

impl Resident {
    fn new(driver: &Arc<dyn Driver>, request: &Request<'_>, voxels: &[[i32; 3]]) -> Result<Self> {
        let is_erosion = u32::from(request.distance < 0.0);
        let source = DeviceTree::new(driver, request.tree)?;
        let bits = source.bits("template_bits", &[bytes_of(&is_erosion)])?;
        let template = Buffer::from_slice(driver, cast_slice(voxels))?;
        let reach = request.distance.abs().ceil() as i32;
        Ok(Self { driver: Arc::clone(driver), source, bits, template, is_erosion, reach })
    }

    fn shape(&self) -> TemplateParameter {
        let (voxels, count) = (self.template.address(), self.template.count() as u32 / 3);
        TemplateParameter { voxels, count, is_erosion: self.is_erosion, reach: self.reach, pad: 0 }
    }

    /// Moves the template over the leaves of a range. The bits of leaf n are written `n` times the size of those of a leaf
    /// after `of_bits`.
    fn filter(&self, leaves: &Buffer<[u32; 4]>, range: &Range<usize>, columns: usize, of_bits: u64) -> Result<()> {
        let (tree, shape) = (self.source.parameter(&self.bits), self.shape());
        let (of_leaves, first, count) = (leaves.address(), range.start as u32, range.len() as u32);
        let [tree, shape] = [bytes_of(&tree), bytes_of(&shape)];
        let [of_leaves, first, of_bits] = [bytes_of(&of_leaves), bytes_of(&first), bytes_of(&of_bits)];
        if columns.isqrt() as i32 + 2 * self.reach <= REGION {
            let arguments = [tree, shape, of_leaves, first, of_bits];
            self.driver.launch("template_filter_near", count, NEAR_THREADS, &arguments)?;
        } else {
            let arguments = [tree, shape, of_leaves, first, bytes_of(&count), of_bits];
            launch_each(self.driver.as_ref(), "template_filter", range.len() * columns, &arguments)?;
        }
        // Otherwise all of it would be queued, and cancelling would wait for it.
        self.driver.synchronize()
    }
}

/// A volume resident on a device; the computation can be repeated.
pub struct MorphologicalOffsetJob<'a> {
    request: Request<'a>,
    resident: Resident,
    /// On other devices, which share the leaves.
    companions: Vec<Resident>,
}

impl<'a> MorphologicalOffsetJob<'a> {
    /// Uploads the volume and the template, to all devices if it is worth it.
    pub(super) fn new(driver: &Arc<dyn Driver>, companions: &Companions, request: &Request<'a>) -> Result<Self> {
        let mut voxels = template(request.template, request.distance.abs(), request.earlier_passes);
        // In any order but that of space, some voxel of the first ones decides on most columns.
        Random::new(1, 0).shuffle(&mut voxels);
        let resident = Resident::new(driver, request, &voxels)?;
        let edge = request.tree.layout().leaf as usize;
        let tests = request.tree.leaves() * edge.pow(3) * voxels.len();
        let companions = companions.for_work(tests).iter().map(|driver| Resident::new(driver, request, &voxels));
        // One that has no memory for it does not take part.
        Ok(Self { request: *request, resident, companions: companions.filter_map(Result::ok).collect() })
    }

    /// Computes the volume; waits for the number of cells of every level.
    pub fn run(&self, progress: &Progress) -> Result<Answer> {
        let (driver, layout) = (&self.resident.driver, self.request.tree.layout());
        let (lattice, height) = (*self.request.tree.lattice(), self.request.tree.height());
        let (tree, shape) = (self.resident.source.parameter(&self.resident.bits), self.resident.shape());
        let started = Instant::now();
        let roots = (0..layout.root_cells()).map(|root| {
            let [x, y, z] = layout.root_cube(height, root).min;
            [x, y, z, 0]
        });
        let mut cubes = Buffer::from_slice(driver, &roots.collect::<Vec<_>>())?;
        let (mut edge, mut levels) = (layout.root_cube(height, 0).edge, Vec::new());
        for depth in 0..=height {
            progress.report(0.2 * depth as f32 / (height + 1) as f32, Request::LABEL)?;
            let (codes, is_open) = (Buffer::<u32>::new(driver, cubes.count())?, Buffer::new(driver, cubes.count())?);
            let (of_cubes, of_codes, of_open) = (cubes.address(), codes.address(), is_open.address());
            let count = cubes.count() as u32;
            let arguments: [&[u8]; 7] = [
                bytes_of(&tree),
                bytes_of(&shape),
                bytes_of(&of_cubes),
                bytes_of(&count),
                bytes_of(&edge),
                bytes_of(&of_codes),
                bytes_of(&of_open),
            ];
            launch_each(driver.as_ref(), "template_cells", cubes.count(), &arguments)?;
            let branching = if depth == height { 1 } else { layout.branching };
            let level = CubesParameter::of(&cubes, edge);
            let Children { cubes: next, .. } = children(driver, &level, [&codes, &is_open], branching, false)?;
            levels.push(codes);
            cubes = next;
            edge /= branching;
        }
        driver.synchronize()?;
        let branching_ms = started.elapsed().as_secs_f64() * 1e3;
        let started = Instant::now();
        let bits = self.filter(&cubes, &progress.part(0.2, 0.9))?;
        let words = skin(driver, &TreeParameter::new(layout, &levels, &bits), &cubes, layout)?;
        let leaves_ms = started.elapsed().as_secs_f64() * 1e3;
        let times = BuildTimes { branching_ms, leaves_ms, compaction_ms: 0.0 };
        let volume = DeviceVolume { levels, words, times };
        let (tree, times) = volume.read(lattice, layout, self.request.tree.cells().format())?;
        Ok(Answer { tree, filtered: cubes.count(), template: shape.count as usize, times })
    }

    /// The bits of the voxels of the leaves. Devices take ranges of leaves as they finish the ones before: long ones at first,
    /// short ones at last, so that all finish together.
    fn filter(&self, leaves: &Buffer<[u32; 4]>, progress: &Progress) -> Result<Buffer<u32>> {
        let (driver, edge) = (&self.resident.driver, self.request.tree.layout().leaf as usize);
        let (voxels, columns) = (edge.pow(3), edge * edge);
        require(driver.as_ref(), leaves.count() * (voxels / 8 + voxels / 4), Request::LABEL)?;
        let words = voxels / 32;
        let bits = Buffer::<u32>::new(driver, leaves.count() * words)?;
        let most = (TESTS_AT_A_TIME / (voxels * self.resident.shape().count.max(1) as usize)).max(1);
        let ranges = Ranges::new(leaves.count(), 1 + self.companions.len(), most);
        let take = || -> Result<Option<Range<usize>>> {
            let range = ranges.take();
            let first = range.as_ref().map_or(leaves.count(), |range| range.start);
            progress.report(first as f32 / leaves.count().max(1) as f32, Request::LABEL)?;
            Ok(range)
        };
        let host_leaves = if self.companions.is_empty() { Vec::new() } else { leaves.read()? };
        let some = |device: &Resident, leaves: &Buffer<[u32; 4]>, own: &Buffer<u32>, range: &Range<usize>| {
            let of_bits = own.address().wrapping_sub((range.start * words * 4) as u64);
            device.filter(leaves, range, columns, of_bits)?;
            let mut part = vec![0; range.len() * words];
            device.driver.download(cast_slice_mut(&mut part), own.address())?;
            Ok::<_, UserError>(part)
        };
        let (done, returned) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        // What a device does not finish is returned.
        let shared = |device: &Resident| -> Result<()> {
            let leaves = Buffer::from_slice(&device.driver, &host_leaves)?;
            let own = Buffer::<u32>::new(&device.driver, ranges.longest() * words)?;
            while let Some(range) = take()? {
                match some(device, &leaves, &own, &range) {
                    Ok(part) => locked(&done).push((range, part)),
                    Err(_) => {
                        locked(&returned).push(range);
                        break;
                    }
                }
            }
            Ok(())
        };
        let collect = || -> Result<()> {
            let parts = std::mem::take(&mut *locked(&done));
            parts.iter().try_for_each(|(range, part)| {
                driver.upload(bits.address() + (range.start * words * 4) as u64, cast_slice(part))
            })
        };
        std::thread::scope(|scope| -> Result<()> {
            let shared = &shared;
            let others: Vec<_> = self.companions.iter().map(|device| scope.spawn(move || shared(device))).collect();
            while let Some(range) = take()? {
                self.resident.filter(leaves, &range, columns, bits.address())?;
                collect()?;
            }
            for other in others {
                // One without memory for the leaves has taken none, and one that was cancelled is told of below.
                let _ = other.join().map_err(|_| UserError::internal("A device that shared the work stopped."))?;
            }
            collect()
        })?;
        progress.check()?;
        let left = std::mem::take(&mut *locked(&returned));
        left.iter().try_for_each(|range| self.resident.filter(leaves, range, columns, bits.address()))?;
        Ok(bits)
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves that devices take range by range: each time a share of what is left.
struct Ranges {
    count: usize,
    devices: usize,
    most: usize,
    next: AtomicUsize,
}

impl Ranges {
    /// Ranges of at most `most` leaves; for one device, each is as long as that.
    fn new(count: usize, devices: usize, most: usize) -> Self {
        Self { count, devices, most, next: AtomicUsize::new(0) }
    }

    /// Length of the range that begins at a leaf.
    fn length(&self, first: usize) -> usize {
        if self.devices == 1 {
            return self.most;
        }
        let least = self.count.div_ceil(LEAST_SHARE * self.devices);
        ((self.count - first) / (2 * self.devices)).max(least).min(self.most).max(1)
    }

    /// Length of the longest.
    fn longest(&self) -> usize {
        self.length(0)
    }

    fn take(&self) -> Option<Range<usize>> {
        let after = |first: usize| (first < self.count).then(|| self.count.min(first + self.length(first)));
        let first = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some(first..after(first)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_leaves_once_and_grow_shorter() {
        for (count, devices, most) in [(0, 2, 5), (1, 4, 9), (1000, 4, 10_000), (12_345, 3, 700), (77, 1, 10)] {
            let ranges = Ranges::new(count, devices, most);
            let all: Vec<Range<usize>> = std::iter::from_fn(|| ranges.take()).collect();
            let leaves: Vec<usize> = all.iter().cloned().flatten().collect();
            assert_eq!(leaves, (0..count).collect::<Vec<_>>());
            assert!(all.iter().all(|own| !own.is_empty() && own.len() <= ranges.longest()));
            assert!(all.windows(2).all(|pair| pair[1].len() <= pair[0].len()), "{all:?}");
        }
    }
}
