//! How badly poses explain the points about them: by the squared distances of all of them, so that poses are told apart
//! whose surfaces differ by less than the spacing of the points, or even than their noise.
//!
//! Poses are first fitted by the lattice of the part, whose distances are too large near edges, and compared by it; only
//! those that may decide are fitted to the facets themselves.

use rayon::prelude::*;

use super::model::PartModel;
use super::scene::Scene;
use crate::alignment::best_fit::{self, Parameters, Problem};
use base::Progress;
use compute::Compute as _;
use compute::cpu::Cpu;
use compute::pose_refinement::{MAX_MEMBERS, Refined, Request};
use compute::registration::Target;
use geometry::point_pairs::OrientedPoint;
use geometry::{OrderedPoints, Pose, Vector};

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
/// The same where fits by the lattice end and those to the facets begin, and least distance for that, in standard deviations
/// of the points.
const LATTICE_GATE: f64 = 4e-3;
const EXACT_GATE: f64 = 0.01;
const LAST_GATE_SIGMAS: f64 = 5.0;
/// Most steps of a fit by the lattice, of one to the facets that begins where that ended, and of one from anywhere near.
const LATTICE_STEPS: usize = 15;
const EXACT_STEPS: usize = 6;
const STEPS: usize = 40;
/// Least cosine between the normal of a point and of the facet that it lies on.
const MIN_COSINE: f64 = 0.3;
/// Least difference of two misfits by which one pose is the better: about five points that only one of them explains.
pub const DECIDES: f64 = 20.0;

/// How much worse a pose may fit than another by the lattice and still be compared exactly: as a share of the misfit of the
/// other, and at least.
const LATTICE_MARGINS: (f64, f64) = (0.3, 10.0 * DECIDES);

/// Points about some poses, by which these are compared.
pub struct Witnesses {
    points: OrderedPoints,
    /// Of the points by their number.
    normals: Vec<Vector>,
    /// The points with their normals.
    oriented_points: Vec<OrientedPoint>,
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
        let number = |at: usize| points.numbers.get(at).copied().unwrap_or_default() as usize;
        let oriented_points = points.points.iter().enumerate();
        let oriented_points =
            oriented_points.map(|(at, point)| OrientedPoint { point: *point, normal: normals[number(at)] });
        let oriented_points = oriented_points.collect();
        let mut own = Self { points, normals, oriented_points, oriented: scene.oriented, sigma_mm: scene.noise_mm };
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

    /// As [`Self::of`], by the lattice, of some points, and for poses that may be somewhat off; mm².
    pub fn roughly(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> f64 {
        let cap_mm2 = (ROUGH_CAP_SIGMAS * self.sigma_mm).powi(2);
        let part_from_scene = scene_from_part.inverse();
        let squared_mm2 = |own: &OrientedPoint| {
            model.lattice.near(&(part_from_scene * own.point)).map_or(cap_mm2, |near| near.squared_mm2.min(cap_mm2))
        };
        let step = (self.oriented_points.len() / ROUGH_POINTS).max(1);
        self.oriented_points.iter().step_by(step).map(squared_mm2).sum()
    }

    /// The poses near some that fit the points, and their misfits by the lattice; `None` where there are too few about one.
    pub fn fitted_by_lattice(&self, model: &PartModel<'_>, scene_from_part: &[Pose]) -> Vec<Option<(f64, Pose)>> {
        let starts: Vec<Pose> = scene_from_part.iter().map(Pose::inverse).collect();
        let first_mm = GATE * model.diameter_mm;
        let request = Request {
            lattice: &model.lattice,
            centre: model.centre(),
            radius_mm: 0.5 * model.diameter_mm,
            scene: &self.oriented_points,
            oriented: self.oriented,
            part_from_scene: &starts,
            gates_mm: [first_mm, self.gate_mm(model, LATTICE_GATE).min(first_mm)],
            min_cosine: 0.5,
            max_points: MAX_MEMBERS,
            max_steps: LATTICE_STEPS,
            step_limit_mm: 1e-5 * model.diameter_mm,
        };
        let fitted = Cpu.compute(&request, &Progress::silent()).unwrap_or_default();
        let with_misfit = |own: Refined| (self.by_lattice(model, &own.part_from_scene), own.part_from_scene.inverse());
        fitted.into_par_iter().map(|own| own.map(with_misfit)).collect()
    }

    /// Whether a pose may fit as well as another, by their misfits by the lattice.
    pub fn may_decide(misfit: f64, other: f64) -> bool {
        let (share, least) = LATTICE_MARGINS;
        misfit < other + (share * other).max(least)
    }

    /// The pose near another that fits the points, and its misfit; `None` if there are too few about it.
    pub fn fitted(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> Option<(f64, Pose)> {
        self.fit(model, scene_from_part, GATE * model.diameter_mm, STEPS)
    }

    /// As [`Self::fitted`], of a pose fitted by the lattice.
    pub fn fitted_on(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> Option<(f64, Pose)> {
        self.fit(model, scene_from_part, self.gate_mm(model, EXACT_GATE), EXACT_STEPS)
    }

    fn gate_mm(&self, model: &PartModel<'_>, share: f64) -> f64 {
        (share * model.diameter_mm).max(LAST_GATE_SIGMAS * self.sigma_mm)
    }

    /// As [`Self::of`], by the lattice.
    fn by_lattice(&self, model: &PartModel<'_>, part_from_scene: &Pose) -> f64 {
        let cap_mm2 = (CAP_SIGMAS * self.sigma_mm).powi(2);
        let squared = |own: &OrientedPoint| {
            let near = model.lattice.near(&(part_from_scene * own.point))?;
            let cosine = near.normal.dot(&(part_from_scene.rotation * own.normal));
            let agrees = if self.oriented { cosine > MIN_COSINE } else { cosine.abs() > MIN_COSINE };
            agrees.then_some(near.squared_mm2.min(cap_mm2))
        };
        let squares: f64 = self.oriented_points.iter().map(|own| squared(own).unwrap_or(cap_mm2)).sum();
        0.5 * squares / (self.sigma_mm * self.sigma_mm).max(f64::MIN_POSITIVE)
    }

    fn fit(
        &self,
        model: &PartModel<'_>,
        scene_from_part: &Pose,
        gate_mm: f64,
        max_iterations: usize,
    ) -> Option<(f64, Pose)> {
        let problem = Problem {
            target: Target::Surface(model.surface),
            bounds: *model.surface.bounds(),
            points: &self.points,
            normals: &self.normals,
            oriented: self.oriented,
        };
        let parameters = Parameters {
            max_iterations,
            coarse_to_fine: false,
            step_limit_mm: 1e-5 * model.diameter_mm,
            change_limit: 1e-5,
            ..Parameters::default()
        };
        let (start, silent) = (scene_from_part.inverse(), Progress::silent());
        let fitted =
            best_fit::run_from_gate(&Cpu, &problem, &start, &parameters, gate_mm, &silent, &mut |_, _| ()).ok()?;
        let pose = fitted.nominal_from_scan.inverse();
        Some((self.of(model, &pose), pose))
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
        self.oriented_points.par_iter().map(|own| of(own).unwrap_or(cap_mm)).collect()
    }
}
