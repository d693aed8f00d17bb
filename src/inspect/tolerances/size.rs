//! Size: the diameter of a round feature, the width of a slot or tab.

use super::Measurement;
use super::feature::ActualFeature;
use crate::features::{Element, Shape};
use base::Result;

/// The global size of the fitted feature: 2 r for circles, spheres and cylinders, else the distance between the two
/// sides.
///
/// ISO 14405-1:2016 measures between two points (LP) unless the drawing states otherwise; the size of a least-squares
/// fit is that of its modifier GG (the text was not available to check against).
pub(super) fn measure(actual: &ActualFeature<'_>) -> Result<Measurement> {
    let expanded = actual.feature.uncertainty.as_ref().and_then(|own| own.numbers.first().copied());
    let size = |value, how, uncertainty_mm| Measurement { uncertainty_mm, ..Measurement::new(value, None, how) };
    match (actual.element, actual.feature.size_mm) {
        (
            Element::Shape(
                Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. },
            ),
            _,
        ) => {
            let how = format!("diameter of the fitted {} (2 × {radius:.4} mm)", actual.element.name());
            Ok(size(2.0 * radius, how, expanded.map(|of_radius| 2.0 * of_radius)))
        }
        (_, Some(width)) if width.is_finite() => Ok(size(width, "distance between the two sides".to_owned(), expanded)),
        _ => Err(actual.unfit("a size needs a circle, a sphere, a cylinder, or a feature whose width was measured")),
    }
}
