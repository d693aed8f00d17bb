//! What the report contains: saved views, chosen sections in their order, and its pages before they are printed.

use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use shadowgraph::dispatch::{Command, Inspect, Parts, Present, Preview, Projects, Report, Sections};
use shadowgraph::geometry::Point;
use shadowgraph::inspect::section::{Parameters, Placement};
use shadowgraph::report::pdf::Ink;
use shadowgraph::session::presentation::{Contents, ReportSection};

use super::many_parts::scans;
use super::support::{asset, bracket_pose, errors, shadowgraph, text};
use super::window::{compare_picture, open, settle};

type Window = egui_kittest::Harness<'static, shadowgraph::app::App>;

fn sent(window: &mut Window, command: impl Into<Command>) {
    window.state_mut().send(command);
    settle(window);
}

fn compared() -> Window {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    sent(&mut window, Parts::OpenScans { paths: vec![asset("bracket-scan.ply")], unit: None, columns: None });
    sent(&mut window, Inspect::AlignAndCompare);
    window
}

fn html(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("report.html")).unwrap()
}

/// Titles of the sections of a report, in their order.
fn titles(html: &str) -> Vec<&str> {
    html.split("<h2>").skip(1).filter_map(|rest| rest.split("</h2>").next()).collect()
}

/// All lines of the pages, in the order in which they are set.
fn lines(window: &mut Window) -> Vec<String> {
    let preview = Preview::default();
    sent(window, Report::Preview(preview.clone()));
    let (paper, _) = preview.take().expect("no pages");
    let line = |ink: &Ink| if let Ink::Text(_, line) = ink { Some(line.text.clone()) } else { None };
    paper.pages.iter().flatten().filter_map(|mark| line(&mark.ink)).collect()
}

#[test]
fn a_saved_view_is_seen_again_in_the_report_and_on_the_next_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = compared();
    sent(
        &mut window,
        Sections::Add(Parameters { placement: Placement::Axis { axis: 1, at_mm: 10.0 }, ..Parameters::default() }),
    );
    window.get_by_label("Sections").click();
    window.run_steps(3);
    window.get_by_label("Clip the view at the plane").scroll_to_me();
    window.run_steps(4);
    window.get_by_label("Clip the view at the plane").click();
    window.key_press(egui::Key::Num1);
    window.run_steps(6);
    let corners = [Point::new(0.0, 0.0, 0.0), Point::new(118.0, 20.0, 5.0)];
    let seen = |window: &mut Window| corners.map(|corner| window.state_mut().screen_place(&corner).unwrap());
    let before = seen(&mut window);
    window.get_by_label("Views").click();
    window.run_steps(3);
    window.get_by_label("Save this view").click();
    settle(&mut window);
    window.get_by_label("Surface").click();
    window.key_press(egui::Key::Num0);
    window.run_steps(6);
    assert!(seen(&mut window).iter().zip(&before).any(|(a, b)| a.distance(*b) > 20.0), "the view has not changed");
    // The row in the tree: renamed, and looked at.
    window.get_by_label("View View 1").click_secondary();
    window.run_steps(3);
    window.get_by_label("Rename…").click();
    window.run_steps(3);
    window.get_by_label("New name").type_text(" of the rib");
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    window.get_by_label("View View 1 of the rib").click();
    settle(&mut window);
    // In its middle, as large as before; the drawing below no longer takes a part of the height.
    let (now, [a, b]) = (seen(&mut window), before);
    assert!(((now[1] - now[0]) - (b - a)).length() < 0.5 && (now[0].x - a.x).abs() < 0.5, "{now:?} against {before:?}");
    compare_picture(&mut window, "view-saved");
    assert!(window.query_by_label("End clipping").is_some());
    window.get_by_label("End clipping").click();
    window.run_steps(3);
    assert!(window.query_by_label("End clipping").is_none());
    // In the report, unless it is left out.
    let [with, without] = ["with", "without"].map(|name| folder.path().join(name));
    sent(&mut window, Report::Write { folder: with.clone() });
    assert!(html(&with).contains("alt=\"View 1 of the rib\""));
    let pictures = ["saved-1", "front"].map(|name| std::fs::read(with.join(format!("views/{name}.png"))).unwrap());
    assert_ne!(pictures[0], pictures[1], "the picture is not clipped");
    // A project and a plan for other parts have it.
    let [project, plan] = ["a.shadowgraph", "a.sgplan"].map(|name| folder.path().join(name));
    sent(&mut window, Projects::Save(project.clone()));
    sent(&mut window, Projects::SavePlan(plan.clone()));
    sent(&mut window, Present::SetInReport("View 1 of the rib".into(), false));
    sent(&mut window, Report::Write { folder: without.clone() });
    assert!(!html(&without).contains("of the rib"));
    sent(&mut window, Command::Undo);
    assert!(window.state().dispatcher().document.plan.presentation.views.all()[0].in_report);
    sent(&mut window, Present::RemoveView("View 1 of the rib".into()));
    sent(&mut window, Projects::Open(project));
    assert!(window.state().dispatcher().document.plan.presentation.views.get("View 1 of the rib").is_some());
    let (next, out) = (scans(folder.path())[0].clone(), folder.path().join("out"));
    let ended = shadowgraph(&[
        "inspect",
        "--plan",
        text(&plan),
        text(&next),
        "--reports",
        "all",
        "--views",
        "top,front",
        "--out",
        text(&out),
    ]);
    assert!(ended.status.success(), "{}", errors(&ended));
    let report = html(&out.join("part 00").join("report"));
    assert!(report.contains("alt=\"View 1 of the rib\"") && report.contains("alt=\"Top\""));
    assert!(
        !report.contains("alt=\"Back\"") && report.contains("Views left out: Isometric, Back, Left, Right, Bottom.")
    );
}

#[test]
fn sections_of_the_report_are_chosen_ordered_and_looked_at_before_printing() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = compared();
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num7);
    window.run_steps(4);
    let all = lines(&mut window);
    let position = |lines: &[String], title: &str| lines.iter().position(|line| line == title);
    assert!(position(&all, "Coverage") > position(&all, "Regions out of tolerance"));
    window.get_by_label("Coverage").scroll_to_me();
    window.run_steps(4);
    window.get_by_label("Coverage").click();
    settle(&mut window);
    window.get_by_label("Move Deviation statistics up").scroll_to_me();
    window.run_steps(4);
    window.get_by_label("Move Deviation statistics up").click();
    settle(&mut window);
    let chosen = lines(&mut window);
    assert_eq!(position(&chosen, "Coverage"), None);
    assert!(position(&chosen, "Deviation") < position(&chosen, "Regions out of tolerance"));
    assert!(chosen.iter().any(|line| line == "Left out of this report: Coverage."), "what is missing is not said");
    let report = folder.path().join("report");
    sent(&mut window, Report::Write { folder: report.clone() });
    let text = html(&report);
    let titles = titles(&text);
    let of = |title: &str| titles.iter().position(|own| *own == title);
    assert!(
        of("Coverage").is_none() && of("Deviation").unwrap() < of("Regions out of tolerance").unwrap(),
        "{titles:?}"
    );
    window.get_by_label("Preview").click();
    settle(&mut window);
    assert!(window.query_by_label("Page 1").is_some() && window.query_by_label("3D viewport").is_none());
    compare_picture(&mut window, "report-preview");
    // Two steps back, and the pages are out of date.
    sent(&mut window, Command::Undo);
    sent(&mut window, Command::Undo);
    assert_eq!(window.state().dispatcher().document.plan.presentation.report, Contents::default());
    window.get_by_label("Lay out again").click();
    settle(&mut window);
    assert!(window.query_by_label("Lay out again").is_none());
    window.get_by_label("Close preview").click();
    window.run_steps(3);
    assert!(window.query_by_label("3D viewport").is_some());
}

#[test]
fn the_command_line_chooses_sections_and_refuses_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (part, scan, out) = (asset("bracket.stl"), asset("bracket-scan.ply"), folder.path().join("out"));
    let pose = bracket_pose(folder.path());
    let mut arguments = vec!["inspect", "--nominal", text(&part), "--scan", text(&scan), "--out", text(&out)];
    arguments.extend(["--pose", text(&pose), "--report-sections", "sources,part", "--views", "front"]);
    let ended = shadowgraph(&arguments);
    assert!(ended.status.success(), "{}", errors(&ended));
    let report = html(&out);
    assert_eq!(titles(&report), ["Sources", "Part", "Histogram", "Remarks"]);
    assert!(!report.contains("<figure>") && report.contains("Left out of this report: Views, Regions,"), "{report}");
    *arguments.last_mut().unwrap() = "askew";
    let refused = shadowgraph(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("isometric"), "{}", errors(&refused));
    let names: Vec<&str> = ReportSection::ALL.into_iter().map(ReportSection::name).collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
}
