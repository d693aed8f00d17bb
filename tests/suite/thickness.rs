//! Wall thickness and gap width in the window, in the report and on the command line.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::{Command, Elements, Inspect, Outputs, Parts, Projects, write_report};
use shadowgraph::geometry::Point;
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::inspect::deviation::Verdict;
use shadowgraph::inspect::thickness::{self, Parameters, ThicknessMap, ThicknessRecipe};
use shadowgraph::io::{LoadOptions, load_nominal, write};
use shadowgraph::session::pipeline::State;
use shadowgraph::session::results::{self, RowVerdict};
use shadowgraph::session::verdict;

use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

#[test]
fn walls_are_measured_in_the_window_and_told_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    window.get_by_label("Wall thickness").click();
    window.run_steps(3);
    measure(&mut window, "Measure walls");
    compare_picture(&mut window, "thickness-walls");
    // From the tree, one comes back to it.
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    window.run_steps(4);
    assert!(window.query_by_label("Gaps").is_none());
    window.get_by_label("Element Wall thickness").click();
    window.run_steps(4);
    window.get_by_label("Gaps").click();
    window.run_steps(3);
    measure(&mut window, "Measure gaps");
    window.get_by_label_contains("1   ").click();
    window.run_steps(4);
    compare_picture(&mut window, "thickness-gaps");

    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    let plan = &window.state().dispatcher().document.plan;
    assert!(plan.by_name("Gap width").is_none());
    let id = plan.by_name("Wall thickness").unwrap().id;
    window.state_mut().send(Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None });
    settle(&mut window);
    window.state_mut().send(Inspect::AlignAndCompare);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let outputs = Outputs { pictures: false, ..Outputs::default() };
    write_report(document, &folder.path().join("report"), &outputs, &Cpu, &Progress::silent()).unwrap();
    let html = std::fs::read_to_string(folder.path().join("report/report.html")).unwrap();
    let map = document.result::<ThicknessMap>(Some(id)).unwrap();
    for said in
        ["Wall thickness and gaps", "Not judged: no limits.", &format!("{:.4} mm at least", map.statistics.min_mm)]
    {
        assert!(html.contains(said), "{said}");
    }
    // Without limits it says that it was not judged, and decides nothing.
    let row = results::rows(document).into_iter().find(|own| own.element == id).unwrap();
    assert_eq!((row.verdict, row.verdict.verdict()), (RowVerdict::NoLimits, None));
    let overall = verdict::overall(document).unwrap();
    assert!(overall.remarks.iter().any(|own| own.ends_with("was not judged: no limits.")), "{overall:?}");
    assert!(overall.components.iter().all(|own| own.name != "Wall thickness"), "{overall:?}");
    // With one, the verdict counts.
    let parameters = Parameters { min_mm: 0.5 * map.statistics.min_mm, spacing_mm: Some(3.0), ..map.parameters };
    let nominal = document.active.nominal.unwrap();
    let recipe = ThicknessRecipe { nominal, parameters };
    window.state_mut().send(Elements::SetRecipe(id, Box::new(recipe.into())));
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let row = results::rows(document).into_iter().find(|own| own.element == id).unwrap();
    let overall = verdict::overall(document).unwrap();
    let component = overall.components.iter().find(|own| own.name == "Wall thickness").unwrap();
    assert_eq!(row.verdict.verdict(), Some(component.verdict));
    assert!(component.reason.contains("of the surface"), "{component:?}");
}

/// A block of 4 x 30 x 30 mm: neither thinner nor thicker than allowed, too thick, and with too little of it measured.
#[test]
fn limits_on_both_sides_are_judged_in_the_table_the_report_and_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("plate.stl");
    write::mesh(&part, &shapes::cuboid(Point::origin(), Point::new(4.0, 30.0, 30.0))).unwrap();
    let run = |more: &[&str]| {
        let options = ["thickness", text(&part), "--max-mm", "8", "--spacing-mm", "2", "--min-mm", "3"];
        shadowgraph(&[&options[..], more].concat())
    };
    // The two large faces have each other, the narrow ones none within 8 mm.
    let share = 1800.0 / (1800.0 + 4.0 * 120.0);
    for (more, verdict, code) in [
        (&["--max-thickness-mm", "5"][..], "pass", 0),
        (&["--max-thickness-mm", "3.5"], "fail", 4),
        (&["--min-coverage", "70"], "pass", 0),
        (&["--min-coverage", "90"], "incomplete", 6),
        (&["--max-thickness-mm", "3.5", "--min-coverage", "90"], "fail", 4),
    ] {
        let told = run(&[more, &["--json"]].concat());
        assert_eq!(told.status.code(), Some(0), "only when asked: {}", errors(&told));
        let answer: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(answer["verdict"], verdict, "{answer:#}");
        assert!((answer["coverage"].as_f64().unwrap() - share).abs() < 1e-9, "{answer:#}");
        assert_eq!(run(&[more, &["--fail-on-out-of-tolerance"]].concat()).status.code(), Some(code), "{more:?}");
    }
    let little = run(&["--min-coverage", "90"]);
    let little = String::from_utf8_lossy(&little.stdout).into_owned();
    assert!(little.contains("INCOMPLETE on 78.9 % of the surface."), "{little}");
    assert!(little.contains("Only 78 % of the nominal's surface was measured; 90 % are required."), "{little}");
    let wrong = run(&["--max-thickness-mm", "8"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(errors(&wrong).contains("greatest thickness allowed"), "{}", errors(&wrong));

    // The same in the window, from its fields.
    let mut window = open(vec![part], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    window.run_steps(4);
    window.get_by_label("Wall thickness").click();
    window.run_steps(3);
    for (field, number) in [("Up to", "8"), ("At least", "3"), ("No more than", "3.5"), ("Min. coverage", "90")] {
        window.get_by_role_and_label(egui::Role::SpinButton, field).focus();
        window.run_steps(3);
        window.event(egui::Event::Text(number.to_owned()));
        window.run_steps(3);
    }
    window.key_press(Key::Enter);
    window.run_steps(4);
    measure(&mut window, "Measure walls");
    let document = &window.state().dispatcher().document;
    let id = document.plan.by_name("Wall thickness").expect("a map").id;
    let map = document.result::<ThicknessMap>(Some(id)).unwrap();
    let limits = (map.parameters.min_mm, map.parameters.max_thickness_mm, map.parameters.min_coverage);
    assert_eq!(limits, (3.0, Some(3.5), 0.9));
    let rows: Vec<_> = results::rows(document).into_iter().filter(|own| own.element == id).collect();
    let told: Vec<_> =
        rows.iter().map(|own| (&*own.characteristic, own.lower, own.upper, own.verdict.verdict())).collect();
    let expected = [
        ("Least thickness", Some(3.0), None, Some(Verdict::Incomplete)),
        ("Greatest thickness", None, Some(3.5), Some(Verdict::Fail)),
    ];
    assert_eq!(told, expected);
    let says = |words: &str| window.query_all_by_label_contains(words).next().is_some();
    assert!(says("FAIL on 78.9 % of the surface") && says("Too thick") && says("Thickest point"));
    assert!(says("Only 78 % of the surface was measured; 90 % are required."));
    // The project keeps the limits.
    let project = folder.path().join("plate.shadowgraph");
    window.state_mut().send(Projects::Save(project.clone()));
    settle(&mut window);
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&project).unwrap()).unwrap();
    let kept = kept["plan"].as_array().unwrap().iter().find(|own| own["name"] == "Wall thickness").unwrap();
    assert_eq!(kept["recipe"]["max_thickness_mm"], 3.5, "{kept:#}");
}

fn measure(window: &mut Harness<'static, App>, button: &str) {
    window.get_by_label(button).click();
    window.run_steps(3);
    settle(window);
}

#[test]
fn what_failed_is_measured_again_by_other_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let cuboid = |name: &str, size_mm: f64| {
        let path = folder.path().join(name);
        write::mesh(&path, &shapes::cuboid(Point::origin(), Point::new(size_mm, size_mm, size_mm))).unwrap();
        path
    };
    let mut window = open(vec![cuboid("small.stl", 10.0)], None);
    settle(&mut window);
    let nominal = window.state().dispatcher().document.active.nominal.unwrap();
    let mut send = |command: Command| {
        window.state_mut().send(command);
        settle(&mut window);
        window.state().dispatcher().document.clone()
    };
    let parameters = Parameters { spacing_mm: Some(0.5), ..Parameters::default() };
    let recipe = |parameters| Box::new(ThicknessRecipe { nominal, parameters }.into());
    let added = send(Elements::Add("Walls".to_owned(), recipe(parameters)).into());
    let id = added.plan.by_name("Walls").unwrap().id;
    assert_eq!(added.state(id), State::Fresh);
    send(Parts::OpenNominal { path: cuboid("large.stl", 3000.0), unit: None }.into());
    let updated = send(Elements::Update(None).into());
    assert!(matches!(updated.state(id), State::Failed(_)), "{:?}", updated.state(id));
    let changed = send(Elements::SetRecipe(id, recipe(Parameters { spacing_mm: Some(300.0), ..parameters })).into());
    assert_eq!(changed.state(id), State::Fresh);
}

#[test]
fn the_command_line_measures_and_writes_maps() {
    let folder = tempfile::tempdir().unwrap();
    let part = asset("bracket.stl");
    let run = |more: &[&str]| shadowgraph(&[&["thickness", text(&part)], more].concat());
    let table = folder.path().join("walls.csv");
    let options = ["--spacing-mm", "3", "--min-mm", "1", "--json"];
    let done = run(&[&options[..], &["--out", text(&table)]].concat());
    assert!(done.status.success(), "{}", errors(&done));
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let surface = load_nominal(&part, &LoadOptions::default(), &Progress::silent()).unwrap();
    let surface = shadowgraph::geometry::Surface::new(surface.mesh);
    let parameters = Parameters { spacing_mm: Some(3.0), min_mm: 1.0, ..Parameters::default() };
    let map = thickness::run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap();
    assert_eq!(answer["statistics"]["min_mm"], map.statistics.min_mm);
    assert_eq!(answer["verdict"], serde_json::json!(map.verdict().unwrap()));
    assert!(run(&["--spacing-mm", "3"]).stdout.windows(23).any(|own| own == b"Not judged: no limits.\n"));
    assert_eq!(std::fs::read_to_string(&table).unwrap().lines().count(), map.mesh.facets.len() + 1);
    let coloured = folder.path().join("walls.ply");
    assert!(run(&["--spacing-mm", "3", "--gaps", "--by", "normal", "--out", text(&coloured)]).status.success());
    let mesh = load_nominal(&coloured, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    assert_eq!(mesh.facets.len(), map.mesh.facets.len());
    for (more, code, said) in [
        (&["--max-mm", "0"][..], 2, "positive number"),
        (&["--min-mm", "20"], 2, "least thickness"),
        (&["--spacing-mm", "0.0001"], 3, "too many facets"),
        (&["--out", "walls.docx"], 3, ".csv or .ply"),
    ] {
        let failed = run(more);
        assert_eq!(failed.status.code(), Some(code), "{}", errors(&failed));
        assert!(errors(&failed).contains(said), "{}", errors(&failed));
    }
}
