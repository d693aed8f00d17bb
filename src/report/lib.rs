//! Floor 5: the deliverables: inspection report (PDF, HTML), calibration certificate (JSON, PDF), summary, tables,
//! colour-mapped scan and pictures.

pub mod certificate;
mod checks;
pub mod content;
pub mod html;
pub mod logo;
pub mod offset_picture;
mod offsets;
pub mod pdf;
pub mod pictures;
pub mod qif;
pub mod sections;
pub mod series;
pub mod stated;
pub mod summary;
pub mod surface_points;
pub mod table;
pub mod thickness;
mod tolerances;
pub mod workbook;

use inspect::alignment::Alignment;
use inspect::deviation::{Check, Tolerance};
use inspect::parts::{Actual, Nominal};
use render::colour_scale::ColourScale;
use session::verdict::Overall;
use session::{Document, Settings};

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

/// Colour scale of deviations within these limits, as the settings have it.
pub fn colour_scale(tolerance: Tolerance, settings: &Settings) -> ColourScale {
    ColourScale::new(tolerance, settings.scale_mm).with(settings.colours)
}

/// Name and version of the software, as stated on reports.
pub fn software() -> String {
    format!("Shadowgraph {}", env!("CARGO_PKG_VERSION"))
}
