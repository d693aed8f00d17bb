//! Datum systems of measured and nominal datums, and their free degrees of freedom.

use super::*;
use crate::features::Shape;
use base::random::Random;

fn plane(x: f64, y: f64, z: f64, normal: Vector) -> Element {
    Shape::Plane { point: Point::new(x, y, z), normal: normal.normalize() }.into()
}

fn axis(x: f64, y: f64, z: f64, axis: Vector) -> Element {
    Shape::Cylinder { point: Point::new(x, y, z), axis: axis.normalize(), radius: 3.0 }.into()
}

fn sphere(x: f64, y: f64, z: f64) -> Element {
    Shape::Sphere { centre: Point::new(x, y, z), radius: 3.0 }.into()
}

fn lettered(datums: &[Element]) -> Vec<Datum<'static>> {
    let letters = ["A", "B", "C"].into_iter().zip(datums);
    letters.map(|(letter, element)| Datum { letter, element: *element, nominal: None }).collect()
}

fn of(datums: &[Element]) -> DatumSystem {
    DatumSystem::of(&lettered(datums)).unwrap()
}

/// The datum system of measured datums with their nominals.
fn with_nominals(datums: &[(Element, Element)]) -> Result<DatumSystem> {
    let letters = ["A", "B", "C"].into_iter().zip(datums);
    let datum = |(letter, own): (_, &(Element, Element))| Datum { letter, element: own.0, nominal: Some(own.1) };
    DatumSystem::of(&letters.map(datum).collect::<Vec<Datum<'_>>>())
}

fn near(system: &DatumSystem, part: [f64; 3], datum: [f64; 3]) {
    let found = system.datum_from_part * Point::from(part);
    assert!((found - Point::from(datum)).norm() < 1e-12, "{found} {datum:?}");
}

const NONE: [bool; 3] = [false; 3];

#[test]
fn three_planes_constrain_all_degrees_of_freedom() {
    let system =
        of(&[plane(1.0, 1.0, 5.0, Vector::z()), plane(2.0, 9.0, 9.0, Vector::x()), plane(7.0, 3.0, 8.0, Vector::y())]);
    assert_eq!(system.free, FreeMotions { shift: NONE, turn: NONE });
    near(&system, [2.0, 3.0, 5.0], [0.0; 3]);
    near(&system, [3.0, 5.0, 8.0], [1.0, 2.0, 3.0]);
    assert_eq!(system.name, "A|B|C");
}

#[test]
fn each_system_leaves_the_expected_degrees_of_freedom() {
    let [x, y, z] = [Vector::x(), Vector::y(), Vector::z()];
    let floor = plane(0.0, 0.0, 0.0, z);
    let pin = axis(5.0, 0.0, 40.0, z);
    let turn_z = [false, false, true];
    for (datums, shift, turn) in [
        (vec![floor], [true, true, false], turn_z),
        (vec![pin], [false, false, true], turn_z),
        (vec![sphere(1.0, 2.0, 3.0)], NONE, [true; 3]),
        (vec![floor, pin], NONE, turn_z),
        (vec![pin, floor], NONE, turn_z),
        (vec![floor, plane(4.0, 0.0, 0.0, x)], [false, true, false], NONE),
        // A wall through or beside an axis constrains the rotation about it.
        (vec![pin, plane(5.0, 0.0, 0.0, y)], [false, false, true], NONE),
        (vec![pin, floor, plane(5.0, 9.0, 0.0, y)], NONE, NONE),
        // Inclined walls constrain translations as well.
        (vec![pin, plane(5.0, 0.0, 0.0, x + z)], NONE, NONE),
        (vec![floor, plane(4.0, 0.0, 0.0, x + z)], [false, true, false], NONE),
        // An axis parallel to a plane, inclined to it, and perpendicular to another axis.
        (vec![floor, axis(0.0, 3.0, 7.0, x)], [true, false, false], NONE),
        (vec![floor, axis(0.0, 3.0, 7.0, x + z)], NONE, NONE),
        (vec![pin, axis(5.0, 9.0, 7.0, y)], NONE, NONE),
        // Two parallel axes; a centre beside an axis, and on it.
        (vec![pin, axis(9.0, 9.0, 0.0, z)], [false, false, true], NONE),
        (vec![floor, pin, axis(9.0, 9.0, 0.0, z)], NONE, NONE),
        (vec![pin, sphere(9.0, 0.0, 0.0)], NONE, NONE),
        (vec![pin, sphere(5.0, 0.0, 2.0)], NONE, turn_z),
        (vec![floor, sphere(1.0, 1.0, 9.0), sphere(4.0, 1.0, 2.0)], NONE, NONE),
        (vec![floor, sphere(1.0, 1.0, 9.0)], NONE, turn_z),
        (vec![sphere(1.0, 1.0, 9.0), sphere(4.0, 1.0, 9.0)], NONE, turn_z),
        (vec![sphere(1.0, 1.0, 9.0), sphere(4.0, 1.0, 9.0), sphere(4.0, 7.0, 9.0)], NONE, NONE),
        (vec![sphere(1.0, 1.0, 9.0), floor], NONE, turn_z),
    ] {
        assert_eq!(of(&datums).free, FreeMotions { shift, turn }, "{datums:?}");
        let own: Vec<(Element, Element)> = datums.iter().map(|datum| (*datum, *datum)).collect();
        assert_eq!(with_nominals(&own).unwrap(), of(&datums));
    }
    // Measured slightly beside the axis on which it lies nominally.
    assert_eq!(of(&[pin, sphere(5.0, 0.3, 2.0)]).free, FreeMotions { shift: NONE, turn: turn_z });
}

/// A nominal corner with measured errors: the primary datum is kept, the second is corrected in tilt, the third in both
/// angles; the origin is constrained at the position of each.
#[test]
fn earlier_datums_take_precedence() {
    let lean = 0.004;
    let system = of(&[
        plane(30.0, 20.0, 0.0, Vector::z()),
        plane(0.0, 20.0, 10.0, Vector::new(1.0, 0.0, lean)),
        plane(30.0, 0.0, 10.0, Vector::new(-lean, 1.0, 2.0 * lean)),
    ]);
    near(&system, [0.0, 0.0, 0.0], [0.0; 3]);
    near(&system, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
    // The second is rotated about z as well: x follows it.
    let (sin, cos) = lean.sin_cos();
    let turned = of(&[plane(0.0, 0.0, 0.0, Vector::z()), plane(0.0, 20.0, 10.0, Vector::new(cos, sin, lean))]);
    assert!((turned.datum_from_part * Vector::new(cos, sin, 0.0) - Vector::x()).norm() < 1e-14);
    let corner = turned.datum_from_part * Point::new(0.0, 20.0, 0.0);
    assert!(corner.x.abs() < 1e-13 && corner.z.abs() < 1e-13, "{corner}");
}

#[test]
fn a_plane_and_two_holes_form_a_frame() {
    // The axes of the holes are slightly inclined; their positions are used.
    let system = of(&[
        plane(9.0, 9.0, 2.0, Vector::z()),
        axis(10.0, 20.0, 1.0, Vector::new(0.002, 0.0, 1.0)),
        axis(40.0, 60.0, 1.0, Vector::new(0.0, -0.003, 1.0)),
    ]);
    near(&system, [10.0, 20.0, 2.0], [0.0; 3]);
    near(&system, [40.0, 60.0, 7.0], [50.0, 0.0, 5.0]);
}

/// A wall with a draft angle of two degrees, measured with an error, and a short bore inclined by five: with nominals
/// the wall keeps its draft and the bore its right angle, each through its own position.
#[test]
fn datums_keep_their_nominal_angles() {
    let draft = 2.0_f64.to_radians();
    let wall = |lean: f64, x: f64, z: f64| plane(x, 3.0, z, Vector::new(lean.cos(), 0.0, lean.sin()));
    let floor = plane(0.0, 0.0, 0.0, Vector::z());
    // At a height of 10 the exact wall through the position is 10 tan(draft) off its foot.
    let system = with_nominals(&[
        (floor, floor),
        (wall(draft + 0.01, 7.0, 10.0), wall(draft, 0.0, 0.0)),
        (plane(0.0, 5.0, 0.0, Vector::new(0.0, 1.0, 0.02)), plane(0.0, 0.0, 0.0, Vector::y())),
    ]);
    near(&system.unwrap(), [7.0 + 10.0 * draft.tan(), 5.0, 0.0], [0.0; 3]);
    let leaning = Vector::new(0.0, 0.09, 1.0);
    let pins = [axis(10.0, 20.0, 1.0, leaning), axis(40.0, 60.0, 1.0, -leaning)];
    let nominals = [axis(0.0, 0.0, 0.0, Vector::z()), axis(50.0, 0.0, 0.0, Vector::z())];
    let system = with_nominals(&[(floor, floor), (pins[0], nominals[0]), (pins[1], nominals[1])]).unwrap();
    assert_eq!(system.free, FreeMotions { shift: NONE, turn: NONE });
    near(&system, [10.0, 20.0, 0.0], [0.0; 3]);
    near(&system, [40.0, 60.0, 7.0], [50.0, 0.0, 7.0]);
    // The second datum is an oblique axis: its 45° are kept.
    let oblique = axis(0.0, 0.0, 0.0, Vector::new(1.0, 0.0, 1.0));
    let system = with_nominals(&[(floor, floor), (axis(1.0, 2.0, 0.0, Vector::new(1.0, 0.0, 1.1)), oblique)]).unwrap();
    near(&system, [1.0, 2.0, 0.0], [0.0; 3]);
    let lost = with_nominals(&[(floor, floor), (axis(1.0, 2.0, 0.0, Vector::z()), oblique)]).unwrap_err().sentence;
    assert!(lost.contains("Datum B is ") && lost.contains("the maximum is 10.000°"), "{lost}");
    let other = with_nominals(&[(floor, floor), (floor, nominals[0])]).unwrap_err().sentence;
    assert!(other.contains("Datum B is a plane, but its nominal is a cylinder"), "{other}");
    let missing = DatumSystem::of_nominals(&lettered(&[floor])).unwrap_err().sentence;
    assert!(missing.contains("Datum A has no nominal"));
}

#[test]
fn the_frame_moves_with_the_part() {
    let mut random = Random::new(22, 0);
    for datums in [
        vec![
            plane(1.0, 1.0, 5.0, Vector::z()),
            axis(3.0, 4.0, 9.0, Vector::new(0.001, 0.002, 1.0)),
            sphere(9.0, 1.0, 3.0),
        ],
        vec![axis(1.0, 1.0, 5.0, Vector::y()), plane(3.0, 4.0, 9.0, Vector::new(0.7, 0.7, 0.01))],
        vec![plane(1.0, 1.0, 5.0, Vector::z()), axis(3.0, 4.0, 9.0, Vector::new(1.0, 0.1, 1.0))],
    ] {
        let still = of(&datums);
        for _ in 0..20 {
            let moved_from_part = Pose::from_parts(Vector::new(300.0, -70.0, 12.0).into(), random.rotation());
            let moved: Vec<Element> = datums.iter().map(|datum| datum.moved(&moved_from_part)).collect();
            let system = of(&moved);
            assert_eq!(system.free, still.free);
            let back = system.datum_from_part * moved_from_part;
            for point in [Point::origin(), Point::new(10.0, 20.0, 30.0)] {
                let away = back * point - still.datum_from_part * point;
                for k in 0..3 {
                    assert!(still.free.shift[k] || away[k].abs() < 1e-10, "{away}");
                }
            }
        }
    }
}

#[test]
fn redundant_datums_are_errors() {
    let floor = plane(0.0, 0.0, 0.0, Vector::z());
    let pin = axis(0.0, 0.0, 0.0, Vector::z());
    let says = |datums: &[Element]| DatumSystem::of(&lettered(datums)).unwrap_err().sentence;
    assert!(says(&[]).contains("at least one datum"));
    let above = plane(0.0, 0.0, 10.0, Vector::new(0.001, 0.0, -1.0));
    assert!(says(&[floor, above]).contains("Datum B (a plane) constrains no degree of freedom left by A"));
    assert!(says(&[pin, axis(0.1, 0.0, 9.0, Vector::z())]).contains("lies on its axis"));
    assert!(says(&[floor, pin, sphere(0.1, 0.1, 3.0)]).contains("left by A|B"));
    assert!(says(&[plane(f64::NAN, 0.0, 0.0, Vector::z())]).contains("finite values"));
    let open = of(&[floor]);
    assert!(open.axis().unwrap_err().sentence.contains("The datums A define no axis"));
    assert_eq!(open.free.names(), "the translation along x, the translation along y, the rotation about z");
    assert!(of(&[floor, pin]).axis().is_ok() && of(&[sphere(0.0, 0.0, 0.0)]).direction().is_none());
}
