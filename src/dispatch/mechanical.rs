//! Live mechanical alignment: snapshots arrive in a watched folder, probed points through the connection to the CMM,
//! and each new measurement is evaluated on its own thread. None of it enters the undo history.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::date;
use base::{Progress, Result, UserError};
use geometry::Point;
use inspect::calibration::mechanical::{Misalignment, Touched, Turned};
use io::cmm_connection::{self, CmmConnection, Statement};
use io::watched_folder::{self, WatchedFolder};
use session::calibration::mechanical::{self, Evaluation};
use session::calibration::{CalibrationState, Measurement, Setup};
use session::jobs::Job;

/// Called whenever there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Commands of the mechanical alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Opens the sources named in the set-up.
    Start,
    /// Closes them.
    Stop,
    /// Discards the points probed so far.
    ForgetTouches,
}

/// State of a source of measurements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Not requested.
    #[default]
    Off,
    /// Being opened.
    Opening,
    /// Open.
    Open,
    /// Not open, for this reason; opening is retried.
    Lost(String),
}

/// The latest measurement of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The misalignment, or an error message.
    pub outcome: std::result::Result<Misalignment, String>,
    /// What was evaluated: number of probed points, or name of the snapshot.
    pub name: String,
    /// Time of the evaluation, seconds since 1970 (UTC).
    pub unix_s: i64,
    /// Whether the artefact was probed; if not, a snapshot is evaluated as if the artefact were aligned with the CMM
    /// axes.
    pub is_touched: bool,
}

/// Open sources, received data and readings.
#[derive(Default)]
pub struct Live {
    folder: Option<WatchedFolder>,
    line: Option<CmmConnection>,
    /// State of the watched folder.
    pub folder_source: Source,
    /// State of the connection to the CMM.
    pub line_source: Source,
    /// Probed points received from the CMM.
    pub touched: Touched,
    /// Last position reported by the CMM, mm.
    pub position_mm: Option<Point>,
    /// Number of lines skipped, and the reason for the last one.
    pub skipped: (usize, String),
    /// Number of snapshots received.
    pub snapshots: usize,
    newest: Option<PathBuf>,
    is_touch_new: bool,
    opened_touches: Measurement,
    readings: [Option<Reading>; 2],
    job: Option<(Turned, String, Job<Evaluation>)>,
}

impl Live {
    /// Whether any source is requested.
    pub fn is_running(&self) -> bool {
        self.folder.is_some() || self.line.is_some()
    }

    /// Name of the measurement being evaluated.
    pub fn evaluating(&self) -> Option<&str> {
        self.job.as_ref().map(|(_, name, _)| name.as_str())
    }

    /// The latest reading of a module.
    pub fn reading(&self, turned: Turned) -> Option<&Reading> {
        self.readings[turned as usize].as_ref()
    }

    /// Executes a command.
    pub(super) fn execute(&mut self, order: Order, setup: &Setup, wake: &Wake) -> Result<()> {
        match order {
            Order::Start => return self.start(setup, wake),
            Order::Stop => self.stop(),
            Order::ForgetTouches => self.reset_points(setup),
        }
        Ok(())
    }

    fn start(&mut self, setup: &Setup, wake: &Wake) -> Result<()> {
        let (folder, line) = (setup.mechanical.folder.trim(), setup.mechanical.line.trim());
        if folder.is_empty() && line.is_empty() {
            return Err(UserError::usage(
                "Name the folder that the sensor writes its snapshots to, the connection to the CMM, or both.",
            ));
        }
        let make_wake = || {
            let wake = Arc::clone(wake);
            move || wake()
        };
        let open_line = || CmmConnection::open(line, make_wake());
        let open_folder = || WatchedFolder::open(Path::new(folder), make_wake());
        // Open both or neither, so that a mistyped name leaves nothing half open.
        let line = (!line.is_empty()).then(open_line).transpose()?;
        let folder = (!folder.is_empty()).then(open_folder).transpose()?;
        self.stop();
        let source = |is_requested: bool| if is_requested { Source::Opening } else { Source::Off };
        (self.line_source, self.folder_source) = (source(line.is_some()), source(folder.is_some()));
        (self.line, self.folder) = (line, folder);
        self.reset_points(setup);
        (self.skipped, self.snapshots) = Default::default();
        // Probed points may have been opened from a file before.
        self.is_touch_new = true;
        Ok(())
    }

    fn stop(&mut self) {
        (self.line, self.folder, self.newest) = (None, None, None);
        (self.line_source, self.folder_source) = (Source::Off, Source::Off);
        if let Some((_, _, job)) = &self.job {
            job.cancel();
        }
    }

    fn reset_points(&mut self, setup: &Setup) {
        self.touched = Touched::new(setup.artefact);
        self.readings[Turned::Artefact as usize] = None;
    }

    /// Processes received data and evaluates the newest measurement. Returns notes for the log.
    pub(super) fn advance(&mut self, calibrating: &CalibrationState, wake: &Wake) -> Vec<String> {
        let setup = &calibrating.setup;
        let notes = self.poll_line(setup).into_iter().chain(self.poll_folder()).collect();
        if !self.opened_touches.is_same(&calibrating.cmm) {
            self.opened_touches = calibrating.cmm.clone();
            self.is_touch_new = true;
        }
        self.finish_evaluation();
        if self.is_running() && self.job.is_none() {
            self.evaluate_next(calibrating, wake);
        }
        notes
    }

    /// Processes the events of the connection; returns a note for the log.
    fn poll_line(&mut self, setup: &Setup) -> Option<String> {
        if self.touched.kind() != setup.artefact {
            self.reset_points(setup);
        }
        let events: Vec<cmm_connection::Event> = self.line.iter().flat_map(CmmConnection::events).collect();
        let mut note = None;
        for event in events {
            match event {
                cmm_connection::Event::Opened => {
                    let was_lost = matches!(self.line_source, Source::Lost(_));
                    note = was_lost.then(|| "The connection to the CMM is restored.".to_owned());
                    self.line_source = Source::Open;
                }
                cmm_connection::Event::Lost(sentence) => {
                    note = Some(sentence.clone());
                    self.line_source = Source::Lost(sentence);
                }
                cmm_connection::Event::Skipped(sentence) => self.skipped = (self.skipped.0 + 1, sentence),
                cmm_connection::Event::Statement(Statement::Position(point)) => self.position_mm = Some(point),
                cmm_connection::Event::Statement(Statement::Begin) => self.touched = Touched::new(setup.artefact),
                cmm_connection::Event::Statement(Statement::Touch { region, place }) => {
                    self.is_touch_new = true;
                    if let Err(error) = self.touched.add(&region, place) {
                        self.skipped = (self.skipped.0 + 1, error.sentence);
                    }
                }
            }
        }
        note
    }

    /// Processes the events of the watched folder, of which only the newest snapshot counts; returns a note for the
    /// log.
    fn poll_folder(&mut self) -> Option<String> {
        let events: Vec<watched_folder::Event> = self.folder.iter().flat_map(WatchedFolder::events).collect();
        let mut note = None;
        for event in events {
            match event {
                watched_folder::Event::Opened => self.folder_source = Source::Open,
                watched_folder::Event::Lost(sentence) => {
                    note = Some(sentence.clone());
                    self.folder_source = Source::Lost(sentence);
                }
                watched_folder::Event::Complete(path) => {
                    self.snapshots += 1;
                    self.newest = Some(path);
                }
            }
        }
        note
    }

    /// Stores the result of a finished evaluation.
    fn finish_evaluation(&mut self) {
        let Some(outcome) = self.job.as_ref().and_then(|(_, _, job)| job.poll()) else { return };
        let Some((turned, name, job)) = self.job.take() else { return };
        if job.is_cancelled() {
            return;
        }
        let is_touched = outcome.as_ref().is_ok_and(|own| own.is_artefact_probed);
        let outcome = outcome.map(|own| own.misalignment).map_err(|error| error.sentence);
        self.readings[turned as usize] = Some(Reading { outcome, name, unix_s: date::unix_now(), is_touched });
    }

    fn evaluate_next(&mut self, calibrating: &CalibrationState, wake: &Wake) {
        let setup = calibrating.setup.clone();
        let turned = setup.mechanical.turned;
        let touched = self.probed_points(calibrating);
        let wake = Arc::clone(wake);
        let on_change = move || wake();
        let (name, job) = match turned {
            Turned::Artefact if self.is_touch_new && !touched.is_empty() => {
                self.is_touch_new = false;
                let count: usize = touched.counts().iter().map(|(_, count)| count).sum();
                let work = move |progress: &Progress| mechanical::of_touches(&setup, &touched, progress);
                (format!("{count} probed points"), Job::start("Evaluating the probed points", on_change, work))
            }
            Turned::Sensor => {
                let Some(path) = self.newest.take() else { return };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let work = move |progress: &Progress| mechanical::of_snapshot(&path, &setup, &touched, progress);
                (name, Job::start("Evaluating the snapshot", on_change, work))
            }
            Turned::Artefact => return,
        };
        self.job = Some((turned, name, job));
    }

    /// Probed points from the CMM, or else those opened from a file.
    fn probed_points(&self, calibrating: &CalibrationState) -> Touched {
        let kind = calibrating.setup.artefact;
        if !self.touched.is_empty() {
            return self.touched.clone();
        }
        let opened = calibrating.cmm.points_of_regions(kind.artefact());
        Touched::of(kind, opened.unwrap_or_default())
    }
}
