//! Meshing on the CPU.

mod agreement;
mod cells;
mod plane;
mod star;

use std::ops::Range;

use rayon::prelude::*;

use crate::meshing::{Facets, Request};
use base::{Progress, Result};
use cells::Cells;
pub(crate) use cells::coordinate as cell_coordinate;
use geometry::kd_tree::Neighbours;
use geometry::{KdTree, Point};
use star::Neighbourhood;

/// Largest circle through the corners of a facet at first, spacings; few are larger.
const FIRST_RADIUS: f32 = 1.5;
/// Largest circle through the corners of a facet, spacings: what a wider one would close is a hole.
const MAX_RADIUS: f32 = 3.0;
/// The same where points are sparse, and how much longer than the spacing their edges are there.
const MAX_RADIUS_WHERE_SPARSE: f32 = 7.5;
const MIN_SPARSE_EDGE: f32 = 1.3;
/// Points within this count for a normal at first, spacings.
const NORMAL_REACH: f32 = 2.3;
/// Where those are too few, that many count, the point itself among them.
const NORMAL_NEIGHBOURS: usize = 7;
/// Points per task.
const POINTS: usize = 4096;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Facets> {
    progress.report(0.0, "Meshing")?;
    let count = request.points.points.len();
    let Some(spacing_mm) = spacing_mm(&request.points.points) else { return Ok(Facets::none(count)) };
    let cells = Cells::new(request.points, cell_edge_mm(spacing_mm));
    let stars = Stars::new(&cells, spacing_mm, progress)?;
    let agreed = stars.agreed();
    let mut corners = agreed.facets;
    corners.extend(stars.fillings(&agreed.doubtful));
    let mut is_corner = vec![false; count];
    for own in &mut corners {
        *own = own.map(|index| cells.point_indices[index as usize]);
        own.iter().for_each(|&point| is_corner[point as usize] = true);
    }
    let mut normals = vec![[0.0; 3]; count];
    for (normal, &point) in stars.normals().zip(&cells.point_indices) {
        normals[point as usize] = *normal;
    }
    let left_out = is_corner.iter().filter(|own| !**own).count();
    progress.check()?;
    Ok(Facets { corners, normals, spacing_mm, left_out })
}

/// Edge of a cell, mm: twice the radius holds all that can lie in a circle through a point.
pub(crate) fn cell_edge_mm(spacing_mm: f64) -> f64 {
    f64::from(2.0 * FIRST_RADIUS) * spacing_mm
}

/// The Delaunay neighbours of all points, by their indices among the sorted points, [`POINTS`] to a run.
struct Stars {
    runs: Vec<Run>,
    count: usize,
}

/// Those of a run of points.
#[derive(Default)]
struct Run {
    /// Index of its first point.
    first: usize,
    /// In cyclic order; [`star::OPEN`] is set where there is no facet between one and the next.
    neighbours: Vec<u32>,
    /// Which of them belong to each point.
    ranges: Vec<Range<u32>>,
    normals: Vec<[f32; 3]>,
}

impl Stars {
    fn new(cells: &Cells, spacing_mm: f64, progress: &Progress) -> Result<Self> {
        let count = cells.points.len();
        let counter = progress.counter(count.div_ceil(POINTS), "Meshing");
        let runs = (0..count).into_par_iter().step_by(POINTS).map(|begin| {
            let indices = begin..count.min(begin + POINTS);
            if counter.step() { Run::new(cells, spacing_mm, indices) } else { Run::default() }
        });
        let runs = runs.collect();
        progress.check()?;
        Ok(Self { runs, count })
    }

    fn of(&self, index: u32) -> &[u32] {
        self.runs[index as usize / POINTS].of(index as usize)
    }

    fn normals(&self) -> impl Iterator<Item = &[f32; 3]> {
        self.runs.iter().flat_map(|run| &run.normals)
    }
}

impl Run {
    fn new(cells: &Cells, spacing_mm: f64, indices: Range<usize>) -> Self {
        let mut run = Self { first: indices.start, ..Self::default() };
        let mut near = Neighbourhood::default();
        let mut surroundings = Surroundings::new(cells, spacing_mm, 1);
        let mut open = Vec::new();
        for index in indices {
            surroundings.near(index, 2.0 * FIRST_RADIUS, &mut near);
            let normal = near.normal(NORMAL_REACH);
            run.normals.push(normal);
            let (range, is_open) = run.star(&mut near, index, FIRST_RADIUS);
            run.ranges.push(range);
            if is_open {
                open.push(index);
            }
        }
        // Around points that have no facet to one side there may be larger ones.
        let mut surroundings = Surroundings::new(cells, spacing_mm, (MAX_RADIUS / FIRST_RADIUS) as u64);
        let mut sparse = Vec::new();
        for index in open {
            surroundings.near(index, 2.0 * MAX_RADIUS, &mut near);
            let is_open = run.widen(&mut near, index, MAX_RADIUS);
            let edge = run.median_edge_mm(cells, index).map_or(f32::INFINITY, |edge_mm| edge_mm / spacing_mm as f32);
            if is_open && edge > MIN_SPARSE_EDGE {
                sparse.push((index, (MAX_RADIUS * edge).min(MAX_RADIUS_WHERE_SPARSE)));
            }
        }
        let mut surroundings = Surroundings::new(cells, spacing_mm, (MAX_RADIUS_WHERE_SPARSE / FIRST_RADIUS) as u64);
        for (index, max_radius) in sparse {
            surroundings.near(index, 2.0 * max_radius, &mut near);
            run.widen(&mut near, index, max_radius);
        }
        run
    }

    fn of(&self, index: usize) -> &[u32] {
        let range = &self.ranges[index - self.first];
        &self.neighbours[range.start as usize..range.end as usize]
    }

    /// Appends the neighbours of a point; returns which they are, and whether it has no facet to one side.
    fn star(&mut self, near: &mut Neighbourhood, index: usize, max_radius: f32) -> (Range<u32>, bool) {
        let (begin, normal) = (self.neighbours.len() as u32, self.normals[index - self.first]);
        let is_open = normal == [0.0; 3] || near.star(index as u32, normal, max_radius, &mut self.neighbours);
        (begin..self.neighbours.len() as u32, is_open)
    }

    /// Replaces the neighbours of a point by those of a wider neighbourhood, and finds its normal if it has none yet.
    fn widen(&mut self, near: &mut Neighbourhood, index: usize, max_radius: f32) -> bool {
        let normal = &mut self.normals[index - self.first];
        if *normal == [0.0; 3] {
            *normal = near.normal(near.reach_of(NORMAL_NEIGHBOURS));
        }
        let (range, is_open) = self.star(near, index, max_radius);
        self.ranges[index - self.first] = range;
        is_open
    }

    /// Distance to the neighbour that is nearer than half of them, mm; `None` if there are none.
    fn median_edge_mm(&self, cells: &Cells, index: usize) -> Option<f32> {
        let edge = |to: &u32| (cells.points[(to & !star::OPEN) as usize] - cells.points[index]).norm() as f32;
        let mut edges_mm: Vec<f32> = self.of(index).iter().map(edge).collect();
        edges_mm.sort_unstable_by(f32::total_cmp);
        edges_mm.get(edges_mm.len() / 2).copied()
    }
}

/// The points in and around a cell, about its first point, spacings.
struct Surroundings<'a> {
    cells: &'a Cells,
    per_spacing: f64,
    /// Cells to each side.
    reach: u64,
    /// The indices of the points in the cell.
    within: Range<usize>,
    about: Point,
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    weights: Vec<f32>,
    indices: Vec<u32>,
    kept: Vec<u32>,
}

impl<'a> Surroundings<'a> {
    fn new(cells: &'a Cells, spacing_mm: f64, reach: u64) -> Self {
        let [x, y, z, weights] = [const { Vec::new() }; 4];
        let (within, about, per_spacing) = (0..0, Point::origin(), 1.0 / spacing_mm);
        let [indices, kept] = [const { Vec::new() }; 2];
        Self { cells, per_spacing, reach, within, about, x, y, z, weights, indices, kept }
    }

    /// Goes to the cell of a point.
    fn fill(&mut self, index: usize) {
        let cell = self.cells.cell_of(index);
        self.within = self.cells.of(cell);
        self.about = self.cells.points[self.within.start];
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.weights] {
            column.clear();
        }
        self.indices.clear();
        for run in self.cells.around(cell, self.reach) {
            for point in &self.cells.points[run.clone()] {
                let [x, y, z]: [f32; 3] = ((point - self.about) * self.per_spacing).cast().into();
                self.x.push(x);
                self.y.push(y);
                self.z.push(z);
            }
            self.indices.extend(run.start as u32..run.end as u32);
        }
        self.weights.extend(self.indices.iter().map(|&index| star::weight(index)));
        self.kept.resize(self.indices.len(), 0);
    }

    /// The points within `radius` of point `index`, and it.
    fn near(&mut self, index: usize, radius: f32, near: &mut Neighbourhood) {
        if !self.within.contains(&index) {
            self.fill(index);
        }
        let [x, y, z]: [f32; 3] = ((self.cells.points[index] - self.about) * self.per_spacing).cast().into();
        let mut count = 0;
        // Written before it is known whether it stays: a branch would be guessed wrong at every third.
        for (own, ((&to_x, &to_y), &to_z)) in self.x.iter().zip(&self.y).zip(&self.z).enumerate() {
            let offset = [to_x - x, to_y - y, to_z - z];
            let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
            self.kept[count] = own as u32;
            count += usize::from(squared <= radius * radius);
        }
        near.clear();
        let kept = &self.kept[..count];
        near.x.extend(kept.iter().map(|&own| self.x[own as usize] - x));
        near.y.extend(kept.iter().map(|&own| self.y[own as usize] - y));
        near.z.extend(kept.iter().map(|&own| self.z[own as usize] - z));
        near.weights.extend(kept.iter().map(|&own| self.weights[own as usize]));
        near.indices.extend(kept.iter().map(|&own| self.indices[own as usize]));
        near.pad();
    }
}

/// Patches of neighbouring points that the spacing is taken from, and their size.
const PATCHES: usize = 24;
const PATCH: usize = 2000;
/// The neighbour whose distance tells the density.
const SPACING_NEIGHBOURS: usize = 6;

/// The edge of the square that each point has, mm: the median of it over some points, from the circle through the sixth
/// neighbour. `None` if there is none.
pub(crate) fn spacing_mm(along_curve: &[Point]) -> Option<f64> {
    let step = (along_curve.len() / PATCHES).max(PATCH);
    let mut spacings: Vec<f64> = (0..along_curve.len())
        .into_par_iter()
        .step_by(step)
        .flat_map_iter(|begin| {
            let patch = &along_curve[begin..along_curve.len().min(begin + PATCH)];
            let tree = KdTree::new(patch);
            let mut found = Neighbours::default();
            let sample = patch.iter().step_by(10).filter_map(|point| {
                tree.k_nearest(point, SPACING_NEIGHBOURS + 1, f64::INFINITY, &mut found);
                let last = found.found.get(SPACING_NEIGHBOURS)?;
                Some((std::f64::consts::PI * last.squared_mm2 / SPACING_NEIGHBOURS as f64).sqrt())
            });
            sample.filter(|spacing| *spacing > 0.0).collect::<Vec<_>>()
        })
        .collect();
    let median = spacings.len() / 2;
    let spacing_mm = (!spacings.is_empty()).then(|| *spacings.select_nth_unstable_by(median, f64::total_cmp).1);
    spacing_mm.filter(|spacing_mm| spacing_mm.is_finite())
}

#[cfg(test)]
mod tests;
