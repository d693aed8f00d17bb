//! Shadowgraph: scan-to-CAD inspection. The floors are drawn in ARCHITECTURE.md; each is a crate, and stands here under
//! its own name.

pub use app;
pub use base;
pub use cli;
pub use compute;
pub use dispatch;
pub use geometry;
pub use inspect;
pub use io;
pub use render;
pub use report;
pub use session;
pub use texts;
