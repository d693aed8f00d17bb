//! Reference to the file that a part was read from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::xyz::Columns;
use base::{LengthUnit, Result, hash};

/// A file that a part was read from, identified by its path and hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute path.
    pub path: PathBuf,
    /// BLAKE3 hash of the contents, hexadecimal.
    pub hash: String,
    /// Length unit of the coordinates; `None` if the file format decides.
    pub unit: Option<LengthUnit>,
    /// Chosen columns, for text files with columns.
    pub columns: Option<Columns>,
}

impl SourceFile {
    /// Placeholder for a part that was created in memory and has no file; `name` serves as path and hash.
    pub fn in_memory(name: &str) -> Self {
        Self { path: name.into(), hash: name.into(), unit: None, columns: None }
    }

    /// File name without its folder.
    pub fn name(&self) -> String {
        base::file_name(&self.path)
    }

    /// Reference to the file at `path`, which is hashed. Returns an error if it cannot be read.
    pub fn of(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<Self> {
        let path = base::absolute(path);
        Ok(Self { hash: hash::file_hash(&path)?, path, unit, columns })
    }

    /// `notes` followed by `findings`, each prefixed with the file name.
    pub fn named(&self, notes: &[String], findings: Vec<String>) -> Vec<String> {
        notes.iter().cloned().chain(findings).map(|note| format!("{}: {note}", self.name())).collect()
    }
}
