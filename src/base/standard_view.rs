//! Names of the standard viewing directions.

use serde::{Deserialize, Serialize};

/// Standard viewing direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum StandardView {
    /// Seen from (0.75, -1, 0.8).
    Isometric,
    /// Seen from -y.
    Front,
    /// Seen from +y.
    Back,
    /// Seen from -x.
    Left,
    /// Seen from +x.
    Right,
    /// Seen from +z.
    Top,
    /// Seen from -z.
    Bottom,
}

impl StandardView {
    /// All views in menu order.
    pub const ALL: [Self; 7] =
        [Self::Isometric, Self::Front, Self::Back, Self::Left, Self::Right, Self::Top, Self::Bottom];

    /// Name for menus and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Top => "Top",
            Self::Bottom => "Bottom",
            Self::Front => "Front",
            Self::Back => "Back",
            Self::Left => "Left",
            Self::Right => "Right",
            Self::Isometric => "Isometric",
        }
    }
}
