//! The project file: the plan, the parts that it was run on and how the rooms were left, as one versioned JSON file,
//! written atomically.

mod open;
mod version_1;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calibrating::Kept;
use super::pipeline::State;
use super::plan::{ElementId, Plan};
use super::probing::Probing;
use super::selection::NamedSelection;
use super::series::PartRecord;
use super::upkeep::Upkeep;
use super::{Active, Document, Settings, Stage};
use base::{Result, UserError};
use geometry::Subset;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::features::Element;
use io::SourceFile;
use io::atomic;
pub use open::Opened;

/// What marks a project file.
pub const FORMAT: &str = "shadowgraph.project";
/// The version written now. Older ones are still read.
pub const VERSION: u32 = 2;

/// A project as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Always [`FORMAT`].
    pub format: String,
    /// Version of this layout.
    pub version: u32,
    /// Version of the software that wrote it.
    pub software: String,
    /// What is done on every part.
    pub plan: Plan,
    /// The parts measured so far.
    pub stages: Vec<KeptStage>,
    /// The number of the one that is shown.
    pub shown: usize,
    /// The elements that the rooms work on.
    pub active: Active,
    /// What features should be that are not there yet, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, Element>,
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

/// A measured part as it is stored: what its elements came to is made again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptStage {
    /// Name or serial number.
    pub name: String,
    /// Its files.
    pub sources: Vec<SourceFile>,
    /// What is written of it, where it is not the shown part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<PartRecord>,
    /// The elements that were made and up to date, of the shown part.
    pub made: Vec<ElementId>,
    /// How it was aligned: the poses are kept as they were found.
    pub alignments: BTreeMap<ElementId, KeptAlignment>,
}

/// An alignment as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptAlignment {
    /// It.
    #[serde(flatten)]
    pub alignment: Alignment,
    /// Whether it was up to date.
    pub is_current: bool,
}

impl KeptStage {
    fn of(document: &Document, stage: &Stage) -> Self {
        let is_shown = std::ptr::eq(document.stage(), stage);
        let is_made = |id: ElementId| !matches!(document.state(id), State::Stale | State::NotMade);
        let elements = || document.plan.elements().iter().filter(|_| is_shown);
        let alignment = |id: ElementId| {
            let is_current = document.state(id) == State::Fresh;
            let alignment = stage.results.look_at::<Alignment>(id)?.clone();
            Some((id, KeptAlignment { alignment, is_current }))
        };
        Self {
            name: stage.name.clone(),
            sources: stage.sources.clone(),
            record: stage.record.as_deref().cloned(),
            made: elements().filter(|own| is_made(own.id)).map(|own| own.id).collect(),
            alignments: elements().filter_map(|own| alignment(own.id)).collect(),
        }
    }
}

impl Project {
    /// What is worth keeping of `document`.
    pub fn of(document: &Document) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            plan: document.plan.clone(),
            stages: document.stages.all().iter().map(|stage| KeptStage::of(document, stage)).collect(),
            shown: document.stages.number(),
            active: document.active,
            expected: BTreeMap::clone(&document.expected),
            pairs: document.pairs.clone(),
            hidden: document.points.hidden.clone(),
            hidden_facets: document.facets.hidden.clone(),
            selections: document.selections.clone(),
            calibration: Kept::of(&document.calibration),
            probing: Probing::clone(&document.probing),
            upkeep: document.upkeep.clone(),
            settings: document.settings.clone(),
            belongs_in: None,
        }
    }

    /// Writes the project to `path`, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| UserError::internal(format!("The project cannot be written: {e}.")))?;
        atomic::write_bytes(path, format!("{text}\n").as_bytes())
    }

    /// Reads a project. What of a damaged one can be read is kept; the sentences say what is missing. Files that are not
    /// where they were are looked for beside the project.
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
        let (mut project, notes) =
            if version < 2 { version_1::of(&value) } else { Self::salvage(&mut Parts::of(&value)) };
        let folder = path.parent().unwrap_or(Path::new("."));
        project.plan.look_beside(folder);
        let sources = project.stages.iter_mut().flat_map(|stage| &mut stage.sources);
        sources.for_each(|source| super::plan::file::found_beside(&mut source.path, folder));
        Ok((project, notes))
    }

    /// Takes each part that can be read, and names those that cannot.
    fn salvage(parts: &mut Parts<'_>) -> (Self, Vec<String>) {
        let elements: Vec<Value> = parts.take("plan", "plan");
        let (plan, notes) = Plan::salvage(elements);
        parts.notes.extend(notes);
        let project = Self { plan, ..Self::without_plan(parts) };
        let active = project.active.within(&project.plan);
        (Self { active, ..project }, std::mem::take(&mut parts.notes))
    }

    /// What has the same place in every version.
    fn without_plan(parts: &mut Parts<'_>) -> Self {
        let mut project = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: parts.take("software", "software version"),
            plan: Plan::default(),
            stages: parts.take("stages", "list of measured parts"),
            shown: parts.take("shown", "shown part"),
            active: parts.take("active", "view"),
            expected: parts.take("expected", "nominals of features"),
            pairs: parts.take("pairs", "list of point pairs"),
            hidden: parts.take("hidden", "hidden points"),
            hidden_facets: parts.take("hidden_facets", "hidden facets"),
            selections: parts.take("selections", "list of selections"),
            calibration: parts.take("calibration", "calibration"),
            probing: parts.take("probing", "hybrid measuring"),
            upkeep: parts.take("upkeep", "log of calibrations"),
            settings: parts.take("settings", "settings"),
            belongs_in: parts.take("belongs_in", "name of its file"),
        };
        if let Err(error) = project.settings.check() {
            parts.notes.push(format!("The project's settings were replaced by the usual ones: {error}"));
            project.settings = Settings::default();
        }
        project
    }
}

/// The parts of a project file, each read for itself.
struct Parts<'a> {
    value: &'a Value,
    notes: Vec<String>,
}

impl<'a> Parts<'a> {
    fn of(value: &'a Value) -> Self {
        Self { value, notes: Vec::new() }
    }

    fn take<T: Default + DeserializeOwned>(&mut self, key: &str, what: &str) -> T {
        let Some(part) = self.value.get(key) else { return T::default() };
        T::deserialize(part).unwrap_or_else(|_| {
            self.notes.push(format!("The project's {what} could not be read and was left out."));
            T::default()
        })
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
