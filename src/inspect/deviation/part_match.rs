//! Whether a scan is of the nominal part at all, as far as a comparison shows.
//!
//! Judged in both directions: how much of the scan lies on the nominal, and how much of the nominal's surface the scan
//! shows. Points beyond the maximum distance are included.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::regions::Clutter;
use super::{Coverage, DistantPoints};
use crate::alignment::ExplainedFraction;
use compute::point_deviation::PointDeviation;

/// Points in tolerance count as explained even beyond [`ExplainedFraction::DISTANCE_SHARE`], up to this share of the
/// part's diagonal. Larger tolerances are reported as suspicious.
pub const LARGE_TOLERANCE: f64 = 0.01;
/// A scan of which less than [`ExplainedFraction::MIN_FRACTION`] is explained may be of another part, unless at least
/// this share of its points other than clutter is explained and it covers at least [`MIN_SHOWN`] of the surface.
const MIN_EXPLAINED_OF_PART: f64 = 0.85;
/// Minimum share of the surface (of the surface in view, if known) that a scan with much clutter must cover.
const MIN_SHOWN: f64 = 0.5;

/// Agreement of scan and nominal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartMatch {
    /// Distance from the nominal within which a point counts as explained, mm.
    pub within_mm: f64,
    /// Share of all scan points that are explained, 0 to 1.
    pub explained_fraction: f64,
    /// The same share without clutter, 0 to 1.
    pub explained_of_part_fraction: f64,
    /// RMS deviation of all scan points that have one, those beyond the maximum distance included, mm.
    pub rms_all_mm: f64,
    /// Whether the scan may be of another part or in a wrong pose.
    pub is_doubtful: bool,
}

impl PartMatch {
    /// Evaluates the deviations `closest` of a scan and those of the points `beyond` the maximum distance; `limit_mm` is
    /// the largest absolute value of the tolerance limits.
    pub fn new(
        closest: &[PointDeviation],
        beyond: &DistantPoints,
        clutter: &Clutter,
        coverage: &Coverage,
        limit_mm: f64,
        diagonal_mm: f64,
    ) -> Self {
        let within_mm =
            (ExplainedFraction::DISTANCE_SHARE * diagonal_mm).max(limit_mm.min(LARGE_TOLERANCE * diagonal_mm));
        let count_and_squares = |points: &[PointDeviation]| {
            points
                .par_chunks(1 << 14)
                .map(|chunk| {
                    chunk.iter().filter_map(PointDeviation::value).fold((0_usize, 0.0), |(count, squares), mm| {
                        (count + usize::from(mm.abs() <= within_mm), squares + mm * mm)
                    })
                })
                .collect::<Vec<_>>()
                .into_iter()
                .fold((0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
        };
        let ((near, near_squares), (far, far_squares)) =
            (count_and_squares(closest), count_and_squares(&beyond.deviations));
        let explained = near + far;
        let clutter_points = clutter.points + clutter.stray_points;
        let fraction = |of: usize| explained as f64 / of.max(1) as f64;
        let matched = closest.iter().filter(|point| point.value().is_some()).count() + beyond.indices.len();
        let mut own = Self {
            within_mm,
            explained_fraction: fraction(closest.len()),
            explained_of_part_fraction: fraction(closest.len().saturating_sub(clutter_points)).min(1.0),
            rms_all_mm: ((near_squares + far_squares) / matched.max(1) as f64).sqrt(),
            is_doubtful: false,
        };
        let shown = coverage.in_view_fraction.unwrap_or(coverage.fraction);
        let is_explained = own.explained_fraction >= ExplainedFraction::MIN_FRACTION;
        let is_part_in_clutter = own.agrees_beside_clutter() && shown >= MIN_SHOWN;
        own.is_doubtful = !is_explained && !is_part_in_clutter;
        own
    }

    /// Whether what is no clutter lies on the nominal.
    pub fn agrees_beside_clutter(&self) -> bool {
        self.explained_of_part_fraction >= MIN_EXPLAINED_OF_PART
    }
}
