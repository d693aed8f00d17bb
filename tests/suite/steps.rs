//! The steps of Features and Calibrate: each is reached by mouse and by keyboard, says what it lacks, and follows what
//! is chosen elsewhere.

use egui::accesskit::Toggled;
use egui::{Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use shadowgraph::app::App;
use shadowgraph::dispatch::{Calibrate, Projects, Select};
use shadowgraph::geometry::Point;
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::io::write;
use shadowgraph::session::calibration::{Instrument, Setup};
use shadowgraph::session::selection::Selectable;

use super::results::{block, measured};
use super::texts::speak;
use super::window::{drop_file, open, open_sized, save_picture, send, settle, show_step};

type Window = Harness<'static, App>;

/// The steps of both panels, each with a widget that it alone has.
const FEATURES: [(&str, &str); 5] = [
    ("1: Select", "Invert"),
    ("2: Fit", "Cylinder"),
    ("3: Construct", "Construct"),
    ("4: Measure", "Measure"),
    ("5: Tolerances", "Open list"),
];
const CALIBRATE: [(&str, &str); 6] = [
    ("1: Setup", "Serial numbers"),
    ("2: Snapshot", "Find regions"),
    ("3: Probing", "Additional snapshots"),
    ("4: Result", "Calibrate sensor"),
    ("5: Verification", "Sensor acceptance test"),
    ("6: Use", "Hybrid measurement"),
];

fn turn_to(window: &mut Window, workspace: &str) {
    window.get_by_role_and_label(Role::Button, workspace).click();
    window.run_steps(4);
}

fn is_current(window: &Window, step: &str) -> bool {
    window.get_by_label(&format!("Step {step}")).accesskit_node().toggled() == Some(Toggled::True)
}

/// This step is shown, and no other.
fn shows(window: &Window, steps: &[(&str, &str)], shown: usize) {
    for (index, (step, widget)) in steps.iter().enumerate() {
        assert_eq!(is_current(window, step), index == shown, "{step}, where {} is wanted", steps[shown].0);
        let is_there = window.query_all_by_label(widget).next().is_some();
        assert_eq!(is_there, index == shown, "{widget} in {}", steps[shown].0);
    }
}

/// What screen readers say of a step after its name.
fn described(window: &Window, step: &str) -> String {
    window.get_by_label(&format!("Step {step}")).accesskit_node().description().unwrap_or_default()
}

fn says(window: &Window, sentence: &str) -> bool {
    window.query_all_by_label(sentence).next().is_some()
}

/// A scan of a flat patch.
fn patch(folder: &std::path::Path) -> std::path::PathBuf {
    let scan = folder.join("patch.ply");
    let points = (0..900).map(|i| Point::new(f64::from(i % 30), f64::from(i / 30), 0.01 * f64::from(i % 7))).collect();
    write::cloud(&scan, &shadowgraph::geometry::Cloud::from_points(points)).unwrap();
    scan
}

#[test]
fn each_step_is_reached_by_click_and_the_way_on_names_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![patch(folder.path())], None);
    settle(&mut window);
    for (workspace, steps) in [("Features", &FEATURES[..]), ("Calibrate", &CALIBRATE[..])] {
        turn_to(&mut window, workspace);
        shows(&window, steps, 0);
        // The view cube may have a face of that name.
        assert!(window.query_all_by_label("Back").any(|node| node.accesskit_node().is_disabled()));
        // From any step to any other.
        for index in (0..steps.len()).rev() {
            show_step(&mut window, steps[index].0);
            shows(&window, steps, index);
        }
        for (index, (step, _)) in steps.iter().enumerate().skip(1) {
            let name = step.split_once(": ").unwrap().1;
            window.get_by_label(&format!("Next: {name}")).click();
            window.run_steps(4);
            shows(&window, steps, index);
        }
        assert!(window.query_all_by_label_contains("Next: ").next().is_none(), "the last step leads nowhere");
        for (index, (step, _)) in steps.iter().enumerate().rev().skip(1) {
            window.get_by_label(&format!("Back: {}", step.split_once(": ").unwrap().1)).click();
            window.run_steps(4);
            shows(&window, steps, index);
        }
        save_picture(&mut window, &format!("steps-{}", workspace.to_lowercase()));
    }
}

#[test]
fn each_step_is_reached_by_keyboard_alone() {
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    let press = |window: &mut Window, key: Key| {
        window.key_press(key);
        window.run_steps(4);
    };
    let tab_to = |window: &mut Window, name: &str| {
        let is_there = |window: &Window| window.get_by_label(name).is_focused();
        let tabs = (0..40).find(|_| {
            let is_reached = is_there(window);
            if !is_reached {
                press(window, Key::Tab);
            }
            is_reached
        });
        assert!(tabs.is_some(), "{name} cannot be reached");
    };
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::Num1);
    window.run_steps(4);
    // Into the panel.
    press(&mut window, Key::F6);
    for (index, (step, _)) in CALIBRATE.iter().enumerate() {
        tab_to(&mut window, &format!("Step {step}"));
        press(&mut window, Key::Enter);
        shows(&window, &CALIBRATE, index);
    }
    tab_to(&mut window, "Back: Verification");
    press(&mut window, Key::Space);
    shows(&window, &CALIBRATE, 4);
    // The keyboard stays on the button that leads on.
    tab_to(&mut window, "Next: Use");
    press(&mut window, Key::Enter);
    shows(&window, &CALIBRATE, 5);
}

#[test]
fn what_a_step_lacks_is_said_in_it_and_done_steps_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    turn_to(&mut window, "Features");
    for step in ["5: Tolerances", "1: Select"] {
        show_step(&mut window, step);
        assert!(says(&window, "Load a scan, then brush the points of a feature."), "{step}");
    }
    drop_file(&mut window, &patch(folder.path()));
    let lacks = [
        ("1: Select", "Nothing is selected: choose a tool of the brush and drag over the part."),
        ("2: Fit", "No points are selected: fits need points of the scan."),
        ("3: Construct", "Fit features first, then construct elements from them."),
        ("4: Measure", "Distances and angles need two features: fit or construct them first."),
        ("5: Tolerances", "Fit features, assign the datum letters, then add the tolerances of the drawing."),
    ];
    for (step, sentence) in lacks {
        show_step(&mut window, step);
        assert!(says(&window, sentence) && described(&window, step).contains(sentence), "{step}");
    }
    send(&mut window, Select::Numbers(Selectable::Points, Subset::new((0..400).collect()), Combine::Replace));
    assert!(described(&window, "1: Select").contains("Done."), "{}", described(&window, "1: Select"));
    show_step(&mut window, "2: Fit");
    assert!(!says(&window, lacks[1].1) && says(&window, "400 points selected"));
    window.get_by_label("Plane").click();
    settle(&mut window);
    assert!(described(&window, "2: Fit").contains("Done.") && !described(&window, "3: Construct").contains("Done."));
    show_step(&mut window, "5: Tolerances");
    assert!(says(&window, "No tolerances yet: add one, or open a list."));

    turn_to(&mut window, "Calibrate");
    let lacks = [
        ("1: Setup", "Enter the stylus tip radius."),
        ("2: Snapshot", "Every region needs points of the sensor."),
        ("3: Probing", "Every region needs probed points of the CMM."),
        ("4: Result", "Every region needs points of the sensor."),
        ("6: Use", "Calibrate the sensor first: its calibration merges the snapshots."),
    ];
    for (step, sentence) in lacks {
        show_step(&mut window, step);
        assert!(says(&window, sentence) && described(&window, step).contains(sentence), "{step}");
    }
    let setup = Setup { probe_radius_mm: Some(1.5), ..Setup::default() };
    send(&mut window, Calibrate::SetUp(Box::new(setup)));
    show_step(&mut window, "1: Setup");
    assert!(!says(&window, lacks[0].1) && described(&window, "1: Setup").contains("Done."));
    assert!(!described(&window, "4: Result").contains("Done."));
}

#[test]
fn the_step_follows_what_is_chosen_and_what_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_sized([1280.0, 1000.0], block(folder.path()), None);
    measured(&mut window, folder.path());
    let tolerance = {
        let document = &window.state().dispatcher().document;
        document.plan.name(document.tolerances().next().expect("a tolerance").0)
    };
    // The last plane is open by itself, the one that is chosen as well.
    let options = "Robust (LMedS) Plane 1";
    for (element, step) in [("Plane 1", 1), ("Corner", 3), (tolerance.as_str(), 4), ("Plane 2", 1)] {
        window.get_by_label(&format!("Element {element}")).click();
        window.run_steps(30);
        assert!(is_current(&window, FEATURES[step].0), "{element} is shown in {}", FEATURES[step].0);
        assert!(step != 1 || window.query_by_label(options).is_some(), "{element} is not open");
    }
    // A label and a flag in the view lead there, too.
    show_step(&mut window, "4: Measure");
    window.get_by_label("Feature Plane 1").click();
    window.run_steps(4);
    assert!(is_current(&window, "2: Fit"));
    window.get_by_label(&format!("Callout {tolerance}")).click();
    window.run_steps(4);
    assert!(is_current(&window, "5: Tolerances"));
    // The step is no part of the document: a project opens with the last one of which it has something.
    show_step(&mut window, "3: Construct");
    let project = folder.path().join("block.shadowgraph");
    send(&mut window, Projects::Save(project.clone()));
    assert!(is_current(&window, "3: Construct"));
    send(&mut window, Projects::New);
    assert!(is_current(&window, "1: Select"));
    send(&mut window, Projects::Open(project));
    assert!(is_current(&window, "5: Tolerances"));
}

#[test]
fn the_instrument_follows_the_step_and_the_step_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    turn_to(&mut window, "Calibrate");
    drop_file(&mut window, &patch(folder.path()));
    shows(&window, &CALIBRATE, 1);
    // Probed points are known by their names of regions.
    let table = folder.path().join("probed.csv");
    std::fs::write(&table, "LP,-20,-30,0\nLP,-15,-30,0\nLP,-20,-40,0\n").unwrap();
    drop_file(&mut window, &table);
    let calibration = &window.state().dispatcher().document.calibration;
    assert_eq!(calibration.of(Instrument::Cmm).region(0).len(), 3, "{:?}", window.state().dispatcher().messages);
    assert!(is_current(&window, "3: Probing") && says(&window, "3 points"));
    show_step(&mut window, "2: Snapshot");
    assert!(says(&window, "900 points"));
}

#[test]
fn the_smallest_window_clips_no_step_in_either_language() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_sized([900.0, 600.0], vec![patch(folder.path())], None);
    settle(&mut window);
    let whole = |window: &Window, [step, back, next]: [&str; 3], count: usize| {
        let steps: Vec<String> = (1..=count).map(|number| format!("{step} {number}: ")).collect();
        let ways = [format!("{back}: "), format!("{next}: ")];
        for label in steps.iter().chain(&ways) {
            let mut found = 0;
            for node in window.query_all_by_label_contains(label.as_str()) {
                let rect = node.rect();
                assert!(rect.left() >= 410.0 && rect.right() <= 900.0 && rect.bottom() <= 570.0, "{label} at {rect}");
                found += 1;
            }
            assert!(found == 1 || ways.contains(label), "{label}: {found}");
        }
    };
    let german = [("Geometrie", "Schritt"), ("Kalibrieren", "Schritt")];
    let english = [("Features", "Step"), ("Calibrate", "Step")];
    for (rooms, [back, next]) in [(english, ["Back", "Next"]), (german, ["Zurück", "Weiter"])] {
        for ((room, step), count) in rooms.into_iter().zip([FEATURES.len(), CALIBRATE.len()]) {
            turn_to(&mut window, room);
            for number in 1..=count {
                let label = format!("{step} {number}: ");
                window.query_all_by_label_contains(&label).next().expect("a step").click();
                // Before its tooltip appears.
                window.run_steps(4);
                whole(&window, [step, back, next], count);
            }
            save_picture(&mut window, &format!("steps-smallest-{}", room.to_lowercase()));
        }
        if back == "Back" {
            speak(&mut window, ["View", "Language"], "Language: Deutsch");
        }
    }
}
