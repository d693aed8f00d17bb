//! Brushing by mouse: a polygon, points hidden and shown alone, the selection exported.

use egui_kittest::kittest::Queryable as _;
use shadowgraph::geometry::{Cloud, Point};
use shadowgraph::io::{LoadOptions, load_scan, write};

use super::window::{click_at, open, save_picture, settle};

/// A floor and a flat top above half of it, seen from above.
fn steps() -> Vec<Point> {
    let layer = |z: f64| (0..40_000).map(move |i| Point::new(f64::from(i % 200) * 0.4, f64::from(i / 200) * 0.3, z));
    layer(0.0).chain(layer(20.0).filter(|point| point.x < 40.0)).collect()
}

#[test]
fn a_polygon_selects_and_hidden_points_are_not_brushed() {
    let folder = tempfile::tempdir().unwrap();
    let (scan, exported) = (folder.path().join("steps.ply"), folder.path().join("chosen.xyz"));
    write::cloud(&scan, &Cloud::from_points(steps())).unwrap();
    let mut harness = open(vec![scan], None);
    settle(&mut harness);
    harness.get_by_label("Top").click();
    harness.run_steps(2);
    harness.get_by_label("Features").click();
    harness.run_steps(2);
    harness.get_by_label("Polygon").click();
    harness.run_steps(2);
    let middle = harness.get_by_label("3D viewport").rect().center();
    let corners = [[-150.0, -70.0], [-40.0, -80.0], [-60.0, 60.0], [-140.0, 70.0]];
    let polygon = |harness: &mut egui_kittest::Harness<'static, shadowgraph::app::App>| {
        for [x, y] in corners {
            click_at(harness, middle + egui::vec2(x, y));
            // Two clicks in one place within a moment would be a double click.
            harness.run_steps(3);
        }
        save_picture(harness, "polygon");
        harness.key_press(egui::Key::Enter);
        settle(harness);
    };
    polygon(&mut harness);
    let document =
        |harness: &egui_kittest::Harness<'static, shadowgraph::app::App>| harness.state().dispatcher().document.clone();
    let heights = |harness: &egui_kittest::Harness<'static, shadowgraph::app::App>| -> Vec<f64> {
        let document = document(harness);
        document.points_at(&document.points.selected).iter().map(|point| point.z).collect()
    };
    let above = heights(&harness);
    assert!(above.len() > 1000 && above.iter().all(|z| *z > 10.0), "{}", above.len());
    harness.get_by_label("Hide").click();
    settle(&mut harness);
    assert_eq!(document(&harness).points.hidden.len(), above.len());
    assert!(document(&harness).points.selected.is_empty());
    // What was hidden uncovers the floor.
    polygon(&mut harness);
    save_picture(&mut harness, "hidden");
    let below = heights(&harness);
    assert!(below.len() > above.len() * 8 / 10 && below.iter().all(|z| *z < 10.0), "{}", below.len());
    harness.get_by_label("Show only these").click();
    settle(&mut harness);
    assert_eq!(document(&harness).points.hidden.len(), steps().len() - below.len());
    save_picture(&mut harness, "alone");
    harness.get_by_label("Export…").click();
    harness.run_steps(4);
    let field = harness.get_by_role_and_label(egui::Role::TextInput, "File");
    field.focus();
    harness.run_steps(2);
    let all = egui::Modifiers::COMMAND;
    harness.key_press_modifiers(all, egui::Key::A);
    harness.event(egui::Event::Text(exported.display().to_string()));
    harness.run_steps(2);
    harness.get_by_label("Save").click();
    settle(&mut harness);
    let read = load_scan(&exported, &LoadOptions::default(), &shadowgraph::base::Progress::silent()).unwrap();
    assert_eq!(read.cloud.points.len(), below.len());
    // Three steps back, all is shown again.
    for _ in 0..4 {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        settle(&mut harness);
    }
    assert!(document(&harness).points.hidden.is_empty());
}
