//! A k-d tree over points: nearest, k nearest, within a radius, within a box. Pre-filters in f32, decides in f64.

mod along_curve;
mod lazy;
mod nearest;
mod plain;
mod range;

pub use along_curve::AlongCurve;
pub use lazy::SearchablePoints;
pub use nearest::{Neighbour, Neighbours};
pub use plain::Plain;
pub use range::{Leaf, LeafVisitor};

use rayon::prelude::*;

use super::simd::Column;
use super::tree::{PrimitiveBox, SplitRule, Tree, build};
use super::{Aabb, Point};

/// Bound on the relative f32 error of a filtered distance, with margin.
const FILTER_ERROR: f64 = 8.0 / (1_u64 << 24) as f64;

/// Points in a search tree. All points must be finite.
#[derive(Debug, Default)]
pub struct KdTree {
    tree: Tree,
    packs: Vec<PointPack>,
    /// The points in leaf order, f64.
    points: Vec<Point>,
    /// Centre of the bounding box, mm: origin of the f32 coordinates.
    centre: Point,
    /// Largest coordinate relative to the centre, mm.
    reach_mm: f64,
}

/// The points of one leaf, f32 relative to the centre; unused lanes are infinite.
#[repr(C, align(32))]
#[derive(Clone, Debug)]
struct PointPack {
    position: [Column; 3],
}

impl KdTree {
    /// Builds the tree of `points`, mm, all finite.
    pub fn new(points: &[Point]) -> Self {
        let bounds = Aabb::of_points(points);
        let centre = bounds.centre();
        let local = |point: &Point| -> [f32; 3] { (point - centre).cast::<f32>().into() };
        let boxes: Vec<PrimitiveBox> =
            points.par_iter().map(|point| PrimitiveBox { min: local(point), max: local(point) }).collect();
        let tree = build(&boxes, SplitRule::Median);
        let packs = (0..tree.packs())
            .into_par_iter()
            .map(|pack| {
                let mut position = [[f32::INFINITY; 8]; 3];
                for (lane, &index) in tree.pack(pack).iter().enumerate() {
                    let point = boxes[index as usize].min;
                    (0..3).for_each(|axis| position[axis][lane] = point[axis]);
                }
                PointPack { position }
            })
            .collect();
        let ordered = tree.order.par_iter().map(|&index| points[index as usize]).collect();
        Self { tree, packs, points: ordered, centre, reach_mm: 0.5 * bounds.size().max() }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// `point` as f32 relative to the centre of the tree, and a bound on the resulting error of distances, mm.
    pub fn local(&self, point: &Point) -> ([f32; 3], f64) {
        let offset = point - self.centre;
        (offset.cast::<f32>().into(), self.error_mm(offset.amax()))
    }

    fn error_mm(&self, query_reach_mm: f64) -> f64 {
        FILTER_ERROR * (self.reach_mm + query_reach_mm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn agrees_with_brute_force_with_duplicates_and_far_offsets() {
        let mut random = Random::new(4, 0);
        for offset in [0.0, 1e4] {
            let mut points: Vec<Point> = (0..3000)
                .map(|_| Point::new(offset + random.normal(), random.normal(), 0.01 * random.normal()))
                .collect();
            points.extend_from_within(0..200);
            let tree = KdTree::new(&points);
            let mut neighbours = Neighbours::default();
            for _ in 0..300 {
                let query = Point::new(offset + random.normal(), random.normal(), random.normal());
                tree.k_nearest(&query, 7, f64::INFINITY, &mut neighbours);
                let mut all: Vec<(f64, u32)> =
                    points.iter().enumerate().map(|(i, point)| ((query - point).norm_squared(), i as u32)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let got: Vec<(f64, u32)> = neighbours.found.iter().map(|n| (n.squared_mm2, n.number)).collect();
                assert_eq!(got, all[..7]);
                let mut inside = 0;
                tree.within_radius(&query, 1.0, |_| inside += 1);
                assert_eq!(inside, all.iter().filter(|(squared, _)| *squared <= 1.0).count());
            }
        }
    }

    #[test]
    fn empty_and_single_point_trees_are_searched() {
        assert_eq!(KdTree::new(&[]).nearest(&Point::origin(), 1.0), None);
        let one = KdTree::new(&[Point::new(1.0, 0.0, 0.0)]);
        assert_eq!(one.nearest(&Point::origin(), 1.0).map(|n| n.number), Some(0));
        assert_eq!(one.nearest(&Point::origin(), 0.99), None);
        assert_eq!(one.nearest(&Point::new(f64::NAN, 0.0, 0.0), 9.0), None);
    }
}
