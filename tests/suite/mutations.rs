//! Thousands of damaged files per reader: never a panic, never a hang, always a full sentence.
//!
//! A seeded stand-in for the coverage-guided fuzzers: it runs with every test run.

use std::path::Path;
use std::time::{Duration, Instant};

use shadowgraph::base::{ErrorKind, Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::geometry::{Cloud, Point, mesh::shapes};
use shadowgraph::inspect::recipe::Tools;
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::{LoadOptions, load_nominal, load_scan, write};
use shadowgraph::session::plan::Plan;
use shadowgraph::session::project::Project;
use shadowgraph::session::series::Part;
use shadowgraph::session::{Stage, pipeline};

use super::exchange_formats;
use super::support::text;

/// Damaged copies per file.
const COPIES: u64 = 400;

fn damaged(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.index(4) {
        let at = random.index(bytes.len().max(1));
        match random.index(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] = random.bits() as u8,
            2 if !bytes.is_empty() => bytes[at] ^= 1 << random.index(8),
            3 => {
                let words: [&[u8]; 8] =
                    [b"nan", b"-1", b"1e308", b"4294967295", b"99999999999999999999", b"\n", b" ", b"/"];
                bytes.splice(at..at, words[random.index(words.len())].iter().copied());
            }
            4 => {
                let end = (at + random.index(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let piece = bytes[at..(at + random.index(60)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn try_all(name: &str, whole: &[u8], read: impl Fn(&Path) -> Result<(), shadowgraph::base::UserError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut random = Random::new(77, name.len() as u64);
    for copy in 0..COPIES {
        std::fs::write(&path, damaged(whole, &mut random)).unwrap();
        let started = Instant::now();
        if let Err(error) = read(&path) {
            assert_eq!(error.kind, ErrorKind::Input, "{name} {copy}: {error}");
            assert!(error.sentence.len() > 20 && error.sentence.ends_with('.'), "{name} {copy}: {error}");
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{name} {copy} took {:?}", started.elapsed());
    }
}

fn both(name: &str, whole: &[u8]) {
    let (options, silent) = (LoadOptions::default(), Progress::silent());
    try_all(name, whole, |path| load_scan(path, &options, &silent).map(drop));
    try_all(name, whole, |path| load_nominal(path, &options, &silent).map(drop));
}

#[test]
fn meshes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["m.stl", "m.ply", "m.obj"] {
        let path = folder.path().join(name);
        write::mesh(&path, &shapes::sphere(5.0, 1)).unwrap();
        both(name, &std::fs::read(&path).unwrap());
    }
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    both("ascii.stl", format!("solid a\n{}endsolid a\n", facet.repeat(5)).as_bytes());
    both("ascii.ply", b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
}

#[test]
fn clouds() {
    let folder = tempfile::tempdir().unwrap();
    let points = (0..40).map(|i| Point::new(f64::from(i), f64::from(i * i), 1.0)).collect();
    let path = folder.path().join("c.ply");
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    both("c.ply", &std::fs::read(&path).unwrap());
    both("c.xyz", b"x;y;z\n1,5;2;3\n4;5;6\n7;8,25;9\n");
    let header = "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ";
    both("a.pcd", format!("{header}ascii\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n").as_bytes());
    let mut binary = format!("{header}binary\n").into_bytes();
    binary.extend([7_u8; 48]);
    both("b.pcd", &binary);
    let mut packed = format!("{header}binary_compressed\n").into_bytes();
    packed.extend(50_u32.to_le_bytes());
    packed.extend(48_u32.to_le_bytes());
    packed.extend([31_u8].iter().chain(&[1; 32]).chain(&[15]).chain(&[2; 16]));
    both("z.pcd", &packed);
}

#[test]
fn scenes() {
    use base64::Engine;
    let bytes: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],"bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
    );
    both("s.gltf", text.as_bytes());
    let poses = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
    both("s.ptx", format!("2\n2\n{poses}0 0 1 0.5\n1 0 1 0.5\n0 1 1 0.5\n1 1 1 0.5\n").as_bytes());
    both("s.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
}

#[test]
fn packages_and_las() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = r#"<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="3" y="0" z="0"/><vertex x="0" y="2" z="0"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/></triangles></mesh></object>"#;
    let model = exchange_formats::model("", mesh, r#"<item objectid="1"/>"#);
    both("p.3mf", &exchange_formats::package(&[("3D/3dmodel.model", &model)]));
    for name in ["s.las", "s.laz"] {
        both(name, &std::fs::read(exchange_formats::las_file(folder.path(), name)).unwrap());
    }
}

#[test]
fn e57_and_projects() {
    use e57::{E57Writer, Record, RecordValue};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.e57");
    let mut writer = E57Writer::from_file(&path, "file").unwrap();
    let prototype = vec![Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64];
    let mut scan = writer.add_pointcloud("scan", prototype).unwrap();
    for i in 0..20 {
        scan.add_point(vec![RecordValue::Double(f64::from(i)), RecordValue::Double(0.5), RecordValue::Double(0.0)])
            .unwrap();
    }
    scan.finalize().unwrap();
    drop(scan);
    writer.finalize().unwrap();
    both("s.e57", &std::fs::read(&path).unwrap());
    let project = serde_json::to_vec(&Project::of(&shadowgraph::session::Document::default())).unwrap();
    try_all("p.shadowgraph", &project, |path| Project::load(path).map(drop));
    // One of the layout before, with all kinds of features.
    let before =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/projects/touched-features.shadowgraph");
    try_all("p.shadowgraph", &std::fs::read(before).unwrap(), |path| Project::load(path).map(drop));
}

/// Damaged plans are read as far as they can be and run on a block; lists and records of parts beside them.
#[test]
fn plans_and_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (block, scan) = (folder.path().join("block.stl"), folder.path().join("scan.ply"));
    write::mesh(&block, &shapes::cuboid(Point::origin(), Point::new(60.0, 50.0, 1.5))).unwrap();
    let places = (0..300).map(|i| (f64::from(i % 20) * 3.0, f64::from(i / 20) * 3.0));
    let points = places.flat_map(|(x, y)| [Point::new(x, y, 0.0), Point::new(x, y, 1.5)]).collect();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let stage = Stage::of("part".into(), &[scan]).unwrap();
    let cad = CadReader::default();
    let tools = Tools { backend: &Cpu, cad: &cad, watch: &|_, _| () };
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/plan/block.sgplan");
    let whole = std::fs::read_to_string(seed).unwrap().replace("block.stl", text(&block));
    // From where the scan lies: a start looked for everywhere takes longer than a test should.
    let pose = r#"{"pose": {"rotation": [0, 0, 0, 1], "translation": [0, 0, 0]}}"#;
    let whole = whole.replace("\"automatic\"", pose);
    let run = |path: &Path| -> Result<usize, shadowgraph::base::UserError> {
        let (plan, _) = Plan::load(path)?;
        let results = pipeline::run(&plan, &stage, None, &tools, &Progress::silent())?;
        Ok(plan.elements().iter().filter(|own| results.made(own.id).is_some()).count())
    };
    std::fs::write(folder.path().join("whole.sgplan"), &whole).unwrap();
    let made = run(&folder.path().join("whole.sgplan")).unwrap();
    assert!(made >= 10, "only {made} elements of the undamaged plan were made");
    try_all("p.sgplan", whole.as_bytes(), |path| run(path).map(drop));
    try_all("shift.txt", b"a.ply\nSN 7, b.ply, c.ply # two views\n", |path| Part::listed(path).map(drop));
}

#[test]
fn touches_and_calibrations() {
    let table = "region,x_mm,y_mm,z_mm\nLP,1.5,2,3e-1\nRP;4;5;6 # by hand\nLL\t1\t2\t3\n";
    try_all("touches.csv", table.as_bytes(), |path| {
        shadowgraph::io::region_table::is_region_table(path);
        shadowgraph::io::region_table::read(path).map(drop)
    });
    let record = r#"{"schema":"shadowgraph.calibration/1","handedness":"left","position_mm":[1.0,2.0,3.0],
        "cmm_from_sensor":[[1.0,0.0,0.0,4.0],[0.0,1.0,0.0,5.0],[0.0,0.0,1.0,6.0],[0.0,0.0,0.0,1.0]],
        "date_unix_s":1000,"valid_until_unix_s":2000}"#;
    let record =
        shadowgraph::inspect::calibration::record::with_digest(serde_json::from_str(record).unwrap()).to_string();
    try_all("calibration.json", record.as_bytes(), |path| {
        let strict = shadowgraph::inspect::calibration::record::CalibrationRecord::read(path).map(drop);
        // Past the digest, too, nothing may panic.
        drop(shadowgraph::inspect::calibration::record::CalibrationRecord::read_unverified(path));
        strict
    });
}
