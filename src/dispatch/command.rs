//! The commands: one enum a room, beside the code that carries it out.

use super::accept::Accept;
use super::align::Align;
use super::calibrate::Calibrate;
use super::edit::Execution;
use super::elements::Elements;
use super::features::Features;
use super::inspection::Inspect;
use super::mechanical::Order;
use super::merge::Merge;
use super::output::Report;
use super::parts::Parts;
use super::probe::Probe;
use super::projects::Projects;
use super::selecting::Select;
use super::series::Series;
use super::tolerances::Tolerances;
use super::upkeep::Request;
use super::{Context, Edit};
use base::Result;
use compute::DeviceId;
use session::Document;

/// Everything that can be asked of the program.
#[derive(Clone, Debug)]
pub enum Command {
    /// Opens nominals and scans, and changes them.
    Parts(Parts),
    /// Saves and opens inspections.
    Projects(Projects),
    /// Brings scan and nominal together.
    Align(Align),
    /// Compares scan and nominal.
    Inspect(Inspect),
    /// Selects points and facets.
    Select(Select),
    /// Changes elements of the plan, whatever they are.
    Elements(Elements),
    /// Fits features.
    Features(Features),
    /// Constructs elements, and judges tolerances.
    Tolerances(Tolerances),
    /// Calibrates the sensor.
    Calibrate(Calibrate),
    /// Begins or ends the mechanical alignment.
    Mechanical(Order),
    /// Merges snapshots by the calibration, and opens them as the scan.
    Merge(Merge),
    /// Measures holes by a touch probe where the scan has found them.
    Probe(Probe),
    /// Judges the sensor by scans of artefacts.
    Accept(Box<Accept>),
    /// Measures many parts by a plan.
    Series(Series),
    /// Watches the calibration.
    Upkeep(Request),
    /// Writes what is handed over.
    Report(Report),
    /// Computes on another device.
    UseDevice(DeviceId),
    /// Takes the last change back.
    Undo,
    /// Brings the last undone change again.
    Redo,
}

macro_rules! commands_of {
    ($($room:ident),*) => {
        $(impl From<$room> for Command {
            fn from(command: $room) -> Self {
                Self::$room(command)
            }
        })*
    };
}

commands_of!(
    Parts, Projects, Align, Inspect, Select, Elements, Features, Tolerances, Calibrate, Merge, Probe, Series, Report
);

impl Command {
    /// How it is carried out on `document`.
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
            Self::Calibrate(command) => command.execution(before, context),
            Self::Merge(command) => Ok(command.execution(before, context)),
            Self::Probe(command) => Ok(command.execution(before)),
            Self::Accept(command) => Ok(command.execution(context)),
            Self::Series(command) => Ok(command.execution(context)),
            Self::Upkeep(command) => command.execution(before),
            Self::Report(command) => Ok(command.execution(before, timings_ms.to_vec())),
            Self::UseDevice(id) => Ok(Execution::work("Opening the device", move |_, _| {
                let backend = compute::open_device(id)?;
                let device = backend.device();
                let note = format!("Computing on {}, {}.", device.kind.name(), device.device);
                Ok(Edit { backend: Some(backend), ..Edit::nothing(note) })
            })),
            // The dispatcher's own.
            Self::Undo | Self::Redo | Self::Mechanical(_) => Ok(Execution::Now(Edit::nothing(""))),
        }
    }

    /// The name of its time in a report's summary.
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
