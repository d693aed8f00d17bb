//! Coverage of the stated uncertainties of bores by simulation: seen on an arc, round or with lobes, under noise.

use rayon::prelude::*;

use super::in_plane::fit_in_plane;
use super::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Vector};

/// Its axis, parallel to z, its radius, and its length, mm.
const AXIS_MM: [f64; 2] = [40.0, 30.0];
const RADIUS_MM: f64 = 6.0;
const LENGTH_MM: f64 = 20.0;

/// A bore as it was measured.
#[derive(Clone, Copy, Debug)]
pub struct Bore {
    /// The arc seen, degrees.
    pub arc_deg: f64,
    /// Number of lobes; 0 for a round one.
    pub lobes: u32,
    /// Their amplitude, mm.
    pub amplitude_mm: f64,
    /// Number of points.
    pub count: usize,
    /// Standard deviation of the noise, mm.
    pub sigma_mm: f64,
}

/// Shares of the draws whose stated uncertainty contains the error, and what else the fits state.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// Of the diameter.
    pub size: f64,
    /// Of the axis or centre, across.
    pub position: f64,
    /// Mean expanded uncertainty of the diameter, mm.
    pub mean_size_mm: f64,
    /// The smallest and the largest arc that a fit states, degrees.
    pub arcs_deg: [f64; 2],
}

impl Bore {
    /// Its measured points; the lobes have any phase.
    pub fn points(&self, random: &mut Random) -> Vec<Point> {
        let phase = random.range(0.0, std::f64::consts::TAU);
        let point = |_| {
            let angle = random.range(0.0, self.arc_deg.to_radians());
            let form_mm = match self.lobes {
                0 => 0.0,
                lobes => self.amplitude_mm * (f64::from(lobes) * angle + phase).cos(),
            };
            let radius_mm = RADIUS_MM + form_mm + self.sigma_mm * random.normal();
            let [x, y] = AXIS_MM;
            Point::new(x + radius_mm * angle.cos(), y + radius_mm * angle.sin(), random.range(0.0, LENGTH_MM))
        };
        (0..self.count).map(point).collect()
    }

    /// Its fit, as a cylinder or as a circle in the plane z = 0.
    ///
    /// Returns an error if the fit fails.
    pub fn fitted(points: &[Point], kind: Kind) -> Result<Fit> {
        let (options, progress) = (Options::default(), Progress::silent());
        if kind == Kind::Circle {
            let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
            return fit_in_plane(kind, points, &[], &plane, &options, &progress);
        }
        fit(kind, points, &[], &options, &progress)
    }

    /// How often the stated uncertainties contain the errors, in draws numbered from `seed`.
    ///
    /// Returns an error if a fit fails.
    pub fn coverage(&self, kind: Kind, draws: usize, seed: u64) -> Result<Coverage> {
        let one = |number: usize| -> Result<[f64; 4]> {
            let found = Self::fitted(&self.points(&mut Random::new(seed, number as u64)), kind)?;
            let radius_mm = found.shape.radius().ok_or_else(|| UserError::input("The shape has no radius."))?;
            let (position, [x, y]) = (found.shape.position(), AXIS_MM);
            let (size_mm, off_mm) = (2.0 * (radius_mm - RADIUS_MM).abs(), (position.x - x).hypot(position.y - y));
            let stated_mm = 2.0 * found.uncertainty.numbers[0];
            let is_within = |error_mm: f64, stated_mm: f64| f64::from(u8::from(error_mm <= stated_mm));
            let is_position_within = is_within(off_mm, found.uncertainty.position_mm);
            Ok([is_within(size_mm, stated_mm), is_position_within, stated_mm, found.arc_deg.unwrap_or_default()])
        };
        let all = (0..draws).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
        let mean = |column: usize| all.iter().map(|draw| draw[column]).sum::<f64>() / draws.max(1) as f64;
        let arcs_deg = || all.iter().map(|draw| draw[3]);
        let arcs_deg = [arcs_deg().fold(f64::INFINITY, f64::min), arcs_deg().fold(0.0, f64::max)];
        Ok(Coverage { size: mean(0), position: mean(1), mean_size_mm: mean(2), arcs_deg })
    }
}
