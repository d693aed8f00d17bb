//! How well poses of a part explain a scene: what of the part is seen, hidden, or missing where it should be seen.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::point_pairs::OrientedPoint;
use geometry::range_image::Pixel;
use geometry::{Pose, Probes, RangeImage};

/// How much a probe that is missing, or tilted, weighs against one that is explained.
const MISSING_AGAINST: f64 = 2.0;
const TILTED_AGAINST: f64 = 0.5;
/// How much an unknown probe counts as facing the sensor.
const UNKNOWN_FACES: f64 = 0.3;

/// Least cosine between a probe's normal and the line of sight at which it counts as facing the sensor (73°): less is
/// returned from flatter surfaces, if anything. As in pose_scores.cu.
pub const MIN_FACING: f64 = 0.3;
/// Least cosine between the normals of a probe and of the point that explains it. As in pose_scores.cu.
pub const MIN_AGREEMENT: f64 = 0.6;

/// What became of the probes of a part in a pose; `Terms` of pose_scores.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Terms {
    /// Probes that the sensor would see if nothing else were there.
    pub facing: u32,
    /// Of these: measured where they should be.
    pub explained: u32,
    /// The scene lies behind them: nothing is where the part should be.
    pub missing: u32,
    /// The scene lies before them.
    pub hidden: u32,
    /// At their position, but with another direction of the surface.
    pub tilted: u32,
    /// Nothing was measured towards them, or they lie in the floor: unknown.
    pub unknown: u32,
}

impl Terms {
    /// Share of the part's outer surface facing the sensor that was measured, 0 to 1.
    pub fn visible_fraction(&self) -> f64 {
        f64::from(self.explained) / f64::from(self.facing.max(1))
    }

    /// Share of what can be said of the facing surface that speaks for the pose, 0 to 1.
    pub fn agreement(&self) -> f64 {
        let explained = f64::from(self.explained);
        explained / (explained + f64::from(self.missing) + TILTED_AGAINST * f64::from(self.tilted)).max(1.0)
    }

    /// By which poses are compared: what is explained, less what should be seen and is not, as a share of what faces the
    /// sensor; at most 1. What was not measured counts little: steep and dark surfaces return nothing.
    pub fn score(&self) -> f64 {
        let against = MISSING_AGAINST * f64::from(self.missing) + TILTED_AGAINST * f64::from(self.tilted);
        let facing = f64::from(self.facing) - (1.0 - UNKNOWN_FACES) * f64::from(self.unknown);
        (f64::from(self.explained) - against) / facing.max(1.0)
    }
}

/// A request for what is seen of a part in each of several poses.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Points of the part.
    pub probes: &'a Probes,
    /// Every which of them is judged; at least 1.
    pub step: usize,
    /// The scene as the sensor sees it.
    pub image: &'a RangeImage,
    /// Points of the scene, with normals facing the sensor.
    pub scene: &'a [OrientedPoint],
    /// By point of the scene: whether it belongs to no part.
    pub is_background: &'a [bool],
    /// Poses of the part.
    pub scene_from_part: &'a [Pose],
    /// By pose: greatest distance of a point from the probe that it explains, mm.
    pub tolerances_mm: &'a [f64],
}

impl Capability for Request<'_> {
    /// By pose.
    type Answer = Vec<Terms>;

    const LABEL: &'static str = "Judging poses";

    fn check(&self) -> Result<()> {
        let scene = self.scene.len();
        let is_within = |own: &Pixel| own.index == u32::MAX || (own.index as usize) < scene;
        let are_whole = self.is_background.len() == scene && self.tolerances_mm.len() == self.scene_from_part.len();
        if are_whole && self.image.pixels.par_iter().all(is_within) {
            return Ok(());
        }
        Err(UserError::internal("Poses are judged by another scene than that of the range image."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Vec<Terms>> {
        cpu::pose_scores::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _progress: &Progress) -> Result<Vec<Terms>> {
        cuda.prepare_pose_scores(self)?.run()
    }
}
