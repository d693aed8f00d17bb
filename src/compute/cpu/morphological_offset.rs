//! Dilation and erosion of voxel volumes on the CPU.

use super::level_set::{Field, LevelSet, Sample};
use crate::Capability;
use crate::morphological_offset::{Answer, Request, Template, template};
use base::{Progress, Result};
use geometry::Point;
use geometry::voxels::nearest::ActiveVoxels;
use geometry::voxels::skin::Block;
use geometry::voxels::{Class, Cube, Lattice, Solid, Voxel, VoxelTree, build};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Answer> {
    progress.report(0.0, Request::LABEL)?;
    let tree = request.tree;
    let template = match request.template {
        // Decided by distances, without the template.
        Template::Ball => Vec::new(),
        other => template(other, request.distance.abs(), request.earlier_passes),
    };
    let active = ActiveVoxels::new(tree);
    // In voxels: what lies within the distance of centres of active voxels.
    let unit = Lattice { origin: Point::new(-0.5, -0.5, -0.5), voxel_mm: 1.0, voxels: tree.lattice().voxels };
    let field = VoxelDistance { tree, active: &active };
    let level_set = LevelSet { field: &field, lattice: unit, distance_mm: request.distance };
    let (lattice, layout, format) = (*tree.lattice(), tree.layout(), tree.cells().format());
    let skeleton = Skeleton { request, template: &template, level_set: &level_set };
    let built = build(&skeleton, lattice, layout, format, progress)?;
    Ok(Answer { tree: built.tree, filtered: built.filled, template: template.len(), times: built.times })
}

/// Distance of voxel centres from the nearest active voxel, in voxels: negative inside.
struct VoxelDistance<'a> {
    tree: &'a VoxelTree,
    active: &'a ActiveVoxels,
}

impl Field for VoxelDistance<'_> {
    fn sample(&self, point: Point, _: Option<&Sample>) -> Sample {
        // Centres of cubes lie between voxels: the nearest one stands for them, within the slack.
        let voxel: [i32; 3] = point.coords.map(|coordinate| coordinate.round() as i32).into();
        let squared = self.active.nearest_squared(voxel, u64::MAX);
        let distance = squared.map_or(f64::MAX, |squared| (squared as f64).sqrt());
        let signed_mm = if self.tree.voxel(voxel) == Voxel::Full { -distance } else { distance };
        Sample { point, signed_mm, sign_holds_mm: f64::INFINITY, facet: None }
    }

    fn slack_mm(&self) -> f64 {
        // Rounding to a voxel, and the step from outside over the skin to inside.
        2.0 * 3.0_f64.sqrt()
    }
}

/// The volume by a template: cells down to the leaves near the skin, leaves voxel by voxel.
struct Skeleton<'a> {
    request: &'a Request<'a>,
    template: &'a [[i32; 3]],
    level_set: &'a LevelSet<'a, VoxelDistance<'a>>,
}

impl Skeleton<'_> {
    /// Whether a leaf of the volume overlaps `cube` expanded by `reach` voxels along each axis.
    fn is_near_leaf(&self, cube: &Cube, reach: i64) -> bool {
        let tree = self.request.tree;
        let low = cube.min.map(|min| i64::from(min) - reach);
        let high = cube.min.map(|min| i64::from(min + cube.edge) + reach);
        tree.has_leaf_between(low, high)
    }

    fn is_in(&self, voxel: [i32; 3]) -> bool {
        let tree = self.request.tree;
        let state_at = |offset: &[i32; 3]| tree.voxel(std::array::from_fn(|axis| voxel[axis] + offset[axis]));
        if self.request.distance >= 0.0 {
            tree.is_in(voxel) || self.template.iter().any(|offset| state_at(offset) != Voxel::Empty)
        } else {
            tree.voxel(voxel) == Voxel::Full && self.template.iter().all(|offset| state_at(offset) == Voxel::Full)
        }
    }
}

impl Solid for Skeleton<'_> {
    type Hint = Option<Sample>;

    fn classify(&self, cube: &Cube, outer: Option<&Option<Sample>>) -> Class<Option<Sample>> {
        if self.request.culls {
            let outer = outer.and_then(Option::as_ref);
            return match self.level_set.classify(cube, outer) {
                Class::Empty => Class::Empty,
                Class::Full => Class::Full,
                Class::Mixed(sample) => Class::Mixed(Some(sample)),
            };
        }
        let is_full = self.request.tree.voxel(cube.min.map(|min| min as i32)) == Voxel::Full;
        // Erosion: the neighbours of its voxels decide whether they are skin.
        let more = i64::from(is_full && self.request.distance < 0.0);
        if self.is_near_leaf(cube, self.request.distance.abs().ceil() as i64 + more) {
            return Class::Mixed(None);
        }
        if is_full { Class::Full } else { Class::Empty }
    }

    fn fill(&self, cube: &Cube, hint: &Option<Sample>, words: &mut [u32]) {
        if self.request.template == Template::Ball {
            let centre = cube.centre(&self.level_set.lattice);
            let sample = hint.unwrap_or_else(|| self.level_set.field.sample(centre, None));
            return self.level_set.fill(cube, &sample, words);
        }
        let mut block = Block::new(cube.edge);
        for y in 0..block.edge() {
            for x in 0..block.edge() {
                for z in 0..block.edge() {
                    let at = [x, y, z];
                    block.set(at, at.map(|index| index + 1), self.is_in(Block::voxel(cube, at)));
                }
            }
        }
        block.write(words);
    }
}

#[cfg(test)]
mod tests;
