//! The nominal's facets that a matching goes through, and what it answers for each.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::driver::{Buffer, Driver};
use super::mesh::DeviceMesh;
use crate::base::Result;
use crate::compute::point_facet_matching::FacetDeviation;
use crate::geometry::{Aabb, Mesh};

/// `FacetAnswer` of triangle.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct AnswerParameter {
    deviation_mm: f64,
    matches: u32,
    pad: u32,
}

/// See the module.
pub(super) struct FacetAnswers {
    pub mesh: DeviceMesh,
    /// Facets along a curve, so that neighbours search side by side.
    pub order: Buffer<u32>,
    pub answers: Buffer<AnswerParameter>,
}

impl FacetAnswers {
    /// Uploads the nominal.
    pub fn new(driver: &Arc<dyn Driver>, nominal: &Mesh) -> Result<Self> {
        let mesh = DeviceMesh::new(driver, nominal, &Aabb::of_many(&nominal.vertices))?;
        let (_, order) = mesh.along_curve(driver)?;
        let answers = Buffer::new(driver, mesh.count)?;
        Ok(Self { mesh, order, answers })
    }

    /// Waits for the answers, by facet.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        let deviation =
            |answer: &AnswerParameter| FacetDeviation { deviation_mm: answer.deviation_mm, matches: answer.matches };
        Ok(self.answers.read()?.par_iter().map(deviation).collect())
    }
}
