//! The recipe of sections.

use serde::{Deserialize, Serialize};

use super::{Parameters, Section, run};
use crate::alignment::recipe::pose_in;
use crate::deviation::judgement::percent;
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use crate::verdict::Verdict;
use base::{Progress, Result};

/// A section of a nominal and, if there is one, of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan that is compared; `None` to cut the nominal alone.
    pub scan: Option<ElementId>,
    /// The alignment to measure in; `None` for the frame of the scan file.
    pub alignment: Option<ElementId>,
    /// How it is cut and judged.
    pub parameters: Parameters,
}

impl Make for SectionRecipe {
    type Made = Section;

    const NAME: &'static str = "Section";
    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        [self.nominal].into_iter().chain(self.scan).chain(self.alignment).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&Section>,
        progress: &Progress,
    ) -> Result<Section> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let actual = self.scan.map(|id| inputs.get::<Actual>(id, "a scan")).transpose()?;
        let pose = pose_in(self.alignment, inputs)?;
        run(tools.backend, &nominal, actual.as_deref().map(|actual| (actual, pose)), &self.parameters, progress)
    }
}

impl Product for Section {
    fn figures(&self) -> Vec<Figure> {
        let own = self.statistics();
        if !self.is_compared {
            return vec![Figure::new("Contour length", "mm", own.length_mm)];
        }
        let tolerance = &self.parameters.tolerance;
        let in_tolerance = if own.measured_mm > 0.0 { own.in_tolerance_mm / own.measured_mm } else { f64::NAN };
        let limited = |figure| Figure { lower: Some(tolerance.low_mm), upper: Some(tolerance.high_mm), ..figure };
        let mut figures = vec![
            limited(Figure::new("Min", "mm", own.min_mm)),
            limited(Figure::new("Max", "mm", own.max_mm)),
            Figure::new("In tolerance", "%", 100.0 * in_tolerance),
            Figure::new("Mean", "mm", own.mean_mm),
            Figure::new("RMS", "mm", own.rms_mm),
            Figure {
                lower: Some(100.0 * self.parameters.min_coverage),
                ..Figure::new("Measured contour", "%", 100.0 * own.coverage())
            },
        ];
        figures.extend(self.dimension_names().zip(&self.dimensions).filter_map(|(name, own)| own.figure(name)));
        figures
    }

    fn verdict(&self) -> Option<Verdict> {
        Self::verdict(self)
    }

    fn covers(&self) -> Option<String> {
        let coverage = self.statistics().coverage();
        let all = (coverage < 0.995).then(|| format!("on {} of the contour", percent(coverage)));
        // Many planes together may hide one that was hardly seen.
        let short = self.short_plane().filter(|_| self.planes.len() > 1);
        let short = short.map(|own| format!("on {} of it at the plane “{}”", percent(own.coverage()), own.name));
        let all: Vec<String> = all.into_iter().chain(short).collect();
        (self.is_compared && !all.is_empty()).then(|| all.join(", "))
    }

    fn sentences(&self) -> Vec<String> {
        let own = self.statistics();
        let mut sentences = match self.is_compared {
            false => vec![format!("Contours of {:.3} mm length.", own.length_mm)],
            true if own.measured_mm > 0.0 => vec![format!(
                "Deviations in the plane from {:+.4} mm to {:+.4} mm, mean {:+.4} mm, measured on {} of {:.1} mm.",
                own.min_mm,
                own.max_mm,
                own.mean_mm,
                percent(own.coverage()),
                own.length_mm
            )],
            true => vec!["Nothing of the contour was measured.".to_owned()],
        };
        if self.is_compared && own.measured_mm > 0.0 {
            if let Some(short) = self.short_plane() {
                let [measured, required] = [short.coverage(), self.parameters.min_coverage].map(percent);
                sentences.push(match self.planes.len() {
                    1 => format!("Only {measured} of the contour was measured; {required} are required."),
                    _ => format!(
                        "Only {measured} of the contour at the plane “{}” was measured; {required} are required.",
                        short.name
                    ),
                });
            }
            if let Some((length_mm, at)) = self.largest_gap().filter(|_| own.coverage() < 0.995) {
                sentences.push(format!(
                    "The longest piece of it that was not measured is {length_mm:.2} mm long, near ({:.2}, {:.2}, {:.2}) mm.",
                    at.x, at.y, at.z
                ));
            }
        }
        sentences.extend(
            self.dimension_names().zip(&self.dimensions).map(|(name, own)| format!("{name}: {}.", own.words())),
        );
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        let bytes: usize = self
            .planes
            .iter()
            .map(|own| {
                size_of_val(own.measured.points.as_slice())
                    + size_of_val(own.whiskers.as_slice())
                    + own.contours.iter().map(|contour| 3 * size_of_val(contour.points.as_slice()) / 2).sum::<usize>()
            })
            .sum();
        vec![(self.planes.as_ptr().addr(), bytes as u64)]
    }
}
