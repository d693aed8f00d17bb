//! Geometrical tolerances as stated on a drawing, evaluated on measured features.
//!
//! After ISO 1101:2017 (clause 17 defines the characteristics), ISO 5459:2011 (datums) and ASME Y14.5-2018. Clauses are
//! cited as far as they are known; the texts were not available to check against.
//!
//! A plan assigns datum letters and lists the tolerances ([`Plan::from_json`]):
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
//! A size may be stated by its tolerance class, `"fit": "25 H7"`, in place of its limits ([`SizeClass`]).
//!
//! Tolerances of form may state what the points pass before: `"outlier_sigmas": 4` removes outliers, `"filter_upr": 50`
//! is a Gaussian filter by undulations per revolution (circularity, cylindricity, run-out of circles and cylinders),
//! `"filter_mm": 0.8` one by wavelength.
//!
//! The characteristics are `size`, `straightness`, `flatness`, `circularity`, `cylindricity`, `parallelism`,
//! `perpendicularity`, `angularity`, `position`, `coaxiality`, `symmetry`, `profile`, `circular_run_out` and
//! `total_run_out`. Unknown fields are an error.
//!
//! An axis is that of the fitted cylinder or cone, over the extent of its points; for the extracted median line as
//! toleranced by ISO, fit a line to [`median_line`] and tolerance that line.
//!
//! Below a minimum share of a face that was seen, the tolerance is incomplete ([`coverage`]): 0.8 of nominal facets, 0.5 of
//! the extent of points whose face is not known, or what the tolerance states, `"min_coverage": 0.6`.
//!
//! The plan may contain nominals of features, by name: `"nominals": { "bore 1": { "shape": { "kind": "cylinder", … } },
//! "tip": { "point": [1, 2, 3] } }`, in the frame of the nominal part.
//!
//! Features are used as fitted ([`Feature`]). True positions are those of the nominals in the frame of the datums'
//! nominals, or stated in the tolerance. With the maximum material requirement the limit increases by the departure of
//! the feature's unrelated actual mating envelope from its maximum material size. Not supported: datums at
//! maximum material, the least material requirement, simultaneous evaluation of patterns, line profiles, projected zones.
//!
//! A datum `"A-B"` is the common datum of A and B ([`common`]).

pub mod common;
pub mod coverage;
mod datums;
mod distinct;
mod envelope;
mod extents;
mod feature;
mod form;
mod judged;
mod location;
pub mod measure;
mod orientation;
mod points;
mod preparation;
mod profile;
pub mod recipe;
mod runout;
mod sections;
mod senses;
mod size;
mod size_class;
#[cfg(test)]
mod tests;
mod tolerance;

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use nalgebra::{SymmetricEigen, Vector6};

use crate::features::Element;
use base::{Result, UserError};
use common::Member;
pub use datums::{Datum, DatumSystem, FreeMotions};
use feature::{ActualDatum, ActualFeature};
pub use feature::{Feature, Features, StraightSides};
use geometry::{Point, Vector};
pub use judged::{Conformity, Judged, Verdict, decided};
pub(crate) use judged::{INCOMPLETE, decide, words};
pub use sections::median_line;
pub use size_class::SizeClass;
pub use tolerance::{Characteristic, DatumLetters, MaximumMaterial, Plan, Side, Tolerance, Zone};

/// Evaluates a tolerance on measured features; `letters` maps datum letters to feature names.
///
/// Returns an error if a feature or datum is missing or of the wrong kind, if the datums do not constrain what the
/// tolerance requires, or if a value is out of range.
pub fn judge(tolerance: &Tolerance, features: &Features, letters: &DatumLetters) -> Result<Judged> {
    evaluate(tolerance, features, letters).map_err(|error| error.about(&tolerance.title()))
}

fn evaluate(tolerance: &Tolerance, features: &Features, letters: &DatumLetters) -> Result<Judged> {
    tolerance.check()?;
    let context = CheckContext { features, letters, perturbation: None };
    for letter in &tolerance.datums {
        if context.datum_names(letter)? == [tolerance.feature.as_str()] {
            return Err(UserError::usage(format!("“{}” cannot be its own datum {letter}.", tolerance.feature)));
        }
    }
    distinct::check(tolerance, &context)?;
    let measured = measure(tolerance, &context)?;
    if !measured.value_mm.is_finite() {
        return Err(UserError::input("The measured value is not finite; check the feature's points."));
    }
    let bonus = match &tolerance.maximum_material {
        Some(maximum) => Some(envelope::bonus(&context.feature(&tolerance.feature)?, maximum)?),
        None => None,
    };
    let mut how =
        format!("{} ({}): {}", tolerance.characteristic.name(), tolerance.characteristic.source(), measured.how);
    for letter in &tolerance.datums {
        if let Some(common) = context.datum(letter)?.common {
            how += &format!("; common datum “{letter}”: {common}");
        }
    }
    let mut reading = tolerance.characteristic.reading().to_owned();
    if let Some(class) = tolerance.size_class()? {
        how += &format!("; {}", class.words());
    }
    if let Some(bonus) = &bonus {
        how += &format!("; {}", bonus.how);
        reading += " Bonus from the unrelated actual mating envelope (our reading of ISO 2692 and ASME Y14.5).";
    }
    let propagated = || if measured.of_element { propagated(tolerance, &context, measured.value_mm) } else { Ok(None) };
    let uncertainty_mm = match tolerance.expanded_uncertainty_mm.or(measured.uncertainty_mm) {
        Some(uncertainty_mm) => Some(uncertainty_mm),
        None => propagated()?,
    };
    let lacking = context.unstated(tolerance)?;
    if uncertainty_mm.is_none() && (measured.of_element || measured.of_size) && !lacking.is_empty() {
        how += &format!(
            "; no uncertainty can be stated: there are no more points than the fit needs of {}",
            common::listed(lacking.iter().map(String::as_str), ", ")
        );
    }
    if uncertainty_mm.is_some() {
        how += match tolerance.expanded_uncertainty_mm {
            Some(_) => "; the uncertainty is as stated in the tolerance",
            None => "; the uncertainty is propagated from the fits (k = 2)",
        };
        reading += " Decision with the whole of U as guard band (our reading of ISO 14253-1).";
    }
    let lower_mm = if let Characteristic::Size { lower_mm } = tolerance.characteristic { lower_mm } else { None };
    let bonus_mm = bonus.as_ref().map_or(0.0, |bonus| bonus.bonus_mm);
    let bonus_uncertainty_mm = bonus.and_then(|bonus| bonus.uncertainty_mm);
    let limit_mm = tolerance.limit_mm + bonus_mm;
    // The uncertainties of value and limit are independent: one is that of the position, the other that of the size.
    let combined_mm = uncertainty_mm.map(|own| own.hypot(bonus_uncertainty_mm.unwrap_or(0.0)));
    let (verdict, mut conformity) = decide(measured.value_mm, lower_mm, limit_mm, combined_mm);
    let actual = context.feature(&tolerance.feature)?;
    if let Some(doubt) = actual.feature.doubts.first() {
        how += &format!("; {}", doubt.trim_end_matches('.'));
        if verdict == Verdict::In {
            conformity = Some(Conformity::Undecided);
        }
    }
    let uncertainty_mm = match uncertainty_mm {
        Some(own) if !own.is_finite() => {
            how += "; undecided, since the points do not determine it";
            None
        }
        other => other,
    };
    let mut judged = Judged {
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
        preparation: String::new(),
        rejected: String::new(),
        faces: Vec::new(),
        incomplete: String::new(),
        reading,
    };
    judged.rest_on(coverage::faces(tolerance, &context)?);
    Ok(judged)
}

/// Result of the measurement, before it is compared with the limits.
struct Measurement {
    value_mm: f64,
    worst: Option<Point>,
    how: String,
    /// Whether the fitted element was evaluated, not its points: the uncertainty is then that of the fits.
    of_element: bool,
    /// Whether the value is a size of the fit.
    of_size: bool,
    /// Expanded uncertainty (k = 2), mm, if it follows directly from the fit.
    uncertainty_mm: Option<f64>,
}

impl Measurement {
    fn new(value_mm: f64, worst: Option<Point>, how: String) -> Self {
        Self { value_mm, worst, how, of_element: false, of_size: false, uncertainty_mm: None }
    }
}

fn measure(tolerance: &Tolerance, context: &CheckContext<'_>) -> Result<Measurement> {
    let actual = context.feature(&tolerance.feature)?;
    let oriented = |angle_rad, zone| orientation::measure(context, tolerance, &actual, angle_rad, zone);
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
                return Err(UserError::usage(format!("The angle of {angle_deg}° must be between 0° and 90°.")));
            }
            oriented(angle_deg.to_radians(), zone)
        }
        Characteristic::Position { zone, true_place } => {
            location::position(context, tolerance, &actual, zone, true_place.as_ref())
        }
        Characteristic::Coaxiality {} => location::coaxiality(context, tolerance, &actual),
        Characteristic::Symmetry {} => location::symmetry(context, tolerance, &actual),
        Characteristic::Profile { outside_mm } => profile::measure(context, tolerance, &actual, *outside_mm),
        Characteristic::CircularRunOut { section_mm } => runout::circular(context, tolerance, &actual, *section_mm),
        Characteristic::TotalRunOut {} => runout::total(context, tolerance, &actual),
    }
}

/// Expanded uncertainty (k = 2) of a value, mm, from the fits of the feature and of its datums: each is perturbed by
/// one standard deviation along every independent motion, and the changes are added in quadrature (JCGM 100:2008, 5.1.4
/// and its note on finite steps). The larger change of both signs counts, since a value may be at its minimum. `None`
/// if no covariance is known.
fn propagated(tolerance: &Tolerance, context: &CheckContext<'_>, value_mm: f64) -> Result<Option<f64>> {
    let mut names = vec![tolerance.feature.as_str()];
    for letter in &tolerance.datums {
        for name in context.datum_names(letter)? {
            // The toleranced feature may have a part in a common datum: both move together.
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let (mut variance, mut known) = (0.0, false);
    for name in names {
        let Some(uncertainty) = &context.feature(name)?.feature.uncertainty else { continue };
        if !uncertainty.is_stated() {
            return Ok(None);
        }
        if !uncertainty.position_mm.is_finite() || !uncertainty.direction_rad.is_finite() {
            return Ok(Some(f64::INFINITY));
        }
        known = true;
        let modes = SymmetricEigen::new(uncertainty.motion);
        for (value, mode) in modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter()) {
            if *value > 0.0 {
                let step: Vector6<f64> = mode * value.sqrt();
                let change = |step: Vector6<f64>| -> Result<f64> {
                    let perturbed = CheckContext { perturbation: Some((name, step)), ..*context };
                    Ok((measure(tolerance, &perturbed)?.value_mm - value_mm).abs())
                };
                variance += change(step)?.max(change(-step)?).powi(2);
            }
        }
    }
    Ok(known.then(|| 2.0 * variance.sqrt()))
}

/// The input of a check.
#[derive(Clone, Copy)]
struct CheckContext<'a> {
    features: &'a Features,
    letters: &'a DatumLetters,
    /// A feature and the motion by which its element is perturbed, for the propagation of uncertainty.
    perturbation: Option<(&'a str, Vector6<f64>)>,
}

impl<'a> CheckContext<'a> {
    fn feature(&self, name: &str) -> Result<ActualFeature<'a>> {
        let Some((name, feature)) = self.features.get_key_value(name) else {
            let names: Vec<&str> = self.features.keys().map(String::as_str).collect();
            return Err(UserError::input(format!(
                "There is no feature “{name}”; there are: {}.",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            )));
        };
        let element = feature.element.checked().map_err(|error| error.about(&format!("“{name}”")))?;
        let is_finite = |point: &Point| point.coords.iter().all(|c| c.is_finite());
        if self.perturbation.is_none() && !feature.points.iter().all(is_finite) {
            return Err(UserError::input(format!("“{name}” has a point that is not finite; measure it again.")));
        }
        let element = match &self.perturbation {
            Some((perturbed, motion)) if perturbed == name => element.perturbed(motion),
            _ => element,
        };
        Ok(ActualFeature { name, feature, element })
    }

    /// The feature of a datum letter, or the feature of that name.
    fn datum_feature(&self, letter: &str) -> Result<ActualFeature<'a>> {
        let name = self.letters.get(letter).map_or(letter, String::as_str);
        self.feature(name).map_err(|error| error.about(&format!("Datum {letter}")))
    }

    /// The letters of a datum as stated, each with its feature: several of a common datum.
    fn datum_features<'b>(&self, stated: &'b str) -> Result<Vec<(&'b str, ActualFeature<'a>)>> {
        let is_known = |name: &str| self.letters.contains_key(name) || self.features.contains_key(name);
        let letters = common::members(stated, is_known).into_iter();
        letters.map(|letter| Ok((letter, self.datum_feature(letter)?))).collect()
    }

    /// Names of the features of a datum as stated.
    fn datum_names(&self, stated: &str) -> Result<Vec<&'a str>> {
        Ok(self.datum_features(stated)?.into_iter().map(|(_, own)| own.name).collect())
    }

    /// A datum as stated: the feature of its letter or name, or the common datum of several.
    fn datum(&self, stated: &str) -> Result<ActualDatum> {
        let features = self.datum_features(stated)?;
        if let [(_, own)] = &features[..] {
            let (name, nominal) = (own.name.to_owned(), own.feature.nominal);
            return Ok(ActualDatum { name, element: own.element, nominal, common: None });
        }
        let points: Vec<Cow<'_, [Point]>> = features.iter().map(|(_, own)| self.points(own)).collect();
        let mut members: Vec<Member<'_>> = Vec::with_capacity(features.len());
        for ((letter, own), points) in features.iter().zip(&points) {
            let (nominal, has_sides) = (own.feature.nominal, own.feature.size_mm.is_some());
            members.push(Member { letter, element: own.element, nominal, points, has_sides });
        }
        let about = |error: UserError| error.about(&format!("Common datum “{stated}”"));
        let found = common::associate(&members).map_err(about)?;
        let (element, nominal) = (found.element, found.nominal);
        Ok(ActualDatum { name: stated.to_owned(), element, nominal, common: Some(found.how) })
    }

    /// Names of the toleranced feature and its datums of whose fits no uncertainty can be stated.
    fn unstated(&self, tolerance: &Tolerance) -> Result<Vec<String>> {
        let mut names = vec![tolerance.feature.as_str()];
        for letter in &tolerance.datums {
            names.extend(self.datum_names(letter)?);
        }
        let mut unstated = Vec::new();
        for name in names {
            if self.feature(name)?.feature.uncertainty.as_ref().is_some_and(|own| !own.is_stated()) {
                unstated.push(format!("“{name}”"));
            }
        }
        Ok(unstated)
    }

    /// The points of a feature, moved as its element is perturbed: what is fitted to them again changes as by the noise
    /// that moved the element.
    fn points(&self, own: &ActualFeature<'a>) -> Cow<'a, [Point]> {
        let points = &own.feature.points[..];
        match &self.perturbation {
            Some((perturbed, motion)) if *perturbed == own.name => {
                let motion = own.feature.element.motion(motion);
                Cow::Owned(points.iter().map(|point| motion * point).collect())
            }
            _ => Cow::Borrowed(points),
        }
    }

    fn first_datum(&self, tolerance: &Tolerance) -> Result<ActualDatum> {
        let letter = tolerance.datums.first().ok_or_else(|| UserError::usage("A datum is missing."))?;
        self.datum(letter)
    }

    fn datums<'b>(&self, tolerance: &'b Tolerance) -> Result<Vec<Datum<'b>>> {
        let of = |letter: &'b String| {
            let datum = self.datum(letter)?;
            Ok(Datum { letter, element: datum.element, nominal: datum.nominal })
        };
        tolerance.datums.iter().map(of).collect()
    }

    /// The datum system of the measured datums.
    fn system(&self, tolerance: &Tolerance) -> Result<DatumSystem> {
        DatumSystem::of(&self.datums(tolerance)?)
    }

    /// The nominal of a feature in the frame of the datums' nominals; returns an error if one is missing.
    fn nominal_in_datum_frame(&self, tolerance: &Tolerance, actual: &ActualFeature<'_>) -> Result<Element> {
        let missing = || actual.unfit("it has no nominal; assign one to the feature, or state the true position");
        let nominal = actual.feature.nominal.ok_or_else(missing)?.checked()?;
        Ok(nominal.moved(&DatumSystem::of_nominals(&self.datums(tolerance)?)?.datum_from_part))
    }
}

/// The normalised direction; returns an error if it is zero.
fn unit(direction: &Vector) -> Result<Vector> {
    direction
        .try_normalize(1e-9)
        .filter(|unit| unit.iter().all(|c| c.is_finite()))
        .ok_or_else(|| UserError::usage("The direction of a zone's width must not be zero."))
}
