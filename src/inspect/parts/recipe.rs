//! The recipes of nominals and scans.

use serde::{Deserialize, Serialize};

use super::{Actual, Nominal, NominalStep};
use crate::cleaning::Step;
use crate::recipe::{Class, ElementId, Inputs, Make, Product, Tools};
use base::{LengthUnit, Progress, Result, UserError, counted};
use io::SourceFile;
use io::cad::CadReader;
use io::xyz::Columns;

/// Recipe of a nominal: its file and the changes after reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NominalRecipe {
    /// Source file.
    pub source: SourceFile,
    /// Maximum chord deviation of facets from the CAD surface, mm.
    pub chord_mm: f64,
    /// Maximum angle between adjacent facets of a CAD surface, degrees.
    pub angle_deg: f64,
    /// Changes after reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<NominalStep>,
}

impl Make for NominalRecipe {
    type Made = Nominal;

    const NAME: &'static str = "Nominal";
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        Vec::new()
    }

    fn make(&self, _: &dyn Inputs, tools: &Tools<'_>, _: Option<&Nominal>, progress: &Progress) -> Result<Nominal> {
        let cad = CadReader { chord_mm: self.chord_mm, angle_deg: self.angle_deg, ..tools.cad.clone() };
        let read = Nominal::of_file(&self.source.as_it_is()?, cad, progress)?;
        let mut notes = Vec::new();
        let mut nominal = read.with_steps(&self.steps, &mut notes);
        nominal.notes.extend(notes);
        Ok(nominal)
    }
}

impl Product for Nominal {
    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(std::ptr::from_ref(self).addr(), self.surface.bytes())]
    }
}

/// Recipe of a scan: how the files of the part being measured are read and cleaned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScanRecipe {
    /// Length unit of the files; `None` for the unit of the format, else mm.
    pub unit: Option<LengthUnit>,
    /// Column assignment for text files; `None` to detect it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Columns>,
    /// Cleaning steps after reading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cleaning: Vec<Step>,
}

impl Make for ScanRecipe {
    type Made = Actual;

    const NAME: &'static str = "Scan";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        Vec::new()
    }

    fn reads_sources(&self) -> bool {
        true
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        before: Option<&Actual>,
        progress: &Progress,
    ) -> Result<Actual> {
        let sources = inputs.sources();
        if sources.is_empty() {
            return Err(UserError::input("No scan of this part was given."));
        }
        // If only the last cleaning step is new, it is applied to the previous result.
        if let (Some(before), Some((last, earlier))) = (before, self.cleaning.split_last())
            && before.cleaning == earlier
            && before.is_read_from(sources, self)
        {
            return Ok(before.with_step(last, tools.backend, progress)?.0);
        }
        let files = sources.iter().map(SourceFile::as_it_is).collect::<Result<Vec<_>>>()?;
        let read = Actual::of_files(&files, self.unit, self.columns, tools.cad, &progress.part(0.0, 0.8))?;
        read.cleaned(&self.cleaning, tools.backend, &progress.part(0.8, 1.0))
    }
}

impl Product for Actual {
    fn sentences(&self) -> Vec<String> {
        let points = counted(self.cloud.points.len(), "point", "points");
        std::iter::once(format!("{points}.")).chain(Self::sentences(self)).collect()
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        let facets = self.facets.as_ref().map_or(0, |facets| facets.bytes());
        let surface = self.made_surface().map_or(0, |surface| surface.bytes());
        vec![(std::ptr::from_ref(self).addr(), 2 * self.cloud.bytes() + facets + surface)]
    }
}

impl Actual {
    /// Whether it was read from these files with the unit and columns of `recipe`, cleaning aside.
    fn is_read_from(&self, sources: &[SourceFile], recipe: &ScanRecipe) -> bool {
        let is_read_alike =
            |own: &SourceFile| own.columns == recipe.columns && recipe.unit.is_none_or(|u| own.unit == Some(u));
        self.sources.iter().map(|own| &own.hash).eq(sources.iter().map(|source| &source.hash))
            && self.sources.iter().all(is_read_alike)
    }
}
