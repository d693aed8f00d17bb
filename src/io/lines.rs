//! Text files line by line, with the number of the line for error sentences.

use std::io::BufRead;
use std::path::Path;

use super::source::error;
use base::{Result, UserError};

/// Lines of a text file; bytes that are not UTF-8 are replaced, absurdly long lines refused.
pub struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    /// What ends a line: a carriage return alone in files of old systems.
    end: Option<u8>,
    /// Number of the line last read, from 1.
    pub number: u64,
}

const LONGEST: u64 = 1 << 20;

impl<R: BufRead> Lines<R> {
    /// Starts before the first line.
    pub fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), end: None, number: 0 }
    }

    /// The next line without its end, or `None` at the end of the file.
    pub fn next(&mut self, path: &Path) -> Result<Option<&str>> {
        self.line.clear();
        let end = match self.end {
            Some(end) => end,
            None => {
                let head = self.reader.fill_buf().map_err(|e| error(path, &e))?;
                let returns = head.contains(&b'\r') && !head.contains(&b'\n');
                *self.end.insert(if returns { b'\r' } else { b'\n' })
            }
        };
        let read = std::io::Read::take(&mut self.reader, LONGEST)
            .read_until(end, &mut self.line)
            .map_err(|e| error(path, &e))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        if read as u64 == LONGEST {
            return Err(UserError::input(format!(
                "{}, line {}: longer than a million characters; this is no text file of the expected kind.",
                path.display(),
                self.number
            )));
        }
        while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.pop();
        }
        if std::str::from_utf8(&self.line).is_err() {
            self.line = String::from_utf8_lossy(&self.line).into_owned().into_bytes();
        }
        Ok(Some(std::str::from_utf8(&self.line).unwrap_or_default()))
    }

    /// The reader itself, positioned after the last line, for binary data behind a text header.
    pub fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader, positioned after the last line.
    pub fn into_inner(self) -> R {
        self.reader
    }
}
