//! `shadowgraph fit`: an ideal feature through the points of a file.

use serde_json::json;

use super::arguments::Fit;
use super::console::Console;
use crate::base::{Result, UserError};
use crate::dispatch::Context;
use crate::inspect::features::{self, Options, Shape};
use crate::io::{LoadOptions, load_scan};

/// Runs it; returns the exit code.
pub fn run(arguments: &Fit, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    if arguments.clip_sigmas.is_some_and(|sigmas| !(sigmas > 0.0)) {
        return Err(UserError::usage("Points are dropped beyond a number of standard deviations above 0."));
    }
    let options = LoadOptions { unit: arguments.units, columns: arguments.columns, cad: context.cad.clone() };
    let scan = load_scan(&arguments.points, &options, &progress.part(0.0, 0.5))?;
    let how = Options {
        objective: arguments.objective,
        robust: arguments.robust,
        clip_sigmas: arguments.clip_sigmas,
        ..Options::default()
    };
    let fitted = features::fit(arguments.kind, &scan.cloud.points, &[], &how, &progress.part(0.5, 1.0))?;
    console.done();
    scan.notes.iter().for_each(|note| console.say(note));
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.fit/1",
            "software": crate::report::software(),
            "points": arguments.points.to_string_lossy(),
            "fit": fitted,
            "dropped": fitted.dropped.len(),
        }))?;
        return Ok(0);
    }
    for (name, value) in rows(&fitted.shape) {
        println!("{name:18} {value}");
    }
    let u = &fitted.uncertainty;
    let numbers: Vec<String> = u.numbers.iter().map(|number| format!("{number:.2e}")).collect();
    println!("{:18} {:.6} mm (sigma {:.6} mm)", "RMS", fitted.rms_mm, fitted.sigma_mm);
    println!("{:18} {:.6} mm", "Form error", fitted.form_error_mm);
    if let Some(zone) = &fitted.zone {
        let numbers: Vec<String> = zone.contacts.iter().map(u32::to_string).collect();
        println!(
            "{:18} {} ({:?}), held by points {}",
            "Objective",
            zone.objective.name(),
            zone.certified,
            numbers.join(", ")
        );
    }
    println!("{:18} {} used, {} dropped", "Points", fitted.used, fitted.dropped.len());
    println!(
        "{:18} place {:.2e} mm, direction {:.2e} rad, numbers {}",
        "Uncertainty",
        u.position_mm,
        u.direction_rad,
        numbers.join(", ")
    );
    println!("{:18} {}; worth {:.0} independent points", "", u.assumption, u.effective_points);
    Ok(0)
}

/// The feature's parameters by name, for people.
fn rows(shape: &Shape) -> Vec<(&'static str, String)> {
    let three = |v: [f64; 3]| format!("{:.9}, {:.9}, {:.9}", v[0], v[1], v[2]);
    let mut rows = vec![("Kind", shape.kind().name().to_owned()), ("Place, mm", three(shape.place().coords.into()))];
    rows.extend(shape.direction().map(|direction| ("Direction", three(direction.into()))));
    let length = |name, mm: f64| (name, format!("{mm:.9} mm"));
    match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
            rows.push(length("Radius", radius));
        }
        Shape::Cone { radius, half_angle_rad, .. } => {
            rows.push(length("Radius there", radius));
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
