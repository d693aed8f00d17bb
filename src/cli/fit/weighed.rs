//! Points with their weights, as `fit` reads them.

use std::path::Path;

use super::Fit;
use base::{Progress, Result, UserError};
use dispatch::Context;
use geometry::Point;
use inspect::features::weights::{Weighting, Weights};
use io::format::Format;
use io::xyz::{self, Columns};
use io::{LoadOptions, Source, load_scan};

/// The points of one file.
pub struct Weighed {
    /// The points, mm.
    pub points: Vec<Point>,
    /// A weight for each; empty where all count alike.
    pub weights: Vec<f64>,
    /// What the reader had to say.
    pub notes: Vec<String>,
}

impl Weighed {
    /// Reads them, and finds their weights.
    pub fn read(path: &Path, arguments: &Fit, context: &Context, progress: &Progress) -> Result<Self> {
        let options = options(arguments.columns, arguments, context);
        let loaded = load_scan(path, &options, &progress.part(0.0, 0.6)).map_err(|error| error.in_file(path))?;
        let (mut cloud, mut notes) = (loaded.cloud, loaded.notes);
        notes.extend(loaded.findings.sentences());
        let weighing = &arguments.weighing;
        if let Some(viewpoint) = weighing.viewpoint_mm {
            (cloud.viewpoint, cloud.to_sensor) = (Some(Point::from(viewpoint)), Vec::new());
        }
        if let Some(number) = weighing.weight_column {
            cloud.intensity = column(path, number, arguments, context)?;
        }
        let how: Weights = weighing.weights();
        let weights = how.of(context.backend.as_ref(), &cloud, &progress.part(0.6, 1.0));
        let mut weights =
            weights.map_err(|error| if how.by == Weighting::Column { error.in_file(path) } else { error })?;
        if let Some(number) = weighing.mask_column {
            let mask = column(path, number, arguments, context)?;
            weights.resize(cloud.points.len(), 1.0);
            for (weight, mask) in weights.iter_mut().zip(mask) {
                if mask == 0.0 {
                    *weight = 0.0;
                }
            }
        }
        Ok(Self { points: cloud.points, weights, notes })
    }

    /// Points of weight 0.
    pub fn masked(&self) -> usize {
        self.weights.iter().filter(|weight| **weight == 0.0).count()
    }
}

fn options(columns: Option<Columns>, arguments: &Fit, context: &Context) -> LoadOptions {
    LoadOptions { unit: arguments.units, columns, cad: context.cad.clone() }
}

/// A column of a file of numbers, counted from 0, for each point that is read from it.
fn column(path: &Path, number: usize, arguments: &Fit, context: &Context) -> Result<Vec<f32>> {
    if !matches!(Format::of_name(path), Ok(Format::Xyz)) {
        return Err(UserError::usage(format!(
            "{} has no numbered columns: those belong to files of numbers (XYZ, ASC, CSV, TXT).",
            path.display()
        )));
    }
    let silent = Progress::silent();
    let places = match arguments.columns {
        Some(columns) => columns,
        None => xyz::preview(Source::open(path, &silent)?, 20)?.columns,
    };
    // Read as an intensity, so that points and numbers stay together where lines are left out.
    let columns = Columns { intensity: Some(number), ..places };
    let loaded = load_scan(path, &options(Some(columns), arguments, context), &silent)?;
    if loaded.cloud.intensity.len() != loaded.cloud.points.len() {
        return Err(UserError::input(format!(
            "{}: column {} does not hold a number on every line.",
            path.display(),
            number + 1
        )));
    }
    Ok(loaded.cloud.intensity)
}
