//! Points grouped into compact cells of equal count by recursive bisection across the longest side. Independent noise
//! then has the same variance in all cell means, regardless of the point density.

use rayon::prelude::*;

use super::super::model::Model;
use super::super::newton::WeightedPoints;
use super::Settings;
use super::pairs::{Cell, project_across_sight};
use geometry::Vector;

/// Position that determines the correlation, and index of the point.
pub(super) type IndexedPosition = (Vector, u32);

/// At most `max_cells` cells, whose counts differ by at most one point, positioned at their centroids; points of weight
/// zero are left out.
pub fn cells(
    model: &Model,
    points: WeightedPoints<'_>,
    max_cells: usize,
    settings: &Settings<'_>,
) -> Vec<Cell<Vector>> {
    let projection = project_across_sight(settings.eye);
    let mut positions: Vec<IndexedPosition> = points
        .points
        .par_iter()
        .enumerate()
        .filter(|(i, _)| points.weights.get(*i).copied().unwrap_or(1.0) > 0.0)
        .map(|(i, point)| (projection(point), i as u32))
        .collect();
    if positions.is_empty() {
        return Vec::new();
    }
    let count = positions.len() / positions.len().div_ceil(max_cells);
    let runs = split(&mut positions, count);
    let cell = |run: &&[IndexedPosition]| {
        let sum: Vector = run.iter().map(|own| own.0).sum();
        Cell::of(sum / run.len() as f64, model, points, settings.lobes, run.iter().map(|own| own.1))
    };
    runs.par_iter().map(cell).collect()
}

/// Runs of neighbouring positions, so many, whose counts differ by at most one.
pub(super) fn split(positions: &mut [IndexedPosition], cells: usize) -> Vec<&[IndexedPosition]> {
    if cells <= 1 {
        return vec![&*positions];
    }
    let (mut min, mut max) = (positions[0].0, positions[0].0);
    for (position, _) in positions.iter() {
        (min, max) = (min.inf(position), max.sup(position));
    }
    let axis = (max - min).imax();
    let left = cells / 2;
    let split_index = positions.len() * left / cells;
    // Ties are broken by index, so that cells are reproducible.
    positions.select_nth_unstable_by(split_index, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (one, other) = positions.split_at_mut(split_index);
    let (mut runs, others) = rayon::join(move || split(one, left), move || split(other, cells - left));
    runs.extend(others);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn cells_have_equal_counts_and_contain_every_point() {
        let mut random = Random::new(5, 5);
        for count in [1_usize, 63, 64, 65, 1000, 4097] {
            let mut positions: Vec<IndexedPosition> =
                (0..count as u32).map(|i| (Vector::from_fn(|_, _| random.uniform()), i)).collect();
            let cells = count / count.div_ceil(64);
            let runs = split(&mut positions, cells);
            assert_eq!(runs.len(), cells);
            let (min, max) =
                runs.iter().fold((usize::MAX, 0), |(min, max), run| (min.min(run.len()), max.max(run.len())));
            assert!(min > 0 && max - min <= 1, "{count} points: {min} to {max}");
            let mut indices: Vec<u32> = runs.iter().flat_map(|run| run.iter().map(|own| own.1)).collect();
            indices.sort_unstable();
            assert!(indices.into_iter().eq(0..count as u32));
        }
    }
}
