//! What the brush takes, and keeps under names.

use serde::{Deserialize, Serialize};

use geometry::Subset;

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
