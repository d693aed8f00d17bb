//! Measured points as nominals: master parts, and models of parts without CAD.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Cloud, Mesh, Point, Pose, Vector, sampling, transform};
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::write;

use shadowgraph::inspect::parts::Nominal;

use super::support::{errors, pose_of_json, shadowgraph, shared_data, text};

/// Points of a mesh, measured without order, as a file.
fn measured(path: &Path, mesh: &Mesh, count: usize, seed: u64) -> PathBuf {
    let points = sampling::by_area(mesh, count, seed).iter().map(|sample| sample.point).collect();
    write::cloud(path, &Cloud::from_points(points)).unwrap();
    path.to_owned()
}

fn read(path: &Path) -> Result<Nominal, shadowgraph::base::UserError> {
    Nominal::read(path, None, CadReader::default(), &Progress::silent())
}

fn answer(arguments: &[&str]) -> Value {
    let output = shadowgraph(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_part_is_compared_with_the_points_of_a_master() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let torus = shapes::torus(60.0, 18.0, 200, 100);
    let master = measured(&at("master.ply"), &torus, 60_000, 1);
    let nominal = read(&master).unwrap();
    let notes = nominal.notes.join(" ");
    assert!(notes.contains("It holds points") && !notes.contains("outside"), "{notes}");
    // All facets face away from the ring.
    let mesh = nominal.surface.mesh();
    let is_outward = |facet: &usize| {
        let [corner, ..] = mesh.corners(*facet);
        let ring = Vector::new(corner.x, corner.y, 0.0).normalize() * 60.0;
        mesh.normal(*facet).dot(&(corner.coords - ring)) > 0.0
    };
    let outward = (0..mesh.facets.len()).filter(is_outward).count();
    assert!(outward as f64 > 0.999 * mesh.facets.len() as f64, "{outward} of {}", mesh.facets.len());
    // Thicker by 0.2 mm all around.
    let scan = measured(&at("scan.ply"), &shapes::torus(60.0, 18.2, 200, 100), 30_000, 2);
    let out = at("out");
    let files = ["inspect", "--nominal", text(&master), "--scan", text(&scan), "--out", text(&out)];
    let rest = ["--align", "none", "--no-pictures", "--tolerance-mm", "0.1"];
    let output = shadowgraph(&[files.as_slice(), &rest].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let mean = summary["deviation"]["mean_mm"].as_f64().unwrap_or_else(|| panic!("{summary:#}"));
    assert!((mean - 0.2).abs() < 0.02, "{mean} mm");
}

#[test]
fn points_without_a_surface_are_no_nominal() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, points: Vec<Point>| {
        let path = folder.path().join(name);
        write::cloud(&path, &Cloud::from_points(points)).unwrap();
        read(&path)
    };
    let line = (0..5000).map(|i| Point::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
    for (name, points) in [("line.ply", line), ("two.ply", vec![Point::origin(), Point::new(1.0, 0.0, 0.0)])] {
        let refused = of(name, points).map(|made| made.surface.mesh().facets.len()).unwrap_err().sentence;
        assert!(refused.contains(name) && refused.contains("No surface can be made"), "{refused}");
    }
    let empty = folder.path().join("empty.pcd");
    std::fs::write(&empty, "").unwrap();
    assert!(!read(&empty).unwrap_err().sentence.is_empty());
}

/// Looks for an object of the shared data in a scene of it; `None` where the data is absent.
fn detect(scene: &str, object: &str) -> Option<Value> {
    let (scene, object) = (shared_data(scene)?, shared_data(object)?);
    let units = ["--units", "m", "--scene-units", "m", "--json"];
    Some(answer(&[["detect", text(&scene), "--part", text(&object)].as_slice(), &units].concat()))
}

/// The one pose found, compared at a position in the object: mm and degrees off.
fn off(answer: &Value, truth: [[f64; 4]; 3], at: Point) -> (f64, f64) {
    let found = answer["detections"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{answer:#}");
    let [x, y, z] = truth;
    let truth: Pose = transform::from_rows(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]).unwrap();
    let (mm, rad) = transform::difference(&pose_of_json(&found[0]["scene_from_part"]), &truth, &at);
    (mm, rad.to_degrees())
}

/// The poses are those of `scenes.rs`.
#[test]
fn objects_without_cad_are_found_in_scenes_of_a_depth_camera() {
    let Some(milk) = detect("milk/scene.pcd", "milk/milk.pcd") else { return };
    let truth = [
        [0.968_879_4, -0.119_712_2, 0.216_660_3, -158.9656],
        [0.116_826_8, 0.992_808_6, 0.026_124_82, 212.4981],
        [-0.218_229_6, 0.0, 0.975_897_4, -42.125_37],
    ];
    let (mm, degrees) = off(&milk, truth, Point::new(300.0, 0.0, 700.0));
    assert!(mm < 0.5 && degrees < 0.1, "{mm} mm, {degrees}°");
    // A mug of 1000 noisy points.
    let Some(mug) = detect("teaser/scene.ply", "teaser/object.ply") else { return };
    let truth = [
        [0.991_784_74, 0.121_664_43, -0.039_507_02, -5.359_12],
        [-0.112_698_48, 0.977_173_64, 0.180_085_31, 6.046_37],
        [0.060_515_2, -0.174_153_48, 0.982_857_3, -36.115_06],
    ];
    let (mm, degrees) = off(&mug, truth, Point::new(-45.0, -345.0, 1715.0));
    assert!(mm < 4.0 && degrees < 3.0, "{mm} mm, {degrees}°");
    for (scene, object) in [("teaser/scene.ply", "milk/milk.pcd"), ("milk/scene.pcd", "teaser/object.ply")] {
        let Some(elsewhere) = detect(scene, object) else { return };
        assert!(elsewhere["detections"].as_array().unwrap().is_empty(), "{object} in {scene}: {elsewhere:#}");
        assert_eq!(elsewhere["rejected"].as_array().unwrap().len(), 1);
    }
}
