//! Alignment of a scan to its nominal by picked point pairs, automatic start and best fit, and global registration of
//! several views.

pub mod automatic;
pub mod best_fit;
pub mod information;
pub mod mistaken_unit;
pub mod multi_view;
pub mod point_pairs;
pub mod recipe;
pub mod search_comparison;
pub mod search_registration;
pub mod uniform_offset;

use serde::{Deserialize, Serialize};

use crate::main_alignment::Main;
use base::capitalised;
use base::words::counted;
use geometry::Pose;
pub use information::Information;
pub use recipe::{AlignmentRecipe, Refinement, Start};
pub use uniform_offset::UniformOffset;

/// Alignment method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Automatic start, then best fit.
    #[default]
    Auto,
    /// Best fit from the given pose.
    BestFit,
    /// The given pose, unchanged.
    None,
}

/// Why a best fit stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The last step moved the part by less than the step limit.
    SmallStep,
    /// The mean squared distance changed by less than the limit.
    SmallChange,
    /// The RMS fell below the absolute limit.
    SmallError,
    /// The maximum number of iterations was reached.
    #[default]
    MaxIterations,
}

/// Another pose that fits about as well: as far as this scan shows, the part is symmetric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: Pose,
    /// RMS distance in this pose, mm.
    pub rms_mm: f64,
    /// Angle of rotation relative to the chosen pose, rad.
    pub angle_rad: f64,
}

/// How the chosen pose compares with the other poses that were searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rivals {
    /// No search: the fit started from a given pose.
    #[default]
    #[serde(rename = "not-sought")]
    NotSearched,
    /// Every other pose was rejected as far worse.
    #[serde(rename = "none-near")]
    NoneComparable,
    /// The next best pose.
    #[serde(rename = "nearest")]
    NextBest {
        /// Its truncated mean squared distance over all points, relative to that of the chosen pose: 1 fits equally
        /// well.
        #[serde(rename = "times_worse")]
        cost_ratio: f64,
    },
}

impl Rivals {
    /// The result as the window and reports state it.
    pub fn words(&self) -> String {
        match self {
            Self::NotSearched => "not searched: the fit started from a given pose".to_owned(),
            Self::NoneComparable => "searched over all rotations; none fits comparably".to_owned(),
            Self::NextBest { cost_ratio } => {
                format!(
                    "searched over all rotations; the next best has {cost_ratio:.1} times the mean squared distance"
                )
            }
        }
    }
}

/// Share of a scan that lies on the nominal, regardless of which points took part in the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedFraction {
    /// Share of the scan points within `within_mm` of the nominal, 0 to 1.
    pub fraction: f64,
    /// Distance from the nominal within which a point counts as explained, mm.
    pub within_mm: f64,
}

impl ExplainedFraction {
    /// `within_mm` as a share of the part's diagonal: separates a defective part from a different one.
    pub const DISTANCE_SHARE: f64 = 0.005;
    /// Minimum `fraction`: below it the scan may be of another part.
    pub const MIN_FRACTION: f64 = 0.7;
}

/// What a search for the part said, in which the other things that a scan shows do not count; see `detection::start`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AmongOthers {
    /// The part was found.
    Found {
        /// Its score, 0 to 1.
        score: f64,
        /// How many more of it were found.
        more: usize,
        /// Which twins of it what was found could be as well, in words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        could_be: Vec<String>,
    },
    /// Nothing in the scan looks like it.
    NotFound {
        /// Why the best pose does not count as found.
        reason: String,
    },
}

/// Result of an alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// How the pose was found.
    pub method: Method,
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: Pose,
    /// Whether an operator moved the scan to this pose by hand; nothing was fitted then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    /// Weighted RMS distance that the last iteration minimised, mm.
    pub rms_mm: f64,
    /// Iterations, all resolution levels together.
    pub iterations: usize,
    /// Share of the scan points used in the last iteration, 0 to 1.
    pub overlap: f64,
    /// Whether a convergence limit was met before the maximum number of iterations.
    pub converged: bool,
    /// Why the fit stopped.
    pub stop: StopReason,
    /// How well each degree of freedom is determined.
    pub information: Information,
    /// Other poses that fit about as well.
    pub alternatives: Vec<Alternative>,
    /// How the next best pose compares.
    #[serde(default)]
    pub rivals: Rivals,
    /// Share of the scan that lies on the nominal; `None` if the fit started from a given pose.
    #[serde(default)]
    pub explained: Option<ExplainedFraction>,
    /// What a search among other things said; `None` if none was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among_others: Option<AmongOthers>,
    /// The offset at which all faces of the scan were found, if they were not found on the nominal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform_offset: Option<UniformOffset>,
    /// What it was aligned to, if this is a main alignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<Main>,
    /// Degrees of freedom in words that a main alignment left as its pre-alignment determined them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub as_before: Vec<String>,
}

impl Alignment {
    /// The method, for display.
    pub fn method_name(&self) -> String {
        match (&self.main, self.method) {
            (Some(main), _) => main.name(),
            (None, Method::Auto) => "automatic start, then best fit".to_owned(),
            (None, Method::BestFit) => "best fit".to_owned(),
            (None, Method::None) if self.by_hand => "moved by hand".to_owned(),
            (None, Method::None) => "given pose".to_owned(),
        }
    }

    /// Reservations about the pose, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(doubt) = self.doubt() {
            remarks
                .push(format!("{}: deviations may be assigned to the wrong region of the part.", capitalised(&doubt)));
        }
        remarks.extend(self.about_others());
        remarks.extend(self.uniform_offset.and_then(|own| own.remark()));
        if self.by_hand {
            remarks
                .push("The scan was aligned by hand and not fitted: deviations include the error of its pose.".into());
        }
        if !self.as_before.is_empty() {
            remarks.push(format!("{}: as in the pre-alignment.", capitalised(&self.as_before.join(", "))));
        }
        let unseen = self.main.as_ref().map(Main::unseen).filter(|own| !own.is_empty());
        remarks.extend(unseen.map(|own| format!("A datum of the alignment was seen in part: {own}")));
        if !self.converged {
            remarks.push("The alignment stopped at the maximum number of iterations.".into());
        }
        remarks
    }

    /// Whether the part was found among other things in the scan.
    pub fn is_among_others(&self) -> bool {
        matches!(self.among_others, Some(AmongOthers::Found { .. }))
    }

    /// [`Self::doubt`], whether the part is one of several in the scan, and whether it was aligned by hand.
    pub fn reservations(&self) -> Option<String> {
        let (one_of_several, could_be) = match &self.among_others {
            Some(AmongOthers::Found { more, could_be, .. }) => {
                ((*more > 0).then(|| format!("one of {} in the scan", more + 1)), could_be.clone())
            }
            _ => (None, Vec::new()),
        };
        let by_hand = self.by_hand.then(|| "aligned by hand".to_owned());
        let is_unseen = self.main.as_ref().is_some_and(|own| !own.unseen().is_empty());
        let unseen = is_unseen.then(|| "aligned to a datum that was seen in part".to_owned());
        let offset = self.uniform_offset.filter(|own| own.is_taken).map(|own| own.reservation());
        let of_pose = self.doubt().into_iter().chain(offset).chain(by_hand).chain(unseen);
        let all: Vec<String> = one_of_several.into_iter().chain(could_be).chain(of_pose).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What the scan shows beside the part, or instead of it; `None` if it shows little else.
    pub fn about_others(&self) -> Option<String> {
        let explained = self.explained.as_ref()?;
        let percent = (100.0 * explained.fraction).floor();
        let within =
            format!("{percent:.0} % of the scan's points lie within {:.3} mm of the nominal", explained.within_mm);
        match &self.among_others {
            Some(AmongOthers::Found { score, more, .. }) => {
                let more = match more {
                    0 => String::new(),
                    more => format!(
                        " {} found; {} is measured.",
                        counted(*more, "more of it was", "more of it were"),
                        if self.method == Method::Auto { "the one with the best score" } else { "the one chosen" }
                    ),
                };
                Some(format!(
                    "The part was found among other things in the scan, with a score of {score:.2} of 1; {within}.{more}"
                ))
            }
            Some(AmongOthers::NotFound { reason }) => Some(format!(
                "Only {within}, and nothing in the scan was found that looks like it ({reason}): the scan seems to be of \
                 another part."
            )),
            None if explained.fraction < ExplainedFraction::MIN_FRACTION => {
                Some(format!("Only {within}: the scan may be of another part, or include other objects."))
            }
            None => None,
        }
    }

    /// Ambiguities of the pose: others that fit about as well, undetermined degrees of freedom, and an offset of all faces that
    /// would fit better. `None` if there are none.
    pub fn doubt(&self) -> Option<String> {
        let others = match self.alternatives.len() {
            0 => None,
            1 => Some("1 other pose fits about as well".to_owned()),
            n => Some(format!("{n} other poses fit about as well")),
        };
        let undetermined = match self.information.open.as_slice() {
            [] => None,
            [one] => Some(format!("{one} is undetermined")),
            many => Some(format!("{} are undetermined", many.join(", "))),
        };
        let offset = self.uniform_offset.filter(|own| !own.is_taken).map(|own| own.reservation());
        let doubts: Vec<String> = others.into_iter().chain(undetermined).chain(offset).collect();
        (!doubts.is_empty()).then(|| doubts.join("; "))
    }

    /// The given pose, with nothing fitted.
    pub fn given(nominal_from_scan: Pose) -> Self {
        Self {
            method: Method::None,
            nominal_from_scan,
            by_hand: false,
            rms_mm: 0.0,
            iterations: 0,
            overlap: 0.0,
            converged: true,
            stop: StopReason::SmallStep,
            information: Information::default(),
            alternatives: Vec::new(),
            rivals: Rivals::NotSearched,
            explained: None,
            among_others: None,
            uniform_offset: None,
            main: None,
            as_before: Vec::new(),
        }
    }
}
