//! Signed closest-point deviation on the CPU.

use rayon::prelude::*;

use super::CHUNK;
use super::gate::Gate;
use crate::point_deviation::{PointDeviation, Request};
use base::{Progress, Result};
use geometry::surface::{ClosestQuery, closest_in_order};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<PointDeviation>> {
    let points = &request.points.points;
    let query = ClosestQuery {
        surface: request.surface,
        surface_from_points: request.nominal_from_scan,
        max_distance_mm: request.max_distance_mm,
    };
    let gate =
        Gate::new(request.surface, request.nominal_from_scan, request.normals, request.oriented, request.max_angle_rad);
    let mut ordered = vec![PointDeviation::default(); points.len()];
    let counter = progress.counter(points.len().div_ceil(CHUNK), "Computing deviations");
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
                    let index = request.points.numbers[chunk * CHUNK + i] as usize;
                    let point = request.nominal_from_scan * points[i];
                    *out = PointDeviation {
                        deviation_mm: request.surface.signed_distance_mm(&point, hit),
                        facet: hit.facet,
                        state: gate.state(index, &point, hit),
                    };
                }
            }
        },
    );
    progress.check()?;
    Ok(request.points.scatter(&ordered))
}
