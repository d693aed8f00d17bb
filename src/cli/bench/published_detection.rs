//! The published search for parts in its configurations beside ours, on the same piles: precision, recall and F1.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use std::ops::Range;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::detect::pile;
use super::detect_tally::is_right;
use super::poses::{Part, models_of, parts_of};
use super::published_training::{Trained, train};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use geometry::Surface;
use inspect::detection::published::{Known, Pool, Sample, Search, Weights};
use inspect::detection::{self, Detection, Parameters, PartModel, Placed, Scene};
use inspect::simulation::pile::Pile;

/// Piles, at a scale of 1.
const SCENES: f64 = 40.0;

/// Systems that are compared.
pub const CONFIGURATIONS: [&str; 6] = [
    "published, ten terms, one stage (S, E, N)",
    "published, six terms, one stage (S, E, O, N)",
    "published, six terms, stage 1 alone (S, O, N)",
    "published, six terms, two stages (S, E, O, N)",
    "published, all poses to choose from",
    "ours",
];

/// What a system found in a pile, and how long it took, s.
type Answer = (Vec<Placed>, f64);

/// Right and wrong ones of a system.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    all: usize,
    /// Found, and all, of those from 60 % visible and of those 10 to 35 % visible.
    seen: [usize; 2],
    hidden: [usize; 2],
    seconds: f64,
}

impl Counts {
    fn add(&mut self, models: &[PartModel<'_>], pile: &Pile, (found, seconds): &Answer) {
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
        self.seconds += seconds;
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
            "seconds": self.seconds,
        })
    }
}

pub fn run(arguments: &Bench) -> Result<Value> {
    let parts = parts_of(arguments)?;
    let numbers = arguments.first..arguments.first + (SCENES * arguments.scale).ceil() as u64;
    let rows = match &arguments.train {
        Some(path) => {
            let (trained, rows) = train(&parts, numbers, arguments)?;
            trained.write(path)?;
            rows
        }
        None => compare(&parts, numbers, arguments)?,
    };
    rows.iter().for_each(|row| eprintln!("{row}"));
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "published-detection", "rows": rows }))
}

fn compare(parts: &[Part], numbers: Range<u64>, arguments: &Bench) -> Result<Vec<Value>> {
    let weights = arguments.weights.as_deref().map_or_else(|| Ok(Trained::default()), Trained::read)?;
    let surfaces: Vec<&Surface> = parts.iter().map(|own| &own.surface).collect();
    let models = models_of(parts)?;
    let known: Vec<Known<'_>> = models.iter().map(Known::new).collect();
    let mut counts = [Counts::default(); CONFIGURATIONS.len()];
    for number in numbers {
        let (pile, _) = pile(&surfaces, number, arguments)?;
        let mut answers = of_published(&models, &known, &pile, &weights)?;
        answers.push(of_ours(&models, &pile)?);
        counts.iter_mut().zip(&answers).for_each(|(own, answer)| own.add(&models, &pile, answer));
        let so_far = |own: &Counts| format!("{} right, {} wrong", own.right, own.wrong);
        eprintln!("scene {number}: {}", counts.iter().map(so_far).collect::<Vec<_>>().join("; "));
    }
    Ok(CONFIGURATIONS.iter().zip(&counts).map(|(case, own)| own.row(case)).collect())
}

/// Answers of the published search in its configurations, and all poses that it chooses from.
fn of_published(models: &[PartModel<'_>], known: &[Known<'_>], pile: &Pile, weights: &Trained) -> Result<Vec<Answer>> {
    let (started, silent) = (Instant::now(), Progress::silent());
    let scene = scene_of(models, pile)?;
    let search = search(known, &scene, &silent)?;
    let pool = search.pool(&[])?;
    let of_pool = started.elapsed().as_secs_f64();
    let timed = |work: &dyn Fn() -> Result<Vec<Placed>>| {
        let started = Instant::now();
        work().map(|found| (found, of_pool + started.elapsed().as_secs_f64()))
    };
    let placed = |samples: &[Sample]| samples.iter().map(Sample::placed).collect::<Vec<Placed>>();
    let one_stage = |weights: &Weights| {
        timed(&|| Ok(best(&pool, weights).into_iter().map(|own| pool.samples[own].placed()).collect()))
    };
    let two_stages = || {
        let first = best(&pool, &weights.first_stage);
        search.second_stage(&pool, &first, &weights.second_stage).map(|own| placed(&own.samples))
    };
    Ok(vec![
        one_stage(&weights.ten_terms)?,
        one_stage(&weights.six_terms)?,
        one_stage(&weights.first_stage)?,
        timed(&two_stages)?,
        (placed(&pool.samples), of_pool),
    ])
}

fn of_ours(models: &[PartModel<'_>], pile: &Pile) -> Result<Answer> {
    let (parameters, known) = (Parameters::default(), detection::Known::default());
    let found = detection::run(&Cpu, models, &pile.cloud, &parameters, &known, &Progress::silent())?;
    Ok((found.detections.iter().map(Detection::placed).collect(), found.total_ms / 1e3))
}

/// What the sensor saw of a pile.
pub fn scene_of(models: &[PartModel<'_>], pile: &Pile) -> Result<Scene> {
    let largest_mm = models.iter().map(|own| own.diameter_mm).fold(0.0, f64::max);
    Scene::new(&Cpu, &pile.cloud, largest_mm, &Progress::silent())
}

/// The published search of a scene.
pub fn search<'a>(known: &'a [Known<'a>], scene: &'a Scene, progress: &'a Progress) -> Result<Search<'a>> {
    Search::new(&Cpu, known, scene, progress).ok_or_else(|| UserError::input("The sensor's position is not known."))
}

/// The best set of poses under some weights.
pub fn best(pool: &Pool, weights: &Weights) -> Vec<usize> {
    pool.anneal(weights).into_iter().next().map(|own| own.chosen).unwrap_or_default()
}
