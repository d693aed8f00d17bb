//! Lengths in the unit of one's choice: shown and taken in it by the whole window, while plans, settings and results stay
//! in millimetres.

use egui::{Event, Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use shadowgraph::app::App;
use shadowgraph::base::LengthUnit;
use shadowgraph::dispatch::{Command, Projects};
use shadowgraph::session::Document;

use super::pictures::inspected;
use super::window::{open, send, settle};

type Window = Harness<'static, App>;

/// The rooms of the window.
const ROOMS: [&str; 7] = ["Calibrate", "Align", "Features", "Offset", "Detect", "Report", "Compare"];

fn document(window: &Window) -> &Document {
    &window.state().dispatcher().document
}

/// Chooses a unit by the menu.
fn choose(window: &mut Window, unit: LengthUnit) {
    window.get_by_label("View").click();
    window.run_steps(3);
    window.get_by_label("Length unit").click();
    window.run_steps(3);
    window.get_by_label(&format!("Unit: {}", unit.symbol())).click();
    settle(window);
    assert_eq!(document(window).settings.shown_unit, unit);
}

fn show(window: &mut Window, room: &str) {
    window.get_by_role_and_label(Role::Button, room).click();
    settle(window);
}

/// What the widgets say beside their names, such as the legend, the flags and the fields.
fn values(window: &Window) -> Vec<String> {
    window.query_all(By::new()).filter_map(|node| node.accesskit_node().value()).collect()
}

/// Whether the window has a text or a widget of this name.
fn has(window: &Window, name: &str) -> bool {
    window.query_all_by_label(name).next().is_some()
}

/// Names of the rows of the table of results in sight.
fn rows(window: &Window) -> Vec<String> {
    let nodes = window.query_all_by_label_contains("Result ");
    let names = nodes.filter_map(|node| node.accesskit_node().label());
    names.filter(|name| name.starts_with("Result ")).collect()
}

#[test]
fn all_of_the_window_shows_the_chosen_unit_and_the_plan_stays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    let saved = |window: &mut Window| {
        send(window, Projects::SavePlan(plan.clone()));
        std::fs::read(&plan).unwrap()
    };
    let mut window = inspected();
    show(&mut window, "Compare");
    window.get_by_label("Show results").click();
    window.run_steps(4);
    let check = document(&window).shared_check().unwrap();
    let (rms_mm, peaks_mm) = (check.statistics.rms_mm, check.regions.iter().map(|own| own.peak_mm).collect::<Vec<_>>());
    let flags = |unit: LengthUnit| -> Vec<String> {
        let flag = |(number, peak_mm): (usize, &f64)| {
            format!("{number}   {} {}", unit.signed_length(*peak_mm, 3), unit.symbol())
        };
        (1..).zip(&peaks_mm).map(flag).collect()
    };
    let has_flags = |window: &Window, unit: LengthUnit| flags(unit).iter().any(|own| values(window).contains(own));
    let in_mm = saved(&mut window);
    let settings = document(&window).settings.clone();
    assert!(has_flags(&window, LengthUnit::Mm), "{:?}", values(&window));
    assert!(has(&window, &format!("{rms_mm:.4} mm")), "{rms_mm:.4}");
    assert!(rows(&window).iter().any(|row| row.contains(", mm;")), "{:?}", rows(&window));

    choose(&mut window, LengthUnit::Inch);
    let shown = values(&window);
    assert!(shown.iter().any(|own| own.starts_with("Deviation, inch: +0.0039, -0.0039, ")), "{shown:?}");
    // The upper limit of 0.1 mm.
    assert!(shown.iter().any(|own| own.contains("0.00394")), "{shown:?}");
    assert!(has_flags(&window, LengthUnit::Inch) && !has_flags(&window, LengthUnit::Mm), "{shown:?}");
    assert!(has(&window, &format!("{:.5} inch", rms_mm / 25.4)) && !has(&window, &format!("{rms_mm:.4} mm")));
    let table = rows(&window);
    assert!(table.iter().any(|row| row.contains(", inch;")), "{table:?}");
    assert!(!table.iter().any(|row| row.contains(", mm;")), "{table:?}");
    // Every field is drawn in every unit, and none changes what it shows.
    for unit in LengthUnit::ALL {
        choose(&mut window, unit);
        for room in ROOMS {
            show(&mut window, room);
        }
        assert!(saved(&mut window) == in_mm, "the plan differs in {}", unit.symbol());
        let others = shadowgraph::session::Settings { shown_unit: unit, ..settings.clone() };
        assert_eq!(document(&window).settings, others);
    }
    // It is a step of its own, taken back as others are.
    send(&mut window, Command::Undo);
    window.run_steps(3);
    assert_eq!(document(&window).settings.shown_unit, LengthUnit::M);
    choose(&mut window, LengthUnit::Mm);
    assert!(has(&window, &format!("{rms_mm:.4} mm")));
}

#[test]
fn limits_are_typed_in_the_shown_unit_or_with_another() {
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    show(&mut window, "Compare");
    let press = |window: &mut Window, text: &str| {
        window.get_by_role_and_label(Role::SpinButton, "Upper limit").click();
        window.run_steps(3);
        window.event(Event::Text(text.to_owned()));
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(4);
        document(window).settings.deviation.tolerance.high_mm
    };
    choose(&mut window, LengthUnit::Inch);
    assert_eq!(press(&mut window, "0.005"), 0.005 * 25.4);
    assert_eq!(press(&mut window, "0.1 mm"), 0.1);
    assert_eq!(press(&mut window, "0,2 cm"), 2.0);
    assert_eq!(press(&mut window, "40"), 2.0, "beyond 1000 mm");
    assert_eq!(press(&mut window, "5 ft"), 2.0, "a unit that is not known");
    choose(&mut window, LengthUnit::Mm);
    assert_eq!(press(&mut window, "0.01 in"), 0.01 * 25.4);
    assert_eq!(press(&mut window, "0,15"), 0.15);
    // Entered and left, all its decimals stay.
    let mut settings = document(&window).settings.clone();
    settings.deviation.tolerance.high_mm = 0.123_456_789;
    send(&mut window, shadowgraph::dispatch::Inspect::SetSettings(Box::new(settings)));
    for unit in LengthUnit::ALL {
        choose(&mut window, unit);
        window.get_by_role_and_label(Role::SpinButton, "Upper limit").click();
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert_eq!(document(&window).settings.deviation.tolerance.high_mm, 0.123_456_789, "{}", unit.symbol());
    }
}
