//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use base::LengthUnit;
use compute::DeviceChoice;
use compute::thinning::Rule;
use inspect::alignment::Method as AlignMethod;
use inspect::calibration::{ArtefactKind, Handedness};
use inspect::cleaning::Step;
use inspect::deviation::{Method, Tolerance};
use inspect::features::Kind;
use inspect::simulation::systematic::SystematicErrorForm;

/// Scan-to-CAD inspection: where does this part differ from its drawing?
///
/// Without a command, opens the window with the files named.
#[derive(Parser, Debug)]
#[command(name = "shadowgraph", version)]
#[command(
    after_help = "Examples:\n  shadowgraph demo\n  shadowgraph inspect --nominal part.step --scan part.ply --out report/\n  \
    shadowgraph part.step scan.ply\n\nExit codes: 0 done, 2 wrong usage, 3 unusable input, 4 out of tolerance (only when \
    asked) or a calibration that is not certified, 5 internal, 6 incomplete (only when asked)."
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Files to open in the window.
    pub files: Vec<PathBuf>,
    /// Answer in JSON on standard output.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Runs the main job on the part that ships with the program.
    Demo(Demo),
    /// Loads a nominal and a scan, aligns, compares, and writes the report.
    Inspect(Box<Inspect>),
    /// Finds the pose of a scan on a nominal or on another cloud.
    Register(Box<super::register::Register>),
    /// Fits an ideal feature to the points of a file.
    Fit(Box<super::fit::Fit>),
    /// Judges a drawing's tolerances on measured features.
    Tolerances(Tolerances),
    /// Finds holes and slots of sheet metal in a scan, around where they should be.
    Holes(super::holes::Holes),
    /// Finds where a sensor sits on a CMM, from an artefact measured by both.
    Calibrate(Calibrate),
    /// Merge snapshots of many positions of the CMM into one scan, by a calibration.
    Merge(Merge),
    /// Measure holes by a touch probe, starting from where a scan has them.
    Probe(super::probe::Probe),
    /// Say whether calibrations repeat, drift, and still hold, from their log.
    Repeatability(super::repeatability::Repeatability),
    /// Judge a sensor by scans of a ball bar and of a flat.
    Accept(super::accept::Accept),
    /// Scans a part with a simulated structured-light sensor.
    Simulate(Simulate),
    /// Simulates a machine with a mis-mounted sensor, to try the mechanical alignment on.
    SimulateMachine(SimulateMachine),
    /// Converts a mesh, CAD file or cloud.
    Convert(Convert),
    /// Says what is in files, and what this program can use on this machine.
    Info(Info),
    /// Measures speed on this machine.
    Bench(Bench),
}

/// `demo`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  shadowgraph demo --no-window --out demo-report")]
pub struct Demo {
    /// Do not open the window afterwards.
    #[arg(long)]
    pub no_window: bool,
    /// Where the report goes.
    #[arg(long, default_value = "shadowgraph-demo")]
    pub out: PathBuf,
}

/// `inspect`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph inspect --nominal part.step --scan part.ply --out report/\n  \
    shadowgraph inspect --nominal part.stl --nominal-units inch --scan a.ply --scan b.ply --tolerance-mm -0.2,0.2 --out r/\n  \
    shadowgraph inspect --nominal part.step --scan part.ply --align none --pose pose.txt --method point-facet \
    --max-edge-mm 1 --out r/\n  \
    shadowgraph inspect --plan part.sgplan shift/*.ply --out shift/results/")]
pub struct Inspect {
    /// With --plan: a scan of each part, or a folder of them.
    #[arg(requires = "plan")]
    pub parts: Vec<PathBuf>,
    /// Nominal: STEP, IGES, STL, OBJ, PLY or glTF.
    #[arg(long, required_unless_present = "plan")]
    pub nominal: Option<PathBuf>,
    /// Scan; several are snapshots of one part in one frame, merged.
    #[arg(long, required_unless_present = "plan")]
    pub scan: Vec<PathBuf>,
    /// Inspection plan (.sgplan): says all that the options on nominal, alignment and comparison would, for many parts.
    /// Writes a folder a part, parts.csv, parts.parquet and statistics.csv.
    #[arg(long, conflicts_with_all = [
        "nominal", "scan", "nominal_units", "scan_units", "columns", "align", "pairs", "pose", "method", "tolerance_mm",
        "max_distance_mm", "max_angle_deg", "max_edge_mm", "radius_mm", "min_region_mm2", "min_coverage", "max_outliers",
        "clutter_distance_mm", "title", "part_number", "serial", "operator", "no_pictures", "save_plan",
        "remove_outliers", "thin_mm", "thin_cells_mm", "normals",
    ])]
    pub plan: Option<PathBuf>,
    /// With --plan: a list of the parts, one a line: a file, or a name and its files, separated by commas.
    #[arg(long, requires = "plan", conflicts_with = "parts")]
    pub list: Option<PathBuf>,
    /// With --plan: parts that an earlier run has measured by the same plan are not measured again.
    #[arg(long, requires = "plan")]
    pub resume: bool,
    /// With --plan: parts in work at a time; as many as there are cores, up to 8, when not given.
    #[arg(long, requires = "plan", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Writes what is done here as an inspection plan (.sgplan) for other parts.
    #[arg(long)]
    pub save_plan: Option<PathBuf>,
    /// Unit of the nominal's numbers (CAD files carry theirs).
    #[arg(long)]
    pub nominal_units: Option<LengthUnit>,
    /// Unit of the scan's numbers.
    #[arg(long)]
    pub scan_units: Option<LengthUnit>,
    /// Columns of x, y, z in files of numbers, counted from 1, such as 2,3,4.
    #[arg(long, value_parser = columns)]
    pub columns: Option<io::xyz::Columns>,
    /// How the scan is cleaned.
    #[command(flatten)]
    pub cleaning: Cleaning,
    /// How to align.
    #[arg(long, value_enum, default_value = "auto")]
    pub align: AlignMethod,
    /// CSV of point pairs: nominal x, y, z, scan x, y, z. Aligns by them first; best fit follows unless `--align none`.
    #[arg(long)]
    pub pairs: Option<PathBuf>,
    /// Text file with the 4x4 nominal_from_scan. Best fit starts from it; with `--align none` it is used as it is.
    #[arg(long)]
    pub pose: Option<PathBuf>,
    /// How to measure deviations.
    #[arg(long, value_enum, default_value = "closest")]
    pub method: Method,
    /// Allowed deviations, mm; both limits are in tolerance.
    #[arg(long, value_parser = tolerance, default_value = "-0.1,0.1", allow_hyphen_values = true)]
    pub tolerance_mm: Tolerance,
    /// Farther points get no colour, mm; regions of them are judged all the same.
    #[arg(long, default_value_t = 2.0)]
    pub max_distance_mm: f64,
    /// Places whose normals lean apart more have no data, degrees.
    #[arg(long, default_value_t = 90.0)]
    pub max_angle_deg: f64,
    /// Refine the nominal's facets to edges of at most this first, mm (facet methods); twice the spacing of the scan's
    /// points when not given.
    #[arg(long)]
    pub max_edge_mm: Option<f64>,
    /// Lateral radius of point-facet matching, mm; 1.2 times the spacing of the scan's points when not given.
    #[arg(long)]
    pub radius_mm: Option<f64>,
    /// A connected region out of tolerance fails the part from this area on, mm².
    #[arg(long, default_value_t = 1.0)]
    pub min_region_mm2: f64,
    /// Share of the nominal's surface that must be measured, percent; with less the verdict is "incomplete".
    #[arg(long, default_value_t = 100.0 * inspect::deviation::DEFAULT_MIN_COVERAGE)]
    pub min_coverage: f64,
    /// Points that may be out of tolerance outside of regions: a count such as 25, or a share such as 0.5%.
    #[arg(long)]
    pub max_outliers: Option<inspect::deviation::OutlierLimit>,
    /// Connected points beyond the largest distance are clutter from this distance on, mm; a tenth of the part's
    /// diagonal when not given. Nearer ones that hide the part's surface are out of tolerance.
    #[arg(long)]
    pub clutter_distance_mm: Option<f64>,
    /// Device that computes.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
    /// End with code 4 when the part fails, with 6 when the verdict is incomplete.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
    /// Title of the report.
    #[arg(long, default_value = "")]
    pub title: String,
    /// Part number on the report.
    #[arg(long, default_value = "")]
    pub part_number: String,
    /// Serial number on the report.
    #[arg(long, default_value = "")]
    pub serial: String,
    /// Operator on the report.
    #[arg(long, default_value = "")]
    pub operator: String,
    /// Leave the pictures out.
    #[arg(long)]
    pub no_pictures: bool,
    /// Folder for summary.json, deviations.csv, colormap.ply, report.html, report.pdf, views/.
    #[arg(long)]
    pub out: PathBuf,
}

/// How scans are cleaned after loading, in this order.
#[derive(Args, Debug)]
pub struct Cleaning {
    /// Remove points that stand farther from their neighbours than the mean and so many standard deviations, such as 3.
    #[arg(long, value_name = "SIGMAS")]
    pub remove_outliers: Option<f64>,
    /// Leave fewer points: none nearer than this to another, mm.
    #[arg(long, conflicts_with = "thin_cells_mm")]
    pub thin_mm: Option<f64>,
    /// Leave fewer points: one in each cube of this edge, mm.
    #[arg(long)]
    pub thin_cells_mm: Option<f64>,
    /// Find normals from neighbours.
    #[arg(long)]
    pub normals: bool,
}

impl Cleaning {
    /// The steps asked for.
    pub fn steps(&self) -> Vec<Step> {
        let outliers = self.remove_outliers.map(|sigmas| Step::RemoveOutliers { neighbours: 16, sigmas });
        let by_distance = self.thin_mm.map(|mm| Step::Thin(Rule::Distance(mm)));
        let by_cells = self.thin_cells_mm.map(|mm| Step::Thin(Rule::Cells(mm)));
        let normals = self.normals.then_some(Step::Normals);
        [outliers, by_distance, by_cells, normals].into_iter().flatten().collect()
    }
}

/// `tolerances`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph tolerances --features touched.csv --plan plan.json --fit bottom=plane \
    --fit \"bore 1\"=cylinder\n\ntouched.csv has one row per measured point: feature, x, y, z in mm. plan.json names \
    the datums and lists the tolerances:\n  { \"datums\": { \"A\": \"bottom\" }, \"tolerances\": [\n    { \"feature\": \
    \"bore 1\", \"characteristic\": \"perpendicularity\", \"limit_mm\": 0.05, \"datums\": [\"A\"] } ] }"
)]
pub struct Tolerances {
    /// CSV of the measured points: feature, x, y, z in mm.
    #[arg(long)]
    pub features: PathBuf,
    /// JSON of datums, tolerances and, where positions need them, the features' nominals.
    #[arg(long)]
    pub plan: PathBuf,
    /// What a feature is fitted as, NAME=KIND; one with a nominal in the plan is fitted as that. May be given several
    /// times.
    #[arg(long, value_name = "NAME=KIND", value_parser = name_and_kind)]
    pub fit: Vec<(String, Kind)>,
    /// CAD or mesh of the nominal part, in the frame of the points, for --face.
    #[arg(long, requires = "face")]
    pub nominal: Option<PathBuf>,
    /// The face of the nominal that a feature should be, NAME=X,Y,Z: the one nearest to that place, mm. May be given
    /// several times.
    #[arg(long, value_name = "NAME=X,Y,Z", value_parser = name_and_place, requires = "nominal")]
    pub face: Vec<(String, [f64; 3])>,
    /// Drop points farther than this many robust standard deviations, and fit again.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// End with code 4 when a measured value is out of its limits.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
}

/// `calibrate`
#[derive(Args, Debug)]
#[command(
    after_help = "Tables are CSV: region, x, y, z in mm, the regions LP, RP (plate left and right), LL, LR (long slot's \
    flanks), SU, SL (short slot's flanks).\n\nExit code 4: calibrated, but not certified; the reasons are said, and stand \
    in the JSON and on the certificate.\n\nExample:\n  shadowgraph calibrate --sensor snapshot.ply --cmm touches.csv \
    --handedness left --probe-radius-mm 1.5 --clip-sigmas 3 --out calibration.json --certificate certificate.pdf"
)]
pub struct Calibrate {
    /// The artefact.
    #[arg(long, value_enum, default_value = "angled-slots")]
    pub artefact: ArtefactKind,
    /// CAD of the artefact, where its regions are to be found by that; with --artefact-regions.
    #[arg(long, requires = "artefact_regions")]
    pub artefact_cad: Option<PathBuf>,
    /// Places on the CAD, in its axes, mm: CSV of region, x, y, z, one or more on every face of a region.
    #[arg(long, requires = "artefact_cad")]
    pub artefact_regions: Option<PathBuf>,
    /// What the sensor reports: a whole snapshot, in which the regions are found, or a CSV of region, x, y, z.
    #[arg(long, required_unless_present = "snapshots")]
    pub sensor: Option<PathBuf>,
    /// The regions as the CMM touched them.
    #[arg(long, required_unless_present = "snapshots")]
    pub cmm: Option<PathBuf>,
    /// Several snapshots instead: a CSV of sensor file, CMM file, x, y, z of the CMM in mm. Rows with the same CMM file
    /// are of one placement of the artefact. The mounting is stated for the first.
    #[arg(long, conflicts_with_all = ["sensor", "cmm", "position_mm"])]
    pub snapshots: Option<PathBuf>,
    /// Find the squareness of the CMM's X and Y too, from placements that lie in different ways.
    #[arg(long)]
    pub squareness: bool,
    /// Find the scales of the CMM's axes too, relative to the sensor's.
    #[arg(long)]
    pub scales: bool,
    /// Frame that the sensor reports in.
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Radius of the ball whose centres the CMM reports, mm; 0 where it reports places on the surface.
    #[arg(long)]
    pub probe_radius_mm: f64,
    /// Where the CMM stood at the snapshot, X,Y,Z mm.
    #[arg(long, value_parser = three, default_value = "0,0,0", allow_hyphen_values = true)]
    pub position_mm: [f64; 3],
    /// Drop the sensor's points farther than this many robust standard deviations from their plane.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// Largest systematic error of the sensor over its field, mm, as its data sheet or an acceptance test says; in
    /// whichever form: tilt, bowl, cubic, scale or waves.
    #[arg(long, default_value_t = 0.01)]
    pub sensor_bias_mm: f64,
    /// Largest relative error of the sensor's scale, where it is known better than that error tells, such as 2e-5.
    #[arg(long)]
    pub sensor_scale_error: Option<f64>,
    /// Largest probing error of the CMM, mm, either way, as its acceptance test says.
    #[arg(long, default_value_t = 0.002)]
    pub cmm_probing_mm: f64,
    /// Confirm that the sensor sits otherwise than with its X along the machine's, looking down.
    #[arg(long)]
    pub any_mounting: bool,
    /// Who calibrates.
    #[arg(long, default_value = "")]
    pub operator: String,
    /// Serial number of the sensor, for the certificate.
    #[arg(long, default_value = "")]
    pub sensor_serial: String,
    /// Serial number of the machine, for the certificate.
    #[arg(long, default_value = "")]
    pub machine_serial: String,
    /// Serial number of the artefact, for the certificate.
    #[arg(long, default_value = "")]
    pub artefact_serial: String,
    /// How long the calibration holds, hours; it ends with every restart of the CMM, too.
    #[arg(long, default_value_t = 24.0)]
    pub valid_hours: f64,
    /// Add the calibration to this log, from which `repeatability` tells whether calibrations repeat.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// Write the calibration to this JSON file.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the certificate to this PDF file.
    #[arg(long)]
    pub certificate: Option<PathBuf>,
}

/// `merge`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph merge --calibration calibration.json --positions positions.csv --out scan.ply\n\n\
    positions.csv has one row per snapshot: file, x, y, z of the CMM in mm; the files lie beside it."
)]
pub struct Merge {
    /// The calibration that `calibrate --out` wrote.
    #[arg(long)]
    pub calibration: PathBuf,
    /// The snapshots, and where the CMM stood at each: CSV of file, x, y, z in mm.
    #[arg(long)]
    pub positions: PathBuf,
    /// The merged scan to write; a record goes beside it as JSON.
    #[arg(long)]
    pub out: PathBuf,
    /// Use a calibration that has expired, is not certified or was edited, for this reason; it is kept in the record.
    #[arg(long, visible_alias = "use-anyway-because")]
    pub use_expired_because: Option<String>,
    /// Move the snapshots until they agree where they overlap, as far as their surfaces tell.
    #[arg(long)]
    pub refine: bool,
    /// With --refine: how far a snapshot's middle may be off, one standard deviation of each coordinate, mm.
    #[arg(long, default_value_t = 0.05, requires = "refine")]
    pub placed_to_mm: f64,
    /// With --refine: how far a snapshot may be turned, one standard deviation about each axis, degrees.
    #[arg(long, default_value_t = 0.01, requires = "refine")]
    pub turned_to_deg: f64,
    /// With --refine: the device.
    #[arg(long, value_enum, default_value = "auto", requires = "refine")]
    pub backend: DeviceChoice,
}

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
    /// The part.
    #[arg(long, required_unless_present = "artefact")]
    pub nominal: Option<PathBuf>,
    /// Simulate a calibration with this artefact instead of the scan of a part.
    #[arg(long, value_enum, conflicts_with = "nominal")]
    pub artefact: Option<ArtefactKind>,
    /// Frame that the sensor reports in (calibrations).
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// By how much the angle between the CMM's X and Y is smaller than a right one, rad (calibrations).
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub squareness_rad: f64,
    /// Form of the sensor's systematic error (calibrations); its size is --error-mm.
    #[arg(long, value_enum, default_value = "waves")]
    pub error_form: SystematicErrorForm,
    /// Size of it: the longest way by which it moves a point of the field against the middle, mm (calibrations).
    #[arg(long)]
    pub error_mm: Option<f64>,
    /// The artefact's faces have a form error of up to this, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub form_mm: f64,
    /// The CMM's probe errs in three lobes of up to this, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub lobing_mm: f64,
    /// Also write sensor-regions.csv, the regions as a hand brushes them: some tenths of a millimetre off, over a rim here
    /// and there (calibrations).
    #[arg(long)]
    pub hand: bool,
    /// The artefact bends by this much from its middle to its corners, mm (calibrations).
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub flatness_mm: f64,
    /// The artefact's edges are rounded over about this width, mm (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub rounding_mm: f64,
    /// The edge of a slot as it is seen leaves its wall by so much more from one end to the other, mm (calibrations by
    /// slots in a plate).
    #[arg(long, default_value_t = 0.0)]
    pub askew_mm: f64,
    /// Points are reported at multiples of this across and along, mm; 0 not at all (calibrations).
    #[arg(long, default_value_t = 0.0)]
    pub bin_mm: f64,
    /// Unit of its numbers.
    #[arg(long)]
    pub nominal_units: Option<LengthUnit>,
    /// Number of views, spread evenly around the part.
    #[arg(long, default_value_t = 12)]
    pub views: usize,
    /// One-sided: look from these directions only, X,Y,Z; may be given several times.
    #[arg(long, allow_hyphen_values = true)]
    pub from: Vec<String>,
    /// Keep about this many points of all views.
    #[arg(long)]
    pub points: Option<usize>,
    /// A fault to put in; see below. May be given several times.
    #[arg(long, allow_hyphen_values = true)]
    pub defect: Vec<String>,
    /// Scale all lengths of the sensor, for larger or smaller parts.
    #[arg(long, default_value_t = 1.0)]
    pub sensor_scale: f64,
    /// Share of gross outliers.
    #[arg(long, default_value_t = 0.0)]
    pub outliers: f64,
    /// Standard deviation of the range at normal incidence, mm.
    #[arg(long)]
    pub range_sigma_mm: Option<f64>,
    /// Number of glossy patches that give no points.
    #[arg(long, default_value_t = 0)]
    pub glossy_patches: u32,
    /// Write the scan in a random pose instead of the part's own.
    #[arg(long)]
    pub random_pose: bool,
    /// Text file with the 4x4 scan_from_nominal to write the scan in.
    #[arg(long)]
    pub scan_pose: Option<PathBuf>,
    /// Decides every draw.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for scan.ply, truth.csv, truth.json, pose.txt.
    #[arg(long)]
    pub out: PathBuf,
}

/// `simulate-machine`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph simulate-machine --listen 127.0.0.1:4012 --folder snapshots/\n\nIn the window's workspace \
    Calibrate, Mechanical alignment, name the folder and the line tcp://127.0.0.1:4012. Then type, one a line: turn \
    artefact|sensor roll|pitch|yaw DEGREES; snap; truth; quit. Each turn is followed by touches and a snapshot."
)]
pub struct SimulateMachine {
    /// Where touches are served, host:port; port 0 takes any that is free.
    #[arg(long, default_value = "127.0.0.1:4012")]
    pub listen: String,
    /// Where snapshots are written.
    #[arg(long)]
    pub folder: PathBuf,
    /// Frame that the sensor reports in.
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Distance of neighbouring points, mm.
    #[arg(long, default_value_t = 0.35)]
    pub pitch_mm: f64,
    /// Decides every draw.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// `convert`
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  shadowgraph convert part.step part.stl --chord-mm 0.01\n  shadowgraph convert scan.pcd scan.ply\n  \
    shadowgraph convert scan.ply thin.ply --remove-outliers 3 --thin-mm 0.5 --normals"
)]
pub struct Convert {
    /// File to read.
    pub input: PathBuf,
    /// File to write: STL, PLY, OBJ for meshes; PLY, XYZ, ASC, CSV for clouds. Always mm.
    pub output: PathBuf,
    /// Unit of the input's numbers.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Largest distance between facets and CAD surface, mm.
    #[arg(long, default_value_t = 0.005)]
    pub chord_mm: f64,
    /// Largest angle between neighbouring facets of a CAD surface, degrees.
    #[arg(long, default_value_t = 5.0)]
    pub angle_deg: f64,
    /// Refine facets to edges of at most this, mm.
    #[arg(long)]
    pub max_edge_mm: Option<f64>,
    /// Mesh an organised snapshot instead of writing its points.
    #[arg(long)]
    pub mesh: bool,
    /// Turn facets so that they agree and face outward.
    #[arg(long)]
    pub unify_winding: bool,
    /// How points are cleaned.
    #[command(flatten)]
    pub cleaning: Cleaning,
    /// Device that computes.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
}

/// `info`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph info part.step scan.ply\n  shadowgraph info")]
pub struct Info {
    /// Files to describe.
    pub files: Vec<PathBuf>,
}

/// `bench`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph bench deviation\n  shadowgraph bench register --runs 9 --json")]
pub struct Bench {
    /// What to measure.
    #[arg(value_enum)]
    pub suite: Suite,
    /// Runs after one warm-up; the median counts.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Part of the full sizes, for a quick look.
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Only this part of the suite. Of gpu: closest, matching, published, neighbours, statistics, fit, planes, searches;
    /// of calibration: brushed, found, squareness, sphere-bias, an artefact such as frustum, coverage and mishaps only
    /// if named here; of searches: sizes, variants, iterations, poses, graphs, outliers, distance, pipeline, model; of
    /// tables: points, facets, planes; of poses: part of the name of a part; of fits: plane, sphere, cylinder, cone.
    #[arg(long)]
    pub only: Option<String>,
    /// Mountings to try (calibration); for each, ten draws of the noise (fits).
    #[arg(long, default_value_t = 100)]
    pub mountings: usize,
    /// Only this form of the sensor's systematic error (calibration: coverage).
    #[arg(long, value_enum)]
    pub form: Option<SystematicErrorForm>,
    /// Only this artefact (calibration: coverage, mishaps).
    #[arg(long, value_enum)]
    pub artefact: Option<ArtefactKind>,
    /// Also write the generated inputs into this folder, for other programs to be timed on.
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Folders of the parts that are scanned (poses, wrong-parts).
    #[arg(long, num_args = 1..)]
    pub parts: Vec<PathBuf>,
    /// Also draw the charts of the suite (searches, tables) into this folder, as SVG files.
    #[arg(long)]
    pub charts: Option<PathBuf>,
}

/// The suites of `bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Closest point, point-facet and facet-facet matching.
    Deviation,
    /// Best fit.
    Register,
    /// Iterative closest points by every search.
    Searches,
    /// Reading a large binary STL.
    Read,
    /// Frames of the viewport with 2 million points and 1 million triangles.
    View,
    /// The CUDA device beside the processor.
    Gpu,
    /// Calibrations of a simulated sensor at random mountings.
    Calibration,
    /// Planes through points of uneven density, plain, thinned and weighted.
    Planes,
    /// Poses found from crops of parts, and whether wrong ones say that they could be others.
    Poses,
    /// Scans held against every part, all of equal size: whether a wrong one is told.
    WrongParts,
    /// The published tables of facet matching and of parallel planes measured again, with the published figures beside.
    Tables,
    /// How often the intervals that fits state hold the truth, under correlated noise.
    Fits,
}

/// Numbers separated by commas.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',').map(|word| word.trim().parse::<f64>().map_err(|_| format!("“{word}” is not a number"))).collect()
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    let tolerance = match *numbers(text)?.as_slice() {
        [low_mm, high_mm] => Tolerance { low_mm, high_mm },
        [both] => Tolerance { low_mm: -both.abs(), high_mm: both.abs() },
        _ => return Err("two numbers are expected, such as -0.1,0.1".to_owned()),
    };
    tolerance.check().map_err(|error| error.sentence)?;
    Ok(tolerance)
}

fn name_and_kind(text: &str) -> Result<(String, Kind), String> {
    let (name, kind) = text.rsplit_once('=').ok_or("a feature and its kind are expected, such as bottom=plane")?;
    Ok((name.trim().to_owned(), Kind::from_str(kind.trim(), true)?))
}

fn name_and_place(text: &str) -> Result<(String, [f64; 3]), String> {
    let (name, place) = text.rsplit_once('=').ok_or("a feature and a place are expected, such as bottom=10,20,0")?;
    Ok((name.trim().to_owned(), three(place)?))
}

/// Three numbers separated by commas.
pub fn three(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<[f64; 3]> = numbers(text)?.try_into().ok();
    numbers.filter(|all| all.iter().all(|n| n.is_finite())).ok_or_else(|| "three numbers are expected".to_owned())
}

/// Columns of x, y, z, counted from 1.
pub fn columns(text: &str) -> Result<io::xyz::Columns, String> {
    let words: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse::<usize>()).collect();
    match words.as_deref() {
        Ok(&[x, y, z]) if x > 0 && y > 0 && z > 0 => {
            Ok(io::xyz::Columns { xyz: [x - 1, y - 1, z - 1], ..Default::default() })
        }
        _ => Err("three column numbers from 1 are expected, such as 1,2,3".to_owned()),
    }
}
