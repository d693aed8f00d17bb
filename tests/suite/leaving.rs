//! Leaving unsaved work: the question, its answers, the autosave, the title, and saving in place.

use std::path::Path;

use egui::{Key, Modifiers, ViewportEvent, ViewportId};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::{Align, Command, Inspect, Projects, Select, Visibility};
use shadowgraph::geometry::Pose;
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::inspect::alignment::point_pairs::PointPair;
use shadowgraph::session::project::Project;
use shadowgraph::session::selection::Selectable;

use super::support::asset;
use super::window::{compare_picture, open, settle};

type Window = Harness<'static, App>;

/// As the cross of the title bar does.
fn close(window: &mut Window) {
    window.input_mut().viewports.entry(ViewportId::ROOT).or_default().events.push(ViewportEvent::Close);
    window.run_steps(3);
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

/// Types a path into the dialog that has the keyboard, in place of what stands there.
fn type_path(window: &mut Window, path: &Path) {
    press(window, Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(path.to_str().unwrap().to_owned()));
    window.run_steps(2);
}

fn change(window: &mut Window, high_mm: f64) {
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.tolerance.high_mm = high_mm;
    window.state_mut().send(Inspect::SetSettings(Box::new(settings)));
    settle(window);
}

fn high_mm_in(path: &Path) -> f64 {
    Project::load(path).unwrap().0.settings.deviation.tolerance.high_mm
}

#[test]
fn closing_asks_while_something_is_unsaved_and_saving_then_closes() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    // The file may have been there before the panels had their final sizes.
    press(&mut window, Modifiers::NONE, Key::F);
    close(&mut window);
    assert!(!window.state().may_close(), "closed without a question");
    compare_picture(&mut window, "leaving");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Don’t save").is_none() && !window.state().may_close());
    // Save asks for a file where there is none yet; the extension is added.
    close(&mut window);
    click(&mut window, "Save");
    type_path(&mut window, &folder.path().join("bracket"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    settle(&mut window);
    let path = folder.path().join("bracket.shadowgraph");
    assert!(path.is_file() && window.state().may_close(), "{:?}", window.state().dispatcher().messages);
    assert_eq!(Project::load(&path).unwrap().0, Project::of(&window.state().dispatcher().document));
}

#[test]
fn what_is_refused_is_left_and_what_is_saved_needs_no_question() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    close(&mut window);
    click(&mut window, "Don’t save");
    assert!(window.state().may_close());
    let mut empty = open(Vec::new(), None);
    empty.run_steps(3);
    close(&mut empty);
    assert!(empty.state().may_close(), "an empty window asked");
}

#[test]
fn saving_in_place_and_as_another_file_and_the_title() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["one", "two"].map(|name| folder.path().join(format!("{name}.shadowgraph")));
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    assert_eq!(window.state().title(), "• Untitled – Shadowgraph");
    press(&mut window, Modifiers::COMMAND, Key::S);
    type_path(&mut window, &first);
    press(&mut window, Modifiers::NONE, Key::Enter);
    settle(&mut window);
    assert_eq!(window.state().title(), "one.shadowgraph – Shadowgraph");
    change(&mut window, 0.31);
    assert_eq!(window.state().title(), "• one.shadowgraph – Shadowgraph");
    // In place, without a dialog.
    press(&mut window, Modifiers::COMMAND, Key::S);
    settle(&mut window);
    assert_eq!((high_mm_in(&first), window.state().title().as_str()), (0.31, "one.shadowgraph – Shadowgraph"));
    // Undo leaves what was saved, redo leads back to it.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(window.state().title().starts_with('•'));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert!(!window.state().title().starts_with('•'));
    change(&mut window, 0.32);
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    type_path(&mut window, &second);
    press(&mut window, Modifiers::NONE, Key::Enter);
    settle(&mut window);
    assert_eq!((high_mm_in(&first), high_mm_in(&second)), (0.31, 0.32));
    assert_eq!(window.state().title(), "two.shadowgraph – Shadowgraph");
    // A file that is there is replaced by a click, not by the key that ends the typing.
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    type_path(&mut window, &first);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(high_mm_in(&first), 0.31);
    click(&mut window, "Replace");
    settle(&mut window);
    assert_eq!(high_mm_in(&first), 0.32);
}

#[test]
fn another_project_and_a_new_inspection_ask_too_and_undo_keeps_files_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.shadowgraph");
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    window.state_mut().send(Projects::Save(path.clone()));
    settle(&mut window);
    change(&mut window, 0.4);
    click(&mut window, "File");
    click(&mut window, "New inspection");
    assert!(window.state().dispatcher().document.nominal().is_some(), "gone without a question");
    click(&mut window, "Don’t save");
    settle(&mut window);
    assert!(window.state().dispatcher().document.nominal().is_none());
    assert_eq!(window.state().title(), "Untitled – Shadowgraph");
    // Back in the first inspection, saving goes into its own file.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().title(), "• saved.shadowgraph – Shadowgraph");
    press(&mut window, Modifiers::COMMAND, Key::S);
    settle(&mut window);
    assert_eq!(high_mm_in(&path), 0.4);
}

#[test]
fn a_save_that_fails_keeps_the_window_and_says_why() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    close(&mut window);
    click(&mut window, "Save");
    // The kernel's own disk that is always full.
    type_path(&mut window, Path::new("/dev/full/bracket.shadowgraph"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    settle(&mut window);
    assert!(!window.state().may_close());
    window.get_by_label("Dismiss");
    assert!(window.state().title().starts_with('•'));
    // And a dialog that is closed leaves nothing behind that would close it later.
    close(&mut window);
    click(&mut window, "Save");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.state_mut().send(Projects::Save(tempfile::tempdir().unwrap().path().join("x.shadowgraph")));
    settle(&mut window);
    assert!(!window.state().may_close());
}

/// A step of a session, by its number.
fn step(number: usize, random: &mut Random) -> Command {
    let (nominal, scan) = ([random.normal(); 3].into(), [random.normal(); 3].into());
    let some = Subset::new((0..200).filter(|_| random.uniform() < 0.3).collect());
    match number % 10 {
        0 => Command::Align(Align::AddPair(PointPair { nominal, scan, enabled: true })),
        1 => Command::Select(Select::Numbers(Selectable::Points, some, Combine::Replace)),
        2 => Command::Select(Select::Name(Selectable::Points, format!("face {number}"))),
        3 => Command::Align(Align::SetPose(Pose::translation(random.normal(), 0.0, 0.0))),
        4 => Command::Undo,
        5 => Command::Redo,
        6 => Command::Select(Select::Invert(Selectable::Points)),
        7 => Command::Select(Select::Show(Selectable::Points, Visibility::WithoutSelected)),
        8 => Command::Align(Align::TogglePair(0)),
        _ => Command::Select(Select::Numbers(Selectable::Facets, some, Combine::Add)),
    }
}

/// Nothing is lost that was not refused: a saved session is in its file, a killed one in its autosave, a kept one is open.
#[test]
fn closings_at_random_moments_lose_nothing_that_was_not_refused() {
    let rounds = std::env::var("SHADOWGRAPH_CLOSINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let folder = tempfile::tempdir().unwrap();
    let scan = folder.path().join("scan.xyz");
    let rows = (0..400).map(|i| format!("{} {} {}\n", i % 20, i / 20, (i * 7) % 5));
    std::fs::write(&scan, rows.collect::<String>()).unwrap();
    for round in 0..rounds {
        let mut random = Random::new(round, 0xC105E);
        let state = folder.path().join(format!("state {round}"));
        std::fs::create_dir(&state).unwrap();
        let saved = folder.path().join(format!("{round}.shadowgraph"));
        let mut window = open(vec![asset("bracket.stl"), scan.clone()], Some(state.clone()));
        if random.uniform() < 0.8 {
            settle(&mut window);
        }
        let steps = (random.uniform() * 30.0) as usize;
        for number in 0..steps {
            window.state_mut().send(step(number, &mut random));
            if random.uniform() < 0.5 {
                window.run_steps(1);
            }
        }
        close(&mut window);
        assert!(!window.state().may_close(), "round {round}: closed without a question");
        let now = |window: &Window| Project::of(&window.state().dispatcher().document);
        match round % 3 {
            0 => {
                window.state_mut().send(Projects::Save(saved.clone()));
                settle(&mut window);
                // Where the question is still shown there was more to save than the job that was waited for.
                if window.query_by_label("Save").is_some() {
                    click(&mut window, "Save");
                    settle(&mut window);
                }
                assert!(window.state().may_close(), "round {round}");
                assert_eq!(Project::load(&saved).unwrap().0, now(&window), "round {round}");
            }
            1 => {
                settle(&mut window);
                let before = now(&window);
                click(&mut window, "Cancel");
                assert!(!window.state().may_close());
                assert_eq!(now(&window), before, "round {round}");
            }
            _ => {
                // Killed behind the question: what was done is brought back.
                settle(&mut window);
                std::thread::sleep(std::time::Duration::from_millis(2100));
                window.run_steps(3);
                let before = now(&window);
                drop(window);
                let own = state.join(format!("autosave-{}.shadowgraph", std::process::id()));
                std::fs::rename(&own, state.join("autosave-4194305.shadowgraph")).unwrap();
                let mut again = open(Vec::new(), Some(state.clone()));
                again.run_steps(3);
                click(&mut again, "Restore");
                settle(&mut again);
                assert_eq!(now(&again), before, "round {round}");
                assert!(again.state().title().starts_with('•'), "what was brought back is in no file yet");
            }
        }
    }
}

/// An autosave stays until all is saved or was refused, and the one that was brought back goes with it.
#[test]
fn autosaves_stay_until_saved_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let count = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("autosave-")).count()
    };
    let mut window = open(vec![asset("bracket.stl")], Some(folder.path().to_owned()));
    settle(&mut window);
    std::thread::sleep(std::time::Duration::from_millis(2100));
    window.run_steps(3);
    // The window is closed over its head, by a display that goes.
    eframe::App::on_exit(window.state_mut());
    assert_eq!(count(), 1);
    drop(window);
    let own = folder.path().join(format!("autosave-{}.shadowgraph", std::process::id()));
    std::fs::rename(&own, folder.path().join("autosave-4194305.shadowgraph")).unwrap();
    let mut window = open(Vec::new(), Some(folder.path().to_owned()));
    window.run_steps(3);
    click(&mut window, "Restore");
    settle(&mut window);
    close(&mut window);
    click(&mut window, "Don’t save");
    eframe::App::on_exit(window.state_mut());
    assert_eq!(count(), 0);
}

#[test]
fn the_theme_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(Vec::new(), Some(folder.path().to_owned()));
    window.run_steps(2);
    click(&mut window, "View");
    click(&mut window, "Light or dark theme");
    eframe::App::on_exit(window.state_mut());
    let text = std::fs::read_to_string(folder.path().join("window.json")).unwrap();
    assert!(text.contains("\"dark\":true"), "{text}");
}
