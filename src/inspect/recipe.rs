//! Recipes of the elements of an inspection plan: one type per kind of element, all behind one trait.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::Pose;
use io::SourceFile;
use io::cad::CadReader;

/// Identifier of an element in its plan; stays the same if the element is renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementId(pub u32);

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Class of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Target geometry.
    Nominal,
    /// Measured geometry.
    Actual,
    /// Comparison of actual with nominal.
    Check,
}

/// Result of an element, of any type.
pub type Output = Arc<dyn Any + Send + Sync>;

/// Results of the elements that a recipe refers to, and the files of the part being measured.
pub trait Inputs: Sync {
    /// Result of an element; an error if it has none.
    fn output(&self, id: ElementId) -> Result<Output>;

    /// Name of an element.
    fn name(&self, id: ElementId) -> String;

    /// Scan files of the part being measured.
    fn sources(&self) -> &[SourceFile];
}

impl dyn Inputs + '_ {
    /// Result of an element as a `T`.
    ///
    /// Returns an error if the element has no result, or if that is not a `T`; `what` describes the required type, such
    /// as "a scan".
    pub fn get<T: Any + Send + Sync>(&self, id: ElementId, what: &str) -> Result<Arc<T>> {
        let wrong = |_| UserError::usage(format!("“{}” is not {what}.", self.name(id)));
        self.output(id)?.downcast().map_err(wrong)
    }
}

/// Resources for executing recipes.
pub struct Tools<'a> {
    /// Backend for heavy computations.
    pub backend: &'a dyn Backend,
    /// Reader of CAD files.
    pub cad: &'a CadReader,
    /// Receives pose and RMS, mm, after every iteration of a best fit.
    pub watch: &'a (dyn Fn(&Pose, f64) + Sync),
}

/// A named value of an element, with its limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name, such as "RMS".
    pub name: Cow<'static, str>,
    /// Unit; empty for dimensionless values.
    pub unit: &'static str,
    /// Value in `unit`.
    pub value: f64,
    /// Expanded uncertainty U (k = 2); `None` if unknown.
    pub uncertainty: Option<f64>,
    /// Lower limit.
    pub lower: Option<f64>,
    /// Upper limit.
    pub upper: Option<f64>,
}

impl Figure {
    /// A figure without limits and uncertainty.
    pub fn new(name: impl Into<Cow<'static, str>>, unit: &'static str, value: f64) -> Self {
        Self { name: name.into(), unit, value, uncertainty: None, lower: None, upper: None }
    }

    /// How far it is from the middle of its limits, in half their distance: beyond 1 it exceeds one. Of a single limit, whether it
    /// exceeds that. `None` for a figure that has no limits, or keeps its only one.
    fn used_tolerance(&self) -> Option<f64> {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) => {
                let half = 0.5 * (upper - lower);
                let away = (self.value - 0.5 * (lower + upper)).abs();
                // Without width, whatever is away is beyond.
                Some(if half > 0.0 { away / half } else { f64::from(u8::from(away > 0.0)) * f64::MAX })
            }
            (Some(lower), None) => (self.value < lower).then_some(1.0 + (lower - self.value) / lower.abs().max(1e-9)),
            (None, Some(upper)) => (self.value > upper).then_some(1.0 + (self.value - upper) / upper.abs().max(1e-9)),
            (None, None) => None,
        }
    }

    /// Puts the figure first that is worst against its limits, so that it represents the element.
    pub fn worst_first(figures: &mut [Self]) {
        let used = figures.iter().enumerate().filter_map(|(index, own)| Some((index, own.used_tolerance()?)));
        let worst = used.filter(|(_, used)| !used.is_nan()).min_by(|a, b| b.1.total_cmp(&a.1));
        if let Some((index, _)) = worst {
            figures[..=index].rotate_right(1);
        }
    }

    /// Its unit as it follows a number: after a space, but for degrees; nothing for a count.
    pub fn unit_after(&self) -> String {
        match self.unit {
            "" | "°" => self.unit.to_owned(),
            unit => format!(" {unit}"),
        }
    }
}

/// Result of executing a recipe.
pub trait Product: Any + Send + Sync {
    /// Figures for tables and reports. Where there is room for only one, the one that is worst against its limits represents the
    /// element; the first, if none has limits.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// Verdict; `None` for elements that decide nothing.
    fn verdict(&self) -> Option<Verdict> {
        None
    }

    /// What a verdict based on this result applies to, or what puts it in doubt.
    fn covers(&self) -> Option<String> {
        None
    }

    /// Description in sentences, for the log.
    fn sentences(&self) -> Vec<String> {
        Vec::new()
    }

    /// Large memory blocks in use: an identifier, equal for shared blocks, and the size in bytes.
    fn blocks(&self) -> Vec<(usize, u64)> {
        Vec::new()
    }
}

/// Recipe of one kind of element.
pub trait Make: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Send + Sync {
    /// Type of the result.
    type Made: Product;

    /// Name of this kind of element in the window.
    const NAME: &'static str;

    /// Class of this kind of element.
    const CLASS: Class;

    /// The elements that the recipe refers to.
    fn inputs(&self) -> Vec<ElementId>;

    /// Whether it reads the scan files of the part being measured.
    fn reads_sources(&self) -> bool {
        false
    }

    /// Executes the recipe. `before`: the previous result, parts of which may be reused if still valid.
    ///
    /// Returns an error if an input is missing or unsuitable, if the computation fails, or if the work is cancelled.
    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        before: Option<&Self::Made>,
        progress: &Progress,
    ) -> Result<Self::Made>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the figure that represents an element with these values and limits.
    fn headline(figures: &[(f64, Option<f64>, Option<f64>)]) -> usize {
        let figure = |(index, own): (usize, &(f64, Option<f64>, Option<f64>))| {
            let (value, lower, upper) = *own;
            Figure { lower, upper, ..Figure::new(index.to_string(), "mm", value) }
        };
        let mut figures: Vec<Figure> = figures.iter().enumerate().map(figure).collect();
        Figure::worst_first(&mut figures);
        figures[0].name.parse().unwrap()
    }

    #[test]
    fn what_is_worst_against_its_limits_represents_an_element() {
        let both = |value: f64| (value, Some(-0.1), Some(0.1));
        assert_eq!(headline(&[both(-0.051), both(0.32)]), 1);
        assert_eq!(headline(&[both(-0.051), both(0.02)]), 0);
        // Limits that are not about 0, one limit alone that is kept or is not, and none.
        assert_eq!(headline(&[both(-0.051), (12.19, Some(12.0), Some(12.2))]), 1);
        assert_eq!(headline(&[both(-0.051), (95.0, Some(90.0), None)]), 0);
        assert_eq!(headline(&[both(-0.051), (45.0, Some(90.0), None)]), 1);
        assert_eq!(headline(&[both(0.101), (0.2, None, Some(0.1))]), 1);
        assert_eq!(headline(&[(3.0, None, None), (4.0, None, None)]), 0);
        assert_eq!(headline(&[(f64::NAN, Some(0.0), Some(1.0)), both(0.0), (1.0, Some(1.0), Some(1.0))]), 1);
    }
}
