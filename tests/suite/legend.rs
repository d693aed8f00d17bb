//! The legend stands at either side of the view, by the mouse and by keys, and the part stays clear of it.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::geometry::Point;

use super::pictures::inspected;
use super::support::asset;
use super::window::{open, settle};

type Window = Harness<'static, App>;

/// How far the legend lies from the middle of the view, to the right; the part must be clear of it.
fn side(window: &mut Window) -> f32 {
    std::thread::sleep(std::time::Duration::from_millis(200));
    window.run_steps(4);
    let (view, legend) = (window.get_by_label("3D viewport").rect(), window.get_by_label("Legend").rect());
    assert!(view.contains_rect(legend), "{legend} in {view}");
    for corner in [Point::new(0.0, 0.0, 0.0), Point::new(118.0, 20.0, 5.0)] {
        let at = window.state_mut().screen_place(&corner).unwrap();
        assert!(!legend.contains(at), "the part lies under the legend: {at} in {legend}");
    }
    legend.center().x - view.center().x
}

fn choose(window: &mut Window, entry: &str) {
    window.get_by_label("View").click();
    window.run_steps(3);
    window.get_by_role_and_label(egui::Role::Button, "Legend").click();
    window.run_steps(3);
    window.get_by_label(entry).click();
    window.run_steps(4);
}

#[test]
fn the_legend_is_put_at_a_side_by_menu_and_mouse_and_stays_there() {
    let mut window = inspected();
    assert!(side(&mut window) > 0.0);
    choose(&mut window, "Legend: left");
    assert!(side(&mut window) < 0.0);
    let (view, legend) = (window.get_by_label("3D viewport").rect(), window.get_by_label("Legend").rect());
    let (from, to) = (legend.center(), egui::pos2(view.right() - 60.0, legend.center().y + 40.0));
    window.hover_at(from);
    window.run_steps(1);
    window.drag_at(from);
    window.run_steps(1);
    for share in [0.3, 0.6, 1.0] {
        window.hover_at(from + share * (to - from));
        window.run_steps(1);
    }
    window.drop_at(to);
    window.run_steps(2);
    assert!(side(&mut window) > 0.0, "the legend was not dragged to the right");
    choose(&mut window, "Legend: left");
    choose(&mut window, "Legend: right");
    assert!(side(&mut window) > 0.0);
}

#[test]
fn the_side_of_the_legend_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(Vec::new(), Some(folder.path().to_owned()));
    window.run_steps(2);
    choose(&mut window, "Legend: left");
    eframe::App::on_exit(window.state_mut());
    let mut other = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], Some(folder.path().to_owned()));
    settle(&mut other);
    other.get_by_label("Align and compare").click();
    settle(&mut other);
    assert!(side(&mut other) < 0.0);
}
