//! A nominal of several shells faces as a part does once it is loaded, however its file winds it, and says so.

use std::path::Path;

use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Parts, Projects};
use shadowgraph::geometry::{Mesh, Point, Vector, mesh::shapes};
use shadowgraph::inspect::parts::Nominal;
use shadowgraph::io::write;

use super::support::{asset, cad_reader, context};

fn cube(centre: [f64; 3], half: f64) -> Mesh {
    let (centre, half) = (Point::from(centre), Vector::repeat(half));
    shapes::cuboid(centre - half, centre + half)
}

fn inside_out(mut mesh: Mesh) -> Mesh {
    mesh.flip();
    mesh
}

fn opened(path: &Path) -> Dispatcher {
    let mut dispatcher = Dispatcher::new(context());
    let command = Command::Parts(Parts::OpenNominal { path: path.to_owned(), unit: None });
    dispatcher.run_now(command, &Progress::silent()).unwrap();
    dispatcher
}

fn nominal(dispatcher: &Dispatcher) -> &Nominal {
    dispatcher.document.nominal().unwrap()
}

fn signed_mm(nominal: &Nominal, place: [f64; 3]) -> f64 {
    let place = Point::from(place);
    let hit = nominal.surface.closest_point(&place, f64::INFINITY).unwrap();
    nominal.surface.signed_distance_mm(&place, &hit)
}

/// The parts as one STL, loaded; distances at places must be as told, and the words must be said.
#[track_caller]
fn check(parts: &[Mesh], signs: &[([f64; 3], f64)], says: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (path, project) = (folder.path().join("part.stl"), folder.path().join("part.shadowgraph"));
    let mut mesh = Mesh::default();
    parts.iter().for_each(|part| mesh.append(part));
    write::mesh(&path, &mesh).unwrap();
    let mut dispatcher = opened(&path);
    let found = nominal(&dispatcher).findings.sentences();
    assert!(found.len() == says.len() && found.iter().zip(says).all(|(own, said)| own.contains(*said)), "{found:?}");
    for said in says {
        assert!(dispatcher.messages.iter().any(|message| message.text.contains(*said)), "{:?}", dispatcher.messages);
    }
    for (place, truth) in signs {
        let signed = signed_mm(nominal(&dispatcher), *place);
        assert!((signed - truth).abs() < 1e-9, "{place:?}: {signed} {truth}");
    }
    // A project that is opened again faces the same way, without a step of its own.
    let facets = nominal(&dispatcher).surface.mesh().facets.clone();
    let send =
        |dispatcher: &mut Dispatcher, command: Command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    send(&mut dispatcher, Projects::Save(project.clone()).into());
    send(&mut dispatcher, Projects::New.into());
    send(&mut dispatcher, Projects::Open(project).into());
    let again = nominal(&dispatcher);
    assert!(again.surface.mesh().facets == facets && again.steps.is_empty());
    assert_eq!(again.findings.sentences(), found);
}

#[test]
fn of_two_boxes_apart_the_inverted_one_is_turned_on_loading() {
    let signs = [([0.0, 1.0, 3.0], -2.0), ([0.0, 1.0, 6.0], 1.0), ([20.0, 1.0, 3.0], -2.0), ([20.0, 1.0, 7.0], 2.0)];
    let said = "Closed shells were reoriented by their nesting: 1 outward, 0 inward as cavities (12 facets).";
    check(&[cube([0.0; 3], 5.0), inside_out(cube([20.0, 0.0, 0.0], 5.0))], &signs, &[said]);
    check(&[cube([0.0; 3], 5.0), cube([20.0, 0.0, 0.0], 5.0)], &signs, &[]);
}

#[test]
fn a_cavity_wound_as_a_solid_is_turned_on_loading_and_one_wound_right_is_not() {
    let signs = [([0.0, 1.0, 8.0], -2.0), ([0.0, 1.0, 11.0], 1.0), ([0.0, 1.0, 3.0], 1.0)];
    let said = "0 outward, 1 inward as cavities (12 facets).";
    check(&[cube([0.0; 3], 10.0), cube([0.0; 3], 4.0)], &signs, &[said]);
    check(&[cube([0.0; 3], 10.0), inside_out(cube([0.0; 3], 4.0))], &signs, &[]);
}

#[test]
fn shells_nested_three_deep_face_by_turns_after_loading() {
    let parts = [cube([0.0; 3], 12.0), cube([0.0; 3], 8.0), cube([0.0; 3], 4.0)];
    let signs = [([0.0, 1.0, 11.0], -1.0), ([0.0, 1.0, 7.0], 1.0), ([0.0, 1.0, 5.0], 1.0), ([0.0, 1.0, 3.0], -1.0)];
    check(&parts, &signs, &["0 outward, 1 inward as cavities (12 facets)."]);
    check(&parts.map(inside_out), &signs, &["2 outward, 0 inward as cavities (24 facets)."]);
}

#[test]
fn shells_that_overlap_are_one_solid_and_say_where() {
    let said = "2 closed shells overlap, near (2.00, 1.50, 1.00) mm, and are taken as one solid, none as a cut-out: their \
                faces inside each other bound nothing, and points nearest to these are not evaluated.";
    let signs = [([40.0, 0.5, 1.0], -1.0), ([8.0, 7.0, 0.5], -1.0), ([12.0, 3.5, 2.5], 3.0)];
    let parts = || [cube([0.0; 3], 5.0), cube([4.0, 3.0, 2.0], 5.0), cube([40.0, 0.0, 0.0], 2.0)];
    check(&parts(), &signs, &[said]);
    // One that is inside out is turned: a part of it lies outside the other, where no cut-out is.
    let [one, other, apart] = parts();
    let turned = "Closed shells were reoriented by their nesting: 1 outward, 0 inward as cavities (12 facets).";
    check(&[one, inside_out(other), apart], &signs, &[turned, said]);
    let cavities = "2 closed shells overlap, so cavities cannot be identified";
    check(
        &[cube([0.0; 3], 20.0), inside_out(cube([0.0; 3], 5.0)), inside_out(cube([4.0, 3.0, 2.0], 5.0))],
        &[],
        &[cavities],
    );
}

#[test]
fn bodies_that_touch_are_told() {
    let said = "Bodies touch each other face to face, on about 100.00 mm², near (5.00, 0.00, 0.00) mm: the faces between them \
                bound nothing.";
    check(
        &[cube([0.0; 3], 5.0), cube([10.0, 0.0, 0.0], 5.0)],
        &[([0.0, 0.5, 3.0], -2.0)],
        &["non-manifold edges", said],
    );
}

/// What is open keeps its winding, and so does what is right.
#[test]
fn open_meshes_and_sound_parts_are_loaded_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open.stl");
    let mut open = inside_out(cube([0.0; 3], 5.0));
    open.facets.pop();
    write::mesh(&path, &open).unwrap();
    let dispatcher = opened(&path);
    let loaded = nominal(&dispatcher);
    for facet in 0..open.facets.len() {
        assert_eq!(loaded.surface.mesh().normal(facet), open.normal(facet));
    }
    let says = loaded.findings.sentences();
    assert!(says.len() == 1 && says[0].contains("3 open edges"), "{says:?}");
    let mut parts = vec![asset("bracket.stl")];
    if cad_reader().program.is_some() {
        parts.push(asset("bracket.step"));
    }
    for part in parts {
        let findings = nominal(&opened(&part)).findings;
        assert_eq!((findings.turned_facets, findings.undecided_shells), (0, 0), "{}", part.display());
    }
}
