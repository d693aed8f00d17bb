//! Shadowgraph: scan-to-CAD inspection. The floors are drawn in ARCHITECTURE.md; each module is one room.

pub mod app;
pub mod base;
pub mod cli;
pub mod compute;
pub mod dispatch;
pub mod geometry;
pub mod inspect;
pub mod io;
pub mod render;
pub mod report;
pub mod session;
