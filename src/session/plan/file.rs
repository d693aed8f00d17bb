//! Plans in files: alone as `.sgplan`, to be used as a template, or inside a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Digest, Element, ElementId, MOST_ELEMENTS, Plan, Recipe};
use base::{Result, UserError};
use io::atomic;

/// What marks a plan file.
pub const FORMAT: &str = "shadowgraph.plan";
/// The version written now.
pub const VERSION: u32 = 1;
/// Largest file that is read, bytes.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Serialize)]
struct File<'a> {
    format: &'a str,
    version: u32,
    software: &'a str,
    elements: &'a Plan,
}

impl Plan {
    /// Writes the plan alone to `path`, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(PathBuf::from));
        let mut portable = self.clone();
        portable.each_file(|file| {
            // A plan and its CAD may be carried elsewhere together.
            if let Some(below) = folder.as_ref().and_then(|folder| file.strip_prefix(folder).ok()) {
                *file = below.to_owned();
            }
        });
        let file = File { format: FORMAT, version: VERSION, software: env!("CARGO_PKG_VERSION"), elements: &portable };
        let text = serde_json::to_string_pretty(&file)
            .map_err(|e| UserError::internal(format!("The plan cannot be written: {e}.")))?;
        atomic::write_bytes(path, format!("{text}\n").as_bytes())
    }

    /// Reads a plan. What of a damaged one can be read is kept; the sentences say what is missing. Files that it names
    /// and that are not where they were are looked for beside the plan.
    pub fn load(path: &Path) -> Result<(Self, Vec<String>)> {
        let length = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?.len();
        if length > MOST_BYTES {
            return Err(UserError::input(format!("{}: this is too large for a plan.", path.display())));
        }
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("open", path, &e))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| {
            let (path, line) = (path.display(), e.line());
            UserError::input(format!(
                "{path}, line {line}: this is no readable inspection plan ({e}). Choose another file."
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
        plan.look_beside(path.parent().unwrap_or(Path::new(".")));
        Ok((plan, notes))
    }

    /// Takes each element that can be read, and names those that cannot.
    pub(crate) fn salvage(values: Vec<Value>) -> (Self, Vec<String>) {
        let (mut plan, mut notes) = (Self::default(), Vec::new());
        let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (number, value) in (1..).zip(values) {
            match serde_json::from_value::<Element>(value) {
                Ok(element) if ids.contains(&element.id) => {
                    notes.push(format!("Element {number} has the number of another one and was left out."));
                }
                Ok(_) if plan.elements.len() >= MOST_ELEMENTS => {
                    notes.push(format!("Element {number} and all after it were left out: there are too many."));
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
                Err(error) => notes.push(format!("Element {number} could not be read and was left out: {error}.")),
            }
        }
        for element in &plan.elements {
            for input in element.recipe.inputs().into_iter().filter(|input| !ids.contains(input)) {
                notes.push(format!("“{}” needs element {input}, which is missing.", element.name));
            }
        }
        let ordered: BTreeSet<ElementId> = plan.in_order().into_iter().collect();
        for element in plan.elements.iter().filter(|own| !ordered.contains(&own.id)) {
            notes.push(format!("“{}” is made from itself and is not run.", element.name));
        }
        (plan, notes)
    }

    /// Relative files are meant from `folder`; others that are not where the plan says are taken from there, where they
    /// lie there.
    pub(crate) fn look_beside(&mut self, folder: &Path) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self.each_file(|file| found_beside(file, &folder));
    }

    /// The files that the plan itself names, not those of parts.
    fn each_file(&mut self, mut change: impl FnMut(&mut PathBuf)) {
        for element in &mut self.elements {
            if matches!(element.recipe, Recipe::Nominal(_)) {
                let element = Arc::make_mut(element);
                element.digest = Digest::default();
                if let Recipe::Nominal(recipe) = &mut element.recipe {
                    change(&mut recipe.source.path);
                }
            }
        }
    }
}

/// `file` where it lies, else beside, where one of that name lies in `folder`.
pub(crate) fn found_beside(file: &mut PathBuf, folder: &Path) {
    let beside = file.file_name().map(|name| folder.join(name));
    if file.is_relative() {
        *file = folder.join(&file);
    }
    if let Some(beside) = beside.filter(|beside| !file.exists() && beside.exists()) {
        *file = beside;
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
