//! The file that a part was read from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::xyz::Columns;
use base::{LengthUnit, Result, hash};

/// A file that a part was read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute path.
    pub path: PathBuf,
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// Its unit; `None` where the file's format decides.
    pub unit: Option<LengthUnit>,
    /// Chosen columns, for files of numbers.
    pub columns: Option<Columns>,
}

impl SourceFile {
    /// Of what was made here and has no file.
    pub fn in_memory(name: &str) -> Self {
        Self { path: name.into(), hash: name.into(), unit: None, columns: None }
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned())
    }

    /// Of a file that is there.
    pub fn of(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<Self> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self { hash: hash::file_hash(&path)?, path, unit, columns })
    }

    /// Sentences on the file, with its name before each.
    pub fn named(&self, notes: &[String], findings: Vec<String>) -> Vec<String> {
        notes.iter().cloned().chain(findings).map(|note| format!("{}: {note}", self.name())).collect()
    }
}
