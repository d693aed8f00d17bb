//! Log of all calibrations: a JSON Lines file to which records are only appended.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Record;
use base::Result;
use io::json_lines::{self, DamagedLine};

/// Contents of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Log {
    /// The calibrations in the order of the file, each measurement once: of lines that evaluate the same measurement, the
    /// latest.
    pub records: Vec<Record>,
    /// Lines that could not be read, with their line numbers.
    pub damaged: Vec<DamagedLine>,
    /// Lines left out, since another evaluates the same measurement.
    pub repeated: Vec<RepeatedLine>,
}

/// A line of a log that evaluates the same measurement as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RepeatedLine {
    /// Line number, from 1.
    pub line: u64,
    /// Number of the line that counts.
    pub counted: u64,
}

impl Log {
    /// Whether it holds the calibration that was made at this time, seconds since 1970 (UTC).
    pub fn holds(&self, unix_s: i64) -> bool {
        self.records.iter().any(|own| own.unix_s == unix_s)
    }

    /// What was left out as repeated, in a sentence; `None` if nothing was.
    pub fn repeated_sentence(&self) -> Option<String> {
        let count = self.repeated.len();
        (count > 0).then(|| {
            format!("Lines that evaluate the same measurement as another: {count}. Each measurement counts once.")
        })
    }
}

/// A line of a log: the record, and what tells which measurement it was made from.
#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    record: Record,
    #[serde(default)]
    details: Option<Details>,
}

/// The part of a line's details that identifies its measurement.
#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    files: Vec<MeasuredFile>,
}

#[derive(Deserialize)]
struct MeasuredFile {
    #[serde(default)]
    blake3: String,
}

impl Line {
    /// What the measurement is known by: the content of its files. Lines without their hashes are known by their values:
    /// no two measurements agree to the bit.
    fn identity(&self) -> Vec<String> {
        let hashes = self.details.iter().flat_map(|details| &details.files).map(|file| file.blake3.clone());
        let mut hashes: Vec<String> = hashes.filter(|hash| !hash.is_empty()).collect();
        if hashes.is_empty() {
            let Record { shift_mm, angles_rad, shift_sigma_mm, angles_sigma_rad, .. } = &self.record;
            let values = [shift_mm, angles_rad, shift_sigma_mm, angles_sigma_rad].into_iter().flatten();
            return values.map(|value| format!("{:016x}", value.to_bits())).collect();
        }
        // The order in which snapshots were named does not matter.
        hashes.sort_unstable();
        hashes
    }
}

/// Appends a calibration; returns an error if it fails [`Record::check`].
pub fn append(path: &Path, record: &Record) -> Result<()> {
    record.check()?;
    json_lines::append(path, record)
}

/// Reads a log. Damaged lines are listed, all others are kept; a measurement that was evaluated several times counts once.
pub fn read(path: &Path) -> Result<Log> {
    let lines = json_lines::read::<Line>(path)?;
    let mut log = Log { records: Vec::new(), damaged: lines.damaged, repeated: Vec::new() };
    let mut sound: Vec<(u64, Line)> = Vec::new();
    for (line, own) in lines.values {
        match own.record.check() {
            Ok(()) => sound.push((line, own)),
            Err(error) => log.damaged.push(DamagedLine { line, reason: error.sentence }),
        }
    }
    log.damaged.sort_by_key(|own| own.line);
    // The latest evaluation counts: it is the one that is in use.
    let mut latest: BTreeMap<Vec<String>, (i64, u64)> = BTreeMap::new();
    for (line, own) in &sound {
        let (time, counted) = latest.entry(own.identity()).or_insert((own.record.unix_s, *line));
        if own.record.unix_s >= *time {
            (*time, *counted) = (own.record.unix_s, *line);
        }
    }
    for (line, own) in sound {
        match latest.get(&own.identity()) {
            Some(&(_, counted)) if counted != line => log.repeated.push(RepeatedLine { line, counted }),
            _ => log.records.push(own.record),
        }
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read_back_and_damaged_lines_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibrations.jsonl");
        let record = |unix_s: i64| Record {
            unix_s,
            shift_mm: [0.1 + 0.2, -1e-9, unix_s as f64 / 3e9],
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

    /// Seven lines of one measurement are one, whether told by the hashes of its files or by values that agree to the bit;
    /// a further measurement is another one.
    #[test]
    fn a_measurement_that_was_evaluated_several_times_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibrations.jsonl");
        let line = |i: i64, shift_mm: f64, files: &[&str]| {
            let files: Vec<_> = files.iter().map(|hash| serde_json::json!({ "name": "a", "blake3": hash })).collect();
            let record = Record {
                unix_s: 1_700_000_000 + i,
                shift_mm: [shift_mm; 3],
                angles_rad: [0.01; 3],
                shift_sigma_mm: [0.002; 3],
                angles_sigma_rad: [1e-5; 3],
            };
            let mut value = serde_json::to_value(record).unwrap();
            value["details"] = serde_json::json!({ "files": files, "software": "0.1.0" });
            format!("{value}\n")
        };
        let with = |lines: Vec<String>| {
            std::fs::write(&path, lines.concat()).unwrap();
            read(&path).unwrap()
        };
        // The same files in another order and with other settings; the latest counts, wherever it stands.
        let log = with(
            (0..7)
                .map(|i| {
                    line(if i == 2 { 99 } else { i }, i as f64, [["a", "b"], ["b", "a"]][i as usize % 2].as_slice())
                })
                .collect(),
        );
        assert_eq!((log.records.len(), log.records[0].shift_mm[0]), (1, 2.0));
        assert_eq!(log.repeated.iter().map(|own| own.line).collect::<Vec<_>>(), [1, 2, 4, 5, 6, 7]);
        assert!(log.repeated.iter().all(|own| own.counted == 3));
        let sentence = log.repeated_sentence().unwrap();
        assert!(sentence.starts_with("Lines that evaluate the same measurement as another: 6."), "{sentence}");
        let log = with(vec![line(0, 1.0, &[]), line(1, 1.0, &[]), line(2, 1.0 + 1e-15, &[]), line(3, 1.0, &["c"])]);
        assert_eq!((log.records.len(), log.repeated.len()), (3, 1));
        assert!(with(vec![line(0, 1.0, &["a"]), line(1, 1.0, &["b"])]).repeated_sentence().is_none());
    }
}
