//! Noise of measured points across the surface that they lie on.

use super::kd_tree::Neighbours;
use super::{KdTree, Point, Vector, jacobi};

/// Points by which noise is told, and neighbours of each.
const SAMPLES: usize = 2000;
const NEIGHBOURS: usize = 12;

/// RMS distance of neighbouring points from their common plane, mm; 0 without any. Of a sample, a quarter has less: where a
/// surface is curved or ends within the distance of neighbours, that would count as noise. `tree` is that of `points`.
pub fn across_surface_mm(tree: &KdTree, points: &[Point]) -> f64 {
    let mut near = Neighbours::default();
    let of = |point: &Point| {
        tree.k_nearest(point, NEIGHBOURS, f64::INFINITY, &mut near);
        let own: Vec<Point> = near.found.iter().map(|neighbour| points[neighbour.number as usize]).collect();
        // Three of them are on any plane.
        (off_plane_mm2(&own) / own.len().saturating_sub(3).max(1) as f64).sqrt()
    };
    let mut all: Vec<f64> = points.iter().step_by(points.len().div_ceil(SAMPLES).max(1)).map(of).collect();
    let quarter = all.len() / 4;
    if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(quarter, f64::total_cmp).1 }
}

/// Sum of the squared distances of points from their common plane.
fn off_plane_mm2(points: &[Point]) -> f64 {
    let mean = points.iter().map(|own| own.coords).sum::<Vector>() / points.len().max(1) as f64;
    jacobi::eigen(&jacobi::scatter(points.iter().map(|own| own.coords - mean))).0[0].max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_noise_of_a_sphere_is_told() {
        for sigma_mm in [0.2, 0.7] {
            let mut random = Random::new(5, 0);
            let mut point = || {
                let direction = random.rotation() * Vector::z();
                Point::from(direction * (50.0 + sigma_mm * random.normal()))
            };
            let points: Vec<Point> = (0..20_000).map(|_| point()).collect();
            let told_mm = across_surface_mm(&KdTree::new(&points), &points);
            assert!((0.7..1.1).contains(&(told_mm / sigma_mm)), "{told_mm} mm, not {sigma_mm}");
        }
        assert_eq!(across_surface_mm(&KdTree::new(&[]), &[]), 0.0);
    }
}
