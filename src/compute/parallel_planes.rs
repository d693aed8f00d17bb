//! Weighted total least squares of parallel planes: one normal for each set of planes, from all their points.
//!
//! Minimises the sum of w d² over the points of a set, d the distance to the point's own plane, all planes of the set
//! parallel (Shakarji and Srinivasan, "Theory and algorithms for weighted total least-squares fitting of lines, planes,
//! and parallel planes to support tolerancing standards", 2013): each plane passes through its weighted centroid, and
//! the normal is the eigenvector of the smallest eigenvalue of the summed second moments about the centroids.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{Point, Vector};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// All points, plane after plane: x, y, z about `origin` in mm, and a weight of at least 0. A weight of 0 masks a
    /// point.
    pub points: &'a [[f32; 4]],
    /// Where f32 coordinates start, mm: close to the points, so that they keep their digits.
    pub origin: Point,
    /// Number of points of each plane.
    pub planes: &'a [usize],
    /// Number of planes of each set.
    pub sets: &'a [usize],
}

impl<'a> Request<'a> {
    /// The points of each plane.
    pub fn points_by_plane(&self) -> impl Iterator<Item = &'a [[f32; 4]]> {
        let mut rest = self.points;
        self.planes.iter().map(move |&count| {
            let (own, others) = rest.split_at(count);
            rest = others;
            own
        })
    }

    /// Whether the numbers of points and planes add up.
    pub fn adds_up(&self) -> bool {
        self.planes.iter().sum::<usize>() == self.points.len() && self.sets.iter().sum::<usize>() == self.planes.len()
    }
}

/// One plane of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Weighted centroid, mm: the plane passes through it. NaN where no point has weight.
    pub centroid: Point,
    /// Sum of the weights.
    pub weight: f64,
}

/// One set.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSet {
    /// Unit normal, its largest coordinate positive; `None` where no point has weight, or a coordinate is no number.
    pub normal: Option<Vector>,
    /// Eigenvalues of the summed second moments, smallest first, mm²: the first is the sum of w d²; where the second is
    /// no larger, the normal is not determined.
    pub moments_mm2: [f64; 3],
    /// Its planes.
    pub planes: Vec<Plane>,
}

impl PlaneSet {
    /// From the planes' centroids and the summed second moments about them (xx, xy, xz, yy, yz, zz), mm².
    fn new(planes: Vec<Plane>, moments: &[f64; 6]) -> Self {
        let [xx, xy, xz, yy, yz, zz] = *moments;
        let weighs = planes.iter().any(|plane| plane.weight > 0.0) && moments.iter().all(|moment| moment.is_finite());
        if !weighs {
            return Self { normal: None, moments_mm2: [f64::NAN; 3], planes };
        }
        let matrix = nalgebra::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let eigen = nalgebra::SymmetricEigen::new(matrix);
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let normal: Vector = eigen.eigenvectors.column(order[0]).into_owned();
        let largest = normal[normal.iamax()];
        Self {
            normal: Some(if largest < 0.0 { -normal } else { normal }),
            // Rounding may leave a little below zero.
            moments_mm2: order.map(|i| eigen.eigenvalues[i].max(0.0)),
            planes,
        }
    }
}

/// The sets, from the sums of each plane and what they are about, mm.
pub fn sets(request: &Request<'_>, planes: &[(Moments, Point)]) -> Vec<PlaneSet> {
    let mut planes = planes.iter();
    let set = |&count: &usize| {
        let mut moments = [0.0; 6];
        let own = planes.by_ref().take(count).map(|(sums, shift)| {
            let (plane, about) = about_centroid(sums, shift);
            moments.iter_mut().zip(about).for_each(|(sum, about)| *sum += about);
            plane
        });
        let own = own.collect();
        PlaneSet::new(own, &moments)
    };
    request.sets.iter().map(set).collect()
}

/// Sums of one plane about a shift: w, w x, w y, w z, w xx, w xy, w xz, w yy, w yz, w zz.
pub type Moments = [f64; 10];

/// What the sums of a plane are about: its first point, so that a far origin costs no digits.
pub fn shift_of(points: &[[f32; 4]]) -> Vector {
    let first = points.first().filter(|point| point.iter().all(|coordinate| coordinate.is_finite()));
    first.map_or_else(Vector::zeros, |&[x, y, z, _]| Vector::new(f64::from(x), f64::from(y), f64::from(z)))
}

/// The plane of those sums, and its second moments about the centroid.
fn about_centroid(sums: &Moments, shift: &Point) -> (Plane, [f64; 6]) {
    let [w, x, y, z, xx, xy, xz, yy, yz, zz] = *sums;
    if !(w > 0.0) {
        // NaN, where a coordinate was one, is passed on.
        let nothing = if w.is_nan() { f64::NAN } else { 0.0 };
        return (Plane { centroid: Point::new(f64::NAN, f64::NAN, f64::NAN), weight: w }, [nothing; 6]);
    }
    let centroid = shift + Vector::new(x, y, z) / w;
    let moments = [xx - x * x / w, xy - x * y / w, xz - x * z / w, yy - y * y / w, yz - y * z / w, zz - z * z / w];
    (Plane { centroid, weight: w }, moments)
}

impl Capability for Request<'_> {
    type Answer = Vec<PlaneSet>;

    const STAGE: &'static str = "Fitting planes";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::parallel_planes::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_parallel_planes(self)?;
        job.launch()?;
        job.read()
    }
}
