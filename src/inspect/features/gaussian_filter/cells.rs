//! The area of a surface that each of scattered points stands for: its Voronoi cell in the tangent plane.

use geometry::kd_tree::Neighbours;
use geometry::transform::perpendicular_axes;
use geometry::{KdTree, Point, Vector};
use nalgebra::Vector2;

/// Number of neighbours that bound a cell.
const NEIGHBOURS: usize = 32;
/// Largest radius of a cell, as a share of the distance of the farthest of these neighbours: at an edge a cell has no end.
const MAX_REACH: f64 = 0.6;
/// Distance of the neighbours' mean from a point at an edge, as a share of that of the farthest one.
const MIN_IMBALANCE: f64 = 0.2;
/// Neighbours that tell the spacing at an edge.
const NEAREST: usize = 4;
/// Corners of the polygon that bounds a cell that has no end.
const CORNERS: usize = 12;

/// The area of the cell of `points[index]`, mm², to which coincident points contribute in equal parts; 1 without a normal
/// or without neighbours.
pub fn area_mm2(tree: &KdTree, points: &[Point], index: usize, normal: &Vector) -> f64 {
    if !(normal.norm_squared() > 0.0) {
        return 1.0;
    }
    let (tangents, point) = (perpendicular_axes(normal), points[index]);
    let mut neighbours = Neighbours::default();
    tree.k_nearest(&point, NEIGHBOURS + 1, f64::INFINITY, &mut neighbours);
    let offset = |number: u32| {
        let offset = points[number as usize] - point;
        Vector2::new(offset.dot(&tangents[0]), offset.dot(&tangents[1]))
    };
    let offsets: Vec<Vector2<f64>> = neighbours.found.iter().map(|near| offset(near.number)).collect();
    let reach = MAX_REACH * offsets.iter().map(|offset| offset.norm()).fold(0.0, f64::max);
    if !(reach > 0.0) {
        return 1.0;
    }
    let corner = |k: usize| {
        let (sin, cos) = (k as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
        Vector2::new(cos, sin) * reach
    };
    let mut cell: Vec<Vector2<f64>> = (0..CORNERS).map(corner).collect();
    if let Some(beyond) = beyond_edge(&offsets, reach / MAX_REACH) {
        clip(&mut cell, &beyond, 0.5 * beyond.norm_squared());
    }
    let mut coincident = 0.0;
    for offset in offsets {
        let half = 0.5 * offset.norm_squared();
        if half > (1e-9 * reach).powi(2) {
            clip(&mut cell, &offset, half);
        } else {
            coincident += 1.0;
        }
    }
    let twice: f64 = (0..cell.len()).map(|k| cell[k].perp(&cell[(k + 1) % cell.len()])).sum();
    0.5 * twice / f64::max(coincident, 1.0)
}

/// At an edge, the next point as it would lie beyond it, so that a cell there is as large as one inside: opposite the
/// mean of the neighbours, as far away as the nearest ones. `None` inside.
fn beyond_edge(offsets: &[Vector2<f64>], radius: f64) -> Option<Vector2<f64>> {
    let mean = offsets.iter().sum::<Vector2<f64>>() / offsets.len() as f64;
    if mean.norm() < MIN_IMBALANCE * radius {
        return None;
    }
    let mut distances: Vec<f64> = offsets.iter().map(|own| own.norm()).filter(|own| *own > 0.0).collect();
    distances.sort_by(f64::total_cmp);
    let nearest = &distances[..distances.len().min(NEAREST)];
    let spacing = nearest.iter().sum::<f64>() / nearest.len().max(1) as f64;
    (spacing > 0.0).then(|| -mean.normalize() * spacing)
}

/// Leaves of a convex polygon what is nearer to the origin than to `neighbour`: its product with it is at most `half`.
fn clip(cell: &mut Vec<Vector2<f64>>, neighbour: &Vector2<f64>, half: f64) {
    let excess: Vec<f64> = cell.iter().map(|corner| corner.dot(neighbour) - half).collect();
    if excess.iter().all(|own| *own <= 0.0) {
        return;
    }
    let mut left = Vec::with_capacity(cell.len() + 1);
    for k in 0..cell.len() {
        let next = (k + 1) % cell.len();
        if excess[k] <= 0.0 {
            left.push(cell[k]);
        }
        if (excess[k] < 0.0 && excess[next] > 0.0) || (excess[k] > 0.0 && excess[next] < 0.0) {
            left.push(cell[k].lerp(&cell[next], excess[k] / (excess[k] - excess[next])));
        }
    }
    *cell = left;
}
