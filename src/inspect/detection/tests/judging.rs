//! What is said of poses: true ones are judged best, and fits lead to them.

use super::super::refinement::Closeness;
use super::*;
use base::random::Random;
use geometry::Vector;

const PROBES: usize = 900;

/// A pile of the stepped part, its scene, and the poses of those that are mostly seen.
struct Truth {
    scene: Scene,
    cloud: Cloud,
    poses: Vec<Pose>,
}

impl Truth {
    fn new(model: &PartModel<'_>, seed: u64) -> Self {
        let parameters = pile::Parameters::for_parts(5, 60.0, seed);
        let truth = pile::run(&[model.surface], &[0; 5], &parameters, &Progress::silent()).unwrap();
        let mostly_seen = truth.parts.iter().filter(|own| own.visible_fraction > 0.6);
        Self {
            scene: Scene::new(&Cpu, &truth.cloud, model.diameter_mm, &Progress::silent()).unwrap(),
            poses: mostly_seen.map(|own| own.scene_from_part).collect(),
            cloud: truth.cloud,
        }
    }
}

fn judge(model: &PartModel<'_>, scene: &Scene, poses: &[Pose]) -> Vec<Terms> {
    let tolerances_mm = vec![0.02 * model.diameter_mm; poses.len()];
    score::judge(&Cpu, model, scene, poses, &tolerances_mm, PROBES, &Progress::silent()).unwrap()
}

/// Poses after a fit; where there is too little to fit to, as they were.
fn refine(model: &PartModel<'_>, scene: &Scene, poses: &[Pose], closeness: Closeness) -> Vec<Pose> {
    let points = scene.sample(0.5 * model.spacing_mm, |index| !scene.is_background[index as usize]);
    let fitted = refinement::of_many(&Cpu, model, scene, &points, poses, closeness, &Progress::silent()).unwrap();
    fitted.into_iter().zip(poses).map(|(own, before)| own.map_or(*before, |own| own.0)).collect()
}

/// A pose off by a shift and a turn, each of a given size in a random direction; the turn is about the part's centre.
fn off(model: &PartModel<'_>, pose: &Pose, shift_mm: f64, turn_rad: f64, random: &mut Random) -> Pose {
    let mut direction = || random.rotation() * Vector::z();
    let centre = Pose::from(model.centre().coords);
    let turn = centre * Pose::rotation(direction() * turn_rad) * centre.inverse();
    Pose::from(direction() * shift_mm) * pose * turn
}

#[test]
fn true_poses_are_never_in_free_space_and_poses_off_by_much_are() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let missing = |own: &Terms| f64::from(own.missing) / f64::from(own.facing.max(1));
    let (mut all, mut least) = (0, f64::INFINITY);
    for seed in 0..6 {
        let truth = Truth::new(&model, seed);
        for own in judge(&model, &truth.scene, &truth.poses) {
            all += 1;
            assert!(missing(&own) < 0.2, "{seed}: {own:?}");
        }
        // Towards the sensor, nothing hides it.
        let lifted: Vec<Pose> = truth.poses.iter().map(|own| Pose::translation(0.0, 0.0, 25.0) * own).collect();
        let of_lifted = judge(&model, &truth.scene, &lifted);
        least = of_lifted.iter().map(missing).fold(least, f64::min);
    }
    assert!(all > 15 && least > 0.5, "{all} {least}");
}

#[test]
fn no_fitted_pose_is_judged_better_than_the_true_one() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let truth = Truth::new(&model, 3);
    let mut random = Random::new(1, 0);
    for pose in &truth.poses {
        let mut starts = vec![*pose];
        starts.extend((0..200).map(|_| {
            let (shift, turn) = (random.range(0.0, 0.3), random.range(0.0, 1.5));
            off(&model, pose, shift * model.diameter_mm, turn, &mut random)
        }));
        let fitted = refine(&model, &truth.scene, &starts, Closeness::Fine);
        let terms = judge(&model, &truth.scene, &fitted);
        let right = terms[0].score();
        for (pose, own) in fitted.iter().zip(&terms) {
            let apart_mm = truth.poses.iter().map(|truth| model.distance_mm(pose, truth)).fold(f64::INFINITY, f64::min);
            assert!(own.score() < right + 0.01 || apart_mm < 0.01 * model.diameter_mm, "{right} {own:?} {apart_mm}");
        }
    }
}

#[test]
fn the_farther_off_a_pose_the_less_of_it_is_explained_and_behind_others_it_is_hidden() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let truth = Truth::new(&model, 1);
    for pose in &truth.poses {
        let lifted = |mm: f64| Pose::translation(0.0, 0.0, mm) * pose;
        let up: Vec<Terms> = judge(&model, &truth.scene, &[0.0, 1.0, 3.0, 9.0].map(lifted));
        assert!(up.windows(2).all(|pair| pair[1].score() <= pair[0].score() + 0.02), "{up:?}");
        assert!(up.iter().all(|own| (0.0..=1.0).contains(&own.agreement())));
        // Under what lies there, it is hidden, not missing.
        let [down] = judge(&model, &truth.scene, &[lifted(-30.0)])[..] else { panic!() };
        assert!(down.hidden > 2 * down.missing && down.score() < up[0].score(), "{down:?}");
    }
}

#[test]
fn a_tenth_of_the_points_lost_at_random_changes_a_score_by_little() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let truth = Truth::new(&model, 2);
    let mut random = Random::new(4, 0);
    let kept: Vec<u32> = (0..truth.cloud.points.len() as u32).filter(|_| random.uniform() > 0.1).collect();
    let scene = Scene::new(&Cpu, &truth.cloud.select(&kept), model.diameter_mm, &Progress::silent()).unwrap();
    let (before, after) = (judge(&model, &truth.scene, &truth.poses), judge(&model, &scene, &truth.poses));
    for (before, after) in before.iter().zip(&after) {
        assert!((before.score() - after.score()).abs() < 0.05 * before.score(), "{before:?} {after:?}");
    }
}

#[test]
fn fits_lead_from_a_tenth_of_the_part_to_it_and_seldom_lower_the_score() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let mut random = Random::new(2, 0);
    // Off by a twentieth and 10°, as from a good cluster, and by a tenth and 20°, as from its border.
    for (shift, turn_deg, least) in [(0.05, 10.0_f64, 0.9), (0.1, 20.0, 0.7)] {
        let (mut all, mut right, mut better) = (0.0, 0.0, 0.0);
        for seed in 0..3 {
            let truth = Truth::new(&model, seed);
            for pose in &truth.poses {
                let starts: Vec<Pose> = (0..20)
                    .map(|_| off(&model, pose, shift * model.diameter_mm, turn_deg.to_radians(), &mut random))
                    .collect();
                let coarse = refine(&model, &truth.scene, &starts, Closeness::Coarse);
                let fitted = refine(&model, &truth.scene, &coarse, Closeness::Fine);
                let scores = |poses: &[Pose]| judge(&model, &truth.scene, poses);
                let (before, after) = (scores(&starts), scores(&fitted));
                better += before.iter().zip(&after).filter(|(a, b)| b.score() >= a.score()).count() as f64;
                // What shows one face or two can slide along it.
                let is_right = |own: &&Pose| model.distance_mm(own, pose) < 0.02 * model.diameter_mm;
                right += fitted.iter().filter(is_right).count() as f64;
                all += 20.0;
            }
        }
        assert!(right >= least * all && better >= 0.9 * all, "{shift}: {right} right, {better} better of {all}");
    }
}
