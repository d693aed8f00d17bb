//! Many poses of a part brought onto a scene, on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};
use nalgebra::{Quaternion, Translation3, UnitQuaternion};

use super::driver::{Buffer, Driver, require};
use super::flat;
use super::queries::pose_parameter;
use crate::Capability;
use crate::pose_refinement::{LANES, Refined, Request};
use base::Result;
use geometry::Pose;
use geometry::nearest_facets::LatticeFacet;

/// `Request` of pose_refinement.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    cells: u64,
    facets: u64,
    size: [u32; 3],
    facet_count: u32,
    origin: [f64; 3],
    cells_per_mm: f64,
    scene: u64,
    part_from_scene: u64,
    scene_count: u32,
    pose_count: u32,
    max_points: u32,
    max_steps: u32,
    oriented: u32,
    pad: u32,
    centre: [f64; 3],
    radius_mm: f64,
    gates_mm: [f64; 2],
    min_cosine: f64,
    step_limit_mm: f64,
}

/// `Refined` of pose_refinement.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct DeviceRefined {
    pose: [f64; 7],
    rms_mm: f64,
    used: f64,
}

/// Poses to be fitted, resident on a device; can be launched repeatedly.
pub struct PoseRefinementJob {
    driver: Arc<dyn Driver>,
    parameter: RequestParameter,
    poses: Buffer<[f64; 7]>,
    refined: Buffer<DeviceRefined>,
    /// What the parameter refers to besides.
    _cells: Buffer<u32>,
    _facets: Buffer<LatticeFacet>,
    _scene: Buffer<f64>,
}

impl PoseRefinementJob {
    /// Uploads part, scene and poses.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let Request { lattice, scene, .. } = *request;
        let poses: Vec<[f64; 7]> = request.part_from_scene.iter().map(pose_parameter).collect();
        let of_part = size_of_val(lattice.cells.as_slice()) + size_of_val(lattice.facets.as_slice());
        require(driver.as_ref(), of_part + scene.len() * 48 + poses.len() * 128, Request::LABEL)?;
        let poses = Buffer::from_slice(driver, &poses)?;
        let cells = Buffer::from_slice(driver, &lattice.cells)?;
        let facets = Buffer::from_slice(driver, &lattice.facets)?;
        let points = Buffer::from_slice(driver, flat::of_oriented(scene))?;
        let parameter = RequestParameter {
            cells: cells.address(),
            facets: facets.address(),
            size: lattice.size,
            facet_count: facets.count() as u32,
            origin: lattice.origin.coords.into(),
            cells_per_mm: lattice.cells_per_mm,
            scene: points.address(),
            part_from_scene: poses.address(),
            scene_count: scene.len() as u32,
            pose_count: poses.count() as u32,
            max_points: request.max_points as u32,
            max_steps: request.max_steps as u32,
            oriented: u32::from(request.oriented),
            pad: 0,
            centre: request.centre.coords.into(),
            radius_mm: request.radius_mm,
            gates_mm: request.gates_mm,
            min_cosine: request.min_cosine,
            step_limit_mm: request.step_limit_mm,
        };
        Ok(Self {
            driver: Arc::clone(driver),
            parameter,
            refined: Buffer::new(driver, poses.count())?,
            poses,
            _cells: cells,
            _facets: facets,
            _scene: points,
        })
    }

    /// Launches the fits, without waiting for them.
    pub fn launch(&self) -> Result<()> {
        let blocks = self.poses.count() as u32;
        if blocks == 0 {
            return Ok(());
        }
        let refined = self.refined.address();
        let arguments: [&[u8]; 2] = [bytes_of(&self.parameter), bytes_of(&refined)];
        self.driver.launch("refine_poses", blocks, LANES as u32, &arguments)
    }

    /// Waits for the fits and downloads them, by start.
    pub fn read(&self) -> Result<Vec<Option<Refined>>> {
        self.refined.read_as(|own| {
            let [i, j, k, w, x, y, z] = own.pose;
            let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
            let part_from_scene = Pose::from_parts(Translation3::new(x, y, z), rotation);
            (own.used > 0.0).then_some(Refined { part_from_scene, rms_mm: own.rms_mm, used: own.used as usize })
        })
    }

    /// Fits once.
    pub fn run(&self) -> Result<Vec<Option<Refined>>> {
        self.launch()?;
        self.read()
    }
}
