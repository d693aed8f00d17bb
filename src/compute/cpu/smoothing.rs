//! Smoothing on the processor.

use rayon::prelude::*;

use crate::base::{Progress, Result};
use crate::compute::smoothing::{NEIGHBOURS, NO_LINK, Request, Smoothed};
use crate::geometry::kd_tree::{Neighbour, Neighbours};
use crate::geometry::{KdTree, OrderedPoints, Point};

/// Points of one task.
const CHUNK: usize = 512;

const NOTHING: Smoothed = Smoothed { value: f64::NAN, reach_mm2: 0.0, neighbours: 0, links: [NO_LINK; 8] };

pub(super) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Smoothed>> {
    let points = request.points.places();
    let (tree, ordered) = (request.points.tree(), OrderedPoints::new(points));
    let counter = progress.counter(points.len().div_ceil(CHUNK), "Smoothing over neighbours");
    let along_curve: Vec<Smoothed> = ordered
        .numbers
        .par_chunks(CHUNK)
        .flat_map_iter(|numbers| {
            let mut search =
                Search { request, tree, before: None, neighbours: Neighbours::default(), values: Vec::new() };
            let numbers = if counter.step() { numbers } else { &[] };
            numbers.iter().map(|&number| search.smooth(number)).collect::<Vec<_>>()
        })
        .collect();
    progress.check()?;
    let mut smoothed = vec![NOTHING; points.len()];
    ordered.numbers.iter().zip(along_curve).for_each(|(&number, own)| smoothed[number as usize] = own);
    Ok(smoothed)
}

/// Points along the curve, one after the other.
struct Search<'a> {
    request: &'a Request<'a>,
    tree: &'a KdTree,
    /// The place asked about last, and how far the last of its neighbours was, mm.
    before: Option<(Point, f64)>,
    neighbours: Neighbours,
    values: Vec<f64>,
}

impl Search<'_> {
    fn smooth(&mut self, number: u32) -> Smoothed {
        let Request { points, values, normals } = *self.request;
        let (here, normal) = (points.places()[number as usize], normals[number as usize]);
        let is_on_this_face = |neighbour: &Neighbour| normals[neighbour.number as usize].dot(&normal) > 0.0;
        // By the triangle inequality as many lie within this; widened by more than rounding.
        let reach_mm = self.before.map_or(f64::INFINITY, |(place, mm)| (mm + (here - place).norm()) * (1.0 + 1e-12));
        self.tree.k_nearest(&here, NEIGHBOURS, reach_mm, &mut self.neighbours);
        self.before = self.neighbours.found.last().map(|last| (here, last.squared_mm2.sqrt()));
        if !self.neighbours.found.iter().all(is_on_this_face) {
            self.tree.k_nearest(&here, 2 * NEIGHBOURS, f64::INFINITY, &mut self.neighbours);
            self.neighbours.found.retain(is_on_this_face);
            self.neighbours.found.truncate(NEIGHBOURS);
        }
        let found = &self.neighbours.found;
        let Some(last) = found.last() else { return NOTHING };
        self.values.clear();
        self.values.extend(found.iter().map(|neighbour| values[neighbour.number as usize]));
        let middle = self.values.len() / 2;
        let value = *self.values.select_nth_unstable_by(middle, f64::total_cmp).1;
        let mut nearest = found.iter().skip(1).map(|neighbour| neighbour.number);
        Smoothed {
            value,
            reach_mm2: last.squared_mm2,
            neighbours: found.len() as u32,
            links: std::array::from_fn(|_| nearest.next().unwrap_or(NO_LINK)),
        }
    }
}
