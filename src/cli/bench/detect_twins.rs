//! Detection of parts that are absent: piles of their twins, mirrored, in other sizes and with one feature changed. None of these
//! may be found without doubt, but where what is seen of it does not tell it from the part.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses::{Part, parts_of};
use super::twins::{self, Twin};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::{Cloud, KdTree, Point, Pose, Surface, thinning};
use inspect::alignment::{best_fit, recipe};
use inspect::detection::{self, Detection, Known, Parameters, PartModel};
use inspect::parts::PreparedScan;
use inspect::simulation::pile::{self, Pile, PlacedPart};

/// Piles that the twins of a part lie in.
const PILES: usize = 2;
/// Points tell a twin from the part if, after a fit of the part to all on the twin, they are off it by this many standard deviations
/// of the sensor, and so are most of those around them, within so many spacings: at least so many points lie within a region that is
/// several points wide.
const TELLING_SIGMAS: f64 = 5.0;
const TELLING_REACH: f64 = 2.5;
const TELLING_SHARE: f64 = 0.75;
const TELLING_POINTS: usize = 10;

/// Finds of absent parts.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Twins in the piles.
    twins: usize,
    /// Found, with a word about it.
    in_doubt: usize,
    /// Found without, where points tell the twin from the part.
    without_doubt: usize,
    /// Found without, where none do.
    untold: usize,
}

pub fn run(arguments: &Bench) -> Result<Value> {
    let parts = parts_of(arguments)?;
    let only = arguments.only.as_deref();
    let wanted: Vec<&Part> = parts.iter().filter(|own| only.is_none_or(|only| only == own.name)).collect();
    let step = (1.0 / arguments.scale).round() as usize;
    let (mut counts, mut notes) = (BTreeMap::new(), Vec::new());
    for (number, part) in wanted.into_iter().enumerate().step_by(step.max(1)) {
        let (model, twins) = (PartModel::new(&part.name, &part.surface)?, twins::of(part.surface.mesh()));
        for half in 0..PILES {
            let used: Vec<usize> = (half..twins.len()).step_by(PILES).collect();
            let seed = arguments.first + (PILES * number + half) as u64;
            let found = search(&model, &twins, &used, seed, arguments, &mut counts)?;
            found.iter().for_each(|note| eprintln!("{note}"));
            notes.extend(found);
        }
    }
    let mut all = Counts::default();
    let row = |case: &str, own: &Counts| {
        json!({
            "case": format!("absent parts, {case}"), "twins": own.twins, "found_in_doubt": own.in_doubt,
            "found_without_doubt": own.without_doubt, "found_where_nothing_seen_tells": own.untold,
        })
    };
    let mut rows = Vec::new();
    for (kind, own) in &counts {
        all.twins += own.twins;
        all.in_doubt += own.in_doubt;
        all.without_doubt += own.without_doubt;
        all.untold += own.untold;
        rows.push(row(kind, own));
    }
    rows.push(row("all twins", &all));
    rows.iter().for_each(|row| eprintln!("{row}"));
    let holds = all.without_doubt == 0;
    Ok(json!({
        "schema": "shadowgraph.bench/1", "suite": "detect", "device": Cpu.device(), "rows": rows, "notes": notes,
        "holds": holds,
    }))
}

/// Searches a pile of some twins of a part for the part; what was found.
fn search(
    model: &PartModel<'_>,
    twins: &[Twin],
    used: &[usize],
    seed: u64,
    arguments: &Bench,
    counts: &mut BTreeMap<String, Counts>,
) -> Result<Vec<String>> {
    let surfaces: Vec<&Surface> = twins.iter().map(|own| &own.surface).collect();
    let mut parameters = pile::Parameters::for_parts(used.len(), model.diameter_mm, seed);
    parameters.sensor.pitch_mm = parameters.sensor.field_mm.map(|side_mm| side_mm / f64::from(arguments.pixels.max(1)));
    let sigma_mm = parameters.sensor.range_sigma_mm + parameters.sensor.bias_mm;
    let pile = pile::run(&surfaces, used, &parameters, &Progress::silent())?;
    for &twin in used {
        counts.entry(twins[twin].kind.clone()).or_default().twins += 1;
    }
    let models = std::slice::from_ref(model);
    let settings = Parameters { generator: arguments.generator, ..Parameters::default() };
    let found = detection::run(&Cpu, models, &pile.cloud, &settings, &Known::default(), &Progress::silent())?;
    let mut notes = Vec::new();
    for own in &found.detections {
        let Some((placed, points)) = under(own, &surfaces, &pile, 3.0 * sigma_mm) else { continue };
        let counts = counts.entry(twins[placed.part].kind.clone()).or_default();
        let is_told = is_told(model, own, &points, sigma_mm);
        let count = match (own.is_in_doubt(), is_told) {
            (true, _) => &mut counts.in_doubt,
            (false, true) => &mut counts.without_doubt,
            (false, false) => &mut counts.untold,
        };
        *count += 1;
        notes.push(format!(
            "{seed}: {} found where {} lies, {:.0} % visible, score {:.2}, RMS {:.4} mm, {}told by its points: {}",
            model.name,
            twins[placed.part].kind,
            100.0 * placed.visible_fraction,
            own.score,
            own.fit.rms_mm,
            if is_told { "" } else { "not " },
            own.ambiguity(&[]).unwrap_or_default(),
        ));
    }
    Ok(notes)
}

/// The part of a pile that lies under most points of a detection, and all points on it.
fn under<'a>(
    own: &Detection,
    surfaces: &[&Surface],
    pile: &'a Pile,
    limit_mm: f64,
) -> Option<(&'a PlacedPart, Vec<Point>)> {
    let is_on = |placed: &PlacedPart, point: &Point| {
        let surface = surfaces[placed.part];
        surface.closest_point(&(placed.scene_from_part.inverse() * point), limit_mm).is_some()
    };
    let claimed = |placed: &&PlacedPart| {
        let points = own.points.iter().step_by(10).filter_map(|&index| pile.cloud.points.get(index as usize));
        points.filter(|point| is_on(placed, point)).count()
    };
    let placed = pile.parts.iter().max_by_key(claimed)?;
    let points = pile.cloud.points.iter().filter(|point| is_on(placed, point)).copied().collect();
    Some((placed, points))
}

/// Whether the points on a twin are off the part, fitted to them from where it was found.
fn is_told(model: &PartModel<'_>, own: &Detection, points: &[Point], sigma_mm: f64) -> bool {
    let scan = PreparedScan::new(&Cloud::from_points(points.to_vec()));
    let problem = recipe::problem(model.surface, &scan);
    let start = own.scene_from_part.inverse();
    let fit =
        best_fit::run(&Cpu, &problem, &start, &best_fit::Parameters::default(), &Progress::silent(), &mut |_, _| ());
    let fitted = fit.map_or(start, |fit| fit.nominal_from_scan);
    let tree = KdTree::new(points);
    let reach_mm = TELLING_REACH * thinning::spacing_mm(&tree, points);
    let telling = |pose: &Pose| {
        let limit_mm = TELLING_SIGMAS * sigma_mm;
        let is_off: Vec<bool> =
            points.iter().map(|point| model.surface.closest_point(&(pose * point), limit_mm).is_none()).collect();
        let is_within = |index: &usize| {
            let mut counts = [0_usize; 2];
            tree.within_radius(&points[*index], reach_mm, |near| {
                counts[usize::from(is_off[near.number as usize])] += 1
            });
            is_off[*index] && counts[1] as f64 >= TELLING_SHARE * (counts[0] + counts[1]) as f64
        };
        (0..points.len()).filter(is_within).count()
    };
    telling(&start).min(telling(&fitted)) >= TELLING_POINTS
}
