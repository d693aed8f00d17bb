//! Surface points against displaced surfaces.

use super::*;
use crate::main_alignment::ReferencePoint;
use geometry::mesh::shapes;
use geometry::{Vector, sampling};

fn point(name: &str, at: [f64; 3], direction: Direction) -> ReferencePoint {
    ReferencePoint::held_along(name.to_owned(), at.into(), direction)
}

/// A block whose upper side is 0.2 mm too high with a slope of 0.001 along x, scanned in another frame: its points show
/// exactly that, along the normal and along z alike; a side that was not scanned says so.
#[test]
fn deviations_at_points_are_those_of_the_surface() {
    let mesh = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0));
    let nominal = Surface::new(mesh.clone());
    let top = nominal.bounds().max.z;
    let centre = nominal.bounds().centre();
    let deviation = |p: &Point| 0.2 + 0.001 * (p.x - centre.x);
    let upper = sampling::by_area(&mesh, 200_000, 1).into_iter().map(|own| own.point).filter(|p| p.z > top - 1e-9);
    let pose = Pose::from_parts(
        Vector::new(3.0, -2.0, 1.0).into(),
        nalgebra::UnitQuaternion::from_scaled_axis(Vector::new(0.3, -0.2, 0.5)),
    );
    let scan: Vec<Point> = upper.map(|p| pose.inverse() * Point::new(p.x, p.y, p.z + deviation(&p))).collect();
    let at = |dx: f64, dy: f64| [centre.x + dx, centre.y + dy, top];
    let bottom = [centre.x, centre.y, nominal.bounds().min.z];
    let points = vec![
        point("P1", at(10.0, 5.0), Direction::Normal),
        point("P2", at(-12.0, 0.0), Direction::Z),
        point("below", bottom, Direction::Normal),
        point("along", at(0.0, 0.0), Direction::X),
        point("off", [centre.x, centre.y, top + 5.0], Direction::Normal),
    ];
    let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.205 };
    let parameters = Parameters { at: ReferencePoints { points, radius_mm: 2.0 }, tolerance };
    let found = run(&nominal, &scan, &pose, &parameters, &Progress::silent()).unwrap();
    let mm = |k: usize| found.points[k].measured.as_ref().unwrap().0;
    assert!((mm(0) - 0.21).abs() < 1e-9 && (mm(1) - 0.188).abs() < 1e-9, "{:?}", found.points);
    let says = |k: usize| found.points[k].measured.as_ref().unwrap_err().clone();
    assert!(says(2).contains("was not measured"), "{}", says(2));
    assert!(says(3).contains("cannot be held along x"), "{}", says(3));
    assert!(says(4).contains("from the nominal"), "{}", says(4));
    assert_eq!((found.in_tolerance(), found.verdict()), (1, Some(Verdict::Fail)));
    let csv = found.csv();
    assert_eq!(csv.lines().count(), 6);
    assert!(csv.contains(",fail\n") && csv.contains(",pass\n") && csv.contains(",not measured\n"), "{csv}");
    // Without those that fail or cannot be measured it passes; what was not measured never does.
    let only = |which: &[usize]| {
        let own = which.iter().map(|&k| parameters.at.points[k].clone()).collect();
        let parameters = Parameters { at: ReferencePoints { points: own, radius_mm: 2.0 }, tolerance };
        run(&nominal, &scan, &pose, &parameters, &Progress::silent()).unwrap().verdict()
    };
    assert_eq!(only(&[1]), Some(Verdict::Pass));
    assert_eq!(only(&[1, 2]), Some(Verdict::Incomplete));
    assert_eq!(only(&[]), None);
}

#[test]
fn added_points_get_free_names_and_two_of_one_name_are_refused() {
    let mut parameters = Parameters::default();
    parameters.at.add('P', &Point::new(1.000_26, 2.0, 3.0));
    parameters.at.add('P', &Point::origin());
    parameters.at.points.remove(0);
    parameters.at.add('P', &Point::new(1.000_26, 2.0, 3.0));
    let names: Vec<&str> = parameters.at.points.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["P2", "P1"]);
    assert_eq!(parameters.at.points[1].point, Point::new(1.0, 2.0, 3.0));
    parameters.check().unwrap();
    parameters.at.points[0].name = "P1".to_owned();
    assert!(parameters.check().unwrap_err().sentence.contains("called “P1”"));
    parameters.at.points[0].name = "P3".to_owned();
    parameters.at.points[0].hold(Direction::X, true);
    assert!(parameters.check().unwrap_err().sentence.contains("“P3” is measured along one direction"));
}

/// Noise that moves all points about a surface point alike shows at other places of the face only.
#[test]
fn uncertainty_covers_the_error_whether_noise_is_correlated_or_not() {
    for (length_mm, at_most_mm) in [(0.0, 0.008), (3.0, 0.03), (10.0, 0.04)] {
        let found = trials::coverage(length_mm, 0.8, 3).unwrap();
        assert!(10 * found.covered >= 8 * found.points, "{length_mm}: {found:?}");
        assert!(found.mean_mm < at_most_mm && found.wrong <= 1, "{length_mm}: {found:?}");
    }
}

#[test]
fn a_point_without_enough_of_the_scan_about_it_is_in_doubt() {
    let nominal = Surface::new(shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0)));
    let around = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let scan: Vec<Point> = around.map(|(x, y)| Point::new(20.0 + x, 15.0 + y, 10.01)).into();
    let at = ReferencePoints { points: vec![point("P1", [20.0, 15.0, 10.0], Direction::Normal)], radius_mm: 2.0 };
    let parameters = Parameters { at, tolerance: Tolerance::default() };
    let found = run(&nominal, &scan, &Pose::identity(), &parameters, &Progress::silent()).unwrap();
    assert_eq!((found.points[0].uncertainty_mm, found.verdict()), (None, Some(Verdict::Incomplete)));
    assert_eq!(found.in_doubt(), 1);
    assert!(found.describe(&found.points[0]).ends_with("no uncertainty, in doubt"));
    assert!(found.csv().ends_with(",4,in doubt\n"), "{}", found.csv());
}
