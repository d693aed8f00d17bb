use super::dimension::DimensionKind;
use super::measured::MeasuredPoint;
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

/// Along the centre circle of a torus every plane holds its axis, and cuts its tube across on both sides.
#[test]
fn planes_along_the_centre_circle_of_a_torus_cut_circles_of_its_tube() {
    let (ring_mm, tube_mm) = (40.0, 12.0);
    let torus = nominal(shapes::torus(ring_mm, tube_mm, 400, 200));
    let at = |i: u32| f64::from(i) / 36.0 * std::f64::consts::TAU;
    let points: Vec<Point> = (0..36).map(|i| Point::new(ring_mm * at(i).cos(), ring_mm * at(i).sin(), 0.0)).collect();
    let half = points[..19].to_vec();
    let of = |points: &[Point], is_closed, every_spacing, count| Parameters {
        placement: Placement::Curve { points: points.to_vec(), is_closed, every_spacing },
        count,
        spacing_mm: 10.0,
        ..Parameters::default()
    };
    // 251.3 mm around, so that 26 stations are 10 mm apart; half of that from one end to the other.
    for (parameters, planes) in
        [(of(&points, true, false, 25), 25), (of(&points, true, true, 1), 26), (of(&half, false, false, 13), 13)]
    {
        let section = made(&torus, None, &parameters);
        assert_eq!((section.planes.len(), section.notes.len()), (planes, 0));
        for plane in &section.planes {
            assert!((plane.plane.origin.coords.norm() - ring_mm).abs() < 2e-3, "{}", plane.name);
            let radial = Vector::new(plane.plane.origin.x, plane.plane.origin.y, 0.0).normalize();
            // At the ends of the half circle the parabola through three points is a little off.
            assert!(plane.plane.normal.dot(&radial).abs() < 2e-3 && plane.plane.normal.z.abs() < 1e-12);
            assert_eq!(plane.contours.len(), 2);
            for contour in &plane.contours {
                let circle = outline::circle(&contour.points).unwrap();
                let outline::Outline::Arc { radius_mm, .. } = circle else { panic!("{circle:?}") };
                assert!((radius_mm - tube_mm).abs() < 5e-3, "{}: {radius_mm}", plane.name);
                assert!(contour.points.iter().all(|own| outline::away(&circle, own).abs() < 5e-3), "{}", plane.name);
            }
        }
    }
    let around = made(&torus, None, &of(&points, true, true, 1));
    assert_eq!(around.planes[3].name, "30 mm along the curve");
    // What lies beside the part is left out and named; what is no curve is refused.
    let beyond = [Point::new(-90.0, 0.0, 0.0), Point::new(90.0, 0.0, 0.0)];
    let across = made(&torus, None, &of(&beyond, false, false, 19));
    assert_eq!(across.planes.len(), 11);
    assert!(across.notes[0].contains("8 planes, the first 0 mm along the curve, do not meet"), "{:?}", across.notes);
    for (wrong, says) in [
        (of(&beyond[..1], false, false, 5), "at least two points"),
        (of(&[beyond[0]; 3], true, false, 5), "at least three points"),
        (Parameters { spacing_mm: 0.0, ..of(&beyond, false, true, 1) }, "must be positive"),
        (Parameters { spacing_mm: 0.1, ..of(&beyond, false, true, 1) }, "1801 planes along a curve of 180.000 mm"),
        (of(&beyond, false, false, 1001), "number of planes"),
    ] {
        let error = run(&Cpu, &torus, None, &wrong, &Progress::silent()).unwrap_err();
        assert!(error.sentence.contains(says), "{error}");
    }
}

/// A block with a step, a bore and a slope, cut across: all dimensions are known exactly.
fn stepped() -> Contour {
    // Counter-clockwise, outside on the right: 60 by 20, from x = 35 on only 15 high, and a slope of 30° at its end.
    let slope = 5.0 / 30.0_f64.to_radians().tan();
    Contour::of_points(
        vec![[0.0, 0.0], [60.0, 0.0], [60.0, 10.0], [60.0 - slope, 15.0], [35.0, 15.0], [35.0, 20.0], [0.0, 20.0]],
        true,
    )
}

fn bore(centre: [f64; 2], radius_mm: f64, chords: usize) -> Contour {
    // Clockwise: the outside is within.
    let corner = |i: usize| {
        let angle = -std::f64::consts::TAU * i as f64 / chords as f64;
        [centre[0] + radius_mm * angle.cos(), centre[1] + radius_mm * angle.sin()]
    };
    Contour::of_points((0..chords).map(corner).collect(), true)
}

fn cut_of(contours: Vec<Contour>, points: Vec<MeasuredPoint>) -> PlaneSection {
    let plane = Placement::Axis { axis: 2, at_mm: 0.0 }.plane().unwrap();
    let measured = Measured { points, ..Measured::default() };
    PlaneSection { number: 0, plane, name: String::new(), contours, measured, whiskers: Vec::new() }
}

fn dimension(kind: DimensionKind, picks: &[[f64; 2]]) -> Dimension {
    Dimension { kind, plane: 0, picks: picks.to_vec(), tolerance: None, extent_mm: None }
}

#[test]
fn dimensions_of_the_nominal_are_exact() {
    let planes = [cut_of(vec![stepped(), bore([15.0, 10.0], 4.0, 90), bore([30.0, 8.0], 2.5, 48)], Vec::new())];
    let value = |kind, picks: &[[f64; 2]]| dimension(kind, picks).measure(&planes, false).nominal;
    let exact = |found: std::result::Result<f64, String>, wanted: f64| {
        let found = found.unwrap();
        assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
    };
    use DimensionKind::{Angle, Distance, Radius, Step};
    exact(value(Distance, &[[20.0, -0.2], [10.0, 20.1]]), 20.0);
    exact(value(Distance, &[[0.1, 8.0], [35.0, 17.0]]), 35.0);
    // Flush: the lower surface lies 5 mm under the upper one, and the other way round.
    exact(value(Step, &[[10.0, 20.0], [45.0, 15.0]]), -5.0);
    exact(value(Step, &[[45.0, 15.0], [10.0, 20.0]]), 5.0);
    // Where the slope meets the top, the material has 150°; where it meets the side, 120°.
    exact(value(Angle, &[[45.0, 15.0], [56.0, 12.5]]), 150.0);
    exact(value(Angle, &[[56.0, 12.5], [60.0, 4.0]]), 120.0);
    exact(value(Angle, &[[60.0, 4.0], [30.0, 0.0]]), 90.0);
    exact(value(Radius, &[[19.2, 10.0]]), 4.0);
    exact(value(Distance, &[[19.0, 10.0], [30.0, 10.6]]), 15.0_f64.hypot(2.0));
    exact(value(Distance, &[[30.0, 5.5], [30.0, 0.1]]), 8.0);
    // What cannot be measured says why.
    let why = |found: std::result::Result<f64, String>| found.unwrap_err();
    assert!(why(value(Distance, &[[20.0, 0.0], [0.0, 10.0]])).contains("not parallel: 90.0°"));
    assert!(why(value(Radius, &[[20.0, 0.0]])).contains("no arc"));
    assert!(why(value(Step, &[[20.0, 0.0], [19.0, 10.0]])).contains("straight lines"));
    let elsewhere = Dimension { plane: 3, ..dimension(Radius, &[[19.0, 10.0]]) };
    assert!(why(elsewhere.measure(&planes, false).nominal).contains("does not meet"));
    assert!(
        dimension(Radius, &[]).wrong().is_some() && dimension(Distance, &[[0.0, f64::NAN], [0.0; 2]]).wrong().is_some()
    );
}

/// Sides of a polygon are no chords of a circle, whatever circle they lie on; corners within chords of a cut mesh do not
/// make an arc smaller.
#[test]
fn polygons_are_no_arcs_and_cut_facets_do_not_shrink_one() {
    let planes = [cut_of(vec![bore([0.0, 0.0], 10.0, 8)], Vec::new())];
    let radius = dimension(DimensionKind::Radius, &[[10.0, 0.0]]).measure(&planes, false);
    assert!(radius.nominal.unwrap_err().contains("no arc"));
    let mut points = Vec::new();
    let arc = bore([0.0, 0.0], 10.0, 72);
    for segment in 0..72 {
        let [from, to] = arc.segment(segment);
        points.extend([from, [0, 1].map(|axis| 0.6 * from[axis] + 0.4 * to[axis])]);
    }
    let planes = [cut_of(vec![Contour::of_points(points, true)], Vec::new())];
    let radius = dimension(DimensionKind::Radius, &[[10.0, 0.0]]).measure(&planes, false).nominal.unwrap();
    assert!((radius - 10.0).abs() < 1e-9, "{radius}");
}

/// What a scan measures follows the part: moved sides, a wider bore, a leaning slope; noise and strays change it by little.
#[test]
fn measured_dimensions_follow_the_part() {
    let (outline, hole) = (stepped(), bore([15.0, 10.0], 4.0, 90));
    let mut noise = base::random::Random::new(3, 0);
    let mut points = Vec::new();
    for (number, contour) in [&outline, &hole].into_iter().enumerate() {
        let number = number as u32;
        for i in 0..6000 {
            let foot = contour.at(number, contour.length_mm() * (f64::from(i) + 0.5) / 6000.0);
            let [x, y] = foot.at;
            // The upper surface 0.05 mm higher, the step 0.02 mm lower, the bore 0.03 mm wider, the slope turned by 0.2°.
            let moved_mm = match (number, x, y) {
                (1, ..) => -0.03,
                (_, _, 20.0) => 0.05,
                (_, x, 15.0) if x > 35.0 => -0.02,
                (_, x, y) if y > 10.0 && y < 15.0 && x > 40.0 && x < 60.0 => {
                    0.2_f64.to_radians() * (x - 55.0) / 30.0_f64.to_radians().cos()
                }
                _ => 0.0,
            };
            let stray = if i % 97 == 0 { 0.4 } else { 0.0 };
            let deviation_mm = moved_mm + 0.01 * noise.normal() + stray;
            let at = [0, 1].map(|axis| foot.at[axis] + deviation_mm * foot.normal[axis]);
            points.push(MeasuredPoint { at, deviation_mm, contour: number, along_mm: foot.along_mm });
        }
    }
    let planes = [cut_of(vec![outline, hole], points)];
    use DimensionKind::{Angle, Distance, Radius, Step};
    let tolerance = Some(Tolerance { low_mm: -0.04, high_mm: 0.04 });
    for (own, wanted, within) in [
        (dimension(Distance, &[[20.0, 0.0], [10.0, 20.0]]), 20.05, 0.002),
        (dimension(Step, &[[10.0, 20.0], [45.0, 15.0]]), -5.07, 0.003),
        (dimension(Radius, &[[19.0, 10.0]]), 4.03, 0.002),
        (dimension(Angle, &[[45.0, 15.0], [56.0, 12.5]]), 150.2, 0.02),
        (dimension(Distance, &[[0.0, 8.0], [35.0, 17.0]]), 35.0, 0.003),
    ] {
        let own = Dimension { tolerance, ..own };
        let made = own.measure(&planes, true);
        let value = made.measured.clone().unwrap().unwrap();
        assert!((value - wanted).abs() < within, "{:?}: {value} instead of {wanted}", own.kind);
        let is_in = (wanted - made.nominal.clone().unwrap()).abs() < 0.04;
        assert_eq!(made.verdict(), Some(if is_in { Verdict::Pass } else { Verdict::Fail }), "{}", made.words());
    }
    // A side that was not measured has no dimension.
    let bare = [cut_of(vec![stepped()], Vec::new())];
    let made = Dimension { tolerance, ..dimension(Distance, &[[20.0, 0.0], [10.0, 20.0]]) }.measure(&bare, true);
    assert!(made.verdict() == Some(Verdict::Incomplete) && made.words().contains("only 0 points"), "{}", made.words());
}

/// Points along these contours, off them by noise of this standard deviation, mm.
fn noisy(contours: &[Contour], count: i32, sigma_mm: f64, noise: &mut base::random::Random) -> Vec<MeasuredPoint> {
    let mut points = Vec::new();
    for (number, contour) in (0..).zip(contours) {
        for i in 0..count {
            let foot = contour.at(number, contour.length_mm() * (f64::from(i) + 0.5) / f64::from(count));
            let deviation_mm = sigma_mm * noise.normal();
            let at = [0, 1].map(|axis| foot.at[axis] + deviation_mm * foot.normal[axis]);
            points.push(MeasuredPoint { at, deviation_mm, contour: number, along_mm: foot.along_mm });
        }
    }
    points
}

/// Standard deviations of dimensions over many scans of one contour are those that each scan states.
#[test]
fn stated_uncertainties_are_the_scatter_of_repeated_measurements() {
    use DimensionKind::{Angle, Distance, Radius, Step};
    let contours = vec![stepped(), bore([15.0, 10.0], 4.0, 90), bore([30.0, 8.0], 2.5, 48)];
    let dimensions = [
        dimension(Distance, &[[20.0, 0.0], [10.0, 20.0]]),
        dimension(Step, &[[10.0, 20.0], [45.0, 15.0]]),
        dimension(Angle, &[[45.0, 15.0], [56.0, 12.5]]),
        dimension(Radius, &[[19.0, 10.0]]),
        dimension(Distance, &[[19.0, 10.0], [30.0, 10.5]]),
        dimension(Distance, &[[20.0, 0.0], [19.0, 10.0]]),
    ];
    let mut noise = base::random::Random::new(11, 0);
    let runs = 40;
    let mut values = vec![Vec::new(); dimensions.len()];
    let mut stated = vec![0.0; dimensions.len()];
    for _ in 0..runs {
        let planes = [cut_of(contours.clone(), noisy(&contours, 1200, 0.02, &mut noise))];
        for (number, own) in dimensions.iter().enumerate() {
            let made = own.measure(&planes, true);
            values[number].push(made.measured.unwrap().unwrap());
            stated[number] += 0.5 * made.uncertainty.unwrap() / f64::from(runs);
        }
    }
    for (own, (values, stated)) in dimensions.iter().zip(values.iter().zip(stated)) {
        let mean = values.iter().sum::<f64>() / f64::from(runs);
        let observed = (values.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / f64::from(runs - 1)).sqrt();
        // Correlation that the points leave open is allowed for.
        assert!((0.75..3.0).contains(&(stated / observed)), "{:?}: {stated} stated, {observed} observed", own.kind);
    }
}

/// Within its uncertainty of a limit nothing is proven; waves that neighbouring points share make it larger.
#[test]
fn dimensions_near_a_limit_are_in_doubt_and_waves_count() {
    let contours = vec![stepped()];
    let points = noisy(&contours, 1200, 0.02, &mut base::random::Random::new(5, 0));
    let own = dimension(DimensionKind::Distance, &[[20.0, 0.0], [10.0, 20.0]]);
    let planes = [cut_of(contours.clone(), points.clone())];
    let made = own.measure(&planes, true);
    let (deviation, uncertainty) = (made.deviation().unwrap(), made.uncertainty.unwrap());
    assert!(made.verdict().is_none() && made.conformity().is_none() && uncertainty > 0.0);
    for (margin, verdict, words) in [
        (0.5 * uncertainty, Verdict::Incomplete, "undecided"),
        (-0.5 * uncertainty, Verdict::Incomplete, "undecided"),
        (1.5 * uncertainty, Verdict::Pass, "conforms"),
        (-1.5 * uncertainty, Verdict::Fail, "does not conform"),
    ] {
        let tolerance = Some(Tolerance { low_mm: deviation - 1.0, high_mm: deviation + margin });
        let made = Dimension { tolerance, ..own.clone() }.measure(&planes, true);
        assert!(made.verdict() == Some(verdict) && made.words().contains(words), "{margin}: {}", made.words());
    }
    let wave = |own: &MeasuredPoint| {
        let by_mm = 0.02 * (own.along_mm / 1.5).sin();
        MeasuredPoint { at: [own.at[0], own.at[1] + by_mm], ..*own }
    };
    let waves = [cut_of(contours, points.iter().map(wave).collect())];
    let wider = own.measure(&waves, true).uncertainty.unwrap();
    // As white noise, waves of that size would widen it by no more than a quarter.
    assert!(wider > 1.5 * uncertainty, "{wider} instead of {uncertainty}");
}

/// A plate of 20 by 10 with rounded edges, as a mesh has it: sides of so many segments, and edges of so many chords.
fn rounded(radius_mm: f64, segments: usize, chords: usize) -> Contour {
    let (w, h) = (20.0 - radius_mm, 10.0 - radius_mm);
    let centres = [[w, radius_mm], [w, h], [radius_mm, h], [radius_mm, radius_mm]];
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (number, centre) in centres.iter().enumerate() {
        let begin = std::f64::consts::FRAC_PI_2 * (number as f64 - 1.0);
        let corner = |i: usize| {
            let angle = begin + std::f64::consts::FRAC_PI_2 * i as f64 / chords as f64;
            [centre[0] + radius_mm * angle.cos(), centre[1] + radius_mm * angle.sin()]
        };
        if let Some(last) = points.last().copied() {
            let next = corner(0);
            points.extend(
                (1..segments)
                    .map(|i| [0, 1].map(|axis| last[axis] + (next[axis] - last[axis]) * i as f64 / segments as f64)),
            );
        }
        points.extend((0..=chords).map(corner));
    }
    Contour::of_points(points, true)
}

/// Sides between rounded edges are lines, whichever chord lies beside them, and every chord of an edge leads to its radius.
#[test]
fn sides_between_rounded_edges_are_lines_and_edges_are_arcs() {
    use DimensionKind::{Distance, Radius};
    for radius_mm in [0.5, 1.0, 3.0] {
        for (segments, chords) in [(1, 5), (2, 6), (1, 9), (2, 18), (3, 12)] {
            let contour = rounded(radius_mm, segments, chords);
            let planes = [cut_of(vec![contour], Vec::new())];
            let value = |kind, picks: &[[f64; 2]]| dimension(kind, picks).measure(&planes, false).nominal;
            let of = format!("R {radius_mm}, {segments} segments, {chords} chords");
            let height = value(Distance, &[[9.0, 0.0], [11.0, 10.0]]).unwrap_or_else(|why| panic!("{of}: {why}"));
            let width = value(Distance, &[[0.0, 5.0], [20.0, 5.2]]).unwrap_or_else(|why| panic!("{of}: {why}"));
            assert!((height - 10.0).abs() < 1e-9 && (width - 20.0).abs() < 1e-9, "{of}: {height}, {width}");
            for chord in 0..chords {
                let angle = std::f64::consts::FRAC_PI_2 * (chord as f64 + 0.5) / chords as f64;
                let at = [radius_mm - radius_mm * angle.cos(), radius_mm - radius_mm * angle.sin()];
                let found = value(Radius, &[at]).unwrap_or_else(|why| panic!("{of}, chord {chord}: {why}"));
                assert!((found - radius_mm).abs() < 1e-6, "{of}, chord {chord}: {found}");
            }
        }
    }
}

/// Measured angles open to the side to which those of the nominal do, however the lines meet by chance; lines of which a
/// piece was measured, and short arcs, have no dimension.
#[test]
fn nothing_is_measured_by_chance() {
    let frame = |tilt_rad: f64, of: [f64; 2]| {
        // A square of 20, the upper side turned about its middle.
        let square = Contour::of_points(vec![[0.0, 0.0], [20.0, 0.0], [20.0, 20.0], [0.0, 20.0]], true);
        let points = (0..4000).map(|i| {
            let foot = square.at(0, square.length_mm() * (f64::from(i) + 0.5) / 4000.0);
            let deviation_mm = if foot.at[1] == 20.0 { (foot.at[0] - 10.0) * tilt_rad } else { 0.0 };
            let at = [0, 1].map(|axis| foot.at[axis] + deviation_mm * foot.normal[axis]);
            MeasuredPoint { at, deviation_mm, contour: 0, along_mm: foot.along_mm }
        });
        let points = points.filter(|own| own.at[1] < 19.0 || (of[0]..of[1]).contains(&own.at[0])).collect();
        [cut_of(vec![square], points)]
    };
    let angle = dimension(DimensionKind::Angle, &[[10.0, 0.0], [10.0, 20.0]]);
    for tilt_deg in [-0.3_f64, 0.0, 0.3] {
        let made = angle.measure(&frame(tilt_deg.to_radians(), [0.0, 20.0]), true);
        let deviation = made.deviation().unwrap();
        assert!((deviation.abs() - tilt_deg.abs()).abs() < 1e-3, "{tilt_deg}: {}", made.words());
        if tilt_deg != 0.0 {
            let other = angle.measure(&frame(-tilt_deg.to_radians(), [0.0, 20.0]), true).deviation().unwrap();
            assert!((deviation + other).abs() < 1e-3, "both ways would be told alike");
        }
    }
    let height = dimension(DimensionKind::Distance, &[[10.0, 0.0], [10.0, 20.0]]);
    let piece = height.measure(&frame(0.0, [0.0, 6.0]), true);
    assert!(piece.measured.unwrap().unwrap_err().contains("30 % of one of its lines"));
    let twice = dimension(DimensionKind::Distance, &[[4.0, 0.0], [15.0, 0.1]]).measure(&frame(0.0, [0.0, 20.0]), true);
    assert!(twice.nominal.unwrap_err().contains("on one line"));
    let far = dimension(DimensionKind::Distance, &[[10.0, 5.0], [10.0, 20.0]]).measure(&frame(0.0, [0.0, 20.0]), true);
    assert!(far.nominal.unwrap_err().contains("no contour where it was picked"));
    // A bore of which 20° belong to the part.
    let arc = (0..=10).map(|i| (f64::from(i) * 2.0).to_radians()).map(|a| [50.0 * a.cos(), 50.0 * a.sin()]).collect();
    let arc = Contour::of_points(arc, false);
    let points = (0..500).map(|i| arc.at(0, arc.length_mm() * f64::from(i) / 500.0));
    let points = points.map(|own| MeasuredPoint { at: own.at, deviation_mm: 0.0, contour: 0, along_mm: own.along_mm });
    let planes = [cut_of(vec![arc.clone()], points.collect())];
    let made = dimension(DimensionKind::Radius, &[[50.0, 0.5]]).measure(&planes, true);
    assert!((made.nominal.unwrap() - 50.0).abs() < 1e-6);
    assert!(made.measured.unwrap().unwrap_err().contains("20° is too short"));
}
