//! What goes wrong at work, on simulated truth: none of it may be certified, or else it must do no harm.

use rayon::prelude::*;
use serde::Serialize;

use super::{Made, Setting, angles_rad, look, looking_down, placement, request, turned};
use crate::calibration::{ArtefactKind, Handedness, Request, calibrate};
use base::{Progress, Result, random::Random};
use geometry::{Point, Pose, Vector};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mishap {
    /// The CMM touched another artefact of the kind: larger by 5 %, its directions askew by a degree.
    OtherArtefact,
    /// The stylus tip radius was left at 0.
    WrongRadius,
    /// The names of all pairs of touched regions are exchanged: as of an artefact turned by half a turn.
    Relabelled,
    /// The touches are turned over: Y and Z have the wrong sign.
    UpsideDown,
    /// A tenth of the snapshot's points fly.
    FlyPoints,
    /// The CMM's scales are off by 1e-4.
    CmmScale,
}

impl Mishap {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::OtherArtefact, Self::WrongRadius, Self::Relabelled, Self::UpsideDown, Self::FlyPoints, Self::CmmScale];

    /// Whether a calibration made so is wrong; else its uncertainties may hold.
    pub fn is_wrong(self) -> bool {
        !matches!(self, Self::FlyPoints | Self::CmmScale)
    }

    /// Whether it can happen with an artefact, and shows: a lone sphere has no pairs of regions, and nothing on a plate
    /// with pen lines tells how large the ball was that touched it (which the certificate says).
    pub fn shows_on(self, artefact: ArtefactKind) -> bool {
        match self {
            Self::Relabelled => !matches!(artefact, ArtefactKind::Sphere | ArtefactKind::PenLines),
            Self::WrongRadius => artefact != ArtefactKind::PenLines,
            _ => true,
        }
    }
}

/// What became of one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MishapTrial {
    /// Whether it was refused outright.
    pub refused: bool,
    /// Whether it was certified.
    pub certified: bool,
    /// Whether the truth is within the expanded uncertainties (k = 2) of all angles.
    pub holds: bool,
}

/// By how much the other artefact is larger, and askew.
const LARGER: f64 = 1.05;
const ASKEW: f64 = 0.02;
const FLY_POINTS: f64 = 0.1;
const CMM_SCALE: f64 = 1e-4;

/// One random mounting with a mishap.
pub fn mishap_trial(setting: &Setting, artefact: &Made, mishap: Mishap, number: u64) -> Result<MishapTrial> {
    let mut setting = setting.of_sensor(number);
    match mishap {
        Mishap::FlyPoints => setting.sensor.fly_points = FLY_POINTS,
        Mishap::CmmScale => setting.cmm.scale = CMM_SCALE,
        _ => {}
    }
    let handedness = if number.is_multiple_of(2) { Handedness::Right } else { Handedness::Left };
    let mut random = Random::new(setting.seed, number);
    let mounted = turned(&mut random, 3.0) * looking_down();
    let lies = Pose::from_parts(Vector::new(400.0, 300.0, 100.0).into(), turned(&mut random, 2.0));
    let mut scene = look(&setting, artefact, handedness, &mounted, &lies, &mut random, number)?;
    let names = setting.artefact.artefact().regions();
    match mishap {
        Mishap::OtherArtefact => {
            let mut touch = |(place, outward): (Point, Vector)| {
                let (place, outward) = other(&place, &outward);
                setting.cmm.touch(&(lies * place), &(lies.rotation * outward), &mut random)
            };
            scene.touches = (0..names.len())
                .map(|region| artefact.drawn.touches(region, setting.touches).into_iter().map(&mut touch).collect())
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
        Mishap::WrongRadius | Mishap::FlyPoints | Mishap::CmmScale => {}
    }
    let refused = MishapTrial { refused: true, certified: false, holds: false };
    let Ok(placement) = placement(&setting, &scene) else { return Ok(refused) };
    let placements = [placement];
    let given = request(&setting, handedness, &placements);
    let probe_radius_mm = if mishap == Mishap::WrongRadius { 0.0 } else { given.probe_radius_mm };
    let Ok(found) = calibrate(&Request { probe_radius_mm, ..given }, &Progress::silent()) else { return Ok(refused) };
    let (angles, truth) = (found.mounting.angles_rad(), angles_rad(&scene.cmm_from_sensor));
    let whole = std::f64::consts::TAU;
    let holds = (0..3).all(|k| {
        let apart = angles[k] - truth[k];
        (apart - whole * (apart / whole).round()).abs() <= 2.0 * found.uncertainty.angles_rad[k]
    });
    Ok(MishapTrial { refused: false, certified: found.certification().is_certified(), holds })
}

/// A place of the other artefact, and which way it looks there.
fn other(place: &Point, outward: &Vector) -> (Point, Vector) {
    let place = Point::new(place.x + ASKEW * place.y, place.y, place.z) * LARGER;
    // Normals go by the inverse transpose.
    let outward = Vector::new(outward.x, outward.y - ASKEW * outward.x, outward.z);
    (place, outward.normalize())
}

/// Many of them.
pub fn mishap_trials(setting: &Setting, mishap: Mishap, count: usize) -> Result<Vec<MishapTrial>> {
    let artefact = Made::of(setting);
    (0..count as u64).into_par_iter().map(|number| mishap_trial(setting, &artefact, mishap, number)).collect()
}
