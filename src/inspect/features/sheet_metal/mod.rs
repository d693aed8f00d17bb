//! Openings in sheet metal: round holes and slots.

pub mod holes;
mod rim;
pub mod slot;
