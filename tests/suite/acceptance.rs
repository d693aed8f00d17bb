//! The acceptance of a sensor by scans of a ball bar and of flats, on files and in the window.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::Command;
use shadowgraph::geometry::{Cloud, Point, Vector};
use shadowgraph::inspect::acceptance::{AcceptanceTest, Characteristic, Limit, Settings, Verdict};
use shadowgraph::io::write;

use super::calibration_at_work::press;
use super::support::{errors, shadowgraph, text};
use super::window::{open, save_picture, settle, show_step};

/// A ball bar as a sensor at the origin sees it: its balls too large and too far apart by known amounts.
fn bar(path: &Path, turn_rad: f64, balls: usize) {
    let mut random = Random::new(5, (100.0 * turn_rad) as u64);
    let middle = Point::new(20.0, -10.0, 900.0);
    let along = Vector::new(turn_rad.cos(), turn_rad.sin(), 0.1).normalize();
    let mut points = Vec::new();
    for side in [-1.0, 1.0].into_iter().take(balls) {
        let centre = middle + along * (side * 0.5 * 150.03);
        let towards = -centre.coords.normalize();
        while points.len() % 4000 < 3999 {
            let draw = Vector::new(random.normal(), random.normal(), random.normal()).normalize();
            if draw.dot(&towards) > 0.4 {
                points.push(centre + draw * (15.02 + 0.005 * random.normal()));
            }
        }
        points.push(centre + towards * 15.02);
    }
    write::cloud(path, &Cloud::from_points(points)).unwrap();
}

#[test]
fn a_sensor_is_judged_by_scans_of_a_ball_bar() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (first, second, half, out) = (at("p1.ply"), at("p2.ply"), at("half.ply"), at("acceptance.json"));
    bar(&first, 0.0, 2);
    bar(&second, 0.9, 2);
    bar(&half, 0.0, 1);
    let run = |scans: &[&PathBuf], more: &[&str]| {
        let mut arguments = vec!["accept", "--bar"];
        arguments.extend(scans.iter().map(|path| text(path)));
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    let usual = ["--sphere-radius-mm", "15", "--bar-length-mm", "150", "--json", "--fail-on-out-of-tolerance"];
    let with = |limits: &'static str| [&usual[..], &["--limits", limits, "--out", text(&out)]].concat();
    let output = run(&[&first, &second], &with("sphere_spacing=0.02:0.001,probing-form=0.1"));
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let acceptance = &record["acceptance"];
    assert_eq!(acceptance["verdict"], "does_not_conform");
    for bar in acceptance["results"]["bars"].as_array().unwrap() {
        assert!((bar["error_mm"].as_f64().unwrap() - 0.03).abs() < 0.005, "{bar:#}");
    }
    let spheres = acceptance["results"]["spheres"].as_array().unwrap();
    assert_eq!(spheres.len(), 4);
    for sphere in spheres {
        assert!((sphere["size_error_mm"].as_f64().unwrap() - 0.04).abs() < 0.006, "{sphere:#}");
        assert!((sphere["form_sigma_mm"].as_f64().unwrap() - 0.005).abs() < 0.001, "{sphere:#}");
    }
    assert_eq!(record["scans"].as_array().unwrap().len(), 2);
    // Wide limits in too few positions prove nothing, and that is said.
    let output = run(&[&first], &with("sphere_spacing=0.2"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["acceptance"]["verdict"], "undecided");
    assert!(record["acceptance"]["notes"][0].as_str().unwrap().contains("1 positions; 7"), "{record:#}");
    let output = run(&[&first], &["--sphere-radius-mm", "15", "--bar-length-mm", "150"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("sphere-spacing error"), "{output:?}");
    // What cannot be judged.
    let refused = |output: std::process::Output, code: i32, says: &str| {
        assert!(output.status.code() == Some(code) && errors(&output).contains(says), "{}", errors(&output));
    };
    refused(run(&[&half], &usual), 3, "half.ply: Only one sphere");
    refused(run(&[&first], &["--sphere-radius-mm", "15"]), 2, "--bar-length-mm");
    refused(run(&[&first], &with("roundness=0.1")), 2, "“roundness” is not a characteristic");
    refused(run(&[&first], &with("sphere_spacing=-1")), 2, "limit above 0");
    refused(shadowgraph(&["accept"]), 2, "--bar");
}

#[test]
fn a_sensor_is_judged_by_flats_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(31, 7);
    let planes: Vec<std::path::PathBuf> = (0..3).map(|i| folder.path().join(format!("flat{i}.ply"))).collect();
    for path in &planes {
        // Bent by 0.06 mm from the middle to the corners, with little noise.
        let place = |i: u32, random: &mut Random| {
            let (x, y) = (f64::from(i % 120) / 60.0 - 1.0, f64::from(i / 120) / 60.0 - 1.0);
            let bend = 0.03 * (x * x + y * y);
            Point::new(60.0 * x, 60.0 * y, 300.0 + bend + 0.001 * random.normal())
        };
        let points = (0..14_400).map(|i| place(i, &mut random)).collect();
        shadowgraph::io::write::cloud(path, &Cloud::from_points(points)).unwrap();
    }
    let mut harness = open(Vec::new(), None);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    show_step(&mut harness, "5: Verification");
    press(&mut harness, "Sensor acceptance test");
    harness.run_steps(30);
    let limit = Limit { mpe_mm: 0.05, test_sigma_mm: 0.001 };
    let accept = AcceptanceTest {
        bars: Vec::new(),
        planes,
        unit: None,
        sphere_radius_mm: 0.0,
        bar_length_mm: 0.0,
        within_mm: 0.1,
        settings: Settings::default(),
        limits: [(Characteristic::Flatness, limit)].into_iter().collect(),
    };
    harness.state_mut().send(Command::Accept(Box::new(accept)));
    settle(&mut harness);
    let acceptance = harness.state().dispatcher().document.acceptance.clone().unwrap();
    assert_eq!(acceptance.verdict, Some(Verdict::DoesNotConform));
    let flatness = &acceptance.figures[0];
    assert!((flatness.worst_mm - 0.06).abs() < 0.01, "{flatness:?}");
    // As the section says it.
    let shown = format!("{:+.4} mm", flatness.worst_mm);
    assert!(harness.query_all_by_label(&shown).next().is_some(), "{shown}");
    harness.get_by_label("Add flat scan…").scroll_to_me();
    save_picture(&mut harness, "flats");
}
