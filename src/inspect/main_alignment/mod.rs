//! Main alignments: a scan that is already aligned (the pre-alignment) is aligned again to what the drawing refers to,
//! by reference points (RPS, of which 3-2-1 is a case) or by a datum system.

pub mod association;
mod conditions;
pub mod csv;
pub mod datum_system;
pub mod recipe;
pub mod reference_points;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use datum_system::DatumAssociation;
pub use recipe::{MainAlignmentRecipe, MainMethod};
pub use reference_points::{ReferencePoint, ReferencePoints, ReferenceResult};

/// What a main alignment refers to, and how well it meets that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Main {
    /// Reference points.
    ReferencePoints {
        /// The points, in their order.
        points: Vec<ReferenceResult>,
        /// Longest displacement on the part per error of 1 mm at the reference points; `None` if they leave a degree of
        /// freedom.
        amplification: Option<f64>,
    },
    /// A datum system.
    DatumSystem {
        /// Letters of the datums, or names of features, in their order.
        datums: Vec<String>,
        /// How they were associated.
        association: DatumAssociation,
    },
}

impl Main {
    /// The method, for display.
    pub fn name(&self) -> String {
        match self {
            Self::ReferencePoints { points, .. } => format!("{} reference points (RPS)", points.len()),
            Self::DatumSystem { datums, association } => {
                let how = match association {
                    DatumAssociation::Contacting => "contacting",
                    DatumAssociation::Fitted => "as fitted",
                };
                format!("datum system {}, {how}", datums.join(" | "))
            }
        }
    }

    /// The result in sentences.
    pub fn words(&self) -> String {
        let Self::ReferencePoints { points, amplification } = self else {
            return format!("Aligned to the {}.", self.name());
        };
        let largest_mm = points.iter().map(|own| own.deviation_mm.abs()).fold(0.0, f64::max);
        let mut words = format!("Aligned to {}: deviations left at them up to {largest_mm:.4} mm.", self.name());
        if let Some(amplification) = amplification {
            words += &format!(
                " An error of 0.01 mm at a reference point moves the part by up to {:.3} mm.",
                0.01 * amplification
            );
        }
        words
    }
}
