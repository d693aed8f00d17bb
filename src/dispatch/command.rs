//! All commands: one enum per area, next to the code that runs it.

use super::align::Align;
use super::calibrate::Calibrate;
use super::detect::Detect;
use super::edit::Execution;
use super::elements::Elements;
use super::features::Features;
use super::inspection::Inspect;
use super::mechanical::Order;
use super::merge::Merge;
use super::monitoring::Monitoring;
use super::offset::Offset;
use super::output::Report;
use super::parts::Parts;
use super::presenting::Present;
use super::probe::Probe;
use super::projects::Projects;
use super::sections::Sections;
use super::selecting::Select;
use super::series::Series;
use super::surface_points::SurfacePoints;
use super::tolerances::Tolerances;
use super::{Context, Edit, accept};
use base::Result;
use compute::DeviceId;
use inspect::acceptance::AcceptanceTest;
use session::Document;

/// A command, from the window, the command line or a test.
#[derive(Clone, Debug)]
pub enum Command {
    /// Opens and modifies nominals and scans.
    Parts(Parts),
    /// Saves and opens inspections.
    Projects(Projects),
    /// Aligns the scan to the nominal.
    Align(Align),
    /// Compares scan and nominal.
    Inspect(Inspect),
    /// Selects points and facets.
    Select(Select),
    /// Changes elements of the plan of any kind.
    Elements(Elements),
    /// Fits features.
    Features(Features),
    /// Constructs elements and judges tolerances.
    Tolerances(Tolerances),
    /// Offset volumes of the nominal.
    Offset(Offset),
    /// Cuts the nominal and the scan by planes.
    Sections(Sections),
    /// Deviations at points of the nominal.
    SurfacePoints(SurfacePoints),
    /// Finds the nominal in the scan.
    Detect(Detect),
    /// Calibrates the sensor.
    Calibrate(Calibrate),
    /// Starts or stops the mechanical alignment.
    Mechanical(Order),
    /// Merges snapshots by the calibration and opens the result as the scan.
    Merge(Merge),
    /// Hybrid measurement: measures holes located in the scan by touch probe.
    Probe(Probe),
    /// Tests the sensor by scans of artefacts.
    Accept(Box<AcceptanceTest>),
    /// Measures many parts by a plan.
    Series(Series),
    /// Monitors the calibration.
    Monitoring(Monitoring),
    /// Saves views, and chooses what the report contains.
    Present(Present),
    /// Writes or shows the report.
    Report(Report),
    /// Switches to another compute device.
    UseDevice(DeviceId),
    /// Undoes the last change.
    Undo,
    /// Redoes the last undone change.
    Redo,
}

macro_rules! impl_from_commands {
    ($($area:ident),*) => {
        $(impl From<$area> for Command {
            fn from(command: $area) -> Self {
                Self::$area(command)
            }
        })*
    };
}

impl_from_commands!(
    Parts,
    Projects,
    Align,
    Inspect,
    Select,
    Elements,
    Features,
    Tolerances,
    Sections,
    SurfacePoints,
    Offset,
    Detect,
    Calibrate,
    Merge,
    Probe,
    Series,
    Present,
    Report
);

impl Command {
    /// How the command is run on `document`.
    pub(super) fn execution(
        self,
        document: &Document,
        context: &Context,
        timings_ms: &[(String, f64)],
    ) -> Result<Execution> {
        let (before, context) = (document.clone(), context.clone());
        match self {
            Self::Parts(command) => Ok(command.execution(before, context)),
            Self::Projects(command) => Ok(command.execution(before, context)),
            Self::Align(command) => command.execution(before, context),
            Self::Inspect(command) => command.execution(before, context),
            Self::Select(command) => command.execution(before, context),
            Self::Elements(command) => command.execution(before, context),
            Self::Features(command) => Ok(command.execution(before, context)),
            Self::Tolerances(command) => command.execution(before, context),
            Self::Offset(command) => command.execution(before, context),
            Self::Sections(command) => Ok(command.execution(before, context)),
            Self::SurfacePoints(command) => Ok(command.execution(before, context)),
            Self::Detect(command) => command.execution(before, context),
            Self::Calibrate(command) => command.execution(before, context),
            Self::Merge(command) => Ok(command.execution(before, context)),
            Self::Probe(command) => Ok(command.execution(before)),
            Self::Accept(test) => Ok(accept::execution(*test, context)),
            Self::Series(command) => Ok(command.execution(before, context)),
            Self::Monitoring(command) => command.execution(before),
            Self::Present(command) => command.execution(before),
            Self::Report(command) => Ok(command.execution(before, context, timings_ms.to_vec())),
            Self::UseDevice(id) => Ok(Execution::work("Opening the device", move |_, _| {
                let backend = compute::open_device(id)?;
                let device = backend.device();
                let note = format!("Computing on {}, {}.", device.kind.name(), device.device);
                Ok(Edit { backend: Some(backend), ..Edit::nothing(note) })
            })),
            // Handled by the dispatcher itself.
            Self::Undo | Self::Redo | Self::Mechanical(_) => Ok(Execution::Now(Edit::nothing(""))),
        }
    }

    /// Key of its run time in the report's summary.
    pub(super) fn timing_name(&self) -> &'static str {
        match self {
            Self::Parts(Parts::OpenNominal { .. }) => "open_nominal",
            Self::Parts(Parts::OpenScans { .. }) => "open_scan",
            Self::Align(Align::Run(_) | Align::ByPairs | Align::BySearch(_)) => "align",
            Self::Inspect(Inspect::Compare) => "compare",
            Self::Report(_) => "report",
            _ => "other",
        }
    }
}
