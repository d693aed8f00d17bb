//! Floor 4: the inspection document, its undo history, its project file, and the jobs that change it.

pub mod calibration;
pub mod datum_frames;
pub mod document;
pub mod features;
pub mod history;
pub mod jobs;
mod main_alignment;
mod making;
mod next_part;
pub mod pipeline;
pub mod plan;
pub mod pmi;
pub mod presentation;
pub mod probing;
pub mod project;
pub mod results;
pub mod rooms;
pub mod selection;
pub mod series;
pub mod settings;
pub mod stage;
pub mod tolerancing;
pub mod verdict;

pub use document::{Active, Document, DocumentState};
pub use history::History;
pub use settings::{ReportInfo, Settings};
pub use stage::Stage;
