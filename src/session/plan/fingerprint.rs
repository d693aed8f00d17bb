//! Fingerprints of what a result was computed from: where it differs, the result is stale.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{ElementId, Plan, Recipe};
use base::Result;
use io::SourceFile;

/// BLAKE3 hash of a recipe, of the fingerprints of its inputs, and of the files it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u8; 32]);

/// The fingerprint of every element that can be run.
pub type Fingerprints = BTreeMap<ElementId, Fingerprint>;

impl Plan {
    /// BLAKE3 hash, hexadecimal, of all that the results of a part depend on beside its own files: the software, the elements with
    /// their names, and the contents of the files that they read. Where these files lie, and how results are presented, is no part
    /// of it.
    ///
    /// Returns an error if a file cannot be read.
    pub fn content_hash(&self) -> Result<String> {
        let mut hasher = Hasher(blake3::Hasher::new());
        hasher.0.update(base::software::version().as_bytes());
        for element in self.elements() {
            let mut recipe = element.recipe.clone();
            let hash = match &element.recipe {
                Recipe::Nominal(own) => Some(own.source.hash_as_it_is()?),
                _ => recipe.file_mut().map(|file| base::hash::file_hash(file)).transpose()?,
            };
            recipe.file_mut().map(std::mem::take);
            if let Recipe::Nominal(own) = &mut recipe {
                own.source.hash = String::new();
            }
            // Writing to memory does not fail.
            let _ = serde_json::to_writer(&mut hasher, &(element.id, &element.name, recipe));
            hasher.0.update(hash.unwrap_or_default().as_bytes());
        }
        Ok(hasher.0.finalize().to_hex().to_string())
    }

    /// The plan with its nominals as their files are now, which are read here and parsed when they are made.
    ///
    /// Returns an error if a file cannot be read.
    pub fn with_files_as_they_are(&self) -> Result<Self> {
        let mut plan = self.clone();
        for element in self.elements() {
            if let Recipe::Nominal(own) = &element.recipe {
                let mut now = own.clone();
                now.source = own.source.as_it_is().map_err(|error| error.about(&element.name))?;
                plan.set_recipe(element.id, Recipe::Nominal(now))?;
            }
        }
        Ok(plan)
    }

    /// The current fingerprint of every element, for the part measured in `sources`.
    pub fn fingerprints(&self, sources: &[SourceFile]) -> Fingerprints {
        let elements: BTreeMap<ElementId, _> = self.elements().iter().map(|element| (element.id, element)).collect();
        let mut found = Fingerprints::new();
        for id in self.in_order() {
            let Some(element) = elements.get(&id) else { continue };
            let mut hasher = blake3::Hasher::new();
            hasher.update(element.digest.of(&element.recipe));
            for input in element.recipe.inputs() {
                hasher.update(found.get(&input).map_or(&[0; 32], |own| &own.0));
            }
            if element.recipe.reads_sources() {
                sources.iter().for_each(|source| {
                    hasher.update(source.hash.as_bytes());
                });
            }
            found.insert(id, Fingerprint(*hasher.finalize().as_bytes()));
        }
        found
    }
}

/// BLAKE3 hash of a recipe, computed at first use and cached, since a recipe may hold a million point indices. A clone
/// starts empty.
#[derive(Debug, Default)]
pub(super) struct Digest(OnceLock<[u8; 32]>);

impl Digest {
    fn of(&self, recipe: &Recipe) -> &[u8; 32] {
        self.0.get_or_init(|| {
            let mut hasher = Hasher(blake3::Hasher::new());
            // A file is known by its hash and not by where it lies. Writing to memory does not fail.
            let _ = match recipe {
                Recipe::Nominal(own) => {
                    let mut moved = own.clone();
                    moved.source.path = PathBuf::new();
                    serde_json::to_writer(&mut hasher, &Recipe::Nominal(moved))
                }
                other => serde_json::to_writer(&mut hasher, other),
            };
            *hasher.0.finalize().as_bytes()
        })
    }
}

impl Clone for Digest {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A cache of the recipe takes no part in comparisons.
impl PartialEq for Digest {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

struct Hasher(blake3::Hasher);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use inspect::parts::NominalRecipe;

    fn plan_of(path: &Path) -> Plan {
        let source = SourceFile::of(path, None, None).unwrap();
        let mut plan = Plan::default();
        let nominal = NominalRecipe { source, chord_mm: 0.01, angle_deg: 5.0, steps: Vec::new() };
        plan.add("Part", nominal.into()).unwrap();
        plan
    }

    /// A nominal that was moved, renamed or copied leaves results as they are; one changed by a byte does not.
    #[test]
    fn a_nominal_is_known_by_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let with = |name: &str, contents: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, contents).unwrap();
            plan_of(&path).fingerprints(&[])
        };
        let first = with("part.stl", "solid");
        assert_eq!(with("renamed.stl", "solid"), first);
        assert_ne!(with("part.stl", "solie"), first);
    }

    #[test]
    fn a_plan_is_what_it_says_and_reads_and_not_where() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, contents: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, contents).unwrap();
            path
        };
        let path = file("part.stl", "solid");
        let plan = plan_of(&path);
        let hash = plan.content_hash().unwrap();
        assert_eq!(plan_of(&file("other/name.stl", "solid")).content_hash().unwrap(), hash);
        let mut shown = plan.clone();
        shown.presentation.template = Some("page.typ".into());
        assert_eq!(shown.content_hash().unwrap(), hash);
        let mut finer = plan.clone();
        let Recipe::Nominal(mut recipe) = plan.elements()[0].recipe.clone() else { unreachable!() };
        recipe.chord_mm = 0.005;
        finer.set_recipe(plan.elements()[0].id, Recipe::Nominal(recipe)).unwrap();
        assert_ne!(finer.content_hash().unwrap(), hash);
        let mut renamed = plan.clone();
        renamed.rename(plan.elements()[0].id, "Other").unwrap();
        assert_ne!(renamed.content_hash().unwrap(), hash, "records list results by name");
        // Another byte where the plan still states the hash of the old ones.
        file("part.stl", "solie");
        assert_ne!(plan.content_hash().unwrap(), hash);
        std::fs::remove_file(&path).unwrap();
        assert!(plan.content_hash().unwrap_err().sentence.contains("part.stl"));
    }
}
