//! Selections of points and facets, current and named.

use serde::{Deserialize, Serialize};

use geometry::Subset;

/// What a brush selects.
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
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Points, Self::Facets];

    /// Name for display, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Facets => "facets",
        }
    }
}

/// Selected and hidden points or facets.
#[derive(Clone, Debug, Default)]
pub struct SelectionState {
    /// Indices of the selected ones.
    pub selected: Subset,
    /// Indices of those that are neither shown nor selectable; they still take part in computations.
    pub hidden: Subset,
}

impl SelectionState {
    /// The same selection after all but the items at the indices `kept` (ascending) were removed.
    pub fn renumbered(&self, kept: &[u32]) -> Self {
        Self { selected: self.selected.renumbered(kept), hidden: self.hidden.renumbered(kept) }
    }
}

/// A named selection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSelection {
    /// Its name.
    pub name: String,
    /// Whether points or facets are selected.
    #[serde(default)]
    pub of: Selectable,
    /// Indices of its points or facets.
    #[serde(alias = "points")]
    pub numbers: Subset,
}
