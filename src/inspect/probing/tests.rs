//! Hybrid measurement against simulated truth: the holes of Table 2.1 as a simulated part, from scan to converged
//! probing.

use proptest::prelude::*;

use super::*;
use crate::features::sheet_metal::holes::{self, NominalHole};
use base::{self, Progress, random::Random};
use geometry::{KdTree, Point, Vector};
use io::probing_csv::{ReportedPoint, parse_touches, write_touches};
use io::probing_program::{Face, Program, Step};

/// X, Y and R of nominal, scan, first probe and converged probe, mm.
const TABLE: [[[f64; 3]; 4]; 5] = [
    [[112.012, -57.300, 5.000], [111.839, -56.805, 5.125], [111.881, -56.845, 4.957], [111.882, -56.842, 4.957]],
    [[101.342, -80.086, 5.000], [101.105, -79.688, 5.126], [101.131, -79.787, 4.959], [101.133, -79.785, 4.960]],
    [[49.128, -58.540, 5.000], [49.024, -58.161, 5.128], [48.959, -58.268, 4.949], [48.959, -58.268, 4.950]],
    [[76.738, -62.618, 11.000], [76.493, -62.195, 11.202], [76.547, -62.277, 10.963], [76.547, -62.273, 10.963]],
    [[34.714, -126.508, 5.000], [34.739, -126.112, 5.130], [34.792, -126.148, 4.971], [34.793, -126.148, 4.971]],
];

fn hole_at([x, y, radius_mm]: [f64; 3]) -> HoleGeometry {
    HoleGeometry { centre: Point::new(x, y, 0.0), axis: Vector::z(), radius_mm }
}

fn nominal(number: usize) -> NominalHole {
    let HoleGeometry { centre, axis, radius_mm } = hole_at(TABLE[number][0]);
    NominalHole { name: (number + 1).to_string(), centre, axis, radius_mm }
}

fn truth() -> Vec<HoleGeometry> {
    TABLE.iter().map(|row| hole_at(row[3])).collect()
}

fn from_table() -> Vec<Started> {
    (0..5).map(|i| Started { nominal: nominal(i), scan: hole_at(TABLE[i][1]) }).collect()
}

fn run(holes: &[Started], settings: &Settings, prober: &mut SimulatedProber) -> Comparison {
    converge(holes, settings, &Convergence::default(), prober, &Progress::silent()).unwrap()
}

/// With initial errors as in the table's scan, and of up to half a millimetre in any direction, all holes converge to
/// the truth.
#[test]
fn the_holes_of_table_2_1_converge_to_the_truth() {
    let mut random = Random::new(21, 0);
    let mut worst = [0.0_f64; 2];
    for run_number in 0..20 {
        let mut holes = from_table();
        if run_number > 0 {
            for hole in &mut holes {
                let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
                let own: usize = hole.nominal.name.parse().unwrap();
                let off_mm = random.range(0.0, 0.5);
                hole.scan = truth()[own - 1];
                hole.scan.centre += Vector::new(off_mm * cos, off_mm * sin, random.range(-0.1, 0.1));
                hole.scan.axis = Vector::new(0.004 * random.normal(), 0.004 * random.normal(), 1.0).normalize();
                hole.scan.radius_mm += random.range(0.1, 0.25);
            }
        }
        let reported = if run_number % 2 == 0 { ReportedPoint::BallCentre } else { ReportedPoint::Surface };
        let mut prober = SimulatedProber::new(truth(), 0.0005, reported, run_number);
        let settings = Settings { sheet_touches: 4, touch_sigma_mm: 0.0005, ..Settings::default() };
        let found = run(&holes, &settings, &mut prober);
        for (row, truth) in found.rows.iter().zip(truth()) {
            assert_eq!(row.note, None);
            let settled = row.settled().unwrap();
            let off = (settled.centre - truth.centre).norm();
            worst = [worst[0].max(off), worst[1].max((settled.radius_mm - truth.radius_mm).abs())];
            assert!((2..=5).contains(&row.rounds) && row.change_mm.unwrap() < 0.005);
        }
    }
    println!("worst of 100 holes: centre {:.5} mm, radius {:.5} mm", worst[0], worst[1]);
    assert!(worst[0] < 0.002 && worst[1] < 0.001, "{worst:?}");
}

/// A CMM that compensates the tip radius along the approach is wrong where the approach is not perpendicular to the
/// wall; probing again from the last result removes this error.
#[test]
fn probing_again_takes_the_compensation_error_away() {
    let mut holes = from_table();
    for (hole, truth) in holes.iter_mut().zip(truth()) {
        hole.scan = truth;
        hole.scan.centre.x += 0.5;
    }
    let mut prober = SimulatedProber::new(truth(), 0.0, ReportedPoint::Surface, 0);
    let found = run(&holes, &Settings::default(), &mut prober);
    for (row, truth) in found.rows.iter().zip(truth()) {
        let error = |place: HoleGeometry| (place.radius_mm - truth.radius_mm).abs();
        let (first, last) = (error(row.probe.unwrap()), error(row.settled().unwrap()));
        println!("hole {}: radius off by {first:.6} mm, then by {last:.9} mm", row.name);
        assert!(last < 1e-6 && (first > 1e-3 || truth.radius_mm > 10.0), "{first} {last}");
        assert!((row.settled().unwrap().centre - truth.centre).norm() < 1e-6);
    }
}

/// Results may arrive in parts: a hole without probed points stays open, but not indefinitely.
#[test]
fn a_hole_without_touches_is_requested_again() {
    struct Partial {
        all: SimulatedProber,
        round: usize,
    }
    impl Prober for Partial {
        fn probe(&mut self, program: &Program, progress: &Progress) -> base::Result<Probed> {
            self.round += 1;
            let mut probed = self.all.probe(program, progress)?;
            // Hole 2 is in every other result, hole 4 in none.
            probed.touches.touched.retain(|own| own.hole != "4" && (own.hole != "2" || self.round.is_multiple_of(2)));
            Ok(probed)
        }
    }
    let mut prober = Partial { all: SimulatedProber::new(truth(), 0.0, ReportedPoint::BallCentre, 0), round: 0 };
    let convergence = Convergence::default();
    let found = converge(&from_table(), &Settings::default(), &convergence, &mut prober, &Progress::silent()).unwrap();
    for (row, truth) in found.rows.iter().zip(truth()) {
        if row.name == "4" {
            assert!(row.note.as_ref().unwrap().contains("contained no touch of it") && row.last.is_none(), "{row:?}");
        } else {
            let off_mm = (row.settled().unwrap().centre - truth.centre).norm();
            assert!(row.note.is_none() && off_mm < 1e-6, "{row:?}");
        }
    }
    assert_eq!(prober.round, convergence.most_rounds);
}

#[test]
fn the_printed_table_has_the_differences_of_its_summary() {
    let rows = (0..5).map(|i| {
        let last = ProbedHole {
            place: hole_at(TABLE[i][3]),
            centre_uncertainty_mm: 0.002,
            radius_uncertainty_mm: 0.001,
            sigma_mm: 0.001,
            roundness_mm: 0.003,
            flatness_mm: 0.002,
            depth_mm: 0.5,
            touches: [3, 7],
        };
        Row {
            name: (i + 1).to_string(),
            nominal: hole_at(TABLE[i][0]),
            scan: hole_at(TABLE[i][1]),
            probe: Some(hole_at(TABLE[i][2])),
            last: Some(last),
            converged: i < 5,
            rounds: 2,
            passed_over: 0,
            evaluated: None,
            change_mm: Some(0.003),
            note: None,
        }
    });
    let mut table = Comparison { rows: rows.collect() };
    let (part, scan, again) = (table.part(), table.scan(), table.again());
    let near = |a: f64, b: f64| (a - b).abs() < 0.0006;
    assert!(near(part.most_along_axis_mm, 0.458) && near(part.most_lateral_mm, 0.476), "{part:?}");
    assert!(near(scan.most_along_axis_mm, 0.107) && near(scan.most_lateral_mm, 0.125), "{scan:?}");
    assert!(near(scan.radius_mm[0], 0.159) && near(scan.radius_mm[1], 0.239), "{scan:?}");
    assert!(again.most_lateral_mm < 0.0045 && again.holes == 5);
    let text = table.text();
    println!("{text}");
    assert!(
        text.contains("Scan from probe: up to 0.107 mm along an axis, 0.125 mm laterally; radii +0.159 to +0.239 mm")
    );
    table.rows[1].converged = false;
    table.rows[1].last = None;
    table.rows[1].note = Some("Hole 2: it met nothing.".into());
    assert!(table.text().contains("Hole 2: it met nothing."));
    assert_eq!(table.part().holes, 4);
    let csv = table.csv().unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let titles = reader.headers().unwrap().clone();
    let column = |title: &str| titles.iter().position(|own| own == title).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 5);
    assert_eq!(&records[0][column("scan_x_mm")], "111.839");
    assert_eq!(&records[1][column("converged_x_mm")], "");
    let lateral: f64 = records[2][column("scan_less_converged_lateral_mm")].parse().unwrap();
    assert!(near(lateral, 0.125));
    let json = serde_json::to_string(&table).unwrap();
    assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), table);
    assert_eq!(Comparison::default().part(), Differences::default());
    assert!(Comparison::default().text().starts_with("hole"));
}

/// A sheet with the five holes, scanned at 0.25 mm with noise, then found, probed and converged; the probed points are
/// passed through their CSV file.
#[test]
fn from_a_scan_to_the_converged_probe() {
    struct ThroughFiles(SimulatedProber);
    impl Prober for ThroughFiles {
        fn probe(&mut self, program: &Program, progress: &Progress) -> base::Result<Probed> {
            let probed = self.0.probe(program, progress)?;
            Ok(Probed { touches: parse_touches(&write_touches(&probed.touches)?)?, missed: Vec::new() })
        }
    }
    let mut random = Random::new(3, 9);
    let mut points = Vec::new();
    for i in 0..440 {
        for j in 0..420 {
            let at = Point::new(20.0 + 0.25 * f64::from(i), -145.0 + 0.25 * f64::from(j) + random.range(0.0, 0.1), 0.0);
            if truth().iter().all(|hole| (at - hole.centre).norm() > hole.radius_mm) {
                points.push(at + Vector::z() * (0.03 * random.normal()));
            }
        }
    }
    let tree = KdTree::new(&points);
    let started: Vec<Started> = (0..5)
        .map(|i| {
            let found = holes::find(&points, &tree, &nominal(i), 1.0, &Progress::silent()).unwrap();
            Started { nominal: nominal(i), scan: HoleGeometry::from(&found) }
        })
        .collect();
    let mut prober = ThroughFiles(SimulatedProber::new(truth(), 0.0005, ReportedPoint::BallCentre, 5));
    let found =
        converge(&started, &Settings::default(), &Convergence::default(), &mut prober, &Progress::silent()).unwrap();
    let differences = found.scan();
    println!("{}", found.text());
    assert_eq!(differences.holes, 5);
    assert!(differences.most_lateral_mm < 0.1 && differences.radius_mm[0] > 0.0, "{differences:?}");
    for (row, truth) in found.rows.iter().zip(truth()) {
        assert!((row.settled().unwrap().centre - truth.centre).norm() < 0.002);
    }
}

#[test]
fn a_hole_that_fails_is_reported_and_the_others_continue() {
    let mut holes = from_table();
    // Displaced by more than the search distance, and too small for the stylus tip.
    holes[1].scan.centre.x += 2.5;
    holes[2].scan.radius_mm = 1.2;
    let mut prober = SimulatedProber::new(truth(), 0.0005, ReportedPoint::BallCentre, 1);
    let found = run(&holes, &Settings::default(), &mut prober);
    let settled: Vec<bool> = found.rows.iter().map(|row| row.settled().is_some()).collect();
    assert_eq!(settled, [true, false, false, true, true]);
    assert!(found.rows[1].note.as_ref().unwrap().contains("the search"), "{:?}", found.rows[1].note);
    assert!(found.rows[2].note.as_ref().unwrap().contains("smaller tip"), "{:?}", found.rows[2].note);
    // With so much scatter no hole converges.
    let mut loose = SimulatedProber::new(truth(), 0.1, ReportedPoint::BallCentre, 2);
    let strict = Convergence { tolerance_mm: 1e-6, most_rounds: 3 };
    let found = converge(&from_table(), &Settings::default(), &strict, &mut loose, &Progress::silent()).unwrap();
    assert!(found.rows.iter().all(|row| row.settled().is_none() && row.rounds == 3));
    assert!(found.rows[0].note.as_ref().unwrap().contains("still moved"));
    assert!(Convergence { most_rounds: 1, ..Convergence::default() }.check().is_err());
    assert!(Convergence { tolerance_mm: f64::NAN, ..Convergence::default() }.check().is_err());
}

/// Cycle by cycle, saved in between as a project would do, the result is the same.
#[test]
fn cycles_can_be_saved_and_continued() {
    let (settings, convergence) = (Settings::default(), Convergence::default());
    let prober = || SimulatedProber::new(truth(), 0.0005, ReportedPoint::BallCentre, 6);
    let whole = run(&from_table(), &settings, &mut prober());
    let mut prober = prober();
    let mut rounds = Rounds::begin(&from_table(), &settings, &convergence).unwrap();
    while let Some(program) = rounds.program().unwrap() {
        let probed = prober.probe(&program, &Progress::silent()).unwrap();
        rounds = serde_json::from_str(&serde_json::to_string(&rounds).unwrap()).unwrap();
        rounds.take(&probed, &Progress::silent()).unwrap();
    }
    assert_eq!(rounds.comparison(), &whole);
    assert!(whole.rows.iter().all(|row| row.settled().is_some()));
}

#[test]
fn a_cancelled_run_stops() {
    struct Cancelling(SimulatedProber, std::sync::Arc<std::sync::atomic::AtomicBool>);
    impl Prober for Cancelling {
        fn probe(&mut self, program: &Program, progress: &Progress) -> base::Result<Probed> {
            let probed = self.0.probe(program, progress);
            self.1.store(true, std::sync::atomic::Ordering::Relaxed);
            probed
        }
    }
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let progress = Progress::new(std::sync::Arc::clone(&flag), |_, _| ());
    let mut prober = Cancelling(SimulatedProber::new(truth(), 0.0, ReportedPoint::BallCentre, 1), flag);
    let stopped =
        converge(&from_table(), &Settings::default(), &Convergence::default(), &mut prober, &progress).unwrap_err();
    assert_eq!(stopped.kind, base::ErrorKind::Cancelled);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// For any deviation of a hole within the search distance, starts and paths are free, and every touch contacts the
    /// intended face.
    #[test]
    fn targets_never_collide(
        (lean, turn) in (0.0..0.9_f64, 0.0..std::f64::consts::TAU),
        (radius_mm, off, towards) in (2.2..12.0_f64, 0.0..0.95_f64, 0.0..std::f64::consts::TAU),
        (shrink_mm, wall_touches, sheet_touches) in (-0.04..0.04_f64, 4..9_usize, 3..6_usize),
        at in prop::array::uniform3(-500.0..500.0_f64),
    ) {
        let settings = Settings { wall_touches, sheet_touches, ..Settings::default() };
        let axis = Vector::new(lean.sin() * turn.cos(), lean.sin() * turn.sin(), lean.cos());
        let expected = HoleGeometry { centre: Point::from(at), axis, radius_mm };
        let [u, v] = expected.in_plane_axes();
        let mut actual = expected;
        actual.centre += (u * towards.cos() + v * towards.sin()) * off;
        actual.radius_mm += shrink_mm;
        let named = NamedHole { name: "1".into(), place: expected };
        let program = plan(&[named], &settings).unwrap().program;
        let tip_radius_mm = settings.probe_radius_mm;
        for touch in program.holes[0].touches() {
            let height = (touch.start - actual.centre).dot(&axis);
            let from_axis = actual.lateral(&touch.start).norm();
            match touch.face {
                Face::Sheet => {
                    prop_assert!(height >= tip_radius_mm + settings.search_mm);
                    prop_assert!(actual.lateral(&touch.contact).norm() > actual.radius_mm);
                }
                Face::Wall => prop_assert!(from_axis + tip_radius_mm <= actual.radius_mm && height < 0.0),
            }
            prop_assert!((touch.approach.norm() - 1.0).abs() < 1e-12);
            let along = touch.tip_centre_at_contact(tip_radius_mm) - touch.start;
            prop_assert!((along - touch.approach * along.norm()).norm() < 1e-9);
        }
        for step in program.way(&program.holes[0]) {
            if let Step::Move(place) = step {
                prop_assert!(place.coords.dot(&settings.up) <= program.safe_height_mm + 1e-9);
            }
        }
        let mut prober = SimulatedProber::new(vec![actual], 0.0, ReportedPoint::BallCentre, 1);
        let probed = prober.probe(&program, &Progress::silent()).unwrap();
        prop_assert!(probed.missed.is_empty(), "{:?}", probed.missed);
        prop_assert_eq!(probed.touches.touched.len(), wall_touches + sheet_touches);
        let found = evaluate(
            &NamedHole { name: "1".into(), place: expected }, &probed.touches, &settings, &Progress::silent(),
        ).unwrap();
        prop_assert!((found.place.centre - actual.centre).norm() < 1e-5);
        prop_assert!((found.place.radius_mm - actual.radius_mm).abs() < 1e-5);
    }
}
