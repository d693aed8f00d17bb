//! `shadowgraph info`: describes files, or the devices and readers of this machine.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::Info;
use crate::output::outln;
use base::{Progress, Result};
use dispatch::Context;
use geometry::health::MeshFindings;
use geometry::repair::{Repaired, repair};
use geometry::{Mesh, Point};
use inspect::pmi::{self, PmiPlan};
use io::account::Account;
use io::cad::CadPart;
use io::format::Format;
use io::voxels::hdt;
use io::{LoadOptions, Source, load_nominal, load_scan, xyz};

/// Runs it; returns the exit code.
pub fn run(arguments: &Info, json: bool, context: &Context) -> Result<i32> {
    let options = LoadOptions { cad: context.cad.clone(), ..LoadOptions::default() };
    let mut files = Vec::new();
    for path in &arguments.files {
        files.push(describe(path, &options)?);
    }
    let (devices, reason) = compute::devices();
    let program = json!({
        "software": report::software(),
        "backend": context.backend.device(),
        "devices": devices.into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
        "no_cuda": reason,
        "cad_reader": context.cad.program.as_ref().is_some_and(|program| program.exists()),
    });
    if json {
        return super::print_json(&json!({ "program": program, "files": files })).map(|()| 0);
    }
    if files.is_empty() {
        print_lines(&program);
    }
    for file in &files {
        print_lines(file);
        outln!();
    }
    Ok(0)
}

fn print_lines(value: &Value) {
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::String(text) => outln!("{name:16} {text}"),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().for_each(|item| outln!("{name:16} {}", item.as_str().unwrap_or_default()));
            }
            Value::Array(items) if name == "parts" => items.iter().for_each(|item| {
                let part = CadPart::deserialize(item);
                outln!("{name:16} {}", part.map_or_else(|_| item.to_string(), |part| part.words()));
            }),
            Value::Null => {}
            // Said in words beside it.
            Value::Object(_) if name == "pmi" || name == "account" => {}
            other => outln!("{name:16} {other}"),
        }
    }
}

/// A file of voxels.
fn of_voxels(path: &Path) -> Result<Value> {
    let tree = hdt::read(path, &Progress::silent())?;
    let (lattice, layout, statistics) = (*tree.lattice(), tree.layout(), tree.statistics());
    let corner = |point: Point| <[f64; 3]>::from(point);
    Ok(json!({
        "file": path.to_string_lossy(),
        "format": "hybrid dynamic tree",
        "voxels": lattice.voxels,
        "voxel_mm": lattice.voxel_mm,
        "min_mm": corner(lattice.bounds().min),
        "max_mm": corner(lattice.bounds().max),
        "layout": format!("root {}, branching {}, leaf {}, height {}", layout.root, layout.branching, layout.leaf, tree.height()),
        "cells": statistics.cells,
        "leaves": statistics.leaves,
        "skin_voxels": statistics.active_voxels,
        "inner_voxels": statistics.inner_voxels,
        "volume_mm3": (statistics.active_voxels + statistics.inner_voxels) as f64 * lattice.voxel_mm.powi(3),
        "bytes": statistics.bytes,
    }))
}

fn describe(path: &Path, options: &LoadOptions) -> Result<Value> {
    let silent = Progress::silent();
    if path.extension().is_some_and(|own| own.eq_ignore_ascii_case("hdt")) {
        return of_voxels(path);
    }
    let format = Format::detect(path, &Source::open(path, &silent)?.head(256)?)?.0;
    if matches!(format, Format::Step | Format::Iges) {
        let loaded = load_nominal(path, options, &silent)?;
        let refusals = loaded.structure.as_ref().map(|own| PmiPlan::of(&own.pmi, &loaded.mesh).refusals());
        let mut value = of_mesh(path, format, loaded.mesh, loaded.notes);
        if let (Some(structure), Some(object)) = (loaded.structure, value.as_object_mut()) {
            object.insert("unit".into(), json!(structure.unit));
            object
                .insert("solids".into(), json!(structure.parts.iter().map(|p| p.solids * p.placements).sum::<usize>()));
            object.insert("parts".into(), json!(structure.parts));
            if !structure.pmi.is_empty() {
                object.insert("stated".into(), json!(pmi::statements(&structure.pmi)));
                object.insert("not_evaluated".into(), json!(refusals));
                object.insert("pmi".into(), json!(structure.pmi));
            }
        }
        return Ok(value);
    }
    let loaded = load_scan(path, options, &silent)?;
    if let Some(mesh) = loaded.mesh {
        let notes = loaded.notes.into_iter().chain(loaded.findings.sentences()).collect();
        let mut value = of_mesh(path, format, mesh, notes);
        if let Some(object) = value.as_object_mut() {
            object.extend(counted(&loaded.account));
        }
        return Ok(value);
    }
    let cloud = &loaded.cloud;
    let bounds = cloud.bounds();
    let mut value = json!({
        "file": path.to_string_lossy(),
        "format": format.name(),
        "points": cloud.points.len(),
        "min_mm": bounds.min.coords.as_slice(),
        "max_mm": bounds.max.coords.as_slice(),
        "normals": !cloud.normals.is_empty(),
        "to_sensor": !cloud.to_sensor.is_empty(),
        "intensity": !cloud.intensity.is_empty(),
        "grid": cloud.grid.as_ref().map(|grid| [grid.width, grid.height]),
        "notes": loaded.notes.iter().cloned().chain(loaded.findings.sentences()).collect::<Vec<_>>(),
    });
    if let Some(object) = value.as_object_mut() {
        object.extend(counted(&loaded.account));
    }
    if format == Format::Xyz
        && let Some(object) = value.as_object_mut()
    {
        let preview = xyz::preview(Source::open(path, &silent)?, 5)?;
        object.insert("titles".into(), json!(preview.titles));
        object.insert("first_rows".into(), json!(preview.rows));
        object.insert("columns".into(), json!(preview.columns.xyz.map(|column| column + 1)));
        object.insert("unit".into(), json!(loaded.unit));
        object.insert("decimal_comma".into(), json!(preview.decimal_comma));
    }
    Ok(value)
}

/// What a file declares and holds, and what of it was read, in words and in numbers.
fn counted(account: &Account) -> [(String, Value); 2] {
    let words: Vec<String> = account.counts.iter().map(io::account::Count::words).collect();
    [("counted".to_owned(), json!(words)), ("account".to_owned(), json!(account))]
}

fn of_mesh(path: &Path, format: Format, mesh: Mesh, mut notes: Vec<String>) -> Value {
    // Repaired as when a nominal is opened: vertices that only rounding separates are joined.
    let Repaired { surface, closed_cracks, orientation } = repair(mesh);
    let findings = MeshFindings { closed_cracks, ..MeshFindings::default() }.with_orientation(&orientation);
    notes.extend(findings.sentences());
    let (mesh, topology) = (surface.mesh(), surface.topology());
    let bounds = mesh.bounds();
    json!({
        "file": path.to_string_lossy(),
        "format": format.name(),
        "facets": mesh.facets.len(),
        "vertices": mesh.vertices.len(),
        "cad_faces": mesh.cad_faces.iter().max().map(|face| face + 1),
        "min_mm": bounds.min.coords.as_slice(),
        "max_mm": bounds.max.coords.as_slice(),
        "area_mm2": mesh.area_mm2(),
        "volume_mm3": topology.is_closed().then(|| mesh.volume_mm3()),
        "open_edges": topology.open_edges,
        "turned_edges": topology.inconsistent_edges,
        "notes": notes,
    })
}
