//! Numbers of what does not change once it is made: keys of data cached elsewhere for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other has within the process.
pub(crate) fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
