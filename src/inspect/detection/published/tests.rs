//! The published search on simulated scenes.

use super::*;
use crate::detection::tests::stepped;
use crate::simulation::pile::{self, Pile};
use base::random::Random;
use compute::cpu::Cpu;
use geometry::{Pose, Surface, Vector};
use terms::Terms;

/// The stepped block seen from above, on a floor.
fn seen(surface: &Surface) -> Pile {
    let parameters = pile::Parameters::for_parts(1, 70.0, 3);
    let from = Vector::new(0.3, 0.2, 1.0).normalize();
    pile::scan(&[surface], &[(0, Pose::identity())], &from, &parameters, &Progress::silent()).unwrap()
}

fn scene(pile: &Pile) -> Scene {
    Scene::new(&Cpu, &pile.cloud, 70.0, &Progress::silent()).unwrap()
}

/// Calls `work` with what judges poses of the stepped block.
fn judged(work: impl FnOnce(&Judge<'_>)) {
    let surface = stepped();
    let model = PartModel::new("stepped", &surface).unwrap();
    let outlines = Outlines::new(&model);
    let scene = scene(&seen(&surface));
    let observation = Observation::new(&scene).unwrap();
    let edges = observation.edges(|pixel| observation.is_foreground(pixel));
    let close = scene.sample(model.features().spacing_mm, |index| !scene.is_background[index as usize]);
    let features = SceneFeatures::new(&model, &close);
    let features = Some(&features);
    work(&Judge { model: &model, outlines: &outlines, observation: &observation, edges: &edges, features });
}

#[test]
fn segments_are_small_and_end_at_the_edges_of_the_part() {
    judged(|judge| {
        let own = judge.observation;
        assert!(own.segments.len() > 20 && own.segments.iter().all(|segment| segment.count >= 5));
        let count = |number: u32| own.segment_of.iter().filter(|other| **other == number).count();
        assert!((0..own.segments.len()).all(|number| count(number as u32) == own.segments[number].count));
        // Of the pixels on an edge between two faces of the part, those with another segment within two pixels.
        let direction = |pixel: usize| own.scene.points[own.image.pixels[pixel].index as usize].normal;
        let has = |pixel: usize, reach: i32, is_it: &dyn Fn(usize) -> bool| own.around(pixel, reach).any(is_it);
        let foreground = (0..own.segment_of.len()).filter(|&pixel| own.is_foreground(pixel));
        let on_edge: Vec<usize> = foreground
            .filter(|&pixel| {
                has(pixel, 1, &|other| own.is_foreground(other) && direction(pixel).dot(&direction(other)) < 0.3)
            })
            .collect();
        let ends = |pixel: &&usize| has(**pixel, 2, &|other| own.segment_of[other] != own.segment_of[**pixel]);
        let ending = on_edge.iter().filter(ends).count();
        assert!(on_edge.len() > 50 && ending as f64 >= 0.9 * on_edge.len() as f64, "{ending} of {}", on_edge.len());
    });
}

#[test]
fn each_term_falls_the_farther_a_pose_is_off() {
    judged(|judge| {
        let none = vec![false; judge.observation.segments.len()];
        let assigned = judge.assigned(&Pose::identity(), &none);
        let terms = |pose: &Pose| judge.terms(pose, 1, 1.0, Some(&assigned));
        let truth = terms(&Pose::identity());
        assert!(truth[2] <= 0.0 && truth[4] <= 0.0 && truth[5] <= 0.0, "{truth:?}");
        let raised = [0.3, 1.0, 3.0].map(|z_mm| terms(&Pose::translation(0.0, 0.0, z_mm)));
        let tilted = [0.05, 0.15, 0.4].map(|rad| terms(&Pose::new(Vector::zeros(), Vector::y() * rad)));
        let sunk = [1.0, 3.0, 9.0].map(|mm| terms(&Pose::translation(0.0, 0.0, -mm)));
        let falls = |which: usize, others: &[Terms]| {
            let all: Vec<f64> = std::iter::once(&truth).chain(others).map(|own| own[which]).collect();
            assert!(all.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{which}: {all:?}");
            assert!(all[others.len()] < all[0], "{which}: {all:?}");
        };
        falls(0, &raised);
        falls(1, &tilted);
        falls(2, &sunk);
        falls(7, &raised);
        falls(8, &sunk);
        let shifted = terms(&Pose::translation(8.0, 0.0, 0.0));
        for which in [0, 3, 6, 9] {
            assert!(shifted[which] < truth[which], "{which}: {shifted:?} {truth:?}");
        }
    });
}

#[test]
fn segments_that_belong_together_and_are_torn_apart_speak_against_a_pose() {
    judged(|judge| {
        let none = vec![false; judge.observation.segments.len()];
        let whole = judge.assigned(&Pose::identity(), &none);
        let half: Vec<u32> = whole.iter().copied().step_by(2).collect();
        assert!(whole.len() > 20 && judge.affinity(&half) < judge.affinity(&whole));
        assert!(judge.affinity(&whole) <= 0.0 && judge.affinity(&half) < -1.0);
    });
}

#[test]
fn alignments_with_segments_lead_towards_the_part() {
    judged(|judge| {
        let none = vec![false; judge.observation.segments.len()];
        let mut random = Random::new(7, 0);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for trial in 0..60 {
            let mut unit = || Vector::new(random.normal(), random.normal(), random.normal()).normalize();
            let centre = judge.model.centre();
            let turn = Pose::new(Vector::zeros(), unit() * 20.0_f64.to_radians());
            let about = Pose::translation(centre.x, centre.y, centre.z);
            let shift = unit() * (0.1 * judge.model.diameter_mm);
            let start = Pose::translation(shift.x, shift.y, shift.z) * about * turn * about.inverse();
            let (value, improved) = single::improved(judge, &start, &none, trial);
            assert!(value >= single::value(judge, &start));
            before.push(judge.model.distance_mm(&start, &Pose::identity()));
            after.push(judge.model.distance_mm(&improved, &Pose::identity()));
        }
        let median = |all: &mut Vec<f64>| {
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let [before, after] = [median(&mut before), median(&mut after)];
        assert!(after < 0.5 * before, "{before} {after}");
    });
}

#[test]
fn two_stages_keep_what_the_first_found() {
    let (stepped, ring) = (stepped(), Surface::new(geometry::mesh::shapes::torus(18.0, 6.0, 64, 32)));
    let models = [("stepped", &stepped), ("ring", &ring)].map(|(name, own)| PartModel::new(name, own).unwrap());
    let known: Vec<Known<'_>> = models.iter().map(Known::new).collect();
    let (mut right, mut all) = (0, 0);
    for seed in 0..3 {
        let parameters = pile::Parameters::for_parts(4, 60.0, seed);
        let pile = pile::run(&[&stepped, &ring], &[0, 1, 0, 1], &parameters, &Progress::silent()).unwrap();
        let (scene, silent) = (scene(&pile), Progress::silent());
        let search = Search::new(&Cpu, &known, &scene, &silent).unwrap();
        let pool = search.pool(&[]).unwrap();
        let weights = Weights::default();
        let chosen = pool.anneal(&Weights { unexplained: 0.0, ..weights })[0].chosen.clone();
        let both = search.second_stage(&pool, &chosen, &weights).unwrap();
        for (first, kept) in chosen.iter().zip(&both.samples) {
            assert_eq!(pool.samples[*first].scene_from_part, kept.scene_from_part);
        }
        assert!(both.samples.len() >= chosen.len());
        // What was explained is not searched again.
        let explained: Vec<u32> = both.samples.iter().flat_map(|own| own.segments.iter().copied()).collect();
        let rest = search.pool(&explained).unwrap();
        assert!(rest.samples.iter().flat_map(|own| &own.segments).all(|segment| !explained.contains(segment)));
        let is_right = |placed: &pile::PlacedPart| {
            both.samples.iter().any(|own| {
                let model = &models[own.part];
                own.part == placed.part
                    && model.distance_mm(&own.scene_from_part, &placed.scene_from_part) < 0.1 * model.diameter_mm
            })
        };
        let visible = pile.parts.iter().filter(|own| own.visible_fraction > 0.6);
        all += visible.clone().count();
        right += visible.filter(|own| is_right(own)).count();
    }
    assert!(2 * right > all, "{right} of {all}");
}
