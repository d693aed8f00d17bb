//! What the tests share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::Context;
use shadowgraph::io::cad::CadReader;

/// The CAD reader of this build, handed down.
pub fn cad_reader() -> CadReader {
    #[cfg(feature = "cad")]
    let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_shadowgraph-cad")));
    #[cfg(not(feature = "cad"))]
    let program = None;
    CadReader { program, ..CadReader::default() }
}

/// A context with the CPU backend.
pub fn context() -> Context {
    Context { backend: Arc::new(Cpu), cad: cad_reader(), hides_flags: false }
}

/// A shipped asset.
pub fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// A small file on which something untrue was said once.
pub fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name)
}

/// A file of the shared test data, or `None`, said aloud, where that is not there.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    skipped(&format!("{} is not there", path.display()));
    None
}

/// Says that a test is skipped, past the harness, which keeps the output of tests that pass to itself.
pub fn skipped(reason: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
}

/// Runs the program.
pub fn shadowgraph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// Standard error as text.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The path as text.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Whether tests take their full size, which takes minutes: wherever `SHADOWGRAPH_THOROUGH` is set.
pub fn is_thorough() -> bool {
    std::env::var_os("SHADOWGRAPH_THOROUGH").is_some()
}

/// The pose in which the scan that ships was taken, as a file for `--pose`.
pub fn bracket_pose(folder: &Path) -> PathBuf {
    let truth: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(asset("bracket-truth.json")).unwrap()).unwrap();
    let rows: [[f64; 4]; 4] = serde_json::from_value(truth["nominal_from_scan"].clone()).unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.map(|own| own.to_string()).join(" ") + "\n").collect();
    let path = folder.join("bracket-pose.txt");
    std::fs::write(&path, lines.concat()).unwrap();
    path
}

/// How many random poses are tried; the full number of the acceptance run is set by the environment.
pub fn poses(usual: usize) -> usize {
    std::env::var("SHADOWGRAPH_POSES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A pose from rows in JSON.
pub fn pose_of_json(value: &serde_json::Value) -> shadowgraph::geometry::Pose {
    let rows: [[f64; 4]; 4] = serde_json::from_value(value.clone()).unwrap();
    shadowgraph::geometry::transform::from_rows(&rows).unwrap()
}
