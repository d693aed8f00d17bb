//! Alignments by common datums against closed forms, on parts in random poses.

use super::super::MainMethod;
use super::super::association::combined;
use super::*;
use crate::recipe::ElementId;
use crate::tolerances::recipe::DatumElements;

/// A pad of 20 x 20 mm about x on a plane at z, with its nominal at another height.
fn pad(letter: &str, [x, z, nominal_z]: [f64; 3], back: &Pose) -> DatumFeature {
    let points = (0..441).map(|i| back * Point::new(x + f64::from(i % 21) - 10.0, f64::from(i / 21) - 10.0, z));
    let plane = |pose: &Pose, z: f64| Shape::Plane { point: pose * Point::new(x, 0.0, z), normal: pose * Vector::z() };
    datum(letter, plane(back, z), plane(&Pose::identity(), nominal_z), points.collect(), true)
}

/// Two pads, nominally in one plane or at two heights, of which one stands higher by a step: their common plane lies on
/// both and below no point, and leans by the step over the distance of the edges that it rests on.
#[test]
fn the_common_plane_of_two_pads_lies_on_both_on_100_parts() {
    let mut random = Random::new(5459, 8);
    for number in 0..100 {
        let pose = Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation());
        let back = pose.inverse();
        let (drop_mm, step_mm) = (if number % 2 == 0 { 0.0 } else { random.range(1.0, 20.0) }, random.range(0.01, 0.1));
        let pads =
            [pad("A", [-50.0, 0.5 * step_mm, 0.0], &back), pad("B", [50.0, -drop_mm - 0.5 * step_mm, -drop_mm], &back)];
        let common = combined(pads.to_vec()).unwrap();
        assert!(common.letter == "A-B" && common.points.len() == 882 && !common.is_two_sided);
        let align = |association| {
            datum_system::align(std::slice::from_ref(&common), association, &pose, &Progress::silent()).unwrap()
        };
        let found = align(DatumAssociation::Contacting);
        let high = pads.each_ref().map(|own| highest(&own.points, &found.nominal_from_scan, 2));
        assert!(high[0].abs() < 1e-7 && (high[1] + drop_mm).abs() < 1e-7, "part {number}: {high:?} {drop_mm}");
        let normal = found.nominal_from_scan * (back * Vector::z());
        // Lowered, the second pad moves along the plane by what that leans.
        let lean_rad = normal.z.min(1.0).acos();
        assert!(
            (lean_rad - (step_mm / 100.0).atan()).abs() < 1e-5 * drop_mm.max(0.1) * step_mm,
            "{lean_rad} {step_mm}"
        );
        assert!(found.main.unwrap().name().contains("datum system “A-B”, contacting"));
        // As fitted, both lie as far from their planes.
        let fitted = align(DatumAssociation::Fitted).nominal_from_scan;
        let middle = |own: &DatumFeature| {
            own.points.iter().map(|point| (fitted * point).z).sum::<f64>() / own.points.len() as f64
        };
        let off = [middle(&pads[0]), middle(&pads[1]) + drop_mm];
        assert!((off[0] + off[1]).abs() < 1e-9 && off[0].abs() < 0.5 * step_mm, "{off:?}");
    }
}

/// Faces of a plate that look away from each other have a mid-plane, and no plane that touches both from outside.
#[test]
fn a_common_mid_plane_is_used_as_fitted() {
    let back = Pose::translation(4.0, -7.0, 2.0).inverse();
    let up = pad("A", [0.0, 5.02, 5.0], &back);
    let mut down = pad("B", [0.0, -5.0, -5.0], &back);
    // Its normal and that of its nominal point out of the material, too.
    let turned = |own: crate::features::Element| -> crate::features::Element {
        Shape::Plane { point: own.position(), normal: -own.direction().unwrap() }.into()
    };
    (down.element, down.nominal) = (turned(down.element), down.nominal.map(turned));
    let common = [combined(vec![up, down]).unwrap()];
    assert!(common[0].is_two_sided);
    let align = |how| datum_system::align(&common, how, &back.inverse(), &Progress::silent());
    let sentence = align(DatumAssociation::Contacting).unwrap_err().sentence;
    assert!(sentence.contains("Common datum “A-B”: Its planes face away"), "{sentence}");
    let fitted = align(DatumAssociation::Fitted).unwrap().nominal_from_scan;
    assert!((fitted * (back * Point::new(0.0, 0.0, 0.01))).z.abs() < 1e-9, "{fitted}");
}

/// Bearing seats whose own fits lean: both are about the nominal axis afterwards.
#[test]
fn the_common_axis_of_two_seats_is_aligned_to_on_100_parts() {
    let mut random = Random::new(5459, 9);
    for _ in 0..100 {
        let pose = Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation());
        let back = pose.inverse();
        let mut seat = |letter: &str, z: f64, radius: f64| {
            let one = |i: i32| {
                let (sin, cos) = (f64::from(i % 72) * 5.0_f64.to_radians()).sin_cos();
                back * Point::new(radius * cos, radius * sin, z + f64::from(i / 72))
            };
            let lean = Vector::new(random.range(-0.02, 0.02), random.range(-0.02, 0.02), 1.0).normalize();
            let point = Point::new(0.0, 0.0, z + 3.0);
            let fitted = Shape::Cylinder { point: back * point, axis: back * lean, radius };
            let nominal = Shape::Cylinder { point, axis: Vector::z(), radius };
            datum(letter, fitted, nominal, (0..72 * 7).map(one).collect(), true)
        };
        let seats = vec![seat("A", -40.0, 8.0), seat("B", 50.0, 6.0)];
        let radii = [8.0, 6.0];
        let common = combined(seats.clone()).unwrap();
        for association in [DatumAssociation::Contacting, DatumAssociation::Fitted] {
            let datums = std::slice::from_ref(&common);
            let found = datum_system::align(datums, association, &pose, &Progress::silent()).unwrap();
            assert_eq!(found.information.open, ["translation along z", "rotation about z"]);
            for (own, radius) in seats.iter().zip(radii) {
                let far = own.points.iter().map(|point| {
                    let there = found.nominal_from_scan * point;
                    (there.x.hypot(there.y) - radius).abs()
                });
                assert!(far.fold(0.0, f64::max) < 1e-9);
            }
        }
    }
}

/// Lists of datums as written before there were common ones, and with one.
#[test]
fn datum_systems_are_stored_as_before() {
    let before = r#"{"datum_system":{"datums":[3,4],"association":"contacting"}}"#;
    let system = |datums| MainMethod::DatumSystem { datums, association: DatumAssociation::Contacting };
    let [three, four] = [ElementId(3), ElementId(4)];
    let read: MainMethod = serde_json::from_str(before).unwrap();
    assert_eq!(read, system(vec![three.into(), four.into()]));
    assert_eq!(serde_json::to_string(&read).unwrap(), before);
    let with_common = system(vec![DatumElements::of(vec![three, four]), ElementId(5).into()]);
    let stored = serde_json::to_string(&with_common).unwrap();
    assert!(stored.contains(r#""datums":[[3,4],5]"#), "{stored}");
    assert_eq!(serde_json::from_str::<MainMethod>(&stored).unwrap(), with_common);
}
