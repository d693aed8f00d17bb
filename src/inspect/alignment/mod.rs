//! Alignment of a scan to its nominal: picked point pairs, an automatic start, and best fit; and of views to each other.

pub mod automatic;
pub mod best_fit;
pub mod information;
pub mod mistaken_unit;
pub mod multi_view;
pub mod point_pairs;
pub mod recipe;
pub mod search_comparison;
pub mod search_registration;

use serde::{Deserialize, Serialize};

use base::capitalised;
use geometry::Pose;
pub use information::Information;
pub use recipe::{AlignmentRecipe, Refinement, Start};

/// How an alignment was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Automatic start, then best fit.
    #[default]
    Auto,
    /// Best fit from the given pose.
    BestFit,
    /// The given pose as it is.
    None,
}

/// Why a best fit ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The last step moved the part by less than the limit.
    SmallStep,
    /// The minimised error no longer fell by more than the limit.
    SmallChange,
    /// The error fell below the absolute limit.
    SmallError,
    /// The largest number of iterations was reached.
    #[default]
    MaxIterations,
}

/// Another pose that fits about as well: the part is symmetric as far as this scan shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The pose.
    pub nominal_from_scan: Pose,
    /// Its RMS, mm.
    pub rms_mm: f64,
    /// Rotation from the chosen pose, rad.
    pub angle_rad: f64,
}

/// What came of looking for other poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rivals {
    /// The fit started from a given pose.
    #[default]
    NotSought,
    /// Every other pose that was tried was given up as far worse.
    NoneNear,
    /// The best of the others.
    Nearest {
        /// Its mean squared distance over that of the chosen pose, of all points and truncated: 1 fits as well.
        times_worse: f64,
    },
}

impl Rivals {
    /// As reports state it.
    pub fn words(&self) -> String {
        match self {
            Self::NotSought => "not looked for: the fit started from a given pose".to_owned(),
            Self::NoneNear => "looked for over all rotations; none came near".to_owned(),
            Self::Nearest { times_worse } => {
                format!("looked for over all rotations; the next best fits {times_worse:.1} times worse (mean square)")
            }
        }
    }
}

/// How much of a scan lies on the nominal, whatever took part in the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// Share of the scan's points, 0 to 1.
    pub fraction: f64,
    /// That lie no farther from the nominal than this, mm.
    pub within_mm: f64,
}

impl Explained {
    /// A point is explained by the nominal within this share of the part's diagonal: what separates a part with faults
    /// from another part.
    pub const WITHIN: f64 = 0.005;
    /// With less of its points explained a scan may be of another part.
    pub const LEAST: f64 = 0.7;
}

/// The outcome of an alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// How it was found.
    pub method: Method,
    /// Moves the scan onto the nominal.
    pub nominal_from_scan: Pose,
    /// Root of the weighted mean square distance that the last iteration minimised, mm.
    pub rms_mm: f64,
    /// Iterations over all levels.
    pub iterations: usize,
    /// Share of the scan's points that took part in the last iteration.
    pub overlap: f64,
    /// Whether it stopped by one of the limits rather than by the number of iterations.
    pub converged: bool,
    /// Which limit.
    pub stop: StopReason,
    /// How well each degree of freedom is determined.
    pub information: Information,
    /// Poses that fit about as well.
    pub alternatives: Vec<Alternative>,
    /// How far the others lie behind.
    #[serde(default)]
    pub rivals: Rivals,
    /// How much of the scan lies on the nominal; `None` where the fit started from a given pose.
    #[serde(default)]
    pub explained: Option<Explained>,
}

impl Alignment {
    /// What qualifies the pose, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(doubt) = self.doubt() {
            remarks.push(format!("{}: deviations may belong to other places of the part.", capitalised(&doubt)));
        }
        if let Some(explained) = self.explained.filter(|own| own.fraction < Explained::LEAST) {
            remarks.push(format!(
                "Only {:.0} % of the scan's points lie within {:.3} mm of the nominal: the scan may be of another part, or \
                 show much beside it.",
                (100.0 * explained.fraction).floor(),
                explained.within_mm
            ));
        }
        if !self.converged {
            remarks.push("The alignment stopped at its limit of iterations.".into());
        }
        remarks
    }

    /// What puts the pose in doubt: others that fit about as well, and freedoms that the scan leaves open.
    pub fn doubt(&self) -> Option<String> {
        let others = match self.alternatives.len() {
            0 => None,
            1 => Some("1 other pose fits about as well".to_owned()),
            n => Some(format!("{n} other poses fit about as well")),
        };
        let open = match self.information.open.as_slice() {
            [] => None,
            [one] => Some(format!("{one} is open")),
            many => Some(format!("{} are open", many.join(", "))),
        };
        let doubts: Vec<String> = others.into_iter().chain(open).collect();
        (!doubts.is_empty()).then(|| doubts.join("; "))
    }

    /// The pose as it was given, nothing fitted.
    pub fn given(nominal_from_scan: Pose) -> Self {
        Self {
            method: Method::None,
            nominal_from_scan,
            rms_mm: 0.0,
            iterations: 0,
            overlap: 0.0,
            converged: true,
            stop: StopReason::SmallStep,
            information: Information::default(),
            alternatives: Vec::new(),
            rivals: Rivals::NotSought,
            explained: None,
        }
    }
}
