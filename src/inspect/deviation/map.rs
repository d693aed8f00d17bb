//! Deviations of points or facets.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Parameters, directional};
use compute::point_deviation::{MatchState, PointDeviation};
use compute::point_facet_matching::FacetDeviation;
use geometry::{Mesh, Surface};

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

/// How much of a result each of its values is.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// All the same.
    Equal,
    /// One each.
    Own(Vec<f64>),
}

impl Weights {
    /// That of a value.
    pub fn of(&self, index: usize) -> f64 {
        match self {
            Self::Equal => 1.0,
            Self::Own(own) => own.get(index).copied().unwrap_or_default(),
        }
    }
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

    /// How much of the result each point or facet is: a facet its area, mm²; a point as much as any other.
    pub fn weights(&self) -> Weights {
        match self {
            Self::Points(_) => Weights::Equal,
            Self::Facets { nominal, .. } => Weights::Own(
                (0..nominal.facets.len()).into_par_iter().map(|facet| nominal.facet_area_mm2(facet)).collect(),
            ),
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

/// Deviations measured by the chosen method, and of the scan points.
#[derive(Clone, Debug)]
pub struct Deviations {
    /// Deviations by the chosen method.
    pub map: DeviationMap,
    /// Deviations of the scan points from the closest points if `map` does not hold these.
    pub(super) of_points: Option<Vec<PointDeviation>>,
}

impl Deviations {
    /// The deviation of every scan point from the closest point of the nominal, whatever the method.
    pub fn closest(&self) -> &[PointDeviation] {
        match (&self.of_points, &self.map) {
            (Some(points), _) | (None, DeviationMap::Points(points)) => points,
            (None, DeviationMap::Facets { .. }) => &[],
        }
    }

    /// Whether any point has a closest point within the maximum distance.
    pub(super) fn has_closest(&self) -> bool {
        self.closest().iter().any(|own| own.value().is_some())
    }

    /// The deviation of every scan point by which the nominal counts as measured: as the direction says, if there is one.
    pub fn compared(&self) -> &[PointDeviation] {
        match &self.map {
            DeviationMap::Points(points) => points,
            DeviationMap::Facets { .. } => self.closest(),
        }
    }

    /// The points near the nominal that could not be measured along the direction, or perpendicular to it, although the
    /// nominal is inclined to it there; with the deviations from their closest points.
    pub(super) fn missed(&self, surface: &Surface, parameters: &Parameters) -> DistantPoints {
        match (&self.map, &self.of_points, parameters.effective_direction()) {
            (DeviationMap::Points(along), Some(closest), Some(direction)) => {
                let normal = |facet: u32| surface.mesh().normal(facet as usize);
                let in_plane = parameters.is_in_plane();
                directional::missed(along, closest, |facet| {
                    directional::is_parallel(&normal(facet), &direction, in_plane)
                })
            }
            _ => DistantPoints::default(),
        }
    }

    /// The points whose deviations along the direction, or perpendicular to it, exceed the maximum distance, while their
    /// closest points do not.
    pub(super) fn beyond_along(&self, max_distance_mm: f64) -> DistantPoints {
        match (&self.map, &self.of_points) {
            (DeviationMap::Points(along), Some(closest)) => directional::beyond(along, closest, max_distance_mm),
            _ => DistantPoints::default(),
        }
    }
}

/// Points to be judged beside those compared, such as those beyond the maximum distance, with their deviations.
#[derive(Clone, Debug, Default)]
pub struct DistantPoints {
    /// Indices of the points in the scan, ascending.
    pub indices: Vec<u32>,
    /// Their deviations without a maximum distance, in the order of `indices`.
    pub deviations: Vec<PointDeviation>,
}
