//! Lists of nominal slots, from a drawing.

use std::path::Path;

use super::table::{self, Row, Table};
use base::Result;
use geometry::{Point, Vector};

/// A nominal slot of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedSlot {
    /// Name of the slot.
    pub name: String,
    /// Centre on the upper face of the sheet, mm.
    pub centre: Point,
    /// Axis out of the sheet; unit vector.
    pub axis: Vector,
    /// Direction along the slot, perpendicular to the axis; unit vector.
    pub along: Vector,
    /// Overall length from end to end, mm.
    pub length_mm: f64,
    /// Width from side to side, mm.
    pub width_mm: f64,
}

/// Largest cosine between the axis and the direction of a slot.
const PERPENDICULARITY_TOLERANCE: f64 = 1e-3;

/// Parses a list of slots: name, centre on the upper face of the sheet (mm), axis out of the sheet and direction along
/// the slot (unit vectors), overall length and width (mm). Returns an error with the line number if a value is missing
/// or invalid.
pub fn parse_slots(text: &str) -> Result<Vec<ListedSlot>> {
    let table = Table::parse(text)?;
    let name = table.column("name")?;
    let centre = table.vector_columns(["x_mm", "y_mm", "z_mm"])?;
    let axis = table.vector_columns(["axis_i", "axis_j", "axis_k"])?;
    let along = table.vector_columns(["along_i", "along_j", "along_k"])?;
    let (length, width) = (table.column("length_mm")?, table.column("width_mm")?);
    let slot = |row: Row<'_>| -> Result<ListedSlot> {
        let (length_mm, width_mm) = (row.number(length)?, row.number(width)?);
        let (axis, along) = (row.direction(axis)?.normalize(), row.direction(along)?.normalize());
        let centre = row.point(centre)?;
        if !(width_mm > 0.0 && length_mm > width_mm && length_mm < 1e9) {
            return Err(row.error(format!(
                "a width above 0 and a greater overall length are expected, not {width_mm} mm and {length_mm} mm"
            )));
        }
        if centre.coords.iter().any(|value| value.abs() > 1e9) {
            return Err(row.error("coordinates up to 1e9 mm are expected"));
        }
        if axis.dot(&along).abs() > PERPENDICULARITY_TOLERANCE {
            return Err(row.error("the direction of the slot must be perpendicular to its axis"));
        }
        let along = (along - axis * axis.dot(&along)).normalize();
        Ok(ListedSlot { name: row.word(name)?.to_owned(), centre, axis, along, length_mm, width_mm })
    };
    table.rows()?.map(slot).collect()
}

/// Reads a file of slots, see [`parse_slots`].
pub fn read_slots(path: &Path) -> Result<Vec<ListedSlot>> {
    parse_slots(&table::read_text(path)?).map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TITLES: &str = "name,x_mm,y_mm,z_mm,axis_i,axis_j,axis_k,along_i,along_j,along_k,length_mm,width_mm";

    #[test]
    fn slots_are_read_and_errors_name_the_line() {
        let read = parse_slots(&format!("{TITLES}\nS1,1,2,3,0,0,1,0.6,0.8,0,20,8\n")).unwrap();
        assert_eq!((read[0].centre, read[0].length_mm, read[0].width_mm), (Point::new(1.0, 2.0, 3.0), 20.0, 8.0));
        assert!((read[0].along - Vector::new(0.6, 0.8, 0.0)).norm() < 1e-12);
        let why = |row: &str| parse_slots(&format!("{TITLES}\n{row}\n")).unwrap_err().sentence;
        assert!(why("S,1,2,3,0,0,1,0,0,1,20,8").contains("perpendicular to its axis"));
        assert!(why("S,1,2,3,0,0,1,1,0,0,8,20").contains("greater overall length"));
        assert!(why("S,1,2,3,0,0,1,1,0,0,20,0").contains("width above 0"));
        assert!(why("S,1e300,2,3,0,0,1,1,0,0,20,8").contains("up to 1e9 mm"));
        assert!(why("S,1,2,3,0,0,1,2,0,0,20,8").contains("length 2"));
        assert!(parse_slots(&TITLES.replace("width_mm", "width_in")).unwrap_err().sentence.contains("says “in”"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in ".{0,200}") {
            let _ = parse_slots(&text);
            let _ = parse_slots(&format!("{TITLES}\n{text}"));
        }
    }
}
