//! Merges snapshots at many positions of the CMM into one scan, by a calibration.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::edit::Execution;
use super::{Context, Edit, parts};
use base::date;
use base::{Progress, Result, UserError, file_name, hash};
use compute::Backend;
use inspect::alignment::multi_view;
use inspect::calibration::Mounting;
use inspect::calibration::merging::{self, Merged, Snapshot};
use inspect::calibration::record::CalibrationRecord;
use io::snapshot_table::{self, SnapshotRow};
use io::{LoadOptions, atomic, load_scan, write};
use session::Document;
use session::probing::MERGE_SCHEMA;

/// Options of a merge.
#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// Written reason for using a calibration that has expired, is not certified or was edited.
    pub reason: Option<String>,
    /// Parameters of the global registration of the snapshots; `None` skips it.
    pub refine: Option<multi_view::Parameters>,
}

/// Reads the snapshots listed in `table` ([`snapshot_table::read`]; files relative to the table), merges them, and writes the scan to `out` with a record (JSON) beside it.
///
/// Returns an error if the calibration has expired, is not certified or was edited, unless the options give a reason.
pub fn merge_files(
    issued: &CalibrationRecord,
    table: &Path,
    out: &Path,
    options: &MergeOptions,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Merged> {
    let reason = options.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if let Some(flaw) = issued.flaw(date::unix_now()).filter(|_| reason.is_none()) {
        return Err(UserError::usage(format!(
            "{flaw}: calibrate again, or give a written reason for using it anyway."
        )));
    }
    let rows = snapshot_table::read(table)?;
    let folder = table.parent().map(Path::to_owned).unwrap_or_default();
    let mut snapshots = Vec::with_capacity(rows.len());
    let mut files = Vec::with_capacity(rows.len());
    for (i, SnapshotRow { sensor: name, position_mm, .. }) in rows.iter().enumerate() {
        let fraction = |i: usize| 0.6 * i as f32 / rows.len() as f32;
        let path = folder.join(name);
        let part = progress.part(fraction(i), fraction(i + 1));
        let loaded = load_scan(&path, &LoadOptions::default(), &part).map_err(|error| error.in_file(&path))?;
        files.push(json!({ "file": name, "blake3": hash::file_hash(&path)?, "position_mm": position_mm.as_slice() }));
        snapshots.push(Snapshot { cloud: loaded.cloud, position_mm: *position_mm });
    }
    let refine = options.refine.as_ref().map(|parameters| (backend, parameters));
    let merged = merging::merge(&issued.mounting, &snapshots, refine, &progress.part(0.6, 0.9))?;
    progress.report(0.9, "Writing the merged scan")?;
    write::cloud(out, &merged.cloud)?;
    let scan = json!({ "file": file_name(out), "blake3": hash::file_hash(out)? });
    let record = record(issued, &merged, scan, files, reason);
    atomic::write_bytes(&out.with_extension("json"), format!("{record:#}\n").as_bytes())?;
    Ok(merged)
}

/// Snapshots to be merged.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Table of the files with the CMM positions: file, x, y, z in mm.
    pub table: PathBuf,
    /// Options.
    pub options: MergeOptions,
}

impl Merge {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        Execution::work("Merging the snapshots", move |progress, _| {
            run(&self.table, &self.options, before, &context, progress)
        })
    }
}

fn record(issued: &CalibrationRecord, merged: &Merged, scan: Value, files: Vec<Value>, reason: Option<&str>) -> Value {
    json!({
        "schema": MERGE_SCHEMA,
        "software": report::software(),
        "date": date::Stamp::now().to_string(),
        "calibration": {
            "made": date::Stamp::of_unix(issued.unix_s).to_string(),
            "certified": issued.certified,
            "edited": issued.edited,
            "flaw": issued.flaw(date::unix_now()),
            "expired_used_because": reason,
        },
        "scan": scan,
        "snapshots": files,
        "points": merged.counts,
        "seams": merged.seams,
        "refinement": merged.refinement,
        "cmm_errors": merged.cmm_errors,
    })
}

/// A path next to `table` for the merged scan where no file exists yet: files opened by another inspection or an
/// earlier step are not overwritten.
fn unused_path(table: &Path) -> PathBuf {
    let name = |count: u32| if count == 1 { "merged.ply".to_owned() } else { format!("merged-{count}.ply") };
    let mut paths = (1..).map(|count| table.with_file_name(name(count)));
    paths.find(|path| !path.exists()).unwrap_or_else(|| table.with_file_name("merged.ply"))
}

/// Merges by the document's calibration and opens the result as the scan.
fn run(
    table: &Path,
    options: &MergeOptions,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let Some(outcome) = &document.calibration.outcome else {
        return Err(UserError::usage("Calibrate the sensor first."));
    };
    let issued = CalibrationRecord {
        mounting: Mounting::clone(&outcome.calibration.mounting),
        unix_s: outcome.provenance.unix_s,
        expires_unix_s: outcome.provenance.expires_unix_s(),
        certified: outcome.calibration.certification().is_certified(),
        place_k2_mm: Some(outcome.calibration.uncertainty.place_mm().map(|sigma_mm| 2.0 * sigma_mm)),
        edited: false,
    };
    let out = unused_path(table);
    let merged = merge_files(&issued, table, &out, options, context.backend.as_ref(), &progress.part(0.0, 0.7))?;
    let mut notes = vec![format!("Merged {} snapshots into {}.", merged.counts.len(), out.display())];
    notes.extend(merged.sentences());
    let opened = parts::scans(&[out], None, None, document, context, &progress.part(0.7, 1.0))?;
    Ok(opened.with_notes(notes))
}
