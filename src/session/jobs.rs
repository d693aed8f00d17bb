//! Work over 50 ms: on a thread of its own, with progress and cancel, ending in a result or a sentence. A panic in
//! there is a sentence too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use base::{Progress, Result, UserError};

/// Where a job is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobState {
    /// 0 to 1.
    pub fraction: f32,
    /// What it is doing.
    pub doing: String,
}

/// A running job that ends in a `T`.
pub struct Job<T> {
    /// What it is called in the window.
    pub label: String,
    state: Arc<Mutex<JobState>>,
    cancelled: Arc<AtomicBool>,
    result: mpsc::Receiver<Result<T>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work`; `wake` is called at every report and at the end, so that the window can redraw.
    pub fn start(
        label: impl Into<String>,
        wake: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Progress) -> Result<T> + Send + 'static,
    ) -> Self {
        let state = Arc::new(Mutex::new(JobState::default()));
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, result) = mpsc::channel();
        let seen = Arc::clone(&state);
        let wake = Arc::new(wake);
        let wake_on_report = Arc::clone(&wake);
        let progress = Progress::new(Arc::clone(&cancelled), move |fraction, doing| {
            let mut state = seen.lock().unwrap_or_else(PoisonError::into_inner);
            state.fraction = fraction;
            if state.doing != doing {
                doing.clone_into(&mut state.doing);
            }
            drop(state);
            wake_on_report();
        });
        // A report is laid out by recursion: give the thread room.
        let builder = std::thread::Builder::new().name("job".into()).stack_size(16 << 20);
        let failed_to_start = sender.clone();
        let started = builder.spawn(move || {
            let outcome = guarded(|| work(&progress));
            // The window may have been closed meanwhile.
            let _ = sender.send(outcome);
            wake();
        });
        if let Err(error) = started {
            let _ = failed_to_start.send(Err(UserError::internal(format!("No thread could be started: {error}."))));
        }
        Self { label: label.into(), state, cancelled, result }
    }

    /// Where it is now.
    pub fn state(&self) -> JobState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks it to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Its outcome, once it has one.
    pub fn poll(&self) -> Option<Result<T>> {
        match self.result.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => {
                Some(Err(UserError::internal("The job ended without a result; nothing was changed.")))
            }
        }
    }
}

/// Runs `work`; a panic becomes a sentence.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no reason given".to_owned());
        Err(UserError::internal(format!(
            "The program made a mistake ({reason}). Nothing was changed; please report it with the file at hand."
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn outcome<T: Send + 'static>(job: &Job<T>) -> Result<T> {
        let started = Instant::now();
        loop {
            if let Some(outcome) = job.poll() {
                return outcome;
            }
            assert!(started.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_panic_is_a_sentence_and_a_cancel_is_quick() {
        let job: Job<()> = Job::start("broken", || (), |_| panic!("index 3"));
        assert!(outcome(&job).unwrap_err().sentence.contains("index 3"));
        let job: Job<()> = Job::start(
            "long",
            || (),
            |progress| {
                loop {
                    progress.check()?;
                    std::thread::sleep(Duration::from_millis(5));
                }
            },
        );
        let asked = Instant::now();
        job.cancel();
        assert_eq!(outcome(&job), Err(UserError::cancelled()));
        assert!(asked.elapsed() < Duration::from_millis(500));
    }
}
