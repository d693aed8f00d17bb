//! A calibration as it is being made: what both devices measured, which points are which region, and what came out.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::mechanical::MechanicalSetup;
use base::{Result, UserError};
use geometry::Subset;
use inspect::calibration::joint::Wanted;
use inspect::calibration::{ArtefactFrame, ArtefactKind, Calibration, Handedness};
use inspect::parts::Actual;
use io::SourceFile;

/// Who measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The sensor.
    #[default]
    Sensor,
    /// The coordinate measuring machine.
    Cmm,
}

impl Device {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sensor, Self::Cmm];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sensor => "Sensor",
            Self::Cmm => "CMM",
        }
    }
}

/// The CAD of an artefact: where it is not the one that is drawn here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NominalFiles {
    /// Its surface.
    pub cad: Option<PathBuf>,
    /// A table of places on it, with the names of the regions they lie on.
    pub regions: Option<PathBuf>,
}

/// What the operator says of the set-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// Its CAD, where its regions are found by that.
    pub nominal: NominalFiles,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Radius of the ball whose centres the CMM reports, mm; `None` until somebody says it.
    pub probe_radius_mm: Option<f64>,
    /// Robust standard deviations beyond which the sensor's points are dropped.
    pub clip_sigmas: Option<f64>,
    /// Largest systematic error of the sensor over its field, mm, as its data sheet or acceptance test says.
    pub bias_mm: f64,
    /// Largest relative error of the sensor's scale, where it is known better than the systematic error tells.
    pub scale: Option<f64>,
    /// Largest probing error of the CMM, mm, either way, as its acceptance test says.
    pub probing_mm: f64,
    /// Whether the sensor sits otherwise than sensors do, as the operator confirms.
    pub any_mounting: bool,
    /// Where the CMM stood at the snapshot, mm.
    pub position_mm: [f64; 3],
    /// Faults of the machine to be found too, from several placements.
    pub wanted: Wanted,
    /// Who calibrates.
    pub operator: String,
    /// What was calibrated, and by what.
    pub serials: Serials,
    /// How long a calibration holds, hours.
    pub valid_hours: f64,
    /// Of the mechanical alignment before it.
    pub mechanical: MechanicalSetup,
}

/// Serial numbers, as the certificate names them; empty where they were not given.
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
            clip_sigmas: Some(3.0),
            bias_mm: 0.01,
            scale: None,
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
    /// A sentence where a figure makes no sense.
    pub fn check(&self) -> Result<()> {
        self.mechanical.check()?;
        let radius = self.probe_radius_mm.is_none_or(|radius| (0.0..1000.0).contains(&radius));
        let clip = self.clip_sigmas.is_none_or(|sigmas| (0.5..1000.0).contains(&sigmas));
        let bias = (0.0..10.0).contains(&self.bias_mm) && (0.0..10.0).contains(&self.probing_mm);
        let bias = bias && self.scale.is_none_or(|scale| (0.0..0.1).contains(&scale));
        let place = self.position_mm.iter().all(|c| c.abs() < 1e6);
        if radius && clip && bias && place && (0.0..1e6).contains(&self.valid_hours) {
            return Ok(());
        }
        Err(UserError::usage(
            "The probe's radius, the sensor's systematic error, its scale error and the CMM's probing error must be 0 or \
             more, the limit for outliers at least 0.5 standard deviations, positions finite and the validity at least 0 \
             hours.",
        ))
    }
}

/// What a device measured.
#[derive(Clone, Default)]
pub struct Measurement {
    /// The points; the sensor's are right-handed here.
    pub actual: Option<Arc<Actual>>,
    /// The points of each region of the artefact.
    pub regions: Vec<Subset>,
}

impl Measurement {
    /// The points of a region; none where there are none.
    pub fn region(&self, number: usize) -> Subset {
        self.regions.get(number).cloned().unwrap_or_default()
    }

    /// Whether both are the same copies, so that comparing costs nothing.
    pub fn is_same(&self, other: &Self) -> bool {
        let actual = match (&self.actual, &other.actual) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        actual
            && self.regions.len() == other.regions.len()
            && self.regions.iter().zip(&other.regions).all(|(own, other)| own.is_same(other))
    }

    /// Its file.
    pub fn source(&self) -> Option<&SourceFile> {
        self.actual.as_ref()?.sources.first()
    }
}

/// A file that a calibration was made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputFile {
    /// Its name.
    pub name: String,
    /// BLAKE3 of its bytes, hexadecimal.
    pub blake3: String,
}

impl InputFile {
    /// Of a source.
    pub fn of(source: &SourceFile) -> Self {
        Self { name: source.name(), blake3: source.hash.clone() }
    }
}

/// Who made a calibration, when, and from what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The sensor's snapshot.
    pub sensor: InputFile,
    /// The CMM's touches.
    pub cmm: InputFile,
    /// Files of further snapshots and their touches.
    #[serde(default)]
    pub more: Vec<InputFile>,
    /// Who.
    pub operator: String,
    /// What was calibrated, and by what.
    #[serde(default)]
    pub serials: Serials,
    /// When, seconds since 1970.
    pub unix_s: i64,
    /// How long it holds, hours.
    pub valid_hours: f64,
}

impl Made {
    /// When it ceases to hold, seconds since 1970.
    pub fn expires_unix_s(&self) -> i64 {
        self.unix_s.saturating_add((self.valid_hours * 3600.0) as i64)
    }
}

/// A calibration that was made.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What came out.
    pub calibration: Calibration,
    /// From what, by whom.
    pub made: Made,
}

impl Outcome {
    /// The artefact as a device saw it.
    pub fn frame(&self, device: Device) -> &ArtefactFrame {
        match device {
            Device::Sensor => &self.calibration.sensor,
            Device::Cmm => &self.calibration.cmm,
        }
    }
}

/// A snapshot that was set aside with its touches, to be used together with others.
#[derive(Clone, Default)]
pub struct Taken {
    /// The snapshot.
    pub sensor: Measurement,
    /// The touches of the artefact as it lay.
    pub cmm: Measurement,
    /// Where the CMM stood, mm.
    pub position_mm: [f64; 3],
}

/// See the module.
#[derive(Clone, Default)]
pub struct Calibrating {
    /// What the operator says of the set-up.
    pub setup: Setup,
    /// The sensor's snapshot.
    pub sensor: Measurement,
    /// The CMM's touches.
    pub cmm: Measurement,
    /// Snapshots set aside, in the order they were.
    pub taken: Vec<Taken>,
    /// What came out; gone as soon as anything that it was made from changes.
    pub outcome: Option<Arc<Outcome>>,
}

impl Calibrating {
    /// What a device measured.
    pub fn of(&self, device: Device) -> &Measurement {
        match device {
            Device::Sensor => &self.sensor,
            Device::Cmm => &self.cmm,
        }
    }

    /// All snapshots to calibrate from: the one in work first, as far as any of its regions is filled.
    pub fn snapshots(&self) -> Vec<Taken> {
        let current = Taken { sensor: self.sensor.clone(), cmm: self.cmm.clone(), position_mm: self.setup.position_mm };
        let is_begun = self.sensor.regions.iter().any(|region| !region.is_empty());
        let current = (is_begun || self.taken.is_empty()).then_some(current);
        current.into_iter().chain(self.taken.iter().cloned()).collect()
    }

    /// Bytes of what this holds and `other` does not.
    pub fn bytes_beyond(&self, other: &Self) -> u64 {
        let of = |device: Device| {
            let (own, theirs) = (self.of(device), other.of(device));
            let points = match (&own.actual, &theirs.actual) {
                (Some(own), Some(theirs)) if Arc::ptr_eq(own, theirs) => 0,
                (Some(own), _) => own.cloud.bytes(),
                (None, _) => 0,
            };
            let is_kept = |region: &&Subset| theirs.regions.iter().any(|other| other.is_same(region));
            let regions = own.regions.iter().filter(|region| !is_kept(region)).map(|region| 4 * region.len() as u64);
            points + regions.sum::<u64>()
        };
        let outcome = match (&self.outcome, &other.outcome) {
            (Some(own), Some(theirs)) if Arc::ptr_eq(own, theirs) => 0,
            // A residual of every point, and the points that were dropped.
            (Some(own), _) => {
                own.calibration.sensor.parts.iter().map(|part| 8 * part.fit.residuals_mm.len() as u64).sum()
            }
            (None, _) => 0,
        };
        let is_shared = |taken: &&Taken| theirs_hold(other, taken);
        let taken =
            self.taken.iter().filter(|taken| !is_shared(taken)).filter_map(|taken| taken.sensor.actual.as_ref());
        of(Device::Sensor) + of(Device::Cmm) + outcome + taken.map(|actual| actual.cloud.bytes()).sum::<u64>()
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, device: Device) -> &mut Measurement {
        match device {
            Device::Sensor => &mut self.sensor,
            Device::Cmm => &mut self.cmm,
        }
    }
}

/// Whether a calibration holds the points of a snapshot, in work or set aside.
fn theirs_hold(other: &Calibrating, taken: &Taken) -> bool {
    let is_it = |own: &Measurement| match (&own.actual, &taken.sensor.actual) {
        (Some(own), Some(taken)) => Arc::ptr_eq(own, taken),
        _ => false,
    };
    is_it(&other.sensor) || other.taken.iter().any(|own| is_it(&own.sensor))
}

/// What a project keeps of a measurement: its file and its regions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptMeasurement {
    /// The file.
    pub source: Option<SourceFile>,
    /// The regions.
    pub regions: Vec<Subset>,
}

impl KeptMeasurement {
    fn of(measurement: &Measurement) -> Self {
        Self { source: measurement.source().cloned(), regions: measurement.regions.clone() }
    }
}

/// What a project keeps of a snapshot that was set aside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptTaken {
    /// The snapshot.
    pub sensor: KeptMeasurement,
    /// The touches.
    pub cmm: KeptMeasurement,
    /// Where the CMM stood, mm.
    pub position_mm: [f64; 3],
}

/// What a project keeps of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The set-up.
    pub setup: Setup,
    /// The sensor's snapshot.
    pub sensor: KeptMeasurement,
    /// The CMM's touches.
    pub cmm: KeptMeasurement,
    /// Snapshots set aside.
    pub taken: Vec<KeptTaken>,
    /// Whether a calibration had been made.
    pub made: Option<Made>,
}

impl Kept {
    /// Of a calibration.
    pub fn of(calibrating: &Calibrating) -> Self {
        let taken = |taken: &Taken| KeptTaken {
            sensor: KeptMeasurement::of(&taken.sensor),
            cmm: KeptMeasurement::of(&taken.cmm),
            position_mm: taken.position_mm,
        };
        Self {
            setup: calibrating.setup.clone(),
            sensor: KeptMeasurement::of(&calibrating.sensor),
            cmm: KeptMeasurement::of(&calibrating.cmm),
            taken: calibrating.taken.iter().map(taken).collect(),
            made: calibrating.outcome.as_ref().map(|outcome| outcome.made.clone()),
        }
    }
}
