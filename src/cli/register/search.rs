//! `register --search`: point-to-point registration with a chosen search, of one scan or a sequence of scans.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::console::Console;
use super::answer::{Convergence, pose_json, text};
use super::files::{Files, load};
use super::{Register, write_pose};
use crate::output::out;
use base::{Progress, Result, UserError, file_name};
use dispatch::Context;
use geometry::{OrderedPoints, transform};
use inspect::alignment::search_registration::{Parameters, RegistrationResult, Tracker};
use report::summary;

/// A scan and its registration result.
struct Frame {
    scan: PathBuf,
    registered: RegistrationResult,
}

/// Registers the scan and those that follow it; returns the exit code.
pub fn run(
    parameters: &Parameters,
    files: &mut Files,
    arguments: &Register,
    json: bool,
    context: &Context,
    (console, progress): (&Console, &Progress),
) -> Result<i32> {
    let started = std::time::Instant::now();
    let start = files.start(arguments, console, &progress.part(0.0, 0.3))?;
    files.say(console);
    let backend = context.backend.as_ref();
    let scans = 1 + arguments.track.len();
    let part = |index: usize| {
        let fraction = |index: usize| 0.4 + 0.6 * index as f32 / scans as f32;
        progress.part(fraction(index), fraction(index + 1))
    };
    let (frames, nominal_points) = files.with_inputs(|nominal, scan| {
        let mut tracker = Tracker::new(nominal, scan.points.len(), parameters.clone(), &progress.part(0.3, 0.4))?;
        let registered = tracker.register(backend, scan, Some(start), &part(0))?;
        let mut frames = vec![Frame { scan: arguments.scan.clone(), registered }];
        for (i, path) in arguments.track.iter().enumerate() {
            let own = part(i + 1);
            let loaded = load(path, arguments, context, &own.part(0.0, 0.5))?;
            let scan = OrderedPoints::new(&loaded.cloud.points);
            let registered = tracker
                .register(backend, &scan, None, &own.part(0.5, 1.0))
                .map_err(|error| error.about(&file_name(path)))?;
            frames.push(Frame { scan: path.clone(), registered });
        }
        Ok((frames, tracker.truth().points().len()))
    })?;
    console.done();
    backend.take_notices().iter().for_each(|notice| console.say(notice));
    let last = frames.last().ok_or_else(|| UserError::internal("No scan was registered."))?;
    let alignment = last.registered.alignment();
    write_pose(arguments, &alignment.nominal_from_scan)?;
    if json {
        super::super::print_json(&json!({
            "schema": "shadowgraph.registration/1",
            "backend": backend.device(),
            "alignment": summary::alignment_json(&alignment),
            "pose": pose_json(&alignment.nominal_from_scan),
            "stop": last.registered.answer.stop,
            "iterations": alignment.iterations,
            "mse_history_mm2": history_mm2(&last.registered),
            "search": {
                "name": parameters.search.key(),
                "filter": parameters.filter,
                "max_iterations": parameters.max_iterations,
                "threshold_mm2": parameters.error_limit_mm2,
                "change_threshold_mm2": parameters.change_limit_mm2,
                "nominal_points": nominal_points,
            },
            "frames": frames.iter().map(Frame::json).collect::<Vec<_>>(),
            "total_ms": started.elapsed().as_secs_f64() * 1e3,
        }))?;
        return Ok(0);
    }
    for frame in &frames {
        console.say(&frame.summary(nominal_points));
    }
    let history_mm2 = history_mm2(&last.registered);
    let convergence = Convergence {
        iterations: alignment.iterations,
        stop: last.registered.answer.stop.name(),
        history_mm2: &history_mm2,
    };
    out!("{}", text(&alignment.nominal_from_scan, &convergence));
    Ok(0)
}

fn history_mm2(registered: &RegistrationResult) -> Vec<f64> {
    registered.answer.iterations.iter().map(|iteration| iteration.error_mm2).collect()
}

impl Frame {
    fn json(&self) -> Value {
        let RegistrationResult { start, started_from_matches, total_ms, answer } = &self.registered;
        json!({
            "scan": self.scan.to_string_lossy(),
            "points": answer.matches.len(),
            "left_out": answer.active.iter().filter(|active| !**active).count(),
            "start": transform::rows_of(start),
            "started_from_matches": started_from_matches,
            "pose": pose_json(&answer.truth_from_sensed),
            "rms_mm": answer.error_mm2().sqrt(),
            "stop": answer.stop,
            "iterations": answer.iterations.len(),
            "mse_history_mm2": history_mm2(&self.registered),
            "visited_first": answer.mean_visited(0..1),
            "visited_after_first": answer.mean_visited(1..),
            "total_ms": total_ms,
        })
    }

    fn summary(&self, nominal_points: usize) -> String {
        let answer = &self.registered.answer;
        let left_out = answer.active.iter().filter(|active| !**active).count();
        format!(
            "{}: RMS {:.6} mm, {} iterations in {:.1} ms, {} points on {nominal_points}, {left_out} left out; {}.",
            file_name(&self.scan),
            answer.error_mm2().sqrt(),
            answer.iterations.len(),
            self.registered.total_ms,
            answer.matches.len(),
            answer.stop.name()
        )
    }
}
