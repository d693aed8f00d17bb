//! Background jobs, for work over 50 ms: each on its own thread, with progress and cancellation, ending in a result or
//! an error. A panic inside a job becomes an error too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use base::{Progress, Result, UserError};

/// Progress of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobState {
    /// Fraction done, 0 to 1.
    pub fraction: f32,
    /// The step in progress, for display.
    pub doing: String,
}

/// A running job with a result of type `T`.
pub struct Job<T> {
    /// Its name in the window.
    pub label: String,
    state: Arc<Mutex<JobState>>,
    cancelled: Arc<AtomicBool>,
    result: mpsc::Receiver<Result<T>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work` on a new thread; `wake` is called at every progress report and at the end, so that the window can
    /// redraw.
    pub fn start(
        label: impl Into<String>,
        wake: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Progress) -> Result<T> + Send + 'static,
    ) -> Self {
        let state = Arc::new(Mutex::new(JobState::default()));
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, result) = mpsc::channel();
        let shared_state = Arc::clone(&state);
        let wake = Arc::new(wake);
        let wake_on_report = Arc::clone(&wake);
        let progress = Progress::new(Arc::clone(&cancelled), move |fraction, doing| {
            let mut state = shared_state.lock().unwrap_or_else(PoisonError::into_inner);
            state.fraction = fraction;
            if state.doing != doing {
                doing.clone_into(&mut state.doing);
            }
            drop(state);
            wake_on_report();
        });
        // Laying out a report recurses deeply, which needs a larger stack.
        let builder = std::thread::Builder::new().name("job".into()).stack_size(16 << 20);
        let failed_to_start = sender.clone();
        let started = builder.spawn(move || {
            let outcome = catch_panic(|| work(&progress));
            // Fails if the window was closed meanwhile.
            let _ = sender.send(outcome);
            wake();
        });
        if let Err(error) = started {
            let _ = failed_to_start.send(Err(UserError::internal(format!("A thread could not be started: {error}."))));
        }
        Self { label: label.into(), state, cancelled, result }
    }

    /// Starts work that nobody waits for: it has threads of its own, which give way to frames and to other jobs. With two
    /// cores, frames took six times as long while a scan was meshed.
    pub fn start_aside(
        label: impl Into<String>,
        wake: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Progress) -> Result<T> + Send + 'static,
    ) -> Self {
        Self::start(label, wake, |progress| {
            let threads = rayon::ThreadPoolBuilder::new().start_handler(|_| lower_own_priority()).build();
            let failed = |error| UserError::internal(format!("Threads could not be started: {error}."));
            threads.map_err(failed)?.install(|| work(progress))
        })
    }

    /// Its current progress.
    pub fn state(&self) -> JobState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests cancellation; the job stops at its next progress check.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Its outcome once it has finished; it is returned only once.
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

fn lower_own_priority() {
    // For Linux each thread is a process, and this one is meant.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

/// Runs `work`; a panic is returned as an internal error.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no reason given".to_owned());
        Err(UserError::internal(format!(
            "Internal error ({reason}). Nothing was changed; please report it together with the file in question."
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

    #[cfg(target_os = "linux")]
    #[test]
    fn work_aside_gives_way() {
        let nice = |_: &Progress| Ok(rustix::process::getpriority_process(None).unwrap());
        let usual = outcome(&Job::start("asked for", || (), nice)).unwrap();
        let aside = outcome(&Job::start_aside("aside", || (), nice)).unwrap();
        assert!(aside >= 10 && aside > usual, "{aside} and {usual}");
    }

    #[test]
    fn a_panic_becomes_an_error_and_cancelling_is_quick() {
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
        let requested = Instant::now();
        job.cancel();
        assert_eq!(outcome(&job), Err(UserError::cancelled()));
        assert!(requested.elapsed() < Duration::from_millis(500));
    }
}
