//! 3MF packages, LAS and LAZ scans, and what CAD files say of their parts.

use std::io::Write;
use std::path::{Path, PathBuf};

use shadowgraph::base::{Progress, Result};
use shadowgraph::geometry::{Point, topology::Topology};
use shadowgraph::io::{LoadOptions, LoadedMesh, load_nominal, load_scan};

use super::support::{context, shadowgraph, text};

const TETRAHEDRON: &str = r#"<mesh><vertices>
  <vertex x="0" y="0" z="0"/><vertex x="3" y="0" z="0"/><vertex x="0" y="2" z="0"/><vertex x="0" y="0" z="1"/></vertices>
  <triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/>
  <triangle v1="2" v2="0" v3="3"/></triangles></mesh>"#;

/// A package of these models; the first is the start.
pub fn package(models: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let mut add = |name: &str, contents: &str| {
        writer.start_file(name, options).unwrap();
        writer.write_all(contents.as_bytes()).unwrap();
    };
    add(
        "_rels/.rels",
        &format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
            Target="/{}" Id="a" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#,
            models[0].0
        ),
    );
    for (name, contents) in models {
        add(name, contents);
    }
    writer.finish().unwrap().into_inner()
}

/// A model with these resources and this build.
pub fn model(unit: &str, resources: &str, build: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><model {unit} xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
        xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">
        <resources>{resources}</resources><build>{build}</build></model>"#
    )
}

fn nominal(folder: &Path, name: &str, contents: &[u8]) -> Result<LoadedMesh> {
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    load_nominal(&path, &LoadOptions::default(), &Progress::silent())
}

#[test]
fn a_3mf_build_places_its_parts_in_the_unit_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let resources = format!(
        r#"<object id="1" type="model">{TETRAHEDRON}</object><object id="4" type="support">{TETRAHEDRON}</object>
        <object id="2" type="model"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 10 0 0"/>
        <component objectid="1" transform="-1 0 0 0 1 0 0 0 1 -10 0 0"/><component objectid="4"/></components></object>"#
    );
    let text = model(r#"unit="inch""#, &resources, r#"<item objectid="2" transform="0 1 0 -1 0 0 0 0 1 0 0 5"/>"#);
    let read = nominal(folder.path(), "a.3mf", &package(&[("3D/a.model", &text)])).unwrap();
    assert_eq!((read.mesh.facets.len(), read.mesh.vertices.len()), (8, 8));
    // Turned by a quarter about z, the two lie along y; the mirrored one keeps its outside outside.
    let bounds = read.mesh.bounds();
    assert!((bounds.min - Point::new(-50.8, -330.2, 127.0)).norm() < 1e-9, "{bounds:?}");
    assert!((bounds.max - Point::new(0.0, 330.2, 152.4)).norm() < 1e-9, "{bounds:?}");
    assert!(
        (read.mesh.volume_mm3() / (2.0 * 25.4_f64.powi(3)) - 1.0).abs() < 1e-12
            && Topology::new(&read.mesh).is_closed()
    );
    assert!(read.notes.iter().any(|note| note.contains("support structures for printing")), "{:?}", read.notes);
    // The same file as a scan has its facets to be sampled.
    let scan = load_scan(&folder.path().join("a.3mf"), &LoadOptions::default(), &Progress::silent()).unwrap();
    assert_eq!(scan.mesh.unwrap().facets.len(), 8);
}

#[test]
fn models_of_one_3mf_package_lie_in_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let part = model("", &format!(r#"<object id="1">{TETRAHEDRON}</object>"#), "");
    let start = model(
        "",
        r#"<object id="1"><components><component p:path="/3D/Objects/part.model" objectid="1"/></components></object>"#,
        r#"<item objectid="1"/>"#,
    );
    let models = [("3D/3dmodel.model", start.as_str()), ("3D/Objects/part.model", part.as_str())];
    assert_eq!(nominal(folder.path(), "a.3mf", &package(&models)).unwrap().mesh.facets.len(), 4);
    let missing = nominal(folder.path(), "b.3mf", &package(&models[..1])).unwrap_err();
    assert!(missing.sentence.contains("3D/Objects/part.model"), "{}", missing.sentence);
}

#[test]
fn damaged_3mf_packages_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let part = format!(r#"<object id="1">{TETRAHEDRON}</object>"#);
    let build = r#"<item objectid="1"/>"#;
    let whole = model("", &part, build);
    let circle = r#"<object id="1"><components><component objectid="1"/></components></object>"#;
    for (contents, expected) in [
        (model("", &part, r#"<item objectid="7"/>"#), "object 7 is placed"),
        (model("", &part, ""), "places no part"),
        (model("", circle, build), "form a cycle"),
        (model(r#"unit="parsec""#, &part, build), "unknown unit"),
        (whole.replace(r#"v3="1""#, r#"v3="9""#), "a vertex that does not exist"),
        (whole.replace(r#"x="3""#, r#"x="three""#), "without three numbers"),
        (whole.replace("</build>", r#"<item objectid="1" transform="1 0 0 nan"/></build>"#), "cannot be read"),
        (whole[..whole.len() / 2].to_owned(), "damaged at byte"),
        (whole.replace("</model>", ""), "ends in the middle"),
        (whole.replace("</vertices>", "</facets>"), "damaged at byte"),
    ] {
        let sentence =
            nominal(folder.path(), "a.3mf", &package(&[("3D/3dmodel.model", &contents)])).unwrap_err().sentence;
        assert!(sentence.contains(expected) && sentence.contains("a.3mf"), "{expected}: {sentence}");
    }
    let bytes = package(&[("3D/3dmodel.model", &whole)]);
    let cut = nominal(folder.path(), "a.3mf", &bytes[..bytes.len() - 30]).unwrap_err();
    assert!(cut.sentence.contains("not a readable package"), "{}", cut.sentence);
}

/// A LAS file of ten points, packed or not.
pub fn las_file(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let mut builder = las::Builder::from((1, 4));
    builder.point_format = las::point::Format::new(1).unwrap();
    let transform = las::Transform { scale: 1e-5, offset: 2.0 };
    builder.transforms = las::Vector { x: transform, y: transform, z: transform };
    let mut writer = las::Writer::from_path(&path, builder.into_header().unwrap()).unwrap();
    for i in 0..10_u16 {
        let x = 2.0 + f64::from(i) * 1e-3;
        let point = las::Point { x, y: 2.5, z: 3.0, intensity: 10 * i, gps_time: Some(0.0), ..Default::default() };
        writer.write_point(point).unwrap();
    }
    writer.close().unwrap();
    path
}

#[test]
fn las_scans_packed_or_not_are_read_as_metres() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["s.las", "s.laz"] {
        let path = las_file(folder.path(), name);
        let scan = load_scan(&path, &LoadOptions::default(), &Progress::silent()).unwrap();
        assert_eq!(scan.cloud.points.len(), 10, "{name}");
        assert!((scan.cloud.points[3] - Point::new(2003.0, 2500.0, 3000.0)).norm() < 1e-9, "{name}");
        assert_eq!(scan.cloud.intensity[3], 30.0);
        assert!(scan.notes.iter().any(|note| note.contains("LAS carries no unit")), "{:?}", scan.notes);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 40]).unwrap();
        assert!(load_scan(&path, &LoadOptions::default(), &Progress::silent()).is_err(), "{name}");
    }
}

#[test]
fn info_tells_unit_parts_and_colours_of_a_cad_file() {
    if cfg!(not(feature = "cad")) {
        return;
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cad");
    let output = shadowgraph(&["info", text(&data.join("fixture.step"))]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in ["Plate: 1 solid, 6 faces, #3366CC", "Paßstift 6×12: 1 solid, 3 faces, placed 2 times, #FF0000"] {
        assert!(said.contains(line), "{line} in {said}");
    }
    assert!(said.contains("solids           3") && said.contains("millimetre"), "{said}");
}

#[test]
fn faces_of_an_iges_file_are_joined() {
    if cfg!(not(feature = "cad")) {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cad/fixture.igs");
    let options = LoadOptions { cad: context().cad, ..LoadOptions::default() };
    let mesh = load_nominal(&path, &options, &Progress::silent()).unwrap().mesh;
    // A plate and two pins of 6 x 12 mm, whose circles are polygons within 0.005 mm.
    let exact = 80.0 * 40.0 * 5.0 + 2.0 * std::f64::consts::PI * 9.0 * 12.0;
    assert!(Topology::new(&mesh).is_closed());
    assert!((mesh.volume_mm3().abs() / exact - 1.0).abs() < 2e-4, "{}", mesh.volume_mm3());
}
