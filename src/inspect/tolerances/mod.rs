//! Geometrical tolerances: what a drawing states, judged on measured features.
//!
//! After ISO 1101:2017 (clause 17 defines the characteristics), ISO 5459:2011 (datums) and ASME Y14.5-2018. The clauses
//! are named as far as they are known; the texts were not available to check against.
//!
//! An inspection plan names the datums and lists the tolerances ([`Plan::from_json`]):
//!
//! ```json
//! {
//!   "datums": { "A": "bottom", "B": "bore 1", "C": "side" },
//!   "tolerances": [
//!     { "feature": "bore 1", "characteristic": "size", "lower_mm": 9.95, "upper_mm": 10.05 },
//!     { "feature": "bottom", "characteristic": "flatness", "limit_mm": 0.05 },
//!     { "feature": "bore 1", "characteristic": "perpendicularity", "limit_mm": 0.05, "datums": ["A"] },
//!     { "feature": "chamfer", "characteristic": "angularity", "angle_deg": 45, "limit_mm": 0.2, "datums": ["A"] },
//!     { "name": "Bore pattern", "feature": "bore 2", "characteristic": "position", "limit_mm": 0.2,
//!       "datums": ["A", "B", "C"], "maximum_material": { "side": "internal", "size_mm": 7.9 },
//!       "expanded_uncertainty_mm": 0.01 },
//!     { "feature": "slot", "characteristic": "position", "limit_mm": 0.3, "datums": ["A", "B", "C"],
//!       "true_place": { "shape": { "kind": "plane", "point": [40, 0, 0], "normal": [1, 0, 0] } } },
//!     { "feature": "bore 2", "characteristic": "position", "limit_mm": 0.1, "datums": ["A", "B", "C"],
//!       "zone": { "width": { "along": [1, 0, 0] } } },
//!     { "feature": "cover", "characteristic": "profile", "limit_mm": 0.4, "outside_mm": 0.1,
//!       "datums": ["A", "B", "C"] },
//!     { "feature": "flange", "characteristic": "circular_run_out", "section_mm": 0.5, "limit_mm": 0.1,
//!       "datums": ["B"] }
//!   ]
//! }
//! ```
//!
//! The characteristics are `size`, `straightness`, `flatness`, `circularity`, `cylindricity`, `parallelism`,
//! `perpendicularity`, `angularity`, `position`, `coaxiality`, `symmetry`, `profile`, `circular_run_out` and
//! `total_run_out`. A field that a characteristic does not know is refused.
//!
//! An axis is that of the fitted cylinder or cone, over the reach of its points; for the extracted median line that ISO
//! tolerances, fit a line to [`median_line`] and tolerance that.
//!
//! What features should be may stand in the plan, by name: `"nominals": { "bore 1": { "shape": { "kind": "cylinder", … } },
//! "tip": { "point": [1, 2, 3] } }`, in the frame of the nominal part.
//!
//! Features are given as they were fitted ([`Feature`]). True places are those of the nominals, in the frame that the
//! nominals of the datums make, or stated in the tolerance. At maximum material the limit grows by how far the
//! unrelated actual mating envelope of the feature has left its size at maximum material. What is not here: common
//! datums (A-B; construct the common axis and name it), datums at maximum material, the least material requirement,
//! patterns judged together, profiles of lines, projected zones.

mod datums;
mod envelope;
mod extents;
mod feature;
mod form;
mod judged;
mod location;
pub mod measure;
mod orientation;
mod profile;
pub mod recipe;
mod runout;
mod sections;
mod size;
#[cfg(test)]
mod tests;
mod tolerance;

use std::f64::consts::FRAC_PI_2;

use nalgebra::{SymmetricEigen, Vector6};

use crate::features::Element;
use base::{Result, UserError};
pub use datums::{Datum, DatumSystem, FreeMotions};
use feature::Actual;
pub use feature::{Feature, Features, StraightSides};
use geometry::{Point, Vector};
pub use judged::{Conformity, Judged, Verdict, decided};
pub use sections::median_line;
pub use tolerance::{Characteristic, Letters, MaximumMaterial, Plan, Side, Tolerance, Zone};

/// Judges a tolerance on measured features; `letters` says which feature each datum letter stands for.
///
/// A sentence where a feature or datum is missing or of the wrong kind, where the datums do not fix what the tolerance
/// needs, or where a number makes no sense.
pub fn judge(tolerance: &Tolerance, features: &Features, letters: &Letters) -> Result<Judged> {
    judged(tolerance, features, letters).map_err(|error| error.about(&tolerance.title()))
}

fn judged(tolerance: &Tolerance, features: &Features, letters: &Letters) -> Result<Judged> {
    tolerance.check()?;
    let scene = Scene { features, letters, nudge: None };
    for letter in &tolerance.datums {
        if scene.datum(letter)?.name == tolerance.feature {
            return Err(UserError::usage(format!("“{}” cannot be its own datum {letter}.", tolerance.feature)));
        }
    }
    let measured = measure(tolerance, &scene)?;
    if !measured.value_mm.is_finite() {
        return Err(UserError::input("The measured value is no number; check the feature's points."));
    }
    let bonus = match &tolerance.maximum_material {
        Some(maximum) => Some(envelope::bonus(&scene.feature(&tolerance.feature)?, maximum)?),
        None => None,
    };
    let mut how =
        format!("{} ({}): {}", tolerance.characteristic.name(), tolerance.characteristic.source(), measured.how);
    let mut reading = tolerance.characteristic.reading().to_owned();
    if let Some(bonus) = &bonus {
        how += &format!("; {}", bonus.how);
        reading += " Bonus from the unrelated actual mating envelope (our reading of ISO 2692 and ASME Y14.5).";
    }
    let propagated = || if measured.of_element { propagated(tolerance, &scene, measured.value_mm) } else { Ok(None) };
    let uncertainty_mm = match tolerance.expanded_uncertainty_mm.or(measured.uncertainty_mm) {
        Some(own) => Some(own),
        None => propagated()?,
    };
    if uncertainty_mm.is_some() {
        how += match tolerance.expanded_uncertainty_mm {
            Some(_) => "; the uncertainty is the one stated",
            None => "; the uncertainty is that of the fits (k = 2)",
        };
        reading += " Proven where all of U is kept from the limits (our reading of ISO 14253-1).";
    }
    let lower_mm = if let Characteristic::Size { lower_mm } = tolerance.characteristic { lower_mm } else { None };
    let bonus_mm = bonus.as_ref().map_or(0.0, |bonus| bonus.bonus_mm);
    let bonus_uncertainty_mm = bonus.and_then(|bonus| bonus.uncertainty_mm);
    let limit_mm = tolerance.limit_mm + bonus_mm;
    // Value and limit are unsure independently: one by the position, the other by the size.
    let combined_mm = uncertainty_mm.map(|own| own.hypot(bonus_uncertainty_mm.unwrap_or(0.0)));
    let (verdict, conformity) = judged::decide(measured.value_mm, lower_mm, limit_mm, combined_mm);
    Ok(Judged {
        measured_mm: measured.value_mm,
        limit_mm,
        lower_mm,
        bonus_mm,
        bonus_uncertainty_mm,
        verdict,
        conformity,
        worst: measured.worst,
        uncertainty_mm,
        how,
        reading,
    })
}

/// What a check found.
struct Measured {
    value_mm: f64,
    worst: Option<Point>,
    how: String,
    /// Whether the fitted element was judged, not its points: then the value is as sure as the fits.
    of_element: bool,
    /// Expanded uncertainty where the fit tells it at once.
    uncertainty_mm: Option<f64>,
}

impl Measured {
    fn new(value_mm: f64, worst: Option<Point>, how: String) -> Self {
        Self { value_mm, worst, how, of_element: false, uncertainty_mm: None }
    }
}

fn measure(tolerance: &Tolerance, scene: &Scene<'_>) -> Result<Measured> {
    let actual = scene.feature(&tolerance.feature)?;
    let oriented = |angle_rad, zone| orientation::measure(scene, tolerance, &actual, angle_rad, zone);
    match &tolerance.characteristic {
        Characteristic::Size { .. } => size::measure(&actual),
        Characteristic::Straightness { section_mm } => form::straightness(&actual, *section_mm),
        Characteristic::Flatness {} => form::flatness(&actual),
        Characteristic::Circularity { section_mm } => form::circularity(&actual, *section_mm),
        Characteristic::Cylindricity {} => form::cylindricity(&actual),
        Characteristic::Parallelism { zone } => oriented(0.0, zone),
        Characteristic::Perpendicularity { zone } => oriented(FRAC_PI_2, zone),
        Characteristic::Angularity { angle_deg, zone } => {
            if !(0.0..=90.0).contains(angle_deg) {
                return Err(UserError::usage(format!("The angle of {angle_deg}° must be within 0° and 90°.")));
            }
            oriented(angle_deg.to_radians(), zone)
        }
        Characteristic::Position { zone, true_place } => {
            location::position(scene, tolerance, &actual, zone, true_place.as_ref())
        }
        Characteristic::Coaxiality {} => location::coaxiality(scene, tolerance, &actual),
        Characteristic::Symmetry {} => location::symmetry(scene, tolerance, &actual),
        Characteristic::Profile { outside_mm } => profile::measure(scene, tolerance, &actual, *outside_mm),
        Characteristic::CircularRunOut { section_mm } => runout::circular(scene, tolerance, &actual, *section_mm),
        Characteristic::TotalRunOut {} => runout::total(scene, tolerance, &actual),
    }
}

/// Expanded uncertainty (k = 2) of a value, mm, from the fits of the feature and of its datums: each is nudged by one
/// standard deviation along every independent motion, and what that changes adds up by squares (JCGM 100:2008, 5.1.4
/// and its note on finite steps). Of a value that turns round at its least, the larger change counts. `None` where no
/// fit is known.
fn propagated(tolerance: &Tolerance, scene: &Scene<'_>, value_mm: f64) -> Result<Option<f64>> {
    let mut names = vec![tolerance.feature.as_str()];
    for letter in &tolerance.datums {
        names.push(scene.datum(letter)?.name);
    }
    let (mut variance, mut known) = (0.0, false);
    for name in names {
        let Some(uncertainty) = &scene.feature(name)?.feature.uncertainty else { continue };
        known = true;
        let modes = SymmetricEigen::new(uncertainty.motion);
        for (value, mode) in modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter()) {
            if *value > 0.0 {
                let step: Vector6<f64> = mode * value.sqrt();
                let change = |step: Vector6<f64>| -> Result<f64> {
                    let nudged = Scene { nudge: Some((name, step)), ..*scene };
                    Ok((measure(tolerance, &nudged)?.value_mm - value_mm).abs())
                };
                variance += change(step)?.max(change(-step)?).powi(2);
            }
        }
    }
    Ok(known.then(|| 2.0 * variance.sqrt()))
}

/// The features that a check looks at.
#[derive(Clone, Copy)]
struct Scene<'a> {
    features: &'a Features,
    letters: &'a Letters,
    /// A feature and by how much its element is moved, to see what that changes.
    nudge: Option<(&'a str, Vector6<f64>)>,
}

impl<'a> Scene<'a> {
    fn feature(&self, name: &str) -> Result<Actual<'a>> {
        let Some((name, feature)) = self.features.get_key_value(name) else {
            let names: Vec<&str> = self.features.keys().map(String::as_str).collect();
            return Err(UserError::input(format!(
                "There is no feature “{name}”; there are: {}.",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            )));
        };
        let element = feature.element.checked().map_err(|error| error.about(&format!("“{name}”")))?;
        let finite = |point: &Point| point.coords.iter().all(|c| c.is_finite());
        if self.nudge.is_none() && !feature.points.iter().all(finite) {
            return Err(UserError::input(format!("“{name}” has a point that is no number; measure it again.")));
        }
        let element = match &self.nudge {
            Some((nudged, motion)) if nudged == name => element.nudged(motion),
            _ => element,
        };
        Ok(Actual { name, feature, element })
    }

    /// The feature of a datum letter; a feature may be named instead.
    fn datum(&self, letter: &str) -> Result<Actual<'a>> {
        let name = self.letters.get(letter).map_or(letter, String::as_str);
        self.feature(name).map_err(|error| error.about(&format!("Datum {letter}")))
    }

    fn first_datum(&self, tolerance: &Tolerance) -> Result<Actual<'a>> {
        let letter = tolerance.datums.first().ok_or_else(|| UserError::usage("A datum is missing."))?;
        self.datum(letter)
    }

    fn datums<'b>(&self, tolerance: &'b Tolerance) -> Result<Vec<Datum<'b>>> {
        let of = |letter: &'b String| {
            let datum = self.datum(letter)?;
            Ok(Datum { letter, element: datum.element, nominal: datum.feature.nominal })
        };
        tolerance.datums.iter().map(of).collect()
    }

    /// The frame of the measured datums.
    fn system(&self, tolerance: &Tolerance) -> Result<DatumSystem> {
        DatumSystem::of(&self.datums(tolerance)?)
    }

    /// The nominal of a feature in the frame of the datums' nominals; a sentence where one is missing.
    fn nominal_in_datum_frame(&self, tolerance: &Tolerance, actual: &Actual<'_>) -> Result<Element> {
        let missing = || actual.unfit("its nominal is not known; give the feature one, or state the true place");
        let nominal = actual.feature.nominal.ok_or_else(missing)?.checked()?;
        Ok(nominal.moved(&DatumSystem::of_nominals(&self.datums(tolerance)?)?.datum_from_part))
    }
}

/// A direction made one long; a sentence where it has none.
fn unit(direction: &Vector) -> Result<Vector> {
    direction
        .try_normalize(1e-9)
        .filter(|own| own.iter().all(|c| c.is_finite()))
        .ok_or_else(|| UserError::usage("The direction of a zone's width must not be zero."))
}
