//! Weighted total least-squares fit of parallel planes: one common normal for each set of planes.
//!
//! Minimises the sum of w d² over the points of a set, d the distance to the point's own plane, all planes of the set
//! parallel (Shakarji and Srinivasan, "Theory and algorithms for weighted total least-squares fitting of lines, planes,
//! and parallel planes to support tolerancing standards", 2013): each plane passes through its weighted centroid, and
//! the normal is the eigenvector of the smallest eigenvalue of the summed second moments about the centroids.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};

use geometry::{Point, Vector};

/// A request to fit sets of parallel planes.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// All points, plane after plane: x, y, z relative to `origin`, mm, and a weight of at least 0. A weight of 0 masks
    /// the point.
    pub points: &'a [[f32; 4]],
    /// Origin of the f32 coordinates, mm; close to the points, to preserve precision.
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
            let (points, others) = rest.split_at(count);
            rest = others;
            points
        })
    }

    /// Whether the counts of points, planes and sets agree.
    fn is_consistent(&self) -> bool {
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

/// Result for one set of planes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSet {
    /// Unit normal, its component of largest magnitude positive; `None` if no point has weight or a moment is not
    /// finite.
    pub normal: Option<Vector>,
    /// Eigenvalues of the summed second moments in ascending order, mm². The first is the sum of w d²; if the second is
    /// no larger, the normal is not determined.
    pub moments_mm2: [f64; 3],
    /// The planes of the set.
    pub planes: Vec<Plane>,
}

impl PlaneSet {
    /// From the planes' centroids and the summed second moments about them (xx, xy, xz, yy, yz, zz), mm².
    fn new(planes: Vec<Plane>, moments: &[f64; 6]) -> Self {
        let [xx, xy, xz, yy, yz, zz] = *moments;
        let is_defined =
            planes.iter().any(|plane| plane.weight > 0.0) && moments.iter().all(|moment| moment.is_finite());
        if !is_defined {
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
            // Rounding may give slightly negative values.
            moments_mm2: order.map(|i| eigen.eigenvalues[i].max(0.0)),
            planes,
        }
    }
}

/// The sets from the moments of each plane and their reference points, mm.
pub fn sets(request: &Request<'_>, planes: &[(Moments, Point)]) -> Vec<PlaneSet> {
    let mut planes = planes.iter();
    let set = |&count: &usize| {
        let mut moments = [0.0; 6];
        let planes_of_set = planes.by_ref().take(count).map(|(sums, shift)| {
            let (plane, central) = about_centroid(sums, shift);
            moments.iter_mut().zip(central).for_each(|(sum, moment)| *sum += moment);
            plane
        });
        let planes_of_set = planes_of_set.collect();
        PlaneSet::new(planes_of_set, &moments)
    };
    request.sets.iter().map(set).collect()
}

/// Moments of one plane about its reference point: sums of w, w x, w y, w z, w xx, w xy, w xz, w yy, w yz, w zz.
pub type Moments = [f64; 10];

/// Reference point of the moments of a plane, relative to the origin, mm: its first point, so that a distant origin
/// does not cost precision.
pub fn shift_of(points: &[[f32; 4]]) -> Vector {
    let first = points.first().filter(|point| point.iter().all(|coordinate| coordinate.is_finite()));
    first.map_or_else(Vector::zeros, |&[x, y, z, _]| Vector::new(f64::from(x), f64::from(y), f64::from(z)))
}

/// The plane with these moments, and its second moments about the centroid.
fn about_centroid(sums: &Moments, shift: &Point) -> (Plane, [f64; 6]) {
    let [w, x, y, z, xx, xy, xz, yy, yz, zz] = *sums;
    if !(w > 0.0) {
        // A NaN coordinate makes the moments NaN.
        let moment = if w.is_nan() { f64::NAN } else { 0.0 };
        return (Plane { centroid: Point::new(f64::NAN, f64::NAN, f64::NAN), weight: w }, [moment; 6]);
    }
    let centroid = shift + Vector::new(x, y, z) / w;
    let moments = [xx - x * x / w, xy - x * y / w, xz - x * z / w, yy - y * y / w, yz - y * z / w, zz - z * z / w];
    (Plane { centroid, weight: w }, moments)
}

impl Capability for Request<'_> {
    type Answer = Vec<PlaneSet>;

    const LABEL: &'static str = "Fitting planes";

    fn check(&self) -> Result<()> {
        if self.is_consistent() {
            return Ok(());
        }
        Err(UserError::internal("The counts of points, planes and sets of parallel planes disagree."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::parallel_planes::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_parallel_planes(self)?;
        job.launch()?;
        job.read()
    }
}
