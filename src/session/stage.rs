//! Measured parts: their files, and the results of the plan's elements on each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pipeline::Results;
use super::series::PartRecord;
use base::Result;
use io::SourceFile;

/// A measured part.
#[derive(Clone, Default)]
pub struct Stage {
    /// Its name: by default the stem of its first file.
    pub name: String,
    /// Its serial number; empty if unknown.
    pub serial: String,
    /// Its scan files: snapshots in one frame.
    pub sources: Vec<SourceFile>,
    /// Results of the elements, if this is the shown part; else empty.
    pub results: Results,
    /// Record of the results, if this is not the shown part.
    pub record: Option<Arc<PartRecord>>,
}

impl Stage {
    /// A part by its files, not measured yet: they are read here, and parsed when it is measured.
    pub fn of(name: String, paths: &[PathBuf]) -> Result<Self> {
        let source = |path: &PathBuf| SourceFile::read(path, None, None);
        Ok(Self {
            name,
            serial: String::new(),
            sources: paths.iter().map(source).collect::<Result<_>>()?,
            results: Results::default(),
            record: None,
        })
    }

    /// A part measured before, by its record.
    pub fn of_record(record: &PartRecord) -> Self {
        Self {
            name: record.part.clone(),
            sources: record.sources.clone(),
            record: Some(Arc::new(record.clone())),
            ..Self::default()
        }
    }

    /// What the part is listed as: its serial number, or else its name.
    pub fn label(&self) -> &str {
        if self.serial.is_empty() { &self.name } else { &self.serial }
    }

    /// Default name of a part: the stem of its first file.
    pub fn name_of(paths: &[PathBuf]) -> String {
        let stem = paths.first().and_then(|path| Path::new(path).file_stem());
        stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The parts measured so far, one of which is shown. There is at least one; the first has no scan at the start.
#[derive(Clone)]
pub struct Stages {
    all: Vec<Stage>,
    shown: usize,
}

impl Default for Stages {
    fn default() -> Self {
        Self { all: vec![Stage::default()], shown: 0 }
    }
}

impl Stages {
    /// The parts of a project file, with the index of the one that is shown.
    pub fn of(all: Vec<Stage>, shown: usize) -> Self {
        if all.is_empty() { Self::default() } else { Self { shown: shown.min(all.len() - 1), all } }
    }

    /// All parts, in the order they were measured.
    pub fn all(&self) -> &[Stage] {
        &self.all
    }

    /// The shown part.
    pub fn shown(&self) -> &Stage {
        &self.all[self.shown]
    }

    /// Mutable access to the shown part.
    pub fn shown_mut(&mut self) -> &mut Stage {
        &mut self.all[self.shown]
    }

    /// Index of the shown part.
    pub fn number(&self) -> usize {
        self.shown
    }

    /// Adds a part and shows it; it replaces a shown part without a scan. `record` is kept of the part shown before.
    pub fn push(&mut self, stage: Stage, record: PartRecord) {
        if self.shown().sources.is_empty() {
            *self.shown_mut() = stage;
            return;
        }
        self.all.push(stage);
        self.show(self.all.len() - 1, record);
    }

    /// Shows the part at `index`, if there is one. Only `record` is kept of the part shown before: it is measured again
    /// when it is shown again.
    pub fn show(&mut self, index: usize, record: PartRecord) {
        if index >= self.all.len() || index == self.shown {
            return;
        }
        let before = self.shown_mut();
        (before.results, before.record) = (Results::default(), Some(Arc::new(record)));
        self.shown = index;
        self.shown_mut().record = None;
    }
}
