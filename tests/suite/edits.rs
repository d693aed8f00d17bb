//! What is typed is not lost, and no job runs without it: a workspace, a step or the window is left, the project is saved
//! or a job is started while a field still has the keyboard.

use egui::{Key, Modifiers, Role, ViewportEvent, ViewportId};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Elements, Projects};
use shadowgraph::session::Document;
use shadowgraph::session::plan::Recipe;
use shadowgraph::session::project::Project;

use super::many_parts::type_into;
use super::results::{block, measured};
use super::window::{open_sized, send, settle, show_step};

type Window = Harness<'static, App>;

fn document(window: &Window) -> &Document {
    &window.state().dispatcher().document
}

/// A part with two planes, an angle and a tolerance between them, in a step of Features.
fn features(folder: &std::path::Path, step: &str) -> Window {
    let mut window = open_sized([1280.0, 1000.0], block(folder), None);
    measured(&mut window, folder);
    turn_to(&mut window, "Features");
    show_step(&mut window, step);
    window
}

fn turn_to(window: &mut Window, workspace: &str) {
    window.get_by_role_and_label(Role::Button, workspace).click();
    settle(window);
}

/// Types a number into a field that keeps the keyboard.
fn type_number(window: &mut Window, field: &str, number: &str) {
    window.get_by_role_and_label(Role::SpinButton, field).focus();
    window.run_steps(3);
    window.event(egui::Event::Text(number.to_owned()));
    window.run_steps(3);
}

fn press(window: &mut Window, key: Key) {
    window.key_press_modifiers(Modifiers::COMMAND, key);
    window.run_steps(4);
    settle(window);
}

fn limit_mm(window: &Window) -> f64 {
    document(window).asked().tolerances[0].limit_mm
}

/// The upper limit of the angle between the planes.
fn max_deg(window: &Window) -> Option<f64> {
    let all = document(window).plan.elements();
    all.iter().find_map(|own| if let Recipe::Measure(own) = &own.recipe { Some(own.upper) } else { None }).unwrap()
}

#[test]
fn a_tolerance_is_kept_when_the_workspace_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = features(folder.path(), "5: Tolerances");
    assert_eq!(limit_mm(&window), 0.5);
    // By its tab, and by a shortcut.
    type_number(&mut window, "Limit 1", "0.25");
    assert_eq!(limit_mm(&window), 0.5, "what is typed may be incomplete");
    turn_to(&mut window, "Offset");
    assert_eq!(limit_mm(&window), 0.25);
    turn_to(&mut window, "Features");
    type_number(&mut window, "Limit 1", "0.3");
    press(&mut window, Key::Num2);
    assert!(window.query_by_label("Align and compare").is_some(), "another workspace is shown");
    assert_eq!(limit_mm(&window), 0.3);
    // What is undone while it is not shown stays undone.
    press(&mut window, Key::Z);
    assert_eq!(limit_mm(&window), 0.25);
    turn_to(&mut window, "Features");
    settle(&mut window);
    assert_eq!(limit_mm(&window), 0.25);
}

#[test]
fn limits_are_kept_when_the_step_is_left_or_another_element_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = features(folder.path(), "5: Tolerances");
    type_number(&mut window, "Limit 1", "0.25");
    show_step(&mut window, "4: Measure");
    settle(&mut window);
    assert_eq!(limit_mm(&window), 0.25);
    assert_eq!(max_deg(&window), Some(92.0));
    type_number(&mut window, "Max. Corner", "95");
    window.get_by_label("Element Plane 1").click();
    window.run_steps(30);
    settle(&mut window);
    assert_eq!(max_deg(&window), Some(95.0));
    show_step(&mut window, "4: Measure");
    type_number(&mut window, "Max. Corner", "96");
    turn_to(&mut window, "Report");
    assert_eq!(max_deg(&window), Some(96.0));
    // Texts as well.
    type_into(&mut window, "Serial number", "A 17");
    turn_to(&mut window, "Calibrate");
    assert_eq!(document(&window).stage().serial, "A 17");
    show_step(&mut window, "5: Verification");
    type_into(&mut window, "Calibration log", "log.jsonl");
    turn_to(&mut window, "Compare");
    assert_eq!(document(&window).monitoring.log.as_deref(), Some(std::path::Path::new("log.jsonl")));
    // And limits of the comparison, when it turns to its sections.
    type_number(&mut window, "Upper limit", "0.37");
    window.get_by_label("Sections").click();
    window.run_steps(4);
    settle(&mut window);
    assert_eq!(document(&window).settings.deviation.tolerance.high_mm, 0.37);
}

#[test]
fn a_job_and_a_file_have_what_was_typed_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = features(folder.path(), "5: Tolerances");
    type_number(&mut window, "Limit 1", "0.25");
    press(&mut window, Key::U);
    let judged = document(&window).judgement().expect("a judgement")[0].clone().unwrap();
    assert_eq!((limit_mm(&window), judged.limit_mm), (0.25, 0.25));

    let path = folder.path().join("block.shadowgraph");
    send(&mut window, Projects::Save(path.clone()));
    type_number(&mut window, "Limit 1", "0.3");
    press(&mut window, Key::S);
    let saved = Project::load(&path).unwrap().0;
    assert_eq!(limit_mm(&window), 0.3);
    assert_eq!(saved, Project::of(document(&window)));
    assert!(window.state().dispatcher().is_saved());
}

#[test]
fn the_window_asks_before_it_is_closed_on_what_was_typed() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = features(folder.path(), "5: Tolerances");
    send(&mut window, Projects::Save(folder.path().join("block.shadowgraph")));
    let close = |window: &mut Window| {
        window.input_mut().viewports.entry(ViewportId::ROOT).or_default().events.push(ViewportEvent::Close);
        window.run_steps(6);
    };
    type_number(&mut window, "Limit 1", "0.25");
    close(&mut window);
    assert_eq!(limit_mm(&window), 0.25);
    assert!(!window.state().may_close() && window.query_by_label("Don’t save").is_some());
    window.get_by_label("Cancel").click();
    window.run_steps(4);
    // A field that nothing was typed into keeps no window open.
    send(&mut window, Projects::Save(folder.path().join("block.shadowgraph")));
    window.get_by_role_and_label(Role::SpinButton, "Limit 1").focus();
    window.run_steps(3);
    close(&mut window);
    assert!(window.state().may_close());
}

#[test]
fn what_is_typed_while_a_job_runs_is_sent_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = features(folder.path(), "5: Tolerances");
    window.state_mut().send(Elements::Update(None));
    type_number(&mut window, "Limit 1", "0.25");
    turn_to(&mut window, "Offset");
    window.run_steps(3);
    assert_eq!(limit_mm(&window), 0.25, "{:?}", window.state().dispatcher().messages);
}
