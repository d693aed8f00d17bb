//! Distance fields on a CUDA device: level by level, whose nodes the host numbers.

use std::sync::Arc;
use std::thread::JoinHandle;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice_mut};
use rayon::prelude::*;

use super::distance_offset::Distances;
use super::driver::{Buffer, Driver, launch_each, require};
use super::queries::Candidates;
use super::surface::DeviceSurface;
use super::voxels::LatticeParameter;
use crate::Capability;
use crate::distance_field::Request;
use base::{Progress, Result, UserError};
use geometry::Sides;
use geometry::distance_field::{BRICK, BRICK_SAMPLES, BRICK_WORDS, DistanceField, Node};
use geometry::voxels::{CellState, Lattice};

/// `Grid` of distance_field.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct GridParameter {
    lattice: LatticeParameter,
    reach_mm: f64,
    tolerance_mm: f64,
    unit_mm: f64,
    is_open: u32,
    pad: u32,
}

/// `Bricks` of distance_field.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BricksParameter {
    nodes: u64,
    centres_mm: u64,
    numbers: u64,
    samples_mm: u64,
    count: u32,
    step: u32,
}

/// Bricks in work at a time.
const BRICKS_AT_A_TIME: usize = 1 << 14;
/// Bytes per brick in work.
const BYTES_PER_BRICK: usize = BRICK_SAMPLES * (8 + Candidates::BYTES) + 4 * BRICK_WORDS + 12;

/// A surface resident on a device; the computation can be repeated.
pub struct DistanceFieldJob<'a> {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    request: Request<'a>,
    distances: Distances,
    parameter: GridParameter,
}

/// The nodes of a level.
struct Level {
    /// First samples, in finest intervals.
    nodes: Vec<[u32; 4]>,
    /// Signed distances of the centres of the nodes that they are children of, mm; empty for root nodes.
    known_mm: Vec<f64>,
}

/// The words of bricks; on the device as long as there is memory, since memory of the host is slow to come by.
struct Bricks {
    driver: Arc<dyn Driver>,
    on_device: Vec<Buffer<u32>>,
    words: Vec<u32>,
    /// Memory of the host for all of them, once their number is known.
    room: Option<JoinHandle<Vec<u32>>>,
}

impl Bricks {
    fn new(driver: &Arc<dyn Driver>) -> Self {
        Self { driver: Arc::clone(driver), on_device: Vec::new(), words: Vec::new(), room: None }
    }

    fn words_on_device(&self) -> usize {
        self.on_device.iter().map(Buffer::count).sum()
    }

    fn count(&self) -> usize {
        (self.words.len() + self.words_on_device()) / BRICK_WORDS
    }

    /// Takes memory of the host for all bricks, `more` of which are to come, while the device computes those.
    fn expect(&mut self, more: usize) {
        let words = (self.count() + more) * BRICK_WORDS;
        self.room = Some(std::thread::spawn(move || rayon::iter::repeat_n(0, words).collect()));
    }

    fn push(&mut self, words: Buffer<u32>) -> Result<()> {
        self.on_device.push(words);
        if 4 * self.words_on_device() > self.driver.free_bytes()? {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let before = self.words.len();
        if let Some(Ok(mut room)) = self.room.take().map(JoinHandle::join) {
            room[..before].copy_from_slice(&self.words);
            self.words = room;
        }
        self.words.resize(before + self.words_on_device(), 0);
        let mut rest = &mut self.words[before..];
        for words in self.on_device.drain(..) {
            let (own, others) = rest.split_at_mut(words.count());
            self.driver.download(cast_slice_mut(own), words.address())?;
            rest = others;
        }
        Ok(())
    }

    fn download(mut self) -> Result<Vec<u32>> {
        self.flush()?;
        Ok(self.words)
    }
}

impl<'a> DistanceFieldJob<'a> {
    /// `surface` is the resident copy of the surface in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Self {
        let grid = &request.grid;
        // Only its origin and spacing count.
        let lattice = Lattice { origin: grid.origin, voxel_mm: grid.spacing_mm, voxels: 1 };
        let sides = request.solid.sides();
        let distances = Distances::new(driver, Arc::clone(&surface), &lattice, sides, 0.0);
        let parameter = GridParameter {
            lattice: LatticeParameter::new(&lattice),
            reach_mm: grid.reach_mm,
            tolerance_mm: request.tolerance_mm,
            unit_mm: grid.unit_mm(),
            is_open: u32::from(sides == Sides::Open),
            pad: 0,
        };
        Self { driver: Arc::clone(driver), surface, request: *request, distances, parameter }
    }

    /// Computes the field.
    pub fn run(&self, progress: &Progress) -> Result<DistanceField> {
        let grid = &self.request.grid;
        let roots = (0..grid.root_count()).map(|root| {
            let [x, y, z] = grid.root_min(root);
            [x, y, z, 0]
        });
        let mut level = Level { nodes: roots.collect(), known_mm: Vec::new() };
        let (mut nodes, mut bricks) = (Vec::new(), Bricks::new(&self.driver));
        for depth in 0..=grid.depth {
            let part =
                progress.part(depth as f32 / (grid.depth + 1) as f32, (depth + 1) as f32 / (grid.depth + 1) as f32);
            level = self.divide(&level, grid.depth - depth, &mut nodes, &mut bricks, &part)?;
            if nodes.len() + level.nodes.len() > Node::MAX_INDEX {
                let sentence = "The distance field is too fine to be numbered; choose a lower resolution.";
                return Err(UserError::input(sentence));
            }
        }
        Ok(DistanceField::new(*grid, nodes, bricks.download()?))
    }

    /// Appends the nodes of a level, which can be halved `halvings` times, and its bricks. Returns the children of those
    /// that are divided.
    fn divide(
        &self,
        level: &Level,
        halvings: u32,
        nodes: &mut Vec<Node>,
        bricks: &mut Bricks,
        progress: &Progress,
    ) -> Result<Level> {
        let (driver, step) = (&self.driver, 1 << halvings);
        let cubes = Buffer::from_slice(driver, &level.nodes)?;
        let known = (!level.known_mm.is_empty()).then(|| Buffer::from_slice(driver, &level.known_mm)).transpose()?;
        let centres = self.distances.of(&cubes, known.as_ref(), BRICK * step)?;
        let (count, states) = (level.nodes.len(), Buffer::<u32>::new(driver, level.nodes.len())?);
        let (of_centres, of_count, of_states) = (centres.address(), count as u32, states.address());
        let arguments: [&[u8]; 5] = [
            bytes_of(&self.parameter),
            bytes_of(&of_centres),
            bytes_of(&of_count),
            bytes_of(&step),
            bytes_of(&of_states),
        ];
        launch_each(driver.as_ref(), "field_states", count, &arguments)?;
        let (states, centres_mm) = (states.read()?, centres.read()?);
        let first = nodes.len();
        nodes.extend(states.iter().map(|state| match *state {
            state if state == CellState::Full as u32 => Node::new(CellState::Full, 0),
            _ => Node::new(CellState::Empty, 0),
        }));
        let near: Vec<u32> = (0..count as u32).filter(|i| states[*i as usize] == CellState::Boundary as u32).collect();
        if halvings == 0 {
            bricks.expect(near.len());
        }
        let mut children = Level { nodes: Vec::new(), known_mm: Vec::new() };
        let first_child = first + count;
        for (chunk, numbers) in near.chunks(BRICKS_AT_A_TIME).enumerate() {
            progress.report((chunk * BRICKS_AT_A_TIME) as f32 / near.len() as f32, Request::LABEL)?;
            let divided = self.bricks((&cubes, &centres, numbers), halvings, bricks)?;
            let mut next_brick = bricks.count() - divided.iter().filter(|divided| **divided == 0).count();
            for (number, is_divided) in numbers.iter().zip(divided) {
                let number = *number as usize;
                if is_divided == 0 {
                    nodes[first + number] = Node::new(CellState::Boundary, next_brick);
                    next_brick += 1;
                    continue;
                }
                nodes[first + number] = Node::new(CellState::Branch, first_child + children.nodes.len());
                let [x, y, z, _] = level.nodes[number];
                let half = BRICK * step / 2;
                let child = |own: u32| [x + (own & 1) * half, y + (own >> 1 & 1) * half, z + (own >> 2) * half, 0];
                children.nodes.extend((0..8).map(child));
                children.known_mm.extend([centres_mm[number]; 8]);
            }
        }
        Ok(children)
    }

    /// Samples bricks and appends those that are not divided. Returns which are, as 0 or 1.
    fn bricks(
        &self,
        (nodes, centres, numbers): (&Buffer<[u32; 4]>, &Buffer<f64>, &[u32]),
        halvings: u32,
        kept_bricks: &mut Bricks,
    ) -> Result<Vec<u32>> {
        let (driver, count) = (&self.driver, numbers.len());
        require(driver.as_ref(), count * BYTES_PER_BRICK, Request::LABEL)?;
        let total = count * BRICK_SAMPLES;
        let (samples, numbers) = (Buffer::<f64>::new(driver, total)?, Buffer::from_slice(driver, numbers)?);
        let candidates = Candidates::new(driver, total)?;
        let bricks = BricksParameter {
            nodes: nodes.address(),
            centres_mm: centres.address(),
            numbers: numbers.address(),
            samples_mm: samples.address(),
            count: count as u32,
            step: 1 << halvings,
        };
        let (surface, candidates) = (self.surface.parameter(), candidates.parameter(total));
        let arguments: [&[u8]; 4] =
            [bytes_of(&surface), bytes_of(&self.parameter), bytes_of(&bricks), bytes_of(&candidates)];
        for kernel in ["field_candidates", "field_settle", "field_samples"] {
            launch_each(driver.as_ref(), kernel, total, &arguments)?;
        }
        let is_divided = Buffer::<u32>::zeros(driver, count)?;
        if halvings > 0 {
            let of_divided = is_divided.address();
            let arguments: [&[u8]; 3] = [bytes_of(&self.parameter), bytes_of(&bricks), bytes_of(&of_divided)];
            launch_each(driver.as_ref(), "field_ridges", total, &arguments)?;
        }
        let divided = is_divided.read()?;
        let kept: Vec<u32> = (0..count as u32).filter(|i| divided[*i as usize] == 0).collect();
        let packed = Buffer::<u32>::new(driver, kept.len() * BRICK_WORDS)?;
        let kept = Buffer::from_slice(driver, &kept)?;
        let (of_kept, kept_count, of_packed) = (kept.address(), kept.count() as u32, packed.address());
        let arguments: [&[u8]; 5] = [
            bytes_of(&self.parameter),
            bytes_of(&bricks),
            bytes_of(&of_kept),
            bytes_of(&kept_count),
            bytes_of(&of_packed),
        ];
        launch_each(driver.as_ref(), "field_pack", packed.count(), &arguments)?;
        kept_bricks.push(packed)?;
        Ok(divided)
    }
}
