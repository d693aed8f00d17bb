//! The tree of elements: how each stands, renaming, removing and moving in it, and plans opened in the window.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Elements, Features, Inspect, Projects, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point, Pose, mesh::shapes};
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::tolerances::Plan;
use shadowgraph::inspect::verdict::Verdict;
use shadowgraph::io::write;
use shadowgraph::session::Document;
use shadowgraph::session::pipeline::State;
use shadowgraph::session::selection::Selectable;
use shadowgraph::session::verdict;

use super::window::{compare_picture, open, send, settle};

type Window = Harness<'static, App>;

fn document(window: &Window) -> Document {
    window.state().dispatcher().document.clone()
}

/// A block, and a scan of its top and a side; the top is `raised_mm` too high.
fn block(folder: &std::path::Path, name: &str, raised_mm: f64) -> [std::path::PathBuf; 2] {
    let (cad, scan) = (folder.join("block.stl"), folder.join(format!("{name}.ply")));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let grid = |count: i32| (0..count).map(|i| (f64::from(i % 80) + 0.5, f64::from(i / 80)));
    let top = grid(4800).map(|(u, v)| Point::new(u, v + 0.5, 20.0 + raised_mm));
    let side = grid(1600).map(|(u, v)| Point::new(u, 60.0, v + 0.4));
    let bottom = grid(4800).map(|(u, v)| Point::new(u, v + 0.5, 0.0));
    write::cloud(&scan, &Cloud::from_points(top.chain(side).chain(bottom).collect())).unwrap();
    [cad, scan]
}

/// Top and bottom as planes, a tolerance on each.
fn measured(folder: &std::path::Path) -> Window {
    let [cad, scan] = block(folder, "first", 0.0);
    let mut window = open(vec![cad, scan], None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    for (name, range) in [("top", 0..4800), ("bottom", 6400..11200)] {
        send(&mut window, Select::Numbers(Selectable::Points, Subset::new(range.collect()), Combine::Replace));
        send(&mut window, Select::Name(Selectable::Points, name.into()));
        let (kind, objective) = (Kind::Plane, Objective::Gaussian);
        send(&mut window, Features::Fit { kind, objective, robust: false, clip_sigmas: None });
    }
    let asked = r#"{ "datums": { "A": "bottom" }, "tolerances": [
        { "feature": "top", "characteristic": "flatness", "limit_mm": 0.05 },
        { "feature": "top", "characteristic": "parallelism", "limit_mm": 0.1, "datums": ["A"] } ] }"#;
    send(&mut window, Tolerances::Set(Box::new(Plan::from_json(asked).unwrap())));
    send(&mut window, Tolerances::Judge);
    window
}

fn menu(window: &mut Window, element: &str, entry: &str) {
    window.get_by_label(&format!("Element {element}")).click_secondary();
    window.run_steps(4);
    window.get_by_label(entry).click();
    window.run_steps(4);
    settle(window);
}

#[test]
fn elements_are_renamed_and_removed_in_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = measured(folder.path());
    assert!(document(&window).judgement().is_some());
    compare_picture(&mut window, "elements");

    // What names it follows, and so do its tolerances.
    menu(&mut window, "top", "Rename…");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(2);
    window.get_by_label("New name").type_text("lid");
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    settle(&mut window);
    let renamed = document(&window);
    assert_eq!(renamed.element_names(), ["lid", "bottom"]);
    assert!(renamed.asked().tolerances.iter().all(|own| own.feature == "lid"));
    assert!(renamed.judgement().is_some(), "a name changes no figure");
    assert!(renamed.plan.by_name("Flatness of “lid”").is_some(), "{:?}", renamed.plan);
    // Escape leaves the name.
    menu(&mut window, "lid", "Rename…");
    window.get_by_label("New name").type_text("x");
    window.run_steps(2);
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(document(&window).element_names(), ["lid", "bottom"]);

    // What a drawing asks stays when the feature goes, and says what it waits for.
    menu(&mut window, "lid", "Remove");
    let without = document(&window);
    assert_eq!(without.element_names(), ["bottom"]);
    assert_eq!(without.asked().tolerances.len(), 2);
    send(&mut window, Tolerances::Judge);
    let judged = document(&window).judgement().unwrap();
    assert!(judged[0].as_ref().unwrap_err().contains("no feature “lid”"), "{judged:?}");
    assert_eq!(verdict::overall(&document(&window)).unwrap().verdict, Verdict::Incomplete);
    compare_picture(&mut window, "elements-missing");

    // Fitted again under that name, it is what they meant.
    send(&mut window, Select::Numbers(Selectable::Points, Subset::new((0..4800).collect()), Combine::Replace));
    send(&mut window, Select::Name(Selectable::Points, "lid".into()));
    let (kind, objective) = (Kind::Plane, Objective::Gaussian);
    send(&mut window, Features::Fit { kind, objective, robust: false, clip_sigmas: None });
    send(&mut window, Tolerances::Judge);
    assert!(document(&window).judgement().unwrap().iter().all(Result::is_ok));
    menu(&mut window, "bottom", "Move up");
    assert_eq!(document(&window).element_names()[0], "bottom");
}

#[test]
fn one_element_is_shown_alone_and_all_are_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = measured(folder.path());
    menu(&mut window, "top", "Show only this");
    compare_picture(&mut window, "elements-shown-alone");
    // The other one can be shown beside it.
    menu(&mut window, "bottom", "Show");
    menu(&mut window, "bottom", "Hide");
    menu(&mut window, "top", "Show all");
    menu(&mut window, "bottom", "Show only this");
    menu(&mut window, "top", "Show");
    menu(&mut window, "top", "Hide");
    assert!(document(&window).judgement().is_some(), "what is shown changes no figure");
}

#[test]
fn a_plan_that_is_opened_measures_the_scan_that_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("block.sgplan");
    let mut window = measured(folder.path());
    for name in ["top", "bottom"] {
        let id = document(&window).feature_id(name).unwrap();
        send(&mut window, Features::OnFaces(id));
    }
    send(&mut window, Projects::SavePlan(plan.clone()));

    let [_, scan] = block(folder.path(), "second", 0.3);
    let mut window = open(vec![plan], None);
    settle(&mut window);
    let opened = document(&window);
    assert!(opened.nominal().is_some() && opened.actual().is_none(), "{:?}", window.state().dispatcher().messages);
    assert_eq!(opened.state(opened.feature_id("top").unwrap()), State::NotMade);
    send(&mut window, Inspect::Next { paths: vec![scan], unit: None });
    let measured = document(&window);
    assert_eq!(measured.judgement().unwrap().len(), 2);
    assert!(measured.current_check().is_some());
    // The top of this one is 0.3 mm too high; half a million points could not tell a plane better.
    let height = measured.element("top").unwrap().position().z - measured.element("bottom").unwrap().position().z;
    assert!((height - 20.3).abs() < 1e-6, "{height}");
    assert_eq!(verdict::overall(&measured).unwrap().verdict, Verdict::Fail);

    // Changed by hand, an element and what hangs on it are out of date until they are updated.
    send(&mut window, Elements::Update(None));
    let alignment = document(&window).active.alignment.unwrap();
    assert_eq!(document(&window).state(alignment), State::Fresh);
}
