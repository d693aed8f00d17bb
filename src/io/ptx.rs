//! PTX (Leica): organised scans of terrestrial scanners, in text, one after the other, each with its pose.

use std::io::BufRead;
use std::path::Path;

use nalgebra::{Matrix4, Vector4};

use super::lines::Lines;
use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, SnapshotGrid};

/// Reads all points of all scans, brought into one frame by their poses, in the file's unit. Cells where the scanner saw
/// nothing (0 0 0) are no points.
pub fn read(source: Source) -> Result<(Cloud, CloudFindings)> {
    let (path, length) = (source.path().to_owned(), source.length());
    let mut rows = Rows { lines: Lines::new(source.buffered()), path: &path };
    let mut findings = CloudFindings::default();
    let mut scans = Vec::new();
    while let Some(columns) = rows.next()? {
        scans.push(one(columns, &mut rows, length, &mut findings)?);
    }
    let mut scans = scans.into_iter();
    let Some(mut all) = scans.next() else { return Err(rows.bad("a PTX header was expected")) };
    scans.for_each(|scan| all.append(scan));
    Ok((all, findings))
}

fn one<R: BufRead>(
    columns: Vec<f64>,
    rows: &mut Rows<'_, R>,
    length: u64,
    findings: &mut CloudFindings,
) -> Result<Cloud> {
    let size = |row: Option<Vec<f64>>| match row.as_deref() {
        Some(&[size]) if (1.0..1e9).contains(&size) && size.fract() == 0.0 => Some(size as u64),
        _ => None,
    };
    let Some(width) = size(Some(columns)) else { return Err(rows.bad("the number of columns was expected")) };
    let Some(height) = size(rows.next()?) else { return Err(rows.bad("the number of rows was expected")) };
    // A cell takes at least eight bytes.
    if width.saturating_mul(height).saturating_mul(8) > length {
        return Err(rows.bad(&format!("{width} x {height} cells are promised, more than the file can hold")));
    }
    limits::require_bytes(width * height * 44, &format!("Reading {}", rows.path.display()))?;
    let position = rows.exactly::<3>()?;
    for _ in 0..3 {
        // The axes stand in the matrix again.
        rows.exactly::<3>()?;
    }
    // Written for row vectors, the translation last: each line is a column of ours.
    let columns = [rows.exactly::<4>()?, rows.exactly()?, rows.exactly()?, rows.exactly()?];
    let pose = Matrix4::from_columns(&columns.map(Vector4::from));
    let mut cloud = Cloud { viewpoint: Some(Point::from(position)), ..Cloud::default() };
    let mut cells = vec![SnapshotGrid::NO_POINT; (width * height) as usize];
    for cell in 0..width * height {
        let Some(row) = rows.next()? else { return Err(rows.bad("the file ends among its points")) };
        let [x, y, z, rest @ ..] = row.as_slice() else {
            return Err(rows.bad("x, y, z and an intensity were expected"));
        };
        if [*x, *y, *z] == [0.0; 3] {
            continue;
        }
        let place = pose.transform_point(&Point::new(*x, *y, *z));
        if !super::load::is_usable(&place) {
            findings.not_finite_points += 1;
            continue;
        }
        // Cells come column by column.
        let (column, row) = (cell / height, cell % height);
        if let Some(own) = cells.get_mut((row * width + column) as usize) {
            *own = cloud.points.len() as u32;
        }
        cloud.points.push(place);
        cloud.intensity.push(rest.first().map_or(f32::NAN, |intensity| *intensity as f32));
    }
    if cloud.intensity.iter().any(|intensity| !intensity.is_finite()) {
        cloud.intensity = Vec::new();
    }
    cloud.grid = Some(SnapshotGrid { width: width as u32, height: height as u32, cells });
    Ok(cloud)
}

/// Lines as numbers.
struct Rows<'a, R> {
    lines: Lines<R>,
    path: &'a Path,
}

impl<R: BufRead> Rows<'_, R> {
    /// The numbers of the next line that is not empty; what is no number is NaN.
    fn next(&mut self) -> Result<Option<Vec<f64>>> {
        while let Some(line) = self.lines.next(self.path)? {
            if !line.trim().is_empty() {
                return Ok(Some(line.split_whitespace().map(|word| word.parse().unwrap_or(f64::NAN)).collect()));
            }
        }
        Ok(None)
    }

    fn exactly<const N: usize>(&mut self) -> Result<[f64; N]> {
        let row = self.next()?.unwrap_or_default();
        let numbers = <[f64; N]>::try_from(row).ok().filter(|row| row.iter().all(|value| value.is_finite()));
        numbers.ok_or_else(|| self.bad(&format!("{N} numbers of the scanner's pose were expected")))
    }

    fn bad(&self, what: &str) -> UserError {
        let (path, line) = (self.path.display(), self.lines.number);
        UserError::input(format!("{path}, line {line}: {what}. Export the file again."))
    }
}
