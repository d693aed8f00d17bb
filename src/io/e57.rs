//! E57 (ASTM E2807): all scans of a file, transformed into its common frame. E57 is in metres by definition.

use e57::{CartesianCoordinate, E57Reader, RecordDataType};

use super::account::{Account, POINTS};
use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, SnapshotGrid};

/// Reads the points of all scans in the frame of the file, in metres. The grid is kept only if there is a single scan.
pub fn read(source: Source, account: &mut Account) -> Result<(Cloud, CloudFindings)> {
    let path = source.path().to_owned();
    let bad = |error: &e57::Error| {
        if error.to_string().contains("cancelled") {
            return UserError::cancelled();
        }
        UserError::input(format!("{}: this E57 file cannot be read ({error}); export it again.", path.display()))
    };
    let length = source.length();
    let mut reader = E57Reader::new(source).map_err(|e| bad(&e))?;
    let (mut cloud, mut findings) = (Cloud::default(), CloudFindings::default());
    let mut declared = 0;
    for header in reader.pointclouds() {
        if !(header.has_cartesian() || header.has_spherical()) || header.records == 0 {
            account.left_out(["scan", "scans"], 1, "it holds no coordinates");
            continue;
        }
        // If all record fields are constant, points take no bytes and the file length does not bound their count.
        let varies = header.prototype.iter().any(|record| match record.data_type {
            RecordDataType::Single { .. } | RecordDataType::Double { .. } => true,
            RecordDataType::Integer { min, max } | RecordDataType::ScaledInteger { min, max, .. } => max > min,
        });
        if !varies || header.records > length.saturating_mul(8) {
            return Err(UserError::input(format!(
                "{}: a scan declares {} points, more than the file can hold; export it again.",
                path.display(),
                header.records
            )));
        }
        declared += header.records;
        limits::require_bytes(header.records.saturating_mul(28), &format!("Reading {}", path.display()))?;
        let mut points = reader.pointcloud_simple(&header).map_err(|e| bad(&e))?;
        points.intensity_to_color(false);
        let mut scan = Cloud::default();
        let mut grid_cells: Vec<(i64, i64)> = Vec::new();
        // The iterator repeats an error endlessly: stop at the first.
        for point in points {
            let point = point.map_err(|e| bad(&e))?;
            let CartesianCoordinate::Valid { x, y, z } = point.cartesian else {
                findings.not_finite_points += 1;
                continue;
            };
            let position = Point::new(x, y, z);
            if !super::load::is_usable(&position) {
                findings.not_finite_points += 1;
                continue;
            }
            scan.points.push(position);
            if let Some(intensity) = point.intensity {
                scan.intensity.push(intensity);
            }
            if header.has_row_column() {
                grid_cells.push((point.row, point.column));
            }
        }
        if scan.intensity.len() != scan.points.len() {
            scan.intensity = Vec::new();
        }
        if let Some(transform) = &header.transform {
            let t = &transform.translation;
            let viewpoint = Point::new(t.x, t.y, t.z);
            scan.viewpoint = viewpoint.coords.iter().all(|c| c.is_finite()).then_some(viewpoint);
        }
        scan.grid = grid_of(&grid_cells);
        cloud.append(scan);
    }
    account.count(POINTS, Some(declared), (cloud.points.len() + findings.not_finite_points) as u64);
    Ok((cloud, findings))
}

/// Grid spanned by the (row, column) pairs of the points; `None` if it is smaller than 2 x 2 or too sparse.
fn grid_of(grid_cells: &[(i64, i64)]) -> Option<SnapshotGrid> {
    let rows = grid_cells.iter().map(|cell| cell.0);
    let columns = grid_cells.iter().map(|cell| cell.1);
    let (top, bottom) = (rows.clone().min()?, rows.max()?);
    let (left, right) = (columns.clone().min()?, columns.max()?);
    let height = u64::try_from(bottom.checked_sub(top)?).ok()?.checked_add(1)?;
    let width = u64::try_from(right.checked_sub(left)?).ok()?.checked_add(1)?;
    let cells = width.checked_mul(height)?;
    if cells > 4 * grid_cells.len() as u64 + 4096 || cells > u64::from(u32::MAX) || height < 2 || width < 2 {
        return None;
    }
    let mut grid = SnapshotGrid {
        width: width as u32,
        height: height as u32,
        cells: vec![SnapshotGrid::NO_POINT; cells as usize],
    };
    for (point_index, (row, column)) in grid_cells.iter().enumerate() {
        let cell = (row - top) as usize * width as usize + (column - left) as usize;
        if let Some(slot) = grid.cells.get_mut(cell) {
            *slot = point_index as u32;
        }
    }
    Some(grid)
}
