//! Detection of parts in piles whose truth is known: precision, recall by how much of a part is seen, and time.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::detect_data;
use super::detect_tally::Tally;
use super::detect_twins;
use super::poses::{Part, models_of, parts_of};
use base::random::Random;
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::{Backend, Device};
use geometry::Surface;
use inspect::detection::{self, Detection, Found, Known, Parameters, PartModel};
use inspect::simulation::pile::{self, Pile};

/// Piles, at a scale of 1.
const SCENES: f64 = 40.0;
/// Parts of a pile.
const PARTS: [usize; 2] = [5, 12];

pub fn run(arguments: &Bench) -> Result<Value> {
    if arguments.twins {
        return detect_twins::run(arguments);
    }
    let all = parts_of(arguments)?;
    let only = arguments.only.as_deref();
    let parts: Vec<Part> = all.into_iter().filter(|own| only.is_none_or(|only| only == own.name)).collect();
    let models = models_of(&parts)?;
    let surfaces: Vec<&Surface> = parts.iter().map(|own| &own.surface).collect();
    let cuda = Cuda::open().ok();
    let mut tally = Tally::new(models.len());
    let parameters = Parameters { generator: arguments.generator, ..Parameters::default() };
    let mut times = Times { parameters, ..Times::default() };
    let scenes = (SCENES * arguments.scale).ceil() as u64;
    for scene in arguments.first..arguments.first + scenes {
        let (pile, used) = pile(&surfaces, scene, arguments)?;
        let found = times.search(&Cpu, cuda.as_ref(), &models, &pile)?;
        if let Some(folder) = &arguments.data {
            detect_data::write(folder, scene, &parts, &pile)?;
        }
        let before = (tally.right, tally.wrong, tally.notes.len());
        let missed = tally.add(&models, &pile, &found.detections)?;
        tally.explain(&models, &pile, &missed)?;
        tally.notes[before.2..].iter_mut().for_each(|note| *note = format!("{scene}: {note}"));
        eprintln!(
            "scene {scene:3}: {} parts, {} right, {} wrong, {:.0} ms, {} points",
            used.len(),
            tally.right - before.0,
            tally.wrong - before.1,
            found.total_ms,
            pile.cloud.points.len()
        );
    }
    let mut rows = tally.rows(&models);
    rows.extend(times.rows(cuda.as_ref()));
    rows.iter().for_each(|row| eprintln!("{row}"));
    let device = cuda.map_or(Cpu.device(), |cuda| cuda.device());
    Ok(
        json!({ "schema": "shadowgraph.bench/1", "suite": "detect", "generator": arguments.generator, "device": device, "rows": rows }),
    )
}

/// Times of the searches of all piles, a part, and whether both devices found the same.
#[derive(Default)]
struct Times {
    /// Of the searches.
    parameters: Parameters,
    /// On the CPU, ms.
    cpu_ms: Vec<f64>,
    /// On the GPU, ms.
    cuda_ms: Vec<f64>,
    /// Piles in which the devices found the same parts, and named the same candidates in the same order, in poses that are the
    /// same to 1e-6 mm.
    same: usize,
    /// Fewest of these in a pile.
    fewest_ranked: Option<usize>,
}

impl Times {
    /// Searches a pile on all devices; what the CPU found.
    fn search(&mut self, cpu: &Cpu, cuda: Option<&Cuda>, models: &[PartModel<'_>], pile: &Pile) -> Result<Found> {
        let search = |backend: &dyn Backend| {
            detection::run(backend, models, &pile.cloud, &self.parameters, &Known::default(), &Progress::silent())
        };
        if let Some(cuda) = cuda {
            // The first use of a device loads its kernels.
            if self.cuda_ms.is_empty() {
                search(cuda)?;
            }
            let found = search(cuda)?;
            self.cuda_ms.push(found.total_ms / models.len() as f64);
            let reference = search(cpu)?;
            let [ours, theirs] = [&found, &reference].map(ranking);
            self.same += usize::from(are_same(&ours, &theirs));
            self.fewest_ranked = Some(self.fewest_ranked.map_or(theirs.len(), |fewest| fewest.min(theirs.len())));
            self.cpu_ms.push(reference.total_ms / models.len() as f64);
            return Ok(reference);
        }
        let found = search(cpu)?;
        self.cpu_ms.push(found.total_ms / models.len() as f64);
        Ok(found)
    }

    fn rows(&self, cuda: Option<&Cuda>) -> Vec<Value> {
        let row = |device: Device, times_ms: &[f64]| {
            let mut sorted = times_ms.to_vec();
            sorted.sort_by(f64::total_cmp);
            let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied();
            json!({ "case": "time a part", "device": device, "median_ms": at(0.5), "p95_ms": at(0.95), "piles": sorted.len() })
        };
        let mut rows = vec![row(Cpu.device(), &self.cpu_ms)];
        if let Some(cuda) = cuda {
            rows.push(row(cuda.device(), &self.cuda_ms));
            rows.push(json!({
                "case": "same on both devices",
                "piles": self.same,
                "of": self.cuda_ms.len(),
                "fewest_parts_and_candidates": self.fewest_ranked,
            }));
        }
        rows
    }
}

/// What a search names, in its order: parts, then candidates.
fn ranking(found: &Found) -> Vec<&Detection> {
    [&found.detections, &found.rejected, &found.possible].into_iter().flatten().collect()
}

/// Whether two searches name the same parts in the same poses.
fn are_same(a: &[&Detection], b: &[&Detection]) -> bool {
    let is_same = |(a, b): (&&Detection, &&Detection)| {
        let off = a.scene_from_part.inverse() * b.scene_from_part;
        a.part == b.part && off.translation.vector.norm() < 1e-6 && off.rotation.angle() < 1e-8
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// A pile of parts of about one size each, where they touch or at rest in a bin, and which they are.
pub fn pile(surfaces: &[&Surface], scene: u64, arguments: &Bench) -> Result<(Pile, Vec<usize>)> {
    let mut random = Random::new(scene, 0xB1);
    let count = PARTS[0] + random.index(PARTS[1] - PARTS[0] + 1);
    let used: Vec<usize> = (0..count).map(|_| random.index(surfaces.len())).collect();
    let sizes_mm = used.iter().map(|&part| surfaces[part].bounds().diagonal());
    let (size_mm, largest_mm) = (sizes_mm.clone().sum::<f64>() / count as f64, sizes_mm.fold(0.0, f64::max));
    let mut parameters = match arguments.in_bin {
        true => pile::Parameters::in_bin(count, size_mm, largest_mm, scene),
        false => pile::Parameters::for_parts(count, size_mm, scene),
    };
    parameters.sensor.pitch_mm = parameters.sensor.field_mm.map(|side_mm| side_mm / f64::from(arguments.pixels.max(1)));
    Ok((pile::run(surfaces, &used, &parameters, &Progress::silent())?, used))
}
