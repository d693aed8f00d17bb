//! Verdicts say what they cover: what is missing, what is too much, what is another part, and what is nothing at all.

use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Cloud, Point, Pose, Surface, Vector};
use shadowgraph::inspect::deviation::check::{self, Check};
use shadowgraph::inspect::deviation::{Method, OutlierLimit, Parameters, Tolerance, Verdict};
use shadowgraph::inspect::parts::{Actual, Nominal};
use shadowgraph::{geometry::transform, io};

use super::support::asset;

fn check_of(nominal: Surface, points: Vec<Point>, parameters: &Parameters) -> Check {
    let nominal = Nominal::in_memory("nominal", nominal);
    let actual = Actual::in_memory("scan", Cloud::from_points(points));
    let compared = check::Compared { nominal: &nominal, actual: &actual, is_found: false };
    check::run(&Cpu, &compared, &Pose::identity(), parameters, 0.3, &Progress::silent()).unwrap()
}

/// A plate of 100 x 80 x 8 mm.
fn plate() -> Surface {
    Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(100.0, 80.0, 8.0)))
}

const PITCH_MM: f64 = 0.5;

/// A scanned rectangle from `corner` along `u` and `v` (their lengths are its sides), one point every half millimetre
/// with noise of 0.01 mm, where `keep` says so.
fn face(corner: [f64; 3], u: [f64; 3], v: [f64; 3], keep: impl Fn(&Point) -> bool) -> Vec<Point> {
    let (corner, u, v) = (Point::from(corner), Vector::from(u), Vector::from(v));
    let normal = u.cross(&v).normalize();
    let mut random = Random::new((corner.coords.sum() * 10.0) as u64, 5);
    let (nu, nv) = ((u.norm() / PITCH_MM) as usize, (v.norm() / PITCH_MM) as usize);
    let mut points = Vec::new();
    for i in 0..nu {
        for j in 0..nv {
            let at = |k: usize, n: usize, shift: f64| (k as f64 + 0.5 + 0.3 * shift) / n as f64;
            let place = corner
                + u * at(i, nu, random.normal().clamp(-1.0, 1.0))
                + v * at(j, nv, random.normal().clamp(-1.0, 1.0));
            if keep(&place) {
                points.push(place + normal * (0.01 * random.normal()));
            }
        }
    }
    points
}

/// The plate from all sides, its top only where `top` says so.
fn plate_scan(top: impl Fn(&Point) -> bool, bottom: impl Fn(&Point) -> bool) -> Vec<Point> {
    let all = |_: &Point| true;
    [
        face([0.0, 0.0, 8.0], [100.0, 0.0, 0.0], [0.0, 80.0, 0.0], top),
        face([0.0, 0.0, 0.0], [0.0, 80.0, 0.0], [100.0, 0.0, 0.0], bottom),
        face([0.0, 0.0, 0.0], [100.0, 0.0, 0.0], [0.0, 0.0, 8.0], all),
        face([0.0, 80.0, 0.0], [0.0, 0.0, 8.0], [100.0, 0.0, 0.0], all),
        face([0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [0.0, 80.0, 0.0], all),
        face([100.0, 0.0, 0.0], [0.0, 80.0, 0.0], [0.0, 0.0, 8.0], all),
    ]
    .concat()
}

fn all(_: &Point) -> bool {
    true
}

fn within(place: &Point, x: [f64; 2], y: [f64; 2]) -> bool {
    (x[0]..x[1]).contains(&place.x) && (y[0]..y[1]).contains(&place.y)
}

#[test]
fn a_whole_scan_passes_on_the_whole_surface() {
    let check = check_of(plate(), plate_scan(all, all), &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    assert!(check.measurement.coverage.fraction > 0.995, "{}", check.measurement.coverage.fraction);
    assert!(check.measurement.coverage.unmeasured.is_empty(), "{:?}", check.measurement.coverage.unmeasured);
    // What can be detected stands in the headline and is explained once.
    let [only] = check.judgement.remarks.as_slice() else { panic!("{:?}", check.judgement) };
    assert!(only.starts_with("At a point spacing of 0.5"), "{only}");
    assert!(check.judgement.headline().contains("of the surface, for regions from "), "{:?}", check.judgement);
    assert!(!check.judgement.is_qualified());
}

/// The walls beside an edge lie within the cylinders over its facets, and are none of theirs.
#[test]
fn points_over_facets_pass_a_perfect_scan_up_to_its_edges() {
    let by_facets = Parameters { method: Method::PointFacet, ..Parameters::default() };
    let check = check_of(plate(), plate_scan(all, all), &by_facets);
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    assert!(check.statistics.max_mm < 0.05 && check.statistics.min_mm > -0.05, "{:?}", check.statistics);
    assert!(check.measurement.coverage.fraction > 0.99, "{}", check.measurement.coverage.fraction);
    // A dent of 0.3 mm is one region, by facets as by points.
    let dented = plate_scan(|place| !within(place, [40.0, 50.0], [30.0, 40.0]), all);
    let dent = face([40.0, 30.0, 7.7], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0], all);
    let points = [dented, dent].concat();
    for parameters in [by_facets, Parameters::default()] {
        let check = check_of(plate(), points.clone(), &parameters);
        assert_eq!((check.verdict(), check.regions.len()), (Verdict::Fail, 1), "{:?}", check.regions);
        assert!((check.regions[0].peak_mm + 0.3).abs() < 0.05, "{:?}", check.regions);
    }
}

#[test]
fn an_extra_block_fails_although_its_top_is_beyond_the_largest_distance() {
    let (x, y) = ([40.0, 70.0], [20.0, 50.0]);
    let mut points = plate_scan(|place| !within(place, x, y), all);
    points.extend(face([40.0, 20.0, 13.0], [30.0, 0.0, 0.0], [0.0, 30.0, 0.0], all));
    // Seen from above: its walls are not in the scan, and nothing joins its top to the plate.
    let check = check_of(plate(), points.clone(), &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    let region = &check.regions[0];
    assert!((region.peak_mm - 5.0).abs() < 0.05 && region.beyond_max_distance, "{region:?}");
    assert!((region.area_mm2 - 900.0).abs() < 90.0, "{region:?}");
    // And with its walls.
    for (corner, u) in [
        ([40.0, 20.0, 8.0], [30.0, 0.0, 0.0]),
        ([40.0, 50.0, 8.0], [30.0, 0.0, 0.0]),
        ([40.0, 20.0, 8.0], [0.0, 30.0, 0.0]),
        ([70.0, 20.0, 8.0], [0.0, 30.0, 0.0]),
    ] {
        points.extend(face(corner, u, [0.0, 0.0, 5.0], all));
    }
    assert_eq!(check_of(plate(), points, &Parameters::default()).verdict(), Verdict::Fail);
}

#[test]
fn an_extra_hole_fails_by_its_wall() {
    let outside = |place: &Point| (place.xy() - nalgebra::Point2::new(50.0, 40.0)).norm() > 8.0;
    let mut points = plate_scan(outside, outside);
    let steps = (std::f64::consts::TAU * 8.0 / PITCH_MM) as usize;
    for i in 0..steps {
        let angle = i as f64 / steps as f64 * std::f64::consts::TAU;
        points.extend(
            (0..16).map(|k| {
                Point::new(50.0 + 8.0 * angle.cos(), 40.0 + 8.0 * angle.sin(), PITCH_MM * (f64::from(k) + 0.5))
            }),
        );
    }
    let check = check_of(plate(), points, &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    assert!(check.regions.iter().any(|region| region.peak_mm < -3.5), "{:?}", check.regions);
    // Both mouths of the hole have no data.
    assert_eq!(check.measurement.coverage.unmeasured.len(), 2, "{:?}", check.measurement.coverage.unmeasured);
    let truth = std::f64::consts::PI * 64.0;
    assert!(
        (check.measurement.coverage.unmeasured[0].area_mm2 / truth - 1.0).abs() < 0.25,
        "{:?}",
        check.measurement.coverage.unmeasured
    );
}

#[test]
fn a_pocket_deeper_than_the_largest_distance_fails() {
    let (x, y) = ([20.0, 45.0], [30.0, 50.0]);
    let mut points = plate_scan(|place| !within(place, x, y), all);
    points.extend(face([20.0, 30.0, 4.0], [25.0, 0.0, 0.0], [0.0, 20.0, 0.0], all));
    let check = check_of(plate(), points, &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    assert!((check.regions[0].peak_mm + 4.0).abs() < 0.05, "{:?}", check.regions);
}

#[test]
fn a_table_beside_the_part_is_clutter_and_said() {
    let mut points = plate_scan(all, all);
    let beside = |place: &Point| !within(place, [-4.0, 104.0], [-4.0, 84.0]);
    points.extend(face([-40.0, -40.0, -3.0], [180.0, 0.0, 0.0], [0.0, 160.0, 0.0], beside));
    let check = check_of(plate(), points, &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    assert!(check.clutter.points > 50_000, "{:?}", check.clutter);
    assert!(check.judgement.remarks.iter().any(|remark| remark.contains("clutter")), "{:?}", check.judgement);
}

#[test]
fn a_part_without_its_end_says_on_how_much_it_passes() {
    let half: Vec<Point> = plate_scan(all, all).into_iter().filter(|p| p.x < 60.0).collect();
    let by_default = check_of(plate(), half.clone(), &Parameters::default());
    assert_eq!(by_default.verdict(), Verdict::Incomplete);
    assert!(by_default.judgement.reason.contains("80 % are required"), "{}", by_default.judgement.reason);
    let little = Parameters { min_coverage: 0.5, ..Parameters::default() };
    let check = check_of(plate(), half, &little);
    assert_eq!(check.verdict(), Verdict::Pass);
    // The missing end could have been seen, which the headline says.
    assert!(check.judgement.is_qualified(), "{:?}", check.judgement);
    assert!((check.measurement.coverage.fraction - 0.59).abs() < 0.02, "{}", check.measurement.coverage.fraction);
    let said = ["PASS (±0.1 mm) on 59 %", "PASS (±0.1 mm) on 60 %"]
        .iter()
        .any(|start| check.judgement.headline().starts_with(start));
    assert!(said, "{}", check.judgement.headline());
    assert!(check.judgement.remarks.iter().any(|remark| remark.contains("without data")), "{:?}", check.judgement);
    let asked = Parameters { min_coverage: 0.9, ..Parameters::default() };
    let points = plate_scan(all, all).into_iter().filter(|p| p.x < 60.0).collect();
    let strict = check_of(plate(), points, &asked);
    assert_eq!(strict.verdict(), Verdict::Incomplete);
    assert!(strict.judgement.reason.contains("90 % are required"), "{}", strict.judgement.reason);
}

#[test]
fn a_handful_of_points_and_copies_of_one_do_not_pass() {
    let few: Vec<Point> = plate_scan(all, all).into_iter().step_by(3000).collect();
    assert!(few.len() < 30);
    let check = check_of(plate(), few, &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Incomplete, "{:?}", check.judgement);
    let copies = check_of(plate(), vec![Point::new(30.0, 30.0, 8.01); 5000], &Parameters::default());
    assert_eq!(copies.verdict(), Verdict::Incomplete, "{:?}", copies.judgement);
    assert!(copies.measurement.coverage.fraction < 0.001, "{}", copies.measurement.coverage.fraction);
}

#[test]
fn one_or_two_stray_points_never_fail_a_part() {
    let mut random = Random::new(4, 4);
    let sparse: Vec<Point> = plate_scan(all, all).into_iter().step_by(40).collect();
    for points in [plate_scan(all, all), sparse] {
        for deviation_mm in [0.4, 1.9, 3.0, -3.0] {
            let mut points = points.clone();
            for _ in 0..2 {
                points.push(Point::new(random.range(5.0, 95.0), random.range(5.0, 75.0), 8.0 + deviation_mm));
            }
            // A plate seen from above alone.
            let parameters = Parameters { min_coverage: 0.2, ..Parameters::default() };
            let check = check_of(plate(), points, &parameters);
            assert_ne!(check.verdict(), Verdict::Fail, "{deviation_mm}: {:?}", check.regions);
            assert_eq!(check.verdict(), Verdict::Pass, "{deviation_mm}: {:?}", check.judgement);
        }
    }
}

#[test]
fn single_points_out_of_tolerance_are_explained_and_can_be_limited() {
    let mut random = Random::new(5, 5);
    let mut points = plate_scan(all, all);
    for point in points.iter_mut().step_by(15) {
        point.z += random.range(0.2, 1.5) * if point.z > 4.0 { 1.0 } else { -1.0 };
    }
    let check = check_of(plate(), points.clone(), &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    let said = check.judgement.remarks.iter().find(|remark| remark.contains("single points")).expect("a remark");
    assert!(said.contains("largest by +1.") && check.outliers.count > 2000, "{said}");
    for (limit, verdict) in [
        (OutlierLimit::Fraction(0.01), Verdict::Fail),
        (OutlierLimit::Count(100), Verdict::Fail),
        (OutlierLimit::Fraction(0.2), Verdict::Pass),
    ] {
        let asked = Parameters { max_outliers: Some(limit), ..Parameters::default() };
        assert_eq!(check_of(plate(), points.clone(), &asked).verdict(), verdict, "{limit:?}");
    }
}

#[test]
fn a_limit_at_the_largest_distance_lifts_it_and_is_said() {
    let mut points = plate_scan(|place| !within(place, [30.0, 60.0], [30.0, 60.0]), all);
    points.extend(face([30.0, 30.0, 11.0], [30.0, 0.0, 0.0], [0.0, 30.0, 0.0], all));
    let tolerance = Tolerance { low_mm: -2.0, high_mm: 2.0 };
    let check = check_of(plate(), points, &Parameters { tolerance, ..Parameters::default() });
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    let remarks = check.judgement.remarks.join(" ");
    assert!(remarks.contains("raised to 4 mm") && remarks.contains("% of the part's size"), "{remarks}");
}

#[test]
fn a_scan_of_something_else_is_doubted() {
    // A ball lies across the plate: some of it within the largest distance, most of it not.
    let ball = shapes::sphere(40.0, 5);
    let points: Vec<Point> = shadowgraph::geometry::sampling::by_area(&ball, 40_000, 1)
        .iter()
        .map(|sample| sample.point + Vector::new(50.0, 40.0, 20.0))
        .collect();
    let check = check_of(plate(), points, &Parameters::default());
    assert_ne!(check.verdict(), Verdict::Pass);
    assert!(check.part_match.is_doubtful && check.judgement.covers.contains("another part"), "{:?}", check.judgement);
}

/// A chamfer nobody wanted along a whole edge is 1.7 mm wide and 0.6 mm deep: three rows of points, which the medians of
/// their neighbours vote down.
#[test]
fn an_unwanted_chamfer_along_an_edge_fails() {
    const LEG_MM: f64 = 1.2;
    let is_kept = |p: &Point| p.y.max(0.0) + (8.0 - p.z).max(0.0) >= LEG_MM;
    let mut points: Vec<Point> = plate_scan(all, all).into_iter().filter(is_kept).collect();
    points.extend(face([0.0, 0.0, 8.0 - LEG_MM], [100.0, 0.0, 0.0], [0.0, LEG_MM, LEG_MM], all));
    let check = check_of(plate(), points, &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    assert!(check.regions[0].peak_mm < -0.4, "{:?}", check.regions);
    // It may be found in pieces, one of some length among them.
    assert!(check.regions.iter().any(|own| own.radius_mm > 10.0), "{:?}", check.regions);
}

/// Narrow steps and grooves across a face, and one on the thin side of the part.
#[test]
fn narrow_strips_on_faces_fail_and_their_extent_is_known() {
    for (x, y) in [([30.0, 31.2], [0.0, 80.0]), ([20.0, 60.0], [40.0, 41.2])] {
        let mut points = plate_scan(|place| !within(place, x, y), all);
        let (dx, dy) = (x[1] - x[0], y[1] - y[0]);
        points.extend(face([x[0], y[0], 7.75], [dx, 0.0, 0.0], [0.0, dy, 0.0], all));
        let check = check_of(plate(), points, &Parameters::default());
        assert_eq!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
        assert!((check.regions[0].peak_mm + 0.25).abs() < 0.05, "{:?}", check.regions);
        let area_mm2: f64 = check.regions.iter().map(|region| region.area_mm2).sum();
        assert!((0.5..2.0).contains(&(area_mm2 / (dx * dy))), "{area_mm2}");
    }
}

/// The edges of a plate that is too large on all sides are farther from those of its nominal than its faces are.
#[test]
fn what_lies_over_an_edge_is_judged_by_the_faces_beside_it() {
    let (low, size) = ([-0.25; 3], [100.5, 80.5, 8.5]);
    let side = |corner: [f64; 3], u: usize, v: usize| {
        let along = |axis: usize| std::array::from_fn(|own| if own == axis { size[axis] } else { 0.0 });
        face(corner, along(u), along(v), all)
    };
    let far = |axis: usize| std::array::from_fn(|own| low[own] + if own == axis { size[axis] } else { 0.0 });
    let axes = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    let grown: Vec<Point> = axes.iter().flat_map(|&(n, u, v)| [side(low, v, u), side(far(n), u, v)].concat()).collect();
    let within = |mm: f64| Parameters { tolerance: Tolerance { low_mm: -mm, high_mm: mm }, ..Parameters::default() };
    let check = check_of(plate(), grown.clone(), &within(0.3));
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    assert!(check.outliers.over_edges > 20 && check.outliers.largest_mm > 0.31, "{:?}", check.outliers);
    assert!(check.judgement.remarks.iter().any(|own| own.contains("lie over edges")), "{:?}", check.judgement);
    assert_eq!(check_of(plate(), grown, &within(0.2)).verdict(), Verdict::Fail);
    // A bead along an edge is farther from each face.
    let mut points = plate_scan(all, all);
    points.extend((0..8_000).map(|i| {
        let angle = f64::from(i % 20) / 20.0 * 1.5 * std::f64::consts::PI - 0.5 * std::f64::consts::PI;
        Point::new(20.0 + 0.1 * f64::from(i / 20), -0.5 * angle.cos(), 8.0 + 0.5 * angle.sin())
    }));
    assert_eq!(check_of(plate(), points, &within(0.4)).verdict(), Verdict::Fail);
}

/// Of a drilled hole whose walls are too dark to be measured nothing is left but two gaps.
#[test]
fn a_dark_hole_is_no_pass_and_named() {
    let outside = |place: &Point| (place.xy() - nalgebra::Point2::new(50.0, 40.0)).norm() > 3.0;
    let check = check_of(plate(), plate_scan(outside, outside), &Parameters::default());
    assert_eq!(check.verdict(), Verdict::Incomplete, "{:?}", check.judgement);
    let said = check.judgement.headline();
    // Both ends are named; whether there are points all around the farther one is chance.
    assert!(said.contains("in what was measured may be"), "{said}");
    assert!(check.judgement.reason.starts_with("There is no data in "), "{}", check.judgement.reason);
    let ends = check.measurement.coverage.unmeasured.iter();
    let ends = ends.filter(|own| (Point::from(own.centre_mm).xy() - nalgebra::Point2::new(50.0, 40.0)).norm() < 0.5);
    assert_eq!(ends.filter(|own| own.is_enclosed || own.is_exposed).count(), 2);
    let gap = &check.measurement.coverage.unmeasured[0];
    let centre = Point::from(gap.centre_mm);
    assert!(gap.is_enclosed && (centre.xy() - nalgebra::Point2::new(50.0, 40.0)).norm() < 0.5, "{gap:?}");
    // Where the operator states that such gaps do not matter, they do not.
    let large = Parameters { min_region_mm2: Some(60.0), ..Parameters::default() };
    let check = check_of(plate(), plate_scan(outside, outside), &large);
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
}

/// A corner that broke off and gave no points lies in no face, but could have been seen.
#[test]
fn a_missing_corner_qualifies_the_pass() {
    let is_there = |p: &Point| p.x + p.y > 12.0;
    let points: Vec<Point> = plate_scan(all, all).into_iter().filter(is_there).collect();
    let check = check_of(plate(), points, &Parameters::default());
    assert_ne!(check.verdict(), Verdict::Fail, "{:?}", check.judgement);
    assert!(check.judgement.is_qualified(), "{:?}", check.judgement);
}

/// Few of the points lie on each of the demo part's defects, of +0.35, -0.30 and +0.35 mm: medians over neighbours pass it
/// in most samples.
#[test]
fn sparse_samples_of_the_demo_scan_never_pass() {
    let nominal = io::load_nominal(&asset("bracket.stl"), &io::LoadOptions::default(), &Progress::silent()).unwrap();
    let scan = io::load_scan(&asset("bracket-scan.ply"), &io::LoadOptions::default(), &Progress::silent()).unwrap();
    let truth: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(asset("bracket-truth.json")).unwrap()).unwrap();
    let rows = truth["nominal_from_scan"].as_array().unwrap();
    let row =
        |own: &serde_json::Value| own.as_array().unwrap().iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
    let pose = transform::parse_pose(&rows.iter().map(row).collect::<Vec<_>>().join("\n")).unwrap();
    let nominal = Nominal::in_memory("bracket", Surface::new(nominal.mesh));
    let tolerance = Tolerance { low_mm: -0.2, high_mm: 0.2 };
    for seed in 0..8 {
        let mut random = Random::new(seed, 15_000);
        let mut points = scan.cloud.points.clone();
        random.shuffle(&mut points);
        points.truncate(15_000);
        let actual = Actual::in_memory("sample", Cloud::from_points(points));
        let compared = check::Compared { nominal: &nominal, actual: &actual, is_found: false };
        let parameters = Parameters { tolerance, ..Parameters::default() };
        let check = check::run(&Cpu, &compared, &pose, &parameters, 0.6, &Progress::silent()).unwrap();
        assert_ne!(check.verdict(), Verdict::Pass, "{seed}: {:?}", check.judgement);
    }
}
