//! Trials of the uncertainty of surface points on simulated scans whose truth is known.

use super::{Parameters, run};
use crate::deviation::Tolerance;
use crate::deviation::trials::scan::field;
use crate::main_alignment::{ReferencePoint, ReferencePoints, reference_points::Direction};
use base::random::Random;
use base::{Progress, Result};
use geometry::mesh::shapes;
use geometry::{Point, Pose, Surface};

/// Side of the scanned face, mm; it has a point for each mm².
const SIDE_MM: f64 = 110.0;
/// Standard deviation of the noise, mm.
const SIGMA_MM: f64 = 0.01;
/// True deviation of the face, mm.
const OFFSET_MM: f64 = 0.05;
/// Positions of the surface points along each side, mm.
const AT_MM: [f64; 3] = [30.0, 55.0, 80.0];

/// How often the uncertainty covered the error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coverage {
    /// Number of surface points.
    pub points: usize,
    /// Number of them whose error is within U.
    pub covered: usize,
    /// Number of them that fail although the truth is in tolerance, by 5 µm.
    pub wrong: usize,
    /// Number of them in doubt.
    pub in_doubt: usize,
    /// Mean of U, mm.
    pub mean_mm: f64,
}

/// Measures a flat face with noise of which `share` is correlated over `length_mm`, so many times.
///
/// Returns an error if the points cannot be measured.
pub fn coverage(length_mm: f64, share: f64, draws: u64) -> Result<Coverage> {
    let nominal = Surface::new(shapes::cuboid(Point::origin(), Point::new(SIDE_MM, SIDE_MM, 5.0)));
    let name = |x: f64, y: f64| format!("{x}/{y}");
    let all = AT_MM.into_iter().flat_map(|x| AT_MM.map(|y| (x, y)));
    let point = |(x, y)| ReferencePoint::held_along(name(x, y), Point::new(x, y, 5.0), Direction::Normal);
    let at = ReferencePoints { points: all.map(point).collect(), ..ReferencePoints::default() };
    // The truth is in tolerance by 5 µm.
    let tolerance = Tolerance { low_mm: -0.1, high_mm: OFFSET_MM + 0.005 };
    let parameters = Parameters { at, tolerance };
    let mut found = Coverage::default();
    for draw in 0..draws {
        let mut random = Random::new(draw, 0x5F0A + (100.0 * length_mm) as u64);
        let noise = field(if length_mm > 0.0 { length_mm } else { 1.0 }, &mut random);
        let share = if length_mm > 0.0 { share } else { 0.0 };
        let scan: Vec<Point> = (0..(SIDE_MM * SIDE_MM) as usize)
            .map(|_| {
                let at = Point::new(random.range(0.0, SIDE_MM), random.range(0.0, SIDE_MM), 5.0);
                let noise = (1.0 - share).sqrt() * random.normal() + share.sqrt() * noise(&at);
                Point::new(at.x, at.y, 5.0 + OFFSET_MM + SIGMA_MM * noise)
            })
            .collect();
        let made = run(&nominal, &scan, &Pose::identity(), &parameters, &Progress::silent())?;
        for own in &made.points {
            let Ok((deviation_mm, _)) = own.measured else { continue };
            let uncertainty_mm = own.uncertainty_mm.unwrap_or_default();
            found.points += 1;
            found.covered += usize::from((deviation_mm - OFFSET_MM).abs() <= uncertainty_mm);
            found.wrong += usize::from(made.verdict_of(own) == crate::verdict::Verdict::Fail);
            found.in_doubt += usize::from(made.verdict_of(own) == crate::verdict::Verdict::Incomplete);
            found.mean_mm += uncertainty_mm;
        }
    }
    found.mean_mm /= found.points.max(1) as f64;
    Ok(found)
}
