//! Recipes of what is made of a nominal and parameters alone.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Nominal;
use crate::recipe::{Class, ElementId, Inputs, Make, Product, Tools};
use base::{Progress, Result};
use compute::Backend;

/// Parameters by which something is made of a nominal.
pub trait FromNominal: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Send + Sync {
    /// Type of the result.
    type Made: Product;

    /// Name of this kind of element in the window.
    const NAME: &'static str;

    /// Makes it.
    fn make(&self, backend: &dyn Backend, nominal: &Nominal, progress: &Progress) -> Result<Self::Made>;
}

/// The recipe of what is made of a nominal by parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfNominal<P> {
    /// The nominal.
    pub nominal: ElementId,
    /// How it is made.
    #[serde(flatten)]
    pub parameters: P,
}

impl<P: FromNominal> Make for OfNominal<P> {
    type Made = P::Made;

    const NAME: &'static str = P::NAME;
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal]
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&P::Made>,
        progress: &Progress,
    ) -> Result<P::Made> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        self.parameters.make(tools.backend, &nominal, progress)
    }
}
