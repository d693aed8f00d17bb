//! Datums, tolerances and dimensions of STEP files: read back as they were written, measured on a part whose errors are
//! known, and taken into the plan by mouse. Without the CAD reader there is nothing to test.
#![cfg(feature = "cad")]

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::{Align, Command, Dispatcher, Inspect, Parts, Projects, Tolerances};
use shadowgraph::geometry::{Cloud, Mesh, Point, Pose, Surface, sampling};
use shadowgraph::inspect::deviation::Verdict;
use shadowgraph::inspect::tolerances::Tolerance;
use shadowgraph::inspect::tolerances::measure::Measure;
use shadowgraph::io::cad::pmi::Pmi;
use shadowgraph::io::{LoadOptions, load_nominal, load_scan, write};
use shadowgraph::session::plan::Recipe;
use shadowgraph::session::pmi::Restated;
use shadowgraph::session::verdict;

use super::support::{cad_reader, context, errors, shadowgraph, text};
use super::window::{open, save_picture, settle, show_step};

const FILES: [&str; 10] =
    ["plate", "plate-inch", "shaft", "ball-and-cone", "wedge", "modifiers", "free-form", "sizes", "halves", "nothing"];

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pmi").join(name)
}

fn read(path: &Path) -> (Mesh, Pmi) {
    let options = LoadOptions { cad: cad_reader(), ..LoadOptions::default() };
    let loaded = load_nominal(path, &options, &Progress::silent()).unwrap();
    (loaded.mesh, loaded.structure.unwrap().pmi)
}

/// The CAD faces on which points lie, given as they were written.
fn faces_at(points: &Value, surface: &Surface) -> Vec<u32> {
    let points: Vec<[f64; 3]> = serde_json::from_value(points.clone()).unwrap();
    let face = |point: [f64; 3]| {
        let closest = surface.closest_point(&Point::from(point), 0.01).expect("a face of the file");
        surface.mesh().cad_faces[closest.facet as usize]
    };
    let mut faces: Vec<u32> = points.into_iter().map(face).collect();
    faces.sort_unstable();
    faces
}

/// Whether two values of JSON are the same, numbers to nine digits.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * (1.0 + one.abs()),
        _ => one == other,
    }
}

#[test]
fn what_ten_files_state_is_read_as_it_was_written() {
    for name in FILES {
        let (mesh, pmi) = read(&data(&format!("{name}.step")));
        let surface = Surface::new(mesh);
        let written = std::fs::read_to_string(data(&format!("{name}.json"))).unwrap();
        let written: Vec<Value> = serde_json::from_str(&written).unwrap();
        let count = |item: &str| written.iter().filter(|own| own["item"] == item).count();
        assert_eq!(pmi.datums.len(), count("datum"), "{name}");
        assert_eq!(pmi.tolerances.len(), count("tolerance"), "{name}");
        assert_eq!(pmi.dimensions.len(), count("dimension"), "{name}");
        assert_eq!((pmi.lost_tolerances, pmi.unread), (0, 0), "{name}");
        let [mut datums, mut tolerances, mut dimensions] = [
            serde_json::to_value(&pmi.datums).unwrap(),
            serde_json::to_value(&pmi.tolerances).unwrap(),
            serde_json::to_value(&pmi.dimensions).unwrap(),
        ]
        .map(|list| list.as_array().unwrap().clone());
        for own in &written {
            let (list, keys, faces): (&mut Vec<Value>, &[&str], &[&str]) = match own["item"].as_str().unwrap() {
                "datum" => (&mut datums, &["letter", "target"], &["faces"]),
                "tolerance" => (&mut tolerances, &["kind", "value_mm", "zone", "modifiers", "datums"], &["faces"]),
                _ => {
                    (&mut dimensions, &["kind", "nominal", "lower", "upper", "fit", "modifiers"], &["first", "second"])
                }
            };
            let is_it = |read: &Value| {
                keys.iter().all(|key| same(&read[key], &own[key]))
                    && faces.iter().all(|key| {
                        let read: Vec<u32> = serde_json::from_value(read[key].clone()).unwrap();
                        read == faces_at(&own[key], &surface)
                    })
            };
            let index = list.iter().position(is_it).unwrap_or_else(|| panic!("{name}: {own} is not among {list:#?}"));
            list.remove(index);
        }
    }
}

/// A scan of the plate, exact but for a top that leans by 0.04 mm over its length and a bore that stands 0.03 mm off,
/// except at its rims, where its points would lie closer to other faces.
pub fn plate_scan(folder: &Path) -> PathBuf {
    let (mesh, _) = read(&data("plate.step"));
    let displaced = |point: Point| {
        if (point.z - 12.0).abs() < 1e-6 {
            return Point::new(point.x, point.y, 12.0 + 0.04 * point.x / 80.0);
        }
        let from_axis = ((point.x - 20.0).hypot(point.y - 25.0) - 5.0).abs();
        let is_wall = from_axis < 0.01 && (0.2..11.8).contains(&point.z);
        Point::new(point.x + if is_wall { 0.03 } else { 0.0 }, point.y, point.z)
    };
    let points = sampling::by_area(&mesh, 80_000, 5).into_iter().map(|sample| displaced(sample.point)).collect();
    let path = folder.join("plate-scan.ply");
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

/// The plate and its scan, aligned as they lie.
fn aligned(nominal: &Path, scan: PathBuf) -> Dispatcher {
    let mut dispatcher = Dispatcher::new(context());
    let commands: [Command; 3] = [
        Parts::OpenNominal { path: nominal.to_owned(), unit: None }.into(),
        Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into(),
        Align::SetPose(Pose::identity()).into(),
    ];
    for command in commands {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
    }
    dispatcher
}

#[test]
fn what_the_plate_states_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = aligned(&data("plate.step"), plate_scan(folder.path()));
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap();
    let document = &dispatcher.document;
    let judgement = document.judgement().unwrap();
    let measured = |feature: &str, characteristic: &str| {
        let mut rows = document.tolerances().zip(&judgement);
        let is_it = |own: &Tolerance| own.feature == feature && own.characteristic.name() == characteristic;
        rows.find(|((_, own), _)| is_it(&own.asked)).map(|(_, judged)| judged.clone().unwrap()).unwrap()
    };
    // Lean of the top, and twice the offset of the bore; facets stand up to 0.005 mm off the walls of bores.
    let parallelism = measured("Plane 4", "Parallelism");
    assert!((parallelism.measured_mm - 0.04).abs() < 1e-3, "{parallelism:?}");
    let moved = measured("Cylinder 1", "Position");
    assert!((moved.measured_mm - 0.06).abs() < 2e-3, "{moved:?}");
    let still = measured("Cylinder 2", "Position");
    assert!(still.measured_mm < 2e-3, "{still:?}");
    // The maximum material size of a bore is its smallest, 9.98 mm.
    assert!((still.bonus_mm - 0.02).abs() < 0.011 && still.bonus_mm > 0.0, "bonus {}", still.bonus_mm);
    assert!(measured("Plane A", "Flatness").measured_mm < 1e-4);
    assert!((measured("Cylinder 1", "Size").measured_mm - 10.0).abs() < 6e-3);
    // A radius with limits above its nominal.
    let small = measured("Cylinder 3", "Size");
    assert!((small.lower_mm.unwrap() - 6.02).abs() < 1e-9 && (small.limit_mm - 6.06).abs() < 1e-9, "{small:?}");
    assert!(small.measured_mm < 6.0);
    let distance = |name: &str| document.result::<Measure>(document.plan.by_name(name).map(|own| own.id)).unwrap();
    assert!((distance("Distance Cylinder 1 – Cylinder 2").figure.value - 39.97).abs() < 2e-3);
    let height = distance("Distance Plane A – Plane 4");
    assert!((height.figure.value - 12.02).abs() < 1e-3 && height.words() == Some("does not conform"), "{height:?}");
    assert_eq!(document.asked().datums.len(), 3);

    // Again: nothing is added, and the plan measures the next part.
    let count = document.plan.elements().len();
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: Some(1.0) }, &Progress::silent()).unwrap();
    assert_eq!(dispatcher.document.plan.elements().len(), count);
    assert_eq!(dispatcher.document.pmi_in_plan(), (14, 14));
    let filtered = dispatcher.document.tolerances().filter(|(_, own)| own.asked.filter_mm == Some(1.0)).count();
    assert_eq!(filtered, 4, "those of planes");
    let is_repeatable = |own: &Recipe| match own {
        Recipe::Feature(own) => own.selection.is_repeatable(),
        _ => true,
    };
    assert!(dispatcher.document.plan.elements().iter().all(|own| is_repeatable(&own.recipe)));
    let project = folder.path().join("plate.shadowgraph");
    dispatcher.run_now(Projects::Save(project.clone()), &Progress::silent()).unwrap();
    let before = dispatcher.document.judgement();
    dispatcher.run_now(Projects::Open(project), &Progress::silent()).unwrap();
    assert_eq!(dispatcher.document.judgement(), before);
}

/// The file of the shaft with datum B on its journal, and the run-out of the collar about the common axis A-B.
pub fn shaft_with_common_datum(folder: &Path) -> PathBuf {
    let compartment = |base: &str| format!("#362 = DATUM_REFERENCE_COMPARTMENT('','',#4,.F.,{base},$);");
    let added = "#400 = DATUM_FEATURE('','',#4,.T.);
#401 = GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#400,#10,#175);
#402 = DATUM('','',#4,.F.,'B');
#403 = SHAPE_ASPECT_RELATIONSHIP('',$,#400,#402);
#404 = DATUM_REFERENCE_ELEMENT('','',#4,.F.,#301,$);
#405 = DATUM_REFERENCE_ELEMENT('','',#4,.F.,#402,$);
ENDSEC;
END-ISO-10303-21;";
    let written = std::fs::read_to_string(data("shaft.step")).unwrap();
    let with_datum = written.replace("ENDSEC;\nEND-ISO-10303-21;", added);
    let common = with_datum.replace(&compartment("#301"), &compartment("COMMON_DATUM_LIST((#404,#405))"));
    assert!(with_datum != written && common != with_datum);
    let path = folder.join("common.step");
    std::fs::write(&path, common).unwrap();
    path
}

/// A scan of the shaft, exact but for the collar, which stands 0.02 mm off.
pub fn shaft_scan(folder: &Path) -> PathBuf {
    let (mesh, _) = read(&data("shaft.step"));
    let radii = [(10.0, 0.0..30.0), (15.0, 30.0..50.0), (8.0, 50.0..80.0)];
    let displaced = |point: Point| {
        let (from_axis, z) = (point.x.hypot(point.y), point.z);
        let is_wall = |own: &&(f64, std::ops::Range<f64>)| {
            (from_axis - own.0).abs() < 0.05 && (own.1.start + 0.2..own.1.end - 0.2).contains(&z)
        };
        let Some((radius, _)) = radii.iter().find(is_wall) else { return point };
        let off = if *radius == 15.0 { 0.02 } else { 0.0 };
        Point::new(point.x * radius / from_axis + off, point.y * radius / from_axis, z)
    };
    let points = sampling::by_area(&mesh, 80_000, 5).into_iter().map(|sample| displaced(sample.point)).collect();
    let path = folder.join("shaft-scan.ply");
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

#[test]
fn a_common_datum_of_the_cad_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let nominal = shaft_with_common_datum(folder.path());
    let (_, pmi) = read(&nominal);
    let run_out = pmi.tolerances.iter().find(|own| own.kind == "circular_run_out").unwrap();
    let references: Vec<(&str, i64)> = run_out.datums.iter().map(|own| (own.letter.as_str(), own.position)).collect();
    assert_eq!(references, [("A", 1), ("B", 1)]);
    let mut dispatcher = aligned(&nominal, shaft_scan(folder.path()));
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap();
    let document = &dispatcher.document;
    let judgement = document.judgement().unwrap();
    let mut rows = document.tolerances().zip(&judgement);
    let ((_, own), judged) = rows.find(|((_, own), _)| own.asked.characteristic.name() == "Circular run-out").unwrap();
    assert_eq!(own.asked.datums, ["A-B"]);
    let judged = judged.clone().unwrap();
    assert!((judged.measured_mm - 0.04).abs() < 2e-3, "{judged:?}");
    assert!(judged.how.contains("common datum “A-B”: fitted to the points of all its features together"), "{judged:?}");
    let (found, stated) = document.pmi_in_plan();
    assert_eq!(found, document.pmi_plan().unwrap().count(), "{found} of {stated}");
}

#[test]
fn a_verdict_says_what_of_the_cad_it_leaves_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = aligned(&data("plate.step"), plate_scan(folder.path()));
    dispatcher.run_now(Inspect::Compare, &Progress::silent()).unwrap();
    let overall = verdict::overall(&dispatcher.document).unwrap();
    assert!(overall.remarks.iter().any(|own| own.contains("states 14 tolerances and dimensions, of which none")));
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap();
    let overall = verdict::overall(&dispatcher.document).unwrap();
    assert!(!overall.remarks.iter().any(|own| own.contains("of which none")), "{overall:?}");
    assert!(overall.components.iter().all(|own| own.name != "Tolerances of the CAD"), "{overall:?}");

    // Of a file with statements that cannot be evaluated, the verdict is incomplete at best.
    let (mesh, _) = read(&data("wedge.step"));
    let points = sampling::by_area(&mesh, 60_000, 5).into_iter().map(|sample| sample.point).collect();
    let scan = folder.path().join("wedge.ply");
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let mut dispatcher = aligned(&data("wedge.step"), scan);
    dispatcher.run_now(Inspect::Compare, &Progress::silent()).unwrap();
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap();
    let overall = verdict::overall(&dispatcher.document).unwrap();
    let left = overall.components.iter().find(|own| own.name == "Tolerances of the CAD").unwrap();
    assert_eq!((left.verdict, overall.verdict), (Verdict::Incomplete, Verdict::Incomplete), "{overall:?}");
    assert!(left.reason.contains("6 of the 7"), "{left:?}");
    let said = |words: &str| dispatcher.messages.iter().any(|own| own.text.contains(words));
    assert!(said("its faces give 40.000 mm, not 41"), "{:?}", dispatcher.messages);
}

/// The plate with a smaller flatness tolerance and without the parallelism.
fn revised_plate(folder: &Path) -> PathBuf {
    let written = std::fs::read_to_string(data("plate.step")).unwrap();
    let (usage, none) = ("GEOMETRIC_ITEM_SPECIFIC_USAGE", "ITEM_IDENTIFIED_REPRESENTATION_USAGE");
    let revised = written
        .replace(
            "#693 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(5.E-02)",
            "#693 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(2.E-02)",
        )
        .replace(&format!("#701 = {usage}"), &format!("#701 = {none}"));
    assert_ne!(revised, written);
    let path = folder.join("revised.step");
    std::fs::write(&path, revised).unwrap();
    path
}

/// A project of before tolerances of the CAD were marked: those that are exactly what the file states follow its revision,
/// one with another limit is the operator's own.
#[test]
fn tolerances_of_older_projects_are_those_of_the_cad_where_they_match_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = aligned(&data("plate.step"), plate_scan(folder.path()));
    let mut send = |command: Command| {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
        dispatcher.document.clone()
    };
    send(Tolerances::TakeFromCad { filter_mm: None }.into());
    let (project, revised) = (folder.path().join("old.shadowgraph"), revised_plate(folder.path()));
    send(Projects::Save(project.clone()).into());
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(&project).unwrap()).unwrap();
    let mut marked = 0;
    for element in kept["plan"].as_array_mut().unwrap() {
        marked += usize::from(element["recipe"].as_object_mut().unwrap().remove("of_cad").is_some());
    }
    assert!(marked > 2, "{marked}");
    for (own_limit_mm, outdated, gone) in [(None, 2, 1), (Some(0.04), 1, 1)] {
        std::fs::write(&project, kept.to_string()).unwrap();
        let opened = send(Projects::Open(project.clone()).into());
        assert!(opened.tolerances().all(|(_, own)| !own.of_cad));
        if let Some(limit_mm) = own_limit_mm {
            let mut asked = opened.asked();
            let flatness = asked.tolerances.iter_mut().find(|own| own.characteristic.name() == "Flatness").unwrap();
            flatness.limit_mm = limit_mm;
            send(Tolerances::Set(Box::new(asked)).into());
        }
        let followed = send(Parts::OpenNominal { path: revised.clone(), unit: None }.into());
        let found = followed.outdated_pmi();
        let of_which_gone = found.iter().filter(|(_, own)| *own == Restated::Gone).count();
        assert_eq!((found.len(), of_which_gone), (outdated, gone), "{own_limit_mm:?}: {found:?}");
    }
}

/// A revision of the CAD that halves the flatness tolerance and drops the parallelism: what was taken before is listed,
/// leaves the verdict open, and follows the new file in one step.
#[test]
fn a_revised_cad_does_not_leave_earlier_tolerances_unsaid() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = aligned(&data("plate.step"), plate_scan(folder.path()));
    dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap();
    assert!(dispatcher.document.outdated_pmi().is_empty());
    let refused = dispatcher.run_now(Tolerances::FollowCad, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("as its file states it"), "{refused}");
    let path = revised_plate(folder.path());
    dispatcher.run_now(Parts::OpenNominal { path, unit: None }, &Progress::silent()).unwrap();
    let document = &dispatcher.document;
    let outdated = document.outdated_pmi();
    let gone = outdated.iter().filter(|(_, own)| *own == Restated::Gone).count();
    assert_eq!((outdated.len(), gone), (2, 1), "{outdated:?}");
    let said = |words: &str| dispatcher.messages.iter().any(|own| own.text.contains(words));
    assert!(said("this one states 1 otherwise and 1 no longer"), "{:?}", dispatcher.messages);
    let overall = verdict::overall(document).unwrap();
    let earlier = overall.components.iter().find(|own| own.name == "Tolerances of an earlier CAD file").unwrap();
    assert_eq!(earlier.verdict, Verdict::Incomplete);
    assert!(earlier.reason.contains("Flatness") && earlier.reason.contains("Parallelism"), "{earlier:?}");
    let count = document.tolerances().count();
    dispatcher.run_now(Tolerances::FollowCad, &Progress::silent()).unwrap();
    let document = &dispatcher.document;
    assert!(document.outdated_pmi().is_empty());
    assert_eq!(document.tolerances().count(), count - 1);
    let flatness = document.tolerances().find(|(_, own)| own.asked.characteristic.name() == "Flatness").unwrap().1;
    assert!((flatness.asked.limit_mm - 0.02).abs() < 1e-12 && flatness.of_cad);
    dispatcher.run_now(Command::Undo, &Progress::silent()).unwrap();
    assert_eq!(dispatcher.document.outdated_pmi().len(), 2);
}

#[test]
fn what_cannot_be_taken_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // Tolerances that name no face.
    let written = std::fs::read_to_string(data("plate.step")).unwrap();
    let bare = folder.path().join("bare.step");
    std::fs::write(&bare, written.replace("GEOMETRIC_ITEM_SPECIFIC_USAGE", "ITEM_IDENTIFIED_REPRESENTATION_USAGE"))
        .unwrap();
    let (_, pmi) = read(&bare);
    assert_eq!(pmi.tolerances.len() + pmi.lost_tolerances, 7, "{pmi:?}");
    assert_eq!(pmi.dimensions.len(), 7);
    let output = shadowgraph(&["info", text(&bare)]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("names no face"), "{said}{}", errors(&output));

    let scan = plate_scan(folder.path());
    let mut dispatcher = aligned(&bare, scan.clone());
    let refused = dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("no tolerance that can be evaluated"), "{refused}");
    let out = folder.path().join("report");
    let arguments = ["inspect", "--nominal", text(&bare), "--scan", text(&scan), "--pmi", "--no-pictures", "--out"];
    let output = shadowgraph(&[&arguments[..], &[text(&out)]].concat());
    assert!(errors(&output).contains("no tolerance that can be evaluated") && !out.exists(), "{}", errors(&output));

    // A letter that the operator gave to another feature.
    let mut dispatcher = aligned(&data("plate.step"), scan);
    let mut asked = dispatcher.document.asked();
    asked.datums.insert("B".to_owned(), "My edge".to_owned());
    dispatcher.run_now(Tolerances::Set(Box::new(asked)), &Progress::silent()).unwrap();
    let count = dispatcher.document.plan.elements().len();
    let refused = dispatcher.run_now(Tolerances::TakeFromCad { filter_mm: None }, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("“My edge” has this letter"), "{refused}");
    assert_eq!(dispatcher.document.plan.elements().len(), count, "a refused command changes nothing");
}

#[test]
fn the_report_and_the_summary_tell_the_same_of_tolerances() {
    let folder = tempfile::tempdir().unwrap();
    let (scan, out) = (plate_scan(folder.path()), folder.path().join("report"));
    let nominal = data("plate.step");
    let arguments = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none", "--pmi"];
    let output = shadowgraph(&[&arguments[..], &["--filter-mm", "2.5", "--no-pictures", "--out", text(&out)]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    let (tolerances, measures) = (summary["tolerances"].as_array().unwrap(), summary["measures"].as_array().unwrap());
    assert_eq!((tolerances.len(), measures.len()), (10, 4));
    for own in tolerances {
        let measured = format!("{:.4}", own["judged"]["measured_mm"].as_f64().unwrap());
        assert!(html.contains(&format!("{}: {measured}", own["words"].as_str().unwrap())), "{own}");
    }
    for own in measures {
        let value = format!("{}: {:.4}", own["words"].as_str().unwrap(), own["value"].as_f64().unwrap());
        assert!(html.contains(&value), "{own}");
    }
    let is_filtered = |own: &&Value| own["tolerance"]["filter_mm"] == 2.5;
    // Flatness, parallelism and two of perpendicularity; sizes and axes are not filtered.
    assert_eq!(tolerances.iter().filter(is_filtered).count(), 4, "{tolerances:#?}");
}

/// The case `verdicts/datum-face-on-20-percent.ply`, made here: the plate, of whose datum face A a fifth was scanned. Its
/// flatness, and what refers to it, is not judged, wherever it is read.
#[test]
fn a_datum_face_on_20_percent_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let whole = load_scan(&plate_scan(folder.path()), &LoadOptions::default(), &Progress::silent()).unwrap().cloud;
    let (nominal, scan, out) = (data("plate.step"), folder.path().join("fifth.ply"), folder.path().join("report"));
    let is_seen = |own: &&Point| own.z.abs() > 1e-3 || own.x < 0.2 * 80.0;
    write::cloud(&scan, &Cloud::from_points(whole.points.iter().filter(is_seen).copied().collect())).unwrap();
    let arguments = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none", "--pmi"];
    let more = ["--filter-mm", "2.5", "--no-pictures", "--fail-on-out-of-tolerance", "--out", text(&out)];
    let output = shadowgraph(&[&arguments[..], &more].concat());
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let mut open = 0;
    for own in summary["tolerances"].as_array().unwrap() {
        let stated = &own["tolerance"];
        let refers = stated["feature"] == "Plane A"
            || stated["datums"].as_array().is_some_and(|all| all.iter().any(|datum| datum == "A"));
        open += usize::from(refers);
        let incomplete = own["judged"]["incomplete"].as_str().unwrap_or_default();
        assert_eq!(incomplete.contains("“Plane A” was seen on 2"), refers, "{own:#}");
        if refers {
            // What is out for sure stays out only where its own face was seen in part.
            assert!(own["words"] == "incomplete", "{own:#}");
        }
    }
    assert!(open >= 4, "{open}");
    let height = summary["measures"].as_array().unwrap().iter().find(|own| own["from"] == "Plane A").unwrap();
    assert_eq!(height["words"], "incomplete", "{height:#}");
    assert_ne!(summary["verdict"], "pass");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let sentence = "“Plane A” was seen on 2";
    assert!(read("report.html").contains(sentence) && read("report.html").contains("incomplete: "));
    let table = read("results.csv");
    let flatness = table.lines().find(|line| line.contains("Flatness")).unwrap();
    assert!(flatness.contains("not judged") && flatness.contains(sentence), "{flatness}");
    let qif = read("results.qif");
    assert!(qif.contains("INDETERMINATE") && qif.contains("name=\"Incomplete\"") && qif.contains("name=\"Coverage\""));
    // Other faults of the plate make it a fail; without these it would be incomplete.
    assert_eq!(output.status.code(), Some(if summary["verdict"] == "fail" { 4 } else { 6 }), "{}", errors(&output));
}

#[test]
fn the_tolerances_of_the_cad_are_taken_by_a_click() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(vec![data("plate.step"), plate_scan(folder.path())], None);
    settle(&mut harness);
    harness.state_mut().send(Align::SetPose(Pose::identity()));
    settle(&mut harness);
    harness.get_by_label("Features").click();
    harness.run_steps(3);
    let show = |harness: &mut egui_kittest::Harness<'static, shadowgraph::app::App>, name: &str| {
        harness.get_by_label(name).scroll_to_me();
        harness.run_steps(20);
    };
    show_step(&mut harness, "5: Tolerances");
    show(&mut harness, "Stated in the CAD (14)");
    harness.get_by_label("Stated in the CAD (14)").click();
    harness.run_steps(20);
    show(&mut harness, "Flatness 0.05 mm: Plane A");
    harness.get_by_label("Flatness 0.05 mm: Plane A").click();
    settle(&mut harness);
    assert!(!harness.state().dispatcher().document.facets.selected.is_empty());
    show(&mut harness, "Take from the CAD");
    harness.get_by_label("Take from the CAD").click();
    settle(&mut harness);
    let document = &harness.state().dispatcher().document;
    assert_eq!(document.tolerances().count(), 10, "{:?}", harness.state().dispatcher().messages);
    assert!(document.judgement().is_some());
    // Each result has its flag in the view; a click flies there.
    assert!(harness.query_all_by_label_contains("Callout Flatness of “Plane A”").next().is_some());
    let before = harness.query_all_by_label_contains("Callout").count();
    save_picture(&mut harness, "control-frames");
    harness.get_by_label("Callout Position of “Cylinder 1”").click();
    settle(&mut harness);
    harness.run_steps(40);
    show(&mut harness, "Take from the CAD");
    save_picture(&mut harness, "pmi");
    show(&mut harness, "Flags in the view");
    harness.get_by_label("Flags in the view").click();
    harness.run_steps(5);
    assert!(before >= 10 && harness.query_all_by_label_contains("Callout").next().is_none(), "{before} flags");
    harness.state_mut().send(Command::Undo);
    settle(&mut harness);
    assert_eq!(harness.state().dispatcher().document.tolerances().count(), 0);
}

#[test]
fn form_is_judged_of_the_surface_and_not_of_noise() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, _) = read(&data("plate.step"));
    // An ideal part, seen by a sensor with 0.02 mm of noise and some spikes; its bottom has a dent of 0.2 mm.
    let scan = |dent_mm: f64| {
        let mut random = Random::new(11, 4);
        let mut points = Vec::new();
        for (index, sample) in sampling::by_area(&mesh, 120_000, 7).into_iter().enumerate() {
            let is_dent = sample.normal.z < -0.9 && (sample.point.x - 40.0).hypot(sample.point.y - 30.0) < 5.0;
            let spike = if index % 1500 == 7 { 0.8 } else { 0.0 };
            let height = 0.02 * random.normal() + spike - if is_dent { dent_mm } else { 0.0 };
            points.push(sample.point + sample.normal * height);
        }
        let path = folder.path().join(format!("scan-{dent_mm}.ply"));
        write::cloud(&path, &Cloud::from_points(points)).unwrap();
        path
    };
    let flatness = |dent_mm: f64, filter_mm: Option<f64>| {
        let mut dispatcher = aligned(&data("plate.step"), scan(dent_mm));
        dispatcher.run_now(Tolerances::TakeFromCad { filter_mm }, &Progress::silent()).unwrap();
        let document = &dispatcher.document;
        let judgement = document.judgement().unwrap();
        let mut rows = document.tolerances().zip(judgement);
        rows.find(|((_, own), _)| own.asked.characteristic.name() == "Flatness").unwrap().1.unwrap()
    };
    // The noise alone spans more than the limit of 0.05 mm.
    let noisy = flatness(0.0, None);
    assert!(noisy.measured_mm > 0.1 && noisy.words() == "undecided", "{noisy:?}");
    assert!(noisy.how.contains("noise of the points (0.0") && noisy.how.contains("left out as outliers"), "{noisy:?}");
    let smooth = flatness(0.0, Some(8.0));
    assert!(smooth.measured_mm < 0.03 && smooth.words() == "in tolerance", "{smooth:?}");
    assert!(smooth.how.contains("Gaussian filter (ISO 16610-61) of nesting index 8 mm"), "{smooth:?}");
    // A dent is no noise.
    let dented = flatness(0.2, Some(8.0));
    assert!(dented.measured_mm > 0.12 && dented.words() == "out of tolerance", "{dented:?}");
}
