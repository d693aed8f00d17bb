//! Deviation of a scan from its nominal: the deviation map, its statistics, regions out of tolerance, coverage of the
//! nominal, and the verdict.

pub mod check;
mod colours;
pub mod coverage;
mod directional;
pub(crate) mod faces;
pub mod histogram;
pub mod judgement;
pub mod measurement;
mod on_nominal;
pub mod own_scale;
pub mod own_tolerances;
pub mod part_match;
mod planar;
mod recipe;
pub mod regions;
pub mod statistics;
pub mod tolerance;

use std::cell::LazyCell;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use crate::parts::Scan;
pub use crate::verdict::Verdict;
use base::{Progress, Result, UserError, signed};
pub use check::Check;
pub use colours::Colours;
use compute::facet_facet_matching;
use compute::point_deviation::{self, MatchState, PointDeviation};
use compute::point_facet_matching::FacetDeviation;
use compute::{Backend, Compute};
pub use coverage::Coverage;
use geometry::{Mesh, OrderedPoints, Pose, Surface, Vector, refine};
pub use judgement::Judgement;
pub use measurement::Measurement;
pub use on_nominal::on_nominal;
pub use own_scale::OwnScale;
pub use own_tolerances::{FaceResult, FaceTolerance, Limits};
pub use part_match::PartMatch;
pub use recipe::ComparisonRecipe;
pub use statistics::Statistics;
pub use tolerance::Tolerance;

/// Method of measuring deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Each scan point to the closest point of the nominal.
    #[default]
    Closest,
    /// Mean of the scan points over each nominal facet.
    PointFacet,
    /// Distance from each nominal facet along its normal to the meshed scan.
    FacetFacet,
}

impl Method {
    /// What the deviations are of, in the plural.
    pub fn measured(self) -> &'static str {
        match self {
            Self::Closest => "points",
            Self::PointFacet | Self::FacetFacet => "facets",
        }
    }
}

/// Parameters of a surface comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Method of measuring deviations.
    pub method: Method,
    /// Direction in the nominal frame, of any length, along which scan points are measured rather than to their closest
    /// points; facet methods do without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Whether they are measured within the planes perpendicular to that direction, each to the closest point in its plane,
    /// rather than along it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_plane: bool,
    /// Maximum distance of a point from the nominal, mm. Farther points get no deviation, but connected ones are still
    /// evaluated as regions.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of scan and nominal, degrees; elsewhere there is no data.
    pub max_angle_deg: f64,
    /// Maximum edge length that the nominal's facets are refined to, mm (facet methods); `None` derives it from the
    /// point spacing.
    pub max_edge_mm: Option<f64>,
    /// Lateral radius of point-facet matching, mm; `None` derives it from the point spacing.
    pub radius_mm: Option<f64>,
    /// Allowed deviations.
    pub tolerance: Tolerance,
    /// Allowed deviations of some faces in place of those; where they share a facet, the last one holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_tolerances: Vec<FaceTolerance>,
    /// Minimum area of a connected region out of tolerance that fails the part, mm².
    pub min_region_mm2: f64,
    /// Minimum share of the nominal's surface that must be measured for a PASS, 0 to 1.
    pub min_coverage: f64,
    /// Maximum number of points out of tolerance outside regions; `None` for no limit.
    pub max_outliers: Option<OutlierLimit>,
    /// Connected points beyond `max_distance_mm` count as clutter if they are farther from the nominal than this, mm;
    /// `None` for a tenth of the part's diagonal.
    pub clutter_distance_mm: Option<f64>,
}

/// Maximum number of points out of tolerance outside regions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutlierLimit {
    /// An absolute number.
    Count(usize),
    /// A share of the points evaluated, 0 to 1.
    Fraction(f64),
}

impl std::str::FromStr for OutlierLimit {
    type Err = String;

    /// Parses a count such as `25` or a share such as `0.5%`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let error = || format!("expected a count such as 25 or a share such as 0.5%, not “{text}”");
        match text.trim().strip_suffix('%') {
            Some(percent) => match percent.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self::Fraction(percent / 100.0)),
                _ => Err(error()),
            },
            None => text.trim().parse().map(Self::Count).map_err(|_| error()),
        }
    }
}

/// Default of [`Parameters::min_coverage`]: with less, the scan shows a detail rather than the part.
pub const DEFAULT_MIN_COVERAGE: f64 = 0.2;

impl Default for Parameters {
    fn default() -> Self {
        Self {
            method: Method::Closest,
            direction: None,
            in_plane: false,
            max_distance_mm: 2.0,
            max_angle_deg: 90.0,
            max_edge_mm: None,
            radius_mm: None,
            tolerance: Tolerance::default(),
            own_tolerances: Vec::new(),
            min_region_mm2: 1.0,
            min_coverage: DEFAULT_MIN_COVERAGE,
            max_outliers: None,
            clutter_distance_mm: None,
        }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        let is_unbounded = self.max_distance_mm.is_infinite() && self.method != Method::Closest;
        if !(self.max_distance_mm > 0.0) || is_unbounded {
            return Err(UserError::usage("The maximum distance must be a positive number of mm."));
        }
        if !(self.max_angle_deg > 0.0 && self.max_angle_deg <= 180.0) {
            return Err(UserError::usage("The maximum angle must be above 0 and at most 180 degrees."));
        }
        if self.direction.is_some_and(|own| !is_direction(&own)) {
            return Err(UserError::usage("The direction of the deviations must be three numbers that are not all 0."));
        }
        if self.radius_mm.is_some_and(|radius| !(radius > 0.0 && radius.is_finite())) {
            return Err(UserError::usage("The matching radius must be a positive number of mm."));
        }
        if !(self.min_region_mm2 >= 0.0) {
            return Err(UserError::usage("The minimum area of a region must be 0 mm² or more."));
        }
        if !(0.0..=1.0).contains(&self.min_coverage) {
            return Err(UserError::usage("The minimum coverage must be from 0 to 1 (0 to 100 %)."));
        }
        if let Some(OutlierLimit::Fraction(fraction)) = self.max_outliers
            && !(0.0..=1.0).contains(&fraction)
        {
            return Err(UserError::usage("The fraction of points allowed out of tolerance must be from 0 to 1."));
        }
        if self.clutter_distance_mm.is_some_and(|distance| !(distance > 0.0)) {
            return Err(UserError::usage("The clutter distance must be a positive number of mm."));
        }
        self.tolerance.check()?;
        own_tolerances::check(&self.own_tolerances)
    }

    /// The largest absolute value of all limits, those of own tolerances included, mm.
    pub fn largest_limit_mm(&self) -> f64 {
        let own = self.own_tolerances.iter().map(|own| own.tolerance.largest_mm());
        own.fold(self.tolerance.largest_mm(), f64::max)
    }

    /// What follows the limits of the part where they are stated, so that they are not taken for those of all faces;
    /// empty without own tolerances.
    pub fn own_tolerances_in_words(&self) -> String {
        match self.own_tolerances.len() {
            0 => String::new(),
            1 => "; 1 face with an own tolerance".to_owned(),
            count => format!("; {count} faces with own tolerances"),
        }
    }

    /// The maximum angle in effect, degrees: point-facet matching limits it so that points count for their own face
    /// only.
    pub fn effective_max_angle_deg(&self) -> f64 {
        if self.method == Method::PointFacet {
            self.max_angle_deg.min(faces::SAME_FACE_RAD.to_degrees())
        } else {
            self.max_angle_deg
        }
    }

    /// The direction that scan points are measured along, or perpendicular to ([`Self::is_in_plane`]), of unit length; `None`
    /// if each is measured to its closest point, and for facet methods.
    pub fn effective_direction(&self) -> Option<Vector> {
        let direction = self.direction.filter(|own| self.method == Method::Closest && is_direction(own))?;
        Vector::from(direction).try_normalize(0.0)
    }

    /// Whether each point is measured within the plane perpendicular to [`Self::effective_direction`], rather than along it.
    pub fn is_in_plane(&self) -> bool {
        self.in_plane && self.effective_direction().is_some()
    }

    /// How deviations are measured, such as “along X” or “perpendicular to X”; `None` if to the closest points.
    pub fn measured_in_words(&self) -> Option<String> {
        let how = if self.is_in_plane() { "perpendicular to" } else { "along" };
        self.direction_in_words().map(|direction| format!("{how} {direction}"))
    }

    /// The direction that deviations are measured along or perpendicular to, such as “X”; `None` if there is none.
    pub fn direction_in_words(&self) -> Option<String> {
        let direction = self.effective_direction()?;
        let axis = ["X", "Y", "Z"].into_iter().zip(direction.iter()).find(|(_, own)| own.abs() > 1.0 - 1e-12);
        Some(match axis {
            Some((name, _)) => name.to_owned(),
            None => {
                let [x, y, z] = [direction.x, direction.y, direction.z].map(|own| signed(own, 3));
                format!("({x}, {y}, {z})")
            }
        })
    }

    /// Whether both give the same measurement; the criteria of evaluation may differ.
    pub fn gives_same_measurement(&self, other: &Self) -> bool {
        self.method == other.method
            && self.effective_direction() == other.effective_direction()
            && self.is_in_plane() == other.is_in_plane()
            && self.effective_max_distance_mm() == other.effective_max_distance_mm()
            && self.max_angle_deg == other.max_angle_deg
            && self.max_edge_mm == other.max_edge_mm
            && self.radius_mm == other.radius_mm
    }

    /// The maximum distance in effect, mm. A tolerance limit at or beyond it could never be exceeded; the distance is
    /// then raised to twice the limit.
    pub fn effective_max_distance_mm(&self) -> f64 {
        let limit_mm = self.largest_limit_mm();
        if limit_mm < self.max_distance_mm { self.max_distance_mm } else { 2.0 * limit_mm }
    }
}

/// Whether a vector has a direction.
fn is_direction(vector: &[f64; 3]) -> bool {
    let length = Vector::from(*vector).norm();
    length > 0.0 && length.is_finite()
}

/// Deviations of the scan points or of the nominal's facets.
#[derive(Clone, Debug)]
pub enum DeviationMap {
    /// One per scan point, in the order of the scan.
    Points(Vec<PointDeviation>),
    /// One per facet of the refined nominal.
    Facets {
        /// The refined nominal.
        nominal: Arc<Mesh>,
        /// By facet: index of the facet of the nominal that it is part of.
        parents: Vec<u32>,
        /// One per facet.
        values: Vec<FacetDeviation>,
        /// Maximum edge length of its facets, mm.
        max_edge_mm: f64,
    },
}

/// Number of points or facets without data, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// Farther than the maximum distance, or without a match.
    pub too_far: usize,
    /// Angle between the normals above the maximum.
    pub wrong_angle: usize,
    /// Beyond an open rim of the nominal, where the sign is undefined.
    pub beyond_rim: usize,
}

impl Excluded {
    /// Sum over all reasons.
    pub fn total(&self) -> usize {
        self.too_far + self.wrong_angle + self.beyond_rim
    }
}

impl DeviationMap {
    /// The deviation of each point or facet, mm; `None` without data.
    pub fn values(&self) -> Box<dyn Iterator<Item = Option<f64>> + '_> {
        match self {
            Self::Points(points) => Box::new(points.iter().map(PointDeviation::value)),
            Self::Facets { values, .. } => Box::new(values.iter().map(FacetDeviation::value)),
        }
    }

    /// The facet of the nominal that each point is closest to, or that each facet is part of. Undefined for points without
    /// data.
    pub fn facets(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::Points(points) => Box::new(points.iter().map(|point| point.facet)),
            Self::Facets { parents, .. } => Box::new(parents.iter().copied()),
        }
    }

    /// The deviation of each point or facet, mm; NaN without data.
    pub fn numbers(&self) -> Vec<f64> {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        match self {
            Self::Points(points) => points.par_iter().map(|point| number(point.value())).collect(),
            Self::Facets { values, .. } => values.par_iter().map(|facet| number(facet.value())).collect(),
        }
    }

    /// Number of points or facets.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Facets { values, .. } => values.len(),
        }
    }

    /// Whether the map has no points or facets.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of points or facets without data, by reason.
    pub fn excluded(&self) -> Excluded {
        match self {
            Self::Points(points) => {
                let count = |state| points.par_iter().filter(|point| point.state == state).count();
                Excluded {
                    too_far: count(MatchState::TooFar),
                    wrong_angle: count(MatchState::WrongAngle),
                    beyond_rim: count(MatchState::BeyondRim),
                }
            }
            Self::Facets { values, .. } => {
                Excluded { too_far: values.iter().filter(|facet| facet.matches == 0).count(), ..Excluded::default() }
            }
        }
    }
}

/// Signed deviation of every point of `scan` from the closest point of `surface`, whatever the method of `parameters`.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn closest(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Vec<PointDeviation>> {
    // Angles are compared only if the file has normals.
    let normals: Vec<Vector> = scan.cloud.normals.iter().map(|n| geometry::cloud::vector(*n)).collect();
    backend.compute(
        &point_deviation::Request {
            surface,
            points: scan.ordered,
            normals: &normals,
            oriented: scan.oriented,
            nominal_from_scan,
            max_distance_mm: parameters.effective_max_distance_mm(),
            max_angle_rad: parameters.max_angle_deg.to_radians(),
        },
        progress,
    )
}

/// Points beyond the maximum distance, with their deviations.
#[derive(Clone, Debug, Default)]
pub struct DistantPoints {
    /// Indices of the points in the scan, ascending.
    pub indices: Vec<u32>,
    /// Their deviations without a maximum distance, in the order of `indices`.
    pub deviations: Vec<PointDeviation>,
}

/// Measures the points that [`closest`] excluded as too far, without a maximum distance.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn beyond(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    closest: &[PointDeviation],
    progress: &Progress,
) -> Result<DistantPoints> {
    let is_far = |index: &u32| closest[*index as usize].state == MatchState::TooFar;
    let far: Vec<u32> = scan.ordered.numbers.par_iter().copied().filter(is_far).collect();
    if far.is_empty() {
        return Ok(DistantPoints::default());
    }
    // In the scan's order along the curve, so that the points need not be sorted again.
    let points = OrderedPoints {
        points: far.par_iter().map(|&index| scan.cloud.points[index as usize]).collect(),
        numbers: (0..far.len() as u32).collect(),
    };
    let normals: Vec<Vector> = match scan.cloud.normals.is_empty() {
        true => Vec::new(),
        false => far.iter().map(|&i| geometry::cloud::vector(scan.cloud.normals[i as usize])).collect(),
    };
    let deviations = backend.compute(
        &point_deviation::Request {
            surface,
            points: &points,
            normals: &normals,
            oriented: scan.oriented,
            nominal_from_scan,
            max_distance_mm: f64::INFINITY,
            max_angle_rad: parameters.max_angle_deg.to_radians(),
        },
        progress,
    )?;
    let mut found: Vec<(u32, PointDeviation)> =
        far.into_iter().zip(deviations).filter(|(_, deviation)| deviation.value().is_some()).collect();
    found.par_sort_unstable_by_key(|(index, _)| *index);
    let (indices, deviations) = found.into_iter().unzip();
    Ok(DistantPoints { indices, deviations })
}

/// Deviations measured by the chosen method, and of the scan points.
#[derive(Clone, Debug)]
pub struct Deviations {
    /// Deviations by the chosen method.
    pub map: DeviationMap,
    /// Deviations of the scan points from the closest points if `map` does not hold these.
    of_points: Option<Vec<PointDeviation>>,
}

impl Deviations {
    /// The deviation of every scan point from the closest point of the nominal, whatever the method.
    pub fn closest(&self) -> &[PointDeviation] {
        match (&self.of_points, &self.map) {
            (Some(points), _) | (None, DeviationMap::Points(points)) => points,
            (None, DeviationMap::Facets { .. }) => &[],
        }
    }

    /// The deviation of every scan point by which the nominal counts as measured: as the direction says, if there is one.
    pub fn compared(&self) -> &[PointDeviation] {
        match &self.map {
            DeviationMap::Points(points) => points,
            DeviationMap::Facets { .. } => self.closest(),
        }
    }

    /// The points whose deviations along the direction, or perpendicular to it, exceed the maximum distance, while their
    /// closest points do not.
    fn beyond_along(&self, max_distance_mm: f64) -> DistantPoints {
        match (&self.map, &self.of_points) {
            (DeviationMap::Points(along), Some(closest)) => directional::beyond(along, closest, max_distance_mm),
            _ => DistantPoints::default(),
        }
    }
}

/// Measures the deviations of `scan` from `surface`.
///
/// Returns an error if a parameter is out of range, if facet-facet matching lacks facets of the scan, and if the
/// backend fails or the work is cancelled.
pub fn measure(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Deviations> {
    parameters.check()?;
    let max_angle_rad = parameters.max_angle_deg.to_radians();
    let of_points = closest(backend, surface, scan, nominal_from_scan, parameters, progress)?;
    if let Some(direction) = parameters.effective_direction() {
        let max_distance_mm = parameters.effective_max_distance_mm();
        let closest = &of_points;
        let in_plane = parameters.is_in_plane();
        let request =
            directional::Request { surface, scan, nominal_from_scan, direction, in_plane, max_distance_mm, closest };
        let map = DeviationMap::Points(request.measure(progress)?);
        return Ok(Deviations { map, of_points: Some(of_points) });
    }
    if parameters.method == Method::Closest {
        return Ok(Deviations { map: DeviationMap::Points(of_points), of_points: None });
    }
    let spacing_mm = LazyCell::new(|| faces::spacing_mm(scan.ordered));
    let max_edge_mm =
        parameters.max_edge_mm.unwrap_or_else(|| faces::max_edge_mm(*spacing_mm, surface.mesh().area_mm2()));
    let (nominal, parents) = refine::to_max_edge(surface.mesh(), max_edge_mm, progress)?;
    let nominal = Arc::new(nominal);
    let values = if parameters.method == Method::PointFacet {
        let radius_mm = parameters.radius_mm.unwrap_or_else(|| faces::radius_mm(*spacing_mm));
        on_nominal::matched(
            backend,
            (surface, &nominal),
            scan,
            nominal_from_scan,
            parameters,
            &of_points,
            radius_mm,
            progress,
        )?
    } else {
        let Some(facets) = scan.facets else {
            return Err(UserError::input(
                "Facet-facet matching needs a scan with facets: a mesh file, or an organised snapshot that can be \
                 meshed. Use the closest-point or the point-facet method for a plain point cloud.",
            ));
        };
        backend.compute(
            &facet_facet_matching::Request {
                nominal: &nominal,
                scan: facets,
                nominal_from_scan,
                max_distance_mm: parameters.effective_max_distance_mm(),
                max_angle_rad,
            },
            progress,
        )?
    };
    let map = DeviationMap::Facets { nominal, parents, values, max_edge_mm };
    Ok(Deviations { map, of_points: Some(of_points) })
}
