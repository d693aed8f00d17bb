//! Weighted total least squares of planes and of sets of parallel planes: command line, document, window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::base::{Progress, random::Random};
use shadowgraph::dispatch::{Command, Dispatcher, Features, Parts, Projects, Select};
use shadowgraph::geometry::{Cloud, Combine, Point, Subset, Vector};
use shadowgraph::inspect::features::Fit;
use shadowgraph::inspect::features::fits::weights::{Weighting, Weights};
use shadowgraph::inspect::features::recipe::FeatureRecipe;
use shadowgraph::io::write;
use shadowgraph::session::Document;
use shadowgraph::session::features::Measured;
use shadowgraph::session::selection::Selectable;

use super::support::{context, errors, shadowgraph, text};
use super::window::{open, settle, show_step};

/// A face of 60 x 40 mm at that height, in noise of 0.01 mm; every tenth point is 3 mm too high where it has a bump.
fn face(height_mm: f64, has_bump: bool, seed: u64) -> Vec<Point> {
    let mut random = Random::new(seed, 1);
    (0..1200)
        .map(|i| {
            let bump = if has_bump && i % 10 == 0 { 3.0 } else { 0.0 };
            let (x, y) = (random.range(-30.0, 30.0), random.range(-20.0, 20.0));
            Point::new(x, y, height_mm + bump + 0.01 * random.normal())
        })
        .collect()
}

/// Columns x, y, z, weight, keep; of bumps weight and keep are 0.
fn table(folder: &Path, name: &str, points: &[Point]) -> PathBuf {
    let path = folder.join(name);
    let mut lines = "x,y,z,weight,keep\n".to_owned();
    for (i, p) in points.iter().enumerate() {
        let keep = f64::from(i % 10 != 0);
        lines += &format!("{},{},{},{},{keep}\n", p.x, p.y, p.z, keep * (1.0 + (i % 7) as f64));
    }
    std::fs::write(&path, lines).unwrap();
    path
}

fn fit(arguments: &[&str]) -> Value {
    let output = shadowgraph(&[&["fit"][..], arguments, &["--json"][..]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(arguments: &[&str], code: i32, sentence: &str) {
    let output = shadowgraph(&[&["fit"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", errors(&output));
    assert!(errors(&output).contains(sentence), "{}", errors(&output));
}

fn height(value: &Value) -> f64 {
    value["point"][2].as_f64().unwrap()
}

#[test]
fn sets_of_parallel_planes_from_files_have_one_normal_and_distances_with_uncertainties() {
    let folder = tempfile::tempdir().unwrap();
    let [low, middle, high] = [(0.0, 1), (20.0, 2), (40.0, 3)]
        .map(|(height_mm, seed)| table(folder.path(), &format!("{seed}.csv"), &face(height_mm, false, seed)));
    let value = fit(&["parallel-planes", text(&low), text(&middle), text(&high)]);
    let set = &value["sets"][0]["fit"];
    assert!(set["normal"][2].as_f64().unwrap() > 0.999_999);
    let u = set["normal_uncertainty_rad"].as_f64().unwrap();
    assert!((1e-6..1e-4).contains(&u), "{u}");
    assert_eq!(set["planes"].as_array().unwrap().len(), 3);
    for (plane, height_mm) in set["planes"].as_array().unwrap().iter().zip([0.0, 20.0, 40.0]) {
        assert!((height(&plane["shape"]) - height_mm).abs() < 0.002, "{plane}");
        assert_eq!(plane["shape"]["normal"], set["normal"]);
        assert!((plane["rms_mm"].as_f64().unwrap() - 0.01).abs() < 0.001);
    }
    let distances = set["distances"].as_array().unwrap();
    assert_eq!(distances.len(), 3);
    for (distance, truth_mm) in distances.iter().zip([20.0, 40.0, 20.0]) {
        let (mm, u) = (distance["distance_mm"].as_f64().unwrap(), distance["uncertainty_mm"].as_f64().unwrap());
        assert!((mm - truth_mm).abs() < 3.0 * u && (2e-4..5e-3).contains(&u), "{distance}");
    }
    // Each set has a normal of its own.
    let turned: Vec<Point> = face(5.0, false, 4).iter().map(|p| Point::new(p.z, p.x, p.y)).collect();
    let turned = table(folder.path(), "4.csv", &turned);
    let sets = [format!("{},{}", text(&low), text(&high)), text(&turned).to_owned()];
    let value = fit(&["parallel-planes", "--set", &sets[0], "--set", &sets[1]]);
    assert_eq!(value["sets"].as_array().unwrap().len(), 2);
    assert!(value["sets"][1]["fit"]["normal"][0].as_f64().unwrap() > 0.999_999);
    let output = shadowgraph(&["fit", "plane-set", text(&low), text(&high)]);
    let printed = String::from_utf8(output.stdout).unwrap();
    for part in ["Normal", "± ", "Distance 1 to 2", "Centroid", "uniform"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn weights_masks_and_incidence_take_bumps_out_of_plane_and_set() {
    let folder = tempfile::tempdir().unwrap();
    let [low, high] = [(0.0, 1), (20.0, 2)]
        .map(|(height_mm, seed)| table(folder.path(), &format!("{seed}.csv"), &face(height_mm, true, seed)));
    let between = |value: &Value| value["sets"][0]["fit"]["distances"][0]["distance_mm"].as_f64().unwrap();
    let files = ["parallel-planes", text(&low), text(&high)];
    let with = |more: &[&str]| fit(&[&files[..], more].concat());
    let plain = with(&[]);
    let place = |value: &Value| height(&value["sets"][0]["fit"]["planes"][0]["shape"]);
    assert!((place(&plain) - 0.3).abs() < 0.02, "{}", place(&plain));
    for more in [
        &["--weights", "column", "--weight-column", "4"][..],
        &["--mask-column", "5"][..],
        &["--clip-sigmas", "5"][..],
        &["--weights", "column", "--weight-column", "4", "--mask-column", "5"][..],
    ] {
        let value = with(more);
        assert!(place(&value).abs() < 0.003 && (between(&value) - 20.0).abs() < 0.003, "{more:?}: {}", place(&value));
        let out = if more.contains(&"--clip-sigmas") {
            &value["sets"][0]["dropped"][0]
        } else {
            &value["sets"][0]["files"][0]["masked"]
        };
        assert_eq!(out.as_u64(), Some(120), "{more:?}");
        // The same points and weights in a plane alone.
        let plane = fit(&[&["plane", text(&low)][..], more].concat());
        assert!(height(&plane["fit"]["shape"]).abs() < 0.003, "{more:?}: {plane}");
    }
    // A chamfer beside the face, seen at 75 degrees from straight above.
    let mut points = face(0.0, false, 3);
    let mut random = Random::new(9, 9);
    points.extend((0..400).map(|_| {
        let (u, y) = (random.range(0.0, 3.0), random.range(-20.0, 20.0));
        Point::new(35.0 + u, y, -3.73 * u)
    }));
    let scan = folder.path().join("chamfer.ply");
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let above = ["--viewpoint-mm", "0,0,5000"];
    let masked = fit(&[&["plane", text(&scan), "--max-incidence-deg", "45"][..], &above[..]].concat());
    assert!((380..430).contains(&masked["masked"].as_u64().unwrap()), "{}", masked["masked"]);
    assert!(height(&masked["fit"]["shape"]).abs() < 0.05, "{masked}");
    let tilt = |value: &Value| {
        let normal: [f64; 3] = serde_json::from_value(value["fit"]["shape"]["normal"].clone()).unwrap();
        Vector::from(normal).cross(&Vector::z()).norm()
    };
    let (plain, by_incidence) = (
        fit(&["plane", text(&scan)]),
        fit(&[&["plane", text(&scan), "--weights", "incidence"][..], &above[..]].concat()),
    );
    assert!(tilt(&by_incidence) < 0.5 * tilt(&plain), "{} {}", tilt(&by_incidence), tilt(&plain));
    let by_area = fit(&["plane", text(&scan), "--weights", "area"]);
    assert_eq!(by_area["weights"], "by area");
    refused(&["plane", text(&scan), "--weights", "incidence"], 2, "sensor position");
    refused(&["plane", text(&low), "--weights", "column"], 3, "no weight column");
    refused(&["plane", text(&low), "--weights", "column", "--weight-column", "9"], 3, "column 9");
    refused(&["plane", text(&low), "--weight-column", "4"], 2, "--weights column");
    refused(&["plane", text(&low), text(&high)], 2, "one file of points");
    refused(&["parallel-planes", text(&low), "--robust"], 2, "--clip-sigmas");
    refused(&["sphere", text(&scan), "--mask-column", "4"], 2, "no numbered columns");
}

/// Two faces in one scan, each named.
fn scan(folder: &Path) -> PathBuf {
    let mut cloud = Cloud::from_points([face(0.0, true, 1), face(20.0, false, 2)].concat());
    cloud.intensity = (0..cloud.points.len()).map(|i| f32::from(u8::from(i >= 1200 || i % 10 != 0))).collect();
    let path = folder.join("faces.ply");
    write::cloud(&path, &cloud).unwrap();
    path
}

fn named(first: u32, name: &str) -> [Command; 2] {
    let points = Subset::new((first..first + 1200).collect());
    [
        Command::Select(Select::Numbers(Selectable::Points, points, Combine::Replace)),
        Command::Select(Select::Name(Selectable::Points, name.to_owned())),
    ]
}

#[test]
fn parallel_planes_land_as_one_step_and_come_back_with_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let (mut dispatcher, silent) = (Dispatcher::new(context()), Progress::silent());
    let mut send = |command| dispatcher.run_now(command, &silent);
    send(Parts::OpenScans { paths: vec![scan(folder.path())], unit: None, columns: None }.into()).unwrap();
    for command in named(0, "low").into_iter().chain(named(1200, "high")) {
        send(command).unwrap();
    }
    let planes = ["low", "high"].map(str::to_owned).to_vec();
    let weights = Weights { by: Weighting::Column, max_incidence_rad: None };
    send(Features::FitParallelPlanes { planes: planes.clone(), weights, clip_sigmas: None }.into()).unwrap();
    let twice = vec!["low".to_owned(), "low".to_owned()];
    let wrong =
        |planes: Vec<String>| Command::Features(Features::FitParallelPlanes { planes, weights, clip_sigmas: None });
    assert!(send(wrong(twice)).unwrap_err().sentence.contains("twice"));
    assert!(send(wrong(vec!["low".to_owned(), "lid".to_owned()])).unwrap_err().sentence.contains("“lid”"));
    assert!(send(wrong(vec!["low".to_owned()])).unwrap_err().sentence.contains("two"));
    let project = folder.path().join("planes.shadowgraph");
    send(Projects::Save(project.clone()).into()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["low", "high"]);
    let features = fits(&dispatcher.document);
    let normal = |k: usize| features[k].1.shape.direction().unwrap();
    assert_eq!(normal(0), normal(1));
    let heights = [0, 1].map(|k: usize| features[k].1.shape.position().z);
    assert!(heights[0].abs() < 0.002 && (heights[1] - 20.0).abs() < 0.002, "{heights:?}");
    assert_eq!((features[0].1.used, features[0].1.residuals_mm.len()), (1080, 1200));
    assert_eq!(dispatcher.history.undo_label(), Some("Fit parallel planes"));
    let note = dispatcher.messages.iter().find(|message| message.text.contains("2 parallel planes"));
    assert!(note.is_some_and(|note| note.text.contains("apart")), "{:?}", dispatcher.messages);

    let mut again = Dispatcher::new(context());
    again.run_now(Projects::Open(project), &silent).unwrap();
    for ((recipe, before), (recipe_after, after)) in features.iter().zip(&fits(&again.document)) {
        assert_eq!(recipe, recipe_after);
        assert!((before.shape.position() - after.shape.position()).norm() < 1e-9);
        assert!((before.shape.direction().unwrap() - after.shape.direction().unwrap()).norm() < 1e-9);
        assert!((before.uncertainty.direction_rad / after.uncertainty.direction_rad - 1.0).abs() < 1e-3);
    }
    assert_eq!(again.document.features().len(), 2, "{:?}", again.messages);
}

fn fits(document: &Document) -> Vec<(FeatureRecipe, Arc<Fit>)> {
    let own = |own: &Measured<'_, FeatureRecipe>| (own.recipe.clone(), Arc::clone(own.made.unwrap().fit().unwrap()));
    document.features().iter().map(own).collect()
}

#[test]
fn parallel_planes_are_fitted_by_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(vec![scan(folder.path())], None);
    settle(&mut harness);
    harness.get_by_label("Features").click();
    harness.run_steps(3);
    for command in named(0, "low").into_iter().chain(named(1200, "high")) {
        harness.state_mut().send(command);
        settle(&mut harness);
    }
    show_step(&mut harness, "2: Fit");
    press(&mut harness, "Parallel planes");
    harness.run_steps(30);
    press(&mut harness, "low");
    press(&mut harness, "high");
    press(&mut harness, "Weights");
    press(&mut harness, "by file column");
    harness.run_steps(10);
    press(&mut harness, "Fit parallel planes");
    let features = |harness: &Harness<'static, App>| fits(&harness.state().dispatcher().document);
    let fitted = features(&harness);
    assert_eq!(fitted.len(), 2, "{:?}", harness.state().dispatcher().messages);
    assert!(fitted[0].1.shape.position().z.abs() < 0.002 && fitted[0].0.fitting.weights.by == Weighting::Column);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(features(&harness).is_empty());
}

fn press(harness: &mut Harness<'static, App>, name: &str) {
    harness.get_by_label(name).scroll_to_me();
    harness.run_steps(20);
    harness.get_by_label(name).click();
    settle(harness);
}
