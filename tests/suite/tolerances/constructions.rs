//! Tolerances of slots and circles in a plane, and of a profile without datums.

use std::path::{Path, PathBuf};

use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Features, Inspect, Parts, Projects, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Point, mesh::shapes};
use shadowgraph::inspect::features::Kind;
use shadowgraph::inspect::tolerances::{Plan, Verdict};
use shadowgraph::io::write;
use shadowgraph::session::selection::Selectable;

use super::super::support::context;
use super::plane;

/// A sheet, the rim of a slot of 20 x 8 mm in it at (40, 30), and a ring of touches that wander off the sheet.
fn sheet(folder: &Path) -> (PathBuf, [Subset; 3]) {
    let mut points: Vec<Point> =
        (0..400).map(|i| Point::new(f64::from(i % 20) * 4.0, f64::from(i / 20) * 3.0, 5.0)).collect();
    for i in 0..40 {
        let along = f64::from(i % 20) * 12.0 / 20.0 - 6.0;
        let (sin, cos) = (f64::from(i % 20) * 9.0_f64.to_radians()).sin_cos();
        let side = if i < 20 { 1.0 } else { -1.0 };
        points.push(Point::new(40.0 + along, 30.0 + side * 4.0, 5.0));
        points.push(Point::new(40.0 + side * (6.0 + 4.0 * sin), 30.0 + 4.0 * cos, 5.0));
    }
    for i in 0..36 {
        let (sin, cos) = (f64::from(i) * 10.0_f64.to_radians()).sin_cos();
        points.push(Point::new(10.0 + 3.0 * cos, 10.0 + 3.0 * sin, 5.0 + 0.2 * f64::from(i % 5)));
    }
    let path = folder.join("sheet.xyz");
    let rows: String = points.iter().map(|p| format!("{} {} {}\n", p.x, p.y, p.z)).collect();
    std::fs::write(&path, rows).unwrap();
    (path, [0..400, 400..480, 480..516].map(|range| Subset::new(range.collect())))
}

#[test]
fn slots_and_circles_are_fitted_in_a_plane_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, [sheet, rim, ring]) = sheet(folder.path());
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent());
    send(&mut dispatcher, Parts::OpenScans { paths: vec![path], unit: None, columns: None }.into()).unwrap();
    send(&mut dispatcher, Select::Numbers(Selectable::Points, sheet, Combine::Replace).into()).unwrap();
    send(&mut dispatcher, plane()).unwrap();
    send(&mut dispatcher, Select::Numbers(Selectable::Points, rim.clone(), Combine::Replace).into()).unwrap();
    let slot = |plane: &str| Command::Features(Features::FitSlot { plane: Some(plane.to_owned()), clip_sigmas: None });
    send(&mut dispatcher, slot("Plane 1")).unwrap();
    assert!(send(&mut dispatcher, slot("Slot 2")).unwrap_err().sentence.contains("no plane “Slot 2”"));
    send(&mut dispatcher, Features::FitSlot { plane: None, clip_sigmas: None }.into()).unwrap();
    for slot in dispatcher.document.slots() {
        let own = slot.made.unwrap().slot().unwrap().slot;
        assert!((own.length_mm - 20.0).abs() < 1e-6 && (own.width_mm - 8.0).abs() < 1e-6, "{own:?}");
        assert!((own.centre - Point::new(40.0, 30.0, 5.0)).norm() < 1e-6, "{own:?}");
    }
    send(&mut dispatcher, Select::Numbers(Selectable::Points, ring, Combine::Replace).into()).unwrap();
    let circle = |plane: &str| {
        Command::Features(Features::FitInPlane {
            kind: Kind::Circle,
            plane: plane.to_owned(),
            robust: false,
            clip_sigmas: None,
        })
    };
    send(&mut dispatcher, circle("Plane 1")).unwrap();
    let found = dispatcher.document.feature("Circle 1").unwrap().fit().unwrap();
    assert!(
        (found.shape.position() - Point::new(10.0, 10.0, 5.0)).norm() < 1e-6 && found.form_error_mm < 1e-6,
        "{found:?}"
    );
    // Its width, and how squarely its middle stands on the sheet.
    let plan = r#"{ "datums": { "A": "Plane 1" }, "tolerances": [
        { "feature": "Slot 1", "characteristic": "size", "lower_mm": 7.9, "upper_mm": 8.1 },
        { "feature": "Slot 1", "characteristic": "perpendicularity", "limit_mm": 0.1, "datums": ["A"] } ] }"#;
    let list = folder.path().join("list.json");
    std::fs::write(&list, plan).unwrap();
    send(&mut dispatcher, Tolerances::Open(list).into()).unwrap();
    send(&mut dispatcher, Tolerances::Judge.into()).unwrap();
    let measured = |dispatcher: &Dispatcher| {
        let judgement = dispatcher.document.judgement().expect("a judgement");
        let own = judgement.iter().map(|result| result.as_ref().unwrap().measured_mm);
        own.collect::<Vec<f64>>()
    };
    let first = measured(&dispatcher);
    assert!((first[0] - 8.0).abs() < 1e-6 && first[1] < 1e-6, "{first:?}");

    let project = folder.path().join("sheet.shadowgraph");
    send(&mut dispatcher, Projects::Save(project.clone()).into()).unwrap();
    send(&mut dispatcher, Projects::New.into()).unwrap();
    send(&mut dispatcher, Projects::Open(project).into()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 1", "Circle 1", "Slot 1", "Slot 2"]);
    assert_eq!(measured(&dispatcher), first);
    // A point of the rim goes: the slots are fitted to the others, and what was judged of them is open.
    let one = Subset::new(rim.iter().copied().take(1).collect());
    send(&mut dispatcher, Parts::CleanScan(shadowgraph::inspect::cleaning::Step::Remove(one)).into()).unwrap();
    let left = dispatcher.document.feature("Slot 1").unwrap();
    assert_eq!((left.numbers.len(), left.slot().unwrap().used), (79, 79));
    assert!(dispatcher.document.judgement().is_none());
    send(&mut dispatcher, Tolerances::Judge.into()).unwrap();
    assert!((measured(&dispatcher)[0] - 8.0).abs() < 1e-6);
}

#[test]
fn a_profile_without_datums_follows_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let (part, scan) = (folder.path().join("plate.stl"), folder.path().join("top.xyz"));
    write::mesh(&part, &shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 30.0, 8.0].into())).unwrap();
    // The top lies 0.02 mm too high.
    let rows: String = (0..400).map(|i| format!("{} {} 8.02\n", 5 + i % 20, 5 + i / 20)).collect();
    std::fs::write(&scan, rows).unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    send(&mut dispatcher, Parts::OpenNominal { path: part, unit: None }.into());
    send(&mut dispatcher, Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    send(
        &mut dispatcher,
        Select::Numbers(Selectable::Points, Subset::new((0..400).collect()), Combine::Replace).into(),
    );
    send(&mut dispatcher, plane());
    let profile = r#"{ "tolerances": [{ "feature": "Plane 1", "characteristic": "profile", "limit_mm": 0.05 }] }"#;
    send(&mut dispatcher, Tolerances::Set(Box::new(Plan::from_json(profile).unwrap())).into());
    send(&mut dispatcher, Tolerances::Judge.into());
    let judged = |dispatcher: &Dispatcher| dispatcher.document.judgement().map(|judgement| judgement[0].clone());
    assert!(judged(&dispatcher).unwrap().unwrap_err().contains("needs its deviations"));
    send(&mut dispatcher, Inspect::Compare.into());
    assert!(judged(&dispatcher).is_none());
    send(&mut dispatcher, Tolerances::Judge.into());
    let found = judged(&dispatcher).unwrap().unwrap();
    assert!((found.measured_mm - 0.04).abs() < 1e-6 && found.verdict == Verdict::In, "{found:?}");
}
