//! Filters and the removal of outliers before form is evaluated, on lobed features whose form is known.

use super::*;

/// A circle of radius 20 mm at 4000 points, with deviations as a function of the angle and of the number of the point.
fn round(off: impl Fn(f64, u32) -> f64) -> Feature {
    let points = (0..4000).map(|i| {
        let angle = f64::from(i) * TAU / 4000.0;
        Point::new(3.0, 4.0, 5.0) + Vector::new(angle.cos(), angle.sin(), 0.0) * (20.0 + off(angle, i))
    });
    with_points(circle([3.0, 4.0, 5.0], 20.0), points.collect())
}

/// A bolt of radius 20 mm, measured in rings of so many points, with deviations as a function of the angle.
fn bolt(rings: [u32; 5], off: impl Fn(f64) -> f64) -> Feature {
    let mut points = Vec::new();
    for (height, count) in [0.0, 10.0, 20.0, 30.0, 40.0].into_iter().zip(rings) {
        for i in 0..count {
            let angle = f64::from(i) * TAU / f64::from(count);
            let radius = 20.0 + off(angle);
            points.push(Point::new(radius * angle.cos(), radius * angle.sin(), height));
        }
    }
    with_points(axis([0.0; 3], Vector::z(), 20.0), points)
}

fn lobes(count: f64) -> impl Fn(f64) -> f64 {
    move |angle| 0.01 * (count * angle).cos()
}

/// The value after the steps that the tolerance states, and what was said of them.
fn prepared(json: &str, mut feature: Feature) -> (f64, Vec<String>) {
    let asked = tolerance(json);
    asked.check().unwrap();
    let mut steps = Vec::new();
    if let Some(sigmas) = asked.outlier_sigmas {
        steps.push(feature.remove_outliers(sigmas, &asked, &Pose::identity()).unwrap());
    }
    steps.extend(feature.filter(&asked).unwrap().map(|filtered| filtered.how));
    // Axes that are 0.01 mm off those of the circle and of the bolt.
    let [a, b] = [[3.01, 4.0, 0.0], [0.01, 0.0, 0.0]].map(|at| Feature::of(axis(at, Vector::z(), 5.0)));
    let features = named([("f", feature), ("A", a), ("B", b)]);
    (judge(&asked, &features, &DatumLetters::new()).unwrap().measured_mm, steps)
}

/// The sentence that refuses the steps.
fn refused(json: &str, mut feature: Feature) -> String {
    let asked = tolerance(json);
    if let Err(error) = asked.check() {
        return error.sentence;
    }
    let removed = asked
        .outlier_sigmas
        .map_or(Ok(String::new()), |sigmas| feature.remove_outliers(sigmas, &asked, &Pose::identity()));
    removed.and_then(|_| feature.filter(&asked)).err().unwrap().sentence
}

#[test]
fn roundness_keeps_half_of_the_lobes_at_the_cutoff_and_all_of_long_ones() {
    let of = |count: f64, filter: &str| {
        prepared(&format!(r#""characteristic":"circularity"{filter}"#), round(|angle, _| lobes(count)(angle)))
    };
    let share = |lobes: f64, upr: f64| 0.5_f64.powf((lobes / upr).powi(2));
    for (count, upr) in [(50.0, 50.0), (5.0, 50.0), (100.0, 50.0), (15.0, 15.0), (3.0, 15.0), (200.0, 50.0)] {
        let (measured, steps) = of(count, &format!(r#","filter_upr":{upr}"#));
        let expected = 0.02 * share(count, upr);
        assert!((measured - expected).abs() < 2e-5, "{count} lobes, {upr} UPR: {measured} instead of {expected}");
        assert_eq!(steps, [format!("after a Gaussian filter (ISO 16610-21) of {upr} UPR")]);
    }
    // The same cutoff as a wavelength on the circumference.
    let wave_mm = TAU * 20.0 / 50.0;
    assert!((of(50.0, &format!(r#","filter_mm":{wave_mm}"#)).0 - 0.01).abs() < 2e-5);
    // Without a filter no point moves.
    let feature = round(|angle, _| lobes(50.0)(angle));
    let mut same = feature.clone();
    assert!(same.filter(&tolerance(r#""characteristic":"circularity""#)).unwrap().is_none());
    assert_eq!(same, feature);
}

#[test]
fn outliers_are_removed_and_counted_before_the_filter() {
    let mut random = Random::new(61, 0);
    let noise: Vec<f64> = (0..4000).map(|_| 0.002 * random.normal()).collect();
    let spike = |i: u32| if i % 333 == 100 { 0.1 } else { 0.0 };
    let feature = || round(|angle, i| lobes(5.0)(angle) + noise[i as usize] + spike(i));
    let (measured, steps) = prepared(r#""characteristic":"circularity","outlier_sigmas":6,"filter_upr":50"#, feature());
    let text = "12 of 4000 points removed as outliers, 6 standard deviations of the noise off their neighbours";
    assert!(steps[0].starts_with(text) && steps[0].contains("; the farthest of them at ("), "{steps:?}");
    assert_eq!(steps[1..], ["after a Gaussian filter (ISO 16610-21) of 50 UPR"]);
    // The mean of some fifty points leaves a seventh of the noise.
    assert!((measured - 0.02).abs() < 0.003, "{measured}");
    let (unfiltered, steps) = prepared(r#""characteristic":"circularity","outlier_sigmas":6"#, feature());
    assert!((0.025..0.04).contains(&unfiltered) && steps.len() == 1, "{unfiltered}");
    assert!(prepared(r#""characteristic":"circularity""#, feature()).0 > 0.1);
}

#[test]
fn cylinders_are_filtered_by_undulations_too() {
    let circularity = r#""characteristic":"circularity","section_mm":1,"filter_upr":50"#;
    for (count, expected) in [(50.0, 0.01), (5.0, 0.01986), (150.0, 0.00004)] {
        let (measured, steps) = prepared(circularity, bolt([720; 5], lobes(count)));
        assert!((measured - expected).abs() < 5e-5, "{count} lobes: {measured} instead of {expected}");
        assert_eq!(steps, ["after a Gaussian filter (ISO 16610-21) of 50 UPR"]);
        let (measured, steps) =
            prepared(r#""characteristic":"cylindricity","filter_upr":50"#, bolt([720; 5], lobes(count)));
        assert!((measured - expected).abs() < 2e-4, "{count} lobes: {measured} instead of {expected}");
        assert_eq!(steps, ["after a Gaussian filter (ISO 16610-61) of 50 UPR, a nesting index of 2.513 mm"]);
    }
    // A section of few points is not judged by a filter that it cannot carry, and that is said.
    let (_, steps) = prepared(circularity, bolt([720, 720, 100, 720, 720], lobes(5.0)));
    assert!(steps[0].ends_with("; 1 of 5 sections left out, with fewer than 350 points"), "{steps:?}");
    // With more than a twentieth of the points left out, nothing is judged.
    let sentence = refused(circularity, bolt([720, 720, 200, 720, 720], lobes(5.0)));
    assert!(sentence.contains("Only 2880 of 3080 points lie in sections of at least 350 points"), "{sentence}");
}

#[test]
fn run_out_is_filtered_by_undulations_about_the_own_centre() {
    // The eccentricity of 0.01 mm stays, and half of the lobes at the cutoff.
    let circle = || round(|angle, _| lobes(50.0)(angle));
    let on_b = |name: &str| format!(r#""characteristic":"{name}","datums":["B"],"filter_upr":50"#);
    let of_circle = r#""characteristic":"circular_run_out","datums":["A"]"#;
    for (json, feature, within) in [
        (format!(r#"{of_circle},"filter_upr":50"#), circle(), 5e-5),
        (format!(r#"{of_circle},"filter_mm":{}"#, TAU * 20.0 / 50.0), circle(), 5e-5),
        (format!(r#"{},"section_mm":1"#, on_b("circular_run_out")), bolt([720; 5], lobes(50.0)), 1e-4),
        (on_b("total_run_out"), bolt([720; 5], lobes(50.0)), 3e-4),
    ] {
        let (measured, steps) = prepared(&json, feature);
        assert!((measured - 0.029_98).abs() < within, "{json}: {measured}");
        assert!(steps.len() == 1 && steps[0].starts_with("after a Gaussian filter (ISO 16610-"), "{steps:?}");
    }
    assert!((prepared(of_circle, circle()).0 - 0.039_98).abs() < 5e-5);
    let disc = patch(plane([0.0; 3], Vector::z()), Vector::x(), [10.0, 10.0], none);
    let sentence = refused(&on_b("circular_run_out"), disc);
    assert!(sentence.contains("needs a circle or a cylinder"), "{sentence}");
}

#[test]
fn a_filter_without_effect_is_said() {
    let sides = patch(plane([0.0; 3], Vector::z()), Vector::x(), [10.0, 10.0], none);
    for (json, feature, says) in [
        (r#""characteristic":"size""#, bolt([40; 5], |_| 0.0), "no effect on this characteristic"),
        (r#""characteristic":"straightness""#, bolt([40; 5], |_| 0.0), "centres of its sections"),
        (r#""characteristic":"coaxiality","datums":["A"]"#, round(|_, _| 0.0), "no effect on this characteristic"),
        (r#""characteristic":"symmetry","datums":["A"]"#, Feature { size_mm: Some(8.0), ..sides }, "on its two sides"),
        (r#""characteristic":"coaxiality","datums":["A"]"#, Feature::of(Point::origin()), "a point has no form"),
    ] {
        let mut filtered = feature.clone();
        let found = filtered.filter(&tolerance(&format!(r#"{json},"filter_mm":1"#))).unwrap().unwrap();
        assert!(found.how.starts_with("not filtered: ") && found.how.contains(says), "{json}: {}", found.how);
        assert_eq!(filtered, feature, "{json}");
        assert!(found.noise_share == 1.0 && filtered.filter(&tolerance(json)).unwrap().is_none(), "{json}");
    }
}

#[test]
fn straightness_is_filtered_by_wavelength() {
    let edge = |wave_mm: f64| {
        let at = |i: u32| f64::from(i) * 0.05;
        let points = (0..=2000).map(|i| Point::new(at(i), 0.01 * (TAU * at(i) / wave_mm).cos(), 0.0));
        with_points(line([50.0, 0.0, 0.0], Vector::x()), points.collect())
    };
    let json = r#""characteristic":"straightness","filter_mm":2.5"#;
    // Two cutoffs away from the ends half is left of the waves at the cutoff; weighted lines, summed on their own, leave
    // more of the crests that it ends with.
    for (wave_mm, inside, whole) in [(2.5, 0.01, 0.016_713_8), (50.0, 0.019_965, 0.019_994_2), (0.5, 0.0, 0.000_596_0)]
    {
        let (measured, steps) = prepared(json, edge(wave_mm));
        assert!(
            matches!(&steps[..], [own] if own.starts_with("after a Gaussian filter (ISO 16610-21) of cutoff 2.5 mm"))
        );
        // A spline through all points leaves what sums of weights do, but for its ends.
        assert!((measured - whole).abs() < 4e-4, "{wave_mm} mm: {measured} instead of {whole}");
        let mut filtered = edge(wave_mm);
        filtered.filter(&tolerance(json)).unwrap();
        let heights = filtered.points.iter().filter(|at| (5.0..95.0).contains(&at.x)).map(|at| at.y);
        let height = extents::range(heights);
        assert!((height - inside).abs() < 2e-4, "{wave_mm} mm: {height} instead of {inside}");
    }
    // A bow keeps its height to its ends, of which a one-sided mean left 0.81.
    let bow = (0..=500).map(|i| f64::from(i) * 0.05).map(|x| Point::new(x, 0.1 - 0.4 * (x / 25.0 - 0.5).powi(2), 0.0));
    let bow = with_points(line([12.5, 0.0, 0.0], Vector::x()), bow.collect());
    let (measured, _) = prepared(r#""characteristic":"straightness","filter_mm":8"#, bow);
    assert!((measured - 0.097_519).abs() < 2e-4, "{measured}");
}

#[test]
fn filters_that_cannot_be_are_refused() {
    let smooth = || round(|_, _| 0.0);
    let few = || ring(circle([3.0, 4.0, 5.0], 20.0), |_| 0.0);
    let tiny = || Feature { points: few().points[..20].to_vec(), ..few() };
    let string = || with_points(line([0.0; 3], Vector::x()), vec![Point::origin(), Point::new(9.0, 0.0, 0.0)]);
    for (json, feature, says) in [
        (r#""characteristic":"circularity","filter_upr":150"#, few(), "of 150 UPR needs at least"),
        (r#""characteristic":"circularity","filter_upr":2"#, smooth(), "at least 3 undulations"),
        (r#""characteristic":"circularity","filter_upr":50,"filter_mm":1"#, smooth(), "state one filter"),
        (r#""characteristic":"circularity","filter_mm":80"#, smooth(), "smooth away the form"),
        (r#""characteristic":"straightness","filter_upr":50"#, string(), "only circularity, cylindricity and run-out"),
        (r#""characteristic":"straightness","filter_mm":1"#, string(), "of cutoff 1 mm needs at least 63 points, 7"),
        (r#""characteristic":"circularity","outlier_sigmas":0"#, smooth(), "above 0 standard deviations"),
        (r#""characteristic":"circularity","outlier_sigmas":4"#, tiny(), "at least 25 points, and there are 20"),
        (r#""characteristic":"size","outlier_sigmas":4"#, smooth(), "keep all points here"),
    ] {
        let sentence = refused(json, feature);
        assert!(sentence.contains(says), "{json}: {sentence}");
    }
    // Of a short cylinder it is the length along the axis that a filter would smooth away.
    let mut short = bolt([720; 5], |_| 0.0);
    short.points.iter_mut().for_each(|at| at.z *= 0.1);
    let sentence = refused(r#""characteristic":"cylindricity","filter_upr":50"#, short);
    assert!(sentence.contains("form of a surface of 4.00 mm: choose at most 1.33 mm"), "{sentence}");
    let sparse = refused(r#""characteristic":"circularity","filter_upr":500"#, bolt([720; 5], |_| 0.0));
    assert!(sparse.starts_with("Gaussian filter of 500 UPR: No section"), "{sparse}");
}
