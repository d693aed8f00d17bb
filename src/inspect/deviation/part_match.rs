//! Whether a scan is of this part at all, as far as a comparison can tell.
//!
//! Both ways: how much of the scan the nominal explains, and how much of the nominal's surface the scan shows. Points
//! beyond the largest distance count here, whatever the colours leave out.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::regions::Clutter;
use super::{Beyond, Coverage, Tolerance};
use crate::alignment::Explained;
use compute::point_deviation::PointDeviation;

/// Tolerances up to this share of the diagonal widen [`Explained::WITHIN`]: what is in tolerance is explained.
pub const LARGE_TOLERANCE: f64 = 0.01;
/// With less explained than [`Explained::LEAST`] a scan may be of another part, unless what is not clutter is explained
/// to this share,
const MIN_EXPLAINED_OF_PART: f64 = 0.85;
/// and shows as much of the surface.
const MIN_SHOWN: f64 = 0.5;

/// How scan and nominal explain each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartMatch {
    /// Distance within which the nominal explains a point, mm.
    pub within_mm: f64,
    /// Share of all scan points that it explains, 0 to 1.
    pub explained_fraction: f64,
    /// The same without what was told apart as clutter.
    pub explained_of_part_fraction: f64,
    /// RMS distance of all scan points but clutter, mm: those beyond the largest distance count.
    pub rms_all_mm: f64,
    /// Whether the scan may be of another part, or lie in a wrong pose.
    pub is_doubtful: bool,
}

impl PartMatch {
    /// Of the points `closest` of a scan and those `beyond` the largest distance.
    pub fn new(
        closest: &[PointDeviation],
        beyond: &Beyond,
        clutter: &Clutter,
        coverage: &Coverage,
        tolerance: &Tolerance,
        diagonal_mm: f64,
    ) -> Self {
        let within_mm =
            (Explained::WITHIN * diagonal_mm).max(tolerance.largest_mm().min(LARGE_TOLERANCE * diagonal_mm));
        let figures = |points: &[PointDeviation]| {
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
        let ((near, near_squares), (far, far_squares)) = (figures(closest), figures(&beyond.deviations));
        let explained = near + far;
        let strangers = clutter.points + clutter.stray_points;
        let share = |of: usize| explained as f64 / of.max(1) as f64;
        let matched = closest.iter().filter(|point| point.value().is_some()).count() + beyond.numbers.len();
        let mut own = Self {
            within_mm,
            explained_fraction: share(closest.len()),
            explained_of_part_fraction: share(closest.len().saturating_sub(strangers)).min(1.0),
            rms_all_mm: ((near_squares + far_squares) / matched.max(1) as f64).sqrt(),
            is_doubtful: false,
        };
        let shown = coverage.in_view_fraction.unwrap_or(coverage.fraction);
        let explains_itself = own.explained_fraction >= Explained::LEAST;
        let stands_in_clutter = own.explained_of_part_fraction >= MIN_EXPLAINED_OF_PART && shown >= MIN_SHOWN;
        own.is_doubtful = !explains_itself && !stands_in_clutter;
        own
    }
}
