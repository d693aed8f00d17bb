//! Thickness on the CPU: balls that shrink until nothing opposite is in them (after Ma, Bae and Choi 2012), and rays.

use rayon::prelude::*;

use super::CHUNK;
use crate::Capability;
use crate::thickness::{Between, CONVERGED, MAX_STEPS, MIN_COSINE, Method, Request};
use base::{Progress, Result};
use geometry::{Point, Vector};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Option<f64>>> {
    let points = &request.points.points;
    let mut ordered = vec![None; points.len()];
    let counter = progress.counter(points.len().div_ceil(CHUNK), Request::LABEL);
    ordered.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK)).enumerate().for_each(|(chunk, (out, points))| {
        if !counter.step() {
            return;
        }
        for (i, (out, point)) in out.iter_mut().zip(points).enumerate() {
            let index = request.points.numbers[chunk * CHUNK + i] as usize;
            *out = thickness(request, point, &(request.normals[index] * request.sign()));
        }
    });
    progress.check()?;
    Ok(request.points.scatter(&ordered))
}

/// Thickness along `direction`, a unit vector away from the surface at `point`.
fn thickness(request: &Request<'_>, point: &Point, direction: &Vector) -> Option<f64> {
    let mesh = request.surface.mesh();
    let facing = if request.between == Between::Material { 1.0 } else { -1.0 };
    let cosine = |facet: u32| mesh.normal(facet as usize).dot(direction) * facing;
    let contact_mm = request.contact_mm();
    match request.method {
        Method::Ray => {
            let range = [-contact_mm, request.max_mm];
            let hit = request.surface.first_hit_where(point, direction, range, |facet| cosine(facet) > 0.0)?;
            Some(hit.t.max(0.0))
        }
        Method::Ball => ball(request, point, direction, |facet| cosine(facet) >= MIN_COSINE),
    }
}

fn ball(request: &Request<'_>, point: &Point, direction: &Vector, is_opposite: impl Fn(u32) -> bool) -> Option<f64> {
    let surface = request.surface;
    if surface.closest_point_where(point, request.contact_mm(), &is_opposite).is_some() {
        return Some(0.0);
    }
    let mut radius_mm = 0.5 * request.max_mm;
    let mut has_shrunk = false;
    for _ in 0..MAX_STEPS {
        let centre = point + direction * radius_mm;
        let Some(hit) = surface.closest_point_where(&centre, radius_mm * (1.0 - CONVERGED), &is_opposite) else {
            break;
        };
        // The ball through the point with the same tangent plane that touches there.
        let away = hit.point - point;
        radius_mm = away.dot(&away) / (2.0 * away.dot(direction));
        has_shrunk = true;
    }
    has_shrunk.then_some(2.0 * radius_mm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Mesh, OrderedPoints, Surface, refine, triangle};

    /// Thickness at the centroids of the facets, none longer than `edge_mm`.
    fn of(
        mesh: &Mesh,
        edge_mm: f64,
        between: Between,
        method: Method,
        max_mm: f64,
    ) -> Vec<(Point, Vector, Option<f64>)> {
        let surface = Surface::new(mesh.clone());
        let (fine, _) = refine::to_max_edge(mesh, edge_mm, &Progress::silent()).unwrap();
        let points: Vec<Point> = (0..fine.facets.len()).map(|facet| triangle::centroid(&fine.corners(facet))).collect();
        let normals: Vec<Vector> = (0..fine.facets.len()).map(|facet| fine.normal(facet)).collect();
        let ordered = OrderedPoints::new(&points);
        let request = Request { surface: &surface, points: &ordered, normals: &normals, between, method, max_mm };
        let made = run(&request, &Progress::silent()).unwrap();
        points.into_iter().zip(normals).zip(made).map(|((point, normal), own)| (point, normal, own)).collect()
    }

    #[test]
    fn a_plate_is_as_thick_as_it_is_up_to_its_edges() {
        let plate = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 2.5));
        for method in [Method::Ball, Method::Ray] {
            for (_, normal, thickness) in of(&plate, 1.0, Between::Material, method, 10.0) {
                match thickness {
                    Some(mm) => assert!(normal.z.abs() > 0.9 && (mm - 2.5).abs() < 1e-9, "{mm}"),
                    None => assert!(normal.z.abs() < 0.1),
                }
            }
        }
    }

    #[test]
    fn round_and_inclined_walls_have_their_true_thickness() {
        let sphere = shapes::sphere(10.0, 4);
        for method in [Method::Ball, Method::Ray] {
            for (.., thickness) in of(&sphere, 5.0, Between::Material, method, 50.0) {
                assert!((thickness.unwrap() - 20.0).abs() < 0.15, "{thickness:?}");
            }
        }
        // A wedge of 20 degrees: at distance s from its tip, the ball that touches both sides has the radius
        // s tan(10 degrees), and the normal to the other side is s tan(20 degrees) long.
        let (length, angle) = (40.0, 20.0_f64.to_radians());
        let mut wedge = shapes::cuboid(Point::origin(), Point::new(length, 30.0, 1.0));
        wedge.vertices.iter_mut().for_each(|vertex| vertex.z = vertex.z * vertex.x * angle.tan());
        for (method, slope) in [(Method::Ball, 2.0 * (0.5 * angle).tan()), (Method::Ray, angle.tan())] {
            let mut count = 0;
            for (at, normal, thickness) in of(&wedge, 2.0, Between::Material, method, 8.0) {
                if normal.z < -0.9 && (2.0..20.0).contains(&at.x) && (5.0..25.0).contains(&at.y) {
                    assert!((thickness.unwrap() - slope * at.x).abs() < 1e-6, "{thickness:?} {at}");
                    count += 1;
                }
            }
            assert!(count > 100);
        }
    }

    #[test]
    fn gaps_lie_between_parts_and_parts_in_contact_have_none() {
        let mut parts = shapes::cuboid(Point::origin(), Point::new(10.0, 10.0, 2.0));
        parts.append(&shapes::cuboid(Point::new(0.0, 0.0, 2.75), Point::new(10.0, 10.0, 5.0)));
        parts.append(&shapes::cuboid(Point::new(0.0, 0.0, 5.0), Point::new(10.0, 10.0, 6.0)));
        for method in [Method::Ball, Method::Ray] {
            let (mut gaps, mut contacts) = (0, 0);
            for (at, normal, width) in of(&parts, 1.0, Between::Air, method, 3.0) {
                let expected = match at.z {
                    z if normal.z > 0.9 && (z - 2.0).abs() < 1e-9 => Some(0.75),
                    z if normal.z < -0.9 && (z - 2.75).abs() < 1e-9 => Some(0.75),
                    z if normal.z.abs() > 0.9 && (z - 5.0).abs() < 1e-9 => Some(0.0),
                    _ => None,
                };
                assert_eq!(width.map(|mm| (mm * 1e6).round() / 1e6), expected, "{at} {normal} {method:?}");
                gaps += usize::from(expected == Some(0.75));
                contacts += usize::from(expected == Some(0.0));
            }
            assert!(gaps > 300 && contacts > 300);
        }
    }
}
