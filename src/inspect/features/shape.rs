//! The shapes that can be fitted, as a metrologist names their parameters.

use serde::{Deserialize, Serialize};

use geometry::{Point, Pose, Vector};

/// An ideal feature, mm. Directions are unit vectors; their sign carries no meaning but for planes and cones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// A straight line.
    Line {
        /// On the line, nearest to the points' centroid.
        point: Point,
        /// Along it.
        direction: Vector,
    },
    /// A plane.
    Plane {
        /// On the plane, nearest to the points' centroid.
        point: Point,
        /// Its normal; deviations are positive on its side.
        normal: Vector,
    },
    /// A circle in space.
    Circle {
        /// Its centre.
        centre: Point,
        /// Normal of its plane.
        normal: Vector,
        /// Its radius, mm.
        radius: f64,
    },
    /// A sphere.
    Sphere {
        /// Its centre.
        centre: Point,
        /// Its radius, mm.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// On the axis, nearest to the points' centroid.
        point: Point,
        /// Along the axis.
        axis: Vector,
        /// Its radius, mm.
        radius: f64,
    },
    /// A cone.
    Cone {
        /// On the axis, nearest to the points' centroid.
        point: Point,
        /// Along the axis, away from the apex.
        axis: Vector,
        /// Its radius at `point`, mm, square to the axis.
        radius: f64,
        /// Half of the angle at its apex, rad; above 0.
        half_angle_rad: f64,
    },
    /// A torus.
    Torus {
        /// Its centre.
        centre: Point,
        /// Its axis of revolution.
        axis: Vector,
        /// Radius of the circle that the tube's middle runs on, mm.
        major: f64,
        /// Radius of the tube, mm.
        minor: f64,
    },
}

/// What is to be fitted.
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
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Line, Self::Plane, Self::Circle, Self::Sphere, Self::Cylinder, Self::Cone, Self::Torus];

    /// For people.
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

    /// Points that decide it.
    pub fn least_points(self) -> usize {
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
    /// Which kind it is.
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

    /// Signed distance of a place, mm, + outside (of planes: on the side of the normal). Lines and circles have no
    /// inside: their distances are not negative.
    pub fn distance(&self, place: &Point) -> f64 {
        // Distance from the axis, and along it.
        let about = |point: &Point, axis: &Vector| {
            let away = place - point;
            (away.cross(axis).norm(), away.dot(axis))
        };
        match self {
            Self::Line { point, direction } => about(point, direction).0,
            Self::Plane { point, normal } => (place - point).dot(normal),
            Self::Circle { centre, normal, radius } => {
                let (across, along) = about(centre, normal);
                (across - radius).hypot(along)
            }
            Self::Sphere { centre, radius } => (place - centre).norm() - radius,
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

    /// Where it is: centre, or the point on line, plane or axis.
    pub fn place(&self) -> Point {
        match self {
            Self::Line { point, .. }
            | Self::Plane { point, .. }
            | Self::Cylinder { point, .. }
            | Self::Cone { point, .. } => *point,
            Self::Circle { centre, .. } | Self::Sphere { centre, .. } | Self::Torus { centre, .. } => *centre,
        }
    }

    /// Direction, normal or axis; a sphere has none.
    pub fn direction(&self) -> Option<Vector> {
        match self {
            Self::Line { direction, .. } => Some(*direction),
            Self::Plane { normal, .. } | Self::Circle { normal, .. } => Some(*normal),
            Self::Cylinder { axis, .. } | Self::Cone { axis, .. } | Self::Torus { axis, .. } => Some(*axis),
            Self::Sphere { .. } => None,
        }
    }

    /// The same feature in another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        self.mapped(|point| to_from_here * point, |direction| to_from_here.rotation * direction, 1.0)
    }

    /// With every length times `factor`, about the origin.
    pub fn scaled(&self, factor: f64) -> Self {
        self.mapped(|point| point * factor, |direction| direction, factor)
    }

    fn mapped(&self, place: impl Fn(Point) -> Point, turn: impl Fn(Vector) -> Vector, factor: f64) -> Self {
        match *self {
            Self::Line { point, direction } => Self::Line { point: place(point), direction: turn(direction) },
            Self::Plane { point, normal } => Self::Plane { point: place(point), normal: turn(normal) },
            Self::Circle { centre, normal, radius } => {
                Self::Circle { centre: place(centre), normal: turn(normal), radius: radius * factor }
            }
            Self::Sphere { centre, radius } => Self::Sphere { centre: place(centre), radius: radius * factor },
            Self::Cylinder { point, axis, radius } => {
                Self::Cylinder { point: place(point), axis: turn(axis), radius: radius * factor }
            }
            Self::Cone { point, axis, radius, half_angle_rad } => {
                Self::Cone { point: place(point), axis: turn(axis), radius: radius * factor, half_angle_rad }
            }
            Self::Torus { centre, axis, major, minor } => {
                Self::Torus { centre: place(centre), axis: turn(axis), major: major * factor, minor: minor * factor }
            }
        }
    }
}
