//! Small files on which something untrue was said once, with the value that is right by how each was made.

use serde_json::Value;

use super::support::{case, errors, pose_of_json, shadowgraph, shared_data, text};

/// Exit code and JSON of the program.
#[track_caller]
fn answer(arguments: &[&str]) -> (Option<i32>, Value) {
    let told = shadowgraph(&[arguments, &["--json"]].concat());
    let json = serde_json::from_slice(&told.stdout).unwrap_or_else(|_| panic!("{}", errors(&told)));
    (told.status.code(), json)
}

/// Compares a scan where it lies.
#[track_caller]
fn compared(nominal: &str, scan: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let [nominal, scan, pose] = [nominal, scan, "verdicts/id.txt"].map(case);
    let parts = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none"];
    let more = ["--pose", text(&pose), "--no-pictures", "--out", text(folder.path())];
    answer(&[&parts[..], &more[..]].concat()).1
}

/// A block that is 0.5 mm too large all around, where its nominal is.
#[test]
fn a_block_too_large_all_around_stays_where_it_is() {
    let [nominal, scan] = ["v_step.stl", "v_step_0.5.xyz.gz"].map(|own| case("alignment").join(own));
    let folder = tempfile::tempdir().unwrap();
    let files = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--out", text(folder.path())];
    let (_, found) = answer(&[&files[..], &["--tolerance-mm", "0.6", "--no-pictures"]].concat());
    let pose = pose_of_json(&found["alignment"]["nominal_from_scan"]);
    assert!(pose.rotation.angle() < 1e-3 && pose.translation.vector.norm() < 0.02, "{pose}");
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.starts_with("PASS") && headline.contains("all faces lie 0.500 mm outside"), "{headline}");
    assert!((found["alignment"]["uniform_offset"]["offset_mm"].as_f64().unwrap() - 0.5).abs() < 0.005);
}

/// A chamfer of 1.2 mm legs, -0.6 mm deep, along a whole edge.
#[test]
fn an_unwanted_chamfer_along_an_edge_fails() {
    let found = compared("verdicts/step.stl", "verdicts/edge-chamfer-1.2.ply.gz");
    assert!(found["headline"].as_str().unwrap().starts_with("FAIL"), "{}", found["headline"]);
    assert!((found["regions"][0]["peak_mm"].as_f64().unwrap() + 0.6).abs() < 0.05, "{}", found["regions"][0]);
}

/// A drilled hole of 6 mm whose walls are dark.
#[test]
fn a_dark_hole_leaves_the_verdict_open() {
    let found = compared("verdicts/bracket.stl", "verdicts/extra-hole-d6-dark.ply.gz");
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.starts_with("INCOMPLETE") && headline.contains("may be"), "{headline}");
}

/// Datum face A is seen on 20 %.
#[test]
fn what_refers_to_a_datum_face_seen_on_a_fifth_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| case("verdicts").join(name);
    let [nominal, scan, pose] =
        ["block-pmi.step", "datum-face-on-20-percent.ply.gz", "datum-face-on-20-percent.pose.txt"].map(file);
    let parts = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--pose", text(&pose)];
    let more = ["--align", "best-fit", "--pmi", "--filter-mm", "2.5", "--tolerance-mm", "0.3", "--no-pictures"];
    let (code, found) = answer(&[&parts[..], &more[..], &["--out", text(folder.path())]].concat());
    assert_eq!(code, Some(0), "{found:#}");
    let tolerances = found["tolerances"].as_array().unwrap();
    let of_a = |own: &&Value| own.to_string().contains("\"A\"");
    assert!(tolerances.iter().any(|own| of_a(&own)), "{tolerances:#?}");
    for own in tolerances.iter().filter(of_a) {
        let verdict = own["verdict"].as_str().unwrap_or_default();
        assert!(!matches!(verdict, "in" | "pass" | "conforms"), "{own:#}");
    }
    assert_ne!(found["verdict"], "pass");
}

#[test]
fn three_points_of_a_circle_state_no_uncertainty() {
    let (code, found) = answer(&["fit", "circle", text(&case("fits/b29_circle_3pts.csv"))]);
    assert_eq!(code, Some(0));
    let fit = &found["fit"];
    assert!(fit["uncertainty"]["numbers"][0].is_null() && fit["uncertainty"]["position_mm"].is_null(), "{fit:#}");
    assert!((fit["shape"]["radius"].as_f64().unwrap() - 5.0).abs() < 1e-9, "{fit:#}");
}

#[test]
fn points_on_a_line_are_no_plane() {
    let told = shadowgraph(&["fit", "plane", text(&case("fits/b33_line_as_plane.csv"))]);
    assert_eq!(told.status.code(), Some(3));
    assert!(errors(&told).contains("straight line"), "{}", errors(&told));
}

/// Bores of 12.000 and 12.13 mm, seen on 70° with 0.02 mm of three lobes.
#[test]
fn bores_seen_on_70_degrees_are_undecided() {
    for name in ["bore70.csv", "bore70-bad-conforms.csv"] {
        let (features, plan) = (case("fits").join(name), case("fits/bore70.json"));
        let (_, found) =
            answer(&["tolerances", "--features", text(&features), "--plan", text(&plan), "--fit", "bore=cylinder"]);
        assert!(found.to_string().contains("undecided"), "{name}: {found:#}");
    }
}

/// Vertices in the order of a tessellation, and rings in alternating order.
#[test]
fn cylinders_in_any_order_have_their_radius() {
    for (name, radius_mm) in [("cylinder-exact-rings.csv", 101.6), ("cylinder-alternating-wrong.ply", 72.586_369_486)] {
        let (_, found) = answer(&["fit", "cylinder", text(&case("fits").join(name))]);
        assert!((found["fit"]["shape"]["radius"].as_f64().unwrap() - radius_mm).abs() < 1e-6, "{name}: {found:#}");
    }
}

/// Half of a wave of 10 µm at the cut-off, of scattered points: 0.010 mm from crest to trough.
#[test]
fn half_of_a_wave_at_the_cutoff_passes() {
    let [features, plan] = ["filter.csv", "filter.json"].map(|own| case("fits").join(own));
    let (_, found) = answer(&["tolerances", "--features", text(&features), "--plan", text(&plan), "--fit", "c=circle"]);
    let measured = found["tolerances"][0]["judged"]["measured_mm"].as_f64().unwrap_or_else(|| panic!("{found:#}"));
    assert!((measured - 0.010).abs() < 2e-4, "{measured}");
}

#[test]
fn six_different_mountings_do_not_repeat() {
    let told = shadowgraph(&["repeatability", "--log", text(&case("calibration/six-mountings.jsonl"))]);
    assert_eq!(told.status.code(), Some(4), "{}", errors(&told));
}

#[test]
fn seven_records_of_one_measurement_are_one() {
    let told = shadowgraph(&["repeatability", "--log", text(&case("calibration/seven-times-the-same.jsonl"))]);
    assert_eq!(told.status.code(), Some(3));
    assert!(errors(&told).contains("there are 1"), "{}", errors(&told));
}

/// Only the channel lies in the pile, not its mirror image.
#[test]
fn the_mirror_image_of_a_part_is_not_found_without_doubt() {
    let scene = case("detection/pile-with-channels.ply.gz");
    let found = |part: &str| {
        let part = case("detection").join(part);
        answer(&["detect", "--part", text(&part), text(&scene)]).1["detections"].as_array().unwrap().clone()
    };
    let mirrored = found("channelmirror.stl");
    assert!(mirrored.iter().all(|own| own["doubt"].is_string()), "{mirrored:#?}");
    let right = found("channel.stl");
    assert!(right.iter().any(|own| own["doubt"].is_null() && own["score"].as_f64() > Some(0.9)), "{right:#?}");
}

/// A steep plate beside three bunnies and a rocker was taken for a wall that they would be in. Three megabytes each: only
/// where the shared data are.
#[test]
fn a_plate_beside_parts_refutes_none_of_them() {
    let Some(scene) = shared_data("cases/detection/false-wall.pcd.gz") else { return };
    let [bunny, rocker] = ["bunny.stl", "rocker.stl"].map(|own| scene.with_file_name(own));
    let (_, found) = answer(&["detect", "--part", text(&bunny), "--part", text(&rocker), text(&scene)]);
    let sure = |part: &str| {
        let all = found["detections"].as_array().unwrap().iter();
        all.filter(|own| own["part"] == part && own["doubt"].is_null()).count()
    };
    assert_eq!([sure("bunny"), sure("rocker")], [3, 1], "{:#}", found["detections"]);
}
