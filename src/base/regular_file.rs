//! Opening files for reading: folders and what is no regular file are refused before they are opened, since opening a named
//! pipe waits for a writer.

use std::fs::File;
use std::path::Path;

use super::error::{Result, UserError};

/// Opens a file; its length in bytes. Returns an error if it is a folder, not a regular file or unreadable.
pub fn open(path: &Path) -> Result<(File, u64)> {
    let metadata = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?;
    if metadata.is_dir() {
        return Err(UserError::input(format!("{} is a folder; choose a file in it.", path.display())));
    }
    if !metadata.is_file() {
        return Err(UserError::input(format!("{} is not a regular file; copy it to disk first.", path.display())));
    }
    let file = File::open(path).map_err(|e| UserError::file("open", path, &e))?;
    Ok((file, metadata.len()))
}
