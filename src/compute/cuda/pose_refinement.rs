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
use geometry::nearest_facets::{Candidate, LatticeFacet};
use geometry::{NearestFacets, Pose};

/// `Request` of pose_refinement.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    starts: u64,
    candidates: u64,
    facets: u64,
    size: [u32; 3],
    pad: u32,
    origin: [f64; 3],
    cell_mm: f64,
    scene: u64,
    part_from_scene: u64,
    scene_count: u32,
    pose_count: u32,
    max_points: u32,
    max_steps: u32,
    oriented: u32,
    is_rough: u32,
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

/// A lattice about a part, resident on a device.
pub struct DeviceLattice {
    starts: Buffer<u32>,
    candidates: Buffer<Candidate>,
    facets: Buffer<LatticeFacet>,
}

impl DeviceLattice {
    /// Uploads a lattice.
    pub(super) fn new(driver: &Arc<dyn Driver>, lattice: &NearestFacets<'_>) -> Result<Self> {
        Ok(Self {
            starts: Buffer::from_slice(driver, lattice.starts())?,
            candidates: Buffer::from_slice(driver, lattice.candidates())?,
            facets: Buffer::from_slice(driver, lattice.facets())?,
        })
    }

    /// Bytes of one on the device.
    pub(super) fn bytes(lattice: &NearestFacets<'_>) -> usize {
        size_of_val(lattice.starts()) + size_of_val(lattice.candidates()) + size_of_val(lattice.facets())
    }
}

/// Poses to be fitted, resident on a device; can be launched repeatedly.
pub struct PoseRefinementJob {
    driver: Arc<dyn Driver>,
    parameter: RequestParameter,
    poses: Buffer<[f64; 7]>,
    refined: Buffer<DeviceRefined>,
    /// What the parameter refers to besides.
    _lattice: Arc<DeviceLattice>,
    _scene: Buffer<f64>,
}

impl PoseRefinementJob {
    /// Uploads scene and poses.
    pub(super) fn new(driver: &Arc<dyn Driver>, lattice: Arc<DeviceLattice>, request: &Request<'_>) -> Result<Self> {
        let scene = request.scene;
        let poses: Vec<[f64; 7]> = request.part_from_scene.iter().map(pose_parameter).collect();
        require(driver.as_ref(), scene.len() * 48 + poses.len() * 128, Request::LABEL)?;
        let poses = Buffer::from_slice(driver, &poses)?;
        let points = Buffer::from_slice(driver, flat::of_oriented(scene))?;
        let parameter = RequestParameter {
            starts: lattice.starts.address(),
            candidates: lattice.candidates.address(),
            facets: lattice.facets.address(),
            size: request.lattice.size(),
            pad: 0,
            origin: request.lattice.origin().coords.into(),
            cell_mm: request.lattice.cell_mm(),
            scene: points.address(),
            part_from_scene: poses.address(),
            scene_count: scene.len() as u32,
            pose_count: poses.count() as u32,
            max_points: request.max_points as u32,
            max_steps: request.max_steps as u32,
            oriented: u32::from(request.oriented),
            is_rough: u32::from(request.is_rough),
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
            _lattice: lattice,
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
