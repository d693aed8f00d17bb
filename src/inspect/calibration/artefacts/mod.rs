//! What all artefacts have in common: named regions, and a frame that each device finds from them.

pub mod angled_slots;
pub mod balls;
pub mod drawn;
mod edges;
mod five_planes;
pub mod frustum;
mod invariants;
mod looking;
pub mod marked_plate;
mod plane_and_lines;
pub(super) mod propagation;
mod spheres;
mod systematic;

use nalgebra::{DMatrix, Matrix6};
use serde::{Deserialize, Serialize};

pub use drawn::{Drawn, Imperfect};
pub use invariants::{Aspect, Invariant, Invariants};
pub use looking::{CLEARLY, RECOGNISED};
pub use spheres::radius_biases;
pub use systematic::{ErrorForm, ErrorSize, Field, Systematic};

use crate::features::{Fit, NoiseCorrelation, Options};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};
use propagation::of_frame;
use systematic::SystematicPropagation;

/// The artefacts that a sensor can be calibrated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ArtefactKind {
    /// A plate with a long and a short slot cut by a double-edged cutter.
    #[default]
    AngledSlots,
    /// A frustum: a flat top, and four flanks that fall away from it.
    Frustum,
    /// Three spheres on one plate.
    ThreeSpheres,
    /// One sphere, seen from several positions of the machine.
    Sphere,
    /// A plate with a long and a short slot with square edges.
    SquareSlots,
    /// A white plate with a long and a short slot that are black.
    GreyscaleSlots,
    /// A plate with two lines drawn by a pen in the machine's head.
    PenLines,
}

impl ArtefactKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::AngledSlots,
        Self::Frustum,
        Self::ThreeSpheres,
        Self::Sphere,
        Self::SquareSlots,
        Self::GreyscaleSlots,
        Self::PenLines,
    ];

    /// The artefact.
    pub fn artefact(self) -> &'static dyn Artefact {
        match self {
            Self::AngledSlots => &angled_slots::ANGLED_SLOTS,
            Self::Frustum => &frustum::FRUSTUM,
            Self::ThreeSpheres => &balls::THREE_SPHERES,
            Self::Sphere => &balls::SPHERE,
            Self::SquareSlots => &marked_plate::SQUARE_SLOTS,
            Self::GreyscaleSlots => &marked_plate::GREYSCALE_SLOTS,
            Self::PenLines => &marked_plate::PEN_LINES,
        }
    }
}

impl ArtefactKind {
    /// Its drawing.
    pub fn drawn(self) -> Box<dyn Drawn> {
        match self {
            Self::AngledSlots => Box::new(angled_slots::drawing::Drawing::default()),
            Self::Frustum => Box::new(frustum::Drawing),
            Self::ThreeSpheres => Box::new(balls::Drawing::THREE),
            Self::Sphere => Box::new(balls::Drawing::ONE),
            Self::SquareSlots => Box::new(marked_plate::Drawing::SQUARE_SLOTS),
            Self::GreyscaleSlots => Box::new(marked_plate::Drawing::GREYSCALE_SLOTS),
            Self::PenLines => Box::new(marked_plate::Drawing::PEN_LINES),
        }
    }
}

/// Finds an artefact's regions in a whole snapshot, see [`Artefact::find`].
pub type Finder = fn(&Cloud, &Progress) -> Result<Vec<Subset>>;

/// A region of an artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionName {
    /// As files call it.
    pub short: &'static str,
    /// As people do.
    pub long: &'static str,
}

const fn named(short: &'static str, long: &'static str) -> RegionName {
    RegionName { short, long }
}

/// How regions were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Radius of the ball whose centres the points are, mm; 0 for points on the surface itself.
    pub probe_radius_mm: f64,
    /// Robust standard deviations from which on a point belongs to another face.
    pub clip_sigmas: Option<f64>,
    /// Largest systematic error of the sensor over its field, mm; 0 for a CMM.
    pub bias_mm: f64,
    /// Largest relative error of the sensor's scale; `None` takes what its largest systematic error allows.
    pub scale: Option<f64>,
    /// The field that all snapshots fill; `None` takes that of the points at hand.
    pub field: Option<Field>,
    /// Largest probing error of a CMM, mm, either way: what all touches of a face have in common.
    pub probing_mm: f64,
    /// Steepest incidence at which round faces are trusted, degrees, seen from the origin; `None` for a CMM.
    pub incidence_deg: Option<f64>,
}

impl Measured {
    /// A sentence where a figure makes no sense.
    pub(super) fn check(&self) -> Result<()> {
        if self.probe_radius_mm >= 0.0 && self.probe_radius_mm.is_finite() {
            return Ok(());
        }
        Err(UserError::usage("The probe's radius must be 0 mm or more."))
    }

    /// Adds up what the systematic error does to so many figures; `None` where there is none.
    fn systematic(&self, regions: &[Vec<Point>], figures: usize) -> Option<SystematicPropagation> {
        let field = self.field.unwrap_or_else(|| Field::of(regions.iter().flatten()));
        let size = ErrorSize {
            size_mm: self.bias_mm,
            scale: self.scale.unwrap_or_else(|| field.scale_of(self.bias_mm)),
            field,
        };
        (size.size_mm > 0.0 || size.scale > 0.0).then(|| SystematicPropagation::new(size, figures))
    }

    /// Standard deviation of what all touches of a face have in common, mm: evenly spread between its limits.
    fn probing_sigma_mm(&self) -> f64 {
        self.probing_mm / 3.0_f64.sqrt()
    }

    /// How parts are fitted.
    pub(super) fn options(&self) -> Options {
        // A sensor is at the origin of its points.
        let eye = self.incidence_deg.map(|_| Point::origin());
        let within = eye.map(|_| five_planes::NOISE_WITHIN_MM);
        Options { clip_sigmas: self.clip_sigmas, correlation_within_mm: within, eye, ..Options::default() }
    }

    /// States uncertainties again, of fits of one sort to these points, from the correlation that all show together:
    /// each alone would know too little of it.
    pub(super) fn restate(&self, fits: &mut [Fit], points: &[Vec<Point>]) {
        let options = self.options();
        if options.correlation_within_mm.is_none() {
            // Looked at over distances of its own, no part compares with another.
            return;
        }
        if let Some(noise) = NoiseCorrelation::pooled(fits.iter().filter_map(|fit| fit.uncertainty.noise)) {
            fits.iter_mut().zip(points).for_each(|(fit, points)| fit.restate(points, &options, noise));
        }
    }
}

/// A sentence where a region holds fewer than `least` points.
pub(super) fn check_filled(names: &[RegionName], regions: &[Vec<Point>], least: usize) -> Result<()> {
    for (region, points) in names.iter().zip(regions) {
        if points.len() < least {
            let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
            return Err(UserError::input(format!(
                "The region {} ({}) holds {} points; it needs {} or more.",
                region.short,
                region.long,
                points.len(),
                words.get(least).map_or_else(|| least.to_string(), |word| (*word).to_owned())
            )));
        }
    }
    if regions.len() == names.len() { Ok(()) } else { Err(UserError::internal("Regions of another artefact.")) }
}

/// The points that a fit used.
pub(super) fn used<'a>(points: &'a [Point], fit: &Fit) -> impl Iterator<Item = &'a Point> {
    let mut dropped = fit.dropped.iter().peekable();
    (0..).zip(points).filter(move |(number, _)| dropped.next_if_eq(&number).is_none()).map(|(_, point)| point)
}

/// The mean of some points.
pub(super) fn middle_of(points: &[Point]) -> Point {
    Point::from(points.iter().map(|point| point.coords).sum::<Vector>() / points.len().max(1) as f64)
}

/// One artefact.
pub trait Artefact: Sync {
    /// For people.
    fn name(&self) -> &'static str;

    /// Its regions, in the order that [`Artefact::frame`] takes them.
    fn regions(&self) -> &'static [RegionName];

    /// Shifts along and turns about X, Y and Z that it determines from one position.
    fn determines(&self) -> [bool; 6];

    /// The points that each region's part is made from, of a snapshot (right-handed, mm; the sensor at the origin): its
    /// own points, unless the artefact is told by edges.
    ///
    /// Fails with a sentence where a region does not show what it should.
    fn extract(&self, cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
        let place = |&number: &u32| cloud.points.get(number as usize).copied();
        Ok(regions.iter().map(|region| region.iter().filter_map(place).collect()).collect())
    }

    /// Whether its regions hold edges or marks rather than faces.
    fn is_told_by_edges(&self) -> bool {
        false
    }

    /// A sentence on what its uncertainties hold that is not modelled, where there is something.
    fn remark(&self) -> Option<&'static str> {
        None
    }

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
    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>>;

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

impl Part {
    /// Of a fit whose share of the covariance, the frame's first, is `own`.
    pub(super) fn new(name: &'static str, regions: &'static [usize], fit: Fit, own: &DMatrix<f64>) -> Self {
        Self { name, regions, fit, shares: std::array::from_fn(|k| own[(k, k)]) }
    }
}

/// The artefact's frame as one device sees it.
#[derive(Clone, Debug, Serialize)]
pub struct ArtefactFrame {
    /// The frame.
    pub device_from_artefact: Pose,
    /// Covariance of its shifts (mm) and turns (rad) along and about the artefact's own axes, by noise and by a
    /// systematic error in waves.
    pub covariance: Matrix6<f64>,
    /// The same by noise alone.
    #[serde(skip)]
    pub noise: Matrix6<f64>,
    /// What the forms of a systematic error do to those shifts and turns.
    #[serde(skip)]
    pub systematic: Systematic,
    /// The fits that it was made of.
    pub parts: Vec<Part>,
    /// Quantities of the artefact itself.
    #[serde(skip)]
    pub invariants: Invariants,
}

impl ArtefactFrame {
    /// Of a frame without systematic error, of which no invariants are asked.
    pub(super) fn of_noise(device_from_artefact: Pose, covariance: Matrix6<f64>, parts: Vec<Part>) -> Self {
        let (systematic, invariants) = (Systematic::none(propagation::OF_FRAME), Invariants::default());
        Self { device_from_artefact, covariance, noise: covariance, systematic, parts, invariants }
    }

    /// From the covariance by noise and the systematic error of its figures, those of the invariants after its own.
    fn new(
        device_from_artefact: Pose,
        noise: &DMatrix<f64>,
        systematic: Option<SystematicPropagation>,
        parts: Vec<Part>,
        of: Vec<Invariant>,
    ) -> Self {
        let own = propagation::OF_FRAME;
        let systematic = systematic.map_or_else(|| Systematic::none(own + of.len()), SystematicPropagation::finish);
        let (of_pose, of_artefact) = (systematic.figures(0..own), systematic.figures(own..own + of.len()));
        let covariance = DMatrix::from_fn(of.len(), of.len(), |i, j| noise[(own + i, own + j)]);
        Self {
            device_from_artefact,
            covariance: of_frame(noise) + of_frame(&of_pose.waves()),
            noise: of_frame(noise),
            systematic: of_pose,
            parts,
            invariants: Invariants { of, covariance, systematic: of_artefact },
        }
    }

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

impl Light {
    /// The worse of two.
    pub fn worse(self, other: Self) -> Self {
        let rank = |light: Self| match light {
            Self::Green => 0,
            Self::Amber => 1,
            Self::Red => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The worst of some; green where there are none.
    pub fn worst(lights: impl IntoIterator<Item = Self>) -> Self {
        lights.into_iter().fold(Self::Green, Self::worse)
    }
}
