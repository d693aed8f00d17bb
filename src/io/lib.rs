//! Floor 1: file input and output. Readers stream their input, count what they skip, and report invalid input as a
//! single sentence.
#![deny(clippy::indexing_slicing)]

pub mod account;
mod aside;
pub mod atomic;
pub mod cad;
pub mod cmm_connection;
pub mod dmis;
pub mod e57;
pub mod format;
pub mod gltf;
pub mod json_lines;
pub mod las;
pub mod lines;
pub mod obj;
pub mod off;
pub mod pcd;
pub mod ply;
mod polygon;
pub mod probing_csv;
pub mod probing_program;
pub mod ptx;
pub mod region_table;
pub mod snapshot_table;
pub mod staged_folder;
pub mod stl;
pub mod three_mf;
pub mod voxels;
pub mod watched_folder;
pub mod write;
pub mod xyz;

#[cfg(test)]
mod cases;
mod load;
pub mod source;
mod source_file;

pub use load::{
    LoadOptions, LoadedMesh, LoadedScan, holds_points, load_nominal, load_nominal_from, load_scan, load_scan_from,
};
pub use source::Source;
pub use source_file::SourceFile;
