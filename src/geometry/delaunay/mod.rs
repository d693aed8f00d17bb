//! The Delaunay graph of points in space, on which a greedy walk finds the nearest point (Raettig 2021; Anderson et al.,
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

/// Points between two looks at the progress.
const BETWEEN_REPORTS: usize = 4096;

/// Who is whose neighbour in the Delaunay tetrahedralisation.
#[derive(Clone, Debug, Default)]
pub struct DelaunayGraph {
    /// Where each point's neighbours start in `neighbours`; one more entry than points.
    pub starts: Vec<u32>,
    /// Neighbours by ascending number. Every edge is there in both directions; a point that equals one of a lower
    /// number has only the edge to that one.
    pub neighbours: Vec<u32>,
    /// The point nearest to the mean of all: where walks start that know of no better place.
    pub middle: u32,
}

impl DelaunayGraph {
    /// Of finite `points`, mm. Planes, lines, grids and equal points are no special cases. An input error where there
    /// are more than fit.
    pub fn new(points: &[Point], progress: &Progress) -> Result<Self> {
        if points.is_empty() {
            return Ok(Self { starts: vec![0], ..Self::default() });
        }
        if points.len() > (u32::MAX / 64) as usize {
            return Err(UserError::input(format!(
                "A Delaunay graph of {} points does not fit: thin the points first.",
                points.len()
            )));
        }
        let mut places = points.to_vec();
        let first = first_corners(&mut places);
        let mut triangulation = Triangulation::new(&places, first);
        let mut twins = Vec::new();
        let order = insertion_order(points);
        for (done, &number) in order.iter().enumerate() {
            if done % BETWEEN_REPORTS == 0 {
                progress.report(done as f32 / points.len() as f32, "Building the Delaunay graph")?;
            }
            if !first.contains(&number)
                && let Some(twin) = triangulation.insert(number)
            {
                twins.push((number, twin));
            }
        }
        let (starts, neighbours) = rows(points.len(), &triangulation.corners(), &lowest_of_equals(twins));
        let mean = points.iter().fold(Vector::zeros(), |sum, point| sum + point.coords) / points.len() as f64;
        let middle = nearest_by_looking(points, &mean.into());
        Ok(Self { starts, neighbours, middle })
    }

    /// The neighbours of a point.
    #[inline]
    pub fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.neighbours[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Four points that lie on no plane. Where there are none, points beside all others are appended: the graph among the
/// points of a plane does not depend on a point beside it, as a sphere meets the plane in the same circle.
fn first_corners(points: &mut Vec<Point>) -> [u32; 4] {
    let count = points.len();
    let a = 0_usize;
    let find = |points: &mut Vec<Point>, fits: &dyn Fn(&[Point], &Point) -> bool| {
        if let Some(found) = (0..count).find(|&i| fits(points, &points[i])) {
            return found;
        }
        let size = points.iter().map(|point| (point - points[a]).amax()).fold(1.0, f64::max);
        let beside = (0..64_u32).map(|i| {
            // Directions that follow no pattern of the points.
            let mut random = Random::new(0x0B5E_55ED, u64::from(i));
            points[a] + Vector::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0)) * size
        });
        let chosen = beside.into_iter().find(|place| fits(points, place)).unwrap_or(points[a]);
        points.push(chosen);
        points.len() - 1
    };
    let b = find(points, &|points, place| *place != points[a]);
    let c = find(points, &|points, place| !are_collinear(&points[a], &points[b], place));
    let d = find(points, &|points, place| orientation([&points[a], &points[b], &points[c], place]) != 0.0);
    [a, b, c, d].map(|i| i as u32)
}

/// Rounds of doubling size, drawn at random, each along a curve (Amenta, Choi and Rote 2003): walks and holes stay
/// short whatever the order of the points.
fn insertion_order(points: &[Point]) -> Vec<u32> {
    let mut random = Random::new(0xB710, 0);
    let levels: Vec<u32> = points.iter().map(|_| (-random.uniform().max(1e-9).log2()) as u32).collect();
    let mut order = morton::order(points);
    order.sort_by_key(|&number| std::cmp::Reverse(levels[number as usize]));
    order
}

/// For points that equal another: each with the lowest number among its equals.
fn lowest_of_equals(twins: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    // The one that was inserted first stands in the tetrahedra; another may have the lowest number.
    let mut lowest = std::collections::HashMap::new();
    for &(number, twin) in &twins {
        let kept = lowest.entry(twin).or_insert(twin);
        *kept = number.min(*kept);
    }
    let mut renamed = Vec::new();
    for &(number, twin) in &twins {
        let kept = lowest[&twin];
        renamed.push((if number == kept { twin } else { number }, kept));
    }
    renamed.sort_unstable();
    renamed.dedup();
    renamed
}

/// The edges of all tetrahedra by start. `equals` holds (point, the one of lower number that it equals).
fn rows(count: usize, tetrahedra: &[[u32; 4]], equals: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    // In the tetrahedra stands whichever of the equals came first.
    let mut name: Vec<u32> = (0..count as u32).collect();
    equals.iter().for_each(|&(number, kept)| name[number as usize] = kept);
    let edges = |tetrahedron: &[u32; 4]| {
        let corners = tetrahedron.map(|corner| name.get(corner as usize).copied().unwrap_or(INFINITE));
        const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        PAIRS.map(|(i, j)| (corners[i], corners[j])).into_iter().filter(|&(a, b)| a != INFINITE && b != INFINITE)
    };
    let mut starts = vec![0_usize; count + 1];
    for (a, b) in tetrahedra.iter().flat_map(edges) {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let (mut next, mut all) = (starts.clone(), vec![0_u32; starts[count]]);
    for (a, b) in tetrahedra.iter().flat_map(edges) {
        for (from, to) in [(a, b), (b, a)] {
            all[next[from as usize]] = to;
            next[from as usize] += 1;
        }
    }
    let mut rows: Vec<Vec<u32>> = starts
        .par_windows(2)
        .map(|range| {
            let mut row = all[range[0]..range[1]].to_vec();
            row.sort_unstable();
            row.dedup();
            row
        })
        .collect();
    equals.iter().for_each(|&(number, kept)| rows[number as usize] = vec![kept]);
    let mut starts = Vec::with_capacity(count + 1);
    starts.push(0);
    rows.iter().for_each(|row| starts.push(starts.last().copied().unwrap_or_default() + row.len() as u32));
    (starts, rows.concat())
}

fn nearest_by_looking(points: &[Point], place: &Point) -> u32 {
    let nearest = points.par_iter().enumerate().map(|(i, point)| ((point - place).norm_squared(), i as u32));
    nearest.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).map_or(0, |(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mesh::shapes, sampling};

    /// Walks from everywhere end at the nearest point.
    fn check(points: &[Point]) -> DelaunayGraph {
        let graph = DelaunayGraph::new(points, &Progress::silent()).unwrap();
        for number in 0..points.len() as u32 {
            for &other in graph.of(number) {
                let back = graph.of(other).contains(&number);
                assert!(back || points[number as usize] == points[other as usize], "{number} {other}");
            }
        }
        let mut random = Random::new(1, 9);
        for round in 0..300 {
            let near = points[random.index(points.len())];
            let away = Vector::new(random.normal(), random.normal(), random.normal());
            let query = near + away * [0.0, 0.02, 0.5, 30.0][round % 4];
            let walk = graph.walk(points, &query, random.index(points.len()) as u32);
            let nearest = nearest_by_looking(points, &query);
            let squared = |number: u32| (points[number as usize] - query).norm_squared();
            assert_eq!(squared(walk.number), squared(nearest), "{round}");
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
            // A metre off, where rounding makes planes almost planar.
            check(&points.iter().map(|point| point + Vector::new(1e3, -2e3, 77.7)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn grids_planes_lines_and_equal_points_are_no_special_cases() {
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
        // On a sphere, all are on one empty sphere.
        check(&shapes::sphere(5.0, 3).vertices);
        assert!(DelaunayGraph::new(&[], &Progress::silent()).unwrap().is_empty());
    }
}
