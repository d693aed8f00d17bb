//! Points before a zone that contains them is evaluated: the Gaussian filter, and what their noise leaves undecided.

use super::{Characteristic, Conformity, Feature, Judged, Tolerance, Verdict, Zone, extents};
use crate::features::gaussian_filter::{Smoothed, smoothed};
use crate::features::noise::Roughness;
use crate::features::{Element, Shape};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Step of the numerical derivative of a distance from a shape, mm.
const STEP_MM: f64 = 1e-4;
/// Largest nesting index of a filter as a share of the surface's smallest extent.
const MAX_NESTING_SHARE: f64 = 1.0 / 3.0;
/// Number of points from which on they are a scan's: fewer are touched one by one, and differ for the form's sake.
const MIN_NOISY_POINTS: usize = 500;
/// Standard deviations beyond which single points were rejected as spikes, or do not occur.
const MAX_NOISE_SIGMAS: f64 = 5.5;

impl Tolerance {
    /// Whether the value is that of a zone that contains all points of a surface of this shape: then it grows with their
    /// noise.
    pub fn is_of_surface(&self, shape: &Shape) -> bool {
        use Characteristic as C;
        match self.characteristic {
            C::Size { .. } | C::Straightness { .. } => false,
            // Its distances from points have no sign.
            _ if matches!(shape, Shape::Circle { .. }) => false,
            C::Flatness {} | C::Circularity { .. } | C::Cylindricity {} | C::Profile { .. } => true,
            C::CircularRunOut { .. } | C::TotalRunOut {} => true,
            _ => matches!(shape, Shape::Plane { .. }),
        }
    }

    /// Whether the zone of a feature of this shape is a circle, a cylinder or a sphere.
    pub fn has_round_zone(&self, shape: &Shape) -> bool {
        use Characteristic as C;
        let is_plane = matches!(shape, Shape::Plane { .. });
        match self.characteristic {
            C::Straightness { .. } | C::Coaxiality {} => true,
            C::Parallelism { zone: Zone::Diameter }
            | C::Perpendicularity { zone: Zone::Diameter }
            | C::Angularity { zone: Zone::Diameter, .. }
            | C::Position { zone: Zone::Diameter, .. } => !is_plane,
            _ => false,
        }
    }
}

impl Feature {
    /// The shape, if it is one.
    fn shape(&self) -> Option<Shape> {
        if let Element::Shape(shape) = self.element { Some(shape) } else { None }
    }

    /// Signed distances of the points from the nominal surface if they were measured, else from the shape, mm.
    fn distances_mm(&self, shape: &Shape) -> Vec<f64> {
        if !self.deviations_mm.is_empty() {
            return self.deviations_mm.clone();
        }
        self.points.iter().map(|point| shape.distance(point)).collect()
    }

    /// Passes the points through a Gaussian filter: each moves along the normal of the shape to the smoothed surface.
    /// Returns the share that is left of the noise of single points.
    ///
    /// Returns an error if the nesting index is too large for the surface, so that its form would be smoothed away.
    pub(super) fn filter(&mut self, nesting_index_mm: f64) -> Result<f64> {
        let Some(shape) = self.shape() else { return Ok(1.0) };
        let extent_mm = self.extent_mm(&shape);
        if nesting_index_mm > MAX_NESTING_SHARE * extent_mm {
            return Err(UserError::usage(format!(
                "A Gaussian filter of nesting index {nesting_index_mm} mm would smooth away the form of a surface of \
                 {extent_mm:.2} mm: choose at most {:.2} mm.",
                MAX_NESTING_SHARE * extent_mm
            )));
        }
        let before = self.distances_mm(&shape);
        let Smoothed { distances_mm: after, noise_share } = smoothed(&self.points, &before, nesting_index_mm);
        for ((point, before), after) in self.points.iter_mut().zip(&before).zip(&after) {
            *point += gradient(&shape, point) * (after - before);
        }
        if !self.deviations_mm.is_empty() {
            self.deviations_mm = after;
        }
        Ok(noise_share)
    }

    /// Smallest extent of a surface along itself, mm: of round ones the circumference.
    fn extent_mm(&self, shape: &Shape) -> f64 {
        use std::f64::consts::TAU;
        match *shape {
            Shape::Cylinder { radius, .. } | Shape::Sphere { radius, .. } => TAU * radius,
            Shape::Cone { radius, .. } => TAU * radius.abs(),
            Shape::Torus { minor, .. } => TAU * minor,
            Shape::Plane { normal, .. } => {
                let along = |axis: &Vector| extents::range(self.points.iter().map(|point| point.coords.dot(axis)));
                geometry::transform::perpendicular_axes(&normal).iter().map(along).fold(f64::INFINITY, f64::min)
            }
            _ => f64::INFINITY,
        }
    }

    /// Standard deviation of the noise of single points, mm; `None` of too few.
    pub(super) fn noise_mm(&self) -> Option<f64> {
        let shape = self.shape()?;
        Roughness::of(&self.points, &self.distances_mm(&shape)).map(|own| own.noise_mm())
    }
}

/// Direction in which the distance from a shape grows: its normal at the point.
fn gradient(shape: &Shape, point: &Point) -> Vector {
    let rise = |axis: Vector| shape.distance(&(point + axis * STEP_MM)) - shape.distance(&(point - axis * STEP_MM));
    Vector::new(rise(Vector::x()), rise(Vector::y()), rise(Vector::z())).try_normalize(0.0).unwrap_or_default()
}

/// Leaves undecided what is out of tolerance by no more than noise of `count` points, of this standard deviation, adds: a
/// zone that contains all points is wider than the surface by their extremes.
pub(super) fn leave_noise_undecided(judged: &mut Judged, noise_mm: f64, count: usize) {
    if judged.conformity.is_some() || judged.verdict == Verdict::In || count < MIN_NOISY_POINTS {
        return;
    }
    let sigmas = (1.0 + (2.0 * (count.max(1) as f64).ln()).sqrt()).min(MAX_NOISE_SIGMAS);
    let span_mm = 2.0 * sigmas * noise_mm;
    if judged.measured_mm - span_mm <= judged.limit_mm {
        judged.conformity = Some(Conformity::Undecided);
        judged.how += &format!(
            "; undecided, since the noise of the points ({noise_mm:.4} mm, one standard deviation) may add up to \
             {span_mm:.4} mm: filter them"
        );
    }
}
