//! Common datums against closed forms, on parts in random poses.

use super::super::common::{self, CommonDatum, Member};
use super::super::recipe::{DatumElements, ToleranceRecipe};
use super::*;
use crate::features::element::acute_angle;
use crate::recipe::ElementId;

fn posed(random: &mut Random) -> Pose {
    Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation())
}

/// What a tolerance measures of features that are moved together to a random pose, mm.
fn measured_elsewhere(json: &str, features: &Features, random: &mut Random) -> f64 {
    let pose = posed(random);
    let elsewhere: Features = features.iter().map(|(name, own)| (name.clone(), moved(own, &pose))).collect();
    let judged = judge(&tolerance(json), &elsewhere, &DatumLetters::new()).unwrap();
    assert!(judged.how.contains("common datum “A-B”: fitted to the points of all its features"), "{}", judged.how);
    judged.measured_mm
}

/// A bearing seat about an axis along z, with an element that leans as the fit of a short seat may.
fn seat(at: [f64; 3], radius: f64, length: f64, lean: f64) -> Feature {
    let points = tube(axis(at, Vector::z(), radius), length, none).points;
    with_points(axis(at, Vector::new(lean, -lean, 1.0), 1.01 * radius), points)
}

/// The common datum of A and B.
fn common_of(a: &Feature, b: &Feature) -> base::Result<CommonDatum> {
    common::associate(&[member("A", a), member("B", b)])
}

fn member<'a>(letter: &'a str, own: &'a Feature) -> Member<'a> {
    let (element, nominal, has_sides) = (own.element, own.nominal, own.size_mm.is_some());
    Member { letter, element, nominal, points: &own.points, has_sides }
}

/// The sentence that refuses the common datum of A and B.
fn refused(a: &Feature, b: &Feature) -> String {
    common_of(a, b).unwrap_err().sentence
}

#[test]
fn a_collar_runs_out_about_both_bearing_seats_on_100_parts() {
    let mut random = Random::new(5459, 1);
    for _ in 0..100 {
        let eccentric_mm = random.range(0.0, 0.2);
        let mut lean = || random.range(-0.005, 0.005);
        let (first, second) = (seat([0.0, 0.0, -60.0], 9.0, 20.0, lean()), seat([0.0, 0.0, 70.0], 6.5, 12.0, lean()));
        let collar = tube(axis([eccentric_mm, 0.0, 10.0], Vector::z(), 15.0), 30.0, none);
        let features = named([("A", first), ("B", second), ("f", collar)]);
        for kind in ["coaxiality", "circular_run_out", "total_run_out"] {
            let json = format!(r#""characteristic":"{kind}","datums":["A-B"]"#);
            let measured_mm = measured_elsewhere(&json, &features, &mut random);
            assert!((measured_mm - 2.0 * eccentric_mm).abs() < 1e-9, "{kind}: {measured_mm} {eccentric_mm}");
        }
    }
}

/// Seats that stand off to opposite sides: the slope of the least-squares line through their sections, and the seats run
/// out about it.
#[test]
fn the_common_axis_of_seats_that_stand_apart_is_the_least_squares_line_on_100_parts() {
    let mut random = Random::new(5459, 2);
    for _ in 0..100 {
        let off_mm = random.range(0.001, 0.02);
        let seats = [seat([off_mm, 0.0, 50.0], 10.0, 20.0, 0.004), seat([-off_mm, 0.0, -50.0], 10.0, 20.0, -0.004)];
        // Heights of the 21 sections of each.
        let heights = || (0..21).map(|i| 50.0 + (f64::from(i) / 20.0 - 0.5) * 20.0);
        let slope = off_mm * heights().sum::<f64>() / heights().map(|z| z * z).sum::<f64>();
        let pose = posed(&mut random);
        let [upper, lower] = seats.each_ref().map(|own| moved(own, &pose));
        let found = common_of(&upper, &lower).unwrap().element.moved(&pose.inverse());
        let expected = Vector::new(slope, 0.0, 1.0).normalize();
        let off_rad = acute_angle(&found.direction().unwrap(), &expected);
        let at = found.position();
        assert!(off_rad < 1e-8 && at.coords.norm() < 1e-6, "{off_rad} rad, {at}");
        // The toleranced seat may have a part in its datum.
        let features = named([("A", seats[0].clone()), ("B", seats[1].clone())]);
        let json = r#""characteristic":"coaxiality","datums":["A-B"],"limit_mm":0.1"#;
        let asked: Tolerance = serde_json::from_str(&format!(r#"{{"feature":"A",{json}}}"#)).unwrap();
        assert!(judge(&asked, &features, &DatumLetters::new()).is_ok());
        let own: Tolerance =
            serde_json::from_str(&format!(r#"{{"feature":"A",{}}}"#, json.replace("A-B", "A"))).unwrap();
        let sentence = judge(&own, &features, &DatumLetters::new()).unwrap_err().sentence;
        assert!(sentence.contains("cannot be its own datum"), "{sentence}");
    }
}

#[test]
fn a_cylinder_and_a_cone_have_a_common_axis_on_100_parts() {
    let mut random = Random::new(5459, 3);
    for _ in 0..100 {
        let half_angle_rad = random.range(0.05, 0.6);
        let ring = |i: i32, j: i32| {
            let (z, (sin, cos)) = (f64::from(i), (f64::from(j) * TAU / 36.0).sin_cos());
            let radius = 12.0 + z * half_angle_rad.tan();
            Point::new(radius * cos, radius * sin, 40.0 + z)
        };
        let points = (-8..=8).flat_map(|i| (0..36).map(move |j| ring(i, j))).collect();
        // Fitted with an error of its own.
        let point = Point::new(0.05, -0.03, 40.0);
        let axis_of_cone = Vector::new(0.01, 0.005, 1.0).normalize();
        let cone = Shape::Cone { point, axis: axis_of_cone, radius: 12.1, half_angle_rad: half_angle_rad + 0.01 };
        let pose = posed(&mut random);
        let cone = moved(&with_points(cone, points), &pose);
        let cylinder = moved(&seat([0.0, 0.0, -40.0], 9.0, 20.0, 0.006), &pose);
        for (a, b) in [(&cylinder, &cone), (&cone, &cylinder)] {
            let found = common_of(a, b).unwrap().element.moved(&pose.inverse());
            let (at, direction) = (found.position(), found.direction().unwrap());
            assert!(at.x.hypot(at.y) < 1e-9 && acute_angle(&direction, &Vector::z()) < 1e-11, "{at} {direction}");
            assert!(direction.z > 0.0);
        }
    }
}

/// Two pads, nominally in one plane, of which one stands higher: the common plane is that of orthogonal regression.
#[test]
fn the_common_plane_of_pads_with_a_step_is_the_closed_form_on_100_parts() {
    let mut random = Random::new(5459, 4);
    for _ in 0..100 {
        let step_mm = random.range(0.005, 0.2);
        let nominal = plane([0.0; 3], Vector::z());
        let pad = |x: f64, z: f64| {
            patch(plane([x, 0.0, z], Vector::z()), Vector::x(), [20.0, 30.0], none).with_nominal(nominal)
        };
        let pads = [pad(-50.0, 0.5 * step_mm), pad(50.0, -0.5 * step_mm)];
        let sum = |value: fn(&Point) -> f64| pads.iter().flat_map(|own| &own.points).map(value).sum::<f64>();
        let (xx, xz, zz) = (sum(|p| p.x * p.x), sum(|p| p.x * p.z), sum(|p| p.z * p.z));
        let lean_rad = 0.5 * (2.0 * xz).atan2(xx - zz);
        let pose = posed(&mut random);
        let found = common_of(&moved(&pads[0], &pose), &moved(&pads[1], &pose)).unwrap();
        let (sin, cos) = lean_rad.sin_cos();
        let off_rad = acute_angle(&(pose.inverse() * found.element.direction().unwrap()), &Vector::new(-sin, 0.0, cos));
        let at = pose.inverse() * found.element.position();
        assert!(off_rad < 1e-11 && at.coords.norm() < 1e-9, "{off_rad} rad, {at}");
        assert_eq!((found.nominal, found.heights_mm), (Some(nominal.into()), vec![0.0, 0.0]));
        // A third face, level in itself, leans against them.
        let level = patch(plane([0.0, 0.0, 9.0], Vector::z()), Vector::x(), [40.0, 30.0], none);
        let features = named([("A", pads[0].clone()), ("B", pads[1].clone()), ("f", level)]);
        let measured_mm =
            measured_elsewhere(r#""characteristic":"parallelism","datums":["A-B"]"#, &features, &mut random);
        assert!((measured_mm - 40.0 * lean_rad.sin().abs()).abs() < 1e-9, "{measured_mm} {lean_rad}");
    }
}

/// Parallel planes at different heights keep their distance: its error is shared, and a position counts from the first.
#[test]
fn planes_at_different_heights_keep_their_nominal_distance_on_100_parts() {
    let mut random = Random::new(5459, 5);
    for _ in 0..100 {
        let (drop_mm, error_mm, raised_mm) =
            (random.range(1.0, 40.0), random.range(-0.1, 0.1), random.range(-0.1, 0.1));
        let face = |x: f64, z: f64, size: f64, nominal_z: f64| {
            patch(plane([x, 0.0, z], Vector::z()), Vector::x(), [size; 2], none)
                .with_nominal(plane([x, 0.0, nominal_z], Vector::z()))
        };
        // Both about the same place, so that an error of the distance does not tilt the plane.
        let (a, b) = (face(0.0, 0.0, 60.0, 0.0), face(0.0, error_mm - drop_mm, 30.0, -drop_mm));
        let pose = posed(&mut random);
        let found = common_of(&moved(&a, &pose), &moved(&b, &pose)).unwrap();
        let at = pose.inverse() * found.element.position();
        let normal = pose.inverse() * found.element.direction().unwrap();
        assert!((at.z - 0.5 * error_mm).abs() < 1e-9 && acute_angle(&normal, &Vector::z()) < 1e-11, "{at} {error_mm}");
        let measured = face(0.0, 7.0 + raised_mm, 20.0, 7.0);
        let features = named([("A", a), ("B", b), ("f", measured)]);
        let json = r#""characteristic":"position","datums":["A-B"]"#;
        let measured_mm = measured_elsewhere(json, &features, &mut random);
        let expected_mm = 2.0 * (raised_mm - 0.5 * error_mm).abs();
        assert!((measured_mm - expected_mm).abs() < 1e-9, "{measured_mm} {expected_mm}");
    }
}

/// The sides of a tab that face away from each other have a common mid-plane.
#[test]
fn opposed_planes_have_a_common_mid_plane_on_100_parts() {
    let mut random = Random::new(5459, 6);
    for _ in 0..100 {
        let [thick_mm, thin_mm, off_mm] = [0.0; 3].map(|_: f64| random.range(-0.1, 0.1));
        let side = |x: f64, nominal_x: f64| {
            let normal = Vector::x() * nominal_x.signum();
            patch(plane([x, 0.0, 0.0], normal), Vector::y(), [20.0, 30.0], none)
                .with_nominal(plane([nominal_x, 0.0, 0.0], normal))
        };
        let sides = [side(10.0 + thick_mm, 10.0), side(-10.0 - thin_mm, -10.0)];
        let slot = patch(plane([off_mm, 0.0, 40.0], Vector::x()), Vector::y(), [20.0, 30.0], |u, _| 4.0 * u.signum());
        let slot = Feature { size_mm: Some(8.0), ..slot };
        let features = named([("A", sides[0].clone()), ("B", sides[1].clone()), ("f", slot)]);
        let measured_mm = measured_elsewhere(r#""characteristic":"symmetry","datums":["A-B"]"#, &features, &mut random);
        let expected_mm = 2.0 * (off_mm - 0.5 * (thick_mm - thin_mm)).abs();
        assert!((measured_mm - expected_mm).abs() < 1e-9, "{measured_mm} {expected_mm}");
    }
}

/// Stated standard deviation of a coaxiality to A-B against that of repeated fits to noisy points.
#[test]
fn the_uncertainty_of_a_common_datum_is_the_spread_of_repetitions() {
    let mut random = Random::new(5459, 7);
    let (runs, noise) = (150, 0.01);
    let tolerance = tolerance(r#""characteristic":"coaxiality","datums":["A-B"]"#);
    // One end of the collar is clearly the worst.
    let shapes = [
        ("A", tube(axis([0.0, 0.0, -50.0], Vector::z(), 8.0), 20.0, none)),
        ("B", tube(axis([0.0, 0.0, 60.0], Vector::z(), 6.0), 15.0, none)),
        ("f", tube(axis([0.1, 0.05, 10.0], Vector::new(0.004, 0.0, 1.0), 12.0), 30.0, none)),
    ];
    let (mut values, mut stated) = (Vec::new(), 0.0);
    for _ in 0..runs {
        let mut features = Features::new();
        for (name, ideal) in &shapes {
            let noisy = |point: &Point| point + Vector::from_fn(|_, _| noise * random.normal());
            let points: Vec<Point> = ideal.points.iter().map(noisy).collect();
            let Element::Shape(start) = ideal.element else { panic!() };
            let options = Options { start: Some(start), ..Options::default() };
            let fitted = fit(start.kind(), &points, &[], &options, &Progress::silent()).unwrap();
            features.insert((*name).to_owned(), Feature::of_fit(&fitted, &points));
        }
        let judged = judge(&tolerance, &features, &DatumLetters::new()).unwrap();
        values.push(judged.measured_mm);
        stated += judged.uncertainty_mm.unwrap() / 2.0 / f64::from(runs);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let observed = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    assert!((stated / observed - 1.0).abs() < 0.2, "{stated} {observed}");
}

#[test]
fn pairs_that_form_no_common_datum_are_named() {
    let face = |at: [f64; 3], normal: Vector| patch(plane(at, normal), Vector::new(0.3, 1.0, 0.2), [9.0, 9.0], none);
    let floor = face([0.0; 3], Vector::z());
    let pin = |x: f64, lean: f64| tube(axis([x, 0.0, 40.0], Vector::new(lean, 0.0, 1.0), 3.0), 9.0, none);
    assert!(refused(&floor, &pin(0.0, 0.0)).contains("“A” and “B” form no common datum"));
    assert!(refused(&floor, &face([0.0; 3], Vector::x())).contains("“A” and “B” are at 90.000° to each other"));
    assert!(refused(&pin(0.0, 0.0), &pin(0.0, 0.1)).contains("“B” are at 5.711° to each other"));
    assert!(refused(&pin(0.0, 0.0), &pin(40.0, 0.0)).contains("The axes of “A” and “B” are 40.000 mm apart"));
    assert!(refused(&floor, &face([0.0, 0.0, 5.0], Vector::z())).contains("“B” are 5.000 mm apart: assign nominals"));
    let ball = || Feature::of(Shape::Sphere { centre: Point::origin(), radius: 3.0 });
    assert!(refused(&ball(), &ball()).contains("form no common datum"));
    let bare = Feature::of(plane([0.0; 3], Vector::z()));
    assert!(refused(&floor, &bare).contains("“B” has no measured points"));
    let mid_plane = Feature { size_mm: Some(4.0), ..floor.clone() };
    assert!(refused(&floor, &mid_plane).contains("“B” is a mid-plane"));
    let other = pin(0.0, 0.0).with_nominal(plane([0.0; 3], Vector::z()));
    assert!(refused(&other, &floor).contains("“A” is not of the kind of its nominal"));
    // Nominals decide, not what was measured: axes that are nominally apart, and a face measured in place of another.
    let nominal = |x: f64| axis([x, 0.0, 0.0], Vector::z(), 3.0);
    let [near, far] = [0.0, 0.5].map(|x| pin(x, 0.0).with_nominal(nominal(x)));
    assert!(refused(&near, &far).contains("The axes of “A” and “B” are 0.500 mm apart"));
    let level = Shape::Plane { point: Point::origin(), normal: Vector::z() };
    let leaning = face([0.0; 3], Vector::new(0.6, 0.0, 1.0)).with_nominal(level);
    assert!(
        refused(&floor.clone().with_nominal(level), &leaning).contains("“B” was measured at 30.964° to the others")
    );
    // One ring of points says nothing of where its axis leans.
    let ring =
        |count: usize| with_points(axis([0.0, 0.0, 35.5], Vector::z(), 3.0), pin(0.0, 0.0).points[..count].to_vec());
    assert!(refused(&ring(36), &ring(35)).contains("do not determine it"));
    let says = |json: &str| {
        let features = named([("A", floor.clone()), ("B", pin(0.0, 0.0)), ("f", face([0.0, 0.0, 5.0], Vector::z()))]);
        judge(&tolerance(json), &features, &DatumLetters::new()).unwrap_err().sentence
    };
    let sentence = says(r#""characteristic":"parallelism","datums":["A-B"]"#);
    assert!(sentence.contains("Common datum “A-B”: “A” and “B” form no common datum"), "{sentence}");
    assert!(says(r#""characteristic":"parallelism","datums":["A-A"]"#).contains("“A” stands twice in it"));
    assert!(says(r#""characteristic":"parallelism","datums":["A-X"]"#).contains("There is no feature “A-X”"));
    assert!(says(r#""characteristic":"flatness","datums":["A-B", "B"]"#).contains("remove “A-B”|B"));
}

#[test]
fn datums_are_split_at_hyphens_where_that_tells_known_ones() {
    let split =
        |stated: &'static str| common::members(stated, |name| ["A", "B", "C", "bore-1", "bore"].contains(&name));
    assert_eq!(split("A-B"), ["A", "B"]);
    assert_eq!(split("A - B-C"), ["A", "B", "C"]);
    assert_eq!((split("bore-1"), split("bore-2"), split("A")), (vec!["bore-1"], vec!["bore-2"], vec!["A"]));
    assert_eq!(common::joined(&["A", "B"]), "A-B");
}

/// A plan lists a common datum as one string; recipes hold its elements, and those of one datum as before.
#[test]
fn recipes_of_single_datums_are_stored_as_before() {
    let asked = r#"{ "feature": "f", "characteristic": "total_run_out", "limit_mm": 0.1, "datums": ["A-B", "C"] }"#;
    let before = format!(r#"{{ "feature": 1, "datums": [2, null], "asked": {asked} }}"#);
    let recipe: ToleranceRecipe = serde_json::from_str(&before).unwrap();
    assert_eq!(recipe.datums, [DatumElements::Single(Some(ElementId(2))), DatumElements::Single(None)]);
    let stored = serde_json::to_value(&recipe).unwrap();
    assert_eq!(stored["datums"], serde_json::json!([2, null]));
    let common = DatumElements::of(vec![Some(ElementId(2)), None]);
    let recipe = ToleranceRecipe { datums: vec![common, Some(ElementId(3)).into()], ..recipe };
    let stored = serde_json::to_string(&recipe).unwrap();
    assert!(stored.contains(r#""datums":[[2,null],3]"#), "{stored}");
    assert_eq!(serde_json::from_str::<ToleranceRecipe>(&stored).unwrap(), recipe);
    assert_eq!(recipe.datums[0].names_in("A-B"), ["A", "B"]);
}
