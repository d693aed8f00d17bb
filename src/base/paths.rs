//! Paths as they lead to their file from any folder, and as messages name them.

use std::path::{Path, PathBuf};

/// The path from the root; the path as it is where the current folder is unknown. Links are not followed, and the file need
/// not exist.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path from the root, as an operator must know it to find the file again.
pub fn full_path(path: &Path) -> String {
    absolute(path).display().to_string()
}

/// The name of a file without its folder; the whole path where it has none.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_the_root_and_a_name_has_no_folder() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(Path::new("a/b.ply")), here.join("a/b.ply"));
        assert_eq!(absolute(Path::new("/a/b.ply")), Path::new("/a/b.ply"));
        // No path at all has no folder to be completed by.
        assert_eq!(absolute(Path::new("")), Path::new(""));
        assert_eq!(full_path(Path::new("b.ply")), here.join("b.ply").display().to_string());
        assert_eq!([file_name(Path::new("/a/b.ply")), file_name(Path::new("/"))], ["b.ply", "/"]);
    }
}
