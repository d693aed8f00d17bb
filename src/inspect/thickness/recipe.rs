//! The recipe of thickness maps.

use super::{Parameters, ThicknessMap, run};
use crate::parts::{FromNominal, Nominal, OfNominal};
use crate::recipe::{Figure, Product};
use crate::verdict::Verdict;
use base::{Progress, Result};
use compute::Backend;

/// A thickness map of a nominal.
pub type ThicknessRecipe = OfNominal<Parameters>;

impl FromNominal for Parameters {
    type Made = ThicknessMap;

    const NAME: &'static str = "Thickness map";

    fn make(&self, backend: &dyn Backend, nominal: &Nominal, progress: &Progress) -> Result<ThicknessMap> {
        nominal.enclosing("A thickness map")?;
        run(backend, &nominal.surface, self, progress)
    }
}

impl Product for ThicknessMap {
    fn figures(&self) -> Vec<Figure> {
        let own = &self.statistics;
        let lower = (self.parameters.min_mm > 0.0).then_some(self.parameters.min_mm);
        let upper = self.parameters.max_thickness_mm;
        let mut figures = vec![Figure::new("Measured area", "mm²", own.measured_mm2)];
        if own.measured_mm2 > 0.0 {
            let least = Figure { lower, ..Figure::new("Least thickness", "mm", own.min_mm) };
            figures.insert(0, least);
            figures.push(Figure::new("Median thickness", "mm", own.median_mm));
            if upper.is_some() {
                figures.push(Figure { upper, ..Figure::new("Greatest thickness", "mm", own.max_mm) });
            }
        }
        if lower.is_some() {
            figures.push(Figure::new("Area below the least thickness", "mm²", own.thin_mm2));
        }
        if upper.is_some() {
            figures.push(Figure::new("Area above the greatest thickness", "mm²", own.thick_mm2));
        }
        figures
    }

    fn verdict(&self) -> Option<Verdict> {
        Self::verdict(self)
    }

    fn covers(&self) -> Option<String> {
        if self.parameters.has_limits() {
            return Some(self.covered());
        }
        (!self.notes.is_empty()).then(|| self.notes.join(" "))
    }

    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(std::ptr::from_ref(&self.mesh).addr(), self.bytes())]
    }
}
