//! The files read by `register`, and the best fit between them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::console::Console;
use super::Register;
use base::{LengthUnit, Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::{Backend, DeviceKind};
use dispatch::{Align, Context, Dispatcher, Parts, Watch};
use geometry::{Cloud, OrderedPoints, Pose, SearchablePoints, Vector};
use inspect::alignment::automatic;
use inspect::alignment::search_comparison::{self, SearchComparison};
use inspect::alignment::search_registration::Nominal;
use inspect::alignment::{Alignment, Method, best_fit};
use inspect::cleaning::normals_of;
use io::format::Format;
use io::{LoadOptions, LoadedScan, load_scan};

/// A nominal and a scan.
pub enum Files {
    /// A nominal with facets, opened as in the window.
    Surface(Box<Dispatcher>),
    /// Two point clouds.
    Clouds(Box<Clouds>),
}

/// Two point clouds, and the normals of the first, of arbitrary sign.
pub struct Clouds {
    nominal: Cloud,
    normals: Vec<Vector>,
    scan: Cloud,
}

impl Clouds {
    fn start(&self, progress: &Progress) -> Result<Alignment> {
        automatic::on_cloud(&self.nominal, &self.normals, &self.scan, progress)
    }

    fn with_inputs<T>(&self, work: impl FnOnce(&Nominal<'_>, &OrderedPoints) -> Result<T>) -> Result<T> {
        let points = SearchablePoints::new(&self.nominal.points);
        let nominal = Nominal::Cloud { points: &points, normals: &self.normals };
        work(&nominal, &OrderedPoints::new(&self.scan.points))
    }

    /// Best fit of the scan onto the nominal, from the automatic start if requested; with the mean squared distance of
    /// each iteration, mm².
    fn fit(&self, arguments: &Register, context: &Context, progress: &Progress) -> Result<(Alignment, Vec<f64>)> {
        let given = given(arguments)?;
        let automatic_start = match arguments.align {
            Method::None => return Ok((Alignment::given(given.unwrap_or_else(Pose::identity)), Vec::new())),
            Method::Auto if given.is_none() => Some(self.start(&progress.part(0.0, 0.6))?),
            Method::Auto | Method::BestFit => None,
        };
        let progress = &progress.part(0.6, 1.0);
        let start =
            given.or(automatic_start.as_ref().map(|found| found.nominal_from_scan)).unwrap_or_else(Pose::identity);
        let mut history_mm2 = Vec::new();
        let alignment = self.with_inputs(|nominal, scan| {
            let bounds = nominal.bounds();
            let problem =
                best_fit::Problem { target: nominal.target(), bounds, points: scan, normals: &[], oriented: false };
            // A small object must not be matched across a large scene.
            let default_gate_mm =
                0.1 * bounds.diagonal().min(geometry::Aabb::of_points_parallel(&scan.points).diagonal());
            let gate_mm = arguments.max_distance_mm.unwrap_or(default_gate_mm);
            let (backend, parameters) = (context.backend.as_ref(), arguments.best_fit());
            let mut watch = |_: &Pose, rms_mm: f64| history_mm2.push(rms_mm * rms_mm);
            best_fit::run_from_gate(backend, &problem, &start, &parameters, gate_mm, progress, &mut watch)
        })?;
        let alignment = match automatic_start {
            Some(Alignment { method, alternatives, rivals, explained, .. }) => {
                Alignment { method, alternatives, rivals, explained, ..alignment }
            }
            None => alignment,
        };
        Ok((alignment, history_mm2))
    }
}

impl Files {
    /// Reads both files. A nominal without facets is a point cloud.
    pub fn open(arguments: &Register, context: &Context, console: &Console, progress: &Progress) -> Result<Self> {
        if let Some(nominal) = cloud_of(arguments, context) {
            let scan = load(&arguments.scan, arguments, context, progress)?;
            nominal.notes.iter().chain(&scan.notes).for_each(|note| console.say(note));
            let searchable = SearchablePoints::new(&nominal.cloud.points);
            let normals = normals_of(context.backend.as_ref(), &nominal.cloud, &searchable, progress)?;
            drop(searchable);
            return Ok(Self::Clouds(Box::new(Clouds { nominal: nominal.cloud, normals, scan: scan.cloud })));
        }
        let mut dispatcher = Dispatcher::new(context.clone());
        dispatcher.document.settings.best_fit = arguments.best_fit();
        dispatcher.run_now(
            Parts::OpenNominal { path: arguments.nominal.clone(), unit: arguments.nominal_unit() },
            progress,
        )?;
        let paths = vec![arguments.scan.clone()];
        dispatcher.run_now(Parts::OpenScans { paths, unit: arguments.scan_unit(), columns: None }, progress)?;
        Ok(Self::Surface(Box::new(dispatcher)))
    }

    /// Prints the messages of the commands so far.
    pub fn say(&mut self, console: &Console) {
        if let Self::Surface(dispatcher) = self {
            dispatcher.messages.drain(..).for_each(|message| console.say(&message.text));
        }
    }

    /// Calls `work` with nominal and scan, the scan in space-filling-curve order.
    pub fn with_inputs<T>(&self, work: impl FnOnce(&Nominal<'_>, &OrderedPoints) -> Result<T>) -> Result<T> {
        match self {
            Self::Surface(dispatcher) => {
                let document = &dispatcher.document;
                let (Some(nominal), Some(actual)) = (document.nominal(), document.actual()) else {
                    return Err(UserError::internal("A file that was opened has no result."));
                };
                work(&Nominal::Surface(&nominal.surface), &actual.prepared.ordered)
            }
            Self::Clouds(clouds) => clouds.with_inputs(work),
        }
    }

    /// Start pose of a search, nominal from scan: the given pose, else the automatic one if requested, else the
    /// identity.
    pub fn start(&mut self, arguments: &Register, console: &Console, progress: &Progress) -> Result<Pose> {
        let given = given(arguments)?;
        match self {
            Self::Surface(dispatcher) if given.is_none() && arguments.align == Method::Auto => {
                dispatcher.run_now(Align::Run(Method::Auto), progress)?;
                Ok(dispatcher.document.nominal_from_scan())
            }
            Self::Clouds(clouds) if given.is_none() && arguments.align == Method::Auto => {
                let found = clouds.start(progress)?;
                found.remarks().iter().for_each(|remark| console.say(remark));
                Ok(found.nominal_from_scan)
            }
            _ => Ok(given.unwrap_or_else(Pose::identity)),
        }
    }

    /// Aligns by `--align`; with the mean squared distance of each iteration of the best fit, mm².
    pub fn align(
        &mut self,
        arguments: &Register,
        context: &Context,
        progress: &Progress,
    ) -> Result<(Alignment, Vec<f64>)> {
        match self {
            Self::Surface(dispatcher) => align_by_commands(dispatcher, arguments, progress),
            Self::Clouds(clouds) => clouds.fit(arguments, context, progress),
        }
    }

    /// Registers with every search, from the given pose or else from near the aligned pose.
    pub fn compare(
        &mut self,
        arguments: &Register,
        context: &Context,
        progress: &Progress,
    ) -> Result<SearchComparison> {
        let start = given(arguments)?;
        let aligned = match start {
            Some(_) => None,
            None => Some(self.align(arguments, context, &progress.part(0.0, 0.5))?.0),
        };
        let progress = progress.part(0.5, 1.0);
        if let Self::Surface(dispatcher) = self {
            dispatcher.run_now(Align::CompareSearches { start }, &progress)?;
            let comparison = dispatcher.document.searches.as_deref().cloned();
            return comparison.ok_or_else(|| UserError::internal("The comparison gave no result."));
        }
        let backend = context.backend.as_ref();
        let mut devices: Vec<&dyn Backend> = vec![&Cpu];
        if backend.device().kind != DeviceKind::Cpu {
            devices.push(backend);
        }
        let current = aligned.map_or_else(Pose::identity, |aligned| aligned.nominal_from_scan);
        self.with_inputs(|nominal, scan| {
            let start = start.unwrap_or_else(|| search_comparison::rotated_start(&current, &nominal.bounds()));
            search_comparison::run(&devices, nominal, scan, &start, &progress)
        })
    }
}

/// Reads a scan.
pub fn load(path: &Path, arguments: &Register, context: &Context, progress: &Progress) -> Result<LoadedScan> {
    load_scan(path, &options(arguments.scan_unit(), context), progress).map_err(|error| error.in_file(path))
}

/// The nominal if it is a point cloud: a file without facets, of a format that may hold points alone.
fn cloud_of(arguments: &Register, context: &Context) -> Option<LoadedScan> {
    let may_be_cloud = matches!(
        Format::from_extension(&arguments.nominal),
        Ok(Format::Ply
            | Format::Pcd
            | Format::Xyz
            | Format::E57
            | Format::Ptx
            | Format::Las
            | Format::Obj
            | Format::Off)
    );
    if !may_be_cloud {
        return None;
    }
    // A file that cannot be read as a scan is opened as a nominal, which reports the error.
    let loaded =
        load_scan(&arguments.nominal, &options(arguments.nominal_unit(), context), &Progress::silent()).ok()?;
    loaded.mesh.is_none().then_some(loaded)
}

fn options(unit: Option<LengthUnit>, context: &Context) -> LoadOptions {
    LoadOptions { unit, columns: None, cad: context.cad.clone() }
}

fn given(arguments: &Register) -> Result<Option<Pose>> {
    arguments.pose.as_deref().map(super::super::inspect::read_pose).transpose()
}

fn align_by_commands(
    dispatcher: &mut Dispatcher,
    arguments: &Register,
    progress: &Progress,
) -> Result<(Alignment, Vec<f64>)> {
    let mut method = arguments.align;
    if let Some(pose) = given(arguments)? {
        dispatcher.run_now(Align::SetPose(pose), progress)?;
        method = if method == Method::Auto { Method::BestFit } else { method };
    }
    let history_mm2 = Arc::new(Mutex::new(Vec::new()));
    let shared_history = Arc::clone(&history_mm2);
    let watch: Watch = Arc::new(move |_: &Pose, rms_mm: f64| {
        shared_history.lock().unwrap_or_else(PoisonError::into_inner).push(rms_mm * rms_mm);
    });
    dispatcher.run_watched(Align::Run(method), &watch, progress)?;
    let alignment = dispatcher.document.alignment().cloned();
    let alignment = alignment.ok_or_else(|| UserError::internal("The alignment gave no result."))?;
    let history_mm2 = history_mm2.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok((alignment, history_mm2))
}
