//! A window in which nothing happens draws nothing: frames that nobody sees cost the computation beside them, and the battery.

use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::Align;
use shadowgraph::geometry::Pose;

use super::support::asset;
use super::window::{open, send, settle};

/// The least time to the next frame that the window asks for, once all that moves has come to rest.
fn next_frame(window: &mut Harness<'static, App>) -> Duration {
    for _ in 0..25 {
        window.run_steps(1);
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = window.output().viewport_output.values().map(|own| own.repaint_delay);
    asked.min().expect("a viewport")
}

#[test]
fn over_part_and_background_no_frame_is_asked_for() {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    let view = window.get_by_label("3D viewport").rect();
    use egui::Key::{Num1, Num2, Num3, Num4, Num5, Num6, Num7};
    for room in [Num1, Num2, Num3, Num4, Num5, Num6, Num7] {
        window.key_press_modifiers(egui::Modifiers::COMMAND, room);
        settle(&mut window);
        for at in [view.center(), view.left_bottom() + egui::vec2(8.0, -8.0)] {
            window.hover_at(at);
            // A caret blinks twice a second.
            assert!(next_frame(&mut window) > Duration::from_millis(200), "room {room:?}, pointer at {at}");
        }
    }
}

#[test]
fn an_empty_window_asks_for_no_frame() {
    let mut window = open(Vec::new(), None);
    settle(&mut window);
    let view = window.get_by_label("3D viewport").rect();
    window.hover_at(view.left_bottom() + egui::vec2(8.0, -8.0));
    assert!(next_frame(&mut window) > Duration::from_millis(200));
}
