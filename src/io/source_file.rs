//! Reference to the file that a part was read from.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::source::Source;
use super::xyz::Columns;
use base::{LengthUnit, Progress, Result, UserError, hash, limits, regular_file};

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
    #[serde(skip)]
    contents: Contents,
}

/// Contents of a file that were read to be hashed, kept until they are parsed: so each file is read once, and what is parsed is what
/// was hashed. Copies share them.
#[derive(Clone, Debug, Default)]
struct Contents(Arc<Mutex<Option<Vec<u8>>>>);

impl PartialEq for Contents {
    /// They are no part of what a file is known by.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Contents {
    fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_kept(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Largest file whose contents are kept, as a share of the free memory.
const MAX_KEPT_SHARE: u64 = 8;

impl SourceFile {
    /// Placeholder for a part that was created in memory and has no file; `name` serves as path and hash.
    pub fn in_memory(name: &str) -> Self {
        Self { path: name.into(), hash: name.into(), unit: None, columns: None, contents: Contents::default() }
    }

    /// File name without its folder.
    pub fn name(&self) -> String {
        base::file_name(&self.path)
    }

    /// Reference to the file at `path`, which is hashed. Returns an error if it cannot be read.
    pub fn of(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<Self> {
        let path = base::absolute(path);
        Ok(Self { hash: hash::file_hash(&path)?, path, unit, columns, contents: Contents::default() })
    }

    /// As [`Self::of`], of a file that is parsed next: its contents are kept until then, unless it is large.
    pub fn read(path: &Path, unit: Option<LengthUnit>, columns: Option<Columns>) -> Result<Self> {
        let path = base::absolute(path);
        let (mut file, length) = regular_file::open(&path)?;
        if limits::available_bytes().is_some_and(|free| length > free / MAX_KEPT_SHARE) {
            return Self::of(&path, unit, columns);
        }
        let mut bytes = Vec::with_capacity(length as usize);
        file.read_to_end(&mut bytes).map_err(|e| UserError::file("read", &path, &e))?;
        let hash = hash::bytes_hash(&bytes);
        Ok(Self { path, hash, unit, columns, contents: Contents(Arc::new(Mutex::new(Some(bytes)))) })
    }

    /// The file as it is now: itself if its contents were kept, else read again.
    pub fn as_it_is(&self) -> Result<Self> {
        if self.contents.is_kept() { Ok(self.clone()) } else { Self::read(&self.path, self.unit, self.columns) }
    }

    /// The hash of the file as it is now, without keeping its contents.
    pub fn hash_as_it_is(&self) -> Result<String> {
        if self.contents.is_kept() { Ok(self.hash.clone()) } else { hash::file_hash(&self.path) }
    }

    /// Opens the file to be parsed, or the contents that were kept of it; with whether these are what was hashed for certain.
    pub fn open(&self, progress: &Progress) -> Result<(Source, bool)> {
        match self.contents.take() {
            Some(bytes) => Ok((Source::of_bytes(&self.path, bytes, progress)?, true)),
            None => Ok((Source::open(&self.path, progress)?, false)),
        }
    }

    /// An error if the file is no longer what was hashed.
    pub fn check_unchanged(&self) -> Result<()> {
        if hash::file_hash(&self.path)? == self.hash {
            return Ok(());
        }
        Err(UserError::input(format!("{} changed while it was read: open it again.", self.path.display())))
    }

    /// The same file with its unit and columns, as read.
    pub fn read_as(&self, unit: Option<LengthUnit>, columns: Option<Columns>) -> Self {
        Self { unit, columns, ..self.clone() }
    }

    /// `notes` followed by `findings`, each prefixed with the file name.
    pub fn named(&self, notes: &[String], findings: Vec<String>) -> Vec<String> {
        notes.iter().cloned().chain(findings).map(|note| format!("{}: {note}", self.name())).collect()
    }
}
