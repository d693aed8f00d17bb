//! Delaunay graph of a 3D point set, on which a greedy walk finds the nearest point (Raettig 2021; Anderson et al.,
//! Machine Vision and Applications, 2022).

mod predicates;
mod triangulation;
mod walk;

pub use walk::Walk;

use rayon::prelude::*;

use super::{Point, Vector, morton};
use base::random::Random;
use base::{Progress, Result, UserError};
use predicates::{are_collinear, orientation};
use triangulation::{INFINITE, Triangulation};

/// Points inserted between two progress reports.
const REPORT_INTERVAL: usize = 4096;

/// Adjacency of points in the Delaunay tetrahedralisation, in compressed sparse row form.
#[derive(Clone, Debug, Default)]
pub struct DelaunayGraph {
    /// Start of the neighbours of each point in `neighbours`; one entry more than points.
    pub starts: Vec<u32>,
    /// Neighbours of each point, by ascending index. Every edge is stored in both directions, except that a duplicate
    /// of a point with a lower index has a single edge, to that point.
    pub neighbours: Vec<u32>,
    /// Index of the point nearest to the centroid of all: the default start of a walk.
    pub central_point: u32,
}

impl DelaunayGraph {
    /// Builds the graph of finite `points`, mm. Coplanar, collinear, cospherical and duplicate points are permitted.
    /// Returns an input error if there are too many points, and an error on cancellation.
    pub fn new(points: &[Point], progress: &Progress) -> Result<Self> {
        if points.is_empty() {
            return Ok(Self { starts: vec![0], ..Self::default() });
        }
        if points.len() > (u32::MAX / 64) as usize {
            return Err(UserError::input(format!(
                "A Delaunay graph of {} points is too large: thin the points first.",
                points.len()
            )));
        }
        let mut extended_points = points.to_vec();
        let first = initial_tetrahedron(&mut extended_points);
        let mut triangulation = Triangulation::new(&extended_points, first);
        let mut twins = Vec::new();
        let order = insertion_order(points);
        for (done, &index) in order.iter().enumerate() {
            if done % REPORT_INTERVAL == 0 {
                progress.report(done as f32 / points.len() as f32, "Building the Delaunay graph")?;
            }
            if !first.contains(&index)
                && let Some(twin) = triangulation.insert(index)
            {
                twins.push((index, twin));
            }
        }
        let (starts, neighbours) = adjacency(points.len(), &triangulation.corners(), &duplicates(twins));
        let mean = points.iter().fold(Vector::zeros(), |sum, point| sum + point.coords) / points.len() as f64;
        let central_point = nearest_by_brute_force(points, &mean.into());
        Ok(Self { starts, neighbours, central_point })
    }

    /// Neighbours of point `index`, ascending.
    #[inline]
    pub fn of(&self, index: u32) -> &[u32] {
        let index = index as usize;
        &self.neighbours[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Four points that are not coplanar. If there are none, auxiliary points off the plane are appended to `points`. They
/// do not change the graph of coplanar points: spheres through an auxiliary point intersect the plane in the same
/// circles.
fn initial_tetrahedron(points: &mut Vec<Point>) -> [u32; 4] {
    let count = points.len();
    let a = 0_usize;
    let find = |points: &mut Vec<Point>, is_suitable: &dyn Fn(&[Point], &Point) -> bool| {
        if let Some(found) = (0..count).find(|&i| is_suitable(points, &points[i])) {
            return found;
        }
        let size_mm = points.iter().map(|point| (point - points[a]).amax()).fold(1.0, f64::max);
        let candidates = (0..64_u32).map(|i| {
            // Random directions, unlikely to align with the points.
            let mut random = Random::new(0x0B5E_55ED, u64::from(i));
            points[a] + Vector::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0)) * size_mm
        });
        let chosen = candidates.into_iter().find(|point| is_suitable(points, point)).unwrap_or(points[a]);
        points.push(chosen);
        points.len() - 1
    };
    let b = find(points, &|points, point| *point != points[a]);
    let c = find(points, &|points, point| !are_collinear(&points[a], &points[b], point));
    let d = find(points, &|points, point| orientation([&points[a], &points[b], &points[c], point]) != 0.0);
    [a, b, c, d].map(|i| i as u32)
}

/// Biased randomised insertion order (Amenta, Choi and Rote 2003): random rounds of doubling size, each along a
/// space-filling curve. Keeps walks short and cavities small for any order of `points`.
fn insertion_order(points: &[Point]) -> Vec<u32> {
    let mut random = Random::new(0xB710, 0);
    let levels: Vec<u32> = points.iter().map(|_| (-random.uniform().max(1e-9).log2()) as u32).collect();
    let mut order = morton::order(points);
    order.sort_by_key(|&index| std::cmp::Reverse(levels[index as usize]));
    order
}

/// Pairs (duplicate, lowest index of a point equal to it), ascending. `twins` holds pairs (point, equal point inserted
/// before it).
fn duplicates(twins: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    // The tetrahedra refer to the point inserted first, which need not have the lowest index.
    let mut lowest = std::collections::HashMap::new();
    for &(index, twin) in &twins {
        let lowest_index = lowest.entry(twin).or_insert(twin);
        *lowest_index = index.min(*lowest_index);
    }
    let mut duplicates = Vec::new();
    for &(index, twin) in &twins {
        let lowest_index = lowest[&twin];
        duplicates.push((if index == lowest_index { twin } else { index }, lowest_index));
    }
    duplicates.sort_unstable();
    duplicates.dedup();
    duplicates
}

/// Compressed sparse rows (starts, neighbours) of the edges of all tetrahedra. `equals` holds pairs (duplicate, equal
/// point with the lowest index).
fn adjacency(count: usize, tetrahedra: &[[u32; 4]], equals: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    // The tetrahedra refer to whichever duplicate was inserted first: map it to the lowest index.
    let mut lowest_index: Vec<u32> = (0..count as u32).collect();
    equals.iter().for_each(|&(index, lowest)| lowest_index[index as usize] = lowest);
    let edges = |tetrahedron: &[u32; 4]| {
        let corners = tetrahedron.map(|corner| lowest_index.get(corner as usize).copied().unwrap_or(INFINITE));
        const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        PAIRS.map(|(i, j)| (corners[i], corners[j])).into_iter().filter(|&(a, b)| a != INFINITE && b != INFINITE)
    };
    let mut starts = vec![0_usize; count + 1];
    for (a, b) in tetrahedra.iter().flat_map(edges) {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let (mut next, mut neighbours) = (starts.clone(), vec![0_u32; starts[count]]);
    for (a, b) in tetrahedra.iter().flat_map(edges) {
        for (from, to) in [(a, b), (b, a)] {
            neighbours[next[from as usize]] = to;
            next[from as usize] += 1;
        }
    }
    let mut rows: Vec<Vec<u32>> = starts
        .par_windows(2)
        .map(|range| {
            let mut row = neighbours[range[0]..range[1]].to_vec();
            row.sort_unstable();
            row.dedup();
            row
        })
        .collect();
    equals.iter().for_each(|&(index, lowest)| rows[index as usize] = vec![lowest]);
    let mut starts = Vec::with_capacity(count + 1);
    starts.push(0);
    rows.iter().for_each(|row| starts.push(starts.last().copied().unwrap_or_default() + row.len() as u32));
    (starts, rows.concat())
}

fn nearest_by_brute_force(points: &[Point], query: &Point) -> u32 {
    let nearest = points.par_iter().enumerate().map(|(i, point)| ((point - query).norm_squared(), i as u32));
    nearest.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).map_or(0, |(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mesh::shapes, sampling};

    /// Checks that edges are symmetric and that walks from random starts end at the nearest point.
    fn check(points: &[Point]) -> DelaunayGraph {
        let graph = DelaunayGraph::new(points, &Progress::silent()).unwrap();
        for index in 0..points.len() as u32 {
            for &other in graph.of(index) {
                let back = graph.of(other).contains(&index);
                assert!(back || points[index as usize] == points[other as usize], "{index} {other}");
            }
        }
        let mut random = Random::new(1, 9);
        for trial in 0..300 {
            let near = points[random.index(points.len())];
            let offset = Vector::new(random.normal(), random.normal(), random.normal());
            let query = near + offset * [0.0, 0.02, 0.5, 30.0][trial % 4];
            let walk = graph.walk(points, &query, random.index(points.len()) as u32);
            let nearest = nearest_by_brute_force(points, &query);
            let squared = |index: u32| (points[index as usize] - query).norm_squared();
            assert_eq!(squared(walk.number), squared(nearest), "{trial}");
        }
        graph
    }

    #[test]
    fn walks_are_exact_on_clouds_surfaces_and_planar_parts() {
        let mut random = Random::new(2, 2);
        let cloud: Vec<Point> =
            (0..2000).map(|_| Point::new(random.normal(), random.normal(), random.normal())).collect();
        check(&cloud);
        for mesh in [shapes::torus(30.0, 8.0, 40, 20), shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0))] {
            let points: Vec<Point> = sampling::by_area(&mesh, 3000, 5).iter().map(|sample| sample.point).collect();
            let graph = check(&points);
            assert!((0..graph.len()).all(|i| graph.of(i as u32).len() >= 3));
            // More than a metre from the origin, where rounding makes planes only approximately planar.
            check(&points.iter().map(|point| point + Vector::new(1e3, -2e3, 77.7)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn degenerate_point_sets_are_handled() {
        let grid = |n: u32, m: u32, k: u32| -> Vec<Point> {
            (0..n * m * k).map(|i| Point::new(f64::from(i % n), f64::from(i / n % m), f64::from(i / n / m))).collect()
        };
        check(&grid(9, 8, 7));
        check(&grid(30, 20, 1));
        check(&grid(50, 1, 1));
        check(&grid(2, 1, 1));
        check(&grid(1, 1, 1));
        check(&[Point::new(3.0, 4.0, 5.0); 9]);
        let mut doubled = grid(5, 5, 5);
        doubled.extend_from_within(..);
        doubled.rotate_left(40);
        check(&doubled);
        // Cospherical points.
        check(&shapes::sphere(5.0, 3).vertices);
        assert!(DelaunayGraph::new(&[], &Progress::silent()).unwrap().is_empty());
    }
}
