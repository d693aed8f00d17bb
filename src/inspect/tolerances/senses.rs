//! Whether directions have the sense of their nominals. Where no alignment says how points lie, the direction of a datum is taken
//! with the sense that is closer to its nominal; of points that are turned against the nominals, that is the wrong one.

use super::{DatumLetters, Feature, Features, Judged, Tolerance, judge};
use crate::features::Element;
use base::{Result, UserError};

/// Other senses are suspected if with them what is measured falls to this share of its limit or of what it was.
const SUSPECTED_SHARE: f64 = 0.1;

/// An error if a tolerance of location is far exceeded with the senses that were taken, and not with others of its datums: the
/// part may be wrong, or turned.
pub(super) fn check(asked: &Tolerance, judged: &Judged, features: &Features, letters: &DatumLetters) -> Result<()> {
    let is_exceeded = judged.measured_mm > judged.limit_mm;
    if !is_exceeded || asked.datums.is_empty() {
        return Ok(());
    }
    let is_datum = |name: &String| *name != asked.feature;
    let directed: Vec<&String> =
        features.iter().filter(|(name, own)| is_datum(name) && own.has_sense()).map(|(name, _)| name).collect();
    let most_mm = (SUSPECTED_SHARE * judged.measured_mm).max(judged.limit_mm);
    // Each choice of datums to be reversed, but none.
    for chosen in 1..1_usize << directed.len().min(MAX_DATUMS) {
        let mut turned = features.clone();
        for (index, name) in directed.iter().enumerate() {
            if let Some(own) = turned.get_mut(*name).filter(|_| chosen >> index & 1 == 1) {
                own.element = own.element.reversed();
            }
        }
        let Ok(other) = judge(asked, &turned, letters) else { continue };
        if other.measured_mm <= most_mm && other.measured_mm <= SUSPECTED_SHARE * judged.measured_mm {
            return Err(UserError::input(format!(
                "The points seem to be turned against the nominals: with the other sense of a datum {:.4} mm are measured \
                 instead of {:.4} mm. Turn them into the frame of the nominals, or align them.",
                other.measured_mm, judged.measured_mm
            ))
            .about(&asked.title()));
        }
    }
    Ok(())
}

/// Datums whose senses are tried.
const MAX_DATUMS: usize = 6;

impl Feature {
    fn has_sense(&self) -> bool {
        self.nominal.is_some() && self.element.reversed() != self.element
    }
}

impl Element {
    /// The element with its direction reversed; points, spheres and cones have none that could be.
    fn reversed(&self) -> Self {
        match self.direction() {
            Some(direction) => {
                let opposite = crate::features::Shape::Line { point: self.position(), direction: -direction };
                self.oriented_like(&opposite.into())
            }
            None => *self,
        }
    }
}
