//! Tolerances by mouse.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Command, Elements, Projects, Tolerances};
use shadowgraph::inspect::tolerances::{Characteristic, Plan, Verdict};

use super::super::many_parts::type_into;
use super::super::window::{open, save_picture, settle, show_step};
use super::{corner, face};

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

/// A window on the corner, with planes fitted to so many of its faces.
fn open_with_planes(folder: &std::path::Path, count: u32) -> Harness<'static, App> {
    let mut harness = open(vec![corner(folder)], None);
    settle(&mut harness);
    harness.get_by_label("Features").click();
    harness.run_steps(3);
    show_step(&mut harness, "2: Fit");
    for number in 0..count {
        harness.state_mut().send(face(number));
        settle(&mut harness);
        press(&mut harness, "Plane");
    }
    harness
}

#[test]
fn a_corner_is_constructed_and_toleranced_by_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open_with_planes(folder.path(), 3);
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
    let filtered = "after a Gaussian filter (ISO 16610-61) of nesting index 0.8 mm";
    assert!(judged.preparation.starts_with(filtered), "{judged:?}");
    assert!(judged.preparation.contains("of 1600 points removed as outliers"), "{judged:?}");
    assert!(harness.query_all_by_label_contains("of 1600 points removed as outliers").next().is_some());

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

/// The corner comes without CAD: where its wall should be, nobody has said yet.
#[test]
fn an_exact_position_is_asked_for_and_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open_with_planes(folder.path(), 2);
    show_step(&mut harness, "5: Tolerances");
    choose(&mut harness, "Datum A", "Plane 1");
    press(&mut harness, "Add tolerance");
    choose(&mut harness, "Feature of tolerance 1", "Plane 2");
    choose(&mut harness, "Characteristic 1", "Position");
    let true_place = |harness: &Harness<'static, App>| {
        let plan = harness.state().dispatcher().document.asked();
        match plan.tolerances[0].characteristic {
            Characteristic::Position { true_place, .. } => true_place,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(true_place(&harness), None);
    assert!(harness.query_by_label_contains("State the theoretically exact position").is_some());
    press(&mut harness, "Evaluate tolerances");
    let error = harness.state().dispatcher().document.judgement().unwrap()[0].clone().unwrap_err();
    assert!(error.contains("state the true position"), "{error:?}");
    show(&mut harness, "Exact X of tolerance 1");
    harness.get_by_role_and_label(egui::Role::SpinButton, "Exact X of tolerance 1").click();
    harness.run_steps(3);
    harness.event(egui::Event::Text("12.5".to_owned()));
    harness.run_steps(3);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(4);
    assert_eq!(true_place(&harness), None, "it is not stated before it is used");
    save_picture(&mut harness, "exact-position-asked");
    press(&mut harness, "Use the exact position of tolerance 1");
    assert_eq!(true_place(&harness).unwrap().position().x, 12.5);
    assert!(harness.query_by_label_contains("State the theoretically exact position").is_none());
}
