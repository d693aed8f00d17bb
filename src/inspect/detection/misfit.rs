//! How badly poses explain the points about them: by the squared distances of all of them, so that poses are told apart
//! whose surfaces differ by less than the spacing of the points, or even than their noise.

use rayon::prelude::*;

use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::search::unlike;
use base::Progress;
use compute::Compute as _;
use compute::cpu::Cpu;
use compute::pose_refinement::{MAX_MEMBERS, Refined, Request};
use geometry::Pose;
use geometry::point_pairs::OrientedPoint;

/// Poses are compared by points within this share of the diameter of any of them.
pub const REACH: f64 = 0.05;
/// Most points that they are compared by. More would tell poses apart by what the shape of a real part differs from its CAD.
const MAX_POINTS: usize = 4_000;
/// Distance from which on a point does not lie on a part, in standard deviations of the points: of a pose that fits them, and
/// of one that may be somewhat off.
const CAP_SIGMAS: f64 = 3.0;
const ROUGH_CAP_SIGMAS: f64 = 8.0;
/// Points by which poses that may be somewhat off are compared.
const ROUGH_POINTS: usize = 800;
/// Distance from which on it is not drawn to a part at first, as a share of the diameter: where the pose is about known, and
/// where it was fitted to other points.
pub const GATE: f64 = 0.02;
pub const CLOSE_GATE: f64 = 0.01;
/// The same at last, in standard deviations of the points.
const LAST_GATE_SIGMAS: f64 = 5.0;
/// Most steps of a fit.
const STEPS: usize = 20;
/// Least cosine between the normal of a point and of the facet that it lies on; and where normals hardly count: that of the other
/// side of a sheet is less.
const MIN_COSINE: f64 = 0.3;
const MIN_COSINE_AT_EDGES: f64 = -0.3;
/// Least difference of two misfits by which one pose is the better: about five points that only one of them explains.
pub const DECIDES: f64 = 20.0;
/// Which poses fit much worse than another is told by every so many of the points, after a fit to at most so many of these in at
/// most so many steps, and by how much more the misfit of all points would be.
const FEWER: usize = 8;
const FEW_MEMBERS: usize = 200;
const FEW_STEPS: usize = 8;
const HOPELESS: f64 = 5.0 * DECIDES;
/// Of the others, those that look alike count as one: greatest distance of the surfaces, as a share of the diameter.
const ALIKE: f64 = 2e-3;
/// Most that are fitted to all points, and in how many steps.
const FINALISTS: usize = 4;
const LAST_STEPS: usize = 8;

/// Indices of the points of a scene about a part, ascending.
pub fn near(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose) -> Vec<u32> {
    let reach_mm = REACH * model.diameter_mm;
    let part_from_scene = scene_from_part.inverse();
    let mut near = scene.near(&(scene_from_part * model.centre()), 0.5 * model.diameter_mm + reach_mm);
    near.retain(|&index| {
        !scene.is_background[index as usize]
            && model.is_near(&(part_from_scene * scene.points[index as usize].point), reach_mm)
    });
    near.sort_unstable();
    near
}

/// Points about some poses, by which these are compared.
pub struct Witnesses {
    points: Vec<OrientedPoint>,
    oriented: bool,
    /// Standard deviation of the points that lie on a part, mm.
    sigma_mm: f64,
    /// Least cosine between the normal of a point and of the facet that it lies on.
    min_cosine: f64,
}

impl Witnesses {
    /// The points of a scene about a part.
    pub fn about(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose) -> Self {
        let near = near(model, scene, scene_from_part);
        Self::of_points(scene, near, &[(model, Placement::rigid(scene_from_part))])
    }

    /// Some points of a scene that lie about some parts, by their indices.
    pub fn of_points(scene: &Scene, indices: Vec<u32>, parts: &[(&PartModel<'_>, Placement)]) -> Self {
        let step = indices.len().div_ceil(MAX_POINTS).max(1);
        let points = indices.into_iter().step_by(step).map(|index| scene.points[index as usize]).collect();
        let mut own = Self { points, oriented: scene.oriented, sigma_mm: scene.noise_mm, min_cosine: MIN_COSINE };
        let mut on_part_mm: Vec<f64> = Vec::new();
        for (model, placement) in parts {
            let limit_mm = GATE * model.diameter_mm;
            on_part_mm.extend(own.distances(model, placement, limit_mm).filter(|mm| *mm < limit_mm));
        }
        // Of the absolute values of a normal distribution, the median is 0.6745 of the standard deviation.
        let middle = on_part_mm.len() / 2;
        if !on_part_mm.is_empty() {
            let median_mm = *on_part_mm.select_nth_unstable_by(middle, f64::total_cmp).1;
            own.sigma_mm = own.sigma_mm.max(median_mm / 0.6745);
        }
        own
    }

    /// The same points, whatever their normals: where a key or a slot is turned to, points tell whose normals are mixed from
    /// several faces. Beside a part that is not turned but shifted, points of other things would count as its own.
    pub fn whatever_normals(&self) -> Self {
        Self { points: self.points.clone(), min_cosine: MIN_COSINE_AT_EDGES, ..*self }
    }

    /// The same points in the frame of a part that lies in the scene in its own or another shape, thinned to at most so many.
    pub fn in_frame_of(&self, placement: &Placement, max_points: usize) -> Self {
        let step = self.points.len().div_ceil(max_points).max(1);
        let to_part = |own: &OrientedPoint| OrientedPoint {
            point: placement.in_part(&own.point),
            normal: placement.direction_to_part(&own.normal),
        };
        let points = self.points.iter().step_by(step).map(to_part).collect();
        Self { points, sigma_mm: self.sigma_mm / placement.scale(), ..*self }
    }

    /// Half the sum of squares of the distances from a part, in standard deviations: a difference of two is that of the
    /// logarithms of their likelihoods.
    pub fn of(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> f64 {
        self.of_placed(model, &Placement::rigid(scene_from_part))
    }

    /// As [`Self::of`], of the part's shape as it lies in the scene.
    pub fn of_placed(&self, model: &PartModel<'_>, placement: &Placement) -> f64 {
        let cap_mm = CAP_SIGMAS * self.sigma_mm;
        let squares: f64 = self.distances(model, placement, cap_mm).map(|mm| mm * mm).sum();
        0.5 * squares / (self.sigma_mm * self.sigma_mm).max(f64::MIN_POSITIVE)
    }

    /// As [`Self::of`], of some points, and for poses that may be somewhat off; mm².
    pub fn roughly(&self, model: &PartModel<'_>, scene_from_part: &Pose) -> f64 {
        let cap_mm = ROUGH_CAP_SIGMAS * self.sigma_mm;
        let part_from_scene = scene_from_part.inverse();
        let squared_mm2 = |own: &OrientedPoint| {
            model
                .lattice
                .nearest(&(part_from_scene * own.point), cap_mm)
                .map_or(cap_mm * cap_mm, |near| near.squared_mm2)
        };
        let step = (self.points.len() / ROUGH_POINTS).max(1);
        self.points.iter().step_by(step).map(squared_mm2).sum()
    }

    /// Of the poses near some, those that fit the points, with their misfits, but for such as fit much worse than another: those
    /// are told by an eighth of the points. `gate`: the distance from which on a point is not drawn to a part at first, as a
    /// share of the diameter.
    pub fn best_fitted(&self, model: &PartModel<'_>, scene_from_part: &[Pose], gate: f64) -> Vec<(f64, Pose)> {
        let few = Self { points: self.points.iter().step_by(FEWER).copied().collect(), ..*self };
        let found = few.near(model, scene_from_part, gate, FEW_MEMBERS, FEW_STEPS);
        let mut found: Vec<(f64, Pose)> = found.into_iter().flatten().collect();
        let least = found.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
        found.retain(|own| FEWER as f64 * (own.0 - least) < HOPELESS);
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let found = unlike(model, found, ALIKE, |(_, pose)| pose);
        let poses: Vec<Pose> = found.into_iter().map(|(_, pose)| pose).take(FINALISTS).collect();
        self.closely_fitted(model, &poses).into_iter().flatten().collect()
    }

    /// The poses near some that fit the points, and their misfits; `None` where there are too few about one. `gate`: as for
    /// [`Self::best_fitted`].
    pub fn fitted(&self, model: &PartModel<'_>, scene_from_part: &[Pose], gate: f64) -> Vec<Option<(f64, Pose)>> {
        self.near(model, scene_from_part, gate, MAX_MEMBERS, STEPS)
    }

    /// As [`Self::fitted`], of poses that lack little.
    pub fn closely_fitted(&self, model: &PartModel<'_>, scene_from_part: &[Pose]) -> Vec<Option<(f64, Pose)>> {
        self.near(model, scene_from_part, CLOSE_GATE, MAX_MEMBERS, LAST_STEPS)
    }

    /// As [`Self::fitted`], by at most so many points and steps.
    fn near(
        &self,
        model: &PartModel<'_>,
        scene_from_part: &[Pose],
        gate: f64,
        max_points: usize,
        max_steps: usize,
    ) -> Vec<Option<(f64, Pose)>> {
        let starts: Vec<Pose> = scene_from_part.iter().map(Pose::inverse).collect();
        let first_mm = gate * model.diameter_mm;
        let request = Request {
            lattice: &model.lattice,
            centre: model.centre(),
            radius_mm: 0.5 * model.diameter_mm,
            scene: &self.points,
            oriented: self.oriented,
            is_rough: false,
            part_from_scene: &starts,
            gates_mm: [first_mm, (LAST_GATE_SIGMAS * self.sigma_mm).min(first_mm)],
            min_cosine: 0.5,
            max_points,
            max_steps,
            step_limit_mm: 1e-5 * model.diameter_mm,
        };
        let fitted = Cpu.compute(&request, &Progress::silent()).unwrap_or_default();
        let with_misfit = |own: Refined| {
            let pose = own.part_from_scene.inverse();
            (self.of(model, &pose), pose)
        };
        fitted.into_par_iter().map(|own| own.map(with_misfit)).collect()
    }

    /// Distances of the points from a part's shape, at most `cap_mm`, mm.
    fn distances(&self, model: &PartModel<'_>, placement: &Placement, cap_mm: f64) -> impl Iterator<Item = f64> {
        let (placement, scale) = (*placement, placement.scale());
        self.points.iter().map(move |own| {
            let near = model.lattice.nearest(&placement.in_part(&own.point), cap_mm / scale);
            let normal = placement.direction_to_part(&own.normal);
            let near = near.filter(|near| near.cosine(&normal, self.oriented) > self.min_cosine);
            near.map_or(cap_mm, |near| near.squared_mm2.sqrt() * scale)
        })
    }
}
