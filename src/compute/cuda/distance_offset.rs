//! Offsets by exact distance on a CUDA device.

use std::sync::Arc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::queries::Candidates;
use super::scan;
use super::surface::DeviceSurface;
use super::voxels::{self, DeviceVolume, LatticeParameter, TreeParameter};
use crate::Capability;
use crate::distance_offset::{Answer, Request};
use base::{Progress, Result, UserError};
use geometry::Sides;
use geometry::voxels::{BuildTimes, Cube, Lattice, Layout, merge};

/// `Offset` of distance_offset.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct OffsetParameter {
    lattice: LatticeParameter,
    distance_mm: f64,
    is_open: u32,
    low: [u32; 3],
    high: [u32; 3],
    pad: u32,
}

/// Voxels that are wanted, from `low` to before `high`.
#[derive(Clone, Copy)]
struct Window {
    low: [u32; 3],
    high: [u32; 3],
}

impl Window {
    const ALL: Self = Self { low: [0; 3], high: [u32::MAX; 3] };

    /// Boxes of equally many root cells, `per_axis` along each axis.
    fn boxes(layout: Layout, height: u32, per_axis: u32) -> Vec<Self> {
        let edge = layout.root / per_axis * layout.root_cube(height, 0).edge;
        let at = |number: u32| [number % per_axis, number / per_axis % per_axis, number / (per_axis * per_axis)];
        let window =
            |steps: [u32; 3]| Self { low: steps.map(|step| step * edge), high: steps.map(|step| (step + 1) * edge) };
        (0..per_axis.pow(3)).map(|number| window(at(number))).collect()
    }

    fn contains(&self, cube: &Cube) -> bool {
        (0..3).all(|axis| (self.low[axis]..self.high[axis]).contains(&cube.min[axis]))
    }
}

/// `Cubes` of distance_offset.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct CubesParameter {
    cubes: u64,
    known: u64,
    signed_mm: u64,
    count: u32,
    edge: u32,
    outer_edge: u32,
    pad: u32,
}

impl CubesParameter {
    /// Cubes without distances.
    pub fn of(cubes: &Buffer<[u32; 4]>, edge: u32) -> Self {
        let count = cubes.count() as u32;
        Self { cubes: cubes.address(), known: 0, signed_mm: 0, count, edge, outer_edge: edge, pad: 0 }
    }
}

/// Cubes of one size on the device, and what is known of the distance where they come from.
struct Cubes {
    cubes: Buffer<[u32; 4]>,
    known: Option<Buffer<f64>>,
    signed_mm: Buffer<f64>,
    count: usize,
    edge: u32,
    outer_edge: u32,
}

/// Bytes per cube in work: itself, two distances, its candidates and two flags.
const BYTES_PER_CUBE: usize = 16 + 8 + 8 + Candidates::BYTES + 8;
/// Voxels per axis from which the memory is looked at before, unless the device has little.
const MIN_LARGE: u32 = 2048;
const SMALL_BYTES: usize = 1 << 30;
/// Voxels of the leaves whose parts are in work at a time.
const VOXELS_AT_A_TIME: usize = 1 << 24;

impl Cubes {
    fn parameter(&self) -> CubesParameter {
        CubesParameter {
            cubes: self.cubes.address(),
            known: self.known.as_ref().map_or(0, Buffer::address),
            signed_mm: self.signed_mm.address(),
            count: self.count as u32,
            edge: self.edge,
            outer_edge: self.outer_edge,
            pad: 0,
        }
    }

    /// Some leaves as parts of themselves, whose distances are known.
    fn leaves(&self, range: std::ops::Range<usize>) -> CubesParameter {
        let whole = self.parameter();
        CubesParameter {
            cubes: whole.cubes + (range.start * size_of::<[u32; 4]>()) as u64,
            known: 0,
            signed_mm: whole.known + (range.start * size_of::<f64>()) as u64,
            count: range.len() as u32,
            ..whole
        }
    }
}

/// Signed distances of the centres of cubes from a resident surface.
pub(super) struct Distances {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    parameter: OffsetParameter,
}

impl Distances {
    /// Of cubes of `lattice`; unsigned if the surface is open.
    pub fn new(
        driver: &Arc<dyn Driver>,
        surface: Arc<DeviceSurface>,
        lattice: &Lattice,
        sides: Sides,
        distance_mm: f64,
    ) -> Self {
        let lattice = LatticeParameter::new(lattice);
        let Window { low, high } = Window::ALL;
        let parameter =
            OffsetParameter { lattice, distance_mm, is_open: u32::from(sides == Sides::Open), low, high, pad: 0 };
        Self { driver: Arc::clone(driver), surface, parameter }
    }

    /// Signed distances, mm, of the centres of cubes of `edge` voxels. `known`: those of the cubes that each was halved
    /// from.
    pub fn of(&self, cubes: &Buffer<[u32; 4]>, known: Option<&Buffer<f64>>, edge: u32) -> Result<Buffer<f64>> {
        let count = cubes.count();
        require(self.driver.as_ref(), count * BYTES_PER_CUBE, Request::LABEL)?;
        let signed_mm = Buffer::new(&self.driver, count)?;
        self.measure(&CubesParameter {
            cubes: cubes.address(),
            known: known.map_or(0, Buffer::address),
            signed_mm: signed_mm.address(),
            count: count as u32,
            edge,
            outer_edge: 2 * edge,
            pad: 0,
        })?;
        Ok(signed_mm)
    }

    fn measure(&self, cubes: &CubesParameter) -> Result<()> {
        let (driver, count) = (self.driver.as_ref(), cubes.count as usize);
        let candidates = Candidates::new(&self.driver, count)?;
        let (surface, candidates) = (self.surface.parameter(), candidates.parameter(count));
        let arguments: [&[u8]; 4] =
            [bytes_of(&surface), bytes_of(&self.parameter), bytes_of(cubes), bytes_of(&candidates)];
        for kernel in ["offset_candidates", "offset_settle", "offset_distances"] {
            launch_each(driver, kernel, count, &arguments)?;
        }
        Ok(())
    }
}

/// The children of the open cells of a level, and the distances of the centres of these.
pub(super) struct Children {
    pub cubes: Buffer<[u32; 4]>,
    pub known: Option<Buffer<f64>>,
}

/// Divides the cells of a level that are open and completes their codes; with a branching of 1 they become leaves.
pub(super) fn children(
    driver: &Arc<dyn Driver>,
    level: &CubesParameter,
    [codes, is_open]: [&Buffer<u32>; 2],
    branching: u32,
    keeps_known: bool,
) -> Result<Children> {
    let (ranks, open) = scan::exclusive(driver, is_open)?;
    let per_cell = branching.pow(3) as usize;
    let count = open as usize * per_cell;
    if count >= voxels::MAX_CELLS {
        return Err(UserError::input("The volume has more cells than can be numbered; choose a lower resolution."));
    }
    require(driver.as_ref(), count * BYTES_PER_CUBE, Request::LABEL)?;
    let cubes = Buffer::<[u32; 4]>::new(driver, count)?;
    let known = keeps_known.then(|| Buffer::<f64>::new(driver, count)).transpose()?;
    let (of_codes, of_open, of_ranks) = (codes.address(), is_open.address(), ranks.address());
    let (of_children, of_known) = (cubes.address(), known.as_ref().map_or(0, Buffer::address));
    let arguments: [&[u8]; 7] = [
        bytes_of(level),
        bytes_of(&of_codes),
        bytes_of(&of_open),
        bytes_of(&of_ranks),
        bytes_of(&branching),
        bytes_of(&of_children),
        bytes_of(&of_known),
    ];
    launch_each(driver.as_ref(), "offset_children", level.count as usize * per_cell, &arguments)?;
    Ok(Children { cubes, known })
}

/// The skin of a volume: words of two bits a voxel from the bits of a tree.
pub(super) fn skin(
    driver: &Arc<dyn Driver>,
    tree: &TreeParameter,
    leaves: &Buffer<[u32; 4]>,
    layout: Layout,
) -> Result<Buffer<u32>> {
    let words = Buffer::<u32>::new(driver, leaves.count() * layout.leaf_words())?;
    let (of_leaves, count, of_words) = (leaves.address(), leaves.count() as u32, words.address());
    let arguments: [&[u8]; 4] = [bytes_of(tree), bytes_of(&of_leaves), bytes_of(&count), bytes_of(&of_words)];
    launch_each(driver.as_ref(), "offset_skin", leaves.count() * (layout.leaf as usize).pow(2), &arguments)?;
    driver.synchronize()?;
    Ok(words)
}

/// A surface resident on a device; the computation can be repeated.
pub struct DistanceOffsetJob<'a> {
    driver: Arc<dyn Driver>,
    request: Request<'a>,
    distances: Distances,
}

impl<'a> DistanceOffsetJob<'a> {
    /// `surface` is the resident copy of the surface in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Self {
        let distances = Distances::new(driver, surface, &request.lattice, request.solid.sides(), request.distance_mm);
        Self { driver: Arc::clone(driver), request: *request, distances }
    }

    /// Computes the volume; waits for the number of cells of every level.
    pub fn launch(&self, progress: &Progress) -> Result<DeviceVolume> {
        self.launch_in(Window::ALL, progress)
    }

    /// Boxes per axis, a power of two, in which the volume should be computed so that the device has the memory for each.
    pub fn boxes(&self) -> Result<u32> {
        let (Request { lattice, layout, .. }, free) = (self.request, self.driver.free_bytes()?);
        if lattice.voxels < MIN_LARGE && free > SMALL_BYTES {
            return Ok(1);
        }
        let size = self.request.expected_size();
        let voxels = u64::from(layout.leaf).pow(3);
        let per_leaf = voxels / 8 + voxels / 4 + 40;
        let at_a_time = (VOXELS_AT_A_TIME as u64 / voxels).min(size.filled_leaves) * voxels / 8;
        let needed = (size.cells + at_a_time) * BYTES_PER_CUBE as u64 + size.filled_leaves * per_leaf;
        let mut per_axis = 1;
        // The surface, not the volume, is divided: each box has about the square of its edge. Half is left for what lies
        // unevenly.
        while per_axis < layout.root && needed / u64::from(per_axis * per_axis) > free as u64 / 2 {
            per_axis *= 2;
        }
        Ok(per_axis)
    }

    /// Computes the volume in `per_axis` boxes along each axis, a power of two up to the cells of the root grid, of which
    /// one at a time is on the device.
    pub fn run(&self, per_axis: u32, progress: &Progress) -> Result<Answer> {
        if per_axis == 1 {
            return self.read(&self.launch(progress)?);
        }
        let Request { lattice, layout, cell_format, .. } = self.request;
        let height = layout.height(lattice.voxels);
        let windows = Window::boxes(layout, height, per_axis);
        let (mut parts, mut times) = (Vec::new(), BuildTimes::default());
        for (number, window) in windows.iter().enumerate() {
            let share = |number: usize| number as f32 / windows.len() as f32;
            let volume = self.launch_in(*window, &progress.part(share(number), share(number + 1)))?;
            let part = self.read(&volume)?;
            times.branching_ms += part.times.branching_ms;
            times.leaves_ms += part.times.leaves_ms;
            times.compaction_ms += part.times.compaction_ms;
            parts.push(part.tree);
        }
        let part_of = |cube: &Cube| windows.iter().position(|window| window.contains(cube)).unwrap_or(0);
        Ok(Answer { tree: merge(lattice, layout, cell_format, &parts, part_of)?, times })
    }

    /// The volume within a window; the leaves beside it are looked into, too, so that its skin is right.
    fn launch_in(&self, window: Window, progress: &Progress) -> Result<DeviceVolume> {
        let wanted = OffsetParameter { low: window.low, high: window.high, ..self.distances.parameter };
        let (layout, lattice) = (self.request.layout, &self.request.lattice);
        let height = layout.height(lattice.voxels);
        let started = Instant::now();
        let roots: Vec<[u32; 4]> = (0..layout.root_cells())
            .map(|root| {
                let [x, y, z] = layout.root_cube(height, root).min;
                [x, y, z, 0]
            })
            .collect();
        let edge = layout.root_cube(height, 0).edge;
        let mut level = self.cubes(Buffer::from_slice(&self.driver, &roots)?, None, roots.len(), edge, edge)?;
        let mut levels = Vec::new();
        for depth in 0..=height {
            progress.report(0.3 * depth as f32 / (height + 1) as f32, Request::LABEL)?;
            let branching = if depth == height { 1 } else { layout.branching };
            let (codes, next) = self.divide(&level, &wanted, branching)?;
            levels.push(codes);
            level = next;
        }
        self.driver.synchronize()?;
        let branching_ms = started.elapsed().as_secs_f64() * 1e3;
        let started = Instant::now();
        let words = self.leaves(&level, &levels, progress)?;
        self.driver.synchronize()?;
        let leaves_ms = started.elapsed().as_secs_f64() * 1e3;
        let times = BuildTimes { branching_ms, leaves_ms, compaction_ms: 0.0 };
        Ok(DeviceVolume { levels, words, times })
    }

    /// Downloads a volume.
    pub fn read(&self, volume: &DeviceVolume) -> Result<Answer> {
        let Request { lattice, layout, cell_format, .. } = self.request;
        let (tree, times) = volume.read(lattice, layout, cell_format)?;
        Ok(Answer { tree, times })
    }

    fn cubes(
        &self,
        cubes: Buffer<[u32; 4]>,
        known: Option<Buffer<f64>>,
        count: usize,
        edge: u32,
        outer_edge: u32,
    ) -> Result<Cubes> {
        let signed_mm = Buffer::new(&self.driver, count)?;
        Ok(Cubes { cubes, known, signed_mm, count, edge, outer_edge })
    }

    /// The codes of a level's cells, and the children of those that are divided; with a branching of 1 the leaves.
    fn divide(&self, level: &Cubes, wanted: &OffsetParameter, branching: u32) -> Result<(Buffer<u32>, Cubes)> {
        let driver = &self.driver;
        require(driver.as_ref(), level.count * BYTES_PER_CUBE, Request::LABEL)?;
        let parameter = level.parameter();
        self.distances.measure(&parameter)?;
        let (codes, is_open) = (Buffer::<u32>::new(driver, level.count)?, Buffer::<u32>::new(driver, level.count)?);
        let (of_codes, of_open) = (codes.address(), is_open.address());
        let arguments: [&[u8]; 4] = [bytes_of(wanted), bytes_of(&parameter), bytes_of(&of_codes), bytes_of(&of_open)];
        launch_each(driver.as_ref(), "offset_cells", level.count, &arguments)?;
        let Children { cubes, known } = children(driver, &parameter, [&codes, &is_open], branching, true)?;
        let count = cubes.count();
        let next = self.cubes(cubes, known, count, level.edge / branching, level.edge)?;
        Ok((codes, next))
    }

    /// The words of all leaves.
    fn leaves(&self, leaves: &Cubes, levels: &[Buffer<u32>], progress: &Progress) -> Result<Buffer<u32>> {
        let (driver, layout) = (&self.driver, self.request.layout);
        let voxels = (layout.leaf as usize).pow(3);
        require(driver.as_ref(), leaves.count * (voxels / 8 + voxels / 4), Request::LABEL)?;
        let bits = Buffer::<u32>::zeros(driver, leaves.count * voxels / 32)?;
        let at_a_time = VOXELS_AT_A_TIME / voxels;
        for first in (0..leaves.count).step_by(at_a_time) {
            progress.report(0.3 + 0.6 * first as f32 / leaves.count as f32, Request::LABEL)?;
            self.fill(leaves.leaves(first..leaves.count.min(first + at_a_time)), &bits)?;
        }
        skin(driver, &TreeParameter::new(layout, levels, &bits), &leaves.cubes, layout)
    }

    /// Sets the bits of the voxels in the volume: parts of leaves are divided until all of them are decided.
    fn fill(&self, leaves: CubesParameter, bits: &Buffer<u32>) -> Result<()> {
        let driver = &self.driver;
        let leaf_bits = self.request.layout.leaf.trailing_zeros();
        let count = Buffer::<u32>::new(driver, 1)?;
        let (mut parameter, mut parts) = (leaves, None::<Cubes>);
        while parameter.count > 0 {
            let capacity = if parameter.edge > 1 { 8 * parameter.count as usize } else { 0 };
            require(driver.as_ref(), capacity * BYTES_PER_CUBE, Request::LABEL)?;
            let (next, known) = (Buffer::<[u32; 4]>::new(driver, capacity)?, Buffer::<f64>::new(driver, capacity)?);
            driver.clear(count.address(), size_of::<u32>())?;
            let (of_bits, of_next, of_known) = (bits.address(), next.address(), known.address());
            let of_count = count.address();
            let arguments: [&[u8]; 7] = [
                bytes_of(&self.distances.parameter),
                bytes_of(&parameter),
                bytes_of(&leaf_bits),
                bytes_of(&of_bits),
                bytes_of(&of_next),
                bytes_of(&of_known),
                bytes_of(&of_count),
            ];
            launch_each(driver.as_ref(), "offset_parts", parameter.count as usize, &arguments)?;
            let open = count.read()?.iter().sum::<u32>() as usize;
            let next = self.cubes(next, Some(known), open, parameter.edge / 2, parameter.edge)?;
            parameter = next.parameter();
            self.distances.measure(&parameter)?;
            // What was divided is no longer needed; its parts are.
            drop(parts.replace(next));
        }
        Ok(())
    }
}
