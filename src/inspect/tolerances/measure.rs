//! Distances and angles between features as plan elements.

use serde::{Deserialize, Serialize};

use super::coverage::{SeenFace, shortages};
use super::{Conformity, INCOMPLETE, Verdict as Side, decide, words};
use crate::features::measured::MeasuredFeature;
use crate::features::measures::{self, AngleConvention};
use crate::features::recipe::A_FEATURE;
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use crate::verdict::Verdict;
use base::{Progress, Result};

/// The quantity measured between two features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Distance, mm.
    #[default]
    Distance,
    /// Angle, degrees.
    Angle(AngleConvention),
}

/// Recipe of a distance or angle between two features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureRecipe {
    /// The measured quantity.
    pub quantity: Quantity,
    /// The first feature.
    pub from: ElementId,
    /// The second feature.
    pub to: ElementId,
    /// Lower limit, mm or degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper limit, mm or degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Share of the faces of both features that must be seen, 0 to 1; `None` as for tolerances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_coverage: Option<f64>,
    /// Whether it was taken from the CAD file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_cad: bool,
}

/// A measured distance or angle.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The value with its limits: a distance in mm, an angle in degrees.
    pub figure: Figure,
    /// Whether the value is within its limits; `None` without limits.
    pub side: Option<Side>,
    /// What is proven; `None` without limits or if the uncertainty is unknown.
    pub conformity: Option<Conformity>,
    /// What was measured.
    pub how: String,
    /// Which faces of the features were not seen far enough, in sentences; empty if all were, and without limits.
    pub incomplete: String,
}

impl Make for MeasureRecipe {
    type Made = Measure;

    const NAME: &'static str = "Measure";
    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.from, self.to]
    }

    fn make(&self, inputs: &dyn Inputs, _: &Tools<'_>, _: Option<&Measure>, _: &Progress) -> Result<Measure> {
        let (from, to) =
            (inputs.get::<MeasuredFeature>(self.from, A_FEATURE)?, inputs.get::<MeasuredFeature>(self.to, A_FEATURE)?);
        let seen = |feature: &MeasuredFeature, id: ElementId| {
            Some(SeenFace::required(&inputs.name(id), feature.coverage?, self.min_coverage))
        };
        let faces: Vec<SeenFace> = seen(&from, self.from).into_iter().chain(seen(&to, self.to)).collect();
        let (from_points, to_points) = (from.used(), to.used());
        let (from, to) = (from.known(&from_points), to.known(&to_points));
        let (figure, how) = match self.quantity {
            Quantity::Distance => {
                let found = measures::distance(&from, &to)?;
                let figure = Figure::new("Distance", "mm", found.distance_mm);
                (Figure { uncertainty: found.uncertainty_mm, ..figure }, found.how)
            }
            Quantity::Angle(convention) => {
                let found = measures::angle(&from, &to, convention)?;
                let figure = Figure::new("Angle", "°", found.angle_rad.to_degrees());
                (Figure { uncertainty: found.uncertainty_rad.map(f64::to_degrees), ..figure }, found.how)
            }
        };
        let figure = Figure { lower: self.lower, upper: self.upper, ..figure };
        let decided = (self.lower.is_some() || self.upper.is_some())
            .then(|| decide(figure.value, self.lower, self.upper.unwrap_or(f64::INFINITY), figure.uncertainty));
        let (side, mut conformity) = decided.map_or((None, None), |(side, conformity)| (Some(side), conformity));
        let incomplete = if side.is_some() { shortages(&faces) } else { String::new() };
        // The rest of a face may lie to either side.
        if !incomplete.is_empty() {
            conformity = Some(Conformity::Undecided);
        }
        Ok(Measure { figure, side, conformity, how, incomplete })
    }
}

impl Measure {
    /// The verdict in words, as for tolerances; `None` without limits.
    pub fn words(&self) -> Option<&'static str> {
        let words = |side| if self.incomplete.is_empty() { words(self.conformity, side) } else { INCOMPLETE };
        self.side.map(words)
    }
}

impl Product for Measure {
    fn figures(&self) -> Vec<Figure> {
        vec![self.figure.clone()]
    }

    fn verdict(&self) -> Option<Verdict> {
        self.side.map(|side| super::decided(self.conformity, side))
    }

    fn sentences(&self) -> Vec<String> {
        let Figure { value, unit, uncertainty, .. } = self.figure;
        let uncertainty = uncertainty.map(|own| format!(" ± {own:.4}")).unwrap_or_default();
        let result = format!("{value:.4}{uncertainty} {unit}: {}.", self.how);
        std::iter::once(result).chain((!self.incomplete.is_empty()).then(|| self.incomplete.clone())).collect()
    }
}
