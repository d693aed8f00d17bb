//! The set-up of a calibration, as entered by the operator.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::mechanical::MechanicalSetup;
use base::{Result, UserError};
use inspect::calibration::joint::Wanted;
use inspect::calibration::{ArtefactKind, Handedness};

/// CAD files of an artefact whose geometry differs from the built-in design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NominalFiles {
    /// CAD model of its surface.
    pub cad: Option<PathBuf>,
    /// Table of points on that surface, with the names of their regions.
    pub regions: Option<PathBuf>,
}

/// The set-up of a calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Kind of artefact.
    pub artefact: ArtefactKind,
    /// Its CAD files, if its regions are found by CAD.
    pub nominal: NominalFiles,
    /// Handedness of the sensor's coordinate system.
    pub handedness: Handedness,
    /// Stylus tip radius to be compensated, mm; 0 if the CMM already reports surface points, `None` until it is
    /// entered.
    pub probe_radius_mm: Option<f64>,
    /// Limit of the error of the stylus tip radius, mm, either way, from its qualification; `None` takes what the artefact
    /// leaves undetected.
    pub probe_radius_error_mm: Option<f64>,
    /// Points of the sensor beyond this number of robust standard deviations are dropped as outliers.
    pub clip_sigmas: Option<f64>,
    /// Systematic sensor error over its measuring volume, mm (maximum), from its data sheet or acceptance test.
    pub bias_mm: f64,
    /// Relative scale error of the sensor (maximum), if known better than from the systematic error.
    pub scale: Option<f64>,
    /// Sides of the sensor's measuring field in its X and Y at the artefact's distance, mm, centred on its Z axis, from
    /// its data sheet; `None` takes the systematic error to reach its maximum within what the artefact fills.
    pub field_mm: Option<[f64; 2]>,
    /// Probing error of the CMM, mm (maximum, ±), from its acceptance test.
    pub probing_mm: f64,
    /// Whether an unusual mounting of the sensor is accepted, as confirmed by the operator.
    pub any_mounting: bool,
    /// CMM position at the snapshot, mm.
    pub position_mm: [f64; 3],
    /// CMM geometric errors to be estimated as well, from several placements.
    pub wanted: Wanted,
    /// Name of the operator.
    pub operator: String,
    /// Serial numbers for the certificate.
    pub serials: Serials,
    /// Validity of a calibration, hours.
    pub valid_hours: f64,
    /// Set-up of the mechanical alignment that precedes the calibration.
    pub mechanical: MechanicalSetup,
}

/// Serial numbers stated on the certificate; empty if not given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Serials {
    /// Of the sensor.
    pub sensor: String,
    /// Of the CMM.
    pub machine: String,
    /// Of the artefact.
    pub artefact: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            artefact: ArtefactKind::default(),
            nominal: NominalFiles::default(),
            handedness: Handedness::default(),
            probe_radius_mm: None,
            probe_radius_error_mm: None,
            clip_sigmas: Some(3.0),
            bias_mm: 0.01,
            scale: None,
            field_mm: None,
            probing_mm: 0.002,
            any_mounting: false,
            position_mm: [0.0; 3],
            wanted: Wanted::default(),
            operator: String::new(),
            serials: Serials::default(),
            valid_hours: 24.0,
            mechanical: MechanicalSetup::default(),
        }
    }
}

impl Setup {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        self.mechanical.check()?;
        let radius = self.probe_radius_mm.is_none_or(|radius| (0.0..1000.0).contains(&radius))
            && self.probe_radius_error_mm.is_none_or(|error| (0.0..10.0).contains(&error));
        let clip = self.clip_sigmas.is_none_or(|sigmas| (0.5..1000.0).contains(&sigmas));
        let bias = (0.0..10.0).contains(&self.bias_mm) && (0.0..10.0).contains(&self.probing_mm);
        let bias = bias && self.scale.is_none_or(|scale| (0.0..0.1).contains(&scale));
        let field = self.field_mm.is_none_or(|sides| sides.iter().all(|side| (1.0..1e5).contains(side)));
        let position = self.position_mm.iter().all(|c| c.abs() < 1e6);
        if radius && clip && bias && field && position && (0.0..1e6).contains(&self.valid_hours) {
            return Ok(());
        }
        Err(UserError::usage(
            "The stylus tip radius and its error, the systematic sensor error, the scale error and the CMM probing error must be 0 \
             or more, the measuring field at least 1 mm wide, the outlier limit at least 0.5 standard deviations, \
             positions finite and the validity at least 0 hours.",
        ))
    }
}
