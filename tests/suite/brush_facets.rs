//! Brushing the nominal's facets by mouse: whole faces, the scan's points on them, hidden, deleted, exported.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Align, Projects, Select};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Cloud, Point, Pose};
use shadowgraph::io::{LoadOptions, load_nominal, write};
use shadowgraph::session::Document;

use super::window::{click_at, open, save_picture, settle, show_step};

fn document(harness: &Harness<'static, App>) -> Document {
    harness.state().dispatcher().document.clone()
}

fn press(harness: &mut Harness<'static, App>, label: &str) {
    harness.get_by_label(label).scroll_to_me();
    harness.run_steps(3);
    harness.get_by_label(label).click();
    settle(harness);
}

#[test]
fn facets_are_brushed_and_lead_to_the_points_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let (cad, scan) = (folder.path().join("box.stl"), folder.path().join("box.ply"));
    let exported = folder.path().join("top.stl");
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    // The top, and two thirds of one side.
    let top = (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.8 + 0.3, f64::from(i / 100) * 0.6 + 0.3, 20.01));
    let side = (0..2000).map(|i| Point::new(80.0, f64::from(i % 100) * 0.6 + 0.3, f64::from(i / 100) * 0.65 + 0.3));
    write::cloud(&scan, &Cloud::from_points(top.chain(side).collect())).unwrap();
    let mut harness = open(vec![cad, scan], None);
    settle(&mut harness);
    press(&mut harness, "Top");
    press(&mut harness, "Features");
    press(&mut harness, "Nominal facets");
    press(&mut harness, "Round");
    let middle = harness.get_by_label("3D viewport").rect().center();
    // One of the two large facets of the top, far from its corners.
    click_at(&mut harness, middle + egui::vec2(-60.0, -20.0));
    settle(&mut harness);
    assert_eq!(document(&harness).facets.selected.len(), 1);
    press(&mut harness, "Whole faces");
    save_picture(&mut harness, "facets");
    let chosen = document(&harness);
    let mesh = chosen.nominal().unwrap().surface.mesh();
    assert_eq!(chosen.facets.selected.len(), 2);
    assert!(chosen.facets.selected.iter().all(|&facet| mesh.normal(facet as usize).z > 0.99));
    press(&mut harness, "Select points on these");
    assert_eq!(document(&harness).points.selected[..], (0..10_000).collect::<Vec<u32>>());
    show_step(&mut harness, "2: Fit");
    press(&mut harness, "Plane");
    let fitted = document(&harness).feature("Plane 1").unwrap().fit().unwrap().shape;
    assert!((fitted.position().z - 20.01).abs() < 1e-5, "{fitted:?}");

    // What it should be: the face that the facets are of.
    harness.state_mut().send(Align::SetPose(Pose::identity()));
    settle(&mut harness);
    press(&mut harness, "Nominal from facets");
    let nominal = document(&harness).nominal_of("Plane 1").unwrap();
    assert!((nominal.position().z - 20.0).abs() < 1e-6 && nominal.direction().unwrap().z.abs() > 1.0 - 1e-12);
    assert!(harness.query_all_by_label_contains("+0.0100 mm").next().is_some());
    save_picture(&mut harness, "facets_nominal");

    harness.state_mut().send(Select::Export(shadowgraph::session::selection::Selectable::Facets, exported.clone()));
    settle(&mut harness);
    let read = load_nominal(&exported, &LoadOptions::default(), &Progress::silent()).unwrap();
    assert_eq!(read.mesh.facets.len(), 2);

    // Hidden, the top lets the bottom be brushed.
    show_step(&mut harness, "1: Select");
    press(&mut harness, "Hide");
    save_picture(&mut harness, "facets_hidden");
    click_at(&mut harness, middle + egui::vec2(-60.0, -20.0));
    settle(&mut harness);
    let below = document(&harness);
    assert!(below.facets.selected.iter().all(|&facet| mesh.normal(facet as usize).z < -0.99));
    assert!(!below.facets.selected.is_empty() && below.facets.hidden.len() == 2);
    press(&mut harness, "Whole faces");
    press(&mut harness, "Delete facets");
    let left = document(&harness);
    assert_eq!(left.nominal().unwrap().surface.mesh().facets.len(), 10);
    assert_eq!((left.facets.hidden.len(), left.facets.selected.len()), (2, 0));
    save_picture(&mut harness, "facets_deleted");

    // A project keeps what was deleted and hidden.
    let project = folder.path().join("box.shadowgraph");
    harness.state_mut().send(Projects::Save(project.clone()));
    settle(&mut harness);
    harness.state_mut().send(Projects::Open(project));
    settle(&mut harness);
    let again = document(&harness);
    assert_eq!(again.nominal().unwrap().surface.mesh().facets.len(), 10);
    assert_eq!(again.facets.hidden, left.facets.hidden);
    assert!(again.nominal_of("Plane 1").is_some());
    for _ in 0..2 {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        settle(&mut harness);
    }
    assert_eq!(document(&harness).nominal().unwrap().surface.mesh().facets.len(), 12);
}
