//! Command-line arguments of `register`.

use std::path::PathBuf;

use clap::Args;

use base::{LengthUnit, Result, UserError};
use compute::DeviceChoice;
use compute::icp::{Filter, Search};
use inspect::alignment::{Method, best_fit, search_registration};

/// `register`
#[derive(Args, Debug)]
#[command(
    after_help = "Prints the 4x4 nominal_from_scan; its inverse, angles and the history of the iterations follow as \
    comments, so that the output is a pose file.\n\nExamples:\n  shadowgraph register --nominal part.step --scan \
    part.ply --out pose.txt\n  shadowgraph register --nominal target.ply --scan source.ply --units m --align \
    best-fit\n  shadowgraph register --nominal part.stl --scan part.ply --pose start.txt --search walk-optimised \
    --filter-sigmas 3 --filter-start 10\n  shadowgraph register --nominal part.stl --scan s1.ply --track s2.ply s3.ply \
    --pose start.txt --search walk-previous --json"
)]
pub struct Register {
    /// Target of the registration: a nominal with facets, or another point cloud.
    #[arg(long)]
    pub nominal: PathBuf,
    /// The scan to be registered.
    #[arg(long)]
    pub scan: PathBuf,
    /// Unit of the coordinates of all files whose own is not stated.
    #[arg(long)]
    units: Option<LengthUnit>,
    /// Unit of the nominal's coordinates (CAD files state their own).
    #[arg(long)]
    nominal_units: Option<LengthUnit>,
    /// Unit of the coordinates of the scans.
    #[arg(long)]
    scan_units: Option<LengthUnit>,
    /// Alignment method. --pose replaces the automatic start.
    #[arg(long, value_enum, default_value = "auto")]
    pub align: Method,
    /// Text file with the 4x4 nominal_from_scan to start from.
    #[arg(long)]
    pub pose: Option<PathBuf>,
    /// Fraction of the farthest points to leave out.
    #[arg(long, default_value_t = 0.0)]
    pub trim: f64,
    /// Maximum distance of matched points, mm; farther pairs are ignored.
    #[arg(long)]
    pub max_distance_mm: Option<f64>,
    /// Maximum number of iterations (of a best fit: on each of its levels).
    #[arg(long)]
    pub max_iterations: Option<usize>,
    /// Stop when the mean squared distance falls below this, mm².
    #[arg(long, value_name = "MM2")]
    pub threshold_mm2: Option<f64>,
    /// Stop when the mean squared distance changes by less than this, mm²; negative disables the criterion. By default
    /// the square of a millionth of the nominal's diagonal.
    #[arg(long, value_name = "MM2", alias = "change-threshold", requires = "search", allow_hyphen_values = true)]
    pub change_threshold_mm2: Option<f64>,
    /// Register point to point with this closest-point search (Besl and McKay) instead of the best fit to the true
    /// surface. Facets are sampled to points.
    #[arg(long, value_enum, conflicts_with_all = ["trim", "max_distance_mm", "compare_searches"])]
    pub search: Option<Search>,
    /// Reject pairs whose distance exceeds the mean by this many standard deviations of all distances.
    #[arg(long, value_name = "K", requires = "search")]
    pub filter_sigmas: Option<f64>,
    /// Reject pairs farther apart than this many robust standard deviations (1.4826 times the median distance).
    #[arg(long, value_name = "K", requires = "search", conflicts_with = "filter_sigmas")]
    pub filter_robust_sigmas: Option<f64>,
    /// First iteration, counted from 0, in which pairs are rejected.
    #[arg(long, value_name = "K_START", default_value_t = 15, requires = "search")]
    pub filter_start: usize,
    /// Number of points that represent the nominal; by default 4/3 of the scan's points on facets, and all points of a
    /// cloud.
    #[arg(long, value_name = "M", requires = "search")]
    pub nominal_points: Option<usize>,
    /// Maximum number of points used of a scan, evenly spread.
    #[arg(long, value_name = "N", requires = "search")]
    pub scan_points: Option<usize>,
    /// Scans of the same part that follow the first: each starts from the pose of the previous one, and walks from the
    /// last match start from its matches.
    #[arg(long, value_name = "SCAN", num_args = 1.., requires = "search")]
    pub track: Vec<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
    /// Instead, register with every closest-point search on every device and compare their times. All start from --pose
    /// or, without it, near the aligned pose.
    #[arg(long)]
    pub compare_searches: bool,
    /// Write the 4x4 nominal_from_scan to this text file; with --track that of the last scan.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

impl Register {
    /// Returns an error if options contradict each other or are out of range.
    pub fn check(&self) -> Result<()> {
        if self.search.is_some() && self.align == Method::None {
            return Err(UserError::usage(
                "--align none keeps the pose unchanged, so --search has nothing to do; use --align best-fit.",
            ));
        }
        if self.max_iterations == Some(0) {
            return Err(UserError::usage("The number of iterations must be at least 1."));
        }
        if self.threshold_mm2.is_some_and(|limit| !(limit >= 0.0 && limit.is_finite())) {
            return Err(UserError::usage("The limit of the mean squared distance must be 0 mm² or more."));
        }
        Ok(())
    }

    /// Unit of the nominal's coordinates; `None` if not stated.
    pub fn nominal_unit(&self) -> Option<LengthUnit> {
        self.nominal_units.or(self.units)
    }

    /// Unit of the coordinates of the scans; `None` if not stated.
    pub fn scan_unit(&self) -> Option<LengthUnit> {
        self.scan_units.or(self.units)
    }

    /// The parameters of the best fit.
    pub fn best_fit(&self) -> best_fit::Parameters {
        let defaults = best_fit::Parameters::default();
        best_fit::Parameters {
            trim: self.trim,
            max_distance_mm: self.max_distance_mm,
            max_iterations: self.max_iterations.unwrap_or(defaults.max_iterations),
            error_limit_mm: self.threshold_mm2.map_or(defaults.error_limit_mm, f64::sqrt),
            ..defaults
        }
    }

    /// The parameters of the registration by `search`. Returns an error if one is out of range.
    pub fn by_search(&self, search: Search) -> Result<search_registration::Parameters> {
        let from = self.filter_start;
        let filter = match (self.filter_sigmas, self.filter_robust_sigmas) {
            (Some(limit), _) => Filter::Sigma { from, limit },
            (None, Some(limit)) => Filter::Mad { from, limit },
            (None, None) => Filter::None,
        };
        let defaults = search_registration::Parameters::default();
        let parameters = search_registration::Parameters {
            search,
            filter,
            max_iterations: self.max_iterations.unwrap_or(defaults.max_iterations),
            error_limit_mm2: self.threshold_mm2.unwrap_or(defaults.error_limit_mm2),
            change_limit_mm2: self.change_threshold_mm2,
            nominal_points: self.nominal_points,
            scan_points: self.scan_points,
        };
        parameters.check()?;
        Ok(parameters)
    }
}
