//! What is drawn and what is said come from the same check; limits recolour at once; and what fits take is shown.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use shadowgraph::app::App;
use shadowgraph::dispatch::{Command, Inspect, Parts, Projects, Select};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point};
use shadowgraph::io::write;
use shadowgraph::session::selection::Selectable;

use super::support::asset;
use super::window::{open, settle};

type Window = Harness<'static, App>;

/// Shares of the viewport's pixels that are green, and that are a colour out of tolerance.
fn colours(window: &mut Window) -> [f64; 2] {
    std::thread::sleep(std::time::Duration::from_millis(250));
    window.run_steps(4);
    let view = window.get_by_label("3D viewport").rect();
    let picture = window.render().unwrap();
    let (mut green, mut out, mut all) = (0, 0, 0);
    // Without legend and toolbar.
    for y in (view.top() as u32 + 60)..(view.bottom() as u32 - 40) {
        for x in (view.left() as u32 + 90)..(view.right() as u32 - 190) {
            let [r, g, b, _] = picture.get_pixel(x, y).0.map(i32::from);
            all += 1;
            let is_green = g > r + 40 && g > b + 40;
            green += i32::from(is_green);
            out += i32::from(!is_green && r.max(g).max(b) - r.min(g).min(b) > 90);
        }
    }
    [green, out].map(|count| f64::from(count) / f64::from(all))
}

fn send(window: &mut Window, command: Command) {
    window.state_mut().send(command);
    settle(window);
}

fn inspected() -> Window {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.get_by_label("Align and compare").click();
    settle(&mut window);
    window
}

/// Whether the picture shows a part that fails, and the panel says so; or neither.
fn agrees(window: &mut Window, fails: bool, moment: &str) {
    let [green, out] = colours(window);
    let said = window.query_all_by_label("FAIL").next().is_some();
    assert_eq!(said, fails, "{moment}");
    assert_eq!(out > 0.001, fails, "{moment}: {green} green, {out} out of tolerance");
    if fails {
        assert!(green > 0.05, "{moment}: {green} green");
    }
}

#[test]
fn what_is_drawn_is_what_is_said_after_every_way_to_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("bracket.shadowgraph");
    let mut window = inspected();
    agrees(&mut window, true, "compared");
    send(&mut window, Projects::Save(project.clone()).into());
    send(&mut window, Projects::New.into());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    agrees(&mut window, true, "after a new inspection was taken back");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    settle(&mut window);
    agrees(&mut window, true, "after the comparison came back");
    send(&mut window, Inspect::Next { paths: vec![asset("bracket-scan.ply")], unit: None }.into());
    agrees(&mut window, true, "with the next scan");
    send(&mut window, Projects::Open(project.clone()).into());
    agrees(&mut window, true, "with a project");
    let mut again = open(vec![project], None);
    settle(&mut again);
    let tab = again.query_all_by_role_and_label(egui::Role::Button, "Compare").next().expect("the tab");
    tab.click();
    settle(&mut again);
    agrees(&mut again, true, "with a project in a fresh window");
}

#[test]
fn named_selections_do_not_colour_over_deviations() {
    let mut window = inspected();
    let before = colours(&mut window);
    let third = Subset::new((0..150_000).step_by(3).collect());
    send(&mut window, Select::Numbers(Selectable::Points, third, Combine::Replace).into());
    send(&mut window, Select::Name(Selectable::Points, "every third".into()).into());
    send(&mut window, Select::Nothing.into());
    let after = colours(&mut window);
    assert!((0..2).all(|i| (after[i] - before[i]).abs() < 0.002), "{before:?} became {after:?}");
    window.get_by_label("Features").click();
    settle(&mut window);
    let [green, _] = colours(&mut window);
    assert!(green < 0.8 * before[0], "the selection shows where features are made: {green} of {}", before[0]);
}

#[test]
fn limits_recolour_at_once_and_are_one_step() {
    let mut window = inspected();
    let before = window.state().dispatcher().document.shared_check().unwrap();
    let mut settings = window.state().dispatcher().document.settings.clone();
    (settings.deviation.tolerance.low_mm, settings.deviation.tolerance.high_mm) = (-1.9, 1.9);
    settings.scale_mm = 6.0;
    send(&mut window, Inspect::SetSettings(Box::new(settings)).into());
    let after = window.state().dispatcher().document.shared_check().expect("judged without comparing again");
    assert!(std::sync::Arc::ptr_eq(&before.measurement, &after.measurement), "measured again");
    assert!(after.regions.is_empty() && !before.regions.is_empty(), "{:?}", after.regions);
    agrees(&mut window, false, "with wide limits");
    let last = window.state().dispatcher().messages.last().unwrap().text.clone();
    assert!(!last.contains("FAIL"), "the status line kept the verdict before: {last}");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    agrees(&mut window, true, "with the limits taken back");
    let back = window.state().dispatcher().document.shared_check().unwrap();
    assert!(std::sync::Arc::ptr_eq(&before, &back));
}

#[test]
fn other_colours_recolour_at_once_and_judge_nothing_anew() {
    let mut window = inspected();
    let before = window.state().dispatcher().document.shared_check().unwrap();
    let [green, _] = colours(&mut window);
    window.get_by_role_and_label(egui::Role::ComboBox, "Colours").click();
    window.run_steps(3);
    window.get_by_label("colour-blind safe").click();
    settle(&mut window);
    let after = window.state().dispatcher().document.shared_check().unwrap();
    assert!(std::sync::Arc::ptr_eq(&before, &after));
    let [green_after, _] = colours(&mut window);
    assert!(green > 0.05 && green_after < 0.01, "{green} became {green_after}");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(colours(&mut window)[0] > 0.05, "undo brings the colours back");
}

#[test]
fn a_limit_beyond_the_largest_distance_lifts_it_and_says_so() {
    let mut window = inspected();
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.tolerance.high_mm = 3.0;
    settings.scale_mm = 9.0;
    assert!(settings.deviation.max_distance_mm < 3.0);
    send(&mut window, Inspect::SetSettings(Box::new(settings)).into());
    send(&mut window, Inspect::Compare.into());
    let check = window.state().dispatcher().document.shared_check().unwrap();
    assert_eq!(check.parameters.effective_max_distance_mm(), 6.0);
    assert!(check.judgement.remarks.iter().any(|remark| remark.contains("maximum distance")), "{:?}", check.judgement);
}

#[test]
fn none_selects_neither_facets_nor_the_points_behind_them() {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.get_by_label("Features").click();
    window.run_steps(3);
    let some = Subset::new((0..500).collect());
    send(&mut window, Select::Numbers(Selectable::Points, some.clone(), Combine::Replace).into());
    send(&mut window, Select::Numbers(Selectable::Facets, some, Combine::Replace).into());
    window.get_by_label("Nominal facets").click();
    window.run_steps(3);
    window.get_by_label_contains("points of the scan are selected too");
    window.get_by_label("None").click();
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    assert!(document.points.selected.is_empty() && document.facets.selected.is_empty());
}

#[test]
fn a_scan_that_is_a_mesh_is_judged_on_its_facets() {
    let folder = tempfile::tempdir().unwrap();
    let part = shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 40.0, 20.0].into());
    // A pyramid's tip 0.5 mm out of the middle of the top, between vertices that are all where they should be.
    let mut made = part.clone();
    let top: Vec<usize> = (0..made.facets.len()).filter(|&i| made.corners(i).iter().all(|p| p.z == 20.0)).collect();
    let tip = made.vertices.len() as u32;
    made.vertices.push([30.0, 20.0, 20.5].into());
    for facet in top {
        let [a, b, c] = made.facets[facet];
        made.facets[facet] = [a, b, tip];
        made.facets.extend([[b, c, tip], [c, a, tip]]);
    }
    let (nominal, scan) = (folder.path().join("part.stl"), folder.path().join("scan.stl"));
    write::mesh(&nominal, &part).unwrap();
    write::mesh(&scan, &made).unwrap();
    let mut window = open(Vec::new(), None);
    send(&mut window, Parts::OpenNominal { path: nominal, unit: None }.into());
    send(&mut window, Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    send(&mut window, Inspect::Compare.into());
    let document = &window.state().dispatcher().document;
    let check = document.shared_check().unwrap();
    assert!(check.statistics.count > 150_000, "{}", check.statistics.count);
    assert!(check.regions.len() == 1 && check.statistics.max_mm > 0.49, "{:?}", check.regions);
    let notes = &document.actual().unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("points were sampled on them")), "{notes:?}");
}

#[test]
fn a_unit_that_fits_is_offered_as_a_button_and_success_takes_sentences_away() {
    let folder = tempfile::tempdir().unwrap();
    let scan = folder.path().join("scan.ply");
    let options = shadowgraph::io::LoadOptions::default();
    let silent = shadowgraph::base::Progress::silent();
    let mut cloud = shadowgraph::io::load_scan(&asset("bracket-scan.ply"), &options, &silent).unwrap().cloud;
    cloud = cloud.select(&(0..cloud.points.len() as u32).step_by(20).collect::<Vec<_>>());
    cloud.scale(1.0 / 25.4);
    write::cloud(&scan, &cloud).unwrap();
    let mut window = open(vec![asset("bracket.stl"), scan], None);
    settle(&mut window);
    window.get_by_label("Align automatically").click();
    settle(&mut window);
    assert!(window.query_all_by_label_contains("--scan-units").next().is_none(), "an option of the command line");
    window.get_by_label_contains("Open the scan in in").click();
    settle(&mut window);
    assert!(window.query_by_label("Dismiss").is_none());
    let alignment = window.state().dispatcher().document.alignment().cloned().expect("an alignment");
    assert!(alignment.rms_mm < 0.2, "{}", alignment.rms_mm);
}

#[test]
fn escape_closes_what_is_open_and_letters_stay_in_the_dialog() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.get_by_label("File").click();
    window.run_steps(3);
    let is_open = |window: &Window| window.query_all_by_label_contains("Save project as…").next().is_some();
    assert!(is_open(&window));
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(!is_open(&window), "the menu stayed");
    // The path has the keyboard at once.
    window.key_press_modifiers(Modifiers::COMMAND, Key::O);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(1);
    for letter in ["f", "p"] {
        window.event(egui::Event::Text(letter.to_owned()));
    }
    window.run_steps(3);
    let typed =
        |window: &Window| window.get_by_role_and_label(egui::Role::TextInput, "File").value().unwrap_or_default();
    assert_eq!(typed(&window), "fp");
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(window.query_by_label("Nominal (CAD)").is_none(), "the dialog stayed");
    // A scan opens by keys alone, and after Inspect next scan Open… opens again.
    window.key_press_modifiers(Modifiers::COMMAND, Key::O);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(asset("bracket-scan.ply").display().to_string()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert!(window.state().dispatcher().document.actual().is_some());
    window.key_press_modifiers(Modifiers::COMMAND, Key::N);
    window.run_steps(3);
    window.get_by_label("Inspect the next scan");
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::O);
    window.run_steps(3);
    window.get_by_label("Open a file");
}

/// From an empty window to a report and a saved project, without a mouse.
#[test]
fn a_session_by_keyboard_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (report, project) = (folder.path().join("report"), folder.path().join("part.shadowgraph"));
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    let press = |window: &mut Window, modifiers: Modifiers, key: Key| {
        window.key_press_modifiers(modifiers, key);
        window.run_steps(3);
        settle(window);
    };
    let replace = |window: &mut Window, text: &str| {
        press(window, Modifiers::COMMAND, Key::A);
        window.event(egui::Event::Text(text.to_owned()));
        window.run_steps(3);
    };
    for file in ["bracket.stl", "bracket-scan.ply"] {
        press(&mut window, Modifiers::COMMAND, Key::O);
        replace(&mut window, asset(file).to_str().unwrap());
        press(&mut window, Modifiers::NONE, Key::Enter);
    }
    assert!(window.state().dispatcher().document.actual().is_some(), "{:?}", window.state().dispatcher().messages);
    press(&mut window, Modifiers::COMMAND, Key::Enter);
    assert!(window.state().dispatcher().document.current_check().is_some());
    // The report's folder: from field to field with Tab.
    press(&mut window, Modifiers::COMMAND, Key::Num7);
    let is_there = |window: &Window| window.get_by_role_and_label(egui::Role::TextInput, "Folder").is_focused();
    let steps = (0..80).find(|_| {
        press(&mut window, Modifiers::NONE, Key::Tab);
        is_there(&window)
    });
    assert!(steps.is_some(), "the field cannot be reached");
    replace(&mut window, report.to_str().unwrap());
    press(&mut window, Modifiers::COMMAND, Key::R);
    assert!(report.join("report.pdf").is_file(), "{:?}", window.state().dispatcher().messages);
    for name in ["Open report", "Open workbook", "Open folder"] {
        assert!(window.query_by_label(name).is_some(), "{name} is not offered");
    }
    press(&mut window, Modifiers::COMMAND, Key::S);
    replace(&mut window, project.to_str().unwrap());
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(project.is_file());
    press(&mut window, Modifiers::COMMAND, Key::Q);
    assert!(window.state().may_close());
}

#[test]
fn entries_that_cannot_work_are_grey() {
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    window.get_by_label("Inspect").click();
    window.run_steps(3);
    for name in ["Compare", "Align and compare", "Evaluate tolerances", "Calibrate sensor"] {
        let all: Vec<_> = window.query_all_by_label_contains(name).collect();
        assert!(all.iter().any(|entry| entry.accesskit_node().is_disabled()), "{name}");
    }
}

#[test]
fn points_that_are_left_out_of_the_surface_are_drawn_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let scan = folder.path().join("scan.ply");
    let mut points: Vec<Point> = (0..3600).map(|i| Point::new(f64::from(i % 60), f64::from(i / 60), 0.0)).collect();
    // Stray ones, far from the plane and from each other.
    points
        .extend((0..12).map(|i| Point::new(5.0 * f64::from(i), f64::from(i * 37 % 60), 60.0 + 4.0 * f64::from(i % 3))));
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let mut window = open(Vec::new(), None);
    send(&mut window, Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    window.get_by_label("12 of them not in the surface");
    let drawn = |window: &mut Window| {
        window.hover_at(egui::pos2(640.0, 795.0));
        std::thread::sleep(std::time::Duration::from_millis(250));
        window.run_steps(4);
        let view = window.get_by_label("3D viewport").rect();
        let picture = window.render().unwrap();
        let rows = view.top() as u32 + 60..view.bottom() as u32 - 40;
        let blue = |x: u32, y: u32| {
            let [r, _, b, _] = picture.get_pixel(x, y).0.map(i32::from);
            b > r + 30
        };
        let columns = || view.left() as u32 + 90..view.right() as u32 - 190;
        rows.map(|y| columns().filter(|x| blue(*x, y)).count()).sum::<usize>()
    };
    let before = drawn(&mut window);
    let toggle = |window: &mut Window| {
        window.get_by_label("View").click();
        window.run_steps(3);
        window.get_by_label("Points that are not in the surface").click();
        settle(window);
    };
    toggle(&mut window);
    let with = drawn(&mut window);
    assert!(with > before + 20, "{before} blue pixels became {with}");
    // In the tree, what is shown has a tick, which takes it away.
    window.get_by_role_and_label(egui::Role::CheckBox, "12 of them not in the surface").click();
    settle(&mut window);
    assert_eq!(drawn(&mut window), before);
}
