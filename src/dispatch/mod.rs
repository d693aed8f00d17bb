//! Floor 6: the one place that runs commands, for the window, the command line and tests alike.

pub mod accept;
mod align;
mod artefact_regions;
mod calibrate;
mod features;
pub mod mechanical;
pub mod merge;
mod open;
mod output;
mod parallel_planes;
pub mod probe;
mod search_registration;
mod selecting;
mod tolerances;
pub mod upkeep;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::base::{LengthUnit, Progress, Result, UserError};
use crate::compute::{self, Backend, DeviceId};
use crate::geometry::Pose;
use crate::geometry::subset::{Combine, Subset};
use crate::inspect::alignment::point_pairs::PointPair;
use crate::inspect::alignment::{Method, search_registration::Parameters as SearchParameters};
use crate::inspect::cleaning;
use crate::inspect::features::constructions::Construction;
use crate::inspect::features::weights::Weights;
use crate::inspect::features::{Kind, Objective};
use crate::io::cad::CadReader;
use crate::io::xyz::Columns;
use crate::render::selecting::{Brushed, Stroke};
use crate::session::calibrating::{Device, Setup};
use crate::session::jobs::{Job, JobState};
use crate::session::selection::Selectable;
use crate::session::{Document, History, Settings, check};

pub use align::capitalised;
pub use output::{Outputs, report_input, write_report};
pub use selecting::Visibility;

/// What commands need beyond the document.
#[derive(Clone)]
pub struct Context {
    /// The device that computes.
    pub backend: Arc<dyn Backend>,
    /// The program that reads CAD files.
    pub cad: CadReader,
}

/// Everything that can be asked of the program.
#[derive(Clone, Debug)]
pub enum Command {
    /// Loads a nominal.
    OpenNominal {
        /// Its file.
        path: PathBuf,
        /// Its unit; `None` takes what the format says, else mm.
        unit: Option<LengthUnit>,
    },
    /// Loads one or more snapshots of one part in one frame.
    OpenScans {
        /// Their files.
        paths: Vec<PathBuf>,
        /// Their unit.
        unit: Option<LengthUnit>,
        /// Columns of files of numbers.
        columns: Option<Columns>,
    },
    /// Replaces the scan and runs the saved alignment and comparison again.
    InspectNext {
        /// The next scan.
        paths: Vec<PathBuf>,
        /// Its unit.
        unit: Option<LengthUnit>,
    },
    /// Aligns as `method` says.
    Align(Method),
    /// Aligns by the enabled point pairs.
    AlignByPairs,
    /// Sets the pose outright.
    SetPose(Pose),
    /// Takes another of the poses that fit about as well, by its number among the alternatives.
    ChooseAlternative(usize),
    /// Compares scan and nominal.
    Compare,
    /// Aligns and compares with the current settings.
    Inspect,
    /// Registers with every search on every device, for comparison.
    CompareSearches {
        /// Where all of them start; `None` starts near the present pose.
        start: Option<Pose>,
    },
    /// Registers point to point with a chosen search, from the present pose.
    RegisterBySearch(Box<SearchParameters>),
    /// Adds a picked pair.
    AddPair(PointPair),
    /// Switches a pair on or off.
    TogglePair(usize),
    /// Removes a pair.
    RemovePair(usize),
    /// Removes all pairs.
    ClearPairs,
    /// Changes the selection by the scan's points inside an outline on the screen.
    Brush {
        /// The stroke.
        stroke: Brushed,
        /// What it does.
        how: Combine,
    },
    /// Changes the selection by some points or facets.
    Select(Selectable, Subset, Combine),
    /// Changes the selection by the nominal's facets inside an outline on the screen.
    BrushFacets {
        /// The stroke.
        stroke: Box<Stroke>,
        /// What it does.
        how: Combine,
    },
    /// Selects the whole faces that the selected facets are part of.
    SelectWholeFaces,
    /// Selects the points that lie by the selected facets.
    SelectPointsOnFacets,
    /// Takes the selected facets out of the nominal.
    RemoveFacets,
    /// Selects what was not.
    InvertSelection(Selectable),
    /// Shows some of the points or facets.
    Show(Selectable, Visibility),
    /// Writes what is selected into a file.
    ExportSelection(Selectable, PathBuf),
    /// Keeps the selection under a name.
    NameSelection(Selectable, String),
    /// Forgets a named selection, by its number.
    RemoveSelection(usize),
    /// Fits a feature to the selected points.
    FitFeature {
        /// The kind.
        kind: Kind,
        /// What makes one feature the best.
        objective: Objective,
        /// Whether most points decide.
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits parallel planes to the points of named selections and features: one feature each, of one normal.
    FitParallelPlanes {
        /// Names of selections of points, or of features.
        planes: Vec<String>,
        /// How points are weighed.
        weights: Weights,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Removes a feature, by its number.
    RemoveFeature(usize),
    /// Takes what the selected facets are of as what the feature of that name should be.
    NominalFromFacets(String),
    /// Forgets what the feature of that name should be.
    ForgetNominal(String),
    /// Fits a line or a circle in a plane to the selected points.
    FitInPlane {
        /// The kind.
        kind: Kind,
        /// The name of the plane.
        plane: String,
        /// Whether most points decide.
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits a slot to the selected points of its rim.
    FitSlot {
        /// The name of the plane that it lies in; `None` takes the one through its points.
        plane: Option<String>,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Removes a slot, by its number.
    RemoveSlot(usize),
    /// Makes an element from others.
    Construct {
        /// The way it is made.
        construction: Construction,
        /// Names of what it is made from, in order.
        sources: Vec<String>,
    },
    /// Removes a constructed element, by its number.
    RemoveConstruction(usize),
    /// Changes datum letters and tolerances.
    SetTolerancePlan(Box<crate::inspect::tolerances::Plan>),
    /// Judges all tolerances.
    JudgeTolerances,
    /// Reads datum letters and tolerances from a JSON file.
    OpenTolerancePlan(PathBuf),
    /// Writes datum letters and tolerances to a JSON file.
    SaveTolerancePlan(PathBuf),
    /// Opens what a device measured of the calibration's artefact.
    OpenMeasurement {
        /// Which device.
        device: Device,
        /// Its file: points, or a table of touches with the names of their regions.
        path: PathBuf,
    },
    /// Changes what is said of the calibration's set-up.
    SetUpCalibration(Box<Setup>),
    /// Changes a region of the artefact by the points inside an outline on the screen.
    BrushRegion {
        /// Whose points.
        device: Device,
        /// The region's number.
        region: usize,
        /// The stroke.
        stroke: Brushed,
        /// What it does.
        how: Combine,
    },
    /// Empties a region of the artefact.
    ClearRegion(Device, usize),
    /// Finds the artefact's regions in the snapshot.
    FindRegions,
    /// Sets the snapshot aside, to calibrate from it together with others.
    KeepSnapshot,
    /// Forgets a snapshot that was set aside, by its number.
    ForgetSnapshot(usize),
    /// Calibrates the sensor from the regions of both devices.
    Calibrate,
    /// Begins or ends the mechanical alignment.
    Mechanical(mechanical::Order),
    /// Writes the certificate into a folder.
    WriteCertificate(PathBuf),
    /// Merges the snapshots that a table names with the CMM's positions, by the calibration, and opens them as the scan.
    MergeSnapshots {
        /// The table: file, x, y, z in mm.
        table: PathBuf,
        /// What is asked beside.
        wishes: merge::Wishes,
    },
    /// Measures holes by a touch probe where the scan has found them.
    Probe(probe::Probe),
    /// Judges the sensor by scans of artefacts.
    Accept(Box<accept::Accept>),
    /// Watches the calibration.
    Upkeep(upkeep::Request),
    /// Removes outliers of the scan, thins it, or finds its normals.
    CleanScan(cleaning::Step),
    /// Turns the nominal's facets so that they agree and face outward.
    UnifyWinding,
    /// Changes settings.
    SetSettings(Box<Settings>),
    /// Writes the report and its companions into a folder.
    WriteReport {
        /// The folder.
        folder: PathBuf,
    },
    /// Saves the project.
    SaveProject(PathBuf),
    /// Opens a project.
    OpenProject(PathBuf),
    /// Begins anew.
    NewInspection,
    /// Computes on another device.
    UseDevice(DeviceId),
    /// Takes the last change back.
    Undo,
    /// Brings the last undone change again.
    Redo,
}

/// A change to the document, made by a finished command.
pub struct Edit {
    /// What it is called in the undo menu; `None` for commands that leave the document alone.
    pub label: Option<String>,
    /// Makes the change.
    pub apply: Box<dyn FnOnce(&mut Document) + Send>,
    /// Sentences for the log.
    pub notes: Vec<String>,
    /// The device that computes from now on, where it changes.
    pub backend: Option<Arc<dyn Backend>>,
}

impl Edit {
    fn new(label: impl Into<String>, apply: impl FnOnce(&mut Document) + Send + 'static) -> Self {
        Self { label: Some(label.into()), apply: Box::new(apply), notes: Vec::new(), backend: None }
    }

    fn nothing(note: impl Into<String>) -> Self {
        Self { label: None, apply: Box::new(|_| ()), notes: vec![note.into()], backend: None }
    }

    fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// This change and then another, as one step.
    fn then(mut self, next: Self) -> Self {
        let first = self.apply;
        self.apply = Box::new(move |document| {
            first(document);
            (next.apply)(document);
        });
        self.label = self.label.or(next.label);
        self.notes.extend(next.notes);
        self
    }
}

/// What the window shows while a best fit runs: the pose and its RMS, mm.
pub type Watch = Arc<dyn Fn(&Pose, f64) + Send + Sync>;

type Work = Box<dyn FnOnce(&Progress, &Watch) -> Result<Edit> + Send>;

/// How a command is carried out.
enum Plan {
    /// At once.
    Now(Edit),
    /// On another thread.
    Work(String, Work),
}

fn plan(command: Command, document: &Document, context: &Context, timings_ms: &[(String, f64)]) -> Result<Plan> {
    let outputs = Outputs { timings_ms: timings_ms.to_vec(), ..Outputs::default() };
    let now = |edit: Edit| Ok(Plan::Now(edit));
    let work = |label: &str, work: Work| Ok(Plan::Work(label.to_owned(), work));
    let (before, context) = (document.clone(), context.clone());
    match command {
        Command::OpenNominal { path, unit } => work(
            "Opening the nominal",
            Box::new(move |progress, _| open::nominal(&path, unit, &before.settings, &context, progress)),
        ),
        Command::OpenScans { paths, unit, columns } => work(
            "Opening the scan",
            Box::new(move |progress, _| open::scans(&paths, unit, columns, &[], &context, progress)),
        ),
        Command::InspectNext { paths, unit } => work(
            "Inspecting the next part",
            Box::new(move |progress, watch| {
                // The same columns; and, unless a start is looked for each time, the same pose to start from.
                let columns = before.actual.as_ref().and_then(|actual| actual.sources.first()?.columns);
                let kept = before.alignment.clone().filter(|_| before.settings.align != Method::Auto);
                let steps = before.actual.as_ref().map(|actual| actual.cleaning.clone()).unwrap_or_default();
                let opened = open::scans(&paths, unit, columns, &steps, &context, &progress.part(0.0, 0.2))?
                    .then(Edit::new("Keep the pose", move |document| document.alignment = kept));
                chain(opened, before, |document| align_and_compare(document, &context, &progress.part(0.2, 1.0), watch))
            }),
        ),
        Command::Align(method) => {
            work("Aligning", Box::new(move |progress, watch| align::run(method, &before, &context, progress, watch)))
        }
        Command::AlignByPairs => now(align::by_pairs(document)?),
        Command::SetPose(pose) => now(align::set_pose(pose)),
        Command::ChooseAlternative(index) => work(
            "Taking the other pose",
            Box::new(move |progress, watch| align::choose(index, &before, &context, progress, watch)),
        ),
        Command::Compare => work("Comparing", Box::new(move |progress, _| compare(&before, &context, progress))),
        Command::Inspect => {
            work("Inspecting", Box::new(move |progress, watch| align_and_compare(&before, &context, progress, watch)))
        }
        Command::CompareSearches { start } => work(
            "Comparing searches",
            Box::new(move |progress, _| align::compare_searches(start, &before, &context, progress)),
        ),
        Command::RegisterBySearch(parameters) => work(
            "Registering",
            Box::new(move |progress, _| search_registration::run(*parameters, &before, &context, progress)),
        ),
        Command::AddPair(pair) => now(Edit::new("Add a point pair", move |document| document.pairs.push(pair))),
        Command::TogglePair(index) => now(Edit::new("Switch a point pair", move |document| {
            if let Some(pair) = document.pairs.get_mut(index) {
                pair.enabled = !pair.enabled;
            }
        })),
        Command::RemovePair(index) => now(Edit::new("Remove a point pair", move |document| {
            if index < document.pairs.len() {
                document.pairs.remove(index);
            }
        })),
        Command::ClearPairs => now(Edit::new("Remove all point pairs", |document| document.pairs.clear())),
        Command::Brush { stroke: found @ Brushed::Points(_), how } => now(selecting::brush(&found, how, document)?),
        Command::Brush { stroke, how } => {
            work("Selecting", Box::new(move |_, _| selecting::brush(&stroke, how, &before)))
        }
        Command::Select(of, stroke, how) => now(selecting::select(of, &stroke, how, document)?),
        Command::BrushFacets { stroke, how } => {
            work("Selecting", Box::new(move |_, _| selecting::brush_facets(&stroke, how, &before)))
        }
        Command::SelectWholeFaces => now(selecting::whole_faces(document)?),
        Command::SelectPointsOnFacets => work(
            "Selecting the points on facets",
            Box::new(move |progress, _| selecting::points_on_facets(&before, &context, progress)),
        ),
        Command::RemoveFacets => work("Removing facets", Box::new(move |_, _| open::remove_facets(&before))),
        Command::InvertSelection(of) => now(selecting::invert(of, document)?),
        Command::Show(of, which) => now(selecting::show(of, which, document)?),
        Command::ExportSelection(of, path) => {
            work("Exporting the selection", Box::new(move |_, _| selecting::export(of, &path, &before)))
        }
        Command::NameSelection(of, name) => now(selecting::name(of, &name, document)?),
        Command::RemoveSelection(index) => now(Edit::new("Forget a selection", move |document| {
            if index < document.selections.len() {
                document.selections.remove(index);
            }
        })),
        Command::FitFeature { kind, objective, robust, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| {
                features::fit((kind, objective), None, robust, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::FitParallelPlanes { planes, weights, clip_sigmas } => work(
            "Fitting parallel planes",
            Box::new(move |progress, _| {
                parallel_planes::fit(&planes, weights, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::RemoveFeature(index) => now(Edit::new("Remove a feature", move |document| {
            if index < document.features.len() {
                document.features.remove(index);
            }
        })),
        Command::NominalFromFacets(name) => work(
            "Fitting to the facets",
            Box::new(move |progress, _| features::nominal_from_facets(&name, &before, progress)),
        ),
        Command::ForgetNominal(name) => now(features::forget_nominal(name)),
        Command::FitInPlane { kind, plane, robust, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| {
                let what = (kind, Objective::Gaussian);
                features::fit(what, Some(&plane), robust, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::FitSlot { plane, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| features::fit_slot(plane.as_deref(), clip_sigmas, &before, progress)),
        ),
        Command::RemoveSlot(index) => now(Edit::new("Remove a slot", move |document| {
            if index < document.tolerancing.slots.len() {
                document.tolerancing.slots.remove(index);
            }
        })),
        Command::Construct { construction, sources } => now(tolerances::construct(construction, sources, document)?),
        Command::RemoveConstruction(index) => now(tolerances::remove(index)),
        Command::SetTolerancePlan(plan) => now(tolerances::set(*plan)),
        Command::JudgeTolerances => {
            work("Judging the tolerances", Box::new(move |progress, _| tolerances::judge(&before, progress)))
        }
        Command::OpenTolerancePlan(path) => {
            work("Opening the tolerances", Box::new(move |_, _| tolerances::open(&path)))
        }
        Command::SaveTolerancePlan(path) => {
            work("Saving the tolerances", Box::new(move |_, _| tolerances::save(&before, &path)))
        }
        Command::OpenMeasurement { device, path } => work(
            "Opening the measurement",
            Box::new(move |progress, _| calibrate::open(device, &path, &before, progress)),
        ),
        Command::SetUpCalibration(setup) => now(calibrate::set_up(*setup, document)?),
        Command::BrushRegion { device, region, stroke: found @ Brushed::Points(_), how } => {
            now(calibrate::brush((device, region), &found, how, document)?)
        }
        Command::BrushRegion { device, region, stroke, how } => {
            work("Selecting", Box::new(move |_, _| calibrate::brush((device, region), &stroke, how, &before)))
        }
        Command::ClearRegion(device, region) => now(calibrate::clear(device, region)),
        Command::KeepSnapshot => now(calibrate::keep(document)?),
        Command::ForgetSnapshot(number) => now(calibrate::forget(number)),
        Command::FindRegions => work(
            "Looking for the regions",
            Box::new(move |progress, _| artefact_regions::find(&before, &context, progress)),
        ),
        Command::Calibrate => work("Calibrating", Box::new(move |progress, _| calibrate::run(&before, progress))),
        Command::WriteCertificate(folder) => {
            work("Writing the certificate", Box::new(move |_, _| calibrate::write_certificate(&folder, &before)))
        }
        Command::MergeSnapshots { table, wishes } => work(
            "Merging the snapshots",
            Box::new(move |progress, _| merge::run(&table, &wishes, &before, &context, progress)),
        ),
        Command::Probe(probe) => Ok(probe::plan(probe, before)),
        Command::Accept(accept) => Ok(accept::plan(*accept, context)),
        Command::Upkeep(request) => upkeep::plan(request, before),
        Command::CleanScan(step) => {
            work("Cleaning the scan", Box::new(move |progress, _| open::clean(&step, &before, &context, progress)))
        }
        Command::UnifyWinding => work("Unifying the winding", Box::new(move |_, _| open::unify_winding(&before))),
        Command::SetSettings(settings) => {
            settings.check()?;
            now(Edit::new("Change settings", move |document| document.settings = *settings))
        }
        Command::WriteReport { folder } => work(
            "Writing the report",
            Box::new(move |progress, _| output::write_report(&before, &folder, &outputs, progress)),
        ),
        Command::SaveProject(path) => work("Saving the project", Box::new(move |_, _| open::save(&before, &path))),
        Command::OpenProject(path) => {
            work("Opening the project", Box::new(move |progress, _| open::project(&path, &context, progress)))
        }
        Command::NewInspection => now(Edit::new("Begin a new inspection", |document| {
            *document = Document {
                settings: document.settings.clone(),
                upkeep: document.upkeep.clone(),
                ..Document::default()
            };
        })),
        Command::UseDevice(id) => work(
            "Opening the device",
            Box::new(move |_, _| {
                let backend = compute::open_device(id)?;
                let device = backend.device();
                let note = format!("Computing on {}, {}.", device.kind.name(), device.device);
                Ok(Edit { backend: Some(backend), ..Edit::nothing(note) })
            }),
        ),
        Command::Undo | Command::Redo | Command::Mechanical(_) => now(Edit::nothing("")),
    }
}

/// Applies `first` to a copy of `before`, and runs what follows on the result; both become one step.
fn chain(first: Edit, mut before: Document, then: impl FnOnce(&Document) -> Result<Edit>) -> Result<Edit> {
    // The change is made twice: here on a copy for the work that follows, and at the end on the document itself.
    let notes = first.notes;
    (first.apply)(&mut before);
    let changed = before.clone();
    let next = then(&before)?;
    let label = first.label;
    let swap = Edit { label, apply: Box::new(move |document| *document = changed), notes, backend: None };
    Ok(swap.then(next))
}

fn align_and_compare(document: &Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let method = document.settings.align;
    let aligned = align::run(method, document, context, &progress.part(0.0, 0.7), watch)?;
    chain(aligned, document.clone(), |document| compare(document, context, &progress.part(0.7, 1.0)))
}

fn compare(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let check = check::run(
        context.backend.as_ref(),
        nominal,
        actual,
        &document.nominal_from_scan(),
        &document.settings.deviation,
        document.settings.scale_mm,
        progress,
    )?;
    let notes: Vec<String> = std::iter::once(format!("{}. {}", check.judgement.headline, check.judgement.reason))
        .chain(check.judgement.remarks.iter().cloned())
        .collect();
    let check = Arc::new(check);
    Ok(Edit::new("Compare", move |document| document.check = Some(check)).with_notes(notes))
}

fn needs_both() -> UserError {
    UserError::usage("Load a nominal and a scan first.")
}

/// A sentence for the log, and whether it is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sentence.
    pub text: String,
    /// Whether something failed.
    pub is_error: bool,
}

/// Owns the document; runs commands on it, one at a time.
pub struct Dispatcher {
    /// The inspection.
    pub document: Document,
    /// Its past and future.
    pub history: History,
    /// Device and CAD reader.
    pub context: Context,
    /// What happened, oldest first.
    pub messages: Vec<Message>,
    /// The mechanical alignment.
    pub mechanical: mechanical::Live,
    job: Option<Job<Edit>>,
    queue: std::collections::VecDeque<Command>,
    /// Times of the commands run so far: name, ms.
    pub timings_ms: Vec<(String, f64)>,
    started: Instant,
}

impl Dispatcher {
    /// Begins with an empty document.
    pub fn new(context: Context) -> Self {
        Self {
            document: Document::default(),
            history: History::default(),
            context,
            messages: Vec::new(),
            mechanical: mechanical::Live::default(),
            job: None,
            queue: std::collections::VecDeque::new(),
            timings_ms: Vec::new(),
            started: Instant::now(),
        }
    }

    /// Runs `command` when those before it are done. `watch` sees poses of a running best fit, `wake` is called
    /// whenever there is something new to show. Returns whether the document changed at once.
    pub fn send(&mut self, command: Command, watch: &Watch, wake: &Arc<dyn Fn() + Send + Sync>) -> bool {
        self.queue.push_back(command);
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
        match command {
            Command::Undo => self.step_back(),
            Command::Redo => self.step_forward(),
            Command::Mechanical(order) => {
                let done = self.mechanical.obey(order, &self.document.calibration.setup, wake);
                self.finish(done.map(|()| Edit::nothing("")))
            }
            command => match plan(command, &self.document, &self.context, &self.timings_ms) {
                Ok(Plan::Now(edit)) => self.finish(Ok(edit)),
                Ok(Plan::Work(label, work)) => {
                    let (watch, wake) = (Arc::clone(watch), Arc::clone(wake));
                    self.started = Instant::now();
                    self.job = Some(Job::start(label, move || wake(), move |progress| work(progress, &watch)));
                    false
                }
                Err(error) => self.finish(Err(error)),
            },
        }
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
                let Some(label) = edit.label else { return false };
                let before = self.document.clone();
                (edit.apply)(&mut self.document);
                for note in self.document.follow_features() {
                    self.say(note);
                }
                self.history.record(label, before, &self.document);
                true
            }
            Err(error) => {
                // What was queued behind a failed command was meant for its result.
                self.queue.clear();
                self.messages.push(Message { text: error.sentence, is_error: true });
                false
            }
        }
    }

    fn say(&mut self, text: String) {
        if !text.is_empty() {
            self.messages.push(Message { text, is_error: false });
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
    pub fn run_now(&mut self, command: Command, progress: &Progress) -> Result<()> {
        self.run_watched(command, &(Arc::new(|_: &Pose, _| ()) as Watch), progress)
    }

    /// As [`Self::run_now`]; `watch` sees the poses of a best fit.
    pub fn run_watched(&mut self, command: Command, watch: &Watch, progress: &Progress) -> Result<()> {
        let started = Instant::now();
        let label = match &command {
            Command::OpenNominal { .. } => "open_nominal",
            Command::OpenScans { .. } => "open_scan",
            Command::Align(_) | Command::AlignByPairs | Command::RegisterBySearch(_) => "align",
            Command::Compare => "compare",
            Command::WriteReport { .. } => "report",
            _ => "other",
        };
        let edit = match plan(command, &self.document, &self.context, &self.timings_ms)? {
            Plan::Now(edit) => edit,
            Plan::Work(_, work) => crate::session::jobs::guarded(|| work(progress, watch))?,
        };
        self.timings_ms.push((label.to_owned(), started.elapsed().as_secs_f64() * 1e3));
        self.finish(Ok(edit));
        Ok(())
    }
}
