//! Size: the diameter of a round feature, the width of a slot or tab; its limits by a tolerance class.

use super::feature::ActualFeature;
use super::{Characteristic, Measurement, SizeClass, Tolerance};
use crate::features::{Element, Shape, Uncertainty};
use base::{Result, UserError};

/// Limits that differ by less are the same, mm.
const SAME_LIMIT_MM: f64 = 1e-6;

/// The global size of the fitted feature: 2 r for circles, spheres and cylinders, else the distance between the two
/// sides.
///
/// ISO 14405-1:2016 measures between two points (LP) unless the drawing states otherwise; the size of a least-squares
/// fit is that of its modifier GG (the text was not available to check against).
pub(super) fn measure(actual: &ActualFeature<'_>) -> Result<Measurement> {
    let expanded = actual.feature.uncertainty.as_ref().and_then(Uncertainty::of_size);
    let size = |value, how, uncertainty_mm| Measurement {
        uncertainty_mm,
        of_size: true,
        ..Measurement::new(value, None, how)
    };
    match (actual.element, actual.feature.size_mm) {
        (
            Element::Shape(
                Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. },
            ),
            _,
        ) => {
            let mut how = format!("diameter of the fitted {} (2 × {radius:.4} mm)", actual.element.name());
            if let Some(arc_deg) = actual.feature.arc_deg {
                how += &format!(", seen over {arc_deg:.0}°");
            }
            Ok(size(2.0 * radius, how, expanded.map(|of_radius| 2.0 * of_radius)))
        }
        (_, Some(width)) if width.is_finite() => Ok(size(width, "distance between the two sides".to_owned(), expanded)),
        _ => Err(actual.unfit("a size needs a circle, a sphere, a cylinder, or a feature whose width was measured")),
    }
}

impl Tolerance {
    /// The tolerance class that the size is stated by. Returns an error if it cannot be read.
    pub fn size_class(&self) -> Result<Option<SizeClass>> {
        self.fit.as_ref().map(|fit| SizeClass::read(fit, None)).transpose()
    }

    /// States a size by its tolerance class, with its limits.
    pub fn set_size_class(&mut self, class: &SizeClass) {
        let [lower_mm, upper_mm] = class.limits_mm();
        self.characteristic = Characteristic::Size { lower_mm: Some(lower_mm) };
        self.limit_mm = upper_mm;
        self.fit = Some(class.designation());
    }

    /// Sets the limits of a size that a list states by its class alone.
    pub(super) fn complete(&mut self, nominal_mm: Option<f64>) -> Result<()> {
        if let (Characteristic::Size { lower_mm }, Some(fit)) = (&self.characteristic, &self.fit) {
            let class = SizeClass::read(fit, nominal_mm)?;
            if self.limit_mm.is_nan() && lower_mm.is_none() {
                self.set_size_class(&class);
            } else {
                self.fit = Some(class.designation());
            }
        }
        if self.limit_mm.is_nan() {
            return Err(UserError::input("The tolerances cannot be read: limit_mm is missing: state it in the file."));
        }
        Ok(())
    }

    /// Returns an error if a fit is stated that the limits are not those of.
    pub(super) fn check_size_class(&self) -> Result<()> {
        let Some(class) = self.size_class()? else { return Ok(()) };
        let Characteristic::Size { lower_mm: stated_mm } = self.characteristic else {
            return Err(UserError::usage(
                "A tolerance class states the limits of a size: remove it and state the limit in mm.",
            ));
        };
        let [lower_mm, upper_mm] = class.limits_mm();
        let is_same = |own: f64, limit_mm: f64| (own - limit_mm).abs() <= SAME_LIMIT_MM;
        if stated_mm.is_some_and(|own| is_same(own, lower_mm)) && is_same(self.limit_mm, upper_mm) {
            return Ok(());
        }
        Err(UserError::usage(format!(
            "The stated limits are not those of “{}”, {lower_mm} to {upper_mm} mm: state the limits or the class.",
            class.designation()
        )))
    }
}
