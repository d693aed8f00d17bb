//! Where a touch probe touches holes.
//!
//! The stylus stands along the hole's axis: the head is turned there, or the hole does not lean much. Only the ball is
//! kept clear of the part; a shaft thinner than the ball then is clear as well, within the sheet's thickness.

use std::collections::HashSet;
use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::order;
use base::{Result, UserError};
use geometry::{Point, Vector};
use io::probing_program::{Face, HoleProgram, NamedPlace, Place, Program, Touch};

/// How holes are touched. Lengths in mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Radius of the probe's ball.
    pub probe_radius_mm: f64,
    /// Touches of the sheet about each hole; three decide a plane.
    pub sheet_touches: usize,
    /// Touches of the wall; three decide a circle, and BS 7172 advises seven. An odd number does not overlook an odd
    /// number of lobes.
    pub wall_touches: usize,
    /// Height of the ball's centre above the sheet where an approach to the sheet starts, and where the ball comes from
    /// before it goes into the hole.
    pub clearance_mm: f64,
    /// Depth of the ball's centre below the sheet when it touches the wall: less than the sheet is thick, and more than
    /// the expected sheet may be off at the rim.
    pub depth_mm: f64,
    /// How far the hole may be from where it is expected, either way: so far before the expected contact the approach
    /// to a wall starts, and so far beyond it any search goes on.
    pub search_mm: f64,
    /// Distance of the sheet's touches from the expected rim.
    pub beside_mm: f64,
    /// Height of the safe plane above the highest place that the ball comes from.
    pub safe_above_mm: f64,
    /// Standard deviation of one touch along its approach, as the machine's acceptance test has it.
    pub touch_sigma_mm: f64,
    /// Away from the part, towards where the machine's ram comes from; a unit vector.
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
    /// A sentence on the first setting that makes no sense.
    pub fn check(&self) -> Result<()> {
        let lengths = [
            ("probe's radius", self.probe_radius_mm),
            ("clearance", self.clearance_mm),
            ("depth", self.depth_mm),
            ("search", self.search_mm),
            ("distance beside the rim", self.beside_mm),
            ("safe plane's height above the clearance", self.safe_above_mm),
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
                "The clearance of {} mm must exceed the probe's radius and the search, {} mm together; else the ball \
                 may start in the sheet.",
                self.clearance_mm,
                self.probe_radius_mm + self.search_mm
            )));
        }
        if self.beside_mm <= self.search_mm {
            return Err(UserError::usage(format!(
                "The touches of the sheet must be farther from the expected rim than the search of {} mm; else they \
                 may fall into the hole.",
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

/// A hole that is not touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Its name.
    pub name: String,
    /// A sentence on why.
    pub reason: String,
}

/// Targets for holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The holes that are touched, in an order of short way.
    pub program: Program,
    /// Those that are not, in the order they were asked for.
    pub refused: Vec<Refused>,
}

/// Least cosine between a hole's axis and up: a hole that leans more needs another head or another clamping.
const LEAST_UPRIGHT: f64 = 0.5;
/// Turns of the pattern on the sheet that are tried within one of its periods.
const TURNS: usize = 24;

/// Targets for holes where they are expected. Holes that cannot be touched are told, the others planned.
///
/// Fails with a sentence where a setting makes no sense, a hole has no name or two have one.
pub fn plan(holes: &[NamedPlace], settings: &Settings) -> Result<Plan> {
    settings.check()?;
    if let Some(blank) = holes.iter().find(|hole| hole.name.is_empty() || hole.name.trim() != hole.name) {
        return Err(UserError::usage(format!(
            "A hole needs a name without blanks at its ends, by which its touches come back; “{}” is none.",
            blank.name
        )));
    }
    let mut names = HashSet::new();
    if let Some(twice) = holes.iter().find(|hole| !names.insert(&hole.name)) {
        return Err(UserError::usage(format!("Two holes are named {}; give each a name of its own.", twice.name)));
    }
    let (mut planned, mut refused) = (Vec::new(), Vec::new());
    for (number, hole) in holes.iter().enumerate() {
        match targets(number, holes, settings) {
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
    program.holes = order::short_way(&above).into_iter().map(|i| planned[i].clone()).collect();
    Ok(Plan { program, refused })
}

fn targets(number: usize, holes: &[NamedPlace], settings: &Settings) -> Result<HoleProgram> {
    let NamedPlace { name, place } = &holes[number];
    let refused = |why: String| Err(UserError::input(format!("Hole {name}: {why}")));
    if !place.is_sound() {
        return refused("its place is no finite point with a unit axis and a radius above 0.".to_owned());
    }
    let lean = place.axis.dot(&settings.up);
    if lean < LEAST_UPRIGHT {
        let degrees = lean.clamp(-1.0, 1.0).acos().to_degrees();
        return refused(format!(
            "its axis leans {degrees:.0}° from up, more than 60°; turn the head or the part and touch it by itself."
        ));
    }
    let room_mm = place.radius_mm - settings.probe_radius_mm;
    if room_mm < settings.search_mm {
        return refused(format!(
            "a ball of radius {} mm in a radius of {:.3} mm leaves {room_mm:.3} mm, less than the search of {} mm; \
             take a smaller ball or search less far.",
            settings.probe_radius_mm, place.radius_mm, settings.search_mm
        ));
    }
    let Some(sheet) = sheet_places(number, holes, settings) else {
        return refused(format!(
            "wherever the sheet would be touched about it, {} mm from its rim, another hole is nearer than the search; \
             change that distance.",
            settings.beside_mm
        ));
    };
    let inside = place.centre - place.axis * settings.depth_mm;
    let on_sheet = |contact: Point| Touch {
        face: Face::Sheet,
        start: contact + place.axis * settings.clearance_mm,
        contact,
        approach: -place.axis,
        search_mm: settings.search_mm,
        retract_mm: settings.clearance_mm - settings.probe_radius_mm,
    };
    let on_wall = |outward: Vector| Touch {
        face: Face::Wall,
        start: inside + outward * (room_mm - settings.search_mm),
        contact: inside + outward * place.radius_mm,
        approach: outward,
        search_mm: settings.search_mm,
        retract_mm: settings.search_mm,
    };
    Ok(HoleProgram {
        name: name.clone(),
        place: *place,
        entry: place.centre + place.axis * settings.clearance_mm,
        inside,
        sheet: sheet.into_iter().map(on_sheet).collect(),
        wall: about(place, settings.wall_touches, 0.0).map(on_wall).collect(),
    })
}

/// Unit vectors along the sheet, evenly about the axis, the first `turn_rad` from where the sheet's x points.
fn about(place: &Place, count: usize, turn_rad: f64) -> impl Iterator<Item = Vector> {
    let [u, v] = place.along_sheet();
    (0..count).map(move |i| {
        let (sin, cos) = (turn_rad + TAU * i as f64 / count as f64).sin_cos();
        u * cos + v * sin
    })
}

/// Where the sheet is touched: the pattern is turned until no touch may fall into another hole.
fn sheet_places(number: usize, holes: &[NamedPlace], settings: &Settings) -> Option<Vec<Point>> {
    let place = &holes[number].place;
    let others = || holes.iter().enumerate().filter(|(i, other)| *i != number && other.place.is_sound());
    let is_free = |touch: &Point| {
        others().all(|(_, other)| (touch - other.place.centre).norm() > other.place.radius_mm + settings.search_mm)
    };
    let period = TAU / settings.sheet_touches as f64;
    let turned = |turn: usize| -> Vec<Point> {
        let outward = about(place, settings.sheet_touches, period * turn as f64 / TURNS as f64);
        outward.map(|outward| place.centre + outward * (place.radius_mm + settings.beside_mm)).collect()
    };
    (0..TURNS).map(turned).find(|places| places.iter().all(is_free))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, x: f64, y: f64, radius_mm: f64) -> NamedPlace {
        let place = Place { centre: Point::new(x, y, 2.0), axis: Vector::z(), radius_mm };
        NamedPlace { name: name.to_owned(), place }
    }

    #[test]
    fn one_hole_is_touched_where_it_should_be() {
        let plan = plan(&[named("1", 10.0, 20.0, 5.0)], &Settings { wall_touches: 4, ..Settings::default() }).unwrap();
        let hole = &plan.program.holes[0];
        assert_eq!(plan.program.safe_height_mm, 27.0);
        assert_eq!(hole.entry, Point::new(10.0, 20.0, 7.0));
        let first = hole.sheet[0];
        assert!((first.contact - Point::new(18.0, 20.0, 2.0)).norm() < 1e-12);
        assert!((first.start - Point::new(18.0, 20.0, 7.0)).norm() < 1e-12);
        assert_eq!((first.approach, first.retract_mm), (-Vector::z(), 4.0));
        assert!((first.ball_at_contact(1.0) - Point::new(18.0, 20.0, 3.0)).norm() < 1e-12);
        let second = hole.wall[1];
        assert!((second.contact - Point::new(10.0, 25.0, 1.5)).norm() < 1e-12);
        assert!((second.start - Point::new(10.0, 23.0, 1.5)).norm() < 1e-12);
        assert!((second.approach - Vector::y()).norm() < 1e-12);
        assert_eq!((hole.sheet.len(), hole.wall.len()), (3, 4));
        assert_eq!(plan.program.way(hole).len(), 2 + 6 + 2 + 8 + 3);
    }

    #[test]
    fn the_pattern_turns_away_from_neighbours() {
        // A neighbour lies just where the first touch of the sheet would be.
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
        // Hemmed in on all sides.
        let mut ring: Vec<NamedPlace> = (0..8)
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
    fn what_cannot_be_touched_is_told_and_the_rest_planned() {
        let mut holes =
            vec![named("small", 0.0, 0.0, 1.9), named("good", 50.0, 0.0, 5.0), named("flat", 99.0, 0.0, 5.0)];
        holes[2].place.axis = Vector::x();
        holes.push(named("none", 0.0, 0.0, f64::NAN));
        let plan = plan(&holes, &Settings::default()).unwrap();
        assert_eq!(plan.program.holes.len(), 1);
        let why: Vec<&str> = plan.refused.iter().map(|own| own.reason.as_str()).collect();
        assert!(
            why[0].contains("smaller ball") && why[1].contains("leans 90°") && why[2].contains("no finite"),
            "{why:?}"
        );
        assert!(super::plan(&[], &Settings::default()).unwrap().program.holes.is_empty());
        let twice = [named("a", 0.0, 0.0, 5.0), named("a", 50.0, 0.0, 5.0)];
        assert!(super::plan(&twice, &Settings::default()).unwrap_err().sentence.contains("Two holes"));
        let blank = [named(" ", 0.0, 0.0, 5.0)];
        assert!(super::plan(&blank, &Settings::default()).unwrap_err().sentence.contains("needs a name"));
    }

    #[test]
    fn settings_that_make_no_sense_are_told() {
        let usual = Settings::default();
        assert!(usual.check().is_ok());
        let wrong = [
            (Settings { probe_radius_mm: 0.0, ..usual }, "probe's radius"),
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
