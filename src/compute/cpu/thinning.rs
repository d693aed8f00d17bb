//! Thinning on the processor.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rayon::prelude::*;

use crate::thinning::{Request, Rule, turn_of};
use base::{Progress, Result};
use geometry::weld::CoordinateHasher;
use geometry::{Aabb, Point, thinning};

/// The numbers kept, in ascending order.
pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<u32>> {
    progress.report(0.0, "Thinning")?;
    let points = request.points.places();
    match request.rule {
        Rule::Cells(cell_mm) => Ok(thinning::one_per_cell(points, cell_mm)),
        Rule::Distance(distance_mm) => by_distance(points, distance_mm, progress),
    }
}

/// Points of the first batch.
const BATCH: usize = 1024;

fn by_distance(points: &[Point], distance_mm: f64, progress: &Progress) -> Result<Vec<u32>> {
    let mut turns: Vec<u32> = (0..points.len() as u32).collect();
    turns.par_sort_unstable_by_key(|&number| turn_of(number));
    let mut kept = Kept::new(points, distance_mm);
    let mut done = 0;
    // In batches: those near to a point kept before go at once, by all threads; the few others one by one.
    while done < turns.len() {
        progress.report(done as f32 / turns.len() as f32, "Thinning")?;
        let batch = &turns[done..turns.len().min(done + kept.numbers.len().max(BATCH))];
        let free: Vec<u32> = batch.par_iter().copied().filter(|&number| kept.leaves_room(number)).collect();
        let before = kept.numbers.len();
        for number in free {
            if kept.numbers.len() == before || kept.leaves_room(number) {
                kept.add(number);
            }
        }
        done += batch.len();
    }
    kept.numbers.par_sort_unstable();
    Ok(kept.numbers)
}

/// The points kept so far, by cells as long as the distance.
struct Kept<'a> {
    points: &'a [Point],
    low: Point,
    distance_mm: f64,
    numbers: Vec<u32>,
    cells: HashMap<[i64; 3], Vec<u32>, BuildHasherDefault<CoordinateHasher>>,
}

impl<'a> Kept<'a> {
    fn new(points: &'a [Point], distance_mm: f64) -> Self {
        let low = Aabb::of_many(points).min;
        Self { points, low, distance_mm, numbers: Vec::new(), cells: HashMap::default() }
    }

    fn cell(&self, number: u32) -> [i64; 3] {
        // A little longer than the distance, so that rounding brings no neighbour two cells away.
        ((self.points[number as usize] - self.low) / (self.distance_mm * 1.000_001))
            .map(|scaled| scaled.floor() as i64)
            .into()
    }

    fn leaves_room(&self, number: u32) -> bool {
        let (place, [x, y, z]) = (self.points[number as usize], self.cell(number));
        let squared = self.distance_mm * self.distance_mm;
        (0..27).all(|step| {
            let cell = [x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1];
            let near = |&other: &u32| (place - self.points[other as usize]).norm_squared() < squared;
            !self.cells.get(&cell).is_some_and(|others| others.iter().any(near))
        })
    }

    fn add(&mut self, number: u32) {
        self.cells.entry(self.cell(number)).or_default().push(number);
        self.numbers.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::SearchablePoints;

    #[test]
    fn points_kept_are_apart_and_cover_all_others() {
        let mut random = Random::new(3, 0);
        let points: Vec<Point> =
            (0..6000).map(|_| Point::new(random.range(0.0, 20.0), random.range(-5.0, 5.0), random.normal())).collect();
        let searchable = SearchablePoints::new(&points);
        let request = Request { points: &searchable, rule: Rule::Distance(0.7) };
        let kept = run(&request, &Progress::silent()).unwrap();
        let apart = |a: u32, b: u32| (points[a as usize] - points[b as usize]).norm();
        assert!(kept.is_sorted() && kept.len() > 500 && kept.len() < 3000, "{}", kept.len());
        for (i, &a) in kept.iter().enumerate() {
            assert!(kept[i + 1..].iter().all(|&b| apart(a, b) >= 0.7));
        }
        assert!((0..6000).all(|a| kept.iter().any(|&b| apart(a, b) < 0.7 || a == b)));
    }
}
