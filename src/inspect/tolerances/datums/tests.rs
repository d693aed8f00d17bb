//! Frames of measured and nominal datums, and what they leave free.

use super::*;
use crate::features::Shape;
use base::random::Random;

fn plane(x: f64, y: f64, z: f64, normal: Vector) -> Element {
    Shape::Plane { point: Point::new(x, y, z), normal: normal.normalize() }.into()
}

fn axis(x: f64, y: f64, z: f64, axis: Vector) -> Element {
    Shape::Cylinder { point: Point::new(x, y, z), axis: axis.normalize(), radius: 3.0 }.into()
}

fn ball(x: f64, y: f64, z: f64) -> Element {
    Shape::Sphere { centre: Point::new(x, y, z), radius: 3.0 }.into()
}

fn lettered(datums: &[Element]) -> Vec<Datum<'static>> {
    let letters = ["A", "B", "C"].into_iter().zip(datums);
    letters.map(|(letter, element)| Datum { letter, element: *element, nominal: None }).collect()
}

fn of(datums: &[Element]) -> DatumSystem {
    DatumSystem::of(&lettered(datums)).unwrap()
}

/// Each measured datum with its nominal.
fn like(datums: &[(Element, Element)]) -> Result<DatumSystem> {
    let letters = ["A", "B", "C"].into_iter().zip(datums);
    let datum = |(letter, own): (_, &(Element, Element))| Datum { letter, element: own.0, nominal: Some(own.1) };
    DatumSystem::of(&letters.map(datum).collect::<Vec<Datum<'_>>>())
}

fn near(system: &DatumSystem, part: [f64; 3], datum: [f64; 3]) {
    let found = system.datum_from_part * Point::from(part);
    assert!((found - Point::from(datum)).norm() < 1e-12, "{found} {datum:?}");
}

const NO: [bool; 3] = [false; 3];

#[test]
fn three_planes_fix_all() {
    let system =
        of(&[plane(1.0, 1.0, 5.0, Vector::z()), plane(2.0, 9.0, 9.0, Vector::x()), plane(7.0, 3.0, 8.0, Vector::y())]);
    assert_eq!(system.free, FreeMotions { shift: NO, turn: NO });
    near(&system, [2.0, 3.0, 5.0], [0.0; 3]);
    near(&system, [3.0, 5.0, 8.0], [1.0, 2.0, 3.0]);
    assert_eq!(system.name, "A|B|C");
}

#[test]
fn each_system_leaves_free_what_it_should() {
    let [x, y, z] = [Vector::x(), Vector::y(), Vector::z()];
    let floor = plane(0.0, 0.0, 0.0, z);
    let pin = axis(5.0, 0.0, 40.0, z);
    let turn_z = [false, false, true];
    for (datums, shift, turn) in [
        (vec![floor], [true, true, false], turn_z),
        (vec![pin], [false, false, true], turn_z),
        (vec![ball(1.0, 2.0, 3.0)], NO, [true; 3]),
        (vec![floor, pin], NO, turn_z),
        (vec![pin, floor], NO, turn_z),
        (vec![floor, plane(4.0, 0.0, 0.0, x)], [false, true, false], NO),
        // A wall through or beside an axis stops the turn about it.
        (vec![pin, plane(5.0, 0.0, 0.0, y)], [false, false, true], NO),
        (vec![pin, floor, plane(5.0, 9.0, 0.0, y)], NO, NO),
        // Leaning walls stop shifts as well.
        (vec![pin, plane(5.0, 0.0, 0.0, x + z)], NO, NO),
        (vec![floor, plane(4.0, 0.0, 0.0, x + z)], [false, true, false], NO),
        // An axis along a plane, across it, through it.
        (vec![floor, axis(0.0, 3.0, 7.0, x)], [true, false, false], NO),
        (vec![floor, axis(0.0, 3.0, 7.0, x + z)], NO, NO),
        (vec![pin, axis(5.0, 9.0, 7.0, y)], NO, NO),
        // Two parallel axes; a centre beside an axis, and on it.
        (vec![pin, axis(9.0, 9.0, 0.0, z)], [false, false, true], NO),
        (vec![floor, pin, axis(9.0, 9.0, 0.0, z)], NO, NO),
        (vec![pin, ball(9.0, 0.0, 0.0)], NO, NO),
        (vec![pin, ball(5.0, 0.0, 2.0)], NO, turn_z),
        (vec![floor, ball(1.0, 1.0, 9.0), ball(4.0, 1.0, 2.0)], NO, NO),
        (vec![floor, ball(1.0, 1.0, 9.0)], NO, turn_z),
        (vec![ball(1.0, 1.0, 9.0), ball(4.0, 1.0, 9.0)], NO, turn_z),
        (vec![ball(1.0, 1.0, 9.0), ball(4.0, 1.0, 9.0), ball(4.0, 7.0, 9.0)], NO, NO),
        (vec![ball(1.0, 1.0, 9.0), floor], NO, turn_z),
    ] {
        assert_eq!(of(&datums).free, FreeMotions { shift, turn }, "{datums:?}");
        let own: Vec<(Element, Element)> = datums.iter().map(|datum| (*datum, *datum)).collect();
        assert_eq!(like(&own).unwrap(), of(&datums));
    }
    // Measured beside the axis on which it is meant to lie.
    assert_eq!(of(&[pin, ball(5.0, 0.3, 2.0)]).free, FreeMotions { shift: NO, turn: turn_z });
}

/// The nominal corner with measured errors: the primary is kept, the second gives way in tilt, the third in both;
/// the origin is where each one's own place is.
#[test]
fn later_datums_give_way_to_earlier_ones() {
    let lean = 0.004;
    let system = of(&[
        plane(30.0, 20.0, 0.0, Vector::z()),
        plane(0.0, 20.0, 10.0, Vector::new(1.0, 0.0, lean)),
        plane(30.0, 0.0, 10.0, Vector::new(-lean, 1.0, 2.0 * lean)),
    ]);
    near(&system, [0.0, 0.0, 0.0], [0.0; 3]);
    near(&system, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
    // The second turned about z as well: x follows it.
    let (sin, cos) = lean.sin_cos();
    let turned = of(&[plane(0.0, 0.0, 0.0, Vector::z()), plane(0.0, 20.0, 10.0, Vector::new(cos, sin, lean))]);
    assert!((turned.datum_from_part * Vector::new(cos, sin, 0.0) - Vector::x()).norm() < 1e-14);
    let corner = turned.datum_from_part * Point::new(0.0, 20.0, 0.0);
    assert!(corner.x.abs() < 1e-13 && corner.z.abs() < 1e-13, "{corner}");
}

#[test]
fn a_plane_and_two_holes_make_the_frame_of_sheet_metal() {
    // The holes' axes lean a little; they count where their places are.
    let system = of(&[
        plane(9.0, 9.0, 2.0, Vector::z()),
        axis(10.0, 20.0, 1.0, Vector::new(0.002, 0.0, 1.0)),
        axis(40.0, 60.0, 1.0, Vector::new(0.0, -0.003, 1.0)),
    ]);
    near(&system, [10.0, 20.0, 2.0], [0.0; 3]);
    near(&system, [40.0, 60.0, 7.0], [50.0, 0.0, 5.0]);
}

/// A wall with a draft of two degrees, measured a little off, and a short bore that leans by five: with nominals
/// the wall keeps its draft and the bore its right angle, each through its own place.
#[test]
fn datums_keep_their_nominal_angles() {
    let draft = 2.0_f64.to_radians();
    let wall = |lean: f64, x: f64, z: f64| plane(x, 3.0, z, Vector::new(lean.cos(), 0.0, lean.sin()));
    let floor = plane(0.0, 0.0, 0.0, Vector::z());
    // At a height of 10 the exact wall through the place is 10 tan(draft) off its foot.
    let system = like(&[
        (floor, floor),
        (wall(draft + 0.01, 7.0, 10.0), wall(draft, 0.0, 0.0)),
        (plane(0.0, 5.0, 0.0, Vector::new(0.0, 1.0, 0.02)), plane(0.0, 0.0, 0.0, Vector::y())),
    ]);
    near(&system.unwrap(), [7.0 + 10.0 * draft.tan(), 5.0, 0.0], [0.0; 3]);
    let leaning = Vector::new(0.0, 0.09, 1.0);
    let pins = [axis(10.0, 20.0, 1.0, leaning), axis(40.0, 60.0, 1.0, -leaning)];
    let nominals = [axis(0.0, 0.0, 0.0, Vector::z()), axis(50.0, 0.0, 0.0, Vector::z())];
    let system = like(&[(floor, floor), (pins[0], nominals[0]), (pins[1], nominals[1])]).unwrap();
    assert_eq!(system.free, FreeMotions { shift: NO, turn: NO });
    near(&system, [10.0, 20.0, 0.0], [0.0; 3]);
    near(&system, [40.0, 60.0, 7.0], [50.0, 0.0, 7.0]);
    // A plane as third datum where the second is an oblique axis: 45° are kept.
    let oblique = axis(0.0, 0.0, 0.0, Vector::new(1.0, 0.0, 1.0));
    let system = like(&[(floor, floor), (axis(1.0, 2.0, 0.0, Vector::new(1.0, 0.0, 1.1)), oblique)]).unwrap();
    near(&system, [1.0, 2.0, 0.0], [0.0; 3]);
    let lost = like(&[(floor, floor), (axis(1.0, 2.0, 0.0, Vector::z()), oblique)]).unwrap_err().sentence;
    assert!(lost.contains("B stands") && lost.contains("10.000° is the most"), "{lost}");
    let other = like(&[(floor, floor), (floor, nominals[0])]).unwrap_err().sentence;
    assert!(other.contains("Datum B is a plane, but nominally a cylinder"), "{other}");
    let missing = DatumSystem::of_nominals(&lettered(&[floor])).unwrap_err().sentence;
    assert!(missing.contains("The nominal of datum A is not known"));
}

#[test]
fn the_frame_moves_with_the_part() {
    let mut random = Random::new(22, 0);
    for datums in [
        vec![
            plane(1.0, 1.0, 5.0, Vector::z()),
            axis(3.0, 4.0, 9.0, Vector::new(0.001, 0.002, 1.0)),
            ball(9.0, 1.0, 3.0),
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
            for place in [Point::origin(), Point::new(10.0, 20.0, 30.0)] {
                let away = back * place - still.datum_from_part * place;
                for k in 0..3 {
                    assert!(still.free.shift[k] || away[k].abs() < 1e-10, "{away}");
                }
            }
        }
    }
}

#[test]
fn datums_that_fix_nothing_are_sentences() {
    let floor = plane(0.0, 0.0, 0.0, Vector::z());
    let pin = axis(0.0, 0.0, 0.0, Vector::z());
    let says = |datums: &[Element]| DatumSystem::of(&lettered(datums)).unwrap_err().sentence;
    assert!(says(&[]).contains("at least one datum"));
    let above = plane(0.0, 0.0, 10.0, Vector::new(0.001, 0.0, -1.0));
    assert!(says(&[floor, above]).contains("Datum B (a plane) fixes nothing that A leaves open"));
    assert!(says(&[pin, axis(0.1, 0.0, 9.0, Vector::z())]).contains("lies on its axis"));
    assert!(says(&[floor, pin, ball(0.1, 0.1, 3.0)]).contains("that A|B leaves open"));
    assert!(says(&[plane(f64::NAN, 0.0, 0.0, Vector::z())]).contains("finite numbers"));
    let open = of(&[floor]);
    assert!(open.axis().unwrap_err().sentence.contains("The datums A give no axis"));
    assert_eq!(open.free.names(), "the shift along x, the shift along y, the turn about z");
    assert!(of(&[floor, pin]).axis().is_ok() && of(&[ball(0.0, 0.0, 0.0)]).direction().is_none());
}
