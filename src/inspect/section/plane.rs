//! Where sections lie.

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Coordinates in the plane of a section, mm: to the right and up, seen against its normal.
pub type PlanePoint = [f64; 2];

/// Names of the axes of the nominal frame.
pub(super) const AXES: [&str; 3] = ["X", "Y", "Z"];
/// Points that were picked define no plane where one of them lies nearer to another, or to the line through both, than this
/// share of the longest distance between them: the plane would be turned about that line by what a hand is off.
const MIN_PICK_SHARE: f64 = 0.01;

/// Where a section lies, nominal frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Placement {
    /// Perpendicular to an axis of the nominal frame (0 to 2 for X to Z), at this coordinate, mm. Seen as the view from
    /// the right, the front or the top shows the part.
    Axis {
        /// Number of the axis.
        axis: usize,
        /// Coordinate on it, mm.
        at_mm: f64,
    },
    /// Through three points, which run counter-clockwise as the section is seen.
    ThreePoints {
        /// The points, mm.
        points: [Point; 3],
    },
    /// Through a point, with a normal of any length that points to the viewer.
    PointNormal {
        /// The point, mm.
        point: Point,
        /// The normal.
        normal: Vector,
    },
    /// Perpendicular to a smooth curve through points, at stations along it; seen against its direction.
    Curve {
        /// The points, mm.
        points: Vec<Point>,
        /// Whether the curve returns from the last point to the first.
        #[serde(default)]
        is_closed: bool,
        /// Whether there is a station each so many millimetres, from the beginning on, rather than a number of them from
        /// the beginning to the end.
        #[serde(default)]
        every_spacing: bool,
    },
    /// Perpendicular to the edge of the nominal that is nearest to a point, at stations along it but none at its ends; seen
    /// against its direction.
    Edge {
        /// The point, mm.
        point: Point,
        /// Whether there is a station each so many millimetres, rather than a number of them at equal distances.
        #[serde(default)]
        every_spacing: bool,
    },
}

/// A plane with axes, nominal frame: the normal points to the viewer, `right` and `up` along the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SectionPlane {
    /// Origin of its coordinates, mm.
    pub origin: Point,
    /// Unit normal.
    pub normal: Vector,
    /// First unit axis.
    pub right: Vector,
    /// Second unit axis.
    pub up: Vector,
}

impl Placement {
    /// Through three points that were picked by hand.
    ///
    /// Returns an error if two of them nearly coincide, or all lie nearly on one line.
    pub fn through_picks(points: [Point; 3]) -> Result<Self> {
        let [a, b, c] = points;
        let sides_mm = [(b - a).norm(), (c - b).norm(), (a - c).norm()];
        let (longest_mm, shortest_mm) =
            (sides_mm.into_iter().fold(0.0, f64::max), sides_mm.into_iter().fold(f64::INFINITY, f64::min));
        // NaN is refused too.
        if !(shortest_mm > MIN_PICK_SHARE * longest_mm) {
            return Err(UserError::usage("Two of the three points nearly coincide. Pick one of them elsewhere."));
        }
        let height_mm = (b - a).cross(&(c - a)).norm() / longest_mm;
        if !(height_mm > MIN_PICK_SHARE * longest_mm) {
            return Err(UserError::usage("The three points lie nearly on one line. Pick one of them beside it."));
        }
        Ok(Self::ThreePoints { points })
    }

    /// The plane; of several along a curve that at its beginning.
    ///
    /// Returns an error if the axis is none, the points are collinear or define no curve, or a number is not finite; and for
    /// an edge, which the nominal has.
    pub fn plane(&self) -> Result<SectionPlane> {
        let wrong = |what: &str| Err(UserError::usage(format!("{what} do not define a plane for a section.")));
        match *self {
            Self::Axis { axis, at_mm } => {
                if axis > 2 || !at_mm.is_finite() {
                    return wrong("This axis and position");
                }
                let mut origin = Point::origin();
                origin[axis] = at_mm;
                // The front is seen along Y.
                let normal = [Vector::x(), -Vector::y(), Vector::z()][axis];
                Ok(SectionPlane::new(origin, normal))
            }
            Self::ThreePoints { points: [a, b, c] } => {
                let (ab, ac) = (b - a, c - a);
                let normal = ab.cross(&ac);
                // NaN is refused too.
                if !(normal.norm() > 1e-9 * ab.norm().max(ac.norm()).powi(2)) {
                    return wrong("These three points");
                }
                Ok(SectionPlane::new(a, normal.normalize()))
            }
            Self::PointNormal { point, normal } => {
                let is_finite = point.iter().chain(normal.iter()).all(|number| number.is_finite());
                if !is_finite || !(normal.norm() > 0.0) {
                    return wrong("This point and normal");
                }
                Ok(SectionPlane::new(point, normal.normalize()))
            }
            Self::Curve { ref points, is_closed, .. } => Curve::through(points, is_closed)?.plane_at(0.0),
            Self::Edge { .. } => Err(UserError::internal("The planes along an edge follow from the nominal.")),
        }
    }

    /// Where it lies in words, such as `X = 12 mm`.
    pub fn describe(&self) -> String {
        match *self {
            Self::Axis { axis, at_mm } => format!("{} = {at_mm} mm", AXES[axis.min(2)]),
            Self::ThreePoints { .. } => "through three points".to_owned(),
            Self::PointNormal { normal, .. } => {
                let n = normal.normalize();
                format!("normal {:.4}, {:.4}, {:.4}", n.x, n.y, n.z)
            }
            Self::Curve { .. } => "along a curve".to_owned(),
            Self::Edge { .. } => "along an edge".to_owned(),
        }
    }
}

impl SectionPlane {
    /// The plane through `origin` with unit `normal`; up is as near to Z as can be, in a plane seen from above to Y.
    pub fn new(origin: Point, normal: Vector) -> Self {
        let upward = if normal.z.abs() > 0.9 { Vector::y() } else { Vector::z() };
        let up = (upward - normal * normal.dot(&upward)).normalize();
        Self { origin, normal, right: up.cross(&normal), up }
    }

    /// The plane moved along its normal.
    #[must_use]
    pub fn moved(&self, by_mm: f64) -> Self {
        Self { origin: self.origin + self.normal * by_mm, ..*self }
    }

    /// Height of a point above the plane, mm.
    pub fn height_mm(&self, point: &Point) -> f64 {
        (point - self.origin).dot(&self.normal)
    }

    /// Coordinates of a point in the plane, or of its foot there.
    pub fn inward(&self, point: &Point) -> PlanePoint {
        self.turned_inward(&(point - self.origin))
    }

    /// The part of a vector in the plane.
    pub fn turned_inward(&self, vector: &Vector) -> PlanePoint {
        [vector.dot(&self.right), vector.dot(&self.up)]
    }

    /// The point of these coordinates.
    pub fn outward(&self, [x, y]: PlanePoint) -> Point {
        self.origin + self.right * x + self.up * y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_seen_as_drawings_show_them() {
        let plane = |axis| Placement::Axis { axis, at_mm: 7.0 }.plane().unwrap();
        for (axis, right, up) in
            [(0, Vector::y(), Vector::z()), (1, Vector::x(), Vector::z()), (2, Vector::x(), Vector::y())]
        {
            let plane = plane(axis);
            assert_eq!((plane.right, plane.up), (right, up));
            assert!((plane.right.cross(&plane.up) - plane.normal).norm() < 1e-15);
            assert!((plane.origin[axis] - 7.0).abs() < 1e-15);
        }
    }

    #[test]
    fn points_come_back_and_degenerate_placements_are_refused() {
        let points = [Point::new(1.0, 2.0, 3.0), Point::new(4.0, 2.0, 5.0), Point::new(1.0, 8.0, -3.0)];
        let plane = Placement::ThreePoints { points }.plane().unwrap();
        for point in points {
            assert!((plane.outward(plane.inward(&point)) - point).norm() < 1e-12);
        }
        let refused = [
            Placement::ThreePoints { points: [points[0], points[1], points[0] + 3.0 * (points[1] - points[0])] },
            Placement::ThreePoints { points: [points[0], Point::new(f64::NAN, 0.0, 0.0), points[2]] },
            Placement::PointNormal { point: points[0], normal: Vector::zeros() },
            Placement::Axis { axis: 3, at_mm: 0.0 },
        ];
        for own in refused {
            assert!(own.plane().unwrap_err().sentence.contains("do not define a plane"), "{own:?}");
        }
    }

    #[test]
    fn picks_on_one_line_or_at_one_position_are_refused_and_say_which() {
        let [a, b] = [Point::new(10.0, 12.0, 20.0), Point::new(50.0, 12.0, 20.0)];
        let refused = |c: Point| Placement::through_picks([a, b, c]).unwrap_err().sentence;
        // A hundredth of a millimetre off is a slip of the hand, not a direction.
        assert!(refused(Point::new(30.0, 12.01, 20.0)).contains("nearly on one line"));
        assert!(refused(Point::new(90.0, 12.0, 20.0)).contains("nearly on one line"));
        assert!(refused(Point::new(10.0, 12.0, 20.0)).contains("nearly coincide"));
        assert!(refused(Point::new(f64::NAN, 12.0, 20.0)).contains("nearly on one line"));
        assert!(Placement::through_picks([a; 3]).unwrap_err().sentence.contains("nearly coincide"));
        let c = Point::new(30.0, 13.0, 20.0);
        assert_eq!(Placement::through_picks([a, b, c]).unwrap(), Placement::ThreePoints { points: [a, b, c] });
    }

    #[test]
    fn placements_are_stored_by_their_names_and_older_ones_read() {
        let read = |text: &str| serde_json::from_str::<Placement>(text).unwrap();
        let curve = read(r#"{"by": "curve", "points": [[0, 0, 0], [1, 2, 3]]}"#);
        let points = vec![Point::origin(), Point::new(1.0, 2.0, 3.0)];
        assert_eq!(curve, Placement::Curve { points, is_closed: false, every_spacing: false });
        assert_eq!(read(&serde_json::to_string(&curve).unwrap()), curve);
        let three = r#"{"by":"three_points","points":[[0.0,0.0,0.0],[1.0,0.0,0.0],[0.0,1.0,0.0]]}"#;
        assert_eq!(serde_json::to_string(&read(three)).unwrap(), three);
        let edge = Placement::Edge { point: Point::new(1.0, 2.0, 3.0), every_spacing: false };
        assert_eq!(read(r#"{"by": "edge", "point": [1, 2, 3]}"#), edge);
    }
}
