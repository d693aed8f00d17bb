//! The results of a plan as one table: a row for each characteristic of its features and checks, nominal against actual,
//! with limits, uncertainty and verdict.
//!
//! Nothing is judged here: the verdicts are those of the elements' results, which the overall verdict combines, too.

mod checks;
mod features;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::Document;
use super::pipeline::State;
use super::plan::{Element, ElementId, Recipe, quoted};
use base::{LengthUnit, signed};
use geometry::Point;
use inspect::verdict::Verdict;

/// Verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowVerdict {
    /// Out of its limits.
    Fail,
    /// Nearer to a limit than the expanded uncertainty (ISO 14253-1): neither conformity nor nonconformity is proven.
    InDoubt,
    /// Not measured, not measured well enough, or not up to date.
    NotJudged,
    /// Within its limits.
    Pass,
    /// It could be judged, but was given no limits.
    NoLimits,
    /// It has no limits.
    None,
}

impl RowVerdict {
    /// The verdict of a result, which is in doubt if its uncertainty leaves it open.
    fn of(verdict: Option<Verdict>, is_in_doubt: bool) -> Self {
        match verdict {
            Some(Verdict::Pass) => Self::Pass,
            Some(Verdict::Fail) => Self::Fail,
            Some(Verdict::Incomplete) if is_in_doubt => Self::InDoubt,
            Some(Verdict::Incomplete) => Self::NotJudged,
            None => Self::None,
        }
    }

    /// The verdict as the overall one takes it; `None` if the row decides nothing.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Pass => Some(Verdict::Pass),
            Self::Fail => Some(Verdict::Fail),
            Self::InDoubt | Self::NotJudged => Some(Verdict::Incomplete),
            Self::NoLimits | Self::None => None,
        }
    }

    /// Its name in tables; empty if the row has no limits.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::InDoubt => "in doubt",
            Self::NotJudged => "not judged",
            Self::NoLimits => "not judged: no limits",
            Self::None => "",
        }
    }

    /// Whether it is required and not a pass.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Pass | Self::NoLimits | Self::None)
    }
}

/// A characteristic of an element. Figures that do not exist are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    /// The element.
    pub element: ElementId,
    /// Its name.
    pub name: String,
    /// Which of several things that the element measures: a point or a dimension; empty for the element itself.
    pub item: String,
    /// Whether it is a check rather than a feature.
    pub is_check: bool,
    /// What is stated of it, in English.
    pub characteristic: Cow<'static, str>,
    /// Nominal value, in `unit`.
    pub nominal: Option<f64>,
    /// Measured value, in `unit`.
    pub actual: Option<f64>,
    /// Measured value less the nominal one, in `unit`.
    pub deviation: Option<f64>,
    /// Lower limit of the measured value, in `unit`.
    pub lower: Option<f64>,
    /// Upper limit of the measured value, in `unit`.
    pub upper: Option<f64>,
    /// Expanded uncertainty (k = 2) of the measured value, in `unit`.
    pub uncertainty: Option<f64>,
    /// Unit of the figures: mm, °, mm² or %.
    pub unit: &'static str,
    /// Its verdict.
    pub verdict: RowVerdict,
    /// How it was measured, or why there is no result; in English, may be empty.
    pub why: String,
    /// Where it lies, nominal frame, mm; `None` if it lies nowhere.
    pub at: Option<Point>,
}

impl ResultRow {
    fn new(element: &Element, characteristic: impl Into<Cow<'static, str>>, unit: &'static str) -> Self {
        Self {
            element: element.id,
            name: element.name.clone(),
            item: String::new(),
            is_check: !element.recipe.is_feature(),
            characteristic: characteristic.into(),
            nominal: None,
            actual: None,
            deviation: None,
            lower: None,
            upper: None,
            uncertainty: None,
            unit,
            verdict: RowVerdict::None,
            why: String::new(),
            at: None,
        }
    }

    /// The row with these values, as far as they are finite, and the deviation that follows.
    fn measured(mut self, nominal: Option<f64>, actual: Option<f64>, uncertainty: Option<f64>) -> Self {
        let finite = |own: Option<f64>| own.filter(|own| own.is_finite());
        (self.nominal, self.actual, self.uncertainty) = (finite(nominal), finite(actual), finite(uncertainty));
        self.deviation = self.actual.zip(self.nominal).map(|(actual, nominal)| actual - nominal);
        self
    }

    /// Name of the element, and which of several things that it measures.
    pub fn title(&self) -> String {
        // Dimensions are named after what they measure; points have names of their own.
        let item = match self.item.starts_with(&*self.characteristic) {
            true => texts::word(&self.item),
            false => self.item.as_str().into(),
        };
        if item.is_empty() { self.name.clone() } else { format!("{} · {item}", self.name) }
    }

    /// Unit of the figures where lengths are shown in `shown`.
    pub fn shown_unit(&self, shown: LengthUnit) -> &'static str {
        if self.unit == "mm" { shown.symbol() } else { self.unit }
    }

    /// A figure of the row where lengths are shown in `shown`, with or without an explicit sign; empty without one.
    pub fn written(&self, figure: Option<f64>, shown: LengthUnit, has_sign: bool) -> String {
        let Some(figure) = figure else { return String::new() };
        let (value, decimals) = match self.unit {
            "mm" => (figure / shown.mm_per_unit(), shown.decimals(base::decimals(4))),
            "°" => (figure, 4),
            _ => (figure, 2),
        };
        let text = signed(value, decimals);
        if has_sign { text } else { text.trim_start_matches('+').to_owned() }
    }
}

/// The rows of all features and checks, in the plan's order. An element without an up-to-date result has one row that says
/// why.
pub fn rows(document: &Document) -> Vec<ResultRow> {
    document.plan.elements().iter().flat_map(|element| rows_of(document, element)).collect()
}

fn rows_of(document: &Document, element: &Element) -> Vec<ResultRow> {
    let is_listed = element.recipe.is_feature()
        || matches!(
            element.recipe,
            Recipe::Tolerance(_)
                | Recipe::Measure(_)
                | Recipe::Comparison(_)
                | Recipe::Section(_)
                | Recipe::SurfacePoints(_)
                | Recipe::Thickness(_)
        );
    if !is_listed {
        return Vec::new();
    }
    if let Some(why) = no_result(document, element) {
        return vec![ResultRow { verdict: without_result(document, element), why, ..of_kind(element) }];
    }
    let rows = match &element.recipe {
        Recipe::Tolerance(recipe) => checks::tolerance(document, element, recipe),
        Recipe::Measure(recipe) => checks::measure(document, element, recipe),
        Recipe::Comparison(_) => checks::comparison(document, element),
        Recipe::Section(_) => checks::section(document, element),
        Recipe::SurfacePoints(_) => checks::surface_points(document, element),
        Recipe::Thickness(_) => checks::thickness(document, element),
        _ => features::rows(document, element),
    };
    rows.unwrap_or_default()
}

/// A row about an element as such.
fn of_kind(element: &Element) -> ResultRow {
    let characteristic = match &element.recipe {
        Recipe::Tolerance(own) => own.asked.characteristic.name(),
        recipe => recipe.kind(),
    };
    ResultRow::new(element, characteristic, "")
}

/// Why an element has no up-to-date result; `None` if it has one.
fn no_result(document: &Document, element: &Element) -> Option<String> {
    match document.state(element.id) {
        State::Fresh => None,
        State::Failed(sentence) => Some(sentence),
        State::Waits(on) => Some(format!("Waiting for {}.", quoted(&on))),
        State::Stale => Some("It is out of date: an input has changed.".to_owned()),
        State::NotMade => Some("It was not computed yet.".to_owned()),
    }
}

/// Verdict on an element without an up-to-date result. The overall verdict does not wait for what nobody asked to be
/// computed yet, other than tolerances and limits of measures, nor for what decides nothing in any case.
fn without_result(document: &Document, element: &Element) -> RowVerdict {
    let decides = match &element.recipe {
        Recipe::Thickness(own) => own.parameters.has_limits(),
        Recipe::Section(own) => own.scan.is_some(),
        Recipe::Measure(own) => own.lower.is_some() || own.upper.is_some(),
        _ => true,
    };
    let is_awaited = matches!(element.recipe, Recipe::Tolerance(_) | Recipe::Measure(_))
        || document.state(element.id) != State::NotMade;
    if decides && is_awaited { RowVerdict::NotJudged } else { RowVerdict::None }
}
