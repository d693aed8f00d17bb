//! Probing program for a touch probe: the touches on each hole and the path between them. It is created by the planner,
//! written to files and executed by a CMM.
//!
//! Positions are in the CMM frame, mm, and refer to the centre of the stylus tip unless stated otherwise.

use serde::{Deserialize, Serialize};

use geometry::{Point, Vector};

/// Position, axis and radius of a hole: nominal, scanned or probed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoleGeometry {
    /// Centre on the upper face of the sheet, mm.
    pub centre: Point,
    /// Axis out of the sheet, towards the measuring side; unit vector.
    pub axis: Vector,
    /// Radius, mm.
    pub radius_mm: f64,
}

impl HoleGeometry {
    /// Two perpendicular unit vectors in the plane of the sheet, right-handed with the axis. The first is the projected
    /// x axis, or y axis if the hole axis is nearly along x.
    pub fn in_plane_axes(&self) -> [Vector; 2] {
        let reference = if self.axis.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
        let first = (reference - self.axis * self.axis.dot(&reference)).normalize();
        [first, self.axis.cross(&first)]
    }

    /// Vector from the centre to `point`, projected onto the plane of the sheet, mm.
    pub fn lateral(&self, point: &Point) -> Vector {
        let offset = point - self.centre;
        offset - self.axis * offset.dot(&self.axis)
    }

    /// Whether all values are valid: coordinates and radius below 1e9 mm, a unit axis, a radius above 0.
    pub fn is_sound(&self) -> bool {
        let finite = self.centre.coords.iter().chain(self.axis.iter()).all(|value| value.abs() < 1e9);
        finite && (self.axis.norm() - 1.0).abs() < 1e-6 && self.radius_mm > 0.0 && self.radius_mm < 1e9
    }
}

/// A hole with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedHole {
    /// Name given by the operator; unique in a program.
    pub name: String,
    /// Position, axis and radius.
    pub place: HoleGeometry,
}

/// The face that is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// The sheet beside the hole, from above.
    Sheet,
    /// The wall of the hole, from inside.
    Wall,
}

impl Face {
    /// Name in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sheet => "sheet",
            Self::Wall => "wall",
        }
    }

    /// Face by its name in files, ignoring case.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Sheet, Self::Wall].into_iter().find(|face| word.eq_ignore_ascii_case(face.word()))
    }
}

/// One touch of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// Face that is touched.
    pub face: Face,
    /// Start of the approach: position of the tip centre.
    pub start: Point,
    /// Expected contact point on the surface.
    pub contact: Point,
    /// Approach direction, into the material; unit vector.
    pub approach: Vector,
    /// Search distance beyond the expected contact, mm.
    pub search_mm: f64,
    /// Retract distance after the contact, mm.
    pub retract_mm: f64,
}

impl Touch {
    /// Expected position of the tip centre at contact, for the given tip radius.
    pub fn tip_centre_at_contact(&self, probe_radius_mm: f64) -> Point {
        self.contact - self.approach * probe_radius_mm
    }
}

/// The touches of one hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoleProgram {
    /// Name of the hole.
    pub name: String,
    /// Expected position, axis and radius.
    pub place: HoleGeometry,
    /// Position above the centre at clearance height, from which the probe enters and to which it returns.
    pub entry: Point,
    /// Point on the axis at the depth of the touches on the wall.
    pub inside: Point,
    /// Touches on the sheet, in probing order.
    pub sheet: Vec<Touch>,
    /// Touches on the wall, in probing order.
    pub wall: Vec<Touch>,
}

impl HoleProgram {
    /// All touches in probing order.
    pub fn touches(&self) -> impl Iterator<Item = &Touch> {
        self.sheet.iter().chain(&self.wall)
    }
}

/// A probing program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Stylus tip radius, mm.
    pub probe_radius_mm: f64,
    /// Direction away from the part; unit vector.
    pub up: Vector,
    /// Height of the safe plane, in which the probe moves from hole to hole: coordinate along `up`, mm.
    pub safe_height_mm: f64,
    /// Holes in probing order.
    pub holes: Vec<HoleProgram>,
}

/// A step of the probe path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Moves the tip centre to a position on a straight line, without probing.
    Move(Point),
    /// Touches from the start of the touch, to which the previous step has moved.
    Touch(Touch),
}

impl Program {
    /// Projection of `point` along `up` onto the safe plane.
    pub fn lifted(&self, point: &Point) -> Point {
        point + self.up * (self.safe_height_mm - point.coords.dot(&self.up))
    }

    /// The program in other coordinates, by a map that is nearly the identity.
    pub fn mapped(&self, map: impl Fn(&Point) -> Point) -> Self {
        let turned = |at: &Point, direction: &Vector| (map(&(at + direction)) - map(at)).normalize();
        let touch = |own: &Touch| Touch {
            start: map(&own.start),
            contact: map(&own.contact),
            approach: turned(&own.contact, &own.approach),
            ..*own
        };
        let hole = |own: &HoleProgram| HoleProgram {
            name: own.name.clone(),
            place: HoleGeometry {
                centre: map(&own.place.centre),
                axis: turned(&own.place.centre, &own.place.axis),
                ..own.place
            },
            entry: map(&own.entry),
            inside: map(&own.inside),
            sheet: own.sheet.iter().map(touch).collect(),
            wall: own.wall.iter().map(touch).collect(),
        };
        let height_mm = |own: &HoleProgram| map(&self.lifted(&own.entry)).coords.dot(&self.up);
        Self {
            safe_height_mm: self.holes.iter().map(height_mm).fold(self.safe_height_mm, f64::max),
            holes: self.holes.iter().map(hole).collect(),
            ..*self
        }
    }

    /// Probe path for one hole: from the safe plane to the touches on the sheet, into the hole to the touches on the
    /// wall, and back to the safe plane.
    pub fn way(&self, hole: &HoleProgram) -> Vec<Step> {
        let steps = |touches: &[Touch]| -> Vec<Step> {
            touches.iter().flat_map(|touch| [Step::Move(touch.start), Step::Touch(*touch)]).collect()
        };
        let safe = self.lifted(&hole.entry);
        let mut path = vec![Step::Move(safe), Step::Move(hole.entry)];
        path.extend(steps(&hole.sheet));
        path.extend([hole.entry, hole.inside].map(Step::Move));
        path.extend(steps(&hole.wall));
        path.extend([hole.inside, hole.entry, safe].map(Step::Move));
        path
    }
}
