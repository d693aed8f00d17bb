//! Typical mistakes in practice, against simulated truth: the calibration must not be certified, or the mistake must do
//! no harm.

use rayon::prelude::*;
use serde::Serialize;

use super::{Made, Setting, angles_rad, look, looking_down, placement, random_rotation, request};
use crate::calibration::{ArtefactKind, Handedness, Request, calibrate};
use base::{Progress, Result, random::Random};
use geometry::{Point, Pose, Vector};

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mishap {
    /// The CMM probed another artefact of the same kind: larger by 5 %, and sheared by a degree.
    OtherArtefact,
    /// The stylus tip radius was left at 0.
    WrongRadius,
    /// The names of all pairs of probed regions are exchanged, as for an artefact rotated by 180°.
    Relabelled,
    /// The probed points are turned over: Y and Z have the wrong sign.
    UpsideDown,
    /// A tenth of the snapshot's points are stray points.
    FlyPoints,
    /// The CMM's scales have an error of 1e-4.
    CmmScale,
    /// The stylus tip radius is off by 0.05 to 0.15 mm, either way, and nothing is stated of its error.
    RadiusOff,
    /// X and Y of the CMM are out of square by 8.073e-4 rad.
    OutOfSquare,
}

impl Mishap {
    /// All mistakes.
    pub const ALL: [Self; 8] = [
        Self::OtherArtefact,
        Self::WrongRadius,
        Self::Relabelled,
        Self::UpsideDown,
        Self::FlyPoints,
        Self::CmmScale,
        Self::RadiusOff,
        Self::OutOfSquare,
    ];

    /// Whether a calibration with this mistake is wrong; otherwise its uncertainties may still hold.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::OtherArtefact | Self::WrongRadius | Self::Relabelled | Self::UpsideDown)
    }

    /// Whether it can happen with an artefact, and can be detected: a single sphere has no pairs of regions, and
    /// nothing on a plate with pen lines shows the stylus tip radius (as the certificate states).
    pub fn shows_on(self, artefact: ArtefactKind) -> bool {
        match self {
            Self::Relabelled => !matches!(artefact, ArtefactKind::Sphere | ArtefactKind::PenLines),
            Self::WrongRadius => artefact != ArtefactKind::PenLines,
            _ => true,
        }
    }
}

/// Result of a calibration with a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MishapTrial {
    /// Whether the calibration was refused.
    pub refused: bool,
    /// Whether it was certified.
    pub certified: bool,
    /// Whether the true angles are within their expanded uncertainties (k = 2); of a radius that is off, which rotates
    /// nothing, whether the true position along Z is.
    pub holds: bool,
    /// Largest error of the three angles, and of the position along Z if the radius is off, in expanded uncertainties.
    pub error: f64,
}

/// Size factor and shear of the other artefact.
const OTHER_SIZE: f64 = 1.05;
const OTHER_SHEAR: f64 = 0.02;
const FLY_POINTS: f64 = 0.1;
const CMM_SCALE: f64 = 1e-4;
const RADIUS_OFF_MM: [f64; 2] = [0.05, 0.15];
const SQUARENESS_RAD: f64 = 8.073e-4;

/// A trial with a random mounting and a mistake.
pub fn mishap_trial(setting: &Setting, artefact: &Made, mishap: Mishap, number: u64) -> Result<MishapTrial> {
    let mut setting = setting.of_sensor(number);
    match mishap {
        Mishap::FlyPoints => setting.sensor.fly_points = FLY_POINTS,
        Mishap::CmmScale => setting.cmm.scale = CMM_SCALE,
        Mishap::OutOfSquare => setting.cmm.squareness_rad = SQUARENESS_RAD,
        Mishap::RadiusOff | Mishap::WrongRadius => setting.stated_radius_error_mm = None,
        _ => {}
    }
    let handedness = if number.is_multiple_of(2) { Handedness::Right } else { Handedness::Left };
    let mut random = Random::new(setting.seed, number);
    let mounted = random_rotation(&mut random, 3.0) * looking_down();
    let cmm_from_artefact =
        Pose::from_parts(Vector::new(400.0, 300.0, 100.0).into(), random_rotation(&mut random, 2.0));
    let mut scene = look(&setting, artefact, handedness, &mounted, &cmm_from_artefact, &mut random, number)?;
    let names = setting.artefact.artefact().regions();
    match mishap {
        Mishap::OtherArtefact => {
            let mut probe = |(point, outward): (Point, Vector)| {
                let (point, outward) = on_other_artefact(&point, &outward);
                setting.cmm.probe(&(cmm_from_artefact * point), &(cmm_from_artefact.rotation * outward), &mut random)
            };
            scene.touches = (0..names.len())
                .map(|region| artefact.drawn.touches(region, setting.touches).into_iter().map(&mut probe).collect())
                .collect();
        }
        Mishap::Relabelled => {
            for (one, opposite) in [("LP", "RP"), ("LL", "LR"), ("SU", "SL"), ("W", "E"), ("N", "S"), ("A", "B")] {
                let at = |name: &str| names.iter().position(|region| region.short == name);
                if let (Some(one), Some(opposite)) = (at(one), at(opposite)) {
                    scene.touches.swap(one, opposite);
                }
            }
        }
        Mishap::UpsideDown => {
            let over = |point: &Point| Point::new(point.x, -point.y, -point.z);
            scene.touches.iter_mut().flatten().for_each(|point| *point = over(point));
        }
        Mishap::WrongRadius | Mishap::FlyPoints | Mishap::CmmScale | Mishap::RadiusOff | Mishap::OutOfSquare => {}
    }
    let refused = MishapTrial { refused: true, certified: false, holds: false, error: f64::INFINITY };
    let Ok(placement) = placement(&setting, &scene) else { return Ok(refused) };
    let placements = [placement];
    let base = request(&setting, handedness, &placements);
    let off_mm = random.range(RADIUS_OFF_MM[0], RADIUS_OFF_MM[1]) * if random.uniform() < 0.5 { -1.0 } else { 1.0 };
    let probe_radius_mm = match mishap {
        Mishap::WrongRadius => 0.0,
        Mishap::RadiusOff => base.probe_radius_mm + off_mm,
        _ => base.probe_radius_mm,
    };
    let Ok(found) = calibrate(&Request { probe_radius_mm, ..base }, &Progress::silent()) else { return Ok(refused) };
    if mishap == Mishap::RadiusOff {
        let centre = Point::new(0.0, 0.0, setting.sensor.working_distance_mm);
        let off_mm = (found.mounting.cmm_from_sensor * centre - scene.cmm_from_sensor * centre).z;
        let error = off_mm.abs() / (2.0 * found.uncertainty.moved_to(&found.mounting, centre).place_mm()[2]);
        let certified = found.certification().is_certified();
        return Ok(MishapTrial { refused: false, certified, holds: error <= 1.0, error });
    }
    let (angles, truth) = (found.mounting.angles_rad(), angles_rad(&scene.cmm_from_sensor));
    let full_turn = std::f64::consts::TAU;
    let errors = (0..3).map(|k| {
        let error = angles[k] - truth[k];
        (error - full_turn * (error / full_turn).round()).abs() / (2.0 * found.uncertainty.angles_rad[k])
    });
    let error = errors.fold(0.0, f64::max);
    let certified = found.certification().is_certified();
    Ok(MishapTrial { refused: false, certified, holds: error <= 1.0, error })
}

/// Point and outward normal on the other artefact.
fn on_other_artefact(point: &Point, outward: &Vector) -> (Point, Vector) {
    let point = Point::new(point.x + OTHER_SHEAR * point.y, point.y, point.z) * OTHER_SIZE;
    // Normals transform by the inverse transpose.
    let outward = Vector::new(outward.x, outward.y - OTHER_SHEAR * outward.x, outward.z);
    (point, outward.normalize())
}

/// Runs `count` trials with a mistake.
pub fn mishap_trials(setting: &Setting, mishap: Mishap, count: usize) -> Result<Vec<MishapTrial>> {
    let artefact = Made::of(setting);
    (0..count as u64).into_par_iter().map(|number| mishap_trial(setting, &artefact, mishap, number)).collect()
}
