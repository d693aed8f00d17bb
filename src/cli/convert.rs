//! `shadowgraph convert`: converts any readable format to a writable one, in mm.

use serde_json::json;

use super::arguments::Convert;
use super::console::Console;
use crate::output::outln;
use base::{Result, UserError};
use dispatch::Context;
use geometry::{refine, snapshot, winding};
use inspect::cleaning;
use io::format::Format;
use io::{LoadOptions, load_nominal, load_scan, write};

/// Runs it; returns the exit code.
pub fn run(arguments: &Convert, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    let mut options = LoadOptions { unit: arguments.units, columns: None, cad: context.cad.clone() };
    (options.cad.chord_mm, options.cad.angle_deg) = (arguments.chord_mm, arguments.angle_deg);
    let to_points = matches!(Format::from_extension(&arguments.output)?, Format::Xyz);
    let to_points = to_points || !arguments.cleaning.steps().is_empty();
    let as_mesh = if to_points { None } else { mesh(arguments, &options, &progress)? };
    let (kind, count, notes) = match as_mesh {
        Some((mesh, notes)) => {
            write::mesh(&arguments.output, &mesh)?;
            ("facets", mesh.facets.len(), notes)
        }
        None => {
            let mut scan = load_scan(&arguments.input, &options, &progress)?;
            for step in arguments.cleaning.steps() {
                let cleaned = cleaning::run(context.backend.as_ref(), &scan.cloud, &step, &progress)?;
                scan.cloud = cleaned.cloud;
                scan.notes.push(cleaned.note);
            }
            write::cloud(&arguments.output, &scan.cloud)?;
            ("points", scan.cloud.points.len(), scan.notes)
        }
    };
    console.done();
    notes.iter().for_each(|note| console.say(note));
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(
            &json!({ "output": arguments.output.to_string_lossy(), kind: count, "unit": "mm", "notes": notes }),
        )?;
    } else {
        outln!("{count} {kind} in {}", arguments.output.display());
    }
    Ok(0)
}

type MeshAndNotes = (geometry::Mesh, Vec<String>);

/// The input as a mesh; `None` if it has only points.
fn mesh(arguments: &Convert, options: &LoadOptions, progress: &base::Progress) -> Result<Option<MeshAndNotes>> {
    let is_cad = matches!(Format::from_extension(&arguments.input), Ok(Format::Step | Format::Iges));
    let (mut mesh, notes) = if is_cad {
        let loaded = load_nominal(&arguments.input, options, progress)?;
        (loaded.mesh, loaded.notes)
    } else {
        let scan = load_scan(&arguments.input, options, progress)?;
        let snapshot = if arguments.mesh { snapshot::mesh_of(&scan.cloud) } else { None };
        match scan.mesh.or(snapshot) {
            Some(mesh) => (mesh, scan.notes),
            None if arguments.mesh => {
                return Err(UserError::input(format!(
                    "{} is not an organised snapshot, so it cannot be meshed.",
                    arguments.input.display()
                )));
            }
            None => return Ok(None),
        }
    };
    if arguments.unify_winding {
        winding::unify(&mut mesh);
    }
    if let Some(max_edge_mm) = arguments.max_edge_mm {
        mesh = refine::to_max_edge(&mesh, max_edge_mm, progress)?.0;
    }
    Ok(Some((mesh, notes)))
}
