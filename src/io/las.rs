//! LAS and LAZ (ASPRS): points with intensities.

use std::io::{Read, Seek, SeekFrom};

use super::account::{Account, POINTS};
use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point};

/// Points decoded at a time.
const BLOCK_POINTS: u64 = 1 << 20;

/// Reads all points with usable coordinates, in the file's unit. Intensities that are all zero are dropped.
pub fn read(mut source: Source, account: &mut Account) -> Result<(Cloud, CloudFindings)> {
    let (path, length) = (source.path().to_owned(), source.length());
    let bad = |what: &str| {
        if what.contains("cancelled") {
            return UserError::cancelled();
        }
        UserError::input(format!("{}: this LAS file cannot be read ({what}); export it again.", path.display()))
    };
    if !declared_sizes_fit(&mut source).map_err(|e| super::source::read_error(&path, &e))? {
        return Err(bad("it declares more records than it can hold"));
    }
    let scales = las_scales(&mut source).map_err(|e| super::source::read_error(&path, &e))?;
    if let Some(axis) = ["x", "y", "z"].iter().zip(scales).find(|(_, scale)| !(scale.is_finite() && *scale != 0.0)) {
        return Err(bad(&format!("its scale factor of {} is {}", axis.0, axis.1)));
    }
    let data_start = read_uint::<4>(&mut source, 96).map_err(|e| super::source::read_error(&path, &e))?;
    source.seek(SeekFrom::Start(0)).map_err(|e| super::source::read_error(&path, &e))?;
    let mut reader = las::Reader::new(source.buffered()).map_err(|e| bad(&e.to_string()))?;
    let header = reader.header();
    let count = header.number_of_points();
    // A compressed point takes at least a byte, except for copies of one point, of which no real scan consists.
    let min_point_bytes = if header.point_format().is_compressed { 1 } else { u64::from(header.point_format().len()) };
    if count.saturating_mul(min_point_bytes) > length.saturating_mul(4) {
        return Err(bad(&format!("it declares {count} points, more than it can hold")));
    }
    let is_compressed = header.point_format().is_compressed;
    let has_records_behind = !header.evlrs().is_empty() || header.point_format().has_waveform;
    limits::require_bytes(count.saturating_mul(28), &format!("Reading {}", path.display()))?;
    let (mut cloud, mut findings) = (Cloud::default(), CloudFindings::default());
    let mut left = count;
    while left > 0 {
        let block = reader.read_points(left.min(BLOCK_POINTS)).map_err(|e| bad(&e.to_string()))?;
        if block.is_empty() {
            return Err(bad("it ends within its point data"));
        }
        left = left.saturating_sub(block.len() as u64);
        for (((x, y), z), intensity) in block.x().zip(block.y()).zip(block.z()).zip(block.intensity()) {
            let point = Point::new(x, y, z);
            if !super::load::is_usable(&point) {
                findings.not_finite_points += 1;
                continue;
            }
            cloud.points.push(point);
            cloud.intensity.push(f32::from(intensity));
        }
    }
    account.count(POINTS, Some(count), count);
    if !is_compressed && !has_records_behind {
        account.bytes_left_over =
            length.saturating_sub(data_start).saturating_sub(count.saturating_mul(min_point_bytes));
    }
    if cloud.intensity.iter().all(|intensity| *intensity == 0.0) {
        cloud.intensity = Vec::new();
    }
    Ok((cloud, findings))
}

/// Whether the declared sizes for which the library allocates memory unchecked fit into the file: those of the extended
/// variable length records (LAS 1.4) and of the LAZ chunk table.
fn declared_sizes_fit(source: &mut Source) -> std::io::Result<bool> {
    let length = source.length();
    let minor_version = read_uint::<1>(source, 25)?;
    if minor_version >= 4 {
        let (mut offset, count) = (read_uint::<8>(source, 235)?, read_uint::<4>(source, 243)?);
        for _ in 0..count {
            let bytes = read_uint::<8>(source, offset.saturating_add(20))?;
            offset = offset.saturating_add(60).saturating_add(bytes);
            if offset > length {
                return Ok(false);
            }
        }
    }
    let is_compressed = read_uint::<1>(source, 104)? & 0x80 != 0;
    if is_compressed {
        let points = read_uint::<4>(source, 96)?;
        let table = match read_uint::<8>(source, points)? {
            // Written to a stream: the last eight bytes hold its offset.
            u64::MAX => read_uint::<8>(source, length.saturating_sub(8))?,
            table => table,
        };
        let chunks = read_uint::<4>(source, table.saturating_add(4))?;
        if chunks > length {
            return Ok(false);
        }
    }
    source.seek(SeekFrom::Start(0))?;
    Ok(true)
}

/// Scale factors of x, y, z.
fn las_scales(source: &mut Source) -> std::io::Result<[f64; 3]> {
    let mut scales = [0.0; 3];
    for (scale, at) in scales.iter_mut().zip([131, 139, 147]) {
        *scale = f64::from_bits(read_uint::<8>(source, at)?);
    }
    Ok(scales)
}

/// Little-endian unsigned integer of `BYTES` bytes at byte offset `at`.
fn read_uint<const BYTES: usize>(source: &mut Source, at: u64) -> std::io::Result<u64> {
    let mut bytes = [0; BYTES];
    source.seek(SeekFrom::Start(at))?;
    source.read_exact(&mut bytes)?;
    Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}
