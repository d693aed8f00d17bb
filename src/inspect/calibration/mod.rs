//! Calibration of a sensor on a CMM: both instruments measure one artefact, and each determines the artefact's frame.
//!
//! All frames are right-handed. The points of a sensor that reports a left-handed frame are mirrored first
//! ([`Handedness`]). Then `cmm_from_sensor = cmm_from_artefact * sensor_from_artefact⁻¹`; a snapshot taken at another
//! CMM position is translated by the CMM's travel since the calibration.

pub mod artefacts;
pub mod bootstrap;
pub mod by_cad;
mod certification;
pub mod consistency;
pub mod joint;
pub mod mechanical;
pub mod merging;
mod mounting;
pub mod recipe;
pub mod record;
pub mod repeatability;
mod solve;
pub mod stylus;
pub mod trials;

pub use artefacts::{Artefact, ArtefactFrame, ArtefactKind, Light, Measured, light};
pub use certification::{Certification, EXPECTED_CMM_MM, EXPECTED_SENSOR_MM, NamedLight};
pub use mounting::{Contributions, Handedness, Mounting, MountingUncertainty, angles_rad};
pub use solve::{Calibration, Placement, Request, View, by_sensor, calibrate};
