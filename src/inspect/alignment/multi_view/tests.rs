//! On wavy and plane sheets seen in part by several views.

use super::*;
use base::random::Random;
use compute::cpu::Cpu;
use geometry::transform;

/// A wavy sheet, tilted, that three views see in part, with noise.
fn views(shape: impl Fn(f64, f64) -> f64) -> Vec<Cloud> {
    let mut random = Random::new(4, 4);
    let mut view = |from: f64| {
        let places = (0..60_000).map(|i| (from + f64::from(i % 300) * 0.2, f64::from(i / 300) * 0.2));
        let points = places.map(|(x, y)| Point::new(x, y, shape(x, y) + 0.01 * random.normal())).collect();
        Cloud { viewpoint: Some(Point::new(from + 30.0, 20.0, 300.0)), ..Cloud::from_points(points) }
    };
    vec![view(0.0), view(25.0), view(50.0)]
}

fn moved(clouds: &[Cloud], by: &[Pose]) -> Vec<Cloud> {
    let one = |(cloud, pose): (&Cloud, &Pose)| {
        let mut cloud = cloud.clone();
        cloud.transform(pose);
        cloud
    };
    clouds.iter().zip(by).map(one).collect()
}

fn off(random: &mut Random, shift_mm: f64, turn_deg: f64) -> Pose {
    let mut any = |scale: f64| Vector::new(random.normal(), random.normal(), random.normal()) * scale;
    let (shift, turn) = (any(shift_mm), any(turn_deg.to_radians()));
    transform::step_about(&Point::new(50.0, 20.0, 0.0), turn, shift)
}

#[test]
fn views_that_are_off_come_to_agree_but_for_a_common_motion() {
    let clouds = views(|x, y| 3.0 * (0.15 * x).sin() + 2.0 * (0.2 * y).cos() + 0.1 * x);
    let mut random = Random::new(5, 1);
    let parameters = Parameters::default();
    let by: Vec<Pose> =
        (0..3).map(|_| off(&mut random, parameters.shift_sigma_mm, parameters.turn_sigma_deg)).collect();
    let clouds = moved(&clouds, &by);
    let refined = refine(&Cpu, &clouds.iter().collect::<Vec<_>>(), &parameters, &Progress::silent()).unwrap();
    assert!(refined.pairs == 3 && refined.iterations < 20, "{refined:?}");
    let at = Point::new(50.0, 20.0, 0.0);
    for number in 1..3 {
        let [first, own] = [0, number].map(|k| refined.moves[k] * by[k]);
        let (now_mm, _) = transform::difference(&first, &own, &at);
        let (before_mm, _) = transform::difference(&by[0], &by[number], &at);
        println!("view {number}: {before_mm:.4} mm, then {now_mm:.4} mm");
        assert!(now_mm < 0.006 && before_mm > 5.0 * now_mm, "{before_mm} {now_mm}");
    }
}

#[test]
fn what_a_plane_leaves_open_stays_as_it_was_given() {
    let clouds = views(|_, _| 0.0);
    let lifted = [0.0, 0.04, 0.0].map(|z| Pose::translation(0.0, 0.0, z));
    let clouds = moved(&clouds, &lifted);
    let refined =
        refine(&Cpu, &clouds.iter().collect::<Vec<_>>(), &Parameters::default(), &Progress::silent()).unwrap();
    let middle = Point::new(50.0, 20.0, 0.0);
    let shifts: Vec<Vector> = refined.moves.iter().map(|own| own * middle - middle).collect();
    assert!(shifts.iter().all(|shift| shift.xy().norm() < 0.003), "{shifts:?}");
    assert!((shifts[0].z - shifts[1].z - 0.04).abs() < 0.003, "{shifts:?}");
}

/// Far from the middle of all, a turn of a small view is much of a slide.
#[test]
fn small_views_along_a_plane_do_not_slide() {
    let mut random = Random::new(9, 2);
    let mut view = |from: f64| {
        let places = (0..30_000).map(|i| (from + f64::from(i % 200) * 0.2, f64::from(i / 200) * 0.2));
        let points = places.map(|(x, y)| Point::new(x, y, 0.01 * random.normal())).collect();
        Cloud { viewpoint: Some(Point::new(from + 20.0, 15.0, 300.0)), ..Cloud::from_points(points) }
    };
    let clouds: Vec<Cloud> = (0..14).map(|i| view(25.0 * f64::from(i))).collect();
    let refined =
        refine(&Cpu, &clouds.iter().collect::<Vec<_>>(), &Parameters::default(), &Progress::silent()).unwrap();
    assert!(refined.converged && refined.pairs == 13, "{} {}", refined.converged, refined.pairs);
    for (cloud, own) in clouds.iter().zip(&refined.moves) {
        let middle = Aabb::of_many(&cloud.points).centre();
        let shift = own * middle - middle;
        assert!(shift.xy().norm() < 0.006 && shift.z.abs() < 0.01, "{shift:?}");
    }
}

#[test]
fn views_apart_stay_and_wrong_parameters_are_sentences() {
    let clouds = views(|_, _| 0.0);
    let apart = [&clouds[0], &moved(&clouds, &[Pose::translation(0.0, 0.0, 50.0); 3])[1]];
    let refined = refine(&Cpu, &apart, &Parameters::default(), &Progress::silent()).unwrap();
    assert!(refined.pairs == 0 && refined.shifts_mm.iter().all(|shift| *shift < 1e-9), "{refined:?}");
    for shift_sigma_mm in [0.0, -1.0, f64::NAN, 1e9] {
        let wrong = Parameters { shift_sigma_mm, ..Parameters::default() };
        assert!(refine(&Cpu, &apart, &wrong, &Progress::silent()).unwrap_err().sentence.contains("100 mm"));
    }
}
