//! Progress reporting and cancellation of long calls. Each call reports its own progress from 0 to 1; the caller maps
//! that to its share of the whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::error::{Result, UserError};

type Sink = dyn Fn(f32, &str) + Send + Sync;

/// Handle through which a long call reports progress and polls for cancellation. Cheap to clone.
#[derive(Clone)]
pub struct Progress {
    cancelled: Arc<AtomicBool>,
    sink: Arc<Sink>,
    start: f32,
    span: f32,
}

impl Progress {
    /// Reports to `sink` as (fraction from 0 to 1, current activity).
    pub fn new(cancelled: Arc<AtomicBool>, sink: impl Fn(f32, &str) + Send + Sync + 'static) -> Self {
        Self { cancelled, sink: Arc::new(sink), start: 0.0, span: 1.0 }
    }

    /// A handle that reports nothing and is never cancelled.
    pub fn silent() -> Self {
        Self::new(Arc::new(AtomicBool::new(false)), |_, _| ())
    }

    /// A handle for part of the work: its range 0 to 1 maps to `from` to `to` of this handle.
    pub fn part(&self, from: f32, to: f32) -> Self {
        let mut part = self.clone();
        part.start = self.start + self.span * from;
        part.span = self.span * (to - from);
        part
    }

    /// A handle that shares the cancellation of this one and reports nothing.
    pub fn quiet(&self) -> Self {
        Self { sink: Arc::new(|_, _| ()), ..self.clone() }
    }

    /// Reports `fraction` (0 to 1, clamped) and the activity `doing`; returns an error if the work has been cancelled.
    pub fn report(&self, fraction: f32, doing: &str) -> Result<()> {
        (self.sink)(self.start + self.span * fraction.clamp(0.0, 1.0), doing);
        self.check()
    }

    /// Returns an error if the work has been cancelled. One relaxed atomic load: cheap enough for inner loops.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(UserError::cancelled()) } else { Ok(()) }
    }

    /// Whether the work has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// A counter for parallel loops over `total` chunks, which reports at every percent.
    pub fn counter(&self, total: usize, doing: &'static str) -> Counter {
        Counter { progress: self.clone(), done: AtomicU32::new(0), total: total.max(1), doing }
    }
}

/// Counts the finished chunks of a parallel loop and reports them to its [`Progress`].
pub struct Counter {
    progress: Progress,
    done: AtomicU32,
    total: usize,
    doing: &'static str,
}

impl Counter {
    /// Counts one finished chunk. Returns false if the work has been cancelled and the loop should stop.
    pub fn step(&self) -> bool {
        let done = self.done.fetch_add(1, Ordering::Relaxed) as usize + 1;
        let interval = (self.total / 100).max(1);
        if done.is_multiple_of(interval) {
            (self.progress.sink)(
                self.progress.start + self.progress.span * (done as f32 / self.total as f32).min(1.0),
                self.doing,
            );
        }
        !self.progress.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn parts_map_to_their_range_and_cancellation_propagates() {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let cancelled = Arc::new(AtomicBool::new(false));
        let log = Arc::clone(&reported);
        let progress = Progress::new(Arc::clone(&cancelled), move |fraction, _| log.lock().unwrap().push(fraction));
        let second_half = progress.part(0.5, 1.0);
        second_half.report(0.5, "half of the second half").unwrap();
        assert_eq!(*reported.lock().unwrap(), vec![0.75]);
        cancelled.store(true, Ordering::Relaxed);
        assert_eq!(second_half.check(), Err(UserError::cancelled()));
    }
}
