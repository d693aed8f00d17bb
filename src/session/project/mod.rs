//! The project file: the plan, the measured parts and the state of the workspaces, as one versioned JSON file, written
//! atomically.

mod open;
mod version_1;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calibration::SavedCalibration;
use super::calibration::monitoring::CalibrationMonitoring;
use super::pipeline::State;
use super::plan::{ElementId, Plan};
use super::presentation::Presentation;
use super::probing::Probing;
use super::selection::NamedSelection;
use super::series::PartRecord;
use super::{Active, Document, Settings, Stage};
use base::{Result, UserError};
use geometry::Subset;
use inspect::alignment::Alignment;
use inspect::alignment::point_pairs::PointPair;
use inspect::features::Element;
use io::SourceFile;
use io::atomic;
pub use open::Opened;

/// Value of `format` that identifies a project file.
pub const FORMAT: &str = "shadowgraph.project";
/// Version of the layout written now. Older ones are still read.
pub const VERSION: u32 = 2;

/// A project as stored in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Always [`FORMAT`].
    pub format: String,
    /// Version of this layout.
    pub version: u32,
    /// Version of the software that wrote it.
    pub software: String,
    /// The inspection plan.
    pub plan: Plan,
    /// The parts measured so far, in that order.
    pub stages: Vec<SavedStage>,
    /// Index of the shown part.
    pub shown: usize,
    /// The elements the workspaces act on.
    pub active: Active,
    /// Nominal geometry of features that do not exist yet, by feature name; nominal frame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, Element>,
    /// Picked point pairs.
    #[serde(default)]
    pub pairs: Vec<PointPair>,
    /// Indices of hidden points of the scan.
    #[serde(default)]
    pub hidden: Subset,
    /// Indices of hidden facets of the nominal.
    #[serde(default)]
    pub hidden_facets: Subset,
    /// Named selections.
    #[serde(default)]
    pub selections: Vec<NamedSelection>,
    /// The sensor calibration.
    #[serde(default)]
    pub calibration: SavedCalibration,
    /// The hybrid measurement.
    #[serde(default)]
    pub probing: Probing,
    /// Settings of the calibration monitoring.
    #[serde(default, rename = "upkeep")]
    pub monitoring: CalibrationMonitoring,
    /// All settings.
    #[serde(default)]
    pub settings: Settings,
    /// How the results are shown.
    #[serde(default)]
    pub presentation: Presentation,
    /// In an autosave: the project file the inspection was last saved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belongs_in: Option<PathBuf>,
}

/// A measured part as stored: all results but alignments are recomputed when the project is opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedStage {
    /// Name.
    pub name: String,
    /// Serial number; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub serial: String,
    /// Its scan files.
    pub sources: Vec<SourceFile>,
    /// Record of its results, if it is not the shown part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<PartRecord>,
    /// Ids of the elements that were computed and up to date, of the shown part.
    pub made: Vec<ElementId>,
    /// Its alignments, which keep their poses.
    pub alignments: BTreeMap<ElementId, SavedAlignment>,
}

/// An alignment as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedAlignment {
    /// The alignment.
    #[serde(flatten)]
    pub alignment: Alignment,
    /// Whether it was up to date.
    pub is_current: bool,
}

impl SavedStage {
    fn of(document: &Document, stage: &Stage) -> Self {
        let is_shown = std::ptr::eq(document.stage(), stage);
        let is_made = |id: ElementId| !matches!(document.state(id), State::Stale | State::NotMade);
        let elements = || document.plan.elements().iter().filter(|_| is_shown);
        let alignment = |id: ElementId| {
            let is_current = document.state(id) == State::Fresh;
            let alignment = stage.results.get_ref::<Alignment>(id)?.clone();
            Some((id, SavedAlignment { alignment, is_current }))
        };
        Self {
            name: stage.name.clone(),
            serial: stage.serial.clone(),
            sources: stage.sources.clone(),
            record: stage.record.as_deref().cloned(),
            made: elements().filter(|own| is_made(own.id)).map(|own| own.id).collect(),
            alignments: elements().filter_map(|own| alignment(own.id)).collect(),
        }
    }
}

impl Project {
    /// The part of `document` that is saved.
    pub fn of(document: &Document) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: base::software::version(),
            plan: document.plan.clone(),
            stages: document.stages.all().iter().map(|stage| SavedStage::of(document, stage)).collect(),
            shown: document.stages.number(),
            active: document.active,
            expected: BTreeMap::clone(&document.expected),
            pairs: document.pairs.clone(),
            hidden: document.points.hidden.clone(),
            hidden_facets: document.facets.hidden.clone(),
            selections: document.selections.clone(),
            calibration: SavedCalibration::of(&document.calibration),
            probing: Probing::clone(&document.probing),
            monitoring: document.monitoring.clone(),
            settings: document.settings.clone(),
            presentation: document.plan.presentation.clone(),
            belongs_in: None,
        }
    }

    /// Writes the project to `path` atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| UserError::internal(format!("The project cannot be written: {e}.")))?;
        atomic::write_bytes(path, format!("{text}\n").as_bytes())
    }

    /// Reads a project. Of a damaged one, the readable fields are kept and the returned notes name the others. Files
    /// that have moved are looked for next to the project.
    pub fn load(path: &Path) -> Result<(Self, Vec<String>)> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("open", path, &e))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| {
            UserError::input(format!(
                "{}, line {}: this is not a readable Shadowgraph project ({e}). Choose another file, or the autosaved \
                 copy.",
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
            if version < 2 { version_1::of(&value) } else { Self::salvage(&mut Fields::of(&value)) };
        project.take_serial(&value);
        let folder = path.parent().unwrap_or(Path::new("."));
        project.plan.resolve_files(folder);
        let template = project.presentation.template.iter_mut();
        template.for_each(|file| super::plan::file::resolve_file(file, folder));
        let sources = project.stages.iter_mut().flat_map(|stage| &mut stage.sources);
        sources.for_each(|source| super::plan::file::resolve_file(&mut source.path, folder));
        Ok((project, notes))
    }

    /// Earlier projects kept one serial number, that of the shown part, with the title of the report.
    fn take_serial(&mut self, value: &Value) {
        let serial = value.pointer("/settings/report/serial").and_then(Value::as_str);
        if let (Some(serial), Some(stage)) = (serial, self.stages.get_mut(self.shown))
            && stage.serial.is_empty()
        {
            stage.serial = serial.to_owned();
        }
    }

    /// Keeps each field that can be read; the notes name the others.
    fn salvage(fields: &mut Fields<'_>) -> (Self, Vec<String>) {
        let elements: Vec<Value> = fields.take("plan", "plan");
        let (plan, notes) = Plan::salvage(elements);
        fields.notes.extend(notes);
        let project = Self { plan, ..Self::without_plan(fields) };
        let active = project.active.within(&project.plan);
        (Self { active, ..project }, std::mem::take(&mut fields.notes))
    }

    /// Reads the fields that are the same in every version.
    fn without_plan(fields: &mut Fields<'_>) -> Self {
        let mut project = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            software: fields.take("software", "software version"),
            plan: Plan::default(),
            stages: fields.take("stages", "list of measured parts"),
            shown: fields.take("shown", "shown part"),
            active: fields.take("active", "view"),
            expected: fields.take("expected", "nominals of features"),
            pairs: fields.take("pairs", "list of point pairs"),
            hidden: fields.take("hidden", "hidden points"),
            hidden_facets: fields.take("hidden_facets", "hidden facets"),
            selections: fields.take("selections", "list of selections"),
            calibration: fields.take("calibration", "calibration"),
            probing: fields.take("probing", "hybrid measurement"),
            monitoring: fields.take("upkeep", "calibration monitoring"),
            settings: fields.take("settings", "settings"),
            presentation: Presentation::default(),
            belongs_in: fields.take("belongs_in", "name of its file"),
        };
        if let Some(presentation) = fields.value.get("presentation") {
            let (presentation, unread) = Presentation::salvage(presentation);
            project.presentation = presentation;
            fields.notes.extend(unread);
        }
        if let Err(error) = project.settings.check() {
            fields.notes.push(format!("The project's settings were replaced by the defaults: {error}"));
            project.settings = Settings::default();
        }
        project
    }
}

/// The top-level fields of a project file, each read on its own.
struct Fields<'a> {
    value: &'a Value,
    notes: Vec<String>,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value) -> Self {
        Self { value, notes: Vec::new() }
    }

    fn take<T: Default + DeserializeOwned>(&mut self, key: &str, what: &str) -> T {
        let Some(field) = self.value.get(key) else { return T::default() };
        T::deserialize(field).unwrap_or_else(|_| {
            self.notes.push(format!("The project's {what} could not be read and was left out."));
            T::default()
        })
    }
}

/// The folder for state kept between runs, `$XDG_STATE_HOME/shadowgraph` or `~/.local/state/shadowgraph`; created if
/// missing. `None` if it cannot be.
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
    fn a_project_round_trips_and_a_damaged_field_is_named() {
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
