//! Lists of nominal holes, from a drawing or a machine.

use std::path::Path;

use super::super::probing_program::{HoleGeometry, NamedHole};
use super::table::{self, Row, Table};
use base::Result;

const NAME: &str = "name";
const CENTRE: [&str; 3] = ["x_mm", "y_mm", "z_mm"];
const AXIS: [&str; 3] = ["axis_i", "axis_j", "axis_k"];
const RADIUS: &str = "radius_mm";

/// Parses a list of holes: name, centre on the upper face of the sheet (mm), axis out of the sheet (unit vector) and
/// radius (mm), in the CMM frame. Returns an error with the line number if a value is missing or invalid.
pub fn parse_holes(text: &str) -> Result<Vec<NamedHole>> {
    let table = Table::parse(text)?;
    let (name, centre, axis, radius) =
        (table.column(NAME)?, table.vector_columns(CENTRE)?, table.vector_columns(AXIS)?, table.column(RADIUS)?);
    let hole = |row: Row<'_>| -> Result<NamedHole> {
        let radius_mm = row.number(radius)?;
        let axis = row.direction(axis)?.normalize();
        let place = HoleGeometry { centre: row.point(centre)?, axis, radius_mm };
        if !place.is_sound() {
            return Err(
                row.error(format!("a radius above 0 and values below 1e9 mm are expected (radius: {radius_mm} mm)"))
            );
        }
        Ok(NamedHole { name: row.word(name)?.to_owned(), place })
    };
    table.rows()?.map(hole).collect()
}

/// Reads a file of holes, see [`parse_holes`].
pub fn read_holes(path: &Path) -> Result<Vec<NamedHole>> {
    parse_holes(&table::read_text(path)?).map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Vector};

    const TITLES: &str = "name,x_mm,y_mm,z_mm,axis_i,axis_j,axis_k,radius_mm";

    #[test]
    fn holes_are_read_and_errors_name_the_line() {
        let read =
            parse_holes(&format!("{TITLES}\n1,112.012,-57.3,0,0,0,1,5\n\"a, b\",1,2,3,0,0.6,0.8,2.5\n")).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].place.centre, read[0].place.radius_mm), (Point::new(112.012, -57.3, 0.0), 5.0));
        assert_eq!(read[1].name, "a, b");
        assert!((read[1].place.axis - Vector::new(0.0, 0.6, 0.8)).norm() < 1e-12);
        // Titles in free spelling.
        let loose = "Radius [mm];Name;X [mm];Y [mm];Z [mm];Axis i;Axis j;Axis k\n5,5;7;1;2;3;0;0;-1\n";
        assert_eq!(parse_holes(loose).unwrap()[0].place.radius_mm, 5.5);
        let why = |row: &str| parse_holes(&format!("{TITLES}\n1,0,0,0,0,0,1,5\n{row}\n")).unwrap_err().sentence;
        assert!(why("2,0,NaN,0,0,0,1,5").starts_with("Line 3: “NaN” in “y_mm”"));
        assert!(why("2,0,0,0,0,0,2,5").contains("length 2"));
        assert!(why("2,0,0,0,0,0,1,-5").contains("radius above 0"));
        assert!(why("2,1e300,0,0,0,0,1,5").contains("below 1e9 mm"));
        assert!(why("2,0,0,0,0,0,1").contains("cut off"));
        assert!(why(",0,0,0,0,0,1,5").contains("“name” is empty"));
        assert!(parse_holes(TITLES).unwrap_err().sentence.contains("no rows of values"));
        assert!(parse_holes(&TITLES.replace("radius_mm", "radius_in")).unwrap_err().sentence.contains("says “in”"));
    }
}
