//! Main alignments: a scan that is already aligned (the pre-alignment) is aligned again to what the drawing refers to,
//! by reference points (RPS, of which 3-2-1 is a case), by a datum system, by a best fit on some faces, or within its
//! tolerance.

pub mod association;
mod conditions;
pub mod contact_points;
pub mod csv;
pub mod datum_system;
pub mod recipe;
pub mod reference_points;
#[cfg(test)]
mod tests;
pub mod within_tolerance;

use serde::{Deserialize, Serialize};

use crate::deviation::Tolerance;
use crate::tolerances::common::listed;
use crate::tolerances::coverage::shortages;
use base::signed;

pub use datum_system::{DatumAssociation, DatumReport};
pub use recipe::{MainAlignmentRecipe, MainMethod};
pub use reference_points::{Centre, Centres, ReferencePoint, ReferencePoints, ReferenceResult};
pub use within_tolerance::ToleranceFit;

/// What a main alignment refers to, and how well it meets that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Main {
    /// Reference points.
    ReferencePoints {
        /// The points, in their order: one entry for each direction in which a point is held.
        points: Vec<ReferenceResult>,
        /// Longest displacement on the part per error of 1 mm at the reference points; `None` if they leave a degree of
        /// freedom.
        amplification: Option<f64>,
    },
    /// A datum system.
    DatumSystem {
        /// Letters of the datums, or names of features, in their order; A-B of a common datum.
        datums: Vec<String>,
        /// How they were associated.
        association: DatumAssociation,
        /// How each was associated with its points.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reports: Vec<DatumReport>,
    },
    /// A best fit of some faces.
    OnFaces {
        /// Number of their facets.
        facets: usize,
        /// Number of the points on them.
        points: usize,
    },
    /// The deviations brought within their limits.
    WithinTolerance {
        /// The limits.
        tolerance: Tolerance,
        /// Number of points that lie beyond them yet.
        points_beyond: usize,
        /// The largest deviation beyond them, mm.
        largest_excess_mm: f64,
        /// Whether the part was moved at all.
        is_moved: bool,
    },
}

impl Main {
    /// The method, for display.
    pub fn name(&self) -> String {
        match self {
            Self::ReferencePoints { points, .. } => {
                let count = points.iter().filter(|own| !own.is_further).count();
                format!("{count} reference points (RPS)")
            }
            Self::DatumSystem { datums, association, .. } => {
                let how = match association {
                    DatumAssociation::Contacting => "contacting",
                    DatumAssociation::ContactingExtreme => "contacting single points",
                    DatumAssociation::Fitted => "as fitted",
                };
                format!("datum system {}, {how}", listed(datums.iter().map(String::as_str), " | "))
            }
            Self::OnFaces { facets, .. } => format!("best fit on {facets} facets"),
            Self::WithinTolerance { tolerance: Tolerance { low_mm, high_mm }, .. } => {
                format!("best fit within {} to {} mm", signed(*low_mm, 3), signed(*high_mm, 3))
            }
        }
    }

    /// Which faces of datums were not seen far enough, in sentences; empty if all were, or if none is aligned to.
    pub fn unseen(&self) -> String {
        let Self::DatumSystem { reports, .. } = self else { return String::new() };
        shortages(&reports.iter().flat_map(|own| own.faces.iter().cloned()).collect::<Vec<_>>())
    }

    /// The result in sentences.
    pub fn words(&self) -> String {
        match self {
            Self::ReferencePoints { points, amplification } => {
                let largest_mm = points.iter().map(|own| own.deviation_mm.abs()).fold(0.0, f64::max);
                let mut words =
                    format!("Aligned to {}: deviations left at them up to {largest_mm:.4} mm.", self.name());
                if let Some(amplification) = amplification {
                    let moved_mm = 0.01 * amplification;
                    words +=
                        &format!(" An error of 0.01 mm at a reference point moves the part by up to {moved_mm:.3} mm.");
                }
                words
            }
            Self::DatumSystem { reports, .. } => {
                let aligned = format!("Aligned to the {}.", self.name());
                std::iter::once(aligned)
                    .chain(reports.iter().filter_map(DatumReport::words))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Self::OnFaces { facets, points } => {
                format!("Aligned by a best fit of {points} points on {facets} facets.")
            }
            Self::WithinTolerance { points_beyond: 0, is_moved: false, .. } => {
                "All points are within the limits in the pre-alignment; the part was not moved.".to_owned()
            }
            Self::WithinTolerance { points_beyond: 0, .. } => "All points are within the limits.".to_owned(),
            Self::WithinTolerance { points_beyond, largest_excess_mm, .. } => format!(
                "The limits cannot be kept: at least {points_beyond} points exceed them, by up to \
                 {largest_excess_mm:.4} mm where that is least in the mean square."
            ),
        }
    }
}
