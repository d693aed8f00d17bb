//! The facets of the nominal on the device, and the answers of a matching for each.

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

/// Facets of the nominal resident on a device, with one answer per facet.
pub(super) struct FacetAnswers {
    mesh: DeviceMesh,
    /// Facet indices along a space-filling curve, so that adjacent threads search close together.
    order: Buffer<u32>,
    answers: Buffer<AnswerParameter>,
}

impl FacetAnswers {
    /// Device memory for the nominal and its answers, bytes.
    pub fn bytes(nominal: &Mesh) -> usize {
        DeviceMesh::bytes(nominal) + size_of::<AnswerParameter>() * nominal.facets.len()
    }

    /// Uploads the nominal and orders its facets.
    pub fn new(driver: &Arc<dyn Driver>, nominal: &Mesh) -> Result<Self> {
        let mesh = DeviceMesh::new(driver, nominal, &Aabb::of_points_parallel(&nominal.vertices))?;
        let (_, order) = mesh.along_curve(driver)?;
        let answers = Buffer::new(driver, mesh.count)?;
        Ok(Self { mesh, order, answers })
    }

    /// The kernel parameter.
    pub fn parameter(&self, nominal_from_scan: &Pose) -> FacetsParameter {
        FacetsParameter {
            vertices: self.mesh.vertices.address(),
            facets: self.mesh.facets.address(),
            order: self.order.address(),
            count: self.mesh.count as u32,
            pad: 0,
            scan_from_nominal: pose_parameter(&nominal_from_scan.inverse()),
        }
    }

    /// Launches a kernel with the parameters tree, request and answers, one thread per facet.
    pub fn launch(&self, driver: &dyn Driver, kernel: &'static str, tree: &[u8], request: &[u8]) -> Result<()> {
        let answers = self.answers.address();
        launch_each(driver, kernel, self.mesh.count, &[tree, request, bytes_of(&answers)])
    }

    /// Launches a kernel with the parameters request and answers, one thread per facet.
    pub fn launch_without_tree(&self, driver: &dyn Driver, kernel: &'static str, request: &[u8]) -> Result<()> {
        let answers = self.answers.address();
        launch_each(driver, kernel, self.mesh.count, &[request, bytes_of(&answers)])
    }

    /// Waits for the answers and downloads them, by facet index.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        self.answers.read_as(|answer| FacetDeviation { deviation_mm: answer.deviation_mm, matches: answer.matches })
    }
}
