//! Thickness on the CPU: balls that shrink until nothing opposite is in them (after Ma, Bae and Choi 2012), and rays.
//!
//! What is found counts only between opposite sides: a ray that leaves through a side at an angle, as beside the edge of a
//! wedge, has measured no wall, and neither has a ball that does not fit between two other sides, as one over the narrow
//! side of a sheet.

use rayon::prelude::*;

use super::CHUNK;
use crate::Capability;
use crate::thickness::{CONVERGED, FITS, MAX_STEPS, MIN_COSINE, Method, Request};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Sides about the centre of a ball that are looked at, and the cosine between the normals of two of them at most.
const MAX_SIDES: usize = 6;
const OTHER_SIDE_COSINE: f64 = 0.8;

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
            let direction = request.normals[index] * request.sign();
            let found = thickness(request, point, &direction);
            *out = found.filter(|mm| is_between_opposite_sides(request, point, &direction, *mm));
        }
    });
    progress.check()?;
    Ok(request.points.scatter(&ordered))
}

/// What counts of thicknesses found elsewhere, by point index.
pub(crate) fn confirmed(request: &Request<'_>, mut found: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let ordered = request.points.points.par_iter().zip(&request.points.numbers);
    let refused: Vec<u32> = ordered
        .filter(|(point, number)| {
            let index = **number as usize;
            let direction = request.normals[index] * request.sign();
            found[index].is_some_and(|mm| !is_between_opposite_sides(request, point, &direction, mm))
        })
        .map(|(_, number)| *number)
        .collect();
    refused.into_iter().for_each(|index| found[index as usize] = None);
    found
}

/// Whether a ray of this length ends on an opposite side, or a ball of this diameter fits between all others.
fn is_between_opposite_sides(request: &Request<'_>, point: &Point, direction: &Vector, found_mm: f64) -> bool {
    match request.method {
        Method::Ray => {
            let range = [-1.0, 1.0].map(|sign| found_mm + sign * request.contact_mm().max(CONVERGED * found_mm));
            request
                .surface
                .first_hit_where(point, direction, range, |facet| is_opposite(request, facet, direction))
                .is_some()
        }
        Method::Ball => fits(request, point, direction, found_mm),
    }
}

/// Whether a facet is an opposite side, seen along `direction`.
fn is_opposite(request: &Request<'_>, facet: u32, direction: &Vector) -> bool {
    request.surface.mesh().normal(facet as usize).dot(direction) * -request.sign() >= MIN_COSINE
}

/// Whether the ball at `point` lies between no two sides that face each other and are closer than its diameter. A side
/// that cuts it on one side alone, as near the edge of a plate, does not matter.
fn fits(request: &Request<'_>, point: &Point, direction: &Vector, diameter_mm: f64) -> bool {
    let (surface, centre) = (request.surface, point + direction * (0.5 * diameter_mm));
    let inward = |facet: u32| surface.mesh().normal(facet as usize) * request.sign();
    // The nearest side need not be one of the two: beside the corner of a plate it is the end of that.
    let mut looked_along: Vec<Vector> = Vec::new();
    for _ in 0..MAX_SIDES {
        let is_new = |facet: u32| looked_along.iter().all(|own| own.dot(&inward(facet)) < OTHER_SIDE_COSINE);
        let Some(side) = surface.closest_point_where(&centre, 0.5 * FITS * diameter_mm, is_new) else { return true };
        let across = (centre - side.point).try_normalize(request.contact_mm()).unwrap_or_else(|| inward(side.facet));
        let range = [0.0, FITS * diameter_mm - side.distance_mm];
        if surface.first_hit_where(&centre, &across, range, |facet| is_opposite(request, facet, &across)).is_some() {
            return false;
        }
        looked_along.push(inward(side.facet));
    }
    true
}

/// Thickness along `direction`, a unit vector away from the surface at `point`.
fn thickness(request: &Request<'_>, point: &Point, direction: &Vector) -> Option<f64> {
    match request.method {
        Method::Ray => {
            let mesh = request.surface.mesh();
            let faces_away = |facet: u32| mesh.normal(facet as usize).dot(direction) * -request.sign() > 0.0;
            let range = [-request.contact_mm(), request.max_mm];
            Some(request.surface.first_hit_where(point, direction, range, faces_away)?.t.max(0.0))
        }
        Method::Ball => ball(request, point, direction, |facet| is_opposite(request, facet, direction)),
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
    use crate::thickness::Between;
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

    /// A prism over a closed profile in x and z, counter-clockwise seen from the front, along y. The profile is convex.
    fn prism(profile: &[[f64; 2]], length_mm: f64) -> Mesh {
        let count = profile.len() as u32;
        let at = |y: f64| profile.iter().map(move |[x, z]| Point::new(*x, y, *z));
        let vertices = at(0.0).chain(at(length_mm)).collect();
        let mut facets: Vec<[u32; 3]> =
            (1..count - 1).flat_map(|i| [[0, i, i + 1], [count, count + i + 1, count + i]]).collect();
        for from in 0..count {
            let to = (from + 1) % count;
            facets.extend([[from, to + count, to], [from, from + count, to + count]]);
        }
        Mesh { vertices, facets, ..Mesh::default() }
    }

    /// Wedges, by their thickness at both ends: along the normal nothing is thicker or thinner than they are.
    #[test]
    fn rays_beside_edges_and_corners_measure_no_wall() {
        for (from_mm, to_mm, length_mm) in [(2.0, 6.0, 60.0), (1.0, 3.0, 20.0), (4.0, 5.0, 15.0), (0.5, 12.0, 40.0)] {
            let wedge = prism(&[[0.0, 0.0], [length_mm, 0.0], [length_mm, to_mm], [0.0, from_mm]], 40.0);
            assert!(wedge.volume_mm3() > 0.0);
            let slope = (to_mm - from_mm) / length_mm;
            let mut measured = 0;
            for (at, normal, thickness) in of(&wedge, 1.0, Between::Material, Method::Ray, 14.0) {
                let Some(mm) = thickness else { continue };
                // Down from the slope it is as far as along that, up to it as high as it is there.
                let wanted = match normal.z < 0.0 {
                    true => from_mm + slope * at.x,
                    false => at.z * (1.0 + slope * slope).sqrt(),
                };
                assert!(normal.z.abs() > 0.5 && (mm - wanted).abs() < 1e-9, "{at} {normal} {mm} {wanted}");
                measured += 1;
            }
            assert!(measured > 500, "{measured}");
        }
    }

    /// A ball that is larger than the part is thick does not fit into it: plates, bars, rods, and the air between two plates.
    #[test]
    fn balls_over_narrow_sides_do_not_fit() {
        let of_ball = |mesh: &Mesh, between| of(mesh, 0.4, between, Method::Ball, 8.0);
        for (size, thin_mm) in
            [([6.0, 30.0, 1.0], 1.0), ([6.0, 5.0, 1.0], 1.0), ([2.0, 40.0, 3.0], 2.0), ([7.0, 7.0, 0.2], 0.2)]
        {
            let found = of_ball(&shapes::cuboid(Point::origin(), Point::from(size)), Between::Material);
            let measured: Vec<f64> = found.iter().filter_map(|own| own.2).collect();
            assert!(measured.len() > 50 && measured.iter().all(|mm| (mm - thin_mm).abs() < 1e-6), "{size:?}");
        }
        // A rod of 1 mm and a triangular bar, both 6 mm long, from their ends.
        let around = |corners: i32| {
            let angle = |corner: i32| std::f64::consts::TAU * f64::from(corner) / f64::from(corners);
            (0..corners).map(|own| [0.5 * angle(own).cos(), 0.5 * angle(own).sin()]).collect::<Vec<_>>()
        };
        for corners in [3, 6, 48] {
            let bar = prism(&around(corners), 6.0);
            assert!(of_ball(&bar, Between::Material).iter().all(|own| own.2.is_none_or(|mm| mm < 1.01)), "{corners}");
        }
        // Two plates 1 mm apart between walls 6 mm apart: the gap is that between the plates.
        let mut frame = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(10.0, 30.0, 5.0));
        let mut cavity = shapes::cuboid(Point::new(2.0, 2.0, 2.0), Point::new(8.0, 28.0, 3.0));
        cavity.flip();
        frame.append(&cavity);
        let gaps: Vec<f64> = of_ball(&frame, Between::Air).iter().filter_map(|own| own.2).collect();
        assert!(gaps.len() > 50 && gaps.iter().all(|mm| (mm - 1.0).abs() < 1e-6));
    }

    /// Tubes: as thick as their wall, from within and from without, to what their facets leave open.
    #[test]
    fn tubes_are_as_thick_as_their_wall() {
        for (outer_mm, wall_mm) in [(10.0, 1.0), (20.0, 3.0), (5.0, 2.0)] {
            let ring =
                |radius_mm: f64, z: f64, angle: f64| Point::new(radius_mm * angle.cos(), radius_mm * angle.sin(), z);
            let inner_mm = outer_mm - wall_mm;
            let tube = shapes::grid(120, 4, true, |u, v| {
                let angle = u * std::f64::consts::TAU;
                let corner = (4.0 * v).round() as usize % 4;
                let [radius_mm, z] = [[outer_mm, 0.0], [outer_mm, 30.0], [inner_mm, 30.0], [inner_mm, 0.0]][corner];
                ring(radius_mm, z, angle)
            });
            for method in [Method::Ball, Method::Ray] {
                let found = of(&tube, 2.0, Between::Material, method, 4.5);
                let walls = found.iter().filter(|own| own.1.z.abs() < 0.5);
                let measured: Vec<f64> = walls.filter_map(|own| own.2).collect();
                let within = outer_mm * (1.0 - (std::f64::consts::PI / 120.0).cos()) + 0.01 * wall_mm;
                assert!(
                    measured.len() > 200 && measured.iter().all(|mm| (mm - wall_mm).abs() < within),
                    "{outer_mm} {wall_mm} {method:?}"
                );
                assert!(found.iter().all(|own| own.2.is_none_or(|mm| mm < wall_mm + within)), "{outer_mm} {wall_mm}");
            }
        }
    }
}
