//! Deviation of a scan from its nominal: the map, its statistics, the regions out of tolerance, how much of the nominal
//! was measured, and the judgement of all of it.

pub mod check;
pub mod coverage;
mod faces;
pub mod histogram;
pub mod judgement;
pub mod measurement;
pub mod part_match;
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
use base::{Progress, Result, UserError};
pub use check::Check;
use compute::facet_facet_matching;
use compute::point_deviation::{self, MatchState, PointDeviation};
use compute::point_facet_matching::{self, FacetDeviation};
use compute::{Backend, Compute};
pub use coverage::Coverage;
use geometry::{Mesh, OrderedPoints, Pose, SearchablePoints, Surface, Vector, refine};
pub use judgement::Judgement;
pub use measurement::Measurement;
pub use part_match::PartMatch;
pub use recipe::ComparisonRecipe;
pub use statistics::Statistics;
pub use tolerance::Tolerance;

/// How deviations are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Each scan point to the closest point of the nominal.
    #[default]
    Closest,
    /// Each nominal facet takes the mean of the scan points over it.
    PointFacet,
    /// Each nominal facet looks along its normal for the meshed scan.
    FacetFacet,
}

/// What a comparison is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// How deviations are measured.
    pub method: Method,
    /// Farther points get no deviation of their own, mm; what they form together is judged all the same.
    pub max_distance_mm: f64,
    /// Places whose normals lean apart more have no data, degrees.
    pub max_angle_deg: f64,
    /// Facets are refined to edges of at most this first, mm (facet methods); `None` follows the spacing of the points.
    pub max_edge_mm: Option<f64>,
    /// Lateral radius of point-facet matching, mm; `None` follows the spacing of the points.
    pub radius_mm: Option<f64>,
    /// Allowed deviations.
    pub tolerance: Tolerance,
    /// A connected region out of tolerance fails the part from this area on, mm².
    pub min_region_mm2: f64,
    /// Share of the nominal's surface that must be measured for a verdict, 0 to 1.
    pub min_coverage: f64,
    /// How many points may be out of tolerance outside of regions; `None` does not ask.
    pub max_outliers: Option<OutlierLimit>,
    /// Connected points beyond the largest distance are taken for clutter when they lie farther out than this, mm;
    /// `None`: a tenth of the part's diagonal.
    pub clutter_distance_mm: Option<f64>,
}

/// How many points may be out of tolerance outside of regions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutlierLimit {
    /// So many.
    Count(usize),
    /// This share of the points evaluated, 0 to 1.
    Fraction(f64),
}

impl std::str::FromStr for OutlierLimit {
    type Err = String;

    /// `25` is a count, `0.5%` a share.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let said = || format!("a count such as 25 or a share such as 0.5% was expected, not “{text}”");
        match text.trim().strip_suffix('%') {
            Some(percent) => match percent.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self::Fraction(percent / 100.0)),
                _ => Err(said()),
            },
            None => text.trim().parse().map(Self::Count).map_err(|_| said()),
        }
    }
}

/// Share of the nominal's surface that must be measured unless the user says otherwise: less speaks for a detail, not
/// for the part.
pub const DEFAULT_MIN_COVERAGE: f64 = 0.2;

impl Default for Parameters {
    fn default() -> Self {
        Self {
            method: Method::Closest,
            max_distance_mm: 2.0,
            max_angle_deg: 90.0,
            max_edge_mm: None,
            radius_mm: None,
            tolerance: Tolerance::default(),
            min_region_mm2: 1.0,
            min_coverage: DEFAULT_MIN_COVERAGE,
            max_outliers: None,
            clutter_distance_mm: None,
        }
    }
}

impl Parameters {
    /// A sentence when a value makes no sense.
    pub fn check(&self) -> Result<()> {
        let endless = self.max_distance_mm.is_infinite() && self.method != Method::Closest;
        if !(self.max_distance_mm > 0.0) || endless {
            return Err(UserError::usage("The largest distance must be a positive number of mm."));
        }
        if !(self.max_angle_deg > 0.0 && self.max_angle_deg <= 180.0) {
            return Err(UserError::usage("The largest angle must be above 0 and at most 180 degrees."));
        }
        if self.radius_mm.is_some_and(|radius| !(radius > 0.0 && radius.is_finite())) {
            return Err(UserError::usage("The matching radius must be a positive number of mm."));
        }
        if !(self.min_region_mm2 >= 0.0) {
            return Err(UserError::usage("The smallest region must be an area of 0 mm² or more."));
        }
        if !(0.0..=1.0).contains(&self.min_coverage) {
            return Err(UserError::usage("The smallest coverage must be a share from 0 to 1 (0 to 100 %)."));
        }
        if self.clutter_distance_mm.is_some_and(|distance| !(distance > 0.0)) {
            return Err(UserError::usage("The distance of clutter must be a positive number of mm."));
        }
        self.tolerance.check()
    }

    /// The largest angle as it is used, degrees: points over facets keep to their own face.
    pub fn effective_max_angle_deg(&self) -> f64 {
        if self.method == Method::PointFacet {
            self.max_angle_deg.min(faces::SAME_FACE_RAD.to_degrees())
        } else {
            self.max_angle_deg
        }
    }

    /// Whether both measure the same; what they judge by may differ.
    pub fn measure_as(&self, other: &Self) -> bool {
        self.method == other.method
            && self.effective_max_distance_mm() == other.effective_max_distance_mm()
            && self.max_angle_deg == other.max_angle_deg
            && self.max_edge_mm == other.max_edge_mm
            && self.radius_mm == other.radius_mm
    }

    /// The largest distance as it is used, mm. A limit at or beyond it could never be exceeded, so it is lifted then.
    pub fn effective_max_distance_mm(&self) -> f64 {
        let limit_mm = self.tolerance.largest_mm();
        if limit_mm < self.max_distance_mm { self.max_distance_mm } else { 2.0 * limit_mm }
    }
}

/// Deviations by place.
#[derive(Clone, Debug)]
pub enum DeviationMap {
    /// One per scan point, in the scan's order.
    Points(Vec<PointDeviation>),
    /// One per facet of the refined nominal.
    Facets {
        /// The refined nominal.
        nominal: Arc<Mesh>,
        /// One per facet.
        values: Vec<FacetDeviation>,
        /// No edge is longer, mm.
        max_edge_mm: f64,
    },
}

/// How many places have no data, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// Farther than the largest distance, or nothing matched.
    pub too_far: usize,
    /// Normals lean apart too much.
    pub wrong_angle: usize,
    /// Beyond an open rim of the nominal, where there is no side.
    pub beyond_rim: usize,
}

impl Excluded {
    /// All of them.
    pub fn total(&self) -> usize {
        self.too_far + self.wrong_angle + self.beyond_rim
    }
}

impl DeviationMap {
    /// The deviations by place; `None` where there is no data.
    pub fn values(&self) -> Box<dyn Iterator<Item = Option<f64>> + '_> {
        match self {
            Self::Points(points) => Box::new(points.iter().map(PointDeviation::value)),
            Self::Facets { values, .. } => Box::new(values.iter().map(FacetDeviation::value)),
        }
    }

    /// The deviations by place, mm; NaN where there is no data.
    pub fn numbers(&self) -> Vec<f64> {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        match self {
            Self::Points(points) => points.par_iter().map(|point| number(point.value())).collect(),
            Self::Facets { values, .. } => values.par_iter().map(|facet| number(facet.value())).collect(),
        }
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Facets { values, .. } => values.len(),
        }
    }

    /// Whether there is no place at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many places have no data, by reason.
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

/// The deviation of every point of `scan` from the closest place on `surface`, whatever the method of `parameters`.
pub fn closest(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Vec<PointDeviation>> {
    // Without normals in the file there is nothing to compare angles with.
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

/// Points farther from the nominal than the largest distance, and how far.
#[derive(Clone, Debug, Default)]
pub struct Beyond {
    /// Their indices in the scan, ascending.
    pub numbers: Vec<u32>,
    /// Where they would be measured to.
    pub deviations: Vec<PointDeviation>,
}

/// Measures what [`closest`] has left out as too far, however far it is.
pub fn beyond(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    closest: &[PointDeviation],
    progress: &Progress,
) -> Result<Beyond> {
    let is_far = |number: &u32| closest[*number as usize].state == MatchState::TooFar;
    let far: Vec<u32> = scan.ordered.numbers.par_iter().copied().filter(is_far).collect();
    if far.is_empty() {
        return Ok(Beyond::default());
    }
    // In the scan's own order along the curve, so that neither has to be sorted again.
    let points = OrderedPoints {
        points: far.par_iter().map(|&number| scan.cloud.points[number as usize]).collect(),
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
    found.par_sort_unstable_by_key(|(number, _)| *number);
    let (numbers, deviations) = found.into_iter().unzip();
    Ok(Beyond { numbers, deviations })
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Deviations as the method gives them.
    pub map: DeviationMap,
    /// Deviations of the scan points beside a map of facets.
    of_points: Option<Vec<PointDeviation>>,
}

impl Measured {
    /// The deviation of every scan point from the closest place of the nominal, whatever the method.
    pub fn closest(&self) -> &[PointDeviation] {
        match (&self.map, &self.of_points) {
            (DeviationMap::Points(points), _) | (_, Some(points)) => points,
            (DeviationMap::Facets { .. }, None) => &[],
        }
    }
}

/// Measures the deviations of `scan` from `surface`.
pub fn measure(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Measured> {
    parameters.check()?;
    let max_angle_rad = parameters.max_angle_deg.to_radians();
    let of_points = closest(backend, surface, scan, nominal_from_scan, parameters, progress)?;
    if parameters.method == Method::Closest {
        return Ok(Measured { map: DeviationMap::Points(of_points), of_points: None });
    }
    let spacing_mm = LazyCell::new(|| faces::spacing_mm(scan.ordered));
    let max_edge_mm =
        parameters.max_edge_mm.unwrap_or_else(|| faces::max_edge_mm(*spacing_mm, surface.mesh().area_mm2()));
    let nominal = Arc::new(refine::to_max_edge(surface.mesh(), max_edge_mm, progress)?.0);
    let values = if parameters.method == Method::PointFacet {
        let directions = faces::directions(&of_points, surface, scan.cloud, nominal_from_scan);
        backend.compute(
            &point_facet_matching::Request {
                nominal: &nominal,
                points: &SearchablePoints::new(&scan.cloud.points),
                directions: &directions,
                nominal_from_scan,
                radius_mm: Some(parameters.radius_mm.unwrap_or_else(|| faces::radius_mm(*spacing_mm))),
                max_distance_mm: parameters.effective_max_distance_mm(),
                max_angle_rad: max_angle_rad.min(faces::SAME_FACE_RAD),
            },
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
    Ok(Measured { map: DeviationMap::Facets { nominal, values, max_edge_mm }, of_points: Some(of_points) })
}
