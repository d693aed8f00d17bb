//! Sections: a nominal and a scan of it cut by planes, and the deviations in them.

pub mod contour;
pub mod curve;
pub mod dimension;
pub mod drawing;
mod edge;
mod fitted;
mod gap;
pub mod measured;
mod outline;
pub mod plane;
mod recipe;
#[cfg(test)]
mod tests;
pub mod trials;
pub mod whiskers;

use serde::{Deserialize, Serialize};

use crate::deviation::{DEFAULT_MIN_COVERAGE, Tolerance, faces};
use crate::parts::{Actual, Nominal};
use crate::verdict::Verdict;
use base::{Progress, Result, UserError};
use compute::Backend;
use contour::Contour;
use curve::{Curve, Stations};
use dimension::{Dimension, MAX_DIMENSIONS, MeasuredDimension};
use geometry::{Point, Pose, plane_cut};
use measured::{Measured, Scan};
use outline::Run;
pub use plane::{Placement, PlanePoint, SectionPlane};
pub use recipe::SectionRecipe;
use whiskers::Whisker;

/// Most sections of one recipe.
const MAX_PLANES: usize = 1000;
/// Pieces that an edge is drawn with.
const EDGE_PIECES: usize = 256;
/// Half the thickness of the slab about a plane, and the distance of whiskers, in spacings of the scan's points.
const HALF_WIDTH_SPACINGS: f64 = 1.5;
const WHISKER_SPACINGS: f64 = 3.0;
/// Most whiskers along all contours of a plane.
const MAX_WHISKERS: f64 = 2000.0;
/// A single piece out of tolerance fails a section only with at least so many points.
const MIN_POINTS_OF_ONE: usize = 6;

/// Rounding errors of sums must not count as a missing piece of a contour, as a share.
const ROUNDING: f64 = 1e-9;

/// Up to this share of the points may lie beyond the maximum distance as strays.
const MAX_STRAY_SHARE: f64 = 0.005;

/// How a section is cut and judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Where the first plane lies.
    pub placement: Placement,
    /// Number of parallel planes, or of those along a curve or an edge.
    pub count: usize,
    /// Distance from each plane to the next along the normal, mm; along the axis for planes perpendicular to one, along the
    /// curve or edge for planes perpendicular to that.
    pub spacing_mm: f64,
    /// Half the thickness of the slab whose points are taken, mm; `None` derives it from the point spacing.
    pub half_width_mm: Option<f64>,
    /// Maximum distance of a point from the nominal, mm.
    pub max_distance_mm: f64,
    /// Allowed deviations in the plane.
    pub tolerance: Tolerance,
    /// Minimum share of the contour of each plane that must be measured for a PASS, 0 to 1.
    pub min_coverage: f64,
    /// Dimensions in its planes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<Dimension>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            placement: Placement::Axis { axis: 2, at_mm: 0.0 },
            count: 1,
            spacing_mm: 10.0,
            half_width_mm: None,
            max_distance_mm: 2.0,
            tolerance: Tolerance::default(),
            min_coverage: DEFAULT_MIN_COVERAGE,
            dimensions: Vec::new(),
        }
    }
}

/// One plane of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaneSection {
    /// Its number among those of the parameters, from 0.
    pub number: usize,
    /// The plane.
    pub plane: SectionPlane,
    /// Where it lies, in words.
    pub name: String,
    /// Contours of the nominal.
    pub contours: Vec<Contour>,
    /// Points of the scan; none without a scan.
    pub measured: Measured,
    /// Deviations along the contours; none without a scan.
    pub whiskers: Vec<Whisker>,
}

impl PlaneSection {
    /// The position on the contours of the nominal that is nearest to one in the plane; `None` without contours.
    pub fn on_contour(&self, at: PlanePoint) -> Option<PlanePoint> {
        outline::nearest(&self.contours, at).map(|own| own.at)
    }

    /// Pairs of neighbouring whiskers; those of a closed contour go on where it began.
    fn neighbours(&self) -> impl Iterator<Item = [&Whisker; 2]> {
        self.whiskers.chunk_by(|a, b| a.contour == b.contour).flat_map(|own| {
            let contour = self.contours.get(own[0].contour as usize);
            let around = contour.filter(|contour| contour.is_closed && own.len() > 2);
            let pairs = own.windows(2).map(|pair| [&pair[0], &pair[1]]);
            pairs.chain(around.map(|_| [&own[own.len() - 1], &own[0]]))
        })
    }

    /// Length of its contours, mm.
    pub fn length_mm(&self) -> f64 {
        self.contours.iter().map(Contour::length_mm).sum()
    }

    /// Share of its contours that was measured, 0 to 1.
    pub fn coverage(&self) -> f64 {
        let measured = self.whiskers.iter().filter(|own| own.deviation_mm.is_some());
        measured.map(Whisker::length_mm).sum::<f64>() / self.length_mm().max(f64::MIN_POSITIVE)
    }

    /// Corners of the line or arc of the nominal that is nearest to a position in the plane.
    pub fn line_at(&self, at: PlanePoint) -> Vec<PlanePoint> {
        Run::at(&self.contours, at).map(|(own, _)| own.corners(&self.contours)).unwrap_or_default()
    }
}

/// A section, nominal frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// How it was made.
    pub parameters: Parameters,
    /// Its planes that meet the nominal.
    pub planes: Vec<PlaneSection>,
    /// The edge of the nominal that its planes are perpendicular to, as points along it, mm; empty for other planes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edge: Vec<Point>,
    /// Whether a scan was compared.
    pub is_compared: bool,
    /// Half the thickness of the slab used, mm; 0 without a scan.
    pub half_width_mm: f64,
    /// Its dimensions, in the order of the parameters.
    pub dimensions: Vec<MeasuredDimension>,
    /// What the operator should know, one sentence each.
    pub notes: Vec<String>,
}

/// What all planes together show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Length of the nominal's contours, mm.
    pub length_mm: f64,
    /// Length of the pieces that were measured, mm.
    pub measured_mm: f64,
    /// Length of the pieces in tolerance, mm.
    pub in_tolerance_mm: f64,
    /// Mean deviation by length, mm.
    pub mean_mm: f64,
    /// Root mean square by length, mm.
    pub rms_mm: f64,
    /// Smallest deviation of a piece, mm.
    pub min_mm: f64,
    /// Largest deviation of a piece, mm.
    pub max_mm: f64,
}

impl Parameters {
    /// Returns an error if a plane cannot be placed or a number is out of range.
    pub fn check(&self) -> Result<()> {
        self.tolerance.check()?;
        if self.count == 0 || self.count > MAX_PLANES {
            return Err(UserError::usage(format!("The number of planes must be from 1 to {MAX_PLANES}.")));
        }
        if let Placement::Edge { point, every_spacing } = &self.placement {
            if !point.iter().all(|mm| mm.is_finite()) {
                return Err(UserError::usage("The coordinates of the point at an edge must be finite numbers."));
            }
            self.spaced(*every_spacing).check()?;
        } else if self.stations()?.is_none() {
            self.placement.plane()?;
            if self.count > 1 && !(self.spacing_mm.is_finite() && self.spacing_mm != 0.0) {
                return Err(UserError::usage("The distance between parallel planes must not be 0 mm."));
            }
        }
        // NaN is refused too.
        let is_wrong = |mm: f64| !(mm > 0.0 && mm.is_finite());
        if self.half_width_mm.is_some_and(is_wrong) || is_wrong(self.max_distance_mm) {
            return Err(UserError::usage("The width of a section and the maximum distance must be positive."));
        }
        if !(0.0..=1.0).contains(&self.min_coverage) {
            return Err(UserError::usage("The required share of the contour must be from 0 to 100 %."));
        }
        if self.dimensions.len() > MAX_DIMENSIONS {
            return Err(UserError::usage(format!("A section has at most {MAX_DIMENSIONS} dimensions.")));
        }
        if let Some(wrong) = self.dimensions.iter().find_map(Dimension::wrong) {
            return Err(UserError::usage(wrong));
        }
        Ok(())
    }

    /// How the stations of a curve or an edge lie along it.
    fn spaced(&self, every_spacing: bool) -> Stations {
        if every_spacing { Stations::Every(self.spacing_mm) } else { Stations::Count(self.count) }
    }

    /// The curve that its planes are perpendicular to, and where they lie along it, mm; `None` for parallel planes, and for
    /// those along an edge.
    fn stations(&self) -> Result<Option<(Curve, Vec<f64>)>> {
        let Placement::Curve { points, is_closed, every_spacing } = &self.placement else { return Ok(None) };
        let curve = Curve::through(points, *is_closed)?;
        let stations_mm = curve.stations_mm(self.spaced(*every_spacing))?;
        Ok(Some((curve, stations_mm)))
    }

    /// All planes, with their positions in words; and points along the edge that they are perpendicular to, if one tells
    /// where they lie.
    fn planes(&self, nominal: &Nominal) -> Result<(Vec<NamedPlane>, Vec<Point>)> {
        let along = |curve: &Curve, stations_mm: Vec<f64>, what: &str| {
            let at = |along_mm: f64| {
                let rounded_mm = (1e3 * along_mm).round() / 1e3;
                Ok((curve.plane_at(along_mm)?, format!("{rounded_mm} mm along the {what}")))
            };
            stations_mm.into_iter().map(at).collect::<Result<Vec<_>>>()
        };
        if let Placement::Edge { point, every_spacing } = &self.placement {
            let edge = edge::nearest(nominal, point)?;
            let stations_mm = edge.inner_stations_mm(self.spaced(*every_spacing))?;
            return Ok((along(&edge, stations_mm, "edge")?, edge.outline(EDGE_PIECES)));
        }
        if let Some((curve, stations_mm)) = self.stations()? {
            return Ok((along(&curve, stations_mm, "curve")?, Vec::new()));
        }
        let first = self.placement.plane()?;
        let of = |index: usize| match self.placement {
            // A step along the axis, whichever way the section is seen.
            Placement::Axis { axis, at_mm } => {
                let own = Placement::Axis { axis, at_mm: at_mm + index as f64 * self.spacing_mm };
                Ok((own.plane()?, own.describe()))
            }
            _ if self.count == 1 => Ok((first, self.placement.describe())),
            _ => {
                let by_mm = index as f64 * self.spacing_mm;
                Ok((first.moved(by_mm), format!("{by_mm} mm above the first")))
            }
        };
        Ok(((0..self.count).map(of).collect::<Result<_>>()?, Vec::new()))
    }
}

/// A plane, and where it lies in words.
type NamedPlane = (SectionPlane, String);

/// Cuts `nominal`, and the scan if there is one, with its pose `nominal_from_scan`.
///
/// Returns an error for wrong parameters, if no plane meets the nominal, or if the work is cancelled.
pub fn run(
    backend: &dyn Backend,
    nominal: &Nominal,
    scan: Option<(&Actual, Pose)>,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Section> {
    parameters.check()?;
    let mesh = nominal.surface.mesh();
    let spacing_mm = scan.as_ref().map_or(0.0, |(actual, _)| faces::spacing_mm(&actual.prepared.ordered));
    let half_width_mm = parameters.half_width_mm.unwrap_or(HALF_WIDTH_SPACINGS * spacing_mm).max(1e-6);
    let scan = scan.map(|(actual, nominal_from_scan)| Scan {
        actual,
        nominal_from_scan,
        half_width_mm,
        max_distance_mm: parameters.max_distance_mm,
    });
    let (mut planes, mut missed) = (Vec::new(), Vec::new());
    let (wanted, edge) = parameters.planes(nominal)?;
    for (index, (plane, name)) in wanted.iter().enumerate() {
        let part = progress.part(index as f32 / wanted.len() as f32, (index + 1) as f32 / wanted.len() as f32);
        part.report(0.0, "Cutting the nominal")?;
        let lines = plane_cut::cut(mesh, &plane.origin, &plane.normal);
        if lines.is_empty() {
            missed.push(name.as_str());
            continue;
        }
        let contours: Vec<Contour> = lines.iter().map(|line| Contour::new(line, mesh, plane)).collect();
        let (mut measured, mut whiskers) = (Measured::default(), Vec::new());
        if let Some(scan) = &scan {
            measured = measured::measure(backend, nominal, scan, (plane, &contours), &part)?;
            let length_mm: f64 = contours.iter().map(Contour::length_mm).sum();
            whiskers = whiskers::of(
                &contours,
                &measured.points,
                (WHISKER_SPACINGS * spacing_mm).max(length_mm / MAX_WHISKERS),
            );
        }
        planes.push(PlaneSection { number: index, plane: *plane, name: name.clone(), contours, measured, whiskers });
    }
    if planes.is_empty() {
        return Err(nothing_met(nominal, parameters));
    }
    let mut notes = Vec::new();
    if !missed.is_empty() {
        let (first, count) = (missed.first().copied().unwrap_or_default(), missed.len());
        notes.push(match count {
            1 => format!("The plane {first} does not meet the nominal."),
            _ => format!("{count} planes, the first {first}, do not meet the nominal."),
        });
    }
    let too_far: usize = planes.iter().map(|own| own.measured.too_far).sum();
    if too_far > 0 {
        notes.push(format!(
            "{} farther than {} mm from the nominal: extra or missing material, or other objects; not judged.",
            match too_far {
                1 => "1 point at the planes lies".to_owned(),
                count => format!("{count} points at the planes lie"),
            },
            parameters.max_distance_mm
        ));
    }
    let (is_compared, half_width_mm) = (scan.is_some(), scan.map_or(0.0, |own| own.half_width_mm));
    let dimensions = parameters.dimensions.iter().map(|own| own.measure(&planes, is_compared)).collect();
    Ok(Section { parameters: parameters.clone(), planes, edge, is_compared, half_width_mm, dimensions, notes })
}

fn nothing_met(nominal: &Nominal, parameters: &Parameters) -> UserError {
    let bounds = nominal.surface.bounds();
    let reach = match &parameters.placement {
        &Placement::Axis { axis, .. } if axis < 3 => {
            let name = plane::AXES[axis];
            format!("it reaches from {name} = {:.3} mm to {:.3} mm", bounds.min[axis], bounds.max[axis])
        }
        _ => {
            let [low, high] = [bounds.min, bounds.max].map(|p| format!("{:.1}, {:.1}, {:.1}", p.x, p.y, p.z));
            format!("it reaches from {low} mm to {high} mm")
        }
    };
    UserError::input(format!("The section does not meet the nominal: {reach}."))
}

impl Section {
    /// Names and results of the dimensions in one of its planes.
    pub fn dimensions_of(&self, plane: &PlaneSection) -> impl Iterator<Item = (String, &MeasuredDimension)> {
        let number = plane.number;
        self.dimension_names().zip(&self.dimensions).filter(move |(_, own)| own.dimension.plane == number)
    }

    /// Names of its dimensions: what they measure, numbered.
    pub fn dimension_names(&self) -> impl Iterator<Item = String> {
        (1..).zip(&self.dimensions).map(|(number, own)| format!("{} {number}", own.dimension.kind.name()))
    }

    /// What all its planes together show.
    pub fn statistics(&self) -> Statistics {
        let mut own = Statistics { min_mm: f64::INFINITY, max_mm: f64::NEG_INFINITY, ..Statistics::default() };
        own.length_mm = self.planes.iter().map(PlaneSection::length_mm).sum();
        let (mut sum, mut squares) = (0.0, 0.0);
        for whisker in self.whiskers() {
            let Some(deviation_mm) = whisker.deviation_mm else { continue };
            let length_mm = whisker.length_mm();
            own.measured_mm += length_mm;
            if self.parameters.tolerance.allows(deviation_mm) {
                own.in_tolerance_mm += length_mm;
            }
            sum += length_mm * deviation_mm;
            squares += length_mm * deviation_mm * deviation_mm;
            own.min_mm = own.min_mm.min(deviation_mm);
            own.max_mm = own.max_mm.max(deviation_mm);
        }
        if own.measured_mm > 0.0 {
            own.mean_mm = sum / own.measured_mm;
            own.rms_mm = (squares / own.measured_mm).sqrt();
        } else {
            (own.min_mm, own.max_mm) = (f64::NAN, f64::NAN);
        }
        own
    }

    fn whiskers(&self) -> impl Iterator<Item = &Whisker> {
        self.planes.iter().flat_map(|plane| &plane.whiskers)
    }

    /// Verdict on the measured contours; `None` if nothing was compared.
    ///
    /// A single piece of few points out of tolerance does not fail a section: two neighbours do, or one of many points.
    /// More than a few points beyond the maximum distance may be a defect or another object: then nothing passes, and neither
    /// where less than the required share of the contour of any plane was measured. A
    /// dimension out of its limits fails the section, one that was not measured or is in doubt leaves it open.
    pub fn verdict(&self) -> Option<Verdict> {
        let dimensions = || self.dimensions.iter().filter_map(MeasuredDimension::verdict);
        let own = self.verdict_of_contours()?;
        Some(match own {
            _ if dimensions().any(|own| own == Verdict::Fail) => Verdict::Fail,
            Verdict::Pass if dimensions().any(|own| own == Verdict::Incomplete) => Verdict::Incomplete,
            own => own,
        })
    }

    /// Verdict on the contours alone, without the dimensions; `None` if nothing was compared.
    pub fn verdict_of_contours(&self) -> Option<Verdict> {
        if !self.is_compared {
            return None;
        }
        let is_out = |own: &Whisker| own.deviation_mm.is_some_and(|mm| !self.parameters.tolerance.allows(mm));
        let fails = self.planes.iter().any(|plane| {
            plane.whiskers.iter().any(|own| is_out(own) && own.points >= MIN_POINTS_OF_ONE)
                || plane.neighbours().any(|pair| pair.into_iter().all(is_out))
        });
        let own = self.statistics();
        Some(match fails {
            true => Verdict::Fail,
            false if self.has_much_beyond() => Verdict::Incomplete,
            // NaN is not enough either.
            false if own.measured_mm > 0.0 && self.short_plane().is_none() => Verdict::Pass,
            false => Verdict::Incomplete,
        })
    }
}

impl Section {
    /// The plane of the least measured contour, if that is less than required; `None` if all are measured as required.
    pub fn short_plane(&self) -> Option<&PlaneSection> {
        let least = self.planes.iter().min_by(|a, b| a.coverage().total_cmp(&b.coverage()));
        least.filter(|own| own.coverage() < self.parameters.min_coverage - ROUNDING)
    }

    /// The longest piece of a contour that was not measured: its length, mm, and its middle, nominal frame. `None` if all was.
    pub fn largest_gap(&self) -> Option<(f64, Point)> {
        let mut gaps: Vec<(f64, Point)> = Vec::new();
        for plane in &self.planes {
            let is_missing = |own: &Whisker| own.deviation_mm.is_none();
            for own in plane.whiskers.chunk_by(|a, b| a.contour == b.contour) {
                // A closed contour goes on where it began.
                let is_closed = plane.contours.get(own[0].contour as usize).is_some_and(|own| own.is_closed);
                let begin = if is_closed { own.iter().position(|own| !is_missing(own)).unwrap_or(0) } else { 0 };
                let around: Vec<&Whisker> = own[begin..].iter().chain(&own[..begin]).collect();
                for run in around.chunk_by(|a, b| is_missing(a) == is_missing(b)).filter(|run| is_missing(run[0])) {
                    let length_mm = run.iter().map(|own| own.length_mm()).sum();
                    gaps.push((length_mm, plane.plane.outward(run[run.len() / 2].at)));
                }
            }
        }
        gaps.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether more points than strays lie beyond the maximum distance.
    fn has_much_beyond(&self) -> bool {
        let count = |of: fn(&Measured) -> usize| self.planes.iter().map(|own| of(&own.measured)).sum::<usize>();
        let (beyond, measured) = (count(|own| own.too_far), count(|own| own.points.len()));
        beyond >= MIN_POINTS_OF_ONE && beyond as f64 > MAX_STRAY_SHARE * measured as f64
    }
}

impl Statistics {
    /// Share of the contours that was measured, 0 to 1.
    pub fn coverage(&self) -> f64 {
        if self.length_mm > 0.0 { self.measured_mm / self.length_mm } else { 0.0 }
    }
}
