//! What a fit makes least or greatest.

use serde::{Deserialize, Serialize};

use super::shape::Kind;

/// What makes one ideal feature the best. ISO 14405-1 and ISO 1101 name these associations by the letters G, C, N and
/// X (from memory; the clauses were not at hand to check against).
///
/// Only the Gaussian fit weighs points. To the others a point of weight above 0 counts as any other, since one point
/// alone may hold them; weight 0 masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// Least sum of squared distances (G).
    #[default]
    Gaussian,
    /// Least greatest distance: the narrowest zone that holds all points (Chebyshev, minimax; C).
    MinimumZone,
    /// Smallest feature of size around all points (N).
    MinimumCircumscribed,
    /// Largest feature of size that no point lies in (X).
    MaximumInscribed,
}

impl Objective {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gaussian, Self::MinimumZone, Self::MinimumCircumscribed, Self::MaximumInscribed];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::MinimumZone => "Minimum zone",
            Self::MinimumCircumscribed => "Minimum circumscribed",
            Self::MaximumInscribed => "Maximum inscribed",
        }
    }

    /// Whether it makes sense for `kind`. All have a Gaussian fit and a minimum zone; circles, spheres and cylinders
    /// alone have one size that can be circumscribed or inscribed.
    pub fn suits(self, kind: Kind) -> bool {
        match self {
            Self::Gaussian | Self::MinimumZone => true,
            Self::MinimumCircumscribed | Self::MaximumInscribed => {
                matches!(kind, Kind::Circle | Kind::Sphere | Kind::Cylinder)
            }
        }
    }
}
