//! `bench wrong-parts`: every scan compared with every part of a folder, all scaled to equal size: whether a scan of a
//! wrong part is detected, and a scan of the right part is still accepted.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses::{self, Part};
use super::twins;
use base::random::Random;
use base::{Progress, Result, UserError};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::sampling::{self, SurfaceSample};
use geometry::{Pose, Surface, Vector};
use inspect::alignment::recipe::run_automatic;
use inspect::alignment::{Alignment, best_fit};
use inspect::deviation::check::{self, Check, Compared};
use inspect::deviation::{Parameters, Tolerance, Verdict};
use inspect::parts::{Actual, Nominal};
use inspect::simulation::{self, sensor::Sensor};

/// Diagonal that all parts are scaled to, mm, so that they do not differ in size.
const DIAGONAL_MM: f64 = 150.0;
/// Numbers of directions a part is scanned from: all around, and from one side.
const VIEWS: [usize; 2] = [12, 3];
/// Points per scan.
const POINTS: usize = 30_000;
/// Tolerances of the comparison, ±mm: a typical one, and one for rough castings.
const TOLERANCES_MM: [f64; 2] = [0.2, 1.0];

/// Outcome of comparing a scan with a nominal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// No pose; an error.
    Refused,
    /// Fails, and the headline says that it may be a different part.
    FailsInDoubt,
    /// Fails.
    Fails,
    /// Incomplete.
    Incomplete,
    /// Passes, and the headline reports alternative poses or undetermined degrees of freedom.
    PassesInDoubt,
    /// Passes without a warning.
    Passes,
}

impl Outcome {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Refused, "refused"),
        (Self::FailsInDoubt, "fails_in_doubt"),
        (Self::Fails, "fails"),
        (Self::Incomplete, "incomplete"),
        (Self::PassesInDoubt, "passes_in_doubt"),
        (Self::Passes, "passes"),
    ];

    fn of(check: &Check, alignment: &Alignment) -> Self {
        match check.verdict() {
            Verdict::Fail if check.part_match.is_doubtful => Self::FailsInDoubt,
            Verdict::Fail => Self::Fails,
            Verdict::Incomplete => Self::Incomplete,
            Verdict::Pass if alignment.reservations().is_some() => Self::PassesInDoubt,
            Verdict::Pass => Self::Passes,
        }
    }
}

/// A scan compared with a nominal: names of both, and the outcome for each tolerance.
struct Pair<'a> {
    scan: &'a str,
    nominal: &'a str,
    outcomes: [Outcome; TOLERANCES_MM.len()],
}

/// A twin is another part where at least this share of its surface is off the nominal by more than the tolerance.
const MIN_OFF: f64 = 0.01;
/// Points of its surface by which that is told.
const TWIN_POINTS: usize = 5_000;

/// Runs all pairs.
pub fn run(arguments: &Bench) -> Result<Value> {
    if arguments.twins {
        return run_twins(arguments);
    }
    let nominals: Vec<Nominal> = poses::parts_of(arguments)?.iter().map(nominal_of).collect();
    // A shortened run compares with the parts that follow in the order.
    let others = ((nominals.len() as f64 - 1.0) * arguments.scale).ceil() as usize;
    let mut rows = Vec::new();
    let mut holds = true;
    for views in VIEWS {
        let scans: Vec<Result<(Actual, Pose)>> = nominals.par_iter().map(|nominal| scan_of(nominal, views)).collect();
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for (i, (scan, own)) in scans.into_iter().zip(&nominals).enumerate() {
            let (scan, _) = scan?;
            for (step, nominal) in nominals.iter().cycle().skip(i).take(others + 1).enumerate() {
                let (outcomes, _) = compare(nominal, &scan)?;
                let pair = Pair { scan: &own.source.hash, nominal: &nominal.source.hash, outcomes };
                if step == 0 { &mut right } else { &mut wrong }.push(pair);
            }
        }
        for (t, tolerance_mm) in TOLERANCES_MM.into_iter().enumerate() {
            for (what, pairs, bad) in
                [("own part", &right, &WRONG_FOR_OWN_PART[..]), ("other parts", &wrong, &[Outcome::Passes][..])]
            {
                let found: Vec<(&Pair<'_>, Outcome)> =
                    pairs.iter().filter_map(|pair| Some((pair, *pair.outcomes.get(t)?))).collect();
                let which: Vec<String> = found
                    .iter()
                    .filter(|(_, outcome)| bad.contains(outcome))
                    .map(|(pair, outcome)| format!("{} on {}: {outcome:?}", pair.scan, pair.nominal))
                    .collect();
                holds &= which.is_empty();
                let count = |wanted| found.iter().filter(|(_, own)| *own == wanted).count();
                let mut row = serde_json::Map::new();
                let case = format!("scans from {views} directions on their {what}, ± {tolerance_mm} mm");
                row.insert("case".to_owned(), json!(case));
                row.insert("pairs".to_owned(), json!(found.len()));
                row.extend(Outcome::ALL.map(|(outcome, name)| (name.to_owned(), json!(count(outcome)))));
                row.insert("which".to_owned(), json!(which));
                rows.push(Value::Object(row));
            }
        }
    }
    let device = Cpu.device();
    Ok(
        json!({ "schema": "shadowgraph.bench/1", "suite": "wrong-parts", "device": device, "rows": rows, "holds": holds }),
    )
}

/// Scans of the twins of each part, mirrored, in other sizes and with one feature changed, compared with the part.
fn run_twins(arguments: &Bench) -> Result<Value> {
    let parts = poses::parts_of(arguments)?;
    let step = (1.0 / arguments.scale).round() as usize;
    let (mut rows, mut holds) = (Vec::new(), true);
    for views in VIEWS {
        // By tolerance: pairs by outcome, and those that pass without a word.
        let mut counts = [[0; Outcome::ALL.len()]; TOLERANCES_MM.len()];
        let mut which: [Vec<String>; TOLERANCES_MM.len()] = Default::default();
        for nominal in parts.iter().step_by(step.max(1)).map(nominal_of) {
            for twin in twins::of(nominal.surface.mesh()) {
                let twin = Nominal::in_memory(&format!("{}, {}", nominal.source.hash, twin.kind), twin.surface);
                let (scan, scan_from_twin) = scan_of(&twin, views)?;
                let (outcomes, nominal_from_scan) = compare(&nominal, &scan)?;
                for (t, outcome) in outcomes.into_iter().enumerate() {
                    let is_another =
                        off(&nominal, &twin, &(nominal_from_scan * scan_from_twin), TOLERANCES_MM[t]) > MIN_OFF;
                    if is_another || outcome != Outcome::Passes {
                        let slot = Outcome::ALL.iter().position(|(own, _)| *own == outcome);
                        slot.into_iter().for_each(|slot| counts[t][slot] += 1);
                        if outcome == Outcome::Passes {
                            which[t].push(twin.source.hash.clone());
                        }
                    }
                }
            }
        }
        for ((tolerance_mm, counts), which) in TOLERANCES_MM.into_iter().zip(counts).zip(which) {
            holds &= which.is_empty();
            let mut row = serde_json::Map::new();
            let case = format!("scans of twins from {views} directions, ± {tolerance_mm} mm");
            row.insert("case".to_owned(), json!(case));
            row.insert("pairs".to_owned(), json!(counts.iter().sum::<usize>()));
            row.extend(Outcome::ALL.iter().zip(counts).map(|((_, name), count)| ((*name).to_owned(), json!(count))));
            row.insert("which".to_owned(), json!(which));
            rows.push(Value::Object(row));
        }
    }
    let device = Cpu.device();
    Ok(
        json!({ "schema": "shadowgraph.bench/1", "suite": "wrong-parts", "device": device, "rows": rows, "holds": holds }),
    )
}

/// Share of the surface of a twin that is off a nominal by more than a tolerance.
fn off(nominal: &Nominal, twin: &Nominal, nominal_from_twin: &Pose, tolerance_mm: f64) -> f64 {
    let samples = sampling::by_area(twin.surface.mesh(), TWIN_POINTS, 1);
    let is_off =
        |own: &&SurfaceSample| nominal.surface.closest_point(&(nominal_from_twin * own.point), tolerance_mm).is_none();
    samples.iter().filter(is_off).count() as f64 / samples.len().max(1) as f64
}

/// Outcomes that are wrong for a scan of the part itself.
const WRONG_FOR_OWN_PART: [Outcome; 4] = [Outcome::Refused, Outcome::FailsInDoubt, Outcome::Fails, Outcome::Incomplete];

fn nominal_of(part: &Part) -> Nominal {
    let mut mesh = part.surface.mesh().clone();
    mesh.scale(DIAGONAL_MM / part.surface.bounds().diagonal());
    Nominal::in_memory(&part.name, Surface::new(mesh))
}

/// A scan of a part, and its true pose, `scan_from_nominal`.
fn scan_of(nominal: &Nominal, views: usize) -> Result<(Actual, Pose)> {
    let mut random = Random::new(views as u64, base::random::mix(nominal.source.name().len() as u64));
    let shift = Vector::new(random.normal(), random.normal(), random.normal()) * 100.0;
    let parameters = simulation::Parameters {
        sensor: Sensor { pitch_mm: [0.4; 2], range_sigma_mm: 0.02, ..Sensor::default().scaled(2.0) },
        views,
        points: Some(POINTS),
        scan_from_nominal: Pose::from_parts(shift.into(), random.rotation()),
        ..simulation::Parameters::default()
    };
    let cloud = simulation::run(&nominal.surface, &parameters, &Progress::silent())?.cloud;
    Ok((Actual::in_memory("scan", cloud), parameters.scan_from_nominal))
}

/// Compares a scan with a nominal, for each tolerance; and the pose found, `nominal_from_scan`.
fn compare(nominal: &Nominal, scan: &Actual) -> Result<([Outcome; TOLERANCES_MM.len()], Pose)> {
    let (parameters, silent) = (best_fit::Parameters::default(), Progress::silent());
    let aligned = run_automatic(nominal, scan, &parameters, &Cpu, &silent, &|_, _| ());
    let Ok(alignment) = aligned else { return Ok(([Outcome::Refused; TOLERANCES_MM.len()], Pose::identity())) };
    let mut outcomes = [Outcome::Refused; TOLERANCES_MM.len()];
    for (outcome, limit_mm) in outcomes.iter_mut().zip(TOLERANCES_MM) {
        let tolerance = Tolerance { low_mm: -limit_mm, high_mm: limit_mm };
        let parameters = Parameters { tolerance, ..Parameters::default() };
        let compared = Compared { nominal, actual: scan, is_found: alignment.is_among_others() };
        match check::run(&Cpu, &compared, &alignment.nominal_from_scan, &parameters, 3.0 * limit_mm, &silent) {
            Ok(check) => *outcome = Outcome::of(&check, &alignment),
            Err(UserError { kind: base::ErrorKind::Input, .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((outcomes, alignment.nominal_from_scan))
}
