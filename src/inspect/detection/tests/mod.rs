mod judging;
mod rounds;
mod twins;

use super::*;
use crate::simulation::pile;
use compute::cpu::Cpu;
use geometry::mesh::shapes;
use geometry::{Point, Surface, Vector};

/// A block with a step and a boss: no symmetry.
pub(super) fn stepped() -> Surface {
    let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 10.0));
    mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 9.0), Point::new(20.0, 30.0, 25.0)));
    mesh.append(&shapes::cuboid(Point::new(40.0, 4.0, 9.0), Point::new(52.0, 12.0, 20.0)));
    Surface::new(mesh)
}

fn ring() -> Surface {
    Surface::new(shapes::torus(18.0, 6.0, 64, 32))
}

fn find(models: &[PartModel<'_>], cloud: &Cloud) -> Found {
    run(&Cpu, models, cloud, &Parameters::default(), &Known::default(), &Progress::silent()).unwrap()
}

#[test]
fn parts_of_a_pile_are_found_where_they_are_and_others_are_not() {
    let (stepped, ring) = (stepped(), ring());
    let rod = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(80.0, 9.0, 9.0)));
    let models = [("stepped", &stepped), ("ring", &ring), ("rod", &rod)]
        .map(|(name, surface)| PartModel::new(name, surface).unwrap());
    let (mut wrong, mut all, mut ring_count) = (Vec::new(), 0, 0);
    let seeds = crate::test_sizes::draws(3, 6);
    for seed in 0..seeds {
        let parameters = pile::Parameters::for_parts(5, 60.0, seed);
        let truth = pile::run(&[&stepped, &ring], &[0, 1, 0, 1, 0], &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        let is_at = |placed: &pile::PlacedPart, own: &Detection| {
            // Where only one side is seen, a part may lie another way, and that is said.
            let model = &models[own.part];
            let is_right = |pose: &Pose| model.distance_mm(&placed.scene_from_part, pose) < 0.02 * model.diameter_mm;
            placed.part == own.part
                && (is_right(&own.scene_from_part)
                    || own.others.iter().any(|other| other.part == own.part && is_right(&other.scene_from_part)))
        };
        for placed in truth.parts.iter().filter(|placed| placed.visible_fraction > 0.6) {
            assert!(found.detections.iter().any(|own| is_at(placed, own)), "{seed}: {placed:?}");
        }
        let is_wrong = |own: &&Detection| !truth.parts.iter().any(|placed| is_at(placed, own));
        wrong.extend(found.detections.iter().filter(is_wrong).map(|own| (seed, own.part, own.terms)));
        all += found.detections.len();
        assert!(found.detections.iter().all(|own| own.part != 2), "{seed}: a rod");
        // The rod is not there, which is said with the best that was seen of it.
        let rod = found.rejected.iter().find(|own| own.part == 2);
        assert!(rod.is_none_or(|own| own.doubt.is_some()));
        assert!(found.explained > 0.05 && found.rounds >= 2);
        // The symmetry of a ring is open, and said.
        let rings = found.detections.iter().filter(|own| own.part == 1);
        assert!(rings.clone().all(|own| !own.fit.information.open.is_empty()));
        ring_count += rings.count();
    }
    assert!(wrong.is_empty() && ring_count > seeds as usize, "of {all}, {ring_count} rings: {wrong:?}");
}

#[test]
fn in_a_bin_parts_are_found_and_its_floor_and_walls_are_none() {
    let (stepped, ring) = (stepped(), ring());
    // An angle that a wall and the floor look like.
    let mut angle = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 2.0));
    angle.append(&shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 2.0, 25.0)));
    let angle = Surface::new(angle);
    let models = [("stepped", &stepped), ("ring", &ring), ("angle", &angle)]
        .map(|(name, surface)| PartModel::new(name, surface).unwrap());
    let (mut right, mut seen) = (0, 0);
    for seed in 0..crate::test_sizes::draws(3, 5) {
        let parameters = pile::Parameters::in_bin(5, 60.0, 75.0, seed);
        let truth = pile::run(&[&stepped, &ring], &[0, 1, 0, 1, 0], &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        for own in &found.detections {
            let model = &models[own.part];
            let is_near = |placed: &&pile::PlacedPart| {
                placed.part == own.part
                    && model.distance_mm(&placed.scene_from_part, &own.scene_from_part) < 0.1 * model.diameter_mm
            };
            let placed = truth.parts.iter().find(is_near);
            assert!(placed.is_some(), "{seed}: {} {:?}", model.name, own.terms);
            right += usize::from(placed.is_some_and(|placed| placed.visible_fraction > 0.6));
        }
        seen += truth.parts.iter().filter(|placed| placed.visible_fraction > 0.6).count();
    }
    assert!(seen > 6 && right as f64 > 0.8 * seen as f64, "{right} of {seen}");
}

#[test]
fn a_plate_flat_on_the_floor_is_found_by_its_outline_and_told_from_a_thicker_one() {
    let plate = |high: f64| {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(80.0, 30.0, high));
        mesh.append(&shapes::cuboid(Point::new(0.0, 29.0, 0.0), Point::new(25.0, 55.0, high)));
        Surface::new(mesh)
    };
    let (thin, thick) = (plate(5.0), plate(9.0));
    let models = [("thin", &thin), ("thick", &thick)].map(|(name, surface)| PartModel::new(name, surface).unwrap());
    let parameters = pile::Parameters::for_parts(1, 97.0, 3);
    for (part, angle_rad) in [(0, 0.7), (1, -1.1), (0, 2.5)] {
        let pose = Pose::translation(12.0, -9.0, 0.0) * Pose::rotation(Vector::z() * angle_rad);
        let from = Vector::new(0.05, 0.02, 1.0).normalize();
        let truth = pile::scan(&[&thin, &thick], &[(part, pose)], &from, &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        let names: Vec<&str> = found.detections.iter().map(|own| models[own.part].name.as_str()).collect();
        assert_eq!(names, [models[part].name.as_str()]);
        let apart_mm = models[part].distance_mm(&pose, &found.detections[0].scene_from_part);
        assert!(apart_mm < 1.0, "{apart_mm}");
        // The other would be in the floor or above it.
        let other = found.rejected.iter().find(|own| own.part != part);
        assert!(other.is_none_or(|own| own.doubt.is_some()));
    }
}

#[test]
fn a_plate_that_is_partly_covered_is_found_where_its_outline_is_seen() {
    let plate = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(120.0, 30.0, 5.0)));
    let block = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(50.0, 60.0, 25.0)));
    let models = [PartModel::new("plate", &plate).unwrap()];
    let parameters = pile::Parameters::for_parts(2, 120.0, 3);
    let from = Vector::new(0.05, 0.02, 1.0).normalize();
    let on = |x: f64| (1, Pose::translation(x, -15.0, 5.0));
    let at_one_end = [(0, Pose::identity()), on(-10.0)];
    let at_both_ends = [(0, Pose::identity()), on(-15.0), on(85.0)];
    for placed in [at_one_end.as_slice(), &at_both_ends] {
        let truth = pile::scan(&[&plate, &block], placed, &from, &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        if placed.len() == 2 {
            let [own] = found.detections.as_slice() else { panic!("{}", found.detections.len()) };
            assert!(models[0].distance_mm(&Pose::identity(), &own.scene_from_part) < 1.0);
        } else {
            // It could lie some way along itself.
            assert!(found.detections.is_empty());
            let doubt = found.rejected[0].doubt.as_ref().unwrap();
            assert!(doubt.is_open && doubt.sentence.contains("one plane"), "{doubt:?}");
        }
    }
}

#[test]
fn the_same_scene_gives_the_same_parts_each_time() {
    let stepped = stepped();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    let parameters = pile::Parameters::for_parts(3, 60.0, 9);
    let truth = pile::run(&[&stepped], &[0, 0, 0], &parameters, &Progress::silent()).unwrap();
    let (one, two) = (find(&models, &truth.cloud), find(&models, &truth.cloud));
    let poses = |found: &Found| found.detections.iter().map(|own| own.scene_from_part).collect::<Vec<_>>();
    assert!(!poses(&one).is_empty() && poses(&one) == poses(&two));
    let single = Parameters { max_of_each: Some(1), ..Parameters::default() };
    let found = run(&Cpu, &models, &truth.cloud, &single, &Known::default(), &Progress::silent()).unwrap();
    assert_eq!(found.detections.len(), 1);
}

#[test]
fn each_part_has_a_scan_of_its_own_with_its_dents_and_without_its_neighbours() {
    let stepped = stepped();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    let parameters = pile::Parameters::for_parts(4, 60.0, 9);
    let truth = pile::run(&[&stepped], &[0, 0, 0, 0], &parameters, &Progress::silent()).unwrap();
    let mut cloud = truth.cloud.clone();
    // A bulge that is too high for its points to explain the part, in the middle of the step.
    let mut raised = Vec::new();
    for (number, placed) in truth.parts.iter().enumerate() {
        for (index, point) in truth.cloud.points.iter().enumerate() {
            let own = placed.scene_from_part.inverse() * point;
            if (own.z - 25.0).abs() < 0.4 && (own.x - 10.0).hypot(own.y - 15.0) < 5.0 {
                cloud.points[index] += placed.scene_from_part.rotation * Vector::new(0.0, 0.0, 2.5);
                raised.push((number, index));
            }
        }
    }
    let found = find(&models, &cloud);
    let scans = part_scans(&Cpu, &[&stepped], &found.detections, &cloud, 0.0, &Progress::silent()).unwrap();
    assert!(scans.len() == found.detections.len() && scans.len() >= 2, "{}", scans.len());
    let mut kept = 0;
    for (own, scan) in found.detections.iter().zip(&scans) {
        let is_at = |placed: &&pile::PlacedPart| {
            models[0].distance_mm(&placed.scene_from_part, &own.scene_from_part) < 0.02 * models[0].diameter_mm
        };
        let number = truth.parts.iter().position(|placed| is_at(&placed)).unwrap();
        let bulge = raised.iter().filter(|(part, _)| *part == number).map(|(_, index)| cloud.points[*index]);
        for point in bulge {
            assert!(scan.points.contains(&point), "a bulge was cut away");
            kept += 1;
        }
        assert_eq!(scan.viewpoint, cloud.viewpoint);
        let off_mm = |placed: &pile::PlacedPart, point: &Point| {
            let hit = stepped.closest_point(&(placed.scene_from_part.inverse() * point), f64::INFINITY);
            hit.map_or(f64::INFINITY, |hit| hit.distance_mm)
        };
        let others = || truth.parts.iter().enumerate().filter(|(other, _)| *other != number);
        let of_other = |point: &&Point| {
            off_mm(&truth.parts[number], point) > 2.0 && others().any(|(_, placed)| off_mm(placed, point) < 0.2)
        };
        let strangers = scan.points.iter().filter(of_other).count();
        assert!(strangers * 50 < scan.points.len(), "{strangers} of {}", scan.points.len());
    }
    assert!(kept > 20, "{kept}");
}

#[test]
fn bad_scenes_and_parts_are_said() {
    let stepped = stepped();
    let model = PartModel::new("stepped", &stepped).unwrap();
    let models = [model];
    let error = |cloud: &Cloud| {
        run(&Cpu, &models, cloud, &Parameters::default(), &Known::default(), &Progress::silent()).unwrap_err()
    };
    assert!(error(&Cloud::default()).sentence.contains("at least 50"));
    let few = Cloud::from_points((0..20).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect());
    assert!(error(&few).sentence.contains("20 points"));
    let none = run(&Cpu, &[], &few, &Parameters::default(), &Known::default(), &Progress::silent());
    assert!(none.unwrap_err().sentence.contains("No part"));
    // One plane: nothing is found, and why is said if anything was considered.
    let plane: Vec<Point> = (0..10_000).map(|i| Point::new(f64::from(i % 100), f64::from(i / 100), 0.0)).collect();
    let sensor = Some(Point::new(50.0, 50.0, 400.0));
    let plane = Cloud { viewpoint: sensor, ..Cloud::from_points(plane) };
    let found = find(&models, &plane);
    assert!(found.detections.is_empty() && found.rejected.iter().all(|own| own.doubt.is_some()));
    // A scene in another unit, and one smaller than the part.
    let parameters = pile::Parameters::for_parts(2, 60.0, 4);
    let truth = pile::run(&[&stepped], &[0, 0], &parameters, &Progress::silent()).unwrap();
    for factor in [1000.0, 0.001] {
        let mut scaled = truth.cloud.clone();
        scaled.scale(factor);
        assert!(find(&models, &scaled).detections.is_empty(), "{factor}");
    }
    let cancelled = Progress::new(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)), |_, _| {});
    let stopped = run(&Cpu, &models, &truth.cloud, &Parameters::default(), &Known::default(), &cancelled);
    assert_eq!(stopped.unwrap_err().kind, base::ErrorKind::Cancelled);
}

#[test]
fn parts_are_found_again_where_they_were_without_a_search() {
    let (stepped, ring) = (stepped(), ring());
    let models = [("stepped", &stepped), ("ring", &ring)].map(|(name, own)| PartModel::new(name, own).unwrap());
    let parameters = pile::Parameters::for_parts(3, 60.0, 2);
    let truth = pile::run(&[&stepped, &ring], &[0, 1, 0], &parameters, &Progress::silent()).unwrap();
    let first = find(&models, &truth.cloud);
    assert!(first.detections.len() >= 2);
    // Poses a little off, as after a move, and one of a part that is gone.
    let away = Pose::translation(0.6, -0.4, 0.3);
    let mut last: Vec<Placed> = first.detections.iter().map(Detection::placed).collect();
    last.iter_mut().for_each(|own| own.scene_from_part = away * own.scene_from_part);
    last.push(Placed { part: 0, scene_from_part: Pose::translation(500.0, 0.0, 0.0) });
    let only = Parameters { max_rounds: 0, ..Parameters::default() };
    let again = run(&Cpu, &models, &truth.cloud, &only, &Known::last(last), &Progress::silent()).unwrap();
    assert_eq!((again.detections.len(), again.rounds), (first.detections.len(), 0));
    for own in &first.detections {
        let model = &models[own.part];
        let is_it = |other: &&Detection| {
            let apart = model.distance_mm(&own.scene_from_part, &other.scene_from_part);
            other.part == own.part && other.round == 0 && apart < 1e-3 * model.diameter_mm
        };
        assert!(again.detections.iter().any(|other| is_it(&other)), "{}", model.name);
    }
}

#[test]
fn nearly_equal_parts_are_told_apart_or_named() {
    // Two plates, one with a boss; and a third whose boss is beneath, where it is not seen.
    let plate = |boss: Option<f64>| {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 12.0));
        mesh.append(&shapes::cuboid(Point::new(10.0, 8.0, 11.0), Point::new(22.0, 30.0, 24.0)));
        if let Some(z) = boss {
            mesh.append(&shapes::cuboid(Point::new(40.0, 12.0, z), Point::new(48.0, 20.0, z + 6.0)));
        }
        Surface::new(mesh)
    };
    let surfaces = [plate(None), plate(Some(10.0)), plate(Some(-3.0))];
    let models = [0, 1, 2].map(|index| PartModel::new(&format!("plate {index}"), &surfaces[index]).unwrap());
    let mut parameters = pile::Parameters::for_parts(1, 75.0, 5);
    // Alone, standing as it is, on no floor.
    parameters.support = pile::Support::Unseen;
    for kind in 0..2 {
        let from = Vector::new(0.2, 0.1, 1.0).normalize();
        let all = surfaces.each_ref();
        let truth = pile::scan(&all, &[(kind, Pose::identity())], &from, &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &truth.cloud);
        let best = &found.detections[0];
        assert!(found.detections.len() == 1, "{}", found.detections.len());
        match kind {
            // Whether there is a boss beneath is not seen.
            0 => {
                assert!([0, 2].contains(&best.part) && best.others.iter().any(|own| own.part == 2 - best.part));
                let names = models.each_ref().map(|model| model.name.clone());
                let said = best.ambiguity(&names).unwrap();
                assert!(said.contains(&format!("“plate {}”", 2 - best.part)), "{said}");
            }
            _ => assert!(best.part == 1 && best.others.is_empty(), "{} {:?}", best.part, best.others),
        }
    }
}

#[test]
fn what_is_refused_is_not_found_again_and_what_is_accepted_is() {
    let stepped = stepped();
    let parameters = pile::Parameters::for_parts(2, stepped.bounds().diagonal(), 5);
    let truth = pile::run(&[&stepped], &[0, 0], &parameters, &Progress::silent()).unwrap();
    let models = [PartModel::new("stepped", &stepped).unwrap()];
    let search = |parameters: &Parameters, known: &Known| {
        run(&Cpu, &models, &truth.cloud, parameters, known, &Progress::silent()).unwrap()
    };
    let found = search(&Parameters::default(), &Known::default());
    assert!(found.detections.len() >= 2, "{}", found.detections.len());
    let refused = found.detections[0].placed();
    let limit_mm = 0.05 * models[0].diameter_mm;
    let without = search(&Parameters::default(), &Known { refused: vec![refused], ..Known::default() });
    let looks_like_it = |own: &Detection| models[0].is_within(&own.scene_from_part, &refused.scene_from_part, limit_mm);
    assert!(!without.detections.iter().chain(&without.possible).any(looks_like_it));
    // With a bar that nothing passes, the right poses are candidates; one that is accepted is found, with what was said
    // against it.
    let strict = Parameters { min_score: 1.0, ..Parameters::default() };
    let none = search(&strict, &Known::default());
    assert!(none.detections.is_empty() && none.possible.iter().any(looks_like_it), "{}", none.possible.len());
    let accepted = search(&strict, &Known { accepted: vec![refused], ..Known::default() });
    let [own] = accepted.detections.as_slice() else { panic!("{}", accepted.detections.len()) };
    assert!(own.is_accepted && own.doubt.is_some() && looks_like_it(own));
    assert!(!accepted.possible.iter().any(looks_like_it));
}
