//! E57 (ASTM E2807): all scans of the file, moved into its common frame. E57 is metric by definition: metres.

use e57::{CartesianCoordinate, E57Reader, RecordDataType};

use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, SnapshotGrid};

/// Reads the points of all scans. Coordinates are in the file's unit (metres).
pub fn read(source: Source) -> Result<(Cloud, CloudFindings)> {
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
    for about in reader.pointclouds() {
        if !(about.has_cartesian() || about.has_spherical()) || about.records == 0 {
            continue;
        }
        // A scan of constants alone takes no bytes per point: its count is then a mere claim.
        let varies = about.prototype.iter().any(|record| match record.data_type {
            RecordDataType::Single { .. } | RecordDataType::Double { .. } => true,
            RecordDataType::Integer { min, max } | RecordDataType::ScaledInteger { min, max, .. } => max > min,
        });
        if !varies || about.records > length.saturating_mul(8) {
            return Err(UserError::input(format!(
                "{}: a scan claims {} points that the file cannot hold; export it again.",
                path.display(),
                about.records
            )));
        }
        limits::require_bytes(about.records.saturating_mul(28), &format!("Reading {}", path.display()))?;
        let mut points = reader.pointcloud_simple(&about).map_err(|e| bad(&e))?;
        points.intensity_to_color(false);
        let mut scan = Cloud::default();
        let mut places: Vec<(i64, i64)> = Vec::new();
        // The iterator repeats an error for ever: stop at the first.
        for point in points {
            let point = point.map_err(|e| bad(&e))?;
            let CartesianCoordinate::Valid { x, y, z } = point.cartesian else {
                findings.not_finite_points += 1;
                continue;
            };
            let place = Point::new(x, y, z);
            if !super::load::is_usable(&place) {
                findings.not_finite_points += 1;
                continue;
            }
            scan.points.push(place);
            if let Some(intensity) = point.intensity {
                scan.intensity.push(intensity);
            }
            if about.has_row_column() {
                places.push((point.row, point.column));
            }
        }
        if scan.intensity.len() != scan.points.len() {
            scan.intensity = Vec::new();
        }
        if let Some(transform) = &about.transform {
            let t = &transform.translation;
            let viewpoint = Point::new(t.x, t.y, t.z);
            scan.viewpoint = viewpoint.coords.iter().all(|c| c.is_finite()).then_some(viewpoint);
        }
        scan.grid = grid_of(&places);
        cloud.append(scan);
    }
    Ok((cloud, findings))
}

/// The grid that rows and columns span, unless it is absurdly sparse.
fn grid_of(places: &[(i64, i64)]) -> Option<SnapshotGrid> {
    let rows = places.iter().map(|place| place.0);
    let columns = places.iter().map(|place| place.1);
    let (top, bottom) = (rows.clone().min()?, rows.max()?);
    let (left, right) = (columns.clone().min()?, columns.max()?);
    let height = u64::try_from(bottom.checked_sub(top)?).ok()?.checked_add(1)?;
    let width = u64::try_from(right.checked_sub(left)?).ok()?.checked_add(1)?;
    let cells = width.checked_mul(height)?;
    if cells > 4 * places.len() as u64 + 4096 || cells > u64::from(u32::MAX) || height < 2 || width < 2 {
        return None;
    }
    let mut grid = SnapshotGrid {
        width: width as u32,
        height: height as u32,
        cells: vec![SnapshotGrid::NO_POINT; cells as usize],
    };
    for (number, (row, column)) in places.iter().enumerate() {
        let cell = (row - top) as usize * width as usize + (column - left) as usize;
        if let Some(slot) = grid.cells.get_mut(cell) {
            *slot = number as u32;
        }
    }
    Some(grid)
}
