//! Sizes of printed pages.

use serde::{Deserialize, Serialize};

/// Size of the pages of reports and certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PageSize {
    /// A4 (ISO 216), 210 mm by 297 mm.
    #[default]
    A4,
    /// Letter (ANSI), 215.9 mm by 279.4 mm.
    Letter,
}

impl PageSize {
    /// All, in the order of menus.
    pub const ALL: [Self; 2] = [Self::A4, Self::Letter];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::A4 => "A4",
            Self::Letter => "Letter",
        }
    }

    /// Width and height, mm.
    pub fn mm(self) -> [f32; 2] {
        match self {
            Self::A4 => [210.0, 297.0],
            Self::Letter => [215.9, 279.4],
        }
    }
}
