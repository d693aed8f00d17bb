//! Structure of a CAD file: its unit, its parts with names, placements and colours, and what it states of tolerances.

use serde::{Deserialize, Serialize};

use super::pmi::Pmi;

/// Unit, parts and tolerances of a CAD file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CadStructure {
    /// Name of the length unit in the file; `None` if it has none. Coordinates are converted to mm.
    pub unit: Option<String>,
    /// Distinct parts.
    pub parts: Vec<CadPart>,
    /// Datums, tolerances and dimensions.
    #[serde(skip_serializing_if = "Pmi::is_empty")]
    pub pmi: Pmi,
}

/// One part of a CAD file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CadPart {
    /// Name; empty if the file has none.
    pub name: String,
    /// Number of placements in the assembly.
    pub placements: usize,
    /// Number of solids; 0 for a surface model.
    pub solids: usize,
    /// Number of CAD faces.
    pub faces: usize,
    /// Colour as `#RRGGBB`; `None` if the file has none.
    pub colour: Option<String>,
}

impl CadStructure {
    /// Parses the lines written by the CAD reader program, with fields separated by tabs: `unit`, name; `part`,
    /// placements, solids, faces, colour, name; `pmi`, a JSON object. Other lines are ignored.
    pub(super) fn parse(text: &str) -> Self {
        let mut structure = Self::default();
        for line in text.lines() {
            let mut fields = line.splitn(6, '\t');
            match fields.next() {
                Some("unit") => structure.unit = fields.next().filter(|unit| !unit.is_empty()).map(str::to_owned),
                Some("pmi") => structure.pmi.add(line.split_once('\t').map_or("", |(_, json)| json)),
                Some("part") => structure.parts.extend(CadPart::parse(fields)),
                _ => {}
            }
        }
        structure
    }
}

impl CadPart {
    fn parse<'a>(mut fields: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut number = || fields.next()?.parse::<usize>().ok();
        let (placements, solids, faces) = (number()?, number()?, number()?);
        let colour = fields.next()?.trim_start_matches('#');
        let is_colour = colour.len() == 6 && colour.bytes().all(|digit| digit.is_ascii_hexdigit());
        Some(Self {
            name: fields.next()?.trim().to_owned(),
            placements,
            solids,
            faces,
            colour: is_colour.then(|| format!("#{}", colour.to_ascii_uppercase())),
        })
    }

    /// Description of the part for the operator, in one line.
    pub fn words(&self) -> String {
        use base::words::counted;
        let name = if self.name.is_empty() { "unnamed" } else { &self.name };
        let mut words =
            format!("{name}: {}, {}", counted(self.solids, "solid", "solids"), counted(self.faces, "face", "faces"));
        if self.placements != 1 {
            words += &format!(", placed {} times", self.placements);
        }
        if let Some(colour) = &self.colour {
            words += &format!(", {colour}");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_reader_are_parsed_and_others_ignored() {
        let text = "unit\tinch\npart\t4\t1\t3\tA1B2C3\tScrew M3\tlong\npart\t1\t0\t6\t-\t\nnonsense\npart\tx\n";
        let structure = CadStructure::parse(text);
        assert_eq!(structure.unit.as_deref(), Some("inch"));
        let words: Vec<String> = structure.parts.iter().map(CadPart::words).collect();
        assert_eq!(words, ["Screw M3\tlong: 1 solid, 3 faces, placed 4 times, #A1B2C3", "unnamed: 0 solids, 6 faces"]);
    }
}
