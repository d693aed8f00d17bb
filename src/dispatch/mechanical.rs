//! The mechanical alignment while it goes on: snapshots come from a watched folder, touches from the machine's line, and
//! each new measurement is evaluated on a thread of its own. Nothing of it is a step of the history.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::calibrate;
use base::{Progress, Result, UserError};
use geometry::Point;
use inspect::calibration::by_sensor;
use inspect::calibration::mechanical::{Misalignment, Touched, Turned};
use io::machine_line::{self, MachineLine, Said};
use io::watched_folder::{self, WatchedFolder};
use report::date;
use session::calibrating::{Calibrating, Device, Measurement, Setup};
use session::jobs::Job;

/// Called whenever there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What can be asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Opens the sources that the set-up names.
    Start,
    /// Closes them.
    Stop,
    /// Forgets the touches so far.
    ForgetTouches,
}

/// Where a source of measurements is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Not asked for.
    #[default]
    Off,
    /// Being opened.
    Opening,
    /// Open.
    Open,
    /// Why it is not open; it is tried again.
    Lost(String),
}

/// What the last measurement of one told.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// How far off, or a sentence.
    pub outcome: std::result::Result<Misalignment, String>,
    /// From what.
    pub name: String,
    /// When it was evaluated, seconds since 1970.
    pub unix_s: i64,
    /// Whether the artefact was touched; else a snapshot takes it to lie along the machine.
    pub is_touched: bool,
}

/// What an evaluation gives: how far off, and whether the artefact was touched.
type Evaluated = (Misalignment, bool);

/// What is open, what came, and what it told.
#[derive(Default)]
pub struct Live {
    folder: Option<WatchedFolder>,
    line: Option<MachineLine>,
    /// Where the folder is.
    pub folder_source: Source,
    /// Where the line is.
    pub line_source: Source,
    /// Touches that came over the line.
    pub touched: Touched,
    /// Where the machine said last that it stands, mm.
    pub position_mm: Option<Point>,
    /// Lines that were skipped, and why the last one was.
    pub skipped: (usize, String),
    /// Snapshots that came.
    pub snapshots: usize,
    newest: Option<PathBuf>,
    is_touch_new: bool,
    opened_touches: Measurement,
    readings: [Option<Reading>; 2],
    job: Option<(Turned, String, Job<Evaluated>)>,
}

impl Live {
    /// Whether sources are asked for.
    pub fn is_running(&self) -> bool {
        self.folder.is_some() || self.line.is_some()
    }

    /// What is being evaluated.
    pub fn evaluating(&self) -> Option<&str> {
        self.job.as_ref().map(|(_, name, _)| name.as_str())
    }

    /// What the last measurement of one told.
    pub fn reading(&self, turned: Turned) -> Option<&Reading> {
        self.readings[turned as usize].as_ref()
    }

    /// Carries an order out.
    pub(super) fn obey(&mut self, order: Order, setup: &Setup, wake: &Wake) -> Result<()> {
        match order {
            Order::Start => return self.start(setup, wake),
            Order::Stop => self.stop(),
            Order::ForgetTouches => self.begin(setup),
        }
        Ok(())
    }

    fn start(&mut self, setup: &Setup, wake: &Wake) -> Result<()> {
        let (folder, line) = (setup.mechanical.folder.trim(), setup.mechanical.line.trim());
        if folder.is_empty() && line.is_empty() {
            return Err(UserError::usage(
                "Name the folder that the sensor writes its snapshots into, the line to the machine, or both.",
            ));
        }
        let woken = || {
            let wake = Arc::clone(wake);
            move || wake()
        };
        let open_line = || MachineLine::open(line, woken());
        let open_folder = || WatchedFolder::open(Path::new(folder), woken());
        // Both or neither, so that a mistyped one leaves nothing half open.
        let line = (!line.is_empty()).then(open_line).transpose()?;
        let folder = (!folder.is_empty()).then(open_folder).transpose()?;
        self.stop();
        let asked = |is_asked: bool| if is_asked { Source::Opening } else { Source::Off };
        (self.line_source, self.folder_source) = (asked(line.is_some()), asked(folder.is_some()));
        (self.line, self.folder) = (line, folder);
        self.begin(setup);
        (self.skipped, self.snapshots) = Default::default();
        // Touches may have been opened from a file before.
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

    fn begin(&mut self, setup: &Setup) {
        self.touched = Touched::new(setup.artefact);
        self.readings[Turned::Artefact as usize] = None;
    }

    /// Takes in what came, and evaluates the newest of it. Sentences for the log.
    pub(super) fn advance(&mut self, calibrating: &Calibrating, wake: &Wake) -> Vec<String> {
        let setup = &calibrating.setup;
        let said = self.hear(setup).into_iter().chain(self.look()).collect();
        if !self.opened_touches.is_same(&calibrating.cmm) {
            self.opened_touches = calibrating.cmm.clone();
            self.is_touch_new = true;
        }
        self.take_in();
        if self.is_running() && self.job.is_none() {
            self.evaluate_next(calibrating, wake);
        }
        said
    }

    /// What the machine said.
    fn hear(&mut self, setup: &Setup) -> Option<String> {
        if self.touched.kind() != setup.artefact {
            self.begin(setup);
        }
        let events: Vec<machine_line::Event> = self.line.iter().flat_map(MachineLine::events).collect();
        let mut said = None;
        for event in events {
            match event {
                machine_line::Event::Opened => {
                    let was_lost = matches!(self.line_source, Source::Lost(_));
                    said = was_lost.then(|| "The line to the machine is back.".to_owned());
                    self.line_source = Source::Open;
                }
                machine_line::Event::Lost(sentence) => {
                    said = Some(sentence.clone());
                    self.line_source = Source::Lost(sentence);
                }
                machine_line::Event::Skipped(sentence) => self.skipped = (self.skipped.0 + 1, sentence),
                machine_line::Event::Said(Said::Position(place)) => self.position_mm = Some(place),
                machine_line::Event::Said(Said::Begin) => self.touched = Touched::new(setup.artefact),
                machine_line::Event::Said(Said::Touch { region, place }) => {
                    self.is_touch_new = true;
                    if let Err(error) = self.touched.add(&region, place) {
                        self.skipped = (self.skipped.0 + 1, error.sentence);
                    }
                }
            }
        }
        said
    }

    /// What the sensor wrote: of several snapshots, the newest counts.
    fn look(&mut self) -> Option<String> {
        let events: Vec<watched_folder::Event> = self.folder.iter().flat_map(WatchedFolder::events).collect();
        let mut said = None;
        for event in events {
            match event {
                watched_folder::Event::Opened => self.folder_source = Source::Open,
                watched_folder::Event::Lost(sentence) => {
                    said = Some(sentence.clone());
                    self.folder_source = Source::Lost(sentence);
                }
                watched_folder::Event::Whole(path) => {
                    self.snapshots += 1;
                    self.newest = Some(path);
                }
            }
        }
        said
    }

    /// The end of an evaluation.
    fn take_in(&mut self) {
        let Some(outcome) = self.job.as_ref().and_then(|(_, _, job)| job.poll()) else { return };
        let Some((turned, name, job)) = self.job.take() else { return };
        if job.is_cancelled() {
            return;
        }
        let is_touched = outcome.as_ref().is_ok_and(|(_, is_touched)| *is_touched);
        let outcome = outcome.map(|(misalignment, _)| misalignment).map_err(|error| error.sentence);
        self.readings[turned as usize] = Some(Reading { outcome, name, unix_s: date::unix_now(), is_touched });
    }

    fn evaluate_next(&mut self, calibrating: &Calibrating, wake: &Wake) {
        let setup = calibrating.setup.clone();
        let turned = setup.mechanical.turned;
        let touched = self.all_touched(calibrating);
        let wake = Arc::clone(wake);
        let woken = move || wake();
        let (name, job) = match turned {
            Turned::Artefact if self.is_touch_new && !touched.is_empty() => {
                self.is_touch_new = false;
                let count: usize = touched.counts().iter().map(|(_, count)| count).sum();
                let work = move |progress: &Progress| of_touches(&setup, &touched, progress);
                (format!("{count} touches"), Job::start("Evaluating the touches", woken, work))
            }
            Turned::Sensor => {
                let Some(path) = self.newest.take() else { return };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let work = move |progress: &Progress| of_snapshot(&path, &setup, &touched, progress);
                (name, Job::start("Evaluating the snapshot", woken, work))
            }
            Turned::Artefact => return,
        };
        self.job = Some((turned, name, job));
    }

    /// Touches of the line, or else those of the file that was opened.
    fn all_touched(&self, calibrating: &Calibrating) -> Touched {
        let kind = calibrating.setup.artefact;
        if !self.touched.is_empty() {
            return self.touched.clone();
        }
        let opened = calibrate::touched(&calibrating.cmm, kind.artefact());
        Touched::of(kind, opened.unwrap_or_default())
    }
}

fn determined(setup: &Setup) -> Result<()> {
    if setup.artefact.artefact().determines()[3..] == [true; 3] {
        return Ok(());
    }
    Err(UserError::usage("One sphere has no directions: choose another artefact for the mechanical alignment."))
}

fn of_touches(setup: &Setup, touched: &Touched, progress: &Progress) -> Result<Evaluated> {
    determined(setup)?;
    Ok((Misalignment::of_artefact(&touched.frame(progress)?), true))
}

fn of_snapshot(path: &Path, setup: &Setup, touched: &Touched, progress: &Progress) -> Result<Evaluated> {
    determined(setup)?;
    let measurement = calibrate::read(Device::Sensor, path, setup, progress).map_err(|error| error.in_file(path))?;
    let Some(actual) = &measurement.actual else {
        return Err(UserError::internal("A snapshot without points."));
    };
    let artefact = setup.artefact.artefact();
    let is_named = !measurement.regions.is_empty() && measurement.regions.iter().all(|region| !region.is_empty());
    let regions =
        if is_named { measurement.regions.clone() } else { artefact.find(&actual.cloud, &progress.part(0.2, 0.6))? };
    let points = artefact.extract(&actual.cloud, &regions)?;
    let measured = by_sensor(setup.clip_sigmas, setup.bias_mm);
    let seen = artefact.frame(&points, &measured, &progress.part(0.6, 1.0))?;
    // Too few touches are as good as none, and said so.
    let cmm = touched.frame(&Progress::silent()).ok();
    Ok((Misalignment::of_sensor(&seen, cmm.as_ref()), cmm.is_some()))
}
