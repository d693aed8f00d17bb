//! A real window on a virtual display, driven by mouse and keys.

use std::io::BufRead;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{asset, text};

/// A process that is ended with the test.
struct Ended(Child);

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

#[test]
fn a_real_window_inspects_by_mouse_and_saves_the_report() {
    if !has("Xvfb") || !has("xdotool") {
        super::support::skipped("Xvfb and xdotool are not installed");
        return;
    }
    let mut server = Ended(
        Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1360x860x24"])
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
    let _window = Ended(
        Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
            .args([text(&asset("bracket.stl")), text(&asset("bracket-scan.ply"))])
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .current_dir(folder.path())
            .spawn()
            .unwrap(),
    );
    let window = wait_for("the window", || {
        let found = xdotool(&display, &["search", "--name", "Shadowgraph"]);
        found.lines().next().map(str::to_owned).filter(|id| !id.is_empty())
    });
    // No window manager: put the window where the coordinates below are.
    xdotool(&display, &["windowmove", &window, "0", "0"]);
    xdotool(&display, &["windowsize", &window, "1360", "860"]);
    std::thread::sleep(Duration::from_secs(4));
    let click = |x: &str, y: &str| {
        xdotool(&display, &["mousemove", x, y]);
        std::thread::sleep(Duration::from_millis(200));
        xdotool(&display, &["click", "1"]);
    };
    // “Align and compare”, the first large button of the right panel.
    click("1190", "92");
    std::thread::sleep(Duration::from_secs(9));
    if let Some(pictures) = std::env::var_os("SHADOWGRAPH_PICTURES") {
        let file = std::path::Path::new(&pictures).join("xvfb.png");
        let _ = Command::new("import").args(["-display", &display, "-window", "root"]).arg(file).status();
    }
    // The Report room, then “Write report”.
    xdotool(&display, &["windowfocus", &window]);
    xdotool(&display, &["key", "ctrl+7"]);
    std::thread::sleep(Duration::from_secs(1));
    let report = folder.path().join("report/summary.json");
    wait_for("the report", || {
        for y in ["364", "372", "380"] {
            click("1190", y);
            std::thread::sleep(Duration::from_millis(700));
        }
        std::thread::sleep(Duration::from_secs(4));
        report.exists().then_some(())
    });
    let summary = std::fs::read_to_string(folder.path().join("report/summary.json")).unwrap();
    assert!(summary.contains("\"verdict\": \"fail\""));
}
