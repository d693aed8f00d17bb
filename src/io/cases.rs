//! Small files of which something untrue was said once, or something was lost without a word, with what is right by how each was
//! made; and files that are cut short.

use std::path::{Path, PathBuf};

use super::{LoadOptions, LoadedMesh, LoadedScan, load_nominal, load_scan, write};
use base::{LengthUnit, Progress, Result};
use geometry::mesh::shapes;
use geometry::{Cloud, Point};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/cases/readers").join(name)
}

fn try_scan(path: &Path) -> Result<LoadedScan> {
    load_scan(path, &LoadOptions::default(), &Progress::silent())
}

#[track_caller]
fn scan(name: &str) -> LoadedScan {
    try_scan(&path(name)).unwrap_or_else(|error| panic!("{}", error.sentence))
}

#[track_caller]
fn mesh(name: &str) -> LoadedMesh {
    let loaded = load_nominal(&path(name), &LoadOptions::default(), &Progress::silent());
    loaded.unwrap_or_else(|error| panic!("{}", error.sentence))
}

/// The sentence that a file is refused with.
#[track_caller]
fn refusal(name: &str) -> String {
    try_scan(&path(name)).map(|own| own.notes.join(" ")).expect_err("it is read").sentence
}

#[track_caller]
fn assert_said(notes: &[String], wanted: &str) {
    assert!(notes.iter().any(|note| note.contains(wanted)), "“{wanted}” is not in {notes:#?}");
}

fn assert_bounds(cloud: &Cloud, low: [f64; 3], high: [f64; 3]) {
    let bounds = cloud.bounds();
    assert!(
        (bounds.min - Point::from(low)).norm() < 1e-9 && (bounds.max - Point::from(high)).norm() < 1e-9,
        "{bounds:?}"
    );
}

#[test]
fn measured_columns_are_read_beside_nominal_ones() {
    let found = scan("e_nom_act.csv.gz");
    assert_eq!(found.cloud.points.len(), 5200);
    assert_bounds(&found.cloud, [-0.5; 3], [40.5, 30.5, 20.5]);
    assert_said(&found.notes, "(“X act”)");
    assert_said(&found.notes, "nominal coordinates were left out");
}

#[test]
fn numbers_of_points_are_no_coordinates() {
    assert_bounds(&scan("e_number_first.csv.gz").cloud, [-0.5; 3], [40.5, 30.5, 20.5]);
    for name in ["c_german_titles.csv", "c_dash_titles.csv", "c_hash_title.txt", "c_xnormal_first.csv"] {
        assert_bounds(&scan(name).cloud, [0.0, 0.0, 41.0], [590.0, 3481.0, 100.0]);
    }
    assert_eq!(scan("index_first.csv").cloud.points[0], Point::new(1.5, 2.5, 3.5));
    assert_eq!(scan("index_first.txt").cloud.points[0], Point::new(10.5, 20.5, 30.5));
    assert_said(&scan("index_first.txt").notes, "Column 1 numbers the points");
    assert_eq!(scan("titles_yxz.csv").cloud.points[0], Point::new(3.0, 2.0, 1.0));
    assert_eq!(scan("titles_de.csv").cloud.points[0], Point::new(1.5, 2.5, 3.5));
}

#[test]
fn titles_state_the_unit() {
    let found = scan("e_units_m.csv.gz");
    assert_eq!(found.unit, LengthUnit::M);
    assert_bounds(&found.cloud, [-0.5; 3], [40.5, 30.5, 20.5]);
    assert_said(&found.notes, "Its titles state m.");
}

#[test]
fn numbers_are_read_as_they_are_written() {
    assert_eq!(scan("thousands.csv").cloud.points[0], Point::new(1234.5, 2.5, 3.25));
    assert_eq!(scan("thousands2.csv").cloud.points[0], Point::new(1234.5, 2.5, 3.25));
    assert_eq!(scan("quoted.csv").cloud.points[1], Point::new(2.5, 2.5, 3.5));
    assert_eq!(scan("dec_comma_mixed.xyz").cloud.points[1], Point::new(1.5, 2.5, 3.5));
    assert_eq!(scan("utf16.csv").cloud.points.len(), 120);
    let found = scan("c_msvc_nan.txt");
    assert_eq!((found.cloud.points.len(), found.findings.not_finite_points), (48, 12));
    assert!(refusal("dec_comma_amb.csv").contains("line "));
    assert!(refusal("hex.xyz").contains("“0x10 2 3”"));
}

#[test]
fn faces_with_a_corner_inwards_have_their_area() {
    for (name, area_mm2) in [
        ("b16_concave_U.obj", 3000.0),
        ("concave.off", 20.0),
        ("concave.ply", 20.0),
        ("f_concave2.obj", 20.0),
        ("f_quad_concave.obj", 20.0),
    ] {
        let found = mesh(name);
        assert!((found.mesh.area_mm2() - area_mm2).abs() < 1e-9, "{name}: {}", found.mesh.area_mm2());
        assert_eq!(name.starts_with("b16"), geometry::Surface::new(found.mesh).topology().is_closed(), "{name}");
    }
}

#[test]
fn more_and_less_than_declared_is_told() {
    for (name, said) in [
        ("count_says_more.pts", "declares 120 points and holds 91"),
        ("count_says_fewer.pts", "declares 20 points and holds 120"),
        ("more_than_declared.las", "2040 bytes after the data were not read"),
        ("more_than_declared.pcd", "60 lines after the data were not read"),
        ("more_than_declared_b.pcd", "1680 bytes after the data were not read"),
        ("more_than_declared.ply", "60 lines after the data were not read"),
        ("more_than_declared_b.ply", "bytes after the data were not read"),
        ("width_vs_points.pcd", "120 points, and 200 by width and height"),
        ("extra_columns.ply", "120 lines hold more numbers than the header names"),
        ("normals_nan.pcd", "Its normals were left out"),
        ("points_prim.gltf", "sets of points or lines were left out"),
        ("second_scene.gltf", "1 object was left out"),
        ("surf.obj", "1 free-form surface was left out"),
        ("lines.obj", "1 line was left out"),
    ] {
        assert_said(&scan(name).notes, said);
    }
    let two = scan("two_blocks.pts");
    assert_eq!(two.account.counts[0].declared, Some(two.account.counts[0].read()));
}

#[test]
fn faces_are_found_by_any_of_their_names() {
    for name in ["face_elem.ply", "face_name.ply"] {
        let found = mesh(name);
        assert_eq!((found.mesh.facets.len(), found.mesh.area_mm2()), (12, 700.0), "{name}");
    }
    let strips = mesh("b16_tristrips.ply").mesh;
    // Its strips turn inwards.
    assert_eq!((strips.area_mm2(), strips.volume_mm3(), strips.facets.len()), (2200.0, -6000.0, 12));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (name, said) in [
        ("fraction_index.ply", "vertex 2.7"),
        ("dup_id.3mf", "a second object has the id 1"),
        ("scale_zero.las", "its scale factor of x is 0"),
        ("scale_nan.las", "its scale factor of"),
    ] {
        let sentence = refusal(name);
        assert!(sentence.contains(said), "{sentence}");
    }
}

#[test]
fn what_other_programs_read_is_read() {
    assert_eq!(scan("b8_ouster_count0.pcd").cloud.points.len(), 500);
    assert_eq!(mesh("x_inline_comment.obj").mesh.bounds().max, Point::new(10.0, 20.0, 30.0));
    assert_eq!(mesh("g_space name.gltf").mesh.facets.len(), 12);
    let found = mesh("b_stl_count0.stl");
    assert_eq!(found.mesh.facets.len(), 12);
    assert_said(&found.notes, "declares 0 triangles and holds 12");
}

/// Files of each format that says how much it holds, cut at ten places each: refused, or told.
#[test]
fn what_is_cut_short_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let ball = shapes::sphere(10.0, 3);
    let mut files: Vec<PathBuf> = ["a.stl", "a.ply", "a.obj"].map(|name| folder.path().join(name)).into();
    files.iter().for_each(|path| write::mesh(path, &ball).unwrap());
    files.extend(
        [
            "b8_ouster_count0.pcd",
            "more_than_declared.pcd",
            "more_than_declared_b.pcd",
            "width_vs_points.pcd",
            "more_than_declared.las",
            "more_than_declared.ply",
            "more_than_declared_b.ply",
            "extra_columns.ply",
            "count_says_more.pts",
            "two_blocks.pts",
            "concave.off",
            "trailing.ptx",
            "tri_outside.3mf",
            "second_scene.gltf",
            "b16_tristrips.ply",
            "e_block.stl",
            "index_first.csv",
            "e_nom_act.csv.gz",
        ]
        .map(path),
    );
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let name = file.file_name().unwrap();
        for part in 1..=10 {
            let cut = bytes.len() * part / 11;
            let whole_lines = bytes[..cut].ends_with(b"\n");
            let path = folder.path().join("cut").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let Ok(found) = try_scan(&path) else { continue };
            let is_told = !found.account.sentences().is_empty();
            assert!(is_told || whole_lines, "{name:?} cut to {cut} bytes: {:?}", found.notes);
        }
    }
}
