//! Command-line arguments, by group of commands. The doc comments of fields and variants are the help texts.

mod benchmark;
mod calibration;
mod cleaning;
mod files;
mod inspection;
mod simulation;
mod tolerances;
mod values;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};

pub use benchmark::{Bench, Suite};
pub use calibration::{Calibrate, Merge};
pub use cleaning::Cleaning;
pub use files::{Convert, Info};
pub use inspection::{Demo, Inspect};
pub use simulation::{Simulate, SimulateMachine};
pub use tolerances::Tolerances;
pub use values::{columns, numbers, three, tolerance};

static VERSION: LazyLock<String> = LazyLock::new(base::software::version);

/// Scan-to-CAD inspection: measures where a part deviates from its nominal.
///
/// Without a command, opens the window with the given files.
#[derive(Parser, Debug)]
#[command(name = "shadowgraph", version = VERSION.as_str())]
#[command(
    after_help = "Examples:\n  shadowgraph demo\n  shadowgraph inspect --nominal part.step --scan part.ply --out report/\n  \
    shadowgraph part.step scan.ply\n\nExit codes: 0 done, 2 wrong usage, 3 unusable input, 4 out of tolerance (only when \
    asked) or a calibration that is not certified, 5 internal, 6 incomplete (only when asked)."
)]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Files to open in the window.
    pub files: Vec<PathBuf>,
    /// Print the result as JSON on standard output.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Inspects the demo part that ships with the program.
    Demo(Demo),
    /// Loads a nominal and a scan, aligns, compares and writes the report.
    Inspect(Box<Inspect>),
    /// Registers a scan to a nominal or to another point cloud.
    Register(Box<super::register::Register>),
    /// Fits a geometric element to the points of a file.
    Fit(Box<super::fit::Fit>),
    /// Evaluates the tolerances of a drawing on measured features.
    Tolerances(Tolerances),
    /// Measures holes and slots of sheet metal in a scan, near their nominal positions.
    Holes(super::holes::Holes),
    /// Calibrates the mounting of a sensor on a CMM, by an artefact measured with both.
    Calibrate(Box<Calibrate>),
    /// Merges snapshots at many positions of the CMM into one scan, by a calibration.
    Merge(Merge),
    /// Measures holes by touch probe, starting from their positions in a scan.
    Probe(super::probe::Probe),
    /// Evaluates repeatability, drift and validity of calibrations from their log.
    Repeatability(super::repeatability::Repeatability),
    /// Runs the acceptance test of a sensor, from scans of a ball bar and of a flat.
    Accept(super::accept::Accept),
    /// Scans a part with a simulated structured-light sensor.
    Simulate(Simulate),
    /// Simulates a CMM with a misaligned sensor, to try out the mechanical alignment.
    SimulateMachine(SimulateMachine),
    /// Computes the offset volume of a part, dilated or eroded, and the mesh around it.
    Offset(Box<super::offset::Offset>),
    /// Finds known parts in a scan, without a start.
    Detect(super::detect::Detect),
    /// Computes where the centre of a ball-end tool may move around a part, pass by pass.
    Contact(Box<super::contact::Contact>),
    /// Measures the wall thickness of a part, or the width of its gaps.
    Thickness(Box<super::thickness::Thickness>),
    /// Cuts a part and a scan of it by planes, and measures the deviations in them.
    Section(Box<super::section::Section>),
    /// Writes a template for the pages of the report, to be changed to your own page design.
    Template(super::template::Template),
    /// Converts a mesh, CAD file or point cloud.
    Convert(Convert),
    /// Describes files, or the compute devices and readers available on this machine.
    Info(Info),
    /// Runs benchmarks on this machine.
    Bench(Bench),
}
