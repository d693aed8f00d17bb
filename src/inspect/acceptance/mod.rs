//! Acceptance of an optical sensor: probing error, sphere spacing and flatness, held against stated limits.
//!
//! After the ideas of ISO 10360-8 (optical distance sensors on coordinate measuring machines), ISO 10360-13 (optical 3D
//! systems) and VDI/VDE 2634 part 2 (area scanning in single views). None of the three texts was available to check
//! against: definitions, the numbers of positions and the share of points that may be rejected follow what is commonly
//! said of them, and all of these are settings or results that the reader can see. A test that shall be called one
//! after a standard is to be compared with its text first, above all
//! - whether the sphere of a spacing is fitted with its radius free or held ([`SpacingRadius`]),
//! - how many points may be rejected, and before which fit ([`Settings::rejected_share`]),
//! - where in the volume artefacts stand, and how large they are, which nothing here looks at.
//!
//! Errors are measured less calibrated. Lengths in mm; calibrated ones at the temperature of the test.

mod association;
mod finding;
mod flatness;
mod judgement;
mod spacing;
mod sphere;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};

pub use finding::{FoundSphere, two_spheres};
pub use flatness::{PlaneResult, PlaneScan, flatness};
pub use judgement::{Acceptance, Characteristic, Figure, Limit, Limits, Measured, Results, Verdict, evaluate};
pub use spacing::{BarResult, BarScan, SpacingRadius, spacing};
pub use sphere::{SphereResult, SphereScan, mask_by_incidence, probing};

use base::{Result, UserError};

/// How scans of artefacts are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Share of the points that is rejected, those farthest from the fit, before form errors are taken: 0 to 0.1.
    /// VDI/VDE 2634 part 2 is said to allow three in a thousand.
    pub rejected_share: f64,
    /// Largest angle between the normal of a ball and the direction to the sensor, rad; steeper points are left out
    /// where the viewpoint is known.
    pub max_incidence_rad: f64,
    /// With which radius the middles of a ball bar's balls are found.
    pub spacing_radius: SpacingRadius,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rejected_share: 0.003,
            max_incidence_rad: 60.0_f64.to_radians(),
            spacing_radius: SpacingRadius::default(),
        }
    }
}

impl Settings {
    /// A sentence on the first setting that makes no sense.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=0.1).contains(&self.rejected_share) {
            return Err(UserError::usage(format!(
                "The share of rejected points must be from 0 to 0.1, not {}.",
                self.rejected_share
            )));
        }
        if !(self.max_incidence_rad > 0.1 && self.max_incidence_rad <= std::f64::consts::FRAC_PI_2) {
            return Err(UserError::usage(format!(
                "The largest angle of incidence must be from 6° to 90°, not {:.1}°.",
                self.max_incidence_rad.to_degrees()
            )));
        }
        Ok(())
    }
}
