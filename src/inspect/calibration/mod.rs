//! Where a sensor sits on a CMM: one artefact is measured by both, and each finds the artefact's frame.
//!
//! Everything here is right-handed. A sensor that reports a left-handed frame is mirrored first ([`Handedness`]); then
//! `cmm_from_sensor = cmm_from_artefact * sensor_from_artefact⁻¹`, and a snapshot taken elsewhere is shifted by how far
//! the CMM has moved since the calibration.

pub mod artefacts;
pub mod bootstrap;
pub mod by_cad;
mod certification;
pub mod consistency;
pub mod joint;
pub mod mechanical;
pub mod merging;
mod mounting;
pub mod repeatability;
mod solve;
pub mod trials;

pub use artefacts::{Artefact, ArtefactFrame, ArtefactKind, Light, Measured, light};
pub use certification::{Certification, EXPECTED_CMM_MM, EXPECTED_SENSOR_MM, NamedLight};
pub use mounting::{Contributions, Handedness, Mounting, MountingUncertainty, angles_rad};
pub use solve::{Calibration, Placement, Request, View, by_sensor, calibrate};
