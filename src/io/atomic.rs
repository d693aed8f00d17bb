//! Files that are there whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::aside::{aside, sweep};
use base::{Result, UserError};

/// Writes `path` through `fill`: aside first, synced, then renamed over the old file. What a killed run left of this file
/// goes.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) -> Result<()> {
    sweep(path);
    let aside = path.with_file_name(aside(path, std::process::id()));
    let written = (|| {
        let mut writer = BufWriter::with_capacity(1 << 20, File::create(&aside)?);
        fill(&mut writer)?;
        writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&aside, path)
    })();
    written.map_err(|e| {
        // The half-written file is of no use; that it may stay behind is the lesser trouble.
        let _ = std::fs::remove_file(&aside);
        UserError::file("write", path, &e)
    })
}

/// Writes `bytes` to `path`.
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
