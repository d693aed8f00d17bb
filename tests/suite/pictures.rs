//! Every workspace as it is seen: empty, with parts, done and failed, light and dark.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Features, Inspect, Select};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Pose, Vector};
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::session::selection::Selectable;

use super::support::asset;
use super::window::{compare_picture, open, settle};

type Window = Harness<'static, App>;

fn show(window: &mut Window, workspace: &str) {
    window.get_by_label(workspace).click();
    settle(window);
    // The pointer would leave its mark on the button.
    window.hover_at(egui::pos2(640.0, 795.0));
    window.run_steps(4);
}

fn toggle_theme(window: &mut Window) {
    window.get_by_label("View").click();
    window.run_steps(3);
    window.get_by_label("Light or dark theme").click();
    window.run_steps(4);
}

#[test]
fn rooms_without_parts_say_what_they_need() {
    let mut window = open(Vec::new(), None);
    for workspace in ["Calibrate", "Features", "Report"] {
        show(&mut window, workspace);
        compare_picture(&mut window, &format!("empty-{}", workspace.to_lowercase()));
    }
    toggle_theme(&mut window);
    show(&mut window, "Calibrate");
    compare_picture(&mut window, "empty-calibrate-dark");
}

/// The demo part, aligned and compared, with a plane fitted to some of its points.
pub fn inspected() -> Window {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.state_mut().send(Inspect::AlignAndCompare);
    settle(&mut window);
    let some = Subset::new((0..3000).collect());
    window.state_mut().send(Select::Numbers(Selectable::Points, some, Combine::Replace));
    let (kind, objective) = (Kind::Plane, Objective::Gaussian);
    window.state_mut().send(Features::Fit { kind, objective, robust: true, clip_sigmas: Some(3.0) });
    settle(&mut window);
    window
}

#[test]
fn rooms_with_parts_show_what_was_done() {
    let mut window = inspected();
    for workspace in ["Align", "Features", "Report"] {
        show(&mut window, workspace);
        compare_picture(&mut window, &format!("done-{}", workspace.to_lowercase()));
    }
    toggle_theme(&mut window);
    for workspace in ["Compare", "Features"] {
        show(&mut window, workspace);
        compare_picture(&mut window, &format!("done-{}-dark", workspace.to_lowercase()));
    }
}

#[test]
fn what_fails_says_so_over_the_view_and_in_the_tree() {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.state_mut().send(Align::SetPose(Pose::new(Vector::new(500.0, 0.0, 0.0), Vector::zeros())));
    window.state_mut().send(Inspect::Compare);
    settle(&mut window);
    show(&mut window, "Compare");
    assert!(window.query_all_by_label_contains("do not overlap").next().is_some());
    compare_picture(&mut window, "failed-compare");
}
