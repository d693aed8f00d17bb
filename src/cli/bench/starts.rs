//! The automatic start of scans that hold more than the part: a floor, and other parts that lie on and around it.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses::{Part, parts_of};
use base::random::Random;
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::{Cloud, Pose, Surface};
use inspect::alignment::recipe::run_automatic;
use inspect::alignment::{Alignment, AmongOthers, best_fit};
use inspect::detection::PartModel;
use inspect::deviation::check::{self, Compared};
use inspect::deviation::{Parameters, Tolerance, Verdict};
use inspect::parts::{Actual, Nominal};
use inspect::simulation::pile::{self, Pile, Support};

/// A pose is right if the surfaces are closer on average than this share of the diameter.
const MAX_ERROR: f64 = 0.005;
/// Least share of the part that is seen.
const MIN_VISIBLE: f64 = 0.5;
/// Tolerance of the comparisons with a part that is not there.
const TOLERANCE: Tolerance = Tolerance { low_mm: -0.5, high_mm: 0.5 };
/// Scenes of a part that are tried until one shows enough of it.
const TRIES: u64 = 20;

/// What lies in a scene beside the part.
#[derive(Clone, Copy)]
struct Scene {
    name: &'static str,
    has_floor: bool,
    others: usize,
    /// Whether the scan says where the sensor stood.
    has_viewpoint: bool,
    /// Whether the part is there at all.
    has_part: bool,
}

const SCENES: [Scene; 7] = [
    Scene { name: "alone", has_floor: false, others: 0, has_viewpoint: true, has_part: true },
    Scene { name: "on a floor", has_floor: true, others: 0, has_viewpoint: true, has_part: true },
    Scene { name: "with three others", has_floor: false, others: 3, has_viewpoint: true, has_part: true },
    Scene { name: "with three others on a floor", has_floor: true, others: 3, has_viewpoint: true, has_part: true },
    Scene { name: "the same, sensor unknown", has_floor: true, others: 3, has_viewpoint: false, has_part: true },
    Scene { name: "one other on a floor", has_floor: true, others: 1, has_viewpoint: true, has_part: false },
    Scene { name: "four others on a floor", has_floor: true, others: 4, has_viewpoint: true, has_part: false },
];

/// How often a start led to each outcome, and its time.
#[derive(Default)]
struct Count {
    right: usize,
    truth_named: usize,
    doubtful: usize,
    confident_wrong: usize,
    refused: usize,
    /// Where the part is not there: how often it was found nevertheless, and passed.
    found: usize,
    passed: usize,
    which: Vec<String>,
    times_ms: Vec<f64>,
}

/// Runs all scenes.
pub fn run(arguments: &Bench) -> Result<Value> {
    let parts = parts_of(arguments)?;
    let seeds = ((2.0 * arguments.scale).round() as u64).max(1);
    let mut rows = Vec::new();
    for scene in SCENES.iter().filter(|own| arguments.only.as_deref().is_none_or(|only| own.name == only)) {
        let mut count = Count::default();
        for (index, part) in parts.iter().enumerate() {
            let model = PartModel::new(&part.name, &part.surface)?;
            let nominal = Nominal::in_memory(&part.name, Surface::new(part.surface.mesh().clone()));
            for seed in 0..seeds {
                let Some((cloud, truth)) = scan_of(&parts, index, *scene, seed)? else { continue };
                let scan = Actual::in_memory(&part.name, cloud);
                let started = std::time::Instant::now();
                let parameters = best_fit::Parameters::default();
                let found = run_automatic(&nominal, &scan, &parameters, &Cpu, &Progress::silent(), &|_, _| ());
                count.times_ms.push(started.elapsed().as_secs_f64() * 1e3);
                match scene.has_part {
                    true => count.add(&model, &truth, &found),
                    false => count.add_absent(&nominal, &scan, &found)?,
                }
            }
        }
        let row = count.row(scene.name);
        eprintln!("{row}");
        rows.push(row);
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "starts", "device": Cpu.device(), "rows": rows }))
}

/// A scan of a scene with one part, and the pose of the part in it; `None` if none showed enough of it.
fn scan_of(parts: &[Part], index: usize, scene: Scene, seed: u64) -> Result<Option<(Cloud, Pose)>> {
    let mut random = Random::new(seed, 0x57A7 + index as u64);
    let others: Vec<usize> = (0..parts.len()).filter(|&other| other != index).collect();
    for _ in 0..TRIES {
        let number = random.bits();
        let own = scene.has_part.then_some(&index);
        let drawn = (0..scene.others).filter_map(|_| others.get(random.index(others.len())));
        let used: Vec<&Part> = own.into_iter().chain(drawn).filter_map(|&used| parts.get(used)).collect();
        let surfaces: Vec<&Surface> = used.iter().map(|own| &own.surface).collect();
        let size_mm = surfaces.iter().map(|own| own.bounds().diagonal()).sum::<f64>() / surfaces.len() as f64;
        let parameters = pile::Parameters {
            support: if scene.has_floor { Support::Floor } else { Support::Unseen },
            ..pile::Parameters::for_parts(surfaces.len(), size_mm, number)
        };
        let order: Vec<usize> = (0..surfaces.len()).collect();
        let Pile { parts: placed, cloud } = pile::run(&surfaces, &order, &parameters, &Progress::silent())?;
        let viewpoint = cloud.viewpoint.filter(|_| scene.has_viewpoint);
        if let Some(own) = placed.first().filter(|own| !scene.has_part || own.visible_fraction >= MIN_VISIBLE) {
            return Ok(Some((Cloud { viewpoint, ..cloud }, own.scene_from_part)));
        }
    }
    Ok(None)
}

impl Count {
    fn add(&mut self, model: &PartModel<'_>, truth: &Pose, found: &Result<Alignment>) {
        let Ok(found) = found else {
            self.refused += 1;
            return;
        };
        let share = |pose: &Pose| model.distance_mm(&pose.inverse(), truth) / model.diameter_mm;
        let off = share(&found.nominal_from_scan);
        if off < MAX_ERROR {
            self.right += 1;
            return;
        }
        let is_named = found.alternatives.iter().any(|other| share(&other.nominal_from_scan) < 3.0 * MAX_ERROR);
        let is_doubtful = !found.remarks().is_empty();
        let kind = match (is_named, is_doubtful) {
            (true, _) => &mut self.truth_named,
            (_, true) => &mut self.doubtful,
            _ => &mut self.confident_wrong,
        };
        *kind += 1;
        self.which.push(format!("{} {:.3}", model.name, off));
    }

    /// Counts a search for a part that is not there.
    fn add_absent(&mut self, nominal: &Nominal, scan: &Actual, found: &Result<Alignment>) -> Result<()> {
        let Some(found) = found.as_ref().ok().filter(|own| own.is_among_others()) else {
            self.refused += 1;
            return Ok(());
        };
        self.found += 1;
        let parameters = Parameters { tolerance: TOLERANCE, ..Parameters::default() };
        let compared = Compared { nominal, actual: scan, is_found: true };
        let check = check::run(&Cpu, &compared, &found.nominal_from_scan, &parameters, 1.0, &Progress::silent())?;
        let passes = check.verdict() == Verdict::Pass;
        self.passed += usize::from(passes);
        self.which.push(format!(
            "{} {:.2}{}, explained {:.2}, in view {:.2?}",
            nominal.source.name(),
            match found.among_others {
                Some(AmongOthers::Found { score, .. }) => score,
                _ => 0.0,
            },
            if passes { " passes" } else { "" },
            check.part_match.explained_of_part_fraction,
            check.measurement.coverage.in_view_fraction,
        ));
        Ok(())
    }

    fn row(&mut self, scene: &str) -> Value {
        self.times_ms.sort_by(f64::total_cmp);
        json!({
            "case": scene,
            "right": self.right,
            "truth_named": self.truth_named,
            "doubtful": self.doubtful,
            "confident_wrong": self.confident_wrong,
            "refused": self.refused,
            "found": self.found,
            "passed": self.passed,
            "median_time_ms": self.times_ms.get(self.times_ms.len() / 2),
            "which": self.which,
        })
    }
}
