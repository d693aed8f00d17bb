//! Probing programs as DMIS text (ISO 22093, ANSI/DMIS 105.2).
//!
//! The text of the standard was not available to check against; the statements follow public programs and manuals. To
//! be checked on the CMM that runs them:
//! - the first statement is `FILNAM`; some CMMs expect `DMISMN` before it;
//! - the distances of `SNSET/APPRCH` and `SNSET/RETRCT` are taken between the workpiece surface and that of the stylus
//!   tip, and `SNSET/SEARCH` as the travel beyond the nominal contact;
//! - `PTMEAS` gives the point on the surface and the normal out of the material;
//! - labels are kept well below the limit (64 characters since 5.0, fewer before);
//! - text strings contain no apostrophe, `$` or comma, so that nothing needs escaping under any rule.
//!
//! Settings are written again whenever they change, so that the statements of each hole are self-contained.

use std::collections::HashSet;

use super::probing_program::{Face, HoleProgram, Program, Step};
use geometry::{Point, Vector};

/// Longest line, characters, including the continuation sign.
const MAX_LINE_CHARS: usize = 80;
/// Longest text string and label, characters.
const MAX_NAME_CHARS: usize = 40;
/// Version of the standard, as declared in the program.
const VERSION: &str = "05.2";

/// Program data besides the touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Program name; characters that are unsafe in DMIS are replaced by `_`.
    pub name: String,
    /// Name of the calibrated sensor (stylus tip) on the CMM to select; empty keeps the active one.
    pub sensor: String,
}

/// Formats the program as DMIS text: for each hole the plane of its sheet and its circle, along the path of
/// [`Program::way`].
///
/// The nominal centre of a circle lies at the depth of its touches. The features are named `HOLE_…` and `SHEET_…` after
/// the hole; a number is appended to names that are equal in DMIS.
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
        let label = labels.unique(&hole.name);
        writer.comment(&hole.name);
        writer.hole(program, hole, &label);
    }
    writer.statement("ENDFIL");
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Face of the current feature; `None` between features.
    face: Option<Face>,
}

impl Writer {
    fn hole(&mut self, program: &Program, hole: &HoleProgram, label: &str) {
        for step in program.way(hole) {
            match step {
                Step::Move(position) => {
                    // A move to the start of a touch belongs to the feature; any other move ends it.
                    if !hole.touches().any(|touch| touch.start == position) {
                        self.end_feature(label);
                    }
                    self.statement(&format!("GOTO/CART,{}", point_text(&position)));
                }
                Step::Touch(touch) => {
                    if self.face != Some(touch.face) {
                        self.end_feature(label);
                        self.begin_feature(hole, touch.face, label);
                        let tip_centre = touch.tip_centre_at_contact(program.probe_radius_mm);
                        self.statement(&format!("SNSET/APPRCH,{}", number((tip_centre - touch.start).norm(), 6)));
                        self.statement(&format!("SNSET/RETRCT,{}", number(touch.retract_mm, 6)));
                        self.statement(&format!("SNSET/SEARCH,{}", number(touch.search_mm, 6)));
                        self.statement(&measure(hole, touch.face, label));
                    }
                    let (contact, outward) = (point_text(&touch.contact), direction_text(&-touch.approach));
                    self.statement(&format!("PTMEAS/CART,{contact},{outward}"));
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
            Face::Sheet => format!("F({name})=FEAT/PLANE,CART,{},{axis}", point_text(&hole.place.centre)),
            Face::Wall => {
                let diameter = number(2.0 * hole.place.radius_mm, 6);
                format!("F({name})=FEAT/CIRCLE,INNER,CART,{},{axis},{diameter}", point_text(&hole.inside))
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

    /// Writes a statement. A long one is continued after commas, which do not occur in text strings.
    fn statement(&mut self, statement: &str) {
        let mut line = String::new();
        for piece in statement.split_inclusive(',') {
            if line.len() + piece.len() >= MAX_LINE_CHARS && !line.is_empty() {
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

/// Unique labels; DMIS labels are upper case.
#[derive(Default)]
struct Labels {
    used: HashSet<String>,
}

impl Labels {
    fn unique(&mut self, name: &str) -> String {
        let plain = label(name);
        let mut unique = plain.clone();
        let mut number = 2;
        while !self.used.insert(unique.clone()) {
            unique = format!("{plain}_{number}");
            number += 1;
        }
        unique
    }
}

/// `name` in upper case, with other characters than letters and digits replaced by `_`.
fn label(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    name.chars().take(MAX_NAME_CHARS).map(safe).collect()
}

/// Sensor name with case kept and characters that are unsafe in a label replaced by `_`.
fn sensor(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    name.chars().take(MAX_NAME_CHARS).map(safe).collect()
}

/// Text without characters that could end a string, a statement or a line.
fn plain(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || " _-.:;#()+/".contains(c);
    text.chars().take(MAX_NAME_CHARS).map(|c| if safe(c) { c } else { '_' }).collect()
}

fn point_text(point: &Point) -> String {
    [point.x, point.y, point.z].map(|value| number(value, 6)).join(",")
}

fn direction_text(direction: &Vector) -> String {
    [direction.x, direction.y, direction.z].map(|value| number(value, 9)).join(",")
}

/// Fixed-point decimals, without a negative zero.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::probing_program::{HoleGeometry, Touch};
    use super::*;

    /// Statements as major word and minor words, with continuations joined and comments left out.
    fn parsed(text: &str) -> Vec<(String, Vec<String>)> {
        let mut statements = Vec::new();
        let mut joined = String::new();
        for line in text.lines() {
            assert!(line.len() <= MAX_LINE_CHARS && line.is_ascii(), "{line}");
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
                place: HoleGeometry { centre, axis, radius_mm: 5.0 },
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
    fn the_text_matches_the_program() {
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
        // All touches in order: contact points on the surface, normals out of the material.
        let touches: Vec<_> = program.holes.iter().flat_map(HoleProgram::touches).collect();
        let measured = of("PTMEAS");
        assert_eq!(measured.len(), touches.len());
        for (words, touch) in measured.iter().zip(&touches) {
            let own = numbers(&words[1..]);
            assert!((Point::new(own[0], own[1], own[2]) - touch.contact).norm() < 2e-6);
            assert!((Vector::new(own[3], own[4], own[5]) + touch.approach).norm() < 2e-9);
        }
        // Features are defined before they are measured, with the declared number of touches.
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
        // The moves are those of the program.
        let path = program.holes.iter().flat_map(|hole| program.way(hole));
        let moves: Vec<Point> =
            path.filter_map(|step| if let Step::Move(position) = step { Some(position) } else { None }).collect();
        let written = of("GOTO");
        assert_eq!(written.len(), moves.len());
        for (words, position) in written.iter().zip(&moves) {
            let own = numbers(&words[1..]);
            assert!((Point::new(own[0], own[1], own[2]) - position).norm() < 2e-6);
        }
        assert_eq!(of("MEAS").len(), 4);
        assert_eq!(of("ENDMES").len(), 4);
        // Approach distances: from the clearance on the sheet, 1 mm inside the hole.
        let approaches: Vec<f64> =
            of("SNSET").iter().filter(|own| own[0] == "APPRCH").map(|own| numbers(&own[1..])[0]).collect();
        assert_eq!(approaches, [4.0, 1.0, 4.0, 1.0]);
        assert!(text.contains("$\n"), "no line was long enough to be continued");
    }

    #[test]
    fn arbitrary_names_are_sanitised_and_unique() {
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
