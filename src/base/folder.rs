//! Folders that are written into.

use std::path::Path;

use super::error::{Result, UserError};

/// Creates a folder and the folders it lies in, where they are missing. Returns an error that names what stands in its
/// way.
pub fn make(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|error| {
        match path.ancestors().find(|above| above.symlink_metadata().is_ok()) {
            Some(above) if !above.is_dir() => {
                let (path, above) = (path.display(), above.display());
                UserError::input(format!("Cannot make the folder {path}: {above} is not a folder; choose another."))
            }
            _ => UserError::file("make the folder", path, &error),
        }
    })
}

/// Removes a file, if there is one.
pub fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(UserError::file("remove", path, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        make(&folder.path().join("a/b")).unwrap();
        make(&folder.path().join("a/b")).unwrap();
        let file = folder.path().join("a/file");
        std::fs::write(&file, "text").unwrap();
        for path in [file.clone(), file.join("c"), file.join("c/d")] {
            let sentence = make(&path).unwrap_err().to_string();
            assert!(sentence.ends_with(&format!("{} is not a folder; choose another.", file.display())), "{sentence}");
        }
    }
}
