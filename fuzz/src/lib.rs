//! What every fuzz target checks: any bytes end in contents that can be computed with, or in one full sentence.

use std::path::{Path, PathBuf};

use base::{ErrorKind, Progress, Result};
use geometry::Point;
use io::LoadOptions;

/// Reads `bytes` as a file with this extension, as scan and as nominal.
pub fn read_as(extension: &str, bytes: &[u8]) {
    let path = file_with(extension, bytes);
    let mut options = LoadOptions::default();
    options.cad.program = std::env::var_os("SHADOWGRAPH_CAD").map(PathBuf::from);
    options.cad.timeout_s = 20;
    let silent = Progress::silent();
    if let Some(scan) = checked(&path, io::load_scan(&path, &options, &silent)) {
        let cloud = scan.cloud;
        assert!(!cloud.points.is_empty() && cloud.points.iter().all(is_finite));
        assert!(cloud.normals.is_empty() || cloud.normals.len() == cloud.points.len());
    }
    if let Some(nominal) = checked(&path, io::load_nominal(&path, &options, &silent)) {
        let mesh = nominal.mesh;
        assert!(!mesh.facets.is_empty() && mesh.vertices.iter().all(is_finite));
        assert!(mesh.facets.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len()));
    }
}

/// Reads `bytes` as a project.
pub fn read_project(bytes: &[u8]) {
    let path = file_with("shadowgraph", bytes);
    checked(&path, session::project::Project::load(&path));
}

/// Reads `bytes` as an inspection plan; what is read of it has an order, and is written and read alike.
pub fn read_plan(bytes: &[u8]) {
    let path = file_with("sgplan", bytes);
    if let Some((plan, _)) = checked(&path, session::plan::Plan::load(&path)) {
        assert!(plan.fingerprints(&[]).len() <= plan.elements().len());
        checked(&path, plan.save(&path));
        let again = checked(&path, session::plan::Plan::load(&path)).map(|(again, _)| again);
        assert!(again.is_some_and(|again| again.elements().len() == plan.elements().len()));
    }
}

/// Reads `bytes` as the answer of the CAD child.
pub fn read_cad_answer(bytes: &[u8]) {
    if let Ok(read) = io::cad::decode(bytes, Path::new("part.step")) {
        let vertices = read.mesh.vertices.len();
        assert!(read.mesh.facets.iter().flatten().all(|&corner| (corner as usize) < vertices));
        assert_eq!(read.mesh.cad_faces.len(), read.mesh.facets.len());
    }
}

fn is_finite(point: &Point) -> bool {
    point.coords.iter().all(|coordinate| coordinate.is_finite())
}

fn file_with(extension: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("shadowgraph-fuzz-{}.{extension}", std::process::id()));
    if let Err(error) = std::fs::write(&path, bytes) {
        panic!("{} cannot be written: {error}", path.display());
    }
    path
}

fn checked<T>(path: &Path, result: Result<T>) -> Option<T> {
    match result {
        Ok(contents) => Some(contents),
        Err(error) => {
            assert!(error.kind == ErrorKind::Input, "{}: {error}", path.display());
            assert!(error.sentence.len() > 20 && error.sentence.ends_with('.'), "{error}");
            None
        }
    }
}
