//! A simulated touch probe: a ball that goes along the lines of a program until it meets an ideal sheet, the rim or the
//! wall of a hole.

use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Vector};
use io::probing_csv::{Reported, Touched, Touches};
use io::probing_program::{HoleProgram, Place, Program, Step, Touch};

use super::convergence::{Probed, Prober};
use super::targets::Refused;

/// A part and a probe that touches it. The part is what lies below the sheet about each hole, as deep as one likes,
/// less the holes.
#[derive(Clone, Debug)]
pub struct SimulatedProber {
    /// Where the holes truly are.
    pub holes: Vec<Place>,
    /// Standard deviation of a touch along its approach, mm.
    pub sigma_mm: f64,
    /// What is reported. The surface is taken to lie the ball's radius further along the approach, as machines do that
    /// know no normal: where the approach meets the wall at a slant, that place is not on the wall.
    pub reported: Reported,
    random: Random,
}

/// How near to the surface the ball counts as in contact, mm.
const CONTACT_MM: f64 = 1e-9;
/// Steps after which a ball that grazes the surface is taken to miss it.
const MOST_STEPS: usize = 100_000;

impl SimulatedProber {
    /// Of holes at these places; `seed` decides the scatter.
    pub fn new(holes: Vec<Place>, sigma_mm: f64, reported: Reported, seed: u64) -> Self {
        Self { holes, sigma_mm, reported, random: Random::new(seed, 0x70_0C) }
    }

    /// Distance of a place from the part, mm; negative in the part.
    fn distance(&self, place: &Point) -> f64 {
        let beyond_rim = |hole: &Place| (place - hole.centre).norm() - hole.radius_mm;
        let near = self.holes.iter().min_by(|a, b| beyond_rim(a).total_cmp(&beyond_rim(b)));
        let Some(hole) = near else { return f64::INFINITY };
        let height = (place - hole.centre).dot(&hole.axis);
        let to_wall = hole.radius_mm - hole.lateral(place).norm();
        match (to_wall > 0.0, height > 0.0) {
            // Above the opening the rim is what is nearest.
            (true, true) => height.hypot(to_wall),
            (true, false) => to_wall,
            (false, _) => height.max(to_wall),
        }
    }

    /// Where the ball's centre is when the ball, on its way, meets the part.
    fn met(&self, from: &Point, to: &Point, ball_mm: f64) -> Option<Point> {
        let length = (to - from).norm();
        let direction = (to - from).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        let mut gone = 0.0;
        for _ in 0..MOST_STEPS {
            let here = from + direction * gone;
            // No step is longer than the gap: the ball cannot pass through anything.
            let gap = self.distance(&here) - ball_mm;
            if gap < CONTACT_MM {
                return Some(here);
            }
            gone += gap;
            if gone > length {
                return None;
            }
        }
        None
    }

    fn touch(&mut self, hole: &HoleProgram, touch: &Touch, ball_mm: f64) -> Result<(Touched, Point)> {
        let name = &hole.name;
        let face = touch.face.word();
        let gap = self.distance(&touch.start) - ball_mm;
        if gap < 0.0 {
            return Err(UserError::input(format!(
                "Hole {name}: at the start of a touch of the {face} the ball would stand {:.3} mm deep in the part; \
                 the hole is farther from where it was expected than the search covers.",
                -gap
            )));
        }
        let last = touch.ball_at_contact(ball_mm) + touch.approach * touch.search_mm;
        let Some(met) = self.met(&touch.start, &last, ball_mm) else {
            return Err(UserError::input(format!(
                "Hole {name}: a touch of the {face} met nothing within its search of {} mm.",
                touch.search_mm
            )));
        };
        let seen = met + touch.approach * (self.sigma_mm * self.random.normal());
        let place = match self.reported {
            Reported::BallCentre => seen,
            Reported::Surface => seen + touch.approach * ball_mm,
        };
        let back = met - touch.approach * touch.retract_mm;
        Ok((Touched { hole: name.clone(), face: touch.face, place }, back))
    }

    /// Drives the way of one hole. Fails with a sentence where the ball would meet the part on a way that should be
    /// free, where a start lies in the part, and where a touch meets nothing.
    fn drive(&mut self, program: &Program, hole: &HoleProgram) -> Result<Vec<Touched>> {
        let ball_mm = program.probe_radius_mm;
        let mut touched = Vec::new();
        let mut here: Option<Point> = None;
        for step in program.way(hole) {
            here = Some(match step {
                Step::Drive(to) => {
                    let is_free = here.is_none_or(|from| self.met(&from, &to, ball_mm).is_none());
                    // Of a start that lies in the part itself, the touch says what is wrong.
                    let is_start = hole.touches().any(|touch| touch.start == to);
                    let is_told = is_start && self.distance(&to) < ball_mm;
                    if !is_free && !is_told {
                        return Err(UserError::input(format!(
                            "Hole {}: on its way between touches the ball would meet the part; the hole is too far \
                             from where it was expected.",
                            hole.name
                        )));
                    }
                    to
                }
                Step::Touch(touch) => {
                    let (own, back) = self.touch(hole, &touch, ball_mm)?;
                    touched.push(own);
                    back
                }
            });
        }
        Ok(touched)
    }
}

impl Prober for SimulatedProber {
    fn probe(&mut self, program: &Program, progress: &Progress) -> Result<Probed> {
        let (mut touched, mut missed) = (Vec::new(), Vec::new());
        for (number, hole) in program.holes.iter().enumerate() {
            progress.report(number as f32 / program.holes.len() as f32, "Touching")?;
            match self.drive(program, hole) {
                Ok(own) => touched.extend(own),
                Err(error) => missed.push(Refused { name: hole.name.clone(), reason: error.sentence }),
            }
        }
        Ok(Probed { touches: Touches { reported: self.reported, touched }, missed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::probing_program::Face;

    fn prober() -> SimulatedProber {
        let hole = Place { centre: Point::new(1.0, 2.0, 3.0), axis: Vector::z(), radius_mm: 5.0 };
        SimulatedProber::new(vec![hole], 0.0, Reported::BallCentre, 1)
    }

    #[test]
    fn distances_are_those_of_a_sheet_with_a_hole() {
        let own = prober();
        let at = |x: f64, z: f64| own.distance(&Point::new(1.0 + x, 2.0, 3.0 + z));
        assert!((at(9.0, 2.0) - 2.0).abs() < 1e-12);
        assert!((at(2.0, -1.0) - 3.0).abs() < 1e-12);
        assert!((at(2.0, 4.0) - 5.0).abs() < 1e-12);
        assert!((at(6.0, -0.5) + 0.5).abs() < 1e-12 && (at(5.5, -3.0) + 0.5).abs() < 1e-12);
        assert_eq!(SimulatedProber { holes: Vec::new(), ..own }.distance(&Point::origin()), f64::INFINITY);
    }

    /// Where a ball touches sheet, wall and rim, from the geometry of each.
    #[test]
    fn a_ball_stops_where_geometry_says() {
        let own = prober();
        let met = |from: [f64; 3], to: [f64; 3]| {
            let place = |p: [f64; 3]| Point::new(1.0 + p[0], 2.0 + p[1], 3.0 + p[2]);
            own.met(&place(from), &place(to), 1.0).map(|p| p - Vector::new(1.0, 2.0, 3.0))
        };
        let near = |met: Option<Point>, x: f64, y: f64, z: f64| (met.unwrap() - Point::new(x, y, z)).norm() < 1e-7;
        assert!(near(met([8.0, 0.0, 5.0], [8.0, 0.0, 0.0]), 8.0, 0.0, 1.0));
        // Beside the middle the ball meets the wall where its centre is 4 mm from the axis.
        assert!(near(met([0.0, 2.0, -0.5], [9.0, 2.0, -0.5]), 12.0_f64.sqrt(), 2.0, -0.5));
        // From above near the rim: 0.6 mm inside it, the centre stays 0.8 mm above.
        assert!(near(met([4.4, 0.0, 5.0], [4.4, 0.0, -5.0]), 4.4, 0.0, 0.8));
        assert_eq!(met([0.0, 0.0, 5.0], [0.0, 0.0, -5.0]), None);
        assert!(met([3.9, 0.0, 5.0], [3.9, 0.0, -5.0]).is_none());
        assert!(near(met([4.5, 0.0, -1.0], [0.0, 0.0, -1.0]), 4.5, 0.0, -1.0));
    }

    #[test]
    fn a_start_in_the_wall_and_a_touch_of_nothing_are_sentences() {
        let mut own = prober();
        let inside = Point::new(1.0, 2.0, 2.5);
        let hole = HoleProgram {
            name: "7".into(),
            place: own.holes[0],
            entry: Point::new(1.0, 2.0, 8.0),
            inside,
            sheet: Vec::new(),
            wall: Vec::new(),
        };
        let touch = |start_mm: f64, contact_mm: f64| Touch {
            face: Face::Wall,
            start: inside + Vector::x() * start_mm,
            contact: inside + Vector::x() * contact_mm,
            approach: Vector::x(),
            search_mm: 0.5,
            retract_mm: 0.5,
        };
        let (touched, back) = own.touch(&hole, &touch(3.0, 5.2), 1.0).unwrap();
        assert!((touched.place - Point::new(5.0, 2.0, 2.5)).norm() < 1e-7);
        assert!((back - Point::new(4.5, 2.0, 2.5)).norm() < 1e-7);
        own.reported = Reported::Surface;
        assert!((own.touch(&hole, &touch(3.0, 5.2), 1.0).unwrap().0.place.x - 6.0).abs() < 1e-7);
        assert!(own.touch(&hole, &touch(4.2, 6.2), 1.0).unwrap_err().sentence.contains("0.200 mm deep in the part"));
        assert!(own.touch(&hole, &touch(1.0, 3.0), 1.0).unwrap_err().sentence.contains("met nothing"));
    }
}
