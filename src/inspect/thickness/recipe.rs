//! The recipe of thickness maps.

use serde::{Deserialize, Serialize};

use super::{Parameters, ThicknessMap, run};
use crate::parts::Nominal;
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use base::{Progress, Result};

/// A thickness map of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThicknessRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// What is measured, and how.
    #[serde(flatten)]
    pub parameters: Parameters,
}

impl Make for ThicknessRecipe {
    type Made = ThicknessMap;

    const NAME: &'static str = "Thickness map";
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal]
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&ThicknessMap>,
        progress: &Progress,
    ) -> Result<ThicknessMap> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        run(tools.backend, &nominal.surface, &self.parameters, progress)
    }
}

impl Product for ThicknessMap {
    fn figures(&self) -> Vec<Figure> {
        let own = &self.statistics;
        let lower = (self.parameters.min_mm > 0.0).then_some(self.parameters.min_mm);
        let mut figures = vec![Figure::new("Measured area", "mm²", own.measured_mm2)];
        if own.measured_mm2 > 0.0 {
            let least = Figure { lower, ..Figure::new("Least thickness", "mm", own.min_mm) };
            figures.insert(0, least);
            figures.push(Figure::new("Median thickness", "mm", own.median_mm));
        }
        if lower.is_some() {
            figures.push(Figure::new("Area below the least thickness", "mm²", own.thin_mm2));
        }
        figures
    }

    fn covers(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join(" "))
    }

    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(std::ptr::from_ref(&self.mesh).addr(), self.bytes())]
    }
}
