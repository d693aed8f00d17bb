//! Floor 4: the inspection as a document, its history, its project file, and the jobs that change it.

pub mod calibrating;
pub mod document;
pub mod features;
pub mod history;
pub mod jobs;
pub mod logged_calibration;
mod making;
pub mod mechanical;
mod next_part;
pub mod pipeline;
pub mod plan;
pub mod probing;
pub mod project;
pub mod rooms;
pub mod selection;
pub mod series;
pub mod settings;
pub mod stage;
pub mod tolerancing;
pub mod upkeep;
pub mod verdict;

pub use document::{Active, Document};
pub use history::History;
pub use settings::{ReportInfo, Settings};
pub use stage::Stage;
