//! Floor 5: draws scenes with wgpu, on screen and off. Knows nothing of the application.
//!
//! A frame is drawn in two passes: the scene into colour, ids and depth ([`scene`]), then eye-dome lighting and the
//! background into the final picture ([`post`]). Ids are read back around the pointer for picking ([`picking`]).

pub mod blit;
pub mod camera;
pub mod colour_scale;
mod full_screen;
pub mod gpu;
pub mod items;
pub mod picking;
pub mod picture;
pub mod post;
mod readback;
mod scatter;
pub mod scene;
pub mod selecting;
pub mod target;

pub use camera::ViewCamera;
pub use gpu::Gpu;
pub use items::{GROUP_COLOURS, MeshItem, PointsItem, Shade};
pub use scatter::Scatter;
pub use scene::{Draw, Frame, Scene};
pub use target::Target;
