//! The colours that an option names: built-in ones, or those in a file.

use std::path::PathBuf;
use std::str::FromStr;

use inspect::deviation::Colours;

/// Colours of deviations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColourChoice {
    /// Built-in ones.
    BuiltIn(Colours),
    /// A colour scale in a file.
    Own(PathBuf),
}

impl FromStr for ColourChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(colours) = <Colours as clap::ValueEnum>::from_str(text, false) {
            return Ok(Self::BuiltIn(colours));
        }
        let path = PathBuf::from(text);
        if path.extension().is_some_and(|own| own.eq_ignore_ascii_case("json")) {
            return Ok(Self::Own(path));
        }
        Err("spectrum, continuous, bands, colour-blind, or the file (.json) of a colour scale was expected".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_colours_are_named_and_others_are_files() {
        for (text, colours) in [("spectrum", Colours::Spectrum), ("colour-blind", Colours::ColourBlind)] {
            assert_eq!(text.parse::<ColourChoice>(), Ok(ColourChoice::BuiltIn(colours)));
        }
        assert_eq!("a/gaps.JSON".parse::<ColourChoice>(), Ok(ColourChoice::Own("a/gaps.JSON".into())));
        assert!("rainbow".parse::<ColourChoice>().is_err());
    }
}
