//! Logs of one JSON value a line: only ever appended to, and what is damaged costs one line.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use base::{Result, UserError};

/// Largest log that is read, bytes.
const MOST_BYTES: u64 = 256 << 20;

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// Its number, from 1.
    pub line: u64,
    /// A sentence on what is wrong with it.
    pub reason: String,
}

/// What a log holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines<T> {
    /// The values with the numbers of their lines, from 1.
    pub values: Vec<(u64, T)>,
    /// The lines that are none.
    pub damaged: Vec<Damaged>,
}

/// Adds `value` as a line of its own, synced to the disk. A last line that was cut off stays as it is, on its own line.
/// JSON has no NaN: whoever appends checks for it first.
pub fn append(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value).map_err(|e| UserError::internal(format!("The line has no JSON: {e}.")))?;
    let failed = |e: std::io::Error| UserError::file("write", path, &e);
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0)).map_err(failed)? > 0 {
        file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
    }
    let begin = if last == [b'\n'] { "" } else { "\n" };
    // One call, so that a line of another writer cannot come between.
    file.write_all(format!("{begin}{text}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
}

/// Reads a log. Fails where the file cannot be read at all; damaged lines are told by number.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Lines<T>> {
    let failed = |e: std::io::Error| UserError::file("read", path, &e);
    if std::fs::metadata(path).map_err(failed)?.len() > MOST_BYTES {
        let path = path.display();
        return Err(UserError::input(format!("{path}: this is too large for a log; name a file of JSON lines.")));
    }
    Ok(parse(&std::fs::read(path).map_err(failed)?))
}

/// Reads the bytes of a log. Blank lines count as lines but are no damage.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Lines<T> {
    let mut lines = Lines { values: Vec::new(), damaged: Vec::new() };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => lines.values.push((number, value)),
            Err(error) => lines.damaged.push(Damaged { line: number, reason: reason(&error) }),
        }
    }
    lines
}

fn reason(error: &serde_json::Error) -> String {
    let (column, text) = (error.column(), error.to_string());
    // The library counts the lines of what it was given, which is always one.
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("It cannot be read: {what} (column {column}).")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_costs_itself_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        append(&path, &[1.5, 2.0]).unwrap();
        append(&path, &[3.0, 0.1]).unwrap();
        // Cut as by a loss of power, then gone on with.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        append(&path, &[5.0, 6.0]).unwrap();
        let log: Lines<[f64; 2]> = read(&path).unwrap();
        assert_eq!(log.values, [(1, [1.5, 2.0]), (3, [5.0, 6.0])]);
        assert_eq!(log.damaged.len(), 1);
        assert_eq!(log.damaged[0].line, 2);
        assert!(read::<f64>(&folder.path().join("none")).unwrap_err().sentence.contains("does not exist"));
    }

    #[test]
    fn bytes_that_are_no_text_are_damage() {
        let log: Lines<f64> = parse(b"\xEF\xBB\xBF1\r\n\n\xFF\xFE\n2\nnull\n1e999");
        assert_eq!(log.values, [(1, 1.0), (4, 2.0)]);
        assert_eq!(log.damaged.iter().map(|own| own.line).collect::<Vec<_>>(), [3, 5, 6]);
    }
}
