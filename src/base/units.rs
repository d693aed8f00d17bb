//! Length units of files and of the window. Inside, every length is in millimetres.

use serde::{Deserialize, Serialize};

/// A length unit that a file may be written in or the window may show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Millimetre, the unit inside.
    #[default]
    Mm,
    /// Centimetre.
    Cm,
    /// Metre.
    M,
    /// International inch, 25.4 mm exactly.
    Inch,
}

impl LengthUnit {
    /// All units, in the order that menus show them.
    pub const ALL: [Self; 4] = [Self::Mm, Self::Cm, Self::M, Self::Inch];

    /// Millimetres in one of this unit.
    pub fn in_mm(self) -> f64 {
        match self {
            Self::Mm => 1.0,
            Self::Cm => 10.0,
            Self::M => 1000.0,
            Self::Inch => 25.4,
        }
    }

    /// The unit's symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::Inch => "inch",
        }
    }
}
