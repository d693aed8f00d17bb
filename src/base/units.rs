//! Length units of files and of the user interface. Internally, all lengths are in millimetres.

use serde::{Deserialize, Serialize};

use super::decimals::decimals;
use super::words::signed;

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

    /// A length in this unit.
    pub fn from_mm(self, mm: f64) -> f64 {
        mm / self.mm_per_unit()
    }

    /// A length without the symbol, with `usual` decimals where it is in mm and the thread shows the usual ones.
    pub fn length_text(self, mm: f64, usual: usize) -> String {
        format!("{:.*}", self.decimals(decimals(usual)), self.from_mm(mm))
    }

    /// A [`Self::length_text`] with its sign; what rounds to zero has none.
    pub fn signed_length(self, mm: f64, usual: usize) -> String {
        signed(self.from_mm(mm), self.decimals(decimals(usual)))
    }

    /// A length as it was stated, without the symbol: all its decimals in mm, and in another unit those of about 0.01 µm, without
    /// trailing zeros.
    pub fn stated_text(self, mm: f64) -> String {
        let digits = self.decimals(5);
        match self {
            Self::Mm => mm.to_string(),
            _ => {
                let text = format!("{:.digits$}", self.from_mm(mm));
                let text = text.trim_end_matches('0').trim_end_matches('.');
                if text == "-0" { "0".to_owned() } else { text.to_owned() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_in_each_unit_with_about_the_same_resolution() {
        crate::set_decimals(crate::Decimals::default());
        let written = |unit: LengthUnit| [unit.length_text(25.4, 3), unit.signed_length(0.254, 3)];
        assert_eq!(written(LengthUnit::Mm), ["25.400", "+0.254"]);
        assert_eq!(written(LengthUnit::Cm), ["2.5400", "+0.0254"]);
        assert_eq!(written(LengthUnit::M), ["0.025400", "+0.000254"]);
        assert_eq!(written(LengthUnit::Inch), ["1.0000", "+0.0100"]);
        assert_eq!(LengthUnit::Inch.signed_length(-1e-5, 3), "0.0000");
    }

    #[test]
    fn stated_lengths_keep_their_decimals_in_mm_and_have_no_trailing_zeros_elsewhere() {
        let stated = |mm: f64| [LengthUnit::Mm, LengthUnit::Inch].map(|unit| unit.stated_text(mm));
        assert_eq!(stated(0.05), ["0.05", "0.001969"]);
        assert_eq!(stated(2.54), ["2.54", "0.1"]);
        assert_eq!(stated(254.0), ["254", "10"]);
        assert_eq!(stated(0.0), ["0", "0"]);
        assert_eq!(stated(-1e-9), ["-0.000000001", "0"]);
        assert_eq!(LengthUnit::M.stated_text(1500.0), "1.5");
    }
}
