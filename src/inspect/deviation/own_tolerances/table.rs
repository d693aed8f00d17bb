//! Own tolerances as a table of text: name, a point on the face, x, y, z in mm of the nominal frame, lower and upper limit.

use std::path::Path;

use super::super::Tolerance;
use super::FaceTolerance;
use crate::parts::{Faces, MIN_EDGE_ANGLE_RAD, Nominal};
use crate::table;
use base::{Progress, Result, UserError};
use geometry::{Point, Subset};

/// Largest number of rows that is read.
const MAX_ROWS: usize = 10_000;
/// Maximum distance of a point from the face that it stands for, mm.
const MAX_OFF_SURFACE_MM: f64 = 0.5;
/// A point this much farther from another face than from the closest one does not tell them apart, mm.
const EDGE_MM: f64 = 1e-6;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
struct FaceRow {
    name: String,
    /// A point on the face, nominal frame, mm.
    point: Point,
    tolerance: Tolerance,
}

/// Reads the own tolerances of a table for the faces of `nominal`. Rows of one name are faces of one own tolerance.
///
/// Returns an error if the file cannot be read, that names the line it cannot read, or if a point lies on no face or on
/// the edge of several.
pub fn read(path: &Path, nominal: &Nominal, progress: &Progress) -> Result<Vec<FaceTolerance>> {
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    parse(&text).and_then(|rows| on_nominal(&rows, nominal, progress)).map_err(|e| e.in_file(path))
}

/// Reads the rows: separated by commas, or by semicolons with decimal commas or points. A heading and comments after #
/// are skipped.
///
/// Returns an error that names the line it cannot read.
fn parse(text: &str) -> Result<Vec<FaceRow>> {
    let mut rows: Vec<FaceRow> = Vec::new();
    for line in table::rows(text) {
        let row = match line.cells.as_slice() {
            [name, numbers @ ..] if !name.is_empty() => {
                let numbers: Option<Vec<f64>> = numbers.iter().map(|cell| line.number_in(cell)).collect();
                match numbers.as_deref() {
                    Some(&[x, y, z, low_mm, high_mm]) => Some(FaceRow {
                        name: (*name).to_owned(),
                        point: Point::new(x, y, z),
                        tolerance: Tolerance { low_mm, high_mm },
                    }),
                    _ => None,
                }
            }
            _ => None,
        };
        match row {
            Some(row) if rows.iter().any(|own| own.name == row.name && own.tolerance != row.tolerance) => {
                return Err(line.error(&format!("“{}” has other limits in a line before.", row.name)));
            }
            Some(_) if rows.len() == MAX_ROWS => {
                return Err(line.error(&format!("more than {MAX_ROWS} rows.")));
            }
            Some(row) => rows.push(row),
            // A heading holds no numbers.
            None if rows.is_empty() && line.has_no_numbers() => {}
            None => {
                return Err(line.error(
                    "expected name, x, y, z of a point on the face, lower and upper limit, such as Seat, 10, 0, 5, \
                     -0.05, 0.05.",
                ));
            }
        }
    }
    if rows.is_empty() {
        return Err(UserError::input("The file holds no own tolerances."));
    }
    Ok(rows)
}

fn on_nominal(rows: &[FaceRow], nominal: &Nominal, progress: &Progress) -> Result<Vec<FaceTolerance>> {
    let mut found: Vec<(&FaceRow, Vec<u32>)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        progress.report(index as f32 / rows.len() as f32, "Finding the faces")?;
        let face = face_at(row, nominal)?;
        match found.iter_mut().find(|(own, _)| own.name == row.name) {
            Some((_, facets)) => facets.extend(face.iter()),
            None => found.push((row, face.to_vec())),
        }
    }
    let of = |(row, facets): (&FaceRow, Vec<u32>)| FaceTolerance {
        name: row.name.clone(),
        faces: Faces::of(Subset::new(facets), nominal),
        tolerance: row.tolerance,
    };
    Ok(found.into_iter().map(of).collect())
}

/// The facets of the face that a row means.
fn face_at(row: &FaceRow, nominal: &Nominal) -> Result<Subset> {
    let (surface, FaceRow { name, point, .. }) = (&nominal.surface, row);
    let at = format!("({}, {}, {}) mm", point.x, point.y, point.z);
    let Some(hit) = surface.closest_point(point, MAX_OFF_SURFACE_MM) else {
        return Err(UserError::input(format!(
            "The point of “{name}” at {at} is more than {MAX_OFF_SURFACE_MM} mm from the nominal; name one on the face."
        )));
    };
    let face = surface.mesh().whole_faces(surface.topology(), &Subset::new(vec![hit.facet]), MIN_EDGE_ANGLE_RAD);
    let is_other = |facet: u32| !face.contains(facet);
    if surface.closest_point_where(point, hit.distance_mm + EDGE_MM, is_other).is_some() {
        return Err(UserError::input(format!(
            "The point of “{name}” at {at} lies on the edge of several faces; name one inside the face."
        )));
    }
    Ok(face)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Surface;
    use geometry::mesh::shapes;

    fn on_block(text: &str) -> Result<Vec<FaceTolerance>> {
        let block = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        let nominal = Nominal::in_memory("block", Surface::new(block));
        parse(text).and_then(|rows| on_nominal(&rows, &nominal, &Progress::silent()))
    }

    #[test]
    fn rows_of_one_name_are_faces_of_one_tolerance() {
        let two = "name,x,y,z,lower,upper\nends,0,10,5,-0.2,0.2\ntop,15,10,10.1,-0.05,0.02 # the seat\nends,30,10,5,-0.2,0.2\n";
        let found = on_block(two).unwrap();
        let facts: Vec<_> = found.iter().map(|own| (own.name.as_str(), own.faces.facets.len())).collect();
        assert_eq!(facts, [("ends", 4), ("top", 2)]);
        assert_eq!(found[1].tolerance, Tolerance { low_mm: -0.05, high_mm: 0.02 });
        // As a German spreadsheet writes it.
        let german = "\u{feff}Name;x;y;z;unten;oben\r\nends;0;10;5;-0,2;0,2\r\ntop;15;10;10,1;-0,05;0,02\r\nends;30;10;5;-0,2;0,2\r\n";
        assert_eq!(on_block(german).unwrap(), found);
    }

    #[test]
    fn what_names_no_single_face_is_refused() {
        for (text, says) in [
            ("", "no own tolerances"),
            ("top,15,10,10,-0.1,0.1\ntop,15,10,0,-0.1,0.2", "Line 2: “top” has other limits"),
            ("top,15,10,10,-0.1,0.1\nside,0,10,5", "Line 2: expected name"),
            ("top,15,10,10,-0.1,wide", "Line 1: expected name"),
            ("top,15,10,11,-0.1,0.1", "more than 0.5 mm from the nominal"),
            ("top,15,0,10,-0.1,0.1", "on the edge of several faces"),
        ] {
            let error = on_block(text).unwrap_err();
            assert!(error.sentence.contains(says), "{text}: {error}");
        }
    }
}
