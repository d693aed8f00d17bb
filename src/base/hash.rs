//! Fingerprints of source files, so that a report can prove which file it is about.

use std::path::Path;

use super::error::{Result, UserError};

/// BLAKE3 of a file's bytes, as 64 hexadecimal digits.
pub fn file_hash(path: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let file = std::fs::File::open(path).map_err(|e| UserError::file("open", path, &e))?;
    hasher.update_reader(file).map_err(|e| UserError::file("read", path, &e))?;
    Ok(hasher.finalize().to_hex().to_string())
}
