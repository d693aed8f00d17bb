//! The dispatcher: owns the document and runs commands on it, one at a time.

use std::sync::Arc;
use std::time::Instant;

use super::edit::{Edit, Execution, Watch, Work};
use super::saves::Saves;
use super::{Command, Context, mechanical};
use base::{LengthUnit, Progress, Result};
use geometry::Pose;
use session::jobs::{Job, JobState};
use session::{Document, History};

/// A message for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Whether it reports an error.
    pub is_error: bool,
    /// The unit in which the scan would match the nominal, if the error is caused by a wrong unit.
    pub scan_unit: Option<LengthUnit>,
}

/// Owns the document; runs commands on it, one at a time.
pub struct Dispatcher {
    /// The inspection document.
    pub document: Document,
    /// Its undo history.
    pub history: History,
    /// Compute device and CAD reader.
    pub context: Context,
    /// Which states are saved in which project files.
    pub saves: Saves,
    /// The log, oldest message first.
    pub messages: Vec<Message>,
    /// State of the mechanical alignment.
    pub mechanical: mechanical::Live,
    job: Option<Job<Edit>>,
    queue: std::collections::VecDeque<Command>,
    /// Run times of the commands so far: name, ms.
    pub timings_ms: Vec<(String, f64)>,
    started: Instant,
    /// The last revision and inspection number assigned.
    revisions: u64,
    inspections: u64,
}

impl Dispatcher {
    /// Creates a dispatcher with an empty document.
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

    /// Queues `command`, to be run after those before it. `watch` receives the poses of a running best fit; `wake` is
    /// called whenever there is something new to show. Returns whether the document changed at once.
    pub fn send(&mut self, command: impl Into<Command>, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        self.queue.push_back(command.into());
        self.advance(watch, wake)
    }

    /// Applies the result of a finished job and starts queued commands. Returns whether the document changed.
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
        let notes = self.mechanical.advance(&self.document.calibration, wake);
        notes.into_iter().for_each(|text| self.log(text));
        changed
    }

    fn start(&mut self, command: Command, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        match self.run_or_prepare(command, wake) {
            Ok((changed, None)) => changed,
            Ok((changed, Some((label, work)))) => {
                let (watch, wake) = (Arc::clone(watch), Arc::clone(wake));
                self.started = Instant::now();
                // The job's thread has no language of its own, but what it makes is named for the operator.
                let language = texts::language();
                let work = move |progress: &Progress| texts::naming_in(language, || work(progress, &watch));
                self.job = Some(Job::start(label, move || wake(), work));
                changed
            }
            Err(error) => self.finish(Err(error)),
        }
    }

    /// Runs the immediate part of a command. Returns whether the document changed, and the remaining work with its
    /// label.
    fn run_or_prepare(
        &mut self,
        command: Command,
        wake: &Arc<dyn Fn() + Send + Sync>,
    ) -> Result<(bool, Option<(String, Work)>)> {
        let execution = match command {
            Command::Undo => return Ok((self.undo(), None)),
            Command::Redo => return Ok((self.redo(), None)),
            Command::Mechanical(order) => {
                self.mechanical.execute(order, &self.document.calibration.setup, wake)?;
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

    fn undo(&mut self) -> bool {
        match self.history.undo(&mut self.document) {
            Some(label) => self.log(format!("Undone: {label}.")),
            None => return false,
        }
        true
    }

    fn redo(&mut self) -> bool {
        match self.history.redo(&mut self.document) {
            Some(label) => self.log(format!("Redone: {label}.")),
            None => return false,
        }
        true
    }

    fn finish(&mut self, outcome: Result<Edit>) -> bool {
        for notice in self.context.backend.take_notices() {
            self.log(notice);
        }
        match outcome {
            Ok(edit) => {
                for note in edit.notes {
                    self.log(note);
                }
                if let Some(backend) = edit.backend {
                    self.context.backend = backend;
                }
                let state = |document: &Document| (document.revision, document.check().map(std::ptr::from_ref));
                let before = state(&self.document);
                match edit.label {
                    Some(label) => self.change(label, edit.apply, edit.saved_state.is_some()),
                    None => (edit.apply)(&mut self.document),
                }
                if let Some(saved_state) = edit.saved_state {
                    self.saves.record(saved_state, &self.document);
                }
                before != state(&self.document)
            }
            Err(error) => {
                // Commands queued behind a failed one were meant for its result.
                self.queue.clear();
                self.messages.push(Message { text: error.sentence, is_error: true, scan_unit: error.scan_unit });
                false
            }
        }
    }

    /// Applies an undoable change to the document; `is_new_inspection` if it starts another inspection.
    fn change(&mut self, label: String, apply: Box<dyn FnOnce(&mut Document) + Send>, is_new_inspection: bool) {
        let before = self.document.clone();
        apply(&mut self.document);
        self.document.refresh();
        self.revisions += 1;
        self.document.revision = self.revisions;
        if is_new_inspection {
            self.inspections += 1;
            self.document.inspection = self.inspections;
        }
        self.history.record(label, before, &self.document);
    }

    /// Whether the current state is saved in a project file.
    pub fn is_saved(&self) -> bool {
        self.saves.holds(&self.document)
    }

    /// The project file of the current inspection.
    pub fn project_path(&self) -> Option<&std::path::Path> {
        self.saves.path(&self.document)
    }

    fn log(&mut self, text: String) {
        if !text.is_empty() {
            self.messages.push(Message { text, is_error: false, scan_unit: None });
        }
    }

    /// Label and progress of the running job.
    pub fn job(&self) -> Option<(&str, JobState)> {
        self.job.as_ref().map(|job| (job.label.as_str(), job.state()))
    }

    /// Cancels the running job and clears the queue.
    pub fn cancel(&mut self) {
        self.queue.clear();
        if let Some(job) = &self.job {
            job.cancel();
        }
    }

    /// Runs `command` to its end on this thread, for the command line.
    pub fn run_now(&mut self, command: impl Into<Command>, progress: &Progress) -> Result<()> {
        self.run_watched(command, &(Arc::new(|_: &Pose, _| ()) as Watch), progress)
    }

    /// As [`Self::run_now`]; `watch` receives the poses of a running best fit.
    pub fn run_watched(&mut self, command: impl Into<Command>, watch: &Watch, progress: &Progress) -> Result<()> {
        let (command, started): (Command, _) = (command.into(), Instant::now());
        let name = command.timing_name();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(|| ());
        let edit = match self.run_or_prepare(command, &wake)? {
            (_, Some((_, work))) => Some(session::jobs::catch_panic(|| work(progress, watch))?),
            (_, None) => None,
        };
        self.timings_ms.push((name.to_owned(), started.elapsed().as_secs_f64() * 1e3));
        if let Some(edit) = edit {
            self.finish(Ok(edit));
        }
        Ok(())
    }
}
