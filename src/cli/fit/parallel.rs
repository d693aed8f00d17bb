//! `fit parallel-planes`: fits sets of parallel planes with a common normal per set.

use std::path::PathBuf;

use serde_json::json;

use super::super::console::Console;
use super::weighed::Weighed;
use super::{Fit, PlaneFiles};
use crate::output::outln;
use base::{Progress, Result};
use dispatch::Context;
use inspect::features::fits::plane_set::{PlanePoints, PlaneSet, fit_parallel};

/// A fitted set, and the files of its planes with the number of masked points in each.
struct FittedSet {
    files: Vec<(PathBuf, usize)>,
    set: PlaneSet,
}

/// Fits all sets; returns the exit code.
pub fn run(arguments: &Fit, json: bool, context: &Context, console: &Console, progress: &Progress) -> Result<i32> {
    let one = PlaneFiles(arguments.points.clone());
    let sets: Vec<&PlaneFiles> = if arguments.set.is_empty() { vec![&one] } else { arguments.set.iter().collect() };
    let mut fitted = Vec::with_capacity(sets.len());
    for (k, files) in sets.iter().enumerate() {
        let fraction = |k: usize| k as f32 / sets.len() as f32;
        let part = progress.part(fraction(k), fraction(k + 1));
        let set = one_set(files, arguments, context, console, &part);
        fitted.push(set.map_err(|error| if sets.len() > 1 { error.about(&format!("Set {}", k + 1)) } else { error })?);
    }
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    let weights = arguments.weighing.weights();
    if json {
        let sets: Vec<serde_json::Value> = fitted
            .iter()
            .map(|fitted| {
                let file =
                    |(path, masked): &(PathBuf, usize)| json!({ "points": path.to_string_lossy(), "masked": masked });
                let files: Vec<serde_json::Value> = fitted.files.iter().map(file).collect();
                let dropped: Vec<usize> = fitted.set.planes.iter().map(|plane| plane.dropped.len()).collect();
                json!({ "files": files, "fit": fitted.set, "dropped": dropped })
            })
            .collect();
        super::super::print_json(&json!({
            "schema": "shadowgraph.parallel-planes/1",
            "software": report::software(),
            "weights": weights.words(),
            "sets": sets,
        }))?;
        return Ok(0);
    }
    for (k, fitted) in fitted.iter().enumerate() {
        print(k + 1, fitted);
    }
    outln!("{:18} {}", "Weights", weights.words());
    Ok(0)
}

fn one_set(
    files: &PlaneFiles,
    arguments: &Fit,
    context: &Context,
    console: &Console,
    progress: &Progress,
) -> Result<FittedSet> {
    let mut planes = Vec::with_capacity(files.0.len());
    for (i, path) in files.0.iter().enumerate() {
        let fraction = |i: usize| 0.6 * i as f32 / files.0.len() as f32;
        let weighed = Weighed::read(path, arguments, context, &progress.part(fraction(i), fraction(i + 1)))?;
        weighed.notes.iter().for_each(|note| console.say(&format!("{}: {note}", path.display())));
        planes.push(weighed);
    }
    let points: Vec<PlanePoints<'_>> =
        planes.iter().map(|own| PlanePoints { points: &own.points, weights: &own.weights }).collect();
    let set = fit_parallel(context.backend.as_ref(), &points, arguments.clip_sigmas, &progress.part(0.6, 1.0))?;
    let masked = planes.iter().map(Weighed::masked);
    Ok(FittedSet { files: files.0.iter().cloned().zip(masked).collect(), set })
}

fn print(number: usize, fitted: &FittedSet) {
    let (set, row) = (&fitted.set, |name: &str, value: String| outln!("{name:18} {value}"));
    row("Set", format!("{number}: {} parallel planes", set.planes.len()));
    row("Normal", format!("{:.9}, {:.9}, {:.9}", set.normal.x, set.normal.y, set.normal.z));
    let stated = |own: f64, text: String| if own.is_finite() { format!(" ± {text}") } else { String::new() };
    let u = set.normal_uncertainty_rad;
    row("", stated(u, format!("{u:.2e} rad (k = 2)")).trim().to_owned());
    row("RMS", format!("{:.6} mm (sigma {:.6} mm)", set.rms_mm, set.sigma_mm));
    for (i, (plane, (path, masked))) in set.planes.iter().zip(&fitted.files).enumerate() {
        let (centroid, u) = (plane.shape.position(), plane.uncertainty.position_mm);
        row(&format!("Plane {}", i + 1), format!("{}", path.display()));
        row(
            "  Centroid, mm",
            format!(
                "{:.9}, {:.9}, {:.9}{}",
                centroid.x,
                centroid.y,
                centroid.z,
                stated(u, format!("{u:.2e} along the normal"))
            ),
        );
        row("  Residuals", format!("RMS {:.6} mm, form error {:.6} mm", plane.rms_mm, plane.form_error_mm));
        let dropped = plane.dropped.len();
        row("  Points", format!("{} used, {dropped} dropped, {masked} masked", plane.used));
    }
    for own in &set.distances {
        let [one, other] = own.planes.map(|plane| plane + 1);
        let name = format!("Distance {one} to {other}");
        row(&name, format!("{:.6} ± {:.6} mm (k = 2)", own.distance_mm, own.uncertainty_mm));
    }
    if let Some(plane) = set.planes.first() {
        row("Uncertainty", plane.uncertainty.assumption.clone());
    }
}
