//! Colour scales that the operator keeps to choose from in other projects, in the folder of the window's state.

use std::path::PathBuf;

use serde::Deserialize as _;
use serde_json::Value;

use inspect::deviation::OwnScale;

const FILE: &str = "colour-scales.json";
/// Most scales that are kept.
const MAX_SCALES: usize = 50;

/// Colour scales, each under a name of its own.
pub struct SavedScales {
    folder: Option<PathBuf>,
    scales: Vec<OwnScale>,
}

impl SavedScales {
    /// Those kept in `folder`, as far as they can be read.
    pub fn load(folder: Option<PathBuf>) -> Self {
        let text = folder.as_ref().and_then(|folder| std::fs::read_to_string(folder.join(FILE)).ok());
        let values: Vec<Value> = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let scales = values.iter().filter_map(|value| OwnScale::deserialize(value).ok());
        Self { folder, scales: scales.take(MAX_SCALES).collect() }
    }

    /// All of them, the one kept last first.
    pub fn all(&self) -> &[OwnScale] {
        &self.scales
    }

    /// Keeps a scale, in place of the one of its name if there is one.
    pub fn keep(&mut self, scale: OwnScale) {
        self.scales.retain(|own| own.name != scale.name);
        self.scales.insert(0, scale);
        self.scales.truncate(MAX_SCALES);
        self.save();
    }

    /// No longer keeps the scale of this name.
    pub fn forget(&mut self, name: &str) {
        self.scales.retain(|own| own.name != name);
        self.save();
    }

    fn save(&self) {
        let (Some(folder), Ok(text)) = (&self.folder, serde_json::to_string_pretty(&self.scales)) else { return };
        // Kept scales are a convenience: a read-only home folder is no error.
        if let Err(error) = io::atomic::write_bytes(&folder.join(FILE), text.as_bytes()) {
            log::warn!("{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect::deviation::own_scale::{BoundaryUnit, Stop};

    fn scale(name: &str, at: f64) -> OwnScale {
        let stops = [at, at + 1.0].map(|at| Stop { at, colour: [1, 2, 3] }).to_vec();
        OwnScale { name: name.to_owned(), unit: BoundaryUnit::Mm, is_stepped: true, stops }
    }

    #[test]
    fn scales_are_kept_by_name_and_what_is_damaged_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let load = || SavedScales::load(Some(folder.path().to_owned()));
        let mut saved = load();
        assert!(saved.all().is_empty());
        for (name, at) in [("a", 1.0), ("b", 2.0), ("a", 3.0)] {
            saved.keep(scale(name, at));
        }
        assert_eq!(load().all(), [scale("a", 3.0), scale("b", 2.0)]);
        let path = folder.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("#010203", "grey", 1)).unwrap();
        let mut saved = load();
        assert_eq!(saved.all(), [scale("b", 2.0)]);
        saved.forget("b");
        assert!(load().all().is_empty());
        std::fs::write(&path, "7").unwrap();
        assert!(load().all().is_empty() && SavedScales::load(None).all().is_empty());
    }
}
