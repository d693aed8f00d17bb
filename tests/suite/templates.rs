//! The report by a template of the user. Most tests put a script in the place of typst; one uses typst itself where it is
//! at hand (`SHADOWGRAPH_TYPST` names it, or `PATH` finds it).

use std::path::{Path, PathBuf};
use std::process::{Command as Program, Output};

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Inspect, Outputs, Parts, Present, Projects, write_report};
use shadowgraph::report::template::{STARTING, save_starting};

use super::many_parts::{plan, scans};
use super::support::{asset, bracket_pose, context, errors, shadowgraph, skipped, text};
use super::window::{open, settle};

/// Runs the program with this typst, and temporary files in a folder of their own.
fn with_typst(typst: &Path, temporary: &Path, arguments: &[&str]) -> Output {
    Program::new(env!("CARGO_BIN_EXE_shadowgraph"))
        .args(arguments)
        .env("SHADOWGRAPH_TYPST", typst)
        .env("TMPDIR", temporary)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// A program that does what a script says, in the place of typst.
fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("typst");
    // Written by another process: one that this process has open for writing cannot be started.
    let writer = ["-c", "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\""];
    let body = format!("#!/bin/sh\nset -e\n{body}\n");
    assert!(Program::new("sh").args(writer).arg(&path).arg(body).status().unwrap().success());
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The inspection of the bracket on the command line, into `out` by `template`.
fn inspected(typst: &Path, template: &Path, out: &Path, more: &[&str]) -> Output {
    let (part, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    let temporary = tempfile::tempdir().unwrap();
    let pose = bracket_pose(temporary.path());
    let files = ["inspect", "--nominal", text(&part), "--scan", text(&scan), "--pose", text(&pose)];
    let words = [&files[..], &["--template", text(template)]].concat();
    let ended = with_typst(typst, temporary.path(), &[&words[..], &["--out", text(out)], more].concat());
    assert!(ended.status.success(), "{}", errors(&ended));
    let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().flatten().map(|own| own.file_name()).collect();
    assert!(!left.iter().any(|own| own.to_string_lossy().contains("shadowgraph")), "left behind: {left:?}");
    ended
}

/// The text of a PDF file; `None`, said aloud, where nothing reads it.
fn text_of(pdf: &Path) -> Option<String> {
    let Ok(ended) = Program::new("pdftotext").args(["-layout", text(pdf), "-"]).output() else {
        skipped("pdftotext is not installed");
        return None;
    };
    assert!(ended.status.success(), "{}", errors(&ended));
    Some(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// How the report writes the deviations that the summary has in mm.
fn figures(summary: &Value) -> Vec<String> {
    let regions = summary["regions"].as_array().unwrap().iter();
    let peaks = regions.map(|region| format!("{:+.3} mm", region["peak_mm"].as_f64().unwrap()));
    let of = |key: &str| summary["deviation"][key].as_f64().unwrap();
    peaks
        .chain([format!("{:.4} mm", of("rms_mm")), format!("{:+.4} mm", of("mean_mm")), of("count").to_string()])
        .collect()
}

#[test]
fn the_pdf_is_what_typst_makes_of_template_report_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let [template, seen, out] = ["company.typ", "seen", "out"].map(|name| folder.path().join(name));
    std::fs::create_dir(&seen).unwrap();
    std::fs::write(&template, "#json(sys.inputs.data).title").unwrap();
    let typst = script(
        folder.path(),
        &format!(
            "test \"$1\" = compile
            shift
            while [ $# -gt 2 ]; do
                case \"$1\" in
                    --root) root=$2 ;;
                    --input) test \"$2\" = data=report.json ;;
                    --diagnostic-format) test \"$2\" = short ;;
                    --font-path) test -s \"$2/Inter-Regular.otf\" ;;
                    *) exit 1 ;;
                esac
                shift 2
            done
            test \"$(cd \"$root\" && pwd -P)\" = \"$(pwd -P)\"
            test \"$1\" = \"$root/company.typ\"
            cmp -s \"$1\" '{template}'
            cp -r report.json pictures '{seen}'
            printf '%%PDF-1.7 by the template' > \"$2\"",
            template = text(&template),
            seen = text(&seen)
        ),
    );
    let more = ["--views", "isometric,top", "--title", "Title", "--serial", "7", "--page-size", "letter"];
    let ended = inspected(&typst, &template, &out, &more);
    assert!(!errors(&ended).contains("built-in"), "{}", errors(&ended));
    assert_eq!(std::fs::read(out.join("report.pdf")).unwrap(), b"%PDF-1.7 by the template");
    let (report, summary) = (json(&seen.join("report.json")), json(&out.join("summary.json")));
    assert_eq!(report["summary"], summary);
    assert_eq!((report["title"].as_str(), report["page_size"].as_str()), (Some("Title"), Some("us-letter")));
    assert_eq!(report["part"]["serial_number"], "7");
    assert_eq!(
        (&report["verdict"]["status"], &report["verdict"]["headline"]),
        (&summary["verdict"], &summary["headline"])
    );
    // Every figure, and every picture that is named.
    let sections = report["sections"].as_array().unwrap();
    let cells: Vec<&str> = sections
        .iter()
        .flat_map(|own| own["tables"].as_array().unwrap())
        .flat_map(|table| table["rows"].as_array().unwrap())
        .flat_map(|row| row.as_array().unwrap())
        .map(|cell| cell.as_str().unwrap())
        .collect();
    for figure in figures(&summary) {
        assert!(cells.contains(&figure.as_str()), "{figure} is missing in {cells:?}");
    }
    let pictures: Vec<&str> = sections
        .iter()
        .flat_map(|own| own["figures"].as_array().unwrap())
        .map(|figure| figure["file"].as_str().unwrap())
        .collect();
    assert!(pictures.len() >= 3, "{pictures:?}");
    for file in pictures {
        let name = Path::new(file).file_name().unwrap();
        assert_eq!(std::fs::read(seen.join(file)).unwrap(), std::fs::read(out.join("views").join(name)).unwrap());
    }
    // The project has the template, and finds it where both were moved to.
    let moved = folder.path().join("moved");
    std::fs::create_dir(&moved).unwrap();
    std::fs::rename(&template, moved.join("company.typ")).unwrap();
    std::fs::rename(out.join("inspection.shadowgraph"), moved.join("inspection.shadowgraph")).unwrap();
    let (project, _) = shadowgraph::session::project::Project::load(&moved.join("inspection.shadowgraph")).unwrap();
    assert_eq!(project.presentation.template, Some(moved.join("company.typ")));
}

#[test]
fn with_a_faulty_template_the_report_has_the_built_in_layout_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let [template, out] = ["company.typ", "out"].map(|name| folder.path().join(name));
    std::fs::write(&template, "\n\n#foo").unwrap();
    let typst = script(folder.path(), "echo 'company.typ:3:2: error: unknown variable: foo' >&2; exit 1");
    let said = errors(&inspected(&typst, &template, &out, &["--no-pictures"]));
    let expected = "The PDF has the built-in layout. The template “company.typ”, line 3: unknown variable: foo.";
    assert!(said.contains(expected), "{said}");
    assert!(std::fs::metadata(out.join("report.pdf")).unwrap().len() > 10_000 && out.join("summary.json").is_file());
    // Of the reports of many parts, too, and once.
    let (plan, files) = (plan(folder.path()), scans(folder.path()));
    let series = folder.path().join("series");
    let words =
        ["inspect", "--plan", text(&plan), text(&files[0]), text(&files[1]), "--reports", "all", "--no-pictures"];
    let words = [&words[..], &["--template", text(&template), "--out", text(&series)]].concat();
    let ended = with_typst(&typst, folder.path(), &words);
    assert!(ended.status.success() && errors(&ended).matches(expected).count() == 1, "{}", errors(&ended));
    assert!(series.join("part 01/report/report.pdf").is_file());
}

#[test]
fn a_template_is_a_choice_of_the_plan_that_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let [template, out, plan] = ["company.typ", "out", "a.sgplan"].map(|name| folder.path().join(name));
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command: Command| {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
    };
    send(&mut dispatcher, Parts::OpenNominal { path: asset("bracket.stl"), unit: None }.into());
    let scan = vec![asset("bracket-scan.ply")];
    send(&mut dispatcher, Parts::OpenScans { paths: scan, unit: None, columns: None }.into());
    send(&mut dispatcher, Inspect::AlignAndCompare.into());
    send(&mut dispatcher, Present::SetTemplate(Some(template.clone())).into());
    send(&mut dispatcher, Projects::SavePlan(plan.clone()).into());
    assert!(std::fs::read_to_string(&plan).unwrap().contains("\"template\": \"company.typ\""), "they move together");
    let (read, _) = shadowgraph::session::plan::Plan::load(&plan).unwrap();
    assert_eq!(read.presentation.template.as_ref(), Some(&template));
    // What is no template is said, and nothing else is lost.
    let note = || {
        let outputs = Outputs { pictures: false, ..Outputs::default() };
        let backend = dispatcher.context.backend.as_ref();
        let written = write_report(&dispatcher.document, &out, &outputs, backend, &Progress::silent()).unwrap();
        assert!(std::fs::read(out.join("report.pdf")).unwrap().starts_with(b"%PDF-"));
        written.notes.last().unwrap().clone()
    };
    let said = note();
    assert!(said.contains("The PDF has the built-in layout.") && said.contains("does not exist"), "{said}");
    std::fs::File::create(&template).unwrap().set_len(100 << 20).unwrap();
    let said = note();
    assert!(said.contains("has 100.0 MiB; a template has at most 10.0 MiB."), "{said}");
    send(&mut dispatcher, Present::SetTemplate(None).into());
    assert_eq!(dispatcher.document.plan.presentation.template, None);
    send(&mut dispatcher, Command::Undo);
    assert_eq!(dispatcher.document.plan.presentation.template, Some(template));
    send(&mut dispatcher, Command::Undo);
    assert_eq!(dispatcher.document.plan.presentation.template, None);
}

#[test]
fn the_window_shows_the_template_and_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let template = folder.path().join("company.typ");
    save_starting(&template).unwrap();
    let mut window = open(Vec::new(), None);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num7);
    window.run_steps(4);
    window.get_by_label("none: built-in layout");
    window.get_by_label("Save a starting template…");
    assert!(window.query_by_label("Remove template").is_none());
    window.state_mut().send(Present::SetTemplate(Some(template)));
    settle(&mut window);
    window.get_by_label("company.typ");
    window.get_by_label("Remove template").click();
    settle(&mut window);
    window.get_by_label("none: built-in layout");
    assert_eq!(window.state().dispatcher().document.plan.presentation.template, None);
}

#[test]
fn a_starting_template_is_written_and_nothing_is_overwritten_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let template = folder.path().join("company.typ");
    let write = |more: &[&str]| shadowgraph(&[&["template", "--out", text(&template)], more].concat());
    assert!(write(&[]).status.success());
    assert_eq!(std::fs::read_to_string(&template).unwrap(), STARTING);
    std::fs::write(&template, "mine").unwrap();
    let refused = write(&[]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("--force"), "{}", errors(&refused));
    assert_eq!(std::fs::read_to_string(&template).unwrap(), "mine");
    assert!(write(&["--force"]).status.success());
    assert_eq!(std::fs::read_to_string(&template).unwrap(), STARTING);
}

/// typst itself; `None`, said aloud, where it is not at hand.
fn real_typst() -> Option<PathBuf> {
    let named = std::env::var_os("SHADOWGRAPH_TYPST").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = || std::env::split_paths(&folders).map(|own| own.join("typst")).find(|own| own.is_file());
    let typst = named.or_else(found);
    if typst.is_none() {
        skipped("typst is not installed: SHADOWGRAPH_TYPST=…/typst");
    }
    typst
}

#[test]
fn typst_sets_the_starting_template_and_finds_the_line_of_a_fault() {
    let Some(typst) = real_typst() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [template, good, bad] = ["company.typ", "good", "bad"].map(|name| folder.path().join(name));
    save_starting(&template).unwrap();
    // Values are printed, whatever they hold.
    let title = "#panic(1) *b* $1$ @a";
    let said = errors(&inspected(&typst, &template, &good, &["--views", "isometric,top,left", "--title", title]));
    assert!(!said.contains("template"), "{said}");
    let summary = json(&good.join("summary.json"));
    if let Some(text) = text_of(&good.join("report.pdf")) {
        for words in figures(&summary).iter().map(String::as_str).chain([title, "FAIL", "Page 1 of", "Left"]) {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
    }
    let own = std::fs::read_to_string(&template).unwrap();
    let mut lines: Vec<&str> = own.lines().collect();
    lines[2] = "#foo";
    std::fs::write(&template, lines.join("\n")).unwrap();
    let said = errors(&inspected(&typst, &template, &bad, &["--no-pictures", "--language", "de"]));
    let expected = "The PDF has the built-in layout. The template “company.typ”, line 3: unknown variable: foo.";
    assert!(said.contains(expected), "{said}");
    assert!(std::fs::metadata(bad.join("report.pdf")).unwrap().len() > 10_000);
}
