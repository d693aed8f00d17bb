//! Selected points with names, and features made from them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geometry::PointSet;
use crate::inspect::features::{Fit, Kind, Objective, Shape};

/// A selection with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSelection {
    /// The name.
    pub name: String,
    /// Its points.
    pub points: PointSet,
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
    /// Its points.
    pub points: PointSet,
}

/// A fitted feature, scan frame.
#[derive(Clone, Debug)]
pub struct Feature {
    /// How it was made.
    pub recipe: Recipe,
    /// The fit; residuals in the order of the recipe's points.
    pub fit: Arc<Fit>,
}
