//! Sections: in the window, on the command line, in the report and again on the next part.

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::dispatch::{Command, Elements, Inspect, Parts, Report, Sections};
use shadowgraph::inspect::deviation::{Tolerance, Verdict};
use shadowgraph::inspect::section::{Parameters, Placement, Section};
use shadowgraph::session::plan::Recipe;

use super::support::{asset, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

fn section(arguments: &[&str]) -> Value {
    let (part, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    let mut all = vec!["section", "--nominal", text(&part), "--scan", text(&scan), "--json"];
    all.extend(arguments);
    let output = shadowgraph(&all);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{arguments:?}: {}", errors(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The demo's scan has a dent and bumps at known places: the planes through them show them, others do not.
#[test]
fn planes_through_a_defect_show_it_and_write_drawings_tables_and_contours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let window = {
        let mut window = open(vec![asset("bracket.stl")], None);
        settle(&mut window);
        let scan = Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None };
        for command in [Command::Parts(scan), Inspect::AlignAndCompare.into()] {
            window.state_mut().send(command);
            settle(&mut window);
        }
        window
    };
    let check = window.state().dispatcher().document.shared_check().unwrap();
    let worst = &check.regions[0];
    let [x, y, z] = worst.peak_at_mm;
    let through = |axis: &str, at: f64| section(&["--axis", axis, "--at-mm", &at.to_string(), "--out", text(&out)]);
    // The worst region lies in the upper face: planes that cut that face at right angles go through it.
    let found = [through("x", x), through("y", y)];
    for (made, axis) in found.iter().zip(["x", "y"]) {
        assert_eq!(made["verdict"], "fail", "{axis} through {x} {y} {z}");
        let largest = made["statistics"]["max_mm"].as_f64().unwrap();
        assert!((largest - worst.peak_mm).abs() < 0.12, "{axis}: {largest}, the region's peak is {}", worst.peak_mm);
    }
    for file in ["section-1.svg", "section-1.dxf", "deviations.csv"] {
        assert!(out.join(file).is_file(), "{file} is missing");
    }
    let svg = std::fs::read_to_string(out.join("section-1.svg")).unwrap();
    assert!(svg.contains("times enlarged") && svg.contains("<polyline"), "{}", &svg[..300]);
    let table = std::fs::read_to_string(out.join("deviations.csv")).unwrap();
    let largest =
        table.lines().skip(1).filter_map(|line| line.split(',').nth(6)?.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!((largest - found[1]["statistics"]["max_mm"].as_f64().unwrap()).abs() < 1e-12);
    assert_eq!(section(&["--axis", "y", "--at-mm", "10"])["verdict"], "pass");
}

#[test]
fn places_that_are_none_are_refused_with_a_sentence() {
    let part = asset("bracket.stl");
    let refused = |arguments: &[&str], code: i32, says: &str| {
        let mut all = vec!["section", "--nominal", text(&part)];
        all.extend(arguments);
        let output = shadowgraph(&all);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(says), "{arguments:?}: {}", errors(&output));
    };
    refused(&["--axis", "z", "--at-mm", "100"], 3, "reaches from Z = 0.000 mm to 31.000 mm");
    refused(&["--through", "0,0,0", "1,1,1", "2,2,2"], 2, "do not define a plane");
    refused(&["--axis", "z", "--at-mm", "5", "--count", "0"], 2, "number of planes");
    refused(&["--axis", "z", "--at-mm", "nan"], 2, "do not define a plane");
    refused(&[], 2, "--axis");
}

#[test]
fn a_section_made_in_the_window_is_drawn_saved_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_label("Sections").click();
    window.run_steps(3);
    // Without a scan the nominal alone is cut.
    window.get_by_label("Add section").click();
    settle(&mut window);
    let made = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>, number: usize| {
        let document = &window.state().dispatcher().document;
        let mut sections = document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Section(_)));
        let id = sections.nth(number).expect("there is no such section").id;
        (id, document.shared::<Section>(Some(id)))
    };
    let (first, alone) = made(&window, 0);
    assert!(!alone.unwrap().is_compared);
    assert!(window.query_by_label("Section view").is_some(), "the drawing is not shown");
    let scan = Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None };
    for command in [Command::Parts(scan.clone()), Inspect::AlignAndCompare.into(), Elements::Remove(first).into()] {
        window.state_mut().send(command);
        settle(&mut window);
    }
    let parameters = Parameters {
        placement: Placement::Axis { axis: 1, at_mm: 10.0 },
        tolerance: Tolerance { low_mm: -0.1, high_mm: 0.1 },
        ..Parameters::default()
    };
    window.state_mut().send(Sections::Add(parameters.clone()));
    settle(&mut window);
    let (id, section) = made(&window, 0);
    let section = section.unwrap();
    assert!(section.is_compared && section.verdict() == Some(Verdict::Pass));
    assert_eq!(window.state().dispatcher().document.plan.name(id), "Section Y = 10 mm");
    compare_picture(&mut window, "compare-section");
    window.get_by_label("Clip the view at the plane").click();
    window.run_steps(3);
    compare_picture(&mut window, "compare-section-clipped");
    // Its drawing stands in the report, as it does in the window.
    let report = folder.path().join("report");
    window.state_mut().send(Report::Write { folder: report.clone() });
    settle(&mut window);
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    assert!(html.contains("Section Y = 10 mm; deviations 50 times enlarged</text>"), "no drawing in the report");
    assert!(html.contains("measured on 99 % of 220.3 mm"));
    // A limit that it does not keep: the verdict follows, in the headline too, and one step back it is as before.
    let strict = Parameters { tolerance: Tolerance { low_mm: -0.01, high_mm: 0.01 }, ..parameters };
    window.state_mut().send(Sections::Change(id, strict));
    settle(&mut window);
    assert_eq!(made(&window, 0).1.unwrap().verdict(), Some(Verdict::Fail));
    let document = &window.state().dispatcher().document;
    let overall = shadowgraph::session::verdict::overall(document).unwrap();
    assert!(overall.components.iter().any(|own| own.name.starts_with("Section") && own.verdict == Verdict::Fail));
    window.state_mut().send(Command::Undo);
    settle(&mut window);
    assert_eq!(made(&window, 0).1.unwrap().verdict(), Some(Verdict::Pass));
    let out = folder.path().join("drawings");
    window.state_mut().send(Sections::Save(id, out.clone(), Some(50.0)));
    settle(&mut window);
    assert!(std::fs::read_to_string(out.join("section-1.svg")).unwrap().contains("deviations 50 times enlarged"));
    // The same scan as the next part gives the same section.
    let before = section.statistics();
    window.state_mut().send(Inspect::Next { paths: vec![asset("bracket-scan.ply")], unit: None });
    settle(&mut window);
    let again = made(&window, 0).1.expect("the section is not made again").statistics();
    assert_eq!(before, again);
}

#[test]
fn dimensions_are_made_by_clicks_judged_reported_and_measured_on_the_next_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    let scan = Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None };
    let placement = Placement::Axis { axis: 1, at_mm: 40.0 };
    for command in [
        Command::Parts(scan),
        Inspect::AlignAndCompare.into(),
        Sections::Add(Parameters { placement, ..Parameters::default() }).into(),
    ] {
        window.state_mut().send(command);
        settle(&mut window);
    }
    window.get_by_label("Sections").click();
    window.run_steps(6);
    let made = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        let document = &window.state().dispatcher().document;
        let element = document.plan.elements().iter().find(|own| matches!(own.recipe, Recipe::Section(_))).unwrap();
        document.shared::<Section>(Some(element.id)).expect("no section")
    };
    // The two longest sides of the contour are the faces of its plate.
    let cut = made(&window);
    let contour = &cut.planes[0].contours[0];
    let mut sides: Vec<([f64; 2], [f64; 2])> =
        contour.points.iter().copied().zip(contour.points.iter().copied().cycle().skip(1)).collect();
    sides.sort_by(|a, b| {
        let long = |(from, to): &([f64; 2], [f64; 2])| (to[0] - from[0]).hypot(to[1] - from[1]);
        long(b).total_cmp(&long(a))
    });
    let middle = |(from, to): &([f64; 2], [f64; 2])| [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    let [one, other] = [middle(&sides[0]), middle(&sides[1])];
    let ([ax, ay], [bx, by]) = sides[0];
    let thickness_mm = ((other[0] - ax) * (by - ay) - (other[1] - ay) * (bx - ax)).abs() / (bx - ax).hypot(by - ay);
    window.get_by_label("Distance").scroll_to_me();
    window.run_steps(6);
    window.get_by_label("Distance").click();
    window.run_steps(3);
    assert!(window.query_by_label_contains("Click the first line").is_some());
    for (number, at) in [one, other].iter().enumerate() {
        let at = window.state().section_position(at).expect("no drawing");
        window.hover_at(at);
        window.run_steps(2);
        window.drag_at(at);
        window.drop_at(at);
        if number == 0 {
            window.run_steps(3);
            assert!(window.query_by_label_contains("Click the second one").is_some());
        }
    }
    settle(&mut window);
    let own = made(&window).dimensions[0].clone();
    assert!((own.nominal.clone().unwrap() - thickness_mm).abs() < 1e-9, "{} instead of {thickness_mm}", own.words());
    let measured = own.measured.clone().unwrap().unwrap();
    assert!((measured - thickness_mm).abs() < 0.02 && own.verdict().is_none(), "{}", own.words());
    // With limits that it keeps, and with limits that nothing keeps.
    window.get_by_label("Limits of Distance 1").scroll_to_me();
    window.run_steps(6);
    window.get_by_label("Limits of Distance 1").click();
    settle(&mut window);
    assert_eq!(made(&window).dimensions[0].verdict(), Some(Verdict::Pass), "{}", made(&window).dimensions[0].words());
    window.get_by_label("Limits of Distance 1").scroll_to_me();
    window.run_steps(6);
    compare_picture(&mut window, "compare-section-dimension");
    let report = folder.path().join("report");
    window.state_mut().send(Report::Write { folder: report.clone() });
    settle(&mut window);
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    let words = made(&window).dimensions[0].words();
    assert!(html.contains(&format!("Distance 1: {words}.")) && html.contains("Distance 1: "), "{words}");
    window.state_mut().send(Inspect::Next { paths: vec![asset("bracket-scan.ply")], unit: None });
    settle(&mut window);
    assert_eq!(made(&window).dimensions[0].measured, own.measured, "the same scan measures the same");
    // By hand on the command line, with limits that it does not keep.
    let text_of = |[x, y]: [f64; 2]| format!("{x},{y}");
    let argument = format!("distance={};{}:0.5,0.6", text_of(one), text_of(other));
    let found = section(&["--axis", "y", "--at-mm", "40", "--dimension", &argument]);
    assert_eq!(found["verdict"], "fail");
    let nominal = found["dimensions"][0]["nominal"]["Ok"].as_f64().unwrap();
    assert!((nominal - thickness_mm).abs() < 1e-9);
    let (part, out) = (asset("bracket.stl"), folder.path().join("none"));
    let arguments = ["section", "--nominal", text(&part), "--axis", "y", "--at-mm", "40", "--out", text(&out)];
    let refused = shadowgraph(&[&arguments[..], &["--dimension", "distance=1,2"]].concat());
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("two"), "{}", errors(&refused));
}
