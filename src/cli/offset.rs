//! `shadowgraph offset`: the offset volume of a part, and the mesh around it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::console::Console;
use crate::output::outln;
use base::{LengthUnit, Result};
use compute::DeviceChoice;
use dispatch::Context;
use geometry::voxels::{CellFormat, Layout};
use inspect::offset::{OffsetVolume, Parameters};
use inspect::parts::Nominal;
use io::write;

/// `offset`
#[derive(Args, Debug)]
#[command(
    after_help = "The distance is measured exactly, to the facets of the part. The voxels fill a cube around the offset \
    part.\n\nExamples:\n  shadowgraph offset part.stl --distance-mm 2 --out larger.stl\n  shadowgraph offset part.step \
    --distance-mm -0.5 --resolution 1024 --out smaller.ply --json"
)]
pub struct Offset {
    /// The part: a mesh or CAD file.
    pub part: PathBuf,
    /// Unit of the part's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Offset, mm: dilation if positive, erosion if negative.
    #[arg(long, allow_hyphen_values = true)]
    pub distance_mm: f64,
    /// Voxels per axis.
    #[arg(long, default_value_t = 512)]
    pub resolution: u32,
    /// Cells per axis of the tree's root grid: 4, 8, 16, 32, 64 or 128.
    #[arg(long, default_value_t = Layout::default().root)]
    pub root: u32,
    /// Children per axis of a branching cell: 2, 4 or 8.
    #[arg(long, default_value_t = Layout::default().branching)]
    pub branching: u32,
    /// Voxels per axis of a leaf: 8 or 16.
    #[arg(long, default_value_t = Layout::default().leaf)]
    pub leaf: u32,
    /// Store cells in 24 instead of 12 bytes.
    #[arg(long)]
    pub wide_cells: bool,
    /// Write the mesh around the volume to this file: .stl, .ply, .obj or .3mf.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Offset, json: bool, context: &Context) -> Result<i32> {
    let layout = Layout { root: arguments.root, branching: arguments.branching, leaf: arguments.leaf };
    let cell_format = if arguments.wide_cells { CellFormat::Wide } else { CellFormat::Compact };
    let parameters =
        Parameters { distance_mm: arguments.distance_mm, resolution: arguments.resolution, layout, cell_format };
    parameters.check()?;
    if let Some(out) = &arguments.out {
        // Before minutes of work.
        write::check_mesh(out)?;
    }
    let console = Console::new();
    let progress = console.progress();
    let nominal = Nominal::read(&arguments.part, arguments.units, context.cad.clone(), &progress.part(0.0, 0.2))?;
    let part = progress.part(0.2, 0.95);
    let made = inspect::offset::run(context.backend.as_ref(), &nominal.surface, &parameters, &part)?;
    if let Some(out) = &arguments.out {
        progress.report(0.95, "Writing the mesh")?;
        write::mesh(out, &made.mesh)?;
    }
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(&in_json(arguments, &made, context))?;
    } else {
        nominal.sentences().iter().chain(&made.sentences()).for_each(|sentence| outln!("{sentence}"));
        if let Some(out) = &arguments.out {
            outln!("{} facets in {}", made.mesh.facets.len(), out.display());
        }
    }
    Ok(0)
}

fn in_json(arguments: &Offset, made: &OffsetVolume, context: &Context) -> serde_json::Value {
    let lattice = made.tree.lattice();
    json!({
        "schema": "shadowgraph.offset/1",
        "software": report::software(),
        "backend": context.backend.device(),
        "part": arguments.part.to_string_lossy(),
        "parameters": made.parameters,
        "lattice": lattice,
        "height": made.tree.height(),
        "statistics": made.statistics,
        "sides": made.sides,
        "mesh": {
            "path": arguments.out.as_ref().map(|out| out.to_string_lossy()),
            "vertices": made.mesh.vertices.len(),
            "facets": made.mesh.facets.len(),
            "volume_mm3": made.volume_mm3,
            "area_mm2": made.area_mm2,
            "error": made.error,
        },
        "timings_ms": { "voxels": made.voxels_ms, "mesh": made.mesh_ms },
        "notes": made.notes,
    })
}
