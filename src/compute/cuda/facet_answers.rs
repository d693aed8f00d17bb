//! The nominal's facets that a matching goes through, and what it answers for each.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::mesh::DeviceMesh;
use super::queries::pose_parameter;
use crate::point_facet_matching::FacetDeviation;
use base::Result;
use geometry::{Aabb, Mesh, Pose};

/// `FacetAnswer` of facets.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct AnswerParameter {
    deviation_mm: f64,
    matches: u32,
    pad: u32,
}

/// `Facets` of facets.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct FacetsParameter {
    vertices: u64,
    facets: u64,
    order: u64,
    count: u32,
    pad: u32,
    scan_from_nominal: [f64; 7],
}

/// See the module.
pub(super) struct FacetAnswers {
    mesh: DeviceMesh,
    /// Facets along a curve, so that neighbours search side by side.
    order: Buffer<u32>,
    answers: Buffer<AnswerParameter>,
}

impl FacetAnswers {
    /// Bytes that the nominal and its answers take.
    pub fn bytes(nominal: &Mesh) -> usize {
        DeviceMesh::bytes(nominal) + size_of::<AnswerParameter>() * nominal.facets.len()
    }

    /// Uploads the nominal.
    pub fn new(driver: &Arc<dyn Driver>, nominal: &Mesh) -> Result<Self> {
        let mesh = DeviceMesh::new(driver, nominal, &Aabb::of_many(&nominal.vertices))?;
        let (_, order) = mesh.along_curve(driver)?;
        let answers = Buffer::new(driver, mesh.count)?;
        Ok(Self { mesh, order, answers })
    }

    /// What kernels take.
    pub fn parameter(&self, nominal_from_scan: &Pose) -> FacetsParameter {
        FacetsParameter {
            vertices: self.mesh.vertices.place(),
            facets: self.mesh.facets.place(),
            order: self.order.place(),
            count: self.mesh.count as u32,
            pad: 0,
            scan_from_nominal: pose_parameter(&nominal_from_scan.inverse()),
        }
    }

    /// Launches `kernel` on all facets: it takes the `tree`, the `request` and the answers.
    pub fn launch(&self, driver: &dyn Driver, kernel: &'static str, tree: &[u8], request: &[u8]) -> Result<()> {
        let answers = self.answers.place();
        launch_each(driver, kernel, self.mesh.count, &[tree, request, bytes_of(&answers)])
    }

    /// Launches `kernel` on all facets: it takes the `request` and the answers.
    pub fn launch_on(&self, driver: &dyn Driver, kernel: &'static str, request: &[u8]) -> Result<()> {
        let answers = self.answers.place();
        launch_each(driver, kernel, self.mesh.count, &[request, bytes_of(&answers)])
    }

    /// Waits for the answers, by facet.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        self.answers.read_as(|answer| FacetDeviation { deviation_mm: answer.deviation_mm, matches: answer.matches })
    }
}
