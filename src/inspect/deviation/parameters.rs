//! Parameters of a surface comparison.

use serde::{Deserialize, Serialize};

use super::own_tolerances::{self, FaceTolerance};
use super::{Tolerance, faces};
use base::{Result, UserError, signed};
use geometry::Vector;

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
    /// Minimum area of a connected region out of tolerance that fails the part, mm²; `None` for every region that the
    /// noise of the scan does not explain. What is below the data's resolution leaves the verdict open.
    #[serde(with = "min_region")]
    pub min_region_mm2: Option<f64>,
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

/// Default of [`Parameters::min_coverage`]: with less, a PASS would speak of surface that nobody has seen.
pub const DEFAULT_MIN_COVERAGE: f64 = 0.8;

/// How [`Parameters::min_region_mm2`] is stored. A bare number is what earlier versions wrote, whether it was chosen or
/// not: their default of 1 mm² stands for no choice.
mod min_region {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const EARLIER_DEFAULT_MM2: f64 = 1.0;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Bare(f64),
        Chosen { mm2: f64 },
    }

    #[expect(clippy::ref_option, reason = "serde passes the field")]
    pub fn serialize<S: Serializer>(own: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        own.map(|mm2| Stored::Chosen { mm2 }).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Ok(match Option::<Stored>::deserialize(deserializer)? {
            Some(Stored::Bare(mm2)) => Some(mm2).filter(|mm2| *mm2 != EARLIER_DEFAULT_MM2),
            Some(Stored::Chosen { mm2 }) => Some(mm2),
            None => None,
        })
    }
}

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
            min_region_mm2: None,
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
        if self.min_region_mm2.is_some_and(|mm2| !(mm2 >= 0.0)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_region_is_read_as_earlier_versions_wrote_it() {
        let read = |text: &str| serde_json::from_str::<Parameters>(text).unwrap().min_region_mm2;
        assert_eq!(read(r#"{"min_region_mm2": 1.0}"#), None);
        assert_eq!(read(r#"{"min_region_mm2": 2.5}"#), Some(2.5));
        assert_eq!(read("{}"), None);
        for own in [None, Some(1.0), Some(0.0)] {
            let parameters = Parameters { min_region_mm2: own, ..Parameters::default() };
            let text = serde_json::to_string(&parameters).unwrap();
            assert_eq!(serde_json::from_str::<Parameters>(&text).unwrap(), parameters, "{text}");
        }
    }
}
