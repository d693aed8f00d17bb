//! PTX (Leica), ASCII: consecutive organised scans of a terrestrial laser scanner, each with its pose.

use std::io::BufRead;
use std::path::Path;

use nalgebra::{Matrix4, Vector4};

use super::account::{Account, POINTS};
use super::lines::Lines;
use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, SnapshotGrid};

/// Reads the points of all scans, transformed into a common frame by the scan poses, in the file's unit. Cells without
/// a return (0 0 0) hold no point.
pub fn read(source: Source, account: &mut Account) -> Result<(Cloud, CloudFindings)> {
    let (path, length) = (source.path().to_owned(), source.length());
    let mut rows = Rows { lines: Lines::new(source.buffered()), path: &path };
    let mut findings = CloudFindings::default();
    let mut scans = Vec::new();
    while let Some(columns) = rows.next()? {
        scans.push(read_scan(columns, &mut rows, length, &mut findings)?);
    }
    let mut scans = scans.into_iter();
    let Some(mut all) = scans.next() else { return Err(rows.invalid("a PTX header was expected")) };
    scans.for_each(|scan| all.append(scan));
    account.count(POINTS, None, (all.points.len() + findings.not_finite_points) as u64);
    Ok((all, findings))
}

/// Reads one scan, whose first line, the number of columns, is already in `columns`. `length` is the file length in
/// bytes, which bounds the declared size.
fn read_scan<R: BufRead>(
    columns: Vec<f64>,
    rows: &mut Rows<'_, R>,
    length: u64,
    findings: &mut CloudFindings,
) -> Result<Cloud> {
    let size = |row: Option<Vec<f64>>| match row.as_deref() {
        Some(&[size]) if (1.0..1e9).contains(&size) && size.fract() == 0.0 => Some(size as u64),
        _ => None,
    };
    let Some(width) = size(Some(columns)) else { return Err(rows.invalid("the number of columns was expected")) };
    let Some(height) = size(rows.next()?) else { return Err(rows.invalid("the number of rows was expected")) };
    // A cell takes at least eight bytes.
    if width.saturating_mul(height).saturating_mul(8) > length {
        return Err(rows.invalid(&format!("{width} x {height} cells are declared, more than the file can hold")));
    }
    limits::require_bytes(width * height * 44, &format!("Reading {}", rows.path.display()))?;
    let position = rows.exactly::<3>()?;
    for _ in 0..3 {
        // The scanner axes; the matrix below repeats them.
        rows.exactly::<3>()?;
    }
    // The file has the matrix for row vectors, translation last: each of its rows is a column here.
    let columns = [rows.exactly::<4>()?, rows.exactly()?, rows.exactly()?, rows.exactly()?];
    let common_from_scan = Matrix4::from_columns(&columns.map(Vector4::from));
    let mut cloud = Cloud { viewpoint: Some(Point::from(position)), ..Cloud::default() };
    let mut cells = vec![SnapshotGrid::NO_POINT; (width * height) as usize];
    for cell in 0..width * height {
        let Some(row) = rows.next()? else { return Err(rows.invalid("the file ends within its points")) };
        let [x, y, z, rest @ ..] = row.as_slice() else {
            return Err(rows.invalid("x, y, z and an intensity were expected"));
        };
        if [*x, *y, *z] == [0.0; 3] {
            continue;
        }
        let point = common_from_scan.transform_point(&Point::new(*x, *y, *z));
        if !super::load::is_usable(&point) {
            findings.not_finite_points += 1;
            continue;
        }
        // The file lists cells column by column; the grid is row-major.
        let (column, row) = (cell / height, cell % height);
        if let Some(slot) = cells.get_mut((row * width + column) as usize) {
            *slot = cloud.points.len() as u32;
        }
        cloud.points.push(point);
        cloud.intensity.push(rest.first().map_or(f32::NAN, |intensity| *intensity as f32));
    }
    if cloud.intensity.iter().any(|intensity| !intensity.is_finite()) {
        cloud.intensity = Vec::new();
    }
    cloud.grid = Some(SnapshotGrid { width: width as u32, height: height as u32, cells });
    Ok(cloud)
}

/// Lines parsed as numbers.
struct Rows<'a, R> {
    lines: Lines<R>,
    path: &'a Path,
}

impl<R: BufRead> Rows<'_, R> {
    /// The numbers of the next line that is not blank; words that are not numbers are NaN.
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
        numbers.ok_or_else(|| self.invalid(&format!("{N} numbers of the scanner pose were expected")))
    }

    fn invalid(&self, what: &str) -> UserError {
        let (path, line) = (self.path.display(), self.lines.number);
        UserError::input(format!("{path}, line {line}: {what}. Export the file again."))
    }
}
