//! Registration point to point with a chosen search.

use std::sync::Arc;

use super::edit::needs_both;
use super::{Context, Edit};
use base::{Progress, Result};
use inspect::alignment::search_registration::{Nominal, Parameters, Tracker};
use session::Document;

/// From the present pose.
pub(super) fn run(parameters: Parameters, document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let (onto, scan, search) = (Nominal::Surface(&nominal.surface), &actual.prepared.ordered, parameters.search);
    let mut tracker = Tracker::new(&onto, scan.points.len(), parameters, &progress.part(0.0, 0.3))?;
    let start = Some(document.nominal_from_scan());
    let registered = tracker.register(context.backend.as_ref(), scan, start, &progress.part(0.3, 1.0))?;
    let alignment = registered.alignment();
    let note = format!(
        "Registered by search ({}): RMS {:.4} mm to {} points of the nominal, {} iterations in {:.0} ms; {}.",
        search.name(),
        alignment.rms_mm,
        tracker.truth().points().len(),
        alignment.iterations,
        registered.total_ms,
        registered.answer.stop.name()
    );
    let alignment = Arc::new(alignment);
    Ok(Edit::new("Register by search", move |document| document.alignment = Some(alignment)).with_notes([note]))
}
