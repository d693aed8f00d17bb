//! Association criteria: what a fit minimises or maximises.

use serde::{Deserialize, Serialize};

use super::shape::Kind;

/// The association criterion. ISO 14405-1 and ISO 1101 denote these by the letters G, C, N and X (from memory; the
/// clauses were not available to check against).
///
/// Only the Gaussian fit uses weights. For the others every point of positive weight counts alike, since a single point
/// may determine the result; weight 0 masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// Minimum sum of squared distances (G).
    #[default]
    Gaussian,
    /// Minimum of the maximum distance: the narrowest zone that contains all points (Chebyshev, minimax; C).
    MinimumZone,
    /// Smallest feature of size that encloses all points (N).
    MinimumCircumscribed,
    /// Largest feature of size that contains no point (X).
    MaximumInscribed,
}

impl Objective {
    /// All association criteria.
    pub const ALL: [Self; 4] = [Self::Gaussian, Self::MinimumZone, Self::MinimumCircumscribed, Self::MaximumInscribed];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::MinimumZone => "Minimum zone",
            Self::MinimumCircumscribed => "Minimum circumscribed",
            Self::MaximumInscribed => "Maximum inscribed",
        }
    }

    /// Whether it is defined for `kind`. All kinds have a Gaussian fit and a minimum zone; only circles, spheres and
    /// cylinders have a single size that can be circumscribed or inscribed.
    pub fn suits(self, kind: Kind) -> bool {
        match self {
            Self::Gaussian | Self::MinimumZone => true,
            Self::MinimumCircumscribed | Self::MaximumInscribed => {
                matches!(kind, Kind::Circle | Kind::Sphere | Kind::Cylinder)
            }
        }
    }
}
