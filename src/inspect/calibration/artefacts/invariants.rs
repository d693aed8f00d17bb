//! Quantities of the artefact itself: angles, depths, widths and distances, which are independent of the frame of
//! measurement. Both instruments measure them from the regions that the frame is determined from, so they can be
//! compared.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::systematic::{ErrorForm, Systematic};

/// Kind of quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// An angle, rad.
    Angle,
    /// A height or depth relative to the flat face, mm.
    Height,
    /// A distance along the artefact, mm.
    Distance,
    /// A width or a radius, mm.
    Size,
}

impl Aspect {
    /// Whether the unit is rad; otherwise mm.
    pub fn is_angle(self) -> bool {
        self == Self::Angle
    }
}

/// A quantity of the artefact as one instrument measured it.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// Name shown to the operator; the key by which both instruments' values are matched.
    pub name: String,
    /// Kind of quantity.
    pub aspect: Aspect,
    /// Short names of the regions or parts that it is derived from.
    pub parts: Vec<&'static str>,
    /// Value, mm or rad.
    pub value: f64,
    /// Derivative of the value by the stylus tip radius that is compensated, per mm.
    pub radius_sensitivity: f64,
    /// Nominal value implied by the kind of artefact, if any, mm or rad.
    pub nominal: Option<f64>,
}

impl Invariant {
    pub(super) fn new(name: impl Into<String>, aspect: Aspect, parts: &[&'static str]) -> Self {
        let parts = parts.to_vec();
        Self { name: name.into(), aspect, parts, value: 0.0, radius_sensitivity: 0.0, nominal: None }
    }

    /// Sets the nominal value.
    pub(super) fn with_nominal(self, nominal: Option<f64>) -> Self {
        Self { nominal, ..self }
    }
}

/// Invariants measured by one instrument, with their uncertainty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invariants {
    /// The quantities.
    pub quantities: Vec<Invariant>,
    /// Covariance of the values caused by noise.
    pub covariance: DMatrix<f64>,
    /// Effect of the systematic error on them.
    pub systematic: Systematic,
}

impl Invariants {
    /// Sets the values, and the radius sensitivities from the values obtained with a stylus tip radius larger by
    /// `step_mm`.
    pub(super) fn with_values(
        mut quantities: Vec<Invariant>,
        values: &[f64],
        stepped: &[f64],
        step_mm: f64,
    ) -> Vec<Invariant> {
        for ((own, value), after) in quantities.iter_mut().zip(values).zip(stepped) {
            own.value = *value;
            own.radius_sensitivity = (after - value) / step_mm;
        }
        quantities
    }

    /// Index of the quantity of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.quantities.iter().position(|own| own.name == name)
    }

    /// Variance of a quantity caused by noise and the worst form of the systematic error.
    pub fn variance(&self, index: usize) -> f64 {
        self.noise_variance(index) + self.systematic.variance(&self.row(index))
    }

    /// Variance of a quantity without the contribution of a scale error of the sensor or of its image.
    pub fn variance_without_scale(&self, index: usize) -> f64 {
        let row = self.row(index);
        let forms = [ErrorForm::Tilt, ErrorForm::Bowl, ErrorForm::Cubic, ErrorForm::Waves];
        let systematic = forms.map(|form| self.systematic.variance_by(form, &row)).into_iter().fold(0.0, f64::max);
        self.noise_variance(index) + systematic
    }

    /// Variance of a quantity caused by noise, the largest effect on it of a systematic error of fixed profile, and its
    /// variance by one of random profile.
    pub fn parts_of_variance(&self, index: usize) -> (f64, f64, f64) {
        let (limit, random) = self.systematic.limit_and_variance(&self.row(index));
        (self.noise_variance(index), limit, random)
    }

    fn noise_variance(&self, index: usize) -> f64 {
        self.covariance.get((index, index)).copied().unwrap_or(0.0).max(0.0)
    }

    fn row(&self, index: usize) -> DVector<f64> {
        DVector::from_fn(self.quantities.len(), |k, _| if k == index { 1.0 } else { 0.0 })
    }
}
