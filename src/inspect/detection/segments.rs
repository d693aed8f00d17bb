//! Pieces of a scene: points that a smooth surface joins, or faces that meet in a convex edge. Things that touch meet in
//! concave edges, so a piece belongs to one thing, and a part in its true pose covers a piece or leaves it alone. (Convex
//! connections: Stein et al., "Object partitioning using local convexity", 2014.)

use std::collections::BTreeMap;

use base::{Progress, Result};
use geometry::KdTree;
use geometry::kd_tree::Neighbours;
use geometry::point_pairs::OrientedPoint;
use rayon::prelude::*;

/// Neighbours that a point is compared with, and their greatest distance in spacings.
const NEIGHBOURS: usize = 10;
const REACH: f64 = 2.5;
/// Least cosine between the normals of points of one piece (10°), and of the neighbours of a point on no edge (16°).
const MIN_COSINE: f64 = 0.985;
const MIN_SMOOTH_COSINE: f64 = 0.96;
/// Greatest height of a neighbour over the tangent plane, as a share of its distance: beyond it there is a step.
const MAX_SLOPE: f64 = 0.35;
/// Pieces of fewer points say nothing.
const MIN_POINTS: usize = 30;
/// The piece of points on edges and of those of small pieces.
pub const NONE: u32 = u32::MAX;

/// Number of the piece of each point, from 0 by falling size; [`NONE`] on edges and in pieces that are too small.
///
/// Returns an error if the work is cancelled.
pub fn of_points(points: &[OrientedPoint], tree: &KdTree, spacing_mm: f64, progress: &Progress) -> Result<Vec<u32>> {
    // Of each point; NONE after the last.
    let neighbours: Vec<[u32; NEIGHBOURS]> = points
        .par_iter()
        .map_init(Neighbours::default, |near, own| {
            let mut numbers = [NONE; NEIGHBOURS];
            if !progress.is_cancelled() {
                tree.k_nearest(&own.point, NEIGHBOURS, REACH * spacing_mm, near);
                numbers.iter_mut().zip(&near.found).for_each(|(number, neighbour)| *number = neighbour.number);
            }
            numbers
        })
        .collect();
    progress.check()?;
    let neighbours_of = |own: usize| neighbours[own].iter().copied().take_while(|other| *other != NONE);
    let cosine = |a: usize, b: u32| points[a].normal.dot(&points[b as usize].normal).abs();
    let is_smooth: Vec<bool> = (0..points.len())
        .into_par_iter()
        .map(|own| neighbours_of(own).all(|other| cosine(own, other) > MIN_SMOOTH_COSINE))
        .collect();
    let joins = |own: usize, other: u32| {
        let away = points[other as usize].point - points[own].point;
        let height = away.dot(&points[own].normal).abs();
        cosine(own, other) > MIN_COSINE && height < MAX_SLOPE * away.norm()
    };
    let mut piece = vec![NONE; points.len()];
    let mut sizes = Vec::new();
    for start in 0..points.len() {
        if piece[start] != NONE || !is_smooth[start] {
            continue;
        }
        let number = sizes.len() as u32;
        piece[start] = number;
        let (mut pending, mut size) = (vec![start], 1_usize);
        while let Some(own) = pending.pop() {
            for other in neighbours_of(own) {
                if piece[other as usize] == NONE && is_smooth[other as usize] && joins(own, other) {
                    piece[other as usize] = number;
                    pending.push(other as usize);
                    size += 1;
                }
            }
        }
        sizes.push(size);
    }
    let sizes = join_convex(points, tree, spacing_mm, &is_smooth, &mut piece, &sizes, progress);
    progress.check()?;
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&own| sizes[own] >= MIN_POINTS).collect();
    order.sort_by(|&a, &b| sizes[b].cmp(&sizes[a]).then(a.cmp(&b)));
    let mut rank = vec![NONE; sizes.len()];
    order.iter().enumerate().for_each(|(number, &own)| rank[own] = number as u32);
    Ok(piece.iter().map(|&own| if own == NONE { NONE } else { rank[own as usize] }).collect())
}

/// Distance within which points of two faces are taken to lie at their common edge, and of each from that edge, in
/// spacings.
const EDGE_REACH: f64 = 6.0;
const EDGE_DISTANCE: f64 = 4.0;
/// Least sine of the angle between two faces (20°).
const MIN_SINE: f64 = 0.34;
/// Least number of points at a convex edge, and least share of all points where two faces come near each other.
const MIN_AT_EDGE: usize = 8;
const MIN_CONVEX: f64 = 0.7;

/// Gives faces that meet in a convex edge one number; the sizes of the pieces then.
fn join_convex(
    points: &[OrientedPoint],
    tree: &KdTree,
    spacing_mm: f64,
    is_smooth: &[bool],
    piece: &mut [u32],
    sizes: &[usize],
    progress: &Progress,
) -> Vec<usize> {
    let is_of_size = |number: u32| number != NONE && sizes[number as usize] >= MIN_POINTS;
    let meets = |a: usize, b: usize| is_convex(&points[a], &points[b], EDGE_DISTANCE * spacing_mm);
    let meetings = |own: usize| -> Vec<((u32, u32), bool)> {
        let mut nearest: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        let mut is_at_edge = false;
        tree.within_radius(&points[own].point, EDGE_REACH * spacing_mm, |near| {
            is_at_edge |= !is_smooth[near.number as usize];
            let other = piece[near.number as usize];
            if other != piece[own] && is_of_size(other) {
                let best = nearest.entry(other).or_insert((f64::INFINITY, near.number));
                *best = if near.squared_mm2 < best.0 { (near.squared_mm2, near.number) } else { *best };
            }
        });
        let pair = |other: u32| (piece[own].min(other), piece[own].max(other));
        // Away from edges, faces come near each other by chance.
        let found = nearest.into_iter().filter(|_| is_at_edge);
        found.filter_map(|(other, (_, at))| Some((pair(other), meets(own, at as usize)?))).collect()
    };
    let all: Vec<((u32, u32), bool)> = (0..points.len())
        .into_par_iter()
        .filter(|&own| is_of_size(piece[own]) && !progress.is_cancelled())
        .flat_map_iter(meetings)
        .collect();
    let mut counts: BTreeMap<(u32, u32), [usize; 2]> = BTreeMap::new();
    for (pair, is_convex) in all {
        counts.entry(pair).or_default()[usize::from(is_convex)] += 1;
    }
    let mut root: Vec<u32> = (0..sizes.len() as u32).collect();
    for ((a, b), [not, convex]) in counts {
        if convex >= MIN_AT_EDGE && convex as f64 >= MIN_CONVEX * (convex + not) as f64 {
            let (a, b) = (root_of(&root, a), root_of(&root, b));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut joined = vec![0; sizes.len()];
    (0..sizes.len()).for_each(|own| joined[root_of(&root, own as u32) as usize] += sizes[own]);
    piece.iter_mut().filter(|own| **own != NONE).for_each(|own| *own = root_of(&root, *own));
    joined
}

fn root_of(root: &[u32], mut own: u32) -> u32 {
    while root[own as usize] != own {
        own = root[own as usize];
    }
    own
}

/// Whether the planes of two points meet in a convex edge; `None` if that edge is more than `limit_mm` from one of them.
fn is_convex(a: &OrientedPoint, b: &OrientedPoint, limit_mm: f64) -> Option<bool> {
    let sine = a.normal.cross(&b.normal).norm();
    let away = b.point - a.point;
    // How far each lies below the plane of the other.
    let below = [-away.dot(&a.normal), away.dot(&b.normal)];
    if below.iter().any(|own| own.abs() > limit_mm * sine.max(MIN_SINE)) {
        return None;
    }
    Some(sine > MIN_SINE && below.iter().all(|own| *own > -0.1 * limit_mm * sine) && below[0] + below[1] > 0.0)
}

/// Number of points of each piece.
pub fn sizes(pieces: &[u32]) -> Vec<usize> {
    let of_any = || pieces.iter().filter(|piece| **piece != NONE);
    let mut sizes = vec![0; of_any().max().map_or(0, |last| *last as usize + 1)];
    of_any().for_each(|piece| sizes[*piece as usize] += 1);
    sizes
}

/// Share of the pieces that some points lie on which these cover, 0 to 1: each piece weighs as much as it has of the
/// points, and of each counts what is `near`. Points in no piece cover what they are.
pub fn coverage(pieces: &[u32], near: &[u32], on: &[u32]) -> f64 {
    let piece_of = |index: &u32| Some(pieces[*index as usize]).filter(|piece| *piece != NONE);
    let count = on.iter().filter_map(piece_of).max().map_or(0, |last| last as usize + 1);
    let mut counts = vec![[0_usize; 2]; count];
    for (slot, points) in [near, on].into_iter().enumerate() {
        for piece in points.iter().filter_map(piece_of) {
            if let Some(own) = counts.get_mut(piece as usize) {
                own[slot] += 1;
            }
        }
    }
    let of_none = on.iter().filter(|index| piece_of(index).is_none()).count();
    let covered: f64 = counts.iter().map(|&[near, on]| (on * on) as f64 / near.max(1) as f64).sum();
    (covered + of_none as f64) / on.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Vector};

    /// A sheet of points, 1 mm apart, from a corner along two directions.
    fn sheet(points: &mut Vec<OrientedPoint>, corner: Point, along: [Vector; 2], counts: [usize; 2]) {
        let normal = along[0].cross(&along[1]).normalize();
        for a in 0..counts[0] {
            for b in 0..counts[1] {
                points.push(OrientedPoint { point: corner + along[0] * a as f64 + along[1] * b as f64, normal });
            }
        }
    }

    #[test]
    fn faces_of_a_box_are_one_piece_and_the_floor_is_another() {
        let mut points = Vec::new();
        // The floor, and a box of 30 x 20 x 16 on it, seen from two sides and above.
        sheet(&mut points, Point::new(-40.0, -40.0, 0.0), [Vector::x(), Vector::y()], [40, 100]);
        let floor = points.len();
        sheet(&mut points, Point::new(0.5, 0.0, 16.0), [Vector::x(), Vector::y()], [30, 20]);
        sheet(&mut points, Point::new(0.0, 0.0, 0.5), [Vector::z(), Vector::y()], [16, 20]);
        points[floor + 600..].iter_mut().for_each(|own| own.normal = -Vector::x());
        // A plate 20 below the top, past an edge that hides the rest.
        let boxed = points.len();
        sheet(&mut points, Point::new(31.0, 0.0, -4.0), [Vector::x(), Vector::y()], [30, 20]);
        let positions: Vec<Point> = points.iter().map(|own| own.point).collect();
        let pieces = of_points(&points, &KdTree::new(&positions), 1.0, &Progress::silent()).unwrap();
        let numbers = |range: std::ops::Range<usize>| -> std::collections::BTreeSet<u32> {
            pieces[range].iter().copied().filter(|own| *own != NONE).collect()
        };
        let (of_floor, of_box, of_plate) = (numbers(0..floor), numbers(floor..boxed), numbers(boxed..points.len()));
        assert!(
            of_floor.len() == 1 && of_box.len() == 1 && of_plate.len() == 1,
            "{of_floor:?} {of_box:?} {of_plate:?}"
        );
        assert!(of_floor != of_box && of_box != of_plate && of_floor != of_plate);
        // All of the box covers it; its top alone does not.
        let near: Vec<u32> = (0..points.len() as u32).collect();
        let all: Vec<u32> = (floor as u32..boxed as u32).collect();
        assert!((coverage(&pieces, &near, &all) - 1.0).abs() < 1e-12);
        let top = coverage(&pieces, &near, &all[..600]);
        assert!((0.5..0.8).contains(&top), "{top}");
        assert_eq!(coverage(&pieces, &near, &[]), 0.0);
    }
}
