//! Arguments of `inspect` and `demo`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Cleaning;
use super::values::{columns, direction, tolerance};
use base::{LengthUnit, PageSize, StandardView};
use compute::DeviceChoice;
use dispatch::Reports;
use inspect::alignment::Method as AlignMethod;
use inspect::deviation::{Method, Tolerance};
use session::presentation::ReportSection;
use texts::Language;

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
        "reference_points", "surface_points", "method", "direction", "in_plane", "tolerance_mm",
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
    pub references: super::super::reference_points::ReferenceOptions,
    #[command(flatten)]
    pub surface_points: super::super::surface_points::SurfacePointOptions,
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
    /// Measure all points within the planes of the nominal frame that are perpendicular to this direction, X, Y, Z or a
    /// vector such as 0,0.6,0.8, each to the closest point in its plane; where the surface runs in them there is no data.
    #[arg(long, value_name = "AXIS", value_parser = direction, allow_hyphen_values = true, conflicts_with = "direction")]
    pub in_plane: Option<[f64; 3]>,
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
    /// Area from which a connected region out of tolerance fails the part, mm²; by default every region that noise does not
    /// explain. Below what these data can detect, the verdict is "incomplete".
    #[arg(long)]
    pub min_region_mm2: Option<f64>,
    /// Colours of the deviations in pictures, report and colormap.ply: spectrum, continuous, bands, colour-blind, or the file
    /// (.json) of a colour scale that was saved in the window.
    #[arg(long, default_value = "spectrum")]
    pub colours: super::super::colours::ColourChoice,
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
    /// Pictures of the report without flags of regions out of tolerance, tolerances and surface points.
    #[arg(long)]
    pub no_flags: bool,
    /// Pictures of the report with deviations of points on the nominal rather than on the scan.
    #[arg(long)]
    pub on_nominal: bool,
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
