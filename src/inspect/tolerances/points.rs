//! Points of a zone that contains them: which tolerances have one, and what the noise of the points leaves undecided.

use super::{Characteristic, Conformity, Feature, Judged, Tolerance, Verdict, Zone, extents};
use crate::features::noise::Roughness;
use crate::features::{Element, Shape};
use geometry::Vector;

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

    /// Whether the value is that of a zone that contains all points of a circle or of a line.
    pub fn is_of_profile(&self, shape: &Shape) -> bool {
        matches!(
            (&self.characteristic, shape),
            (Characteristic::Circularity { .. } | Characteristic::CircularRunOut { .. }, Shape::Circle { .. })
                | (Characteristic::Straightness { .. }, Shape::Line { .. })
        )
    }

    /// Whether its filter on a feature of this shape may be stated in undulations per revolution.
    pub fn takes_undulations(&self, shape: &Shape) -> bool {
        self.characteristic.takes_undulations() && matches!(shape, Shape::Circle { .. } | Shape::Cylinder { .. })
    }

    /// Whether outliers may be removed of a feature of this shape: of those whose form is evaluated, or whose surface
    /// must lie in the zone.
    pub fn takes_outliers(&self, shape: &Shape) -> bool {
        self.is_form() || self.is_of_surface(shape)
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
    pub(super) fn shape(&self) -> Option<Shape> {
        if let Element::Shape(shape) = self.element { Some(shape) } else { None }
    }

    /// Signed distances of the points from the nominal surface if they were measured, else from the shape, mm.
    pub(super) fn distances_mm(&self, shape: &Shape) -> Vec<f64> {
        if !self.deviations_mm.is_empty() {
            return self.deviations_mm.clone();
        }
        self.points.iter().map(|point| shape.distance(point)).collect()
    }

    /// Smallest extent of a surface along itself, mm: of round ones the circumference, or the length along the axis over
    /// which there are points if that is smaller.
    pub(super) fn extent_mm(&self, shape: &Shape) -> f64 {
        use std::f64::consts::TAU;
        let along = |axis: &Vector| extents::range(self.points.iter().map(|point| point.coords.dot(axis)));
        match *shape {
            Shape::Cylinder { axis, radius, .. } | Shape::Cone { axis, radius, .. } => {
                along(&axis).min(TAU * radius.abs())
            }
            Shape::Sphere { radius, .. } => TAU * radius,
            Shape::Torus { minor, .. } => TAU * minor,
            Shape::Plane { normal, .. } => {
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
