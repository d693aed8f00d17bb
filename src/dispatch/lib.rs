//! Floor 6: the one place that runs commands, for the window, the command line and tests alike.

pub mod accept;
mod align;
mod artefact_regions;
mod calibrate;
mod command;
mod dispatcher;
mod edit;
mod features;
pub mod mechanical;
pub mod merge;
mod open;
mod output;
mod parallel_planes;
mod plan;
pub mod probe;
mod saves;
mod search_registration;
mod selecting;
mod tolerances;
pub mod upkeep;

use std::sync::Arc;

use compute::Backend;
use io::cad::CadReader;

pub use command::Command;
pub use dispatcher::{Dispatcher, Message};
pub use edit::{Edit, Watch};
pub use output::{Outputs, report_input, write_report};
pub use selecting::Visibility;

use edit::Plan;
use plan::needs_both;

/// What commands need beyond the document.
#[derive(Clone)]
pub struct Context {
    /// The device that computes.
    pub backend: Arc<dyn Backend>,
    /// The program that reads CAD files.
    pub cad: CadReader,
}
