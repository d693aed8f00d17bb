//! The samples that regions are formed of: points or facets with their deviations, smoothed and linked to neighbours.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use crate::deviation::noise::Scanned;
use crate::robust_scale::median;
use base::{Progress, Result};
use compute::point_facet_matching::FacetDeviation;
use compute::smoothing::{self, LINKS, NO_LINK, Smoothed};
use compute::{Backend, Compute};
use geometry::kd_tree::AlongCurve;
use geometry::{Mesh, OrderedPoints, Point, SearchablePoints, Vector, topology, triangle};

/// A measured point or facet.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// The point or the facet's centroid, nominal frame, mm.
    pub point: Point,
    /// Deviation as measured, mm; NaN without data.
    pub raw_mm: f64,
    /// Deviation smoothed over the neighbours, mm; as measured for facets.
    pub deviation_mm: f64,
    /// Area that it represents, mm².
    pub area_mm2: f64,
}

/// Indices of a sample's neighbours; unused entries are [`NO_LINK`].
type Links = [u32; LINKS];

/// All samples. Few of many points are out of tolerance, so samples of points are assembled on request.
pub(super) enum Samples {
    /// Points of a scan.
    Points {
        points: Arc<[Point]>,
        values_mm: Arc<[f64]>,
        /// Index of each point in `smoothed`; [`NOT_SMOOTHED`] for points far from any that is out of tolerance.
        slots: Vec<u32>,
        smoothed: Vec<Smoothed>,
        /// Maximum area represented by a point, mm²; sparser points are no surface.
        max_area_mm2: f64,
    },
    /// Facets of the nominal.
    Facets { samples: Vec<Sample>, links: Vec<Links> },
}

/// Slot of a point that was not smoothed.
const NOT_SMOOTHED: u32 = u32::MAX;
/// Number of points smoothed around each point out of tolerance. A median over [`smoothing::NEIGHBOURS`] is out of
/// tolerance only if several of them are; twice their number misses no such point unless its neighbourhood is less than
/// half as dense.
const SMOOTHED_NEIGHBOURS: usize = 2 * smoothing::NEIGHBOURS;
/// If more than this share of the points is out of tolerance, all are smoothed.
const MAX_SPARSE_FRACTION: f64 = 0.2;
/// Points per parallel task.
const CHUNK: usize = 512;

/// Approximate number of neighbourhoods that the median area is computed from.
const AREA_SAMPLES: usize = 100_000;
/// Maximum area per point relative to the median; sparser points are strays over unmeasured faces.
const MAX_AREA_RATIO: f64 = 25.0;
/// Maximum length of a link in spacings: what is farther apart hangs together by nothing that was measured.
const MAX_LINK_SPACINGS: f64 = 3.0;
/// Minimum number of neighbours on the same face: with fewer, stray values would determine the median.
const MIN_NEIGHBOURS: u32 = 8;

/// Area that a point represents, mm².
fn area_mm2(own: &Smoothed) -> f64 {
    std::f64::consts::PI * own.reach_mm2 / f64::from(own.neighbours.max(1))
}

/// Points with their deviations.
pub(super) struct MeasuredPoints<'a> {
    /// Nominal frame, mm.
    pub points: Arc<[Point]>,
    /// The same in the frame of the scan.
    pub scanned: Scanned<'a>,
    /// Their deviations, mm.
    pub values_mm: Arc<[f64]>,
    /// Normals of the facets that they were measured to.
    pub normals: &'a [Vector],
}

impl Samples {
    /// Smooths the deviations of points over neighbours on the same face and links each point to its nearest, wherever
    /// this can affect a region. `out` says whether a deviation, mm, of the point at an index is out of tolerance;
    /// `searchable` are the `points`.
    ///
    /// Returns an error if the backend fails or the work is cancelled.
    pub(super) fn of_points(
        backend: &dyn Backend,
        measured: MeasuredPoints<'_>,
        searchable: &SearchablePoints<'_>,
        out: impl Fn(u32, f64) -> bool + Sync,
        progress: &Progress,
    ) -> Result<Self> {
        let MeasuredPoints { points, scanned, values_mm, normals } = measured;
        let count = points.len();
        let outside: Vec<u32> = (0..count as u32).into_par_iter().filter(|&i| out(i, values_mm[i as usize])).collect();
        if outside.is_empty() {
            let (slots, smoothed) = (Vec::new(), Vec::new());
            return Ok(Self::Points { points, values_mm, slots, smoothed, max_area_mm2: 0.0 });
        }
        let stride = count.div_ceil(AREA_SAMPLES).max(1) as u64;
        // By positions, so that the order of points changes nothing.
        let is_sampled = |i: u32| scanned.key(i).is_multiple_of(stride);
        let wanted = if outside.len() as f64 > MAX_SPARSE_FRACTION * count as f64 {
            (0..count as u32).collect()
        } else {
            let near = mark_neighbours(searchable, &outside);
            let is_wanted = |i: &u32| near[*i as usize].load(Relaxed) || is_sampled(*i);
            (0..count as u32).into_par_iter().filter(is_wanted).collect::<Vec<_>>()
        };
        let request = smoothing::Request { points: searchable, values: &values_mm, normals, wanted: &wanted };
        let smoothed = backend.compute(&request, progress)?;
        let sampled = wanted.iter().zip(&smoothed).filter(|(index, _)| is_sampled(**index));
        let mut areas: Vec<f64> = sampled.map(|(_, own)| area_mm2(own)).collect();
        let middle = areas.len() / 2;
        let median_mm2 = if areas.is_empty() { 0.0 } else { *areas.select_nth_unstable_by(middle, f64::total_cmp).1 };
        let mut slots = vec![NOT_SMOOTHED; count];
        wanted.iter().zip(0..).for_each(|(&index, slot)| slots[index as usize] = slot);
        Ok(Self::Points { points, values_mm, slots, smoothed, max_area_mm2: MAX_AREA_RATIO * median_mm2 })
    }

    /// Smoothing result of a point; `None` if it was not smoothed.
    fn smoothed(&self, i: usize) -> Option<&Smoothed> {
        match self {
            Self::Points { slots, smoothed, .. } => smoothed.get(*slots.get(i)? as usize),
            Self::Facets { .. } => None,
        }
    }

    /// One sample per facet of `nominal`, linked to the adjacent facets; not smoothed.
    pub(super) fn of_facets(nominal: &Mesh, values: &[FacetDeviation]) -> Self {
        let topology = topology::Topology::new(nominal);
        let sample = |facet: usize| {
            let corners = nominal.corners(facet);
            let deviation_mm = values[facet].value().unwrap_or(f64::NAN);
            let area_mm2 = 0.5 * triangle::area_vector(&corners).norm();
            Sample { point: triangle::centroid(&corners), raw_mm: deviation_mm, deviation_mm, area_mm2 }
        };
        let links = |neighbours: &[u32; 3]| std::array::from_fn(|i| neighbours.get(i).copied().unwrap_or(NO_LINK));
        Self::Facets {
            samples: (0..values.len()).into_par_iter().map(sample).collect(),
            links: topology.neighbours.par_iter().map(links).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Points { points, .. } => points.len(),
            Self::Facets { samples, .. } => samples.len(),
        }
    }

    /// Smoothed deviation, mm; NaN for points not smoothed and for points that form no surface.
    pub(super) fn deviation_mm(&self, i: usize) -> f64 {
        match self {
            Self::Points { .. } if self.is_surface(i) => self.smoothed(i).map_or(f64::NAN, |own| own.value),
            Self::Points { .. } => f64::NAN,
            Self::Facets { samples, .. } => samples[i].deviation_mm,
        }
    }

    /// Whether the points about a smoothed point are dense enough for a surface; `false` for points not smoothed.
    pub(super) fn is_surface(&self, i: usize) -> bool {
        match self {
            Self::Points { max_area_mm2, .. } => {
                self.smoothed(i).is_some_and(|own| area_mm2(own) <= *max_area_mm2 && own.neighbours >= MIN_NEIGHBOURS)
            }
            Self::Facets { .. } => true,
        }
    }

    /// Maximum length of a link that holds points together, mm.
    pub(super) fn max_link_mm(&self) -> f64 {
        match self {
            Self::Points { max_area_mm2, .. } => MAX_LINK_SPACINGS * (max_area_mm2 / MAX_AREA_RATIO).sqrt(),
            Self::Facets { .. } => f64::INFINITY,
        }
    }

    /// The links of a point that are no longer than [`MAX_LINK_SPACINGS`]; of facets all.
    pub(super) fn near_links(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        let max_mm2 = self.max_link_mm().powi(2);
        let is_near = move |other: &u32| match self {
            Self::Points { points, .. } => {
                let other = points.get(*other as usize);
                other.is_some_and(|other| (other - points[i]).norm_squared() <= max_mm2)
            }
            Self::Facets { .. } => true,
        };
        self.links(i).iter().copied().filter(is_near)
    }

    /// Replaces the smoothed deviations of `members`, in ascending order, by medians over those that each is linked to:
    /// neighbours beside a narrow group would vote it down.
    pub(super) fn smooth_within(&mut self, members: &[u32]) {
        let middle = |&member: &u32| {
            let linked = self.links(member as usize).iter().filter(|own| members.binary_search(own).is_ok());
            let mut values: Vec<f64> = linked.chain([&member]).map(|&own| self.raw_mm(own as usize)).collect();
            median(&mut values).unwrap_or(f64::NAN)
        };
        let values: Vec<f64> = members.iter().map(middle).collect();
        if let Self::Points { slots, smoothed, .. } = self {
            for (&member, value) in members.iter().zip(values) {
                if let Some(own) = smoothed.get_mut(slots[member as usize] as usize) {
                    own.value = value;
                }
            }
        }
    }

    pub(super) fn links(&self, i: usize) -> &Links {
        match self {
            Self::Points { .. } => self.smoothed(i).map_or(&[NO_LINK; LINKS], |own| &own.links),
            Self::Facets { links, .. } => &links[i],
        }
    }

    /// Deviation as measured, mm; NaN without data.
    pub(super) fn raw_mm(&self, i: usize) -> f64 {
        match self {
            Self::Points { values_mm, .. } => values_mm[i],
            Self::Facets { samples, .. } => samples[i].raw_mm,
        }
    }

    pub(super) fn sample(&self, index: u32) -> Sample {
        let i = index as usize;
        match self {
            Self::Points { points, values_mm, .. } => Sample {
                point: points[i],
                raw_mm: values_mm[i],
                deviation_mm: self.smoothed(i).map_or(f64::NAN, |own| own.value),
                area_mm2: self.smoothed(i).map_or(0.0, area_mm2),
            },
            Self::Facets { samples, .. } => samples[i],
        }
    }

    /// Area that samples represent, mm².
    pub(super) fn area_mm2(&self, indices: &[u32]) -> f64 {
        indices.iter().map(|&index| self.sample(index).area_mm2).sum()
    }
}

/// Marks the [`SMOOTHED_NEIGHBOURS`] nearest points of each of `indices`; one mark per point.
fn mark_neighbours(points: &SearchablePoints<'_>, indices: &[u32]) -> Vec<AtomicBool> {
    let marks: Vec<AtomicBool> = points.points().iter().map(|_| AtomicBool::new(false)).collect();
    let centres: Vec<Point> = indices.iter().map(|&index| points.points()[index as usize]).collect();
    OrderedPoints::new(&centres).points.par_chunks(CHUNK).for_each(|chunk| {
        let mut near = AlongCurve::new(points.tree());
        for centre in chunk {
            near.k_nearest(centre, SMOOTHED_NEIGHBOURS)
                .iter()
                .for_each(|found| marks[found.number as usize].store(true, Relaxed));
        }
    });
    marks
}
