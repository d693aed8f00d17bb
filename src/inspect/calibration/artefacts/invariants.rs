//! Quantities of an artefact itself: angles, depths, widths and distances that are the same in whatever frame it is
//! measured. Both instruments measure them from the same regions that the frame is made of, so they can be compared.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::systematic::{ErrorForm, Systematic};

/// What kind of quantity it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// An angle, rad.
    Angle,
    /// A height or depth over the flat face, mm.
    Height,
    /// A distance along the artefact, mm.
    Distance,
    /// A width or a radius, mm.
    Size,
}

impl Aspect {
    /// Whether it is in rad, else in mm.
    pub fn is_angle(self) -> bool {
        self == Self::Angle
    }
}

/// A quantity of the artefact as one instrument measured it.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// As people call it.
    pub name: String,
    /// What kind it is.
    pub aspect: Aspect,
    /// Short names of the regions or parts that it is made of.
    pub parts: Vec<&'static str>,
    /// mm or rad.
    pub value: f64,
    /// By how much the value changes with the stylus tip radius that is taken off, per mm.
    pub by_radius: f64,
    /// What the kind of artefact implies, where it does.
    pub nominal: Option<f64>,
}

impl Invariant {
    pub(super) fn new(name: impl Into<String>, aspect: Aspect, parts: &[&'static str]) -> Self {
        let parts = parts.to_vec();
        Self { name: name.into(), aspect, parts, value: 0.0, by_radius: 0.0, nominal: None }
    }

    /// With a value implied by the kind of artefact.
    pub(super) fn implied(self, nominal: Option<f64>) -> Self {
        Self { nominal, ..self }
    }
}

/// All invariants that one instrument measured, and how sure they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invariants {
    /// The quantities.
    pub of: Vec<Invariant>,
    /// Their covariance by noise.
    pub covariance: DMatrix<f64>,
    /// What the systematic error does to them.
    pub systematic: Systematic,
}

impl Invariants {
    /// `of` with these values, and values for a stylus tip radius larger by `step_mm`.
    pub(super) fn valued(mut of: Vec<Invariant>, values: &[f64], stepped: &[f64], step_mm: f64) -> Vec<Invariant> {
        for ((own, value), after) in of.iter_mut().zip(values).zip(stepped) {
            own.value = *value;
            own.by_radius = (after - value) / step_mm;
        }
        of
    }

    /// The number of the quantity of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.of.iter().position(|own| own.name == name)
    }

    /// Variance of a quantity by noise and the worst form of the systematic error.
    pub fn variance(&self, number: usize) -> f64 {
        self.noise_variance(number) + self.systematic.variance(&self.row(number))
    }

    /// Variance of a quantity without what a scale error of the sensor does.
    pub fn variance_without_scale(&self, number: usize) -> f64 {
        let row = self.row(number);
        let forms = [ErrorForm::Tilt, ErrorForm::Bowl, ErrorForm::Cubic, ErrorForm::Waves];
        let systematic = forms.map(|form| self.systematic.variance_by(form, &row)).into_iter().fold(0.0, f64::max);
        self.noise_variance(number) + systematic
    }

    fn noise_variance(&self, number: usize) -> f64 {
        self.covariance.get((number, number)).copied().unwrap_or(0.0).max(0.0)
    }

    fn row(&self, number: usize) -> DVector<f64> {
        DVector::from_fn(self.of.len(), |k, _| if k == number { 1.0 } else { 0.0 })
    }
}
