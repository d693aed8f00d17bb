//! Points gathered in compact cells of one count: halves of halves, each across its longest side. Independent noise is
//! then alike in the means of all of them, however dense the points are.

use rayon::prelude::*;

use super::super::model::Model;
use super::super::newton::Weighted;
use super::pairs::{Cell, across};
use geometry::{Point, Vector};

/// The position that noise sees, and the index of the point.
type Placed = (Vector, u32);

/// At most `most` cells, whose counts differ by one point at most, at their centroids; points of weight zero are left
/// out.
pub fn cells(model: &Model, points: Weighted<'_>, most: usize, eye: Option<Point>) -> Vec<Cell<Vector>> {
    let across = across(eye);
    let mut placed: Vec<Placed> = points
        .points
        .par_iter()
        .enumerate()
        .filter(|(i, _)| points.weights.get(*i).copied().unwrap_or(1.0) > 0.0)
        .map(|(i, point)| (across(point), i as u32))
        .collect();
    if placed.is_empty() {
        return Vec::new();
    }
    let count = placed.len() / placed.len().div_ceil(most);
    let runs = split(&mut placed, count);
    let cell = |run: &&[Placed]| {
        let sum: Vector = run.iter().map(|own| own.0).sum();
        Cell::of(sum / run.len() as f64, model, points, run.iter().map(|own| own.1))
    };
    runs.par_iter().map(cell).collect()
}

fn split(placed: &mut [Placed], cells: usize) -> Vec<&[Placed]> {
    if cells <= 1 {
        return vec![&*placed];
    }
    let (mut low, mut high) = (placed[0].0, placed[0].0);
    for (position, _) in placed.iter() {
        (low, high) = (low.inf(position), high.sup(position));
    }
    let axis = (high - low).imax();
    let left = cells / 2;
    let middle = placed.len() * left / cells;
    // Ties by index, so that a cell holds the same points whatever the order.
    placed.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (one, other) = placed.split_at_mut(middle);
    let (mut runs, others) = rayon::join(move || split(one, left), move || split(other, cells - left));
    runs.extend(others);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn cells_are_of_one_count_and_hold_every_point() {
        let mut random = Random::new(5, 5);
        for count in [1_usize, 63, 64, 65, 1000, 4097] {
            let mut placed: Vec<Placed> =
                (0..count as u32).map(|i| (Vector::from_fn(|_, _| random.uniform()), i)).collect();
            let cells = count / count.div_ceil(64);
            let runs = split(&mut placed, cells);
            assert_eq!(runs.len(), cells);
            let (fewest, most) = runs.iter().fold((usize::MAX, 0), |(f, m), run| (f.min(run.len()), m.max(run.len())));
            assert!(fewest > 0 && most - fewest <= 1, "{count} points: {fewest} to {most}");
            let mut numbers: Vec<u32> = runs.iter().flat_map(|run| run.iter().map(|own| own.1)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as u32));
        }
    }
}
