//! Programs for coordinate measuring machines as DMIS text (ISO 22093, ANSI/DMIS 105.2).
//!
//! The text of the standard was not available to check against; statements follow programs and manuals that are
//! public. To be checked on the machine that runs them:
//! - the first statement is `FILNAM`; some machines expect `DMISMN` before it;
//! - distances after `SNSET/APPRCH` and `SNSET/RETRCT` are taken as those between the surface and the ball's surface,
//!   and `SNSET/SEARCH` as the travel beyond the nominal contact;
//! - `PTMEAS` names the place on the surface and the normal out of the material;
//! - the longest label (64 characters since 5.0, fewer before) is kept well below;
//! - text strings hold no apostrophe, `$` or comma, so that none needs an escape, whatever the rule.
//!
//! Statements are written before they are needed and repeated where they change, so that each hole stands by itself.

use std::collections::HashSet;

use super::probing_program::{Face, HoleProgram, Program, Step};
use geometry::{Point, Vector};

/// Longest line, characters, the continuation sign included.
const LONGEST: usize = 80;
/// Longest text and label, characters.
const LONGEST_NAME: usize = 40;
/// The version of the standard that the program says it follows.
const VERSION: &str = "05.2";

/// What a program says beside its touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Its name; characters that DMIS may not carry become `_`.
    pub name: String,
    /// The calibrated sensor to select, as the machine knows it; empty keeps the one that is on.
    pub sensor: String,
}

/// The program as DMIS text: for each hole the plane of its sheet and its circle, driven the same way that
/// [`Program::way`] says.
///
/// A circle's nominal centre lies at the depth of its touches. Its feature is named `HOLE_…` and the plane
/// `SHEET_…`, after the hole; names that are the same to DMIS are numbered.
pub fn text(program: &Program, header: &Header) -> String {
    let mut writer = Writer::default();
    writer.statement(&format!("FILNAM/'{}',{VERSION}", plain(&header.name)));
    writer.statement("UNITS/MM,ANGDEC");
    writer.statement("MODE/PROG,MAN");
    writer.statement("PRCOMP/ON");
    if !header.sensor.is_empty() {
        writer.statement(&format!("SNSLCT/SA({})", sensor(&header.sensor)));
    }
    let mut labels = Labels::default();
    for hole in &program.holes {
        let label = labels.one_of_a_kind(&hole.name);
        writer.comment(&hole.name);
        writer.hole(program, hole, &label);
    }
    writer.statement("ENDFIL");
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// The face whose touches are being written.
    face: Option<Face>,
}

impl Writer {
    fn hole(&mut self, program: &Program, hole: &HoleProgram, label: &str) {
        for step in program.way(hole) {
            match step {
                Step::Drive(place) => {
                    // A start belongs to the touch that follows, anything else ends the feature before.
                    if !hole.touches().any(|touch| touch.start == place) {
                        self.end_feature(label);
                    }
                    self.statement(&format!("GOTO/CART,{}", place_text(&place)));
                }
                Step::Touch(touch) => {
                    if self.face != Some(touch.face) {
                        self.end_feature(label);
                        self.begin_feature(hole, touch.face, label);
                        let ball = touch.ball_at_contact(program.probe_radius_mm);
                        self.statement(&format!("SNSET/APPRCH,{}", number((ball - touch.start).norm(), 6)));
                        self.statement(&format!("SNSET/RETRCT,{}", number(touch.retract_mm, 6)));
                        self.statement(&format!("SNSET/SEARCH,{}", number(touch.search_mm, 6)));
                        self.statement(&measure(hole, touch.face, label));
                    }
                    let (place, outward) = (place_text(&touch.contact), direction_text(&-touch.approach));
                    self.statement(&format!("PTMEAS/CART,{place},{outward}"));
                }
            }
        }
        self.end_feature(label);
    }

    fn begin_feature(&mut self, hole: &HoleProgram, face: Face, label: &str) {
        let axis = direction_text(&hole.place.axis);
        let name = feature(face, label);
        self.face = Some(face);
        self.statement(&match face {
            Face::Sheet => format!("F({name})=FEAT/PLANE,CART,{},{axis}", place_text(&hole.place.centre)),
            Face::Wall => {
                let diameter = number(2.0 * hole.place.radius_mm, 6);
                format!("F({name})=FEAT/CIRCLE,INNER,CART,{},{axis},{diameter}", place_text(&hole.inside))
            }
        });
    }

    fn end_feature(&mut self, label: &str) {
        if let Some(face) = self.face.take() {
            self.statement("ENDMES");
            self.statement(&format!("OUTPUT/FA({})", feature(face, label)));
        }
    }

    fn comment(&mut self, text: &str) {
        self.text += &format!("$$ {}\n", plain(text));
    }

    /// Writes a statement; one too long is broken behind commas, which stand in no text string.
    fn statement(&mut self, statement: &str) {
        let mut line = String::new();
        for piece in statement.split_inclusive(',') {
            if line.len() + piece.len() >= LONGEST && !line.is_empty() {
                self.text += &format!("{line}$\n");
                line.clear();
            }
            line += piece;
        }
        self.text += &line;
        self.text.push('\n');
    }
}

fn feature(face: Face, label: &str) -> String {
    match face {
        Face::Sheet => format!("SHEET_{label}"),
        Face::Wall => format!("HOLE_{label}"),
    }
}

fn measure(hole: &HoleProgram, face: Face, label: &str) -> String {
    let name = feature(face, label);
    match face {
        Face::Sheet => format!("MEAS/PLANE,F({name}),{}", hole.sheet.len()),
        Face::Wall => format!("MEAS/CIRCLE,F({name}),{}", hole.wall.len()),
    }
}

/// Labels that DMIS, which knows no small letters in them, can tell apart.
#[derive(Default)]
struct Labels {
    taken: HashSet<String>,
}

impl Labels {
    fn one_of_a_kind(&mut self, name: &str) -> String {
        let plain = label(name);
        let mut own = plain.clone();
        let mut number = 2;
        while !self.taken.insert(own.clone()) {
            own = format!("{plain}_{number}");
            number += 1;
        }
        own
    }
}

/// Capital letters, digits and `_`.
fn label(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    name.chars().take(LONGEST_NAME).map(safe).collect()
}

/// The name of a sensor stays as the machine has it, as far as a label can hold it.
fn sensor(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    name.chars().take(LONGEST_NAME).map(safe).collect()
}

/// Text without what could end a string, a statement or a line.
fn plain(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || " _-.:;#()+/".contains(c);
    text.chars().take(LONGEST_NAME).map(|c| if safe(c) { c } else { '_' }).collect()
}

fn place_text(place: &Point) -> String {
    [place.x, place.y, place.z].map(|value| number(value, 6)).join(",")
}

fn direction_text(direction: &Vector) -> String {
    [direction.x, direction.y, direction.z].map(|value| number(value, 9)).join(",")
}

/// Plain decimals, never a minus before nothing.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::probing_program::{Place, Touch};
    use super::*;

    /// Statements with continuations joined and comments left out: major word, minor words and numbers.
    fn parsed(text: &str) -> Vec<(String, Vec<String>)> {
        let mut statements = Vec::new();
        let mut joined = String::new();
        for line in text.lines() {
            assert!(line.len() <= LONGEST && line.is_ascii(), "{line}");
            if line.starts_with("$$") {
                continue;
            }
            match line.strip_suffix('$') {
                Some(part) => joined += part,
                None => {
                    joined += line;
                    let (major, minor) = joined.split_once('/').unwrap_or((&joined, ""));
                    let minor = minor.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
                    statements.push((major.to_owned(), minor));
                    joined.clear();
                }
            }
        }
        assert!(joined.is_empty());
        statements
    }

    fn numbers(words: &[String]) -> Vec<f64> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    fn program(names: &[&str]) -> Program {
        let axis = Vector::new(-0.1, 0.2, 1.0).normalize();
        let (u, v) = (Vector::new(1.0, 0.0, 0.1).normalize(), axis.cross(&Vector::new(1.0, 0.0, 0.1).normalize()));
        let hole = |(i, name): (usize, &&str)| {
            let centre = Point::new(-1_234.567_891 + 40.0 * i as f64, 2_345.678_912, -345.678_912);
            let inside = centre - axis * 0.5;
            let out = |k: usize| u * (1.3 * k as f64).cos() + v * (1.3 * k as f64).sin();
            let touch = |face, contact: Point, approach: Vector, travel_mm: f64| Touch {
                face,
                start: contact - approach * (1.0 + travel_mm),
                contact,
                approach,
                search_mm: 1.0,
                retract_mm: travel_mm,
            };
            HoleProgram {
                name: (*name).to_owned(),
                place: Place { centre, axis, radius_mm: 5.0 },
                entry: centre + axis * 5.0,
                inside,
                sheet: (0..3).map(|k| touch(Face::Sheet, centre + out(2 * k) * 8.0, -axis, 4.0)).collect(),
                wall: (0..5).map(|k| touch(Face::Wall, inside + out(k) * 5.0, out(k), 1.0)).collect(),
            }
        };
        Program {
            probe_radius_mm: 1.0,
            up: Vector::z(),
            safe_height_mm: -300.0,
            holes: names.iter().enumerate().map(hole).collect(),
        }
    }

    #[test]
    fn the_text_says_what_the_program_says() {
        let program = program(&["1", "2"]);
        let text = text(&program, &Header { name: "part 7's $ holes".into(), sensor: "A0.0B0.0 x".into() });
        let statements = parsed(&text);
        assert_eq!(statements[0], ("FILNAM".into(), vec!["'part 7_s _ holes'".into(), VERSION.into()]));
        assert_eq!(statements[1], ("UNITS".into(), vec!["MM".into(), "ANGDEC".into()]));
        assert_eq!(statements[4], ("SNSLCT".into(), vec!["SA(A0.0B0.0_x)".into()]));
        assert_eq!(statements.last().unwrap().0, "ENDFIL");
        let of = |major: &str| -> Vec<Vec<String>> {
            statements.iter().filter(|own| own.0 == major).map(|own| own.1.clone()).collect()
        };
        // Every touch, in order, on the surface and with the normal out of the material.
        let touches: Vec<_> = program.holes.iter().flat_map(HoleProgram::touches).collect();
        let measured = of("PTMEAS");
        assert_eq!(measured.len(), touches.len());
        for (words, touch) in measured.iter().zip(&touches) {
            let own = numbers(&words[1..]);
            assert!((Point::new(own[0], own[1], own[2]) - touch.contact).norm() < 2e-6);
            assert!((Vector::new(own[3], own[4], own[5]) + touch.approach).norm() < 2e-9);
        }
        // Features before they are measured, with as many touches as were said.
        for hole in &program.holes {
            let begin = |minor: &str| {
                statements.iter().position(|own| own.0.starts_with("F(") && own.0.contains(minor)).unwrap()
            };
            let name = &hole.name;
            let circle = &statements[begin(&format!("(HOLE_{name})"))];
            assert_eq!(circle.1[..3], ["CIRCLE", "INNER", "CART"]);
            let own = numbers(&circle.1[3..]);
            assert!((Point::new(own[0], own[1], own[2]) - hole.inside).norm() < 2e-6);
            assert!((own[6] - 10.0).abs() < 1e-9);
            let at =
                statements.iter().position(|own| own.0 == "MEAS" && own.1[1] == format!("F(HOLE_{name})")).unwrap();
            assert!(at > begin(&format!("(HOLE_{name})")));
            let until = statements[at..].iter().position(|own| own.0 == "ENDMES").unwrap();
            let count = statements[at..at + until].iter().filter(|own| own.0 == "PTMEAS").count();
            assert_eq!(statements[at].1[2], count.to_string());
            assert_eq!(count, hole.wall.len());
            assert_eq!(statements[at + until + 1], ("OUTPUT".into(), vec![format!("FA(HOLE_{name})")]));
        }
        // The way is the program's.
        let drives = program.holes.iter().flat_map(|hole| program.way(hole));
        let drives: Vec<Point> =
            drives.filter_map(|step| if let Step::Drive(place) = step { Some(place) } else { None }).collect();
        let gone = of("GOTO");
        assert_eq!(gone.len(), drives.len());
        for (words, place) in gone.iter().zip(&drives) {
            let own = numbers(&words[1..]);
            assert!((Point::new(own[0], own[1], own[2]) - place).norm() < 2e-6);
        }
        assert_eq!(of("MEAS").len(), 4);
        assert_eq!(of("ENDMES").len(), 4);
        // Approaches of 1 mm inside the hole, from the clearance on the sheet.
        let approaches: Vec<f64> =
            of("SNSET").iter().filter(|own| own[0] == "APPRCH").map(|own| numbers(&own[1..])[0]).collect();
        assert_eq!(approaches, [4.0, 1.0, 4.0, 1.0]);
        assert!(text.contains("$\n"), "no line was long enough to be continued");
    }

    #[test]
    fn names_of_any_kind_are_safe_and_told_apart() {
        let long = "x".repeat(300);
        let names = ["a", "A", "a_2", "ENDFIL\nGOTO/0,0,0", "Ø'$", "$$", &long, &format!("{long}y")];
        let program = program(&names);
        let text = text(&program, &Header { name: names.join("\n"), sensor: String::new() });
        let statements = parsed(&text);
        assert_eq!(statements.iter().filter(|own| own.0 == "ENDFIL").count(), 1);
        let features: HashSet<&String> =
            statements.iter().map(|own| &own.0).filter(|own| own.starts_with("F(")).collect();
        assert_eq!(features.len(), 2 * names.len());
        assert_eq!(number(-0.000_000_1, 6), "0.000000");
        assert_eq!(number(-0.5, 6), "-0.500000");
    }
}
