//! Owns the document and runs commands on it, one at a time.

use std::sync::Arc;
use std::time::Instant;

use super::edit::{Edit, Execution, Watch, Work};
use super::saves::Saves;
use super::{Command, Context, mechanical};
use base::{LengthUnit, Progress, Result};
use geometry::Pose;
use session::jobs::{Job, JobState};
use session::{Document, History};

/// A sentence for the log, and whether it is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sentence.
    pub text: String,
    /// Whether something failed.
    pub is_error: bool,
    /// The unit that the scan would fit in, where that is the trouble.
    pub scan_unit: Option<LengthUnit>,
}

/// Owns the document; runs commands on it, one at a time.
pub struct Dispatcher {
    /// The inspection.
    pub document: Document,
    /// Its past and future.
    pub history: History,
    /// Device and CAD reader.
    pub context: Context,
    /// Which states lie in project files.
    pub saves: Saves,
    /// What happened, oldest first.
    pub messages: Vec<Message>,
    /// The mechanical alignment.
    pub mechanical: mechanical::Live,
    job: Option<Job<Edit>>,
    queue: std::collections::VecDeque<Command>,
    /// Times of the commands run so far: name, ms.
    pub timings_ms: Vec<(String, f64)>,
    started: Instant,
    /// States and inspections that there have been.
    revisions: u64,
    inspections: u64,
}

impl Dispatcher {
    /// Begins with an empty document.
    pub fn new(context: Context) -> Self {
        Self {
            document: Document::default(),
            history: History::default(),
            context,
            saves: Saves::default(),
            messages: Vec::new(),
            mechanical: mechanical::Live::default(),
            job: None,
            queue: std::collections::VecDeque::new(),
            timings_ms: Vec::new(),
            started: Instant::now(),
            revisions: 0,
            inspections: 0,
        }
    }

    /// Runs `command` when those before it are done. `watch` sees poses of a running best fit, `wake` is called
    /// whenever there is something new to show. Returns whether the document changed at once.
    pub fn send(&mut self, command: impl Into<Command>, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        self.queue.push_back(command.into());
        self.advance(watch, wake)
    }

    /// Takes in a finished job and starts what waits. Returns whether the document changed.
    pub fn advance(&mut self, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        let mut changed = false;
        if let Some(outcome) = self.job.as_ref().and_then(Job::poll) {
            let label = self.job.take().map(|job| job.label).unwrap_or_default();
            self.timings_ms.push((label, self.started.elapsed().as_secs_f64() * 1e3));
            changed |= self.finish(outcome);
        }
        while self.job.is_none() {
            let Some(command) = self.queue.pop_front() else { break };
            changed |= self.start(command, watch, wake);
        }
        let said = self.mechanical.advance(&self.document.calibration, wake);
        said.into_iter().for_each(|text| self.say(text));
        changed
    }

    fn start(&mut self, command: Command, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        match self.take_up(command, wake) {
            Ok((changed, None)) => changed,
            Ok((changed, Some((label, work)))) => {
                let (watch, wake) = (Arc::clone(watch), Arc::clone(wake));
                self.started = Instant::now();
                self.job = Some(Job::start(label, move || wake(), move |progress| work(progress, &watch)));
                changed
            }
            Err(error) => self.finish(Err(error)),
        }
    }

    /// Does at once what needs no time: whether the document changed, and the work that is left with its name.
    fn take_up(
        &mut self,
        command: Command,
        wake: &Arc<dyn Fn() + Send + Sync>,
    ) -> Result<(bool, Option<(String, Work)>)> {
        let execution = match command {
            Command::Undo => return Ok((self.step_back(), None)),
            Command::Redo => return Ok((self.step_forward(), None)),
            Command::Mechanical(order) => {
                self.mechanical.obey(order, &self.document.calibration.setup, wake)?;
                Execution::Now(Edit::nothing(""))
            }
            command => command.execution(&self.document, &self.context, &self.timings_ms)?,
        };
        Ok(match execution {
            Execution::Now(edit) => (self.finish(Ok(edit)), None),
            Execution::Work(label, work) => (false, Some((label, work))),
            Execution::NowThen(edit, label, work) => (self.finish(Ok(edit)), Some((label, work))),
        })
    }

    fn step_back(&mut self) -> bool {
        match self.history.undo(&mut self.document) {
            Some(label) => self.say(format!("Undone: {label}.")),
            None => return false,
        }
        true
    }

    fn step_forward(&mut self) -> bool {
        match self.history.redo(&mut self.document) {
            Some(label) => self.say(format!("Redone: {label}.")),
            None => return false,
        }
        true
    }

    fn finish(&mut self, outcome: Result<Edit>) -> bool {
        for notice in self.context.backend.take_notices() {
            self.say(notice);
        }
        match outcome {
            Ok(edit) => {
                for note in edit.notes {
                    self.say(note);
                }
                if let Some(backend) = edit.backend {
                    self.context.backend = backend;
                }
                let shown = |document: &Document| (document.revision, document.check().map(std::ptr::from_ref));
                let before = shown(&self.document);
                match edit.label {
                    Some(label) => self.change(label, edit.apply, edit.kept.is_some()),
                    None => (edit.apply)(&mut self.document),
                }
                if let Some(kept) = edit.kept {
                    self.saves.note(kept, &self.document);
                }
                before != shown(&self.document)
            }
            Err(error) => {
                // What was queued behind a failed command was meant for its result.
                self.queue.clear();
                self.messages.push(Message { text: error.sentence, is_error: true, scan_unit: error.scan_unit });
                false
            }
        }
    }

    /// Makes a step of the document; `is_another` where another inspection begins.
    fn change(&mut self, label: String, apply: Box<dyn FnOnce(&mut Document) + Send>, is_another: bool) {
        let before = self.document.clone();
        apply(&mut self.document);
        self.document.refresh();
        self.revisions += 1;
        self.document.revision = self.revisions;
        if is_another {
            self.inspections += 1;
            self.document.inspection = self.inspections;
        }
        self.history.record(label, before, &self.document);
    }

    /// Whether all that was done lies in a project file.
    pub fn is_saved(&self) -> bool {
        self.saves.holds(&self.document)
    }

    /// The project file of the inspection.
    pub fn project_path(&self) -> Option<&std::path::Path> {
        self.saves.path(&self.document)
    }

    fn say(&mut self, text: String) {
        if !text.is_empty() {
            self.messages.push(Message { text, is_error: false, scan_unit: None });
        }
    }

    /// The running job's name and state.
    pub fn job(&self) -> Option<(&str, JobState)> {
        self.job.as_ref().map(|job| (job.label.as_str(), job.state()))
    }

    /// Asks the running job to stop and forgets what waits.
    pub fn cancel(&mut self) {
        self.queue.clear();
        if let Some(job) = &self.job {
            job.cancel();
        }
    }

    /// Runs `command` on this thread to its end: for the command line.
    pub fn run_now(&mut self, command: impl Into<Command>, progress: &Progress) -> Result<()> {
        self.run_watched(command, &(Arc::new(|_: &Pose, _| ()) as Watch), progress)
    }

    /// As [`Self::run_now`]; `watch` sees the poses of a best fit.
    pub fn run_watched(&mut self, command: impl Into<Command>, watch: &Watch, progress: &Progress) -> Result<()> {
        let (command, started): (Command, _) = (command.into(), Instant::now());
        let name = command.timing_name();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(|| ());
        let edit = match self.take_up(command, &wake)? {
            (_, Some((_, work))) => Some(session::jobs::guarded(|| work(progress, watch))?),
            (_, None) => None,
        };
        self.timings_ms.push((name.to_owned(), started.elapsed().as_secs_f64() * 1e3));
        if let Some(edit) = edit {
            self.finish(Ok(edit));
        }
        Ok(())
    }
}
