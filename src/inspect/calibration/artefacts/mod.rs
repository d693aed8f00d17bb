//! Calibration artefacts: their named regions, and the artefact frame that each instrument determines from them.

pub mod angled_slots;
pub mod balls;
pub mod drawn;
mod edges;
mod five_planes;
pub mod frustum;
mod invariants;
pub mod marked_plate;
mod plane_and_lines;
pub(super) mod propagation;
mod recognition;
mod spheres;
mod systematic;

use nalgebra::{DMatrix, Matrix6};
use serde::{Deserialize, Serialize};

pub use drawn::{Drawn, Imperfect};
pub use invariants::{Aspect, Invariant, Invariants};
pub use recognition::{MIN_MATCHING_SHARE, MIRROR_MARGIN};
pub use spheres::radius_biases;
pub use systematic::{ErrorForm, ErrorSize, Field, Systematic};

use crate::features::{Fit, NoiseCorrelation, Options};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Pose, Subset, Vector};
use propagation::frame_block;
use systematic::SystematicPropagation;

/// Kinds of artefact that a sensor can be calibrated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ArtefactKind {
    /// A plate with a long and a short slot cut with a double-angle cutter.
    #[default]
    AngledSlots,
    /// A frustum: a flat top, and four flanks that fall away from it.
    Frustum,
    /// Three spheres on one plate.
    ThreeSpheres,
    /// One sphere, scanned from several positions of the CMM.
    Sphere,
    /// A plate with a long and a short square-edged slot.
    SquareSlots,
    /// A white plate with a long and a short black slot.
    GreyscaleSlots,
    /// A plate with two lines drawn by a pen in the CMM's head.
    PenLines,
}

impl ArtefactKind {
    /// All kinds, in the order of menus.
    pub const ALL: [Self; 7] = [
        Self::AngledSlots,
        Self::Frustum,
        Self::ThreeSpheres,
        Self::Sphere,
        Self::SquareSlots,
        Self::GreyscaleSlots,
        Self::PenLines,
    ];

    /// The artefact of this kind.
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
    /// The drawing of this kind, for the simulator.
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
    /// Name in files.
    pub short: &'static str,
    /// Name shown to the operator.
    pub long: &'static str,
}

const fn region_name(short: &'static str, long: &'static str) -> RegionName {
    RegionName { short, long }
}

/// How an instrument measured the regions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Stylus tip radius if the points are tip centres, mm; 0 for points on the surface.
    pub probe_radius_mm: f64,
    /// Rejection threshold for points of other faces, in robust standard deviations; `None` rejects none.
    pub clip_sigmas: Option<f64>,
    /// Maximum systematic error of the sensor over its field, mm; 0 for a CMM.
    pub bias_mm: f64,
    /// Maximum relative scale error of the sensor; `None` derives it from the maximum systematic error.
    pub scale: Option<f64>,
    /// Field that all snapshots together fill; `None` uses that of the points at hand.
    pub field: Option<Field>,
    /// Maximum probing error of a CMM, mm, either sign: the part common to all probed points of a face.
    pub probing_mm: f64,
    /// Maximum angle of incidence for points on curved faces, degrees, as seen from the origin; `None` for a CMM.
    pub incidence_deg: Option<f64>,
}

impl Measured {
    /// Returns an error if the stylus tip radius is negative or not finite.
    pub(super) fn check(&self) -> Result<()> {
        if self.probe_radius_mm >= 0.0 && self.probe_radius_mm.is_finite() {
            return Ok(());
        }
        Err(UserError::usage("The stylus tip radius must be 0 mm or more."))
    }

    /// Accumulator of the systematic error's effect on the given number of quantities; `None` if there is no such
    /// error.
    fn systematic(&self, regions: &[Vec<Point>], quantities: usize) -> Option<SystematicPropagation> {
        let field = self.field.unwrap_or_else(|| Field::of(regions.iter().flatten()));
        let size = ErrorSize {
            size_mm: self.bias_mm,
            scale: self.scale.unwrap_or_else(|| field.scale_of(self.bias_mm)),
            field,
        };
        (size.size_mm > 0.0 || size.scale > 0.0).then(|| SystematicPropagation::new(size, quantities))
    }

    /// Standard deviation of the probing error common to all points of a face, mm: rectangular distribution between its
    /// limits.
    fn probing_sigma_mm(&self) -> f64 {
        self.probing_mm / 3.0_f64.sqrt()
    }

    /// Options for fitting the parts.
    pub(super) fn options(&self) -> Options {
        // The sensor is at the origin of its points.
        let eye = self.incidence_deg.map(|_| Point::origin());
        let within = eye.map(|_| five_planes::MAX_CORRELATION_LENGTH_MM);
        Options { clip_sigmas: self.clip_sigmas, correlation_within_mm: within, eye, ..Options::default() }
    }

    /// Restates the uncertainties of fits of one kind to `points` with the noise correlation pooled over all of them:
    /// each alone estimates it poorly.
    pub(super) fn restate_pooled(&self, fits: &mut [Fit], points: &[Vec<Point>]) {
        let options = self.options();
        if options.correlation_within_mm.is_none() {
            // Correlation lengths chosen for each part separately are not comparable.
            return;
        }
        if let Some(noise) = NoiseCorrelation::pooled(fits.iter().filter_map(|fit| fit.uncertainty.noise)) {
            fits.iter_mut().zip(points).for_each(|(fit, points)| fit.restate(points, &options, noise));
        }
    }
}

/// Returns an error if a region holds fewer than `min_points` points.
pub(super) fn check_point_counts(names: &[RegionName], regions: &[Vec<Point>], min_points: usize) -> Result<()> {
    for (region, points) in names.iter().zip(regions) {
        if points.len() < min_points {
            let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
            return Err(UserError::input(format!(
                "The region {} ({}) holds {} points; it needs {} or more.",
                region.short,
                region.long,
                points.len(),
                words.get(min_points).map_or_else(|| min_points.to_string(), |word| (*word).to_owned())
            )));
        }
    }
    if regions.len() == names.len() {
        Ok(())
    } else {
        Err(UserError::internal("The regions are those of another artefact."))
    }
}

/// The points that a fit used, without those that it rejected.
pub(super) fn used_points<'a>(points: &'a [Point], fit: &Fit) -> impl Iterator<Item = &'a Point> {
    let mut dropped = fit.dropped.iter().peekable();
    (0..).zip(points).filter(move |(index, _)| dropped.next_if_eq(&index).is_none()).map(|(_, point)| point)
}

/// Centroid of the points.
pub(super) fn centroid(points: &[Point]) -> Point {
    Point::from(points.iter().map(|point| point.coords).sum::<Vector>() / points.len().max(1) as f64)
}

/// An artefact: named regions, and how its frame is determined from them.
pub trait Artefact: Sync {
    /// Name shown to the operator.
    fn name(&self) -> &'static str;

    /// Regions, in the order expected by [`Artefact::frame`].
    fn regions(&self) -> &'static [RegionName];

    /// Which translations along and rotations about X, Y and Z it determines from one position.
    fn determines(&self) -> [bool; 6];

    /// Points that each region's part is fitted to, from a snapshot (right-handed, mm; sensor at the origin): the
    /// region's own points, unless the artefact is defined by edges.
    ///
    /// Returns an error if a region does not show what it should.
    fn extract(&self, cloud: &Cloud, regions: &[Subset]) -> Result<Vec<Vec<Point>>> {
        let point = |&index: &u32| cloud.points.get(index as usize).copied();
        Ok(regions.iter().map(|region| region.iter().filter_map(point).collect()).collect())
    }

    /// Whether its regions contain edges or marks rather than faces.
    fn is_told_by_edges(&self) -> bool {
        false
    }

    /// Note on effects that are not modelled but covered by its uncertainties, if any.
    fn unmodelled_note(&self) -> Option<&'static str> {
        None
    }

    /// Determines the artefact's frame from the points of each region, right-handed, mm.
    ///
    /// Returns an error if a region holds too few points, if the regions do not have the shape of the faces that they
    /// are named after, or if regions are exchanged.
    fn frame(&self, regions: &[Vec<Point>], measured: &Measured, progress: &Progress) -> Result<ArtefactFrame>;

    /// Frame from the planes of its parts, with normals of either sign; `None` if the artefact does not consist of
    /// planes.
    fn frame_of_planes(&self, planes: &[(Point, Vector)], probe_radius_mm: f64) -> Option<Result<Pose>> {
        let _ = (planes, probe_radius_mm);
        None
    }

    /// Finds its regions in a whole snapshot, right-handed, mm; sensor at the origin.
    ///
    /// Returns an error if the artefact is not recognised.
    fn find(&self, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>>;

    /// Index of the region with that short name, ignoring case; an error if there is none.
    fn region_of_name(&self, name: &str) -> Result<usize> {
        let has_name = |region: &RegionName| region.short.eq_ignore_ascii_case(name.trim());
        self.regions().iter().position(has_name).ok_or_else(|| {
            let names: Vec<&str> = self.regions().iter().map(|region| region.short).collect();
            UserError::input(format!("“{name}” is no region of this artefact: it has {}.", names.join(", ")))
        })
    }
}

/// A fit that a frame was determined from.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Name of the fitted part.
    pub name: &'static str,
    /// Indices of the regions that it was fitted to, in the order of its residuals.
    pub regions: &'static [usize],
    /// The fit.
    pub fit: Fit,
    /// Contribution to the variances of the translations along (mm²) and rotations about (rad²) X, Y and Z of the
    /// artefact.
    pub shares: [f64; 6],
}

impl Part {
    /// From a fit and its contribution to the covariance of all quantities, the frame's first.
    pub(super) fn new(name: &'static str, regions: &'static [usize], fit: Fit, own: &DMatrix<f64>) -> Self {
        Self { name, regions, fit, shares: std::array::from_fn(|k| own[(k, k)]) }
    }
}

/// The artefact's frame as determined by one instrument.
#[derive(Clone, Debug, Serialize)]
pub struct ArtefactFrame {
    /// Maps the artefact's frame to the instrument's.
    pub device_from_artefact: Pose,
    /// Covariance of its translations (mm) and rotations (rad) along and about the artefact's own axes, caused by noise
    /// and by a systematic error in the form of waves.
    pub covariance: Matrix6<f64>,
    /// The same caused by noise alone.
    #[serde(skip)]
    pub noise: Matrix6<f64>,
    /// Effect of the systematic error on these translations and rotations.
    #[serde(skip)]
    pub systematic: Systematic,
    /// The fits that it was determined from.
    pub parts: Vec<Part>,
    /// Frame-independent quantities of the artefact.
    #[serde(skip)]
    pub invariants: Invariants,
}

impl ArtefactFrame {
    /// A frame without systematic error and without invariants.
    pub(super) fn noise_only(device_from_artefact: Pose, covariance: Matrix6<f64>, parts: Vec<Part>) -> Self {
        let (systematic, invariants) = (Systematic::none(propagation::FRAME_QUANTITIES), Invariants::default());
        Self { device_from_artefact, covariance, noise: covariance, systematic, parts, invariants }
    }

    /// From the covariance and systematic error of all quantities: the frame's, followed by those of the invariants.
    fn new(
        device_from_artefact: Pose,
        noise: &DMatrix<f64>,
        systematic: Option<SystematicPropagation>,
        parts: Vec<Part>,
        invariants: Vec<Invariant>,
    ) -> Self {
        let first = propagation::FRAME_QUANTITIES;
        let count = invariants.len();
        let systematic = systematic.map_or_else(|| Systematic::none(first + count), SystematicPropagation::finish);
        let (of_pose, of_artefact) = (systematic.quantities(0..first), systematic.quantities(first..first + count));
        let covariance = DMatrix::from_fn(count, count, |i, j| noise[(first + i, first + j)]);
        Self {
            device_from_artefact,
            covariance: frame_block(noise) + frame_block(&of_pose.waves()),
            noise: frame_block(noise),
            systematic: of_pose,
            parts,
            invariants: Invariants { quantities: invariants, covariance, systematic: of_artefact },
        }
    }

    /// The part that contributes most to the variance of the rotations.
    pub fn weakest(&self) -> Option<&Part> {
        let rotations = |part: &&Part| part.shares[3..].iter().sum::<f64>();
        self.parts.iter().max_by(|a, b| rotations(a).total_cmp(&rotations(b)))
    }
}

/// Quality of a part's fit as a traffic light, by its standard deviation relative to the expected noise: green up to
/// twice, amber up to four times, red beyond.
pub fn light(fit: &Fit, expected_sigma_mm: f64) -> Light {
    match fit.sigma_mm / expected_sigma_mm {
        ratio if ratio <= 2.0 => Light::Green,
        ratio if ratio <= 4.0 => Light::Amber,
        _ => Light::Red,
    }
}

/// Traffic light for a check, see [`light`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Light {
    /// As expected.
    Green,
    /// To be reviewed.
    Amber,
    /// To be repeated.
    Red,
}

impl Light {
    /// The worse of two lights.
    pub fn worse(self, other: Self) -> Self {
        let rank = |light: Self| match light {
            Self::Green => 0,
            Self::Amber => 1,
            Self::Red => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The worst of several lights; green if there are none.
    pub fn worst(lights: impl IntoIterator<Item = Self>) -> Self {
        lights.into_iter().fold(Self::Green, Self::worse)
    }
}
