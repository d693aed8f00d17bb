//! A real window on a virtual display, driven by mouse and keys.

use std::io::BufRead;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{asset, is_thorough, skipped, text};

/// A process that is ended with the test.
struct Ended(Child);

impl Ended {
    /// Seconds of the processor that it took so far.
    fn processor_s(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        // After the name in parentheses, the 12th and 13th field, in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |number: usize| fields.get(number).and_then(|own| own.parse::<f64>().ok()).unwrap_or_default();
        (ticks(11) + ticks(12)) / 100.0
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn has(program: &str) -> bool {
    Command::new("which").arg(program).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn xdotool(display: &str, arguments: &[&str]) -> String {
    let output = Command::new("xdotool").args(arguments).env("DISPLAY", display).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(90), "{what} did not come");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// A real window on a display of its own, in a folder of its own.
struct Desktop {
    // Ended before its display.
    program: Ended,
    _server: Ended,
    display: String,
    folder: tempfile::TempDir,
    window: String,
}

impl Desktop {
    /// Starts the program; `None` where there is no virtual display.
    fn start(files: &[&str], locale: &str) -> Option<Self> {
        if !has("Xvfb") || !has("xdotool") {
            skipped("Xvfb and xdotool are not installed");
            return None;
        }
        let mut server = Ended(
            Command::new("Xvfb")
                // Else it starts anew, and refuses connections meanwhile, whenever its last client leaves.
                .args(["-displayfd", "1", "-screen", "0", "1360x860x24", "-noreset"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        );
        // It chooses a free display, and says which once it is ready.
        let mut number = String::new();
        std::io::BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let display = format!(":{}", number.trim());
        let folder = tempfile::tempdir().unwrap();
        let program = Ended(
            Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
                .args(files)
                .env("DISPLAY", &display)
                .env_remove("WAYLAND_DISPLAY")
                .env("XDG_STATE_HOME", folder.path().join("state"))
                .env_remove("LC_ALL")
                .env_remove("LC_MESSAGES")
                .env("LANG", locale)
                .current_dir(folder.path())
                .spawn()
                .unwrap(),
        );
        let window = wait_for("the window", || {
            let found = xdotool(&display, &["search", "--name", "Shadowgraph"]);
            found.lines().next().map(str::to_owned).filter(|id| !id.is_empty())
        });
        let own = Self { _server: server, display, folder, program, window };
        // No window manager: put the window where the coordinates below are.
        own.send(&["windowmove", &own.window, "0", "0"]);
        own.send(&["windowsize", &own.window, "1360", "860"]);
        own.settle();
        own.send(&["windowfocus", &own.window]);
        own.send(&["mousemove", "640", "760"]);
        own.settle();
        Some(own)
    }

    /// Waits until the program does nothing but blink.
    fn settle(&self) {
        let started = Instant::now();
        let mut quiet = 0;
        while quiet < 2 && started.elapsed() < Duration::from_secs(90) {
            let before_s = self.program.processor_s();
            std::thread::sleep(Duration::from_millis(250));
            quiet = if self.program.processor_s() - before_s < 0.1 { quiet + 1 } else { 0 };
        }
    }

    fn send(&self, arguments: &[&str]) {
        xdotool(&self.display, arguments);
    }

    fn click(&self, x: &str, y: &str) {
        self.send(&["mousemove", x, y]);
        std::thread::sleep(Duration::from_millis(200));
        self.send(&["click", "1"]);
        std::thread::sleep(Duration::from_millis(200));
    }

    fn press(&self, key: &str) {
        self.send(&["key", key]);
        std::thread::sleep(Duration::from_millis(400));
    }

    fn type_in(&self, typed: &str) {
        self.send(&["type", "--delay", "30", typed]);
        std::thread::sleep(Duration::from_millis(400));
    }

    /// Types a path into a file dialog in place of what stands there, and confirms it.
    fn enter_path(&self, path: &str) {
        self.press("ctrl+a");
        self.type_in(path);
        self.picture("dialog");
        self.press("Return");
        self.settle();
    }

    /// Keeps what the screen shows, if pictures are asked for.
    fn picture(&self, name: &str) {
        if let Some(pictures) = std::env::var_os("SHADOWGRAPH_PICTURES") {
            let file = std::path::Path::new(&pictures).join(format!("display-{name}.png"));
            let _ = Command::new("import").args(["-display", &self.display, "-window", "root"]).arg(file).status();
        }
    }

    /// The summary of the report, once it is there.
    fn summary(&self) -> Option<serde_json::Value> {
        let written = std::fs::read_to_string(self.folder.path().join("report/summary.json")).ok()?;
        serde_json::from_str(&written).ok()
    }
}

#[test]
fn a_real_window_inspects_by_mouse_and_saves_the_report() {
    let files = [asset("bracket.stl"), asset("bracket-scan.ply")];
    let Some(desktop) = Desktop::start(&[text(&files[0]), text(&files[1])], "C") else { return };
    // “Align and compare”, the first large button of the right panel.
    desktop.click("1190", "92");
    desktop.settle();
    desktop.picture("mouse");
    // The Report room, then “Write report”.
    desktop.send(&["windowfocus", &desktop.window]);
    desktop.press("ctrl+7");
    desktop.settle();
    let summary = wait_for("the report", || {
        for y in ["484", "492", "500"] {
            desktop.click("1190", y);
            std::thread::sleep(Duration::from_millis(500));
        }
        desktop.settle();
        desktop.summary()
    });
    assert_eq!(summary["verdict"], "fail");
}

/// From an empty window to a report to be signed and an ended program, by keys alone; `write_report` is what the command
/// that writes the report is called in the window's language.
fn inspects_by_keys(locale: &str, write_report: &str) {
    let Some(mut desktop) = Desktop::start(&[], locale) else { return };
    let shot = |desktop: &Desktop, step: &str| desktop.picture(&format!("{locale}-{step}"));
    shot(&desktop, "1-empty");
    for file in ["bracket.stl", "bracket-scan.ply"] {
        desktop.press("ctrl+o");
        desktop.enter_path(text(&asset(file)));
    }
    shot(&desktop, "2-opened");
    desktop.press("ctrl+Return");
    desktop.settle();
    shot(&desktop, "3-compared");
    // The first field of the room Report is its title.
    desktop.press("ctrl+7");
    desktop.settle();
    desktop.press("F6");
    desktop.settle();
    for (field, typed) in ["Bracket, first article", "4711", "0815", "A. Inspector"].into_iter().enumerate() {
        if field > 0 {
            desktop.press("Tab");
            desktop.settle();
        }
        desktop.type_in(typed);
    }
    shot(&desktop, "4-named");
    desktop.press("Escape");
    let summary = wait_for("the report", || {
        desktop.press("ctrl+p");
        desktop.type_in(write_report);
        shot(&desktop, "5-palette");
        desktop.press("Return");
        desktop.settle();
        desktop.summary()
    });
    shot(&desktop, "6-report");
    assert_eq!(summary["verdict"], "fail");
    let page = std::fs::read_to_string(desktop.folder.path().join("report/report.html")).unwrap();
    for typed in ["Bracket, first article", "4711", "0815", "A. Inspector"] {
        assert!(page.contains(typed), "{typed} is not in the report");
    }
    desktop.press("ctrl+s");
    desktop.enter_path(text(&desktop.folder.path().join("bracket.shadowgraph")));
    shot(&desktop, "7-saved");
    desktop.press("ctrl+q");
    let ended = wait_for("the end", || desktop.program.0.try_wait().unwrap());
    assert!(ended.success());
    assert!(desktop.folder.path().join("bracket.shadowgraph").exists());
}

#[test]
fn a_real_window_goes_from_scan_to_report_by_keyboard_alone() {
    inspects_by_keys("C", "Write report");
}

#[test]
fn a_real_window_goes_from_scan_to_report_in_german() {
    if !is_thorough() {
        return skipped("a second language of the real window, without SHADOWGRAPH_THOROUGH");
    }
    inspects_by_keys("de_DE.UTF-8", "Bericht schreiben");
}
