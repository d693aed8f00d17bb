//! The recipes of offset volumes, distance fields and contact volumes.

use super::{ContactVolumes, OffsetVolume, Parameters, PartField, contact, field, run};
use crate::parts::{FromNominal, Nominal, OfNominal};
use crate::recipe::{Figure, Product};
use base::{Progress, Result};
use compute::Backend;

/// An offset volume of a nominal.
pub type OffsetRecipe = OfNominal<Parameters>;

impl FromNominal for Parameters {
    type Made = OffsetVolume;

    const NAME: &'static str = "Offset volume";

    fn make(&self, backend: &dyn Backend, nominal: &Nominal, progress: &Progress) -> Result<OffsetVolume> {
        run(backend, nominal, self, progress)
    }
}

impl Product for OffsetVolume {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("Volume", "cm³", self.volume_mm3 / 1000.0),
            Figure::new("Area", "mm²", self.area_mm2),
            Figure::new("Voxel", "mm", self.tree.lattice().voxel_mm),
            Figure::new("Greatest deviation of the mesh", "mm", self.error.max_mm),
            Figure::new("Greatest distance of the offset surface from the mesh", "mm", self.completeness.max_mm),
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
pub type FieldRecipe = OfNominal<field::Parameters>;

impl FromNominal for field::Parameters {
    type Made = PartField;

    const NAME: &'static str = "Distance field";

    fn make(&self, backend: &dyn Backend, nominal: &Nominal, progress: &Progress) -> Result<PartField> {
        field::run(backend, nominal, self, progress)
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
pub type ContactRecipe = OfNominal<contact::Parameters>;

impl FromNominal for contact::Parameters {
    type Made = ContactVolumes;

    const NAME: &'static str = "Contact volumes";

    fn make(&self, backend: &dyn Backend, nominal: &Nominal, progress: &Progress) -> Result<ContactVolumes> {
        nominal.enclosing("A contact volume")?;
        contact::run(backend, &nominal.surface, self, progress)
    }
}

impl Product for ContactVolumes {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("Passes", "", self.passes.len() as f64),
            Figure::new("Least clearance of the tool", "mm", self.clearance_mm()),
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
