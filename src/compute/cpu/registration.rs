//! Registration iterations on the CPU. Sums run in fixed chunks and are added in order, so results are bitwise
//! identical for any number of threads.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;

use super::CHUNK;
use super::gate::Gate;
use super::order_statistic::OrderStatistics;
use crate::point_deviation::MatchState;
use crate::registration::{Answer, Metric, Problem, Registration, Robust, Step, TUKEY_CUTOFF, Target};
use base::{Progress, Result};
use geometry::surface::{ClosestQuery, LastFacet, Movement, closest_from_last};
use geometry::triangle::Feature;
use geometry::{Aabb, Point, Pose, Surface, SurfaceHit, Vector};

/// A correspondence: unit direction of increasing distance, and signed distance; NaN without a match.
#[derive(Clone, Copy)]
struct Pair {
    direction: Vector,
    residual_mm: f64,
}

const NO_PAIR: Pair = Pair { direction: Vector::new(0.0, 0.0, 0.0), residual_mm: f64::NAN };

/// A problem with the points and normals of the last stride used.
pub(super) struct CpuRegistration<'a> {
    problem: Problem<'a>,
    stride: usize,
    points: Vec<Point>,
    normals: Vec<Vector>,
    /// Closest facets of the points in the last step, where the searches of the next start.
    last: Vec<LastFacet>,
    /// Pose of the last step.
    last_pose: Option<Pose>,
    bounds: Aabb,
}

/// Up to which leads of the closest facets are found, in movements of the last step, which are several of those that
/// follow; at least, and at most, beyond which the searches would cost more than they save, as shares of the part's diagonal.
const LEAD_MOVEMENTS: f64 = 4.0;
const MIN_LEAD_SHARE: f64 = 1e-5;
const MAX_LEAD_SHARE: f64 = 1e-3;

impl<'a> CpuRegistration<'a> {
    pub fn new(problem: Problem<'a>) -> Self {
        let bounds = Aabb::of_points_parallel(&problem.points.points);
        Self { problem, stride: 0, points: Vec::new(), normals: Vec::new(), last: Vec::new(), last_pose: None, bounds }
    }

    /// The largest movement of a point since the last step, mm; 0 for the first.
    fn moved_mm(&mut self, pose: &Pose) -> f64 {
        // The length of a difference of affine maps is convex: it is largest at a corner.
        let moved_mm = |before: Pose| {
            let moved_mm = self.bounds.corners().map(|corner| (pose * corner - before * corner).norm());
            let is_known = moved_mm.iter().all(|own| own.is_finite());
            if is_known { moved_mm.into_iter().fold(0.0, f64::max) } else { f64::INFINITY }
        };
        self.last_pose.replace(*pose).map_or(0.0, moved_mm)
    }
}

impl Registration for CpuRegistration<'_> {
    fn step(&mut self, step: &Step, progress: &Progress) -> Result<Answer> {
        let Problem { target, points: all, normals, oriented } = self.problem;
        if self.stride != step.stride {
            self.stride = step.stride;
            self.points = all.points.iter().step_by(step.stride).copied().collect();
            self.last = vec![LastFacet::default(); self.points.len()];
            self.normals.clear();
            if !normals.is_empty() {
                self.normals.extend(all.numbers.iter().step_by(step.stride).map(|&index| normals[index as usize]));
            }
        }
        let moved_mm = self.moved_mm(&step.nominal_from_scan);
        let request = Request { target, points: &self.points, normals: &self.normals, oriented, step, moved_mm };
        run(&request, &mut self.last, progress)
    }
}

/// One iteration on the points of its stride.
struct Request<'a> {
    target: Target<'a>,
    points: &'a [Point],
    /// In the order of the points; empty for no angle gate.
    normals: &'a [Vector],
    oriented: bool,
    step: &'a Step,
    /// How far a point is at most from where it was in the last step, mm.
    moved_mm: f64,
}

fn run(request: &Request<'_>, last: &mut [LastFacet], progress: &Progress) -> Result<Answer> {
    let mut pairs = vec![NO_PAIR; request.points.len()];
    match request.target {
        Target::Surface(surface) => pair_with_surface(request, surface, last, progress, &mut pairs),
        Target::Cloud { .. } => pair_with_cloud(request, progress, &mut pairs),
    }
    progress.check()?;
    let statistics = OrderStatistics::new(&pairs, |pair| pair.residual_mm.abs());
    let kept = ((statistics.count() as f64 * (1.0 - request.step.trim)).ceil() as usize).min(statistics.count());
    let cutoff_mm = if request.step.trim > 0.0 { statistics.at_rank(kept) } else { f64::INFINITY };
    // Median of the correspondences left after trimming.
    let median = statistics.at_rank(kept.div_ceil(2));
    let scale_mm = (1.4826 * median).max(request.step.floor_mm);
    let partial: Vec<Answer> = pairs
        .par_chunks(CHUNK)
        .zip(request.points.par_chunks(CHUNK))
        .map(|(pairs, points)| {
            let mut sums = empty();
            for (pair, point) in pairs.iter().zip(points).filter(|(pair, _)| pair.residual_mm.abs() <= cutoff_mm) {
                let (weight, curvature) = weight_and_curvature(request.step.robust, pair.residual_mm, scale_mm);
                sums.curvature += curvature;
                add_pair(&mut sums, pair, point, weight, request);
            }
            sums
        })
        .collect();
    let mut total = empty();
    for sums in &partial {
        total.hessian += sums.hessian;
        total.gradient += sums.gradient;
        total.weighted_squares += sums.weighted_squares;
        total.weight += sums.weight;
        total.curvature += sums.curvature;
        total.used += sums.used;
    }
    Ok(Answer { matched: statistics.count(), scale_mm, ..total })
}

fn empty() -> Answer {
    Answer {
        hessian: Matrix6::zeros(),
        gradient: Vector6::zeros(),
        weighted_squares: 0.0,
        weight: 0.0,
        curvature: 0.0,
        matched: 0,
        used: 0,
        scale_mm: 0.0,
    }
}

fn pair_with_surface(
    request: &Request<'_>,
    surface: &Surface,
    last: &mut [LastFacet],
    progress: &Progress,
    pairs: &mut [Pair],
) {
    let query = ClosestQuery {
        surface,
        surface_from_points: &request.step.nominal_from_scan,
        max_distance_mm: request.step.max_distance_mm,
    };
    let gate = Gate::new(
        surface,
        &request.step.nominal_from_scan,
        request.normals,
        request.oriented,
        request.step.max_angle_rad,
    );
    let [least_mm, most_mm] = [MIN_LEAD_SHARE, MAX_LEAD_SHARE].map(|share| share * surface.bounds().diagonal());
    let lead_mm = (LEAD_MOVEMENTS * request.moved_mm).max(least_mm);
    let lead_mm = if lead_mm < most_mm { lead_mm } else { 0.0 };
    let movement = Movement { moved_mm: request.moved_mm, lead_mm };
    let chunks = pairs.par_chunks_mut(CHUNK).zip(last.par_chunks_mut(CHUNK)).zip(request.points.par_chunks(CHUNK));
    chunks.enumerate().for_each_init(
        || vec![None; CHUNK],
        |hits, (chunk, ((pairs, last), points))| {
            if progress.is_cancelled() {
                return;
            }
            let hits = &mut hits[..points.len()];
            closest_from_last(&query, points, last, movement, hits);
            for (i, (pair, hit)) in pairs.iter_mut().zip(hits.iter()).enumerate() {
                let Some(hit) = hit else { continue };
                let point = request.step.nominal_from_scan * points[i];
                if gate.state(chunk * CHUNK + i, &point, hit) == MatchState::Matched {
                    *pair = correspondence(request.step.metric, surface, &point, hit);
                }
            }
        },
    );
}

fn correspondence(metric: Metric, surface: &Surface, point: &Point, hit: &SurfaceHit) -> Pair {
    let away = point - hit.point;
    let along_normal = || {
        let direction = surface.mesh().normal(hit.facet as usize);
        Pair { direction, residual_mm: direction.dot(&away) }
    };
    match (metric, hit.feature) {
        (Metric::PointToPoint, _) => point_to_point(&away),
        (Metric::PointToPlane, _) | (Metric::PointToTriangle, Feature::Face) => along_normal(),
        // On edges and vertices the distance increases away from the feature, not along a facet's normal.
        _ if hit.distance_mm > 0.0 => {
            let residual_mm = surface.signed_distance_mm(point, hit);
            Pair { direction: away / residual_mm, residual_mm }
        }
        _ => along_normal(),
    }
}

/// Correspondence of two points, both held fixed during the step.
fn point_to_point(away: &Vector) -> Pair {
    let residual_mm = away.norm();
    Pair { direction: if residual_mm > 0.0 { away / residual_mm } else { *away }, residual_mm }
}

fn pair_with_cloud(request: &Request<'_>, progress: &Progress, pairs: &mut [Pair]) {
    let Target::Cloud { points: nominal, tree, normals } = request.target else {
        return;
    };
    let min_cosine = request.step.max_angle_rad.cos();
    let chunks = pairs.par_chunks_mut(CHUNK).zip(request.points.par_chunks(CHUNK)).enumerate();
    chunks.for_each_init(
        || vec![None; CHUNK],
        |found, (chunk, (pairs, points))| {
            if progress.is_cancelled() {
                return;
            }
            let found = &mut found[..points.len()];
            tree.nearest_in_order(&request.step.nominal_from_scan, points, request.step.max_distance_mm, found);
            for (i, (pair, neighbour)) in pairs.iter_mut().zip(found.iter()).enumerate() {
                let Some(index) = neighbour.map(|neighbour| neighbour.number as usize) else { continue };
                let Some(direction) = normals.get(index) else { continue };
                let exceeds_angle = request.normals.get(chunk * CHUNK + i).is_some_and(|normal| {
                    let cosine = direction.dot(&(request.step.nominal_from_scan.rotation * normal));
                    (if request.oriented { cosine } else { cosine.abs() }) < min_cosine
                });
                if !exceeds_angle {
                    let away = request.step.nominal_from_scan * points[i] - nominal[index];
                    *pair = match request.step.metric {
                        Metric::PointToPoint => point_to_point(&away),
                        _ => Pair { direction: *direction, residual_mm: direction.dot(&away) },
                    };
                }
            }
        },
    );
}

/// Weight w(r) and the derivative of w(r) r.
fn weight_and_curvature(robust: Robust, residual_mm: f64, scale_mm: f64) -> (f64, f64) {
    if robust == Robust::None || scale_mm <= 0.0 {
        return (1.0, 1.0);
    }
    let relative = residual_mm / (TUKEY_CUTOFF * scale_mm);
    let below = 1.0 - relative * relative;
    if below > 0.0 { (below * below, below * (1.0 - 5.0 * relative * relative)) } else { (0.0, 0.0) }
}

#[inline]
fn add_pair(sums: &mut Answer, pair: &Pair, point: &Point, weight: f64, request: &Request<'_>) {
    if weight <= 0.0 {
        return;
    }
    let arm = request.step.nominal_from_scan * point - request.step.pivot;
    let mut add_row = |direction: &Vector, residual: f64| {
        let moment = arm.cross(direction);
        let jacobian = Vector6::new(moment.x, moment.y, moment.z, direction.x, direction.y, direction.z);
        sums.hessian.ger(weight, &jacobian, &jacobian, 1.0);
        sums.gradient.axpy(weight * residual, &jacobian, 1.0);
    };
    if request.step.metric == Metric::PointToPoint {
        for axis in 0..3 {
            add_row(&Vector::ith(axis, 1.0), pair.residual_mm * pair.direction[axis]);
        }
    } else {
        add_row(&pair.direction, pair.residual_mm);
    }
    sums.weighted_squares += weight * pair.residual_mm * pair.residual_mm;
    sums.weight += weight;
    sums.used += 1;
}
