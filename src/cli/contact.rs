//! `shadowgraph contact`: the contact volumes of a part for ball-end milling.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::console::Console;
use crate::output::outln;
use base::{LengthUnit, Result};
use compute::DeviceChoice;
use dispatch::Context;
use inspect::offset::ContactVolumes;
use inspect::offset::contact::{self, Parameters};
use inspect::parts::Nominal;
use io::write;

/// `contact`
#[derive(Args, Debug)]
#[command(after_help = "The stock is a cuboid around the part. On the surface of a contact volume the centre of the \
    tool may move: the tool then touches the part, or cuts as deep as the pass.\n\nExamples:\n  shadowgraph contact \
    part.stl --tool-radius-mm 3 --depth-mm 4 --out passes/")]
pub struct Contact {
    /// The part: a mesh or CAD file.
    pub part: PathBuf,
    /// Unit of the part's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Radius of the ball of the tool, mm.
    #[arg(long)]
    pub tool_radius_mm: f64,
    /// Material that each pass takes off the stock, mm.
    #[arg(long)]
    pub depth_mm: f64,
    /// How far the stock stands over the part on each side, mm.
    #[arg(long, default_value_t = Parameters::default().margin_mm)]
    pub margin_mm: f64,
    /// Voxels per axis.
    #[arg(long, default_value_t = Parameters::default().resolution)]
    pub resolution: u32,
    /// Write the mesh of each pass into this folder, as pass-01.stl and so on.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Contact, json: bool, context: &Context) -> Result<i32> {
    let Contact { tool_radius_mm, depth_mm, margin_mm, resolution, .. } = *arguments;
    let parameters = Parameters { tool_radius_mm, depth_mm, margin_mm, resolution };
    parameters.check()?;
    if let Some(out) = &arguments.out {
        base::folder::make(out)?;
    }
    let console = Console::new();
    let progress = console.progress();
    let nominal = Nominal::read(&arguments.part, arguments.units, context.cad.clone(), &progress.part(0.0, 0.2))?;
    let backend = context.backend.as_ref();
    let made = contact::run(backend, &nominal.surface, &parameters, &progress.part(0.2, 0.95))?;
    let written = (1..).zip(&made.passes).filter(|(_, pass)| !pass.mesh.facets.is_empty());
    let mut rounding = None;
    for (number, pass) in written {
        if let Some(out) = &arguments.out {
            let path = out.join(format!("pass-{number:02}.stl"));
            write::mesh(&path, &pass.mesh)?;
            rounding = rounding.or_else(|| write::rounding_note(&path, &pass.mesh));
        }
    }
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(&in_json(arguments, &made, context))?;
    } else {
        nominal.sentences().iter().chain(&made.sentences()).for_each(|sentence| outln!("{sentence}"));
        rounding.iter().for_each(|sentence| outln!("{sentence}"));
        for (number, pass) in (1..).zip(&made.passes) {
            let (volume_cm3, clearance_mm) = (pass.volume_mm3 / 1000.0, pass.clearance_mm);
            outln!("Pass {number}: {} mm off, {volume_cm3:.4} cm³, clearance {clearance_mm:.4} mm", pass.depth_mm);
        }
    }
    Ok(0)
}

fn in_json(arguments: &Contact, made: &ContactVolumes, context: &Context) -> serde_json::Value {
    let passes: Vec<serde_json::Value> = made
        .passes
        .iter()
        .map(|pass| {
            json!({
                "depth_mm": pass.depth_mm,
                "facets": pass.mesh.facets.len(),
                "volume_mm3": pass.volume_mm3,
                "clearance_mm": pass.clearance_mm,
                "statistics": pass.tree.statistics(),
            })
        })
        .collect();
    json!({
        "schema": "shadowgraph.contact/1",
        "software": report::software(),
        "backend": context.backend.device(),
        "part": arguments.part.to_string_lossy(),
        "parameters": made.parameters,
        "stock_mm": [<[f64; 3]>::from(made.stock.min), <[f64; 3]>::from(made.stock.max)],
        "passes": passes,
        "notes": made.notes,
    })
}
