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
    after_help = "Prints the 4x4 nominal_from_scan; its inverse, angles and the history of the iterations follow as comments, \
    so that the output is a pose file.\n\nExamples:\n  shadowgraph register --nominal part.step --scan part.ply --out \
    pose.txt\n  shadowgraph register --nominal target.ply --scan source.ply --units m --align best-fit\n  shadowgraph \
    register --nominal part.stl --scan part.ply --pose start.txt --search walk-optimised --filter-sigmas 3 \
    --filter-start 10\n  shadowgraph register --nominal part.stl --scan s1.ply --track s2.ply s3.ply --pose start.txt \
    --search walk-previous --json"
)]
pub struct Register {
    /// What is registered onto: a nominal with facets, or another point cloud.
    #[arg(long)]
    pub nominal: PathBuf,
    /// The scan that moves.
    #[arg(long)]
    pub scan: PathBuf,
    /// Unit of the numbers of all files.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// How to align. --pose takes the place of the automatic start.
    #[arg(long, value_enum, default_value = "auto")]
    pub align: Method,
    /// Text file with the 4x4 nominal_from_scan to start from.
    #[arg(long)]
    pub pose: Option<PathBuf>,
    /// Share of the farthest points to leave out.
    #[arg(long, default_value_t = 0.0)]
    pub trim: f64,
    /// Points farther apart than this do not take part, mm.
    #[arg(long)]
    pub max_distance_mm: Option<f64>,
    /// Largest number of iterations (of a best fit: on each of its levels).
    #[arg(long)]
    pub max_iterations: Option<usize>,
    /// Stop when the mean squared distance falls below this, mm².
    #[arg(long, value_name = "MM2")]
    pub threshold_mm2: Option<f64>,
    /// Stop when the mean squared distance changes by less than this, mm²; negative never stops by it. The square of a
    /// millionth of the nominal's diagonal when not given.
    #[arg(long, value_name = "MM2", alias = "change-threshold", requires = "search", allow_hyphen_values = true)]
    pub change_threshold_mm2: Option<f64>,
    /// Register point to point with this search for the closest point (Besl and McKay) instead of the best fit on the true
    /// surface. Facets are sampled to points.
    #[arg(long, value_enum, conflicts_with_all = ["trim", "max_distance_mm", "compare_searches"])]
    pub search: Option<Search>,
    /// Leave out pairs farther apart than the mean and so many standard deviations of all distances.
    #[arg(long, value_name = "K", requires = "search")]
    pub filter_sigmas: Option<f64>,
    /// Leave out pairs farther apart than so many robust standard deviations (1.4826 times the median distance).
    #[arg(long, value_name = "K", requires = "search", conflicts_with = "filter_sigmas")]
    pub filter_robust_sigmas: Option<f64>,
    /// First iteration, from 0, in which pairs are left out.
    #[arg(long, value_name = "K_START", default_value_t = 15, requires = "search")]
    pub filter_start: usize,
    /// Number of points that the nominal is registered by: 4/3 of the scan's on facets and all of a cloud when not given.
    #[arg(long, value_name = "M", requires = "search")]
    pub nominal_points: Option<usize>,
    /// Take at most so many points of a scan, evenly.
    #[arg(long, value_name = "N", requires = "search")]
    pub scan_points: Option<usize>,
    /// Scans of the same part that follow the first: each starts from the pose of the one before, and walks from the last
    /// match start from its matches.
    #[arg(long, value_name = "SCAN", num_args = 1.., requires = "search")]
    pub track: Vec<PathBuf>,
    /// Device that computes.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
    /// Instead, register with every search for closest points on every device, and show what each costs. All start from
    /// --pose, or near the pose that is found where there is none.
    #[arg(long)]
    pub compare_searches: bool,
    /// Write the 4x4 nominal_from_scan to this text file; with --track that of the last scan.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

impl Register {
    /// A sentence where options contradict each other.
    pub fn check(&self) -> Result<()> {
        if self.search.is_some() && self.align == Method::None {
            return Err(UserError::usage(
                "--align none keeps the pose as it is, which leaves --search nothing to do; take --align best-fit.",
            ));
        }
        if self.max_iterations == Some(0) {
            return Err(UserError::usage("Give at least one iteration."));
        }
        if self.threshold_mm2.is_some_and(|limit| !(limit >= 0.0 && limit.is_finite())) {
            return Err(UserError::usage("The limit of the mean squared distance must be 0 mm² or more."));
        }
        Ok(())
    }

    /// The best fit as asked for.
    pub fn best_fit(&self) -> best_fit::Parameters {
        let usual = best_fit::Parameters::default();
        best_fit::Parameters {
            trim: self.trim,
            max_distance_mm: self.max_distance_mm,
            max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
            error_limit_mm: self.threshold_mm2.map_or(usual.error_limit_mm, f64::sqrt),
            ..usual
        }
    }

    /// The registration by `search` as asked for.
    pub fn by_search(&self, search: Search) -> Result<search_registration::Parameters> {
        let from = self.filter_start;
        let filter = match (self.filter_sigmas, self.filter_robust_sigmas) {
            (Some(limit), _) => Filter::Sigma { from, limit },
            (None, Some(limit)) => Filter::Mad { from, limit },
            (None, None) => Filter::None,
        };
        let usual = search_registration::Parameters::default();
        let parameters = search_registration::Parameters {
            search,
            filter,
            max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
            error_limit_mm2: self.threshold_mm2.unwrap_or(usual.error_limit_mm2),
            change_limit_mm2: self.change_threshold_mm2,
            nominal_points: self.nominal_points,
            scan_points: self.scan_points,
        };
        parameters.check()?;
        Ok(parameters)
    }
}
