//! What the points leave open: bores seen on an arc, fits without points to spare, fits that are not to be trusted, and
//! datums that are one.

use super::*;
use crate::features::Fit;

fn fitted(kind: Kind, points: &[Point]) -> Fit {
    fit(kind, points, &[], &Options::default(), &Progress::silent()).unwrap()
}

/// The size of a bore of this diameter with lobes of 0.02 mm, seen over an arc and judged by 11.95 to 12.05 mm.
fn bore(random: &mut Random, diameter: f64, arc_deg: f64) -> Judged {
    let phase = random.range(0.0, TAU);
    let points: Vec<Point> = (0..1500)
        .map(|_| {
            let angle = random.range(0.0, arc_deg.to_radians());
            let radius = 0.5 * diameter + 0.02 * (3.0 * angle + phase).cos() + 0.01 * random.normal();
            Point::new(40.0 + radius * angle.cos(), 30.0 + radius * angle.sin(), random.range(0.0, 20.0))
        })
        .collect();
    let features = named([("f", Feature::of_fit(&fitted(Kind::Cylinder, &points), &points))]);
    let asked = tolerance(r#""characteristic":"size","lower_mm":11.95,"upper_mm":12.05"#);
    judge(&asked, &features, &DatumLetters::new()).unwrap()
}

#[test]
fn bores_seen_on_70_degrees_are_undecided_and_all_around_they_are_judged() {
    let mut random = Random::new(58, 30);
    for diameter in [12.0, 12.13, 11.87] {
        for _ in 0..4 {
            let judged = bore(&mut random, diameter, 70.0);
            assert_eq!(judged.conformity, Some(Conformity::Undecided), "{diameter}: {judged:?}");
            assert!(judged.how.contains("seen over "), "{}", judged.how);
        }
    }
    assert_eq!(bore(&mut random, 12.0, 360.0).conformity, Some(Conformity::Conforms));
    assert_eq!(bore(&mut random, 12.13, 360.0).conformity, Some(Conformity::DoesNotConform));
}

#[test]
fn a_circle_on_three_points_has_a_size_without_uncertainty() {
    let points: Vec<Point> =
        [0.0, 2.0, 4.0].map(|angle: f64| Point::new(5.0 * angle.cos(), 5.0 * angle.sin(), 0.0)).to_vec();
    let features = named([("f", Feature::of_fit(&fitted(Kind::Circle, &points), &points))]);
    let asked = tolerance(r#""characteristic":"size","lower_mm":9.9,"upper_mm":10.1"#);
    let judged = judge(&asked, &features, &DatumLetters::new()).unwrap();
    assert_eq!((judged.uncertainty_mm, judged.conformity, judged.verdict), (None, None, Verdict::In));
    assert!(judged.how.contains("no uncertainty can be stated"), "{}", judged.how);
}

#[test]
fn what_is_within_its_limits_by_a_doubtful_fit_is_undecided() {
    // A hexagon as a bore: 0.28 mm of form, and of no use.
    let points: Vec<Point> = (0..3600)
        .map(|i| (f64::from(i % 360).to_radians(), f64::from(i / 360)))
        .map(|(angle, z)| (angle, z, 5.0 / ((angle % (TAU / 6.0)) - TAU / 12.0).cos()))
        .map(|(angle, z, radius)| Point::new(radius * angle.cos(), radius * angle.sin(), z))
        .collect();
    let found = fitted(Kind::Cylinder, &points);
    assert!(!found.doubts.is_empty(), "RMS {}", found.rms_mm);
    let features = named([("f", Feature::of_fit(&found, &points))]);
    let asked = tolerance(r#""characteristic":"size","lower_mm":10.0,"upper_mm":11.0"#);
    let judged = judge(&asked, &features, &DatumLetters::new()).unwrap();
    assert_eq!(judged.conformity, Some(Conformity::Undecided));
    assert!(judged.how.contains("are no noise"), "{}", judged.how);
}

#[test]
fn datums_that_are_one_are_refused() {
    let bottom = patch(plane([0.0; 3], Vector::z()), Vector::x(), [40.0, 30.0], |_, _| 0.0);
    let side = patch(plane([0.0; 3], Vector::x()), Vector::y(), [30.0, 20.0], |_, _| 0.0);
    let face = patch(plane([0.0, 0.0, 20.0], Vector::z()), Vector::x(), [40.0, 30.0], |_, _| 0.0);
    // The same points under another name.
    let features = named([("f", face), ("bottom", bottom.clone()), ("twin", bottom.clone()), ("side", side)]);
    let says = |datums: &str, [a, b]: [&str; 2]| {
        let letters = [("A", a), ("B", b)].map(|(letter, name)| (letter.to_owned(), name.to_owned())).into();
        let json = format!(r#""characteristic":"perpendicularity","datums":{datums},"limit_mm":0.1"#);
        judge(&tolerance(&json), &features, &letters).err().map(|error| error.sentence).unwrap_or_default()
    };
    for datums in [r#"["A","B"]"#, r#"["A-B"]"#] {
        for names in [["bottom", "bottom"], ["bottom", "twin"]] {
            let sentence = says(datums, names);
            assert!(sentence.contains("Datums A and B are the same feature"), "{datums}: {sentence}");
        }
    }
    assert!(!says(r#"["A","B"]"#, ["bottom", "side"]).contains("same feature"));
    let features = named([("f", bottom.clone()), ("twin", bottom)]);
    let asked = tolerance(r#""characteristic":"parallelism","datums":["twin"],"limit_mm":0.1"#);
    let sentence = judge(&asked, &features, &DatumLetters::new()).unwrap_err().sentence;
    assert!(sentence.contains("of the same points"), "{sentence}");
}
