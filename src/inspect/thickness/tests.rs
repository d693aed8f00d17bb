use super::*;
use compute::cpu::Cpu;
use geometry::mesh::shapes;

fn map(mesh: Mesh, parameters: &Parameters) -> ThicknessMap {
    run(&Cpu, &Surface::new(mesh), parameters, &Progress::silent()).unwrap()
}

/// A block with a slot of `gap` mm, whose floor is `floor` mm thick.
fn channel(gap: f64, floor: f64) -> Mesh {
    let (height, wall, length) = (20.0, 8.0, 40.0);
    let profile = [
        [0.0, 0.0],
        [2.0 * wall + gap, 0.0],
        [2.0 * wall + gap, height],
        [wall + gap, height],
        [wall + gap, floor],
        [wall, floor],
        [wall, height],
        [0.0, height],
    ];
    let count = profile.len() as u32;
    let at = |z: f64| profile.iter().map(move |[x, y]| Point::new(*x, *y, z));
    let vertices = at(0.0).chain(at(length)).collect();
    let caps = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
    let mut facets: Vec<[u32; 3]> = caps.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    facets.extend(caps.iter().map(|cap| cap.map(|corner| corner + count)));
    for from in 0..count {
        let to = (from + 1) % count;
        facets.extend([[from, to, to + count], [from, to + count, from + count]]);
    }
    Mesh { vertices, facets, ..Mesh::default() }
}

#[test]
fn the_floor_of_a_channel_is_its_thinnest_wall_and_its_slot_its_gap() {
    let part = channel(5.0, 3.0);
    let parameters = Parameters { min_mm: 4.0, max_mm: 7.9, spacing_mm: Some(1.0), ..Parameters::default() };
    let walls = map(part.clone(), &parameters);
    assert!(walls.notes.is_empty(), "{:?}", walls.notes);
    let own = walls.statistics;
    assert!((own.min_mm - 3.0).abs() < 1e-9 && (own.median_mm - 3.0).abs() < 1e-9, "{own:?}");
    // The floor of the slot and what lies below it; around its edges the walls beside count for one or the other.
    assert!(own.thin_mm2 >= 2.0 * 5.0 * 40.0 - 1e-6 && own.thin_mm2 < 2.0 * 8.0 * 40.0, "{own:?}");
    assert!((own.area_mm2 - part.area_mm2()).abs() < 1e-6 * own.area_mm2);
    assert!(walls.spots.is_empty(), "{:?}", walls.spots);
    let all = map(part.clone(), &Parameters { max_mm: 50.0, spacing_mm: Some(1.0), ..Parameters::default() });
    let spot = all.spots[0];
    assert!((spot.thickness_mm - 3.0).abs() < 1e-9 && (7.0..14.0).contains(&spot.at.x), "{spot:?}");
    for method in [Method::Ball, Method::Ray] {
        let gaps = map(part.clone(), &Parameters { between: Between::Air, method, ..parameters });
        let own = gaps.statistics;
        assert!((own.min_mm - 5.0).abs() < 1e-9 && (own.max_mm - 5.0).abs() < 1e-9, "{own:?}");
        assert!((own.measured_mm2 - 2.0 * 17.0 * 40.0).abs() < 1e-6, "{own:?}");
    }
}

/// Bodies that overlap, or touch face to face, are one wall: two plates of 2 mm on each other are 4 mm thick.
#[test]
fn bodies_inside_and_on_each_other_are_one_wall() {
    for lower_mm in [2.0, 2.5] {
        let mut both = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, lower_mm));
        both.append(&shapes::cuboid(Point::new(0.0, 0.0, 2.0), Point::new(30.0, 20.0, 4.0)));
        for method in [Method::Ball, Method::Ray] {
            let parameters =
                Parameters { method, max_mm: 8.0, spacing_mm: Some(1.0), min_mm: 3.0, ..Parameters::default() };
            let own = map(both.clone(), &parameters);
            assert!(
                (own.statistics.min_mm - 4.0).abs() < 1e-6 && own.statistics.max_mm < 4.0 + 1e-6,
                "{:?}",
                own.statistics
            );
            assert_eq!(own.verdict(), Some(Verdict::Pass), "{:?}", own.notes);
        }
    }
}

/// A floor of 3 mm: judged by a limit below and above it, not without one, and open where the part is.
#[test]
fn a_limit_gives_a_verdict_and_none_says_so() {
    let by =
        |mesh: Mesh, min_mm: f64| map(mesh, &Parameters { min_mm, spacing_mm: Some(2.0), ..Parameters::default() });
    let part = channel(5.0, 3.0);
    let [thin, good, none] = [3.5, 2.5, 0.0].map(|min_mm| by(part.clone(), min_mm));
    assert_eq!(thin.verdict(), Some(Verdict::Fail));
    assert_eq!(good.verdict(), Some(Verdict::Pass));
    assert!(good.covered().starts_with("on ") && good.covered().ends_with(" % of the surface"));
    assert_eq!(none.verdict(), None);
    assert!(none.sentences().contains(&NO_LIMITS.to_owned()));
    assert!(!good.sentences().contains(&NO_LIMITS.to_owned()));
    // One facet less: the part is not closed, and a pass would say more than is known.
    let mut open = part;
    open.facets.pop();
    assert_eq!(by(open, 2.5).verdict(), Some(Verdict::Incomplete));
}

/// Walls of 8 mm and a floor of 3 mm, looked for up to 9 mm: judged by an upper limit between them, above them, and with a
/// lower one.
#[test]
fn walls_are_too_thick_beyond_an_upper_limit() {
    let by = |min_mm: f64, limit_mm: Option<f64>| {
        let parameters = Parameters {
            min_mm,
            max_thickness_mm: limit_mm,
            max_mm: 9.0,
            method: Method::Ray,
            spacing_mm: Some(1.0),
            ..Parameters::default()
        };
        map(channel(5.0, 3.0), &parameters)
    };
    let thick = by(0.0, Some(5.0));
    let own = thick.statistics;
    assert!((own.max_mm - 8.0).abs() < 1e-9, "{own:?}");
    // Both sides of both walls above the floor, 2720 mm², but for facets across its height; what is at the floor is thinner, or not measured.
    assert!((2500.0..2950.0).contains(&own.thick_mm2) && own.thick_mm2 < own.measured_mm2, "{own:?}");
    let spot = thick.thickest.unwrap();
    assert!((spot.thickness_mm - 8.0).abs() < 1e-9 && spot.at.y > 3.0, "{spot:?}");
    assert_eq!((thick.verdict(), thick.least_verdict()), (Some(Verdict::Fail), None));
    assert!(thick.sentences().iter().any(|own| own.ends_with("it is more than 5 mm.")), "{:?}", thick.sentences());
    // The ends of the walls have no opposite side near enough.
    assert!(thick.sentences().iter().any(|own| own.contains("not judged whether it is too thick")));
    let good = by(2.5, Some(8.5));
    assert_eq!((good.verdict(), good.statistics.thick_mm2), (Some(Verdict::Pass), 0.0));
    let both = by(3.5, Some(8.5));
    assert_eq!(both.verdict(), Some(Verdict::Fail));
    assert_eq!((both.least_verdict(), both.greatest_verdict()), (Some(Verdict::Fail), Some(Verdict::Pass)));
    assert_eq!(by(0.0, None).statistics.thick_mm2, 0.0);
}

/// Gaps are on a quarter of the surface: more than required, and less.
#[test]
fn too_little_coverage_is_incomplete_and_what_is_out_still_fails() {
    let by = |min_mm: f64, min_coverage: f64| {
        let spacing_mm = Some(2.0);
        map(
            channel(5.0, 3.0),
            &Parameters { between: Between::Air, min_mm, min_coverage, spacing_mm, ..Parameters::default() },
        )
    };
    let coverage = by(4.0, 0.0).coverage();
    assert!((0.05..0.9).contains(&coverage), "{coverage}");
    assert_eq!(by(4.0, coverage).verdict(), Some(Verdict::Pass));
    let little = by(4.0, coverage + 0.01);
    assert_eq!(little.verdict(), Some(Verdict::Incomplete));
    assert!(little.sentences().iter().any(|own| own.starts_with("Only ") && own.ends_with(" are required.")));
    assert_eq!(by(6.0, 1.0).verdict(), Some(Verdict::Fail));
    // Without limits nothing is judged, so nothing is required.
    let none = by(0.0, 1.0);
    assert_eq!((none.verdict(), none.sentences().len()), (None, 2));
}

#[test]
fn parameters_of_older_files_have_no_upper_limit() {
    let old = r#"{"between":"material","method":"ball","max_mm":10.0,"min_mm":1.0,"spacing_mm":null}"#;
    let read: Parameters = serde_json::from_str(old).unwrap();
    assert_eq!(read, Parameters { min_mm: 1.0, ..Parameters::default() });
    assert_eq!(serde_json::to_string(&read).unwrap(), old);
}

#[test]
fn maps_have_about_as_many_facets_as_they_should() {
    let mut needles = shapes::torus(40.0, 10.0, 400, 6);
    needles.append(&shapes::cuboid(Point::new(-300.0, -1.0, 20.0), Point::new(300.0, 1.0, 21.0)));
    for mesh in [needles, channel(5.0, 3.0), shapes::sphere(30.0, 4)] {
        let facets = map(mesh, &Parameters::default()).mesh.facets.len() as f64;
        assert!((0.3..3.0).contains(&(facets / FACETS)), "{facets}");
    }
}

#[test]
fn what_cannot_be_measured_is_said() {
    let solid = shapes::cuboid(Point::origin(), Point::new(50.0, 50.0, 50.0));
    let small = map(solid.clone(), &Parameters { spacing_mm: Some(5.0), ..Parameters::default() });
    assert_eq!((small.statistics.measured_mm2, small.spots.len()), (0.0, 0));
    assert!(small.notes[0].contains("within 10 mm"), "{:?}", small.notes);
    let mut open = solid.clone();
    open.facets.pop();
    assert!(map(open, &Parameters { max_mm: 60.0, ..Parameters::default() }).notes[0].contains("not closed"));
    let surface = Surface::new(solid);
    for (parameters, said) in [
        (Parameters { max_mm: f64::NAN, ..Parameters::default() }, "positive"),
        (Parameters { min_mm: 10.0, ..Parameters::default() }, "least thickness"),
        (Parameters { max_thickness_mm: Some(10.0), ..Parameters::default() }, "greatest thickness allowed"),
        (Parameters { min_mm: 2.0, max_thickness_mm: Some(2.0), ..Parameters::default() }, "more than 2 mm"),
        (Parameters { min_coverage: 1.1, ..Parameters::default() }, "coverage"),
        (Parameters { spacing_mm: Some(0.0), ..Parameters::default() }, "spacing"),
        (Parameters { spacing_mm: Some(1e-3), ..Parameters::default() }, "too many facets"),
    ] {
        let error = run(&Cpu, &surface, &parameters, &Progress::silent()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}
