//! Atomic file writes: a file is written completely, or left as it was.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::aside::{remove_stale, temporary_name};
use base::{Result, UserError};

/// Writes `path` through `fill`: into a temporary file that is synced to disk and then renamed over the old file.
/// Temporary files that killed runs left for `path` are removed.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) -> Result<()> {
    remove_stale(path);
    let temporary = path.with_file_name(temporary_name(path, std::process::id()));
    let written = (|| {
        let mut writer = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        fill(&mut writer)?;
        writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&temporary, path)
    })();
    written.map_err(|e| {
        // Best effort: the error to report is that of the write.
        let _ = std::fs::remove_file(&temporary);
        UserError::file("write", path, &e)
    })
}

/// Writes `bytes` to `path` atomically.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, |writer| writer.write_all(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.txt");
        write_bytes(&path, b"old").unwrap();
        let failed = write(&path, |writer| {
            writer.write_all(b"half")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
