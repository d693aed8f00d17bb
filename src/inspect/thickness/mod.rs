//! Wall thickness and gap width of a part, as a map over its surface.

mod recipe;

pub use compute::thickness::{Between, Method};
pub use recipe::ThicknessRecipe;

use serde::{Deserialize, Serialize};

use crate::deviation::judgement::percent;
use crate::verdict::Verdict;
use base::{Progress, Result, UserError};
use compute::{Backend, Compute, thickness};
use geometry::refine::{self, Expected};
use geometry::winding::{self, Orientation};
use geometry::{Mesh, OrderedPoints, Point, Surface, Vector, exposed, triangle};

/// Parameters of a thickness map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// What is measured: walls or gaps.
    pub between: Between,
    /// How it is measured.
    pub method: Method,
    /// Greatest thickness that is looked for, mm.
    pub max_mm: f64,
    /// Least thickness allowed, mm; 0 for no limit.
    pub min_mm: f64,
    /// Greatest thickness allowed, mm, less than the greatest that is looked for; `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_thickness_mm: Option<f64>,
    /// Share of the surface that must have an opposite side within the greatest thickness for a PASS, 0 to 1. By default
    /// none, as the narrow sides of sheets and what is not a gap have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_coverage: f64,
    /// Longest edge of the facets that are measured at their centroids, mm; `None`: short enough for about 200,000 of
    /// them.
    pub spacing_mm: Option<f64>,
}

/// Whether nothing is required, which files do not state.
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// What a map without a limit says of its verdict.
const NO_LIMITS: &str = "Not judged: no limits.";
/// Facets of a map whose spacing is not given.
const FACETS: f64 = 200_000.0;
/// Most facets of a map.
const MAX_FACETS: f64 = 1e7;
/// Most spots that are listed.
const MAX_SPOTS: usize = 8;
/// Size of the pieces of facets along the edges where bodies overlap, in spacings of the map.
const SKIN_DETAIL: f64 = 0.25;
/// Thickness of a spot that is listed, at most, in medians.
const THIN: f64 = 0.98;
/// Distance between spots that are listed, in diagonals of the part.
const SPOT_DISTANCE: f64 = 0.05;

impl Default for Parameters {
    fn default() -> Self {
        Self {
            between: Between::Material,
            method: Method::Ball,
            max_mm: 10.0,
            min_mm: 0.0,
            max_thickness_mm: None,
            min_coverage: 0.0,
            spacing_mm: None,
        }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        if !(self.max_mm.is_finite() && self.max_mm > 0.0) {
            return Err(UserError::usage("The greatest thickness to look for must be a positive number of mm."));
        }
        if !(0.0..self.max_mm).contains(&self.min_mm) {
            return Err(UserError::usage(format!(
                "The least thickness allowed must be from 0 to less than {} mm, the greatest that is looked for.",
                self.max_mm
            )));
        }
        if self.max_thickness_mm.is_some_and(|limit_mm| !(limit_mm > self.min_mm && limit_mm < self.max_mm)) {
            return Err(UserError::usage(format!(
                "The greatest thickness allowed must be more than {} mm, the least allowed, and less than {} mm, the \
                 greatest that is looked for.",
                self.min_mm, self.max_mm
            )));
        }
        if !(0.0..=1.0).contains(&self.min_coverage) {
            return Err(UserError::usage("The minimum coverage must be from 0 to 1 (0 to 100 %)."));
        }
        if self.spacing_mm.is_some_and(|spacing| !(spacing.is_finite() && spacing > 0.0)) {
            return Err(UserError::usage("The spacing of a thickness map must be a positive number of mm."));
        }
        Ok(())
    }

    /// Whether there is a limit to judge by.
    pub fn has_limits(&self) -> bool {
        self.min_mm > 0.0 || self.max_thickness_mm.is_some()
    }
}

/// A point where the thickness is least, or greatest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ThinSpot {
    /// Position on the surface, nominal frame, mm.
    pub at: Point,
    /// Thickness there, mm.
    pub thickness_mm: f64,
}

/// Areas and thicknesses; percentiles are of the area that has an opposite side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Area of the part, mm².
    pub area_mm2: f64,
    /// Area with an opposite side within the greatest thickness, mm².
    pub measured_mm2: f64,
    /// Area with less than the least thickness allowed, mm².
    pub thin_mm2: f64,
    /// Area with more than the greatest thickness allowed, mm².
    pub thick_mm2: f64,
    /// Least thickness, mm.
    pub min_mm: f64,
    /// Thickness that 5 % of the area do not exceed, mm.
    pub p05_mm: f64,
    /// Thickness that half of the area do not exceed, mm.
    pub median_mm: f64,
    /// Greatest thickness, mm.
    pub max_mm: f64,
}

/// A map of wall thickness or gap width.
#[derive(Debug)]
pub struct ThicknessMap {
    /// How it was made.
    pub parameters: Parameters,
    /// The part in facets that are small enough, nominal frame.
    pub mesh: Mesh,
    /// Thickness at the centroid of each facet, mm; `None` if there is no opposite side within the greatest thickness.
    pub thickness_mm: Vec<Option<f64>>,
    /// Areas and thicknesses.
    pub statistics: Statistics,
    /// The points that are thinner than half of the area, apart from each other, the thinnest first.
    pub spots: Vec<ThinSpot>,
    /// The thickest point; `None` if nothing was measured.
    pub thickest: Option<ThinSpot>,
    /// What the result depends on, one sentence each.
    pub notes: Vec<String>,
}

/// Measures the thickness of a part over its surface.
///
/// Returns an error if the part has no facets, a parameter is out of range, the map would be too fine, or the work is
/// cancelled.
pub fn run(
    backend: &dyn Backend,
    surface: &Surface,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<ThicknessMap> {
    parameters.check()?;
    let area_mm2 = surface.mesh().area_mm2();
    if !(area_mm2 > 0.0 && area_mm2.is_finite()) {
        return Err(UserError::input("A part without area has no thickness."));
    }
    let (reversed, orientation) = winding::examine(surface);
    let mut notes = doubts(surface, &reversed, &orientation);
    let expected = Expected::of(surface.mesh());
    let spacing_mm = parameters.spacing_mm.unwrap_or_else(|| spacing_mm(&expected, FACETS));
    if expected.facets(spacing_mm) > MAX_FACETS {
        return Err(UserError::input(format!(
            "A map of {spacing_mm} mm would have too many facets; choose {:.3} mm or more.",
            self::spacing_mm(&expected, MAX_FACETS)
        )));
    }
    // The faces of bodies inside or on each other are no sides of walls.
    let is_united = orientation.is_union || orientation.touching_mm2 > 0.0;
    let is_of_walls = parameters.between == Between::Material;
    let skin = (is_united && is_of_walls).then(|| Surface::new(exposed::skin(surface, SKIN_DETAIL * spacing_mm)));
    let surface = skin.as_ref().unwrap_or(surface);
    let (mesh, _) = refine::to_max_edge(surface.mesh(), spacing_mm, &progress.part(0.0, 0.2))?;
    let samples: Vec<(Point, Vector)> = (0..mesh.facets.len())
        .map(|facet| mesh.corners(facet))
        .map(|corners| (triangle::centroid(&corners), triangle::normal(&corners)))
        .collect();
    let (points, normals): (Vec<Point>, Vec<Vector>) = samples.into_iter().unzip();
    let Parameters { between, method, max_mm, .. } = *parameters;
    let ordered = OrderedPoints::new(&points);
    let request = thickness::Request { surface, points: &ordered, normals: &normals, between, method, max_mm };
    let thickness_mm = backend.compute(&request, &progress.part(0.2, 1.0))?;
    let statistics = statistics(&mesh, &thickness_mm, parameters);
    let distance_mm = SPOT_DISTANCE * surface.bounds().diagonal();
    let spots = spots(&points, &thickness_mm, THIN * statistics.median_mm, distance_mm);
    let thickest = spots_of(&points, &thickness_mm).min_by_key(|own| own.rank(-1.0));
    if statistics.measured_mm2 <= 0.0 {
        notes.push(format!("Nowhere is there an opposite side within {max_mm} mm; look for a greater thickness."));
    }
    Ok(ThicknessMap { parameters: *parameters, mesh, thickness_mm, statistics, spots, thickest, notes })
}

/// The spacing at which about `count` facets result, or that of the longest edge if there are more already.
fn spacing_mm(expected: &Expected, count: f64) -> f64 {
    let longest_mm = expected.longest_mm();
    let (mut low, mut high) = (1e-4 * longest_mm, longest_mm);
    for _ in 0..30 {
        let middle = (low * high).sqrt();
        *(if expected.facets(middle) > count { &mut low } else { &mut high }) = middle;
    }
    high
}

/// What puts a thickness in doubt, one sentence each.
fn doubts(surface: &Surface, reversed: &[u32], orientation: &Orientation) -> Vec<String> {
    let mut notes = Vec::new();
    // Where bodies touch along edges, the mesh has edges of four facets, but no gap.
    let is_open = !surface.topology().is_closed() && orientation.touching_mm2 <= 0.0;
    if surface.topology().open_edges > 0 || is_open {
        notes.push("The part is not closed: where it has gaps, walls have no opposite side.".to_owned());
    }
    if !reversed.is_empty() {
        notes.push(format!(
            "{} facets face the wrong way, so walls and gaps are mistaken for each other there; unify the winding first.",
            reversed.len()
        ));
    }
    if orientation.undecided > 0 && !orientation.is_union {
        let shells = orientation.undecided;
        notes.push(format!("{shells} shells overlap; their faces inside each other count as sides of walls."));
    }
    notes
}

fn statistics(mesh: &Mesh, thickness_mm: &[Option<f64>], parameters: &Parameters) -> Statistics {
    let area = |facet: usize| 0.5 * triangle::area_vector(&mesh.corners(facet)).norm();
    let measured = thickness_mm.iter().enumerate().filter_map(|(facet, own)| Some(((*own)?, area(facet))));
    let mut measured: Vec<(f64, f64)> = measured.collect();
    measured.sort_by(|a, b| a.0.total_cmp(&b.0));
    let measured_mm2: f64 = measured.iter().map(|(_, area)| area).sum();
    let at = |share: f64| {
        let mut below_mm2 = 0.0;
        let reached = measured.iter().find(|(_, area)| {
            below_mm2 += area;
            below_mm2 >= share * measured_mm2
        });
        reached.or(measured.last()).map_or(0.0, |(mm, _)| *mm)
    };
    let limit_mm = parameters.max_thickness_mm.unwrap_or(f64::INFINITY);
    Statistics {
        area_mm2: (0..mesh.facets.len()).map(area).sum(),
        measured_mm2,
        // The sum of nothing is -0.
        thin_mm2: 0.0 + measured.iter().take_while(|(mm, _)| *mm < parameters.min_mm).map(|own| own.1).sum::<f64>(),
        thick_mm2: 0.0 + measured.iter().rev().take_while(|(mm, _)| *mm > limit_mm).map(|own| own.1).sum::<f64>(),
        min_mm: measured.first().map_or(0.0, |(mm, _)| *mm),
        p05_mm: at(0.05),
        median_mm: at(0.5),
        max_mm: measured.last().map_or(0.0, |(mm, _)| *mm),
    }
}

impl ThinSpot {
    /// By thickness, times `sign`, and of spots as thick by position, both to a nanometre: so that which comes first depends neither on
    /// the order of facets nor on rounding.
    fn rank(&self, sign: f64) -> (i64, [i64; 3]) {
        let nanometres = |mm: f64| (1e6 * mm).round() as i64;
        (nanometres(sign * self.thickness_mm), self.at.coords.map(nanometres).into())
    }
}

/// The points that were measured.
fn spots_of(points: &[Point], thickness_mm: &[Option<f64>]) -> impl Iterator<Item = ThinSpot> {
    points.iter().zip(thickness_mm).filter_map(|(at, own)| Some(ThinSpot { at: *at, thickness_mm: (*own)? }))
}

/// The thinnest points of at most `max_mm`, at least `distance_mm` apart.
fn spots(points: &[Point], thickness_mm: &[Option<f64>], max_mm: f64, distance_mm: f64) -> Vec<ThinSpot> {
    let found = spots_of(points, thickness_mm);
    let mut found: Vec<ThinSpot> = found.filter(|spot| spot.thickness_mm <= max_mm).collect();
    found.sort_by_cached_key(|own| own.rank(1.0));
    let mut kept: Vec<ThinSpot> = Vec::new();
    for spot in found {
        if kept.len() == MAX_SPOTS {
            break;
        }
        if kept.iter().all(|own| (own.at - spot.at).norm() >= distance_mm) {
            kept.push(spot);
        }
    }
    kept
}

impl ThicknessMap {
    /// What was measured, as a word of a sentence.
    pub fn quantity(&self) -> &'static str {
        match self.parameters.between {
            Between::Material => "wall thickness",
            Between::Air => "gap width",
        }
    }

    /// The result in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let Statistics { area_mm2, measured_mm2, thin_mm2, thick_mm2, min_mm, p05_mm, median_mm, max_mm } =
            self.statistics;
        let (what, limits) = (self.quantity(), self.parameters);
        let mut sentences = Vec::new();
        if measured_mm2 > 0.0 {
            sentences.push(format!(
                "The {what} is {min_mm:.4} mm at least, {p05_mm:.4} mm at 5 %, {median_mm:.4} mm at half and \
                 {max_mm:.4} mm at most of the area that has an opposite side within {} mm: {:.1} % of the part.",
                limits.max_mm,
                100.0 * measured_mm2 / area_mm2
            ));
        }
        if !limits.has_limits() {
            sentences.push(NO_LIMITS.to_owned());
        }
        if limits.min_mm > 0.0 {
            sentences.push(format!(
                "On {:.2} cm² ({:.2} % of the part) it is less than {} mm.",
                thin_mm2 / 100.0,
                100.0 * thin_mm2 / area_mm2,
                limits.min_mm
            ));
        }
        if let Some(limit_mm) = limits.max_thickness_mm {
            sentences.push(format!(
                "On {:.2} cm² ({:.2} % of the part) it is more than {limit_mm} mm.",
                thick_mm2 / 100.0,
                100.0 * thick_mm2 / area_mm2,
            ));
            if !self.is_covered(1.0) {
                sentences.push(format!(
                    "Where there is no opposite side within {} mm, it was not judged whether it is too thick.",
                    limits.max_mm
                ));
            }
        }
        if limits.has_limits() && !self.is_covered(limits.min_coverage) {
            sentences.push(format!(
                "Only {} of the nominal's surface was measured; {} are required.",
                percent(self.coverage()),
                percent(limits.min_coverage)
            ));
        }
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    /// Share of the surface that has an opposite side within the greatest thickness, 0 to 1.
    pub fn coverage(&self) -> f64 {
        self.statistics.measured_mm2 / self.statistics.area_mm2
    }

    /// Whether that share is measured.
    fn is_covered(&self, share: f64) -> bool {
        // Rounding errors of the sums must not count as missing surface.
        self.coverage() >= share - 1e-9
    }

    /// Fail if something is thinner or thicker than allowed; incomplete if nothing or too little was measured, or something
    /// puts the map in doubt; `None` without a limit. Where there is no opposite side within the greatest thickness,
    /// nothing is judged.
    pub fn verdict(&self) -> Option<Verdict> {
        self.least_verdict().into_iter().chain(self.greatest_verdict()).reduce(Verdict::and)
    }

    /// The verdict by the least thickness allowed; `None` without one.
    pub fn least_verdict(&self) -> Option<Verdict> {
        (self.parameters.min_mm > 0.0).then(|| self.verdict_of(self.statistics.thin_mm2))
    }

    /// The verdict by the greatest thickness allowed; `None` without one.
    pub fn greatest_verdict(&self) -> Option<Verdict> {
        self.parameters.max_thickness_mm.map(|_| self.verdict_of(self.statistics.thick_mm2))
    }

    fn verdict_of(&self, out_mm2: f64) -> Verdict {
        let is_enough = self.statistics.measured_mm2 > 0.0 && self.is_covered(self.parameters.min_coverage);
        match (out_mm2 > 0.0, is_enough && self.notes.is_empty()) {
            (true, _) => Verdict::Fail,
            (false, true) => Verdict::Pass,
            (false, false) => Verdict::Incomplete,
        }
    }

    /// Share of the surface that a verdict applies to, in words.
    pub fn covered(&self) -> String {
        format!("on {:.1} % of the surface", 100.0 * self.coverage())
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        self.mesh.bytes() + size_of_val(self.thickness_mm.as_slice()) as u64
    }
}

#[cfg(test)]
mod tests;
