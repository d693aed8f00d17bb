//! Signed closest-point deviation on the processor.

use rayon::prelude::*;

use super::CHUNK;
use crate::base::{Progress, Result};
use crate::compute::point_deviation::{MatchState, PointDeviation, RIM_TILT_RAD, Request};
use crate::geometry::surface::{ClosestQuery, closest_in_order};
use crate::geometry::{Point, SurfaceHit};

pub(super) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<PointDeviation>> {
    let points = &request.points.points;
    let query = ClosestQuery {
        surface: request.surface,
        surface_from_points: request.nominal_from_scan,
        max_distance_mm: request.max_distance_mm,
    };
    let mut ordered = vec![PointDeviation::default(); points.len()];
    let counter = progress.counter(points.len().div_ceil(CHUNK), "Measuring deviations");
    ordered.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK)).enumerate().for_each_init(
        || vec![None; CHUNK],
        |hits, (chunk, (out, points))| {
            if !counter.step() {
                return;
            }
            let hits = &mut hits[..points.len()];
            closest_in_order(&query, points, hits);
            for (i, (out, hit)) in out.iter_mut().zip(hits.iter()).enumerate() {
                if let Some(hit) = hit {
                    let number = request.points.numbers[chunk * CHUNK + i] as usize;
                    *out = judge(request, number, &(request.nominal_from_scan * points[i]), hit);
                }
            }
        },
    );
    progress.check()?;
    Ok(request.points.scatter(&ordered))
}

fn judge(request: &Request<'_>, number: usize, place: &Point, hit: &SurfaceHit) -> PointDeviation {
    let surface = request.surface;
    let mut answer = PointDeviation {
        deviation_mm: surface.signed_distance_mm(place, hit),
        facet: hit.facet,
        state: MatchState::Matched,
    };
    if surface.is_open_at(hit) && hit.distance_mm > 0.0 && surface.tilt_rad(place, hit) > RIM_TILT_RAD {
        answer.state = MatchState::BeyondRim;
    } else if let Some(normal) = request.normals.get(number).filter(|_| request.max_angle_rad < std::f64::consts::PI) {
        let cosine = surface.aligned_cosine(hit, &(request.nominal_from_scan.rotation * normal));
        if (if request.oriented { cosine } else { cosine.abs() }) < request.max_angle_rad.cos() {
            answer.state = MatchState::WrongAngle;
        }
    }
    answer
}
