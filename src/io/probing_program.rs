//! A program for a touch probe: which holes are touched where, and the way from touch to touch. What the planner makes,
//! the writers write, and a prober drives.
//!
//! Places are in the axes of the CMM, mm. Where nothing else is said, a place is one of the ball's centre.

use serde::{Deserialize, Serialize};

use geometry::{Point, Vector};

/// Where a hole is: by its drawing, a scan or a probe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Its middle on the upper face of its sheet, mm.
    pub centre: Point,
    /// Out of the sheet, towards whoever measures; a unit vector.
    pub axis: Vector,
    /// Its radius, mm.
    pub radius_mm: f64,
}

impl Place {
    /// Two unit vectors along the sheet, square to each other; the first along x where the sheet lets it.
    pub fn along_sheet(&self) -> [Vector; 2] {
        let wanted = if self.axis.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
        let first = (wanted - self.axis * self.axis.dot(&wanted)).normalize();
        [first, self.axis.cross(&first)]
    }

    /// From the middle to `place`, along the sheet, mm.
    pub fn lateral(&self, place: &Point) -> Vector {
        let away = place - self.centre;
        away - self.axis * away.dot(&self.axis)
    }

    /// Whether it can be computed with: finite, a unit axis, a radius above zero.
    pub fn is_sound(&self) -> bool {
        let finite = self.centre.coords.iter().chain(self.axis.iter()).all(|value| value.abs() < 1e9);
        finite && (self.axis.norm() - 1.0).abs() < 1e-6 && self.radius_mm > 0.0 && self.radius_mm < 1e9
    }
}

/// A hole by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedPlace {
    /// What the operator calls it; one of a kind in a program.
    pub name: String,
    /// Where it is.
    pub place: Place,
}

/// What a touch meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// The sheet beside the hole, from above.
    Sheet,
    /// The wall of the hole, from inside.
    Wall,
}

impl Face {
    /// As files say it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sheet => "sheet",
            Self::Wall => "wall",
        }
    }

    /// From what files say.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Sheet, Self::Wall].into_iter().find(|face| word.eq_ignore_ascii_case(face.word()))
    }
}

/// One touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// What it meets.
    pub face: Face,
    /// Where the ball's centre starts from.
    pub start: Point,
    /// Where the surface is expected to be met: a place of the surface.
    pub contact: Point,
    /// The direction of the approach, into the material; a unit vector.
    pub approach: Vector,
    /// How far the search goes on beyond the expected contact, mm.
    pub search_mm: f64,
    /// How far the ball goes back after the contact, mm.
    pub retract_mm: f64,
}

impl Touch {
    /// Where the ball's centre is expected at contact.
    pub fn ball_at_contact(&self, probe_radius_mm: f64) -> Point {
        self.contact - self.approach * probe_radius_mm
    }
}

/// The touches of one hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoleProgram {
    /// The hole's name.
    pub name: String,
    /// Where it is expected.
    pub place: Place,
    /// Above its middle, on the clearance: where the ball comes from and goes back to.
    pub entry: Point,
    /// Its middle at the depth of the wall's touches.
    pub inside: Point,
    /// Touches of the sheet, in their order.
    pub sheet: Vec<Touch>,
    /// Touches of the wall, in their order.
    pub wall: Vec<Touch>,
}

impl HoleProgram {
    /// All touches in their order.
    pub fn touches(&self) -> impl Iterator<Item = &Touch> {
        self.sheet.iter().chain(&self.wall)
    }
}

/// A whole program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Radius of the probe's ball, mm.
    pub probe_radius_mm: f64,
    /// Away from the part; a unit vector.
    pub up: Vector,
    /// Height along `up` of the plane in which the ball goes from hole to hole, mm from the origin.
    pub safe_height_mm: f64,
    /// The holes in the order they are touched.
    pub holes: Vec<HoleProgram>,
}

/// A step of the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The ball's centre goes there on a straight line, nothing in its way.
    Drive(Point),
    /// From the start of the touch, where the step before led.
    Touch(Touch),
}

impl Program {
    /// The place above or below `place` in the safe plane.
    pub fn lifted(&self, place: &Point) -> Point {
        place + self.up * (self.safe_height_mm - place.coords.dot(&self.up))
    }

    /// The way of the ball for one hole: from the safe plane over the sheet's touches, then into the hole and from
    /// touch to touch of its wall, and back to the safe plane.
    pub fn way(&self, hole: &HoleProgram) -> Vec<Step> {
        let touched = |touches: &[Touch]| -> Vec<Step> {
            touches.iter().flat_map(|touch| [Step::Drive(touch.start), Step::Touch(*touch)]).collect()
        };
        let safe = self.lifted(&hole.entry);
        let mut way = vec![Step::Drive(safe), Step::Drive(hole.entry)];
        way.extend(touched(&hole.sheet));
        way.extend([hole.entry, hole.inside].map(Step::Drive));
        way.extend(touched(&hole.wall));
        way.extend([hole.inside, hole.entry, safe].map(Step::Drive));
        way
    }
}
