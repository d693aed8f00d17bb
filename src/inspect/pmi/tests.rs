use std::collections::BTreeMap;

use super::*;
use geometry::Point;
use geometry::mesh::shapes;
use io::cad::pmi::{DatumReference, SurfaceKind, ZoneShape};

/// A box of 40 x 30 x 10 mm whose sides are CAD faces: 0 and 1 face along -x and x, and so on.
fn block() -> Mesh {
    let mut mesh = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0));
    let face = |facet: usize| {
        let normal = mesh.normal(facet);
        let axis = normal.iamax();
        (2 * axis + usize::from(normal[axis] > 0.0)) as u32
    };
    mesh.cad_faces = (0..mesh.facets.len()).map(face).collect();
    mesh
}

/// Its planes.
fn planes() -> BTreeMap<u32, SurfaceKind> {
    (0..6).map(|face| (face, SurfaceKind::Plane)).collect()
}

/// What a file states of the block.
fn stated(tolerances: Vec<GeometricTolerance>, dimensions: Vec<Dimension>) -> PmiPlan {
    let datums = vec![DatumFeature { letter: "A".to_owned(), faces: vec![4], target: String::new() }];
    let surfaces = planes();
    PmiPlan::of(&Pmi { datums, tolerances, dimensions, surfaces, ..Pmi::default() }, &block())
}

fn tolerance(kind: &str, value_mm: f64, letters: &[&str], faces: &[u32]) -> GeometricTolerance {
    let reference = |(position, letter): (i64, &&str)| DatumReference {
        letter: (*letter).to_owned(),
        position,
        modifiers: Vec::new(),
    };
    GeometricTolerance {
        name: String::new(),
        kind: kind.to_owned(),
        value_mm: Some(value_mm),
        zone: ZoneShape::Width,
        modifiers: Vec::new(),
        datums: (1..).zip(letters).map(reference).collect(),
        faces: faces.to_vec(),
    }
}

fn distance(nominal: f64, lower: Option<f64>, upper: Option<f64>, first: u32, second: u32) -> Dimension {
    Dimension {
        kind: "linear distance".to_owned(),
        is_location: true,
        nominal: Some(nominal),
        lower,
        upper,
        fit: String::new(),
        unread_bounds: false,
        modifiers: Vec::new(),
        first: vec![first],
        second: vec![second],
    }
}

/// Why a statement is refused.
fn why(tolerance: GeometricTolerance) -> String {
    let plan = stated(vec![tolerance], Vec::new());
    assert_eq!((plan.tolerances.len(), plan.unsupported.len()), (0, 1), "{plan:?}");
    plan.unsupported[0].why.clone()
}

#[test]
fn statements_become_features_tolerances_and_measures() {
    let plan = stated(
        vec![tolerance("flatness", 0.05, &[], &[4]), tolerance("parallelism", 0.1, &["A"], &[5])],
        vec![distance(40.0, Some(39.9), Some(40.1), 0, 1)],
    );
    let names: Vec<&str> = plan.features.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["Plane A", "Plane 2", "Plane 3", "Plane 4"]);
    assert_eq!(plan.datums["A"], "Plane A");
    // Normals point out of the material.
    assert!((plan.features[0].nominal.direction().unwrap().z + 1.0).abs() < 1e-9, "{plan:?}");
    assert_eq!(plan.tolerances[1].feature, "Plane 2");
    assert_eq!((plan.measures[0].from.as_str(), plan.measures[0].lower), ("Plane 3", Some(39.9)));
    assert!(plan.unsupported.is_empty() && plan.count() == 3);
}

/// Two faces of a step are a common datum where the references to both have one position.
#[test]
fn references_of_one_position_are_a_common_datum() {
    let datum =
        |letter: &str, face: u32| DatumFeature { letter: letter.to_owned(), faces: vec![face], target: String::new() };
    let surfaces = planes();
    let datums = vec![datum("A", 4), datum("B", 5), datum("C", 0)];
    let mut tolerances: Vec<GeometricTolerance> =
        ["B", "C"].iter().map(|other| tolerance("perpendicularity", 0.05, &["A", *other], &[2])).collect();
    tolerances.iter_mut().for_each(|own| own.datums[1].position = 1);
    let plan = PmiPlan::of(&Pmi { datums, tolerances, surfaces, ..Pmi::default() }, &block());
    assert_eq!((plan.tolerances.len(), plan.unsupported.len()), (1, 1), "{plan:?}");
    // The top and the bottom are parallel, 10 mm apart; the side is perpendicular to them.
    assert_eq!(plan.tolerances[0].datums, ["A-B"]);
    let why = &plan.unsupported[0];
    assert!(why.what.contains("| A-C") && why.why.starts_with("common datum “A-C”: “A” and “C” are at 90"), "{why:?}");
    assert!(!why.why.ends_with('.'), "{why:?}");
}

#[test]
fn what_cannot_be_evaluated_is_listed_with_its_reason() {
    assert!(why(tolerance("flatness", 0.05, &[], &[])).contains("names no face"));
    assert!(why(tolerance("flatness", 0.05, &[], &[4, 0])).contains("do not form one plane"));
    assert!(why(tolerance("flatness", 0.05, &[], &[4, 5])).contains("are apart"));
    assert!(why(tolerance("flatness", 0.0, &[], &[4])).contains("0 without a material requirement"));
    assert!(why(tolerance("flatness", 0.05, &["A"], &[5])).contains("takes no datum"));
    assert!(why(tolerance("parallelism", 0.05, &[], &[5])).contains("refers to no datum"));
    assert!(why(tolerance("parallelism", 0.05, &["B"], &[5])).contains("datum B has no feature"));
    assert!(why(tolerance("cylindricity", 0.05, &[], &[5])).contains("stated of a plane"));
    // A tolerance in metres.
    assert!(why(tolerance("flatness", 50.0, &[], &[4])).contains("wrong unit"));
    assert!(why(tolerance("none", 0.05, &[], &[4])).contains("ISO 1101"));
    let free =
        GeometricTolerance { modifiers: vec!["free state".to_owned()], ..tolerance("flatness", 0.05, &[], &[4]) };
    assert!(why(free).contains("“free state”"));
    let mut common = tolerance("parallelism", 0.05, &["A", "A"], &[5]);
    common.datums[1].position = 1;
    assert!(why(common).contains("common datum “A-A”: “A” stands twice in it"));
    let unread = GeometricTolerance { value_mm: None, ..tolerance("flatness", 0.05, &[], &[4]) };
    assert!(why(unread).contains("could not be read"));

    let dimensions = vec![
        distance(40.0, None, None, 0, 1),
        distance(41.0, Some(40.9), Some(41.1), 0, 1),
        Dimension { unread_bounds: true, ..distance(40.0, None, None, 0, 1) },
        Dimension { fit: "H7".to_owned(), ..distance(40.0, None, None, 0, 1) },
        Dimension { kind: "curve length".to_owned(), ..distance(40.0, Some(39.0), None, 0, 1) },
    ];
    let refusals = stated(Vec::new(), dimensions).refusals();
    for (refusal, words) in
        refusals.iter().zip(["no limits", "40.000 mm, not 41", "could not be read", "class H7", "this kind"])
    {
        assert!(refusal.contains(words), "{refusal}");
    }
    assert_eq!(refusals.len(), 5);
}

#[test]
fn angles_are_measured_as_acute_ones_where_that_tells_them() {
    let right = |lower: f64, upper: f64| {
        let dimension = Dimension { kind: "angle".to_owned(), ..distance(90.0, Some(lower), Some(upper), 0, 2) };
        stated(Vec::new(), vec![dimension])
    };
    let both = right(89.5, 90.5);
    assert_eq!((both.measures[0].lower, both.measures[0].upper), (Some(89.5), None), "{both:?}");
    let one = right(89.5, 90.0);
    assert!(one.measures.is_empty() && one.unsupported[0].why.contains("supplements"), "{one:?}");
    // What limits nothing is listed, but is no requirement.
    let exact = stated(Vec::new(), vec![distance(40.0, None, None, 0, 1)]);
    assert_eq!((exact.unsupported.len(), exact.unsupported[0].requirements), (1, 0));
}
