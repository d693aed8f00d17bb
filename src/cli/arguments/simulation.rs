//! Arguments of `simulate` and `simulate-machine`.

use std::path::PathBuf;

use clap::Args;

use base::LengthUnit;
use inspect::calibration::{ArtefactKind, Handedness};
use inspect::simulation::systematic::SystematicErrorForm;

/// `simulate`
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  shadowgraph simulate --nominal part.step --out sim/ --defect bump:10,20,3,4,0.3\n  \
    shadowgraph simulate --nominal part.step --out sim/ --from 0,0,1 --outliers 0.05 --random-pose\n\nDefects (mm): \
    bump:X,Y,Z,RADIUS,HEIGHT (negative: dent), bend:X,Y,Z,TX,TY,TZ,DX,DY,DZ,LENGTH,DISPLACEMENT,WITHIN, \
    hole:X,Y,Z,AX,AY,AZ,RADIUS,THICKNESS (a hole not made), scale:FACTOR.\n\nWith --artefact, a calibration is \
    simulated instead: snapshot.ply, touches.csv and truth.json of a sensor mounted at random on a CMM."
)]
pub struct Simulate {
    /// CAD or mesh of the part.
    #[arg(long, required_unless_present = "artefact")]
    pub nominal: Option<PathBuf>,
    /// Simulate a calibration with this artefact instead of the scan of a part.
    #[arg(long, value_enum, conflicts_with = "nominal")]
    pub artefact: Option<ArtefactKind>,
    /// Frame that the sensor reports in (calibrations).
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Squareness error of the CMM's X and Y axes, rad: 90° minus the angle between them (calibrations).
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub squareness_rad: f64,
    /// Form of the sensor's systematic error (calibrations); its size is --error-mm.
    #[arg(long, value_enum, default_value = "waves")]
    pub error_form: SystematicErrorForm,
    /// Size of the systematic error, mm: the maximum displacement of a point of the measuring volume relative to its
    /// centre (calibrations).
    #[arg(long)]
    pub error_mm: Option<f64>,
    /// Maximum form error of the artefact's faces, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub form_mm: f64,
    /// Amplitude of a three-lobed probing error of the CMM, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub lobing_mm: f64,
    /// Also write sensor-regions.csv, the regions as brushed by hand: a few tenths of a millimetre off, over an edge
    /// here and there (calibrations).
    #[arg(long)]
    pub hand: bool,
    /// Bending of the artefact from its centre to its corners, mm (calibrations).
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub flatness_mm: f64,
    /// Approximate width over which the artefact's edges are rounded, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub rounding_mm: f64,
    /// Increase, from one end of a slot to the other, of the distance between its visible edge and its wall, mm
    /// (calibrations by slots in a plate).
    #[arg(long, default_value_t = 0.0)]
    pub askew_mm: f64,
    /// Lateral grid that points are rounded to, mm; 0 for none (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub bin_mm: f64,
    /// Unit of the part's coordinates.
    #[arg(long)]
    pub nominal_units: Option<LengthUnit>,
    /// Number of views, spread evenly around the part.
    #[arg(long, default_value_t = 12)]
    pub views: usize,
    /// One-sided: view from this direction only, X,Y,Z; may be given several times.
    #[arg(long, allow_hyphen_values = true)]
    pub from: Vec<String>,
    /// Approximate number of points to keep of all views.
    #[arg(long)]
    pub points: Option<usize>,
    /// A defect to add; see below. May be given several times.
    #[arg(long, allow_hyphen_values = true)]
    pub defect: Vec<String>,
    /// Factor for all lengths of the sensor, for larger or smaller parts; by default 1 for parts with a diagonal of up
    /// to 400 mm, and the diagonal over 200 mm for larger ones.
    #[arg(long)]
    pub sensor_scale: Option<f64>,
    /// Fraction of gross outliers.
    #[arg(long, default_value_t = 0.0)]
    pub outliers: f64,
    /// Standard deviation of the range at normal incidence, mm.
    #[arg(long)]
    pub range_sigma_mm: Option<f64>,
    /// Number of glossy patches without points.
    #[arg(long, default_value_t = 0)]
    pub glossy_patches: u32,
    /// Write the scan in a random pose instead of the part's own.
    #[arg(long)]
    pub random_pose: bool,
    /// Text file with the 4x4 matrix scan_from_nominal that gives the scan's pose.
    #[arg(long)]
    pub scan_pose: Option<PathBuf>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for scan.ply, truth.csv, truth.json, pose.txt.
    #[arg(long)]
    pub out: PathBuf,
}

/// `simulate-machine`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph simulate-machine --listen 127.0.0.1:4012 --folder snapshots/\n\nIn the \
    window's workspace Calibrate, Mechanical alignment, enter the folder and the connection tcp://127.0.0.1:4012. Then \
    type, one per line: turn artefact|sensor roll|pitch|yaw DEGREES; snap; truth; quit. Each turn is followed by \
    probing and a snapshot."
)]
pub struct SimulateMachine {
    /// Address at which probed points are served, host:port; port 0 uses any free port.
    #[arg(long, default_value = "127.0.0.1:4012")]
    pub listen: String,
    /// Folder for the snapshots.
    #[arg(long)]
    pub folder: PathBuf,
    /// Handedness of the sensor's coordinate system.
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Point spacing of the snapshots, mm.
    #[arg(long, default_value_t = 0.35)]
    pub pitch_mm: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
