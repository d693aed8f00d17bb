//! The steps of the Features workspace, and what is done and missing in each.

use super::super::steps::{Step, StepState};
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;
use texts::text;

/// A step of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureStep {
    /// Brush and selections.
    #[default]
    Select,
    /// Features and slots fitted to the selected points.
    Fit,
    /// Elements constructed from features.
    Construct,
    /// Distances and angles between features.
    Measure,
    /// Datums and tolerances of the drawing.
    Tolerances,
}

impl Step for FeatureStep {
    const ALL: &'static [Self] = &[Self::Select, Self::Fit, Self::Construct, Self::Measure, Self::Tolerances];

    fn name(self) -> String {
        match self {
            Self::Select => text!("features-step-select"),
            Self::Fit => text!("features-step-fit"),
            Self::Construct => text!("features-step-construct"),
            Self::Measure => text!("features-step-measure"),
            Self::Tolerances => text!("features-step-tolerances"),
        }
    }

    fn about(self) -> String {
        match self {
            Self::Select => text!("features-step-select-about"),
            Self::Fit => text!("features-step-fit-about"),
            Self::Construct => text!("features-step-construct-about"),
            Self::Measure => text!("features-step-measure-about"),
            Self::Tolerances => text!("features-step-tolerances-about"),
        }
    }
}

/// Whether there is a part to work on.
pub fn has_parts(document: &Document) -> bool {
    document.actual().is_some() || document.nominal().is_some()
}

impl FeatureStep {
    /// The step that shows elements of this kind; `None` if they belong to another workspace.
    pub fn of(recipe: &Recipe) -> Option<Self> {
        match recipe {
            Recipe::Feature(_) | Recipe::Slot(_) => Some(Self::Fit),
            Recipe::Construction(_) => Some(Self::Construct),
            Recipe::Measure(_) => Some(Self::Measure),
            Recipe::Datum(_) | Recipe::Tolerance(_) => Some(Self::Tolerances),
            _ => None,
        }
    }

    /// The last step of which there are elements; the first one if there are none at all.
    pub fn reached(document: &Document) -> Self {
        let elements = document.plan.elements();
        let has_elements = |step: &&Self| elements.iter().any(|own| Self::of(&own.recipe) == Some(**step));
        Self::ALL.iter().rev().find(has_elements).copied().unwrap_or_default()
    }

    /// What is done and missing in it.
    pub fn state(self, document: &Document) -> StepState {
        if !has_parts(document) {
            return StepState { is_done: false, missing: Some(text!("features-load-first")) };
        }
        // A datum is a letter alone; the tolerances with it are what is evaluated.
        let own = document.plan.elements().iter().filter(|own| !matches!(own.recipe, Recipe::Datum(_)));
        let own = own.filter(|own| Self::of(&own.recipe) == Some(self));
        let states: Vec<State> = own.map(|own| document.state(own.id)).collect();
        let open = states.iter().filter(|own| **own != State::Fresh).count();
        let is_stale = states.iter().any(|own| matches!(own, State::Stale | State::NotMade));
        // What was made and has no result goes before what could be made.
        let results = match open {
            0 => None,
            _ if is_stale && self == Self::Tolerances => Some(text!("features-not-evaluated")),
            count => Some(text!("features-missing-results", count = count)),
        };
        let is_complete = self != Self::Select && !states.is_empty() && open == 0;
        let input = || self.missing_input(document, !states.is_empty()).filter(|_| !is_complete);
        let missing = results.or_else(input);
        let is_done = match self {
            Self::Select => missing.is_none(),
            _ => is_complete,
        };
        StepState { is_done, missing }
    }

    /// What has to be there before an element can be made in it.
    fn missing_input(self, document: &Document, has_elements: bool) -> Option<String> {
        let (points, facets) = (&document.points.selected, &document.facets.selected);
        let has_features = |count: usize| document.element_names().len() >= count;
        match self {
            Self::Select => (points.is_empty() && facets.is_empty()).then(|| text!("features-missing-selection")),
            Self::Fit => points.is_empty().then(|| text!("features-missing-points")),
            Self::Construct => (!has_features(1)).then(|| text!("features-construct-first")),
            Self::Measure => (!has_features(2)).then(|| text!("features-missing-features")),
            Self::Tolerances if has_elements => None,
            Self::Tolerances if has_features(1) => Some(text!("features-no-tolerances")),
            Self::Tolerances => Some(text!("features-tolerances-first")),
        }
    }
}
