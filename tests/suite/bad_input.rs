//! Bad input ends in one sentence and code 3, and writes nothing.

use std::io::Write;
use std::path::Path;

use super::support::{asset, errors, shadowgraph, text};

/// Inspects with `scan` as scan and `nominal` as nominal; returns the last line of the errors.
fn refused(nominal: &Path, scan: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = shadowgraph(&[
        "inspect",
        "--nominal",
        text(nominal),
        "--scan",
        text(scan),
        "--no-pictures",
        "--out",
        text(&out),
    ]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(!out.join("summary.json").exists());
    said.lines().last().unwrap_or_default().to_owned()
}

fn file(folder: &tempfile::TempDir, name: &str, contents: &[u8]) -> std::path::PathBuf {
    let path = folder.path().join(name);
    std::fs::File::create(&path).unwrap().write_all(contents).unwrap();
    path
}

#[track_caller]
fn nominal_says(name: &str, contents: &[u8], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, name, contents);
    let said = refused(&path, &asset("bracket-scan.ply"));
    assert!(said.contains(expected) && said.contains(name), "{said}");
}

#[track_caller]
fn scan_says(name: &str, contents: &[u8], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, name, contents);
    let said = refused(&asset("bracket.stl"), &path);
    assert!(said.contains(expected), "{said}");
}

#[test]
fn empty_files_folders_and_missing_files() {
    nominal_says("empty.stl", b"", "is empty");
    let folder = tempfile::tempdir().unwrap();
    assert!(refused(folder.path(), &asset("bracket-scan.ply")).contains("is a folder"));
    assert!(refused(Path::new("no-such-file.stl"), &asset("bracket-scan.ply")).contains("does not exist"));
    nominal_says("part.docx", b"PK", "not a supported file format");
}

#[test]
fn stl_that_lies() {
    nominal_says("text.stl", b"Dear customer, please find attached the part you asked for. Regards, the supplier, whose name is long enough.", "not an STL file");
    let mut short = vec![0_u8; 84];
    short[80..84].copy_from_slice(&1000_u32.to_le_bytes());
    short.extend([0; 500]);
    nominal_says("short.stl", &short, "1000 triangles");
    nominal_says("broken.stl", b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n", "triangle 1");
}

#[test]
fn ply_with_lying_headers() {
    let header = |count: &str, kind: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty {kind} x\nproperty float y\nproperty float z\nend_header\n"
        )
    };
    scan_says("lies.ply", header("1000", "float").as_bytes(), "declares 1000");
    scan_says("huge.ply", header("1099511627776", "float").as_bytes(), "declares 1099511627776");
    scan_says("types.ply", header("3", "quaternion").as_bytes(), "header cannot be read");
    let no_properties = b"ply\nformat binary_little_endian 1.0\nelement vertex 18446744073709551615\nend_header\n";
    scan_says("none.ply", no_properties, "declares");
}

#[test]
fn obj_with_bad_indices_names_the_line() {
    nominal_says("bad.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "line 4");
    nominal_says("comma.obj", b"v 0,5 0 0\nv 1 0 0\n", "line 1");
}

#[test]
fn step_cut_in_half() {
    if cfg!(not(feature = "cad")) {
        return;
    }
    let whole = std::fs::read(asset("bracket.step")).unwrap();
    nominal_says("half.step", &whole[..whole.len() / 2], "export it again");
    nominal_says("noise.step", b"ISO-10303-21;\nnothing else\n", "export it again");
}

#[test]
fn scans_that_cannot_be_aligned() {
    scan_says("two.xyz", b"0 0 0\n1 1 1\n", "at least 3");
    let line: String = (0..100).map(|i| format!("{i} {i} {i}\n")).collect();
    scan_says("line.xyz", line.as_bytes(), "one line");
    scan_says("words.xyz", b"one two three\nfour five six\n", "line 1: “one two three” has no three numbers");
}

#[test]
fn a_scan_in_inches_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ply = asset("bracket-scan.ply");
    let csv = folder.path().join("scan.csv");
    assert_eq!(shadowgraph(&["convert", text(&ply), text(&csv)]).status.code(), Some(0));
    let inches: String = std::fs::read_to_string(&csv)
        .unwrap()
        .lines()
        .skip(1)
        .step_by(60)
        .map(|line| {
            let scaled: Vec<String> = line.split(',').map(|v| (v.parse::<f64>().unwrap() / 25.4).to_string()).collect();
            scaled.join(" ") + "\n"
        })
        .collect();
    let path = file(&folder, "scan.xyz", inches.as_bytes());
    let said = refused(&asset("bracket.stl"), &path);
    assert!(said.contains("--scan-units inch"), "{said}");
    let out = folder.path().join("out");
    let output = shadowgraph(&[
        "inspect",
        "--nominal",
        text(&asset("bracket.stl")),
        "--scan",
        text(&path),
        "--scan-units",
        "inch",
        "--no-pictures",
        "--out",
        text(&out),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

/// Before anything is read: the scan is not even there.
#[test]
fn a_report_folder_that_cannot_be_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let taken = file(&folder, "taken", b"text");
    for out in [taken.clone(), taken.join("report"), "/dev/full/report".into()] {
        let output =
            shadowgraph(&["inspect", "--nominal", "no-such-file.stl", "--scan", "none.ply", "--out", text(&out)]);
        let said = errors(&output);
        assert_ne!(output.status.code(), Some(0));
        assert!(said.contains("is not a folder") && !said.contains("no-such-file"), "{said}");
    }
    assert_eq!(std::fs::read(&taken).unwrap(), b"text");
}
