//! Programs that are stopped in the middle: what they leave behind, and who ends with whom.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use shadowgraph::base::Progress;
use shadowgraph::geometry::Subset;
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::{LoadOptions, load_nominal};
use shadowgraph::session::project::Project;

use super::support::{asset, bracket_pose, is_thorough, text};

fn within(what: &str, longest: Duration, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < longest, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Writes a program, by another process: what other tests start meanwhile would hold a file open that this one writes, and it
/// could not be run.
fn write_script(program: &Path, text: &str) {
    let write = "printf %s \"$2\" > \"$1\" && chmod +x \"$1\"";
    assert!(Command::new("sh").args(["-c", write, "sh"]).arg(program).arg(text).status().unwrap().success());
}

/// A pipe without a writer: whoever opens it to read waits for ever.
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn inspect(out: &Path, pose: &Path, serial: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(["inspect", "--nominal", text(&asset("bracket.stl")), "--scan", text(&asset("bracket-scan.ply"))])
        .args(["--align", "none", "--pose", text(pose)])
        .args(["--no-pictures", "--serial", serial, "--out", text(out)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Every file and folder below `folder`, and when each was changed last.
fn changed(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() {
            all.extend(changed(&entry.path()));
        }
        all.extend(about.modified().map(|at| (entry.path(), at)));
    }
    all.sort();
    all
}

/// Whatever the moment, the folder holds one report, old or new, with all its files.
#[test]
fn a_killed_inspection_leaves_one_whole_report() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let beside = tempfile::tempdir().unwrap();
    let pose = bracket_pose(beside.path());
    assert!(inspect(&out, &pose, "part 0").wait().unwrap().success());
    let files =
        ["summary.json", "report.html", "report.pdf", "deviations.csv", "colormap.ply", "inspection.shadowgraph"];
    let mut own = "part 0".to_owned();
    for round in 1..=if is_thorough() { 8 } else { 5 } {
        let serial = format!("part {round}");
        let before = changed(folder.path());
        let mut run = inspect(&out, &pose, &serial);
        // From the first file that is written on, wherever that is, through all the writing.
        within("nothing is written", Duration::from_secs(60), || {
            changed(folder.path()) != before || run.try_wait().unwrap().is_some()
        });
        std::thread::sleep(Duration::from_millis(40 * (round - 1)));
        let _ = run.kill();
        let _ = run.wait();
        for name in files {
            assert!(out.join(name).is_file(), "round {round}: {name} is gone");
        }
        let says = |name: &str| {
            let text = std::fs::read_to_string(out.join(name)).unwrap();
            let at = text.find("part ").unwrap_or_else(|| panic!("{name} names no part"));
            text[at..at + 6].to_owned()
        };
        let found = says("inspection.shadowgraph");
        assert_eq!(says("report.html"), found, "round {round}: old and new are mixed");
        assert!(found == own || found == serial, "round {round}: {found}");
        own = found;
    }
    assert!(inspect(&out, &pose, "part 9").wait().unwrap().success());
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["report"], "something was left beside it");
}

#[test]
#[cfg(feature = "cad")]
fn the_cad_reader_ends_with_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("part.step");
    pipe(&file);
    let mut reader = Command::new(env!("CARGO_BIN_EXE_shadowgraph-cad"))
        .args(["step", text(&file), "0.01", "0.1", "--watched"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(reader.try_wait().unwrap().is_none(), "it does not wait for the file");
    // As when the parent dies: its end of the pipe closes.
    drop(reader.stdin.take());
    within("the reader outlives its parent", Duration::from_secs(5), || reader.try_wait().unwrap().is_some());
}

#[test]
fn a_cad_file_without_end_is_given_up_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (program, file) = (folder.path().join("reader.sh"), folder.path().join("part.igs"));
    write_script(&program, "#!/bin/sh\necho 'progress 0.5' >&2\nexec sleep 600\n");
    std::fs::write(&file, format!("{:72}S      1\n", "damaged")).unwrap();
    let cad = CadReader { program: Some(program), timeout_s: 1, ..CadReader::default() };
    let options = LoadOptions { cad, ..LoadOptions::default() };
    let started = Instant::now();
    let error = load_nominal(&file, &options, &Progress::silent()).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(error.sentence.contains("did not finish within"), "{error}");
}

/// OpenCASCADE runs out of memory on its own threads too.
#[test]
fn a_cad_file_that_memory_does_not_hold_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for kibibytes in [200_000, 400_000] {
        let program = folder.path().join("reader.sh");
        let reader = env!("CARGO_BIN_EXE_shadowgraph-cad");
        write_script(&program, &format!("#!/bin/sh\nulimit -v {kibibytes}\nexec '{reader}' \"$@\"\n"));
        let cad = CadReader { program: Some(program), chord_mm: 2e-5, angle_deg: 0.03, ..CadReader::default() };
        let options = LoadOptions { cad, ..LoadOptions::default() };
        let error = load_nominal(&asset("bracket.step"), &options, &Progress::silent()).unwrap_err();
        assert!(error.sentence.contains("more memory than is free"), "{error}");
    }
}

const SAVES_IN: &str = "SHADOWGRAPH_TEST_SAVES_IN";

/// Begun by [`a_kill_while_saving_leaves_the_project_before_or_after`]: saves a project and its autosave, each a little
/// larger than the one before.
#[test]
#[ignore = "the test that kills it begins it"]
fn saves_until_it_is_killed() {
    let folder = std::path::PathBuf::from(std::env::var_os(SAVES_IN).unwrap());
    for number in 0_u32.. {
        let project = numbered(number);
        project.save(&folder.join("part.shadowgraph")).unwrap();
        project.save(&folder.join("autosave.shadowgraph")).unwrap();
    }
}

fn numbered(number: u32) -> Project {
    let mut project = Project { format: "shadowgraph.project".into(), version: 1, ..Project::default() };
    project.settings.report.title = number.to_string();
    // Every other point: nothing that is kept in runs.
    project.hidden = Subset::new((0..20_000 + 10 * number).map(|point| 2 * point).collect());
    project
}

#[test]
fn a_kill_while_saving_leaves_the_project_before_or_after() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["part.shadowgraph", "autosave.shadowgraph"].map(|name| folder.path().join(name));
    let mut last = [0; 2];
    for round in 0..super::support::poses(40) as u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "endings::saves_until_it_is_killed", "--ignored"])
            .env(SAVES_IN, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let written = |file: &Path| std::fs::metadata(file).and_then(|file| file.modified()).ok();
        // One to three saves of one of the two are waited for, so that a slow machine comes as far as a fast one.
        let watched = &files[round as usize % 2];
        for _ in 0..=round % 3 {
            let before = written(watched);
            within("nothing is saved", Duration::from_secs(30), || written(watched) != before);
        }
        // From 0 to 40 ms, in an order that repeats only after all: some saves are over by then, some are not.
        std::thread::sleep(Duration::from_micros(200 * ((round * 77) % 200)));
        child.kill().unwrap();
        child.wait().unwrap();
        for (file, last) in files.iter().zip(&mut last) {
            if !file.exists() {
                continue;
            }
            let (project, notes) = Project::load(file).unwrap();
            assert_eq!(notes, Vec::<String>::new(), "round {round}");
            let number: u32 = project.settings.report.title.parse().unwrap();
            assert_eq!(project.hidden, numbered(number).hidden, "round {round}: parts of two states");
            *last = number.max(*last);
        }
    }
    assert!(last.iter().all(|last| *last > 0), "no run came further than its first save");
    numbered(0).save(&files[0]).unwrap();
    numbered(0).save(&files[1]).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "something was left beside them");
}
