//! What a result was made from, as one number: where it differs, the result is stale.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{ElementId, Plan, Recipe};
use io::SourceFile;

/// BLAKE3 of a recipe, of what its inputs were made from, and of the files that it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u8; 32]);

/// The fingerprint of every element.
pub type Fingerprints = BTreeMap<ElementId, Fingerprint>;

impl Plan {
    /// What every element would be made from now, for the part of those files.
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

/// BLAKE3 of a recipe, kept from when it was first asked for: recipes may name a million points. A copy that is changed
/// begins anew.
#[derive(Debug, Default)]
pub(super) struct Digest(OnceLock<[u8; 32]>);

impl Digest {
    fn of(&self, recipe: &Recipe) -> &[u8; 32] {
        self.0.get_or_init(|| {
            let mut hasher = Hasher(blake3::Hasher::new());
            // Written without an error: nothing but memory takes it.
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

/// It says nothing that the recipe does not.
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
