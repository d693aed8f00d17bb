//! Iterations of a registration: correspondences, their weights, and the sums of the normal equations.

use nalgebra::{Matrix6, Vector6};

use base::{Progress, Result};
use geometry::{KdTree, OrderedPoints, Point, Pose, Surface, Vector};

/// The object a scan is registered onto.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// Surface of a nominal.
    Surface(&'a Surface),
    /// Another cloud.
    Cloud {
        /// The points, mm.
        points: &'a [Point],
        /// k-d tree of the points.
        tree: &'a KdTree,
        /// Unit normals of the points, of either sign.
        normals: &'a [Vector],
    },
}

/// Distance minimised by the registration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Distance to the surface, edges and vertices included.
    #[default]
    PointToTriangle,
    /// Distance to the plane of the closest facet (Chen and Medioni 1991).
    PointToPlane,
    /// Distance to the closest point, which is held fixed during the step (Besl and McKay 1992).
    PointToPoint,
}

/// Cut-off of Tukey's biweight in robust standard deviations: 95 % efficiency for normally distributed residuals. As in
/// registration.cu.
pub const TUKEY_CUTOFF: f64 = 4.685;

/// Weighting of the correspondences by their distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Robust {
    /// Equal weights.
    None,
    /// Tukey's biweight with its cut-off at [`TUKEY_CUTOFF`] robust standard deviations (1.4826 times the median absolute
    /// distance, at least [`Step::floor_mm`]).
    #[default]
    Tukey,
}

/// The part of the problem that is the same in all iterations.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The object registered onto, nominal frame.
    pub target: Target<'a>,
    /// Points of the scan along a space-filling curve, scan frame, mm.
    pub points: &'a OrderedPoints,
    /// Unit normals by point index, scan frame; empty for no angle gate.
    pub normals: &'a [Vector],
    /// Whether the normals are consistently oriented; otherwise they are compared up to sign.
    pub oriented: bool,
}

/// Parameters of one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Uses every `stride`-th point along the curve: an evenly distributed subset in the same order.
    pub stride: usize,
    /// Pose at which correspondences are found and the equations are linearised.
    pub nominal_from_scan: Pose,
    /// Centre of rotation, nominal frame, mm.
    pub pivot: Point,
    /// Maximum distance of a correspondence, mm.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of a correspondence, rad.
    pub max_angle_rad: f64,
    /// Fraction of the most distant correspondences to reject, at least 0 and below 1.
    pub trim: f64,
    /// Weighting of the correspondences.
    pub robust: Robust,
    /// Lower limit of the robust scale, mm.
    pub floor_mm: f64,
    /// Distance to minimise.
    pub metric: Metric,
}

/// A registration prepared on a device.
pub trait Registration {
    /// Computes the normal equations of one iteration. Only checks `progress` for cancellation: the caller knows the
    /// number of iterations.
    fn step(&mut self, step: &Step, progress: &Progress) -> Result<Answer>;
}

/// Normal equations of one iteration. Order of the unknowns: rotation about x, y, z (rad, about the pivot), translation
/// along x, y, z (mm).
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Sum of w J'J.
    pub hessian: Matrix6<f64>,
    /// Sum of w J'r.
    pub gradient: Vector6<f64>,
    /// Sum of w r², mm².
    pub weighted_squares: f64,
    /// Sum of w.
    pub weight: f64,
    /// Sum of d(w r)/dr: less than the sum of w, as the weights decrease with the residual.
    pub curvature: f64,
    /// Number of correspondences within the limits of distance and angle.
    pub matched: usize,
    /// Number of those that remain after trimming and have a weight above 0.
    pub used: usize,
    /// Robust standard deviation of the distances, mm.
    pub scale_mm: f64,
}

impl Answer {
    /// Weighted root mean square of the residuals, mm: the quantity minimised. 0 without weight.
    pub fn rms_mm(&self) -> f64 {
        if self.weight > 0.0 { (self.weighted_squares / self.weight).sqrt() } else { 0.0 }
    }
}
