//! The pages of the report by a template of the user: a typst file, set by the program `typst` (<https://typst.app>).
//!
//! The template lies in a folder of its own together with the report as `report.json` and its pictures. What lies beside
//! the user's file is linked there, so that it may use it, what lies in a `pictures` folder of the user beside the report's
//! pictures; nothing else can be read by it.

mod data;
mod diagnostics;
mod typst;

use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::pictures::Pictures;
use base::limits::format_bytes;
use base::{Progress, Result, UserError, file_name, regular_file};
use io::atomic;
use serde_json::Value;
use session::Document;
pub use typst::Typst;

/// A template to start from: all sections, as the built-in layout has them.
pub const STARTING: &str = include_str!("../../../assets/report/template.typ");
/// Ending of the names of templates.
pub const EXTENSION: &str = "typ";
/// Largest template that is read, bytes.
const MAX_BYTES: u64 = 10 << 20;
/// Endings of the names of fonts.
const FONTS: [&str; 4] = ["otf", "ttf", "otc", "ttc"];

/// A template that was read.
#[derive(Clone, Debug)]
pub struct Template {
    /// Name of its file.
    name: String,
    /// The folder that it lies in.
    folder: PathBuf,
    /// Its text.
    text: String,
}

/// Pages made by a template.
#[derive(Debug)]
pub struct TemplatePages {
    /// As PDF.
    pub pdf: Vec<u8>,
    /// What of the user's the template cannot use, and what typst warns of, a sentence each.
    pub warnings: Vec<String>,
}

/// What the pages show.
pub struct PageData<'a> {
    /// The inspection.
    pub document: &'a Document,
    /// Content of its report.
    pub content: &'a Content,
    /// Pictures of its report.
    pub pictures: &'a Pictures,
    /// Its summary, see [`super::summary::of`].
    pub summary: &'a Value,
}

impl Template {
    /// Reads a template.
    ///
    /// Returns an error if it cannot be read, is too large, is no text, or has another ending than `.typ`.
    pub fn read(path: &Path) -> Result<Self> {
        let name = file_name(path);
        check_ending(path)?;
        let (file, length) = regular_file::open(path)?;
        let refused = |why: String| UserError::input(format!("The template “{name}” {why}"));
        if length > MAX_BYTES {
            let [length, limit] = [length, MAX_BYTES].map(format_bytes);
            return Err(refused(format!("has {length}; a template has at most {limit}.")));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|e| UserError::file("read", path, &e))?;
        let text = String::from_utf8(bytes).map_err(|_| refused("is not a text in UTF-8; save it as one.".into()))?;
        let path = std::path::absolute(path).map_err(|e| UserError::file("read", path, &e))?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { name, folder, text })
    }

    /// Sets the pages in an empty folder, which the caller removes.
    ///
    /// Returns an error that names the lines of the template that are wrong, or says what is missing, and one if the
    /// work is cancelled.
    pub fn pages(
        &self,
        data: &PageData<'_>,
        typst: &Typst,
        folder: &Path,
        progress: &Progress,
    ) -> Result<TemplatePages> {
        let [root, fonts] = ["pages", "fonts"].map(|name| folder.join(name));
        for own in [&root, &fonts] {
            std::fs::create_dir(own).map_err(|e| UserError::file("make the folder", own, &e))?;
        }
        data::write(&root, data)?;
        for (name, bytes) in ["Inter-Regular.otf", "Inter-SemiBold.otf"].into_iter().zip(super::pdf::FACES) {
            write(&fonts.join(name), bytes)?;
        }
        write(&root.join(&self.name), self.text.as_bytes())?;
        let hidden = self.link_neighbours(&root, &fonts)?;
        let pages = typst.compile(&self.name, folder, progress)?;
        let warnings = self.hidden_pictures(&hidden).into_iter().chain(pages.warnings).collect();
        Ok(TemplatePages { pdf: pages.pdf, warnings })
    }

    /// Links what lies beside the template next to its copy; the report's own files go first. Returns which pictures of
    /// the user are hidden by those of the report, in the order of their names.
    fn link_neighbours(&self, root: &Path, fonts: &Path) -> Result<Vec<String>> {
        let mut hidden = Vec::new();
        for (path, name) in entries(&self.folder)? {
            if name == data::PICTURES && path.is_dir() {
                hidden = link_pictures(&path, &root.join(&name))?;
                continue;
            }
            link(&path, &root.join(&name))?;
            let ending = path.extension().and_then(|own| own.to_str()).map(str::to_lowercase);
            if ending.is_some_and(|own| FONTS.contains(&own.as_str())) {
                link(&path, &fonts.join(&name))?;
            }
        }
        Ok(hidden)
    }

    /// Says which pictures of the user are hidden; `None` if none are.
    fn hidden_pictures(&self, hidden: &[String]) -> Option<String> {
        let (first, more) = hidden.split_first()?;
        let (name, folder) = (&self.name, data::PICTURES);
        Some(match more.len() {
            0 => format!(
                "“{folder}/{first}” beside the template “{name}” is hidden by the picture of that name in the report: \
                 rename it."
            ),
            more => format!(
                "“{folder}/{first}” and {more} more beside the template “{name}” are hidden by the pictures of these \
                 names in the report: rename them."
            ),
        })
    }
}

/// Files and folders in a folder, with their names. No pipes and devices, which would make typst wait.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, OsString)>> {
    let found = std::fs::read_dir(folder).map_err(|e| UserError::file("read", folder, &e))?;
    let found = found.flatten().map(|entry| (entry.path(), entry.file_name()));
    let is_usable = |path: &Path| std::fs::metadata(path).is_ok_and(|own| own.is_file() || own.is_dir());
    Ok(found.filter(|(path, _)| is_usable(path)).collect())
}

/// Links the user's pictures beside those of the report; returns the names of those that are hidden by these.
fn link_pictures(own: &Path, of_report: &Path) -> Result<Vec<String>> {
    let mut hidden = Vec::new();
    for (path, name) in entries(own)? {
        if !link(&path, &of_report.join(&name))? {
            hidden.push(name.to_string_lossy().into_owned());
        }
    }
    hidden.sort();
    Ok(hidden)
}

/// Links `path` as `link` unless there is something of that name; returns whether it did.
fn link(path: &Path, link: &Path) -> Result<bool> {
    match symlink(path, link) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(UserError::file("link", path, &error)),
    }
}

/// Writes a file that is needed for this run only.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|e| UserError::file("write", path, &e))
}

/// Returns an error unless the name of a template ends with `.typ`.
fn check_ending(path: &Path) -> Result<()> {
    match path.extension().is_some_and(|own| own.eq_ignore_ascii_case(EXTENSION)) {
        true => Ok(()),
        false => Err(UserError::usage(format!(
            "“{}” is not a template: the name of one ends with .{EXTENSION}.",
            file_name(path)
        ))),
    }
}

/// Writes the template to start from. Returns an error if it cannot, or if the name does not end with `.typ`.
pub fn save_starting(path: &Path) -> Result<()> {
    check_ending(path)?;
    atomic::write_bytes(path, STARTING.as_bytes())
}

#[cfg(test)]
mod tests;
