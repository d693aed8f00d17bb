//! Slots fitted to selected points.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use geometry::{Point, Subset};
use inspect::features::Shape;
use inspect::features::slot::{SlotFit, fit_slot_in};

/// What a slot is fitted to, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRecipe {
    /// The name.
    pub name: String,
    /// The plane that it lies in, scan frame; `None` takes the one through its points.
    #[serde(default)]
    pub plane: Option<Shape>,
    /// Robust standard deviations beyond which points are dropped.
    pub clip_sigmas: Option<f64>,
    /// Points of its rim.
    pub points: Subset,
}

/// A fitted slot, scan frame.
#[derive(Clone, Debug)]
pub struct SlotFeature {
    /// How it was made.
    pub recipe: SlotRecipe,
    /// The fit; residuals in the order of the recipe's points.
    pub fit: Arc<SlotFit>,
}

impl SlotRecipe {
    /// The slot through `points`, those of the recipe, mm. Fails with a sentence where they do not determine one.
    pub fn made(self, points: &[Point], progress: &Progress) -> Result<SlotFeature> {
        if points.len() != self.points.len() {
            return Err(UserError::input(format!("{} names points that the scan has not.", self.name)));
        }
        let fit = Arc::new(fit_slot_in(self.plane.as_ref(), points, self.clip_sigmas, progress)?);
        Ok(SlotFeature { recipe: self, fit })
    }
}
