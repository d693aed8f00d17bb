//! Offset volumes of parts: dilations and erosions, the meshes around them, and how exact they are; and distance fields,
//! from which offsets of every distance are shown at once.

pub mod contact;
pub mod field;
mod meshing;
pub mod recipe;
mod volume;

pub use contact::ContactVolumes;
pub use field::PartField;
pub use recipe::{ContactRecipe, FieldRecipe, OffsetRecipe};
pub use volume::{MAX_RESOLUTION, OffsetVolume, Parameters, run};
