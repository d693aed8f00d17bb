//! Floor 5: everything that is handed over: summary, tables, coloured scan, pictures, HTML and PDF.

pub mod certificate;
mod checks;
pub mod content;
pub mod date;
pub mod html;
pub mod pdf;
pub mod pictures;
pub mod series;
pub mod stated;
pub mod summary;
pub mod table;
mod tolerances;

use inspect::deviation::Check;
use inspect::parts::{Actual, Nominal};
use session::Document;
use session::verdict::Overall;

/// What a report is about. Made only where all parts are there.
#[derive(Clone)]
pub struct Input<'a> {
    /// The whole document.
    pub document: &'a Document,
    /// Its nominal.
    pub nominal: &'a Nominal,
    /// Its scan.
    pub actual: &'a Actual,
    /// Its current check.
    pub check: &'a Check,
    /// The verdict over all.
    pub overall: Overall,
    /// Times of the commands so far: name, ms.
    pub timings_ms: &'a [(String, f64)],
}

/// Name and version of this software, as reports state it.
pub fn software() -> String {
    format!("Shadowgraph {}", env!("CARGO_PKG_VERSION"))
}
