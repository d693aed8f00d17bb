//! Length units of files and of the user interface. Internally, all lengths are in millimetres.

use serde::{Deserialize, Serialize};

/// Length unit of a file or of the display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Millimetre, the internal unit.
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
    /// All units, in menu order.
    pub const ALL: [Self; 4] = [Self::Mm, Self::Cm, Self::M, Self::Inch];

    /// Millimetres per unit.
    pub fn mm_per_unit(self) -> f64 {
        match self {
            Self::Mm => 1.0,
            Self::Cm => 10.0,
            Self::M => 1000.0,
            Self::Inch => 25.4,
        }
    }

    /// Unit symbol, such as `mm`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::Inch => "inch",
        }
    }

    /// Decimals of a length that has so many in millimetres: more in larger units, for about the same resolution.
    pub fn decimals(self, in_mm: usize) -> usize {
        in_mm + self.mm_per_unit().log10().round().max(0.0) as usize
    }
}
