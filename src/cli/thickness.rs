//! `shadowgraph thickness`: wall thickness or gap width of a part.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::console::Console;
use crate::output::outln;
use base::{LengthUnit, Result};
use compute::DeviceChoice;
use dispatch::Context;
use inspect::parts::Nominal;
use inspect::thickness::{Between, Method, Parameters, ThicknessMap};

/// `thickness`
#[derive(Args, Debug)]
#[command(after_help = "Walls at right angles to each other are not opposite sides: facets count whose normals are \
    within 60 degrees of facing away.\n\nExamples:\n  shadowgraph thickness part.stl --max-mm 8 --min-mm 1.2\n  \
    shadowgraph thickness part.stl --max-mm 8 --min-mm 1.2 --max-thickness-mm 4 --fail-on-out-of-tolerance\n  \
    shadowgraph thickness part.step --gaps --by normal --max-mm 5 --out gaps.csv --json")]
pub struct Thickness {
    /// The part: a mesh or CAD file.
    pub part: PathBuf,
    /// Unit of the part's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Greatest thickness to look for, mm.
    #[arg(long, default_value_t = Parameters::default().max_mm)]
    pub max_mm: f64,
    /// Least thickness allowed, mm; 0 for no limit. With one, there is a verdict: fail where something is thinner.
    #[arg(long, default_value_t = 0.0)]
    pub min_mm: f64,
    /// Greatest thickness allowed, mm, less than the greatest to look for; by default no limit. With one, there is a
    /// verdict: fail where something is thicker.
    #[arg(long)]
    pub max_thickness_mm: Option<f64>,
    /// Share of the surface that must have an opposite side within the greatest thickness for a PASS, %.
    #[arg(long, default_value_t = 100.0 * Parameters::default().min_coverage)]
    pub min_coverage: f64,
    /// Measure the width of gaps instead of the thickness of walls.
    #[arg(long)]
    pub gaps: bool,
    /// How it is measured.
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// Longest edge of the facets that are measured, mm; by default as short as for 200,000 of them.
    #[arg(long)]
    pub spacing_mm: Option<f64>,
    /// Exit with code 4 if something is thinner or thicker than allowed, with 6 if too little was measured to tell, or
    /// something puts the map in doubt.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
    /// Write the map to this file: .csv with a row for each facet, .ply in colours.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// How thickness is measured.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
pub enum By {
    /// By the largest ball that touches both sides.
    #[default]
    Ball,
    /// Along the normal.
    Normal,
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Thickness, json: bool, context: &Context) -> Result<i32> {
    let parameters = Parameters {
        between: if arguments.gaps { Between::Air } else { Between::Material },
        method: match arguments.by {
            By::Ball => Method::Ball,
            By::Normal => Method::Ray,
        },
        max_mm: arguments.max_mm,
        min_mm: arguments.min_mm,
        max_thickness_mm: arguments.max_thickness_mm,
        min_coverage: arguments.min_coverage / 100.0,
        spacing_mm: arguments.spacing_mm,
    };
    parameters.check()?;
    arguments.out.as_deref().map_or(Ok(()), report::thickness::check_path)?;
    let console = Console::new();
    let progress = console.progress();
    let nominal = Nominal::read(&arguments.part, arguments.units, context.cad.clone(), &progress.part(0.0, 0.2))?;
    let backend = context.backend.as_ref();
    let map = inspect::thickness::run(backend, &nominal.surface, &parameters, &progress.part(0.2, 0.95))?;
    if let Some(out) = &arguments.out {
        report::thickness::save(out, &map)?;
    }
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(&in_json(arguments, &map, context))?;
    } else {
        nominal.sentences().iter().chain(&map.sentences()).for_each(|sentence| outln!("{sentence}"));
        if let Some(verdict) = map.verdict() {
            outln!("{}.", verdict.headline(&map.covered()));
        }
        for spot in &map.spots {
            outln!("{:.4} mm at {:.3}, {:.3}, {:.3}", spot.thickness_mm, spot.at.x, spot.at.y, spot.at.z);
        }
    }
    Ok(super::exit_code(map.verdict(), arguments.fail_on_out_of_tolerance))
}

fn in_json(arguments: &Thickness, map: &ThicknessMap, context: &Context) -> serde_json::Value {
    json!({
        "schema": "shadowgraph.thickness/1",
        "software": report::software(),
        "backend": context.backend.device(),
        "part": arguments.part.to_string_lossy(),
        "parameters": map.parameters,
        "facets": map.mesh.facets.len(),
        "statistics": map.statistics,
        "verdict": map.verdict(),
        "covers": map.verdict().map(|_| map.covered()),
        "coverage": map.coverage(),
        "spots": map.spots,
        "thickest": map.thickest,
        "map": arguments.out.as_deref().map(Path::to_string_lossy),
        "notes": map.notes,
    })
}
