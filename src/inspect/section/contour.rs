//! Contours: the lines of a section, in the coordinates of its plane.

use serde::Serialize;

use super::plane::{PlanePoint, SectionPlane};
use geometry::Mesh;
use geometry::plane_cut::CutLine;

/// Where neighbouring segments turn by more than this, rad, the contour has a corner; tessellated curves turn by less.
const CORNER_RAD: f64 = 20.0 * std::f64::consts::PI / 180.0;

/// Segments to a box of the search.
const BLOCK: usize = 16;

/// A contour of the nominal. The outside is on the right of its direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contour {
    /// Its corners, mm; of a closed contour the first is not repeated.
    pub points: Vec<PlanePoint>,
    /// Whether the last corner is joined to the first.
    pub is_closed: bool,
    /// Distance along it to the beginning of each segment, then its length, mm.
    #[serde(skip)]
    starts_mm: Vec<f64>,
    /// Sine of the angle between the normals of surface and plane, by segment.
    #[serde(skip)]
    sines: Vec<f64>,
}

/// A position on a contour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// Number of the contour.
    pub contour: u32,
    /// Distance along it from its beginning, mm.
    pub along_mm: f64,
    /// The position, mm.
    pub at: PlanePoint,
    /// Unit normal there, to the outside.
    pub normal: PlanePoint,
    /// Sine of the angle between the normals of surface and plane.
    pub sine: f64,
}

impl Contour {
    /// The contour of a cut of `mesh` in `plane`.
    pub fn new(line: &CutLine, mesh: &Mesh, plane: &SectionPlane) -> Self {
        let sine = |facet: &u32| mesh.normal(*facet as usize).cross(&plane.normal).norm();
        let points = line.points.iter().map(|point| plane.inward(point)).collect();
        Self { sines: line.facets.iter().map(sine).collect(), ..Self::of_points(points, line.is_closed) }
    }

    /// The contour through these points, of a surface that crosses the plane at right angles.
    pub fn of_points(points: Vec<PlanePoint>, is_closed: bool) -> Self {
        let mut own = Self { points, is_closed, starts_mm: vec![0.0], sines: Vec::new() };
        own.sines = vec![1.0; own.segment_count()];
        let mut along_mm = 0.0;
        for segment in 0..own.segment_count() {
            let [from, to] = own.segment(segment);
            along_mm += length(difference(to, from));
            own.starts_mm.push(along_mm);
        }
        own
    }

    /// Its length, mm.
    pub fn length_mm(&self) -> f64 {
        self.starts_mm.last().copied().unwrap_or(0.0)
    }

    /// Distance along it to the beginning of a segment, mm.
    pub(super) fn start_mm(&self, segment: usize) -> f64 {
        self.starts_mm[segment]
    }

    /// Length of a segment, mm.
    pub(super) fn length_of(&self, segment: usize) -> f64 {
        self.starts_mm[segment + 1] - self.starts_mm[segment]
    }

    pub(super) fn segment_count(&self) -> usize {
        if self.is_closed { self.points.len() } else { self.points.len().saturating_sub(1) }
    }

    pub(super) fn segment(&self, number: usize) -> [PlanePoint; 2] {
        [self.points[number], self.points[(number + 1) % self.points.len()]]
    }

    /// Unit normal of a segment, to the outside.
    fn normal(&self, segment: usize) -> PlanePoint {
        let [from, to] = self.segment(segment);
        let [x, y] = difference(to, from);
        let long = x.hypot(y).max(f64::MIN_POSITIVE);
        [y / long, -x / long]
    }

    /// The position at a distance from its beginning, mm.
    pub fn at(&self, contour: u32, along_mm: f64) -> Foot {
        let along_mm = along_mm.clamp(0.0, self.length_mm());
        let last = self.segment_count().saturating_sub(1);
        let segment = self.starts_mm.partition_point(|start| *start <= along_mm).saturating_sub(1).min(last);
        let [from, to] = self.segment(segment);
        let share = (along_mm - self.starts_mm[segment]) / (self.starts_mm[segment + 1] - self.starts_mm[segment]);
        let [x, y] = difference(to, from);
        let at = [from[0] + share * x, from[1] + share * y];
        Foot { contour, along_mm, at, normal: self.normal(segment), sine: self.sines[segment] }
    }

    /// Whether the contour turns sharply between a segment and the one before it.
    fn is_corner(&self, segment: usize) -> bool {
        let before = if segment == 0 { self.segment_count() - 1 } else { segment - 1 };
        let (a, b) = (self.normal(before), self.normal(segment));
        (a[0] * b[0] + a[1] * b[1]).clamp(-1.0, 1.0).acos() > CORNER_RAD
    }

    /// Smooth pieces from corner to corner: where each begins and ends along the contour, mm. Of a closed contour
    /// without a corner at its beginning, the first and the last piece are parts of one.
    pub fn pieces_mm(&self) -> Vec<[f64; 2]> {
        let corners = (1..self.segment_count()).filter(|segment| self.is_corner(*segment));
        let mut bounds: Vec<f64> = vec![0.0];
        bounds.extend(corners.map(|segment| self.starts_mm[segment]));
        bounds.push(self.length_mm());
        bounds.windows(2).map(|pair| [pair[0], pair[1]]).filter(|[from, to]| to > from).collect()
    }
}

/// Finds the position on all contours that is nearest to a point.
pub struct ContourSearch<'a> {
    contours: &'a [Contour],
    blocks: Vec<Block>,
}

struct Block {
    contour: usize,
    segments: std::ops::Range<usize>,
    low: PlanePoint,
    high: PlanePoint,
}

impl<'a> ContourSearch<'a> {
    /// A search among `contours`.
    pub fn new(contours: &'a [Contour]) -> Self {
        let mut blocks = Vec::new();
        for (contour, own) in contours.iter().enumerate() {
            for from in (0..own.segment_count()).step_by(BLOCK) {
                let segments = from..(from + BLOCK).min(own.segment_count());
                let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
                for end in segments.clone().flat_map(|segment| own.segment(segment)) {
                    for axis in 0..2 {
                        low[axis] = low[axis].min(end[axis]);
                        high[axis] = high[axis].max(end[axis]);
                    }
                }
                blocks.push(Block { contour, segments, low, high });
            }
        }
        Self { contours, blocks }
    }

    /// The nearest position within `max_mm`, and how far it is, mm. Only segments count whose normal makes less than a
    /// right angle with `facing`.
    pub fn nearest(&self, point: PlanePoint, facing: PlanePoint, max_mm: f64) -> Option<(Foot, f64)> {
        let mut best_mm = max_mm;
        let mut best = None;
        for block in &self.blocks {
            let outside =
                [0, 1].map(|axis| (block.low[axis] - point[axis]).max(point[axis] - block.high[axis]).max(0.0));
            if length(outside) > best_mm {
                continue;
            }
            let contour = &self.contours[block.contour];
            for segment in block.segments.clone() {
                let normal = contour.normal(segment);
                if normal[0] * facing[0] + normal[1] * facing[1] <= 0.0 {
                    continue;
                }
                let [from, to] = contour.segment(segment);
                let (way, there) = (difference(to, from), difference(point, from));
                let share =
                    ((way[0] * there[0] + way[1] * there[1]) / (way[0] * way[0] + way[1] * way[1])).clamp(0.0, 1.0);
                let at = [from[0] + share * way[0], from[1] + share * way[1]];
                let distance_mm = length(difference(point, at));
                if distance_mm <= best_mm {
                    best_mm = distance_mm;
                    let along_mm = contour.starts_mm[segment] + share * length(way);
                    let sine = contour.sines[segment];
                    best = Some(Foot { contour: block.contour as u32, along_mm, at, normal, sine });
                }
            }
        }
        best.map(|foot| (foot, best_mm))
    }
}

fn difference(a: PlanePoint, b: PlanePoint) -> PlanePoint {
    [a[0] - b[0], a[1] - b[1]]
}

fn length([x, y]: PlanePoint) -> f64 {
    x.hypot(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Contour {
        Contour::of_points(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], true)
    }

    #[test]
    fn places_on_a_square_are_found_with_their_outward_normals() {
        let contours = [square()];
        let search = ContourSearch::new(&contours);
        let (foot, away_mm) = search.nearest([2.0, -0.5], [0.0, -1.0], 1.0).unwrap();
        assert_eq!((foot.at, foot.along_mm, foot.normal, away_mm), ([2.0, 0.0], 2.0, [0.0, -1.0], 0.5));
        // What faces the other way is another side.
        assert!(search.nearest([2.0, -0.5], [0.0, 1.0], 1.0).is_none());
        assert!(search.nearest([2.0, -1.5], [0.0, -1.0], 1.0).is_none());
        let foot = contours[0].at(0, 14.0);
        assert_eq!((foot.at, foot.normal), ([0.0, 2.0], [-1.0, 0.0]));
        assert_eq!(contours[0].pieces_mm(), [[0.0, 4.0], [4.0, 8.0], [8.0, 12.0], [12.0, 16.0]]);
    }

    #[test]
    fn a_tessellated_circle_has_no_corners() {
        let points = (0..64).map(|i| f64::from(i) * std::f64::consts::TAU / 64.0).map(|a| [a.cos(), a.sin()]).collect();
        let circle = Contour::of_points(points, true);
        assert_eq!(circle.pieces_mm().len(), 1);
        assert!((circle.length_mm() - 64.0 * 2.0 * (std::f64::consts::PI / 64.0).sin()).abs() < 1e-12);
    }
}
