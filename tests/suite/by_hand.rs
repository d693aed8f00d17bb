//! The scan moved by hand: by handles in the view and by typed values, each an undo step, and said to be so.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Role, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Inspect};
use shadowgraph::geometry::{Point, Pose, Vector};
use shadowgraph::inspect::alignment::{Alignment, Method};
use shadowgraph::session::{Document, verdict};

use super::support::asset;
use super::window::{compare_picture, open, send, settle};

type Window = Harness<'static, App>;

fn document(window: &Window) -> &Document {
    &window.state().dispatcher().document
}

/// The demo part and its scan, not aligned, with the handles in the view.
fn opened() -> Window {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.get_by_label("By hand").click();
    window.run_steps(4);
    window
}

/// Centre of the scan's bounds in the nominal frame.
fn centre(window: &Window) -> Point {
    document(window).nominal_from_scan() * document(window).actual().unwrap().cloud.bounds().centre()
}

/// On the screen, what leads from the centre of the scan to a point beside it.
fn on_screen(window: &mut Window, beside: Vector) -> Vec2 {
    let centre = centre(window);
    let [from, to] = [centre, centre + beside].map(|point| window.state_mut().screen_place(&point).unwrap());
    to - from
}

fn press(window: &mut Window, from: Pos2, by: Vec2, modifiers: Modifiers) {
    let mut send = |event| {
        window.event_modifiers(event, modifiers);
        window.step();
    };
    send(Event::PointerMoved(from));
    send(button(from, true, modifiers));
    (1..=6).for_each(|step| send(Event::PointerMoved(from + by * (step as f32 / 6.0))));
}

fn release(window: &mut Window, at: Pos2, modifiers: Modifiers) {
    window.event_modifiers(button(at, false, modifiers), modifiers);
    window.step();
    settle(window);
}

fn button(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}

fn handle(window: &Window, name: &str) -> Pos2 {
    window.get_by_label(name).rect().center()
}

#[test]
fn an_arrow_moves_the_scan_along_its_axis_alone_and_undo_puts_it_back() {
    let mut window = opened();
    window.hover_at(Pos2::new(640.0, 795.0));
    window.run_steps(4);
    compare_picture(&mut window, "align-by-hand");
    let (from, by) = (handle(&window, "Move along x"), on_screen(&mut window, Vector::x() * 12.0));
    press(&mut window, from, by, Modifiers::NONE);
    assert!(document(&window).alignment().is_none(), "the scan moves on the screen until the button is released");
    release(&mut window, from + by, Modifiers::NONE);
    let moved = document(&window).nominal_from_scan();
    let shift = moved.translation.vector;
    assert!((shift.x - 12.0).abs() < 0.05 && [shift.y, shift.z] == [0.0; 2], "{shift}");
    assert_eq!(moved.rotation, Pose::identity().rotation);
    let alignment = document(&window).alignment().unwrap();
    assert!(alignment.by_hand && alignment.method_name() == "moved by hand");
    assert_eq!(window.state().dispatcher().history.undo_label(), Some("Move the scan by hand"));
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(document(&window).alignment().is_none());
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    settle(&mut window);
    assert_eq!(document(&window).nominal_from_scan(), moved);
    // Beside the handles the mouse still turns the view.
    let before = on_screen(&mut window, Vector::z() * 20.0);
    let beside = window.get_by_label("3D viewport").rect().left_top() + Vec2::new(60.0, 120.0);
    press(&mut window, beside, Vec2::new(80.0, 30.0), Modifiers::NONE);
    release(&mut window, beside + Vec2::new(80.0, 30.0), Modifiers::NONE);
    assert_ne!(on_screen(&mut window, Vector::z() * 20.0), before);
    assert_eq!(document(&window).nominal_from_scan(), moved);
}

#[test]
fn escape_takes_a_drag_back() {
    let mut window = opened();
    let undo = window.state().dispatcher().history.undo_label().map(str::to_owned);
    let from = handle(&window, "Move in the plane of the view");
    let (by, view) = (Vec2::new(60.0, 40.0), on_screen(&mut window, Vector::z() * 20.0));
    press(&mut window, from, by, Modifiers::NONE);
    window.key_press(Key::Escape);
    window.run_steps(2);
    window.hover_at(from + by + Vec2::new(30.0, 0.0));
    window.run_steps(2);
    release(&mut window, from + by + Vec2::new(30.0, 0.0), Modifiers::NONE);
    assert!(document(&window).alignment().is_none());
    assert_eq!(window.state().dispatcher().history.undo_label().map(str::to_owned), undo);
    assert_eq!(on_screen(&mut window, Vector::z() * 20.0), view, "the view was turned");
    // The tool is still there.
    handle(&window, "Move in the plane of the view");
    window.get_by_label("By hand").click();
    window.run_steps(3);
    assert!(window.query_by_label("Move in the plane of the view").is_none());
}

#[test]
fn a_ring_turns_about_the_centre_in_steps_with_ctrl() {
    let mut window = opened();
    let (pivot, from, by) = (centre(&window), handle(&window, "Turn about z"), Vec2::new(55.0, -25.0));
    press(&mut window, from, by, Modifiers::COMMAND);
    release(&mut window, from + by, Modifiers::COMMAND);
    let pose = document(&window).nominal_from_scan();
    assert!((centre(&window) - pivot).norm() < 1e-9);
    let (axis, angle_rad) = pose.rotation.axis_angle().expect("a turn");
    let steps = angle_rad.to_degrees() / 5.0;
    assert!(axis.z.abs() > 1.0 - 1e-12 && steps > 0.9 && (steps - steps.round()).abs() < 1e-9, "{axis:?} {steps}");
}

#[test]
fn typed_values_do_the_same_without_the_mouse() {
    let mut window = opened();
    let pivot = centre(&window);
    for (field, text) in [("Shift along z", "2,5"), ("Angle about x", "90")] {
        window.get_by_role_and_label(Role::SpinButton, field).click();
        window.run_steps(3);
        window.event(Event::Text(text.to_owned()));
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(4);
    }
    window.get_by_role_and_label(Role::Button, "Apply").click();
    settle(&mut window);
    let pose = document(&window).nominal_from_scan();
    assert!((centre(&window) - (pivot + Vector::z() * 2.5)).norm() < 1e-9);
    assert!((pose.rotation * Vector::y() - Vector::z()).norm() < 1e-12);
    // What was typed is done once.
    window.get_by_role_and_label(Role::Button, "Apply").click();
    settle(&mut window);
    assert_eq!(document(&window).nominal_from_scan(), pose);
}

#[test]
fn a_verdict_on_a_scan_aligned_by_hand_says_so() {
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    send(&mut window, Align::Run(Method::Auto));
    let pose = document(&window).nominal_from_scan();
    send(&mut window, Align::MoveByHand(pose));
    send(&mut window, Inspect::Compare);
    let overall = verdict::overall(document(&window)).unwrap();
    assert!(overall.headline().ends_with("; aligned by hand"), "{}", overall.headline());
    assert!(overall.remarks.iter().any(|own| own.contains("aligned by hand and not fitted")), "{:?}", overall.remarks);
    let alignment = document(&window).alignment().unwrap();
    let stored: Alignment = serde_json::from_value(serde_json::to_value(alignment).unwrap()).unwrap();
    assert!(stored.by_hand && stored.nominal_from_scan == pose);
    // A fit from there is a fit again.
    send(&mut window, Align::Run(Method::BestFit));
    assert!(!document(&window).alignment().unwrap().by_hand);
}
