//! Plan files: a plan alone as `.sgplan`, to be used as a template, or inside a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Digest, Element, ElementId, MAX_ELEMENTS, Plan, Recipe};
use crate::presentation::Presentation;
use base::{Result, UserError};
use io::atomic;

/// Value of `format` that identifies a plan file.
pub const FORMAT: &str = "shadowgraph.plan";
/// Version of the layout written now.
pub const VERSION: u32 = 1;
/// Largest file that is read, bytes (1 GiB).
const MAX_BYTES: u64 = 1 << 30;

#[derive(Serialize)]
struct File<'a> {
    format: &'a str,
    version: u32,
    software: String,
    elements: &'a Plan,
    presentation: &'a Presentation,
}

impl Plan {
    /// Writes the plan to `path` atomically. Paths of files below the plan's folder are written relative to it.
    pub fn save(&self, path: &Path) -> Result<()> {
        let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(PathBuf::from));
        let mut portable = self.clone();
        portable.each_file(|file| {
            // A plan and its CAD may be moved together.
            if let Some(below) = folder.as_ref().and_then(|folder| file.strip_prefix(folder).ok()) {
                *file = below.to_owned();
            }
        });
        let file = File {
            format: FORMAT,
            version: VERSION,
            software: base::software::version(),
            elements: &portable,
            presentation: &portable.presentation,
        };
        let text = serde_json::to_string_pretty(&file)
            .map_err(|e| UserError::internal(format!("The plan cannot be written: {e}.")))?;
        atomic::write_bytes(path, format!("{text}\n").as_bytes())
    }

    /// Reads a plan. Of a damaged one, the readable elements are kept and the returned notes name the others. Files it
    /// refers to that have moved are looked for next to the plan.
    pub fn load(path: &Path) -> Result<(Self, Vec<String>)> {
        let length = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?.len();
        if length > MAX_BYTES {
            return Err(UserError::input(format!("{}: this is too large for a plan.", path.display())));
        }
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("open", path, &e))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| {
            let (path, line) = (path.display(), e.line());
            UserError::input(format!(
                "{path}, line {line}: this is not a readable inspection plan ({e}). Choose another file."
            ))
        })?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(UserError::input(format!("{} is not an inspection plan (.sgplan).", path.display())));
        }
        let elements = value.get("elements").and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut plan, mut notes) = Self::salvage(elements);
        if value.get("version").and_then(Value::as_u64).is_some_and(|version| version > u64::from(VERSION)) {
            notes.insert(0, format!("{} was written by a newer version of Shadowgraph.", path.display()));
        }
        if let Some(presentation) = value.get("presentation") {
            let (presentation, unread) = Presentation::salvage(presentation);
            plan.presentation = presentation;
            notes.extend(unread);
        }
        plan.resolve_files(path.parent().unwrap_or(Path::new(".")));
        Ok((plan, notes))
    }

    /// Keeps each readable element; the notes name those left out, renamed or not run.
    pub(crate) fn salvage(values: Vec<Value>) -> (Self, Vec<String>) {
        let (mut plan, mut notes) = (Self::default(), Vec::new());
        let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (ordinal, value) in (1..).zip(values) {
            match serde_json::from_value::<Element>(value) {
                Ok(element) if ids.contains(&element.id) => {
                    notes.push(format!("Element {ordinal} has the id of another element and was left out."));
                }
                Ok(_) if plan.elements.len() >= MAX_ELEMENTS => {
                    notes.push(format!(
                        "Element {ordinal} and all after it were left out: a plan holds at most {MAX_ELEMENTS} elements."
                    ));
                    break;
                }
                Ok(mut element) => {
                    if !names.insert(element.name.clone()) || element.name.trim().is_empty() {
                        let new = plan.free_name(&element.name);
                        let before = std::mem::replace(&mut element.name, new);
                        notes.push(format!("A second “{before}” is now called “{}”.", element.name));
                        names.insert(element.name.clone());
                    }
                    if let Recipe::Unknown(unknown) = &element.recipe {
                        notes.push(format!("“{}” is kept, but not run. {}", element.name, unknown.why));
                    }
                    plan.last = plan.last.max(element.id.0);
                    ids.insert(element.id);
                    plan.elements.push(Arc::new(element));
                }
                Err(error) => notes.push(format!("Element {ordinal} could not be read and was left out: {error}.")),
            }
        }
        for element in &plan.elements {
            for input in element.recipe.inputs().into_iter().filter(|input| !ids.contains(input)) {
                notes.push(format!("“{}” needs element {input}, which is missing.", element.name));
            }
        }
        let ordered: BTreeSet<ElementId> = plan.in_order().into_iter().collect();
        for element in plan.elements.iter().filter(|own| !ordered.contains(&own.id)) {
            notes.push(format!("“{}” depends on itself and is not run.", element.name));
        }
        (plan, notes)
    }

    /// Resolves relative file paths against `folder`; files that are missing where the plan says are taken from
    /// `folder` if one of that name lies there.
    pub(crate) fn resolve_files(&mut self, folder: &Path) {
        let folder = base::absolute(folder);
        self.each_file(|file| resolve_file(file, &folder));
    }

    /// Applies `change` to the path of every file of the plan and to that of the report's template; the files of
    /// measured parts are not in it.
    fn each_file(&mut self, mut change: impl FnMut(&mut PathBuf)) {
        for element in &mut self.elements {
            if matches!(element.recipe, Recipe::Nominal(_) | Recipe::Calibration(_)) {
                let element = Arc::make_mut(element);
                element.digest = Digest::default();
                element.recipe.file_mut().into_iter().for_each(&mut change);
            }
        }
        self.presentation.template.iter_mut().for_each(change);
    }
}

/// Makes `file` absolute relative to `folder`; if it does not exist but `folder` holds a file of that name, points it
/// there.
pub(crate) fn resolve_file(file: &mut PathBuf, folder: &Path) {
    let sibling = file.file_name().map(|name| folder.join(name));
    if file.is_relative() {
        *file = folder.join(&file);
    }
    if let Some(sibling) = sibling.filter(|sibling| !file.exists() && sibling.exists()) {
        *file = sibling;
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.elements.iter().map(|element| &**element))
    }
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(Self::salvage(Vec::deserialize(deserializer)?).0)
    }
}
