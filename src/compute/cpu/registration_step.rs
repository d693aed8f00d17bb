//! One registration iteration on the processor. Sums run in fixed chunks and are added in order, so the same input
//! gives the same bits whatever the threads do.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;

use super::CHUNK;
use crate::base::Result;
use crate::compute::registration_step::{Answer, Metric, Request, Robust, Target};
use crate::geometry::surface::{ClosestQuery, closest_in_order};
use crate::geometry::triangle::Feature;
use crate::geometry::{Point, Surface, SurfaceHit, Vector};

/// A correspondence: where the point is, the direction in which its distance grows, and the signed distance.
#[derive(Clone, Copy)]
struct Pair {
    place: Point,
    target: Point,
    direction: Vector,
    residual_mm: f64,
}

pub(super) fn run(request: &Request<'_>) -> Result<Answer> {
    let pairs: Vec<Option<Pair>> = request
        .points
        .par_chunks(CHUNK)
        .enumerate()
        .flat_map_iter(|(chunk, points)| match request.target {
            Target::Surface(surface) => pairs_on_surface(request, surface, chunk * CHUNK, points),
            Target::Cloud { .. } => pairs_in_cloud(request, chunk * CHUNK, points),
        })
        .collect();
    let mut distances: Vec<f64> = pairs.iter().flatten().map(|pair| pair.residual_mm.abs()).collect();
    let matched = distances.len();
    let cut_mm = quantile(&mut distances, 1.0 - request.trim).unwrap_or(0.0);
    let kept = distances.iter().filter(|&&distance| distance <= cut_mm).count();
    // The median of what trimming keeps.
    let median = quantile(&mut distances, 0.5 * kept as f64 / matched.max(1) as f64).unwrap_or(0.0);
    let scale_mm = (1.4826 * median).max(request.floor_mm);
    let partial: Vec<Answer> = pairs
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut sums = empty();
            for pair in chunk.iter().flatten().filter(|pair| pair.residual_mm.abs() <= cut_mm) {
                add(&mut sums, pair, weight(request.robust, pair.residual_mm, scale_mm), request);
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
        total.used += sums.used;
    }
    Ok(Answer { matched, scale_mm, ..total })
}

fn empty() -> Answer {
    Answer {
        hessian: Matrix6::zeros(),
        gradient: Vector6::zeros(),
        weighted_squares: 0.0,
        weight: 0.0,
        matched: 0,
        used: 0,
        scale_mm: 0.0,
    }
}

fn pairs_on_surface(request: &Request<'_>, surface: &Surface, first: usize, points: &[Point]) -> Vec<Option<Pair>> {
    let query = ClosestQuery {
        surface,
        surface_from_points: request.nominal_from_scan,
        max_distance_mm: request.max_distance_mm,
    };
    let mut hits = vec![None; points.len()];
    closest_in_order(&query, points, &mut hits);
    let pair = |(i, (point, hit)): (usize, (&Point, &Option<SurfaceHit>))| {
        hit.as_ref().and_then(|hit| correspond(request, surface, first + i, point, hit))
    };
    points.iter().zip(&hits).enumerate().map(pair).collect()
}

fn pairs_in_cloud(request: &Request<'_>, first: usize, points: &[Point]) -> Vec<Option<Pair>> {
    let Target::Cloud { points: nominal, tree, normals } = request.target else {
        return vec![None; points.len()];
    };
    let mut found = Vec::with_capacity(1);
    let mut pair = |(i, point): (usize, &Point)| {
        let place = request.nominal_from_scan * point;
        tree.k_nearest(&place, 1, request.max_distance_mm, &mut found);
        let number = found.first()?.number as usize;
        let (target, direction) = (nominal[number], *normals.get(number)?);
        // Normals of a cloud have no sure sign: compare up to it.
        let is_turned_away = request.normals.get(first + i).is_some_and(|normal| {
            let cosine = direction.dot(&(request.nominal_from_scan.rotation * normal));
            cosine.abs() < request.max_angle_rad.cos()
        });
        if is_turned_away {
            return None;
        }
        let away = place - target;
        let residual_mm = if request.metric == Metric::PointToPoint { away.norm() } else { direction.dot(&away) };
        Some(Pair { place, target, direction, residual_mm })
    };
    points.iter().enumerate().map(&mut pair).collect()
}

fn correspond(request: &Request<'_>, surface: &Surface, index: usize, point: &Point, hit: &SurfaceHit) -> Option<Pair> {
    let place = request.nominal_from_scan * point;
    if surface.is_open_at(hit) && surface.tilt_rad(&place, hit) > crate::compute::point_deviation::RIM_TILT_RAD {
        return None;
    }
    let facet_normal = surface.mesh().normal(hit.facet as usize);
    let is_turned_away = request.normals.get(index).is_some_and(|normal| {
        let cosine = surface.aligned_cosine(hit, &(request.nominal_from_scan.rotation * normal));
        (if request.oriented { cosine } else { cosine.abs() }) < request.max_angle_rad.cos()
    });
    if is_turned_away {
        return None;
    }
    let away = place - hit.point;
    let (direction, residual_mm) = match (request.metric, hit.feature) {
        (Metric::PointToPoint, _) => (facet_normal, hit.distance_mm),
        (Metric::PointToPlane, _) | (Metric::PointToTriangle, Feature::Face) => (facet_normal, facet_normal.dot(&away)),
        // On edges and corners the distance grows away from the feature, not along a facet's normal.
        _ if hit.distance_mm > 0.0 => {
            let signed = surface.signed_distance_mm(&place, hit);
            (away / signed, signed)
        }
        _ => (facet_normal, 0.0),
    };
    Some(Pair { place, target: hit.point, direction, residual_mm })
}

fn weight(robust: Robust, residual_mm: f64, scale_mm: f64) -> f64 {
    match robust {
        Robust::None => 1.0,
        Robust::Tukey => {
            let relative = residual_mm / (4.685 * scale_mm);
            if scale_mm <= 0.0 {
                1.0
            } else if relative.abs() < 1.0 {
                (1.0 - relative * relative).powi(2)
            } else {
                0.0
            }
        }
    }
}

#[inline]
fn add(sums: &mut Answer, pair: &Pair, weight: f64, request: &Request<'_>) {
    if weight <= 0.0 {
        return;
    }
    let arm = pair.place - request.pivot;
    let mut row = |direction: &Vector, residual: f64| {
        let turn = arm.cross(direction);
        let jacobian = Vector6::new(turn.x, turn.y, turn.z, direction.x, direction.y, direction.z);
        sums.hessian += weight * jacobian * jacobian.transpose();
        sums.gradient += weight * residual * jacobian;
    };
    if request.metric == Metric::PointToPoint {
        let away = pair.place - pair.target;
        for axis in 0..3 {
            row(&Vector::ith(axis, 1.0), away[axis]);
        }
    } else {
        row(&pair.direction, pair.residual_mm);
    }
    sums.weighted_squares += weight * pair.residual_mm * pair.residual_mm;
    sums.weight += weight;
    sums.used += 1;
}

/// The value below which `share` of `values` lie; reorders them.
fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let rank = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len()) - 1;
    Some(*values.select_nth_unstable_by(rank, f64::total_cmp).1)
}
