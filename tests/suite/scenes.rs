//! Registration onto real scenes: clouds onto clouds, small objects in clutter.

use shadowgraph::base::random::Random;
use shadowgraph::geometry::{Point, Pose, Vector, transform};
use shadowgraph::io::{LoadOptions, load_scan};

use serde_json::Value;

use super::support::{errors, pose_of_json, poses, shadowgraph, shared_data, text};

/// Starts within 0.1 diameters and 15 degrees of `scene_from_object` (mm) end within 0.01 diameters and 1 degree.
fn nearby_starts_agree(scene: &str, object: &str, scene_from_object: &Pose) {
    let (Some(scene), Some(object)) = (shared_data(scene), shared_data(object)) else { return };
    let options = LoadOptions { unit: Some(shadowgraph::base::LengthUnit::M), ..LoadOptions::default() };
    let bounds = load_scan(&object, &options, &shadowgraph::base::Progress::silent()).unwrap().cloud.bounds();
    let (diameter, centre) = (bounds.diagonal(), scene_from_object * bounds.centre());
    let folder = tempfile::tempdir().unwrap();
    let (start_file, end_file) = (folder.path().join("start.txt"), folder.path().join("end.txt"));
    let mut random = Random::new(15, 0);
    let mut first: Option<Pose> = None;
    for i in 0..poses(3) {
        let start = nudge(&mut random, &centre, 0.1 * diameter) * scene_from_object;
        std::fs::write(&start_file, transform::pose_text(&start)).unwrap();
        let run = shadowgraph(&[
            "register",
            "--nominal",
            text(&scene),
            "--scan",
            text(&object),
            "--units",
            "m",
            "--align",
            "best-fit",
            "--pose",
            text(&start_file),
            "--out",
            text(&end_file),
        ]);
        assert!(run.status.success(), "{}", errors(&run));
        let end = transform::parse_pose(&std::fs::read_to_string(&end_file).unwrap()).unwrap();
        let (shift_mm, angle_rad) = transform::difference(&end, first.get_or_insert(end), &bounds.centre());
        assert!(shift_mm < 0.01 * diameter && angle_rad.to_degrees() < 1.0, "{i}: {shift_mm} mm {angle_rad} rad");
    }
}

fn nudge(random: &mut Random, pivot: &Point, reach_mm: f64) -> Pose {
    let mut direction = || random.rotation() * Vector::z();
    let (axis, away) = (direction(), direction());
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(axis * random.range(0.0, 15.0_f64.to_radians()));
    let shift = away * random.range(0.0, reach_mm);
    Pose::from_parts((pivot.coords + shift - turn * pivot.coords).into(), turn)
}

/// Row-major rotation and translation, mm.
fn pose(rows: [[f64; 4]; 3]) -> Pose {
    transform::from_rows(&[rows[0], rows[1], rows[2], [0.0, 0.0, 0.0, 1.0]]).unwrap()
}

#[test]
fn a_milk_carton_in_a_depth_camera_scene() {
    // The model was cut out of this scene and moved; found by feature matching, it fits to rounding.
    let scene_from_object = pose([
        [0.968_879_4, -0.119_712_2, 0.216_660_3, -158.9656],
        [0.116_826_8, 0.992_808_6, 0.026_124_82, 212.4981],
        [-0.218_229_6, 0.0, 0.975_897_4, -42.125_37],
    ]);
    nearby_starts_agree("milk/scene.pcd", "milk/milk.pcd", &scene_from_object);
}

#[test]
fn a_box_in_a_room() {
    // Found by feature matching with the best overlap of 24 random starts; no pose is published.
    let scene_from_object = pose([
        [0.991_784_74, 0.121_664_43, -0.039_507_02, -5.359_12],
        [-0.112_698_48, 0.977_173_64, 0.180_085_31, 6.046_37],
        [0.060_515_2, -0.174_153_48, 0.982_857_3, -36.115_06],
    ]);
    nearby_starts_agree("teaser/scene.ply", "teaser/object.ply", &scene_from_object);
}

#[test]
fn two_lidar_scans_meet_at_the_published_pose() {
    let (Some(target), Some(source), Some(published)) = (
        shared_data("lidar-pair/target.ply"),
        shared_data("lidar-pair/source.ply"),
        shared_data("lidar-pair/T_target_source.txt"),
    ) else {
        return;
    };
    let output = shadowgraph(&[
        "register",
        "--nominal",
        text(&target),
        "--scan",
        text(&source),
        "--units",
        "m",
        "--align",
        "best-fit",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = pose_of_json(&value["alignment"]["nominal_from_scan"]);
    let mut published = transform::parse_pose(&std::fs::read_to_string(published).unwrap()).unwrap();
    published.translation.vector *= 1000.0;
    let (shift_mm, angle_rad) = transform::difference(&found, &published, &Point::origin());
    assert!(shift_mm < 50.0 && angle_rad.to_degrees() < 0.5, "{shift_mm} {}", angle_rad.to_degrees());
}
