//! The recipe of surface points.

use serde::{Deserialize, Serialize};

use super::{Parameters, SurfacePoints, run};
use crate::alignment::recipe::pose_in;
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use crate::verdict::Verdict;
use base::{Progress, Result};

/// Deviations of a scan at points of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurfacePointsRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// The alignment to measure in; `None` for the frame of the scan file.
    pub alignment: Option<ElementId>,
    /// Which points are measured, and how they are judged.
    pub parameters: Parameters,
}

impl Make for SurfacePointsRecipe {
    type Made = SurfacePoints;

    const NAME: &'static str = "Surface points";
    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        [self.nominal, self.scan].into_iter().chain(self.alignment).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        _: &Tools<'_>,
        _: Option<&SurfacePoints>,
        progress: &Progress,
    ) -> Result<SurfacePoints> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let pose = pose_in(self.alignment, inputs)?;
        run(&nominal.surface, &actual.cloud.points, &pose, &self.parameters, progress)
    }
}

impl Product for SurfacePoints {
    fn figures(&self) -> Vec<Figure> {
        let total = self.points.len() as f64;
        let mut figures = vec![
            Figure { lower: Some(total), ..Figure::new("Measured points", "", self.deviations().count() as f64) },
            Figure { lower: Some(total), ..Figure::new("Points in tolerance", "", self.in_tolerance() as f64) },
        ];
        let (min_mm, max_mm) = self.range_mm();
        if min_mm <= max_mm {
            let tolerance = &self.parameters.tolerance;
            let limited = |figure| Figure { lower: Some(tolerance.low_mm), upper: Some(tolerance.high_mm), ..figure };
            figures.push(limited(Figure::new("Min", "mm", min_mm)));
            figures.push(limited(Figure::new("Max", "mm", max_mm)));
        }
        figures
    }

    fn verdict(&self) -> Option<Verdict> {
        Self::verdict(self)
    }

    fn covers(&self) -> Option<String> {
        // Points in doubt are judged no more than those that were not measured.
        let (total, judged) = (self.points.len(), self.deviations().count() - self.in_doubt());
        (judged < total).then(|| format!("on {judged} of {total} surface points"))
    }

    fn sentences(&self) -> Vec<String> {
        let not_measured = self.points.iter().filter_map(|own| own.measured.as_ref().err());
        std::iter::once(self.summary()).chain(not_measured.cloned()).collect()
    }
}
