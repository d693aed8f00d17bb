//! Wall thickness and gap width in the window, in the report and on the command line.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::{Command, Elements, Inspect, Outputs, Parts, write_report};
use shadowgraph::geometry::Point;
use shadowgraph::geometry::mesh::shapes;
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
