//! Weighted points as read by `fit`.

use std::path::Path;

use super::Fit;
use base::{Progress, Result, UserError};
use dispatch::Context;
use geometry::Point;
use inspect::features::fits::weights::{Weighting, Weights};
use io::format::Format;
use io::xyz::{self, Columns};
use io::{LoadOptions, Source, load_scan};

/// The points of one file with their weights.
pub struct Weighed {
    /// The points, mm.
    pub points: Vec<Point>,
    /// A weight per point; empty if all are equal.
    pub weights: Vec<f64>,
    /// Notes from reading the file.
    pub notes: Vec<String>,
}

impl Weighed {
    /// Reads the points and computes their weights.
    pub fn read(path: &Path, arguments: &Fit, context: &Context, progress: &Progress) -> Result<Self> {
        let options = options(arguments.columns, arguments, context);
        let loaded = load_scan(path, &options, &progress.part(0.0, 0.6)).map_err(|error| error.in_file(path))?;
        let (mut cloud, mut notes) = (loaded.cloud, loaded.notes);
        notes.extend(loaded.findings.sentences());
        let weighing = &arguments.weighing;
        if let Some(viewpoint) = weighing.viewpoint_mm {
            (cloud.viewpoint, cloud.to_sensor) = (Some(Point::from(viewpoint)), Vec::new());
        }
        if let Some(index) = weighing.weight_column {
            cloud.intensity = column(path, index, arguments, context)?;
        }
        let weighting: Weights = weighing.weights();
        let weights = weighting.of(context.backend.as_ref(), &cloud, &progress.part(0.6, 1.0));
        let mut weights =
            weights.map_err(|error| if weighting.by == Weighting::Column { error.in_file(path) } else { error })?;
        if let Some(index) = weighing.mask_column {
            let mask = column(path, index, arguments, context)?;
            weights.resize(cloud.points.len(), 1.0);
            for (weight, mask) in weights.iter_mut().zip(mask) {
                if mask == 0.0 {
                    *weight = 0.0;
                }
            }
        }
        Ok(Self { points: cloud.points, weights, notes })
    }

    /// Number of points with weight 0.
    pub fn masked(&self) -> usize {
        self.weights.iter().filter(|weight| **weight == 0.0).count()
    }
}

fn options(columns: Option<Columns>, arguments: &Fit, context: &Context) -> LoadOptions {
    LoadOptions { unit: arguments.units, columns, cad: context.cad.clone() }
}

/// Values of the column at `index` (from 0) of a text file, one per point read from it.
fn column(path: &Path, index: usize, arguments: &Fit, context: &Context) -> Result<Vec<f32>> {
    if !matches!(Format::from_extension(path), Ok(Format::Xyz)) {
        return Err(UserError::usage(format!(
            "{} has no numbered columns; only text files (XYZ, ASC, CSV, TXT) do.",
            path.display()
        )));
    }
    let silent = Progress::silent();
    let coordinates = match arguments.columns {
        Some(columns) => columns,
        None => xyz::preview(Source::open(path, &silent)?, 20)?.columns,
    };
    // Read as an intensity, so that points and values stay together if lines are skipped.
    let columns = Columns { intensity: Some(index), ..coordinates };
    let loaded = load_scan(path, &options(Some(columns), arguments, context), &silent)?;
    if loaded.cloud.intensity.len() != loaded.cloud.points.len() {
        return Err(UserError::input(format!(
            "{}: column {} does not have a number on every line.",
            path.display(),
            index + 1
        )));
    }
    Ok(loaded.cloud.intensity)
}
