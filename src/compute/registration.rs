//! Iterations of registration: find correspondences, weigh them, sum the normal equations.

use nalgebra::{Matrix6, Vector6};

use base::{Progress, Result};
use geometry::{KdTree, OrderedPoints, Point, Pose, Surface, Vector};

/// What a scan is registered onto.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// A nominal with facets.
    Surface(&'a Surface),
    /// Another cloud: its points, their tree and unit normals (of either sign).
    Cloud {
        /// The points, mm.
        points: &'a [Point],
        /// Their tree.
        tree: &'a KdTree,
        /// Their normals.
        normals: &'a [Vector],
    },
}

/// The distance that a registration minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Distance to the true surface, edges and corners included.
    #[default]
    PointToTriangle,
    /// Distance to the plane of the closest facet (Chen and Medioni 1991).
    PointToPlane,
    /// Distance to the closest point, held fixed during the step (Besl and McKay 1992).
    PointToPoint,
}

/// How correspondences are weighed by their distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Robust {
    /// All the same.
    None,
    /// Tukey's biweight with its limit at 4.685 robust standard deviations (1.4826 times the median absolute
    /// distance), not below `floor_mm`.
    #[default]
    Tukey,
}

/// What stays the same from iteration to iteration.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The nominal.
    pub target: Target<'a>,
    /// Scan points along a space-filling curve, scan frame, mm.
    pub points: &'a OrderedPoints,
    /// Their unit normals by point number, scan frame; empty for no normal gate.
    pub normals: &'a [Vector],
    /// Whether the normals know their sign; otherwise the gate compares them up to it.
    pub oriented: bool,
}

/// What one iteration is asked.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Takes every `stride`-th point along the curve: an even subset that is still in order.
    pub stride: usize,
    /// The pose of this iteration.
    pub nominal_from_scan: Pose,
    /// Rotations are taken about this place, nominal frame, mm.
    pub pivot: Point,
    /// Correspondences farther apart are dropped, mm.
    pub max_distance_mm: f64,
    /// Correspondences whose normals lean apart more are dropped, rad.
    pub max_angle_rad: f64,
    /// Share of the farthest correspondences to drop, 0 to below 1.
    pub trim: f64,
    /// Weighing.
    pub robust: Robust,
    /// Smallest robust scale, mm.
    pub floor_mm: f64,
    /// What is minimised.
    pub metric: Metric,
}

/// A registration held ready on a device.
pub trait Registration {
    /// Correspondences, weights and normal equations of one iteration.
    /// Only asks `progress` whether to go on: the caller knows how many iterations there are.
    fn step(&mut self, step: &Step, progress: &Progress) -> Result<Answer>;
}

/// What is answered. Unknowns are ordered rotation x, y, z (rad, about the pivot), translation x, y, z (mm).
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
    /// Sum of d(w r)/dr: below the sum of w by how much the weights themselves give way.
    pub curvature: f64,
    /// Correspondences within distance and angle.
    pub matched: usize,
    /// Those left after trimming and with some weight.
    pub used: usize,
    /// Robust standard deviation of the distances, mm.
    pub scale_mm: f64,
}

impl Answer {
    /// Root of the weighted mean square, mm: what the iteration minimises.
    pub fn rms_mm(&self) -> f64 {
        if self.weight > 0.0 { (self.weighted_squares / self.weight).sqrt() } else { 0.0 }
    }
}
