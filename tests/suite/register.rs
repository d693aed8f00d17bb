//! Registration with a chosen search, of scans that follow each other, and onto clouds.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::icp::{Search, Start};
use shadowgraph::dispatch::{Align, Dispatcher, Parts};
use shadowgraph::geometry::{Cloud, Mesh, Point, Pose, Vector, mesh::shapes, sampling, transform};
use shadowgraph::inspect::alignment::search_registration::Parameters;
use shadowgraph::io::write;

use super::support::{context, errors, pose_of_json, shadowgraph, text};
use super::window::{open, settle};

/// A part without symmetry, about 110 mm long.
fn part() -> Mesh {
    let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
    mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
    mesh
}

fn pose(turn: f64) -> Pose {
    Pose::new(Vector::new(0.5, -0.2, 0.3) * turn, Vector::new(0.04, -0.06, 0.05) * turn)
}

/// `count` points of the part, moved so that [`pose`] brings them back.
fn points(count: usize, turn: f64, seed: u64) -> Vec<Point> {
    sampling::by_area(&part(), count, seed).iter().map(|sample| pose(turn).inverse() * sample.point).collect()
}

fn file(folder: &Path, name: &str, points: Vec<Point>) -> PathBuf {
    let path = folder.join(name);
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

fn nominal(folder: &Path) -> PathBuf {
    let path = folder.join("part.stl");
    write::mesh(&path, &part()).unwrap();
    path
}

fn register(nominal: &Path, scan: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["register", "--nominal", text(nominal), "--scan", text(scan), "--json"];
    arguments.extend(more);
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{more:?}: {}", errors(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// How far a pose is from [`pose`], mm at the middle of the part, and degrees.
fn off(found: &Value, turn: f64) -> (f64, f64) {
    let (found, truth) = (pose_of_json(found), pose(turn));
    let at = truth.inverse_transform_point(&Point::origin());
    let (apart_mm, angle_rad) = transform::difference(&found, &truth, &at);
    (apart_mm, angle_rad.to_degrees())
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn every_search_registers_from_a_given_pose_and_says_how_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan) = (nominal(folder.path()), file(folder.path(), "scan.ply", points(2000, 3.0, 1)));
    let start = folder.path().join("start.txt");
    std::fs::write(&start, transform::pose_text(&pose(2.0))).unwrap();
    let mut first: Option<Pose> = None;
    for search in ["brute-force", "k-d-tree", "walk-zero", "walk-k-d", "walk-previous", "walk-optimised", "approximate"]
    {
        let value = register(&nominal, &scan, &["--search", search, "--pose", text(&start)]);
        let (apart_mm, angle_deg) = off(&value["alignment"]["nominal_from_scan"], 3.0);
        // A missed neighbour here and there does little.
        let limit_mm = if search == "approximate" { 1.5 } else { 0.5 };
        assert!(apart_mm < limit_mm && angle_deg < 2.0 * limit_mm, "{search}: {apart_mm} {angle_deg}");
        let frame = &value["frames"][0];
        assert_eq!(pose_of_json(&frame["start"]).translation, pose(2.0).translation);
        let round_trip =
            pose_of_json(&value["pose"]["nominal_from_scan"]) * pose_of_json(&value["pose"]["scan_from_nominal"]);
        assert!(transform::difference(&round_trip, &Pose::identity(), &Point::origin()).0 < 1e-10);
        assert_eq!(numbers(&value["pose"]["quaternion_wxyz"]).len(), 4);
        assert_eq!(numbers(&value["pose"]["euler_xyz_deg"]).len(), 3);
        let history = numbers(&value["mse_history_mm2"]);
        assert_eq!(history.len() as u64, value["iterations"].as_u64().unwrap());
        assert!(["small-change", "max-iterations"].contains(&value["stop"].as_str().unwrap()), "{}", value["stop"]);
        if search != "approximate" {
            assert!(history.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{search}: {history:?}");
            let found = pose_of_json(&value["pose"]["nominal_from_scan"]);
            let (apart_mm, _) = transform::difference(&found, first.get_or_insert(found), &Point::origin());
            assert!(apart_mm < 1e-6, "{search}: {apart_mm}");
        }
    }
    // Limits decide when it ends.
    let few = register(&nominal, &scan, &["--search", "k-d-tree", "--pose", text(&start), "--max-iterations", "3"]);
    assert_eq!((few["iterations"].as_u64(), few["stop"].as_str()), (Some(3), Some("max-iterations")));
    let near = register(&nominal, &scan, &["--search", "k-d-tree", "--pose", text(&start), "--threshold-mm2", "4"]);
    assert_eq!(near["stop"], "small-error");
    assert!(*numbers(&near["mse_history_mm2"]).last().unwrap() < 4.0);
}

#[test]
fn filters_leave_outliers_out_from_the_iteration_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(4, 4);
    let mut dirty = points(2000, 1.0, 1);
    dirty.iter_mut().step_by(5).for_each(|point| *point += Vector::new(8.0, 5.0, 12.0) * random.range(0.5, 1.0));
    let (nominal, scan) = (nominal(folder.path()), file(folder.path(), "scan.ply", dirty));
    let base = ["--search", "k-d-tree", "--align", "best-fit", "--nominal-points", "8000"];
    let with = |more: &[&str]| register(&nominal, &scan, &[&base[..], more].concat());
    let (plain, robust) = (with(&[]), with(&["--filter-robust-sigmas", "4", "--filter-start", "5"]));
    let apart = |value: &Value| off(&value["alignment"]["nominal_from_scan"], 1.0).0;
    assert!(apart(&robust) < 0.5 * apart(&plain), "{} {}", apart(&robust), apart(&plain));
    let left_out = robust["frames"][0]["left_out"].as_u64().unwrap();
    assert!((200..700).contains(&left_out), "{left_out}");
    assert_eq!(plain["frames"][0]["left_out"], 0);
    // Before that iteration both are the same.
    let history = |value: &Value| numbers(&value["mse_history_mm2"])[..5].to_vec();
    assert_eq!(history(&plain), history(&robust));
    let sigma = with(&["--filter-sigmas", "1.5", "--filter-start", "5"]);
    assert!(sigma["frames"][0]["left_out"].as_u64().unwrap() > 20);
    let refused =
        shadowgraph(&["register", "--nominal", text(&nominal), "--scan", text(&scan), "--filter-sigmas", "3"]);
    assert_eq!(refused.status.code(), Some(2), "a filter belongs to a search");
}

#[test]
fn scans_that_follow_each_other_start_where_the_one_before_ended() {
    let folder = tempfile::tempdir().unwrap();
    let nominal = nominal(folder.path());
    // Other points in each.
    let scans = [(3000, 2.0, 1), (2500, 2.01, 2), (2800, 2.02, 3)]
        .map(|(count, turn, seed)| file(folder.path(), &format!("s{seed}.ply"), points(count, turn, seed)));
    let [first, second, third] = &scans;
    let more = ["--search", "walk-previous", "--align", "best-fit", "--change-threshold-mm2", "1e-4", "--track"];
    let value = register(&nominal, first, &[&more[..], &[text(second), text(third)][..]].concat());
    let frames = value["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 3);
    let iterations = |frame: &Value| frame["iterations"].as_u64().unwrap();
    for (before, frame) in frames.iter().zip(&frames[1..]) {
        assert_eq!(frame["started_from_matches"], true);
        assert_eq!(frame["start"], before["pose"]["nominal_from_scan"]);
        assert!(2 * iterations(frame) <= iterations(&frames[0]), "{} {}", iterations(frame), iterations(&frames[0]));
        let visited = |frame: &Value| frame["visited_first"].as_f64().unwrap();
        assert!(visited(frame) < 0.75 * visited(&frames[0]), "{} {}", visited(frame), visited(&frames[0]));
    }
    assert_eq!(frames[0]["started_from_matches"], false);
    let (apart_mm, angle_deg) = off(&value["alignment"]["nominal_from_scan"], 2.02);
    assert!(apart_mm < 0.5 && angle_deg < 1.0, "{apart_mm} {angle_deg}");
}

#[test]
fn a_cloud_is_a_nominal_of_best_fit_search_and_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let scan = file(folder.path(), "scan.ply", points(2000, 1.0, 1));
    let cloud: Vec<Point> = sampling::by_area(&part(), 6000, 9).iter().map(|sample| sample.point).collect();
    let pcd = folder.path().join("cloud.pcd");
    let mut lines = format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n\
         WIDTH {0}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {0}\nDATA ascii\n",
        cloud.len()
    );
    cloud.iter().for_each(|p| lines += &format!("{} {} {}\n", p.x, p.y, p.z));
    std::fs::write(&pcd, lines).unwrap();
    let truth = folder.path().join("truth.txt");
    std::fs::write(&truth, transform::pose_text(&pose(1.0))).unwrap();
    let others = ["cloud.ply", "cloud.xyz"].map(|name| file(folder.path(), name, cloud.clone()));
    for nominal in others.iter().chain([&pcd]) {
        let fitted = register(nominal, &scan, &["--align", "best-fit"]);
        let (apart_mm, angle_deg) = off(&fitted["alignment"]["nominal_from_scan"], 1.0);
        assert!(apart_mm < 0.3 && angle_deg < 0.5, "{}: {apart_mm} {angle_deg}", nominal.display());
        assert_eq!(numbers(&fitted["mse_history_mm2"]).len() as u64, fitted["iterations"].as_u64().unwrap());
        assert_eq!(numbers(&fitted["pose"]["quaternion_wxyz"]).len(), 4);
        let searched = register(nominal, &scan, &["--search", "walk-optimised"]);
        let (apart_mm, angle_deg) = off(&searched["alignment"]["nominal_from_scan"], 1.0);
        assert!(apart_mm < 0.5 && angle_deg < 1.0, "{}: {apart_mm} {angle_deg}", nominal.display());
        assert_eq!(searched["search"]["nominal_points"], 6000);
    }
    let compared = register(&pcd, &scan, &["--compare-searches"]);
    assert!(compared["searches"]["rows"].as_array().unwrap().len() >= 8);
}

#[test]
fn two_clouds_meet_from_any_pose() {
    let folder = tempfile::tempdir().unwrap();
    let cloud: Vec<Point> = sampling::by_area(&part(), 9000, 9).iter().map(|sample| sample.point).collect();
    let nominal = file(folder.path(), "cloud.ply", cloud);
    // Turned by 1 to 3 radians, and by half a turn.
    for turn in [2.0, 5.0] {
        let scan = file(folder.path(), "scan.ply", points(6000, turn, 1));
        let found = register(&nominal, &scan, &[]);
        let (apart_mm, angle_deg) = off(&found["alignment"]["nominal_from_scan"], turn);
        assert!(apart_mm < 0.5 && angle_deg < 0.5, "{turn}: {apart_mm} {angle_deg}");
        assert!(found["alignment"]["explained"]["fraction"].as_f64().unwrap() > 0.9, "{found}");
    }
    // A piece of something else is said to be that.
    let other = shapes::cuboid(Point::origin(), Point::new(60.0, 45.0, 30.0));
    let points = sampling::by_area(&other, 6000, 1).iter().map(|sample| sample.point).collect();
    let found = register(&nominal, &file(folder.path(), "scan.ply", points), &[]);
    assert!(found["alignment"]["remarks"].to_string().contains("another part"), "{found}");
}

#[test]
fn searches_are_compared_from_the_pose_that_is_given() {
    let folder = tempfile::tempdir().unwrap();
    // The same points on both sides: a start at the truth leaves nothing to do.
    let cloud: Vec<Point> = points(2000, 3.0, 1).iter().map(|point| pose(3.0) * point).collect();
    let nominal = file(folder.path(), "cloud.ply", cloud);
    let scan = file(folder.path(), "scan.ply", points(2000, 3.0, 1));
    let iterations = |turn: f64| {
        let start = folder.path().join("start.txt");
        std::fs::write(&start, transform::pose_text(&pose(turn))).unwrap();
        let value = register(&nominal, &scan, &["--compare-searches", "--pose", text(&start)]);
        value["searches"]["rows"][1]["iterations"].as_u64().unwrap()
    };
    let (near, far) = (iterations(3.0), iterations(2.0));
    assert!(near <= 3 && far > 5, "{near} {far}");
}

#[test]
fn what_is_printed_is_a_pose_file_with_the_rest_as_comments() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan) = (nominal(folder.path()), file(folder.path(), "scan.ply", points(2000, 1.0, 1)));
    let base = ["register", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "best-fit"];
    for more in [&[][..], &["--search", "k-d-tree"][..]] {
        let output = shadowgraph(&[&base[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        let found = transform::parse_pose(&printed).unwrap();
        let at = pose(1.0).inverse_transform_point(&Point::origin());
        assert!(transform::difference(&found, &pose(1.0), &at).0 < 0.5);
        for part in ["the inverse", "angles of Rx Ry Rz", "quaternion", "iterations;", "mean squared distance"] {
            assert!(printed.contains(part), "{part}: {printed}");
        }
    }
    for wrong in
        [&["--search", "k-d-tree", "--align", "none"][..], &["--search", "fastest"][..], &["--track", "b.ply"][..]]
    {
        let arguments = [&["register", "--nominal", text(&nominal), "--scan", text(&scan)][..], wrong].concat();
        assert_eq!(shadowgraph(&arguments).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_search_lands_as_one_step_that_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan) = (nominal(folder.path()), file(folder.path(), "scan.ply", points(2000, 1.0, 1)));
    let (mut dispatcher, silent) = (Dispatcher::new(context()), Progress::silent());
    dispatcher.run_now(Parts::OpenNominal { path: nominal.clone(), unit: None }, &silent).unwrap();
    let paths = vec![scan.clone()];
    dispatcher.run_now(Parts::OpenScans { paths, unit: None, columns: None }, &silent).unwrap();
    let parameters = Parameters { search: Search::Walk(Start::LeafThenPrevious), ..Parameters::default() };
    dispatcher.run_now(Align::BySearch(Box::new(parameters)), &silent).unwrap();
    let alignment = dispatcher.document.alignment().cloned().unwrap();
    let at = pose(1.0).inverse_transform_point(&Point::origin());
    assert!(transform::difference(&alignment.nominal_from_scan, &pose(1.0), &at).0 < 0.5);
    assert_eq!(dispatcher.history.undo_label(), Some("Register by search"));
    assert!(dispatcher.messages.iter().any(|message| message.text.contains("Registered by search")));

    let mut harness = open(vec![nominal, scan], None);
    settle(&mut harness);
    harness.get_by_label("Best fit options").click();
    harness.run_steps(30);
    harness.get_by_label("Register with this method").scroll_to_me();
    harness.run_steps(20);
    harness.get_by_label("Register with this method").click();
    settle(&mut harness);
    let found = |harness: &Harness<'static, App>| {
        harness.state().dispatcher().document.alignment().map(|alignment| alignment.nominal_from_scan)
    };
    assert_eq!(found(&harness), Some(alignment.nominal_from_scan));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(found(&harness), None);
}
