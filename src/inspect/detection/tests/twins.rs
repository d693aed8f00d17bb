//! Parts that are absent while their twins lie there: mirrored, in another size, with one feature changed. None is found without
//! doubt, and true parts are found without.

use super::*;
use geometry::Mesh;

/// A channel with a notch at one end of one flange, which tells left from right.
fn channel() -> Mesh {
    let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(80.0, 36.0, 5.0));
    mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 4.0), Point::new(80.0, 5.0, 30.0)));
    mesh.append(&shapes::cuboid(Point::new(0.0, 31.0, 4.0), Point::new(80.0, 36.0, 18.0)));
    mesh.append(&shapes::cuboid(Point::new(0.0, 31.0, 17.0), Point::new(60.0, 36.0, 30.0)));
    mesh
}

fn mirrored(mesh: &Mesh) -> Mesh {
    let mut mirrored = mesh.clone();
    mirrored.vertices.iter_mut().for_each(|vertex| vertex.x = -vertex.x);
    mirrored.flip();
    mirrored
}

fn scaled(mesh: &Mesh, factor: f64) -> Mesh {
    let mut scaled = mesh.clone();
    scaled.scale(factor);
    scaled
}

/// What is found of a part in piles of another.
fn found_among(part: &Mesh, there: &Mesh, seeds: std::ops::Range<u64>) -> Vec<Detection> {
    let (part, there) = (Surface::new(part.clone()), Surface::new(there.clone()));
    let models = [PartModel::new("part", &part).unwrap()];
    let found = seeds.flat_map(|seed| {
        let parameters = pile::Parameters::for_parts(3, there.bounds().diagonal(), seed);
        let pile = pile::run(&[&there], &[0, 0, 0], &parameters, &Progress::silent()).unwrap();
        find(&models, &pile.cloud).detections
    });
    found.collect()
}

#[test]
fn parts_that_are_their_own_mirror_image_have_no_such_twin_and_others_do() {
    let count = |mesh: Mesh| {
        let surface = Surface::new(mesh);
        PartModel::new("part", &surface).unwrap().mirror_image.turns.len()
    };
    let cuboid = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 36.0, 10.0));
    let mut angle = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 4.0));
    angle.append(&shapes::cuboid(Point::new(0.0, 0.0, 3.0), Point::new(10.0, 30.0, 25.0)));
    let mut turned = angle.clone();
    let pose = Pose::new(Vector::new(40.0, 5.0, -6.0), Vector::new(0.3, -0.2, 0.9));
    turned.vertices.iter_mut().for_each(|vertex| *vertex = pose * *vertex);
    for (name, mesh) in
        [("cuboid", cuboid), ("ring", shapes::torus(18.0, 6.0, 64, 32)), ("angle", angle), ("turned", turned)]
    {
        assert_eq!(count(mesh), 0, "{name}");
    }
    assert!(count(channel()) > 0 && count(stepped().mesh().clone()) > 0);
}

#[test]
fn a_mirrored_part_is_not_found_without_doubt_and_the_true_one_is() {
    let channel = channel();
    let wrong = found_among(&mirrored(&channel), &channel, 0..2);
    let sure: Vec<(f64, Terms)> =
        wrong.iter().filter(|own| !own.is_in_doubt()).map(|own| (own.score, own.terms)).collect();
    // Of one, a single face is seen, which the part and its mirror image have in common.
    assert!(sure.len() <= 1, "{sure:?}");
    let right = found_among(&channel, &channel, 0..2);
    let in_doubt: Vec<String> = right.iter().filter_map(Detection::doubt_in_words).collect();
    assert!(right.len() >= 4 && 5 * in_doubt.len() <= 2 * right.len(), "{} {in_doubt:?}", right.len());
    let is_of_what_is_seen =
        |sentence: &String| sentence.contains("is not seen") || sentence.contains("is undetermined");
    assert!(in_doubt.iter().all(is_of_what_is_seen), "{in_doubt:?}");
}

#[test]
fn a_part_in_another_size_is_not_found_without_doubt() {
    let stepped = stepped().mesh().clone();
    for factor in [0.95, 1.06] {
        let found = found_among(&scaled(&stepped, factor), &stepped, 1..3);
        let sure: Vec<(f64, f64)> =
            found.iter().filter(|own| !own.is_in_doubt()).map(|own| (own.score, own.fit.rms_mm)).collect();
        assert!(sure.is_empty(), "{factor}: {sure:?}");
    }
}

#[test]
fn a_part_with_a_higher_step_is_not_found_without_doubt_and_where_it_does_not_fit_is_said() {
    let block = |high: f64| {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 30.0, 10.0));
        mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 9.0), Point::new(20.0, 30.0, high)));
        mesh.append(&shapes::cuboid(Point::new(40.0, 4.0, 9.0), Point::new(52.0, 12.0, 20.0)));
        Surface::new(mesh)
    };
    // The top of the highest lies about the part, and on none of it.
    let [low, high, higher] = [25.0, 25.8, 27.5].map(block);
    let models = [PartModel::new("block", &low).unwrap()];
    let mut parameters = pile::Parameters::for_parts(1, 75.0, 5);
    parameters.support = pile::Support::Unseen;
    let from = Vector::new(0.2, 0.1, 1.0).normalize();
    for (there, is_it) in [(&low, true), (&high, false), (&higher, false)] {
        let scan = pile::scan(&[there], &[(0, Pose::identity())], &from, &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &scan.cloud);
        // What is off by much is refused.
        let Some(own) = found.detections.first() else {
            assert!(!is_it, "{:?}", found.rejected.iter().map(Detection::doubt_in_words).collect::<Vec<_>>());
            continue;
        };
        let said = own.doubt_in_words();
        assert!(
            said.as_ref().is_none_or(|own| !is_it && own.contains("does not fit")) && said.is_none() == is_it,
            "{said:?}"
        );
    }
}

#[test]
fn a_hole_elsewhere_is_said() {
    // Of a plate with a window, one edge of it displaced by 5 %.
    let plate = |at: f64| {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(at, 50.0, 10.0));
        mesh.append(&shapes::cuboid(Point::new(at + 16.0, 0.0, 0.0), Point::new(80.0, 50.0, 10.0)));
        mesh.append(&shapes::cuboid(Point::new(at - 1.0, 0.0, 0.0), Point::new(at + 17.0, 18.0, 10.0)));
        mesh.append(&shapes::cuboid(Point::new(at - 1.0, 34.0, 0.0), Point::new(at + 17.0, 50.0, 10.0)));
        mesh.append(&shapes::cuboid(Point::new(0.0, 0.0, 9.0), Point::new(12.0, 50.0, 22.0)));
        Surface::new(mesh)
    };
    let [right, wrong] = [40.0, 44.0].map(plate);
    let models = [PartModel::new("plate", &right).unwrap()];
    let parameters = pile::Parameters::for_parts(1, 95.0, 5);
    let from = Vector::new(0.2, 0.1, 1.0).normalize();
    for (there, is_it) in [(&right, true), (&wrong, false)] {
        let scan = pile::scan(&[there], &[(0, Pose::identity())], &from, &parameters, &Progress::silent()).unwrap();
        let found = find(&models, &scan.cloud);
        let sure = found.detections.iter().filter(|own| !own.is_in_doubt()).count();
        assert_eq!(
            sure,
            usize::from(is_it),
            "{:?}",
            found.detections.iter().map(Detection::doubt_in_words).collect::<Vec<_>>()
        );
    }
}
