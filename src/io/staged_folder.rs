//! Replaces a folder of files that belong together: a killed run leaves all of them new or all as before.

use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::aside::{remove_stale, temporary_name};
use base::{Result, UserError};

/// A temporary folder whose files replace those of the target folder on commit. Dropped without commit, it is removed.
pub struct StagedFolder {
    target: PathBuf,
    staged: PathBuf,
}

impl StagedFolder {
    /// Creates the temporary folder beside `target`, which need not exist. Returns an error if `target` is the root
    /// folder or a file, or a folder cannot be created.
    pub fn new(target: &Path) -> Result<Self> {
        let failed = |e: &std::io::Error| UserError::file("make the folder", target, e);
        // A symbolic link to a folder is kept.
        let target = std::fs::canonicalize(target).or_else(|_| std::path::absolute(target)).map_err(|e| failed(&e))?;
        let refused = |reason: &str| UserError::usage(format!("{} {reason}", target.display()));
        if target.symlink_metadata().is_ok() && !target.is_dir() {
            return Err(refused("is not a folder; choose another."));
        }
        let parent =
            target.parent().ok_or_else(|| refused("cannot be the report folder: choose a folder of its own."))?;
        base::folder::make(parent)?;
        remove_stale(&target);
        let staged = parent.join(temporary_name(&target, std::process::id()));
        std::fs::create_dir(&staged).map_err(|e| failed(&e))?;
        Ok(Self { target, staged })
    }

    /// Whether a folder could be written: to know before the work whose results go there.
    pub fn check(target: &Path) -> Result<()> {
        Self::new(target).map(drop)
    }

    /// Temporary folder to write the files into.
    pub fn path(&self) -> &Path {
        &self.staged
    }

    /// Moves the files to the target. If the target holds no other files, the two folders are exchanged atomically.
    /// Otherwise the other files stay, and the new ones replace the old one by one: `last` is removed before and moved
    /// last.
    pub fn commit(self, last: &str) -> Result<()> {
        self.replace_target(last).map_err(|e| UserError::file("write", &self.target, &e))
    }

    fn replace_target(&self, last: &str) -> std::io::Result<()> {
        if !self.target.exists() {
            return std::fs::rename(&self.staged, &self.target);
        }
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.staged)? {
            names.push(entry?.file_name());
        }
        let mut others = std::fs::read_dir(&self.target)?.flatten().filter(|entry| !names.contains(&entry.file_name()));
        let has_no_others = others.next().is_none();
        if has_no_others && renameat_with(CWD, &self.staged, CWD, &self.target, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
        let _ = std::fs::remove_file(self.target.join(last));
        names.sort_by_key(|name| name == last);
        for name in names {
            let (from, to) = (self.staged.join(&name), self.target.join(&name));
            if to.is_dir() {
                std::fs::remove_dir_all(&to)?;
            }
            std::fs::rename(from, to)?;
        }
        Ok(())
    }
}

/// Removes the files that were not committed, or the old files after an exchange.
impl Drop for StagedFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.staged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn staged(target: &Path, text: &str) -> StagedFolder {
        let folder = StagedFolder::new(target).unwrap();
        std::fs::create_dir(folder.path().join("views")).unwrap();
        for name in ["a.txt", "views/top.png"] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_is_replaced_or_unchanged_and_keeps_foreign_files() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        staged(&target, "one").commit("a.txt").unwrap();
        std::fs::write(target.join("views/worst.png"), "one").unwrap();
        // Not committed: nothing has changed and nothing is left behind.
        drop(staged(&target, "two"));
        assert_eq!(std::fs::read_to_string(target.join("a.txt")).unwrap(), "one");
        staged(&target, "three").commit("a.txt").unwrap();
        assert_eq!(
            (names(&target), names(&target.join("views"))),
            (vec!["a.txt".into(), "views".into()], vec!["top.png".into()])
        );
        std::fs::write(target.join("mine.txt"), "kept").unwrap();
        staged(&target, "four").commit("a.txt").unwrap();
        assert_eq!(names(&target), ["a.txt", "mine.txt", "views"]);
        assert_eq!(std::fs::read_to_string(target.join("a.txt")).unwrap(), "four");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn leftovers_of_a_killed_run_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        for name in [".out.4194305.part", ".other.4194305.part", ".out.part"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        staged(&target, "one").commit("a.txt").unwrap();
        assert_eq!(names(folder.path()), [".other.4194305.part", ".out.part", "out"]);
    }
}
