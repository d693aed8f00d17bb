//! The recipe of a surface comparison of a scan with a nominal.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Check, Measurement, Parameters, Verdict, check, measurement};
use crate::alignment::Alignment;
use crate::alignment::recipe::pose_in;
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use base::{Progress, Result};
use geometry::Pose;

/// A comparison of a scan with a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// The alignment to measure in; `None` for the frame of the scan file.
    pub alignment: Option<ElementId>,
    /// Parameters of measurement and evaluation.
    pub parameters: Parameters,
    /// The colour scale ranges from `-scale_mm` to `scale_mm`.
    pub scale_mm: f64,
}

impl Make for ComparisonRecipe {
    type Made = Check;

    const NAME: &'static str = "Surface comparison";
    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        [self.nominal, self.scan].into_iter().chain(self.alignment).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        before: Option<&Check>,
        progress: &Progress,
    ) -> Result<Check> {
        self.parameters.check()?;
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let nominal_from_scan = pose_in(self.alignment, inputs)?;
        let previous = before.map(|check| &check.measurement);
        let previous = previous.filter(|own| own.is_of(&nominal, &actual, &nominal_from_scan, &self.parameters));
        let measurement = match previous {
            // Only evaluation criteria have changed.
            Some(measurement) => Arc::clone(measurement),
            None => {
                let part = &progress.part(0.0, 0.75);
                let pose = &nominal_from_scan;
                Arc::new(measurement::run(tools.backend, &nominal, &actual, pose, &self.parameters, part)?)
            }
        };
        let part = &progress.part(0.75, 1.0);
        let compared =
            check::Compared { nominal: &nominal, actual: &actual, is_found: is_found(self.alignment, inputs)? };
        check::judge(tools.backend, &compared, measurement, &self.parameters, self.scale_mm, part)
    }
}

/// Whether an alignment found the part among other things in the scan.
fn is_found(alignment: Option<ElementId>, inputs: &dyn Inputs) -> Result<bool> {
    let Some(id) = alignment else { return Ok(false) };
    Ok(inputs.get::<Alignment>(id, "an alignment")?.is_among_others())
}

impl Product for Check {
    fn figures(&self) -> Vec<Figure> {
        let (stats, min_coverage) = (&self.statistics, 100.0 * self.parameters.min_coverage);
        vec![
            Figure::new("In tolerance", "%", 100.0 * stats.in_tolerance_fraction),
            Figure::new("Mean", "mm", stats.mean_mm),
            Figure::new("Standard deviation", "mm", stats.sigma_mm),
            Figure::new("RMS", "mm", stats.rms_mm),
            Figure::new("Min", "mm", stats.min_mm),
            Figure::new("Max", "mm", stats.max_mm),
            Figure {
                lower: Some(min_coverage),
                ..Figure::new("Coverage", "%", 100.0 * self.measurement.coverage.fraction)
            },
            Figure::new("Regions out of tolerance", "", self.regions.len() as f64),
        ]
    }

    fn verdict(&self) -> Option<Verdict> {
        Some(self.verdict())
    }

    fn covers(&self) -> Option<String> {
        Some(self.judgement.covers.clone())
    }

    fn sentences(&self) -> Vec<String> {
        Check::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(Arc::as_ptr(&self.measurement).addr(), self.measurement.bytes())]
    }
}

impl Measurement {
    /// Whether it is a measurement of these parts in this pose with these `parameters`, evaluation criteria aside.
    pub fn is_of(&self, nominal: &Nominal, actual: &Actual, nominal_from_scan: &Pose, parameters: &Parameters) -> bool {
        self.parameters.gives_same_measurement(parameters)
            && self.nominal_from_scan == *nominal_from_scan
            && self.nominal_hash == nominal.source.hash
            && self.nominal_steps == nominal.steps
            && self.scan_hashes.iter().eq(actual.sources.iter().map(|source| &source.hash))
            && self.cleaning == actual.cleaning
    }
}
