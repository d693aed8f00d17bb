//! What is made from features, and what a drawing asks of them: constructed elements, datum letters, tolerances, and
//! the judgement.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Document;
use super::selection::Feature;
use super::slots::{SlotFeature, SlotRecipe};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Subset};
use inspect::deviation::{Check, DeviationMap};
use inspect::features::constructions::{Constructed, Construction, construct};
use inspect::features::measured::{MeasuredBy, MeasuredFeature};
use inspect::features::slot::SlotFit;
use inspect::features::{Element, Fit};
use inspect::tolerances::{self, Features, Judged, Plan};

/// Points of a feature that are drawn from.
const SHOWN_POINTS: usize = 400;

/// How an element is made from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstructionRecipe {
    /// The name.
    pub name: String,
    /// The way it is made.
    #[serde(flatten)]
    pub construction: Construction,
    /// Names of what it is made from, in the order that the construction says: features, or elements made before it.
    pub sources: Vec<String>,
}

/// An element made from others, scan frame.
#[derive(Clone, Debug)]
pub struct ConstructedElement {
    /// How it is made.
    pub recipe: ConstructionRecipe,
    /// The element and what is to be known of it.
    pub made: Constructed,
    /// What it was made from.
    parts: Vec<Element>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tolerancing {
    /// Fitted slots.
    pub slots: Vec<SlotFeature>,
    /// Elements made from features.
    pub constructed: Vec<ConstructedElement>,
    /// Datum letters and tolerances.
    pub plan: Arc<Plan>,
    /// The judgement of all tolerances, where one was made.
    pub judgement: Option<Arc<Judgement>>,
}

/// What every tolerance of a plan came to.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// For each tolerance in the plan's order the answer, or the sentence that says why there is none.
    pub results: Vec<std::result::Result<Judged, String>>,
    basis: Basis,
}

/// What is known by a name in the document.
#[derive(Clone, Debug)]
pub enum Part {
    /// A fitted feature.
    Fitted(Arc<Fit>),
    /// A fitted slot.
    Slot(Arc<SlotFit>),
    /// An element made from others.
    Made(Element),
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fitted(one), Self::Fitted(other)) => Arc::ptr_eq(one, other),
            (Self::Slot(one), Self::Slot(other)) => Arc::ptr_eq(one, other),
            (Self::Made(one), Self::Made(other)) => one == other,
            _ => false,
        }
    }
}

/// What a judgement was made from.
#[derive(Clone, Debug, PartialEq)]
struct Basis {
    plan: Arc<Plan>,
    parts: Vec<(String, Option<Part>)>,
    /// Tells the sides of nominals, where there are any.
    nominal_from_scan: Option<Pose>,
    check: Compared,
}

/// The check that profiles without datums were judged by.
#[derive(Clone, Debug)]
struct Compared(Option<Arc<Check>>);

impl PartialEq for Compared {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Arc::as_ptr) == other.0.as_ref().map(Arc::as_ptr)
    }
}

/// The constructions, tolerances and judgement as a project keeps them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptTolerancing {
    /// Slots, to be fitted again.
    #[serde(default)]
    pub slots: Vec<SlotRecipe>,
    /// Elements, to be made again.
    #[serde(default)]
    pub constructions: Vec<ConstructionRecipe>,
    /// Datum letters and tolerances.
    #[serde(default)]
    pub plan: Plan,
    /// Whether they had been judged.
    #[serde(default)]
    pub judged: bool,
}

impl KeptTolerancing {
    /// What is worth keeping.
    pub fn of(tolerancing: &Tolerancing) -> Self {
        Self {
            slots: tolerancing.slots.iter().map(|slot| slot.recipe.clone()).collect(),
            constructions: tolerancing.constructed.iter().map(|element| element.recipe.clone()).collect(),
            plan: Plan::clone(&tolerancing.plan),
            judged: tolerancing.judgement.is_some(),
        }
    }
}

impl ConstructionRecipe {
    /// The element that it gives of what `document` holds now. A sentence where a source is missing or does not suit.
    pub fn made(self, document: &Document, progress: &Progress) -> Result<ConstructedElement> {
        let parts = self.parts(document)?;
        let made =
            construct(self.construction, &parts, progress).map_err(|error| error.about(self.construction.name()))?;
        Ok(ConstructedElement { recipe: self, made, parts })
    }

    fn parts(&self, document: &Document) -> Result<Vec<Element>> {
        let part = |name: &String| {
            document.element(name).ok_or_else(|| UserError::usage(format!("There is no feature “{name}”.")))
        };
        self.sources.iter().map(part).collect()
    }
}

impl Document {
    /// The fitted feature of that name.
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.recipe.name == name)
    }

    fn constructed(&self, name: &str) -> Option<&ConstructedElement> {
        self.tolerancing.constructed.iter().find(|element| element.recipe.name == name)
    }

    fn slot(&self, name: &str) -> Option<&SlotFeature> {
        self.tolerancing.slots.iter().find(|slot| slot.recipe.name == name)
    }

    /// What goes by that name: a fitted feature, else a slot, else a constructed element.
    pub fn part(&self, name: &str) -> Option<Part> {
        let fitted = self.feature(name).map(|feature| Part::Fitted(Arc::clone(&feature.fit)));
        let slot = || self.slot(name).map(|slot| Part::Slot(Arc::clone(&slot.fit)));
        let made = || self.constructed(name).map(|element| Part::Made(element.made.element));
        fitted.or_else(slot).or_else(made)
    }

    /// The element of that name, scan frame; of a slot its mid-plane.
    pub fn element(&self, name: &str) -> Option<Element> {
        self.part(name).map(|part| match part {
            Part::Fitted(fit) => fit.shape.into(),
            Part::Slot(fit) => fit.slot.mid_plane().into(),
            Part::Made(element) => element,
        })
    }

    /// Names of all features, slots and constructed elements, in this order.
    pub fn element_names(&self) -> Vec<String> {
        let fitted = self.features.iter().map(|feature| feature.recipe.name.clone());
        let slots = self.tolerancing.slots.iter().map(|slot| slot.recipe.name.clone());
        let made = self.tolerancing.constructed.iter().map(|element| element.recipe.name.clone());
        fitted.chain(slots).chain(made).collect()
    }

    /// `wanted`, or where that name is taken, with the first number from `number` on that makes it a new one.
    pub fn free_name(&self, wanted: &str, number: Option<usize>) -> String {
        let is_free = |name: &str| self.part(name).is_none();
        if number.is_none() && is_free(wanted) {
            return wanted.to_owned();
        }
        // Nor does a new one get what an old one of that name should have been.
        let is_new = |name: &String| is_free(name) && !self.tolerancing.plan.nominals.contains_key(name);
        let mut names = (number.unwrap_or(2)..).map(|number| format!("{wanted} {number}"));
        names.find(is_new).unwrap_or_default()
    }

    /// The scan's points of those numbers, mm, scan frame.
    pub fn points_at(&self, numbers: &Subset) -> Vec<Point> {
        self.places(numbers.iter())
    }

    fn places<'a>(&self, numbers: impl Iterator<Item = &'a u32>) -> Vec<Point> {
        let Some(actual) = &self.actual else { return Vec::new() };
        numbers.filter_map(|&number| actual.cloud.points.get(number as usize).copied()).collect()
    }

    /// Some hundred points of that set, which show how far it reaches.
    pub fn some_points_at(&self, numbers: &Subset) -> Vec<Point> {
        if numbers.len() <= SHOWN_POINTS {
            return self.points_at(numbers);
        }
        // Golden sections of the set: even steps would meet the rows of a grid always in the same columns.
        let share = |i: usize| (i as f64 * 0.618_033_988_75).fract();
        self.places((0..SHOWN_POINTS).filter_map(|i| numbers.get((share(i) * numbers.len() as f64) as usize)))
    }

    /// The points that what goes by that name was fitted to; none of constructed elements.
    pub fn numbers_of(&self, name: &str) -> Subset {
        let fitted = self.feature(name).map(|feature| feature.recipe.points.clone());
        fitted.or_else(|| self.slot(name).map(|slot| slot.recipe.points.clone())).unwrap_or_default()
    }

    /// Places that show how far a constructed element reaches, scan frame: points of the features that it was made
    /// from, places of other elements.
    pub fn reach_of(&self, element: &ConstructedElement) -> Vec<Point> {
        let reach = element.recipe.sources.iter().flat_map(|name| {
            let points = self.some_points_at(&self.numbers_of(name));
            let place = self.element(name).filter(|_| points.is_empty()).map(|element| element.place());
            points.into_iter().chain(place)
        });
        reach.collect()
    }

    /// The feature, slot or constructed element of that name as a plan's element has it.
    fn measured(&self, name: &str) -> Option<MeasuredFeature> {
        let nominal = self.tolerancing.plan.nominals.get(name).copied();
        let fitted = |element: Element, by: MeasuredBy, numbers: &Subset| {
            let (numbers, points) = (numbers.clone(), self.points_at(numbers));
            Some(MeasuredFeature { element, by, numbers, beside: Vec::new(), points, nominal })
        };
        if let Some(Feature { recipe, fit }) = self.feature(name) {
            return fitted(fit.shape.into(), MeasuredBy::Fit(Arc::clone(fit)), &recipe.points);
        }
        if let Some(SlotFeature { recipe, fit }) = self.slot(name) {
            return fitted(fit.slot.mid_plane().into(), MeasuredBy::Slot(Arc::clone(fit)), &recipe.points);
        }
        let element = self.constructed(name)?;
        let parts: Vec<MeasuredFeature> = element
            .recipe
            .sources
            .iter()
            .filter(|source| *source != name)
            .filter_map(|own| self.measured(own))
            .collect();
        let parts: Vec<&MeasuredFeature> = parts.iter().collect();
        Some(MeasuredFeature::constructed(element.recipe.construction, element.made.clone(), &parts, nominal))
    }

    /// All features and constructed elements as checks take them, scan frame, with their nominals.
    pub fn toleranced_features(&self) -> Features {
        let pose = self.nominal_from_scan();
        let own = |name: String| {
            let feature = tolerances::Feature::of_measured(&self.measured(&name)?, &pose);
            Some((name, feature))
        };
        self.element_names().into_iter().filter_map(own).collect()
    }

    /// Signed deviations of a feature's points from the nominal part, mm, as the current check measured them; `None`
    /// where there is no check of points, or a point has no data.
    fn deviations_of(&self, name: &str) -> Option<Vec<f64>> {
        let map = self.current_check()?.measurement.map();
        if !matches!(map, DeviationMap::Points(_)) {
            return None;
        }
        let values: Vec<Option<f64>> = map.values().collect();
        let feature = self.feature(name)?;
        let used = (0_u32..).zip(feature.recipe.points.iter());
        let used = used.filter(|(i, _)| feature.fit.dropped.binary_search(i).is_err());
        used.map(|(_, &number)| values.get(number as usize).copied().flatten()).collect()
    }

    /// Judges every tolerance of the plan; profiles without datums by the deviations of the current check. One that cannot be judged has a sentence and does not stop the others.
    pub fn judged(&self, progress: &Progress) -> Result<Judgement> {
        let (mut features, plan) = (self.toleranced_features(), &self.tolerancing.plan);
        let mut results = Vec::with_capacity(plan.tolerances.len());
        for (i, tolerance) in plan.tolerances.iter().enumerate() {
            progress.report(i as f32 / plan.tolerances.len() as f32, "Judging the tolerances")?;
            let measured = if tolerance.is_of_deviations() { self.deviations_of(&tolerance.feature) } else { None };
            if let Some(feature) = features.get_mut(&tolerance.feature) {
                feature.deviations_mm = measured.unwrap_or_default();
                if tolerance.is_of_form() && feature.minimum_zone.is_none() {
                    feature.minimum_zone = tolerances::recipe::minimum_zone(feature, progress)?;
                }
            }
            let mut judged = tolerances::judge(tolerance, &features, &plan.datums).map_err(|error| error.sentence);
            if let Ok(judged) = &mut judged {
                let mut exact = names_of(plan, tolerance);
                exact.retain(|name| matches!(self.part(name), Some(Part::Made(_))));
                if judged.uncertainty_mm.is_some() && !exact.is_empty() {
                    let names: Vec<&str> = exact.iter().map(String::as_str).collect();
                    judged.how += &format!("; constructed elements count as exact: {}", names.join(", "));
                }
            }
            results.push(judged);
        }
        Ok(Judgement { results, basis: Basis::of(self) })
    }

    /// Brings what was made from features in step with them: constructed elements are made again where a source
    /// changed and go where one went, and a judgement of other features goes. The sentences say what was lost.
    pub fn follow_features(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        for element in std::mem::take(&mut self.tolerancing.constructed) {
            let name = element.recipe.name.clone();
            let is_current = element.recipe.parts(self).is_ok_and(|parts| parts == element.parts);
            let made = if is_current { Ok(element) } else { element.recipe.made(self, &Progress::silent()) };
            match made {
                Ok(element) => self.tolerancing.constructed.push(element),
                Err(error) => notes.push(format!("{name} went, as it can no longer be made: {error}")),
            }
        }
        let judgement = self.tolerancing.judgement.take();
        self.tolerancing.judgement = judgement.filter(|judgement| judgement.basis == Basis::of(self));
        notes
    }
}

/// The features that a tolerance looks at.
fn names_of(plan: &Plan, tolerance: &tolerances::Tolerance) -> BTreeSet<String> {
    let datum = |letter: &String| plan.datums.get(letter).unwrap_or(letter).clone();
    tolerance.datums.iter().map(datum).chain([tolerance.feature.clone()]).collect()
}

impl Basis {
    fn of(document: &Document) -> Self {
        let plan = &document.tolerancing.plan;
        let names: BTreeSet<String> = plan.tolerances.iter().flat_map(|tolerance| names_of(plan, tolerance)).collect();
        let parts = names.into_iter().map(|name| (name.clone(), document.part(&name))).collect();
        let nominal_from_scan = (!plan.nominals.is_empty()).then(|| document.nominal_from_scan());
        let is_checked = plan.tolerances.iter().any(tolerances::Tolerance::is_of_deviations);
        let check = document.current_check().filter(|_| is_checked).cloned();
        Self { plan: Arc::clone(plan), parts, nominal_from_scan, check: Compared(check) }
    }
}
