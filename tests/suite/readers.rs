//! Every format read back from a file that was written for the purpose.

use std::io::Write;
use std::path::{Path, PathBuf};

use shadowgraph::base::{LengthUnit, Progress, hash};
use shadowgraph::geometry::{Mesh, Point, mesh::shapes};
use shadowgraph::inspect::parts::Actual;
use shadowgraph::io::{LoadOptions, LoadedScan, SourceFile, load_nominal, load_scan, load_scan_from, write};

use super::support::{context, shared_data};

fn write_file(folder: &Path, name: &str, contents: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

fn scan_of(name: &str, contents: &[u8]) -> LoadedScan {
    let folder = tempfile::tempdir().unwrap();
    let path = write_file(folder.path(), name, contents);
    load_scan(&path, &LoadOptions::default(), &Progress::silent()).unwrap()
}

fn nominal_of(path: &Path) -> Mesh {
    let options = LoadOptions { cad: context().cad, ..LoadOptions::default() };
    load_nominal(path, &options, &Progress::silent()).unwrap().mesh
}

#[test]
fn meshes_survive_stl_ply_and_obj() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = shapes::torus(20.0, 6.0, 30, 16);
    for name in ["a.stl", "a.ply", "a.obj"] {
        let path = folder.path().join(name);
        write::mesh(&path, &mesh).unwrap();
        let back = nominal_of(&path);
        assert_eq!((back.facets.len(), back.vertices.len()), (mesh.facets.len(), mesh.vertices.len()), "{name}");
        assert!((back.volume_mm3() / mesh.volume_mm3() - 1.0).abs() < 1e-5, "{name}");
    }
}

#[test]
fn ascii_stl_with_two_solids_capitals_and_nan_normals() {
    let facet = |z: f32| {
        format!(
            "  FACET NORMAL nan nan nan\n outer loop\n  vertex 0 0 {z}\n  vertex 1 0 {z}\n  vertex 0 1e0 {z}\n endloop\n endfacet\n"
        )
    };
    let text = format!("solid\n{}endsolid\nsolid second\n{}endsolid second\n", facet(0.0), facet(2.5));
    let folder = tempfile::tempdir().unwrap();
    let mesh = nominal_of(&write_file(folder.path(), "two.stl", text.as_bytes()));
    assert_eq!((mesh.facets.len(), mesh.bounds().max.z), (2, 2.5));
}

#[test]
fn binary_stl_that_begins_with_solid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.stl");
    write::mesh(&path, &shapes::cuboid(Point::origin(), Point::new(1.0, 2.0, 3.0))).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..80].fill(b' ');
    bytes[..12].copy_from_slice(b"solid part\n ");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(nominal_of(&path).facets.len(), 12);
}

#[test]
fn ply_big_endian_and_ascii_with_nan_rows() {
    let mut bytes = b"ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nend_header\n".to_vec();
    for value in [1.5_f64, -2.0, 3.25] {
        bytes.extend(value.to_be_bytes());
    }
    bytes.push(7);
    for value in [4.0_f64, 5.0, 6.0] {
        bytes.extend(value.to_be_bytes());
    }
    bytes.push(9);
    assert_eq!(scan_of("be.ply", &bytes).cloud.points[0], Point::new(1.5, -2.0, 3.25));
    let ascii = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float intensity\nend_header\n0 0 0 .5\nnan 1 1 1\n2 2 2 5.\n";
    let scan = scan_of("a.ply", ascii);
    assert_eq!((scan.cloud.points.len(), scan.findings.not_finite_points), (2, 1));
    assert_eq!(scan.cloud.intensity, vec![0.5, 5.0]);
}

#[test]
fn pcd_in_all_three_forms_with_grid_and_viewpoint() {
    let points: [[f32; 3]; 6] =
        [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [f32::NAN; 3], [2.0, 1.0, 1.0]];
    let header = |data: &str| {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 2\nVIEWPOINT 0 0 9 1 0 0 0\nPOINTS 6\nDATA {data}\n"
        )
    };
    let ascii: String = points.iter().map(|p| format!("{} {} {}\n", p[0], p[1], p[2])).collect();
    let mut binary = header("binary").into_bytes();
    points.iter().flatten().for_each(|v| binary.extend(v.to_le_bytes()));
    // Fields one after the other, packed as literal runs of at most 32 bytes.
    let by_field: Vec<u8> = (0..3).flat_map(|axis| points.iter().flat_map(move |p| p[axis].to_le_bytes())).collect();
    let packed: Vec<u8> =
        by_field.chunks(32).flat_map(|run| std::iter::once(run.len() as u8 - 1).chain(run.iter().copied())).collect();
    let mut compressed = header("binary_compressed").into_bytes();
    compressed.extend((packed.len() as u32).to_le_bytes());
    compressed.extend((by_field.len() as u32).to_le_bytes());
    compressed.extend(packed);
    for bytes in [(header("ascii") + &ascii).into_bytes(), binary, compressed] {
        let scan = scan_of("s.pcd", &bytes);
        assert_eq!((scan.cloud.points.len(), scan.findings.not_finite_points), (5, 1));
        assert_eq!(scan.cloud.points[4], Point::new(2.0, 1.0, 1.0));
        assert_eq!(scan.cloud.viewpoint, Some(Point::new(0.0, 0.0, 9.0)));
        let grid = scan.cloud.grid.clone().unwrap();
        assert_eq!((grid.width, grid.height, grid.cells[5]), (3, 2, 4));
        let mesh = shadowgraph::geometry::snapshot::mesh_of(&scan.cloud).unwrap();
        assert!((0..mesh.facets.len()).all(|facet| mesh.normal(facet).z > 0.99));
    }
}

#[test]
fn columns_of_numbers_in_many_dialects() {
    let expected = Point::new(1.5, -2.0, 3.25);
    let dialects: [(&str, &str); 6] = [
        ("a.xyz", "1.5 -2 3.25\n4 5 6\n"),
        ("a.csv", "x,y,z\n1.5,-2,3.25\n4,5,6\n"),
        ("b.csv", "x;y;z\n1,5;-2,0;3,25\n4,0;5,0;6,0\n"),
        ("a.asc", "# comment\n1.5\t-2\t3.25\n"),
        ("d.csv", "id,z,y,x\n7,3.25,-2,1.5\n"),
        ("a.txt", "2\n1.5 -2 3.25\n4 5 6\n"),
    ];
    for (name, text) in dialects {
        assert_eq!(scan_of(name, text.as_bytes()).cloud.points[0], expected, "{name}");
    }
}

#[test]
fn units_are_applied_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_file(folder.path(), "a.xyz", b"1 2 3\n");
    let load = |unit| load_scan(&path, &LoadOptions { unit, ..LoadOptions::default() }, &Progress::silent()).unwrap();
    assert_eq!(load(Some(LengthUnit::Inch)).cloud.points[0].x, 25.4);
    let silent = load(None);
    assert!(silent.notes.iter().any(|note| note.contains("read as mm")));
}

#[test]
fn e57_scans_are_metres_in_the_file_frame() {
    use e57::{E57Writer, Quaternion, Record, RecordValue, Transform, Translation};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.e57");
    let mut writer = E57Writer::from_file(&path, "file").unwrap();
    let prototype = vec![Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64];
    let mut scan = writer.add_pointcloud("scan", prototype).unwrap();
    scan.set_transform(Some(Transform {
        rotation: Quaternion { w: 1.0, x: 0.0, y: 0.0, z: 0.0 },
        translation: Translation { x: 1.0, y: 0.0, z: 0.0 },
    }));
    for i in 0..10 {
        let point = vec![RecordValue::Double(f64::from(i)), RecordValue::Double(0.5), RecordValue::Double(0.0)];
        scan.add_point(point).unwrap();
    }
    scan.finalize().unwrap();
    drop(scan);
    writer.finalize().unwrap();
    let scan = load_scan(&path, &LoadOptions::default(), &Progress::silent()).unwrap();
    assert_eq!(scan.cloud.points.len(), 10);
    assert_eq!(scan.cloud.points[3], Point::new(4000.0, 500.0, 0.0));
    assert_eq!(scan.cloud.viewpoint, Some(Point::new(1000.0, 0.0, 0.0)));
}

#[test]
fn a_small_gltf_with_an_inline_buffer() {
    use base64::Engine;
    let corners: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0,"translation":[0,0,2]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
    );
    let folder = tempfile::tempdir().unwrap();
    let mesh = nominal_of(&write_file(folder.path(), "a.gltf", text.as_bytes()));
    assert_eq!(mesh.facets.len(), 1);
    assert_eq!(mesh.bounds().max, Point::new(1000.0, 1000.0, 2000.0));
    let circle = text.replace(r#""mesh":0,"#, r#""mesh":0,"children":[0],"#);
    let path = write_file(folder.path(), "c.gltf", circle.as_bytes());
    assert!(load_nominal(&path, &LoadOptions::default(), &Progress::silent()).is_err());
}

#[test]
fn cad_faces_are_kept_per_facet() {
    let Some(path) = shared_data("cad/featuretype.step") else { return };
    if cfg!(not(feature = "cad")) {
        return;
    }
    let mesh = nominal_of(&path);
    assert_eq!(mesh.cad_faces.len(), mesh.facets.len());
    assert_eq!(mesh.cad_faces.iter().max(), Some(&95));
    let topology = shadowgraph::geometry::topology::Topology::new(&mesh);
    assert!(topology.is_closed() && mesh.volume_mm3() > 0.0);
}

#[test]
fn truncated_files_of_every_format_are_refused_or_shorter_but_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = shapes::sphere(5.0, 2);
    for name in ["t.stl", "t.ply", "t.obj"] {
        let path = folder.path().join(name);
        write::mesh(&path, &mesh).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for keep in (1..whole.len()).step_by(whole.len() / 60 + 1) {
            std::fs::File::create(&path).unwrap().write_all(&whole[..keep]).unwrap();
            for sentence in [
                load_nominal(&path, &LoadOptions::default(), &Progress::silent()).err().map(|e| e.sentence),
                load_scan(&path, &LoadOptions::default(), &Progress::silent()).err().map(|e| e.sentence),
            ]
            .into_iter()
            .flatten()
            {
                assert!(sentence.ends_with('.') && sentence.len() > 20, "{sentence}");
            }
        }
    }
}

#[test]
fn a_ply_mesh_as_scan_keeps_normals_and_intensities() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                property float nx\nproperty float ny\nproperty float nz\nproperty float intensity\n\
                element face 2\nproperty list uchar int vertex_indices\nend_header\n\
                0 0 0 0 0 1 5\n1 0 0 0 0 1 6\n0 1 0 0 0 1 7\n1 1 0 0 0 1 8\n3 0 1 2\n3 1 3 2\n";
    let scan = scan_of("mesh.ply", text.as_bytes());
    assert_eq!(scan.mesh.expect("facets").facets.len(), 2);
    assert_eq!(scan.cloud.normals, vec![[0.0, 0.0, 1.0]; 4]);
    assert_eq!(scan.cloud.intensity, vec![5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn off_meshes_with_comments_polygons_and_faults() {
    let folder = tempfile::tempdir().unwrap();
    let square = "OFF # made by hand\n\n4 1 0\n0 0 0\n2 0 0 0.5 0.5\n# between\n2 2 0\n0 2 0\n4 0 1 2 3 255 0 0\n";
    let mesh = nominal_of(&write_file(folder.path(), "a.off", square.as_bytes()));
    assert_eq!((mesh.facets.len(), mesh.vertices.len()), (2, 4));
    assert!((mesh.area_mm2() - 4.0).abs() < 1e-12);
    let on_one_line = square.replace("OFF # made by hand\n\n4 1 0", "OFF 4 1 0");
    assert_eq!(nominal_of(&write_file(folder.path(), "b.off", on_one_line.as_bytes())).facets.len(), 2);
    assert_eq!(scan_of("points.off", b"OFF\n2 0 0\n0 0 0\n1 0 0\n").cloud.points.len(), 2);
    for (name, text) in [
        ("short", "OFF\n4 1 0\n0 0 0\n"),
        ("huge", "OFF\n4000000000 1 0\n0 0 0\n"),
        ("foreign", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"),
        ("words", "OFF\n3 1 0\na b c\n1 0 0\n0 1 0\n3 0 1 2\n"),
        ("binary", "OFF BINARY\n"),
    ] {
        let path = write_file(folder.path(), "bad.off", text.as_bytes());
        let error = load_nominal(&path, &LoadOptions::default(), &Progress::silent()).unwrap_err();
        assert!(error.sentence.contains("bad.off") && error.sentence.contains("line"), "{name}: {error}");
    }
}

#[test]
fn lines_of_old_systems_end_with_a_carriage_return() {
    let rows = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    for end in ["\r", "\r\n", "\n"] {
        assert_eq!(scan_of("a.xyz", rows.replace('\n', end).as_bytes()).cloud.points.len(), 4, "{end:?}");
    }
    let off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n".replace('\n', "\r");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(nominal_of(&write_file(folder.path(), "a.off", off.as_bytes())).facets.len(), 1);
}

#[test]
fn packed_files_are_unpacked_and_damaged_ones_say_so() {
    let pack = |text: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    };
    let rows = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n".repeat(50);
    assert_eq!(scan_of("a.xyz.gz", &pack(rows.as_bytes())).cloud.points.len(), 200);
    let folder = tempfile::tempdir().unwrap();
    let mesh = shapes::torus(20.0, 6.0, 30, 16);
    let plain = folder.path().join("a.ply");
    write::mesh(&plain, &mesh).unwrap();
    let packed = pack(&std::fs::read(&plain).unwrap());
    assert_eq!(nominal_of(&write_file(folder.path(), "b.ply.gz", &packed)).facets.len(), mesh.facets.len());
    for (name, bytes) in [
        ("cut.xyz.gz", &packed[..packed.len() / 2]),
        ("empty.xyz.gz", &pack(b"")),
        ("part.step.gz", &pack(b"ISO-10303-21;")),
    ] {
        let path = write_file(folder.path(), name, bytes);
        let error = load_scan(&path, &LoadOptions::default(), &Progress::silent()).unwrap_err();
        assert!(error.sentence.contains(name), "{error}");
    }
}

#[test]
fn ptx_scans_are_placed_by_their_poses_and_keep_their_grid() {
    let header = |x: f64| format!("3\n2\n{x} 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 0 0\n-1 0 0 0\n0 0 1 0\n{x} 0 0 1\n");
    // Three columns of two rows; one cell saw nothing.
    let cells = "1 0 0 0.1\n1 0 1 0.2\n2 0 0 0.3\n0 0 0 0.5\n3 0 0 0.4\n3 0 1 0.6\n";
    let scan = scan_of("one.ptx", format!("{}{cells}", header(5.0)).as_bytes());
    let cloud = &scan.cloud;
    assert_eq!((cloud.points.len(), cloud.intensity.len(), scan.unit), (5, 5, LengthUnit::M));
    // Turned by a quarter about z, moved by 5 m, in mm; the scanner stood at 5 m.
    assert!((cloud.points[2] - Point::new(5000.0, 2000.0, 0.0)).norm() < 1e-9, "{}", cloud.points[2]);
    assert!((cloud.viewpoint.unwrap() - Point::new(5000.0, 0.0, 0.0)).norm() < 1e-9);
    let grid = cloud.grid.as_ref().unwrap();
    assert_eq!((grid.width, grid.height, &grid.cells[..]), (3, 2, &[0, 2, 3, 1, u32::MAX, 4][..]));
    let two = scan_of("two.ptx", format!("{}{cells}{}{cells}", header(0.0), header(9.0)).as_bytes());
    assert_eq!(two.cloud.points.len(), 10);
    let folder = tempfile::tempdir().unwrap();
    for text in ["3\n", "1e9\n1e9\n", &format!("{}1 0 0\n", header(0.0)), "a\nb\n"] {
        let path = write_file(folder.path(), "bad.ptx", text.as_bytes());
        let error = load_scan(&path, &LoadOptions::default(), &Progress::silent()).unwrap_err();
        assert!(error.sentence.contains("bad.ptx, line"), "{error}");
    }
}

/// What is parsed is what was hashed, whatever happens to the file in between; and where that is not certain, it is checked.
#[test]
fn a_file_is_parsed_as_it_was_hashed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_file(folder.path(), "scan.xyz", b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
    let file = SourceFile::read(&path, None, None).unwrap();
    assert_eq!(file.hash, hash::file_hash(&path).unwrap());
    std::fs::write(&path, b"5 5 5\n6 6 6\n7 7 7\n").unwrap();
    let silent = Progress::silent();
    let (source, is_as_hashed) = file.open(&silent).unwrap();
    let read = load_scan_from(source, &LoadOptions::default(), &silent).unwrap();
    assert!(is_as_hashed && read.cloud.points.len() == 4);
    // Its contents were kept once.
    let (source, is_as_hashed) = file.open(&silent).unwrap();
    assert!(!is_as_hashed);
    assert_eq!(load_scan_from(source, &LoadOptions::default(), &silent).unwrap().cloud.points.len(), 3);
    assert!(file.check_unchanged().unwrap_err().sentence.contains("changed while it was read"));
    // An inspection that hashed the file without keeping it says so as well.
    let files = [SourceFile::of(&path, None, None).unwrap()];
    std::fs::write(&path, b"8 8 8\n9 9 9\n7 7 7\n").unwrap();
    let read = Actual::of_files(&files, None, None, &context().cad, &silent);
    assert!(read.is_err_and(|error| error.sentence.contains("changed while it was read")));
}
