//! A drawing's tolerances: from the command line on a part whose errors are known, and by mouse in the window.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::base::{Progress, random::Random};
use shadowgraph::dispatch::{Command, Dispatcher, Elements, Features, Inspect, Parts, Projects, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Mesh, Point, mesh::shapes};
use shadowgraph::inspect::features::constructions::Construction;
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::tolerances::{Characteristic, Plan, Verdict};
use shadowgraph::io::write;
use shadowgraph::session::selection::Selectable;

use super::many_parts::type_into;
use super::support::{context, errors, shadowgraph, text};
use super::window::{open, save_picture, settle, show_step};

/// A block of 60 x 40 x 20 mm with a bore of 10.02 mm that stands 0.03 mm off its place, a lid that waves by 0.02 mm,
/// and a wall that leans by 0.04 mm over its height.
fn block() -> String {
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    let mut add = |name: &str, x: f64, y: f64, z: f64| rows.push_str(&format!("{name},{x},{y},{z}\n"));
    for i in 0..12 {
        for j in 0..8 {
            let (u, v) = (f64::from(i) * 5.0, f64::from(j) * 5.0);
            let (across, up) = (f64::from(i) * 3.5, f64::from(j) * 20.0 / 7.0);
            add("bottom", u, v, 0.0);
            add("lid", u, v, 20.0 + if (i + j) % 2 == 0 { 0.01 } else { -0.01 });
            add("side", 0.0, across, up);
            add("front", u, 0.0, up);
            add("wall", 60.0 + 0.002 * up, across, up);
        }
    }
    for i in 0..18 {
        for j in 0..8 {
            let (sin, cos) = (f64::from(i) * 20.0_f64.to_radians()).sin_cos();
            add("bore", 30.03 + 5.01 * cos, 20.0 + 5.01 * sin, f64::from(j) * 20.0 / 7.0);
        }
    }
    rows
}

const PLAN: &str = r#"{
    "datums": { "A": "bottom", "B": "side", "C": "front" },
    "nominals": {
        "bottom": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] } },
        "side": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [1, 0, 0] } },
        "front": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [0, 1, 0] } },
        "bore": { "shape": { "kind": "cylinder", "point": [30, 20, 0], "axis": [0, 0, 1], "radius": 5 } }
    },
    "tolerances": [
        { "feature": "bore", "characteristic": "size", "lower_mm": 9.95, "upper_mm": 10.05 },
        { "feature": "lid", "characteristic": "flatness", "limit_mm": 0.03 },
        { "feature": "wall", "characteristic": "perpendicularity", "limit_mm": 0.05, "datums": ["A"] },
        { "name": "Place of the bore", "feature": "bore", "characteristic": "position", "limit_mm": 0.05,
          "datums": ["A", "B", "C"] }
    ]
}"#;

struct Files {
    folder: tempfile::TempDir,
    features: PathBuf,
    plan: PathBuf,
}

fn files() -> Files {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("touched.csv"), folder.path().join("plan.json"));
    std::fs::write(&features, block()).unwrap();
    std::fs::write(&plan, PLAN).unwrap();
    Files { folder, features, plan }
}

/// Judges with `more` arguments beside the two files.
fn judge(features: &Path, plan: &Path, more: &[&str]) -> std::process::Output {
    let mut arguments = vec!["tolerances", "--features", text(features), "--plan", text(plan)];
    arguments.extend(more);
    shadowgraph(&arguments)
}

const KINDS: [&str; 4] = ["--fit", "wall=plane", "--fit", "lid=plane"];

fn kinds_and<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&KINDS[..], more].concat()
}

#[test]
fn known_errors_of_a_block_are_judged_by_the_command_line() {
    let Files { folder, features, plan } = files();
    let output = judge(&features, &plan, &kinds_and(&["--json"]));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["schema"], "shadowgraph.tolerances/1");
    let rows = answer["tolerances"].as_array().unwrap();
    let expected = [(10.02, "in"), (0.02, "in"), (0.04, "in"), (0.06, "out")];
    assert_eq!(rows.len(), expected.len());
    for (row, (measured, verdict)) in rows.iter().zip(expected) {
        let own = row["judged"]["measured_mm"].as_f64().unwrap_or_else(|| panic!("{row:#}"));
        assert!((own - measured).abs() < 1e-7, "{own} {row:#}");
        assert_eq!(row["judged"]["verdict"], verdict, "{row:#}");
        assert!(row["judged"]["how"].as_str().unwrap().contains("ISO 1"), "{row:#}");
        assert!(row["judged"]["reading"].as_str().unwrap().contains("our reading of ISO"), "{row:#}");
    }
    // The size and the place follow from fits, whose uncertainty is known.
    assert_eq!(rows[0]["words"], "conforms");
    assert_eq!(rows[3]["words"], "does not conform");
    assert_eq!(answer["features"].as_array().unwrap().len(), 6);

    let table = judge(&features, &plan, &KINDS);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("Tolerance “Place of the bore”") && table.contains("0.0600"), "{table}");
    assert!(table.contains("9.9500 to 10.0500 mm") && table.contains("Flatness of “lid”"), "{table}");
    // Which reading of the standards each is judged by stands below the table.
    let reading = "Size of “bore”: Size of the least-squares feature (our reading of ISO 14405-1, GG).";
    assert!(table.contains(reading), "{table}");

    let strict = judge(&features, &plan, &kinds_and(&["--fail-on-out-of-tolerance"]));
    assert_eq!(strict.status.code(), Some(4), "{}", errors(&strict));
    let wide = folder.path().join("wide.json");
    std::fs::write(&wide, PLAN.replace(r#""position", "limit_mm": 0.05"#, r#""position", "limit_mm": 0.07"#)).unwrap();
    let passed = judge(&features, &wide, &kinds_and(&["--fail-on-out-of-tolerance"]));
    assert_eq!(passed.status.code(), Some(0), "{}", errors(&passed));
}

/// A ring of 4000 points with 50 lobes of ±0.01 mm and 12 outliers: the filter leaves half of the lobes, by the plan and
/// by the command line, and without it all is as measured.
#[test]
fn roundness_is_judged_after_a_stated_filter() {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("ring.csv"), folder.path().join("plan.json"));
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    for i in 0..4000 {
        let angle = f64::from(i) * std::f64::consts::TAU / 4000.0;
        let radius = 20.0 + 0.01 * (50.0 * angle).cos() + if i % 333 == 100 { 0.5 } else { 0.0 };
        rows.push_str(&format!("ring,{},{},0\n", radius * angle.cos(), radius * angle.sin()));
    }
    std::fs::write(&features, rows).unwrap();
    let steps = "after a Gaussian filter (ISO 16610-21) of 50 UPR; 12 of 4000 points removed as outliers";
    let judged = |stated: &str, more: &[&str]| -> Value {
        let tolerance = format!(r#"{{"feature":"ring","characteristic":"circularity","limit_mm":0.015{stated}}}"#);
        std::fs::write(&plan, format!(r#"{{"tolerances":[{tolerance}]}}"#)).unwrap();
        let output = judge(&features, &plan, &[&["--fit", "ring=circle", "--json"][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["tolerances"][0].clone()
    };
    let in_plan = judged(r#","filter_upr":50,"outlier_sigmas":6"#, &[]);
    let by_options = judged("", &["--filter-upr", "50", "--outlier-sigmas", "6"]);
    for row in [&in_plan, &by_options] {
        let measured = row["judged"]["measured_mm"].as_f64().unwrap();
        // The least-squares circle is that of all points, outliers too.
        assert!((measured - 0.01).abs() < 1e-3 && row["judged"]["verdict"] == "in", "{row:#}");
        assert!(row["judged"]["preparation"].as_str().unwrap().starts_with(steps), "{row:#}");
        assert!(row["judged"]["how"].as_str().unwrap().contains(steps), "{row:#}");
        assert_eq!(row["tolerance"]["filter_upr"], 50.0);
    }
    // What the plan states counts more than the option.
    assert_eq!(judged(r#","filter_upr":15"#, &["--filter-upr", "50"])["tolerance"]["filter_upr"], 15.0);
    let plain = judged("", &[]);
    assert!(plain["judged"]["measured_mm"].as_f64().unwrap() > 0.5 && plain["judged"].get("preparation").is_none());
    assert!(plain["tolerance"].get("filter_upr").is_none() && plain["tolerance"].get("outlier_sigmas").is_none());
    let said = judge(&features, &plan, &["--fit", "ring=circle", "--filter-upr", "50"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("Circularity of “ring”: After a Gaussian filter (ISO 16610-21) of 50 UPR."), "{said}");
}

#[test]
fn a_size_by_its_fit_is_judged_by_the_limits_of_the_fit() {
    let Files { folder, features, plan: _ } = files();
    let limits = r#""lower_mm": 9.95, "upper_mm": 10.05"#;
    let with = |fit: &str| {
        let plan = folder.path().join("fit.json");
        assert!(PLAN.contains(limits));
        std::fs::write(&plan, PLAN.replace(limits, &format!(r#""fit": "{fit}""#))).unwrap();
        judge(&features, &plan, &kinds_and(&["--json"]))
    };
    // The bore of 10.02 mm is too large for H7, 10 to 10.015 mm, and not for H9, to 10.036 mm; its nominal is 10 mm.
    for (fit, upper, verdict) in [("H7", 10.015, "out"), ("10 H9", 10.036, "in")] {
        let output = with(fit);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)));
        let row = &answer["tolerances"][0];
        assert_eq!(row["judged"]["limit_mm"], upper, "{row:#}");
        assert_eq!(row["judged"]["verdict"], verdict, "{row:#}");
        let class = if fit.starts_with("10") { fit.to_owned() } else { format!("10 {fit}") };
        assert_eq!(row["tolerance"]["fit"], class);
        assert!(row["judged"]["how"].as_str().unwrap().contains(&format!("limits of “{class}” (ISO 286)")), "{row:#}");
    }
    let refused = with("10 j6");
    assert_ne!(refused.status.code(), Some(0));
    assert!(errors(&refused).contains("deviations of “j6” are not known here"), "{}", errors(&refused));
}

/// The drawing of the block as a mesh: its faces, and the wall of its bore.
fn drawn_block(folder: &Path) -> PathBuf {
    let mut mesh = shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 20.0));
    let mut wall = Mesh::default();
    for i in 0..36 {
        let corner = |i: i32, z: f64| {
            let (sin, cos) = (f64::from(i) * 10.0_f64.to_radians()).sin_cos();
            Point::new(30.0 + 5.0 * cos, 20.0 + 5.0 * sin, z)
        };
        let first = wall.vertices.len() as u32;
        wall.vertices.extend([corner(i, 0.0), corner(i, 20.0), corner(i + 1, 20.0), corner(i + 1, 0.0)]);
        wall.facets.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh.append(&wall);
    let path = folder.join("block.stl");
    write::mesh(&path, &mesh).unwrap();
    path
}

/// What the features should be, told by faces of the drawing instead of by numbers.
#[test]
fn faces_of_the_nominal_tell_true_places() {
    let Files { folder, features, .. } = files();
    let (plan, drawn) = (folder.path().join("bare.json"), drawn_block(folder.path()));
    let mut bare: Value = serde_json::from_str(PLAN).unwrap();
    bare.as_object_mut().unwrap().remove("nominals");
    std::fs::write(&plan, bare.to_string()).unwrap();
    let kinds = ["bottom=plane", "side=plane", "front=plane", "bore=cylinder"].map(|kind| ["--fit", kind]).concat();
    let kinds = kinds_and(&kinds);
    let missing = judge(&features, &plan, &kinds);
    assert!(missing.status.code() == Some(3) && errors(&missing).contains("it has no nominal"));
    let faces =
        ["bottom=30,5,0", "side=0,20,10", "front=30,0,10", "bore=35,20,10"].map(|face| ["--face", face]).concat();
    let told = [&kinds[..], &["--nominal", text(&drawn), "--json"], &faces].concat();
    let output = judge(&features, &plan, &told);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let off = answer["tolerances"][3]["judged"]["measured_mm"].as_f64().unwrap();
    assert!((off - 0.06).abs() < 1e-5, "{answer:#}");
    // The face of another kind, an unknown feature, and a face without a nominal are sentences.
    let wrong = [&kinds[..], &["--nominal", text(&drawn), "--face", "bore=30,5,0"]].concat();
    let wrong = judge(&features, &plan, &wrong);
    assert!(wrong.status.code() == Some(3) && errors(&wrong).contains("“bore”"), "{}", errors(&wrong));
    let strange = [&kinds[..], &["--nominal", text(&drawn), "--face", "lug=30,5,0"]].concat();
    assert!(errors(&judge(&features, &plan, &strange)).contains("no feature “lug”"));
    assert_eq!(judge(&features, &plan, &["--face", "bore=30,5,0"]).status.code(), Some(2));
}

#[test]
fn unusable_features_and_plans_are_sentences() {
    let Files { folder, features, plan } = files();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let says = |output: &std::process::Output, code: i32, words: &str| {
        assert!(errors(output).contains(words), "{}", errors(output));
        assert_eq!(output.status.code(), Some(code), "{}", errors(output));
    };
    says(&judge(&features, Path::new("no-such.json"), &KINDS), 3, "no-such.json");
    says(&judge(Path::new("no-such.csv"), &plan, &KINDS), 3, "no-such.csv");
    says(&judge(&features, &file("broken.json", "{ \"tolerances\": ["), &KINDS), 3, "The tolerances cannot be read");
    says(&judge(&features, &plan, &["--fit", "lid=plane"]), 2, "The kind of feature “wall” is not known");
    says(&judge(&features, &plan, &["--fit", "rib=plane"]), 2, "--fit names “rib”");
    assert_eq!(judge(&features, &plan, &["--fit", "wall=blob"]).status.code(), Some(2));
    assert_eq!(judge(&features, &plan, &["--fit", "wall"]).status.code(), Some(2));
    let bad = file("bad.csv", "bottom,1,2,3\nbottom,1,two,3\n");
    says(&judge(&bad, &plan, &[]), 3, "line 2");
    let few = file("few.csv", "bore,1,0,0\nbore,0,1,0\nbore,-1,0,0\n");
    says(&judge(&few, &plan, &[]), 3, "“bore”: A cylinder needs at least 5 points");
    let empty = file("empty.json", r#"{ "tolerances": [] }"#);
    says(&judge(&features, &empty, &KINDS), 2, "Add a tolerance first");
    // What cannot be judged does not keep the others from it.
    let missing = PLAN.replace(r#""feature": "lid", "characteristic""#, r#""feature": "rib", "characteristic""#);
    let output = judge(&features, &file("missing.json", &missing), &KINDS);
    says(&output, 3, "There is no feature “rib”");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("not judged") && table.contains("10.0200"), "{table}");
}

const COLUMNS: u32 = 40;
const PATCH: u32 = COLUMNS * COLUMNS;

/// Three noisy faces of a corner, one after the other: z = 0, x = 0 leaning by 0.08 mm over 20 mm, and y = 0.
fn corner(folder: &Path) -> PathBuf {
    let mut random = Random::new(7, 7);
    let mut points = Vec::new();
    for face in 0..3 {
        for number in 0..PATCH {
            let (u, v) = (f64::from(number % COLUMNS) * 20.0 / 39.0, f64::from(number / COLUMNS) * 20.0 / 39.0);
            let off = 0.0005 * random.normal();
            points.push(match face {
                0 => Point::new(u, v, off),
                1 => Point::new(0.004 * v + off, u, v),
                _ => Point::new(u, off, v),
            });
        }
    }
    let path = folder.join("corner.ply");
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

fn face(number: u32) -> Command {
    Command::Select(Select::Numbers(
        Selectable::Points,
        Subset::new((number * PATCH..(number + 1) * PATCH).collect()),
        Combine::Replace,
    ))
}

fn plane() -> Command {
    Command::Features(Features::Fit {
        kind: Kind::Plane,
        objective: Objective::Gaussian,
        robust: false,
        clip_sigmas: None,
    })
}

/// Scrolls a widget of the panel into view.
fn show(harness: &mut Harness<'static, App>, name: &str) {
    harness.get_by_label(name).scroll_to_me();
    harness.run_steps(20);
}

fn press(harness: &mut Harness<'static, App>, name: &str) {
    show(harness, name);
    harness.get_by_label(name).click();
    settle(harness);
}

/// Opens the list of choices of that name and takes one.
fn choose(harness: &mut Harness<'static, App>, name: &str, choice: &str) {
    press(harness, name);
    show(harness, choice);
    harness.get_by_label(choice).click();
    settle(harness);
    harness.run_steps(10);
}

#[test]
fn a_corner_is_constructed_and_toleranced_by_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(vec![corner(folder.path())], None);
    settle(&mut harness);
    harness.get_by_label("Features").click();
    harness.run_steps(3);
    show_step(&mut harness, "2: Fit");
    for number in 0..3 {
        harness.state_mut().send(face(number));
        settle(&mut harness);
        press(&mut harness, "Plane");
    }
    let document = |harness: &Harness<'static, App>| harness.state().dispatcher().document.clone();
    assert_eq!(document(&harness).element_names(), ["Plane 1", "Plane 2", "Plane 3"]);

    show_step(&mut harness, "3: Construct");
    choose(&mut harness, "Element 1", "Plane 1");
    choose(&mut harness, "Element 2", "Plane 2");
    press(&mut harness, "Construct element");
    let made = document(&harness);
    assert_eq!(made.constructions().len(), 1, "{:?}", harness.state().dispatcher().messages);
    let edge = made.element("Intersection 1").unwrap();
    // The floor and the leaning wall meet along y.
    assert!(edge.direction().unwrap().y.abs() > 0.9999 && edge.position().x.abs() < 0.01, "{edge:?}");

    show_step(&mut harness, "4: Measure");
    choose(&mut harness, "From", "Plane 1");
    choose(&mut harness, "To", "Plane 3");
    assert!(harness.query_all_by_label_contains("of the second plane's centroid").next().is_some());

    press(&mut harness, "Add distance");
    let kept = document(&harness);
    let distance = kept.plan.by_name("Distance 1").expect("an element");
    let figure = &kept.stage().results.made(distance.id).unwrap().figures[0];
    assert!(figure.value > 1.0 && figure.upper.is_none(), "{figure:?}");
    press(&mut harness, "max.");
    let limited = document(&harness);
    let figure = limited.stage().results.made(distance.id).unwrap().figures[0].clone();
    assert!(figure.upper.is_some_and(|upper| (upper - figure.value).abs() < 1e-3), "{figure:?}");

    show_step(&mut harness, "5: Tolerances");
    choose(&mut harness, "Datum A", "Plane 1");
    press(&mut harness, "Add tolerance");
    choose(&mut harness, "Characteristic 1", "Perpendicularity");
    choose(&mut harness, "Feature of tolerance 1", "Plane 2");
    let plan = document(&harness).asked();
    assert_eq!(plan.datums["A"], "Plane 1");
    assert_eq!(
        (plan.tolerances[0].feature.as_str(), plan.tolerances[0].datums.as_slice()),
        ("Plane 2", &["A".into()][..])
    );
    press(&mut harness, "Evaluate tolerances");
    let judged =
        |harness: &Harness<'static, App>| document(harness).judgement().map(|judgement| judgement[0].clone().unwrap());
    let first = judged(&harness).unwrap_or_else(|| panic!("{:?}", harness.state().dispatcher().messages));
    // The lean, and some noise beyond it on both sides.
    assert!((0.078..0.09).contains(&first.measured_mm) && first.verdict == Verdict::In, "{first:?}");
    show(&mut harness, "in tolerance");
    assert!(harness.query_all_by_label_contains("our reading of ISO 1101").next().is_some());
    save_picture(&mut harness, "tolerances");

    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(judged(&harness).is_none() && harness.query_by_label("in tolerance").is_none());
    harness.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(judged(&harness), Some(first.clone()));

    let project = folder.path().join("corner.shadowgraph");
    for command in [
        Command::Projects(Projects::Save(project.clone())),
        Command::Projects(Projects::New),
        Command::Projects(Projects::Open(project)),
    ] {
        harness.state_mut().send(command);
        settle(&mut harness);
    }
    let again = document(&harness);
    assert_eq!(again.constructions()[0].recipe, made.constructions()[0].recipe);
    assert_eq!((again.asked(), judged(&harness)), (plan, Some(first)));

    // What was made from a feature goes with it, in one step.
    let second = again.feature_id("Plane 2").unwrap();
    harness.state_mut().send(Elements::Remove(second));
    settle(&mut harness);
    let without = document(&harness);
    assert!(without.constructions().is_empty() && without.judgement().is_none());
    let messages = &harness.state().dispatcher().messages;
    assert!(messages.iter().any(|message| message.text.contains("“Intersection 1” was removed")), "{messages:?}");
    harness.state_mut().send(Command::Undo);
    settle(&mut harness);
    let back = document(&harness);
    assert!(back.constructions().len() == 1 && back.judgement().is_some());
}

#[test]
fn filters_and_fits_are_stated_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(vec![corner(folder.path())], None);
    settle(&mut harness);
    harness.get_by_label("Features").click();
    harness.run_steps(3);
    harness.state_mut().send(face(0));
    settle(&mut harness);
    show_step(&mut harness, "2: Fit");
    press(&mut harness, "Plane");
    show_step(&mut harness, "5: Tolerances");
    press(&mut harness, "Add tolerance");
    press(&mut harness, "Remove outliers of tolerance 1");
    press(&mut harness, "Gaussian filter of tolerance 1");
    press(&mut harness, "0.8");
    let asked = |harness: &Harness<'static, App>| {
        let plan = harness.state().dispatcher().document.asked();
        plan.tolerances.into_iter().next().unwrap()
    };
    let stated = asked(&harness);
    assert_eq!((stated.filter_mm, stated.filter_upr, stated.outlier_sigmas), (Some(0.8), None, Some(4.0)));
    press(&mut harness, "Evaluate tolerances");
    let judged = harness.state().dispatcher().document.judgement().unwrap()[0].clone().unwrap();
    let steps = "after a Gaussian filter (ISO 16610-61) of nesting index 0.8 mm; 0 of 1598 points removed as outliers";
    assert!(judged.preparation.starts_with(steps), "{judged:?}");
    assert!(harness.query_all_by_label_contains("of 1598 points removed as outliers").next().is_some());

    let size = r#"{"tolerances":[{"feature":"Plane 1","characteristic":"size","limit_mm":1}]}"#;
    harness.state_mut().send(Tolerances::Set(Box::new(Plan::from_json(size).unwrap())));
    settle(&mut harness);
    show(&mut harness, "Tolerance class of tolerance 1");
    type_into(&mut harness, "Tolerance class of tolerance 1", "40 n6");
    assert!(harness.query_by_label_contains("+0.017 and +0.033 mm from the nominal size").is_some());
    harness.key_press(egui::Key::Enter);
    settle(&mut harness);
    let stated = asked(&harness);
    assert_eq!((stated.fit.as_deref(), stated.limit_mm), (Some("40 n6"), 40.033));
    assert_eq!(stated.characteristic, Characteristic::Size { lower_mm: Some(40.017) });
}

#[test]
fn names_stay_apart_plans_are_files_and_old_projects_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent());
    let opened = Command::Parts(Parts::OpenScans { paths: vec![corner(folder.path())], unit: None, columns: None });
    send(&mut dispatcher, opened).unwrap();
    for number in 0..3 {
        send(&mut dispatcher, face(number)).unwrap();
        send(&mut dispatcher, plane()).unwrap();
    }
    // The first goes; a fourth must not take the name of one that stayed.
    let first = dispatcher.document.feature_id("Plane 1").unwrap();
    send(&mut dispatcher, Elements::Remove(first).into()).unwrap();
    send(&mut dispatcher, plane()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 2", "Plane 3", "Plane 4"]);
    let construct = |construction, sources: &[&str]| {
        Command::Tolerances(Tolerances::Construct {
            construction,
            sources: sources.iter().map(|name| (*name).to_owned()).collect(),
        })
    };
    let parallel = send(&mut dispatcher, construct(Construction::Intersection, &["Plane 3", "Plane 4"])).unwrap_err();
    assert!(parallel.sentence.contains("Intersection"), "{parallel}");
    let missing = send(&mut dispatcher, construct(Construction::Middle, &["Plane 1", "Plane 2"])).unwrap_err();
    assert!(missing.sentence.contains("no feature “Plane 1”"), "{missing}");
    // Of one made from another, both go with their source.
    send(&mut dispatcher, construct(Construction::OffsetPlane { offset_mm: 5.0 }, &["Plane 3"])).unwrap();
    send(&mut dispatcher, construct(Construction::Intersection, &["Plane 2", "Offset plane 1"])).unwrap();
    let (plan, list) = (folder.path().join("plan.json"), folder.path().join("list.json"));
    std::fs::write(&plan, PLAN).unwrap();
    send(&mut dispatcher, Tolerances::Open(plan).into()).unwrap();
    send(&mut dispatcher, Tolerances::Save(list.clone()).into()).unwrap();
    let before = dispatcher.document.asked();
    send(&mut dispatcher, Tolerances::Set(Box::default()).into()).unwrap();
    send(&mut dispatcher, Tolerances::Open(list).into()).unwrap();
    assert_eq!(dispatcher.document.asked(), before);

    let project = folder.path().join("part.shadowgraph");
    send(&mut dispatcher, Projects::Save(project.clone()).into()).unwrap();
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(&project).unwrap()).unwrap();
    let elements = kept["plan"].as_array_mut().unwrap();
    assert!(elements.iter().any(|own| own["recipe"]["construction"] == "intersection"));
    elements.retain(|own| own["recipe"]["type"] == "feature" || own["recipe"]["type"] == "scan");
    std::fs::write(&project, kept.to_string()).unwrap();
    let third = dispatcher.document.feature_id("Plane 3").unwrap();
    send(&mut dispatcher, Elements::Remove(third).into()).unwrap();
    assert!(dispatcher.document.constructions().is_empty());
    send(&mut dispatcher, Projects::Open(project).into()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 2", "Plane 3", "Plane 4"]);
    assert!(dispatcher.document.asked().tolerances.is_empty());
    assert!(dispatcher.messages.iter().all(|message| !message.is_error), "{:?}", dispatcher.messages);
}

/// A sheet, the rim of a slot of 20 x 8 mm in it at (40, 30), and a ring of touches that wander off the sheet.
fn sheet(folder: &Path) -> (PathBuf, [Subset; 3]) {
    let mut points: Vec<Point> =
        (0..400).map(|i| Point::new(f64::from(i % 20) * 4.0, f64::from(i / 20) * 3.0, 5.0)).collect();
    for i in 0..40 {
        let along = f64::from(i % 20) * 12.0 / 20.0 - 6.0;
        let (sin, cos) = (f64::from(i % 20) * 9.0_f64.to_radians()).sin_cos();
        let side = if i < 20 { 1.0 } else { -1.0 };
        points.push(Point::new(40.0 + along, 30.0 + side * 4.0, 5.0));
        points.push(Point::new(40.0 + side * (6.0 + 4.0 * sin), 30.0 + 4.0 * cos, 5.0));
    }
    for i in 0..36 {
        let (sin, cos) = (f64::from(i) * 10.0_f64.to_radians()).sin_cos();
        points.push(Point::new(10.0 + 3.0 * cos, 10.0 + 3.0 * sin, 5.0 + 0.2 * f64::from(i % 5)));
    }
    let path = folder.join("sheet.xyz");
    let rows: String = points.iter().map(|p| format!("{} {} {}\n", p.x, p.y, p.z)).collect();
    std::fs::write(&path, rows).unwrap();
    (path, [0..400, 400..480, 480..516].map(|range| Subset::new(range.collect())))
}

#[test]
fn slots_and_circles_are_fitted_in_a_plane_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, [sheet, rim, ring]) = sheet(folder.path());
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent());
    send(&mut dispatcher, Parts::OpenScans { paths: vec![path], unit: None, columns: None }.into()).unwrap();
    send(&mut dispatcher, Select::Numbers(Selectable::Points, sheet, Combine::Replace).into()).unwrap();
    send(&mut dispatcher, plane()).unwrap();
    send(&mut dispatcher, Select::Numbers(Selectable::Points, rim.clone(), Combine::Replace).into()).unwrap();
    let slot = |plane: &str| Command::Features(Features::FitSlot { plane: Some(plane.to_owned()), clip_sigmas: None });
    send(&mut dispatcher, slot("Plane 1")).unwrap();
    assert!(send(&mut dispatcher, slot("Slot 2")).unwrap_err().sentence.contains("no plane “Slot 2”"));
    send(&mut dispatcher, Features::FitSlot { plane: None, clip_sigmas: None }.into()).unwrap();
    for slot in dispatcher.document.slots() {
        let own = slot.made.unwrap().slot().unwrap().slot;
        assert!((own.length_mm - 20.0).abs() < 1e-6 && (own.width_mm - 8.0).abs() < 1e-6, "{own:?}");
        assert!((own.centre - Point::new(40.0, 30.0, 5.0)).norm() < 1e-6, "{own:?}");
    }
    send(&mut dispatcher, Select::Numbers(Selectable::Points, ring, Combine::Replace).into()).unwrap();
    let circle = |plane: &str| {
        Command::Features(Features::FitInPlane {
            kind: Kind::Circle,
            plane: plane.to_owned(),
            robust: false,
            clip_sigmas: None,
        })
    };
    send(&mut dispatcher, circle("Plane 1")).unwrap();
    let found = dispatcher.document.feature("Circle 1").unwrap().fit().unwrap();
    assert!(
        (found.shape.position() - Point::new(10.0, 10.0, 5.0)).norm() < 1e-6 && found.form_error_mm < 1e-6,
        "{found:?}"
    );
    // Its width, and how squarely its middle stands on the sheet.
    let plan = r#"{ "datums": { "A": "Plane 1" }, "tolerances": [
        { "feature": "Slot 1", "characteristic": "size", "lower_mm": 7.9, "upper_mm": 8.1 },
        { "feature": "Slot 1", "characteristic": "perpendicularity", "limit_mm": 0.1, "datums": ["A"] } ] }"#;
    let list = folder.path().join("list.json");
    std::fs::write(&list, plan).unwrap();
    send(&mut dispatcher, Tolerances::Open(list).into()).unwrap();
    send(&mut dispatcher, Tolerances::Judge.into()).unwrap();
    let measured = |dispatcher: &Dispatcher| {
        let judgement = dispatcher.document.judgement().expect("a judgement");
        let own = judgement.iter().map(|result| result.as_ref().unwrap().measured_mm);
        own.collect::<Vec<f64>>()
    };
    let first = measured(&dispatcher);
    assert!((first[0] - 8.0).abs() < 1e-6 && first[1] < 1e-6, "{first:?}");

    let project = folder.path().join("sheet.shadowgraph");
    send(&mut dispatcher, Projects::Save(project.clone()).into()).unwrap();
    send(&mut dispatcher, Projects::New.into()).unwrap();
    send(&mut dispatcher, Projects::Open(project).into()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 1", "Circle 1", "Slot 1", "Slot 2"]);
    assert_eq!(measured(&dispatcher), first);
    // A point of the rim goes: the slots are fitted to the others, and what was judged of them is open.
    let one = Subset::new(rim.iter().copied().take(1).collect());
    send(&mut dispatcher, Parts::CleanScan(shadowgraph::inspect::cleaning::Step::Remove(one)).into()).unwrap();
    let left = dispatcher.document.feature("Slot 1").unwrap();
    assert_eq!((left.numbers.len(), left.slot().unwrap().used), (79, 79));
    assert!(dispatcher.document.judgement().is_none());
    send(&mut dispatcher, Tolerances::Judge.into()).unwrap();
    assert!((measured(&dispatcher)[0] - 8.0).abs() < 1e-6);
}

#[test]
fn a_profile_without_datums_follows_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let (part, scan) = (folder.path().join("plate.stl"), folder.path().join("top.xyz"));
    write::mesh(&part, &shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 30.0, 8.0].into())).unwrap();
    // The top lies 0.02 mm too high.
    let rows: String = (0..400).map(|i| format!("{} {} 8.02\n", 5 + i % 20, 5 + i / 20)).collect();
    std::fs::write(&scan, rows).unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    send(&mut dispatcher, Parts::OpenNominal { path: part, unit: None }.into());
    send(&mut dispatcher, Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    send(
        &mut dispatcher,
        Select::Numbers(Selectable::Points, Subset::new((0..400).collect()), Combine::Replace).into(),
    );
    send(&mut dispatcher, plane());
    let profile = r#"{ "tolerances": [{ "feature": "Plane 1", "characteristic": "profile", "limit_mm": 0.05 }] }"#;
    send(&mut dispatcher, Tolerances::Set(Box::new(Plan::from_json(profile).unwrap())).into());
    send(&mut dispatcher, Tolerances::Judge.into());
    let judged = |dispatcher: &Dispatcher| dispatcher.document.judgement().map(|judgement| judgement[0].clone());
    assert!(judged(&dispatcher).unwrap().unwrap_err().contains("needs its deviations"));
    send(&mut dispatcher, Inspect::Compare.into());
    assert!(judged(&dispatcher).is_none());
    send(&mut dispatcher, Tolerances::Judge.into());
    let found = judged(&dispatcher).unwrap().unwrap();
    assert!((found.measured_mm - 0.04).abs() < 1e-6 && found.verdict == Verdict::In, "{found:?}");
}
