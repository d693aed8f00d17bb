//! Thinning on the CPU.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rayon::prelude::*;

use crate::thinning::{Request, Rule, order_key};
use base::{Progress, Result};
use geometry::weld::CoordinateHasher;
use geometry::{Aabb, Point, thinning};

/// Indices of the points kept, in ascending order.
pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<u32>> {
    progress.report(0.0, "Thinning")?;
    let points = request.points.points();
    match request.rule {
        Rule::Cells(cell_mm) => Ok(thinning::one_per_cell(points, cell_mm)),
        Rule::Distance(distance_mm) => by_distance(points, distance_mm, progress),
    }
}

/// Minimum number of points per batch.
const MIN_BATCH: usize = 1024;

fn by_distance(points: &[Point], distance_mm: f64, progress: &Progress) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.par_sort_unstable_by_key(|&index| order_key(index));
    let mut selection = Selection::new(points, distance_mm);
    let mut done = 0;
    // In batches: points too close to a previously kept one are rejected in parallel, the few others one by one.
    while done < order.len() {
        progress.report(done as f32 / order.len() as f32, "Thinning")?;
        let batch = &order[done..order.len().min(done + selection.indices.len().max(MIN_BATCH))];
        let free: Vec<u32> = batch.par_iter().copied().filter(|&index| selection.is_free(index)).collect();
        let before = selection.indices.len();
        for index in free {
            if selection.indices.len() == before || selection.is_free(index) {
                selection.add(index);
            }
        }
        done += batch.len();
    }
    selection.indices.par_sort_unstable();
    Ok(selection.indices)
}

/// The points kept so far, in a grid whose cells are as long as the minimum distance.
struct Selection<'a> {
    points: &'a [Point],
    origin: Point,
    distance_mm: f64,
    indices: Vec<u32>,
    cells: HashMap<[i64; 3], Vec<u32>, BuildHasherDefault<CoordinateHasher>>,
}

impl<'a> Selection<'a> {
    fn new(points: &'a [Point], distance_mm: f64) -> Self {
        let origin = Aabb::of_points_parallel(points).min;
        Self { points, origin, distance_mm, indices: Vec::new(), cells: HashMap::default() }
    }

    fn cell(&self, index: u32) -> [i64; 3] {
        // Slightly longer than the distance, so that rounding never puts a neighbour two cells away.
        ((self.points[index as usize] - self.origin) / (self.distance_mm * 1.000_001))
            .map(|scaled| scaled.floor() as i64)
            .into()
    }

    /// Whether no point kept so far is closer than the minimum distance.
    fn is_free(&self, index: u32) -> bool {
        let (point, [x, y, z]) = (self.points[index as usize], self.cell(index));
        let squared = self.distance_mm * self.distance_mm;
        (0..27).all(|step| {
            let cell = [x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1];
            let is_close = |&other: &u32| (point - self.points[other as usize]).norm_squared() < squared;
            !self.cells.get(&cell).is_some_and(|others| others.iter().any(is_close))
        })
    }

    fn add(&mut self, index: u32) {
        self.cells.entry(self.cell(index)).or_default().push(index);
        self.indices.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::SearchablePoints;

    #[test]
    fn points_kept_respect_the_distance_and_cover_all_others() {
        let mut random = Random::new(3, 0);
        let points: Vec<Point> =
            (0..6000).map(|_| Point::new(random.range(0.0, 20.0), random.range(-5.0, 5.0), random.normal())).collect();
        let searchable = SearchablePoints::new(&points);
        let request = Request { points: &searchable, rule: Rule::Distance(0.7) };
        let kept = run(&request, &Progress::silent()).unwrap();
        let distance = |a: u32, b: u32| (points[a as usize] - points[b as usize]).norm();
        assert!(kept.is_sorted() && kept.len() > 500 && kept.len() < 3000, "{}", kept.len());
        for (i, &a) in kept.iter().enumerate() {
            assert!(kept[i + 1..].iter().all(|&b| distance(a, b) >= 0.7));
        }
        assert!((0..6000).all(|a| kept.iter().any(|&b| distance(a, b) < 0.7 || a == b)));
    }
}
