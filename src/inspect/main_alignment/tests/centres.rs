//! Reference points at the centres of holes and slots against closed forms, on parts in random poses.

use super::super::reference_points::Centre;
use super::*;
use crate::features::element::{Line, Situation};
use crate::recipe::ElementId;

const HOLE: ElementId = ElementId(7);
const SLOT: ElementId = ElementId(8);

/// Three points on the upper face, a hole that holds x and y, and a slot that holds y.
fn points() -> Vec<ReferencePoint> {
    let top = SIZE[2] / 2.0;
    let centre = |name: &str, [x, y]: [f64; 2], of: ElementId, directions: &[Direction]| {
        let point = held(name, [x, y, top], directions);
        ReferencePoint { centre_of: Some(of), ..point }
    };
    vec![
        reference("R1", [-30.0, -15.0, top], Direction::Z),
        reference("R2", [30.0, -15.0, top], Direction::Z),
        reference("R3", [0.0, 18.0, top], Direction::Normal),
        centre("R4", [-25.0, 5.0], HOLE, &[Direction::X, Direction::Y]),
        centre("R5", [28.0, -8.0], SLOT, &[Direction::Y]),
    ]
}

/// A part whose upper face is true, with a hole and a slot off their places, and the pose that brings them there.
struct Drilled {
    part: Part,
    centres: Centres,
    expected: Pose,
}

fn drilled(random: &mut Random) -> Drilled {
    let top = SIZE[2] / 2.0;
    let true_face = |axis: usize| Face {
        axis,
        point: Point::from(Vector::ith(axis, SIZE[axis] / 2.0)),
        normal: Vector::ith(axis, 1.0),
    };
    let nominal_from_scan =
        Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation());
    let back = nominal_from_scan.inverse();
    let face = true_face(2);
    let scan = face.points().iter().map(|point| back * point).collect();
    let part = Part { faces: [face, true_face(1), true_face(0)], scan, nominal_from_scan };
    let mut off = || random.range(-0.3, 0.3);
    let (hole, slot) = (Point::new(-25.0 + off(), 5.0 + off(), top), Point::new(28.0 + off(), -8.0 + off(), top));
    // The hole leans: its axis is at its nominal position where it meets the upper face.
    let lean = Vector::new(0.05 * off(), 0.05 * off(), 1.0).normalize();
    let axis = Line { point: back * (hole - lean * 12.0), direction: back * lean };
    let centre = |situation, nominal_axis| Centre { situation, nominal_axis, points: 200 };
    let centres = Centres::from([
        (HOLE, centre(Situation::Line(axis), Some(Vector::z()))),
        (SLOT, centre(Situation::Point(back * slot), None)),
    ]);
    // The turn about z after which the slot stands as far beside the hole, along y, as it should.
    let between = slot - hole;
    let turn_rad = (-13.0 / between.norm()).asin() - between.y.atan2(between.x);
    let turn = geometry::transform::step_about(&hole, Vector::z() * turn_rad, Point::new(-25.0, 5.0, top) - hole);
    Drilled { part, centres, expected: turn * nominal_from_scan }
}

fn align_to(own: &Drilled, points: Vec<ReferencePoint>, start: &Pose) -> base::Result<Alignment> {
    let references = ReferencePoints { points, radius_mm: 3.0 };
    reference_points::align(&block(), &own.part.scan, &references, &own.centres, start, &Progress::silent())
}

#[test]
fn a_hole_and_a_slot_hold_the_part_as_the_closed_form_on_100_parts() {
    let mut random = Random::new(700, 0);
    assert!(reference_points::open_freedoms(&block(), &points()).unwrap().is_empty());
    for _ in 0..100 {
        let own = drilled(&mut random);
        let start = own.part.start(&mut random);
        let found = align_to(&own, points(), &start).unwrap();
        let off_mm = far(&found.nominal_from_scan, &own.expected, &own.part);
        assert!(found.converged && off_mm < 1e-7, "{off_mm} mm after {} steps", found.iterations);
        assert!(found.information.open.is_empty(), "{:?}", found.information.open);
        let (results, _) = at_the_points(&found);
        assert_eq!(
            results.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(),
            ["R1", "R2", "R3", "R4", "R4", "R5"]
        );
        assert!(results.iter().all(|own| own.deviation_mm.abs() < 1e-8), "{results:?}");
        assert!(results[3..].iter().all(|own| own.points == 200));
    }
}

#[test]
fn centres_that_cannot_be_held_are_refused_with_a_sentence() {
    let own = drilled(&mut Random::new(701, 0));
    let says = |change: &dyn Fn(&mut Vec<ReferencePoint>)| {
        let mut points = points();
        change(&mut points);
        align_to(&own, points, &own.part.nominal_from_scan).unwrap_err().sentence
    };
    assert!(
        says(&|own| own[3].hold(Direction::Normal, true)).contains("“R4” is the centre of a feature: hold it along")
    );
    assert!(says(&|own| own[3].hold(Direction::Z, true)).contains("“R4” cannot be held along z: the axis of its hole"));
    assert!(says(&|own| own[4].centre_of = Some(ElementId(9))).contains("The feature of point “R5” was not measured"));
    // The slot in place of the hole.
    assert!(says(&|own| own[3].centre_of = Some(SLOT)).contains("“R4” lies far off its nominal position"));
}

#[test]
fn a_centre_moves_onto_the_nominal_axis_and_is_held_across_it() {
    let picked = reference("R1", [3.2, 4.9, 15.0], Direction::Normal);
    let hole = Shape::Cylinder { point: Point::new(3.0, 5.0, 0.0), axis: Vector::z(), radius: 4.0 };
    let mut own = picked.clone();
    own.set_centre(Some(HOLE), Some(hole.into()));
    assert_eq!(own.point, Point::new(3.0, 5.0, 15.0));
    assert_eq!(own.directions().collect::<Vec<_>>(), [Direction::X, Direction::Y]);
    let stored = serde_json::to_string(&own).unwrap();
    assert!(stored.contains(r#""centre_of":7"#), "{stored}");
    assert_eq!(serde_json::from_str::<ReferencePoint>(&stored).unwrap(), own);
    // What was chosen stays.
    let mut chosen = reference("R1", [3.2, 4.9, 15.0], Direction::Y);
    chosen.set_centre(Some(HOLE), Some(hole.into()));
    assert_eq!(chosen.directions().collect::<Vec<_>>(), [Direction::Y]);
    chosen.set_centre(None, None);
    assert_eq!(chosen.centre_of, None);
    // Without a nominal nothing tells the axis: it is held in all directions, and stays where it was picked.
    let mut ball = picked;
    ball.set_centre(Some(SLOT), None);
    assert!(ball.directions().count() == 3 && ball.point == Point::new(3.2, 4.9, 15.0));
}
