//! Reference points as a table of text: name, x, y, z in mm of the nominal frame, and the directions they are held along.

use std::path::Path;

use super::reference_points::{Direction, ReferencePoint};
use crate::table;
use base::{Result, UserError};
use geometry::Point;

/// Largest number of points that is read.
const MAX_POINTS: usize = 10_000;

/// Reads the file of a table, see [`parse`].
pub fn read(path: &Path) -> Result<Vec<ReferencePoint>> {
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    parse(&text).map_err(|e| e.in_file(path))
}

/// Reads reference points, one per line: separated by commas, or by semicolons with decimal commas or points. The
/// direction is normal, x, y or z, or several of them as in xz or normal+x; normal if it is left out. A heading and
/// comments after # are skipped.
///
/// Returns an error that names the line it cannot read.
pub fn parse(text: &str) -> Result<Vec<ReferencePoint>> {
    let mut points: Vec<ReferencePoint> = Vec::new();
    for row in table::rows(text) {
        let number = |cell: &str| row.number_in(cell);
        let point = match row.cells.as_slice() {
            [name, x, y, z, direction @ ..] if !name.is_empty() && direction.len() <= 1 => {
                let directions = direction.first().map_or_else(|| Some(vec![Direction::Normal]), |own| directions(own));
                match (number(x), number(y), number(z), directions.as_deref()) {
                    (Some(x), Some(y), Some(z), Some([first, also @ ..])) => {
                        let (name, at) = ((*name).to_owned(), Point::new(x, y, z));
                        let mut point = ReferencePoint::held_along(name, at, *first);
                        also.iter().for_each(|own| point.hold(*own, true));
                        Some(point)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match point {
            Some(point) if points.iter().any(|own| own.name == point.name) => {
                return Err(row.error(&format!("there are two reference points called “{}”.", point.name)));
            }
            Some(_) if points.len() == MAX_POINTS => {
                return Err(row.error(&format!("more than {MAX_POINTS} reference points.")));
            }
            Some(point) => points.push(point),
            // A heading holds no numbers.
            None if points.is_empty() && row.has_no_numbers() => {}
            None => {
                return Err(row.error(
                    "expected name, x, y, z and a direction (normal, x, y or z, or several as in xz), such as R1, 10, \
                     0, 5, z.",
                ));
            }
        }
    }
    if points.is_empty() {
        return Err(UserError::input("The file holds no reference points."));
    }
    Ok(points)
}

/// The directions in a cell, such as “z”, “xz” and “normal+x”; `None` if it names another or one twice.
fn directions(cell: &str) -> Option<Vec<Direction>> {
    let mut found: Vec<Direction> = Vec::new();
    let mut add = |name: &str| {
        let own = Direction::named(name).filter(|own| !found.contains(own))?;
        found.push(own);
        Some(())
    };
    for word in cell.split(|own: char| own == '+' || own.is_whitespace()).filter(|word| !word.is_empty()) {
        if Direction::named(word).is_some() {
            add(word)?;
        } else {
            // Axes are one letter each.
            word.chars().try_for_each(|letter| add(letter.encode_utf8(&mut [0; 4])))?;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A name without the characters that separate and end cells and rows.
pub(crate) fn plain_name(name: &str) -> String {
    name.replace([',', ';', '#', '\n', '\r'], " ")
}

/// The text of reference points, as [`parse`] reads it.
pub fn text(points: &[ReferencePoint]) -> String {
    let mut text = "name,x_mm,y_mm,z_mm,direction\n".to_owned();
    for own in points {
        let (name, point) = (plain_name(&own.name), &own.point);
        let directions: Vec<&str> = own.directions().map(Direction::name).collect();
        text += &format!("{name},{},{},{},{}\n", point.x, point.y, point.z, directions.join("+"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_back_as_written() {
        let points = vec![
            ReferencePoint::held_along("R1".into(), Point::new(1.5, -2.0, 1e-7), Direction::Z),
            ReferencePoint::held_along("left rear".into(), Point::new(0.1, 0.2, 0.3), Direction::Normal),
        ];
        assert_eq!(parse(&text(&points)).unwrap(), points);
        // As a German spreadsheet writes them.
        let german = "\u{feff}Punkt;X;Y;Z;Richtung\r\nR1;1,5;-2;0,0000001;Z\r\nleft rear;0,1;0,2;0,3\r\n";
        assert_eq!(parse(german).unwrap(), points);
    }

    #[test]
    fn several_directions_are_read_in_one_cell() {
        let read = |cell: &str| parse(&format!("R1,1,2,3,{cell}\n")).unwrap().remove(0);
        let held = |cell: &str| read(cell).directions().collect::<Vec<_>>();
        assert_eq!(held("ZX"), [Direction::X, Direction::Z]);
        assert_eq!(held("x y z"), [Direction::X, Direction::Y, Direction::Z]);
        assert_eq!(held("z+normal"), [Direction::Normal, Direction::Z]);
        for cell in ["z", "xz", "normal+xyz"] {
            assert_eq!(parse(&text(&[read(cell)])).unwrap(), [read(cell)]);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let says = |text: &str| parse(text).unwrap_err().sentence;
        assert!(says("").contains("no reference points"));
        assert!(says("R1,1,2,3,z\nR1,4,5,6,z\n").contains("Line 2: there are two"));
        for line in ["R2,1,2", "R2,1,2,nan,z", "R2,1,2,3,up", "R2,1,2,3,xx", "R2,1,2,3,z,5", ",1,2,3,z"] {
            let sentence = says(&format!("R1,1,2,3,z\n{line}\n"));
            assert!(sentence.contains("Line 2: expected name"), "{line}: {sentence}");
        }
    }
}
