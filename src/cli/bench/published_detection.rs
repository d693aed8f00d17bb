//! The published search for parts in its configurations beside ours, on the same piles: precision, recall and F1.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::detect::pile;
use super::detect_tally::is_right;
use super::poses::{Part, parts_of};
use super::published_training::{Trained, train};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use geometry::Surface;
use inspect::detection::published::{Known, Pool, Sample, Search, Weights};
use inspect::detection::{self, Detection, Parameters, PartModel, Placed, Scene};
use inspect::simulation::pile::Pile;
use io::atomic::write_bytes;

/// Piles, at a scale of 1.
const SCENES: f64 = 40.0;
/// Right and wrong ones of a configuration, and those found of all parts from 60 % visible, and of 10 to 35 %.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    all: usize,
    seen: [usize; 2],
    hidden: [usize; 2],
}

impl Counts {
    fn add(&mut self, models: &[PartModel<'_>], pile: &Pile, found: &[Placed]) {
        let mut is_found = vec![false; pile.parts.len()];
        for own in found {
            let is_it = |index: &usize| {
                !is_found[*index] && is_right(models, &pile.parts[*index], own.part, &own.scene_from_part)
            };
            match (0..pile.parts.len()).find(is_it) {
                Some(index) => (is_found[index], self.right) = (true, self.right + 1),
                None => self.wrong += 1,
            }
        }
        self.all += pile.parts.len();
        for (placed, is_found) in pile.parts.iter().zip(is_found) {
            let counts = match placed.visible_fraction {
                0.6.. => &mut self.seen,
                0.1..0.35 => &mut self.hidden,
                _ => continue,
            };
            *counts = [counts[0] + usize::from(is_found), counts[1] + 1];
        }
    }

    fn row(&self, case: &str) -> Value {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        json!({
            "case": case,
            "precision": share(self.right, self.right + self.wrong),
            "recall": share(self.right, self.all),
            "recall_from_60_percent": share(self.seen[0], self.seen[1]),
            "recall_10_to_35_percent": share(self.hidden[0], self.hidden[1]),
            "f1": share(2 * self.right, self.right + self.wrong + self.all),
            "right": self.right,
            "wrong": self.wrong,
            "parts": self.all,
        })
    }
}

pub const CONFIGURATIONS: [&str; 5] = [
    "published, ten terms, one stage (S, E, N)",
    "published, six terms, one stage (S, E, O, N)",
    "published, six terms, stage 1 alone (S, O, N)",
    "published, six terms, two stages (S, E, O, N)",
    "ours",
];

pub fn run(arguments: &Bench) -> Result<Value> {
    let parts = parts_of(arguments)?;
    let models: Vec<PartModel<'_>> =
        parts.iter().map(|own| PartModel::new(&own.name, &own.surface)).collect::<Result<_>>()?;
    let numbers = arguments.first..arguments.first + (SCENES * arguments.scale).ceil() as u64;
    let rows = match &arguments.train {
        Some(path) => {
            let trained = train(&parts, numbers, arguments)?;
            write_bytes(path, &serde_json::to_vec_pretty(&trained.0).unwrap_or_default())?;
            trained.1
        }
        None => compare(&parts, &models, numbers, arguments)?,
    };
    rows.iter().for_each(|row| eprintln!("{row}"));
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "published-detection", "rows": rows }))
}

fn compare(
    parts: &[Part],
    models: &[PartModel<'_>],
    numbers: std::ops::Range<u64>,
    arguments: &Bench,
) -> Result<Vec<Value>> {
    let weights = arguments.weights.as_deref().map_or_else(|| Ok(Trained::default()), Trained::read)?;
    let surfaces: Vec<&Surface> = parts.iter().map(|own| &own.surface).collect();
    let known: Vec<Known<'_>> = models.iter().map(Known::new).collect();
    let mut counts = [Counts::default(); CONFIGURATIONS.len()];
    let mut seconds = [0.0; CONFIGURATIONS.len()];
    let mut proposed = Counts::default();
    for number in numbers {
        let (pile, _) = pile(&surfaces, number, arguments)?;
        let started = std::time::Instant::now();
        let scene = scene_of(models, &pile)?;
        let search = search(&known, &scene)?;
        let pool = search.pool(&[])?;
        let of_scene = started.elapsed().as_secs_f64();
        proposed.add(models, &pile, &placed(&pool, &(0..pool.samples.len()).collect::<Vec<usize>>()));
        let mut found = Vec::new();
        for (index, weights) in [&weights.ten_terms, &weights.six_terms, &weights.first_stage].into_iter().enumerate() {
            let started = std::time::Instant::now();
            found.push(placed(&pool, &best(&pool, weights)));
            seconds[index] += of_scene + started.elapsed().as_secs_f64();
        }
        let started = std::time::Instant::now();
        let both = search.second_stage(&pool, &best(&pool, &weights.first_stage), &weights.second_stage)?;
        seconds[3] += of_scene + started.elapsed().as_secs_f64();
        found.push(both.samples.iter().map(Sample::placed).collect());
        let ours = detection::run(
            &Cpu,
            models,
            &pile.cloud,
            &Parameters::default(),
            &detection::Known::default(),
            &Progress::silent(),
        )?;
        seconds[4] += ours.total_ms / 1e3;
        found.push(ours.detections.iter().map(Detection::placed).collect::<Vec<Placed>>());
        counts.iter_mut().zip(&found).for_each(|(own, found)| own.add(models, &pile, found));
        let so_far = |own: &Counts| format!("{} right, {} wrong", own.right, own.wrong);
        eprintln!("scene {number}: {}", counts.iter().map(so_far).collect::<Vec<_>>().join("; "));
    }
    let rows = CONFIGURATIONS.iter().zip(&counts).zip(seconds).map(|((case, own), seconds)| {
        let mut row = own.row(case);
        row["seconds"] = json!(seconds);
        row
    });
    Ok(rows.chain([proposed.row("published, all poses to choose from")]).collect())
}

pub fn scene_of(models: &[PartModel<'_>], pile: &Pile) -> Result<Scene> {
    let largest_mm = models.iter().map(|own| own.diameter_mm).fold(0.0, f64::max);
    Scene::new(&Cpu, &pile.cloud, largest_mm, &Progress::silent())
}

pub fn search<'a>(known: &'a [Known<'a>], scene: &'a Scene) -> Result<Search<'a>> {
    static SILENT: std::sync::LazyLock<Progress> = std::sync::LazyLock::new(Progress::silent);
    Search::new(&Cpu, known, scene, &SILENT).ok_or_else(|| UserError::input("The sensor's position is not known."))
}

pub fn best(pool: &Pool, weights: &Weights) -> Vec<usize> {
    pool.anneal(weights).into_iter().next().map(|own| own.chosen).unwrap_or_default()
}

fn placed(pool: &Pool, chosen: &[usize]) -> Vec<Placed> {
    chosen.iter().map(|&own| pool.samples[own].placed()).collect()
}
