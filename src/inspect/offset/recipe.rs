//! The recipes of offset volumes, distance fields and contact volumes.

use serde::{Deserialize, Serialize};

use super::{ContactVolumes, OffsetVolume, Parameters, PartField, contact, field, run};
use crate::parts::Nominal;
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use base::{Progress, Result};

/// An offset volume of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OffsetRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// Distance and voxels.
    #[serde(flatten)]
    pub parameters: Parameters,
}

impl Make for OffsetRecipe {
    type Made = OffsetVolume;

    const NAME: &'static str = "Offset volume";
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal]
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&OffsetVolume>,
        progress: &Progress,
    ) -> Result<OffsetVolume> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        run(tools.backend, &nominal.surface, &self.parameters, progress)
    }
}

impl Product for OffsetVolume {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("Volume", "cm³", self.volume_mm3 / 1000.0),
            Figure::new("Area", "mm²", self.area_mm2),
            Figure::new("Voxel", "mm", self.tree.lattice().voxel_mm),
            Figure::new("Greatest deviation of the mesh", "mm", self.error.max_mm),
        ]
    }

    fn covers(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join(" "))
    }

    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(std::ptr::from_ref(&self.tree).addr(), self.bytes())]
    }
}

/// The distance field of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// Reach and resolution.
    #[serde(flatten)]
    pub parameters: field::Parameters,
}

impl Make for FieldRecipe {
    type Made = PartField;

    const NAME: &'static str = "Distance field";
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal]
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&PartField>,
        progress: &Progress,
    ) -> Result<PartField> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        field::run(tools.backend, &nominal.surface, &self.parameters, progress)
    }
}

impl Product for PartField {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("Reach", "mm", self.parameters.reach_mm),
            Figure::new("Deviation at 95 % of all points", "mm", self.error.p95_mm),
            Figure::new("Greatest deviation", "mm", self.error.max_mm),
        ]
    }

    fn covers(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join(" "))
    }

    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(std::ptr::from_ref(&self.field).addr(), self.field.bytes())]
    }
}

/// The contact volumes of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// Tool, depth of cut and stock.
    #[serde(flatten)]
    pub parameters: contact::Parameters,
}

impl Make for ContactRecipe {
    type Made = ContactVolumes;

    const NAME: &'static str = "Contact volumes";
    const CLASS: Class = Class::Nominal;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal]
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&ContactVolumes>,
        progress: &Progress,
    ) -> Result<ContactVolumes> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        contact::run(tools.backend, &nominal.surface, &self.parameters, progress)
    }
}

impl Product for ContactVolumes {
    fn figures(&self) -> Vec<Figure> {
        let clearance_mm = self.passes.iter().map(|pass| pass.clearance_mm).fold(f64::INFINITY, f64::min);
        vec![
            Figure::new("Passes", "", self.passes.len() as f64),
            Figure::new("Least clearance of the tool", "mm", clearance_mm),
        ]
    }

    fn covers(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join(" "))
    }

    fn sentences(&self) -> Vec<String> {
        Self::sentences(self)
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        vec![(self.passes.as_ptr().addr(), self.bytes())]
    }
}
