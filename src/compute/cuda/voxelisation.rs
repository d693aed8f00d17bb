//! Voxelisation on a CUDA device.

use std::sync::Arc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::queries::Candidates;
use super::surface::DeviceSurface;
use super::voxels::{self, DeviceVolume, LatticeParameter};
use super::{scan, sort};
use crate::Capability;
use crate::voxelisation::{Answer, Request};
use base::{Progress, Result, UserError};
use geometry::Sides;
use geometry::voxels::BuildTimes;

/// Size of `LatticeFacet` of voxelisation.cu, bytes.
const FACET_BYTES: usize = 8 * (6 + 4 + 27);

/// `Level` of voxelisation.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct LevelParameter {
    cells: u64,
    of_cell: u64,
    of_facet: u64,
    pairs: u32,
    cell_count: u32,
    edge: u32,
    branching: u32,
}

/// `Leaves` of voxelisation.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct LeavesParameter {
    leaves: u64,
    of_leaf: u64,
    of_facet: u64,
    pairs: u32,
    count: u32,
    edge: u32,
    pad: u32,
}

/// `Cubes` of voxelisation.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct CubesParameter {
    cubes: u64,
    limit_mm: f64,
    count: u32,
    edge: u32,
}

/// A distance beyond that of everything, mm; FAR_MM of voxels.cuh.
const FAR_MM: f64 = 1e18;

/// Pairs of a cell and a facet that meets it.
struct Pairs {
    of_cell: Buffer<u32>,
    of_facet: Buffer<u32>,
    count: u32,
}

/// Cells of a level.
struct Cells {
    codes: Buffer<u32>,
    /// Those that facets meet.
    met: Buffer<[u32; 4]>,
    met_count: u32,
}

/// A surface resident on a device; the computation can be repeated.
pub struct VoxelisationJob<'a> {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    request: Request<'a>,
    lattice: LatticeParameter,
}

/// A volume on the device, and how long its first step took.
pub struct DeviceVoxels {
    volume: DeviceVolume,
    mapping_ms: f64,
}

impl<'a> VoxelisationJob<'a> {
    /// `surface` is the resident copy of the surface in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Self {
        let lattice = LatticeParameter::new(&request.lattice);
        Self { driver: Arc::clone(driver), surface, request: *request, lattice }
    }

    /// Computes the volume; waits for the numbers of pairs and cells of every level.
    pub fn launch(&self, progress: &Progress) -> Result<DeviceVoxels> {
        let (driver, layout) = (&self.driver, self.request.layout);
        let height = layout.height(self.request.lattice.voxels);
        let started = Instant::now();
        let (facets, mut pairs) = self.map()?;
        driver.synchronize()?;
        let mapping_ms = started.elapsed().as_secs_f64() * 1e3;

        let started = Instant::now();
        let mut edge = layout.root_cube(height, 0).edge;
        let (mut outer, mut levels) = (None::<Cells>, Vec::new());
        for depth in 0..=height {
            progress.report(0.05 + 0.4 * depth as f32 / (height + 1) as f32, Request::LABEL)?;
            if let Some(outer) = &outer {
                pairs = self.divide(&facets, outer, &pairs, edge)?;
                edge /= layout.branching;
            }
            let cells = self.cells(outer.as_ref(), &pairs, edge, depth == height)?;
            if let Some(outer) = outer.replace(cells) {
                levels.push(outer.codes);
            }
        }
        let Some(last) = outer else {
            return Err(UserError::internal("A voxel tree without a level was requested."));
        };
        driver.synchronize()?;
        let branching_ms = started.elapsed().as_secs_f64() * 1e3;
        progress.report(0.5, Request::LABEL)?;

        let started = Instant::now();
        let words = self.leaves(&facets, &last, pairs)?;
        levels.push(last.codes);
        driver.synchronize()?;
        let leaves_ms = started.elapsed().as_secs_f64() * 1e3;
        let times = BuildTimes { branching_ms, leaves_ms, compaction_ms: 0.0 };
        Ok(DeviceVoxels { volume: DeviceVolume { levels, words, times }, mapping_ms })
    }

    /// Downloads a volume.
    pub fn read(&self, voxels: &DeviceVoxels) -> Result<Answer> {
        let Request { lattice, layout, cell_format, .. } = self.request;
        let (tree, times) = voxels.volume.read(lattice, layout, cell_format)?;
        Ok(Answer { tree, mapping_ms: voxels.mapping_ms, times })
    }

    /// The facets in lattice coordinates, and the root cells that they meet.
    fn map(&self) -> Result<(Buffer<u8>, Pairs)> {
        let (driver, mesh) = (&self.driver, self.surface.mesh());
        let count = mesh.count as u32;
        require(driver.as_ref(), mesh.count * (FACET_BYTES + 16), Request::LABEL)?;
        let facets = Buffer::<u8>::new(driver, mesh.count * FACET_BYTES)?;
        let (vertices, indices, of_facets) = (mesh.vertices.address(), mesh.facets.address(), facets.address());
        let arguments: [&[u8]; 5] =
            [bytes_of(&vertices), bytes_of(&indices), bytes_of(&count), bytes_of(&self.lattice), bytes_of(&of_facets)];
        launch_each(driver.as_ref(), "voxel_facets", mesh.count, &arguments)?;
        let layout = self.request.layout;
        let edge = layout.root_cube(layout.height(self.request.lattice.voxels), 0).edge;
        let pairs = self.pairs("voxel_roots", mesh.count, &|tail| {
            let head = [bytes_of(&of_facets), bytes_of(&count), bytes_of(&layout.root), bytes_of(&edge)];
            launch_each(driver.as_ref(), "voxel_roots", mesh.count, &[&head[..], tail].concat())
        })?;
        Ok((facets, pairs))
    }

    /// The pairs that a kernel finds for `count` items: it is launched once to count them and once to write them.
    fn pairs(&self, kernel: &str, count: usize, launch: &dyn Fn(&[&[u8]]) -> Result<()>) -> Result<Pairs> {
        let (driver, none) = (&self.driver, 0_u64);
        let counts = Buffer::<u32>::zeros(driver, count)?;
        let of_counts = counts.address();
        launch(&[bytes_of(&of_counts), bytes_of(&none), bytes_of(&none), bytes_of(&none)])?;
        let (starts, total) = scan::exclusive(driver, &counts)?;
        require(driver.as_ref(), total as usize * 16, kernel)?;
        let pairs = Pairs {
            of_cell: Buffer::new(driver, total as usize)?,
            of_facet: Buffer::new(driver, total as usize)?,
            count: total,
        };
        let (of_starts, of_cell, of_facet) = (starts.address(), pairs.of_cell.address(), pairs.of_facet.address());
        launch(&[bytes_of(&none), bytes_of(&of_starts), bytes_of(&of_cell), bytes_of(&of_facet)])?;
        Ok(pairs)
    }

    /// The pairs of the children of `outer`, whose cells have `edge` voxels per axis.
    fn divide(&self, facets: &Buffer<u8>, outer: &Cells, pairs: &Pairs, edge: u32) -> Result<Pairs> {
        let (of_facets, count) = (facets.address(), pairs.count as usize);
        let level = LevelParameter {
            cells: outer.met.address(),
            of_cell: pairs.of_cell.address(),
            of_facet: pairs.of_facet.address(),
            pairs: pairs.count,
            cell_count: outer.met_count,
            edge,
            branching: self.request.layout.branching,
        };
        self.pairs("voxel_children", count, &|tail| {
            let head = [bytes_of(&of_facets), bytes_of(&level)];
            launch_each(self.driver.as_ref(), "voxel_children", count, &[&head[..], tail].concat())
        })
    }

    /// The cells of a level: the root grid, or the children of the met cells of `outer`. The cells of the pairs become
    /// ranks among those that are met.
    fn cells(&self, outer: Option<&Cells>, pairs: &Pairs, edge: u32, is_leaf: bool) -> Result<Cells> {
        let (driver, layout) = (&self.driver, self.request.layout);
        let (branching, count) = match outer {
            None => (layout.root, layout.root_cells()),
            Some(outer) => (layout.branching, outer.met_count as usize * layout.children() as usize),
        };
        if count >= voxels::MAX_CELLS {
            return Err(UserError::input("The volume has more cells than can be numbered; choose a lower resolution."));
        }
        require(driver.as_ref(), count * (12 + 2 * 16), Request::LABEL)?;
        let flags = Buffer::<u32>::zeros(driver, count)?;
        let (of_cell, of_flags) = (pairs.of_cell.address(), flags.address());
        let pair_count = pairs.count as usize;
        let arguments: [&[u8]; 3] = [bytes_of(&of_cell), bytes_of(&pairs.count), bytes_of(&of_flags)];
        launch_each(driver.as_ref(), "voxel_flags", pair_count, &arguments)?;
        let (ranks, met_count) = scan::exclusive(driver, &flags)?;
        let of_ranks = ranks.address();
        let arguments: [&[u8]; 3] = [bytes_of(&of_cell), bytes_of(&pairs.count), bytes_of(&of_ranks)];
        launch_each(driver.as_ref(), "voxel_ranks", pair_count, &arguments)?;
        let codes = Buffer::<u32>::new(driver, count)?;
        let met = Buffer::<[u32; 4]>::new(driver, met_count as usize)?;
        let free = Buffer::<[u32; 4]>::new(driver, count - met_count as usize)?;
        let of_outer = outer.map_or(0, |outer| outer.met.address());
        let (count_u32, is_leaf, children) = (count as u32, u32::from(is_leaf), layout.children());
        let (of_codes, of_met, of_free) = (codes.address(), met.address(), free.address());
        let arguments: [&[u8]; 11] = [
            bytes_of(&of_outer),
            bytes_of(&count_u32),
            bytes_of(&branching),
            bytes_of(&edge),
            bytes_of(&of_flags),
            bytes_of(&of_ranks),
            bytes_of(&is_leaf),
            bytes_of(&children),
            bytes_of(&of_codes),
            bytes_of(&of_met),
            bytes_of(&of_free),
        ];
        launch_each(driver.as_ref(), "voxel_cells", count, &arguments)?;
        // A facet meets the cell that they are children of.
        let limit_mm = outer.map_or(FAR_MM, |_| self.diagonal_mm(branching * edge));
        self.sides(&free, edge, limit_mm, &codes)?;
        Ok(Cells { codes, met, met_count })
    }

    /// A little more than the diagonal of a cube of `edge` voxels, mm.
    fn diagonal_mm(&self, edge: u32) -> f64 {
        1.001 * 3.0_f64.sqrt() * f64::from(edge) * self.request.lattice.voxel_mm
    }

    /// Searches the facets closest to the centres of cubes.
    fn search(&self, cubes: &CubesParameter) -> Result<Candidates> {
        let (driver, count) = (&self.driver, cubes.count as usize);
        require(driver.as_ref(), count * Candidates::BYTES, Request::LABEL)?;
        let candidates = Candidates::new(driver, count)?;
        let (surface, parameter) = (self.surface.parameter(), candidates.parameter(count));
        let arguments: [&[u8]; 4] =
            [bytes_of(&surface), bytes_of(&self.lattice), bytes_of(cubes), bytes_of(&parameter)];
        for kernel in ["voxel_candidates", "voxel_settle"] {
            launch_each(driver.as_ref(), kernel, count, &arguments)?;
        }
        Ok(candidates)
    }

    fn is_open(&self) -> bool {
        self.request.solid.sides() == Sides::Open
    }

    /// The codes of cells without facets, whose centres are within `limit_mm` of the surface.
    fn sides(&self, free: &Buffer<[u32; 4]>, edge: u32, limit_mm: f64, codes: &Buffer<u32>) -> Result<()> {
        let count = free.count();
        let cubes = CubesParameter { cubes: free.address(), limit_mm, count: count as u32, edge };
        let candidates = match self.is_open() {
            true => Candidates::new(&self.driver, 0)?,
            false => self.search(&cubes)?,
        };
        let (surface, parameter) = (self.surface.parameter(), candidates.parameter(count));
        let (is_open, of_codes) = (u32::from(self.is_open()), codes.address());
        let arguments: [&[u8]; 6] = [
            bytes_of(&surface),
            bytes_of(&self.lattice),
            bytes_of(&cubes),
            bytes_of(&parameter),
            bytes_of(&is_open),
            bytes_of(&of_codes),
        ];
        launch_each(self.driver.as_ref(), "voxel_sides", count, &arguments)
    }

    /// The words of all leaves.
    fn leaves(&self, facets: &Buffer<u8>, last: &Cells, pairs: Pairs) -> Result<Buffer<u32>> {
        let (driver, layout) = (&self.driver, self.request.layout);
        let (count, pair_count) = (last.met_count, pairs.count);
        require(driver.as_ref(), count as usize * layout.leaf_words() * 4 + pair_count as usize * 16, Request::LABEL)?;
        let words = Buffer::<u32>::zeros(driver, count as usize * layout.leaf_words())?;
        if count == 0 {
            return Ok(words);
        }
        let bits = u32::BITS - count.leading_zeros();
        let (of_leaf, of_facet) = sort::by_key(driver, pairs.of_cell, pairs.of_facet, pair_count as usize, bits)?;
        let leaves = LeavesParameter {
            leaves: last.met.address(),
            of_leaf: of_leaf.address(),
            of_facet: of_facet.address(),
            pairs: pair_count,
            count,
            edge: layout.leaf,
            pad: 0,
        };
        let threads = layout.leaf * layout.leaf;
        let (of_facets, of_words) = (facets.address(), words.address());
        // Most leaves are cut in two; where more parts are found than expected, there is room on the second try.
        let (mut capacity, seed_count) = (4 * count as usize, Buffer::<u32>::new(driver, 1)?);
        let (seeds, found) = loop {
            let seeds = Buffer::<[u32; 4]>::new(driver, capacity)?;
            driver.clear(seed_count.address(), size_of::<u32>())?;
            let (of_seeds, capacity_u32, of_count) = (seeds.address(), capacity as u32, seed_count.address());
            let arguments: [&[u8]; 6] = [
                bytes_of(&of_facets),
                bytes_of(&leaves),
                bytes_of(&of_words),
                bytes_of(&of_seeds),
                bytes_of(&capacity_u32),
                bytes_of(&of_count),
            ];
            driver.launch("voxel_skin", count, threads, &arguments)?;
            let found = seed_count.read()?.iter().sum::<u32>() as usize;
            if found <= capacity {
                break (seeds, found);
            }
            capacity = found;
        };
        if self.is_open() || found == 0 {
            return Ok(words);
        }
        let limit_mm = self.diagonal_mm(layout.leaf);
        let seeds = CubesParameter { cubes: seeds.address(), limit_mm, count: found as u32, edge: 1 };
        let candidates = self.search(&seeds)?;
        let (surface, parameter) = (self.surface.parameter(), candidates.parameter(found));
        let arguments: [&[u8]; 6] = [
            bytes_of(&surface),
            bytes_of(&self.lattice),
            bytes_of(&leaves),
            bytes_of(&seeds),
            bytes_of(&parameter),
            bytes_of(&of_words),
        ];
        driver.launch("voxel_fill", found as u32, threads, &arguments)?;
        driver.synchronize()?;
        Ok(words)
    }
}
