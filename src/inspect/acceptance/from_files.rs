//! Runs an acceptance test from scan files.

use std::path::{Path, PathBuf};

use super::{Acceptance, AcceptanceScans, BarScan, Limits, PlaneScan, Settings, SphereScan, evaluate};
use base::{LengthUnit, Progress, Result, UserError, file_name};
use geometry::Point;
use io::cad::CadReader;
use io::{LoadOptions, load_scan};

/// Input of an acceptance test. Scans are as reported by the sensor, sensor at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptanceTest {
    /// Scans of the ball bar, one per position.
    pub bars: Vec<PathBuf>,
    /// Scans of a flat without its border, one per position.
    pub planes: Vec<PathBuf>,
    /// Unit of the coordinates; `None` uses that of the file format, or mm.
    pub unit: Option<LengthUnit>,
    /// Calibrated radius of the ball bar's spheres, mm.
    pub sphere_radius_mm: f64,
    /// Calibrated distance between their centres, mm.
    pub bar_length_mm: f64,
    /// Maximum distance of a sphere's points from the sphere, mm.
    pub within_mm: f64,
    /// Settings of the evaluation.
    pub settings: Settings,
    /// Limits of the characteristics.
    pub limits: Limits,
}

impl AcceptanceTest {
    /// Reads the scans, finds both spheres in each scan of the bar, and evaluates them against the limits. Each sphere
    /// is also a test of form and size.
    pub fn judge(&self, cad: &CadReader, progress: &Progress) -> Result<Acceptance> {
        self.settings.check()?;
        let calibrated = [self.sphere_radius_mm, self.bar_length_mm];
        if !self.bars.is_empty() && !calibrated.iter().all(|length| *length > 0.0) {
            return Err(UserError::usage(
                "Enter the radius of the ball bar's spheres and the distance between their centres, above 0 mm.",
            ));
        }
        let options = LoadOptions { unit: self.unit, columns: None, cad: cad.clone() };
        let points = |path: &Path, progress: &Progress| -> Result<Vec<Point>> {
            Ok(load_scan(path, &options, progress).map_err(|error| error.in_file(path))?.cloud.points)
        };
        let count = (self.bars.len() + self.planes.len()).max(1) as f32;
        let part_progress = |at: usize| progress.part(0.9 * at as f32 / count, 0.9 * (at + 1) as f32 / count);
        let mut scans = AcceptanceScans::default();
        for (index, path) in self.bars.iter().enumerate() {
            let part = part_progress(index);
            let points = points(path, &part.part(0.0, 0.5))?;
            let (sensor, calibrated) = (Some(Point::origin()), (2.0 * self.sphere_radius_mm, self.bar_length_mm));
            let name = file_name(path);
            let found = BarScan::from_scan(&name, &points, sensor, calibrated, self.within_mm, &part.part(0.5, 1.0))?;
            for (number, sphere) in (1..).zip(&found.spheres) {
                scans.spheres.push(SphereScan {
                    name: format!("{name}, sphere {number}"),
                    points: sphere.clone(),
                    viewpoint: sensor,
                    diameter_mm: found.diameter_mm,
                });
            }
            scans.bars.push(found);
        }
        for (index, path) in self.planes.iter().enumerate() {
            let points = points(path, &part_progress(self.bars.len() + index))?;
            scans.planes.push(PlaneScan { name: file_name(path), points });
        }
        evaluate(&scans, &self.settings, &progress.part(0.9, 1.0))?.judged(&self.limits)
    }
}
