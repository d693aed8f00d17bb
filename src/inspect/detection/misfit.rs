//! How badly poses explain the points about them: by the squared distances of all of them, so that poses are told apart
//! whose surfaces differ by less than the spacing of the points, or even than their noise.

use rayon::prelude::*;

use super::model::PartModel;
use super::scene::Scene;
use crate::alignment::Alignment;
use crate::alignment::best_fit::{self, Parameters, Problem};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::point_pairs::OrientedPoint;
use geometry::{OrderedPoints, Point, Pose, Vector};

/// Poses are compared by points within this share of the diameter of any of them.
const REACH: f64 = 0.05;
/// Most points that they are compared by. More would tell poses apart by what the shape of a real part differs from its CAD.
const MAX_POINTS: usize = 4_000;
/// Distance from which on a point does not lie on a part, in standard deviations of the points: of a pose that fits them, and
/// of one that may be somewhat off.
const CAP_SIGMAS: f64 = 3.0;
const ROUGH_CAP_SIGMAS: f64 = 8.0;
/// Points by which poses that may be somewhat off are compared.
const ROUGH_POINTS: usize = 800;
/// Distance from which on it is not drawn to a part, as a share of the diameter.
const GATE: f64 = 0.02;
/// Least cosine between the normal of a point and of the facet that it lies on.
const MIN_COSINE: f64 = 0.3;
/// Least difference of two misfits by which one pose is the better: about five points that only one of them explains.
pub const DECIDES: f64 = 20.0;

/// Points about some poses, by which these are compared.
pub struct Witnesses {
    points: OrderedPoints,
    /// Of the points by their number.
    normals: Vec<Vector>,
    oriented: bool,
    /// Standard deviation of the points that lie on a part, mm.
    sigma_mm: f64,
}

impl Witnesses {
    /// The points of a scene about some parts.
    pub fn about(scene: &Scene, parts: &[(&PartModel<'_>, Pose)]) -> Self {
        let mut near: Vec<u32> = Vec::new();
        let mut on_part_mm: Vec<f64> = Vec::new();
        for (model, scene_from_part) in parts {
            let reach_mm = REACH * model.diameter_mm;
            let part_from_scene = scene_from_part.inverse();
            let around = scene.near(&(scene_from_part * model.centre()), 0.5 * model.diameter_mm + reach_mm);
            near.extend(around.into_iter().filter(|&index| {
                !scene.is_background[index as usize]
                    && model.is_near(&(part_from_scene * scene.points[index as usize].point), reach_mm)
            }));
        }
        near.sort_unstable();
        near.dedup();
        let step = near.len().div_ceil(MAX_POINTS).max(1);
        let kept: Vec<u32> = near.into_iter().step_by(step).collect();
        let (points, normals) = scene.ordered(&kept);
        let mut own = Self { points, normals, oriented: scene.oriented, sigma_mm: scene.noise_mm };
        for (model, scene_from_part) in parts {
            let limit_mm = GATE * model.diameter_mm;
            on_part_mm.extend(own.distances(model, scene_from_part, limit_mm).into_iter().filter(|mm| *mm < limit_mm));
        }
        // Of the absolute values of a normal distribution, the median is 0.6745 of the standard deviation.
        let middle = on_part_mm.len() / 2;
        if !on_part_mm.is_empty() {
            let median_mm = *on_part_mm.select_nth_unstable_by(middle, f64::total_cmp).1;
            own.sigma_mm = own.sigma_mm.max(median_mm / 0.6745);
        }
        own
    }

    /// Half the sum of squares of the distances from a part, in standard deviations: a difference of two is that of the
    /// logarithms of their likelihoods.
    pub fn of(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> f64 {
        let cap_mm = CAP_SIGMAS * self.sigma_mm;
        let squares: f64 = self.distances(model, scene_from_part, cap_mm).iter().map(|mm| mm * mm).sum();
        0.5 * squares / (self.sigma_mm * self.sigma_mm).max(f64::MIN_POSITIVE)
    }

    /// As [`Self::of`], of some points and for poses that may be somewhat off.
    pub fn roughly(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> f64 {
        let cap_mm = ROUGH_CAP_SIGMAS * self.sigma_mm;
        let part_from_scene = scene_from_part.inverse();
        let squared = |point: &Point| {
            let hit = model.surface.closest_point(&(part_from_scene * point), cap_mm);
            hit.map_or(cap_mm, |hit| hit.distance_mm).powi(2)
        };
        let step = (self.points.points.len() / ROUGH_POINTS).max(1);
        self.points.points.iter().step_by(step).map(squared).sum()
    }

    /// The pose near another that fits the points, and its misfit; `None` if there are too few about it.
    pub fn fitted(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> Option<(f64, Pose)> {
        let pose = self.fit(model, scene_from_part).ok()?.nominal_from_scan.inverse();
        Some((self.of(model, &pose), pose))
    }

    fn fit(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> Result<Alignment> {
        let problem = Problem {
            target: Target::Surface(model.surface),
            bounds: *model.surface.bounds(),
            points: &self.points,
            normals: &self.normals,
            oriented: self.oriented,
        };
        let parameters = Parameters {
            max_iterations: 12,
            coarse_to_fine: false,
            step_limit_mm: 1e-5 * model.diameter_mm,
            change_limit: 1e-5,
            ..Parameters::default()
        };
        let (start, gate_mm) = (scene_from_part.inverse(), GATE * model.diameter_mm);
        best_fit::run_from_gate(&Cpu, &problem, &start, &parameters, gate_mm, &Progress::silent(), &mut |_, _| ())
    }

    /// Distances of the points from a part, at most `cap_mm`, mm.
    fn distances(&self, model: &PartModel<'_>, scene_from_part: &Pose, cap_mm: f64) -> Vec<f64> {
        let part_from_scene = scene_from_part.inverse();
        let of = |own: &OrientedPoint| {
            let hit = model.surface.closest_point(&(part_from_scene * own.point), cap_mm)?;
            let normal = scene_from_part.rotation * model.surface.mesh().normal(hit.facet as usize);
            let cosine = own.normal.dot(&normal);
            let agrees = if self.oriented { cosine > MIN_COSINE } else { cosine.abs() > MIN_COSINE };
            agrees.then_some(hit.distance_mm)
        };
        let number = |at: usize| self.points.numbers.get(at).copied().unwrap_or_default() as usize;
        let points = self.points.points.par_iter().enumerate();
        points
            .map(|(at, point)| of(&OrientedPoint { point: *point, normal: self.normals[number(at)] }).unwrap_or(cap_mm))
            .collect()
    }
}
