//! The recipe of an offset volume.

use serde::{Deserialize, Serialize};

use super::{OffsetVolume, Parameters, run};
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
