//! Point-facet matching on the CPU: each facet queries the tree of the points for those in its cylinder.

use rayon::prelude::*;

use super::CHUNK;
use crate::point_facet_matching::{FacetDeviation, Request};
use base::{Progress, Result};
use geometry::kd_tree::{Leaf, LeafVisitor};
use geometry::simd::{Column, Lanes, Task, dispatch};
use geometry::tree::Stack;
use geometry::{Aabb, KdTree, Point, Pose, Vector, triangle};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<FacetDeviation>> {
    let facets = request.nominal.facets.len();
    let scan_from_nominal = request.nominal_from_scan.inverse();
    let along_curve = request.nominal.facets_along_curve();
    request.points.tree();
    let mut ordered = vec![FacetDeviation::default(); facets];
    let counter = progress.counter(facets.div_ceil(CHUNK), "Matching points to facets");
    ordered.par_chunks_mut(CHUNK).zip(along_curve.numbers.par_chunks(CHUNK)).for_each(|(out, facets)| {
        if counter.step() {
            dispatch(Batch { request, scan_from_nominal: &scan_from_nominal, facets, out });
        }
    });
    progress.check()?;
    Ok(along_curve.scatter(&ordered))
}

struct Batch<'a> {
    request: &'a Request<'a>,
    scan_from_nominal: &'a Pose,
    facets: &'a [u32],
    out: &'a mut [FacetDeviation],
}

impl Task for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut stack = Stack::default();
        for (&facet, out) in self.facets.iter().zip(self.out) {
            let corners = self.request.nominal.corners(facet as usize).map(|corner| self.scan_from_nominal * corner);
            let mut cylinder = Cylinder::over(&corners, self.request);
            cylinder.prepare_pre_filter();
            self.request.points.tree().leaves_in_box::<L>(&cylinder.bounds(), &mut stack, &mut cylinder);
            if cylinder.matches > 0 {
                *out = FacetDeviation {
                    deviation_mm: cylinder.sum / f64::from(cylinder.matches),
                    matches: cylinder.matches,
                };
            }
        }
    }
}

/// Cylinder over one facet, `radius` about its normal line and `height` to both sides of its plane, with the sum over
/// the points in it.
struct Cylinder<'a> {
    tree: &'a KdTree,
    pre_filter: PreFilter,
    centre: Point,
    normal: Vector,
    squared_radius: f64,
    radius: f64,
    height: f64,
    directions: &'a [Vector],
    min_cosine: f64,
    sum: f64,
    matches: u32,
}

impl<'a> Cylinder<'a> {
    #[inline(always)]
    fn over(corners: &[Point; 3], request: &Request<'a>) -> Self {
        let centre = triangle::centroid(corners);
        let radius = request.radius_mm.unwrap_or_else(|| {
            corners.iter().map(|corner| (corner - centre).norm_squared()).fold(0.0, f64::max).sqrt()
        });
        Self {
            tree: request.points.tree(),
            pre_filter: PreFilter::default(),
            centre,
            normal: triangle::normal(corners),
            squared_radius: radius * radius,
            radius,
            height: request.max_distance_mm,
            directions: if request.max_angle_rad < std::f64::consts::PI { request.directions } else { &[] },
            min_cosine: request.max_angle_rad.cos(),
            sum: 0.0,
            matches: 0,
        }
    }

    /// Sets the limits of the f32 pre-filter, widened by its error.
    #[inline(always)]
    fn prepare_pre_filter(&mut self) {
        let (centre, error_mm) = self.tree.local(&self.centre);
        // The lateral distance is a difference of squares: its error grows with the size of the cylinder.
        let extent = self.radius + self.height;
        let error_mm = 4.0 * error_mm + 16.0 * f64::from(f32::EPSILON) * extent;
        let height = self.height + error_mm;
        self.pre_filter = PreFilter {
            centre,
            normal: self.normal.cast::<f32>().into(),
            squared_height: (height * height * (1.0 + 1e-6)) as f32,
            squared_radius: ((self.radius + error_mm).powi(2) + 4.0 * error_mm * extent) as f32 * (1.0 + 1e-6),
        };
    }

    /// Bounding box: per coordinate, the projections of the axis (height) and of the disc (radius).
    #[inline(always)]
    fn bounds(&self) -> Aabb {
        let half = self.normal.map(|n| n.abs() * self.height + (1.0 - n * n).max(0.0).sqrt() * self.radius);
        Aabb { min: self.centre - half, max: self.centre + half }
    }
}

/// The cylinder in f32 relative to the centre of the tree, enlarged: points it rejects are certainly outside.
#[derive(Default)]
struct PreFilter {
    centre: [f32; 3],
    normal: [f32; 3],
    squared_height: f32,
    squared_radius: f32,
}

impl PreFilter {
    /// Bit i is set if point i may be inside.
    #[inline(always)]
    fn candidates<L: Lanes>(&self, columns: &[Column; 3]) -> u32 {
        let (mut along, mut squared) = (L::splat(0.0), L::splat(0.0));
        for axis in 0..3 {
            let away = L::sub(L::load(&columns[axis]), L::splat(self.centre[axis]));
            along = L::mul_add(away, L::splat(self.normal[axis]), along);
            squared = L::mul_add(away, away, squared);
        }
        let height = L::mul(along, along);
        let lateral = L::sub(squared, height);
        L::le(height, L::splat(self.squared_height)) & L::le(lateral, L::splat(self.squared_radius))
    }
}

impl LeafVisitor for Cylinder<'_> {
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, leaf: Leaf<'_>) {
        let mut candidates = self.pre_filter.candidates::<L>(leaf.columns) & ((1 << leaf.points.len()) - 1);
        while candidates != 0 {
            let lane = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let away = leaf.points[lane] - self.centre;
            let along = away.dot(&self.normal);
            let lateral = away.norm_squared() - along * along;
            if along.abs() > self.height || lateral > self.squared_radius {
                continue;
            }
            let faces_away = self
                .directions
                .get(leaf.numbers[lane] as usize)
                .is_some_and(|direction| direction.dot(&self.normal) < self.min_cosine);
            if !faces_away {
                self.sum += along;
                self.matches += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::{SearchablePoints, mesh::shapes, refine};

    fn request<'a>(nominal: &'a geometry::Mesh, points: &'a SearchablePoints<'a>, pose: &'a Pose) -> Request<'a> {
        Request {
            nominal,
            points,
            directions: &[],
            nominal_from_scan: pose,
            radius_mm: None,
            max_distance_mm: 0.8,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        }
    }

    #[test]
    fn agrees_with_a_test_of_all_points() {
        let (nominal, _) = refine::to_max_edge(&shapes::torus(20.0, 6.0, 40, 20), 2.0, &Progress::silent()).unwrap();
        let mut random = Random::new(5, 0);
        let pose = Pose::from_parts(nalgebra::Translation3::new(3.0, -1.0, 2.0), random.rotation());
        let points: Vec<Point> = geometry::sampling::by_area(&nominal, 20_000, 3)
            .iter()
            .map(|sample| pose.inverse() * (sample.point + sample.normal * random.range(-0.3, 0.5)))
            .collect();
        let tree = SearchablePoints::new(&points);
        let request = request(&nominal, &tree, &pose);
        let answer = run(&request, &Progress::silent()).unwrap();
        for facet in (0..nominal.facets.len()).step_by(37) {
            let corners = nominal.corners(facet).map(|corner| pose.inverse() * corner);
            let (centre, normal) = (triangle::centroid(&corners), triangle::normal(&corners));
            let radius = corners.iter().map(|c| (c - centre).norm()).fold(0.0, f64::max);
            let accepted: Vec<f64> = points
                .iter()
                .filter_map(|point| {
                    let along = (point - centre).dot(&normal);
                    let lateral = (point - centre - normal * along).norm();
                    (along.abs() <= 0.8 && lateral <= radius).then_some(along)
                })
                .collect();
            assert_eq!(answer[facet].matches as usize, accepted.len());
            if !accepted.is_empty() {
                let mean = accepted.iter().sum::<f64>() / accepted.len() as f64;
                assert!((answer[facet].deviation_mm - mean).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn directions_separate_the_faces_of_a_thin_plate() {
        let plate = shapes::cuboid(Point::origin(), Point::new(20.0, 20.0, 0.5));
        let (nominal, _) = refine::to_max_edge(&plate, 2.0, &Progress::silent()).unwrap();
        // Scanned from above only, 0.1 mm above the top face.
        let points: Vec<Point> =
            (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 0.6)).collect();
        let directions = vec![Vector::z(); points.len()];
        let tree = SearchablePoints::new(&points);
        let pose = Pose::identity();
        let request = Request { directions: &directions, max_distance_mm: 1.0, ..request(&nominal, &tree, &pose) };
        for (facet, answer) in run(&request, &Progress::silent()).unwrap().iter().enumerate() {
            let normal = nominal.normal(facet);
            if normal.z > 0.5 {
                assert!((answer.value().unwrap() - 0.1).abs() < 1e-9);
            } else if normal.z < -0.5 {
                assert_eq!(answer.value(), None);
            }
        }
    }
}
