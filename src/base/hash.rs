//! Hashes of source files, which identify the evaluated files in a report.

use std::path::Path;

use super::error::{Result, UserError};
use super::regular_file;

/// BLAKE3 hash of bytes, as 64 hexadecimal digits.
pub fn bytes_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// BLAKE3 hash of the file's contents, as 64 hexadecimal digits.
pub fn file_hash(path: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let (file, _) = regular_file::open(path)?;
    hasher.update_reader(file).map_err(|e| UserError::file("read", path, &e))?;
    Ok(hasher.finalize().to_hex().to_string())
}
