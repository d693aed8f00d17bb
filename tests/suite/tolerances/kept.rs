//! Names of features, and plans and projects that keep tolerances.

use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Elements, Parts, Projects, Tolerances};
use shadowgraph::inspect::features::constructions::Construction;

use super::super::support::context;
use super::{PLAN, corner, face, plane};

#[test]
fn names_stay_apart_plans_are_files_and_old_projects_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut dispatcher = Dispatcher::new(context());
    let send = |dispatcher: &mut Dispatcher, command| dispatcher.run_now(command, &Progress::silent());
    let opened = Command::Parts(Parts::OpenScans { paths: vec![corner(folder.path())], unit: None, columns: None });
    send(&mut dispatcher, opened).unwrap();
    for number in 0..3 {
        send(&mut dispatcher, face(number)).unwrap();
        send(&mut dispatcher, plane()).unwrap();
    }
    // The first goes; a fourth must not take the name of one that stayed.
    let first = dispatcher.document.feature_id("Plane 1").unwrap();
    send(&mut dispatcher, Elements::Remove(first).into()).unwrap();
    send(&mut dispatcher, plane()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 2", "Plane 3", "Plane 4"]);
    let construct = |construction, sources: &[&str]| {
        Command::Tolerances(Tolerances::Construct {
            construction,
            sources: sources.iter().map(|name| (*name).to_owned()).collect(),
        })
    };
    let parallel = send(&mut dispatcher, construct(Construction::Intersection, &["Plane 3", "Plane 4"])).unwrap_err();
    assert!(parallel.sentence.contains("Intersection"), "{parallel}");
    let missing = send(&mut dispatcher, construct(Construction::Middle, &["Plane 1", "Plane 2"])).unwrap_err();
    assert!(missing.sentence.contains("no feature “Plane 1”"), "{missing}");
    // Of one made from another, both go with their source.
    send(&mut dispatcher, construct(Construction::OffsetPlane { offset_mm: 5.0 }, &["Plane 3"])).unwrap();
    send(&mut dispatcher, construct(Construction::Intersection, &["Plane 2", "Offset plane 1"])).unwrap();
    let (plan, list) = (folder.path().join("plan.json"), folder.path().join("list.json"));
    std::fs::write(&plan, PLAN).unwrap();
    send(&mut dispatcher, Tolerances::Open(plan).into()).unwrap();
    send(&mut dispatcher, Tolerances::Save(list.clone()).into()).unwrap();
    let before = dispatcher.document.asked();
    send(&mut dispatcher, Tolerances::Set(Box::default()).into()).unwrap();
    send(&mut dispatcher, Tolerances::Open(list).into()).unwrap();
    assert_eq!(dispatcher.document.asked(), before);

    let project = folder.path().join("part.shadowgraph");
    send(&mut dispatcher, Projects::Save(project.clone()).into()).unwrap();
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(&project).unwrap()).unwrap();
    let elements = kept["plan"].as_array_mut().unwrap();
    assert!(elements.iter().any(|own| own["recipe"]["construction"] == "intersection"));
    elements.retain(|own| own["recipe"]["type"] == "feature" || own["recipe"]["type"] == "scan");
    std::fs::write(&project, kept.to_string()).unwrap();
    let third = dispatcher.document.feature_id("Plane 3").unwrap();
    send(&mut dispatcher, Elements::Remove(third).into()).unwrap();
    assert!(dispatcher.document.constructions().is_empty());
    send(&mut dispatcher, Projects::Open(project).into()).unwrap();
    assert_eq!(dispatcher.document.element_names(), ["Plane 2", "Plane 3", "Plane 4"]);
    assert!(dispatcher.document.asked().tolerances.is_empty());
    assert!(dispatcher.messages.iter().all(|message| !message.is_error), "{:?}", dispatcher.messages);
}
