//! Many poses of a part brought onto a scene at once: a few steps each of a robust fit to the points around it.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::point_pairs::OrientedPoint;
use geometry::{NearestFacets, Point, Pose};

/// Shares of a step that are summed apart and added in a fixed order, on every device; `LANES` of pose_refinement.cu.
pub(crate) const LANES: usize = 64;
/// Most points that a pose is fitted to; `MAX_MEMBERS` of pose_refinement.cu.
pub const MAX_MEMBERS: usize = 2_560;
/// How far beyond the first gate points are taken that may come within it.
pub(crate) const MEMBER_GATE: f64 = 1.5;
/// By which the gate narrows from one step to the next.
pub(crate) const NARROWING: f64 = 0.8;
/// Added to the diagonal of the normal equations, as a share of it: what the points leave open stays where it is.
pub(crate) const DAMPING: f64 = 1e-3;
/// Fewest points that fix a pose.
pub(crate) const MIN_POINTS: f64 = 6.0;

/// A request to fit poses.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The part.
    pub lattice: &'a NearestFacets<'a>,
    /// Centre of the part, and radius of a ball about it that holds all of the part; part frame, mm.
    pub centre: Point,
    /// See `centre`.
    pub radius_mm: f64,
    /// Points of the scene.
    pub scene: &'a [OrientedPoint],
    /// Whether their normals are consistently oriented.
    pub oriented: bool,
    /// Whether facets that are about the nearest will do.
    pub is_rough: bool,
    /// Where to start.
    pub part_from_scene: &'a [Pose],
    /// Greatest distance of a point from the part at first and at last, mm.
    pub gates_mm: [f64; 2],
    /// Least cosine between the normals of a point and of the part.
    pub min_cosine: f64,
    /// Most points of one pose, up to [`MAX_MEMBERS`].
    pub max_points: usize,
    /// Most steps.
    pub max_steps: usize,
    /// A step that moves the part by less ends the fit, mm.
    pub step_limit_mm: f64,
}

/// A fitted pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refined {
    /// Maps the scene onto the part.
    pub part_from_scene: Pose,
    /// Weighted RMS distance of the points within the gate before the last step, mm.
    pub rms_mm: f64,
    /// How many these were.
    pub used: usize,
}

impl Capability for Request<'_> {
    /// By start; `None` where too few points lie around it.
    type Answer = Vec<Option<Refined>>;

    const LABEL: &'static str = "Fitting poses";

    fn check(&self) -> Result<()> {
        if (1..=MAX_MEMBERS).contains(&self.max_points) && self.gates_mm[0] >= self.gates_mm[1] {
            return Ok(());
        }
        Err(UserError::internal("A fit of poses takes too many points, or its gates widen."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Vec<Option<Refined>>> {
        cpu::pose_refinement::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Vec<Option<Refined>>> {
        if !self.is_rough && !self.lattice.is_complete() {
            return self.on_cpu(progress);
        }
        cuda.prepare_pose_refinement(self)?.run()
    }
}
