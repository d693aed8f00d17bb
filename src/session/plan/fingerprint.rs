//! Fingerprints of what a result was computed from: where it differs, the result is stale.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{ElementId, Plan, Recipe};
use io::SourceFile;

/// BLAKE3 hash of a recipe, of the fingerprints of its inputs, and of the files it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u8; 32]);

/// The fingerprint of every element that can be run.
pub type Fingerprints = BTreeMap<ElementId, Fingerprint>;

impl Plan {
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
            // Writing to memory does not fail.
            let _ = serde_json::to_writer(&mut hasher, recipe);
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
