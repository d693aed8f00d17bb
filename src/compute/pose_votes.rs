//! Votes of the point pairs of a scene for poses of a part in it (Drost, Ulrich, Navab and Ilic, "Model globally, match
//! locally", CVPR 2010).

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::Pose;
use geometry::point_pairs::{OrientedPoint, PairTable};

/// A request for the poses with the most votes.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// All pairs of points of the part.
    pub table: &'a PairTable,
    /// The points of the part.
    pub model: &'a [OrientedPoint],
    /// The points of the scene.
    pub scene: &'a [OrientedPoint],
    /// Indices of the points of the scene whose pairs vote.
    pub references: &'a [u32],
    /// Whether the scene's normals are consistently oriented; otherwise both signs of each vote.
    pub oriented: bool,
}

/// A pose and its number of votes.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Maps the scene onto the part.
    pub model_from_scene: Pose,
    /// Votes, smoothed over neighbouring angles.
    pub votes: f64,
}

impl Capability for Request<'_> {
    /// The peaks of every reference point, in the order of these.
    type Answer = Vec<Peak>;

    const LABEL: &'static str = "Voting for poses";

    fn check(&self) -> Result<()> {
        if self.references.iter().all(|&reference| (reference as usize) < self.scene.len()) {
            return Ok(());
        }
        Err(UserError::internal("A reference point of a vote does not exist."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Vec<Peak>> {
        cpu::pose_votes::run(self, progress)
    }

    fn on_cuda(&self, _: &Cuda, progress: &Progress) -> Result<Vec<Peak>> {
        // Votes are counted on the CPU alone.
        self.on_cpu(progress)
    }
}
