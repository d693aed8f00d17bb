//! Command-line arguments. The doc comments of fields and variants are the help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use base::{LengthUnit, PageSize, StandardView};
use compute::DeviceChoice;
use compute::thinning::Rule;
use dispatch::Reports;
use inspect::alignment::Method as AlignMethod;
use inspect::calibration::{ArtefactKind, Handedness};
use inspect::cleaning::Step;
use inspect::detection::Generator;
use inspect::deviation::{Method, Tolerance};
use inspect::features::Kind;
use inspect::simulation::systematic::SystematicErrorForm;
use session::presentation::ReportSection;
use texts::Language;

/// Scan-to-CAD inspection: measures where a part deviates from its nominal.
///
/// Without a command, opens the window with the given files.
#[derive(Parser, Debug)]
#[command(name = "shadowgraph", version)]
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
    Calibrate(Calibrate),
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

/// `demo`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  shadowgraph demo --no-window --out demo-report")]
pub struct Demo {
    /// Do not open the window afterwards.
    #[arg(long)]
    pub no_window: bool,
    /// Output folder for the report.
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
    /// Nominal: CAD or a mesh (STEP, IGES, STL, OBJ, PLY, glTF …), or the points of a master part.
    #[arg(long, required_unless_present = "plan")]
    pub nominal: Option<PathBuf>,
    /// Scan; several are merged as snapshots of one part in one frame.
    #[arg(long, required_unless_present = "plan")]
    pub scan: Vec<PathBuf>,
    /// Inspection plan (.sgplan) for many parts, which replaces the options for nominal, alignment and comparison.
    /// Writes a folder per part, parts.csv, parts.parquet, statistics.csv and results.xlsx.
    #[arg(long, conflicts_with_all = [
        "nominal", "scan", "nominal_units", "scan_units", "columns", "align", "pairs", "pose",
        "reference_points", "surface_points", "method", "direction", "tolerance_mm",
        "face_tolerances",
        "max_distance_mm", "max_angle_deg", "max_edge_mm", "radius_mm", "min_region_mm2", "min_coverage", "max_outliers",
        "colours",
        "clutter_distance_mm", "serial", "calibration", "save_plan", "remove_outliers", "thin_mm", "thin_cells_mm", "normals",
    ])]
    pub plan: Option<PathBuf>,
    /// With --plan: a list of the parts, one per line: a file, or a name and its files, separated by commas.
    #[arg(long, requires = "plan", conflicts_with = "parts")]
    pub list: Option<PathBuf>,
    /// With --plan: skip parts that an earlier run has measured by the same plan.
    #[arg(long, requires = "plan")]
    pub resume: bool,
    /// With --plan: the parts that get a report, in the folder "report" of their own.
    #[arg(long, requires = "plan", value_enum, default_value = "none")]
    pub reports: PartReports,
    /// With --plan: number of parts measured in parallel; by default the number of cores, up to 8.
    #[arg(long, requires = "plan", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Save this inspection as a plan (.sgplan) for other parts.
    #[arg(long)]
    pub save_plan: Option<PathBuf>,
    /// Unit of the nominal's coordinates (CAD files state their own).
    #[arg(long)]
    pub nominal_units: Option<LengthUnit>,
    /// Unit of the scan's coordinates.
    #[arg(long)]
    pub scan_units: Option<LengthUnit>,
    /// Columns of x, y, z in text files, counted from 1, such as 2,3,4.
    #[arg(long, value_parser = columns)]
    pub columns: Option<io::xyz::Columns>,
    /// Cleaning of the scan.
    #[command(flatten)]
    pub cleaning: Cleaning,
    /// Alignment method.
    #[arg(long, value_enum, default_value = "auto")]
    pub align: AlignMethod,
    /// CSV of point pairs: nominal x, y, z, scan x, y, z. Aligned by first; a best fit follows unless `--align none`.
    #[arg(long)]
    pub pairs: Option<PathBuf>,
    /// Text file with the 4x4 matrix nominal_from_scan. A best fit starts from it; with `--align none` it is used
    /// unchanged.
    #[arg(long)]
    pub pose: Option<PathBuf>,
    #[command(flatten)]
    pub references: super::reference_points::ReferenceOptions,
    #[command(flatten)]
    pub surface_points: super::surface_points::SurfacePointOptions,
    /// Judge the tolerances and dimensions that the nominal states (STEP AP242); see `shadowgraph info` for them.
    #[arg(long)]
    pub pmi: bool,
    /// With --pmi: nesting index of the Gaussian filter (ISO 16610-61) that points pass before the form, orientation and
    /// position of surfaces are judged, mm.
    #[arg(long, requires = "pmi")]
    pub filter_mm: Option<f64>,
    /// Method of the deviations.
    #[arg(long, value_enum, default_value = "closest")]
    pub method: Method,
    /// Measure all points along one direction of the nominal frame, X, Y, Z or a vector such as 0,0.6,0.8, rather than to
    /// their closest points; where the surface runs along it there is no data.
    #[arg(long, value_parser = direction, allow_hyphen_values = true)]
    pub direction: Option<[f64; 3]>,
    /// Tolerance limits of the deviations, mm, inclusive.
    #[arg(long, value_parser = tolerance, default_value = "-0.1,0.1", allow_hyphen_values = true)]
    pub tolerance_mm: Tolerance,
    /// CSV of faces with own tolerances: name, x, y, z of a point on the face, lower and upper limit, mm. Rows of one name
    /// are faces of one own tolerance; the other faces are judged by --tolerance-mm.
    #[arg(long)]
    pub face_tolerances: Option<PathBuf>,
    /// Maximum distance of a point to the nominal, mm; farther points get no colour, but regions of them are judged.
    #[arg(long, default_value_t = 2.0)]
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of scan and nominal, degrees; beyond it there is no data.
    #[arg(long, default_value_t = 90.0)]
    pub max_angle_deg: f64,
    /// Maximum edge length the nominal's facets are refined to first, mm (facet methods); by default twice the point
    /// spacing of the scan.
    #[arg(long)]
    pub max_edge_mm: Option<f64>,
    /// Lateral radius of point-facet matching, mm; by default 1.2 times the point spacing of the scan.
    #[arg(long)]
    pub radius_mm: Option<f64>,
    /// Area from which a connected region out of tolerance fails the part, mm².
    #[arg(long, default_value_t = 1.0)]
    pub min_region_mm2: f64,
    /// Colours of the deviations in pictures, report and colormap.ply: spectrum, continuous, bands, colour-blind, or the file
    /// (.json) of a colour scale that was saved in the window.
    #[arg(long, default_value = "spectrum")]
    pub colours: super::colours::ColourChoice,
    /// Decimals of most deviations in the printed report, 2 to 5; what is printed with more or fewer follows. Tables and files for
    /// programs have all figures.
    #[arg(long, default_value_t)]
    pub decimals: base::Decimals,
    /// Minimum coverage of the nominal's surface, percent; below it the verdict is "incomplete".
    #[arg(long, default_value_t = 100.0 * inspect::deviation::DEFAULT_MIN_COVERAGE)]
    pub min_coverage: f64,
    /// Maximum number of points out of tolerance outside of regions: a count such as 25, or a percentage such as 0.5%.
    #[arg(long)]
    pub max_outliers: Option<inspect::deviation::OutlierLimit>,
    /// Distance from which connected points beyond the maximum distance are clutter, mm; by default a tenth of the
    /// part's diagonal. Closer ones that hide the part's surface are out of tolerance.
    #[arg(long)]
    pub clutter_distance_mm: Option<f64>,
    /// Compute device.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
    /// Exit with code 4 if the part fails, 6 if the verdict is incomplete.
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
    /// Logo on the report, a PNG file.
    #[arg(long)]
    pub logo: Option<PathBuf>,
    /// Template of the pages of report.pdf, a typst file such as `shadowgraph template` writes; needs the program typst.
    #[arg(long)]
    pub template: Option<PathBuf>,
    /// Size of the pages of report.pdf.
    #[arg(long, value_enum, default_value = "a4")]
    pub page_size: PageSize,
    /// Language of the report; tables for programs are the same in all.
    #[arg(long, value_enum, default_value = "en")]
    pub language: Language,
    /// Sections of the report, in their order; the others are left out.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub report_sections: Vec<ReportSection>,
    /// Sides from which the report shows the part.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub views: Vec<StandardView>,
    /// Calibration record of the sensor, as written by `calibrate --out`; stated on the report. The verdict is
    /// "incomplete" if it was edited, is not certified or has expired.
    #[arg(long)]
    pub calibration: Option<PathBuf>,
    /// Omit the pictures.
    #[arg(long)]
    pub no_pictures: bool,
    /// Folder for summary.json, results.csv, results.xlsx, results.qif, deviations.csv, colormap.ply, report.html,
    /// report.pdf, views/.
    #[arg(long)]
    pub out: PathBuf,
}

/// Parts of a series that get a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PartReports {
    /// No part.
    None,
    /// Parts that do not pass.
    NotPassed,
    /// All parts.
    All,
}

impl From<PartReports> for Reports {
    fn from(reports: PartReports) -> Self {
        match reports {
            PartReports::None => Self::None,
            PartReports::NotPassed => Self::NotPassed,
            PartReports::All => Self::All,
        }
    }
}

/// Cleaning of scans after loading, in this order.
#[derive(Args, Debug)]
pub struct Cleaning {
    /// Remove outliers: points whose distance from their neighbours exceeds the mean by this many standard deviations,
    /// such as 3.
    #[arg(long, value_name = "SIGMAS")]
    pub remove_outliers: Option<f64>,
    /// Thin the points to this minimum distance between them, mm.
    #[arg(long, conflicts_with = "thin_cells_mm")]
    pub thin_mm: Option<f64>,
    /// Thin the points to one per cube of this edge length, mm.
    #[arg(long)]
    pub thin_cells_mm: Option<f64>,
    /// Estimate normals from neighbouring points.
    #[arg(long)]
    pub normals: bool,
}

impl Cleaning {
    /// The requested steps.
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
    /// Kind of feature to fit, NAME=KIND; by default that of its nominal in the plan. May be given several times.
    #[arg(long, value_name = "NAME=KIND", value_parser = name_and_kind)]
    pub fit: Vec<(String, Kind)>,
    /// CAD or mesh of the nominal part, in the frame of the points, for --face.
    #[arg(long, requires = "face")]
    pub nominal: Option<PathBuf>,
    /// Nominal face of a feature, NAME=X,Y,Z: the face closest to that point, mm. May be given several times.
    #[arg(long, value_name = "NAME=X,Y,Z", value_parser = name_and_point, requires = "nominal")]
    pub face: Vec<(String, [f64; 3])>,
    /// Drop points beyond this many robust standard deviations and fit again.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// Exit with code 4 if a measured value is out of its limits.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
}

/// `calibrate`
#[derive(Args, Debug)]
#[command(
    after_help = "Tables are CSV: region, x, y, z in mm, the regions LP, RP (plate left and right), LL, LR (flanks of \
    the long slot), SU, SL (flanks of the short slot).\n\nExit code 4: calibrated, but not certified; the reasons are \
    printed and stated in the JSON and on the certificate.\n\nExample:\n  shadowgraph calibrate --sensor snapshot.ply \
    --cmm touches.csv --handedness left --probe-radius-mm 1.5 --clip-sigmas 3 --out calibration.json --certificate \
    certificate.pdf"
)]
pub struct Calibrate {
    /// The artefact.
    #[arg(long, value_enum, default_value = "angled-slots")]
    pub artefact: ArtefactKind,
    /// CAD of the artefact, to find its regions by; with --artefact-regions.
    #[arg(long, requires = "artefact_regions")]
    pub artefact_cad: Option<PathBuf>,
    /// Points on the CAD, in its frame, mm: CSV of region, x, y, z, at least one on every face of a region.
    #[arg(long, requires = "artefact_cad")]
    pub artefact_regions: Option<PathBuf>,
    /// Points measured by the sensor: a whole snapshot, in which the regions are found, or a CSV of region, x, y, z.
    #[arg(long, required_unless_present = "snapshots")]
    pub sensor: Option<PathBuf>,
    /// Points probed by the CMM: CSV of region, x, y, z.
    #[arg(long, required_unless_present = "snapshots")]
    pub cmm: Option<PathBuf>,
    /// Several snapshots instead: a CSV of sensor file, CMM file, x, y, z of the CMM in mm. Rows with the same CMM file
    /// belong to one placement of the artefact. The mounting is stated for the first.
    #[arg(long, conflicts_with_all = ["sensor", "cmm", "position_mm"])]
    pub snapshots: Option<PathBuf>,
    /// Also estimate the squareness of the CMM's X and Y axes, from placements in different orientations.
    #[arg(long)]
    pub squareness: bool,
    /// Also estimate the scales of the CMM's axes, relative to the sensor's.
    #[arg(long)]
    pub scales: bool,
    /// Handedness of the sensor's coordinate system.
    #[arg(long, value_enum, default_value = "right")]
    pub handedness: Handedness,
    /// Stylus tip radius to be compensated, mm; 0 if the CMM reports surface points.
    #[arg(long)]
    pub probe_radius_mm: f64,
    /// CMM position at the snapshot, X,Y,Z mm.
    #[arg(long, value_parser = three, default_value = "0,0,0", allow_hyphen_values = true)]
    pub position_mm: [f64; 3],
    /// Drop points of the sensor beyond this many robust standard deviations from their plane.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// Systematic sensor error over the measuring volume, mm (maximum), from its data sheet or an acceptance test; in
    /// whichever form: tilt, bowl, cubic, scale or waves.
    #[arg(long, default_value_t = 0.01)]
    pub sensor_bias_mm: f64,
    /// Relative scale error of the sensor (maximum), if known better than from that error, such as 2e-5.
    #[arg(long)]
    pub sensor_scale_error: Option<f64>,
    /// Measuring field of the sensor at the artefact's distance, X,Y mm, centred on the sensor's Z axis, from its data
    /// sheet. Without it the systematic error is taken to reach its maximum within what the artefact fills of the field.
    #[arg(long, value_parser = two)]
    pub sensor_field_mm: Option<[f64; 2]>,
    /// Probing error of the CMM, mm (maximum, ±), from its acceptance test.
    #[arg(long, default_value_t = 0.002)]
    pub cmm_probing_mm: f64,
    /// Confirm that the sensor is mounted other than with its X axis along that of the CMM, looking down.
    #[arg(long)]
    pub any_mounting: bool,
    /// Name of the operator.
    #[arg(long, default_value = "")]
    pub operator: String,
    /// Serial number of the sensor, for the certificate.
    #[arg(long, default_value = "")]
    pub sensor_serial: String,
    /// Serial number of the CMM, for the certificate.
    #[arg(long, default_value = "")]
    pub machine_serial: String,
    /// Serial number of the artefact, for the certificate.
    #[arg(long, default_value = "")]
    pub artefact_serial: String,
    /// Validity of the calibration, hours; it also ends with every restart of the CMM.
    #[arg(long, default_value_t = 24.0)]
    pub valid_hours: f64,
    /// Append the calibration to this log, which `repeatability` evaluates.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// Write the calibration to this JSON file.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the certificate to this PDF file.
    #[arg(long)]
    pub certificate: Option<PathBuf>,
    /// Size of its pages.
    #[arg(long, value_enum, default_value = "a4")]
    pub page_size: PageSize,
}

/// `merge`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  shadowgraph merge --calibration calibration.json --positions positions.csv --out \
    scan.ply\n\npositions.csv has one row per snapshot: file, x, y, z of the CMM in mm; the files are in the same \
    folder.")]
pub struct Merge {
    /// The calibration that `calibrate --out` wrote.
    #[arg(long)]
    pub calibration: PathBuf,
    /// The snapshots and the CMM position at each: CSV of file, x, y, z in mm.
    #[arg(long)]
    pub positions: PathBuf,
    /// The merged scan to write; a record is written beside it as JSON.
    #[arg(long)]
    pub out: PathBuf,
    /// Use a calibration that has expired, is not certified or was edited, for this reason, which is kept in the
    /// record.
    #[arg(long, visible_alias = "use-anyway-because")]
    pub use_expired_because: Option<String>,
    /// Global registration of the snapshots: align them where they overlap, as far as their surfaces determine it.
    #[arg(long)]
    pub refine: bool,
    /// With --refine: standard deviation of each coordinate of a snapshot's centre as placed by the calibration, mm.
    #[arg(long, default_value_t = 0.05, requires = "refine")]
    pub placed_to_mm: f64,
    /// With --refine: standard deviation of a snapshot's rotation about each axis as placed by the calibration,
    /// degrees.
    #[arg(long, default_value_t = 0.01, requires = "refine")]
    pub turned_to_deg: f64,
    /// With --refine: compute device.
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
    /// Unit of the input's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Maximum distance between facets and CAD surface, mm.
    #[arg(long, default_value_t = 0.005)]
    pub chord_mm: f64,
    /// Maximum angle between neighbouring facets of a CAD surface, degrees.
    #[arg(long, default_value_t = 5.0)]
    pub angle_deg: f64,
    /// Maximum edge length that facets are refined to, mm.
    #[arg(long)]
    pub max_edge_mm: Option<f64>,
    /// Mesh an organised snapshot instead of writing its points.
    #[arg(long)]
    pub mesh: bool,
    /// Orient facets consistently, facing outward.
    #[arg(long)]
    pub unify_winding: bool,
    /// Cleaning of the points.
    #[command(flatten)]
    pub cleaning: Cleaning,
    /// Compute device.
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
    /// The suite to run.
    #[arg(value_enum)]
    pub suite: Suite,
    /// Number of runs after one warm-up; the median is reported.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Fraction of the full problem sizes, for a quick run.
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Only this case of the suite. Of gpu: closest, matching, published, neighbours, statistics, fit, planes,
    /// searches; of calibration: brushed, found, squareness, sphere-bias, an artefact such as frustum, coverage and
    /// mishaps only if named here; of searches: sizes, variants, iterations, poses, graphs, outliers, distance,
    /// pipeline, model; of tables: points, facets, planes; of poses: part of the name of a part; of fits: plane,
    /// sphere, cylinder, cone; of offset: voxelise, exact; of rings: dilations,
    /// erosions, layouts, passes, gpus.
    #[arg(long)]
    pub only: Option<String>,
    /// Number of random mountings (calibration); ten times as many draws of the noise (fits).
    #[arg(long, default_value_t = 100)]
    pub mountings: usize,
    /// Number of the first pile (detect): with others than the usual 0, other piles are drawn.
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Parts come to rest in a bin (detect); otherwise they stay on a floor where they first touch.
    #[arg(long)]
    pub in_bin: bool,
    /// Pixels of the sensor along a side of its field (detect).
    #[arg(long, default_value_t = 420)]
    pub pixels: u32,
    /// How poses of parts are proposed (detect).
    #[arg(long, value_enum, default_value_t)]
    pub generator: Generator,
    /// Weights of the published search (published-detection); set by hand without.
    #[arg(long)]
    pub weights: Option<PathBuf>,
    /// Learn weights of the published search from every other part, and write them to this file (published-detection).
    #[arg(long)]
    pub train: Option<PathBuf>,
    /// Only this form of the systematic sensor error (calibration: coverage).
    #[arg(long, value_enum)]
    pub form: Option<SystematicErrorForm>,
    /// Only this artefact (calibration: coverage, mishaps).
    #[arg(long, value_enum)]
    pub artefact: Option<ArtefactKind>,
    /// Also write the generated inputs to this folder, to time other programs on.
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Folders of the parts to be scanned (poses, wrong-parts).
    #[arg(long, num_args = 1..)]
    pub parts: Vec<PathBuf>,
    /// Also write the charts of the suite (searches, tables) to this folder, as SVG files.
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
    /// Iterative closest point by every correspondence search.
    Searches,
    /// Reading a large binary STL.
    Read,
    /// Frame times of the viewport with 2 million points and 1 million triangles.
    View,
    /// The CUDA device compared with the CPU.
    Gpu,
    /// Voxelisation and offsets of parts of the published areas and numbers of facets.
    Offset,
    /// Offsets of the same parts by ring templates as published, with their errors, on the GPU if there is one.
    Rings,
    /// Distance fields of the same parts, and frame times while their distance changes.
    Field,
    /// Calibrations of a simulated sensor at random mountings.
    Calibration,
    /// Plane fits to points of uneven density: unweighted, thinned and weighted.
    Planes,
    /// Automatic alignment of crops of parts, and whether wrong poses are flagged as ambiguous.
    Poses,
    /// Detection of parts in piles whose truth is known.
    Detect,
    /// The published search for parts in its configurations beside ours, on the same piles.
    PublishedDetection,
    /// Automatic alignment of parts in scans that hold more than the part.
    Starts,
    /// Scans compared with every part, all of equal size: whether a wrong part is detected.
    WrongParts,
    /// The published tables of facet matching and parallel planes, measured again next to the published figures.
    Tables,
    /// How often the uncertainty intervals of fits contain the true value, under correlated noise.
    Fits,
}

/// Parses numbers separated by commas.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',').map(|word| word.trim().parse::<f64>().map_err(|_| format!("“{word}” is not a number"))).collect()
}

/// Parses a direction: an axis or a vector.
fn direction(text: &str) -> Result<[f64; 3], String> {
    let vector = match text.trim().to_ascii_uppercase().as_str() {
        "X" => vec![1.0, 0.0, 0.0],
        "Y" => vec![0.0, 1.0, 0.0],
        "Z" => vec![0.0, 0.0, 1.0],
        _ => numbers(text)?,
    };
    <[f64; 3]>::try_from(vector).map_err(|_| "X, Y, Z or three numbers are expected, such as 0,0.6,0.8".to_owned())
}

/// Parses tolerance limits, mm.
pub fn tolerance(text: &str) -> Result<Tolerance, String> {
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

fn name_and_point(text: &str) -> Result<(String, [f64; 3]), String> {
    let (name, point) = text.rsplit_once('=').ok_or("a feature and a point are expected, such as bottom=10,20,0")?;
    Ok((name.trim().to_owned(), three(point)?))
}

/// Parses three finite numbers separated by commas.
pub fn three(text: &str) -> Result<[f64; 3], String> {
    finite(text)?.ok_or_else(|| "three numbers are expected".to_owned())
}

fn two(text: &str) -> Result<[f64; 2], String> {
    finite(text)?.ok_or_else(|| "two numbers are expected, such as 75,131.25".to_owned())
}

/// Parses `N` finite numbers separated by commas; `None` if there are more or fewer, or some are not finite.
fn finite<const N: usize>(text: &str) -> Result<Option<[f64; N]>, String> {
    let numbers: Option<[f64; N]> = numbers(text)?.try_into().ok();
    Ok(numbers.filter(|all| all.iter().all(|n| n.is_finite())))
}

/// Parses the columns of x, y, z, counted from 1.
pub fn columns(text: &str) -> Result<io::xyz::Columns, String> {
    let words: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse::<usize>()).collect();
    match words.as_deref() {
        Ok(&[x, y, z]) if x > 0 && y > 0 && z > 0 => {
            Ok(io::xyz::Columns { xyz: [x - 1, y - 1, z - 1], ..Default::default() })
        }
        _ => Err("three column numbers from 1 are expected, such as 1,2,3".to_owned()),
    }
}
