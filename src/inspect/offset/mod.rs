//! Offset volumes of parts: dilations and erosions, the meshes around them, and how exact they are.

mod meshing;
pub mod recipe;
mod volume;

pub use recipe::OffsetRecipe;
pub use volume::{MAX_RESOLUTION, OffsetVolume, Parameters, run};
