//! Lists of parts to be measured.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Part;
use base::{Result, UserError};
use io::format::Format;

/// Largest list that is read, bytes (64 MiB).
const MAX_BYTES: u64 = 64 << 20;
/// Longest part name, bytes: it is used as a folder name.
const MAX_NAME_BYTES: usize = 120;

impl Part {
    /// The parts of a folder (each scan file in it is one part, in order of name) or of a list file (see
    /// [`Part::listed`]).
    pub fn of_path(path: &Path) -> Result<Vec<Self>> {
        if !path.is_dir() {
            return Self::listed(path);
        }
        let entries = std::fs::read_dir(path).map_err(|e| UserError::file("open", path, &e))?;
        let is_scan = |file: &PathBuf| {
            let extension = file.extension().map(|own| own.to_string_lossy().to_lowercase()).unwrap_or_default();
            file.is_file() && Format::SCAN_EXTENSIONS.contains(&extension.as_str())
        };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_scan).collect();
        if files.is_empty() {
            return Err(UserError::input(format!("{} holds no scans.", path.display())));
        }
        files.sort();
        Ok(Self::of_files(&files))
    }

    /// Reads a list with one part per line, `file` or `name, file, file …`; several files are snapshots of one part in
    /// one frame. Empty lines and text after `#` are ignored; relative files are resolved against the list's folder.
    pub fn listed(path: &Path) -> Result<Vec<Self>> {
        let length = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?.len();
        if length > MAX_BYTES {
            return Err(UserError::input(format!("{}: this is too large for a list of parts.", path.display())));
        }
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut parts = Vec::new();
        for (line_number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let words: Vec<&str> = line.split(',').map(str::trim).collect();
            match words.as_slice() {
                [""] => {}
                [file] => parts.push((None, vec![folder.join(file)])),
                [name, files @ ..] if !name.is_empty() && files.iter().all(|file| !file.is_empty()) => {
                    parts.push((Some((*name).to_owned()), files.iter().map(|file| folder.join(file)).collect()));
                }
                _ => {
                    return Err(UserError::input(format!(
                        "{}, line {line_number}: a file was expected, or a name and its files, separated by commas.",
                        path.display()
                    )));
                }
            }
        }
        if parts.is_empty() {
            return Err(UserError::input(format!("{} names no part.", path.display())));
        }
        Ok(named(parts))
    }
}

/// Gives every part a unique name that is a valid folder name.
pub(super) fn named(parts: Vec<(Option<String>, Vec<PathBuf>)>) -> Vec<Part> {
    let mut used = BTreeSet::new();
    let stem = |files: &[PathBuf]| {
        let first = files.first().and_then(|file| file.file_stem());
        first.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let mut part = |(name, files): (Option<String>, Vec<PathBuf>)| {
        let wanted = as_folder(&name.unwrap_or_else(|| stem(&files)));
        let mut names = std::iter::once(wanted.clone()).chain((2..).map(|number| format!("{wanted}-{number}")));
        // Some file systems ignore case.
        let name = names.find(|name| used.insert(name.to_lowercase())).unwrap_or_default();
        Part { name, files }
    };
    parts.into_iter().map(&mut part).collect()
}

/// Replaces characters that are not allowed in folder names, and limits the length.
fn as_folder(name: &str) -> String {
    let is_allowed = |c: char| !c.is_control() && !r#"/\:*?"<>|"#.contains(c);
    let name: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    let mut name = name.trim().trim_matches('.').to_owned();
    while name.len() > MAX_NAME_BYTES {
        name.pop();
    }
    if name.is_empty() { "part".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_parts_and_their_snapshots() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shift.txt");
        std::fs::write(&path, "# morning\n\na.ply\nSN 7/8, b.ply, c.ply # two views\nsub/a.ply\nA.ply\n..\n").unwrap();
        let parts = Part::listed(&path).unwrap();
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["a", "SN 7_8", "a-2", "A-3", "part"]);
        assert_eq!(parts[1].files, [folder.path().join("b.ply"), folder.path().join("c.ply")]);
        let empty = tempfile::tempdir().unwrap();
        assert!(Part::of_path(empty.path()).unwrap_err().sentence.contains("holds no scans"));
        for name in ["b.PLY", "a.xyz", "notes.md"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<String> = Part::of_path(folder.path()).unwrap().into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["a", "b", "shift"], "a list of numbers could be a scan");
        for (text, said) in [("", "names no part"), ("x,\n", "line 1"), ("a.ply\n,b\n", "line 2")] {
            std::fs::write(&path, text).unwrap();
            assert!(Part::listed(&path).unwrap_err().sentence.contains(said), "{text:?}");
        }
    }
}
