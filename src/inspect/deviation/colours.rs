//! Colours in which deviations are shown.

use serde::{Deserialize, Serialize};

/// Colours of a deviation scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Colours {
    /// Green in tolerance, yellow to red above, cyan to violet below.
    #[default]
    Spectrum,
    /// From violet by green to red over the whole scale, whatever the tolerance.
    Continuous,
    /// As the spectrum, in four steps on each side.
    Bands,
    /// Pale in tolerance, orange to brown above, light to dark blue below: for readers who do not tell red from green.
    ColourBlind,
}

impl Colours {
    /// All, in the order of menus.
    pub const ALL: [Self; 4] = [Self::Spectrum, Self::Continuous, Self::Bands, Self::ColourBlind];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spectrum => "green in tolerance",
            Self::Continuous => "continuous",
            Self::Bands => "bands",
            Self::ColourBlind => "colour-blind safe",
        }
    }
}
