use super::*;

/// Points of a feature with deviations of up to 0.02 mm, at a random pose up to a metre from the origin.
pub fn cloud(kind: Kind, count: usize, random: &mut Random) -> Vec<Point> {
    let to = pose(random);
    let mut own = || {
        let (a, b) = (random.range(0.0, 5.0), random.range(-1.0, 1.0));
        let off = (0.004 * random.normal()).clamp(-0.02, 0.02);
        let ((sin, cos), tilt) = (a.sin_cos(), 3.0 * b);
        match kind {
            Kind::Line => Point::new(off, 0.004 * random.normal(), 100.0 * b),
            Kind::Plane => Point::new(30.0 * a, 100.0 * b, off),
            Kind::Circle => Point::new((50.0 + off) * cos, (50.0 + off) * sin, 0.001 * b),
            Kind::Sphere => {
                let radius = (1.0 - b * b).sqrt();
                Point::from(Vector::new(radius * cos, radius * sin, b) * (50.0 + off))
            }
            Kind::Cylinder => Point::new((50.0 + off) * cos, (50.0 + off) * sin, 80.0 * b),
            Kind::Cone => {
                let radius = 50.0 + 20.0 * b + off;
                Point::new(radius * cos, radius * sin, 80.0 * b)
            }
            Kind::Torus => {
                let radius = 50.0 + (15.0 + off) * tilt.cos();
                Point::new(radius * cos, radius * sin, (15.0 + off) * tilt.sin())
            }
        }
    };
    (0..count).map(|_| to * own()).collect()
}

#[test]
fn large_clouds_are_determined_by_their_contacts() {
    let mut random = Random::new(1, 0x26);
    let count: usize = std::env::var("ZONE_POINTS").map_or(100_000, |text| text.parse().unwrap());
    for kind in Kind::ALL {
        let points = cloud(kind, count, &mut random);
        let started = std::time::Instant::now();
        let gaussian = fitted(kind, Objective::Gaussian, &points).unwrap();
        let gaussian_s = started.elapsed().as_secs_f64();
        for objective in Objective::ALL.into_iter().skip(1).filter(|objective| objective.suits(kind)) {
            let started = std::time::Instant::now();
            let found = fitted(kind, objective, &points).unwrap();
            println!(
                "{kind:?} {objective:?}: {:.3} s beside the Gaussian fit's {gaussian_s:.3} s; {} {} {:?}",
                started.elapsed().as_secs_f64() - gaussian_s,
                found.form_error_mm,
                gaussian.form_error_mm,
                found.zone
            );
            let zone = found.zone.unwrap();
            assert_ne!(zone.certified, Certificate::Open);
            let residuals = || found.residuals_mm.iter().copied();
            let (max, min) = (residuals().fold(f64::NEG_INFINITY, f64::max), residuals().fold(f64::INFINITY, f64::min));
            let is_contact = |index: &u32| {
                let own = found.residuals_mm[*index as usize];
                (own - max).abs().min((own - min).abs()) < 1e-9
            };
            assert!(zone.contacts.len() >= 2 && zone.contacts.iter().all(is_contact), "{zone:?}");
            match objective {
                Objective::MinimumZone => assert!(found.form_error_mm < gaussian.form_error_mm),
                Objective::MinimumCircumscribed => assert!(max < 1e-9, "{max}"),
                _ => assert!(min > -1e-9, "{min}"),
            }
        }
    }
}
