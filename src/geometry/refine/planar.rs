//! A plane region, triangulated anew: a Delaunay triangulation of its corners, of the points on its rim and of a hexagonal lattice
//! inside, bounded by its rim (after Lawson, "Software for C1 surface interpolation", 1977: edges are flipped until every one has
//! the Delaunay property, and points are inserted one by one).

use std::collections::{BinaryHeap, HashMap};

/// Position in the plane, mm.
pub type At = [f64; 2];

/// No neighbour: the rim.
pub const RIM: u32 = u32::MAX;
/// Spacing of the lattice as a share of the longest edge: edges between the lattice and the rim are longer.
pub const LATTICE: f64 = 0.9;
/// Least distance of a lattice point from another point, and from the rim, in spacings.
const APART: [f64; 2] = [0.6, 0.42];
/// Smallest area of a triangle that counts as one, as a share of the square of its longest edge.
const FLAT: f64 = 1e-9;

/// Counter-clockwise triangles in a plane with their neighbours.
#[derive(Clone)]
pub struct Region {
    pub points: Vec<At>,
    pub triangles: Vec<[u32; 3]>,
    /// Across the edge from corner i to corner i + 1; [`RIM`] if there is none.
    pub neighbours: Vec<[u32; 3]>,
}

/// Twice the area of a triangle, positive if counter-clockwise, mm².
pub fn doubled_area(a: At, b: At, c: At) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn squared(a: At, b: At) -> f64 {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}

/// Whether `d` lies within the circle through `a`, `b` and `c`, counter-clockwise, by more than rounding.
fn is_within_circle(a: At, b: At, c: At, d: At) -> bool {
    let [a, b, c] = [a, b, c].map(|own| [own[0] - d[0], own[1] - d[1]]);
    let [aa, bb, cc] = [a, b, c].map(|own| own[0] * own[0] + own[1] * own[1]);
    let terms = [aa * (b[0] * c[1] - b[1] * c[0]), bb * (c[0] * a[1] - c[1] * a[0]), cc * (a[0] * b[1] - a[1] * b[0])];
    let size: f64 = terms.iter().map(|own| own.abs()).sum();
    terms.iter().sum::<f64>() > 1e-10 * size
}

impl Region {
    fn corners(&self, triangle: u32) -> [At; 3] {
        self.triangles[triangle as usize].map(|corner| self.points[corner as usize])
    }

    fn edge_from(&self, triangle: u32, from: u32) -> Option<usize> {
        self.triangles[triangle as usize].iter().position(|corner| *corner == from)
    }

    /// Edges on the rim, with their triangles.
    pub fn rim(&self) -> HashMap<(u32, u32), u32> {
        let mut rim = HashMap::new();
        for (index, (triangle, neighbours)) in self.triangles.iter().zip(&self.neighbours).enumerate() {
            for edge in (0..3).filter(|edge| neighbours[*edge] == RIM) {
                rim.insert((triangle[edge], triangle[(edge + 1) % 3]), index as u32);
            }
        }
        rim
    }

    /// Inserts points, in order, into an edge of the rim, without flips. `rim` is kept as [`Self::rim`].
    pub fn divide_rim(&mut self, rim: &mut HashMap<(u32, u32), u32>, edge: (u32, u32), points: &[u32]) {
        let (mut from, to) = edge;
        for &point in points {
            let Some(triangle) = rim.remove(&(from, to)) else { return };
            let Some(own) = self.edge_from(triangle, from) else { return };
            let new = self.split_edge(triangle, own, point)[1];
            rim.insert((from, point), triangle);
            rim.insert((point, to), new);
            // The edge from `to` to the opposite corner is that of the new triangle now.
            let apex = self.triangles[new as usize][2];
            if let Some(moved) = rim.get_mut(&(to, apex)) {
                *moved = new;
            }
            from = point;
        }
    }

    /// Splits an edge at a point; the triangles then at the point: (from, point, apex), (point, to, apex) and, if there is a
    /// neighbour, its two.
    fn split_edge(&mut self, triangle: u32, edge: usize, point: u32) -> Vec<u32> {
        let [from, to, apex] = self.turned(triangle, edge);
        let [across, of_to, of_apex] = std::array::from_fn(|k| self.neighbours[triangle as usize][(edge + k) % 3]);
        let new = self.triangles.len() as u32;
        self.triangles[triangle as usize] = [from, point, apex];
        self.triangles.push([point, to, apex]);
        self.neighbours[triangle as usize] = [across, new, of_apex];
        self.neighbours.push([RIM, of_to, triangle]);
        self.relink(of_to, triangle, new);
        if across == RIM {
            return vec![triangle, new];
        }
        let Some(own) = self.edge_from(across, to) else { return vec![triangle, new] };
        let apex = self.triangles[across as usize][(own + 2) % 3];
        let [_, of_from, of_far] = std::array::from_fn(|k| self.neighbours[across as usize][(own + k) % 3]);
        let other = self.triangles.len() as u32;
        // (to, point, apex) beside the new triangle, and (point, from, apex) beside the first.
        self.triangles[across as usize] = [to, point, apex];
        self.triangles.push([point, from, apex]);
        self.neighbours[across as usize] = [new, other, of_far];
        self.neighbours.push([triangle, of_from, across]);
        self.relink(of_from, across, other);
        self.neighbours[new as usize][0] = across;
        self.neighbours[triangle as usize][0] = other;
        vec![triangle, new, across, other]
    }

    /// Corners of a triangle, those of an edge first.
    fn turned(&self, triangle: u32, edge: usize) -> [u32; 3] {
        std::array::from_fn(|k| self.triangles[triangle as usize][(edge + k) % 3])
    }

    fn relink(&mut self, triangle: u32, before: u32, after: u32) {
        if triangle != RIM {
            for own in self.neighbours[triangle as usize].iter_mut().filter(|own| **own == before) {
                *own = after;
            }
        }
    }

    /// Splits a triangle in three at a point inside.
    fn split_triangle(&mut self, triangle: u32, point: u32) -> Vec<u32> {
        let [a, b, c] = self.triangles[triangle as usize];
        let [ab, bc, ca] = self.neighbours[triangle as usize];
        let (second, third) = (self.triangles.len() as u32, self.triangles.len() as u32 + 1);
        self.triangles[triangle as usize] = [a, b, point];
        self.triangles.extend([[b, c, point], [c, a, point]]);
        self.neighbours[triangle as usize] = [ab, second, third];
        self.neighbours.extend([[bc, third, triangle], [ca, triangle, second]]);
        self.relink(bc, triangle, second);
        self.relink(ca, triangle, third);
        vec![triangle, second, third]
    }

    /// Flips edges of these triangles, and those about them, until all have the Delaunay property; all that were looked at.
    pub fn flip(&mut self, triangles: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut open: Vec<u32> = triangles.into_iter().collect();
        let mut seen = Vec::with_capacity(2 * open.len());
        let mut left = 64 * (open.len() + self.triangles.len());
        while let Some(triangle) = open.pop() {
            seen.push(triangle);
            for edge in 0..3 {
                if left > 0 && self.flip_edge(triangle, edge) {
                    left -= 1;
                    let across = self.neighbours[triangle as usize];
                    open.push(triangle);
                    open.extend(across.into_iter().filter(|own| *own != RIM));
                    break;
                }
            }
        }
        seen
    }

    /// Flips an edge if the other diagonal has the Delaunay property and this one has not.
    fn flip_edge(&mut self, triangle: u32, edge: usize) -> bool {
        let across = self.neighbours[triangle as usize][edge];
        if across == RIM {
            return false;
        }
        let [from, to, apex] = self.turned(triangle, edge);
        let Some(own) = self.edge_from(across, to) else { return false };
        let far = self.triangles[across as usize][(own + 2) % 3];
        let [a, b, c, d] = [from, to, apex, far].map(|corner| self.points[corner as usize]);
        let longest = [squared(a, b), squared(b, c), squared(c, a), squared(a, d), squared(d, b), squared(c, d)];
        let least = FLAT * longest.iter().copied().fold(0.0, f64::max);
        let is_flat = doubled_area(a, b, c) <= least || doubled_area(b, a, d) <= least;
        let is_convex = doubled_area(c, a, d) > least && doubled_area(d, b, c) > least;
        // A triangle without area has no circle: whatever gives both some is better.
        if !is_convex || !(is_flat || is_within_circle(a, b, c, d)) {
            return false;
        }
        let [_, of_to, of_apex] = std::array::from_fn(|k| self.neighbours[triangle as usize][(edge + k) % 3]);
        let [_, of_from, of_far] = std::array::from_fn(|k| self.neighbours[across as usize][(own + k) % 3]);
        self.triangles[triangle as usize] = [apex, from, far];
        self.triangles[across as usize] = [far, to, apex];
        self.neighbours[triangle as usize] = [of_apex, of_from, across];
        self.neighbours[across as usize] = [of_far, of_to, triangle];
        self.relink(of_from, across, triangle);
        self.relink(of_to, triangle, across);
        true
    }

    /// Adds points so that no inner edge is longer than `max_edge_mm`. The rim must have none that is.
    pub fn fill(&mut self, max_edge_mm: f64) {
        self.insert_lattice(LATTICE * max_edge_mm);
        // Midpoints of the longest first, since flips may leave no need for the others.
        let longest_squared = max_edge_mm * max_edge_mm;
        let mut open: BinaryHeap<LongEdge> = BinaryHeap::new();
        let count = self.triangles.len() as u32;
        (0..count).for_each(|triangle| self.push_long_edges(triangle, longest_squared, &mut open));
        while let Some(LongEdge { from, to, triangle, .. }) = open.pop() {
            // The triangle may have changed since.
            let Some(edge) = self.edge_from(triangle, from) else { continue };
            if self.triangles[triangle as usize][(edge + 1) % 3] != to {
                continue;
            }
            let (a, b) = (self.points[from as usize], self.points[to as usize]);
            let point = self.push([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]);
            let at_point = self.split_edge(triangle, edge, point);
            for triangle in self.flip(at_point) {
                self.push_long_edges(triangle, longest_squared, &mut open);
            }
        }
    }

    fn push(&mut self, point: At) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn push_long_edges(&self, triangle: u32, longest_squared: f64, open: &mut BinaryHeap<LongEdge>) {
        for edge in 0..3 {
            let [from, to, _] = self.turned(triangle, edge);
            let squared = squared(self.points[from as usize], self.points[to as usize]);
            if squared > longest_squared && self.neighbours[triangle as usize][edge] != RIM {
                open.push(LongEdge { squared, from, to, triangle });
            }
        }
    }

    /// Inserts the points of a hexagonal lattice that are not too close to others and to the rim.
    fn insert_lattice(&mut self, spacing_mm: f64) {
        let extent = |axis: usize| {
            let all = self.points.iter().map(|own| own[axis]);
            all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], own| [low.min(own), high.max(own)])
        };
        let ([left, right], [bottom, top]) = (extent(0), extent(1));
        let row_mm = spacing_mm * 0.75_f64.sqrt();
        let (rows, columns) = (((top - bottom) / row_mm) as usize, ((right - left) / spacing_mm) as usize);
        let mut near = 0;
        // Where the points of the row before were: the way from the last one may lead across a hole.
        let mut below = vec![0; columns + 1];
        for row in 0..=rows {
            let y = bottom + (row as f64 + 0.5) * row_mm;
            let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
            for column in 0..=columns {
                // To and fro, so that the next one is close.
                let column = if row % 2 == 0 { column } else { columns - column };
                let at = [left + (column as f64 + shift) * spacing_mm, y];
                let found = self.containing(at, near).or_else(|| self.containing(at, below[column]));
                let Some(triangle) = found else { continue };
                (near, below[column]) = (triangle, triangle);
                if self.is_free(at, triangle, spacing_mm) {
                    let point = self.push(at);
                    let at_point = self.split_triangle(triangle, point);
                    self.flip(at_point);
                }
            }
        }
    }

    fn is_free(&self, at: At, triangle: u32, spacing_mm: f64) -> bool {
        let corners = self.corners(triangle);
        let [apart, from_rim] = APART.map(|share| share * spacing_mm);
        let is_apart = corners.iter().all(|corner| squared(*corner, at) >= apart * apart);
        is_apart
            && (0..3).all(|edge| {
                let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
                let least = if self.neighbours[triangle as usize][edge] == RIM { from_rim } else { 1e-3 * spacing_mm };
                doubled_area(a, b, at) >= least * squared(a, b).sqrt()
            })
    }

    /// The triangle that contains a point, from one near it; `None` if the way there leaves the region.
    pub fn containing(&self, at: At, near: u32) -> Option<u32> {
        let mut triangle = near;
        // A way across n triangles passes about the root of n of them.
        for _ in 0..64 + 8 * self.triangles.len().isqrt() {
            let corners = self.corners(triangle);
            let outside = |edge: &usize| doubled_area(corners[*edge], corners[(edge + 1) % 3], at) < 0.0;
            let Some(edge) = (0..3).find(outside) else { return Some(triangle) };
            // Around a hole by any other way that leads towards it.
            let open = (0..3).filter(outside).find(|edge| self.neighbours[triangle as usize][*edge] != RIM);
            triangle = match (self.neighbours[triangle as usize][edge], open) {
                (RIM, Some(other)) => self.neighbours[triangle as usize][other],
                (RIM, None) => return None,
                (across, _) => across,
            };
        }
        None
    }
}

/// An edge to be split; the longest first, then by its corners, so that the order is fixed.
#[derive(PartialEq)]
struct LongEdge {
    squared: f64,
    from: u32,
    to: u32,
    triangle: u32,
}

impl Eq for LongEdge {}

impl Ord for LongEdge {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.squared.total_cmp(&other.squared).then((other.from, other.to).cmp(&(self.from, self.to)))
    }
}

impl PartialOrd for LongEdge {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
