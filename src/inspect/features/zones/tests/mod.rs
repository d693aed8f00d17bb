//! Chebyshev fits against brute force, known results and each other, through the public interface.

mod large;
mod line;
mod near;
mod plane;
mod round;
mod sentences;

use super::super::{Certificate, Fit, Kind, Objective, Options, fit};
use base::{Progress, Result, random::Random};
use geometry::{Point, Pose, Vector};

fn fitted(kind: Kind, objective: Objective, points: &[Point]) -> Result<Fit> {
    fit(kind, points, &[], &Options { objective, ..Options::default() }, &Progress::silent())
}

/// Fits a minimum zone and asserts its certificate.
fn zone(kind: Kind, points: &[Point], certified: Certificate) -> Fit {
    let found = fitted(kind, Objective::MinimumZone, points).unwrap();
    assert_eq!(found.zone.as_ref().unwrap().certified, certified, "{found:?}");
    assert!(found.converged);
    found
}

/// A random pose up to a metre away.
fn pose(random: &mut Random) -> Pose {
    let shift = Vector::from_fn(|_, _| random.range(-1000.0, 1000.0));
    Pose::from_parts(shift.into(), random.rotation())
}

/// A ring of radius 50 in the plane z = 0 with deviations of up to `error` on either side, over `arc` rad.
fn ring(random: &mut Random, count: usize, error: f64, arc: f64) -> Vec<Point> {
    let mut on_ring = |i: usize| {
        let angle = arc * (i as f64 + random.range(0.0, 0.9)) / count as f64;
        let radius = 50.0 + random.range(-error, error);
        Point::new(radius * angle.cos(), radius * angle.sin(), 0.0)
    };
    (0..count).map(&mut on_ring).collect()
}

/// Subsets of `size` of the indices below `count`.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    (0_u32..1 << count)
        .filter(|set| set.count_ones() as usize == size)
        .map(|set| (0..count).filter(|i| set & (1 << i) != 0).collect())
        .collect()
}

/// Maximum minus minimum of the values.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (min, max) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)));
    max - min
}

/// Nelder-Mead simplex with restarts: slow, and independent of contacts.
fn nelder_mead(start: &[f64], reach: f64, cost: &dyn Fn(&[f64]) -> f64, random: &mut Random) -> f64 {
    let count = start.len();
    let mut best = (cost(start), start.to_vec());
    for again in 0..12 {
        let size = reach * 0.3_f64.powi(again);
        let mut corners = vec![best.clone()];
        for _ in 0..count {
            let corner: Vec<f64> = best.1.iter().map(|x| x + size * random.normal()).collect();
            corners.push((cost(&corner), corner));
        }
        for _ in 0..80 * count {
            corners.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mean: Vec<f64> =
                (0..count).map(|j| corners[..count].iter().map(|c| c.1[j]).sum::<f64>() / count as f64).collect();
            let worst = corners[count].1.clone();
            let reflected = |by: f64| {
                let position: Vec<f64> = mean.iter().zip(&worst).map(|(m, w)| m + by * (w - m)).collect();
                (cost(&position), position)
            };
            let candidates = [reflected(-1.0), reflected(-2.0), reflected(0.5), reflected(-0.5)];
            let next = candidates.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            if next.0 < corners[count].0 {
                corners[count] = next;
            } else {
                let first = corners[0].1.clone();
                for corner in &mut corners[1..] {
                    let position: Vec<f64> = corner.1.iter().zip(&first).map(|(a, b)| 0.5 * (a + b)).collect();
                    *corner = (cost(&position), position);
                }
            }
        }
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        best = corners[0].clone();
    }
    best.0
}
