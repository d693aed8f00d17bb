//! Command-line arguments of `fit`.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::super::arguments::{columns, three};
use base::{LengthUnit, Result, UserError};
use compute::DeviceChoice;
use inspect::features::fits::weights::{Weighting, Weights};
use inspect::features::{Kind, Objective};

/// `fit`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph fit plane touched.csv\n  shadowgraph fit cylinder bore.ply --robust \
    --clip-sigmas 3 --json\n  shadowgraph fit plane scan.ply --weights area --max-incidence-deg 60\n  shadowgraph fit \
    parallel-planes top.ply bottom.ply --weights incidence\n  shadowgraph fit parallel-planes --set top.csv,bottom.csv --set \
    left.csv,right.csv --weights column --weight-column 4")]
pub struct Fit {
    /// Kind of element to fit.
    #[arg(value_enum)]
    pub what: What,
    /// File of points; for parallel planes one file per plane.
    #[arg(required_unless_present = "set")]
    pub points: Vec<PathBuf>,
    /// A set of parallel planes: files separated by commas, one per plane. May be given several times; each set has its
    /// own normal.
    #[arg(long, value_name = "FILE,FILE", value_parser = plane_files, conflicts_with = "points")]
    pub set: Vec<PlaneFiles>,
    /// Unit of the files' coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Columns of x, y, z in text files, counted from 1, such as 2,3,4.
    #[arg(long, value_parser = columns)]
    pub columns: Option<io::xyz::Columns>,
    /// Objective of the fit.
    #[arg(long, value_enum, default_value = "gaussian")]
    pub objective: Objective,
    /// Robust fit (LMedS): start from the element that most points lie on, for points with many outliers.
    #[arg(long)]
    pub robust: bool,
    /// Drop points beyond this many robust standard deviations and fit again.
    #[arg(long)]
    pub clip_sigmas: Option<f64>,
    /// Weighting of the points.
    #[command(flatten)]
    pub weighing: Weighing,
    /// Compute device for weights and parallel planes.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
}

/// Weighting and masking of the points.
#[derive(Args, Debug)]
pub struct Weighing {
    /// Source of the points' weights.
    #[arg(long, value_enum, default_value = "none")]
    pub weights: Weighting,
    /// Column of the weights in text files, counted from 1; without it, intensities are the weights. With --weights
    /// column.
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    pub weight_column: Option<usize>,
    /// Column in text files, counted from 1, in which 0 masks a point, such as on bumps, holes or glossy patches.
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    pub mask_column: Option<usize>,
    /// Mask points measured at a larger angle of incidence, degrees.
    #[arg(long)]
    pub max_incidence_deg: Option<f64>,
    /// Position of the sensor, X,Y,Z mm, if the files do not state it.
    #[arg(long, value_parser = three, allow_hyphen_values = true)]
    pub viewpoint_mm: Option<[f64; 3]>,
}

impl Weighing {
    /// The weights as fit parameters.
    pub fn weights(&self) -> Weights {
        Weights { by: self.weights, max_incidence_rad: self.max_incidence_deg.map(f64::to_radians) }
    }

    /// Whether no point is weighted or masked.
    pub fn is_plain(&self) -> bool {
        self.weights().is_plain() && self.mask_column.is_none()
    }
}

impl Fit {
    /// Returns an error if options contradict each other.
    pub fn check(&self) -> Result<()> {
        let message = match self.what {
            _ if self.clip_sigmas.is_some_and(|sigmas| !(sigmas > 0.0)) => {
                "The outlier limit must be above 0 standard deviations."
            }
            _ if self.weighing.weight_column.is_some() && self.weighing.weights != Weighting::Column => {
                "--weight-column requires --weights column."
            }
            What::One(_) if self.points.len() != 1 => {
                "Name one file of points: only parallel planes are fitted to several, such as “fit parallel-planes \
                 a.ply b.ply”."
            }
            What::ParallelPlanes if self.robust || self.objective != Objective::Gaussian => {
                "Parallel planes are fitted by least squares; drop points with --clip-sigmas instead of --robust."
            }
            _ => return Ok(()),
        };
        Err(UserError::usage(message))
    }

    /// Whether the fit uses a compute device.
    pub fn computes(&self) -> bool {
        self.what == What::ParallelPlanes || !self.weighing.weights().is_plain()
    }
}

/// The kind of fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One element.
    One(Kind),
    /// Sets of parallel planes.
    ParallelPlanes,
}

impl ValueEnum for What {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [What; 8] = [
            What::One(Kind::Line),
            What::One(Kind::Plane),
            What::One(Kind::Circle),
            What::One(Kind::Sphere),
            What::One(Kind::Cylinder),
            What::One(Kind::Cone),
            What::One(Kind::Torus),
            What::ParallelPlanes,
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::One(kind) => kind.to_possible_value(),
            Self::ParallelPlanes => {
                Some(PossibleValue::new("parallel-planes").help("Planes with a common normal").alias("plane-set"))
            }
        }
    }
}

/// The files of one set of planes, one per plane.
#[derive(Clone, Debug)]
pub struct PlaneFiles(pub Vec<PathBuf>);

fn plane_files(text: &str) -> std::result::Result<PlaneFiles, String> {
    let files: Vec<PathBuf> = text.split(',').map(|name| PathBuf::from(name.trim())).collect();
    if files.iter().any(|file| file.as_os_str().is_empty()) {
        return Err("files separated by commas are expected, such as top.ply,bottom.ply".to_owned());
    }
    Ok(PlaneFiles(files))
}

fn column(text: &str) -> std::result::Result<usize, String> {
    let number: Option<usize> = text.trim().parse().ok();
    let index = number.and_then(|number| number.checked_sub(1));
    index.ok_or_else(|| "a column number from 1 is expected".to_owned())
}
