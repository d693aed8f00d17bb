//! What this program calls itself in reports and records.

use std::sync::OnceLock;

static COMMIT: OnceLock<&str> = OnceLock::new();

/// States the commit that the program was built from, once, at its start; an empty one is none.
pub fn set_commit(commit: &'static str) {
    if !commit.is_empty() {
        let _ = COMMIT.set(commit);
    }
}

/// Its version and, where it is known, the commit that it was built from: `0.1.0 (98972b8f3d21)`.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    COMMIT.get().map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"))
}

/// Its name and version.
pub fn name() -> String {
    format!("Shadowgraph {}", version())
}
