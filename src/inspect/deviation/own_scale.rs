//! Colour scales of the operator's own: colours with boundaries in mm or in shares of the tolerance, kept in the plan and
//! in files of their own.

use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Tolerance;
use base::{Result, UserError, regular_file};
use io::atomic;

/// Value of `format` that identifies a file of a colour scale.
pub const FORMAT: &str = "shadowgraph.colours";
/// Version of the layout written now.
pub const VERSION: u32 = 1;
/// Fewest colours of a scale.
pub const MIN_STOPS: usize = 2;
/// Most colours of a scale.
pub const MAX_STOPS: usize = 64;
/// Distance of a new last boundary from the one before, where the others tell none.
const NEW_STEP: f64 = 0.1;
/// Largest file that is read, bytes (1 MiB).
const MAX_BYTES: u64 = 1 << 20;

/// What boundaries are stated in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryUnit {
    /// Deviations, mm.
    #[default]
    Mm,
    /// Shares of the tolerance: -1 is the lower limit, 0 the middle between both, 1 the upper limit.
    Tolerance,
}

impl BoundaryUnit {
    /// All, in the order of menus.
    pub const ALL: [Self; 2] = [Self::Mm, Self::Tolerance];

    /// The deviation at a boundary, mm. The limits themselves come out exactly.
    pub fn mm(self, at: f64, tolerance: &Tolerance) -> f64 {
        match self {
            Self::Mm => at,
            Self::Tolerance => 0.5 * (1.0 - at) * tolerance.low_mm + 0.5 * (1.0 + at) * tolerance.high_mm,
        }
    }

    /// The boundary at a deviation, mm: the inverse of [`BoundaryUnit::mm`]. The limits must differ.
    pub fn at(self, deviation_mm: f64, tolerance: &Tolerance) -> f64 {
        let Tolerance { low_mm, high_mm } = tolerance;
        match self {
            Self::Mm => deviation_mm,
            Self::Tolerance => ((deviation_mm - low_mm) - (high_mm - deviation_mm)) / (high_mm - low_mm),
        }
    }
}

/// A colour, and the boundary from which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// In the unit of its scale.
    pub at: f64,
    /// RGB.
    pub colour: [u8; 3],
}

/// A colour scale of the operator's own. Stepped, each colour holds from its boundary up to the next one; otherwise the
/// colours run into each other between the boundaries, and two at one boundary make a jump. The first colour holds below
/// all boundaries, the last one above. What is not measured has none of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredScale", into = "StoredScale")]
pub struct OwnScale {
    /// Its name.
    pub name: String,
    /// What the boundaries are stated in.
    pub unit: BoundaryUnit,
    /// Whether the colours are bands, rather than running into each other.
    pub is_stepped: bool,
    /// [`MIN_STOPS`] to [`MAX_STOPS`], none below the one before.
    pub stops: Vec<Stop>,
}

/// A scale as it is written, with colours such as `#4caf50`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredScale {
    name: String,
    #[serde(default)]
    unit: BoundaryUnit,
    #[serde(default)]
    is_stepped: bool,
    stops: Vec<StoredStop>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredStop {
    /// `null` is what is written of numbers that are not finite.
    at: Option<f64>,
    colour: String,
}

#[derive(Serialize)]
struct File<'a> {
    format: &'a str,
    version: u32,
    #[serde(flatten)]
    scale: &'a OwnScale,
}

impl From<OwnScale> for StoredScale {
    fn from(OwnScale { name, unit, is_stepped, stops }: OwnScale) -> Self {
        let stored =
            |Stop { at, colour: [r, g, b] }| StoredStop { at: Some(at), colour: format!("#{r:02x}{g:02x}{b:02x}") };
        Self { name, unit, is_stepped, stops: stops.into_iter().map(stored).collect() }
    }
}

impl TryFrom<StoredScale> for OwnScale {
    type Error = UserError;

    fn try_from(StoredScale { name, unit, is_stepped, stops }: StoredScale) -> Result<Self> {
        let stop = |(number, StoredStop { at, colour }): (usize, StoredStop)| {
            let Some(colour) = parsed(&colour) else {
                return Err(UserError::input(format!(
                    "Colour {number} of the scale, “{colour}”, is not known; write it as #rrggbb, such as “#4caf50”."
                )));
            };
            Ok(Stop { at: at.unwrap_or(f64::NAN), colour })
        };
        let stops = (1..).zip(stops).map(stop).collect::<Result<Vec<Stop>>>()?;
        let scale = Self { name: name.trim().to_owned(), unit, is_stepped, stops };
        scale.check()?;
        Ok(scale)
    }
}

/// A colour written as `#rrggbb`; `None` if it is not.
fn parsed(text: &str) -> Option<[u8; 3]> {
    let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let channel = |from: usize| {
        let digits = digits.get(from..from + 2)?;
        // A sign would be read as part of the number.
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)
    };
    Some([channel(0)?, channel(2)?, channel(4)?])
}

impl OwnScale {
    /// Returns an error unless it has a name, enough colours and not too many, and finite boundaries in ascending order.
    pub fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(UserError::input("Give the colour scale a name."));
        }
        if !(MIN_STOPS..=MAX_STOPS).contains(&self.stops.len()) {
            return Err(UserError::input(format!(
                "A colour scale has {MIN_STOPS} to {MAX_STOPS} colours; this one has {}.",
                self.stops.len()
            )));
        }
        if let Some(index) = self.stops.iter().position(|stop| !stop.at.is_finite()) {
            return Err(UserError::input(format!(
                "Boundary {} of the colour scale is not a finite number; state it in mm or as a share of the tolerance.",
                index + 1
            )));
        }
        if let Some(index) = self.stops.windows(2).position(|pair| pair[1].at < pair[0].at) {
            return Err(UserError::input(format!(
                "Boundary {} of the colour scale lies below the one before; sort the boundaries from low to high.",
                index + 2
            )));
        }
        Ok(())
    }

    /// The deviations at its boundaries, mm, each once. That of the first band of a stepped scale, which goes on below it, is
    /// none.
    pub fn boundaries_mm(&self, tolerance: &Tolerance) -> Vec<f64> {
        let boundaries = self.stops.iter().skip(usize::from(self.is_stepped));
        let mut all: Vec<f64> = boundaries.map(|stop| self.unit.mm(stop.at, tolerance)).collect();
        all.dedup();
        all
    }

    /// The same scale with its boundaries stated in another unit, for limits that differ.
    pub fn stated_in(mut self, unit: BoundaryUnit, tolerance: &Tolerance) -> Self {
        if unit != self.unit {
            for stop in &mut self.stops {
                stop.at = unit.at(self.unit.mm(stop.at, tolerance), tolerance);
            }
            self.unit = unit;
        }
        self
    }

    /// Adds a colour between that at `index` and the next one, or beyond the last; if there is room for one more.
    pub fn add_after(&mut self, index: usize) {
        let Some(own) = self.stops.get(index).copied().filter(|_| self.stops.len() < MAX_STOPS) else { return };
        let added = match self.stops.get(index + 1) {
            Some(next) => {
                let middle = |channel: usize| own.colour[channel].midpoint(next.colour[channel]);
                Stop { at: own.at.midpoint(next.at), colour: std::array::from_fn(middle) }
            }
            None => {
                let before = index.checked_sub(1).and_then(|before| self.stops.get(before));
                let step = before.map(|before| own.at - before.at).filter(|step| *step > 0.0).unwrap_or(NEW_STEP);
                Stop { at: own.at + step, ..own }
            }
        };
        self.stops.insert(index + 1, added);
    }

    /// Removes the colour at `index`, unless too few would be left.
    pub fn remove(&mut self, index: usize) {
        if self.stops.len() > MIN_STOPS && index < self.stops.len() {
            self.stops.remove(index);
        }
    }

    /// Reads a scale from its file. Returns an error that says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self> {
        let (file, length) = regular_file::open(path)?;
        if length > MAX_BYTES {
            return Err(UserError::input(format!("{}: this is too large for a colour scale.", path.display())));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text).map_err(|e| UserError::file("read", path, &e))?;
        let unreadable = |error: serde_json::Error| {
            UserError::input(format!(
                "{}, line {}: this is not a readable colour scale: {error}. Choose another file.",
                path.display(),
                error.line()
            ))
        };
        let value: Value = serde_json::from_str(&text).map_err(unreadable)?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(UserError::input(format!("{} is not a colour scale of Shadowgraph.", path.display())));
        }
        // From the text, so that the error has its line.
        let stored: StoredScale = serde_json::from_str(&text).map_err(unreadable)?;
        Self::try_from(stored).map_err(|error| error.in_file(path))
    }

    /// Writes the scale to a file of its own, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.check()?;
        let file = File { format: FORMAT, version: VERSION, scale: self };
        let text = serde_json::to_string_pretty(&file)
            .map_err(|e| UserError::internal(format!("The colour scale cannot be written: {e}.")))?;
        atomic::write_bytes(path, format!("{text}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale() -> OwnScale {
        let stop = |at, colour| Stop { at, colour };
        OwnScale {
            name: "Gaps".to_owned(),
            unit: BoundaryUnit::Tolerance,
            is_stepped: true,
            stops: vec![stop(-3.0, [10, 20, 30]), stop(-1.0, [40, 50, 60]), stop(1.0, [255, 0, 128])],
        }
    }

    #[test]
    fn limits_come_out_exactly_and_boundaries_survive_a_change_of_unit() {
        for (low_mm, high_mm) in [(-0.1, 0.2), (-0.1, 0.1), (0.05, 0.3), (-0.7, -0.1)] {
            let tolerance = Tolerance { low_mm, high_mm };
            let unit = BoundaryUnit::Tolerance;
            assert_eq!([unit.mm(-1.0, &tolerance), unit.mm(1.0, &tolerance)], [low_mm, high_mm]);
            assert_eq!([unit.at(low_mm, &tolerance), unit.at(high_mm, &tolerance)], [-1.0, 1.0]);
            let in_mm = scale().stated_in(BoundaryUnit::Mm, &tolerance);
            assert_eq!((in_mm.stops[1].at, in_mm.stops[2].at), (low_mm, high_mm));
            let back = in_mm.stated_in(BoundaryUnit::Tolerance, &tolerance);
            assert!((back.stops[0].at + 3.0).abs() < 1e-12 && back.unit == BoundaryUnit::Tolerance);
        }
    }

    #[test]
    fn a_file_gives_the_same_scale_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gaps.json");
        scale().save(&path).unwrap();
        assert_eq!(OwnScale::read(&path).unwrap(), scale());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("#ff0080") && text.contains("\"format\": \"shadowgraph.colours\""), "{text}");
    }

    #[test]
    fn colours_are_added_between_others_and_beyond_the_last_and_two_stay() {
        let mut own = scale();
        own.add_after(0);
        assert_eq!(own.stops[1], Stop { at: -2.0, colour: [25, 35, 45] });
        own.add_after(3);
        assert_eq!(own.stops[4], Stop { at: 3.0, colour: [255, 0, 128] });
        own.check().unwrap();
        own.add_after(9);
        (0..9).for_each(|_| own.remove(1));
        assert_eq!(own.stops.iter().map(|stop| stop.at).collect::<Vec<_>>(), [-3.0, 3.0]);
        (0..99).for_each(|_| own.add_after(0));
        assert_eq!(own.stops.len(), MAX_STOPS);
        own.check().unwrap();
    }

    #[test]
    fn damaged_files_are_refused_with_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.json");
        let file = |stops: &str| {
            format!(
                r#"{{"format": "shadowgraph.colours", "version": 1, "name": "x", "is_stepped": true, "stops": [{stops}]}}"#
            )
        };
        let (one, two) = (r##"{"at": 0, "colour": "#000000"}"##, r##"{"at": 1, "colour": "#ffffff"}"##);
        let many = [one; MAX_STOPS + 1].join(", ");
        for (text, wanted) in [
            ("{".to_owned(), "line 1"),
            ("[]".to_owned(), "is not a colour scale"),
            (file(one), "2 to 64 colours; this one has 1."),
            (file(&many), "this one has 65."),
            (file(&format!("{two}, {one}")), "Boundary 2 of the colour scale lies below"),
            (
                file(&format!(r##"{one}, {{"at": null, "colour": "#ffffff"}}"##)),
                "Boundary 2 of the colour scale is not",
            ),
            (file(&format!(r##"{one}, {{"at": 1e999, "colour": "#ffffff"}}"##)), "line 1"),
            (file(&format!(r##"{one}, {{"at": 1, "colour": "teal"}}"##)), "“teal”"),
            (file(&format!(r##"{one}, {{"at": 1, "colour": "#+1+2+3"}}"##)), "“#+1+2+3”"),
            (file(&format!(r##"{one}, {{"at": 1, "colour": "#ä0000"}}"##)), "“#ä0000”"),
            (file(&format!("{one}, {two}")).replace("\"x\"", "\" \""), "a name"),
        ] {
            std::fs::write(&path, &text).unwrap();
            let sentence = OwnScale::read(&path).expect_err(&text).sentence;
            assert!(sentence.contains(wanted) && sentence.contains("damaged.json"), "{sentence}");
        }
        // Two colours at one boundary are a jump.
        std::fs::write(&path, file(&format!("{one}, {one}, {two}"))).unwrap();
        assert_eq!(OwnScale::read(&path).unwrap().stops.len(), 3);
    }
}
