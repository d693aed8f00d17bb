//! Hybrid measuring: holes that a scan has found become targets of a touch probe, and what the probe touches becomes
//! the place of the hole, until that stands still.
//!
//! The sensor is fast and sees everything, the probe is exact: the scan says where to touch, the touch says what is
//! there. A hole is measured as a circle on the plane of its sheet. All places are in the axes of the CMM, mm.

mod comparison;
mod convergence;
mod order;
mod simulated;
mod targets;
#[cfg(test)]
mod tests;
mod touched;

pub use comparison::{Comparison, Differences, Row};
pub use convergence::{Convergence, Probed, Prober, Rounds, Started, converge, fingerprint};
pub use io::probing_program::{NamedPlace, Place, Program};
pub use simulated::SimulatedProber;
pub use targets::{Plan, Refused, Settings, plan};
pub use touched::{TouchedHole, evaluate};

use crate::features::holes::{FoundHole, NominalHole};

impl From<&NominalHole> for Place {
    fn from(hole: &NominalHole) -> Self {
        Self { centre: hole.centre, axis: hole.axis, radius_mm: hole.radius_mm }
    }
}

impl From<&FoundHole> for Place {
    fn from(hole: &FoundHole) -> Self {
        Self { centre: hole.centre, axis: hole.axis, radius_mm: hole.radius_mm }
    }
}
