//! Arguments of `tolerances`.

use std::path::PathBuf;

use clap::Args;

use super::values::{name_and_kind, name_and_point};
use inspect::features::Kind;

/// `tolerances`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph tolerances --features touched.csv --plan plan.json --fit bottom=plane \
    --fit \"bore 1\"=cylinder\n\ntouched.csv has one row per measured point: feature, x, y, z in mm. plan.json names \
    the datums and lists the tolerances:\n  { \"datums\": { \"A\": \"bottom\" }, \"tolerances\": [\n    { \"feature\": \
    \"bore 1\", \"characteristic\": \"perpendicularity\", \"limit_mm\": 0.05, \"datums\": [\"A\"] } ] }\n\nA common \
    datum of several features, such as the axis of two bearing seats, is written with hyphens: \"datums\": [\"A-B\"]"
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
    /// Gaussian filter of the points before circularity and cylindricity are judged: cutoff in undulations per revolution,
    /// such as 15, 50, 150 or 500. Of the tolerances that state no filter in the plan.
    #[arg(long, value_name = "UPR")]
    pub filter_upr: Option<f64>,
    /// Gaussian filter of the points before other form is judged: cutoff wavelength, mm, such as 0.25, 0.8, 2.5 or 8. Of
    /// the tolerances that state no filter in the plan.
    #[arg(long, value_name = "MM")]
    pub filter_mm: Option<f64>,
    /// Remove single points that stand off their neighbours by more than this many standard deviations of the noise before
    /// form is judged. Of the tolerances that do not state it in the plan.
    #[arg(long, value_name = "SIGMAS")]
    pub outlier_sigmas: Option<f64>,
    /// Share of the faces of features and datums that must be seen, 0 to 1, below which a tolerance is incomplete. Of the
    /// tolerances that do not state it in the plan; by default 0.8 of nominal faces, and 0.5 of the extent of the points
    /// where these are not known.
    #[arg(long, value_name = "SHARE")]
    pub min_coverage: Option<f64>,
    /// Exit with code 4 if a measured value is out of its limits, and with 6 if one is undecided or incomplete.
    #[arg(long)]
    pub fail_on_out_of_tolerance: bool,
}
