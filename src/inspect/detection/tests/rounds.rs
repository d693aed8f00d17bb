//! What later rounds, other parts and what is known leave as it is.

use std::collections::BTreeSet;

use super::*;

/// A pile of six, where later rounds find more.
fn pile_of(surface: &Surface, seed: u64) -> pile::Pile {
    pile::run(&[surface], &[0; 6], &pile::Parameters::for_parts(6, 60.0, seed), &Progress::silent()).unwrap()
}

#[test]
fn later_rounds_keep_what_was_found_and_take_only_points_that_were_left() {
    let stepped = stepped();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    for seed in 0..crate::test_sizes::draws(2, 4) {
        let truth = pile_of(&stepped, seed);
        let once = Parameters { max_rounds: 1, ..Parameters::default() };
        let first = run(&Cpu, &models, &truth.cloud, &once, &Known::default(), &Progress::silent()).unwrap();
        let all = find(&models, &truth.cloud);
        let poses = |round: usize, found: &Found| {
            let own = found.detections.iter().filter(|own| own.round == round);
            own.map(|own| own.scene_from_part).collect::<Vec<_>>()
        };
        assert_eq!(poses(1, &first), poses(1, &all));
        assert!(all.detections.len() >= first.detections.len());
        for (index, own) in all.detections.iter().enumerate() {
            let points: BTreeSet<u32> = own.points.iter().copied().collect();
            for other in &all.detections[..index] {
                let shared = other.points.iter().filter(|point| points.contains(point)).count() as f64;
                let smaller = own.points.len().min(other.points.len()) as f64;
                assert!(shared <= 0.05 * smaller, "{seed}: {shared} of {smaller}");
            }
        }
    }
}

#[test]
fn where_nothing_is_left_no_further_round_is_searched() {
    let stepped = stepped();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    let mut parameters = pile::Parameters::for_parts(1, 60.0, 3);
    parameters.support = pile::Support::Unseen;
    let truth = pile::run(&[&stepped], &[0], &parameters, &Progress::silent()).unwrap();
    let found = find(&models, &truth.cloud);
    assert_eq!((found.detections.len(), found.rounds), (1, 1));
}

#[test]
fn on_what_a_wrong_pose_leaves_of_a_part_no_second_one_is_found() {
    let stepped = stepped();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    for seed in 0..crate::test_sizes::draws(2, 4) {
        let truth = pile_of(&stepped, seed);
        let found = find(&models, &truth.cloud);
        let right = found.detections[0].placed();
        // Said to be there, an eighth of its size too far along.
        let shift = right.scene_from_part.rotation * Vector::new(0.12 * models[0].diameter_mm, 0.0, 0.0);
        let wrong = Placed { scene_from_part: Pose::from(shift) * right.scene_from_part, ..right };
        let known = Known { accepted: vec![wrong], ..Known::default() };
        let again = run(&Cpu, &models, &truth.cloud, &Parameters::default(), &known, &Progress::silent()).unwrap();
        let is_there = |own: &&Detection| {
            let off = own.scene_from_part.inverse() * right.scene_from_part;
            (off * models[0].centre() - models[0].centre()).norm() < 0.4 * models[0].diameter_mm
        };
        assert_eq!(again.detections.iter().filter(is_there).count(), 1, "{seed}");
    }
}

#[test]
fn a_part_on_half_of_a_larger_thing_is_not_found() {
    let block = |long: f64| {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(long, 30.0, 12.0));
        mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 11.0), Point::new(10.0, 30.0, 22.0)));
        Surface::new(mesh)
    };
    let (known, unknown) = (block(40.0), block(90.0));
    let models = [PartModel::new("block", &known).unwrap()];
    for seed in 0..3 {
        let parameters = pile::Parameters::for_parts(2, 95.0, seed);
        let truth = pile::run(&[&unknown], &[0, 0], &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        let terms: Vec<Terms> = found.detections.iter().map(|own| own.terms).collect();
        assert!(terms.is_empty(), "{seed}: {terms:?}");
        // What of it is missing, or goes on, is said.
        assert!(found.rejected.iter().all(|own| own.doubt.is_some()) && !found.rejected.is_empty());
    }
}
