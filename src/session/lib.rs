//! Floor 4: the inspection as a document, its history, its project file, and the jobs that change it.

pub mod calibrating;
pub mod check;
pub mod document;
pub mod history;
pub mod jobs;
pub mod logged_calibration;
pub mod measurement;
pub mod mechanical;
mod opening;
pub mod probing;
pub mod project;
pub mod selection;
pub mod settings;
pub mod slots;
pub mod tolerancing;
pub mod upkeep;
pub mod verdict;

pub use check::Check;
pub use document::{Actual, Document, Nominal, SourceFile};
pub use history::History;
pub use inspect::deviation::Verdict;
pub use measurement::Measurement;
pub use settings::{ReportInfo, Settings};
