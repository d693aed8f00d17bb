//! Planning of the points where a touch probe measures holes.
//!
//! The stylus is parallel to the hole's axis: the head is turned accordingly, or the hole is hardly inclined. Only the
//! stylus tip is checked for collisions; a shaft thinner than the tip is then free as well, within the thickness of the
//! sheet.

use std::collections::HashSet;
use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::order;
use base::{Result, UserError};
use geometry::{Point, Vector};
use io::probing_program::{Face, HoleGeometry, HoleProgram, NamedHole, Program, Touch};

/// Probing settings. Lengths in mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Stylus tip radius.
    pub probe_radius_mm: f64,
    /// Number of points on the sheet around each hole; three determine a plane.
    pub sheet_touches: usize,
    /// Number of points on the wall; three determine a circle, and BS 7172 recommends seven. An odd number does not
    /// miss an odd number of lobes.
    pub wall_touches: usize,
    /// Height of the tip centre above the sheet at the start of an approach to the sheet, and before it enters the
    /// hole.
    pub clearance_mm: f64,
    /// Depth of the tip centre below the sheet when it touches the wall: less than the thickness of the sheet, and more
    /// than the possible height error of the sheet at the rim.
    pub depth_mm: f64,
    /// Maximum deviation of the hole from its expected position, either way: the approach to a wall starts this far
    /// before the expected contact, and any search ends this far beyond it.
    pub search_mm: f64,
    /// Distance of the points on the sheet from the expected rim.
    pub beside_mm: f64,
    /// Height of the safe plane above the highest starting point.
    pub safe_above_mm: f64,
    /// Standard deviation of one probed point along its approach, from the CMM's acceptance test.
    pub touch_sigma_mm: f64,
    /// Direction away from the part, from which the CMM's ram approaches; a unit vector.
    pub up: Vector,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            probe_radius_mm: 1.0,
            sheet_touches: 3,
            wall_touches: 7,
            clearance_mm: 5.0,
            depth_mm: 0.5,
            search_mm: 1.0,
            beside_mm: 3.0,
            safe_above_mm: 20.0,
            touch_sigma_mm: 0.001,
            up: Vector::z(),
        }
    }
}

impl Settings {
    /// Returns an error if a setting is out of range.
    pub fn check(&self) -> Result<()> {
        let lengths = [
            ("stylus tip radius", self.probe_radius_mm),
            ("clearance", self.clearance_mm),
            ("depth", self.depth_mm),
            ("search distance", self.search_mm),
            ("distance from the rim", self.beside_mm),
            ("height of the safe plane above the clearance", self.safe_above_mm),
        ];
        for (name, length) in lengths {
            if !(length > 0.0 && length < 1e4) {
                return Err(UserError::usage(format!("The {name} must be above 0 and below 10 m, not {length} mm.")));
            }
        }
        if !(3..=100).contains(&self.sheet_touches) || !(4..=100).contains(&self.wall_touches) {
            return Err(UserError::usage(format!(
                "A sheet needs 3 to 100 touches and a wall 4 to 100, not {} and {}.",
                self.sheet_touches, self.wall_touches
            )));
        }
        if self.clearance_mm <= self.probe_radius_mm + self.search_mm {
            return Err(UserError::usage(format!(
                "The clearance of {} mm must exceed the sum of stylus tip radius and search distance, {} mm; otherwise \
                 the tip may start in the sheet.",
                self.clearance_mm,
                self.probe_radius_mm + self.search_mm
            )));
        }
        if self.beside_mm <= self.search_mm {
            return Err(UserError::usage(format!(
                "The touches of the sheet must be farther from the expected rim than the search distance of {} mm; \
                 otherwise they may fall into the hole.",
                self.search_mm
            )));
        }
        if !(self.touch_sigma_mm >= 0.0 && self.touch_sigma_mm < 1e3) {
            return Err(UserError::usage(format!(
                "The standard deviation of a touch must be at least 0 mm, not {}.",
                self.touch_sigma_mm
            )));
        }
        if !((self.up.norm() - 1.0).abs() < 1e-6) {
            return Err(UserError::usage("The direction up must be a unit vector."));
        }
        Ok(())
    }
}

/// A hole that is not probed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Name of the hole.
    pub name: String,
    /// The reason, in a sentence.
    pub reason: String,
}

/// Probing plan for holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Program for the holes that are probed, in the order of a short path.
    pub program: Program,
    /// Holes that are not probed, in the order of the request.
    pub refused: Vec<Refused>,
}

/// Minimum cosine of the angle between a hole's axis and up: a hole that is more inclined needs another head or another
/// clamping.
const MIN_AXIS_COSINE: f64 = 0.5;
/// Rotations of the pattern on the sheet that are tried within one of its periods.
const PATTERN_ROTATIONS: usize = 24;

/// Plans the probing of holes at their expected positions. Holes that cannot be probed are listed with the reason, the
/// others are planned.
///
/// Returns an error if a setting is out of range, if a hole has no name, or if two have the same.
pub fn plan(holes: &[NamedHole], settings: &Settings) -> Result<Plan> {
    settings.check()?;
    if let Some(blank) = holes.iter().find(|hole| hole.name.is_empty() || hole.name.trim() != hole.name) {
        return Err(UserError::usage(format!(
            "A hole needs a name without leading or trailing blanks, to identify its touches; “{}” is not valid.",
            blank.name
        )));
    }
    let mut names = HashSet::new();
    if let Some(duplicate) = holes.iter().find(|hole| !names.insert(&hole.name)) {
        return Err(UserError::usage(format!("Two holes are named “{}”; give each its own name.", duplicate.name)));
    }
    let (mut planned, mut refused) = (Vec::new(), Vec::new());
    for (index, hole) in holes.iter().enumerate() {
        match targets(index, holes, settings) {
            Ok(program) => planned.push(program),
            Err(error) => refused.push(Refused { name: hole.name.clone(), reason: error.sentence }),
        }
    }
    let heights = planned.iter().map(|hole: &HoleProgram| hole.entry.coords.dot(&settings.up));
    let highest = heights.fold(f64::NEG_INFINITY, f64::max);
    let mut program = Program {
        probe_radius_mm: settings.probe_radius_mm,
        up: settings.up,
        safe_height_mm: if planned.is_empty() { 0.0 } else { highest + settings.safe_above_mm },
        holes: Vec::new(),
    };
    let above: Vec<Point> = planned.iter().map(|hole| program.lifted(&hole.entry)).collect();
    program.holes = order::short_path(&above).into_iter().map(|i| planned[i].clone()).collect();
    Ok(Plan { program, refused })
}

fn targets(index: usize, holes: &[NamedHole], settings: &Settings) -> Result<HoleProgram> {
    let NamedHole { name, place: hole } = &holes[index];
    let refused = |why: String| Err(UserError::input(format!("Hole “{name}”: {why}")));
    if !hole.is_sound() {
        return refused("its geometry is not a finite centre with a unit axis and a radius above 0.".to_owned());
    }
    let cosine = hole.axis.dot(&settings.up);
    if cosine < MIN_AXIS_COSINE {
        let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        return refused(format!(
            "its axis is inclined by {degrees:.0}° from up, more than 60°; turn the head or the part and probe it \
             separately."
        ));
    }
    let room_mm = hole.radius_mm - settings.probe_radius_mm;
    if room_mm < settings.search_mm {
        return refused(format!(
            "a stylus tip of radius {} mm in a hole of radius {:.3} mm leaves {room_mm:.3} mm, less than the search \
             distance of {} mm; use a smaller tip or a smaller search distance.",
            settings.probe_radius_mm, hole.radius_mm, settings.search_mm
        ));
    }
    let Some(sheet) = sheet_points(index, holes, settings) else {
        return refused(format!(
            "all possible points on the sheet around it, {} mm from its rim, are closer to another hole than the \
             search distance; change the distance from the rim.",
            settings.beside_mm
        ));
    };
    let inside = hole.centre - hole.axis * settings.depth_mm;
    let on_sheet = |contact: Point| Touch {
        face: Face::Sheet,
        start: contact + hole.axis * settings.clearance_mm,
        contact,
        approach: -hole.axis,
        search_mm: settings.search_mm,
        retract_mm: settings.clearance_mm - settings.probe_radius_mm,
    };
    let on_wall = |outward: Vector| Touch {
        face: Face::Wall,
        start: inside + outward * (room_mm - settings.search_mm),
        contact: inside + outward * hole.radius_mm,
        approach: outward,
        search_mm: settings.search_mm,
        retract_mm: settings.search_mm,
    };
    Ok(HoleProgram {
        name: name.clone(),
        place: *hole,
        entry: hole.centre + hole.axis * settings.clearance_mm,
        inside,
        sheet: sheet.into_iter().map(on_sheet).collect(),
        wall: directions_around(hole, settings.wall_touches, 0.0).map(on_wall).collect(),
    })
}

/// Unit vectors in the plane of the sheet, evenly spaced about the hole's axis; `start_rad` is the angle of the first
/// one from the sheet's x.
fn directions_around(hole: &HoleGeometry, count: usize, start_rad: f64) -> impl Iterator<Item = Vector> {
    let [u, v] = hole.in_plane_axes();
    (0..count).map(move |i| {
        let (sin, cos) = (start_rad + TAU * i as f64 / count as f64).sin_cos();
        u * cos + v * sin
    })
}

/// Points on the sheet: the pattern is rotated until no point can fall into another hole; `None` if there is no such
/// rotation.
fn sheet_points(index: usize, holes: &[NamedHole], settings: &Settings) -> Option<Vec<Point>> {
    let hole = &holes[index].place;
    let others = || holes.iter().enumerate().filter(|(i, other)| *i != index && other.place.is_sound());
    let is_free = |point: &Point| {
        others().all(|(_, other)| (point - other.place.centre).norm() > other.place.radius_mm + settings.search_mm)
    };
    let period = TAU / settings.sheet_touches as f64;
    let pattern = |rotation: usize| -> Vec<Point> {
        let outward =
            directions_around(hole, settings.sheet_touches, period * rotation as f64 / PATTERN_ROTATIONS as f64);
        outward.map(|outward| hole.centre + outward * (hole.radius_mm + settings.beside_mm)).collect()
    };
    (0..PATTERN_ROTATIONS).map(pattern).find(|points| points.iter().all(is_free))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, x: f64, y: f64, radius_mm: f64) -> NamedHole {
        let place = HoleGeometry { centre: Point::new(x, y, 2.0), axis: Vector::z(), radius_mm };
        NamedHole { name: name.to_owned(), place }
    }

    #[test]
    fn one_hole_is_probed_where_it_should_be() {
        let plan = plan(&[named("1", 10.0, 20.0, 5.0)], &Settings { wall_touches: 4, ..Settings::default() }).unwrap();
        let hole = &plan.program.holes[0];
        assert_eq!(plan.program.safe_height_mm, 27.0);
        assert_eq!(hole.entry, Point::new(10.0, 20.0, 7.0));
        let first = hole.sheet[0];
        assert!((first.contact - Point::new(18.0, 20.0, 2.0)).norm() < 1e-12);
        assert!((first.start - Point::new(18.0, 20.0, 7.0)).norm() < 1e-12);
        assert_eq!((first.approach, first.retract_mm), (-Vector::z(), 4.0));
        assert!((first.tip_centre_at_contact(1.0) - Point::new(18.0, 20.0, 3.0)).norm() < 1e-12);
        let second = hole.wall[1];
        assert!((second.contact - Point::new(10.0, 25.0, 1.5)).norm() < 1e-12);
        assert!((second.start - Point::new(10.0, 23.0, 1.5)).norm() < 1e-12);
        assert!((second.approach - Vector::y()).norm() < 1e-12);
        assert_eq!((hole.sheet.len(), hole.wall.len()), (3, 4));
        assert_eq!(plan.program.way(hole).len(), 2 + 6 + 2 + 8 + 3);
    }

    #[test]
    fn the_pattern_avoids_neighbours() {
        // A neighbour lies exactly where the first point on the sheet would be.
        let holes = [named("1", 0.0, 0.0, 5.0), named("2", 8.0, 0.0, 2.0)];
        let program = plan(&holes, &Settings::default()).unwrap().program;
        for hole in &program.holes {
            for touch in &hole.sheet {
                for other in &holes {
                    let clear = (touch.contact - other.place.centre).norm() - other.place.radius_mm;
                    assert!(clear >= 1.0, "{} {clear}", hole.name);
                }
            }
        }
        // Surrounded on all sides.
        let mut ring: Vec<NamedHole> = (0..8)
            .map(|i| {
                let (sin, cos) = (TAU * f64::from(i) / 8.0).sin_cos();
                named(&format!("r{i}"), 8.0 * cos, 8.0 * sin, 2.2)
            })
            .collect();
        ring.push(named("m", 0.0, 0.0, 5.0));
        let refused = plan(&ring, &Settings::default()).unwrap().refused;
        assert!(refused.iter().any(|own| own.name == "m" && own.reason.contains("another hole")), "{refused:?}");
    }

    #[test]
    fn holes_that_cannot_be_probed_are_listed_and_the_rest_planned() {
        let mut holes =
            vec![named("small", 0.0, 0.0, 1.9), named("good", 50.0, 0.0, 5.0), named("flat", 99.0, 0.0, 5.0)];
        holes[2].place.axis = Vector::x();
        holes.push(named("none", 0.0, 0.0, f64::NAN));
        let plan = plan(&holes, &Settings::default()).unwrap();
        assert_eq!(plan.program.holes.len(), 1);
        let why: Vec<&str> = plan.refused.iter().map(|own| own.reason.as_str()).collect();
        assert!(
            why[0].contains("smaller tip") && why[1].contains("inclined by 90°") && why[2].contains("not a finite"),
            "{why:?}"
        );
        assert!(super::plan(&[], &Settings::default()).unwrap().program.holes.is_empty());
        let twice = [named("a", 0.0, 0.0, 5.0), named("a", 50.0, 0.0, 5.0)];
        assert!(super::plan(&twice, &Settings::default()).unwrap_err().sentence.contains("Two holes"));
        let blank = [named(" ", 0.0, 0.0, 5.0)];
        assert!(super::plan(&blank, &Settings::default()).unwrap_err().sentence.contains("needs a name"));
    }

    #[test]
    fn invalid_settings_are_refused() {
        let usual = Settings::default();
        assert!(usual.check().is_ok());
        let wrong = [
            (Settings { probe_radius_mm: 0.0, ..usual }, "stylus tip radius"),
            (Settings { depth_mm: f64::NAN, ..usual }, "depth"),
            (Settings { safe_above_mm: f64::INFINITY, ..usual }, "safe plane"),
            (Settings { sheet_touches: 2, ..usual }, "3 to 100"),
            (Settings { wall_touches: 3, ..usual }, "4 to 100"),
            (Settings { clearance_mm: 1.5, ..usual }, "start in the sheet"),
            (Settings { beside_mm: 0.9, ..usual }, "fall into the hole"),
            (Settings { touch_sigma_mm: -0.1, ..usual }, "standard deviation"),
            (Settings { up: Vector::zeros(), ..usual }, "unit vector"),
        ];
        for (settings, word) in wrong {
            assert!(settings.check().unwrap_err().sentence.contains(word), "{word}");
        }
    }
}
