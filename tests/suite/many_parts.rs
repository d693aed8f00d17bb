//! One plan on many parts: tables, broken files among them, a run that is killed and goes on, and the plan's own
//! faults.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use shadowgraph::geometry::{Cloud, Pose, Vector};
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::{LoadOptions, load_scan, write};
use shadowgraph::session::series::{Part, PartRecord};

use egui_kittest::kittest::Queryable as _;
use shadowgraph::base::{LengthUnit, Progress};
use shadowgraph::dispatch::{Command as Sent, Elements, Features, Inspect, Projects, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::inspect::deviation::Method;
use shadowgraph::inspect::features::constructions::Construction;
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::parts::Nominal;
use shadowgraph::inspect::tolerances::Plan as Asked;
use shadowgraph::inspect::tolerances::measure::{MeasureRecipe, Quantity};
use shadowgraph::session::Document;
use shadowgraph::session::selection::Selectable;
use shadowgraph::session::verdict;

use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};
use super::workbook::sheets;

const PARTS: usize = 5;

/// The bracket's scan, thinned, in another pose for each part.
pub fn scans(folder: &Path) -> Vec<PathBuf> {
    let options = LoadOptions { unit: Some(LengthUnit::Mm), columns: None, cad: CadReader::default() };
    let cloud = load_scan(&asset("bracket-scan.ply"), &options, &Progress::silent()).unwrap().cloud;
    let thinned: Vec<u32> = (0..cloud.points.len() as u32).step_by(6).collect();
    let cloud = cloud.select(&thinned);
    let scan = |number: usize| {
        let mut turned: Cloud = cloud.clone();
        let angle = number as f64 * 0.7;
        turned
            .transform(&Pose::new(Vector::new(50.0 * angle.sin(), 20.0, -30.0), Vector::new(angle, 0.3, -0.2 * angle)));
        let path = folder.join(format!("part {number:02}.ply"));
        write::cloud(&path, &turned).unwrap();
        path
    };
    (0..PARTS).map(scan).collect()
}

/// The plan of an inspection of the bracket, which is made once a run.
pub fn plan(folder: &Path) -> PathBuf {
    static MADE: OnceLock<String> = OnceLock::new();
    let plan = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bracket.sgplan");
        let (nominal, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
        let out = shadowgraph(&[
            "inspect",
            "--nominal",
            text(&nominal),
            "--scan",
            text(&scan),
            "--no-pictures",
            "--tolerance-mm",
            "-0.15,0.15",
            "--save-plan",
            text(&path),
            "--out",
            text(&folder.path().join("first")),
        ]);
        assert!(out.status.success(), "{}", errors(&out));
        std::fs::read_to_string(path).unwrap()
    });
    let path = folder.join("bracket.sgplan");
    std::fs::write(&path, plan).unwrap();
    path
}

fn table(path: &Path) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

#[test]
fn a_shift_is_measured_broken_files_do_not_stop_it_and_a_killed_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, files) = (plan(folder.path()), scans(folder.path()));
    let scan = std::fs::read(&files[2]).unwrap();
    std::fs::write(&files[2], &scan[..scan.len() / 2]).unwrap();
    std::fs::write(&files[4], "").unwrap();
    let list = folder.path().join("shift.txt");
    let lines: Vec<String> = files.iter().map(|file| text(file).to_owned()).collect();
    std::fs::write(&list, lines.join("\n") + "\nmissing, gone.ply\n").unwrap();

    // At once, three parts at a time.
    let whole = folder.path().join("whole");
    let ended =
        shadowgraph(&["inspect", "--plan", text(&plan), "--list", text(&list), "--jobs", "3", "--out", text(&whole)]);
    assert_eq!(ended.status.code(), Some(3), "parts that could not be measured are said: {}", errors(&ended));
    for name in ["part 02", "part 04", "missing"] {
        assert!(errors(&ended).contains(&format!("{name}: ")), "{}", errors(&ended));
    }

    // One at a time, killed in the middle, and gone on with.
    let killed = folder.path().join("killed");
    let records = || {
        let folders = std::fs::read_dir(&killed).into_iter().flatten().flatten();
        folders.filter(|entry| entry.path().join(PartRecord::FILE).exists()).count()
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(["inspect", "--plan", text(&plan), "--list", text(&list), "--jobs", "1", "--out", text(&killed)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while records() < 3 {
        assert!(started.elapsed() < Duration::from_secs(120), "no part was measured");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!killed.join("parts.csv").exists() && records() < PARTS);
    let arguments =
        ["inspect", "--plan", text(&plan), "--list", text(&list), "--resume", "--json", "--out", text(&killed)];
    let again = shadowgraph(&arguments);
    let answer: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert!(answer["taken_over"].as_u64().unwrap() >= 2, "{}", answer["taken_over"]);
    assert_eq!(answer["not_measured"], 3);
    for name in ["parts.csv", "statistics.csv"] {
        assert_eq!(table(&whole.join(name)), table(&killed.join(name)), "{name}");
    }

    // The table: every part, and the same regions found on each that was measured.
    let rows = table(&whole.join("parts.csv"));
    let verdicts: Vec<&csv::StringRecord> = rows.iter().filter(|row| row[2].is_empty()).collect();
    assert_eq!(verdicts.len(), PARTS + 1);
    assert_eq!(verdicts.iter().filter(|row| &row[1] == "fail").count(), PARTS - 2);
    // The same in the workbook, numbers as numbers.
    let sheets = sheets(&whole.join("results.xlsx"));
    for (number, row) in (2..).zip(&rows) {
        let cell = |column: &str| sheets["Parts"].get(&format!("{column}{number}"));
        assert_eq!(cell("A").map(String::as_str), Some(&row[0]));
        let as_number = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
        assert_eq!(as_number(cell("F").map(String::as_str)), as_number(Some(&row[6])), "row {number}");
    }
    assert_eq!(sheets["Statistics"]["A1"], "Element");
    let regions: Vec<&str> =
        rows.iter().filter(|row| &row[5] == "Regions out of tolerance").map(|row| &row[6]).collect();
    // The thinned scan shows two of the four.
    assert_eq!(regions, ["2.0"; PARTS - 2]);
}

/// What an earlier run found is taken over wherever the plan and its CAD lie, and not once either says something else; and a part
/// that cannot be measured again keeps no report of what it was.
#[test]
fn results_are_taken_over_for_what_they_were_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let scan = scans(folder.path()).swap_remove(4);
    let written = std::fs::read_to_string(plan(folder.path())).unwrap();
    let (cad, out) = (std::fs::read(asset("bracket.stl")).unwrap(), folder.path().join("out"));
    // A plan with its CAD beside it, in a folder and under a name of their own.
    let place = |name: &str, cad: &[u8]| {
        let beside = folder.path().join(name);
        std::fs::create_dir(&beside).unwrap();
        std::fs::write(beside.join(format!("{name}.stl")), cad).unwrap();
        let path = beside.join("plan.sgplan");
        std::fs::write(&path, written.replace(text(&asset("bracket.stl")), &format!("{name}.stl"))).unwrap();
        path
    };
    let taken_over = |plan: &Path| {
        let arguments = ["inspect", "--plan", text(plan), text(&scan), "--resume", "--json", "--no-pictures"];
        let told = shadowgraph(&[&arguments[..], &["--reports", "all", "--out", text(&out)]].concat());
        let answer: serde_json::Value =
            serde_json::from_slice(&told.stdout).unwrap_or_else(|_| panic!("{}", errors(&told)));
        (told.status.code(), answer["taken_over"].as_u64().unwrap())
    };
    let first = place("first", &cad);
    assert_eq!(taken_over(&first), (Some(0), 0));
    assert_eq!(taken_over(&first), (Some(0), 1));
    assert_eq!(taken_over(&place("second", &cad)), (Some(0), 1), "the same plan and CAD in another folder");
    // The header of a binary STL says nothing about the part, but who knows.
    let other = [&[cad[0] ^ 1], &cad[1..]].concat();
    let third = place("third", &other);
    assert_eq!(taken_over(&third), (Some(0), 0), "another CAD");
    let report = out.join(scan.file_stem().unwrap()).join("report");
    assert!(report.join("summary.json").exists());
    std::fs::write(report.join("remark.txt"), "of the operator").unwrap();
    std::fs::write(&scan, "ply\n").unwrap();
    assert_eq!(taken_over(&third), (Some(3), 0));
    let left: Vec<_> = std::fs::read_dir(&report).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["remark.txt"]);
}

#[test]
fn figures_of_the_plan_are_those_of_the_single_inspection() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, files) = (plan(folder.path()), scans(folder.path()));
    let (single, many) = (folder.path().join("single"), folder.path().join("many"));
    let (nominal, scan) = (asset("bracket.stl"), &files[4]);
    let alone = shadowgraph(&[
        "inspect",
        "--nominal",
        text(&nominal),
        "--scan",
        text(scan),
        "--scan-units",
        "mm",
        "--no-pictures",
        "--tolerance-mm",
        "-0.15,0.15",
        "--out",
        text(&single),
    ]);
    assert!(alone.status.success(), "{}", errors(&alone));
    let out = shadowgraph(&["inspect", "--plan", text(&plan), text(scan), "--out", text(&many)]);
    assert!(out.status.success(), "{}", errors(&out));
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(single.join("summary.json")).unwrap()).unwrap();
    let part = &Part::of_files(std::slice::from_ref(scan))[0];
    let record: PartRecord =
        serde_json::from_slice(&std::fs::read(many.join(&part.name).join(PartRecord::FILE)).unwrap()).unwrap();
    let comparison = record.elements.iter().find(|own| own.name == "Surface comparison").unwrap();
    let figure = |name: &str| comparison.figures.iter().find(|own| own.name == name).unwrap().value.unwrap();
    for (name, key) in [
        ("Mean", "mean_mm"),
        ("Standard deviation", "sigma_mm"),
        ("RMS", "rms_mm"),
        ("Min", "min_mm"),
        ("Max", "max_mm"),
    ] {
        assert_eq!(Some(figure(name)), summary["deviation"][key].as_f64(), "{name}, to the bit");
    }
    assert_eq!(Some(record.headline.as_str()), summary["headline"].as_str());
}

#[test]
fn a_plan_that_cannot_run_says_why_before_any_part() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = (plan(folder.path()), scans(folder.path()));
    let scan = text(&files[0]).to_owned();
    let out = folder.path().join("out");
    let run = |plan: &Path| shadowgraph(&["inspect", "--plan", text(plan), &scan, "--out", text(&out)]);
    let good = std::fs::read_to_string(&path).unwrap();
    let bad = folder.path().join("bad.sgplan");
    for (written, code, said) in [
        (good.replace("bracket.stl", "gone.stl"), 3, "gone.stl"),
        ("{}".to_owned(), 3, "is not an inspection plan"),
        (good[..good.len() / 2].to_owned(), 3, "line"),
        (good.replace("\"type\": \"scan\"", "\"type\": \"echo\""), 3, "“echo”"),
    ] {
        std::fs::write(&bad, written).unwrap();
        let ended = run(&bad);
        assert_eq!(ended.status.code(), Some(code), "{said}: {}", errors(&ended));
        assert!(errors(&ended).contains(said), "{said}: {}", errors(&ended));
    }
    // A nominal that was carried along with its plan.
    let away = folder.path().join("away");
    std::fs::create_dir(&away).unwrap();
    std::fs::copy(asset("bracket.stl"), away.join("bracket.stl")).unwrap();
    let carried = away.join("bracket.sgplan");
    std::fs::write(&carried, good.replace(text(asset("bracket.stl").parent().unwrap()), "/nowhere")).unwrap();
    let ended = run(&carried);
    assert!(ended.status.success(), "{}", errors(&ended));
    // A folder of scans.
    let shift = folder.path().join("shift");
    std::fs::create_dir(&shift).unwrap();
    std::fs::rename(&files[1], shift.join("a.ply")).unwrap();
    let ended = shadowgraph(&["inspect", "--plan", text(&path), text(&shift), "--json", "--out", text(&out)]);
    let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(answer["parts"][0]["part"], "a");
    // What the plan says cannot be said otherwise.
    let twice = shadowgraph(&["inspect", "--plan", text(&path), &scan, "--tolerance-mm", "-1,1", "--out", text(&out)]);
    assert_eq!(twice.status.code(), Some(2), "{}", errors(&twice));
}

pub fn type_into(window: &mut egui_kittest::Harness<'static, shadowgraph::app::App>, name: &str, typed: &str) {
    window.get_by_role_and_label(egui::Role::TextInput, name).focus();
    window.run_steps(1);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.get_by_role_and_label(egui::Role::TextInput, name).type_text(typed);
    window.run_steps(2);
}

/// The flat faces of a nominal, the two largest parallel ones first, then by size.
fn flat_faces(nominal: &Nominal) -> Vec<Subset> {
    let mesh = nominal.surface.mesh();
    let (mut open, mut faces): (Vec<u32>, Vec<(Subset, f64)>) = ((0..mesh.facets.len() as u32).collect(), Vec::new());
    while let Some(seed) = open.first().copied() {
        let face = mesh.whole_faces(nominal.surface.topology(), &Subset::new(vec![seed]), 0.01);
        open.retain(|facet| !face.contains(*facet));
        let area = |facet: u32| {
            let [a, b, c] = mesh.corners(facet as usize);
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        let normal = mesh.normal(seed as usize);
        if face.iter().all(|facet| mesh.normal(*facet as usize).dot(&normal) > 0.9999) {
            let area = face.iter().map(|facet| area(*facet)).sum();
            faces.push((face, area));
        }
    }
    faces.sort_by(|one, other| other.1.total_cmp(&one.1));
    let normal = |face: &Subset| mesh.normal(face[0] as usize);
    let first = normal(&faces[0].0);
    let parallel = faces.iter().skip(1).position(|(face, _)| normal(face).dot(&first) < -0.999).unwrap() + 1;
    faces.swap(1, parallel);
    faces.into_iter().map(|(face, _)| face).take(12).collect()
}

/// Every element of the document and of a record of the same plan, to the bit.
fn all_agree(document: &Document, record: &PartRecord) {
    for element in document.plan.elements() {
        let own = record.elements.iter().find(|own| own.id == element.id.0).unwrap();
        let made = document.stage().results.made(element.id).unwrap_or_else(|| panic!("no {}", element.name));
        let values: Vec<Option<f64>> =
            made.figures.iter().map(|own| Some(own.value).filter(|value| value.is_finite())).collect();
        let recorded: Vec<Option<f64>> = own.figures.iter().map(|own| own.value).collect();
        assert_eq!((values, made.verdict), (recorded, own.verdict), "{} of {}", element.name, record.part);
        assert!(own.is_made, "{}", own.sentence);
    }
}

/// Two comparisons, features on faces of the nominal, constructions, a distance and tolerances, made in the window,
/// saved as a plan, and measured by it: on the same scan to the bit the same, and on others in the window's table.
#[test]
fn what_was_made_in_the_window_is_measured_on_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let files = scans(folder.path());
    let shift = folder.path().join("shift");
    std::fs::create_dir(&shift).unwrap();
    let moved: Vec<PathBuf> = files.iter().take(4).map(|file| shift.join(file.file_name().unwrap())).collect();
    files.iter().zip(&moved).for_each(|(from, to)| std::fs::rename(from, to).unwrap());
    std::fs::write(&moved[2], "ply\n").unwrap();

    let mut window = open(vec![asset("bracket.stl"), moved[0].clone()], None);
    settle(&mut window);
    let send = |window: &mut egui_kittest::Harness<'static, shadowgraph::app::App>, command: Sent| {
        let before = window.state().dispatcher().messages.len();
        window.state_mut().send(command);
        settle(window);
        let messages = &window.state().dispatcher().messages[before..];
        assert!(!messages.iter().any(|message| message.is_error), "{messages:?}");
    };
    send(&mut window, Inspect::AlignAndCompare.into());
    // Another comparison, by facets and other limits; then the first is shown again.
    let first = window.state().dispatcher().document.active.comparison.unwrap();
    send(&mut window, Inspect::AddComparison.into());
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.method = Method::PointFacet;
    (settings.deviation.tolerance.low_mm, settings.deviation.tolerance.high_mm) = (-0.3, 0.4);
    send(&mut window, Inspect::SetSettings(Box::new(settings)).into());
    send(&mut window, Inspect::Compare.into());
    send(&mut window, Inspect::Show(first).into());
    let document = &window.state().dispatcher().document;
    assert_eq!(document.settings.deviation.method, Method::Closest);
    assert_eq!(verdict::overall(document).unwrap().components.len(), 2);
    let faces = flat_faces(window.state().dispatcher().document.nominal().unwrap());
    let mut names: Vec<String> = Vec::new();
    for face in faces {
        send(&mut window, Select::Numbers(Selectable::Facets, face, Combine::Replace).into());
        window.state_mut().send(Select::PointsOnFacets);
        settle(&mut window);
        let count = window.state().dispatcher().document.points.selected.len();
        if count > 100 && names.len() < 5 {
            let name = format!("face {}", names.len());
            send(&mut window, Select::Name(Selectable::Points, name.clone()).into());
            let (kind, objective) = (Kind::Plane, Objective::Gaussian);
            send(&mut window, Features::Fit { kind, objective, robust: false, clip_sigmas: Some(4.0) }.into());
            // On the face of the nominal, not on these points.
            let id = window.state().dispatcher().document.feature_id(&name).unwrap();
            send(&mut window, Features::OnFaces(id).into());
            names.push(name);
        }
        send(&mut window, Select::Nothing.into());
    }
    assert_eq!(window.state().dispatcher().document.element_names(), names);
    assert_eq!(names.len(), 5);
    let sources = vec![names[0].clone(), names[1].clone()];
    send(&mut window, Tolerances::Construct { construction: Construction::Middle, sources }.into());
    let sources = vec![names[0].clone(), names[4].clone()];
    send(&mut window, Tolerances::Construct { construction: Construction::Intersection, sources }.into());
    let id = |name: &str| window.state().dispatcher().document.feature_id(name).unwrap();
    let (from, to) = (id("face 0"), id("face 1"));
    let recipe = MeasureRecipe {
        quantity: Quantity::Distance,
        from,
        to,
        lower: Some(1.0),
        upper: Some(100.0),
        min_coverage: None,
        of_cad: false,
    };
    send(&mut window, Elements::Add("Height".into(), Box::new(recipe.into())).into());
    let asked = r#"{ "datums": { "A": "face 1" }, "tolerances": [
        { "feature": "face 0", "characteristic": "flatness", "limit_mm": 0.5 },
        { "feature": "face 0", "characteristic": "parallelism", "limit_mm": 0.3, "datums": ["A"] },
        { "feature": "face 2", "characteristic": "angularity", "angle_deg": 90, "limit_mm": 0.3, "datums": ["A"] },
        { "feature": "face 0", "characteristic": "profile", "limit_mm": 0.9 } ] }"#;
    send(&mut window, Tolerances::Set(Box::new(Asked::from_json(asked).unwrap())).into());
    send(&mut window, Tolerances::Judge.into());

    let out = folder.path().join("made-results");
    let menu = |window: &mut egui_kittest::Harness<'static, shadowgraph::app::App>, name: &str, entry: &str| {
        window.get_by_label(name).click();
        window.run_steps(3);
        window.get_by_label_contains(entry).click();
        window.run_steps(6);
    };
    menu(&mut window, "Inspect", "Measure parts with a plan…");
    compare_picture(&mut window, "series-empty");
    let plan = folder.path().join("made.sgplan");
    send(&mut window, Projects::SavePlan(plan.clone()).into());
    for (name, path) in [("Plan", &plan), ("Parts", &shift), ("Results", &out)] {
        type_into(&mut window, name, text(path));
    }
    window.get_by_label("Measure parts").click();
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let records = document.series.as_ref().expect("a series").records.clone();
    assert_eq!(records.len(), 4);
    assert!(records[2].error.is_some() && records.iter().enumerate().all(|(i, own)| own.error.is_some() == (i == 2)));

    // The part that was measured by hand.
    all_agree(document, &records[0]);

    // The next part in the window keeps all of it, and comes to the figures of the series.
    let next = Inspect::Next { paths: vec![moved[1].clone()], unit: None };
    let before = document.clone();
    window.state_mut().send(next);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    assert_eq!(document.plan.elements().len(), before.plan.elements().len());
    all_agree(document, &records[1]);
    let shapes = |document: &Document| {
        document.features().iter().map(|own| own.made.unwrap().fit().unwrap().shape).collect::<Vec<_>>()
    };
    for (now, old) in shapes(document).iter().zip(shapes(&before)) {
        assert_ne!(*now, old, "measured on this part, which lies elsewhere");
    }
    // Both parts stay, and a click leads from one to the other.
    window.key_press(egui::Key::Escape);
    window.run_steps(4);
    compare_picture(&mut window, "parts");
    window.get_by_label("Part part 00").click();
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    assert_eq!(document.stages.number(), 0);
    all_agree(document, &records[0]);
    menu(&mut window, "Inspect", "Measured parts…");
    assert!(window.query_all_by_label_contains("Standard deviation").next().is_some());
    compare_picture(&mut window, "parts-table");
    window.key_press(egui::Key::Escape);
    for _ in 0..2 {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        settle(&mut window);
    }
    let back = &window.state().dispatcher().document;
    assert_eq!((shapes(back), back.stages.all().len()), (shapes(&before), 1));
    menu(&mut window, "Inspect", "Measure parts with a plan…");

    // Without paths of this run.
    for (name, typed) in [("Plan", "bracket.sgplan"), ("Parts", "shift"), ("Results", "bracket-results")] {
        type_into(&mut window, name, typed);
    }
    window.get_by_label_contains("part 03");
    assert_eq!(window.query_all_by_label("not measured").count(), 1);
    assert!(window.query_all_by_label_contains("Standard deviation").next().is_some());
    compare_picture(&mut window, "series");
}
