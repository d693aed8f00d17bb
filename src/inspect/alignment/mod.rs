//! Alignment of a scan to its nominal: picked point pairs, an automatic start, and best fit; and of views to each other.

pub mod automatic;
pub mod best_fit;
pub mod information;
pub mod multi_view;
pub mod point_pairs;
pub mod search_comparison;
pub mod search_registration;

use serde::{Deserialize, Serialize};

use crate::geometry::Pose;
pub use information::Information;

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
}

impl Alignment {
    /// What qualifies the pose, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        match self.alternatives.len() {
            0 => {}
            1 => remarks
                .push("1 other pose fits about as well: deviations may belong to other places of the part.".into()),
            n => remarks
                .push(format!("{n} other poses fit about as well: deviations may belong to other places of the part.")),
        }
        if !self.converged {
            remarks.push("The alignment stopped at its limit of iterations.".into());
        }
        remarks
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
        }
    }
}
