//! Simulated touch probe: a spherical stylus tip that follows the path of a program until it contacts an ideal sheet,
//! or the rim or wall of a hole.

use base::{Progress, Result, UserError, random::Random};
use geometry::{Point, Vector};
use io::probing_csv::{ProbeHit, ProbeHits, ReportedPoint};
use io::probing_program::{HoleGeometry, HoleProgram, Program, Step, Touch};

use super::convergence::{Probed, Prober};
use super::targets::Refused;

/// A simulated part and probe. The part is the half-space below the sheet around each hole, infinitely deep, minus the
/// holes.
#[derive(Clone, Debug)]
pub struct SimulatedProber {
    /// True geometry of the holes.
    pub holes: Vec<HoleGeometry>,
    /// Standard deviation of a probed point along its approach, mm.
    pub sigma_mm: f64,
    /// What is reported. Surface points are the tip centre plus the tip radius along the approach, as reported by CMMs
    /// that do not know the normal: if the approach meets the wall obliquely, that point is not on the wall.
    pub reported: ReportedPoint,
    random: Random,
}

/// Distance from the surface at which the tip counts as in contact, mm.
const CONTACT_DISTANCE_MM: f64 = 1e-9;
/// Maximum number of steps, after which a tip that grazes the surface counts as not touching it.
const MAX_STEPS: usize = 100_000;

impl SimulatedProber {
    /// From the true geometry of the holes; `seed` determines the scatter.
    pub fn new(holes: Vec<HoleGeometry>, sigma_mm: f64, reported: ReportedPoint, seed: u64) -> Self {
        Self { holes, sigma_mm, reported, random: Random::new(seed, 0x70_0C) }
    }

    /// Signed distance of a point from the part, mm; negative inside.
    fn distance(&self, point: &Point) -> f64 {
        let beyond_rim = |hole: &HoleGeometry| (point - hole.centre).norm() - hole.radius_mm;
        let nearest = self.holes.iter().min_by(|a, b| beyond_rim(a).total_cmp(&beyond_rim(b)));
        let Some(hole) = nearest else { return f64::INFINITY };
        let height = (point - hole.centre).dot(&hole.axis);
        let to_wall = hole.radius_mm - hole.lateral(point).norm();
        match (to_wall > 0.0, height > 0.0) {
            // Above the opening, the rim is closest.
            (true, true) => height.hypot(to_wall),
            (true, false) => to_wall,
            (false, _) => height.max(to_wall),
        }
    }

    /// Tip centre at the first contact on the way from `from` to `to`; `None` without contact.
    fn first_contact(&self, from: &Point, to: &Point, tip_radius_mm: f64) -> Option<Point> {
        let length = (to - from).norm();
        let direction = (to - from).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        let mut travelled = 0.0;
        for _ in 0..MAX_STEPS {
            let position = from + direction * travelled;
            // No step is longer than the gap, so the tip cannot pass through anything.
            let gap = self.distance(&position) - tip_radius_mm;
            if gap < CONTACT_DISTANCE_MM {
                return Some(position);
            }
            travelled += gap;
            if travelled > length {
                return None;
            }
        }
        None
    }

    fn touch(&mut self, hole: &HoleProgram, touch: &Touch, tip_radius_mm: f64) -> Result<(ProbeHit, Point)> {
        let name = &hole.name;
        let face = touch.face.word();
        let gap = self.distance(&touch.start) - tip_radius_mm;
        if gap < 0.0 {
            return Err(UserError::input(format!(
                "Hole “{name}”: at the start of a touch of the {face}, the stylus tip would be {:.3} mm inside the part; \
                 the hole is farther from its expected position than the search distance.",
                -gap
            )));
        }
        let last = touch.tip_centre_at_contact(tip_radius_mm) + touch.approach * touch.search_mm;
        let Some(contact) = self.first_contact(&touch.start, &last, tip_radius_mm) else {
            return Err(UserError::input(format!(
                "Hole “{name}”: a touch of the {face} made no contact within the search distance of {} mm.",
                touch.search_mm
            )));
        };
        let measured = contact + touch.approach * (self.sigma_mm * self.random.normal());
        let place = match self.reported {
            ReportedPoint::BallCentre => measured,
            ReportedPoint::Surface => measured + touch.approach * tip_radius_mm,
        };
        let retracted = contact - touch.approach * touch.retract_mm;
        Ok((ProbeHit { hole: name.clone(), face: touch.face, place }, retracted))
    }

    /// Executes the path of one hole. Returns an error if the tip would collide on a path that should be free, if a
    /// start point is inside the part, or if a touch makes no contact.
    fn run_hole(&mut self, program: &Program, hole: &HoleProgram) -> Result<Vec<ProbeHit>> {
        let tip_radius_mm = program.probe_radius_mm;
        let mut hits = Vec::new();
        let mut position: Option<Point> = None;
        for step in program.way(hole) {
            position = Some(match step {
                Step::Move(to) => {
                    let is_free = position.is_none_or(|from| self.first_contact(&from, &to, tip_radius_mm).is_none());
                    // If a start point is inside the part, the touch itself reports the error.
                    let is_start = hole.touches().any(|touch| touch.start == to);
                    let is_reported_by_touch = is_start && self.distance(&to) < tip_radius_mm;
                    if !is_free && !is_reported_by_touch {
                        return Err(UserError::input(format!(
                            "Hole “{}”: between touches the stylus tip would collide with the part; the hole is too far \
                             from its expected position.",
                            hole.name
                        )));
                    }
                    to
                }
                Step::Touch(touch) => {
                    let (hit, retracted) = self.touch(hole, &touch, tip_radius_mm)?;
                    hits.push(hit);
                    retracted
                }
            });
        }
        Ok(hits)
    }
}

impl Prober for SimulatedProber {
    fn probe(&mut self, program: &Program, progress: &Progress) -> Result<Probed> {
        let (mut touched, mut missed) = (Vec::new(), Vec::new());
        for (index, hole) in program.holes.iter().enumerate() {
            progress.report(index as f32 / program.holes.len() as f32, "Probing")?;
            match self.run_hole(program, hole) {
                Ok(own) => touched.extend(own),
                Err(error) => missed.push(Refused { name: hole.name.clone(), reason: error.sentence }),
            }
        }
        Ok(Probed { touches: ProbeHits { reported: self.reported, touched }, missed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::probing_program::Face;

    fn prober() -> SimulatedProber {
        let hole = HoleGeometry { centre: Point::new(1.0, 2.0, 3.0), axis: Vector::z(), radius_mm: 5.0 };
        SimulatedProber::new(vec![hole], 0.0, ReportedPoint::BallCentre, 1)
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

    /// Contact of a spherical tip with sheet, wall and rim, compared with elementary geometry.
    #[test]
    fn a_tip_stops_where_geometry_says() {
        let own = prober();
        let contact = |from: [f64; 3], to: [f64; 3]| {
            let point = |p: [f64; 3]| Point::new(1.0 + p[0], 2.0 + p[1], 3.0 + p[2]);
            own.first_contact(&point(from), &point(to), 1.0).map(|p| p - Vector::new(1.0, 2.0, 3.0))
        };
        let near =
            |contact: Option<Point>, x: f64, y: f64, z: f64| (contact.unwrap() - Point::new(x, y, z)).norm() < 1e-7;
        assert!(near(contact([8.0, 0.0, 5.0], [8.0, 0.0, 0.0]), 8.0, 0.0, 1.0));
        // Off centre, the tip meets the wall where its centre is 4 mm from the axis.
        assert!(near(contact([0.0, 2.0, -0.5], [9.0, 2.0, -0.5]), 12.0_f64.sqrt(), 2.0, -0.5));
        // From above near the rim: 0.6 mm inside it, the tip centre stays 0.8 mm above.
        assert!(near(contact([4.4, 0.0, 5.0], [4.4, 0.0, -5.0]), 4.4, 0.0, 0.8));
        assert_eq!(contact([0.0, 0.0, 5.0], [0.0, 0.0, -5.0]), None);
        assert!(contact([3.9, 0.0, 5.0], [3.9, 0.0, -5.0]).is_none());
        assert!(near(contact([4.5, 0.0, -1.0], [0.0, 0.0, -1.0]), 4.5, 0.0, -1.0));
    }

    #[test]
    fn a_start_in_the_wall_and_a_touch_without_contact_are_errors() {
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
        let (hit, retracted) = own.touch(&hole, &touch(3.0, 5.2), 1.0).unwrap();
        assert!((hit.place - Point::new(5.0, 2.0, 2.5)).norm() < 1e-7);
        assert!((retracted - Point::new(4.5, 2.0, 2.5)).norm() < 1e-7);
        own.reported = ReportedPoint::Surface;
        assert!((own.touch(&hole, &touch(3.0, 5.2), 1.0).unwrap().0.place.x - 6.0).abs() < 1e-7);
        assert!(own.touch(&hole, &touch(4.2, 6.2), 1.0).unwrap_err().sentence.contains("0.200 mm inside the part"));
        assert!(own.touch(&hole, &touch(1.0, 3.0), 1.0).unwrap_err().sentence.contains("made no contact"));
    }
}
