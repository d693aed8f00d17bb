//! What large files cost: bytes a point, sizes of simulated scans, progress while a CAD file is read. Counted, not timed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use shadowgraph::base::Progress;
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Cloud, sampling};
use shadowgraph::io::{LoadOptions, load_nominal, write};

use super::support::{asset, cad_reader, skipped, text};

/// What a successful run of the program says, and the largest memory that it held, in bytes; `None` where the system does
/// not tell.
fn run(arguments: &[&str]) -> (String, Option<u64>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(arguments)
        // Each thread has memory of its own: the same number of them on every machine.
        .env("RAYON_NUM_THREADS", "2")
        // What the allocator keeps of freed memory depends on which thread came first, and can be a tenth of the peak.
        // Here it gives all large blocks back, and the figure repeats to a hundredth.
        .env("MALLOC_ARENA_MAX", "1")
        .env("MALLOC_MMAP_THRESHOLD_", "131072")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        let lines = std::fs::read_to_string(&status).unwrap_or_default();
        let mut words = lines.lines().filter_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        peak = peak.max(words.next().and_then(|kilobytes| kilobytes.parse().ok()).map(|own: u64| 1024 * own));
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", output.status);
    (String::from_utf8(output.stdout).unwrap(), peak)
}

/// Bytes a point, from the points and peaks of a small and a large run; `None`, said aloud, where a peak is not known.
fn bytes_a_point(small: (usize, Option<u64>), large: (usize, Option<u64>)) -> Option<f64> {
    let ((few, Some(low)), (many, Some(high))) = (small, large) else {
        skipped("the system does not tell what memory a process has held");
        return None;
    };
    let bytes = high.saturating_sub(low) as f64 / (many - few) as f64;
    println!("{bytes:.0} bytes a point, {} MB for {many} points", high / 1_000_000);
    Some(bytes)
}

/// Inspects a torus of `2 * steps²` facets by four times as many points: their number, and the memory held.
fn inspection(folder: &Path, steps: u32) -> (usize, Option<u64>) {
    let (part, scan, out) = (folder.join("part.stl"), folder.join("scan.ply"), folder.join("out"));
    let mesh = shapes::torus(60.0, 18.0, steps, steps);
    let count = 4 * mesh.facets.len();
    let points = sampling::by_area(&mesh, count, 1).iter().map(|sample| sample.point).collect();
    write::mesh(&part, &mesh).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let files = ["inspect", "--nominal", text(&part), "--scan", text(&scan), "--out", text(&out)];
    (count, run(&[files.as_slice(), &["--align", "none", "--no-pictures"]].concat()).1)
}

/// Of a nominal with a quarter as many facets as the scan has points, facets included. It was 346 bytes once.
#[test]
fn an_inspection_takes_at_most_half_of_346_bytes_a_point() {
    let folder = tempfile::tempdir().unwrap();
    if let Some(bytes) = bytes_a_point(inspection(folder.path(), 220), inspection(folder.path(), 440)) {
        assert!(bytes < 173.0, "{bytes}");
    }
}

/// It was 115 bytes once.
#[test]
fn a_simulated_scan_takes_at_most_half_of_115_bytes_a_point() {
    let folder = tempfile::tempdir().unwrap();
    let simulation = |views| {
        let part = asset("bracket.stl");
        let files = ["simulate", "--nominal", text(&part), "--out", text(folder.path())];
        let (said, peak) = run(&[files.as_slice(), &["--views", views]].concat());
        (said.split(' ').next().unwrap().parse().unwrap(), peak)
    };
    if let Some(bytes) = bytes_a_point(simulation("2"), simulation("4")) {
        assert!(bytes < 57.5, "{bytes}");
    }
}

/// A bar that stands still for half a minute looks like a program that hangs.
#[cfg(feature = "cad")]
#[test]
fn a_cad_file_shows_progress_while_it_is_read_and_meshed() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reports);
    let progress = Progress::new(Arc::new(AtomicBool::new(false)), move |fraction, doing| {
        sink.lock().unwrap().push((fraction, doing.to_owned()));
    });
    let options = LoadOptions { cad: cad_reader(), ..LoadOptions::default() };
    load_nominal(&asset("bracket.step"), &options, &progress).unwrap();
    let reports = std::mem::take(&mut *reports.lock().unwrap());
    assert!(reports.is_sorted_by(|a, b| a.0 <= b.0), "{reports:?}");
    for doing in ["Reading", "Meshing"] {
        let mut fractions: Vec<f32> = reports.iter().filter(|own| own.1.starts_with(doing)).map(|own| own.0).collect();
        fractions.dedup();
        assert!(fractions.len() > 1, "{doing}: {reports:?}");
    }
}
