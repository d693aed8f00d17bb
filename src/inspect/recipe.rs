//! Recipes: what the elements of an inspection plan are made from. Each capability has its own; all are asked alike.

use std::any::Any;
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

/// The number of an element in its plan: names may change, numbers stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementId(pub u32);

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What an element is to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// What should be.
    Nominal,
    /// What is.
    Actual,
    /// What is against what should be.
    Check,
}

/// Whatever an element came to.
pub type Output = Arc<dyn Any + Send + Sync>;

/// What recipes find of the elements that they name, and of the part in work.
pub trait Inputs: Sync {
    /// What an element came to; a sentence where it came to nothing.
    fn output(&self, id: ElementId) -> Result<Output>;

    /// Its name.
    fn name(&self, id: ElementId) -> String;

    /// The files of the measured part.
    fn sources(&self) -> &[SourceFile];
}

impl dyn Inputs + '_ {
    /// What an element came to, which must be `what`.
    pub fn get<T: Any + Send + Sync>(&self, id: ElementId, what: &str) -> Result<Arc<T>> {
        let wrong = |_| UserError::usage(format!("“{}” is not {what}.", self.name(id)));
        self.output(id)?.downcast().map_err(wrong)
    }
}

/// What recipes work with.
pub struct Tools<'a> {
    /// Computes.
    pub backend: &'a dyn Backend,
    /// Reads CAD files.
    pub cad: &'a CadReader,
    /// Sees poses of a running best fit, and their RMS, mm.
    pub watch: &'a (dyn Fn(&Pose, f64) + Sync),
}

/// What is written about an element by name: a value with its limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: &'static str,
    /// Its unit; empty for numbers without one.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
    /// Its expanded uncertainty (k = 2), where it is known.
    pub uncertainty: Option<f64>,
    /// The least value allowed.
    pub lower: Option<f64>,
    /// The greatest value allowed.
    pub upper: Option<f64>,
}

impl Figure {
    /// A value without limits.
    pub fn new(name: &'static str, unit: &'static str, value: f64) -> Self {
        Self { name, unit, value, uncertainty: None, lower: None, upper: None }
    }
}

/// What comes of a recipe.
pub trait Product: Any + Send + Sync {
    /// What is written of it; the first stands for it where there is room for one.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// What it decides, where it decides anything.
    fn verdict(&self) -> Option<Verdict> {
        None
    }

    /// What a verdict that rests on it covers, or what puts it in doubt.
    fn covers(&self) -> Option<String> {
        None
    }

    /// What it is, in sentences for the log.
    fn sentences(&self) -> Vec<String> {
        Vec::new()
    }

    /// Large blocks of memory that it holds: what tells them apart, and their bytes. Several may share one.
    fn blocks(&self) -> Vec<(usize, u64)> {
        Vec::new()
    }
}

/// How elements of one kind are made.
pub trait Make: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Send + Sync {
    /// What comes of it.
    type Made: Product;

    /// What the operator calls such an element.
    const NAME: &'static str;

    /// What it is to the operator.
    const CLASS: Class;

    /// The elements that it is made from.
    fn inputs(&self) -> Vec<ElementId>;

    /// Whether it reads the files of the measured part.
    fn reads_sources(&self) -> bool {
        false
    }

    /// Makes it. `before` is what it came to last time, from which what still holds may be taken.
    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        before: Option<&Self::Made>,
        progress: &Progress,
    ) -> Result<Self::Made>;
}
