//! Parts found in a scan of many things: in the window and on the command line.

use std::path::{Path, PathBuf};

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Detect, Parts};
use shadowgraph::geometry::{Cloud, Pose, Surface};
use shadowgraph::inspect::detection::{Explanation, Found, Parameters, PartModel};
use shadowgraph::inspect::deviation::Verdict;
use shadowgraph::inspect::simulation::pile::{self, Pile, PlacedPart};
use shadowgraph::io::{LoadOptions, load_nominal, load_scan, write};

use super::support::{errors, pose_of_json, shadowgraph, text};
use super::window::{compare_picture, open, settle};

type Window = egui_kittest::Harness<'static, shadowgraph::app::App>;

fn part(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parts").join(name)
}

/// A part of the test data, by its file.
pub fn surface(name: &str) -> Surface {
    Surface::new(load_nominal(&part(name), &LoadOptions::default(), &Progress::silent()).unwrap().mesh)
}

/// A pile of three clamps and two crosses, and its scan as a file.
fn scene(folder: &Path) -> (Pile, PathBuf) {
    let surfaces = [surface("clamp.stl"), surface("cross.stl")];
    let size_mm = surfaces[0].bounds().diagonal();
    let parameters = pile::Parameters::for_parts(5, size_mm, 12);
    let all = [&surfaces[0], &surfaces[1]];
    let pile = pile::run(&all, &[0, 1, 0, 1, 0], &parameters, &Progress::silent()).unwrap();
    let viewpoint = pile.cloud.viewpoint.unwrap();
    let towards = |point: &shadowgraph::geometry::Point| (viewpoint - point).normalize().cast::<f32>().into();
    let with_directions = Cloud {
        to_sensor: pile.cloud.points.iter().map(towards).collect(),
        ..Cloud::from_points(pile.cloud.points.clone())
    };
    let path = folder.join("scene.ply");
    write::cloud(&path, &with_directions).unwrap();
    (pile, path)
}

/// The placed part of a kind that a pose is of, by the mean distance of the surfaces.
fn is_one_of(surface: &Surface, kind: usize, truth: &[PlacedPart], scene_from_part: &Pose) -> bool {
    let model = PartModel::new("part", surface).unwrap();
    let of_kind = truth.iter().filter(|own| own.part == kind);
    of_kind.into_iter().any(|own| model.distance_mm(&own.scene_from_part, scene_from_part) < 0.01 * model.diameter_mm)
}

/// A window with the clamp and a scene, in the workspace of a key.
fn in_workspace(key: Key, scene: PathBuf) -> Window {
    let mut window = open(vec![part("clamp.stl"), scene], None);
    settle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, key);
    window.run_steps(4);
    settle(&mut window);
    window
}

/// A window in which the clamps of a scene were looked for.
fn with_parts_found(scene: PathBuf) -> Window {
    let mut window = in_workspace(Key::Num6, scene);
    window.get_by_label("Find parts").click();
    window.run_steps(3);
    settle(&mut window);
    window
}

#[test]
fn three_clicks_lead_from_an_unknown_scene_to_deviations() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let mut window = in_workspace(Key::Num6, path);
    compare_picture(&mut window, "detect-before");
    window.get_by_label("Find parts").click();
    window.run_steps(3);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let id = document.plan.by_name("Parts in the scan").unwrap().id;
    let found = document.result::<Found>(Some(id)).unwrap();
    let clamp = surface("clamp.stl");
    let seen = pile.parts.iter().filter(|own| own.part == 0 && own.visible_fraction > 0.6).count();
    assert!(found.detections.len() >= seen && seen >= 2, "{} {seen}", found.detections.len());
    assert!(found.detections.iter().all(|own| is_one_of(&clamp, 0, &pile.parts, &own.scene_from_part)));
    let wanted = found.detections[1].scene_from_part;
    // The times of the search are not for a picture.
    window.run_steps(3);
    window.get_by_label_contains("Part 2").click();
    window.run_steps(3);
    settle(&mut window);
    compare_picture(&mut window, "detect-found");
    // All that were found are drawn, not the last alone, and the chosen one stands out.
    let view = window.get_by_label("3D viewport").rect();
    let picture = window.render().unwrap();
    let inside = picture.enumerate_pixels().filter(|(x, y, _)| view.contains(egui::pos2(*x as f32, *y as f32)));
    let [mut chosen, mut others] = [0, 0];
    for (_, _, pixel) in inside {
        let [r, g, b, _] = pixel.0.map(i32::from);
        chosen += usize::from(r > g + 40 && g > b + 40);
        others += usize::from(g > r + 30 && g > b + 30);
    }
    assert!(chosen > 500 && others > 500, "{chosen} and {others} pixels");
    window.get_by_label("Align and compare here").click();
    window.run_steps(3);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let pose = document.alignment().unwrap().nominal_from_scan.inverse();
    let model = PartModel::new("clamp", &clamp).unwrap();
    assert!(model.distance_mm(&pose, &wanted) < 0.003 * model.diameter_mm);
    let check = document.current_measurement();
    assert!(check.is_some());
    compare_picture(&mut window, "detect-compared");
    // One step back, and the parts are still there.
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    assert!(document.alignment().is_none() && document.result::<Found>(Some(id)).is_some());
    // Of one only, the best.
    let single = Parameters { max_of_each: Some(1), ..Parameters::default() };
    window.state_mut().send(Detect::Find(single));
    settle(&mut window);
    assert_eq!(window.state().dispatcher().document.result::<Found>(Some(id)).unwrap().detections.len(), 1);
    window.state_mut().send(Detect::Use(id, 5));
    settle(&mut window);
    assert!(window.state().dispatcher().document.alignment().is_none());
}

#[test]
fn the_scan_is_coloured_by_what_its_points_lie_on() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let mut window = in_workspace(Key::Num6, path);
    window.get_by_label("Find parts").click();
    window.run_steps(3);
    settle(&mut window);
    window.get_by_label("Colour the scan by what lies there").click();
    window.run_steps(3);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let id = document.plan.by_name("Parts in the scan").unwrap().id;
    let found = document.result::<Found>(Some(id)).unwrap();
    // The floor, the clamps and the brackets, which were not looked for: as many points as lie on each.
    let clamp = surface("clamp.stl");
    let counts = pile.cloud.points.iter().enumerate().fold([[0; 2]; 3], |mut counts, (index, point)| {
        let own = match found.explanations.of(index) {
            Explanation::Background => 0,
            Explanation::Part(_) => 1,
            Explanation::Nothing => 2,
        };
        let on_found = found
            .detections
            .iter()
            .any(|own| clamp.closest_point(&(own.scene_from_part.inverse() * point), 0.3).is_some());
        let truth = if on_found {
            1
        } else if point.z.abs() < 0.3 {
            0
        } else {
            2
        };
        counts[own][0] += 1;
        counts[own][1] += usize::from(truth == own);
        counts
    });
    for (number, [own, right]) in counts.into_iter().enumerate() {
        assert!(own > 1000 && right as f64 > 0.9 * own as f64, "{number}: {right} of {own}");
        assert!((found.explanations.shares()[number] - own as f64 / pile.cloud.points.len() as f64).abs() < 1e-12);
    }
    compare_picture(&mut window, "detect-explained");
}

#[test]
fn the_command_line_says_what_is_there_and_what_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let poses = folder.path().join("poses");
    let (clamp, dome) = (part("clamp.stl"), part("dome.stl"));
    let rest = folder.path().join("rest.ply");
    let options =
        ["--part", text(&clamp), "--part", text(&dome), "--out", text(&poses), "--rest", text(&rest), "--json"];
    let done = shadowgraph(&[&["detect", text(&path)], &options[..]].concat());
    assert!(done.status.success(), "{}", errors(&done));
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let found = answer["detections"].as_array().unwrap();
    assert!(!found.is_empty() && found.iter().all(|own| own["part"] == "clamp"), "{answer}");
    let surface = surface("clamp.stl");
    for own in found {
        let pose = pose_of_json(&own["scene_from_part"]);
        assert!(is_one_of(&surface, 0, &pile.parts, &pose), "{own}");
    }
    // What is left holds no floor and none of the parts found.
    let rest = load_scan(&rest, &LoadOptions::default(), &Progress::silent()).unwrap().cloud.points;
    let share = answer["share_of_points"]["nothing_found"].as_f64().unwrap();
    assert!((share - rest.len() as f64 / pile.cloud.points.len() as f64).abs() < 1e-12 && rest.len() > 1000);
    let on_floor = rest.iter().filter(|point| point.z.abs() < 0.3).count();
    assert!(on_floor * 20 < rest.len(), "{on_floor} of {}", rest.len());
    // Looked for only where they were, they are found again.
    let last = folder.path().join("last.json");
    std::fs::write(&last, &done.stdout).unwrap();
    let tracked = ["--part", text(&dome), "--part", text(&clamp), "--last", text(&last), "--max-rounds", "0", "--json"];
    let again = shadowgraph(&[&["detect", text(&path)], &tracked[..]].concat());
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    let of_again = again["detections"].as_array().unwrap();
    assert!(of_again.len() == found.len() && again["rounds"] == 0, "{again}");
    for own in of_again {
        assert!(own["part"] == "clamp" && is_one_of(&surface, 0, &pile.parts, &pose_of_json(&own["scene_from_part"])));
    }
    std::fs::write(&last, "{}").unwrap();
    let refused = shadowgraph(&["detect", text(&path), "--part", text(&clamp), "--last", text(&last)]);
    assert!(refused.status.code() == Some(3) && errors(&refused).contains("detect --json"), "{}", errors(&refused));
    // The pose leads on to an inspection.
    let (pose, out) = (poses.join("clamp-1.txt"), folder.path().join("report"));
    let more =
        ["--pose", text(&pose), "--align", "best-fit", "--max-distance-mm", "1", "--no-pictures", "--out", text(&out)];
    let inspected = shadowgraph(&[&["inspect", "--nominal", text(&clamp), "--scan", text(&path)], &more[..]].concat());
    assert!(inspected.status.success(), "{}", errors(&inspected));
    let plain = shadowgraph(&["detect", text(&path), "--part", text(&dome)]);
    let said = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(plain.status.success() && said.contains("0 parts found"), "{said}");
    for (arguments, code) in [(vec!["detect", text(&path)], 2), (vec!["detect", "none.ply", "--part", text(&clamp)], 3)]
    {
        assert_eq!(shadowgraph(&arguments).status.code(), Some(code));
    }
    let wrong = shadowgraph(&["detect", text(&path), "--part", text(&clamp), "--min-score", "2"]);
    assert!(errors(&wrong).contains("from 0 to 1"), "{}", errors(&wrong));
}

#[test]
fn an_inspection_of_a_scene_starts_where_its_part_lies_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let inspect = |name: &str| {
        let (nominal, out) = (part(name), folder.path().join(name));
        let more = ["--tolerance-mm", "1", "--no-pictures", "--json", "--out", text(&out)];
        shadowgraph(&[&["inspect", "--nominal", text(&nominal), "--scan", text(&path)], &more[..]].concat())
    };
    let done = inspect("clamp.stl");
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let alignment = &answer["alignment"];
    let pose = pose_of_json(&alignment["nominal_from_scan"]).inverse();
    assert!(is_one_of(&surface("clamp.stl"), 0, &pile.parts, &pose), "{alignment}");
    let remarks = alignment["remarks"].to_string();
    assert!(remarks.contains("found among other things in the scan"), "{remarks}");
    // Most of the scan is something else, which does not speak against the part.
    assert!(!answer.to_string().contains("may be of another part"), "{answer}");
    assert!(alignment["among_others"]["found"]["score"].as_f64().unwrap() > 0.2, "{alignment}");
    let done = inspect("dome.stl");
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), errors(&done));
    assert!(said.contains("looks like"), "{said}");
}

#[test]
fn the_window_aligns_a_part_among_others_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let mut window = in_workspace(Key::Num2, path);
    window.get_by_label("Align automatically").click();
    window.run_steps(3);
    settle(&mut window);
    let alignment = window.state().dispatcher().document.alignment().unwrap();
    assert!(is_one_of(&surface("clamp.stl"), 0, &pile.parts, &alignment.nominal_from_scan.inverse()));
    assert!(window.query_all_by_label_contains("found among other things in the scan").next().is_some());
    compare_picture(&mut window, "align-among-others");
    // What else the scan shows does not stand before the deviations, unless it is asked for.
    window.get_by_label("Align and compare").click();
    window.run_steps(3);
    settle(&mut window);
    let said = window.query_all_by_label_contains("one of 3 in the scan").count();
    assert!(said > 0, "one of several");
    compare_picture(&mut window, "compare-among-others");
    let drawn = window.render().unwrap();
    window.get_by_label("Other things in the scan").click();
    window.run_steps(3);
    settle(&mut window);
    let all = window.render().unwrap();
    let view = window.get_by_label("3D viewport").rect().shrink(60.0);
    let differs = |(x, y, pixel): &(u32, u32, &image::Rgba<u8>)| {
        view.contains(egui::pos2(*x as f32, *y as f32)) && all.get_pixel(*x, *y) != *pixel
    };
    let changed = drawn.enumerate_pixels().filter(differs).count();
    assert!(changed > 2_000, "{changed} pixels");
}

#[test]
fn parts_are_refused_and_accepted_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = scene(folder.path());
    let mut window = with_parts_found(path);
    let id = window.state().dispatcher().document.plan.by_name("Parts in the scan").unwrap().id;
    let count =
        |window: &Window| window.state().dispatcher().document.result::<Found>(Some(id)).unwrap().detections.len();
    let before = count(&window);
    window.get_by_label_contains("Part 1").click();
    window.run_steps(3);
    window.get_by_label("This is not one").click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(count(&window), before - 1);
    assert!(window.query_by_label_contains("0 accepted, 1 refused by you").is_some());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(count(&window), before);
    // With a bar that nothing passes there are candidates alone, and one of them is accepted.
    window.state_mut().send(Detect::Find(Parameters { min_score: 1.0, ..Parameters::default() }));
    settle(&mut window);
    assert_eq!(count(&window), 0);
    compare_picture(&mut window, "detect-candidates");
    window.get_by_label_contains("Candidate 1").click();
    window.run_steps(3);
    window.get_by_label("This is one").click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(count(&window), 1);
    assert!(window.query_all_by_label_contains("accepted").next().is_some());
    compare_picture(&mut window, "detect-accepted");
    window.get_by_label("Search anew").click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(count(&window), 0);
}

/// In the next scan of the scene parts are looked for first where they were.
#[test]
fn parts_are_tracked_from_scan_to_scan() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = scene(folder.path());
    let again = folder.path().join("again.ply");
    std::fs::copy(&path, &again).unwrap();
    let mut window = with_parts_found(path);
    let found = |window: &Window| -> Vec<usize> {
        let document = &window.state().dispatcher().document;
        let id = document.plan.by_name("Parts in the scan").unwrap().id;
        let found = document.result::<Found>(Some(id));
        found.map(|found| found.detections.iter().map(|own| own.round).collect()).unwrap_or_default()
    };
    let before = found(&window).len();
    assert!(before >= 2);
    window.get_by_label("Options").click();
    window.run_steps(20);
    window.get_by_label("Look first where parts were found before").click();
    window.run_steps(3);
    window.state_mut().send(Parts::OpenScans { paths: vec![again], unit: None, columns: None });
    settle(&mut window);
    window.get_by_label("Find parts again").click();
    window.run_steps(3);
    settle(&mut window);
    assert_eq!(found(&window), vec![0; before]);
}

/// Each part of a scene becomes a part of a series, with a scan of its own.
#[test]
fn all_parts_found_are_measured_each_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (pile, path) = scene(folder.path());
    let results = folder.path().join("measured");
    let mut window = with_parts_found(path.clone());
    window.get_by_label_contains("Measure all").click();
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(egui::Event::Text(text(&results).to_owned()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let id = document.plan.by_name("Parts in the scan").unwrap().id;
    let found = document.result::<Found>(Some(id)).unwrap();
    let series = document.series.clone().expect("a series");
    assert!(found.detections.len() >= 3 && series.records.len() == found.detections.len());
    // What is seen of a part decides on whether its check is complete.
    for (own, record) in found.detections.iter().zip(series.records.iter()) {
        let may_pass = own.terms.visible_fraction() > 0.9;
        let is_right = record.verdict == Some(Verdict::Incomplete) || may_pass && record.verdict == Some(Verdict::Pass);
        assert!(is_right && record.error.is_none(), "{}: {:?}", record.part, record.verdict);
    }
    // The table shows them, and the command line measures the same again.
    assert!(
        window.query_by_label("scene-1").is_some() && window.query_all_by_label_contains("INCOMPLETE").next().is_some()
    );
    let again = folder.path().join("again");
    let [plan, list] = ["plan.sgplan", "parts.txt"].map(|name| results.join(name));
    let done = shadowgraph(&["inspect", "--plan", text(&plan), "--list", text(&list), "--out", text(&again)]);
    assert!(done.status.success() || done.status.code() == Some(1), "{}", errors(&done));
    let rows = std::fs::read_to_string(again.join("parts.csv")).unwrap();
    assert_eq!(rows, std::fs::read_to_string(results.join("parts.csv")).unwrap());
    // One of them is opened, with its own scan alone.
    window.get_by_label("scene-2").click();
    window.run_steps(3);
    window.get_by_label("Don’t save").click();
    window.run_steps(3);
    settle(&mut window);
    let document = &window.state().dispatcher().document;
    let points = document.actual().unwrap().cloud.points.len();
    assert!(document.stages.all().len() == series.records.len() && document.stages.shown().name == "scene-2");
    assert!(document.current_measurement().is_some() && points < pile.cloud.points.len() / 5, "{points}");
    window.key_press(Key::Escape);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    window.run_steps(4);
    settle(&mut window);
    compare_picture(&mut window, "detect-measured");
    // On the command line, too.
    let scans = folder.path().join("scans");
    let options = ["--part", text(&part("clamp.stl")), "--scans", text(&scans)].map(str::to_owned);
    let done = shadowgraph(&["detect", text(&path), &options[0], &options[1], &options[2], &options[3]]);
    assert!(done.status.success(), "{}", errors(&done));
    for number in 1..=series.records.len() {
        let [own, before] =
            [scans.join(format!("clamp-{number}.ply")), results.join(format!("scans/scene-{number}.ply"))];
        assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&before).unwrap());
    }
}
