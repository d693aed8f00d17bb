//! Log of all calibrations: a JSON Lines file to which records are only appended.

use std::path::Path;

use serde::Serialize;

use super::Record;
use base::Result;
use io::json_lines::{self, DamagedLine};

/// Contents of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Log {
    /// The calibrations in the order of the file.
    pub records: Vec<Record>,
    /// Lines that could not be read, with their line numbers.
    pub damaged: Vec<DamagedLine>,
}

/// Appends a calibration; returns an error if it fails [`Record::check`].
pub fn append(path: &Path, record: &Record) -> Result<()> {
    record.check()?;
    json_lines::append(path, record)
}

/// Reads a log. Damaged lines are listed, all others are kept.
pub fn read(path: &Path) -> Result<Log> {
    let lines = json_lines::read::<Record>(path)?;
    let mut log = Log { records: Vec::new(), damaged: lines.damaged };
    for (line, record) in lines.values {
        match record.check() {
            Ok(()) => log.records.push(record),
            Err(error) => log.damaged.push(DamagedLine { line, reason: error.sentence }),
        }
    }
    log.damaged.sort_by_key(|own| own.line);
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read_back_and_damaged_lines_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibrations.jsonl");
        let record = |unix_s| Record {
            unix_s,
            shift_mm: [0.1 + 0.2, -1e-9, 1.0 / 3.0],
            angles_rad: [0.01, -0.02, 3.1],
            shift_sigma_mm: [0.002; 3],
            angles_sigma_rad: [1e-5; 3],
        };
        append(&path, &record(1_700_000_000)).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        let negative = whole.replace("0.002", "-0.002");
        std::fs::write(&path, format!("{whole}rubbish\n{negative}\n{}", &whole[..40])).unwrap();
        append(&path, &record(1_700_000_999)).unwrap();
        let log = read(&path).unwrap();
        assert_eq!(log.records, [record(1_700_000_000), record(1_700_000_999)]);
        assert_eq!(log.damaged.iter().map(|own| own.line).collect::<Vec<_>>(), [2, 3, 5]);
        assert!(log.damaged[1].reason.contains("at least 0"), "{:?}", log.damaged);
        let none = Record { shift_mm: [f64::NAN; 3], ..record(1) };
        assert!(append(&path, &none).is_err() && append(&path, &record(i64::MAX)).is_err());
        assert_eq!(read(&path).unwrap(), log);
    }
}
