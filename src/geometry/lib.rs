//! Floor 0: meshes, point clouds, rigid motions and spatial searches. Lengths in millimetres, f64; searches pre-filter
//! in f32 and decide in f64.

pub mod aabb;
pub mod closed_form;
pub mod cloud;
pub mod cracks;
pub mod delaunay;
pub mod disjoint_sets;
pub mod distance_field;
pub mod draw;
pub mod edges;
pub mod exposed;
pub mod facet_sampling;
pub mod facing;
pub mod health;
mod identifier;
pub mod jacobi;
pub mod kd_tree;
pub mod local_features;
pub mod mesh;
pub mod morton;
pub mod nearest_facets;
pub mod noise;
pub mod normals;
pub mod oriented_matches;
pub mod plane_cut;
pub mod point_pairs;
pub mod probes;
pub mod range_image;
pub mod refine;
pub mod repair;
pub mod rims;
pub mod sampling;
pub mod shells;
pub mod simd;
pub mod simplify;
pub mod snapshot;
pub mod solid;
pub mod stations;
pub mod subset;
pub mod surface;
pub mod thinning;
pub mod topology;
pub mod transform;
pub mod tree;
pub mod triangle;
pub mod viewpoint;
pub mod voxels;
pub mod weld;
pub mod winding;
pub mod winding_number;

pub use aabb::Aabb;
pub use cloud::{Cloud, OrderedPoints, SnapshotGrid};
pub use delaunay::DelaunayGraph;
pub use disjoint_sets::DisjointSets;
pub use kd_tree::{KdTree, SearchablePoints};
pub use mesh::Mesh;
pub use nearest_facets::NearestFacets;
pub use probes::Probes;
pub use range_image::RangeImage;
pub use repair::repair;
pub use solid::{Sides, SolidSurface};
pub use subset::{Combine, Subset};
pub use surface::{Surface, SurfaceHit};

/// A position, mm, in the frame stated by its name.
pub type Point = nalgebra::Point3<f64>;
/// A direction, or a difference of positions, mm.
pub type Vector = nalgebra::Vector3<f64>;
/// A rigid motion. Names read target first: `nominal_from_scan` maps scan coordinates to nominal coordinates.
pub type Pose = nalgebra::Isometry3<f64>;
