//! The acceptance of a sensor by scans of artefacts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::probe::name_of;
use super::{Context, Edit, Execution};
use base::{LengthUnit, Progress, Result, UserError};
use geometry::Point;
use inspect::acceptance::{Acceptance, BarScan, Limits, Measured, PlaneScan, Settings, SphereScan, Verdict, evaluate};
use io::{LoadOptions, load_scan};

/// What a sensor is judged by. Scans are as the sensor reports them, the sensor at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Accept {
    /// Scans of the ball bar, one for each position.
    pub bars: Vec<PathBuf>,
    /// Scans of a flat, its border left out, one for each position.
    pub planes: Vec<PathBuf>,
    /// Unit of their numbers; `None` takes what the format says, else mm.
    pub unit: Option<LengthUnit>,
    /// Calibrated radius of the bar's balls, mm.
    pub sphere_radius_mm: f64,
    /// Calibrated distance of their middles, mm.
    pub bar_length_mm: f64,
    /// Points nearer than this to a ball are its own, mm.
    pub within_mm: f64,
    /// How scans are evaluated.
    pub settings: Settings,
    /// What they are judged by.
    pub limits: Limits,
}

impl Accept {
    pub(super) fn execution(self, context: Context) -> Execution {
        Execution::work("Judging the sensor", move |progress, _| {
            let acceptance = judge(&self, &context, progress)?;
            let note =
                acceptance.verdict.map_or("Without limits nothing is judged.".to_owned(), |verdict| match verdict {
                    Verdict::Conforms => "The sensor conforms.".to_owned(),
                    Verdict::Undecided => "The test leaves it undecided whether the sensor conforms.".to_owned(),
                    Verdict::DoesNotConform => "The sensor does not conform.".to_owned(),
                });
            let notes: Vec<String> = [note].into_iter().chain(acceptance.notes.clone()).collect();
            let acceptance = Arc::new(acceptance);
            Ok(Edit::new("Judge the sensor", move |document| document.acceptance = Some(acceptance)).with_notes(notes))
        })
    }
}

/// Reads the scans, finds both balls in each of the bar, and judges. Each ball is a test of form and size, too.
fn judge(accept: &Accept, context: &Context, progress: &Progress) -> Result<Acceptance> {
    accept.settings.check()?;
    let calibrated = [accept.sphere_radius_mm, accept.bar_length_mm];
    if !accept.bars.is_empty() && !calibrated.iter().all(|length| *length > 0.0) {
        return Err(UserError::usage(
            "Say the radius of the bar's balls and the distance of their middles, above 0 mm.",
        ));
    }
    let options = LoadOptions { unit: accept.unit, columns: None, cad: context.cad.clone() };
    let points = |path: &Path, progress: &Progress| -> Result<Vec<Point>> {
        Ok(load_scan(path, &options, progress).map_err(|error| error.in_file(path))?.cloud.points)
    };
    let count = (accept.bars.len() + accept.planes.len()).max(1) as f32;
    let share = |at: usize| progress.part(0.9 * at as f32 / count, 0.9 * (at + 1) as f32 / count);
    let mut measured = Measured::default();
    for (number, path) in accept.bars.iter().enumerate() {
        let part = share(number);
        let points = points(path, &part.part(0.0, 0.5))?;
        let (sensor, calibrated) = (Some(Point::origin()), (2.0 * accept.sphere_radius_mm, accept.bar_length_mm));
        let name = name_of(path);
        let found = BarScan::from_scan(&name, &points, sensor, calibrated, accept.within_mm, &part.part(0.5, 1.0))?;
        for (number, ball) in (1..).zip(&found.balls) {
            measured.spheres.push(SphereScan {
                name: format!("{name}, ball {number}"),
                points: ball.clone(),
                viewpoint: sensor,
                diameter_mm: found.diameter_mm,
            });
        }
        measured.bars.push(found);
    }
    for (number, path) in accept.planes.iter().enumerate() {
        let points = points(path, &share(accept.bars.len() + number))?;
        measured.planes.push(PlaneScan { name: name_of(path), points });
    }
    evaluate(&measured, &accept.settings, &progress.part(0.9, 1.0))?.judged(&accept.limits)
}
