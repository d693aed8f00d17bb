//! The mechanical alignment: the machine's line, the watched folder, and the angles in the window.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nalgebra::UnitQuaternion;
use shadowgraph::app::App;
use shadowgraph::dispatch;
use shadowgraph::geometry::{Cloud, Point, Vector};
use shadowgraph::inspect::calibration::Handedness;
use shadowgraph::inspect::calibration::mechanical::{TURNS, Turned};
use shadowgraph::inspect::calibration::trials::{self, Scene, Setting};
use shadowgraph::inspect::simulation::sensor::Sensor;
use shadowgraph::io::cmm_connection::{CmmConnection, Event, Statement};
use shadowgraph::io::watched_folder::{self, Looks, WatchedFolder};
use shadowgraph::io::write;

use super::support::text;
use super::window::{open, save_picture, settle};

/// Waits until `done` gives something; `what` is said where it never does.
fn wait<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(done) = done() {
            return done;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The line's next events, `count` of them.
fn next(line: &CmmConnection, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    wait("an event", || {
        events.extend(line.events());
        (events.len() >= count).then_some(())
    });
    events
}

#[test]
fn a_line_is_read_told_when_it_tears_and_opened_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let line = CmmConnection::open(&address, || ()).unwrap();
    let (mut machine, _) = listener.accept().unwrap();
    machine.write_all(b"POS 1,2,3\r\nTOUCH LP 4 5 ").unwrap();
    machine.flush().unwrap();
    std::thread::sleep(Duration::from_millis(250));
    machine.write_all(b"6\nTOUCH LP 1 x 3\nTOUCH RP 7").unwrap();
    drop(machine);
    let events = next(&line, 6);
    assert_eq!(events[0], Event::Opened);
    assert_eq!(events[1], Event::Statement(Statement::Position(Point::new(1.0, 2.0, 3.0))));
    assert_eq!(events[2], Event::Statement(Statement::Touch { region: "LP".into(), place: Point::new(4.0, 5.0, 6.0) }));
    assert!(matches!(&events[3], Event::Skipped(text) if text.contains("Line 3")), "{events:?}");
    assert!(matches!(&events[4], Event::Skipped(text) if text.contains("Line 4 is incomplete")), "{events:?}");
    assert!(matches!(&events[5], Event::Lost(text) if text.contains(&address)), "{events:?}");
    // Tried again by itself, and counted anew.
    let (mut machine, _) = listener.accept().unwrap();
    machine.write_all(b"BEGIN\nnonsense\n").unwrap();
    let events = next(&line, 3);
    assert_eq!(events[..2], [Event::Opened, Event::Statement(Statement::Begin)]);
    assert!(matches!(&events[2], Event::Skipped(text) if text.contains("Line 2")), "{events:?}");
    // Dropped, it lets go of the machine.
    drop(line);
    machine.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(machine.read(&mut [0; 8]).unwrap(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_serial_line_is_set_to_its_speed_and_read() {
    use std::os::fd::AsRawFd as _;
    let (one, two) = serial2::SerialPort::pair().unwrap();
    let device = |port: &serial2::SerialPort| {
        let path = std::fs::read_link(format!("/proc/self/fd/{}", port.as_raw_fd())).unwrap();
        path.starts_with("/dev/pts").then_some(path)
    };
    let (machine, cable, path) = match (device(&one), device(&two)) {
        (Some(path), _) => (two, one, path),
        (None, Some(path)) => (one, two, path),
        (None, None) => panic!("neither end has a name"),
    };
    // It has no parity.
    let line = CmmConnection::open(&format!("{}@19200,7E1", path.display()), || ()).unwrap();
    assert!(matches!(&next(&line, 1)[..], [Event::Lost(text)] if text.contains("baud rate or frame")));
    let line = CmmConnection::open(&format!("{}@19200,8N2", path.display()), || ()).unwrap();
    assert_eq!(next(&line, 1), [Event::Opened]);
    let settings = cable.get_configuration().unwrap();
    assert_eq!(settings.get_baud_rate().unwrap(), 19_200);
    assert_eq!(settings.get_stop_bits().unwrap(), serial2::StopBits::Two);
    machine.write_all(b"POS 1 2 ").unwrap();
    std::thread::sleep(Duration::from_millis(250));
    machine.write_all(b"3\r\nTOUCH SU 4 5 6\r\n").unwrap();
    let touched = Statement::Touch { region: "SU".into(), place: Point::new(4.0, 5.0, 6.0) };
    assert_eq!(
        next(&line, 2),
        [Event::Statement(Statement::Position(Point::new(1.0, 2.0, 3.0))), Event::Statement(touched)]
    );
    // Pulled out.
    drop((machine, cable));
    assert!(matches!(&next(&line, 1)[..], [Event::Lost(text)] if text.contains("/dev/pts")));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "POS 1 2 3\n").unwrap();
    let line = CmmConnection::open(&file.display().to_string(), || ()).unwrap();
    assert!(matches!(&next(&line, 1)[..], [Event::Lost(text)] if text.contains("not a serial device")));
}

#[test]
fn a_closed_port_is_a_sentence_said_once() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("tcp://{}", listener.local_addr().unwrap())
    };
    let line = CmmConnection::open(&address, || ()).unwrap();
    let events = next(&line, 1);
    assert!(matches!(&events[..], [Event::Lost(text)] if text.contains(&address) && text.contains("refused")));
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(line.events().count(), 0);
    assert!(CmmConnection::open("nowhere", || ()).is_err());
}

#[test]
fn a_file_written_in_two_halves_is_told_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("old.ply"), "old").unwrap();
    let list = || watched_folder::list(folder.path()).unwrap();
    let mut looks = Looks::new(&list());
    let mut file = std::fs::File::create(at("new.ply")).unwrap();
    file.write_all(b"first half").unwrap();
    std::fs::write(at("other.ply.part"), "on its way").unwrap();
    std::fs::write(at("notes.docx"), "none").unwrap();
    assert!(looks.step(&list()).is_empty());
    file.write_all(b" and the second").unwrap();
    drop(file);
    assert!(looks.step(&list()).is_empty());
    assert_eq!(looks.step(&list()), [at("new.ply")]);
    assert!(looks.step(&list()).is_empty());
    assert!(watched_folder::list(&at("missing")).unwrap_err().sentence.contains("missing"));
}

#[test]
fn a_folder_that_comes_late_is_watched_from_then_on() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("snapshots");
    let watched = WatchedFolder::open(&folder, || ()).unwrap();
    let next = |what: &str| wait(what, || watched.events().next());
    assert!(matches!(next("the sentence"), watched_folder::Event::Lost(text) if text.contains("snapshots")));
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(next("the folder"), watched_folder::Event::Opened);
    std::fs::write(folder.join("a.ply"), "ply").unwrap();
    assert_eq!(next("the file"), watched_folder::Event::Complete(folder.join("a.ply")));
}

fn rx_ry_rz(angles_deg: [f64; 3]) -> UnitQuaternion<f64> {
    let about = |k: usize| UnitQuaternion::from_scaled_axis(Vector::ith(k, angles_deg[k].to_radians()));
    about(0) * about(1) * about(2)
}

/// Roll, pitch and yaw as the window shows them, degrees.
fn shown(harness: &Harness<'static, App>) -> Option<[f64; 3]> {
    let angle = |turn: &str| -> Option<f64> {
        let texts = harness.query_all_by(|node| node.value().is_some_and(|text| text.starts_with(turn)));
        let mut numbers = texts.filter_map(|node| node.value()?.trim_end_matches('°').split(' ').nth(1)?.parse().ok());
        numbers.next_back()
    };
    Some([angle(TURNS[0])?, angle(TURNS[1])?, angle(TURNS[2])?])
}

/// Runs frames until the window shows angles that `is_right` takes.
fn wait_for_angles(harness: &mut Harness<'static, App>, is_right: impl Fn([f64; 3]) -> bool) -> [f64; 3] {
    wait("the angles", || {
        harness.run_steps(2);
        shown(harness).filter(|angles| is_right(*angles))
    })
}

fn has_text(harness: &Harness<'static, App>, part: &str) -> bool {
    harness.query_all_by(|node| node.value().is_some_and(|text| text.contains(part))).next().is_some()
}

fn wait_for_text(harness: &mut Harness<'static, App>, part: &str) {
    wait(part, || {
        harness.run_steps(2);
        has_text(harness, part).then_some(())
    });
}

/// Types into a field.
fn fill(harness: &mut Harness<'static, App>, name: &str, typed: &str) {
    harness.get_by_role_and_label(egui::Role::TextInput, name).focus();
    harness.run_steps(1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.get_by_role_and_label(egui::Role::TextInput, name).type_text(typed);
    harness.run_steps(2);
}

fn write_snapshot(path: &Path, scene: &Scene) {
    write::cloud(path, &Cloud::from_points(scene.views[0].cloud.points.clone())).unwrap();
}

/// What a machine says of its touches.
fn touches(setting: &Setting, scene: &Scene) -> String {
    let named = setting.artefact.artefact().regions().iter().zip(&scene.touches);
    let lines = named.flat_map(|(region, places)| {
        places.iter().map(|place| format!("TOUCH {} {},{},{}\r\n", region.short, place.x, place.y, place.z))
    });
    std::iter::once("BEGIN\r\n".to_owned()).chain(lines).collect()
}

/// A mis-laid artefact is touched over TCP, then a mis-mounted sensor's snapshots come into the folder: the window shows
/// what is still to be turned, each time.
#[test]
fn the_window_shows_what_is_still_to_be_turned() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting { sensor: Sensor { pitch_mm: [0.35, 0.35], ..Sensor::default() }, ..Setting::default() };
    let made = trials::Made::of(&setting);
    let scene = trials::scene(&setting, &made, Handedness::Right, 3).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut harness = open(Vec::new(), None);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    harness.get_by_label("Mechanical alignment").click();
    harness.run_steps(3);
    assert!(has_text(&harness, "Not started"));
    // Nothing named is a sentence.
    harness.get_by_label("Start monitoring").click();
    settle(&mut harness);
    assert!(has_text(&harness, "Name the folder"));
    harness.get_by_label("Dismiss").click();
    harness.run_steps(3);

    let line = format!("tcp://{}", listener.local_addr().unwrap());
    fill(&mut harness, "Snapshot folder", text(folder.path()));
    fill(&mut harness, "CMM connection", &line);
    harness.get_by_label("Start monitoring").click();
    settle(&mut harness);
    assert!(harness.state().dispatcher().mechanical.is_running(), "{:?}", harness.state().dispatcher().messages);
    let setup = harness.state().dispatcher().document.calibration.setup.mechanical.clone();
    assert_eq!((setup.folder.as_str(), setup.line.as_str()), (text(folder.path()), line.as_str()));
    let (mut machine, _) = listener.accept().unwrap();
    machine.write_all(touches(&setting, &scene).as_bytes()).unwrap();
    let left = |angles: [f64; 3], lies: UnitQuaternion<f64>| (rx_ry_rz(angles) * lies).angle().to_degrees();
    let lies = scene.cmm_from_artefact.rotation;
    let angles = wait_for_angles(&mut harness, |angles| left(angles, lies) < 0.02);
    // In words, with the screw's turns: 50 mm of arm, 0.5 mm a turn.
    let sense = if angles[0] < 0.0 { "clockwise about X" } else { "counter-clockwise about X" };
    assert!(has_text(&harness, sense));
    let turns = harness.state().dispatcher().mechanical.reading(Turned::Artefact).unwrap().outcome.clone().unwrap();
    let turns = format!("{:.2} turns of the screw", (turns.angles_rad[0] * 100.0).abs());
    assert!(has_text(&harness, &turns), "{turns}");
    save_picture(&mut harness, "mechanical-artefact");

    // The sensor, over the artefact as it was touched.
    harness.get_by_label("2. Sensor module").click();
    settle(&mut harness);
    wait_for_text(&mut harness, "Waiting for a snapshot");
    wait("the folder", || {
        harness.run_steps(2);
        let is_open = harness.state().dispatcher().mechanical.folder_source == dispatch::mechanical::Source::Open;
        is_open.then_some(())
    });
    write_snapshot(&folder.path().join("snapshot-1.ply"), &scene);
    let mounted = scene.cmm_from_sensor.rotation;
    let nominal = UnitQuaternion::from_scaled_axis(Vector::x() * std::f64::consts::PI);
    let off = |angles: [f64; 3], mounted: UnitQuaternion<f64>| left(angles, mounted * nominal.inverse());
    let angles = wait_for_angles(&mut harness, |angles| off(angles, mounted) < 0.05);
    wait_for_text(&mut harness, "snapshot-1.ply");
    assert!(has_text(&harness, "Last snapshot: ") && has_text(&harness, "as probed"));
    save_picture(&mut harness, "mechanical-sensor");
    harness.ctx.set_theme(egui::Theme::Dark);
    save_picture(&mut harness, "mechanical-dark");

    // Turned as it says, the next snapshot is good.
    let turned = rx_ry_rz(angles) * mounted;
    let mut random = shadowgraph::base::random::Random::new(1, 1);
    let lies = scene.cmm_from_artefact;
    let next = trials::look(&setting, &made, Handedness::Right, &turned, &lies, &mut random, 4).unwrap();
    write_snapshot(&folder.path().join("snapshot-2.ply"), &next);
    wait_for_text(&mut harness, "snapshot-2.ply");
    let angles = wait_for_angles(&mut harness, |angles| angles.iter().all(|angle| angle.abs() < 0.1));
    assert!(off(angles, turned) < 0.05, "{angles:?}");
    // A file that is no snapshot is a sentence, and the line that breaks another.
    std::fs::write(folder.path().join("snapshot-3.ply"), "nonsense").unwrap();
    wait_for_text(&mut harness, "snapshot-3.ply");
    drop((machine, listener));
    wait_for_text(&mut harness, "is lost");
    // Nothing of it was a step since the pick of the stage.
    harness.get_by_label("Stop monitoring").click();
    harness.run_steps(3);
    assert!(!harness.state().dispatcher().mechanical.is_running());
    assert_eq!(harness.state().dispatcher().history.undo_label(), Some("Change the set-up"));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(harness.state().dispatcher().document.calibration.setup.mechanical.turned, Turned::Artefact);
}

/// The simulated machine: touches over TCP, snapshots in the folder, screws turned by typing.
#[test]
fn the_simulated_machine_measures_after_each_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(["simulate-machine", "--listen", "127.0.0.1:0", "--pitch-mm", "1.0", "--folder"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = program.stdin.take().unwrap();
    let mut printed = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(printed.next().unwrap(), "wrote snapshot-0001.ply");
    let address = printed.next().unwrap().strip_prefix("listening on tcp://").unwrap().to_owned();
    let machine = TcpStream::connect(address).unwrap();
    machine.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut heard = BufReader::new(machine).lines().map(Result::unwrap);
    let mut measurement = || -> Vec<String> { heard.by_ref().take(2 + 6 * 25).collect() };
    let before = measurement();
    assert!(before[0].starts_with("POS ") && before[1] == "BEGIN" && before[2].starts_with("TOUCH LP "), "{before:?}");
    let mut truth = |typed: &mut dyn Write| -> [Vec<f64>; 2] {
        writeln!(typed, "truth").unwrap();
        let numbers = |line: String| {
            let words = line.split([' ', ',']).filter_map(|word| word.parse().ok());
            words.collect::<Vec<f64>>()
        };
        [numbers(printed.next().unwrap()), numbers(printed.next().unwrap())]
    };
    let [_, sensor] = truth(&mut typed);
    assert_eq!(sensor.len(), 3);
    writeln!(typed, "turn sensor roll 0.5").unwrap();
    let after = measurement();
    assert_eq!(after.len(), before.len());
    assert_ne!(after, before);
    assert_eq!(printed.next().unwrap(), "wrote snapshot-0002.ply");
    writeln!(typed, "turn sensor about 1").unwrap();
    assert!(printed.next().unwrap().contains("is expected"));
    writeln!(typed, "quit").unwrap();
    assert!(program.wait().unwrap().success());
    let names: Vec<PathBuf> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|path| watched_folder::is_snapshot(path)), "{names:?}");
}
