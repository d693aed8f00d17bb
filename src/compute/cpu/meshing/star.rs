//! The Delaunay neighbours of one point in its tangent plane.
//!
//! Inversion in a circle about the point turns circles through it into straight lines, so its Delaunay neighbours are the
//! corners of the convex hull of its inverted neighbourhood (Brown, "Voronoi diagrams from convex hulls", 1979), and the
//! circle through it and two of them is as large as their line is near. Lengths in point spacings.

use super::plane;

/// Set in the number of a neighbour if there is no facet between it and the next one.
pub const OPEN: u32 = 1 << 31;
/// Neighbours that lie steeper above the tangent plane than this belong to another side of the part; sine of the angle.
const MAX_SLOPE: f32 = 0.85;
/// Of neighbours nearer than this above the plane the slope is noise.
const MAX_NOISE_HEIGHT: f32 = 0.3;
/// Points on one circle, as on a regular grid, have no one triangulation: each is weighted by up to this, squared, so
/// that all choose the same (a regular triangulation in place of a Delaunay one).
const MAX_WEIGHT: f32 = 0.01;
/// Keeps quotients finite.
const TINY: f32 = 1e-12;
/// Further away than any neighbour.
const FAR: f32 = 1e4;
/// Neighbours that are looked at together.
const LANES: usize = 4;
const NONE: usize = usize::MAX;
/// Neighbours of a point; more than on any surface.
const MAX_NEIGHBOURS: usize = 64;

/// The points around one point and the point itself: offsets from it, weights and indices.
#[derive(Default)]
pub struct Neighbourhood {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub z: Vec<f32>,
    pub weights: Vec<f32>,
    pub indices: Vec<u32>,
    /// Inverted in the tangent plane; what cannot be a neighbour lies in the point itself.
    across: Vec<f32>,
    up: Vec<f32>,
    turned: Vec<f32>,
}

impl Neighbourhood {
    pub fn clear(&mut self) {
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.weights] {
            column.clear();
        }
        self.indices.clear();
    }

    /// Fills up to whole lanes, with points that are too far away for the normal and too light for neighbours.
    pub fn pad(&mut self) {
        let padded = self.x.len().next_multiple_of(LANES);
        self.x.resize(padded, FAR);
        self.weights.resize(padded, f32::NEG_INFINITY);
        for column in [&mut self.y, &mut self.z, &mut self.across, &mut self.up, &mut self.turned] {
            column.resize(padded, 0.0);
        }
    }

    /// The least distance within which there are `count` points; of all, if there are fewer.
    pub fn reach_of(&self, count: usize) -> f32 {
        let columns = self.x.iter().zip(&self.y).zip(&self.z).take(self.indices.len());
        let mut squares: Vec<f32> = columns.map(|((x, y), z)| x * x + y * y + z * z).collect();
        let last = count.min(squares.len()).saturating_sub(1);
        if squares.is_empty() { 0.0 } else { squares.select_nth_unstable_by(last, f32::total_cmp).1.sqrt() * 1.000_01 }
    }

    /// The unit normal from the points within `reach`; zero if they do not span a plane.
    pub fn normal(&self, reach: f32) -> [f32; 3] {
        // Number, sums and products of the points, lane by lane.
        let mut sums = [[0.0_f32; LANES]; 10];
        let columns = self.x.chunks_exact(LANES).zip(self.y.chunks_exact(LANES)).zip(self.z.chunks_exact(LANES));
        for ((x, y), z) in columns {
            for lane in 0..LANES {
                let (x, y, z) = (x[lane], y[lane], z[lane]);
                let one = if x * x + y * y + z * z <= reach * reach { 1.0 } else { 0.0 };
                let (own_x, own_y, own_z) = (x * one, y * one, z * one);
                sums[0][lane] += one;
                sums[1][lane] += own_x;
                sums[2][lane] += own_y;
                sums[3][lane] += own_z;
                sums[4][lane] += own_x * x;
                sums[5][lane] += own_x * y;
                sums[6][lane] += own_x * z;
                sums[7][lane] += own_y * y;
                sums[8][lane] += own_y * z;
                sums[9][lane] += own_z * z;
            }
        }
        let [count, x, y, z, xx, xy, xz, yy, yz, zz] = sums.map(|lanes| lanes.iter().sum::<f32>());
        if count < 4.0 {
            return [0.0; 3];
        }
        let of_mean = [x * x, x * y, x * z, y * y, y * z, z * z];
        let products = [xx, xy, xz, yy, yz, zz];
        plane::normal(std::array::from_fn(|i| products[i] - of_mean[i] / count))
    }

    /// Appends the Delaunay neighbours of point `index` in cyclic order. A facet's circle has at most radius
    /// `max_radius`. Returns whether any two neighbours have no facet between them.
    pub fn star(&mut self, index: u32, normal: [f32; 3], max_radius: f32, out: &mut Vec<u32>) -> bool {
        if !self.invert(index, normal) {
            return true;
        }
        let squares = self.across.iter().zip(&self.up).map(|(x, y)| x * x + y * y);
        let nearest = squares
            .enumerate()
            .fold((0.0, NONE), |best, (own, square)| if square > best.0 { (square, own) } else { best });
        let (_, nearest) = nearest;
        if nearest == NONE {
            return true;
        }
        let begin = out.len();
        let (mut own, mut is_open) = (nearest, false);
        for _ in 0..MAX_NEIGHBOURS {
            let next = self.next(own, 1.0);
            let has_facet = next.is_some_and(|next| self.radius_is_at_most(max_radius, own, next));
            is_open |= !has_facet;
            out.push(if has_facet { self.indices[own] } else { self.indices[own] | OPEN });
            match next {
                Some(next) if next == nearest => return is_open,
                Some(next) => own = next,
                None => break,
            }
        }
        // At a border: what lies on the other side of the nearest one goes before it.
        let behind = out.len();
        own = nearest;
        for _ in 0..MAX_NEIGHBOURS {
            let Some(before) = self.next(own, -1.0) else { break };
            let has_facet = self.radius_is_at_most(max_radius, before, own);
            out.push(if has_facet { self.indices[before] } else { self.indices[before] | OPEN });
            own = before;
        }
        let after = behind - begin;
        out[behind..].reverse();
        out[begin..].rotate_left(after);
        true
    }

    /// The corner of the hull after a corner, in the sense of rotation (1) or against it (-1); `None` if the point does
    /// not lie on the inner side of the edge to it (Jarvis, "On the identification of the convex hull of a finite set of
    /// points in the plane", 1973).
    fn next(&mut self, own: usize, sense: f32) -> Option<usize> {
        let (x, y) = (self.across[own], sense * self.up[own]);
        // The cotangent of the angle from the direction to the point itself.
        for ((turned, &across), &up) in self.turned.iter_mut().zip(&self.across).zip(&self.up) {
            let to = [across - x, sense * up - y];
            let (along, beside) = (x * to[0] + y * to[1], x * to[1] - y * to[0]);
            let cotangent = along / beside;
            *turned = if beside > 0.0 { cotangent } else { f32::NEG_INFINITY };
        }
        let mut furthest = [f32::NEG_INFINITY; LANES];
        for turned in self.turned.chunks_exact(LANES) {
            for (furthest, &turned) in furthest.iter_mut().zip(turned) {
                *furthest = if turned > *furthest { turned } else { *furthest };
            }
        }
        let furthest = furthest.into_iter().fold(f32::NEG_INFINITY, f32::max);
        (furthest > f32::NEG_INFINITY).then(|| self.turned.iter().position(|&own| own == furthest)).flatten()
    }

    /// Whether the circle through the point and two of its neighbours is that small.
    fn radius_is_at_most(&self, max_radius: f32, a: usize, b: usize) -> bool {
        let (from, to) = ([self.across[a], self.up[a]], [self.across[b], self.up[b]]);
        let along = [to[0] - from[0], to[1] - from[1]];
        let reach = 2.0 * max_radius * (from[0] * to[1] - from[1] * to[0]);
        reach > 0.0 && reach * reach >= along[0] * along[0] + along[1] * along[1]
    }

    /// Inverts the neighbourhood in the unit circle of the tangent plane; false if a neighbour hides the point.
    fn invert(&mut self, index: u32, normal: [f32; 3]) -> bool {
        let [u, v] = plane::axes(normal);
        let own = weight(index);
        let mut min_power = 0.0_f32;
        let offsets = self.x.iter().zip(&self.y).zip(&self.z).zip(&self.weights);
        for ((to_x, to_y), (((&x, &y), &z), &weight)) in self.across.iter_mut().zip(&mut self.up).zip(offsets) {
            let along = |axis: [f32; 3]| x * axis[0] + y * axis[1] + z * axis[2];
            let (across, up, height) = (along(u), along(v), along(normal));
            let flat = across * across + up * up;
            let squared = flat + height * height;
            let is_beside = height * height <= MAX_NOISE_HEIGHT * MAX_NOISE_HEIGHT
                || height * height <= MAX_SLOPE * MAX_SLOPE * squared;
            // Its power less that of the point: a lighter point this near hides it.
            let power = if is_beside { squared + own - weight } else { f32::INFINITY };
            min_power = if power < min_power { power } else { min_power };
            // As far as in space, not as in the plane, so that points see one another alike.
            let scale = (squared / (flat + TINY)).sqrt() / (power + TINY);
            *to_x = across * scale;
            *to_y = up * scale;
        }
        min_power >= 0.0
    }
}

/// The weight of a point.
pub fn weight(index: u32) -> f32 {
    let mut bits = index.wrapping_mul(0x9E37_79B9);
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x85EB_CA6B);
    (bits >> 8) as f32 * (MAX_WEIGHT / (1 << 24) as f32)
}
