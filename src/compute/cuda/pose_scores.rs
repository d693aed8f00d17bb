//! What is seen of a part in each of several poses, on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, require};
use super::flat;
use super::queries::pose_parameter;
use crate::Capability;
use crate::pose_scores::{Request, Terms};
use base::Result;
use geometry::range_image::Pixel;

/// Threads of a block.
const THREADS: u32 = 128;

/// `Request` of pose_scores.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    pixels: u64,
    size: [u32; 2],
    viewpoint: [f64; 3],
    axes: [[f64; 3]; 3],
    first: [f64; 2],
    pixels_per_tangent: f64,
    probes: u64,
    seen_from: u64,
    scene: u64,
    is_background: u64,
    scene_from_part: u64,
    tolerances_mm: u64,
    probe_count: u32,
    step: u32,
}

/// Poses to be judged, resident on a device; can be launched repeatedly.
pub struct PoseScoresJob {
    driver: Arc<dyn Driver>,
    parameter: RequestParameter,
    poses: Buffer<[f64; 7]>,
    terms: Buffer<Terms>,
    /// What the parameter refers to besides.
    _pixels: Buffer<Pixel>,
    _oriented: [Buffer<f64>; 2],
    _seen_from: Buffer<u32>,
    _is_background: Buffer<u8>,
    _tolerances: Buffer<f64>,
}

impl PoseScoresJob {
    /// Uploads part, scene and poses.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let Request { probes, image, scene, .. } = *request;
        let poses: Vec<[f64; 7]> = request.scene_from_part.iter().map(pose_parameter).collect();
        let of_part = probes.points.len() * 48 + size_of_val(probes.seen_from.as_slice());
        let of_scene = size_of_val(image.pixels.as_slice()) + scene.len() * 49;
        require(driver.as_ref(), of_part + of_scene + poses.len() * 80, Request::LABEL)?;
        let is_background: Vec<u8> = request.is_background.iter().map(|&own| u8::from(own)).collect();
        let poses = Buffer::from_slice(driver, &poses)?;
        let tolerances = Buffer::from_slice(driver, request.tolerances_mm)?;
        let pixels = Buffer::from_slice(driver, &image.pixels)?;
        let oriented = [&probes.points, scene].map(|points| Buffer::from_slice(driver, flat::of_oriented(points)));
        let [of_probes, of_scene] = oriented;
        let oriented = [of_probes?, of_scene?];
        let seen_from = Buffer::from_slice(driver, probes.seen_from.as_flattened())?;
        let is_background = Buffer::from_slice(driver, &is_background)?;
        let parameter = RequestParameter {
            pixels: pixels.address(),
            size: image.pinhole.size,
            viewpoint: image.viewpoint.coords.into(),
            axes: image.pinhole.axes.map(Into::into),
            first: image.pinhole.first,
            pixels_per_tangent: image.pinhole.pixels_per_tangent,
            probes: oriented[0].address(),
            seen_from: seen_from.address(),
            scene: oriented[1].address(),
            is_background: is_background.address(),
            scene_from_part: poses.address(),
            tolerances_mm: tolerances.address(),
            probe_count: probes.points.len() as u32,
            step: request.step.max(1) as u32,
        };
        Ok(Self {
            driver: Arc::clone(driver),
            parameter,
            terms: Buffer::new(driver, poses.count())?,
            poses,
            _pixels: pixels,
            _oriented: oriented,
            _seen_from: seen_from,
            _is_background: is_background,
            _tolerances: tolerances,
        })
    }

    /// Launches the judgement, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let blocks = self.poses.count() as u32;
        if blocks == 0 {
            return Ok(());
        }
        let terms = self.terms.address();
        let arguments: [&[u8]; 2] = [bytes_of(&self.parameter), bytes_of(&terms)];
        self.driver.launch("score_poses", blocks, THREADS, &arguments)
    }

    /// Waits for the judgement and downloads it, by pose.
    pub fn read(&self) -> Result<Vec<Terms>> {
        self.terms.read()
    }

    /// Judges once.
    pub fn run(&self) -> Result<Vec<Terms>> {
        self.launch()?;
        self.read()
    }
}
