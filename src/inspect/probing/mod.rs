//! Hybrid measurement: holes found in a scan become targets of a touch probe, and the probed points determine the
//! holes; the probing cycle is repeated until they no longer change.
//!
//! The sensor is fast and covers everything, the probe is accurate: the scan determines where to probe, the probed
//! points determine the hole. A hole is measured as a circle in the plane of its sheet. All coordinates are in the axes
//! of the CMM, mm.

mod comparison;
mod convergence;
mod order;
mod probed_hole;
mod simulated;
mod targets;
#[cfg(test)]
mod tests;

pub use comparison::{Comparison, Differences, Row};
pub use convergence::{Convergence, Probed, Prober, Rounds, Started, converge, fingerprint};
pub use io::probing_program::{HoleGeometry, NamedHole, Program};
pub use probed_hole::{ProbedHole, evaluate};
pub use simulated::SimulatedProber;
pub use targets::{Plan, Refused, Settings, plan};

use crate::features::sheet_metal::holes::{FoundHole, NominalHole};

impl From<&NominalHole> for HoleGeometry {
    fn from(hole: &NominalHole) -> Self {
        Self { centre: hole.centre, axis: hole.axis, radius_mm: hole.radius_mm }
    }
}

impl From<&FoundHole> for HoleGeometry {
    fn from(hole: &FoundHole) -> Self {
        Self { centre: hole.centre, axis: hole.axis, radius_mm: hole.radius_mm }
    }
}
