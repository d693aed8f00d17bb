use super::*;
use compute::cpu::Cpu;
use geometry::mesh::shapes;
use geometry::{Cloud, Mesh, Point, Surface, Vector, sampling};

fn nominal(mesh: Mesh) -> Nominal {
    Nominal::in_memory("part.stl", Surface::new(mesh))
}

/// Points evenly over `mesh`, moved outwards by a function of point and normal.
fn scan(mesh: &Mesh, count: usize, moved_mm: impl Fn(&Point, &Vector) -> f64) -> Actual {
    let samples = sampling::by_area(mesh, count, 7);
    let points = samples.iter().map(|own| {
        let normal = mesh.normal(own.facet as usize);
        own.point + normal * moved_mm(&own.point, &normal)
    });
    Actual::in_memory("scan.ply", Cloud::from_points(points.collect()))
}

fn at(axis: usize, at_mm: f64) -> Parameters {
    Parameters { placement: Placement::Axis { axis, at_mm }, ..Parameters::default() }
}

fn made(nominal: &Nominal, scan: Option<&Actual>, parameters: &Parameters) -> Section {
    run(&Cpu, nominal, scan.map(|own| (own, Pose::identity())), parameters, &Progress::silent()).unwrap()
}

#[test]
fn contours_of_the_nominal_are_exact() {
    let block = nominal(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0)));
    for (axis, length_mm) in [(0, 120.0), (1, 160.0), (2, 200.0)] {
        let section = made(&block, None, &at(axis, 7.3));
        assert!((section.statistics().length_mm - length_mm).abs() < 1e-9);
        assert!(!section.is_compared && section.verdict().is_none());
    }
    let oblique = Placement::PointNormal { point: Point::new(30.0, 20.0, 10.0), normal: Vector::new(1.0, 0.0, 1.0) };
    let section = made(&block, None, &Parameters { placement: oblique, ..Parameters::default() });
    // A rectangle 40 deep and as long as the diagonal of a square 20 wide.
    assert!((section.statistics().length_mm - (80.0 + 2.0 * 800.0_f64.sqrt())).abs() < 1e-9);
    let several = made(&block, None, &Parameters { count: 4, spacing_mm: 6.0, ..at(2, 1.0) });
    assert_eq!(several.planes.iter().map(|own| own.name.as_str()).collect::<Vec<_>>()[3], "Z = 19 mm");
    let beyond = made(&block, None, &Parameters { count: 4, spacing_mm: 6.0, ..at(2, 7.0) });
    assert_eq!((beyond.planes.len(), beyond.notes.len()), (3, 1));
}

#[test]
fn what_meets_nothing_says_where_the_part_is() {
    let block = nominal(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0)));
    let error = run(&Cpu, &block, None, &at(1, 55.0), &Progress::silent()).unwrap_err();
    assert!(error.sentence.contains("from Y = 0.000 mm to 40.000 mm"), "{error}");
    for wrong in [
        Parameters { count: 0, ..at(0, 1.0) },
        Parameters { count: 3, spacing_mm: 0.0, ..at(0, 1.0) },
        Parameters { max_distance_mm: f64::NAN, ..at(0, 1.0) },
        Parameters { half_width_mm: Some(-1.0), ..at(0, 1.0) },
        Parameters { min_coverage: 1.5, ..at(0, 1.0) },
    ] {
        assert!(run(&Cpu, &block, None, &wrong, &Progress::silent()).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_part_grown_everywhere_shows_that_in_every_piece() {
    let mesh = shapes::torus(40.0, 12.0, 400, 200);
    let (part, scan) = (nominal(mesh.clone()), scan(&mesh, 400_000, |_, _| 0.05));
    // Off the middle of the tube, where surface and plane are inclined.
    for (axis, at_mm) in [(2, 0.0), (2, 8.0), (0, 3.0), (1, 44.0)] {
        let section = made(&part, Some(&scan), &at(axis, at_mm));
        let own = section.statistics();
        assert!(own.coverage() > 0.99, "{axis} {at_mm}: {own:?}");
        assert_eq!(section.verdict(), Some(Verdict::Pass));
        for plane in &section.planes {
            for point in &plane.measured.points {
                // 0.05 mm along the normal of the surface is more in a plane that is inclined to it.
                let sine = match axis {
                    2 => (1.0 - (at_mm / 12.0_f64).powi(2)).sqrt(),
                    _ => 0.0,
                };
                if sine > 0.0 {
                    assert!((point.deviation_mm - 0.05 / sine).abs() < 2e-3, "{at_mm}: {point:?}");
                }
            }
        }
    }
}

#[test]
fn a_dent_is_found_where_it_is_and_fails_and_stray_points_do_not() {
    let mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0));
    let part = nominal(mesh.clone());
    let dent = |point: &Point, normal: &Vector| {
        if normal.x > 0.5 && (point.y - 12.0).abs() < 2.0 { -0.3 } else { 0.0 }
    };
    let section = made(&part, Some(&scan(&mesh, 200_000, dent)), &at(2, 10.0));
    assert_eq!(section.verdict(), Some(Verdict::Fail));
    let own = section.statistics();
    assert!((own.min_mm + 0.3).abs() < 1e-9 && own.max_mm.abs() < 1e-9, "{own:?}");
    let out: Vec<&Whisker> = section.whiskers().filter(|own| own.deviation_mm.is_some_and(|mm| mm < -0.1)).collect();
    let length_mm: f64 = out.iter().map(|own| own.length_mm()).sum();
    assert!((length_mm - 4.0).abs() < 1.0 && out.iter().all(|own| (own.at[0] - 60.0).abs() < 1e-9), "{length_mm}");
    // Whiskers are seen from above: X to the right, Y up.
    assert!(out.iter().all(|own| (own.at[1] - 12.0).abs() < 2.6 && own.normal[0] > 0.99));
    // One point of a hundred lies 0.5 mm off.
    let mut sound = scan(&mesh, 200_000, |_, _| 0.0);
    for (number, point) in sound.cloud.points.iter_mut().enumerate().filter(|(number, _)| number % 100 == 0) {
        point.x += if number % 200 == 0 { 0.5 } else { -0.5 };
    }
    let sound = Actual::in_memory("scan.ply", sound.cloud);
    assert_eq!(made(&part, Some(&sound), &at(2, 10.0)).verdict(), Some(Verdict::Pass));
}

/// An extra block: beyond the maximum distance nothing is judged, so nothing passes.
#[test]
fn extra_material_beyond_the_distance_passes_no_section() {
    let mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0));
    let part = nominal(mesh.clone());
    let block = |point: &Point, normal: &Vector| {
        if normal.x > 0.5 && (point.y - 20.0).abs() < 3.0 { 5.0 } else { 0.0 }
    };
    let section = made(&part, Some(&scan(&mesh, 200_000, block)), &at(2, 10.0));
    assert_eq!(section.verdict(), Some(Verdict::Incomplete));
    assert!(section.notes[0].contains("farther than 2 mm"), "{:?}", section.notes);
    let wider = Parameters { max_distance_mm: 8.0, ..at(2, 10.0) };
    assert_eq!(made(&part, Some(&scan(&mesh, 200_000, block)), &wider).verdict(), Some(Verdict::Fail));
    // Three stray points do not matter.
    let mut stray = scan(&mesh, 200_000, |_, _| 0.0).cloud;
    (0..3).for_each(|index| stray.points[index] = Point::new(70.0, 20.0, 10.0));
    assert_eq!(made(&part, Some(&Actual::in_memory("s.ply", stray)), &at(2, 10.0)).verdict(), Some(Verdict::Pass));
}

#[test]
fn thin_walls_keep_their_sides_and_what_was_not_seen_is_said() {
    // Half a millimetre thick, scanned on one side by a sensor above it: normals say which.
    let mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 0.5));
    let part = nominal(mesh.clone());
    let upper = |raised_mm: f64| {
        let samples = sampling::by_area(&mesh, 300_000, 3);
        let upper = samples.iter().filter(|own| mesh.normal(own.facet as usize).z > 0.5);
        Cloud::from_points(upper.map(|own| own.point + Vector::z() * raised_mm).collect())
    };
    let mut cloud = upper(0.08);
    cloud.normals = vec![[0.0, 0.0, 1.0]; cloud.points.len()];
    let section = made(&part, Some(&Actual::in_memory("scan.ply", cloud)), &at(0, 30.0));
    let own = section.statistics();
    assert!((own.mean_mm - 0.08).abs() < 1e-6, "{own:?}");
    assert!((own.coverage() - 40.0 / 81.0).abs() < 0.02, "{own:?}");
    assert!(crate::recipe::Product::covers(&section).unwrap().contains("of the contour"));
    let strict = Parameters { min_coverage: 0.9, ..at(0, 30.0) };
    let section = made(&part, Some(&Actual::in_memory("scan.ply", upper(0.0))), &strict);
    assert_eq!(section.verdict(), Some(Verdict::Incomplete));
}
