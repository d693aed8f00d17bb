//! Median smoothing on the CPU.

use rayon::prelude::*;

use crate::smoothing::{NEIGHBOURS, NO_LINK, Request, Smoothed};
use base::{Progress, Result};
use geometry::kd_tree::{AlongCurve, Neighbour, Neighbours};
use geometry::{OrderedPoints, Point};

/// Points per task.
const CHUNK: usize = 512;

const NO_NEIGHBOURS: Smoothed = Smoothed { value: f64::NAN, reach_mm2: 0.0, neighbours: 0, links: [NO_LINK; 8] };

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Smoothed>> {
    let points = request.points.points();
    let wanted: Vec<Point> = request.wanted.par_iter().map(|&index| points[index as usize]).collect();
    let (tree, ordered) = (request.points.tree(), OrderedPoints::new(&wanted));
    let counter = progress.counter(wanted.len().div_ceil(CHUNK), "Smoothing over neighbours");
    let along_curve: Vec<Smoothed> = ordered
        .numbers
        .par_chunks(CHUNK)
        .flat_map_iter(|slots| {
            let mut smoother =
                Smoother { request, search: AlongCurve::new(tree), wider: Neighbours::default(), values: Vec::new() };
            let slots = if counter.step() { slots } else { &[] };
            slots.iter().map(|&slot| smoother.smooth(request.wanted[slot as usize])).collect::<Vec<_>>()
        })
        .collect();
    progress.check()?;
    let mut smoothed = vec![NO_NEIGHBOURS; wanted.len()];
    ordered.numbers.iter().zip(along_curve).for_each(|(&slot, value)| smoothed[slot as usize] = value);
    Ok(smoothed)
}

/// Smooths points one after the other along the curve.
struct Smoother<'a> {
    request: &'a Request<'a>,
    search: AlongCurve<'a>,
    wider: Neighbours,
    values: Vec<f64>,
}

impl Smoother<'_> {
    fn smooth(&mut self, index: u32) -> Smoothed {
        let Request { points, values, normals, .. } = *self.request;
        let (query, normal) = (points.points()[index as usize], normals[index as usize]);
        let is_on_same_face = |neighbour: &Neighbour| normals[neighbour.number as usize].dot(&normal) > 0.0;
        let mut found = self.search.k_nearest(&query, NEIGHBOURS);
        if !found.iter().all(is_on_same_face) {
            points.tree().k_nearest(&query, 2 * NEIGHBOURS, f64::INFINITY, &mut self.wider);
            found = &mut self.wider.found;
            found.retain(is_on_same_face);
            found.truncate(NEIGHBOURS);
        }
        let Some(last) = found.last() else { return NO_NEIGHBOURS };
        self.values.clear();
        self.values.extend(found.iter().map(|neighbour| values[neighbour.number as usize]));
        let median = self.values.len() / 2;
        let value = *self.values.select_nth_unstable_by(median, f64::total_cmp).1;
        let mut nearest = found.iter().skip(1).map(|neighbour| neighbour.number);
        Smoothed {
            value,
            reach_mm2: last.squared_mm2,
            neighbours: found.len() as u32,
            links: std::array::from_fn(|_| nearest.next().unwrap_or(NO_LINK)),
        }
    }
}
