//! Datums and tolerances as plan elements.

use serde::{Deserialize, Serialize};

use super::points::leave_noise_undecided;
use super::{Characteristic, DatumLetters, Feature, Features, Judged, Tolerance, common, judge, senses};
use crate::alignment::recipe::pose_in;
use crate::deviation::{Check, DeviationMap};
use crate::features::measured::{MeasuredBy, MeasuredFeature};
use crate::features::recipe::A_FEATURE;
use crate::features::{Element, Kind, Objective, Options, Shape, fit};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use crate::verdict::Verdict;
use base::{ErrorKind, Progress, Result, UserError};
use geometry::Pose;

/// Recipe of a datum: a feature with a letter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatumRecipe {
    /// Datum letter.
    pub letter: String,
    /// The feature; `None` if there is no feature of that name.
    pub feature: Option<ElementId>,
    /// Name of the feature.
    #[serde(default)]
    pub name: String,
}

/// A datum of a measured part.
#[derive(Clone, Debug)]
pub struct Datum {
    letter: String,
    name: String,
    feature: MeasuredFeature,
}

impl Datum {
    /// Datum letter.
    pub fn letter(&self) -> &str {
        &self.letter
    }

    /// Name of the feature.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The feature.
    pub fn feature(&self) -> &MeasuredFeature {
        &self.feature
    }
}

impl Make for DatumRecipe {
    type Made = Datum;

    const NAME: &'static str = "Datum";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        self.feature.into_iter().collect()
    }

    fn make(&self, inputs: &dyn Inputs, _: &Tools<'_>, _: Option<&Datum>, _: &Progress) -> Result<Datum> {
        let id = self.feature.ok_or_else(|| no_feature(&self.name))?;
        let feature = MeasuredFeature::clone(&*inputs.get(id, A_FEATURE)?);
        Ok(Datum { letter: self.letter.clone(), name: inputs.name(id), feature })
    }
}

impl Product for Datum {}

/// The elements of a datum of a compartment: one, or those of a common datum such as A-B. `T` is their id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DatumElements<T> {
    /// A datum, or a feature that stands for one.
    Single(T),
    /// The datums of a common datum.
    Common(Vec<T>),
}

impl<T> DatumElements<T> {
    /// A single datum, or the common datum of several.
    pub fn of(mut all: Vec<T>) -> Self {
        match (all.pop(), all.is_empty()) {
            (Some(one), true) => Self::Single(one),
            (last, _) => {
                all.extend(last);
                Self::Common(all)
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> &[T] {
        match self {
            Self::Single(one) => std::slice::from_ref(one),
            Self::Common(all) => all,
        }
    }

    /// The letter or name of each, as the datum is stated; empty where that has fewer.
    pub fn names_in(&self, stated: &str) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::Single(_) => vec![stated.to_owned()],
            Self::Common(_) => common::split(stated).into_iter().map(str::to_owned).collect(),
        };
        names.resize(self.all().len(), String::new());
        names
    }

    /// All of them, to be changed.
    pub fn all_mut(&mut self) -> &mut [T] {
        match self {
            Self::Single(one) => std::slice::from_mut(one),
            Self::Common(all) => all,
        }
    }
}

impl<T> From<T> for DatumElements<T> {
    fn from(one: T) -> Self {
        Self::Single(one)
    }
}

fn no_feature(name: &str) -> UserError {
    UserError::usage(format!("There is no feature “{name}”."))
}

/// Recipe of a tolerance on a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToleranceRecipe {
    /// The feature; `None` if there is no feature of that name.
    pub feature: Option<ElementId>,
    /// The datums, or features used in their place, in the order of `asked`, several of a common datum; `None` for those
    /// that do not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datums: Vec<DatumElements<Option<ElementId>>>,
    /// The alignment of measured features to their nominals; `None` if no nominal is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<ElementId>,
    /// The surface comparison whose deviations a profile without datums is evaluated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ElementId>,
    /// The tolerance, with the names of the above.
    pub asked: Tolerance,
    /// Whether it was taken from the CAD file, and has the values from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_cad: bool,
}

impl ToleranceRecipe {
    /// A tolerance whose features have not been looked up by name yet.
    pub fn new(asked: Tolerance) -> Self {
        Self { feature: None, datums: Vec::new(), alignment: None, comparison: None, asked, of_cad: false }
    }

    /// Removes the reference to an element; its name is kept.
    pub fn let_go(&mut self, id: ElementId) {
        let references = [&mut self.feature, &mut self.alignment, &mut self.comparison];
        let all = references.into_iter().chain(self.datums.iter_mut().flat_map(DatumElements::all_mut));
        all.filter(|reference| **reference == Some(id)).for_each(|reference| *reference = None);
    }
}

impl Make for ToleranceRecipe {
    type Made = Judged;

    const NAME: &'static str = "Tolerance";
    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        let frames = self.alignment.into_iter().chain(self.comparison);
        let datums = self.datums.iter().flat_map(DatumElements::all).copied().flatten();
        self.feature.into_iter().chain(datums).chain(frames).collect()
    }

    fn make(&self, inputs: &dyn Inputs, _: &Tools<'_>, _: Option<&Judged>, progress: &Progress) -> Result<Judged> {
        let pose = pose_in(self.alignment, inputs)?;
        let (mut features, mut letters) = (Features::new(), DatumLetters::new());
        let (mut exact, mut rejected) = (Vec::new(), Vec::new());
        let mut add = |name: String, own: &MeasuredFeature, is_datum: bool| -> Result<()> {
            if matches!(own.by, MeasuredBy::Construction { .. }) && !exact.contains(&name) {
                exact.push(name.clone());
            }
            let words = own.rejection.words(&pose);
            if !words.is_empty() {
                let of = if is_datum { format!("“{name}”: ") } else { String::new() };
                rejected.push(format!("{of}{}", words.join("; ")));
            }
            let feature =
                if is_datum { Feature::of_datum(own, &pose, progress)? } else { Feature::of_measured(own, &pose) };
            features.insert(name, feature);
            Ok(())
        };
        let missing = || no_feature(&self.asked.feature).about(&self.asked.title());
        let id = self.feature.ok_or_else(missing)?;
        let (own, name) = (inputs.get::<MeasuredFeature>(id, A_FEATURE)?, inputs.name(id));
        add(name.clone(), &own, false)?;
        let mut asked = Tolerance { feature: name.clone(), ..self.asked.clone() };
        if asked.datums.len() < self.datums.len() {
            asked.datums.resize(self.datums.len(), String::new());
        }
        for (datum, stated) in self.datums.iter().zip(&mut asked.datums) {
            let mut names = datum.names_in(stated);
            for (id, name) in datum.all().iter().zip(&mut names) {
                let Some(id) = *id else { continue };
                match inputs.output(id)?.downcast::<Datum>() {
                    Ok(datum) => {
                        add(datum.name.clone(), &datum.feature, true)?;
                        letters.insert(datum.letter.clone(), datum.name.clone());
                        name.clone_from(&datum.letter);
                    }
                    // A feature in place of a datum.
                    Err(_) => {
                        *name = inputs.name(id);
                        add(name.clone(), &*inputs.get::<MeasuredFeature>(id, "a datum or a feature")?, true)?;
                    }
                }
            }
            *stated = common::joined(&names);
        }
        // The points of a mid-plane lie on the sides of the feature.
        let has_sides = features.get(&name).is_some_and(|own| own.size_mm.is_some());
        let is_of_surface = !has_sides && matches!(own.element, Element::Shape(shape) if asked.is_of_surface(&shape));
        let (mut noise_mm, mut preparation) = (None, Vec::new());
        if let Some(feature) = features.get_mut(&name) {
            if asked.is_of_deviations() {
                feature.deviations_mm = self.deviations(&own, inputs)?;
            }
            let about = |error: UserError| error.about(&asked.title());
            asked.check().map_err(about)?;
            if let Some(sigmas) = asked.outlier_sigmas {
                preparation.push(feature.remove_outliers(sigmas, &asked, &pose).map_err(about)?);
            }
            noise_mm = feature.noise_mm().filter(|_| is_of_surface);
            if let Some(filtered) = feature.filter(&asked).map_err(about)? {
                noise_mm = noise_mm.map(|before| filtered.noise_share * before);
                preparation.insert(0, filtered.how);
            }
            if asked.is_form() {
                feature.minimum_zone = minimum_zone(feature, progress)?;
            }
        }
        let mut judged = judge(&asked, &features, &letters)?;
        if self.alignment.is_none() {
            senses::check(&asked, &judged, &features, &letters)?;
        }
        judged.rejected = rejected.join("; ");
        if !rejected.is_empty() {
            judged.how += &format!("; {}", judged.rejected);
        }
        judged.preparation = preparation.join("; ");
        if !preparation.is_empty() {
            judged.how += &format!("; {}", judged.preparation);
        }
        if let Some(noise_mm) = noise_mm {
            leave_noise_undecided(&mut judged, noise_mm, own.points.len());
        }
        if judged.uncertainty_mm.is_some() && !exact.is_empty() {
            exact.sort_unstable();
            judged.how += &format!("; constructed elements count as exact: {}", exact.join(", "));
        }
        Ok(judged)
    }
}

impl Product for Judged {
    fn figures(&self) -> Vec<Figure> {
        let (uncertainty, lower) = (self.uncertainty_mm, self.lower_mm);
        let measured = Figure::new("Measured", "mm", self.measured_mm);
        vec![Figure { uncertainty, lower, upper: Some(self.limit_mm), ..measured }]
    }

    fn verdict(&self) -> Option<Verdict> {
        Some(super::decided(self.conformity, self.verdict))
    }

    fn sentences(&self) -> Vec<String> {
        let result = format!("{}, limit {}: {}.", self.measured_text(), self.limits_text(), self.words());
        std::iter::once(result).chain((!self.incomplete.is_empty()).then(|| self.incomplete.clone())).collect()
    }
}

impl ToleranceRecipe {
    /// Signed deviations of the points from the surface comparison, mm, but for isolated outliers; empty without one.
    fn deviations(&self, own: &MeasuredFeature, inputs: &dyn Inputs) -> Result<Vec<f64>> {
        let Some(id) = self.comparison else { return Ok(Vec::new()) };
        let check = inputs.get::<Check>(id, "a surface comparison")?;
        let map = check.measurement.map();
        let DeviationMap::Points(points) = map else {
            return Err(UserError::usage(format!(
                "“{}” compares facets; a profile is evaluated from the deviations of points (method closest point).",
                inputs.name(id)
            )));
        };
        let kept = own.rejection.kept(&own.numbers);
        let deviations: Vec<Option<f64>> = kept.iter().map(|&index| points.get(index as usize)?.value()).collect();
        let missing = deviations.iter().filter(|deviation| deviation.is_none()).count();
        if missing > 0 {
            // They may be the very points that are out of tolerance.
            return Err(UserError::input(format!(
                "{missing} of {} points of the feature have no deviation in “{}”: increase its maximum distance.",
                deviations.len(),
                inputs.name(id)
            )));
        }
        Ok(deviations.into_iter().flatten().collect())
    }
}

impl Tolerance {
    /// Whether it is a profile without datums, which is measured after a best fit.
    pub fn is_of_deviations(&self) -> bool {
        matches!(self.characteristic, Characteristic::Profile { .. }) && self.datums.is_empty()
    }

    /// Whether it is a form tolerance, for which the standards require the minimum zone.
    pub fn is_form(&self) -> bool {
        use Characteristic::{Circularity, Cylindricity, Flatness, Straightness};
        matches!(self.characteristic, Circularity { .. } | Cylindricity { .. } | Flatness { .. } | Straightness { .. })
    }
}

impl Feature {
    /// A measured feature with its directions oriented like those of its nominal.
    pub fn of_measured(own: &MeasuredFeature, nominal_from_scan: &Pose) -> Self {
        let points = own.without_outliers();
        let feature = match &own.by {
            MeasuredBy::Fit(fit) => {
                let uncertainty = Some(fit.uncertainty.clone());
                Self { points, uncertainty, coverage: own.coverage, ..Self::of(fit.shape) }
            }
            MeasuredBy::Slot(fit) => Self::of_slot_points(fit, points),
            MeasuredBy::Construction { size_mm, .. } => {
                Self { size_mm: *size_mm, points, coverage: own.coverage, ..Self::of(own.element) }
            }
        };
        let Some(nominal) = own.nominal else { return feature };
        let element = feature.element.oriented_like(&nominal.moved(&nominal_from_scan.inverse()));
        Self { element, nominal: Some(nominal), ..feature }
    }

    /// A measured feature as a datum: where its fit rejected points that are no isolated outliers, it is fitted again to
    /// all but these, since a datum is taken from the whole surface. Features that are fitted in a plane or together with
    /// others keep their fit.
    ///
    /// Returns an error if the work is cancelled.
    pub fn of_datum(own: &MeasuredFeature, nominal_from_scan: &Pose, progress: &Progress) -> Result<Self> {
        let feature = Self::of_measured(own, nominal_from_scan);
        let MeasuredBy::Fit(before) = &own.by else { return Ok(feature) };
        let is_in_plane = matches!(before.shape.kind(), Kind::Line | Kind::Circle);
        if own.rejection.counted == 0 || is_in_plane || !own.parallel_sets.is_empty() {
            return Ok(feature);
        }
        let options = Options { start: Some(before.shape), ..Options::default() };
        let again = match fit(before.shape.kind(), &feature.points, &[], &options, progress) {
            Ok(again) => again,
            Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
            Err(_) => return Ok(feature),
        };
        let element = Element::from(again.shape).oriented_like(&feature.element);
        Ok(Self { element, uncertainty: Some(again.uncertainty), ..feature })
    }
}

/// The minimum zone of a feature's points; `None` if the fit fails.
pub fn minimum_zone(feature: &Feature, progress: &Progress) -> Result<Option<Shape>> {
    let Element::Shape(shape) = feature.element else { return Ok(None) };
    let options = Options { objective: Objective::MinimumZone, start: Some(shape), ..Options::default() };
    match fit(shape.kind(), &feature.points, &[], &options, progress) {
        Ok(found) => Ok(Some(found.shape)),
        Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
        Err(_) => Ok(None),
    }
}
