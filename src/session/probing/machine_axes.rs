//! The axes of the machine beside those of a merged scan: a merge corrects the machine's positions for the geometric errors that
//! the calibration found, and what the machine is told, or tells, is not corrected.

use serde_json::Value;

use inspect::calibration::joint::CmmErrors;
use io::SourceFile;

/// Value of `schema` in the record of a merge, beside the merged scan.
pub const MERGE_SCHEMA: &str = "shadowgraph.merged/1";

/// The geometric errors of the machine that a merged scan was corrected for, by the record beside it; and what was found, in words.
pub(super) fn of_scan(sources: &[SourceFile]) -> (CmmErrors, String) {
    let unknown = |why: &str| {
        let sentence = format!("{why}: targets and probed points are in the axes of the scan.");
        (CmmErrors::default(), sentence)
    };
    let [source] = sources else { return unknown("The scan is of several files") };
    let path = source.path.with_extension("json");
    let Some(record) = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok()) else {
        return unknown("No record of a merge lies beside the scan");
    };
    if record.get("schema").and_then(Value::as_str) != Some(MERGE_SCHEMA) {
        return unknown("No record of a merge lies beside the scan");
    }
    if record.pointer("/scan/blake3").and_then(Value::as_str) != Some(&source.hash) {
        return unknown("The record beside the scan is of another merge");
    }
    let errors = record.get("cmm_errors").cloned().and_then(|own| serde_json::from_value::<CmmErrors>(own).ok());
    match errors {
        Some(errors) if !errors.is_none() => {
            let sentence = "The scan was corrected for geometric errors of the CMM: targets are given in its own \
                            coordinates, and probed points are corrected alike.";
            (errors, sentence.to_owned())
        }
        _ => (CmmErrors::default(), "The scan was not corrected for geometric errors of the CMM.".to_owned()),
    }
}
