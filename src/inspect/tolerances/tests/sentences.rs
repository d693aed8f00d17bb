//! Reading of plans, and errors for bad input.

use super::*;

/// The example in the documentation of the module.
#[test]
fn the_documented_plan_reads_and_round_trips() {
    let docs = include_str!("../mod.rs");
    let example = docs.split("```json").nth(1).unwrap().split("//! ```").next().unwrap().replace("//!", "");
    let plan = Plan::from_json(&example).unwrap();
    assert_eq!(plan.tolerances.len(), 9);
    assert_eq!(plan.datums["B"], "bore 1");
    assert_eq!(plan.tolerances[0].characteristic, Characteristic::Size { lower_mm: Some(9.95) });
    let bonus = MaximumMaterial { side: Side::Internal, size_mm: 7.9 };
    assert_eq!(plan.tolerances[4].maximum_material, Some(bonus));
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(Plan::from_json(&text).unwrap(), plan, "{text}");
    let judged = plan.judge(&Features::new());
    assert!(judged.iter().all(|own| own.as_ref().unwrap_err().sentence.contains("There is no feature")));
}

#[test]
fn a_plan_resolves_letters_and_continues_after_an_error() {
    let text = r#"{"datums": {"A": "floor"}, "tolerances": [
        {"feature": "wall", "characteristic": "perpendicularity", "limit_mm": 0.1, "datums": ["A"]},
        {"name": "Lost", "feature": "roof", "characteristic": "flatness", "limit_mm": 0.1},
        {"feature": "wall", "characteristic": "flatness", "limit_mm": 0.1}]}"#;
    let features = named([
        ("floor", Feature::of(plane([0.0; 3], Vector::z()))),
        ("wall", patch(plane([0.0; 3], Vector::new(1.0, 0.0, 0.01)), Vector::y(), [9.0, 30.0], none)),
    ]);
    let judged = Plan::from_json(text).unwrap().judge(&features);
    let wall = judged[0].as_ref().unwrap();
    assert!((wall.measured_mm - 30.0 * 0.01_f64.atan().sin()).abs() < 1e-12 && wall.verdict == Verdict::Out);
    assert_eq!(
        judged[1].as_ref().unwrap_err().sentence,
        "Tolerance “Lost”: There is no feature “roof”; there are: floor, wall."
    );
    assert_eq!(judged[2].as_ref().unwrap().verdict, Verdict::In);
    for (broken, says) in [
        (
            r#"{"tolerances": [{"feature": "f", "characteristic": "flatness", "limit_mm": 1, "angel_deg": 3}]}"#,
            "angel_deg",
        ),
        (r#"{"tolerances": [{"feature": "f", "characteristic": "flatnes", "limit_mm": 1}]}"#, "unknown variant"),
        (r#"{"tolerances": [{"feature": "f", "characteristic": "flatness"}]}"#, "limit_mm"),
        ("{", "line 1 column 1"),
    ] {
        let sentence = Plan::from_json(broken).unwrap_err().sentence;
        assert!(sentence.contains(says) && sentence.contains("cannot be read"), "{sentence}");
    }
}

#[test]
fn a_size_is_stated_by_its_fit() {
    let read = |fields: &str| {
        let bore = r#"{"shape": {"kind": "cylinder", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 12.5}}"#;
        let size = format!(r#"{{"feature": "bore", "characteristic": "size", {fields}}}"#);
        Plan::from_json(&format!(r#"{{"nominals": {{"bore": {bore}}}, "tolerances": [{size}]}}"#))
    };
    let bore = |radius: f64| named([("bore", tube(axis([0.0; 3], Vector::z(), radius), 20.0, none))]);
    let by_class = read(r#""fit": "H7""#).unwrap();
    assert_eq!(by_class.tolerances[0].fit.as_deref(), Some("25 H7"));
    assert_eq!(by_class.tolerances[0].characteristic, Characteristic::Size { lower_mm: Some(25.0) });
    let judged = |radius: f64| by_class.judge(&bore(radius)).remove(0).unwrap();
    let inside = judged(12.51);
    assert_eq!((inside.lower_mm, inside.limit_mm, inside.verdict), (Some(25.0), 25.021, Verdict::In));
    let words = "; limits of “25 H7” (ISO 286): 0 and +0.021 mm from the nominal size";
    assert!(inside.how.contains(words), "{}", inside.how);
    assert_eq!(judged(12.511).verdict, Verdict::Out);
    // What is written reads the same.
    assert_eq!(Plan::from_json(&by_class.to_json().unwrap()).unwrap(), by_class);
    // Limits of one's own beside the fit must be those of the fit.
    assert!(read(r#""fit": "25 H7", "lower_mm": 25, "upper_mm": 25.021"#).unwrap().judge(&bore(12.51))[0].is_ok());
    let other = read(r#""fit": "25 H7", "lower_mm": 25, "upper_mm": 25.03"#).unwrap().judge(&bore(12.51)).remove(0);
    let sentence = other.unwrap_err().sentence;
    assert!(sentence.contains("not those of “25 H7”, 25 to 25.021 mm"), "{sentence}");
    let flat = r#"{"tolerances": [{"feature": "f", "characteristic": "flatness", "fit": "25 H7", "limit_mm": 1}]}"#;
    let flat = Plan::from_json(flat).unwrap().judge(&bore(12.5)).remove(0).unwrap_err().sentence;
    assert!(flat.contains("A tolerance class states the limits of a size"), "{flat}");
    for (fields, says) in [(r#""fit": "H17""#, "not for 17"), (r#""fit": "j9""#, "not known here")] {
        let sentence = read(fields).unwrap_err().sentence;
        assert!(sentence.starts_with("Size of “bore”: ") && sentence.contains(says), "{sentence}");
    }
    let lone = r#"{"tolerances": [{"feature": "f", "characteristic": "size", "fit": "H7"}]}"#;
    assert!(Plan::from_json(lone).unwrap_err().sentence.contains("no nominal size"));
}

#[test]
fn bad_input_is_an_error() {
    let floor = || patch(plane([0.0; 3], Vector::z()), Vector::x(), [9.0, 9.0], none);
    let roof = || patch(plane([0.0, 0.0, 9.0], Vector::z()), Vector::x(), [9.0, 9.0], none);
    let pin = || tube(axis([0.0; 3], Vector::z(), 3.0), 9.0, none);
    let bare = |shape: Shape| Feature::of(shape);
    let spot = || Feature::of(Point::origin());
    let broken = {
        let mut feature = floor();
        feature.points[3].x = f64::NAN;
        feature
    };
    let other = Feature { deviations_mm: vec![0.0; 3], ..floor() };
    let angled = r#""characteristic":"angularity","angle_deg":95,"datums":["A"]"#;
    for (json, feature, datum, says) in [
        (r#""characteristic":"flatness""#, pin(), floor(), "“f” is a cylinder; flatness needs a plane"),
        (r#""characteristic":"flatness""#, spot(), floor(), "flatness needs a plane"),
        (r#""characteristic":"flatness""#, broken, floor(), "a point that is not finite"),
        (
            r#""characteristic":"flatness""#,
            bare(plane([0.0; 3], Vector::z())),
            floor(),
            "0 measured points; at least 4",
        ),
        (r#""characteristic":"flatness","datums":["A"]"#, floor(), roof(), "Flatness takes no datum; remove A"),
        (r#""characteristic":"flatness","limit_mm":-1"#, floor(), roof(), "limit of -1 mm"),
        (r#""characteristic":"size","lower_mm":2,"upper_mm":1"#, pin(), roof(), "not below the lower limit"),
        (r#""characteristic":"size""#, floor(), roof(), "a size needs a circle"),
        (r#""characteristic":"cylindricity""#, floor(), roof(), "cylindricity needs a cylinder"),
        (r#""characteristic":"circularity""#, floor(), roof(), "circularity needs a circle or a cylinder"),
        (r#""characteristic":"circularity","section_mm":-1"#, pin(), roof(), "positive thickness"),
        (r#""characteristic":"circularity","section_mm":0.0001"#, pin(), roof(), "fewer than 10000"),
        (r#""characteristic":"straightness""#, floor(), roof(), "straightness needs a line"),
        (r#""characteristic":"straightness","section_mm":20"#, pin(), roof(), "fewer than 3 sections"),
        (r#""characteristic":"parallelism""#, floor(), roof(), "needs a datum"),
        (r#""characteristic":"parallelism","datums":["X"]"#, floor(), roof(), "Datum X: There is no feature “X”"),
        (r#""characteristic":"parallelism","datums":["f"]"#, floor(), roof(), "cannot be its own datum"),
        (r#""characteristic":"parallelism","datums":["A"]"#, spot(), roof(), "orientation needs a plane"),
        (r#""characteristic":"parallelism","datums":["A"]"#, roof(), spot(), "must be a plane or an axis"),
        (
            r#""characteristic":"parallelism","datums":["A"]"#,
            bare(axis([0.0; 3], Vector::z(), 1.0)),
            pin(),
            "determine its extent",
        ),
        (angled, floor(), roof(), "between 0° and 90°"),
        (
            r#""characteristic":"parallelism","datums":["A"],"zone":{"width":{"along":[1,0,0]}}"#,
            pin(),
            pin(),
            "do not constrain the direction of the zone's width",
        ),
        (
            r#""characteristic":"parallelism","datums":["A"],"zone":{"width":{"along":[0,0,1]}}"#,
            pin(),
            pin(),
            "along the axis itself",
        ),
        (
            r#""characteristic":"parallelism","datums":["A"],"zone":{"width":{"along":[0,0,0]}}"#,
            pin(),
            pin(),
            "must not be zero",
        ),
        (r#""characteristic":"position","datums":["A"]"#, pin(), floor(), "it has no nominal"),
        (
            r#""characteristic":"position","datums":["A"],"true_place":{"point":[1,2,3]}"#,
            spot(),
            floor(),
            "The datums A do not constrain the translation along x, the translation along y, the rotation about z of",
        ),
        (
            r#""characteristic":"position","datums":["A"],
            "true_place":{"shape":{"kind":"line","point":[9,0,0],"direction":[0,0,1]}}"#,
            pin(),
            pin(),
            "do not constrain the rotation about z of their frame",
        ),
        (
            r#""characteristic":"position","datums":["A"],"true_place":{"point":[1,2,3]}"#,
            pin(),
            floor(),
            "its true position cannot be a point",
        ),
        (r#""characteristic":"coaxiality","datums":["A"]"#, pin(), floor(), "The datums A define no axis"),
        (r#""characteristic":"coaxiality","datums":["A"]"#, floor(), pin(), "symmetry is for planes"),
        (r#""characteristic":"coaxiality","datums":["A"]"#, pin(), spot(), "needs a datum axis"),
        (r#""characteristic":"symmetry","datums":["A"]"#, floor(), pin(), "symmetry needs one datum"),
        (r#""characteristic":"circular_run_out","datums":["A"]"#, floor(), roof(), "The datums A define no axis"),
        (r#""characteristic":"circular_run_out","datums":["A"]"#, spot(), pin(), "0 measured points"),
        (
            r#""characteristic":"total_run_out","datums":["A"]"#,
            spot(),
            pin(),
            "total run-out needs a cylinder or a plane",
        ),
        (r#""characteristic":"profile""#, floor(), pin(), "needs its deviations"),
        (r#""characteristic":"profile""#, other, pin(), "3 deviations for 121 points"),
        (r#""characteristic":"profile","outside_mm":0.3"#, floor(), pin(), "must be between 0 and the zone width"),
        (
            r#""characteristic":"flatness","maximum_material":{"side":"internal","size_mm":1}"#,
            floor(),
            pin(),
            "does not apply to flatness",
        ),
        (
            r#""characteristic":"parallelism","datums":["A"],"maximum_material":{"side":"internal","size_mm":1}"#,
            roof(),
            floor(),
            "needs a feature with a measured size",
        ),
        (
            r#""characteristic":"parallelism","datums":["A"],"maximum_material":{"side":"internal","size_mm":0}"#,
            pin(),
            pin(),
            "size must be above 0",
        ),
        (
            r#""characteristic":"flatness","expanded_uncertainty_mm":-1"#,
            floor(),
            pin(),
            "uncertainty must be at least 0",
        ),
    ] {
        // Not the same feature, though alike.
        let datum = Feature { points: datum.points.iter().skip(1).copied().collect(), ..datum };
        let features = named([("f", feature), ("A", datum)]);
        let error = judge(&tolerance(json), &features, &DatumLetters::new());
        let sentence = error.expect_err(json).sentence;
        assert!(sentence.contains(says), "{json}\n{sentence}");
    }
}

#[test]
fn datums_that_do_not_match_their_nominals_are_an_error() {
    let mut features = in_corner(Feature::of(Shape::Sphere { centre: Point::origin(), radius: 1.0 }), Point::origin());
    // The second nominal datum is parallel to the first.
    features.get_mut("B").unwrap().nominal = Some(plane([0.0; 3], Vector::new(0.0, 1.0, 1.0)).into());
    let position = tolerance(r#""characteristic":"position","datums":["A","C","B"]"#);
    let sentence = judge(&position, &features, &DatumLetters::new()).unwrap_err().sentence;
    assert!(sentence.contains("B") && sentence.contains("constrains no degree of freedom"), "{sentence}");
    // A hole that is nominally oblique but was measured upright constrains other degrees of freedom.
    features.insert("D".into(), Feature::of(axis([5.0, 5.0, 0.0], Vector::z(), 2.0)));
    features.get_mut("D").unwrap().nominal = Some(axis([5.0, 5.0, 0.0], Vector::new(1.0, 0.0, 1.0), 2.0).into());
    let position = tolerance(r#""characteristic":"position","datums":["A","D"]"#);
    let sentence = judge(&position, &features, &DatumLetters::new()).unwrap_err().sentence;
    assert!(sentence.contains("D is 44.8"), "{sentence}");
}
