//! Progress and cancel of a long call. A call reports its own 0 to 1; its caller maps that into a larger whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::error::{Result, UserError};

type Sink = dyn Fn(f32, &str) + Send + Sync;

/// A handle that a long call reports to and asks whether to go on. Cheap to clone.
#[derive(Clone)]
pub struct Progress {
    cancelled: Arc<AtomicBool>,
    sink: Arc<Sink>,
    start: f32,
    span: f32,
}

impl Progress {
    /// Reports to `sink` as (fraction 0 to 1, what is being done).
    pub fn new(cancelled: Arc<AtomicBool>, sink: impl Fn(f32, &str) + Send + Sync + 'static) -> Self {
        Self { cancelled, sink: Arc::new(sink), start: 0.0, span: 1.0 }
    }

    /// For callers that neither watch nor cancel.
    pub fn silent() -> Self {
        Self::new(Arc::new(AtomicBool::new(false)), |_, _| ())
    }

    /// A handle for a part of the work: its 0 to 1 is mapped to `from` to `to` of this one.
    pub fn part(&self, from: f32, to: f32) -> Self {
        let mut part = self.clone();
        part.start = self.start + self.span * from;
        part.span = self.span * (to - from);
        part
    }

    /// A handle that is cancelled with this one, and tells nobody.
    pub fn quiet(&self) -> Self {
        Self { sink: Arc::new(|_, _| ()), ..self.clone() }
    }

    /// Says how far the work is and fails when it has been cancelled.
    pub fn report(&self, fraction: f32, doing: &str) -> Result<()> {
        (self.sink)(self.start + self.span * fraction.clamp(0.0, 1.0), doing);
        self.check()
    }

    /// Fails when the work has been cancelled; cheap enough for inner loops.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(UserError::cancelled()) } else { Ok(()) }
    }

    /// Whether the work has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// A counter for parallel loops that reports every hundredth of `total`.
    pub fn counter(&self, total: usize, doing: &'static str) -> Counter {
        Counter { progress: self.clone(), done: AtomicU32::new(0), total: total.max(1), doing }
    }
}

/// Counts finished chunks of a parallel loop and passes them on to its [`Progress`].
pub struct Counter {
    progress: Progress,
    done: AtomicU32,
    total: usize,
    doing: &'static str,
}

impl Counter {
    /// One more chunk is done. Returns false when the loop should stop early.
    pub fn step(&self) -> bool {
        let done = self.done.fetch_add(1, Ordering::Relaxed) as usize + 1;
        let every = (self.total / 100).max(1);
        if done.is_multiple_of(every) {
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
    fn parts_map_into_the_whole_and_cancel_is_seen() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let cancelled = Arc::new(AtomicBool::new(false));
        let log = Arc::clone(&seen);
        let progress = Progress::new(Arc::clone(&cancelled), move |fraction, _| log.lock().unwrap().push(fraction));
        let second_half = progress.part(0.5, 1.0);
        second_half.report(0.5, "half of the second half").unwrap();
        assert_eq!(*seen.lock().unwrap(), vec![0.75]);
        cancelled.store(true, Ordering::Relaxed);
        assert_eq!(second_half.check(), Err(UserError::cancelled()));
    }
}
