//! Dilations and erosions of voxel volumes by templates on a CUDA device.

use std::sync::Arc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};

use super::distance_offset::{Children, CubesParameter, children, skin};
use super::driver::{Buffer, Driver, launch_each, require};
use super::voxels::{DeviceTree, DeviceVolume, TreeParameter};
use crate::Capability;
use crate::morphological_offset::{Answer, Request, template};
use base::random::Random;
use base::{Progress, Result};
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

/// A volume resident on a device; the computation can be repeated.
pub struct MorphologicalOffsetJob<'a> {
    driver: Arc<dyn Driver>,
    request: Request<'a>,
    source: DeviceTree,
    bits: Buffer<u32>,
    template: Buffer<i32>,
}

impl<'a> MorphologicalOffsetJob<'a> {
    /// Uploads the volume and the template.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'a>) -> Result<Self> {
        let is_erosion = u32::from(request.distance < 0.0);
        let source = DeviceTree::new(driver, request.tree)?;
        let bits = source.bits("template_bits", &[bytes_of(&is_erosion)])?;
        let mut voxels = template(request.template, request.distance.abs());
        // In any order but that of space, some voxel of the first ones decides on most columns.
        Random::new(1, 0).shuffle(&mut voxels);
        let template = Buffer::from_slice(driver, cast_slice(&voxels))?;
        Ok(Self { driver: Arc::clone(driver), request: *request, source, bits, template })
    }

    /// Computes the volume; waits for the number of cells of every level.
    pub fn run(&self, progress: &Progress) -> Result<Answer> {
        let (driver, layout) = (&self.driver, self.request.tree.layout());
        let (lattice, height) = (*self.request.tree.lattice(), self.request.tree.height());
        let shape = TemplateParameter {
            voxels: self.template.address(),
            count: self.template.count() as u32 / 3,
            is_erosion: u32::from(self.request.distance < 0.0),
            reach: self.request.distance.abs().ceil() as i32,
            pad: 0,
        };
        let tree = self.source.parameter(&self.bits);
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
        let bits = self.filter(&tree, &shape, &cubes, &progress.part(0.2, 0.9))?;
        let words = skin(driver, &TreeParameter::new(layout, &levels, &bits), &cubes, layout)?;
        let leaves_ms = started.elapsed().as_secs_f64() * 1e3;
        let times = BuildTimes { branching_ms, leaves_ms, compaction_ms: 0.0 };
        let volume = DeviceVolume { levels, words, times };
        let (tree, times) = volume.read(lattice, layout, self.request.tree.cells().format())?;
        Ok(Answer { tree, filtered: cubes.count(), template: shape.count as usize, times })
    }

    /// The bits of the voxels of the leaves.
    fn filter(
        &self,
        tree: &TreeParameter,
        shape: &TemplateParameter,
        leaves: &Buffer<[u32; 4]>,
        progress: &Progress,
    ) -> Result<Buffer<u32>> {
        let (driver, edge) = (&self.driver, self.request.tree.layout().leaf as usize);
        let voxels = edge.pow(3);
        require(driver.as_ref(), leaves.count() * (voxels / 8 + voxels / 4), Request::LABEL)?;
        let bits = Buffer::<u32>::new(driver, leaves.count() * voxels / 32)?;
        let at_a_time = (TESTS_AT_A_TIME / (voxels * shape.count as usize)).max(1);
        for first in (0..leaves.count()).step_by(at_a_time) {
            progress.report(first as f32 / leaves.count() as f32, Request::LABEL)?;
            let count = at_a_time.min(leaves.count() - first) as u32;
            let (of_leaves, of_bits, first) = (leaves.address(), bits.address(), first as u32);
            let arguments: [&[u8]; 6] = [
                bytes_of(tree),
                bytes_of(shape),
                bytes_of(&of_leaves),
                bytes_of(&first),
                bytes_of(&count),
                bytes_of(&of_bits),
            ];
            launch_each(driver.as_ref(), "template_filter", count as usize * edge * edge, &arguments)?;
            // Otherwise all of it would be queued, and cancelling would wait for it.
            driver.synchronize()?;
        }
        Ok(bits)
    }
}
