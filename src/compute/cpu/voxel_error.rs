//! The distance between the skins of two volumes on the CPU.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::CHUNK;
use crate::Capability;
use crate::voxel_error::{Answer, Request};
use base::{Progress, Result};
use geometry::voxels::nearest::ActiveVoxels;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Answer> {
    progress.report(0.0, Request::LABEL)?;
    let (source, voxels) = (ActiveVoxels::new(request.source), request.offset.active_voxels());
    let counter = progress.counter(voxels.len().div_ceil(CHUNK), Request::LABEL);
    let counts = voxels
        .par_chunks(CHUNK)
        .map(|voxels| {
            let voxels = if counter.step() { voxels } else { &[] };
            let mut counts = BTreeMap::new();
            for squared in voxels.iter().filter_map(|&voxel| source.nearest_squared(voxel, u64::MAX)) {
                *counts.entry(squared).or_insert(0) += 1;
            }
            counts
        })
        .reduce(BTreeMap::new, |mut all, some| {
            some.into_iter().for_each(|(squared, count)| *all.entry(squared).or_insert(0) += count);
            all
        });
    progress.check()?;
    let matched: u64 = counts.values().sum();
    Ok(Answer::of(&counts, voxels.len() as u64 - matched, request.distance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{morphological_offset, voxelisation};
    use crate::morphological_offset::Template;
    use geometry::mesh::shapes;
    use geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
    use geometry::{Sides, SolidSurface, Surface};

    fn torus(voxels: u32) -> VoxelTree {
        let surface = Surface::new(shapes::torus(10.0, 4.0, 96, 48));
        let solid = SolidSurface::new(&surface, Sides::Normals);
        let lattice = Lattice::around(surface.bounds(), 8.0, voxels);
        let (layout, cell_format) = (Layout::default(), CellFormat::Compact);
        let request = crate::voxelisation::Request { solid: &solid, lattice, layout, cell_format };
        voxelisation::run(&request, &Progress::silent()).unwrap().tree
    }

    fn error(source: &VoxelTree, passes: &[f64], template: Template) -> Answer {
        error_of((0..).zip(passes.iter().copied()), source, template)
    }

    /// `passes`: passes before, and distance of each.
    fn error_of(passes: impl Iterator<Item = (u32, f64)> + Clone, source: &VoxelTree, template: Template) -> Answer {
        let mut offset = source.clone();
        for (earlier_passes, distance) in passes.clone() {
            let request =
                crate::morphological_offset::Request { tree: &offset, distance, template, earlier_passes, culls: true };
            offset = morphological_offset::run(&request, &Progress::silent()).unwrap().tree;
        }
        let distance = passes.map(|(_, distance)| distance).sum();
        run(&Request { offset: &offset, source, distance }, &Progress::silent()).unwrap()
    }

    #[test]
    fn the_error_of_an_exact_ball_is_an_undershoot_of_half_a_voxel_that_grows_with_passes() {
        let source = torus(160);
        let own = error(&source, &[16.0], Template::Ball);
        assert!(own.count > 10_000 && own.unmatched == 0);
        assert!(own.max <= 0.0 && own.min > -1.0 && own.bias == -own.mean_absolute, "{own:?}");
        assert!((0.3..0.56).contains(&own.mean_absolute), "{own:?}");
        let twice = error(&source, &[8.0, 8.0], Template::Ball);
        assert!(twice.mean_absolute < 1.7 * own.mean_absolute && twice.mean_absolute > own.mean_absolute, "{twice:?}");
        let ring = error(&source, &[16.0], Template::Ring);
        assert!(ring.mean_absolute < 0.56 && ring.max < 1.5, "{ring:?}");
        assert_eq!(
            run(&Request { offset: &source, source: &source, distance: 0.0 }, &Progress::silent()).unwrap().max,
            0.0
        );
    }

    #[test]
    fn rings_that_turn_from_pass_to_pass_do_not_add_up_their_gaps() {
        let source = torus(160);
        let single = error(&source, &[24.0], Template::Ring).mean_absolute;
        for (passes, distance) in [(2, 12.0), (3, 8.0)] {
            let turned = error(&source, &vec![distance; passes], Template::Ring).mean_absolute;
            let unturned = error_of(std::iter::repeat_n((0, distance), passes), &source, Template::Ring).mean_absolute;
            assert!(turned < 0.9 * unturned, "{passes} passes: {turned} {unturned}");
            assert!(passes > 2 || turned < 1.4 * single, "{turned} {single}");
        }
    }

    #[test]
    fn an_empty_source_matches_nothing() {
        let source = torus(64);
        let request = crate::morphological_offset::Request {
            tree: &source,
            distance: -60.0,
            template: Template::Ball,
            earlier_passes: 0,
            culls: true,
        };
        let empty = morphological_offset::run(&request, &Progress::silent()).unwrap().tree;
        let answer = run(&Request { offset: &source, source: &empty, distance: 1.0 }, &Progress::silent()).unwrap();
        assert!(answer.count == 0 && answer.unmatched == source.statistics().active_voxels);
    }
}
