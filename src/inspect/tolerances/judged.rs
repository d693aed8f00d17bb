//! Result of a tolerance check: the measured value, its limits, and what that proves.

use serde::{Deserialize, Serialize};

use super::coverage::SeenFace;
use crate::verdict;
use base::{LengthUnit, length_text};
use geometry::Point;

/// Whether the measured value is within its limits (inclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within the limits.
    In,
    /// Outside the limits.
    Out,
}

/// Decision with a known expanded uncertainty U: the default rule of ISO 14253-1, in its stricter form of 1998 and
/// 2013, with the whole of U as guard band. The edition of 2017 requires a probability of 95 %, which for a one-sided
/// limit is 1.65 standard uncertainties and not two. No edition was available to check against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conformity {
    /// Conformity is proven: the value is inside the limits by at least U.
    Conforms,
    /// Nonconformity is proven: the value is outside a limit by more than U.
    DoesNotConform,
    /// Neither is proven: the value is within U of a limit.
    Undecided,
}

/// Result of a tolerance check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Measured value, mm: width or diameter of a zone, or size.
    pub measured_mm: f64,
    /// Upper limit, mm, including the bonus.
    pub limit_mm: f64,
    /// Lower limit, mm; for sizes only.
    pub lower_mm: Option<f64>,
    /// Increase of the limit due to the departure from maximum material, mm.
    pub bonus_mm: f64,
    /// Expanded uncertainty (k = 2) of the bonus, mm, if known; it contributes to the decision in addition to that of
    /// the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonus_uncertainty_mm: Option<f64>,
    /// Whether the value is within its limits.
    pub verdict: Verdict,
    /// What is proven; `None` if the uncertainty is unknown.
    pub conformity: Option<Conformity>,
    /// The point that determines the value, part frame, mm; `None` if there is no such point.
    pub worst: Option<Point>,
    /// Expanded uncertainty (k = 2) of the measured value, mm, if known.
    pub uncertainty_mm: Option<f64>,
    /// How the value was evaluated: the formula of the standard, the datums, and assumptions.
    pub how: String,
    /// What the points passed before their zone was evaluated: removal of outliers with their number, and a filter; empty
    /// if they were evaluated as measured. Stands in `how`, too.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preparation: String,
    /// Points that were left out or that the fit of the shape rejected: how many, where and why; empty if there are none.
    /// Stands in `how`, too.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rejected: String,
    /// The faces that it rests on, as far as known: that of the feature, then those of the datums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<SeenFace>,
    /// Which faces were not seen far enough, in sentences; empty if all were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub incomplete: String,
    /// Our reading of the standards, in short sentences; their texts were not available to check against.
    #[serde(default)]
    pub reading: String,
}

/// Overall verdict: what is proven if the uncertainty is known, else whether the value is within its limits.
pub fn decided(conformity: Option<Conformity>, side: Verdict) -> verdict::Verdict {
    use verdict::Verdict::{Fail, Incomplete, Pass};
    match (conformity, side) {
        (Some(Conformity::Undecided), _) => Incomplete,
        (Some(Conformity::Conforms), _) | (None, Verdict::In) => Pass,
        (Some(Conformity::DoesNotConform), _) | (None, Verdict::Out) => Fail,
    }
}

/// The verdict in words on what rests on faces that were not seen far enough.
pub(crate) const INCOMPLETE: &str = "incomplete";

/// The verdict in words.
pub(crate) fn words(conformity: Option<Conformity>, side: Verdict) -> &'static str {
    match (conformity, side) {
        (Some(Conformity::Conforms), _) => "conforms",
        (Some(Conformity::Undecided), _) => "undecided",
        (Some(Conformity::DoesNotConform), _) => "does not conform",
        (None, Verdict::In) => "in tolerance",
        (None, Verdict::Out) => "out of tolerance",
    }
}

impl Judged {
    /// The verdict in words: that faces were not seen far enough, what is proven, or without a known uncertainty whether the value is within its limits.
    pub fn words(&self) -> &'static str {
        if self.is_incomplete() {
            return INCOMPLETE;
        }
        words(self.conformity, self.verdict)
    }

    /// The measured value as text, such as “0.0123 ± 0.0010 mm”, with the expanded uncertainty (k = 2) if known.
    pub fn measured_text(&self) -> String {
        self.measured_in(LengthUnit::Mm)
    }

    /// As [`Self::measured_text`], in `unit`.
    pub fn measured_in(&self, unit: LengthUnit) -> String {
        let measured = unit.length_text(self.measured_mm, 4);
        let uncertainty = self.uncertainty_mm.map(|mm| format!(" ± {}", unit.length_text(mm, 4)));
        format!("{measured}{} {}", uncertainty.unwrap_or_default(), unit.symbol())
    }

    /// The limit as text, such as “0.0500 mm”, or both limits of a size.
    pub fn limits_text(&self) -> String {
        match self.lower_mm {
            Some(lower) => format!("{} to {} mm", length_text(lower, 4), length_text(self.limit_mm, 4)),
            None => format!("{} mm", length_text(self.limit_mm, 4)),
        }
    }
}

/// Position relative to the limits, and decision, for a value in mm or degrees.
pub(crate) fn decide(
    measured_mm: f64,
    lower_mm: Option<f64>,
    upper_mm: f64,
    uncertainty_mm: Option<f64>,
) -> (Verdict, Option<Conformity>) {
    let margin = lower_mm.map_or(f64::INFINITY, |lower| measured_mm - lower).min(upper_mm - measured_mm);
    let decision = |uncertainty: f64| match margin {
        margin if margin >= uncertainty => Conformity::Conforms,
        margin if margin < -uncertainty => Conformity::DoesNotConform,
        _ => Conformity::Undecided,
    };
    (if margin >= 0.0 { Verdict::In } else { Verdict::Out }, uncertainty_mm.map(decision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_uncertainty_is_a_guard_band_at_both() {
        let of = |measured, uncertainty| decide(measured, Some(9.5), 10.5, uncertainty);
        assert_eq!(of(10.5, None), (Verdict::In, None));
        assert_eq!(of(9.5, None), (Verdict::In, None));
        assert_eq!(of(10.5001, None), (Verdict::Out, None));
        assert_eq!(of(10.25, Some(0.25)), (Verdict::In, Some(Conformity::Conforms)));
        assert_eq!(of(10.3, Some(0.25)), (Verdict::In, Some(Conformity::Undecided)));
        assert_eq!(of(9.3, Some(0.25)), (Verdict::Out, Some(Conformity::Undecided)));
        assert_eq!(of(9.2, Some(0.25)), (Verdict::Out, Some(Conformity::DoesNotConform)));
        assert_eq!(decide(0.1, None, 0.1, Some(0.0)), (Verdict::In, Some(Conformity::Conforms)));
    }
}
