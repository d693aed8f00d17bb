use super::*;
use crate::deviation::check::{self, Check, Compared};
use crate::deviation::{Method, OutlierLimit, Verdict};
use crate::parts::Actual;
use base::Progress;
use compute::cpu::Cpu;
use geometry::mesh::shapes;
use geometry::{Cloud, Mesh, Point, Pose, Subset, Surface, Vector};

/// Distance of scan points on a face, mm.
const PITCH_MM: f64 = 0.5;

/// A block of 30 x 20 x 10 mm.
fn block() -> Mesh {
    shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))
}

/// Its facets that face along `normal`.
fn facing(nominal: &Nominal, normal: Vector) -> Subset {
    let mesh = nominal.surface.mesh();
    Subset::new((0..mesh.facets.len() as u32).filter(|i| mesh.normal(*i as usize).dot(&normal) > 0.9).collect())
}

fn own(name: &str, facets: Subset, nominal: &Nominal, limit_mm: f64) -> FaceTolerance {
    let tolerance = Tolerance { low_mm: -limit_mm, high_mm: limit_mm };
    FaceTolerance { name: name.to_owned(), faces: Faces::of(facets, nominal), tolerance }
}

/// A scan of its top and its front, which lie this much outside of the nominal, and of its other sides but the bottom.
fn scan(top_mm: f64, front_mm: f64) -> Vec<Point> {
    let grid = |length_mm: f64, width_mm: f64| {
        let [columns, rows] = [length_mm, width_mm].map(|mm| (mm / PITCH_MM) as usize);
        (0..columns * rows).map(move |i| {
            let at = |index: usize| (index as f64 + 0.5) * PITCH_MM;
            (at(i % columns), at(i / columns))
        })
    };
    let top = grid(30.0, 20.0).map(|(x, y)| Point::new(x, y, 10.0 + top_mm));
    let front = grid(30.0, 10.0).map(|(x, z)| Point::new(x, -front_mm, z));
    let back = grid(30.0, 10.0).map(|(x, z)| Point::new(x, 20.0, z));
    let ends = grid(20.0, 10.0).flat_map(|(y, z)| [Point::new(0.0, y, z), Point::new(30.0, y, z)]);
    top.chain(front).chain(back).chain(ends).collect()
}

fn check_of(nominal: &Nominal, points: Vec<Point>, parameters: &Parameters) -> Check {
    let actual = Actual::in_memory("scan", Cloud::from_points(points));
    let compared = Compared { nominal, actual: &actual, is_found: false };
    check::run(&Cpu, &compared, &Pose::identity(), parameters, 0.3, &Progress::silent()).unwrap()
}

fn nominal() -> Nominal {
    Nominal::in_memory("block", Surface::new(block()))
}

/// With these tolerances; the bottom of the block is not scanned, so less than the default coverage is asked for.
fn with(own_tolerances: Vec<FaceTolerance>) -> Parameters {
    Parameters { own_tolerances, min_coverage: 0.2, ..Parameters::default() }
}

#[test]
fn a_face_is_judged_by_its_own_limits_by_every_method_of_points() {
    let nominal = nominal();
    let top = facing(&nominal, Vector::z());
    for method in [Method::Closest, Method::PointFacet] {
        let verdict = |limit_mm: Option<f64>| {
            let own = limit_mm.map(|limit_mm| own("Top", top.clone(), &nominal, limit_mm)).into_iter().collect();
            let check = check_of(&nominal, scan(0.15, 0.0), &Parameters { method, ..with(own) });
            (check.verdict(), check)
        };
        let (of_part, plain) = verdict(None);
        assert_eq!((of_part, plain.regions.len()), (Verdict::Fail, 1), "{method:?}: {:?}", plain.judgement);
        assert_eq!(plain.regions[0].own_tolerance, None);
        let (wide, passed) = verdict(Some(0.2));
        assert_eq!(wide, Verdict::Pass, "{method:?}: {:?}", passed.judgement);
        assert_eq!(passed.statistics.in_tolerance_fraction, 1.0);
        assert_eq!(passed.outliers.count, 0);
        let face = &passed.own_tolerances[0];
        assert_eq!((face.facets, face.regions, face.verdict), (2, 0, Verdict::Pass));
        assert_eq!(face.in_tolerance, 1.0);
        let [min_mm, max_mm] = face.range_mm.unwrap();
        assert!((min_mm - 0.15).abs() < 1e-3 && (max_mm - 0.15).abs() < 1e-3, "{method:?}: {face:?}");
        if method == Method::Closest {
            assert_eq!(face.points, 60 * 40);
        }
        let (narrow, failed) = verdict(Some(0.12));
        assert_eq!(narrow, Verdict::Fail, "{method:?}: {:?}", failed.judgement);
        assert_eq!(failed.regions[0].own_tolerance.as_deref(), Some("Top"));
        assert!((failed.regions[0].peak_mm - 0.15).abs() < 0.01, "{:?}", failed.regions);
        assert_eq!((failed.own_tolerances[0].regions, failed.own_tolerances[0].in_tolerance), (1, 0.0));
        let [own, of_part] = [&failed, &plain].map(|check| check.statistics.in_tolerance_fraction);
        assert!((own - of_part).abs() < 1e-12, "{own} {of_part}");
        assert!(failed.judgement.remarks.iter().any(|own| own.contains("“Top” has limits of its own, -0.120 mm")));
    }
}

#[test]
fn a_face_may_be_tighter_than_the_part_and_a_region_may_cross_faces_of_different_limits() {
    let nominal = nominal();
    let front = own("Front", facing(&nominal, -Vector::y()), &nominal, 0.05);
    let check = check_of(&nominal, scan(0.0, 0.08), &with(vec![front.clone()]));
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    assert_eq!((check.regions.len(), check.own_tolerances[0].regions), (1, 1));
    assert_eq!(check_of(&nominal, scan(0.0, 0.08), &with(Vec::new())).verdict(), Verdict::Pass);
    // One half of the top has limits that nothing exceeds by as much as what lies beside it exceeds those of the part.
    let halves = facing(&nominal, Vector::z());
    let half = own("Half", Subset::new(vec![halves[0]]), &nominal, 0.3);
    let check = check_of(&nominal, scan(0.4, 0.0), &with(vec![half]));
    assert_eq!(check.regions.len(), 1, "{:?}", check.regions);
    let region = &check.regions[0];
    assert_eq!((region.own_tolerance.as_deref(), check.own_tolerances[0].regions), (None, 1));
    assert!((region.area_mm2 / 600.0 - 1.0).abs() < 0.25 && (region.peak_mm - 0.4).abs() < 0.01, "{region:?}");
}

#[test]
fn the_last_own_tolerance_of_a_facet_holds() {
    let nominal = nominal();
    let top = facing(&nominal, Vector::z());
    let [wide, tight] = [("Wide", 0.3), ("Tight", 0.1)].map(|(name, mm)| own(name, top.clone(), &nominal, mm));
    let tight_last = check_of(&nominal, scan(0.15, 0.0), &with(vec![wide.clone(), tight.clone()]));
    assert_eq!(tight_last.verdict(), Verdict::Fail);
    assert_eq!((tight_last.own_tolerances[0].facets, tight_last.own_tolerances[1].facets), (0, 2));
    let wide_last = check_of(&nominal, scan(0.15, 0.0), &with(vec![tight, wide]));
    // What holds nowhere was judged nowhere.
    assert_eq!(wide_last.verdict(), Verdict::Incomplete, "{:?}", wide_last.judgement);
    assert!(wide_last.regions.is_empty());
    assert!(wide_last.judgement.reason.contains("“Tight” was not judged: later own tolerances"));
}

#[test]
fn an_unmeasured_face_is_not_judged_and_the_verdict_says_so() {
    let nominal = nominal();
    let bottom = own("Bottom", facing(&nominal, -Vector::z()), &nominal, 0.05);
    let check = check_of(&nominal, scan(0.0, 0.0), &with(vec![bottom]));
    assert_eq!(check.own_tolerances[0].range_mm, None);
    assert_eq!(check.own_tolerances[0].verdict, Verdict::Incomplete);
    assert_eq!(check.verdict(), Verdict::Incomplete);
    assert!(check.judgement.headline().ends_with("; 1 own tolerance was not judged"), "{:?}", check.judgement);
    assert!(
        check.judgement.reason.starts_with("“Bottom” was not judged: fewer than 8 points"),
        "{:?}",
        check.judgement
    );
    assert!(!check.judgement.remarks.contains(&check.judgement.reason));
}

#[test]
fn a_face_of_which_a_corner_was_measured_is_not_judged() {
    let nominal = nominal();
    let top = own("Top", facing(&nominal, Vector::z()), &nominal, 0.05);
    for method in [Method::Closest, Method::PointFacet] {
        // Of the top, 20 mm wide, what lies at 0 < y < `width_mm`.
        let judged = |width_mm: f64| {
            let is_kept = |own: &Point| own.z < 9.99 || own.y < width_mm;
            let points = scan(0.0, 0.0).into_iter().filter(is_kept).collect();
            let check = check_of(&nominal, points, &Parameters { method, ..with(vec![top.clone()]) });
            assert_eq!((check.regions.len(), check.own_tolerances[0].in_tolerance_fraction()), (0, Some(1.0)));
            check
        };
        let corner = judged(2.0);
        let face = &corner.own_tolerances[0];
        assert!(face.points > 100 && (face.coverage - 0.1).abs() < 0.05, "{method:?}: {face:?}");
        assert_eq!((face.verdict, corner.verdict()), (Verdict::Incomplete, Verdict::Incomplete));
        let reason = &corner.judgement.reason;
        assert!(reason.starts_with("“Top” was not judged: ") && reason.ends_with("; 20 % are required."), "{reason}");
        let half = judged(10.0);
        assert!((half.own_tolerances[0].coverage - 0.5).abs() < 0.05, "{method:?}: {:?}", half.own_tolerances);
        assert_eq!(half.verdict(), Verdict::Pass, "{method:?}: {:?}", half.judgement);
    }
}

#[test]
fn points_beyond_the_edge_of_a_face_do_not_fail_the_face_beside_it() {
    let nominal = nominal();
    let front = own("Front", facing(&nominal, -Vector::y()), &nominal, 0.05);
    // The top is out of tolerance as a whole; what lies in front of the block is closest to its front.
    let mut points = scan(0.2, 0.0);
    points.extend((0..6).map(|i| Point::new(14.0 + 0.5 * f64::from(i), -0.2, 9.9)));
    let check = check_of(&nominal, points, &with(vec![front]));
    assert_eq!((check.verdict(), check.regions.len()), (Verdict::Fail, 1), "{:?}", check.regions);
    let face = &check.own_tolerances[0];
    assert!((face.points as f64 * (1.0 - face.in_tolerance) - 6.0).abs() < 1e-9, "{face:?}");
    assert_eq!((face.regions, face.verdict), (0, Verdict::Pass), "{face:?}");
}

#[test]
fn points_of_a_flush_face_beside_it_do_not_count_as_measured() {
    let nominal = nominal();
    // A strip of 3 mm along the long side of the top, which the other facets of the top lie flush with.
    let rectangle = |ys: [f64; 2]| Mesh {
        vertices: ys.iter().flat_map(|&y| [Point::new(0.0, y, 10.0), Point::new(30.0, y, 10.0)]).collect(),
        facets: vec![[0, 1, 3], [0, 3, 2]],
        ..Mesh::default()
    };
    let mut mesh = block();
    let tops = facing(&nominal, Vector::z());
    mesh.facets = (0_u32..).zip(mesh.facets).filter(|(facet, _)| !tops.contains(*facet)).map(|(_, own)| own).collect();
    mesh.cad_faces.clear();
    let first = mesh.facets.len() as u32;
    mesh.append(&rectangle([0.0, 3.0]));
    mesh.append(&rectangle([3.0, 20.0]));
    let nominal = Nominal::in_memory("block", Surface::new(mesh));
    let strip = own("Strip", Subset::new(vec![first, first + 1]), &nominal, 0.05);
    for (bare_mm, expected) in [(3.0, 0.0), (1.0, 2.0 / 3.0)] {
        let is_kept = |own: &Point| own.z < 9.99 || own.y > bare_mm;
        let points = scan(0.0, 0.0).into_iter().filter(is_kept).collect();
        let check = check_of(&nominal, points, &with(vec![strip.clone()]));
        let face = &check.own_tolerances[0];
        // Points cover what lies within their reach, twice their spacing.
        assert!(face.coverage >= expected && face.coverage < expected + 0.35, "{bare_mm}: {face:?}");
        assert_eq!(face.verdict, if expected > 0.2 { Verdict::Pass } else { Verdict::Incomplete }, "{face:?}");
    }
}

#[test]
fn of_a_region_on_faces_that_each_hold_too_little_of_it_the_face_of_the_peak_fails() {
    let nominal = nominal();
    // The two facets of the top, which the line from (0, 0) to (30, 20) separates.
    let halves = facing(&nominal, Vector::z());
    let [near, far] = [("Near", halves[0]), ("Far", halves[1])]
        .map(|(name, facet)| own(name, Subset::new(vec![facet]), &nominal, 0.05));
    let mut points = scan(0.0, 0.0);
    let is_raised = |own: &Point| own.z > 9.99 && (own - Point::new(15.0, 10.0, own.z)).norm() < 2.0;
    for own in points.iter_mut().filter(|own| is_raised(own)) {
        own.z += if own.y < own.x * 2.0 / 3.0 { 0.2 } else { 0.15 };
    }
    let judged = |min_region_mm2: f64| {
        let parameters = Parameters { min_region_mm2: Some(min_region_mm2), ..with(vec![near.clone(), far.clone()]) };
        let check = check_of(&nominal, points.clone(), &parameters);
        assert_eq!((check.verdict(), check.regions.len()), (Verdict::Fail, 1), "{:?}", check.regions);
        assert_eq!(check.regions[0].own_tolerance.as_deref(), Some("Near"));
        check
    };
    let regions = |check: &Check| check.own_tolerances.iter().map(|own| own.regions).collect::<Vec<_>>();
    let small = judged(1.0);
    assert_eq!(regions(&small), [1, 1]);
    let large = judged(0.95 * small.regions[0].area_mm2);
    assert_eq!(regions(&large), [1, 0]);
    assert_eq!(large.own_tolerances[0].verdict, Verdict::Fail);
}

#[test]
fn points_out_of_their_own_tolerance_count_as_outliers() {
    let nominal = nominal();
    let front = own("Front", facing(&nominal, -Vector::y()), &nominal, 0.05);
    let mut points = scan(0.0, 0.0);
    // Three far from each other, within the limits of the part.
    points.extend([3.0, 15.0, 27.0].map(|x| Point::new(x, -0.08, 5.1)));
    let parameters = Parameters { max_outliers: Some(OutlierLimit::Count(2)), ..with(vec![front]) };
    let check = check_of(&nominal, points, &parameters);
    assert_eq!((check.outliers.count, check.regions.len()), (3, 0), "{:?}", check.regions);
    assert_eq!(check.verdict(), Verdict::Fail);
    assert!(check.statistics.in_tolerance_fraction < 1.0);
}

#[test]
fn the_maximum_distance_follows_the_largest_limit_and_the_rest_measures_nothing_anew() {
    let nominal = nominal();
    let top = facing(&nominal, Vector::z());
    let [small, large] = [0.3, 3.0].map(|mm| with(vec![own("Top", top.clone(), &nominal, mm)]));
    assert!(small.gives_same_measurement(&Parameters::default()));
    assert_eq!(large.effective_max_distance_mm(), 6.0);
    assert!(!large.gives_same_measurement(&Parameters::default()));
}

#[test]
fn parameters_without_own_tolerances_are_stored_as_before() {
    let text = serde_json::to_string(&Parameters::default()).unwrap();
    assert!(!text.contains("own"), "{text}");
    assert_eq!(serde_json::from_str::<Parameters>(&text).unwrap(), Parameters::default());
    let nominal = nominal();
    let parameters = with(vec![own("Top", facing(&nominal, Vector::z()), &nominal, 0.2)]);
    let text = serde_json::to_string(&parameters).unwrap();
    assert_eq!(serde_json::from_str::<Parameters>(&text).unwrap(), parameters);
}

#[test]
fn what_cannot_be_judged_by_is_refused() {
    let nominal = nominal();
    let face = |name: &str, limit_mm| own(name, facing(&nominal, Vector::z()), &nominal, limit_mm);
    for (all, says) in [
        (vec![face(" ", 0.1)], "Own tolerance 1 needs a name"),
        (vec![face("Top", 0.1), face("Top", 0.2)], "two own tolerances called “Top”"),
        (vec![face("Top", -0.1)], "“Top”: The lower tolerance limit"),
        (vec![own("Top", Subset::default(), &nominal, 0.1)], "has no facets"),
    ] {
        let error = with(all).check().unwrap_err();
        assert!(error.sentence.contains(says), "{error}");
    }
}
