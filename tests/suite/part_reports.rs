//! Reports of the parts of a series, their serial numbers, and a part of a series opened in the window.

use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Dispatcher, Inspect, Parts, Projects};
use shadowgraph::session::series::PartRecord;

use super::many_parts::{plan, scans, type_into};
use super::support::{asset, bracket_pose, context, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

fn summary(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn parts_that_do_not_pass_get_a_report_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (strict, files) = (plan(folder.path()), scans(folder.path()));
    let lenient = folder.path().join("lenient.sgplan");
    let loosened = std::fs::read_to_string(&strict).unwrap().replace("0.15", "2.0").replace("-0.15", "-2.0");
    let loosened = loosened.replace("\"max_distance_mm\": 2.0", "\"max_distance_mm\": 8.0");
    std::fs::write(&lenient, loosened).unwrap();
    let run = |plan: &Path, parts: usize, out: &Path, reports: &str| {
        let words = ["--resume", "--reports", reports, "--no-pictures", "--part-number", "SG-7", "--out", text(out)];
        let files: Vec<&str> = files[..parts].iter().map(|file| text(file)).collect();
        let ended = shadowgraph(&[&["inspect", "--plan", text(plan)], &files[..], &words[..]].concat());
        assert!(ended.status.success(), "{}", errors(&ended));
        errors(&ended)
    };
    let report = |out: &Path, part: &str| out.join(part).join("report");
    let (failing, passing) = (folder.path().join("failing"), folder.path().join("passing"));
    run(&strict, 1, &failing, "none");
    assert!(!report(&failing, "part 00").exists());
    // A part that is measured but lacks its report is measured again.
    run(&strict, 2, &failing, "not-passed");
    for part in ["part 00", "part 01"] {
        let record: PartRecord =
            serde_json::from_slice(&std::fs::read(failing.join(part).join(PartRecord::FILE)).unwrap()).unwrap();
        let found = summary(&report(&failing, part));
        assert_eq!(found["headline"].as_str(), Some(record.headline.as_str()), "{part}");
        let html = std::fs::read_to_string(report(&failing, part).join("report.html")).unwrap();
        assert!(html.contains("SG-7") && html.contains(&format!("{part}.ply")));
        assert!(report(&failing, part).join("report.pdf").is_file());
    }
    let written = std::fs::metadata(report(&failing, "part 00").join("report.pdf")).unwrap().modified().unwrap();
    run(&strict, 2, &failing, "not-passed");
    let again = std::fs::metadata(report(&failing, "part 00").join("report.pdf")).unwrap().modified().unwrap();
    assert_eq!(written, again, "what was reported stays");
    run(&lenient, 1, &passing, "not-passed");
    assert!(!report(&passing, "part 00").exists(), "{}", summary(&report(&passing, "part 00")));
    run(&lenient, 1, &passing, "all");
    assert_eq!(summary(&report(&passing, "part 00"))["verdict"], "pass");
}

#[test]
fn a_serial_number_belongs_to_one_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let sent = |dispatcher: &mut Dispatcher, command: shadowgraph::dispatch::Command| {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
    };
    sent(&mut dispatcher, Inspect::IdentifyPart { serial: " 0007 ".into() }.into());
    sent(&mut dispatcher, Parts::OpenNominal { path: asset("bracket.stl"), unit: None }.into());
    let scan = asset("bracket-scan.ply");
    sent(&mut dispatcher, Parts::OpenScans { paths: vec![scan.clone()], unit: None, columns: None }.into());
    assert_eq!(dispatcher.document.stage().label(), "0007", "typed before the scan was opened");
    sent(&mut dispatcher, Inspect::AlignAndCompare.into());
    let next = scans(folder.path())[0].clone();
    sent(&mut dispatcher, Inspect::Next { paths: vec![next.clone()], unit: None }.into());
    assert_eq!(dispatcher.document.stage().serial, "", "that of the part before would be wrong");
    let project = folder.path().join("two.shadowgraph");
    sent(&mut dispatcher, Projects::Save(project.clone()).into());
    sent(&mut dispatcher, Projects::Open(project.clone()).into());
    let labels: Vec<&str> = dispatcher.document.stages.all().iter().map(|own| own.label()).collect();
    assert_eq!(labels, ["0007", "part 00"]);
    assert_eq!(dispatcher.document.records(context().backend.as_ref()).unwrap()[0].part, "0007");
    // Another scan is another part; the same one in another unit is not.
    sent(&mut dispatcher, Inspect::IdentifyPart { serial: "0008".into() }.into());
    sent(&mut dispatcher, Parts::OpenScans { paths: vec![next], unit: None, columns: None }.into());
    assert_eq!(dispatcher.document.stage().serial, "0008");
    sent(&mut dispatcher, Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    assert_eq!(dispatcher.document.stage().serial, "");
    // As earlier versions wrote it.
    let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(&project).unwrap()).unwrap();
    old["settings"]["report"]["serial"] = "0009".into();
    std::fs::write(&project, old.to_string()).unwrap();
    sent(&mut dispatcher, Projects::Open(project).into());
    assert_eq!(dispatcher.document.stage().serial, "0009");
}

#[test]
fn a_part_of_a_series_is_opened_by_a_click() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, files) = (plan(folder.path()), scans(folder.path()));
    let shift = folder.path().join("shift");
    std::fs::create_dir(&shift).unwrap();
    for file in &files[..3] {
        std::fs::rename(file, shift.join(file.file_name().unwrap())).unwrap();
    }
    std::fs::write(shift.join("part 02.ply"), "ply\n").unwrap();
    let out = folder.path().join("out");
    let mut window = open(Vec::new(), None);
    settle(&mut window);
    let menu = |window: &mut egui_kittest::Harness<'static, shadowgraph::app::App>| {
        window.get_by_label("Inspect").click();
        window.run_steps(3);
        window.get_by_label_contains("Measure parts with a plan…").click();
        window.run_steps(6);
    };
    menu(&mut window);
    for (name, path) in [("Plan", &plan), ("Parts", &shift), ("Results", &out)] {
        type_into(&mut window, name, text(path));
    }
    window.get_by_label("Measure parts").click();
    settle(&mut window);
    window.get_by_label("part 01").click();
    settle(&mut window);
    let dispatcher = window.state().dispatcher();
    assert!(!dispatcher.messages.iter().any(|message| message.is_error), "{:?}", dispatcher.messages);
    let document = &dispatcher.document;
    assert_eq!((document.stages.all().len(), document.stages.number()), (3, 1));
    let series = document.series.clone().expect("a series");
    let mean = |record: &PartRecord| record.elements.last().unwrap().figures.clone();
    let now = document.record_of_shown(dispatcher.context.backend.as_ref()).unwrap();
    assert_eq!(mean(&now), mean(&series.records[1]), "to the bit");
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert!(window.query_all_by_label("Part part 01").next().is_some(), "the bar of parts");
    compare_picture(&mut window, "series-opened");
    menu(&mut window);
    // A part that could not be read says why.
    window.get_by_label("part 02").click();
    settle(&mut window);
    let said = &window.state().dispatcher().messages.last().unwrap().text;
    assert!(said.contains("part 02.ply"), "{said}");
}

/// Width and height of the first page of a PDF file, mm.
fn page_mm(path: &Path) -> [f64; 2] {
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let after = text.split("/MediaBox").nth(1).unwrap();
    let sides = after.trim_start().trim_start_matches('[').split(']').next().unwrap();
    let sides: Vec<f64> = sides.split_whitespace().map(|side| side.parse().unwrap()).collect();
    [sides[2] - sides[0], sides[3] - sides[1]].map(|points| points * 25.4 / 72.0)
}

#[test]
fn pages_have_the_size_that_was_asked_for_and_the_first_one_the_logo() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, letter, without] = ["plain", "letter", "without"].map(|name| folder.path().join(name));
    let logo = folder.path().join("logo.png");
    image::RgbaImage::from_pixel(300, 90, image::Rgba([20, 60, 120, 255])).save(&logo).unwrap();
    let (part, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    let pose = bracket_pose(folder.path());
    let run = |more: &[&str]| {
        let files = ["inspect", "--nominal", text(&part), "--scan", text(&scan), "--pose", text(&pose)];
        let ended = shadowgraph(&[&files[..], &["--no-pictures"], more].concat());
        assert!(ended.status.success(), "{}", errors(&ended));
        errors(&ended)
    };
    let off_mm = |out: &Path, expected: [f64; 2]| {
        let found = page_mm(&out.join("report.pdf"));
        (0..2).map(|side| (found[side] - expected[side]).abs()).fold(0.0, f64::max)
    };
    let html = |out: &Path| std::fs::read_to_string(out.join("report.html")).unwrap();
    run(&["--out", text(&plain)]);
    assert!(off_mm(&plain, [210.0, 297.0]) < 0.1 && !html(&plain).contains("alt=\"Logo\""));
    run(&["--page-size", "letter", "--logo", text(&logo), "--out", text(&letter)]);
    assert!(off_mm(&letter, [215.9, 279.4]) < 0.1 && html(&letter).contains("alt=\"Logo\""));
    // A project opened again has both.
    let project = std::fs::read_to_string(letter.join("inspection.shadowgraph")).unwrap();
    assert!(project.contains("\"letter\"") && project.contains("logo.png"));
    // Without its logo a report is written all the same, and that is said.
    std::fs::File::create(&logo).unwrap().set_len(100 << 20).unwrap();
    let said = run(&["--logo", text(&logo), "--out", text(&without)]);
    assert!(said.contains("The report has no logo.") && said.contains("has 100.0 MiB"), "{said}");
    assert!(!html(&without).contains("alt=\"Logo\"") && without.join("report.pdf").is_file());
}
