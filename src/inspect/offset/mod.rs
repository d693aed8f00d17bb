//! Offset volumes of parts: dilations and erosions, the meshes around them, and how exact they are; and distance fields,
//! from which offsets of every distance are shown at once.

pub mod completeness;
pub mod contact;
mod deepest;
pub mod estimate;
pub mod field;
pub mod level_set;
mod meshing;
mod method;
pub mod recipe;
mod samples;
pub mod scan_surface;
mod sides;
mod volume;
mod voxel_mesh;

pub use completeness::Completeness;
pub use contact::ContactVolumes;
pub use field::PartField;
pub use method::{MAX_PASSES, Method};
pub use recipe::{ContactRecipe, FieldRecipe, OffsetRecipe};
pub use scan_surface::ScanSurfaceRecipe;
pub use volume::{MAX_RESOLUTION, OffsetVolume, Parameters, Part, needed_resolution, run};
