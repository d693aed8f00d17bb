//! Tables of probing targets, one line per touch.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::probing_program::{Face, Program, Touch};
use super::table::{self, Row, Table};
use base::Result;

/// A planned touch of a hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Name of the hole.
    pub hole: String,
    /// Number of the touch at this hole, from 1, in probing order.
    pub number: u64,
    /// Start, contact point and approach of the touch.
    pub touch: Touch,
}

/// The touches of a program in probing order, without the path between them: that is left to the program of the CMM, or
/// written by [`dmis`](super::super::dmis).
pub fn targets_of(program: &Program) -> Vec<Target> {
    let of_hole = |hole: &super::super::probing_program::HoleProgram| -> Vec<Target> {
        let target = |(number, touch): (u64, &Touch)| Target { hole: hole.name.clone(), number, touch: *touch };
        (1..).zip(hole.touches()).map(target).collect()
    };
    program.holes.iter().flat_map(of_hole).collect()
}

/// Formats the targets as CSV text. `start` is a position of the tip centre, `contact` a point on the surface, mm; the
/// approach is a unit vector into the material.
pub fn write_targets(targets: &[Target]) -> Result<String> {
    let mut titles = vec!["hole".to_owned(), "number".to_owned()];
    titles.extend(["start", "contact"].iter().flat_map(|stem| table::point_titles(stem)));
    titles.extend(APPROACH.map(str::to_owned));
    titles.extend(["search_mm", "retract_mm", "face"].map(str::to_owned));
    let row = |target: &Target| {
        let touch = &target.touch;
        let mut row = vec![target.hole.clone(), target.number.to_string()];
        row.extend([touch.start.coords, touch.contact.coords, touch.approach].iter().flat_map(table::cells));
        row.extend([touch.search_mm, touch.retract_mm].map(|value| value.to_string()));
        row.push(touch.face.word().to_owned());
        row
    };
    table::text(&titles, targets.iter().map(row))
}

const APPROACH: [&str; 3] = ["approach_x", "approach_y", "approach_z"];

/// Parses a table of targets. Returns an error with the line number if a value is missing or invalid.
pub fn parse_targets(text: &str) -> Result<Vec<Target>> {
    let table = Table::parse(text)?;
    let (hole, number, face) = (table.column("hole")?, table.column("number")?, table.column("face")?);
    let (start, contact) = (table.point_columns("start")?, table.point_columns("contact")?);
    let [x, y, z] = APPROACH;
    let approach = [table.column(x)?, table.column(y)?, table.column(z)?];
    let (search, retract) = (table.column("search_mm")?, table.column("retract_mm")?);
    let target = |row: Row<'_>| -> Result<Target> {
        let distance = |column| match row.number(column)? {
            distance if distance >= 0.0 => Ok(distance),
            distance => Err(row.error(format!("a distance of {distance} mm is below zero"))),
        };
        let word = row.word(face)?;
        let face = Face::from_word(word)
            .ok_or_else(|| row.error("the face must be “sheet” or “wall”; the line may be cut off"))?;
        let touch = Touch {
            face,
            start: row.point(start)?,
            contact: row.point(contact)?,
            approach: row.direction(approach)?,
            search_mm: distance(search)?,
            retract_mm: distance(retract)?,
        };
        let word = row.word(number)?;
        let number = word.parse().map_err(|_| row.error("the number of the touch must be a whole number"))?;
        Ok(Target { hole: row.word(hole)?.to_owned(), number, touch })
    };
    table.rows()?.map(target).collect()
}

/// Reads a file of targets, see [`parse_targets`].
pub fn read_targets(path: &Path) -> Result<Vec<Target>> {
    parse_targets(&table::read_text(path)?).map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use geometry::{Point, Vector};

    fn examples() -> Vec<Target> {
        let touch = |face, x: f64| Touch {
            face,
            start: Point::new(x, -0.1, 5.0),
            contact: Point::new(x, -0.1, 1.0 / 3.0),
            approach: -Vector::z(),
            search_mm: 1.0,
            retract_mm: 4.5,
        };
        let target = |hole: &str, number, touch| Target { hole: hole.into(), number, touch };
        vec![
            target("1", 1, touch(Face::Sheet, 112.012)),
            target("a \"b\", c;\nd #", 2, touch(Face::Wall, -1e-7)),
            target("Ø 5 Bohrung", 3, touch(Face::Wall, 1e6 / 7.0)),
        ]
    }

    #[test]
    fn written_targets_are_read_back_exactly() {
        let text = write_targets(&examples()).unwrap();
        assert!(text.starts_with("hole,number,start_x_mm,"), "{text}");
        assert_eq!(parse_targets(&text).unwrap(), examples());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("targets.csv");
        std::fs::write(&path, format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
        // The line end within a name has changed.
        assert_eq!(read_targets(&path).unwrap().len(), 3);
        assert!(read_targets(&folder.path().join("none.csv")).unwrap_err().sentence.contains("does not exist"));
    }

    #[test]
    fn columns_may_be_in_any_order_and_others_are_ignored() {
        let text = "face;remark;Hole;number;start x [mm];start_y_mm;start_z_mm;contact_x_mm;contact_y_mm;contact_z_mm;\
                    approach_x;approach_y;approach_z;retract_mm;search_mm\n\
                    Wall; any ;7;2;1,5;2.5;3;4;5;6;0;0;-1;8;9\n";
        let read = parse_targets(text).unwrap();
        assert_eq!(read[0].touch.start, Point::new(1.5, 2.5, 3.0));
        assert_eq!((read[0].touch.search_mm, read[0].touch.retract_mm, read[0].touch.face), (9.0, 8.0, Face::Wall));
        assert_eq!(read[0].hole, "7");
    }

    #[test]
    fn errors_name_line_and_column() {
        let whole = write_targets(&examples()[..1]).unwrap();
        let why = |text: &str| parse_targets(text).unwrap_err().sentence;
        assert!(why(&whole.replace("112.012", "NaN")).starts_with("Line 2: “NaN” in “start_x_mm”"));
        assert!(why(&whole.replace("112.012", "1e999")).contains("not a finite number"));
        assert!(why(&whole.replace("start_x_mm", "start_x_inch")).contains("says “inch”; convert it to mm"));
        assert!(why(&whole.replace("start_x_mm", "start_x")).contains("no unit"));
        assert!(why(&whole.replace("start_x_mm", "number")).contains("two columns"));
        assert!(why(&whole.replace("search_mm", "seek_mm")).contains("no column “search_mm”"));
        assert!(why(&whole.replace(",sheet", ",she")).contains("cut off"));
        assert!(why(&whole.replace(",1,4.5", ",-1,4.5")).contains("below zero"));
        assert!(why(&whole.replace(",-1,1,", ",-2,1,")).contains("length 2"));
        assert!(why("").contains("empty"));
        assert!(why("hole,number\n").contains("no column"));
        // Truncated anywhere within the last line, the file is refused; only the line end may be missing.
        let lines = whole.trim_end().rfind('\n').unwrap();
        for end in lines + 2..whole.trim_end().len() {
            if whole.is_char_boundary(end) {
                assert!(parse_targets(&whole[..end]).is_err(), "{}", &whole[..end]);
            }
        }
        assert!(parse_targets(whole.trim_end()).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn damaged_tables_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, any::<u8>()), 1..6),
        ) {
            let mut bytes = write_targets(&examples()).unwrap().into_bytes();
            for (at, how, byte) in changes {
                let at = at.index(bytes.len().max(1)).min(bytes.len());
                match how {
                    0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = byte,
                    2 => bytes.insert(at, byte),
                    3 => { bytes.splice(at..at, *b"nan"); }
                    4 => { bytes.splice(at..at, *b"\"\n,"); }
                    _ => { bytes.drain(at..(at + usize::from(byte)).min(bytes.len())); }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match parse_targets(&text) {
                Ok(targets) => for target in targets {
                    let touch = target.touch;
                    let numbers = touch.start.iter().chain(touch.contact.iter()).chain(touch.approach.iter());
                    prop_assert!(numbers.copied().all(f64::is_finite));
                    prop_assert!(touch.search_mm >= 0.0 && touch.retract_mm >= 0.0);
                },
                Err(error) => prop_assert!(error.sentence.len() > 20 && error.sentence.ends_with('.'), "{error}"),
            }
        }
    }
}
