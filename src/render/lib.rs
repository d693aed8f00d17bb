//! Floor 5: draws scenes with wgpu, on screen and off. Knows nothing of the application.
//!
//! A frame is drawn in three passes: facets and points into colour, ids and depth ([`scene`]), eye-dome lighting and the
//! background into the picture ([`post`]), and lines over it. A primitive is a file of [`primitives`]. Ids are read back
//! around the pointer for picking ([`picking`]).

pub mod blit;
pub mod camera;
pub mod colour_scale;
mod full_screen;
pub mod gizmo;
pub mod gpu;
mod own_scale;
pub mod picking;
pub mod picture;
pub mod post;
pub mod primitives;
pub mod projection;
mod readback;
pub mod scene;
pub mod selecting;
pub mod sight;
pub mod target;
pub mod thickness_scale;

pub use camera::ViewCamera;
pub use gpu::Gpu;
pub use primitives::facets::FacetsItem;
pub use primitives::fields::FieldItem;
pub use primitives::lines::{LineStyle, LinesItem};
pub use primitives::points::PointsItem;
pub use primitives::surface::SurfaceItem;
pub use primitives::{BACKGROUND_COLOUR, Colouring, Draw, GROUP_COLOURS, Look, Mark, MarkWriter};
pub use scene::{Cut, Frame, Scene};
pub use target::Target;
