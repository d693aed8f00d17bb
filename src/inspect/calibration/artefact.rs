//! What all artefacts have in common: named regions, and a frame that each device finds from them.

use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

use super::angled_slots::AngledSlots;
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Point, PointSet, Pose, Vector};
use crate::inspect::features::Fit;

/// The artefacts that a sensor can be calibrated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ArtefactKind {
    /// A plate with a long and a short slot cut by a double-edged cutter.
    #[default]
    AngledSlots,
}

impl ArtefactKind {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::AngledSlots];

    /// The artefact.
    pub fn artefact(self) -> &'static dyn Artefact {
        match self {
            Self::AngledSlots => &AngledSlots,
        }
    }
}

/// A region of an artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionName {
    /// As files call it.
    pub short: &'static str,
    /// As people do.
    pub long: &'static str,
}

/// How regions were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Radius of the ball whose centres the points are, mm; 0 for points on the surface itself.
    pub probe_radius_mm: f64,
    /// Robust standard deviations from which on a point belongs to another face.
    pub clip_sigmas: Option<f64>,
    /// Largest smooth error of the device over its field, mm; 0 for a CMM.
    pub bias_mm: f64,
}

/// One artefact.
pub trait Artefact: Sync {
    /// For people.
    fn name(&self) -> &'static str;

    /// Its regions, in the order that [`Artefact::frame`] takes them.
    fn regions(&self) -> &'static [RegionName];

    /// Shifts along and turns about X, Y and Z that it determines from one position.
    fn determines(&self) -> [bool; 6];

    /// Finds its frame from the points of each region, right-handed, mm.
    ///
    /// Fails with a sentence where a region holds too few points, where regions do not look like the faces they are
    /// named after, or where they are exchanged.
    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame>;

    /// Its frame from the planes of its parts, normals on either side; `None` where it is not made of planes.
    fn frame_of_planes(&self, planes: &[(Point, Vector)], probe_radius_mm: f64) -> Option<Result<Pose>> {
        let _ = (planes, probe_radius_mm);
        None
    }

    /// Finds its regions in a whole snapshot, right-handed, mm; the sensor is at the origin.
    ///
    /// Fails with a sentence where the artefact is not recognised.
    fn find(&self, points: &[Point], progress: &Progress) -> Result<Vec<PointSet>>;

    /// The number of the region of that short name, in any case; a sentence where there is none.
    fn region_of_name(&self, name: &str) -> Result<usize> {
        let is_it = |region: &RegionName| region.short.eq_ignore_ascii_case(name.trim());
        self.regions().iter().position(is_it).ok_or_else(|| {
            let names: Vec<&str> = self.regions().iter().map(|region| region.short).collect();
            UserError::input(format!("“{name}” is no region of this artefact: it has {}.", names.join(", ")))
        })
    }
}

/// A fit that a frame was made of.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// What was fitted.
    pub name: &'static str,
    /// The regions that it was made from, in the order of its residuals.
    pub regions: &'static [usize],
    /// The fit.
    pub fit: Fit,
    /// What it adds to the variances of shifts along (mm²) and turns about (rad²) X, Y and Z of the artefact.
    pub shares: [f64; 6],
}

/// The artefact's frame as one device sees it.
#[derive(Clone, Debug, Serialize)]
pub struct ArtefactFrame {
    /// The frame.
    pub device_from_artefact: Pose,
    /// Covariance of its shifts (mm) and turns (rad) along and about the artefact's own axes.
    pub covariance: Matrix6<f64>,
    /// The fits that it was made of.
    pub parts: Vec<Part>,
}

impl ArtefactFrame {
    /// The fit that adds most to the variance of the turns.
    pub fn weakest(&self) -> Option<&Part> {
        let turns = |part: &&Part| part.shares[3..].iter().sum::<f64>();
        self.parts.iter().max_by(|a, b| turns(a).total_cmp(&turns(b)))
    }
}

/// Whether a plane's own fit is good enough to go on with, as a traffic light: green up to twice the expected noise,
/// amber up to four times, red beyond.
pub fn light(fit: &Fit, expected_sigma_mm: f64) -> Light {
    match fit.sigma_mm / expected_sigma_mm {
        ratio if ratio <= 2.0 => Light::Green,
        ratio if ratio <= 4.0 => Light::Amber,
        _ => Light::Red,
    }
}

/// See [`light`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Light {
    /// As expected.
    Green,
    /// To be looked at.
    Amber,
    /// To be done again.
    Red,
}
