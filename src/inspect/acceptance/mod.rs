//! Acceptance test of an optical sensor: probing error, sphere spacing and flatness, compared with stated limits.
//!
//! Modelled on ISO 10360-8 (optical distance sensors on coordinate measuring machines), ISO 10360-13 (optical 3D
//! systems) and VDI/VDE 2634 part 2 (area scanning in single views). None of the three texts was available to check
//! against: definitions, the numbers of positions and the share of points that may be rejected follow what is commonly
//! reported of them, and all of these are settings or results visible to the user. Before a test is named after a
//! standard, it has to be compared with its text, above all
//! - whether the sphere of a spacing is fitted with its radius free or held ([`SpacingRadius`]),
//! - how many points may be rejected, and before which fit ([`Settings::rejected_share`]),
//! - where in the volume the artefacts are placed, and how large they are, neither of which is checked here.
//!
//! Errors are measured minus calibrated values. Lengths in mm; calibrated lengths at the temperature of the test.

mod association;
mod finding;
mod flatness;
mod from_files;
mod judgement;
mod spacing;
mod sphere;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};

pub use finding::{FoundSphere, two_spheres};
pub use flatness::{PlaneResult, PlaneScan, flatness};
pub use from_files::AcceptanceTest;
pub use judgement::{Acceptance, AcceptanceScans, Characteristic, Figure, Limit, Limits, Results, Verdict, evaluate};
pub use spacing::{BarResult, BarScan, SpacingRadius, spacing};
pub use sphere::{SphereResult, SphereScan, mask_by_incidence, probing};

use base::{Result, UserError};

/// Settings of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Share of the points farthest from the fit that is rejected before form errors are evaluated, 0 to 0.1. VDI/VDE
    /// 2634 part 2 is said to allow 0.003.
    pub rejected_share: f64,
    /// Maximum angle of incidence, rad: between the outward normal of a sphere and the direction to the sensor. Steeper
    /// points are masked if the viewpoint is known.
    pub max_incidence_rad: f64,
    /// Radius with which the sphere centres of a ball bar are determined.
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
    /// Returns an error if a setting is out of range.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=0.1).contains(&self.rejected_share) {
            return Err(UserError::usage(format!(
                "The share of rejected points must be from 0 to 0.1, not {}.",
                self.rejected_share
            )));
        }
        if !(self.max_incidence_rad > 0.1 && self.max_incidence_rad <= std::f64::consts::FRAC_PI_2) {
            return Err(UserError::usage(format!(
                "The maximum angle of incidence must be from 6° to 90°, not {:.1}°.",
                self.max_incidence_rad.to_degrees()
            )));
        }
        Ok(())
    }
}
