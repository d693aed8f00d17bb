//! Distance fields on the CPU: from the root nodes down, bricks are divided where interpolation is not exact enough.

use rayon::prelude::*;

use super::distance_offset::SurfaceDistance;
use super::level_set::{Field, Sample};
use crate::Capability;
use crate::distance_field::{Request, SHARE_OF_CHILDREN};
use base::{Progress, Result, UserError};
use geometry::distance_field::{BRICK, BRICK_SAMPLES, BRICK_WORDS, DistanceField, Node, pack};
use geometry::voxels::CellState;

/// Samples of a brick per axis.
const EDGE: usize = BRICK as usize + 1;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<DistanceField> {
    progress.report(0.0, Request::LABEL)?;
    let counter = progress.counter(request.grid.root_count(), Request::LABEL);
    let below = |root: usize| {
        let mut below = Below { request, field: SurfaceDistance(request.solid), nodes: Vec::new(), words: Vec::new() };
        let node = match counter.step() {
            true => below.node(request.grid.root_min(root), request.grid.depth, None),
            false => Node::new(CellState::Empty, 0),
        };
        (node, below.nodes, below.words)
    };
    let parts: Vec<(Node, Vec<Node>, Vec<u32>)> = (0..request.grid.root_count()).into_par_iter().map(below).collect();
    progress.check()?;
    join(request, &parts)
}

/// The nodes and brick words below one root node; indices count from the first of each.
struct Below<'a> {
    request: &'a Request<'a>,
    field: SurfaceDistance<'a>,
    nodes: Vec<Node>,
    words: Vec<u32>,
}

impl Below<'_> {
    /// The node with its first sample at `min`, which can be halved `level` times; `known` is a distance near it.
    fn node(&mut self, min: [u32; 3], level: u32, known: Option<&Sample>) -> Node {
        let grid = &self.request.grid;
        let step = f64::from(1_u32 << level);
        let half = 0.5 * f64::from(BRICK) * step;
        let centre = self.field.sample(grid.position(min.map(|index| f64::from(index) + half)), known);
        if centre.signed_mm.abs() > grid.reach_mm + 3.0_f64.sqrt() * half * grid.spacing_mm {
            return Node::new(if centre.signed_mm < 0.0 { CellState::Full } else { CellState::Empty }, 0);
        }
        let samples = self.samples(min, step, &centre);
        // Beyond reach nothing is read.
        let limit_mm = grid.reach_mm + 4.0 * step * grid.spacing_mm;
        if level > 0 && SHARE_OF_CHILDREN * ridge_mm(&samples, limit_mm) > self.request.tolerance_mm {
            let first = self.nodes.len();
            self.nodes.resize(first + 8, Node::new(CellState::Empty, 0));
            for child in 0..8_u32 {
                let own = std::array::from_fn(|axis| min[axis] + ((child >> axis & 1) << (level - 1)) * BRICK);
                self.nodes[first + child as usize] = self.node(own, level - 1, Some(&centre));
            }
            return Node::new(CellState::Branch, first);
        }
        pack(&samples, grid.unit_mm(), &mut self.words);
        Node::new(CellState::Boundary, self.words.len() / BRICK_WORDS - 1)
    }

    /// Signed distances of a brick's samples, mm, each found from the one before.
    fn samples(&self, min: [u32; 3], step: f64, centre: &Sample) -> [f64; BRICK_SAMPLES] {
        let mut samples = [0.0; BRICK_SAMPLES];
        let mut known = *centre;
        for (row, samples) in samples.chunks_mut(EDGE).enumerate() {
            for turn in 0..EDGE {
                let x = if row.is_multiple_of(2) { turn } else { EDGE - 1 - turn };
                let index = [x, row % EDGE, row / EDGE];
                let at = std::array::from_fn(|axis| f64::from(min[axis]) + step * index[axis] as f64);
                known = self.field.sample(self.request.grid.position(at), Some(&known));
                samples[x] = known.signed_mm;
            }
        }
        samples
    }
}

/// Greatest deviation of the samples, as far as they are within `limit_mm`, from what every second one would give.
fn ridge_mm(samples: &[f64; BRICK_SAMPLES], limit_mm: f64) -> f64 {
    let mut greatest = 0.0_f64;
    for (number, sample) in samples.iter().enumerate() {
        let index = [number % EDGE, number / EDGE % EDGE, number / (EDGE * EDGE)];
        if sample.abs() > limit_mm || index.iter().all(|index| index.is_multiple_of(2)) {
            continue;
        }
        // The even neighbours on both sides along each odd axis.
        let strides = [1, EDGE, EDGE * EDGE];
        let mut sum = 0.0;
        for corner in 0..8 {
            let mut at = number;
            for axis in (0..3).filter(|axis| index[*axis] % 2 == 1) {
                at = if corner >> axis & 1 == 0 { at - strides[axis] } else { at + strides[axis] };
            }
            sum += samples[at];
        }
        greatest = greatest.max((sample - 0.125 * sum).abs());
    }
    greatest
}

fn join(request: &Request<'_>, parts: &[(Node, Vec<Node>, Vec<u32>)]) -> Result<DistanceField> {
    let node_count = parts.len() + parts.iter().map(|(_, nodes, _)| nodes.len()).sum::<usize>();
    let word_count = parts.iter().map(|(.., words)| words.len()).sum::<usize>();
    if node_count.max(word_count / BRICK_WORDS) > Node::MAX_INDEX {
        return Err(UserError::input("The distance field is too fine to be numbered; choose a lower resolution."));
    }
    let (mut roots, mut nodes) = (Vec::with_capacity(node_count), Vec::with_capacity(node_count - parts.len()));
    let mut words = Vec::with_capacity(word_count);
    for (root, own_nodes, own_words) in parts {
        let (first_node, first_brick) = (parts.len() + nodes.len(), words.len() / BRICK_WORDS);
        let shifted = |node: &Node| match node.state() {
            CellState::Branch => Node::new(CellState::Branch, node.index() + first_node),
            CellState::Boundary => Node::new(CellState::Boundary, node.index() + first_brick),
            CellState::Empty | CellState::Full => *node,
        };
        roots.push(shifted(root));
        nodes.extend(own_nodes.iter().map(shifted));
        words.extend_from_slice(own_words);
    }
    roots.extend(nodes);
    Ok(DistanceField::new(request.grid, roots, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::distance_field::{FieldGrid, Reading};
    use geometry::mesh::shapes;
    use geometry::{Mesh, Point, Sides, SolidSurface, Surface, Vector};

    fn of(mesh: Mesh, reach_mm: f64, resolution: u32) -> (Surface, DistanceField) {
        let surface = Surface::new(mesh);
        let grid = FieldGrid::around(surface.bounds(), reach_mm, resolution);
        let field = {
            let solid = SolidSurface::new(&surface, Sides::Normals);
            let request = Request { solid: &solid, grid, tolerance_mm: 0.1 * grid.spacing_mm };
            run(&request, &Progress::silent()).unwrap()
        };
        (surface, field)
    }

    /// Absolute deviations at points within reach, in spacings, sorted; points beyond reach must be read as such.
    fn deviations(surface: &Surface, field: &DistanceField) -> Vec<f64> {
        let (grid, bounds) = (field.grid(), field.grid().bounds());
        let mut deviations = Vec::new();
        for number in 0..20_000_u32 {
            let share = |step: u32| f64::from(number.wrapping_mul(step) % 10_007) / 10_007.0;
            let at = bounds.min + Vector::new(share(7), share(1319), share(5993)).component_mul(&bounds.size());
            let hit = surface.closest_point(&at, f64::INFINITY).unwrap();
            let truth = surface.signed_distance_mm(&at, &hit);
            match field.read(&at) {
                Reading::Distance(mm) if truth.abs() <= grid.reach_mm => {
                    deviations.push((mm - truth).abs() / grid.spacing_mm);
                }
                Reading::Distance(mm) => assert!(mm.abs() > 0.98 * grid.reach_mm && (mm < 0.0) == (truth < 0.0)),
                Reading::FarOutside => assert!(truth > grid.reach_mm, "{at} {truth}"),
                Reading::FarInside => assert!(truth < -grid.reach_mm, "{at} {truth}"),
            }
        }
        deviations.sort_by(f64::total_cmp);
        deviations
    }

    #[test]
    fn distances_within_reach_are_true_and_flat_regions_take_few_bricks() {
        let (surface, field) = of(shapes::sphere(10.0, 5), 3.0, 128);
        let off = deviations(&surface, &field);
        let at = |share: f64| off[(share * (off.len() - 1) as f64) as usize];
        assert!(
            off.len() > 4000 && at(0.5) < 0.03 && at(0.95) < 0.1 && at(1.0) < 0.5,
            "{} {} {}",
            at(0.5),
            at(0.95),
            at(1.0)
        );
        let cuboid = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 12.0));
        let (surface, field) = of(cuboid, 4.0, 256);
        let off = deviations(&surface, &field);
        let at = |share: f64| off[(share * (off.len() - 1) as f64) as usize];
        assert!(at(0.95) < 0.1 && at(1.0) < 0.75, "{} {}", at(0.95), at(1.0));
        let all = field.grid().size().iter().map(|size| (size / BRICK) as usize).product::<usize>();
        assert!(field.bricks() * 5 < all * 2, "{} of {all}", field.bricks());
    }

    #[test]
    fn samples_next_to_each_other_in_memory_are_next_to_each_other_in_space() {
        let (surface, field) = of(shapes::sphere(5.0, 4), 2.0, 64);
        let grid = *field.grid();
        for (number, node) in field.nodes()[..grid.root_count()].iter().enumerate() {
            if node.state() != CellState::Boundary {
                continue;
            }
            let min = grid.root_min(number).map(f64::from);
            let step = f64::from(1_u32 << grid.depth);
            for sample in [0, 1, 9, 81, 728] {
                let index = [sample % 9, sample / 9 % 9, sample / 81];
                let at = grid.position(std::array::from_fn(|axis| min[axis] + step * index[axis] as f64));
                let word = field.words()[node.index() * BRICK_WORDS + sample / 2];
                let mm = f64::from((word >> (16 * (sample % 2))) as u16 as i16) * grid.unit_mm();
                let hit = surface.closest_point(&at, f64::INFINITY).unwrap();
                let truth = surface.signed_distance_mm(&at, &hit);
                assert!((mm - truth).abs() <= grid.unit_mm() || truth.abs() > grid.reach_mm, "{sample} {mm} {truth}");
            }
        }
    }
}
