//! What a result was made from, as one number: where it differs, the result is stale.

use std::collections::BTreeMap;
use std::io::Write;

use serde::{Deserialize, Serialize};

use super::{ElementId, Plan};
use io::SourceFile;

/// BLAKE3 of a recipe, of what its inputs were made from, and of the files that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
            let mut hasher = Hasher(blake3::Hasher::new());
            // Written without an error: nothing but memory takes it.
            let _ = serde_json::to_writer(&mut hasher, &element.recipe);
            for input in element.recipe.inputs() {
                hasher.0.update(found.get(&input).map_or(&[0; 32], |own| &own.0));
            }
            if element.recipe.reads_sources() {
                sources.iter().for_each(|source| {
                    hasher.0.update(source.hash.as_bytes());
                });
            }
            found.insert(id, Fingerprint(*hasher.0.finalize().as_bytes()));
        }
        found
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
