//! Floor 6: the only place that runs commands, for the window, the command line and tests alike.

pub mod accept;
mod align;
mod calibrate;
mod command;
pub mod demo;
mod detect;
mod dispatcher;
mod edit;
mod elements;
mod features;
mod inspection;
mod main_alignment;
pub mod mechanical;
pub mod merge;
pub mod monitoring;
mod offset;
mod output;
mod parallel_planes;
mod parts;
mod presenting;
pub mod probe;
mod projects;
mod saves;
mod sections;
mod selecting;
pub mod series;
mod surface_points;
mod template;
mod tolerances;

use std::sync::Arc;

use compute::Backend;
use geometry::Pose;
use inspect::recipe::Tools;
use io::cad::CadReader;

pub use align::Align;
pub use calibrate::Calibrate;
pub use command::Command;
pub use detect::{Detect, LIST_OF_FOUND, PLAN_OF_FOUND};
pub use dispatcher::{Dispatcher, Message};
pub use edit::{Edit, Watch};
pub use elements::Elements;
pub use features::Features;
pub use inspection::Inspect;
pub use merge::Merge;
pub use offset::Offset;
pub use output::{Outputs, Preview, Report, report_input, write_report};
pub use parts::Parts;
pub use presenting::Present;
pub use projects::Projects;
pub use sections::Sections;
pub use selecting::{Select, Visibility};
pub use series::{Reports, Series};
pub use surface_points::SurfacePoints;
pub use tolerances::Tolerances;

use edit::Execution;

/// What commands need besides the document.
#[derive(Clone)]
pub struct Context {
    /// The compute device.
    pub backend: Arc<dyn Backend>,
    /// The program that reads CAD files.
    pub cad: CadReader,
    /// Whether the window shows no flags beside the part: nor do the pictures of its reports, unless the plan chooses.
    pub hides_flags: bool,
}

impl Context {
    /// The tools that recipes use; `watch` receives the poses of a running best fit.
    pub(crate) fn tools<'a>(&'a self, watch: &'a (dyn Fn(&Pose, f64) + Sync)) -> Tools<'a> {
        Tools { backend: self.backend.as_ref(), cad: &self.cad, watch }
    }

    /// The tools that recipes use, without watching best fits.
    pub(crate) fn quiet_tools(&self) -> Tools<'_> {
        self.tools(&|_, _| ())
    }
}
