//! Contacting datums on noisy scans: they lie on the surface, not on its noise, and still on its high points.

use super::super::contact_points::ContactPoints;
use super::*;
use crate::features::Element;

/// Form of a face, mm, by its two coordinates within 40 x 30 mm.
type Form = fn(f64, f64) -> f64;

fn flat(_: f64, _: f64) -> f64 {
    0.0
}

fn convex(u: f64, v: f64) -> f64 {
    -((u - 18.0).powi(2) + (v - 14.0).powi(2)) / 2000.0
}

/// A face with random points, white noise, and two fly points far above it.
fn face_points(form: Form, count: usize, sigma_mm: f64, seed: u64) -> Vec<Point> {
    let mut random = Random::new(seed, count as u64);
    let mut points: Vec<Point> = (0..count)
        .map(|_| {
            let (u, v) = (random.range(0.0, 40.0), random.range(0.0, 30.0));
            Point::new(u, v, form(u, v) + sigma_mm * random.normal())
        })
        .collect();
    points[17].z += 0.8;
    points[count / 2].z += 1.3;
    points
}

fn contact_mm(points: &[Point]) -> (f64, f64) {
    let fitted = fit(Kind::Plane, points, &[], &Options::default(), &Progress::silent()).unwrap();
    let found = ContactPoints::averaged(&fitted.shape, points).contact(&Vector::z()).unwrap();
    (found.height_mm, found.uncertainty_mm)
}

/// Mean and standard deviation.
fn statistics(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt())
}

#[test]
fn the_contact_has_no_bias_by_noise_at_any_number_of_points() {
    for (count, sigma_mm, rounds) in
        [(1000, 0.01, 24), (1000, 0.05, 24), (6000, 0.01, 16), (6000, 0.05, 16), (40_000, 0.02, 8)]
    {
        for form in [flat as Form, convex] {
            let found: Vec<(f64, f64)> = (0..crate::test_sizes::draws(rounds / 2, rounds))
                .map(|seed| contact_mm(&face_points(form, count, sigma_mm, seed)))
                .collect();
            let heights: Vec<f64> = found.iter().map(|own| own.0 / sigma_mm).collect();
            let (bias, scatter) = statistics(&heights);
            // The mean about a crest lies below it, and noise tells its place.
            let limit = if form(0.0, 0.0) == 0.0 { 1.0 / 3.0 } else { 0.5 };
            assert!(bias.abs() < limit, "{count} {sigma_mm}: bias {bias} of the noise, scatter {scatter}");
            let stated = found.iter().map(|own| own.1 / sigma_mm).fold(0.0, f64::max);
            assert!(scatter < 2.5 * stated + 0.05, "{count} {sigma_mm}: scatter {scatter}, stated {stated}");
        }
        // The outermost single point lies three times the noise outside, the more the more points there are.
        let raw =
            face_points(flat, count, sigma_mm, 0).iter().map(|own| own.z).filter(|z| *z < 0.5).fold(0.0, f64::max);
        assert!(raw > 2.8 * sigma_mm, "{raw}");
    }
}

#[test]
fn what_stands_out_of_the_noise_is_contacted() {
    fn bump(u: f64, v: f64) -> f64 {
        if (u - 25.0).hypot(v - 11.0) < 1.5 { 0.1 } else { 0.0 }
    }
    fn burr(u: f64, _: f64) -> f64 {
        if u > 39.0 { 0.08 } else { 0.0 }
    }
    for (form, height_mm) in [(bump as Form, 0.1), (burr, 0.08)] {
        for seed in 0..4 {
            let (found, _) = contact_mm(&face_points(form, 7500, 0.01, seed));
            // The mean over what is hardly wider than the neighbourhood lies lower by up to two sigmas.
            assert!((found - height_mm).abs() < 0.025, "{found} of {height_mm}");
        }
    }
    // Touched points and exact ones are used as they are.
    let touched = &face_points(flat, 1000, 0.01, 1)[18..418];
    let highest = touched.iter().map(|own| own.z).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(contact_mm(touched), (highest, 0.0));
}

/// Faces that lean, as datums A, B and C: noise moves the part by a small share of itself, and the contact of the second and
/// third is at the edge that stands out.
#[test]
fn a_datum_system_of_three_planes_does_not_move_by_noise() {
    let mut random = Random::new(5459, 77);
    let sigma_mm = 0.02;
    let mut moved = Vec::new();
    for _ in 0..6 {
        let part = part(&mut random);
        let back = part.nominal_from_scan.inverse();
        let datums = |random: &mut Random, sigma_mm: f64| -> Vec<DatumFeature> {
            (0..3)
                .map(|index| {
                    let (face, axis) = (part.faces[index], 2 - index);
                    let points: Vec<Point> = face
                        .points()
                        .iter()
                        .map(|own| back * (own + face.normal * (sigma_mm * random.normal())))
                        .collect();
                    let fitted = fit(Kind::Plane, &points, &[], &Options::default(), &Progress::silent()).unwrap();
                    let (_, normal) = part.plane(index);
                    let outward: Element = Shape::Plane { point: Point::origin(), normal }.into();
                    let Element::Shape(shape) = Element::from(fitted.shape).oriented_like(&outward) else { panic!() };
                    let nominal = Shape::Plane {
                        point: Vector::ith(axis, SIZE[axis] / 2.0).into(),
                        normal: Vector::ith(axis, 1.0),
                    };
                    datum(["A", "B", "C"][index], shape, nominal, points, true)
                })
                .collect()
        };
        let start = part.start(&mut random);
        let align =
            |datums: &[DatumFeature], how| datum_system::align(datums, how, &start, &Progress::silent()).unwrap();
        let exact = align(&datums(&mut random, 0.0), DatumAssociation::Contacting).nominal_from_scan;
        let mut noisy = datums(&mut random, sigma_mm);
        let raw = align(&noisy, DatumAssociation::ContactingExtreme).nominal_from_scan;
        noisy.iter_mut().for_each(DatumFeature::average_noise);
        let found = align(&noisy, DatumAssociation::Contacting);
        let middle = back * Point::origin();
        let off = |pose: &geometry::Pose| (pose * middle) - (exact * middle);
        assert!(off(&raw).iter().all(|mm| *mm < -sigma_mm), "{}", off(&raw));
        moved.extend(off(&found.nominal_from_scan).iter().map(|mm| mm / sigma_mm));
        let Some(Main::DatumSystem { reports, .. }) = &found.main else { panic!() };
        assert!(reports.iter().all(|own| own.uncertainty_mm.is_some_and(|own| own < sigma_mm)), "{reports:?}");
        let words = found.main.as_ref().unwrap().words();
        assert!(words.contains("contacting. Datum “A”: noise of 0.0") && words.contains("(k = 2)"), "{words}");
        // The order of the points does not matter.
        noisy.iter_mut().for_each(|own| {
            own.points.reverse();
            own.average_noise();
        });
        let again = align(&noisy, DatumAssociation::Contacting).nominal_from_scan;
        assert!(((again * middle) - (found.nominal_from_scan * middle)).norm() < 1e-9);
    }
    let (bias, scatter) = statistics(&moved);
    assert!(bias.abs() < 1.0 / 3.0 && scatter < 0.6, "bias {bias}, scatter {scatter} of the noise: {moved:?}");
}
