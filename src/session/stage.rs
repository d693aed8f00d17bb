//! A measured part: its files, and what every element of the plan came to on it.

use std::path::PathBuf;

use super::pipeline::Results;
use base::Result;
use io::SourceFile;

/// A measured part.
#[derive(Clone, Default)]
pub struct Stage {
    /// Its name or serial number.
    pub name: String,
    /// Snapshots of it in one frame.
    pub sources: Vec<SourceFile>,
    /// What the elements came to.
    pub results: Results,
}

impl Stage {
    /// A part by its files, of which nothing is measured yet. They are read once here, for their fingerprints.
    pub fn of(name: String, paths: &[PathBuf]) -> Result<Self> {
        let source = |path: &PathBuf| SourceFile::of(path, None, None);
        Ok(Self { name, sources: paths.iter().map(source).collect::<Result<_>>()?, results: Results::default() })
    }
}
