//! What the brush takes, kept under names; and features made from points.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use geometry::Subset;
use inspect::features::fitting::Fitting;
use inspect::features::weights::Weights;
use inspect::features::{Fit, Kind, Objective, Shape};

/// What a brush takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selectable {
    /// The scan's points.
    #[default]
    Points,
    /// The nominal's facets.
    Facets,
}

impl Selectable {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Points, Self::Facets];

    /// For people, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Facets => "facets",
        }
    }
}

/// How the brush has left points or facets.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    /// Those that are selected.
    pub selected: Subset,
    /// Those that are neither shown nor brushed; they count all the same.
    pub hidden: Subset,
}

impl Marked {
    /// The same ones by their numbers after only those `kept` (ascending) are left.
    pub fn renumbered(&self, kept: &[u32]) -> Self {
        Self { selected: self.selected.renumbered(kept), hidden: self.hidden.renumbered(kept) }
    }
}

/// A selection with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSelection {
    /// The name.
    pub name: String,
    /// What was selected.
    #[serde(default)]
    pub of: Selectable,
    /// The numbers of its points or facets.
    #[serde(alias = "points")]
    pub numbers: Subset,
}

/// What a feature is fitted to, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// Whether most points decide.
    pub robust: bool,
    /// Robust standard deviations beyond which points are dropped.
    pub clip_sigmas: Option<f64>,
    /// What makes one feature the best.
    #[serde(default)]
    pub objective: Objective,
    /// The plane that a line or circle is fitted in, scan frame; `None` fits it in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<Shape>,
    /// How its points are weighed.
    #[serde(default, skip_serializing_if = "Weights::is_plain")]
    pub weights: Weights,
    /// Points of the planes that are parallel to it, for planes fitted together; empty where it stands alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parallel_to: Vec<Subset>,
    /// Its points.
    pub points: Subset,
}

impl Recipe {
    /// How it is fitted, whatever its points.
    pub fn fitting(&self) -> Fitting {
        let Self { kind, objective, robust, clip_sigmas, weights, .. } = *self;
        Fitting { kind, objective, robust, clip_sigmas, weights }
    }
}

/// A fitted feature, scan frame.
#[derive(Clone, Debug)]
pub struct Feature {
    /// How it was made.
    pub recipe: Recipe,
    /// The fit; residuals in the order of the recipe's points.
    pub fit: Arc<Fit>,
}
