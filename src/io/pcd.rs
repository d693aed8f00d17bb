//! PCD (Point Cloud Library): ASCII, binary and binary_compressed (LZF), with viewpoint, normals, intensity and the
//! grid of organised clouds.

use std::io::{BufRead, Read};
use std::path::Path;

use super::account::{Account, POINTS};
use super::lines::Lines;
use super::source::{Source, read_error};
use base::{Result, UserError, limits};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point, SnapshotGrid};

/// A field of the PCD header.
struct Field {
    name: String,
    /// Bytes per value.
    size: usize,
    /// Number type: `F`, `U` or `I`.
    kind: char,
    /// Values per point.
    count: usize,
}

struct Header {
    fields: Vec<Field>,
    width: u64,
    height: u64,
    points: u64,
    viewpoint: Option<Point>,
    data: String,
}

/// Reads all points with usable coordinates, in the file's unit.
pub fn read(source: Source, account: &mut Account) -> Result<(Cloud, CloudFindings)> {
    let path = source.path().to_owned();
    let length = source.length();
    let mut lines = Lines::new(source.buffered());
    let header = read_header(&mut lines, &path)?;
    let stride: usize = header.fields.iter().map(|field| field.size * field.count).sum();
    let needed = match header.data.as_str() {
        "binary" => header.points.saturating_mul(stride as u64),
        "ascii" => header.points.saturating_mul(2 * header.fields.len() as u64),
        // LZF compresses at most 264 bytes into 3.
        _ => header.points.saturating_mul(stride as u64) / 88,
    };
    if needed > length {
        return Err(UserError::input(format!(
            "{}: the header declares {} points, but the file has only {}; it was cut short or its header is wrong. \
             Export it again.",
            path.display(),
            header.points,
            limits::format_bytes(length)
        )));
    }
    limits::require_bytes(header.points * 40, &format!("Reading {}", path.display()))?;
    let mut rows = Rows::new(&header);
    match header.data.as_str() {
        "ascii" => {
            read_ascii(&mut lines, &header, &mut rows, &path)?;
            while let Some(line) = lines.next(&path)? {
                account.lines_left_over += u64::from(!line.trim().is_empty());
            }
        }
        "binary" => {
            read_binary(lines.reader(), &header, stride, &mut rows, &path)?;
            let rest = std::io::copy(lines.reader(), &mut std::io::sink());
            account.bytes_left_over = rest.map_err(|e| read_error(&path, &e))?;
        }
        "binary_compressed" => read_compressed(lines.into_inner(), &header, stride, &mut rows, &path)?,
        other => {
            return Err(UserError::input(format!(
                "{}: DATA {other} is not supported; ascii, binary or binary_compressed was expected.",
                path.display()
            )));
        }
    }
    let cells = header.width.saturating_mul(header.height);
    account.count(POINTS, Some(header.points), header.points);
    if cells != header.points {
        account.remarks.push(format!(
            "The header declares {} points, and {cells} by width and height: the first was taken.",
            header.points
        ));
    }
    Ok(rows.finish(&header))
}

fn read_header<R: BufRead>(lines: &mut Lines<R>, path: &Path) -> Result<Header> {
    let mut header =
        Header { fields: Vec::new(), width: 0, height: 1, points: 0, viewpoint: None, data: String::new() };
    let bad = |number: u64, line: &str| {
        UserError::input(format!(
            "{}, line {number}: “{}” is not a PCD header line; FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS and \
             DATA were expected.",
            path.display(),
            line.chars().take(60).collect::<String>()
        ))
    };
    while header.data.is_empty() {
        let Some(line) = lines.next(path)?.map(str::to_owned) else {
            return Err(UserError::input(format!(
                "{}: the PCD header has no DATA line; export it again.",
                path.display()
            )));
        };
        let number = lines.number;
        if number > 1000 {
            return Err(bad(number, &line));
        }
        let mut words = line.split_whitespace();
        let Some(key) = words.next().filter(|key| !key.starts_with('#')) else {
            continue;
        };
        let values: Vec<&str> = words.collect();
        let integer =
            |index: usize| values.get(index).and_then(|v| v.parse::<u64>().ok()).ok_or_else(|| bad(number, &line));
        match key.to_ascii_uppercase().as_str() {
            "VERSION" => {}
            "FIELDS" | "COLUMNS" => {
                header.fields = values
                    .iter()
                    .map(|name| Field { name: (*name).to_owned(), size: 4, kind: 'F', count: 1 })
                    .collect();
            }
            "SIZE" => {
                for index in 0..header.fields.len() {
                    let size = integer(index)?;
                    if let (Some(field), true) = (header.fields.get_mut(index), matches!(size, 1 | 2 | 4 | 8)) {
                        field.size = size as usize;
                    } else {
                        return Err(bad(number, &line));
                    }
                }
            }
            "TYPE" => {
                for (field, kind) in header.fields.iter_mut().zip(&values) {
                    field.kind = kind.chars().next().unwrap_or('F').to_ascii_uppercase();
                }
            }
            "COUNT" => {
                for index in 0..header.fields.len() {
                    let count = integer(index)?;
                    if let (Some(field), true) = (header.fields.get_mut(index), count <= 4096) {
                        field.count = count as usize;
                    } else {
                        return Err(bad(number, &line));
                    }
                }
            }
            "WIDTH" => header.width = integer(0)?,
            "HEIGHT" => header.height = integer(0)?,
            "POINTS" => header.points = integer(0)?,
            "VIEWPOINT" => {
                let at = |i: usize| values.get(i).and_then(|v| v.parse::<f64>().ok()).filter(|v| v.is_finite());
                if let (Some(x), Some(y), Some(z)) = (at(0), at(1), at(2)) {
                    // The default, all zeros, is ignored unless the cloud is organised: see `Rows::finish`.
                    header.viewpoint = Some(Point::new(x, y, z));
                }
            }
            "DATA" => header.data = values.first().unwrap_or(&"").to_ascii_lowercase(),
            _ => return Err(bad(number, &line)),
        }
    }
    if header.points == 0 {
        header.points = header.width.saturating_mul(header.height);
    }
    let has = |axis: &&str| header.fields.iter().any(|field| field.name == **axis && field.count > 0);
    let complete = ["x", "y", "z"].iter().all(has);
    if !complete || header.points == 0 || header.points >= u64::from(u32::MAX) {
        return Err(UserError::input(format!(
            "{}: the PCD header has no fields x, y, z or no (or too many) points; export it again.",
            path.display()
        )));
    }
    Ok(header)
}

/// Collects points into a cloud.
struct Rows {
    /// Field indices of x y z nx ny nz intensity.
    columns: [Option<usize>; 7],
    cloud: Cloud,
    cells: Vec<u32>,
    is_organised: bool,
    findings: CloudFindings,
}

impl Rows {
    fn new(header: &Header) -> Self {
        let find = |names: &[&str]| header.fields.iter().position(|field| names.contains(&field.name.as_str()));
        Self {
            columns: [
                find(&["x"]),
                find(&["y"]),
                find(&["z"]),
                find(&["normal_x", "nx"]),
                find(&["normal_y", "ny"]),
                find(&["normal_z", "nz"]),
                find(&["intensity"]),
            ],
            cloud: Cloud::default(),
            cells: Vec::new(),
            is_organised: header.height > 1 && header.width.saturating_mul(header.height) == header.points,
            findings: CloudFindings::default(),
        }
    }

    /// Adds the point whose fields are given by `value`, by field index.
    fn push(&mut self, value: impl Fn(usize) -> f64) {
        let [x, y, z, nx, ny, nz, intensity] = self.columns.map(|column| column.map(&value));
        let point = Point::new(x.unwrap_or(f64::NAN), y.unwrap_or(f64::NAN), z.unwrap_or(f64::NAN));
        let is_finite = super::load::is_usable(&point);
        if self.is_organised {
            self.cells.push(if is_finite { self.cloud.points.len() as u32 } else { SnapshotGrid::NO_POINT });
        }
        if !is_finite {
            self.findings.not_finite_points += 1;
            return;
        }
        self.cloud.points.push(point);
        if let (Some(x), Some(y), Some(z)) = (nx, ny, nz) {
            self.cloud.normals.push([x as f32, y as f32, z as f32]);
        }
        if let Some(intensity) = intensity {
            self.cloud.intensity.push(intensity as f32);
        }
    }

    fn finish(mut self, header: &Header) -> (Cloud, CloudFindings) {
        if self.is_organised {
            self.cloud.grid = Some(SnapshotGrid {
                width: header.width as u32,
                height: header.height as u32,
                cells: std::mem::take(&mut self.cells),
            });
        }
        self.cloud.viewpoint =
            header.viewpoint.filter(|viewpoint| self.is_organised || viewpoint.coords.norm_squared() > 0.0);
        self.cloud.points.shrink_to_fit();
        (self.cloud, self.findings)
    }
}

fn read_ascii<R: BufRead>(lines: &mut Lines<R>, header: &Header, rows: &mut Rows, path: &Path) -> Result<()> {
    let offsets: Vec<usize> = header
        .fields
        .iter()
        .scan(0, |next, field| {
            let offset = *next;
            *next += field.count;
            Some(offset)
        })
        .collect();
    let needed: usize = header.fields.iter().map(|field| field.count).sum();
    let mut left = header.points;
    let mut values: Vec<f64> = Vec::with_capacity(needed);
    while left > 0 {
        let Some(line) = lines.next(path)? else {
            return Err(read_error(path, &std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
        };
        if line.trim().is_empty() {
            continue;
        }
        values.clear();
        let all_read =
            line.split_whitespace().take(needed).all(|word| word.parse().map(|value| values.push(value)).is_ok());
        if !all_read || values.len() < needed {
            let line: String = line.chars().take(60).collect();
            return Err(UserError::input(format!(
                "{}, line {}: “{line}” was expected to hold {needed} numbers.",
                path.display(),
                lines.number
            )));
        }
        rows.push(|field| offsets.get(field).and_then(|&index| values.get(index)).copied().unwrap_or(f64::NAN));
        left -= 1;
    }
    Ok(())
}

/// Value of `field` at the start of `bytes`, little endian; NaN for an unsupported type.
fn decode(field: &Field, bytes: &[u8]) -> f64 {
    fn word<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let mut word = [0; N];
        if let Some(source) = bytes.get(..N) {
            word.copy_from_slice(source);
        }
        word
    }
    match (field.kind, field.size) {
        ('F', 4) => f64::from(f32::from_le_bytes(word(bytes))),
        ('F', 8) => f64::from_le_bytes(word(bytes)),
        ('U', 1) => f64::from(u8::from_le_bytes(word(bytes))),
        ('U', 2) => f64::from(u16::from_le_bytes(word(bytes))),
        ('U', 4) => f64::from(u32::from_le_bytes(word(bytes))),
        ('U', 8) => u64::from_le_bytes(word(bytes)) as f64,
        ('I', 8) => i64::from_le_bytes(word(bytes)) as f64,
        ('I', 1) => f64::from(i8::from_le_bytes(word(bytes))),
        ('I', 2) => f64::from(i16::from_le_bytes(word(bytes))),
        ('I', 4) => f64::from(i32::from_le_bytes(word(bytes))),
        _ => f64::NAN,
    }
}

fn read_binary(mut reader: impl Read, header: &Header, stride: usize, rows: &mut Rows, path: &Path) -> Result<()> {
    let offsets = byte_offsets(header);
    let mut row = vec![0_u8; stride];
    for _ in 0..header.points {
        reader.read_exact(&mut row).map_err(|e| read_error(path, &e))?;
        rows.push(|field| field_value(header, &offsets, field, |offset| row.get(offset..)));
    }
    Ok(())
}

/// Byte offset of each field in a point.
fn byte_offsets(header: &Header) -> Vec<usize> {
    header
        .fields
        .iter()
        .scan(0, |next, field| {
            let offset = *next;
            *next += field.size * field.count;
            Some(offset)
        })
        .collect()
}

fn field_value<'a>(header: &Header, offsets: &[usize], field: usize, bytes: impl Fn(usize) -> Option<&'a [u8]>) -> f64 {
    match (header.fields.get(field), offsets.get(field)) {
        (Some(definition), Some(&offset)) => bytes(offset).map_or(f64::NAN, |bytes| decode(definition, bytes)),
        _ => f64::NAN,
    }
}

/// The body is one LZF block. Decompressed, it holds the data field by field, not point by point.
fn read_compressed(mut reader: impl Read, header: &Header, stride: usize, rows: &mut Rows, path: &Path) -> Result<()> {
    let failed = |e: std::io::Error| read_error(path, &e);
    let mut sizes = [0_u8; 8];
    reader.read_exact(&mut sizes).map_err(failed)?;
    let [a, b, c, d, e, f, g, h] = sizes;
    let (compressed_bytes, decompressed_bytes) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let expected = header.points.saturating_mul(stride as u64);
    let damaged =
        || UserError::input(format!("{}: the compressed data are damaged; export the file again.", path.display()));
    if u64::from(decompressed_bytes) != expected {
        return Err(damaged());
    }
    limits::require_bytes(expected, &format!("Decompressing {}", path.display()))?;
    let mut block = Vec::new();
    reader.take(u64::from(compressed_bytes)).read_to_end(&mut block).map_err(failed)?;
    let bytes = lzf_decompress(&block, expected as usize).ok_or_else(damaged)?;
    let offsets: Vec<usize> = byte_offsets(header).iter().map(|offset| offset * header.points as usize).collect();
    for point in 0..header.points as usize {
        rows.push(|field| {
            let step = header.fields.get(field).map_or(0, |field| field.size * field.count);
            field_value(header, &offsets, field, |offset| bytes.get(offset + point * step..))
        });
    }
    Ok(())
}

/// Decompresses an LZF block (Marc Lehmann's format: literal runs and back references) to exactly `size` bytes; `None`
/// if it is damaged.
fn lzf_decompress(compressed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::with_capacity(size);
    let mut input = compressed.iter().copied();
    while let Some(control) = input.next() {
        let control = usize::from(control);
        if control < 32 {
            for _ in 0..=control {
                out.push(input.next()?);
            }
        } else {
            let mut length = control >> 5;
            if length == 7 {
                length += usize::from(input.next()?);
            }
            let back = ((control & 31) << 8) + usize::from(input.next()?) + 1;
            let start = out.len().checked_sub(back)?;
            for i in start..start + length + 2 {
                out.push(*out.get(i)?);
            }
        }
        if out.len() > size {
            return None;
        }
    }
    (out.len() == size).then_some(out)
}
