//! The answer of a check: what was measured, against which limit, and whether that proves anything.

use serde::{Deserialize, Serialize};

use crate::verdict;
use geometry::Point;

/// Whether the measured value is within its limits (limits inclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within.
    In,
    /// Beyond.
    Out,
}

/// What is proven where the expanded uncertainty U is known: the default rule of ISO 14253-1, in its stricter form of
/// 1998 and 2013, where the whole of U is kept from the limits. The edition of 2017 asks for a probability of 95 %,
/// which on one side is 1.65 standard uncertainties and not two. No edition was available to check against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conformity {
    /// Conformity is proven: the value is within the limits by at least U.
    Conforms,
    /// Nonconformity is proven: the value is beyond a limit by more than U.
    DoesNotConform,
    /// Neither is proven: the value is within U of a limit.
    Undecided,
}

/// A judged tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The measured value, mm: of zones their width or diameter, of sizes the size.
    pub measured_mm: f64,
    /// The greatest value allowed, mm, with the bonus.
    pub limit_mm: f64,
    /// The least value allowed, mm; only sizes have one.
    pub lower_mm: Option<f64>,
    /// By how much the limit grew because the feature has less material than at its maximum, mm.
    pub bonus_mm: f64,
    /// Expanded uncertainty (k = 2) of that, mm, where it is known; it counts for the proof beside that of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonus_uncertainty_mm: Option<f64>,
    /// Within the limits or beyond.
    pub verdict: Verdict,
    /// What that proves; `None` where the uncertainty is not known.
    pub conformity: Option<Conformity>,
    /// The point that decided the value, mm, in the part's frame, where one did.
    pub worst: Option<Point>,
    /// Expanded uncertainty (k = 2) of the measured value, mm, where it is known.
    pub uncertainty_mm: Option<f64>,
    /// How the value was found: the standard's formula, the datums, and what was assumed.
    pub how: String,
    /// Which reading of the standards that is, in short sentences: their texts were not available to check against.
    #[serde(default)]
    pub reading: String,
}

/// What a value comes to: where the uncertainty is known, what is proven; else where it lies.
pub fn decided(conformity: Option<Conformity>, side: Verdict) -> verdict::Verdict {
    use verdict::Verdict::{Fail, Incomplete, Pass};
    match (conformity, side) {
        (Some(Conformity::Undecided), _) => Incomplete,
        (Some(Conformity::Conforms), _) | (None, Verdict::In) => Pass,
        (Some(Conformity::DoesNotConform), _) | (None, Verdict::Out) => Fail,
    }
}

/// The same in words.
pub(super) fn words(conformity: Option<Conformity>, side: Verdict) -> &'static str {
    match (conformity, side) {
        (Some(Conformity::Conforms), _) => "conforms",
        (Some(Conformity::Undecided), _) => "undecided",
        (Some(Conformity::DoesNotConform), _) => "does not conform",
        (None, Verdict::In) => "in tolerance",
        (None, Verdict::Out) => "out of tolerance",
    }
}

impl Judged {
    /// For people: what is proven, or without a known uncertainty only where the value lies.
    pub fn words(&self) -> &'static str {
        words(self.conformity, self.verdict)
    }

    /// For people: “0.0123 ± 0.0010 mm”, the uncertainty with k = 2 where it is known.
    pub fn measured_text(&self) -> String {
        match self.uncertainty_mm {
            Some(uncertainty) => format!("{:.4} ± {uncertainty:.4} mm", self.measured_mm),
            None => format!("{:.4} mm", self.measured_mm),
        }
    }

    /// For people: “0.0500 mm”, or both limits of a size.
    pub fn limits_text(&self) -> String {
        match self.lower_mm {
            Some(lower) => format!("{lower:.4} to {:.4} mm", self.limit_mm),
            None => format!("{:.4} mm", self.limit_mm),
        }
    }
}

/// Verdict and proof of a value between limits, mm.
pub(super) fn decide(
    measured_mm: f64,
    lower_mm: Option<f64>,
    upper_mm: f64,
    uncertainty_mm: Option<f64>,
) -> (Verdict, Option<Conformity>) {
    let margin = lower_mm.map_or(f64::INFINITY, |lower| measured_mm - lower).min(upper_mm - measured_mm);
    let proof = |uncertainty: f64| match margin {
        margin if margin >= uncertainty => Conformity::Conforms,
        margin if margin < -uncertainty => Conformity::DoesNotConform,
        _ => Conformity::Undecided,
    };
    (if margin >= 0.0 { Verdict::In } else { Verdict::Out }, uncertainty_mm.map(proof))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_uncertainty_is_kept_from_both() {
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
