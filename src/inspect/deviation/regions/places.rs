//! What regions are found among: points or facets with their deviations, smoothed and linked to their neighbours.

use rayon::prelude::*;

use crate::base::{Progress, Result};
use crate::compute::Backend;
use crate::compute::point_facet_matching::FacetDeviation;
use crate::compute::smoothing::{self, LINKS, NO_LINK, Smoothed};
use crate::geometry::{Mesh, Point, SearchablePoints, Vector, topology, triangle};

/// One measured place.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub point: Point,
    /// As measured.
    pub raw_mm: f64,
    /// Smoothed over its neighbours.
    pub deviation_mm: f64,
    pub area_mm2: f64,
}

/// Links of a place to its neighbours; unused ones are [`NO_LINK`].
type Links = [u32; LINKS];

/// All measured places. Of many points few are out of tolerance: those are made when they are asked for.
pub(super) enum Places {
    /// Of a scan.
    Points {
        points: Vec<Point>,
        values_mm: Vec<f64>,
        smoothed: Vec<Smoothed>,
        /// Places that stand for more than this are no surface, mm².
        most_area_mm2: f64,
    },
    /// Of facets.
    Facets { places: Vec<Place>, links: Vec<Links> },
}

/// Neighbourhoods that tell the usual area.
const USUAL: usize = 100_000;
/// A neighbourhood this much larger in area than the usual one is no surface: stray points over unseen faces.
const SPARSE: f64 = 25.0;
/// A point with fewer neighbours on its face is no surface: one stray value would be their median.
const MIN_NEIGHBOURS: u32 = 8;

/// The area that a point stands for, mm².
fn area_mm2(own: &Smoothed) -> f64 {
    std::f64::consts::PI * own.reach_mm2 / f64::from(own.neighbours.max(1))
}

impl Places {
    /// Smooths the deviations of points over neighbours that belong to the same face, and links each to its nearest.
    pub(super) fn of_points(
        backend: &dyn Backend,
        points: Vec<Point>,
        values_mm: Vec<f64>,
        normals: &[Vector],
        progress: &Progress,
    ) -> Result<Self> {
        let searchable = SearchablePoints::new(&points);
        let request = smoothing::Request { points: &searchable, values: &values_mm, normals };
        let smoothed = backend.smooth(&request, progress)?;
        let stride = smoothed.len().div_ceil(USUAL).max(1);
        let mut areas: Vec<f64> = smoothed.iter().step_by(stride).map(area_mm2).collect();
        let middle = areas.len() / 2;
        let usual = if areas.is_empty() { 0.0 } else { *areas.select_nth_unstable_by(middle, f64::total_cmp).1 };
        Ok(Self::Points { points, values_mm, smoothed, most_area_mm2: SPARSE * usual })
    }

    pub(super) fn of_facets(nominal: &Mesh, values: &[FacetDeviation]) -> Self {
        let topology = topology::Topology::new(nominal);
        let place = |facet: usize| {
            let corners = nominal.corners(facet);
            let deviation_mm = values[facet].value().unwrap_or(f64::NAN);
            let area_mm2 = 0.5 * triangle::area_vector(&corners).norm();
            Place { point: triangle::centroid(&corners), raw_mm: deviation_mm, deviation_mm, area_mm2 }
        };
        let links = |neighbours: &[u32; 3]| std::array::from_fn(|i| neighbours.get(i).copied().unwrap_or(NO_LINK));
        Self::Facets {
            places: (0..values.len()).into_par_iter().map(place).collect(),
            links: topology.neighbours.par_iter().map(links).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Points { points, .. } => points.len(),
            Self::Facets { places, .. } => places.len(),
        }
    }

    /// Smoothed, where it is a surface that was measured; else NaN.
    pub(super) fn deviation_mm(&self, i: usize) -> f64 {
        match self {
            Self::Points { smoothed, most_area_mm2, .. } => {
                if area_mm2(&smoothed[i]) > *most_area_mm2 || smoothed[i].neighbours < MIN_NEIGHBOURS {
                    f64::NAN
                } else {
                    smoothed[i].value
                }
            }
            Self::Facets { places, .. } => places[i].deviation_mm,
        }
    }

    pub(super) fn links(&self, i: usize) -> &Links {
        match self {
            Self::Points { smoothed, .. } => &smoothed[i].links,
            Self::Facets { links, .. } => &links[i],
        }
    }

    /// As measured; NaN without data.
    pub(super) fn raw_mm(&self, i: usize) -> f64 {
        match self {
            Self::Points { values_mm, .. } => values_mm[i],
            Self::Facets { places, .. } => places[i].raw_mm,
        }
    }

    pub(super) fn place(&self, number: u32) -> Place {
        let i = number as usize;
        match self {
            Self::Points { points, values_mm, smoothed, .. } => Place {
                point: points[i],
                raw_mm: values_mm[i],
                deviation_mm: smoothed[i].value,
                area_mm2: area_mm2(&smoothed[i]),
            },
            Self::Facets { places, .. } => places[i],
        }
    }
}
