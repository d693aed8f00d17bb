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
        steps.push(feature.remove_outliers(sigmas, &asked).unwrap());
    }
    steps.extend(feature.filter(&asked).unwrap().map(|filtered| filtered.how));
    (judge(&asked, &named([("f", feature)]), &DatumLetters::new()).unwrap().measured_mm, steps)
}

/// The sentence that refuses the steps.
fn refused(json: &str, mut feature: Feature) -> String {
    let asked = tolerance(json);
    if let Err(error) = asked.check() {
        return error.sentence;
    }
    let removed = asked.outlier_sigmas.map_or(Ok(String::new()), |sigmas| feature.remove_outliers(sigmas, &asked));
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
    assert_eq!(steps, [text, "after a Gaussian filter (ISO 16610-21) of 50 UPR"]);
    // The mean of some fifty points leaves a seventh of the noise.
    assert!((measured - 0.02).abs() < 0.003, "{measured}");
    let (unfiltered, steps) = prepared(r#""characteristic":"circularity","outlier_sigmas":6"#, feature());
    assert!((0.025..0.04).contains(&unfiltered) && steps == [text], "{unfiltered}");
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
    let (_, steps) = prepared(circularity, bolt([720, 720, 200, 720, 720], lobes(5.0)));
    assert!(steps[0].ends_with("; 1 of 5 sections left out, with fewer than 350 points"), "{steps:?}");
}

#[test]
fn straightness_is_filtered_by_wavelength() {
    let edge = |wave_mm: f64| {
        let at = |i: u32| f64::from(i) * 0.05;
        let points = (0..=2000).map(|i| Point::new(at(i), 0.01 * (TAU * at(i) / wave_mm).cos(), 0.0));
        with_points(line([50.0, 0.0, 0.0], Vector::x()), points.collect())
    };
    let filtered = |wave_mm: f64| {
        let (measured, steps) = prepared(r#""characteristic":"straightness","filter_mm":2.5"#, edge(wave_mm));
        assert_eq!(steps, ["after a Gaussian filter (ISO 16610-21) of cutoff 2.5 mm"]);
        measured
    };
    // At the ends, where the mean is one-sided, a little more is left of the waves at the cutoff.
    assert!((0.0099..0.0105).contains(&filtered(2.5)), "{}", filtered(2.5));
    assert!((filtered(50.0) - 0.02).abs() < 1e-4, "{}", filtered(50.0));
    assert!(filtered(0.5) < 5e-4, "{}", filtered(0.5));
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
        (r#""characteristic":"straightness","filter_upr":50"#, string(), "only circularity and cylindricity"),
        (r#""characteristic":"straightness","filter_mm":1"#, string(), "of cutoff 1 mm needs at least 63 points, 7"),
        (r#""characteristic":"circularity","outlier_sigmas":0"#, smooth(), "above 0 standard deviations"),
        (r#""characteristic":"circularity","outlier_sigmas":4"#, tiny(), "at least 25 points, and there are 20"),
        (r#""characteristic":"size","outlier_sigmas":4"#, smooth(), "keep all points here"),
    ] {
        let sentence = refused(json, feature);
        assert!(sentence.contains(says), "{json}: {sentence}");
    }
    let sparse = refused(r#""characteristic":"circularity","filter_upr":500"#, bolt([720; 5], |_| 0.0));
    assert!(sparse.starts_with("Gaussian filter of 500 UPR: No section"), "{sparse}");
}
