//! Features of a part: ideal shapes fitted to measured points, elements constructed from them, and distances and angles
//! between them.

pub mod constructions;
pub mod element;
pub mod face_coverage;
pub mod facets_of;
pub mod fits;
pub mod fitting;
pub mod gaussian_filter;
pub mod measured;
pub mod measures;
pub mod noise;
pub mod nominal;
pub mod outline;
pub mod recipe;
pub mod rejection;
pub mod sheet_metal;
pub(crate) mod zones;

pub use element::Element;
pub use face_coverage::{FaceCoverage, FaceExtent};
pub use fits::{Fit, Kernel, Kind, NoiseCorrelation, Objective, Options, Shape, Uncertainty, fit};
pub use rejection::Rejection;
pub use zones::{Certificate, Zone};
