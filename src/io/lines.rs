//! Text files line by line, with line numbers for error messages.

use std::io::BufRead;
use std::path::Path;

use super::source::read_error;
use base::{Result, UserError};

/// Lines of a text file; a line that is not UTF-8 is taken as Latin-1. Lines of 1 MiB or more are an error.
pub struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    /// Line terminator, detected at the first line: LF, or CR in files that have no LF.
    end: Option<u8>,
    /// Number of the line last read, from 1; 0 before the first.
    pub number: u64,
    /// Whether the line last read had a terminator.
    pub is_terminated: bool,
}

const MAX_LINE_BYTES: u64 = 1 << 20;

impl<R: BufRead> Lines<R> {
    /// Starts before the first line.
    pub fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), end: None, number: 0, is_terminated: true }
    }

    /// The next line without its terminator, or `None` at the end of the file. `path` is for error messages.
    pub fn next(&mut self, path: &Path) -> Result<Option<&str>> {
        self.line.clear();
        let end = match self.end {
            Some(end) => end,
            None => {
                let head = self.reader.fill_buf().map_err(|e| read_error(path, &e))?;
                let is_cr_only = head.contains(&b'\r') && !head.contains(&b'\n');
                *self.end.insert(if is_cr_only { b'\r' } else { b'\n' })
            }
        };
        let read = std::io::Read::take(&mut self.reader, MAX_LINE_BYTES)
            .read_until(end, &mut self.line)
            .map_err(|e| read_error(path, &e))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.is_terminated = self.line.last() == Some(&end);
        if self.number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        if read as u64 == MAX_LINE_BYTES {
            return Err(UserError::input(format!(
                "{}, line {}: longer than a million characters; this is not a text file of the expected kind.",
                path.display(),
                self.number
            )));
        }
        while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.pop();
        }
        if std::str::from_utf8(&self.line).is_err() {
            self.line = self.line.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes();
        }
        Ok(Some(std::str::from_utf8(&self.line).unwrap_or_default()))
    }

    /// The reader, positioned after the last line read, for binary data that follows a text header.
    pub fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Consumes `self` and returns the reader, positioned after the last line read.
    pub fn into_inner(self) -> R {
        self.reader
    }
}
