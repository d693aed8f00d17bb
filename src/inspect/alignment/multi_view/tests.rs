//! Global registration of partial views of wavy and plane sheets.

use super::*;
use base::random::Random;
use compute::cpu::Cpu;
use geometry::transform;

/// Three overlapping views of the sheet z = `shape(x, y)`, with noise.
fn views(shape: impl Fn(f64, f64) -> f64) -> Vec<Cloud> {
    let mut random = Random::new(4, 4);
    let mut view = |from: f64| {
        let grid = (0..60_000).map(|i| (from + f64::from(i % 300) * 0.2, f64::from(i / 300) * 0.2));
        let points = grid.map(|(x, y)| Point::new(x, y, shape(x, y) + 0.01 * random.normal())).collect();
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

fn random_error(random: &mut Random, shift_mm: f64, turn_deg: f64) -> Pose {
    let mut draw = |scale: f64| Vector::new(random.normal(), random.normal(), random.normal()) * scale;
    let (shift, turn) = (draw(shift_mm), draw(turn_deg.to_radians()));
    transform::step_about(&Point::new(50.0, 20.0, 0.0), turn, shift)
}

#[test]
fn misplaced_views_are_registered_up_to_a_common_motion() {
    let clouds = views(|x, y| 3.0 * (0.15 * x).sin() + 2.0 * (0.2 * y).cos() + 0.1 * x);
    let mut random = Random::new(5, 1);
    let parameters = Parameters::default();
    let by: Vec<Pose> =
        (0..3).map(|_| random_error(&mut random, parameters.shift_sigma_mm, parameters.turn_sigma_deg)).collect();
    let clouds = moved(&clouds, &by);
    let result = register(&Cpu, &clouds.iter().collect::<Vec<_>>(), &parameters, &Progress::silent()).unwrap();
    assert!(result.pairs == 3 && result.iterations < 20, "{result:?}");
    let centre = Point::new(50.0, 20.0, 0.0);
    for index in 1..3 {
        let [first, own] = [0, index].map(|k| result.moves[k] * by[k]);
        let (now_mm, _) = transform::difference(&first, &own, &centre);
        let (before_mm, _) = transform::difference(&by[0], &by[index], &centre);
        println!("view {index}: {before_mm:.4} mm, then {now_mm:.4} mm");
        assert!(now_mm < 0.006 && before_mm > 5.0 * now_mm, "{before_mm} {now_mm}");
    }
}

#[test]
fn motions_that_a_plane_does_not_determine_keep_their_given_values() {
    let clouds = views(|_, _| 0.0);
    let lifted = [0.0, 0.04, 0.0].map(|z| Pose::translation(0.0, 0.0, z));
    let clouds = moved(&clouds, &lifted);
    let result =
        register(&Cpu, &clouds.iter().collect::<Vec<_>>(), &Parameters::default(), &Progress::silent()).unwrap();
    let centre = Point::new(50.0, 20.0, 0.0);
    let shifts: Vec<Vector> = result.moves.iter().map(|own| own * centre - centre).collect();
    assert!(shifts.iter().all(|shift| shift.xy().norm() < 0.003), "{shifts:?}");
    assert!((shifts[0].z - shifts[1].z - 0.04).abs() < 0.003, "{shifts:?}");
}

/// Far from the common centre, a rotation of a small view includes much translation.
#[test]
fn small_views_along_a_plane_do_not_slide() {
    let mut random = Random::new(9, 2);
    let mut view = |from: f64| {
        let grid = (0..30_000).map(|i| (from + f64::from(i % 200) * 0.2, f64::from(i / 200) * 0.2));
        let points = grid.map(|(x, y)| Point::new(x, y, 0.01 * random.normal())).collect();
        Cloud { viewpoint: Some(Point::new(from + 20.0, 15.0, 300.0)), ..Cloud::from_points(points) }
    };
    let clouds: Vec<Cloud> = (0..14).map(|i| view(25.0 * f64::from(i))).collect();
    let result =
        register(&Cpu, &clouds.iter().collect::<Vec<_>>(), &Parameters::default(), &Progress::silent()).unwrap();
    assert!(result.converged && result.pairs == 13, "{} {}", result.converged, result.pairs);
    for (cloud, own) in clouds.iter().zip(&result.moves) {
        let centre = Aabb::of_points_parallel(&cloud.points).centre();
        let shift = own * centre - centre;
        assert!(shift.xy().norm() < 0.006 && shift.z.abs() < 0.01, "{shift:?}");
    }
}

#[test]
fn separate_views_do_not_move_and_invalid_parameters_are_errors() {
    let clouds = views(|_, _| 0.0);
    let apart = [&clouds[0], &moved(&clouds, &[Pose::translation(0.0, 0.0, 50.0); 3])[1]];
    let result = register(&Cpu, &apart, &Parameters::default(), &Progress::silent()).unwrap();
    assert!(result.pairs == 0 && result.shifts_mm.iter().all(|shift| *shift < 1e-9), "{result:?}");
    for shift_sigma_mm in [0.0, -1.0, f64::NAN, 1e9] {
        let wrong = Parameters { shift_sigma_mm, ..Parameters::default() };
        assert!(register(&Cpu, &apart, &wrong, &Progress::silent()).unwrap_err().sentence.contains("100 mm"));
    }
}
