//! A folder of files that belong together: all of them are new, or all are as before, whenever the program is stopped.

use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::aside::{aside, sweep};
use base::{Result, UserError};

/// Files on their way into a folder, beside which they are written first.
pub struct StagedFolder {
    target: PathBuf,
    staged: PathBuf,
}

impl StagedFolder {
    /// For `target`, which may be there or not.
    pub fn new(target: &Path) -> Result<Self> {
        let failed = |e: &std::io::Error| UserError::file("make the folder", target, e);
        // A link to a folder stays one.
        let target = std::fs::canonicalize(target).or_else(|_| std::path::absolute(target)).map_err(|e| failed(&e))?;
        let parent = target.parent().ok_or_else(|| {
            UserError::usage(format!("{} cannot hold a report: name a folder of its own.", target.display()))
        })?;
        std::fs::create_dir_all(parent).map_err(|e| failed(&e))?;
        sweep(&target);
        let staged = parent.join(aside(&target, std::process::id()));
        std::fs::create_dir(&staged).map_err(|e| failed(&e))?;
        Ok(Self { target, staged })
    }

    /// Where the files are written.
    pub fn path(&self) -> &Path {
        &self.staged
    }

    /// Puts the files in place. Where the folder holds nothing else, it is exchanged in one step; other files in it stay,
    /// and the new ones take their places one after the other, `last` last and gone until then.
    pub fn commit(self, last: &str) -> Result<()> {
        self.placed(last).map_err(|e| UserError::file("write", &self.target, &e))
    }

    fn placed(&self, last: &str) -> std::io::Result<()> {
        if !self.target.exists() {
            return std::fs::rename(&self.staged, &self.target);
        }
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.staged)? {
            names.push(entry?.file_name());
        }
        let mut others = std::fs::read_dir(&self.target)?.flatten().filter(|entry| !names.contains(&entry.file_name()));
        let is_alone = others.next().is_none();
        if is_alone && renameat_with(CWD, &self.staged, CWD, &self.target, RenameFlags::EXCHANGE).is_ok() {
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

/// What was not committed, or was exchanged, goes.
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

    fn stage(target: &Path, text: &str) -> StagedFolder {
        let staged = StagedFolder::new(target).unwrap();
        std::fs::create_dir(staged.path().join("views")).unwrap();
        for name in ["a.txt", "views/top.png"] {
            std::fs::write(staged.path().join(name), text).unwrap();
        }
        staged
    }

    #[test]
    fn a_folder_is_new_or_as_before_and_keeps_what_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        stage(&target, "one").commit("a.txt").unwrap();
        std::fs::write(target.join("views/worst.png"), "one").unwrap();
        // Not committed: nothing has changed, and nothing is left.
        drop(stage(&target, "two"));
        assert_eq!(std::fs::read_to_string(target.join("a.txt")).unwrap(), "one");
        stage(&target, "three").commit("a.txt").unwrap();
        assert_eq!(
            (names(&target), names(&target.join("views"))),
            (vec!["a.txt".into(), "views".into()], vec!["top.png".into()])
        );
        std::fs::write(target.join("mine.txt"), "kept").unwrap();
        stage(&target, "four").commit("a.txt").unwrap();
        assert_eq!(names(&target), ["a.txt", "mine.txt", "views"]);
        assert_eq!(std::fs::read_to_string(target.join("a.txt")).unwrap(), "four");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn what_a_killed_run_left_is_swept_away() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        for name in [".out.4194305.part", ".other.4194305.part", ".out.part"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        stage(&target, "one").commit("a.txt").unwrap();
        assert_eq!(names(folder.path()), [".other.4194305.part", ".out.part", "out"]);
    }
}
