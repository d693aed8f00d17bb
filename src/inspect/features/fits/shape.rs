//! The shapes that can be fitted, with parameters in metrological terms.

use serde::{Deserialize, Serialize};

use super::model::any_perpendicular;
use super::newton::WeightedPoints;
use geometry::{Point, Pose, Vector};
use std::f64::consts::TAU;

/// Angles about an axis are told apart by a tenth of a degree.
const ARC_BINS: usize = 3600;
/// Widest gap of a feature that was touched all around, in mean gaps.
const EVEN_GAPS: f64 = 2.5;

/// An ideal feature, mm. Directions are unit vectors; their sign is significant for planes and cones only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// A straight line.
    Line {
        /// Point on the line closest to the points' centroid, mm.
        point: Point,
        /// Unit direction vector.
        direction: Vector,
    },
    /// A plane.
    Plane {
        /// Point on the plane closest to the points' centroid, mm.
        point: Point,
        /// Unit normal; deviations are positive on its side.
        normal: Vector,
    },
    /// A circle in space.
    Circle {
        /// Centre, mm.
        centre: Point,
        /// Unit normal of its plane.
        normal: Vector,
        /// Radius, mm.
        radius: f64,
    },
    /// A sphere.
    Sphere {
        /// Centre, mm.
        centre: Point,
        /// Radius, mm.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Point on the axis closest to the points' centroid, mm.
        point: Point,
        /// Unit vector along the axis.
        axis: Vector,
        /// Radius, mm.
        radius: f64,
    },
    /// A cone.
    Cone {
        /// Point on the axis closest to the points' centroid, mm.
        point: Point,
        /// Unit vector along the axis, away from the apex.
        axis: Vector,
        /// Radius of the section perpendicular to the axis at `point`, mm.
        radius: f64,
        /// Half of the apex angle, rad; above 0.
        half_angle_rad: f64,
    },
    /// A torus.
    Torus {
        /// Centre, mm.
        centre: Point,
        /// Unit vector along the axis of revolution.
        axis: Vector,
        /// Radius of the centre line of the tube, mm.
        major: f64,
        /// Radius of the tube, mm.
        minor: f64,
    },
}

/// Kind of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A straight line.
    Line,
    /// A plane.
    Plane,
    /// A circle in space.
    Circle,
    /// A sphere.
    Sphere,
    /// A cylinder of any radius.
    Cylinder,
    /// A cone, or a frustum of one.
    Cone,
    /// A torus, such as a fillet along a circle.
    Torus,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Line, Self::Plane, Self::Circle, Self::Sphere, Self::Cylinder, Self::Cone, Self::Torus];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "Line",
            Self::Plane => "Plane",
            Self::Circle => "Circle",
            Self::Sphere => "Sphere",
            Self::Cylinder => "Cylinder",
            Self::Cone => "Cone",
            Self::Torus => "Torus",
        }
    }

    /// Minimum number of points that determine the shape.
    pub fn min_points(self) -> usize {
        match self {
            Self::Line => 2,
            Self::Plane | Self::Circle => 3,
            Self::Sphere => 4,
            Self::Cylinder => 5,
            Self::Cone => 6,
            Self::Torus => 7,
        }
    }
}

impl Shape {
    /// Kind of the shape.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Line { .. } => Kind::Line,
            Self::Plane { .. } => Kind::Plane,
            Self::Circle { .. } => Kind::Circle,
            Self::Sphere { .. } => Kind::Sphere,
            Self::Cylinder { .. } => Kind::Cylinder,
            Self::Cone { .. } => Kind::Cone,
            Self::Torus { .. } => Kind::Torus,
        }
    }

    /// Signed distance of the point `query`, mm; positive outside (for planes on the side of the normal). Distances
    /// from lines and circles are not negative.
    pub fn distance(&self, query: &Point) -> f64 {
        // Distance from the axis, and coordinate along it.
        let about = |point: &Point, axis: &Vector| {
            let offset = query - point;
            (offset.cross(axis).norm(), offset.dot(axis))
        };
        match self {
            Self::Line { point, direction } => about(point, direction).0,
            Self::Plane { point, normal } => (query - point).dot(normal),
            Self::Circle { centre, normal, radius } => {
                let (across, along) = about(centre, normal);
                (across - radius).hypot(along)
            }
            Self::Sphere { centre, radius } => (query - centre).norm() - radius,
            Self::Cylinder { point, axis, radius } => about(point, axis).0 - radius,
            Self::Cone { point, axis, radius, half_angle_rad } => {
                let ((across, along), (sin, cos)) = (about(point, axis), half_angle_rad.sin_cos());
                (across - radius) * cos - along * sin
            }
            Self::Torus { centre, axis, major, minor } => {
                let (across, along) = about(centre, axis);
                (across - major).hypot(along) - minor
            }
        }
    }

    /// Its centre, or the reference point of its line, plane or axis, mm.
    pub fn position(&self) -> Point {
        match self {
            Self::Line { point, .. }
            | Self::Plane { point, .. }
            | Self::Cylinder { point, .. }
            | Self::Cone { point, .. } => *point,
            Self::Circle { centre, .. } | Self::Sphere { centre, .. } | Self::Torus { centre, .. } => *centre,
        }
    }

    /// Unit vector of its direction, normal or axis; `None` for spheres.
    pub fn direction(&self) -> Option<Vector> {
        match self {
            Self::Line { direction, .. } => Some(*direction),
            Self::Plane { normal, .. } | Self::Circle { normal, .. } => Some(*normal),
            Self::Cylinder { axis, .. } | Self::Cone { axis, .. } | Self::Torus { axis, .. } => Some(*axis),
            Self::Sphere { .. } => None,
        }
    }

    /// Radius of a circle, sphere or cylinder, mm.
    pub fn radius(&self) -> Option<f64> {
        match *self {
            Self::Circle { radius, .. } | Self::Sphere { radius, .. } | Self::Cylinder { radius, .. } => Some(radius),
            _ => None,
        }
    }

    /// The arc about its axis over which the points of positive weight lie, rad: a revolution without the widest gap
    /// between them, or the whole of it where no gap stands out. `None` for shapes without an axis of revolution.
    pub(super) fn arc_seen_rad(&self, points: WeightedPoints<'_>) -> Option<f64> {
        let (Self::Circle { normal: axis, .. }
        | Self::Cylinder { axis, .. }
        | Self::Cone { axis, .. }
        | Self::Torus { axis, .. }) = self
        else {
            return None;
        };
        let [centre, x] = [self.position().coords, any_perpendicular(axis)];
        let (y, mut count) = (axis.cross(&x), 0);
        let mut is_seen = vec![false; ARC_BINS];
        for (i, point) in points.points.iter().enumerate() {
            if points.weights.get(i).is_none_or(|weight| *weight > 0.0) {
                let offset = point.coords - centre;
                let turns = offset.dot(&y).atan2(offset.dot(&x)) / TAU;
                is_seen[((turns + 1.0) * ARC_BINS as f64) as usize % ARC_BINS] = true;
                count += 1;
            }
        }
        let seen: Vec<usize> = (0..ARC_BINS).filter(|&bin| is_seen[bin]).collect();
        let around = seen.first().map(|first| first + ARC_BINS);
        let widest =
            seen.windows(2).map(|pair| pair[1] - pair[0]).chain(around.zip(seen.last()).map(|(a, b)| a - b)).max();
        let gap_rad = widest? as f64 / ARC_BINS as f64 * TAU;
        // Evenly spaced touches leave gaps all around.
        Some(if gap_rad <= EVEN_GAPS * TAU / f64::from(count.max(1)) { TAU } else { TAU - gap_rad })
    }

    /// The shape transformed into another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        self.mapped(|point| to_from_here * point, |direction| to_from_here.rotation * direction, 1.0)
    }

    /// The shape scaled by `factor` about the origin.
    pub fn scaled(&self, factor: f64) -> Self {
        self.mapped(|point| point * factor, |direction| direction, factor)
    }

    fn mapped(&self, transform: impl Fn(Point) -> Point, rotate: impl Fn(Vector) -> Vector, factor: f64) -> Self {
        match *self {
            Self::Line { point, direction } => Self::Line { point: transform(point), direction: rotate(direction) },
            Self::Plane { point, normal } => Self::Plane { point: transform(point), normal: rotate(normal) },
            Self::Circle { centre, normal, radius } => {
                Self::Circle { centre: transform(centre), normal: rotate(normal), radius: radius * factor }
            }
            Self::Sphere { centre, radius } => Self::Sphere { centre: transform(centre), radius: radius * factor },
            Self::Cylinder { point, axis, radius } => {
                Self::Cylinder { point: transform(point), axis: rotate(axis), radius: radius * factor }
            }
            Self::Cone { point, axis, radius, half_angle_rad } => {
                Self::Cone { point: transform(point), axis: rotate(axis), radius: radius * factor, half_angle_rad }
            }
            Self::Torus { centre, axis, major, minor } => Self::Torus {
                centre: transform(centre),
                axis: rotate(axis),
                major: major * factor,
                minor: minor * factor,
            },
        }
    }
}
