//! Append-only logs in JSON Lines format; a damaged line does not affect the others.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use base::{Result, UserError, regular_file};

/// Largest log that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A log line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DamagedLine {
    /// Line number, from 1.
    pub line: u64,
    /// What is wrong with it, as a sentence.
    pub reason: String,
}

/// Contents of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<T> {
    /// Values with their line numbers, from 1.
    pub values: Vec<(u64, T)>,
    /// Lines that hold no valid value.
    pub damaged: Vec<DamagedLine>,
}

/// Appends `value` as a line and syncs the file to disk. A truncated last line is left as it is; the new value starts a
/// new line. JSON cannot represent NaN: callers must reject it first.
pub fn append(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value)
        .map_err(|e| UserError::internal(format!("The log record cannot be written as JSON: {e}.")))?;
    let failed = |e: std::io::Error| UserError::file("write", path, &e);
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0)).map_err(failed)? > 0 {
        file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
    }
    let separator = if last == [b'\n'] { "" } else { "\n" };
    // One call, so that a concurrent writer cannot interleave its line.
    file.write_all(format!("{separator}{text}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
}

/// Reads a log. Returns an error if the file cannot be read or exceeds 256 MiB; damaged lines are listed in the result.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Log<T>> {
    let failed = |e: std::io::Error| UserError::file("read", path, &e);
    if regular_file::open(path)?.1 > MAX_BYTES {
        let path = path.display();
        return Err(UserError::input(format!("{path}: this is too large for a log; choose a JSON Lines file.")));
    }
    Ok(parse(&std::fs::read(path).map_err(failed)?))
}

/// Parses the bytes of a log. Blank lines are counted but are not damaged.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Log<T> {
    let mut log = Log { values: Vec::new(), damaged: Vec::new() };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => log.values.push((number, value)),
            Err(error) => log.damaged.push(DamagedLine { line: number, reason: sentence(&error) }),
        }
    }
    log
}

fn sentence(error: &serde_json::Error) -> String {
    let (column, text) = (error.column(), error.to_string());
    // serde_json sees one line at a time: its own line number is always 1 and is dropped.
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("It cannot be read: {what} (column {column}).")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_line_loses_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        append(&path, &[1.5, 2.0]).unwrap();
        append(&path, &[3.0, 0.1]).unwrap();
        // Truncated as by a power failure, then appended to.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        append(&path, &[5.0, 6.0]).unwrap();
        let log: Log<[f64; 2]> = read(&path).unwrap();
        assert_eq!(log.values, [(1, [1.5, 2.0]), (3, [5.0, 6.0])]);
        assert_eq!(log.damaged.len(), 1);
        assert_eq!(log.damaged[0].line, 2);
        assert!(read::<f64>(&folder.path().join("none")).unwrap_err().sentence.contains("does not exist"));
    }

    #[test]
    fn bytes_that_are_not_text_are_damaged_lines() {
        let log: Log<f64> = parse(b"\xEF\xBB\xBF1\r\n\n\xFF\xFE\n2\nnull\n1e999");
        assert_eq!(log.values, [(1, 1.0), (4, 2.0)]);
        assert_eq!(log.damaged.iter().map(|damaged| damaged.line).collect::<Vec<_>>(), [3, 5, 6]);
    }
}
