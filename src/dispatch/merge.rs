//! Snapshots of many positions of the CMM, merged by a calibration into one scan.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::edit::Execution;
use super::{Context, Edit, parts};
use base::{Progress, Result, UserError, hash};
use compute::Backend;
use inspect::alignment::multi_view;
use inspect::calibration::Mounting;
use inspect::calibration::merging::{self, Merged, Seam, Snapshot};
use io::{LoadOptions, atomic, load_scan, region_table, write};
use report::certificate::Issued;
use report::date;
use session::Document;

/// What is asked of a merge beside the files.
#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// Why a calibration that has expired, is not certified or was edited is used all the same.
    pub reason: Option<String>,
    /// Moves the snapshots until they agree where they overlap; how surely they are placed.
    pub refine: Option<multi_view::Parameters>,
}

/// Reads the snapshots that `table` names (file, x, y, z of the CMM, mm; files beside the table), merges them, and
/// writes the scan to `out` with a record beside it.
///
/// Refuses a calibration that has expired, is not certified or was edited unless the options say in writing why it is used
/// all the same.
pub fn merge_files(
    issued: &Issued,
    table: &Path,
    out: &Path,
    options: &MergeOptions,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Merged> {
    let reason = options.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if let Some(flaw) = flaw(issued).filter(|_| reason.is_none()) {
        return Err(UserError::usage(format!(
            "{flaw}: calibrate again, or give a reason in writing for using it all the same."
        )));
    }
    let rows = region_table::read(table)?;
    let folder = table.parent().map(Path::to_owned).unwrap_or_default();
    let mut snapshots = Vec::with_capacity(rows.len());
    let mut files = Vec::with_capacity(rows.len());
    for (i, (name, place)) in rows.iter().enumerate() {
        let share = |at: usize| 0.6 * at as f32 / rows.len() as f32;
        let path = folder.join(name);
        let part = progress.part(share(i), share(i + 1));
        let loaded = load_scan(&path, &LoadOptions::default(), &part).map_err(|error| error.in_file(&path))?;
        files.push(json!({ "file": name, "blake3": hash::file_hash(&path)?, "position_mm": place.coords.as_slice() }));
        snapshots.push(Snapshot { cloud: loaded.cloud, position_mm: place.coords });
    }
    let refine = options.refine.as_ref().map(|given| (backend, given));
    let merged = merging::merge(&issued.mounting, &snapshots, refine, &progress.part(0.6, 0.9))?;
    progress.report(0.9, "Writing the merged scan")?;
    write::cloud(out, &merged.cloud)?;
    let record = record(issued, &merged, files, reason);
    atomic::write_bytes(&out.with_extension("json"), format!("{record:#}\n").as_bytes())?;
    Ok(merged)
}

/// Snapshots to be merged.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The table of their files with the CMM's positions: file, x, y, z in mm.
    pub table: PathBuf,
    /// What is asked beside.
    pub options: MergeOptions,
}

impl Merge {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        Execution::work("Merging the snapshots", move |progress, _| {
            run(&self.table, &self.options, before, &context, progress)
        })
    }
}

/// Why a calibration is not to be used without a reason.
fn flaw(issued: &Issued) -> Option<String> {
    if issued.edited {
        return Some("The calibration was edited since it was made".to_owned());
    }
    if !issued.certified {
        return Some("The calibration is not certified, for the reasons that stand in it".to_owned());
    }
    let is_expired = issued.expires_unix_s < date::unix_now();
    is_expired.then(|| format!("The calibration expired on {}", date::Stamp::of_unix(issued.expires_unix_s)))
}

fn record(issued: &Issued, merged: &Merged, files: Vec<Value>, reason: Option<&str>) -> Value {
    json!({
        "schema": "shadowgraph.merged/1",
        "software": report::software(),
        "date": date::Stamp::now().to_string(),
        "calibration": {
            "made": date::Stamp::of_unix(issued.unix_s).to_string(),
            "certified": issued.certified,
            "edited": issued.edited,
            "flaw": flaw(issued),
            "expired_used_because": reason,
        },
        "snapshots": files,
        "points": merged.counts,
        "seams": merged.seams,
        "refinement": merged.refinement,
    })
}

/// What people are told of seams, and of how snapshots were moved.
pub fn in_words(merged: &Merged) -> Vec<String> {
    let mut said = vec![seams_in_words(&merged.seams)];
    if let Some(refinement) = &merged.refinement {
        let most_mm = refinement.shifts_mm.iter().copied().fold(0.0, f64::max);
        let before = worst(&refinement.seams_before).map_or(0.0, |seam| seam.mean_mm.abs());
        said.push(if refinement.pairs == 0 {
            "None was moved: no two of them show enough of the same surface.".to_owned()
        } else {
            format!("Brought to agree: moved by up to {most_mm:.3} mm; before, the worst seam was {before:.3} mm off.")
        });
        if !refinement.converged {
            said.push(format!("They did not come to rest in {} steps: look at the seams.", refinement.iterations));
        }
        said.extend(refinement.far().map(|number| {
            format!(
                "Snapshot {} had to move by {:.3} mm and {:.4}°, far more than it was taken to be off by; look at its \
                 position.",
                number + 1,
                refinement.shifts_mm[number],
                refinement.turns_deg[number]
            )
        }));
    }
    said
}

fn worst(seams: &[Seam]) -> Option<&Seam> {
    seams.iter().max_by(|a, b| a.mean_mm.abs().total_cmp(&b.mean_mm.abs()))
}

fn seams_in_words(seams: &[Seam]) -> String {
    match worst(seams) {
        None => "No two of them overlap.".to_owned(),
        Some(seam) => format!(
            "{} seams; the worst, between {} and {}, is {:+.3} mm off.",
            seams.len(),
            seam.snapshots[0] + 1,
            seam.snapshots[1] + 1,
            seam.mean_mm
        ),
    }
}

/// Merges by the document's calibration, and opens the result as the scan.
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
    let issued = Issued {
        mounting: Mounting::clone(&outcome.calibration.mounting),
        unix_s: outcome.made.unix_s,
        expires_unix_s: outcome.made.expires_unix_s(),
        certified: outcome.calibration.certification().is_certified(),
        edited: false,
    };
    let out: PathBuf = table.with_file_name("merged.ply");
    let merged = merge_files(&issued, table, &out, options, context.backend.as_ref(), &progress.part(0.0, 0.7))?;
    let mut notes = vec![format!("Merged {} snapshots into {}.", merged.counts.len(), out.display())];
    notes.extend(in_words(&merged));
    let opened = parts::scans(&[out], None, None, document, context, &progress.part(0.7, 1.0))?;
    Ok(opened.with_notes(notes))
}
