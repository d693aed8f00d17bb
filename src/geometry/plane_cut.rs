//! Where a plane cuts a mesh.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Mesh, Point, Vector};

/// A line along which a plane cuts a mesh: seen against the plane's normal, the outside is on its right, so that outer
/// contours run counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct CutLine {
    /// Its corners, mm, in the plane; of a closed line the first is not repeated.
    pub points: Vec<Point>,
    /// The facet that each segment lies in, from one corner to the next.
    pub facets: Vec<u32>,
    /// Whether the last corner is joined to the first.
    pub is_closed: bool,
}

/// An edge of the mesh, its lower vertex first.
type Edge = (u32, u32);

/// A piece in one facet, from the edge where it begins to that where it ends.
struct Segment {
    facet: u32,
    from: Edge,
    to: Edge,
}

/// Direction along which lines begin and follow each other: no edges of parts run across it.
const ALONG: Vector = Vector::new(1.0, 0.618, 0.414);

/// The lines along which the plane through `at` with unit `normal` cuts `mesh`. Where a closed line begins, and the order of
/// lines, do not depend on the order of the facets.
///
/// Vertices in the plane count as above it, so that every line passes through edges and none ends at a vertex. Facets
/// in the plane are not cut themselves.
pub fn cut(mesh: &Mesh, at: &Point, normal: &Vector) -> Vec<CutLine> {
    let heights: Vec<f64> = mesh.vertices.par_iter().map(|vertex| (vertex - at).dot(normal)).collect();
    let segments: Vec<Segment> = mesh
        .facets
        .par_iter()
        .enumerate()
        .filter_map(|(facet, corners)| segment(facet as u32, corners, |vertex| heights[vertex as usize] >= 0.0))
        .collect();
    let mut beginning: HashMap<Edge, Vec<u32>> = HashMap::new();
    let mut ending: HashMap<Edge, u32> = HashMap::new();
    for (number, own) in segments.iter().enumerate() {
        beginning.entry(own.from).or_default().push(number as u32);
        *ending.entry(own.to).or_default() += 1;
    }
    // Lines without a beginning are closed: they are followed once all others have been.
    let is_open = |own: &Segment| !ending.contains_key(&own.from);
    let (open, closed): (Vec<usize>, Vec<usize>) = (0..segments.len()).partition(|number| is_open(&segments[*number]));
    let mut is_used = vec![false; segments.len()];
    let mut lines = Vec::new();
    for first in open.into_iter().chain(closed) {
        if is_used[first] {
            continue;
        }
        let mut run = vec![first];
        is_used[first] = true;
        let mut end = segments[first].to;
        while let Some(next) = beginning.get(&end).and_then(|all| all.iter().find(|next| !is_used[**next as usize])) {
            is_used[*next as usize] = true;
            run.push(*next as usize);
            end = segments[*next as usize].to;
        }
        let run: Vec<&Segment> = run.into_iter().map(|number| &segments[number]).collect();
        lines.extend(line(mesh, &heights, &run, end == segments[first].from));
    }
    let along = |point: &Point| point.coords.dot(&ALONG);
    for own in lines.iter_mut().filter(|own| own.is_closed) {
        let first = (0..own.points.len()).min_by(|&a, &b| along(&own.points[a]).total_cmp(&along(&own.points[b])));
        own.points.rotate_left(first.unwrap_or(0));
        own.facets.rotate_left(first.unwrap_or(0));
    }
    lines.sort_by(|a, b| along(&a.points[0]).total_cmp(&along(&b.points[0])));
    lines
}

/// The piece of the cut in a facet; `None` if all its corners are on one side.
fn segment(facet: u32, corners: &[u32; 3], is_above: impl Fn(u32) -> bool) -> Option<Segment> {
    let above = corners.map(is_above);
    // The corner that is alone on its side.
    let alone = (0..3).find(|&own| above[own] != above[(own + 1) % 3] && above[own] != above[(own + 2) % 3])?;
    let edge = |a: u32, b: u32| (a.min(b), a.max(b));
    let (own, next, last) = (corners[alone], corners[(alone + 1) % 3], corners[(alone + 2) % 3]);
    let (to_next, to_last) = (edge(own, next), edge(own, last));
    // Along normal of plane times normal of facet: with the corner above, from the edge behind it to the one before it.
    let (from, to) = if above[alone] { (to_next, to_last) } else { (to_last, to_next) };
    Some(Segment { facet, from, to })
}

/// The corners along a run of segments; those in one place are one corner. `None` if nothing is left.
fn line(mesh: &Mesh, heights: &[f64], run: &[&Segment], is_closed: bool) -> Option<CutLine> {
    // From the lower vertex of each edge, so that both facets at it find the same point.
    let crossing = |(a, b): Edge| {
        let (high, low) = (heights[a as usize], heights[b as usize]);
        let (from, to) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
        from + (to - from) * (high / (high - low))
    };
    let (mut points, mut facets) = (vec![crossing(run.first()?.from)], Vec::new());
    for own in run {
        let to = crossing(own.to);
        if points.last() != Some(&to) {
            points.push(to);
            facets.push(own.facet);
        }
    }
    if is_closed {
        points.pop();
    }
    (points.len() > 1).then_some(CutLine { points, facets, is_closed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn length(line: &CutLine) -> f64 {
        let ends = line.points.iter().skip(1).chain(line.points.first().filter(|_| line.is_closed));
        line.points.iter().zip(ends).map(|(a, b)| (b - a).norm()).sum()
    }

    /// Area within, positive for lines that run counter-clockwise about `normal`.
    fn area(line: &CutLine, normal: &Vector) -> f64 {
        let ends = line.points.iter().cycle().skip(1);
        let turned: Vector = line.points.iter().zip(ends).map(|(a, b)| a.coords.cross(&b.coords)).sum();
        0.5 * turned.dot(normal)
    }

    #[test]
    fn a_box_is_cut_along_a_rectangle_that_runs_counter_clockwise() {
        let mesh = shapes::cuboid(Point::new(-3.0, 1.0, 2.0), Point::new(5.0, 4.0, 9.0));
        for (normal, perimeter, enclosed) in [
            (Vector::x(), 20.0, 21.0),
            (Vector::y(), 30.0, 56.0),
            (-Vector::y(), 30.0, 56.0),
            (Vector::z(), 22.0, 24.0),
        ] {
            let lines = cut(&mesh, &Point::new(1.0, 2.5, 6.0), &normal);
            assert_eq!(lines.len(), 1);
            assert!(lines[0].is_closed && lines[0].facets.len() == lines[0].points.len());
            assert!((length(&lines[0]) - perimeter).abs() < 1e-12);
            assert!((area(&lines[0], &normal) - enclosed).abs() < 1e-12);
        }
        assert!(cut(&mesh, &Point::new(0.0, 0.0, 20.0), &Vector::z()).is_empty());
    }

    #[test]
    fn holes_run_the_other_way() {
        let normal = Vector::z();
        let lines = cut(&shapes::torus(10.0, 3.0, 64, 32), &Point::new(0.0, 0.0, 0.7), &normal);
        let mut areas: Vec<f64> = lines.iter().map(|own| area(own, &normal)).collect();
        areas.sort_by(f64::total_cmp);
        assert_eq!(areas.len(), 2);
        assert!(areas[0] < -100.0 && areas[1] > 400.0, "{areas:?}");
    }

    #[test]
    fn a_plane_through_vertices_and_edges_is_cut_without_gaps() {
        let mesh = shapes::torus(10.0, 3.0, 24, 16);
        // Rings of vertices lie in this plane.
        let lines = cut(&mesh, &Point::origin(), &Vector::z());
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|own| own.is_closed && own.points.iter().all(|point| point.z.abs() < 1e-12)));
    }

    #[test]
    fn an_open_surface_gives_open_lines() {
        let mut mesh = shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(1.0, 1.0, 1.0));
        mesh.facets.retain(|corners| !corners.iter().all(|corner| mesh.vertices[*corner as usize].x > 0.5));
        let lines = cut(&mesh, &Point::new(0.5, 0.5, 0.5), &Vector::z());
        assert_eq!(lines.len(), 1);
        assert!(!lines[0].is_closed && lines[0].points.len() == lines[0].facets.len() + 1);
        assert!((length(&lines[0]) - 3.0).abs() < 1e-12);
    }
}
