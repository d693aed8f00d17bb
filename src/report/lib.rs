//! Floor 5: the deliverables: inspection report (PDF, HTML), calibration certificate (JSON, PDF), summary, tables,
//! colour-mapped scan and pictures.

pub mod certificate;
mod checks;
pub mod content;
pub mod flags;
pub mod html;
pub mod logo;
pub mod offset_picture;
mod offsets;
mod own_tolerances;
pub mod pdf;
pub mod pictures;
pub mod qif;
pub mod results;
pub mod sections;
pub mod series;
pub mod stated;
pub mod summary;
pub mod surface_points;
pub mod table;
pub mod template;
pub mod thickness;
mod tolerances;
pub mod workbook;

use inspect::alignment::Alignment;
use inspect::deviation::{Check, Tolerance};
use inspect::parts::{Actual, Nominal};
use render::Cut;
use render::colour_scale::ColourScale;
use session::Document;
use session::presentation::Clip;
use session::verdict::Overall;

/// Data of an inspection report; exists only if nominal, scan, comparison and verdict do.
#[derive(Clone)]
pub struct Input<'a> {
    /// The document.
    pub document: &'a Document,
    /// Nominal of the current part.
    pub nominal: &'a Nominal,
    /// Scan of the current part.
    pub actual: &'a Actual,
    /// Up-to-date surface comparison.
    pub check: &'a Check,
    /// Overall verdict.
    pub overall: Overall,
    /// Duration of each command so far: name, ms.
    pub timings_ms: &'a [(String, f64)],
}

impl Input<'_> {
    /// Whether the part was found among other things in the scan, which the pictures leave out.
    fn is_among_others(&self) -> bool {
        self.document.alignment().is_some_and(Alignment::is_among_others)
    }
}

/// Colour scale of deviations within these limits: the operator's own, or else the built-in one of the settings.
pub fn colour_scale(tolerance: Tolerance, document: &Document) -> ColourScale {
    built_in_scale(tolerance, document).with_own(document.plan.presentation.colours.clone())
}

/// The built-in colour scale of deviations within these limits that the settings name.
pub fn built_in_scale(tolerance: Tolerance, document: &Document) -> ColourScale {
    ColourScale::new(tolerance, document.settings.scale_mm).with(document.settings.colours)
}

/// The plane that a saved view is clipped by, as the renderer takes it.
pub fn cut(clip: &Clip) -> Cut {
    Cut { at: clip.at_mm.into(), normal: clip.normal.into() }
}

/// Name and version of the software, as stated on reports.
pub fn software() -> String {
    base::software::name()
}
