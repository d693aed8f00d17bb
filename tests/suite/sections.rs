//! Sections: in the window, on the command line, in the report and again on the next part.

use std::path::Path;
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Command, Elements, Inspect, Parts, Report, Sections};
use shadowgraph::geometry::{Cloud, Mesh, Point, Pose, Vector, mesh::shapes, sampling};
use shadowgraph::inspect::deviation::{Tolerance, Verdict};
use shadowgraph::inspect::section::dimension::DimensionKind;
use shadowgraph::inspect::section::{Parameters, Placement, Section};
use shadowgraph::io::write;
use shadowgraph::session::plan::{ElementId, Recipe};

use super::support::{asset, errors, shadowgraph, text};
use super::window::{click_at, compare_picture, open, send, settle};

type Window = Harness<'static, App>;

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
    refused(&["--along", "10,39,2;10,39,2"], 2, "at least two points");
    refused(&["--along", "10,39,2;100,39,2", "--closed"], 2, "at least three points");
    refused(&["--along", "10,39,2;100,39,2", "--every-mm", "0"], 2, "must be positive");
    refused(&["--along", "10,39,2;100,39"], 2, "three numbers");
    refused(&["--axis", "z", "--at-mm", "5", "--every-mm", "3"], 2, "--along");
    refused(&["--edge", "50,20,500"], 2, "The edge nearest to the point is");
    refused(&["--edge", "nan,20,5"], 2, "three numbers");
    refused(&["--edge", "50,20,5", "--every-mm", "0"], 2, "must be positive");
}

/// Along a straight line they are the planes perpendicular to it.
#[test]
fn planes_along_a_curve_are_those_of_its_stations() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let along = section(&["--along", "10,39,2;100,39,2", "--every-mm", "30", "--out", text(&out)]);
    let parallel = section(&["--axis", "x", "--at-mm", "10", "--count", "4", "--spacing-mm", "30"]);
    let planes = along["planes"].as_array().unwrap();
    let names: Vec<&str> = planes.iter().map(|own| own["name"].as_str().unwrap()).collect();
    assert_eq!(names[1..], ["30 mm along the curve", "60 mm along the curve", "90 mm along the curve"]);
    for figure in ["length_mm", "mean_mm", "max_mm"] {
        let [one, other] = [&along, &parallel].map(|own| own["statistics"][figure].as_f64().unwrap());
        assert!((one - other).abs() < 1e-3, "{figure}: {one} and {other}");
    }
    assert!(out.join("section-4.svg").is_file() && !out.join("section-5.svg").exists());
    let counted = section(&["--along", "10,39,2;100,39,2", "--count", "7"]);
    assert_eq!(counted["planes"].as_array().unwrap().len(), 7);
}

/// A block of 80 x 60 x 20 mm.
const BLOCK: [f64; 3] = [80.0, 60.0, 20.0];

/// The block in a window that is turned to sections; with a scan of it in place where one is wanted.
fn block(folder: &Path, has_scan: bool) -> Window {
    let (cad, scan) = (folder.join("block.stl"), folder.join("block.ply"));
    let mesh = shapes::cuboid(Point::origin(), Point::from(BLOCK));
    write::mesh(&cad, &mesh).unwrap();
    let mut files = vec![cad];
    if has_scan {
        let points = sampling::by_area(&mesh, 150_000, 5).iter().map(|own| own.point).collect();
        write::cloud(&scan, &Cloud::from_points(points)).unwrap();
        files.push(scan);
    }
    let mut window = open(files, None);
    settle(&mut window);
    if has_scan {
        send(&mut window, Align::SetPose(Pose::identity()));
    }
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_label("Sections").click();
    window.run_steps(3);
    window
}

/// Pixels of the view in the colour that an edge is marked with.
fn marked_pixels(window: &mut Window) -> usize {
    settle(window);
    std::thread::sleep(std::time::Duration::from_millis(250));
    window.run_steps(4);
    let view = window.get_by_label("3D viewport").rect();
    let picture = window.render().unwrap();
    let is_marked = |x: u32, y: u32, [r, g, b, _]: [u8; 4]| {
        let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
        view.contains(egui::pos2(x as f32, y as f32)) && r > g + 50 && b > g + 50
    };
    picture.enumerate_pixels().filter(|(x, y, pixel)| is_marked(*x, *y, pixel.0)).count()
}

fn sections(window: &Window) -> Vec<(ElementId, Arc<Section>)> {
    let document = &window.state().dispatcher().document;
    let elements = document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Section(_)));
    elements.filter_map(|own| Some((own.id, document.shared::<Section>(Some(own.id))?))).collect()
}

fn pick(window: &mut Window, at: [f64; 3]) {
    let at = window.state_mut().screen_place(&Point::from(at)).unwrap();
    click_at(window, at);
    settle(window);
}

fn press(window: &mut Window, name: &str) {
    window.get_by_label(name).scroll_to_me();
    window.run_steps(3);
    window.get_by_label(name).click();
    settle(window);
}

/// Types a number by keys alone.
fn enter(window: &mut Window, name: &str, number: &str) {
    window.get_by_role_and_label(egui::Role::SpinButton, name).focus();
    window.run_steps(3);
    window.event(egui::Event::Text(number.to_owned()));
    window.run_steps(3);
    window.key_press(egui::Key::Enter);
    window.run_steps(4);
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn a_plane_is_set_by_three_picks_and_picked_and_typed_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = block(folder.path(), false);
    press(&mut window, "Three picks");
    assert!(says(&window, "Click point 1 of 3"));
    // Backspace takes the last pick back.
    pick(&mut window, [10.0, 12.0, 20.0]);
    assert!(says(&window, "Click point 2 of 3"));
    window.key_press(egui::Key::Backspace);
    window.run_steps(3);
    assert!(says(&window, "Click point 1 of 3"));
    // Three on one line make no section; they stay, and another third one does.
    for x in [10.0, 40.0, 70.0] {
        pick(&mut window, [x, 12.0, 20.0]);
    }
    assert!(says(&window, "nearly on one line") && says(&window, "Click point 3 of 3"));
    assert!(sections(&window).is_empty());
    compare_picture(&mut window, "compare-section-three-picks");
    let third = [80.0, 40.0, 6.0];
    pick(&mut window, third);
    let (id, made) = sections(&window).pop().expect("no section after the third pick");
    assert!(!says(&window, "Click point") && says(&window, "Section view"));
    assert_eq!(window.state().dispatcher().document.plan.name(id), "Section through three points");
    for point in [[10.0, 12.0, 20.0], [40.0, 12.0, 20.0], third] {
        let height_mm = made.planes[0].plane.height_mm(&Point::from(point));
        assert!(height_mm.abs() < 0.05, "{point:?} lies {height_mm} mm above the plane");
    }
    // One step of undo.
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut window);
    assert!(sections(&window).is_empty());
    window.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    settle(&mut window);
    assert_eq!(sections(&window)[0].1.parameters, made.parameters);
    // Picked again, and cancelled: the three points are as before.
    press(&mut window, "Pick again");
    pick(&mut window, [20.0, 40.0, 20.0]);
    assert!(says(&window, "Click point 2 of 3"));
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    assert!(!says(&window, "Click point") && window.query_by_label("Z of point 3").is_some());
    assert_eq!(sections(&window)[0].1.parameters, made.parameters);
    // Typed: perpendicular to Z at 12 mm, whose contour is known.
    for number in 1..=3 {
        enter(&mut window, &format!("Z of point {number}"), "12");
    }
    press(&mut window, "Cut again");
    let (_, cut) = sections(&window).remove(0);
    assert!((cut.statistics().length_mm - 280.0).abs() < 1e-6, "{:?}", cut.statistics());
}

#[test]
fn a_curve_is_typed_by_keys_and_its_planes_are_stepped_through() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = block(folder.path(), false);
    press(&mut window, "Along a curve");
    assert!(says(&window, "Click the points of the curve"));
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    // Points begin in the middle of the part, at 40, 30, 10.
    for (number, fields) in [(1, vec![("X", "10")]), (2, vec![("X", "40")]), (3, vec![("X", "70"), ("Y", "42")])] {
        press(&mut window, "Add point");
        for (axis, typed) in fields {
            enter(&mut window, &format!("{axis} of point {number}"), typed);
        }
    }
    enter(&mut window, "Number of planes", "4");
    press(&mut window, "Add section");
    let (id, made) = sections(&window).pop().expect("no section");
    let points = vec![Point::new(10.0, 30.0, 10.0), Point::new(40.0, 30.0, 10.0), Point::new(70.0, 42.0, 10.0)];
    assert_eq!(made.parameters.placement, Placement::Curve { points, is_closed: false, every_spacing: false });
    assert_eq!(window.state().dispatcher().document.plan.name(id), "Sections along a curve");
    assert_eq!(made.planes.len(), 4);
    let ends = [&made.planes[0], &made.planes[3]].map(|own| own.plane.origin);
    assert!((ends[0].x - 10.0).abs() < 1e-9 && (ends[1].x - 70.0).abs() < 1e-9, "{ends:?}");
    for number in 1..4 {
        window.get_by_label("Next").scroll_to_me();
        window.run_steps(3);
        assert!(window.query_by_label(&format!("Plane {number} of 4")).is_some());
        press(&mut window, "Next");
    }
    assert!(window.query_by_label("Plane 4 of 4").is_some());
    compare_picture(&mut window, "compare-section-curve");
    let drawings = folder.path().join("drawings");
    send(&mut window, Sections::Save(id, drawings.clone(), None));
    assert!(std::fs::read_to_string(drawings.join("section-1.svg")).unwrap().contains("0 mm along the curve"));
    assert!(drawings.join("section-4.svg").is_file());
    // Planes by distance: the curve is a little longer than its chords, 62.3 mm.
    press(&mut window, "distance");
    enter(&mut window, "Distance between them", "20");
    press(&mut window, "Cut again");
    let (_, made) = sections(&window).remove(0);
    assert_eq!(made.planes.iter().map(|own| own.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(made.planes[3].name, "60 mm along the curve");
}

#[test]
fn planes_along_a_picked_edge_are_cut_spaced_out_and_found_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = block(folder.path(), false);
    press(&mut window, "Along an edge");
    assert!(says(&window, "Click a point of the part at the edge"));
    let unmarked = marked_pixels(&mut window);
    // On the upper face, nearer to its front edge than to any other.
    let at = [31.0, 1.5, 20.0];
    pick(&mut window, at);
    let (id, made) = sections(&window).pop().expect("no section after the pick");
    assert_eq!(window.state().dispatcher().document.plan.name(id), "Sections along an edge");
    assert!(matches!(made.parameters.placement, Placement::Edge { every_spacing: false, .. }));
    assert!((made.planes[0].plane.origin - Point::new(40.0, 0.0, 20.0)).norm() < 1e-9 && made.planes.len() == 1);
    // The edge is marked in the view as long as the section is selected.
    let is_on_edge =
        |own: &Point| own.y.abs() < 1e-9 && (own.z - 20.0).abs() < 1e-9 && (-1e-9..=80.0 + 1e-9).contains(&own.x);
    assert!(made.edge.len() > 2 && made.edge.iter().all(is_on_edge), "{:?}", made.edge);
    assert!(marked_pixels(&mut window) > unmarked + 200, "{unmarked}");
    press(&mut window, "New section");
    assert!(marked_pixels(&mut window) < unmarked + 20, "{unmarked}");
    window.get_by_label("Element Sections along an edge").click();
    window.run_steps(4);
    assert!(marked_pixels(&mut window) > unmarked + 200, "{unmarked}");
    enter(&mut window, "Number of planes", "4");
    press(&mut window, "Cut again");
    let cut_at = |made: &Section| made.planes.iter().map(|own| own.plane.origin.x).collect::<Vec<f64>>();
    let (_, made) = sections(&window).remove(0);
    let mut stations = cut_at(&made);
    stations.sort_by(f64::total_cmp);
    assert!(stations.iter().zip([10.0, 30.0, 50.0, 70.0]).all(|(own, x)| (own - x).abs() < 1e-9), "{stations:?}");
    assert_eq!(made.planes[1].name, "30 mm along the edge");
    assert!((made.statistics().length_mm - 4.0 * 160.0).abs() < 1e-6, "{:?}", made.statistics());
    press(&mut window, "distance");
    enter(&mut window, "Distance between them", "30");
    press(&mut window, "Cut again");
    assert_eq!(sections(&window).remove(0).1.planes.len(), 2);
    // The same by a script.
    let (cad, at) = (folder.path().join("block.stl"), "31,1.5,20");
    let output = shadowgraph(&["section", "--nominal", text(&cad), "--edge", at, "--count", "4", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["planes"].as_array().unwrap().len(), 4);
    assert_eq!(found["planes"][1]["name"], "30 mm along the edge");
}

/// Once the scan is aligned, a click picks what is seen: a point of the scan where that is drawn, of the nominal elsewhere.
#[test]
fn picks_on_an_aligned_scan_and_compared_sections_through_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = block(folder.path(), true);
    press(&mut window, "Three picks");
    let points = [[20.0, 20.0, 20.0], [60.0, 24.0, 20.0], [80.0, 30.0, 6.0]];
    for at in points {
        pick(&mut window, at);
    }
    let (_, made) = sections(&window).pop().expect("no section after the third pick");
    // Within the spacing of the scan's points.
    for point in points {
        assert!(made.planes[0].plane.height_mm(&Point::from(point)).abs() < 0.6, "{point:?}");
    }
    assert!(made.is_compared && made.verdict() == Some(Verdict::Pass));
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
    window.get_by_label("Clip the view at the plane").scroll_to_me();
    window.run_steps(3);
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
    let contours = cut.planes[0].contours.iter();
    let contour = contours.max_by(|a, b| a.length_mm().total_cmp(&b.length_mm())).unwrap();
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

/// Of the scanned part the second plate lies 0.1 mm farther off and 0.05 mm lower.
const SHIFT: Vector = Vector::new(0.1, 0.0, -0.05);

/// Two plates that are 3.5 mm apart in x, the second 0.4 mm higher.
fn plates() -> Mesh {
    let mut mesh = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 8.0));
    let other = shapes::cuboid(Point::new(43.5, 0.0, 0.4), Point::new(80.0, 30.0, 8.4));
    let count = mesh.vertices.len() as u32;
    mesh.vertices.extend(other.vertices);
    mesh.facets.extend(other.facets.into_iter().map(|corners| corners.map(|own| own + count)));
    mesh.cad_faces.extend(other.cad_faces.into_iter().map(|face| face + 6));
    mesh
}

/// Two clicks ask for the gap and for how flush its sides are; both are one step of undo, and measured on the command line.
#[test]
fn a_gap_and_its_flush_are_made_by_two_clicks() {
    let folder = tempfile::tempdir().unwrap();
    let (cad, scan) = (folder.path().join("plates.stl"), folder.path().join("plates.ply"));
    let mesh = plates();
    write::mesh(&cad, &mesh).unwrap();
    let samples = sampling::by_area(&mesh, 400_000, 5);
    let points = samples.iter().map(|own| own.point + if own.point.x > 42.0 { SHIFT } else { Vector::zeros() });
    write::cloud(&scan, &Cloud::from_points(points.collect())).unwrap();
    let mut window = open(vec![cad.clone(), scan.clone()], None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    let placement = Placement::Axis { axis: 1, at_mm: 15.0 };
    send(&mut window, Sections::Add(Parameters { placement, ..Parameters::default() }));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_label("Sections").click();
    window.run_steps(6);
    press(&mut window, "Gap");
    assert!(says(&window, "Click the reference surface"));
    for at in [[30.0, 8.0], [55.0, 8.4]] {
        let at = window.state().section_position(&at).expect("no drawing");
        click_at(&mut window, at);
        settle(&mut window);
    }
    let (_, made) = sections(&window).remove(0);
    let found: Vec<_> = made.dimensions.iter().map(|own| (own.dimension.kind, own.nominal.clone().unwrap())).collect();
    let [(DimensionKind::Gap, gap_mm), (DimensionKind::Flush, flush_mm)] = found[..] else { panic!("{found:?}") };
    assert!((gap_mm - 3.5).abs() < 1e-5 && (flush_mm - 0.4).abs() < 1e-5, "{found:?}");
    let measured = |index: usize| made.dimensions[index].measured.clone().unwrap().unwrap();
    assert!((measured(0) - 3.6).abs() < 1e-3 && (measured(1) - 0.35).abs() < 1e-3, "{:?}", made.dimensions);
    press(&mut window, "Limits of Gap 1");
    assert_eq!(sections(&window)[0].1.dimensions[0].dimension.tolerance, Some(Tolerance::default()));
    enter(&mut window, "Depth of Gap 1", "2");
    settle(&mut window);
    assert_eq!(sections(&window)[0].1.dimensions[0].dimension.extent_mm, Some(2.0));
    compare_picture(&mut window, "compare-section-gap");
    for _ in 0..3 {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        settle(&mut window);
    }
    assert!(sections(&window)[0].1.dimensions.is_empty(), "gap and flush are one step of undo");
    let arguments = ["section", "--nominal", text(&cad), "--scan", text(&scan), "--align", "none", "--json"];
    let asked = ["--axis", "y", "--at-mm", "15", "--dimension", "gap=30,8;55,8.4@2:-0.2,0.2", "--dimension"];
    let output = shadowgraph(&[&arguments[..], &asked, &["flush=30,8;55,8.4:-0.01,0.01"]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["verdict"], "fail", "the flush is 0.05 mm off");
    let gap_mm = found["dimensions"][0]["measured"]["Ok"].as_f64().unwrap();
    assert!((gap_mm - 3.6).abs() < 1e-3, "{gap_mm}");
}
