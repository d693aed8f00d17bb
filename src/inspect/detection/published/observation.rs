//! What a scene shows, by pixel: how likely an edge is, and small segments of nearly constant direction (superpixels by k-means;
//! Popovic 2013, section 1.2, after Achanta et al., "SLIC superpixels", 2012).

use super::super::scene::Scene;
use geometry::range_image::Pixel;
use geometry::{Point, RangeImage, Vector};

/// Pitch of the seeds of segments, pixels; fewest pixels of a segment; most iterations.
const PITCH: i32 = 7;
const MIN_PIXELS: usize = 5;
const MAX_ITERATIONS: usize = 20;
/// Spread of the directions of one segment: difference of unit normals.
const DIRECTION_SPREAD: f64 = 0.2;
/// Least probability of an edge, and where a pixel counts as one.
const MIN_EDGE: f64 = 0.05;
const IS_EDGE: f64 = 0.5;
/// Weight of an edge between faces against one where the range jumps, and the difference of unit normals of a full one.
const FACES_MEET: f64 = 0.5;
const FULL_TURN: f64 = 0.5;
/// Distances of the points that stand for a segment, pixels: on its faces, and on edges.
const KEY_PITCH: i32 = 3;
const EDGE_KEY_PITCH: i32 = 2;
/// Segments whose points come this near are neighbours, in pitches of the seeds.
const NEIGHBOUR_REACH: f64 = 1.0;
/// No segment.
pub const NONE: u32 = u32::MAX;

/// A piece of the scene.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its pixels.
    pub count: usize,
    /// Mean direction of its surface, unit.
    pub normal: Vector,
    /// Point of the scene nearest to its middle.
    pub centre: u32,
    /// Points of the scene that stand for it.
    pub keys: Vec<u32>,
    /// Those of them on edges.
    pub edge_keys: Vec<u32>,
    /// Greatest distance of a key from the centre, mm.
    pub radius_mm: f64,
}

/// A scene as its sensor saw it.
pub struct Observation<'a> {
    pub scene: &'a Scene,
    pub image: &'a RangeImage,
    /// Segment of each pixel.
    pub segment_of: Vec<u32>,
    pub segments: Vec<Segment>,
    /// By segment: its neighbours, and how likely they belong to one thing.
    pub affinity: Vec<Vec<(u32, f64)>>,
    /// Extent of a pixel on the scene, mm.
    pub pixel_mm: f64,
}

impl<'a> Observation<'a> {
    /// `None` if it is not known from where the scene was seen.
    pub fn new(scene: &'a Scene) -> Option<Self> {
        let image = scene.image.as_ref()?;
        let seen = || image.pixels.iter().filter(|own| own.index != NONE);
        let range_mm = seen().map(|own| f64::from(own.range_mm)).sum::<f64>() / seen().count().max(1) as f64;
        let mut own = Self {
            scene,
            image,
            segment_of: Vec::new(),
            segments: Vec::new(),
            affinity: Vec::new(),
            pixel_mm: range_mm / image.pinhole.pixels_per_tangent,
        };
        let is_wanted = |pixel: usize| own.is_foreground(pixel);
        let edges = own.edges(is_wanted);
        let (segment_of, segments) = own.segmented(&edges);
        own.segment_of = segment_of;
        own.segments = segments;
        own.affinity = own.affinities(&edges);
        Some(own)
    }

    fn width(&self) -> i32 {
        self.image.pinhole.size[0] as i32
    }

    fn column_and_row(&self, pixel: usize) -> [i32; 2] {
        [pixel as i32 % self.width(), pixel as i32 / self.width()]
    }

    /// Whether something that may be a part is seen in a pixel.
    pub fn is_foreground(&self, pixel: usize) -> bool {
        let index = self.image.pixels[pixel].index;
        index != NONE && !self.scene.is_background[index as usize]
    }

    fn point(&self, pixel: usize) -> Point {
        self.scene.points[self.image.pixels[pixel].index as usize].point
    }

    fn normal(&self, pixel: usize) -> Vector {
        self.scene.points[self.image.pixels[pixel].index as usize].normal
    }

    /// The pixels up to `reach` columns and rows from one, itself among them.
    pub fn around(&self, pixel: usize, reach: i32) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width(), self.image.pinhole.size[1] as i32);
        let [column, row] = self.column_and_row(pixel);
        let rows = (row - reach).max(0)..=(row + reach).min(height - 1);
        rows.flat_map(move |row| {
            let columns = (column - reach).max(0)..=(column + reach).min(width - 1);
            columns.map(move |column| (row * width + column) as usize)
        })
    }

    /// Logarithm of how likely an edge is in each pixel, from ln 0.05 to 0, among those for which `is_wanted` holds.
    pub fn edges(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let jump_mm = (5.0 * self.scene.noise_mm).max(4.0 * self.pixel_mm);
        let is_at_jump = |own: &Pixel, other: usize| {
            let other = &self.image.pixels[other];
            other.index != NONE && f64::from(other.range_mm - own.range_mm) > jump_mm
        };
        let strength = |pixel: usize| {
            if !is_wanted(pixel) {
                return 0.0;
            }
            let own = self.image.pixels[pixel];
            let (mut jumps, mut turn) = (false, 0.0_f64);
            for other in self.around(pixel, 1) {
                jumps |= is_at_jump(&own, other);
                if is_wanted(other) {
                    turn = turn.max((self.normal(pixel) - self.normal(other)).norm());
                }
            }
            if jumps { 1.0 } else { FACES_MEET * (turn / FULL_TURN).min(1.0) }
        };
        let all: Vec<f64> = (0..self.image.pixels.len()).map(strength).collect();
        let blurred = |pixel: usize| {
            let of = |other: usize| {
                let apart = pixel.abs_diff(other);
                let weight = match apart {
                    0 => 0.6193,
                    _ if apart == 1 || apart == self.width() as usize => 0.0838,
                    _ => 0.0113,
                };
                weight * all[other]
            };
            self.around(pixel, 1).map(of).sum::<f64>().clamp(MIN_EDGE, 1.0).ln()
        };
        (0..all.len()).map(|pixel| if is_wanted(pixel) { blurred(pixel) } else { MIN_EDGE.ln() }).collect()
    }

    /// Segment of each pixel, and the segments.
    fn segmented(&self, edges: &[f64]) -> (Vec<u32>, Vec<Segment>) {
        struct Cluster {
            pixel: usize,
            point: Point,
            normal: Vector,
        }
        let at = |pixel: usize| Cluster { pixel, point: self.point(pixel), normal: self.normal(pixel) };
        let (width, height) = (self.width(), self.image.pinhole.size[1] as i32);
        let nodes = (0..height)
            .step_by(PITCH as usize)
            .flat_map(|row| (0..width).step_by(PITCH as usize).map(move |column| (row * width + column) as usize));
        let calmest = |node: usize| {
            let near = self.around(node, 1).filter(|&pixel| self.is_foreground(pixel));
            near.min_by(|&a, &b| edges[a].total_cmp(&edges[b]))
        };
        let mut clusters: Vec<Cluster> = nodes.filter_map(calmest).map(at).collect();
        let spread_mm = 0.5 * f64::from(PITCH) * self.pixel_mm;
        let mut segment_of = Vec::new();
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            segment_of = vec![NONE; self.image.pixels.len()];
            let mut nearest = vec![f64::INFINITY; segment_of.len()];
            for (number, own) in clusters.iter().enumerate() {
                for pixel in self.around(own.pixel, PITCH).filter(|&pixel| self.is_foreground(pixel)) {
                    let away = (self.point(pixel) - own.point).norm_squared() / spread_mm.powi(2)
                        + (self.normal(pixel) - own.normal).norm_squared() / DIRECTION_SPREAD.powi(2);
                    if away < nearest[pixel] {
                        (nearest[pixel], segment_of[pixel]) = (away, number as u32);
                    }
                }
            }
            let total: f64 = nearest.iter().filter(|own| own.is_finite()).sum();
            clusters = members(&segment_of)
                .map(|own| {
                    let count = own.len() as f64;
                    let point = Point::from(own.iter().map(|&pixel| self.point(pixel).coords).sum::<Vector>() / count);
                    let normal = own.iter().map(|&pixel| self.normal(pixel)).sum::<Vector>() / count;
                    Cluster { pixel: self.nearest_of(&own, &point), point, normal }
                })
                .collect();
            if (last - total).abs() < 1.0 {
                break;
            }
            last = total;
        }
        self.numbered(&segment_of, edges)
    }

    fn nearest_of(&self, pixels: &[usize], point: &Point) -> usize {
        let away = |pixel: usize| (self.point(pixel) - point).norm_squared();
        pixels.iter().copied().min_by(|&a, &b| away(a).total_cmp(&away(b))).unwrap_or(0)
    }

    /// Segments of at least [`MIN_PIXELS`], numbered without gaps.
    fn numbered(&self, cluster_of: &[u32], edges: &[f64]) -> (Vec<u32>, Vec<Segment>) {
        let mut segment_of = vec![NONE; cluster_of.len()];
        let mut segments: Vec<Segment> = Vec::new();
        for pixels in members(cluster_of) {
            pixels.iter().for_each(|&pixel| segment_of[pixel] = segments.len() as u32);
            let count = pixels.len() as f64;
            let middle = Point::from(pixels.iter().map(|&pixel| self.point(pixel).coords).sum::<Vector>() / count);
            let centre = self.nearest_of(&pixels, &middle);
            let keys = self.cover(pixels.iter().copied(), KEY_PITCH);
            let on_edges = pixels.iter().copied().filter(|&pixel| edges[pixel] > IS_EDGE.ln());
            let edge_keys = self.cover(on_edges, EDGE_KEY_PITCH);
            let index = |pixel: &usize| self.image.pixels[*pixel].index;
            let radius_mm = keys.iter().map(|&key| (self.point(key) - self.point(centre)).norm()).fold(0.0, f64::max);
            let normal: Vector = pixels.iter().map(|&pixel| self.normal(pixel)).sum();
            segments.push(Segment {
                count: pixels.len(),
                normal: normal.try_normalize(1e-9).unwrap_or_else(|| self.normal(centre)),
                centre: index(&centre),
                keys: keys.iter().map(index).collect(),
                edge_keys: edge_keys.iter().map(index).collect(),
                radius_mm,
            });
        }
        (segment_of, segments)
    }

    /// Some of the pixels, no two of them nearer than `pitch`, and each near one of them.
    fn cover(&self, pixels: impl Iterator<Item = usize>, pitch: i32) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for pixel in pixels {
            let [column, row] = self.column_and_row(pixel);
            let is_near = |other: &usize| {
                let [other_column, other_row] = self.column_and_row(*other);
                (column - other_column).pow(2) + (row - other_row).pow(2) < pitch * pitch
            };
            if !kept.iter().any(is_near) {
                kept.push(pixel);
            }
        }
        kept
    }

    /// How likely neighbouring segments belong to one thing.
    fn affinities(&self, edges: &[f64]) -> Vec<Vec<(u32, f64)>> {
        let reach_mm = NEIGHBOUR_REACH * f64::from(PITCH) * self.pixel_mm;
        let point = |index: u32| self.scene.points[index as usize].point;
        let pixel_of = |own: &Segment| self.image.pixel_of(&point(own.centre));
        let between = |a: &Segment, b: &Segment| {
            let (Some(from), Some(to)) = (pixel_of(a), pixel_of(b)) else { return 1.0 };
            let [from, to] = [from, to].map(|pixel| self.column_and_row(pixel).map(f64::from));
            let steps = ((to[0] - from[0]).hypot(to[1] - from[1]) * 2.0).ceil().max(1.0) as usize;
            let at = |step: usize| {
                let share = step as f64 / steps as f64;
                let [column, row] = [0, 1].map(|axis| (from[axis] + share * (to[axis] - from[axis])).round() as i32);
                edges[(row * self.width() + column) as usize]
            };
            ((0..=steps).map(at).sum::<f64>() / (steps + 1) as f64).exp()
        };
        let of_pair = |a: &Segment, b: &Segment| {
            let apart_mm = (point(a.centre) - point(b.centre)).norm();
            if apart_mm > a.radius_mm + b.radius_mm + reach_mm {
                return None;
            }
            let pairs = a.keys.iter().flat_map(|&one| b.keys.iter().map(move |&other| (one, other)));
            let nearest_mm = pairs.map(|(one, other)| (point(one) - point(other)).norm()).fold(f64::INFINITY, f64::min);
            let turned = (a.normal - b.normal).norm_squared();
            (nearest_mm < reach_mm)
                .then(|| (-(0.04 * nearest_mm / reach_mm + 0.1 * between(a, b) + 0.3 * turned)).exp())
        };
        let all = self.segments.iter().enumerate().map(|(number, own)| {
            let others = self.segments.iter().enumerate().filter(|(other, _)| *other != number);
            others.filter_map(|(other, segment)| Some((other as u32, of_pair(own, segment)?))).collect()
        });
        all.collect()
    }
}

/// The pixels of each cluster that has enough of them, given the cluster of each pixel.
fn members(cluster_of: &[u32]) -> impl Iterator<Item = Vec<usize>> {
    let count = cluster_of.iter().filter(|own| **own != NONE).max().map_or(0, |own| *own as usize + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    let owned = cluster_of.iter().enumerate().filter(|(_, own)| **own != NONE);
    owned.for_each(|(pixel, &own)| members[own as usize].push(pixel));
    members.into_iter().filter(|own| own.len() >= MIN_PIXELS)
}
