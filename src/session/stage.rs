//! Measured parts: their files, and what every element of the plan came to on each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pipeline::Results;
use super::series::PartRecord;
use base::Result;
use io::SourceFile;

/// A measured part.
#[derive(Clone, Default)]
pub struct Stage {
    /// Its name or serial number.
    pub name: String,
    /// Snapshots of it in one frame.
    pub sources: Vec<SourceFile>,
    /// What the elements came to, where it is the shown part.
    pub results: Results,
    /// What is written of them, where it is not.
    pub record: Option<Arc<PartRecord>>,
}

impl Stage {
    /// A part by its files, of which nothing is measured yet. They are read once here, for their fingerprints.
    pub fn of(name: String, paths: &[PathBuf]) -> Result<Self> {
        let source = |path: &PathBuf| SourceFile::of(path, None, None);
        Ok(Self {
            name,
            sources: paths.iter().map(source).collect::<Result<_>>()?,
            results: Results::default(),
            record: None,
        })
    }

    /// What a part is called whose files say nothing else: the name of the first.
    pub fn name_of(paths: &[PathBuf]) -> String {
        let stem = paths.first().and_then(|path| Path::new(path).file_stem());
        stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The parts measured so far, one of which is shown. There is always one; the first has no scan yet.
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
    /// Those of a file, of which the one of that number is shown.
    pub fn of(all: Vec<Stage>, shown: usize) -> Self {
        if all.is_empty() { Self::default() } else { Self { shown: shown.min(all.len() - 1), all } }
    }

    /// In the order in which they were measured.
    pub fn all(&self) -> &[Stage] {
        &self.all
    }

    /// The shown one.
    pub fn shown(&self) -> &Stage {
        &self.all[self.shown]
    }

    /// See [`Self::shown`].
    pub fn shown_mut(&mut self) -> &mut Stage {
        &mut self.all[self.shown]
    }

    /// The number of the shown one.
    pub fn number(&self) -> usize {
        self.shown
    }

    /// Adds a part and shows it. One without a scan gives its place.
    pub fn push(&mut self, stage: Stage, record: PartRecord) {
        if self.shown().sources.is_empty() {
            *self.shown_mut() = stage;
            return;
        }
        self.all.push(stage);
        self.show(self.all.len() - 1, record);
    }

    /// Shows the part of that number, where there is one. Of the shown one `record` stays: its scan is read again when it
    /// is shown again.
    pub fn show(&mut self, number: usize, record: PartRecord) {
        if number >= self.all.len() || number == self.shown {
            return;
        }
        let before = self.shown_mut();
        (before.results, before.record) = (Results::default(), Some(Arc::new(record)));
        self.shown = number;
        self.shown_mut().record = None;
    }
}
