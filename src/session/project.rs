//! The project file: settings, alignment and where the sources are, as one versioned JSON file, written atomically.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::calibrating::Kept;
use super::probing::Probing;
use super::selection::{NamedSelection, Recipe};
use super::tolerancing::KeptTolerancing;
use super::upkeep::Upkeep;
use super::{Document, Settings};
use base::{Result, UserError};
use geometry::Subset;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::cleaning;
use inspect::parts::NominalStep;
use io::SourceFile;
use io::atomic;

/// What marks a project file.
pub const FORMAT: &str = "shadowgraph.project";
/// The version written now. Older ones are still read.
pub const VERSION: u32 = 1;

/// A project as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Always [`FORMAT`].
    pub format: String,
    /// Version of this layout.
    pub version: u32,
    /// Version of the software that wrote it.
    pub software: String,
    /// The nominal's file.
    pub nominal: Option<SourceFile>,
    /// How the nominal was changed after loading.
    #[serde(default)]
    pub nominal_steps: Vec<NominalStep>,
    /// The scans' files.
    #[serde(default)]
    pub scans: Vec<SourceFile>,
    /// How the scan was cleaned after loading.
    #[serde(default)]
    pub cleaning: Vec<cleaning::Step>,
    /// The alignment.
    #[serde(default)]
    pub alignment: Option<Alignment>,
    /// Picked pairs.
    #[serde(default)]
    pub pairs: Vec<PointPair>,
    /// Points that are not shown.
    #[serde(default)]
    pub hidden: Subset,
    /// Facets that are not shown.
    #[serde(default)]
    pub hidden_facets: Subset,
    /// Selections with names.
    #[serde(default)]
    pub selections: Vec<NamedSelection>,
    /// Features, to be fitted again.
    #[serde(default)]
    pub features: Vec<Recipe>,
    /// Elements made from features, tolerances, and whether they had been judged.
    #[serde(default)]
    pub tolerancing: KeptTolerancing,
    /// Whether a check had been made.
    #[serde(default)]
    pub checked: bool,
    /// The calibration of the sensor.
    #[serde(default)]
    pub calibration: Kept,
    /// Holes that a touch probe measures.
    #[serde(default)]
    pub probing: Probing,
    /// What is watched between calibrations.
    #[serde(default)]
    pub upkeep: Upkeep,
    /// All settings.
    #[serde(default)]
    pub settings: Settings,
    /// Of an autosave: the project file that the inspection was last saved in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_in: Option<PathBuf>,
}

impl Project {
    /// What is worth keeping of `document`.
    pub fn of(document: &Document) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            nominal: document.nominal.as_ref().map(|nominal| nominal.source.clone()),
            nominal_steps: document.nominal.as_ref().map(|nominal| nominal.steps.clone()).unwrap_or_default(),
            scans: document.actual.as_ref().map(|actual| actual.sources.clone()).unwrap_or_default(),
            cleaning: document.actual.as_ref().map(|actual| actual.cleaning.clone()).unwrap_or_default(),
            alignment: document.alignment.as_deref().cloned(),
            pairs: document.pairs.clone(),
            hidden: document.points.hidden.clone(),
            hidden_facets: document.facets.hidden.clone(),
            selections: document.selections.clone(),
            features: document.features.iter().map(|feature| feature.recipe.clone()).collect(),
            tolerancing: KeptTolerancing::of(&document.tolerancing),
            checked: document.check.is_some(),
            calibration: Kept::of(&document.calibration),
            probing: Probing::clone(&document.probing),
            upkeep: document.upkeep.clone(),
            settings: document.settings.clone(),
            belongs_in: None,
        }
    }

    /// Writes it to `path`, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| UserError::internal(format!("The project cannot be written: {e}.")))?;
        atomic::write_bytes(path, text.as_bytes())
    }

    /// Reads a project. What a damaged one still holds is kept; `notes` says what is missing.
    pub fn load(path: &Path) -> Result<(Self, Vec<String>)> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("open", path, &e))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| {
            UserError::input(format!(
                "{}, line {}: this is no readable Shadowgraph project ({e}). Choose another file, or the autosaved copy.",
                path.display(),
                e.line()
            ))
        })?;
        if value.get("format").and_then(|format| format.as_str()) != Some(FORMAT) {
            return Err(UserError::input(format!("{} is not a Shadowgraph project.", path.display())));
        }
        let version = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if version > u64::from(VERSION) {
            return Err(UserError::input(format!(
                "{} was written by a newer version of Shadowgraph (layout {version}, this one knows {VERSION}); update \
                 the program.",
                path.display()
            )));
        }
        Ok(Self::salvage(&value))
    }

    /// Takes each part that can be read, and names those that cannot.
    fn salvage(value: &serde_json::Value) -> (Self, Vec<String>) {
        let mut notes = Vec::new();
        fn part<T: Default + serde::de::DeserializeOwned>(
            value: &serde_json::Value,
            key: &str,
            what: &str,
            notes: &mut Vec<String>,
        ) -> T {
            match value.get(key) {
                None => T::default(),
                Some(part) => T::deserialize(part).unwrap_or_else(|_| {
                    notes.push(format!("The project's {what} could not be read and was left out."));
                    T::default()
                }),
            }
        }
        let project = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: part(value, "software", "software version", &mut notes),
            nominal: part(value, "nominal", "nominal", &mut notes),
            nominal_steps: part(value, "nominal_steps", "changes of the nominal", &mut notes),
            scans: part(value, "scans", "list of scans", &mut notes),
            cleaning: part(value, "cleaning", "list of cleaning steps", &mut notes),
            alignment: part(value, "alignment", "alignment", &mut notes),
            pairs: part(value, "pairs", "list of point pairs", &mut notes),
            hidden: part(value, "hidden", "hidden points", &mut notes),
            hidden_facets: part(value, "hidden_facets", "hidden facets", &mut notes),
            selections: part(value, "selections", "list of selections", &mut notes),
            features: part(value, "features", "list of features", &mut notes),
            tolerancing: part(value, "tolerancing", "constructed elements and tolerances", &mut notes),
            checked: part(value, "checked", "check", &mut notes),
            calibration: part(value, "calibration", "calibration", &mut notes),
            probing: part(value, "probing", "hybrid measuring", &mut notes),
            upkeep: part(value, "upkeep", "log of calibrations", &mut notes),
            settings: part(value, "settings", "settings", &mut notes),
            belongs_in: part(value, "belongs_in", "name of its file", &mut notes),
        };
        let mut project = project;
        // As files once said it.
        if value.get("winding_unified") == Some(&serde_json::Value::Bool(true)) && project.nominal_steps.is_empty() {
            project.nominal_steps.push(NominalStep::UnifyWinding);
        }
        if let Err(error) = project.settings.check() {
            notes.push(format!("The project's settings were replaced by the usual ones: {error}"));
            project.settings = Settings::default();
        }
        (project, notes)
    }
}

/// The folder for what the program remembers between runs, made when missing.
pub fn state_folder() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state")))?;
    let folder = base.join("shadowgraph");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_round_trips_and_a_damaged_part_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.shadowgraph");
        let mut document = Document::default();
        document.settings.deviation.tolerance.high_mm = 0.25;
        let project = Project::of(&document);
        project.save(&path).unwrap();
        let (back, notes) = Project::load(&path).unwrap();
        assert_eq!((back, notes.len()), (project, 0));
        let damaged = std::fs::read_to_string(&path).unwrap().replace("\"pairs\": []", "\"pairs\": 7");
        std::fs::write(&path, damaged).unwrap();
        let (back, notes) = Project::load(&path).unwrap();
        assert_eq!(back.settings.deviation.tolerance.high_mm, 0.25);
        assert!(notes[0].contains("point pairs"));
    }

    #[test]
    fn newer_and_foreign_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.shadowgraph");
        std::fs::write(&path, r#"{"format":"shadowgraph.project","version":99}"#).unwrap();
        assert!(Project::load(&path).unwrap_err().sentence.contains("newer version"));
        std::fs::write(&path, "{}").unwrap();
        assert!(Project::load(&path).unwrap_err().sentence.contains("not a Shadowgraph project"));
        std::fs::write(&path, "solid").unwrap();
        assert!(Project::load(&path).unwrap_err().sentence.contains("line 1"));
    }
}
