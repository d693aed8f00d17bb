//! Acceptance tests on synthetic scans with known errors.

use std::f64::consts::TAU;

use super::*;
use base::{Progress, random::Random};
use geometry::{Point, Vector};

fn quiet() -> Progress {
    Progress::silent()
}

fn direction(random: &mut Random, min_z: f64) -> Vector {
    let (z, turn) = (random.range(min_z, 1.0), random.range(0.0, TAU));
    let flat = (1.0 - z * z).sqrt();
    Vector::new(flat * turn.cos(), flat * turn.sin(), z)
}

/// Points on a sphere about `centre`, visible from +z; `radius_mm` gives the radius as a function of the direction.
fn sphere_points(
    centre: Point,
    count: usize,
    min_z: f64,
    random: &mut Random,
    radius_mm: impl Fn(&Vector, &mut Random) -> f64,
) -> Vec<Point> {
    (0..count)
        .map(|_| {
            let outward = direction(random, min_z);
            centre + outward * radius_mm(&outward, random)
        })
        .collect()
}

fn scan(points: Vec<Point>, viewpoint: Option<Point>) -> SphereScan {
    SphereScan { name: "b1".into(), points, viewpoint, diameter_mm: 30.0 }
}

const CENTRE: Point = Point::new(120.0, -40.0, 15.0);
const SENSOR: Point = Point::new(120.0, -40.0, 800.0);

#[test]
fn size_and_form_of_a_noisy_ball_are_those_put_in() {
    let mut random = Random::new(1, 0xACC);
    let (bias, sigma) = (0.043, 0.01);
    let points = sphere_points(CENTRE, 20_000, 0.3, &mut random, |_, random| 15.0 + bias + sigma * random.normal());
    let found = probing(&scan(points.clone(), Some(SENSOR)), &Settings::default(), &quiet()).unwrap();
    println!("{found:?}");
    assert!((found.size_error_mm - 2.0 * bias).abs() < 0.002, "{found:?}");
    // Rejecting the worst three in a thousand reduces the standard deviation of a normal distribution by about one per
    // cent.
    assert!((found.form_sigma_mm / sigma - 0.987).abs() < 0.02, "{}", found.form_sigma_mm);
    // 95 % lie within 1.96 sigma, 99.7 % within 2.968.
    assert!((found.dispersion_mm / sigma - 2.0 * 1.96).abs() < 0.1, "{}", found.dispersion_mm);
    assert!((found.form_error_mm / sigma - 2.0 * 2.968).abs() < 0.2, "{}", found.form_error_mm);
    assert!((found.centre - CENTRE).norm() < 0.002);
    // Within 60 degrees of the view: normals with z above 0.5, out of those above 0.3, except for the effect of the
    // sensor's finite distance.
    let share = found.points as f64 / 20_000.0;
    assert!((share - 0.5 / 0.7).abs() < 0.03, "{share}");
    assert_eq!(found.masked + found.points, 20_000);
    assert_eq!(found.rejected, (0.003 * found.points as f64).floor() as usize);
    let all = Settings { rejected_share: 0.0, ..Settings::default() };
    let whole = probing(&scan(points, Some(SENSOR)), &all, &quiet()).unwrap();
    assert!(whole.form_error_mm > found.form_error_mm && whole.rejected == 0);
    assert_eq!(whole.dispersion_mm, found.dispersion_mm);
}

/// A second-degree harmonic on a whole sphere: the fit does not change, and the form error is 1.5 times the amplitude.
#[test]
fn smooth_bias_shows_as_form_not_as_size() {
    let mut random = Random::new(2, 0xACC);
    let amplitude = 0.02;
    let points =
        sphere_points(CENTRE, 30_000, -1.0, &mut random, |d, _| 15.0 + amplitude * 0.5 * (3.0 * d.z * d.z - 1.0));
    let settings = Settings { rejected_share: 0.0, ..Settings::default() };
    let found = probing(&scan(points, None), &settings, &quiet()).unwrap();
    assert!((found.form_error_mm - 1.5 * amplitude).abs() < 0.0005, "{found:?}");
    assert!(found.size_error_mm.abs() < 0.0005);
    // Its mean square over the sphere is a fifth of the squared amplitude.
    assert!((found.form_sigma_mm - amplitude / 5.0_f64.sqrt()).abs() < 0.0002, "{}", found.form_sigma_mm);
    assert_eq!((found.masked, found.points), (0, 30_000));
}

/// Steep points measured too far out make a sphere too large; masked, they do not.
#[test]
fn steep_points_are_masked() {
    let mut random = Random::new(3, 0xACC);
    let steep = |d: &Vector, random: &mut Random| {
        15.0 + 0.002 * random.normal() + if d.z < 0.5 { 0.6 * (0.5 - d.z) } else { 0.0 }
    };
    let points = sphere_points(CENTRE, 15_000, 0.05, &mut random, steep);
    let with = |viewpoint| probing(&scan(points.clone(), viewpoint), &Settings::default(), &quiet()).unwrap();
    let (masked, whole) = (with(Some(SENSOR)), with(None));
    println!("size error {:.4} masked, {:.4} with steep points", masked.size_error_mm, whole.size_error_mm);
    assert!(masked.size_error_mm.abs() < 0.003, "{masked:?}");
    assert!(whole.size_error_mm.abs() > 0.05 && whole.form_error_mm > 10.0 * masked.form_error_mm);
    // Exactly the points within the limit of incidence are kept.
    let kept = mask_by_incidence(&points, &SENSOR, &CENTRE, Settings::default().max_incidence_rad);
    for index in 0..points.len() as u32 {
        let (outward, view) = (points[index as usize] - CENTRE, SENSOR - points[index as usize]);
        assert_eq!(kept.contains(&index), outward.angle(&view) <= 60.0_f64.to_radians());
    }
    let far = Some(Point::new(120.0, -40.0, -800.0));
    let wrong = probing(&scan(points, far), &Settings::default(), &quiet()).unwrap_err();
    assert!(wrong.sentence.contains("viewpoint") && wrong.sentence.starts_with("b1: "), "{wrong}");
}

fn bar(name: &str, turn: f64, scale: f64, random: &mut Random) -> BarScan {
    let along = Vector::new(turn.cos(), 0.8 * turn.sin(), 0.6 * turn.sin()).normalize();
    let ends = [CENTRE - along * 75.0, CENTRE + along * 75.0];
    let view = SENSOR;
    let spheres = ends.map(|centre| {
        let towards = (view - centre).normalize();
        let turned = nalgebra::UnitQuaternion::rotation_between(&Vector::z(), &towards).unwrap();
        let points = sphere_points(Point::origin(), 2000, 0.5, random, |_, random| 15.0 + 0.005 * random.normal());
        points.iter().map(|point| Point::from((centre + turned * point.coords).coords * scale)).collect()
    });
    BarScan { name: name.into(), spheres, viewpoint: Some(view * scale), diameter_mm: 30.0, length_mm: 150.0 }
}

/// A scale error of the sensor causes a proportional sphere-spacing error, with the radius free or fixed.
#[test]
fn spacing_shows_a_scale_error() {
    let mut random = Random::new(4, 0xACC);
    for (radius, within) in [(SpacingRadius::Free, 0.003), (SpacingRadius::Calibrated, 0.003)] {
        for turn in [0.0, 1.1] {
            let own = bar("p", turn, 1.0002, &mut random);
            let settings = Settings { spacing_radius: radius, ..Settings::default() };
            let found = spacing(&own, &settings, &quiet()).unwrap();
            assert!((found.error_mm - 0.03).abs() < within, "{radius:?} {turn} {}", found.error_mm);
            assert!((found.length_mm - 150.0 - found.error_mm).abs() < 1e-12);
        }
    }
    let mut none = bar("p", 0.0, 1.0, &mut random);
    none.spheres[1].truncate(20);
    let why = spacing(&none, &Settings::default(), &quiet()).unwrap_err().sentence;
    assert!(why.starts_with("p, sphere 2"), "{why}");
    none.length_mm = 0.0;
    assert!(spacing(&none, &Settings::default(), &quiet()).is_err());
}

#[test]
fn flatness_is_the_range_of_what_was_put_in() {
    let mut random = Random::new(5, 0xACC);
    let tilt = nalgebra::UnitQuaternion::from_euler_angles(0.3, -0.4, 1.0);
    let points: Vec<Point> = (0..20_000)
        .map(|_| {
            let (x, y) = (random.range(-50.0, 50.0), random.range(-30.0, 30.0));
            // A saddle is symmetric about its plane: ±0.02.
            CENTRE + tilt * Vector::new(x, y, 0.02 * x * y / 1500.0)
        })
        .collect();
    let settings = Settings { rejected_share: 0.0, ..Settings::default() };
    let found = flatness(&PlaneScan { name: "f".into(), points: points.clone() }, &settings, &quiet()).unwrap();
    assert!((found.form_error_mm - 0.04).abs() < 0.001, "{found:?}");
    assert!((found.sigma_mm - 0.02 / 3.0).abs() < 0.0002, "{}", found.sigma_mm);
    assert!(found.normal.cross(&(tilt * Vector::z())).norm() < 1e-4);
    let usual = flatness(&PlaneScan { name: "f".into(), points }, &Settings::default(), &quiet()).unwrap();
    assert!(usual.rejected == 60 && usual.form_error_mm < found.form_error_mm);
    let few = PlaneScan { name: "few".into(), points: vec![Point::origin(); 20] };
    assert!(flatness(&few, &settings, &quiet()).unwrap_err().sentence.starts_with("few: 20 points are too few"));
    let line = PlaneScan { name: "l".into(), points: (0..90).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect() };
    assert!(flatness(&line, &settings, &quiet()).is_err());
}

/// A ball bar with its rod above a table, stray points, and other round objects.
fn scene(random: &mut Random, ends: [Point; 2]) -> Vec<Point> {
    let mut points = Vec::new();
    for centre in ends {
        points.extend(sphere_points(centre, 6000, 0.2, random, |_, random| 15.0 + 0.01 * random.normal()));
    }
    let along = (ends[1] - ends[0]).normalize();
    let side = along.cross(&Vector::z()).normalize();
    let up = side.cross(&along);
    let length = (ends[1] - ends[0]).norm() - 28.0;
    for _ in 0..4000 {
        let (sin, cos) = random.range(0.0, 0.5 * TAU).sin_cos();
        points.push(ends[0] + along * (14.0 + length * random.uniform()) + (side * cos + up * sin) * 8.0);
    }
    for _ in 0..30_000 {
        let (x, y) = (random.range(-250.0, 250.0), random.range(-200.0, 200.0));
        points.push(Point::new(x, y, -40.0 + 0.01 * random.normal()));
    }
    for _ in 0..2000 {
        let draw = |random: &mut Random| random.range(-200.0, 200.0);
        points.push(Point::new(draw(random), draw(random), draw(random)));
    }
    // A bowl of another radius and a pipe of the same one.
    points.extend(sphere_points(Point::new(-150.0, 120.0, -20.0), 4000, 0.0, random, |_, _| 22.0));
    for _ in 0..8000 {
        let (sin, cos) = random.range(0.0, 0.5 * TAU).sin_cos();
        points.push(Point::new(random.range(-200.0, 200.0), 150.0 + 15.0 * cos, -30.0 + 15.0 * sin));
    }
    points
}

#[test]
fn both_spheres_are_found_in_a_full_scene() {
    let mut random = Random::new(6, 0xACC);
    for _ in 0..2 {
        let turn = random.range(-0.5, 0.5);
        let along = Vector::new(turn.cos(), turn.sin(), random.range(-0.2, 0.2)).normalize();
        let midpoint = Point::new(random.range(-40.0, 40.0), random.range(-60.0, 60.0), 20.0);
        let ends = [midpoint - along * 75.0, midpoint + along * 75.0];
        let points = scene(&mut random, ends);
        let found = two_spheres(&points, 15.0, 0.06, &quiet()).unwrap();
        for (own, end) in found.iter().zip(ends) {
            let off = (own.centre - end).norm();
            println!("off {off:.5} mm, radius {:.5} mm, {} points", own.radius_mm, own.indices.len());
            assert!(off < 0.003 && (own.radius_mm - 15.0).abs() < 0.002);
            // Its own points, and hardly any of the rod.
            assert!((5950..=6060).contains(&own.indices.len()), "{}", own.indices.len());
        }
        // The same spheres are found again for a position of the bar.
        let scan = BarScan::from_scan("p", &points, None, (30.0, 150.0), 0.06, &quiet()).unwrap();
        let points_of_each = [0, 1].map(|i| found[i].indices.iter().map(|&n| points[n as usize]).collect::<Vec<_>>());
        assert_eq!(scan.spheres, points_of_each);
        assert!(spacing(&scan, &Settings::default(), &quiet()).unwrap().error_mm.abs() < 0.004);
    }
}

#[test]
fn missing_spheres_are_reported() {
    let mut random = Random::new(7, 0xACC);
    let ends = [Point::new(-75.0, 0.0, 20.0), Point::new(75.0, 0.0, 20.0)];
    let points = scene(&mut random, ends);
    let one: Vec<Point> = points.iter().copied().filter(|point| (point - ends[1]).norm() > 17.0).collect();
    let why = |points: &[Point], radius| two_spheres(points, radius, 0.06, &quiet()).unwrap_err().sentence;
    assert!(why(&one, 15.0).starts_with("Only one sphere of radius 15"), "{}", why(&one, 15.0));
    assert!(why(&points, 30.0).starts_with("No sphere"), "{}", why(&points, 30.0));
    assert!(why(&[], 15.0).starts_with("No sphere"));
    assert!(why(&[Point::new(f64::NAN, 0.0, 0.0)], 15.0).contains("not a finite number"));
    assert!(why(&points, -1.0).contains("radius above 0"));
    assert!(why(&vec![Point::origin(); 500], 15.0).starts_with("No sphere"));
}

#[test]
fn verdicts_keep_their_distance_from_the_limit() {
    let limit = Limit { mpe_mm: 0.02, test_sigma_mm: 0.002 };
    assert_eq!(limit.verdict(0.0166), Verdict::Conforms);
    assert_eq!(limit.verdict(-0.0166), Verdict::Conforms);
    assert_eq!(limit.verdict(-0.0168), Verdict::Undecided);
    assert_eq!(limit.verdict(0.0232), Verdict::Undecided);
    assert_eq!(limit.verdict(-0.0234), Verdict::DoesNotConform);
    let sure = Limit { test_sigma_mm: 0.0, ..limit };
    assert_eq!((sure.verdict(0.02), sure.verdict(0.020_001)), (Verdict::Conforms, Verdict::DoesNotConform));
    assert_eq!(limit.verdict(f64::NAN), Verdict::Undecided);
}

#[test]
fn a_whole_test_is_judged_and_reported() {
    let mut random = Random::new(8, 0xACC);
    let scans = AcceptanceScans {
        spheres: (0..10)
            .map(|i| {
                let points =
                    sphere_points(CENTRE, 1000, 0.4, &mut random, |_, random| 15.004 + 0.004 * random.normal());
                SphereScan { name: format!("ball {i}"), ..scan(points, Some(SENSOR)) }
            })
            .collect(),
        bars: (0..7).map(|i| bar(&format!("bar {i}"), 0.2 * f64::from(i), 1.0004, &mut random)).collect(),
        planes: Vec::new(),
    };
    let limit = |mpe_mm| Limit { mpe_mm, test_sigma_mm: 0.001 };
    let limits: Limits = [
        (Characteristic::ProbingForm, limit(0.05)),
        (Characteristic::ProbingSize, limit(0.02)),
        (Characteristic::SphereSpacing, limit(0.08)),
    ]
    .into();
    let results = evaluate(&scans, &Settings::default(), &quiet()).unwrap();
    let found = results.clone().judged(&limits).unwrap();
    println!("{}", found.text());
    assert_eq!(found.verdict, Some(Verdict::Conforms));
    assert!(found.notes.is_empty());
    assert_eq!(found.figures.len(), 5);
    let figure = |what: Characteristic| found.figures.iter().find(|own| own.characteristic == what).unwrap();
    assert!((figure(Characteristic::SphereSpacing).worst_mm - 0.06).abs() < 0.004);
    assert_eq!(figure(Characteristic::SphereSpacing).errors_mm.len(), 7);
    assert!((figure(Characteristic::ProbingSize).worst_mm - 0.008).abs() < 0.003);
    assert!(figure(Characteristic::ProbingDispersion).verdict.is_none());
    assert!(found.text().contains("The sensor conforms."));
    // A tighter limit is broken, and too few positions leave it open.
    let tight: Limits = [(Characteristic::SphereSpacing, limit(0.05))].into();
    assert_eq!(results.clone().judged(&tight).unwrap().verdict, Some(Verdict::DoesNotConform));
    let mut few = results.clone();
    few.bars.truncate(6);
    let undecided = few.clone().judged(&limits).unwrap();
    assert_eq!(undecided.verdict, Some(Verdict::Undecided));
    assert!(undecided.notes[0].contains("6 positions; 7"), "{:?}", undecided.notes);
    assert_eq!(few.clone().judged(&Limits::new()).unwrap().verdict, None);
    // A limit of what was never scanned cannot be met.
    let flat: Limits = [(Characteristic::Flatness, limit(0.05))].into();
    assert_eq!(few.judged(&flat).unwrap().verdict, Some(Verdict::Undecided));
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Acceptance>(&json).unwrap(), found);
    assert_eq!(serde_json::from_str::<Limits>(&serde_json::to_string(&limits).unwrap()).unwrap(), limits);
}

#[test]
fn invalid_settings_and_limits_are_refused() {
    let usual = Settings::default();
    assert!(Settings { rejected_share: 0.2, ..usual }.check().is_err());
    assert!(Settings { rejected_share: f64::NAN, ..usual }.check().is_err());
    assert!(Settings { max_incidence_rad: 2.0, ..usual }.check().is_err());
    assert!(evaluate(&AcceptanceScans::default(), &usual, &quiet()).unwrap_err().sentence.contains("no scan"));
    let none = Results { settings: usual, spheres: vec![], bars: vec![], planes: vec![], has_unmasked: false };
    let limits: Limits = [(Characteristic::Flatness, Limit { mpe_mm: 0.0, test_sigma_mm: 0.0 })].into();
    assert!(none.judged(&limits).unwrap_err().sentence.contains("limit above 0"));
    let mut random = Random::new(9, 0xACC);
    let small = scan(sphere_points(CENTRE, 60, 0.3, &mut random, |_, _| 15.0), None);
    assert!(probing(&SphereScan { diameter_mm: 0.0, ..small.clone() }, &usual, &quiet()).is_err());
    let mut broken = small;
    broken.points[7].x = f64::NAN;
    assert!(probing(&broken, &usual, &quiet()).is_err());
}
