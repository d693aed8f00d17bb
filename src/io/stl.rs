//! STL. Binary files are streamed in large blocks; the `stl_io` library reads triangle by triangle through a small
//! buffer, at a fraction of the speed. ASCII files are read with the library, with several solids joined into one.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::account::{Account, FACETS};
use super::source::{Source, read_error};
use base::{Result, UserError, limits};
use geometry::weld::LooseTriangle;

/// Header and triangle count of a binary file, bytes.
const HEADER_BYTES: u64 = 84;
/// A triangle of a binary file, bytes.
const RECORD_BYTES: usize = 50;

/// Reads all triangles, in the file's unit.
pub fn read(mut source: Source, account: &mut Account) -> Result<Vec<LooseTriangle>> {
    let path = source.path().to_owned();
    let head = source.head(512)?;
    let length = source.length();
    let declared = head.get(80..84).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    // Some programs write the header before they know the number: the length tells it.
    let whole = length.checked_sub(HEADER_BYTES).filter(|own| own.is_multiple_of(RECORD_BYTES as u64));
    let told = whole.map(|own| own / RECORD_BYTES as u64).and_then(|own| u32::try_from(own).ok());
    let count = if declared == 0 && !is_text(&head) { told.unwrap_or(0) } else { declared };
    let fits = HEADER_BYTES + RECORD_BYTES as u64 * u64::from(count) == length;
    let says_solid = starts_with_solid(&head);
    // A binary file may begin with “solid” too; its length then agrees with its triangle count.
    if says_solid && !fits && is_text(&head) {
        return read_ascii(source, &path);
    }
    if length < HEADER_BYTES && !is_text(&head) {
        return Err(UserError::input(format!(
            "{} is too short for an STL file ({length} bytes); it was cut short, so export it again.",
            path.display()
        )));
    }
    if length < HEADER_BYTES || (!fits && is_text(&head)) {
        return Err(UserError::input(format!(
            "{} is not an STL file: it holds text that does not begin with “solid”. Check that it was not renamed.",
            path.display()
        )));
    }
    if !fits && count > 0 {
        return Err(UserError::input(format!(
            "{}: the header declares {count} triangles ({} bytes), but the file has {length} bytes; it was cut short, \
             changed, or is not a binary STL. Export it again.",
            path.display(),
            HEADER_BYTES + RECORD_BYTES as u64 * u64::from(count)
        )));
    }
    if count == 0 {
        return Err(UserError::input(format!("{} holds no triangle; export the part again.", path.display())));
    }
    account.count(FACETS, Some(u64::from(declared)), u64::from(count));
    limits::require_bytes(u64::from(count) * 36, &format!("Reading {}", path.display()))?;
    read_binary(source, count as usize, &path)
}

fn starts_with_solid(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn is_text(head: &[u8]) -> bool {
    head.iter().all(|&byte| byte >= 0x20 || matches!(byte, b'\t' | b'\r' | b'\n'))
}

fn read_binary(mut source: Source, count: usize, path: &Path) -> Result<Vec<LooseTriangle>> {
    let failed = |e: std::io::Error| read_error(path, &e);
    source.seek(SeekFrom::Start(HEADER_BYTES)).map_err(failed)?;
    let mut triangles = Vec::with_capacity(count);
    let mut block = vec![0_u8; RECORD_BYTES * 20_000];
    let mut left = count;
    while left > 0 {
        let record_count = left.min(block.len() / RECORD_BYTES);
        let bytes = block.get_mut(..record_count * RECORD_BYTES).unwrap_or_default();
        source.read_exact(bytes).map_err(failed)?;
        triangles.extend(bytes.chunks_exact(RECORD_BYTES).map(decode_record));
        left -= record_count;
    }
    Ok(triangles)
}

/// The three vertices of a 50-byte record; the stored normal is ignored.
#[inline]
fn decode_record(record: &[u8]) -> LooseTriangle {
    let mut values = record.get(12..48).unwrap_or_default().chunks_exact(4).map(|bytes| {
        let mut word = [0; 4];
        word.copy_from_slice(bytes);
        f32::from_le_bytes(word)
    });
    let mut next = || values.next().unwrap_or(f32::NAN);
    [[next(), next(), next()], [next(), next(), next()], [next(), next(), next()]]
}

fn read_ascii(source: Source, path: &Path) -> Result<Vec<LooseTriangle>> {
    let mut joined = JoinedSolids::new(source.buffered());
    let mut triangles: Vec<LooseTriangle> = Vec::new();
    let reader = stl_io::create_stl_reader(&mut joined).map_err(|e| read_error(path, &e))?;
    for triangle in reader {
        let triangle = triangle.map_err(|e| ascii_error(path, triangles.len(), &e))?;
        triangles.push(triangle.vertices.map(|vertex| vertex.0));
    }
    if triangles.is_empty() {
        return Err(UserError::input(format!("{} holds no triangle; export the part again.", path.display())));
    }
    Ok(triangles)
}

fn ascii_error(path: &Path, triangles: usize, error: &std::io::Error) -> UserError {
    if error.to_string() == "cancelled" || error.kind() == std::io::ErrorKind::UnexpectedEof {
        return read_error(path, error);
    }
    UserError::input(format!(
        "{}: triangle {} of this ASCII STL cannot be read; a “facet normal … vertex x y z” block with decimal \
         points was expected. Export it again, preferably as binary.",
        path.display(),
        triangles + 1
    ))
}

/// Streams a file with several solids as a single solid, in lower case and without blank lines, as the library expects.
struct JoinedSolids<R> {
    inner: BufReader<R>,
    pending: Vec<u8>,
    position: usize,
    started: bool,
    ended: bool,
    /// Whether the current solid has ended: a file that ends before is truncated.
    closed: bool,
}

impl<R: Read> JoinedSolids<R> {
    fn new(inner: BufReader<R>) -> Self {
        Self { inner, pending: Vec::new(), position: 0, started: false, ended: false, closed: false }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        self.pending.clear();
        self.position = 0;
        while self.pending.is_empty() && !self.ended {
            if !self.started {
                self.started = true;
                self.pending.extend_from_slice(b"solid part\n");
                return Ok(());
            }
            let mut line = Vec::new();
            if (&mut self.inner).take(1 << 16).read_until(b'\n', &mut line)? == 0 {
                self.ended = true;
                if !self.closed {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                self.pending.extend_from_slice(b"endsolid part\n");
                return Ok(());
            }
            let lower = line.trim_ascii().to_ascii_lowercase();
            let lower = lower.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&lower);
            self.closed |= lower.starts_with(b"endsolid");
            if lower.is_empty() || lower.starts_with(b"solid") || lower.starts_with(b"endsolid") {
                continue;
            }
            if lower.starts_with(b"facet") {
                self.closed = false;
                // The stored normal is not used, and some files write nan there.
                self.pending.extend_from_slice(b"facet normal 0 0 0\n");
            } else {
                self.pending.extend_from_slice(lower);
                self.pending.push(b'\n');
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for JoinedSolids<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.position >= self.pending.len() {
            self.refill()?;
        }
        let rest = self.pending.get(self.position..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.position += count;
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for JoinedSolids<R> {
    /// Supports only the start of the file, which is all that the library needs.
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(std::io::Error::from(std::io::ErrorKind::Unsupported));
        }
        self.inner.seek(SeekFrom::Start(0))?;
        (self.started, self.ended, self.closed) = (false, false, false);
        self.pending.clear();
        self.position = 0;
        Ok(0)
    }
}
