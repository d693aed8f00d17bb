//! LAS and LAZ (ASPRS): the points, with their intensities.

use std::io::{Read, Seek, SeekFrom};

use super::source::Source;
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point};

/// How many points are unpacked at a time.
const BLOCK: u64 = 1 << 20;

/// Reads all points, in the file's unit.
pub fn read(mut source: Source) -> Result<(Cloud, CloudFindings)> {
    let (path, length) = (source.path().to_owned(), source.length());
    let bad = |what: &str| {
        if what.contains("cancelled") {
            return UserError::cancelled();
        }
        UserError::input(format!("{}: this LAS file cannot be read ({what}); export it again.", path.display()))
    };
    if !can_hold_what_it_claims(&mut source).map_err(|e| super::source::error(&path, &e))? {
        return Err(bad("it claims more records than it can hold"));
    }
    let mut reader = las::Reader::new(source.buffered()).map_err(|e| bad(&e.to_string()))?;
    let header = reader.header();
    let count = header.number_of_points();
    // Packed points take a byte at least but for copies of one point, which nobody measures.
    let least_bytes = if header.point_format().is_compressed { 1 } else { u64::from(header.point_format().len()) };
    if count.saturating_mul(least_bytes) > length.saturating_mul(4) {
        return Err(bad(&format!("it promises {count} points, more than it can hold")));
    }
    limits::require_bytes(count.saturating_mul(28), &format!("Reading {}", path.display()))?;
    let (mut cloud, mut findings) = (Cloud::default(), CloudFindings::default());
    let mut left = count;
    while left > 0 {
        let block = reader.read_points(left.min(BLOCK)).map_err(|e| bad(&e.to_string()))?;
        if block.is_empty() {
            return Err(bad("it ends among its points"));
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
    if cloud.intensity.iter().all(|intensity| *intensity == 0.0) {
        cloud.intensity = Vec::new();
    }
    Ok((cloud, findings))
}

/// Whether the lengths at which the library reserves memory, without a look at the file's own, are sound: those of extended
/// records (LAS 1.4) and of the table of packed chunks.
fn can_hold_what_it_claims(source: &mut Source) -> std::io::Result<bool> {
    let length = source.length();
    let minor_version = number::<1>(source, 25)?;
    if minor_version >= 4 {
        let (mut at, count) = (number::<8>(source, 235)?, number::<4>(source, 243)?);
        for _ in 0..count {
            let bytes = number::<8>(source, at.saturating_add(20))?;
            at = at.saturating_add(60).saturating_add(bytes);
            if at > length {
                return Ok(false);
            }
        }
    }
    let is_packed = number::<1>(source, 104)? & 0x80 != 0;
    if is_packed {
        let points = number::<4>(source, 96)?;
        let table = match number::<8>(source, points)? {
            // Written to a stream: the last eight bytes say where it is.
            u64::MAX => number::<8>(source, length.saturating_sub(8))?,
            table => table,
        };
        let chunks = number::<4>(source, table.saturating_add(4))?;
        if chunks > length {
            return Ok(false);
        }
    }
    source.seek(SeekFrom::Start(0))?;
    Ok(true)
}

/// The unsigned number of `BYTES` bytes at `at`.
fn number<const BYTES: usize>(source: &mut Source, at: u64) -> std::io::Result<u64> {
    let mut bytes = [0; BYTES];
    source.seek(SeekFrom::Start(at))?;
    source.read_exact(&mut bytes)?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
