//! What regions are found among: points or facets with their deviations, smoothed and linked to their neighbours.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use base::{Progress, Result};
use compute::point_facet_matching::FacetDeviation;
use compute::smoothing::{self, LINKS, NO_LINK, Smoothed};
use compute::{Backend, Compute};
use geometry::kd_tree::AlongCurve;
use geometry::{Mesh, OrderedPoints, Point, SearchablePoints, Vector, topology, triangle};

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
        /// Of each point its place in `smoothed`; [`FAR`] where nothing out of tolerance lies near.
        slots: Vec<u32>,
        smoothed: Vec<Smoothed>,
        /// Places that stand for more than this are no surface, mm².
        most_area_mm2: f64,
    },
    /// Of facets.
    Facets { places: Vec<Place>, links: Vec<Links> },
}

/// Marks a point that is far from all that is out of tolerance.
const FAR: u32 = u32::MAX;
/// Around each point out of tolerance so many are smoothed. The median over [`smoothing::NEIGHBOURS`] is out of tolerance
/// only where several of them are; twice their number leaves none out whose neighbourhood is no worse than half as dense.
const AROUND: usize = 2 * smoothing::NEIGHBOURS;
/// Where more than this share is out of tolerance, all are smoothed.
const MANY: f64 = 0.2;
/// Points of one task.
const CHUNK: usize = 512;

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
    /// Smooths the deviations of points over neighbours that belong to the same face, and links each to its nearest:
    /// wherever it may matter to a region of places that are `out` of tolerance.
    pub(super) fn of_points(
        backend: &dyn Backend,
        points: Vec<Point>,
        values_mm: Vec<f64>,
        normals: &[Vector],
        out: impl Fn(f64) -> bool + Sync,
        progress: &Progress,
    ) -> Result<Self> {
        let count = points.len();
        let worst: Vec<u32> = (0..count as u32).into_par_iter().filter(|&i| out(values_mm[i as usize])).collect();
        if worst.is_empty() {
            let (slots, smoothed) = (Vec::new(), Vec::new());
            return Ok(Self::Points { points, values_mm, slots, smoothed, most_area_mm2: 0.0 });
        }
        let searchable = SearchablePoints::new(&points);
        let stride = count.div_ceil(USUAL).max(1);
        let wanted = if worst.len() as f64 > MANY * count as f64 {
            (0..count as u32).collect()
        } else {
            let near = around(&searchable, &worst);
            (0..count as u32)
                .filter(|&i| near[i as usize].load(Relaxed) || (i as usize).is_multiple_of(stride))
                .collect::<Vec<_>>()
        };
        let request = smoothing::Request { points: &searchable, values: &values_mm, normals, wanted: &wanted };
        let smoothed = backend.compute(&request, progress)?;
        let sampled = wanted.iter().zip(&smoothed).filter(|(number, _)| (**number as usize).is_multiple_of(stride));
        let mut areas: Vec<f64> = sampled.map(|(_, own)| area_mm2(own)).collect();
        let middle = areas.len() / 2;
        let usual = if areas.is_empty() { 0.0 } else { *areas.select_nth_unstable_by(middle, f64::total_cmp).1 };
        let mut slots = vec![FAR; count];
        wanted.iter().zip(0..).for_each(|(&number, slot)| slots[number as usize] = slot);
        Ok(Self::Points { points, values_mm, slots, smoothed, most_area_mm2: SPARSE * usual })
    }

    /// What a point's smoothing gave, where it was smoothed.
    fn smoothed(&self, i: usize) -> Option<&Smoothed> {
        match self {
            Self::Points { slots, smoothed, .. } => smoothed.get(*slots.get(i)? as usize),
            Self::Facets { .. } => None,
        }
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
            Self::Points { most_area_mm2, .. } => {
                let counts = |own: &&Smoothed| area_mm2(own) <= *most_area_mm2 && own.neighbours >= MIN_NEIGHBOURS;
                self.smoothed(i).filter(counts).map_or(f64::NAN, |own| own.value)
            }
            Self::Facets { places, .. } => places[i].deviation_mm,
        }
    }

    pub(super) fn links(&self, i: usize) -> &Links {
        match self {
            Self::Points { .. } => self.smoothed(i).map_or(&[NO_LINK; LINKS], |own| &own.links),
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
            Self::Points { points, values_mm, .. } => Place {
                point: points[i],
                raw_mm: values_mm[i],
                deviation_mm: self.smoothed(i).map_or(f64::NAN, |own| own.value),
                area_mm2: self.smoothed(i).map_or(0.0, area_mm2),
            },
            Self::Facets { places, .. } => places[i],
        }
    }
}

/// Which points lie about those of `numbers`.
fn around(points: &SearchablePoints<'_>, numbers: &[u32]) -> Vec<AtomicBool> {
    let marks: Vec<AtomicBool> = points.places().iter().map(|_| AtomicBool::new(false)).collect();
    let places: Vec<Point> = numbers.iter().map(|&number| points.places()[number as usize]).collect();
    OrderedPoints::new(&places).points.par_chunks(CHUNK).for_each(|chunk| {
        let mut near = AlongCurve::new(points.tree());
        for place in chunk {
            near.k_nearest(place, AROUND).iter().for_each(|found| marks[found.number as usize].store(true, Relaxed));
        }
    });
    marks
}
