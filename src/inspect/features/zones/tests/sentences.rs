use super::*;

#[test]
fn only_features_of_size_are_circumscribed_and_inscribed() {
    let mut random = Random::new(1, 0x25);
    let points = ring(&mut random, 30, 0.1, 6.25);
    for kind in Kind::ALL {
        for objective in Objective::ALL {
            let sized = matches!(kind, Kind::Circle | Kind::Sphere | Kind::Cylinder);
            let zoned = matches!(objective, Objective::Gaussian | Objective::MinimumZone);
            assert_eq!(objective.suits(kind), zoned || sized);
            if !objective.suits(kind) {
                let error = fitted(kind, objective, &points).unwrap_err();
                assert_eq!(error.kind, base::ErrorKind::Usage);
                assert!(error.sentence.contains("is not defined for a"), "{}", error.sentence);
            }
        }
    }
}

/// A short arc has a zone but no maximum inscribed circle: it is unbounded.
#[test]
fn points_that_do_not_surround_a_feature_have_no_maximum_inscribed_one() {
    let mut random = Random::new(2, 0x25);
    let arc = ring(&mut random, 40, 0.01, 1.5);
    let error = fitted(Kind::Circle, Objective::MaximumInscribed, &arc).unwrap_err();
    assert!(error.sentence.contains("do not surround a circle"), "{}", error.sentence);
    let tube: Vec<Point> = (0..200).map(|i| arc[i % 40] + Vector::z() * f64::from(i as u32 / 40) * 10.0).collect();
    let error = fitted(Kind::Cylinder, Objective::MaximumInscribed, &tube).unwrap_err();
    assert!(error.sentence.contains("do not surround a cylinder"), "{}", error.sentence);
    assert!(fitted(Kind::Cylinder, Objective::MinimumCircumscribed, &tube).is_ok());
}

/// Any input gives a finite result or an error message.
#[test]
fn degenerate_points_are_errors_or_finite() {
    let line: Vec<Point> = (0..20).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect();
    let grid: Vec<Point> = (0..25).map(|i| Point::new(f64::from(i % 5), f64::from(i / 5), 0.0)).collect();
    let one = vec![Point::new(3.0, 4.0, 5.0); 12];
    let two: Vec<Point> = (0..12).map(|i| Point::new(f64::from(i % 2), 0.0, 0.0)).collect();
    let cube: Vec<Point> =
        (0..27).map(|i| Point::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9))).collect();
    let broken = vec![Point::new(f64::NAN, 0.0, 0.0); 12];
    for points in [&line, &grid, &one, &two, &cube, &broken] {
        for kind in Kind::ALL {
            for objective in Objective::ALL {
                match fitted(kind, objective, points) {
                    Ok(found) => {
                        assert!(found.form_error_mm.is_finite(), "{kind:?} {objective:?} {found:?}");
                        assert!(found.shape.position().coords.iter().all(|c| c.is_finite()), "{kind:?} {objective:?}");
                    }
                    Err(error) => assert!(error.sentence.ends_with('.'), "{}", error.sentence),
                }
            }
        }
    }
    assert!(fitted(Kind::Circle, Objective::MinimumZone, &line).is_err());
}

/// Weight zero masks a point, other weights have no effect, and outliers are rejected after the Gaussian fit.
#[test]
fn masks_and_outlier_limits_apply() {
    let mut random = Random::new(3, 0x25);
    let mut points = ring(&mut random, 60, 0.01, 6.25);
    let clean = zone(Kind::Circle, &points, Certificate::Exact);
    points.push(Point::new(0.0, 55.0, 0.0));
    let mut weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
    weights.push(0.0);
    let options = Options { objective: Objective::MinimumZone, ..Options::default() };
    let masked = fit(Kind::Circle, &points, &weights, &options, &Progress::silent()).unwrap();
    assert!((masked.form_error_mm - clean.form_error_mm).abs() < 1e-10);
    assert_eq!(masked.zone, clean.zone);
    let clipped = Options { clip_sigmas: Some(6.0), ..options };
    let clipped = fit(Kind::Circle, &points, &[], &clipped, &Progress::silent()).unwrap();
    assert_eq!(clipped.dropped, [60]);
    assert!((clipped.form_error_mm - clean.form_error_mm).abs() < 1e-10);
    assert!((clipped.residuals_mm[60] - 5.0).abs() < 0.1);
    assert!(clipped.uncertainty.assumption.contains("of the Gaussian fit"), "{}", clipped.uncertainty.assumption);
}

#[test]
fn a_cancelled_search_returns_an_error() {
    let mut random = Random::new(4, 0x25);
    let points = ring(&mut random, 60, 0.01, 6.25);
    let cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&cancelled);
    let progress = Progress::new(cancelled, move |_, stage| {
        seen.fetch_or(stage == "Minimum zone", std::sync::atomic::Ordering::Relaxed);
    });
    let options = Options { objective: Objective::MinimumZone, ..Options::default() };
    let error = fit(Kind::Circle, &points, &[], &options, &progress).unwrap_err();
    assert_eq!(error, base::UserError::cancelled());
}

#[test]
fn a_zone_round_trips_through_json() {
    let mut random = Random::new(5, 0x25);
    let points = ring(&mut random, 60, 0.01, 6.25);
    let json = serde_json::to_value(zone(Kind::Circle, &points, Certificate::Exact)).unwrap();
    assert_eq!(json["zone"]["objective"], "minimum_zone");
    assert_eq!(json["zone"]["certified"], "exact");
    assert_eq!(json["zone"]["contacts"].as_array().unwrap().len(), 4);
    assert!(serde_json::from_value::<super::super::Zone>(json["zone"].clone()).is_ok());
    let gaussian = fitted(Kind::Circle, Objective::Gaussian, &points).unwrap();
    assert!(serde_json::to_value(gaussian).unwrap().get("zone").is_none());
}
