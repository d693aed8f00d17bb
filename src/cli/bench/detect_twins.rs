//! Detection of parts that are absent: piles of their twins, mirrored, in other sizes and with one feature changed. None of these
//! may be found without doubt, unless what is seen of it is off the part by less than the detection says it would notice.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses::{Part, parts_of};
use super::twins::{self, Twin};
use base::{Progress, Result, UserError};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::{Cloud, KdTree, Point, Pose, Surface, thinning};
use inspect::alignment::{best_fit, recipe};
use inspect::detection::{self, Detection, DetectionLimit, Known, Parameters, PartModel};
use inspect::parts::PreparedScan;
use inspect::simulation::pile::{self, Pile, PlacedPart};

/// Piles that the twins of a part lie in.
const PILES: usize = 2;
/// Share of the neighbours that are off where a region is as wide as the detection states, and reach of connected points, spacings.
const WITHIN_SHARE: f64 = 0.9;
const CONNECTED_REACH: f64 = 2.5;

/// Finds of absent parts.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Twins in the piles.
    twins: usize,
    /// Found, with a word about it.
    in_doubt: usize,
    /// Found without, where what is seen of the twin is off the part by more than the detection says it would notice.
    without_doubt: usize,
    /// Found without, where it is off by less.
    below_limit: usize,
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
            "found_without_doubt": own.without_doubt, "found_below_the_limit": own.below_limit,
        })
    };
    let mut rows = Vec::new();
    for (kind, own) in &counts {
        all.twins += own.twins;
        all.in_doubt += own.in_doubt;
        all.without_doubt += own.without_doubt;
        all.below_limit += own.below_limit;
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
        let limit = found.detection_limit.ok_or_else(|| UserError::input("What was looked for has no limit."))?;
        let region_mm2 = region_off_mm2(model, own, &points, &limit);
        let count = match (own.is_in_doubt(), region_mm2 >= limit.area_mm2) {
            (true, _) => &mut counts.in_doubt,
            (false, true) => &mut counts.without_doubt,
            (false, false) => &mut counts.below_limit,
        };
        *count += 1;
        notes.push(format!(
            "{seed}: {} found where {} lies, {:.0} % visible, score {:.2}, RMS {:.4} mm, {:.1} mm² off by {:.2} mm, {:.1} mm² would be noticed: {}",
            model.name,
            twins[placed.part].kind,
            100.0 * placed.visible_fraction,
            own.score,
            own.fit.rms_mm,
            region_mm2,
            limit.deviation_mm,
            limit.area_mm2,
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

/// The largest region of what is seen of a twin that is off the part by as much, and as wide, as a detection states, mm². The part
/// lies where it was found or where it fits all of the twin best: the smaller of both.
fn region_off_mm2(model: &PartModel<'_>, own: &Detection, points: &[Point], limit: &DetectionLimit) -> f64 {
    let scan = PreparedScan::new(&Cloud::from_points(points.to_vec()));
    let problem = recipe::problem(model.surface, &scan);
    let start = own.scene_from_part.inverse();
    let fit =
        best_fit::run(&Cpu, &problem, &start, &best_fit::Parameters::default(), &Progress::silent(), &mut |_, _| ());
    let fitted = fit.map_or(start, |fit| fit.nominal_from_scan);
    let tree = KdTree::new(points);
    let spacing_mm = thinning::spacing_mm(&tree, points);
    let near = |index: usize, reach_mm: f64| {
        let mut near = Vec::new();
        tree.within_radius(&points[index], reach_mm, |point| near.push(point.number as usize));
        near
    };
    let area_mm2 = |part_from_scene: &Pose| {
        let is_off: Vec<bool> = points
            .iter()
            .map(|point| model.surface.closest_point(&(part_from_scene * point), limit.deviation_mm).is_none())
            .collect();
        // Where a disc as wide as stated is off: all that such discs cover.
        let mut is_covered = vec![false; points.len()];
        for index in (0..points.len()).filter(|index| is_off[*index]) {
            let disc = near(index, 0.5 * limit.width_mm);
            let off: Vec<usize> = disc.iter().copied().filter(|other| is_off[*other]).collect();
            if off.len() as f64 >= WITHIN_SHARE * disc.len() as f64 {
                off.into_iter().for_each(|other| is_covered[other] = true);
            }
        }
        let mut largest = 0;
        for start in 0..points.len() {
            let mut pending = Vec::from_iter(std::mem::take(&mut is_covered[start]).then_some(start));
            let mut count = 0;
            while let Some(index) = pending.pop() {
                count += 1;
                let beside = near(index, CONNECTED_REACH * spacing_mm);
                pending.extend(beside.into_iter().filter(|other| std::mem::take(&mut is_covered[*other])));
            }
            largest = largest.max(count);
        }
        largest as f64 * spacing_mm.powi(2)
    };
    area_mm2(&start).min(area_mm2(&fitted))
}
