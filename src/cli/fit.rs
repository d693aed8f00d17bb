//! `shadowgraph fit`: fits a geometric element to the points of a file, or parallel planes to those of several files.

mod options;
mod parallel;
mod weighed;

use std::path::Path;

use serde_json::json;

use super::console::Console;
use crate::output::outln;
use base::Result;
use dispatch::Context;
use inspect::features::{self, Kind, Options, Shape};
pub use options::{Fit, PlaneFiles, What};
use weighed::Weighed;

/// Runs it; returns the exit code.
pub fn run(arguments: &Fit, json: bool, context: &Context) -> Result<i32> {
    arguments.check()?;
    let console = Console::new();
    let progress = console.progress();
    match (arguments.what, arguments.points.first()) {
        (What::One(kind), Some(path)) => one(kind, path, arguments, json, context, &console),
        _ => parallel::run(arguments, json, context, &console, &progress),
    }
}

fn one(kind: Kind, path: &Path, arguments: &Fit, json: bool, context: &Context, console: &Console) -> Result<i32> {
    let progress = console.progress();
    let weighed = Weighed::read(path, arguments, context, &progress.part(0.0, 0.5))?;
    let how = Options {
        objective: arguments.objective,
        robust: arguments.robust,
        clip_sigmas: arguments.clip_sigmas,
        ..Options::default()
    };
    let (points, weights) = (&weighed.points, &weighed.weights);
    let fitted = features::fit(kind, points, weights, &how, &progress.part(0.5, 1.0))?;
    console.done();
    weighed.notes.iter().for_each(|note| console.say(note));
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.fit/1",
            "software": report::software(),
            "points": path.to_string_lossy(),
            "fit": fitted,
            "dropped": fitted.dropped.len(),
            "weights": arguments.weighing.weights().words(),
            "masked": weighed.masked(),
            "notes": weighed.notes,
        }))?;
        return Ok(0);
    }
    for (name, value) in rows(&fitted.shape) {
        outln!("{name:18} {value}");
    }
    let u = &fitted.uncertainty;
    outln!("{:18} {:.6} mm (sigma {:.6} mm)", "RMS", fitted.rms_mm, fitted.sigma_mm);
    outln!("{:18} {:.6} mm", "Form error", fitted.form_error_mm);
    if let Some(zone) = &fitted.zone {
        let contacts: Vec<String> = zone.contacts.iter().map(u32::to_string).collect();
        outln!(
            "{:18} {} ({:?}), contact points {}",
            "Objective",
            zone.objective.name(),
            zone.certified,
            contacts.join(", ")
        );
    }
    outln!("{:18} {} used, {} dropped", "Points", fitted.used, fitted.dropped.len());
    if !arguments.weighing.is_plain() {
        let (words, masked) = (arguments.weighing.weights().words(), weighed.masked());
        outln!("{:18} {words}; {masked} points masked; weights are inverse variances", "Weights");
    }
    if let Some(arc_deg) = fitted.arc_deg {
        outln!("{:18} {arc_deg:.1}°", "Arc seen");
    }
    if u.is_stated() {
        let stated = |own: f64, unit: &str| match own.is_finite() {
            true => format!("{own:.2e}{unit}"),
            false => "not determined".to_owned(),
        };
        let sizes: Vec<String> = u.numbers.iter().map(|number| stated(*number, "")).collect();
        outln!(
            "{:18} position {}{}, direction {}, sizes {}",
            "Uncertainty",
            stated(u.position_mm, " mm"),
            determined_along(kind),
            stated(u.direction_rad, " rad"),
            sizes.join(", ")
        );
        outln!("{:18} {}; {:.0} effective independent points", "", u.assumption, u.effective_points);
    } else {
        outln!("{:18} {}", "Uncertainty", u.assumption);
    }
    if let Some(radius_mm) = u.min_radius_mm {
        outln!("{:18} the arc does not determine the radius: at least {radius_mm:.4} mm", "");
    }
    fitted.doubts.iter().for_each(|doubt| outln!("{:18} {doubt}", "Doubtful"));
    Ok(0)
}

/// Where the position of an element is determined, for display; empty if in all directions.
fn determined_along(kind: Kind) -> &'static str {
    match kind {
        Kind::Plane => " along the normal",
        Kind::Line | Kind::Cylinder | Kind::Cone => " across the axis",
        Kind::Circle | Kind::Sphere | Kind::Torus => "",
    }
}

/// Names and values of the element's parameters, for display.
fn rows(shape: &Shape) -> Vec<(&'static str, String)> {
    let three = |v: [f64; 3]| format!("{:.9}, {:.9}, {:.9}", v[0], v[1], v[2]);
    let mut rows =
        vec![("Kind", shape.kind().name().to_owned()), ("Position, mm", three(shape.position().coords.into()))];
    rows.extend(shape.direction().map(|direction| ("Direction", three(direction.into()))));
    let length = |name, mm: f64| (name, format!("{mm:.9} mm"));
    match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
            rows.push(length("Radius", radius));
        }
        Shape::Cone { radius, half_angle_rad, .. } => {
            rows.push(length("Radius at position", radius));
            rows.push(("Half angle", format!("{:.9}°", half_angle_rad.to_degrees())));
        }
        Shape::Torus { major, minor, .. } => {
            rows.push(length("Major radius", major));
            rows.push(length("Minor radius", minor));
        }
        Shape::Line { .. } | Shape::Plane { .. } => {}
    }
    rows
}
