//! Several nominals in one frame: the part, and the stock it is cut from.

use egui_kittest::kittest::Queryable as _;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Inspect, Parts, Projects};
use shadowgraph::geometry::Point;
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::io::write;
use shadowgraph::session::plan::{ElementId, Recipe};

use super::support::{asset, context};
use super::window::{compare_picture, open, settle};

fn sent(dispatcher: &mut Dispatcher, command: impl Into<Command>) {
    dispatcher.run_now(command, &Progress::silent()).unwrap();
}

fn nominals_of(dispatcher: &Dispatcher) -> Vec<ElementId> {
    let elements = dispatcher.document.plan.elements().iter();
    elements.filter(|own| matches!(own.recipe, Recipe::Nominal(_))).map(|own| own.id).collect()
}

fn stock(folder: &std::path::Path) -> std::path::PathBuf {
    let path = folder.join("stock.stl");
    write::mesh(&path, &shapes::cuboid(Point::new(-1.0, -1.0, -1.0), Point::new(119.0, 79.0, 32.0))).unwrap();
    path
}

#[test]
fn a_further_nominal_is_compared_in_the_alignment_to_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    sent(&mut dispatcher, Parts::OpenNominal { path: asset("bracket.stl"), unit: None });
    let scan = || Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None };
    sent(&mut dispatcher, scan());
    sent(&mut dispatcher, Inspect::AlignAndCompare);
    let document = &dispatcher.document;
    let (pose, first) = (document.nominal_from_scan(), document.active);
    let rms_mm = document.current_check().unwrap().statistics.rms_mm;

    sent(&mut dispatcher, Parts::AddNominal { path: stock(folder.path()), unit: None });
    let [part, stock] = nominals_of(&dispatcher)[..] else { panic!("two nominals") };
    let document = &dispatcher.document;
    assert_eq!((document.active.nominal, document.active.comparison), (Some(stock), None));
    assert!(document.current_check().is_none(), "no colours of another nominal on the stock");
    assert_eq!((document.active.alignment, document.nominal_from_scan()), (first.alignment, pose));
    sent(&mut dispatcher, Inspect::Compare);
    let document = &dispatcher.document;
    assert_eq!(document.comparisons().count(), 2);
    assert_eq!((document.active.alignment, document.nominal_from_scan()), (first.alignment, pose));
    assert!(document.current_check().unwrap().statistics.rms_mm > 10.0 * rms_mm, "the stock is larger than the part");

    // Aligning again aligns to the part, whichever nominal is shown.
    sent(&mut dispatcher, Inspect::AlignAndCompare);
    let aligned = dispatcher.document.plan.get(first.alignment.unwrap()).unwrap();
    assert!(matches!(&aligned.recipe, Recipe::Alignment(own) if own.nominal == part));
    let of_part = dispatcher.document.nominal_from_scan();
    assert!((of_part.translation.vector - pose.translation.vector).norm() < 0.01, "{of_part:?} and {pose:?}");

    // Each nominal shows its own comparison, the next part gets both, and a project keeps them.
    sent(&mut dispatcher, Inspect::Show(part));
    assert_eq!(dispatcher.document.active.comparison, first.comparison);
    sent(&mut dispatcher, Inspect::Next { paths: vec![asset("bracket-scan.ply")], unit: None });
    let document = &dispatcher.document;
    assert!(document.comparisons().all(|own| document.stage().results.made(own.id).is_some()));
    assert!((document.current_check().unwrap().statistics.rms_mm - rms_mm).abs() < 1e-3);
    let path = folder.path().join("both.shadowgraph");
    sent(&mut dispatcher, Projects::Save(path.clone()));
    sent(&mut dispatcher, Projects::Open(path));
    assert_eq!(nominals_of(&dispatcher), [part, stock]);

    // Another stock leaves the alignment and the comparison with the part alone.
    sent(&mut dispatcher, Inspect::Show(stock));
    sent(&mut dispatcher, Parts::OpenNominal { path: self::stock(folder.path()), unit: None });
    sent(&mut dispatcher, Inspect::Show(part));
    assert!(dispatcher.document.alignment().is_some() && dispatcher.document.current_check().is_some());
    sent(&mut dispatcher, scan());
    let aligned = dispatcher.document.active.alignment.and_then(|id| dispatcher.document.plan.get(id));
    assert!(aligned.is_none_or(|own| matches!(&own.recipe, Recipe::Alignment(own) if own.nominal == part)));
}

#[test]
fn a_further_nominal_is_added_in_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.get_by_label("Align and compare").click();
    settle(&mut window);
    window.get_by_label("Add nominal…").click();
    window.run_steps(3);
    let file = window.get_by_role_and_label(egui::Role::TextInput, "File");
    file.focus();
    window.run_steps(1);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    let stock = stock(folder.path());
    window.get_by_role_and_label(egui::Role::TextInput, "File").type_text(stock.to_str().unwrap());
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    settle(&mut window);
    window.get_by_label("Element stock.stl");
    assert!(window.state().dispatcher().document.current_check().is_none());
    window.get_by_label("Element bracket.stl").click();
    settle(&mut window);
    assert_eq!(window.state().dispatcher().document.current_check().expect("the part's comparison").regions.len(), 4);
    compare_picture(&mut window, "two-nominals");
}
