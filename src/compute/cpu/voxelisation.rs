//! Voxelisation on the CPU: facets to root cells, down the tree to leaves, then voxel by voxel.

use std::time::Instant;

use rayon::prelude::*;

use crate::Capability;
use crate::voxelisation::{Answer, Request};
use base::{Progress, Result};
use geometry::Sides;
use geometry::voxels::{Class, Cube, LatticeFacet, Solid, Voxel, build, leaf};

/// Facets per task.
const FACETS_PER_TASK: usize = 1024;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Answer> {
    progress.report(0.0, Request::LABEL)?;
    let started = Instant::now();
    let mapped = Mapped::new(request);
    let mapping_ms = started.elapsed().as_secs_f64() * 1e3;
    progress.report(0.02, Request::LABEL)?;
    let built = build(&mapped, request.lattice, request.layout, request.cell_format, &progress.part(0.02, 1.0))?;
    Ok(Answer { tree: built.tree, mapping_ms, times: built.times })
}

/// The facets that meet each root cell.
struct Mapped<'a> {
    request: &'a Request<'a>,
    facets: Vec<LatticeFacet>,
    /// Facets in the order of the root cells they meet.
    order: Vec<u32>,
    /// Start of each root cell in `order`, and the end of the last.
    starts: Vec<usize>,
    root_edge: u32,
}

impl<'a> Mapped<'a> {
    fn new(request: &'a Request<'a>) -> Self {
        let (mesh, lattice, layout) = (request.solid.surface().mesh(), &request.lattice, request.layout);
        let facets: Vec<LatticeFacet> = (0..mesh.facets.len())
            .into_par_iter()
            .map(|facet| LatticeFacet::new(lattice, &mesh.corners(facet)))
            .collect();
        let root_edge = layout.root_cube(layout.height(lattice.voxels), 0).edge;
        let pairs_of = |(task, facets): (usize, &[LatticeFacet])| {
            let mut pairs = Vec::new();
            for (number, facet) in facets.iter().enumerate() {
                let range = |axis| facet.voxel_range(axis, 0, root_edge * layout.root - 1);
                let (Some(x), Some(y), Some(z)) = (range(0), range(1), range(2)) else {
                    continue;
                };
                let [x, y, z] = [x, y, z].map(|range| range.map(|voxel| voxel / root_edge));
                for k in z[0]..=z[1] {
                    for j in y[0]..=y[1] {
                        for i in x[0]..=x[1] {
                            if facet.meets([i, j, k].map(|index| index * root_edge), root_edge) {
                                let cell = (k * layout.root + j) * layout.root + i;
                                pairs.push((cell, (task * FACETS_PER_TASK + number) as u32));
                            }
                        }
                    }
                }
            }
            pairs
        };
        let mut pairs: Vec<(u32, u32)> =
            facets.par_chunks(FACETS_PER_TASK).enumerate().flat_map_iter(pairs_of).collect();
        pairs.par_sort_unstable();
        let mut starts = vec![0; layout.root_cells() + 1];
        pairs.iter().for_each(|(cell, _)| starts[*cell as usize + 1] += 1);
        for cell in 0..layout.root_cells() {
            starts[cell + 1] += starts[cell];
        }
        Self { request, facets, order: pairs.into_iter().map(|(_, facet)| facet).collect(), starts, root_edge }
    }

    fn of_root(&self, cube: &Cube) -> &[u32] {
        let [x, y, z] = cube.min.map(|min| (min / self.root_edge) as usize);
        let root = self.request.layout.root as usize;
        let cell = (z * root + y) * root + x;
        &self.order[self.starts[cell]..self.starts[cell + 1]]
    }

    /// Whether facet `facet` lies at a gap of the surface.
    fn is_at_gap(&self, facet: u32) -> bool {
        let surface = self.request.solid.surface();
        let boundary = surface.boundary_vertices();
        surface.mesh().facets[facet as usize].iter().any(|&vertex| boundary[vertex as usize])
    }
}

impl Solid for Mapped<'_> {
    type Hint = Vec<u32>;

    fn classify(&self, cube: &Cube, outer: Option<&Vec<u32>>) -> Class<Vec<u32>> {
        let meeting = match outer {
            None => self.of_root(cube).to_vec(),
            Some(facets) => {
                let meets = |facet: &&u32| self.facets[**facet as usize].meets(cube.min, cube.edge);
                facets.iter().filter(meets).copied().collect()
            }
        };
        if !meeting.is_empty() {
            return Class::Mixed(meeting);
        }
        match self.request.solid.contains_clearly(&cube.centre(&self.request.lattice)) {
            Some(true) => Class::Full,
            Some(false) => Class::Empty,
            None => Class::Mixed(meeting),
        }
    }

    fn fill(&self, cube: &Cube, hint: &Vec<u32>, words: &mut [u32]) {
        let mut columns = Columns::new(cube.edge);
        for &facet in hint {
            self.facets[facet as usize].each_voxel(cube.min, cube.edge, |voxel| {
                columns.set_surface(std::array::from_fn(|axis| voxel[axis] - cube.min[axis]));
            });
        }
        let centre = |own: [u32; 3]| {
            self.request.lattice.centre(std::array::from_fn(|axis| (cube.min[axis] + own[axis]) as i32))
        };
        let solid = self.request.solid;
        let is_at_gap = solid.sides() == Sides::WindingNumbers && hint.iter().any(|&facet| self.is_at_gap(facet));
        let side_of_part = |own| if is_at_gap { None } else { solid.contains_clearly(&centre(own)) };
        columns.write(words, side_of_part, |own| solid.contains(&centre(own)));
    }
}

/// The voxels of a leaf as bits: a column along z per x and y.
struct Columns {
    edge: u32,
    surface: [u16; 256],
}

impl Columns {
    fn new(edge: u32) -> Self {
        Self { edge, surface: [0; 256] }
    }

    fn set_surface(&mut self, [x, y, z]: [u32; 3]) {
        self.surface[(y * self.edge + x) as usize] |= 1 << z;
    }

    /// Writes the leaf. Voxels that are connected without crossing the skin lie on one side of it, so `side_of_part` is
    /// asked for one voxel of each connected part, and `is_inside` for all of them only where that answers `None`.
    fn write(
        &self,
        words: &mut [u32],
        side_of_part: impl Fn([u32; 3]) -> Option<bool>,
        is_inside: impl Fn([u32; 3]) -> bool,
    ) {
        let edge = self.edge;
        let all = ((1_u32 << edge) - 1) as u16;
        let count = (edge * edge) as usize;
        let mut open = [0_u16; 256];
        (0..count).for_each(|column| open[column] = all & !self.surface[column]);
        let mut full = [0_u16; 256];
        let mut pending = Vec::with_capacity(count);
        for first in 0..count {
            while open[first] != 0 {
                let mut part = [0_u16; 256];
                pending.push((first, open[first] & open[first].wrapping_neg()));
                let z = open[first].trailing_zeros();
                while let Some((column, seed)) = pending.pop() {
                    let added = spread(seed & open[column], open[column]);
                    if added == 0 {
                        continue;
                    }
                    open[column] &= !added;
                    part[column] |= added;
                    let (x, y) = (column as u32 % edge, column as u32 / edge);
                    let mut push = |is_within: bool, neighbour: usize| {
                        if is_within && open[neighbour] & added != 0 {
                            pending.push((neighbour, added));
                        }
                    };
                    push(x > 0, column.wrapping_sub(1));
                    push(x + 1 < edge, column + 1);
                    push(y > 0, column.wrapping_sub(edge as usize));
                    push(y + 1 < edge, column + edge as usize);
                }
                match side_of_part([first as u32 % edge, first as u32 / edge, z]) {
                    Some(false) => {}
                    Some(true) => (0..count).for_each(|column| full[column] |= part[column]),
                    None => {
                        for column in (0..count).filter(|&column| part[column] != 0) {
                            let (x, y) = (column as u32 % edge, column as u32 / edge);
                            let is_set = |z: &u32| part[column] >> z & 1 != 0 && is_inside([x, y, *z]);
                            full[column] |= (0..edge).filter(is_set).fold(0, |bits, z| bits | 1 << z);
                        }
                    }
                }
            }
        }
        for column in 0..count {
            let (word, shift) = leaf::position(edge, [column as u32 % edge, column as u32 / edge, 0]);
            let codes =
                spaced(self.surface[column]) * Voxel::Surface as u32 + spaced(full[column]) * Voxel::Full as u32;
            words[word] |= codes << shift;
        }
    }
}

/// The runs of `within` that contain a bit of `seed`.
fn spread(seed: u16, within: u16) -> u16 {
    let mut bits = seed;
    loop {
        let next = (bits | bits << 1 | bits >> 1) & within;
        if next == bits {
            return bits;
        }
        bits = next;
    }
}

/// Bit n of `bits` at bit 2n.
fn spaced(bits: u16) -> u32 {
    let mut spaced = u32::from(bits);
    for (shift, mask) in [(8, 0x00FF_00FF), (4, 0x0F0F_0F0F), (2, 0x3333_3333), (1, 0x5555_5555)] {
        spaced = (spaced | spaced << shift) & mask;
    }
    spaced
}

#[cfg(test)]
mod tests;
