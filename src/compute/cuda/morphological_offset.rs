//! Dilations and erosions of voxel volumes by templates on a CUDA device.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};

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
        let arguments: [&[u8]; 6] = [
            bytes_of(&tree),
            bytes_of(&shape),
            bytes_of(&of_leaves),
            bytes_of(&first),
            bytes_of(&count),
            bytes_of(&of_bits),
        ];
        launch_each(self.driver.as_ref(), "template_filter", range.len() * columns, &arguments)?;
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
        let mut voxels = template(request.template, request.distance.abs());
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

    /// The bits of the voxels of the leaves. Devices take ranges of leaves as they finish the ones before.
    fn filter(&self, leaves: &Buffer<[u32; 4]>, progress: &Progress) -> Result<Buffer<u32>> {
        let (driver, edge) = (&self.resident.driver, self.request.tree.layout().leaf as usize);
        let (voxels, columns) = (edge.pow(3), edge * edge);
        require(driver.as_ref(), leaves.count() * (voxels / 8 + voxels / 4), Request::LABEL)?;
        let words = voxels / 32;
        let bits = Buffer::<u32>::new(driver, leaves.count() * words)?;
        let devices = 1 + self.companions.len();
        let most = (TESTS_AT_A_TIME / (voxels * self.resident.shape().count.max(1) as usize)).max(1);
        let at_a_time = if devices > 1 { most.min(leaves.count().div_ceil(16 * devices)).max(1) } else { most };
        let (next, returned) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let returned = || returned.lock().unwrap_or_else(PoisonError::into_inner);
        let take = || -> Result<Option<Range<usize>>> {
            let first = next.fetch_add(at_a_time, Ordering::Relaxed);
            progress.report((first as f32 / leaves.count().max(1) as f32).min(1.0), Request::LABEL)?;
            Ok((first < leaves.count()).then(|| first..leaves.count().min(first + at_a_time)))
        };
        let host_leaves = if self.companions.is_empty() { Vec::new() } else { leaves.read()? };
        let some = |device: &Resident, leaves: &Buffer<[u32; 4]>, own: &Buffer<u32>, range: &Range<usize>| {
            let of_bits = own.address().wrapping_sub((range.start * words * 4) as u64);
            device.filter(leaves, range, columns, of_bits)?;
            let mut part = own.read()?;
            part.truncate(range.len() * words);
            Ok::<_, UserError>(part)
        };
        // What a device does not finish is returned.
        let shared = |device: &Resident| -> Result<Vec<(Range<usize>, Vec<u32>)>> {
            let leaves = Buffer::from_slice(&device.driver, &host_leaves)?;
            let own = Buffer::<u32>::new(&device.driver, at_a_time * words)?;
            let mut done = Vec::new();
            while let Some(range) = take()? {
                match some(device, &leaves, &own, &range) {
                    Ok(part) => done.push((range, part)),
                    Err(_) => {
                        returned().push(range);
                        break;
                    }
                }
            }
            Ok(done)
        };
        std::thread::scope(|scope| -> Result<()> {
            let shared = &shared;
            let others: Vec<_> = self.companions.iter().map(|device| scope.spawn(move || shared(device))).collect();
            while let Some(range) = take()? {
                self.resident.filter(leaves, &range, columns, bits.address())?;
            }
            for other in others {
                let done = other.join().map_err(|_| UserError::internal("A device that shared the work stopped."))?;
                // One without memory for the leaves has taken none.
                for (range, part) in done.unwrap_or_default() {
                    driver.upload(bits.address() + (range.start * words * 4) as u64, cast_slice(&part))?;
                }
            }
            Ok(())
        })?;
        progress.check()?;
        let left = std::mem::take(&mut *returned());
        left.iter().try_for_each(|range| self.resident.filter(leaves, range, columns, bits.address()))?;
        Ok(bits)
    }
}
