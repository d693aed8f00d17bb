//! The bonus at maximum material follows the mating envelope, not the least-squares size.

use super::*;

fn at_maximum(feature: Feature, datum: Feature, characteristic: &str, side: &str, size_mm: f64) -> Result<Judged> {
    let json = format!(
        r#""characteristic":"{characteristic}","datums":["A"],
        "maximum_material":{{"side":"{side}","size_mm":{size_mm}}}"#
    );
    judge(&tolerance(&json), &named([("f", feature), ("A", datum)]), &DatumLetters::new())
}

fn floor() -> Feature {
    Feature::of(plane([0.0; 3], Vector::z()))
}

/// The least-squares diameter of 8 mm has departed from the maximum material size by 0.21, the mating envelope by 0.13
/// only.
#[test]
fn three_lobes_give_the_bonus_of_the_mating_envelope() {
    let mut random = Random::new(40, 0);
    let lobed = |_: f64, angle: f64| 0.04 * (3.0 * angle).cos();
    let upright = tube(axis([10.0, 20.0, 15.0], Vector::z(), 4.0), 30.0, lobed);
    let cases = [("internal", 7.79, "maximum inscribed"), ("external", 8.21, "minimum circumscribed")];
    for _ in 0..3 {
        let pose = Pose::from_parts(Vector::new(300.0, -90.0, 20.0).into(), random.rotation());
        let (bore, datum) = (moved(&upright, &pose), moved(&floor(), &pose));
        for (side, size_mm, fits) in cases {
            let judged = at_maximum(bore.clone(), datum.clone(), "perpendicularity", side, size_mm).unwrap();
            assert!((judged.bonus_mm - 0.13).abs() < 1e-9, "{side}: {}", judged.bonus_mm);
            assert!((judged.limit_mm - 0.23).abs() < 1e-9 && judged.how.contains(fits), "{}", judged.how);
            let reading = "Bonus from the unrelated actual mating envelope (our reading of ISO 2692";
            assert!(judged.reading.contains(reading), "{}", judged.reading);
        }
    }
    let plain = tolerance(r#""characteristic":"perpendicularity","datums":["A"]"#);
    let plain = judge(&plain, &named([("f", upright), ("A", floor())]), &DatumLetters::new()).unwrap();
    assert!(plain.reading.ends_with("(our reading of ISO 1101 and ISO 5459).") && plain.bonus_mm == 0.0, "{plain:?}");
}

/// A circle is evaluated in its plane, regardless of deviations out of it; a sphere has lobes in space.
#[test]
fn circles_and_spheres_have_an_envelope_too() {
    let lobes = |angle: f64| 0.04 * (3.0 * angle).cos();
    let rim = ring(circle([3.0, 4.0, 5.0], 20.0), lobes);
    let datum = || Feature::of(circle([3.0, 4.0, 5.0], 5.0));
    let judged = at_maximum(rim, datum(), "coaxiality", "internal", 39.79).unwrap();
    assert!((judged.bonus_mm - 0.13).abs() < 1e-9, "{}", judged.bonus_mm);
    // Bumps along the axes determine the envelope around the sphere, dents between them the one within.
    let mut points = Vec::new();
    for i in 0..30 {
        for j in 0..60 {
            let (polar, azimuth) = ((f64::from(i) + 0.5) * TAU / 60.0, f64::from(j) * TAU / 60.0);
            let normal = Vector::new(polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos());
            let off = 0.02 * (normal.map(|c| c.powi(4)).sum() - 0.75);
            points.push(Point::from(normal * (10.0 + off)));
        }
    }
    let fitted = fit(Kind::Sphere, &points, &[], &Options::default(), &Progress::silent()).unwrap();
    let (least, most) = points.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), point| {
        (least.min(point.coords.norm()), most.max(point.coords.norm()))
    });
    let sphere = Feature::of_fit(&fitted, &points);
    let centre = || Feature::of(Point::origin());
    let outside = at_maximum(sphere.clone(), centre(), "coaxiality", "external", 20.1).unwrap();
    assert!((outside.bonus_mm - (20.1 - 2.0 * most)).abs() < 1e-4, "{} {most}", outside.bonus_mm);
    let inside = at_maximum(sphere, centre(), "coaxiality", "internal", 19.9).unwrap();
    assert!((inside.bonus_mm - (2.0 * least - 19.9)).abs() < 1e-4, "{} {least}", inside.bonus_mm);
}

/// Two sides 8 mm apart with waves of ±0.03 mm along them.
fn wavy_sides() -> Feature {
    let mid = plane([40.0, 10.0, 5.0], Vector::x());
    let wave = |v: f64| 0.03 * (v * TAU / 10.0).cos();
    let mut points = Vec::new();
    for i in 0..=40 {
        for j in 0..=6 {
            let (v, w) = (f64::from(i) - 20.0, 3.0 * f64::from(j));
            points.push(Point::new(36.0 + wave(v), 10.0 + v, w));
            points.push(Point::new(44.0 - wave(v), 10.0 + v, w));
        }
    }
    Feature { size_mm: Some(8.0), ..with_points(mid, points) }
}

#[test]
fn sides_give_the_bonus_of_two_parallel_planes() {
    let mut random = Random::new(41, 0);
    let datum = Feature::of(plane([40.0, 0.0, 0.0], Vector::x()));
    for _ in 0..3 {
        let pose = Pose::from_parts(Vector::new(-30.0, 400.0, 7.0).into(), random.rotation());
        let (sides, datum) = (moved(&wavy_sides(), &pose), moved(&datum, &pose));
        for (side, size_mm, bonus_mm) in [("internal", 7.9, 0.04), ("external", 8.1, 0.04), ("internal", 7.95, 0.0)] {
            let judged = at_maximum(sides.clone(), datum.clone(), "symmetry", side, size_mm).unwrap();
            assert!((judged.bonus_mm - bonus_mm).abs() < 1e-6, "{side} {size_mm}: {}", judged.bonus_mm);
            assert!(judged.how.contains("parallel planes"), "{}", judged.how);
        }
    }
    // A mid-plane that is not centred between the sides has no effect.
    let mut inclined = wavy_sides();
    inclined.element = plane([40.2, 10.0, 5.0], Vector::new(1.0, 0.004, -0.003)).into();
    let judged = at_maximum(inclined, datum, "symmetry", "internal", 7.9).unwrap();
    assert!((judged.bonus_mm - 0.04).abs() < 1e-6, "{}", judged.bonus_mm);
}

/// The rounded ends of a slot are closer together than its sides, and are ignored.
#[test]
fn the_envelope_of_a_slot_is_between_its_straight_sides() {
    let mut rim = Vec::new();
    for i in 0..=24 {
        let along = 0.5 * f64::from(i) - 6.0;
        let dent = if [2, 12, 22].contains(&i) { 0.05 } else { 0.0 };
        rim.extend([-1.0, 1.0].map(|side| Point::new(40.0 + side * (4.0 - dent), 30.0 + along, 5.0)));
    }
    for i in 1..24 {
        let (sin, cos) = (f64::from(i) * TAU / 48.0).sin_cos();
        rim.extend([-1.0, 1.0].map(|end| Point::new(40.0 + 4.0 * cos, 30.0 + end * (6.0 + 4.0 * sin), 5.0)));
    }
    let sheet = plane([0.0, 0.0, 5.0], Vector::z());
    let fitted = fit_slot(&rim, &sheet, None, &Progress::silent()).unwrap();
    let slot = Feature::of_slot(&fitted, &rim);
    let datum = Feature::of(plane([40.0, 0.0, 0.0], Vector::x()));
    let judged = at_maximum(slot.clone(), datum.clone(), "symmetry", "internal", 7.85).unwrap();
    assert!((judged.bonus_mm - 0.05).abs() < 1e-6, "{} {}", judged.bonus_mm, judged.how);
    // The uncertainty of the width is that of the bonus.
    assert_eq!(judged.bonus_uncertainty_mm, fitted.uncertainty.numbers.last().copied());
    let mut bare = slot;
    bare.straight_sides.as_mut().unwrap().points.retain(|point| point.x > 40.0);
    let sentence = at_maximum(bare, datum, "symmetry", "internal", 7.85).unwrap_err().sentence;
    assert!(sentence.contains("0 measured points on one of its sides"), "{sentence}");
}

#[test]
fn an_undetermined_envelope_is_an_error() {
    let of = |feature, side: &str| at_maximum(feature, floor(), "perpendicularity", side, 7.9).map_err(|e| e.sentence);
    // A third of the circumference: the smallest cylinder around it would be far too small.
    let mut part = tube(axis([0.0; 3], Vector::z(), 4.0), 30.0, none);
    part.points.retain(|point| point.y.atan2(point.x).abs() < 1.05);
    for side in ["internal", "external"] {
        let sentence = of(part.clone(), side).unwrap_err();
        assert!(sentence.contains("was measured over only 120°"), "{sentence}");
        assert!(sentence.contains("actual mating envelope"), "{sentence}");
    }
    let mut bare = tube(axis([0.0; 3], Vector::z(), 4.0), 30.0, none);
    bare.points.truncate(4);
    assert!(of(bare, "internal").unwrap_err().contains("4 measured points; at least 5"));
    // A spherical cap.
    let cap = (1..200).map(|i| {
        let (z, (sin, cos)) = (1.0 - f64::from(i) / 400.0, (f64::from(i) * 2.4).sin_cos());
        let across = (1.0 - z * z).sqrt();
        Point::new(4.0 * across * cos, 4.0 * across * sin, 4.0 * z)
    });
    let sphere = Shape::Sphere { centre: Point::origin(), radius: 4.0 };
    let cap = with_points(sphere, cap.collect());
    let centre = Feature::of(Point::origin());
    let outside = at_maximum(cap.clone(), centre.clone(), "coaxiality", "external", 8.1).unwrap_err().sentence;
    assert!(outside.contains("measured on one side only"), "{outside}");
    let inside = at_maximum(cap, centre, "coaxiality", "internal", 7.9).unwrap_err().sentence;
    assert!(inside.contains("do not surround a sphere"), "{inside}");
}

/// The uncertainty of the bonus contributes to the decision.
#[test]
fn the_uncertainty_of_the_bonus_contributes_to_the_decision() {
    let mut random = Random::new(42, 0);
    let ideal = tube(axis([10.0, 20.0, 15.0], Vector::new(0.004, 0.0, 1.0), 4.0), 30.0, none);
    let points: Vec<Point> =
        ideal.points.iter().map(|point| point + Vector::from_fn(|_, _| 0.005 * random.normal())).collect();
    let Element::Shape(start) = ideal.element else { panic!() };
    let options = Options { start: Some(start), ..Options::default() };
    let fitted = fit(Kind::Cylinder, &points, &[], &options, &Progress::silent()).unwrap();
    let bore = Feature::of_fit(&fitted, &points);
    let grown = at_maximum(bore.clone(), floor(), "perpendicularity", "internal", 7.9).unwrap();
    let uncertainty_mm = 2.0 * fitted.uncertainty.numbers[0];
    assert_eq!(grown.bonus_uncertainty_mm, Some(uncertainty_mm));
    // Noise only reduces the clearance.
    assert!(grown.bonus_mm < 0.1 && grown.bonus_mm > 0.04, "{}", grown.bonus_mm);
    // Far from any bonus it has no uncertainty.
    let without = at_maximum(bore.clone(), floor(), "perpendicularity", "internal", 8.1).unwrap();
    assert_eq!((without.bonus_mm, without.bonus_uncertainty_mm), (0.0, None));
    assert!(without.how.contains("has not departed from the maximum material size"), "{}", without.how);
    // A value without uncertainty, closer to its limit than the uncertainty of the bonus.
    let mut stated = tolerance(
        r#""characteristic":"perpendicularity","datums":["A"],"expanded_uncertainty_mm":0,
        "maximum_material":{"side":"internal","size_mm":7.9}"#,
    );
    let features = named([("f", bore), ("A", floor())]);
    stated.limit_mm = grown.measured_mm - grown.bonus_mm + 0.5 * uncertainty_mm;
    let near = judge(&stated, &features, &DatumLetters::new()).unwrap();
    assert_eq!((near.verdict, near.conformity), (Verdict::In, Some(Conformity::Undecided)));
    stated.limit_mm += uncertainty_mm;
    let clear = judge(&stated, &features, &DatumLetters::new()).unwrap();
    assert_eq!(clear.conformity, Some(Conformity::Conforms));
    assert!(clear.reading.contains("our reading of ISO 14253-1"), "{}", clear.reading);
}
