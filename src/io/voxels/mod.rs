//! Files of voxel volumes: hybrid dynamic trees as they are, level sets as NanoVDB, layers as pictures.

pub mod hdt;
pub mod nanovdb;
pub mod slices;

use std::path::Path;

use base::{Result, UserError};

/// A format of voxel volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoxelFormat {
    /// A hybrid dynamic tree, see [`hdt`].
    Hdt,
    /// A level set, see [`nanovdb`].
    NanoVdb,
}

impl VoxelFormat {
    /// The format by the extension of a path. Returns an error if it is none of voxel volumes.
    pub fn from_extension(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|own| own.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "hdt" => Ok(Self::Hdt),
            "nvdb" => Ok(Self::NanoVdb),
            _ => Err(UserError::usage(format!(
                "{}: voxels cannot be written as “.{extension}”; use .hdt (hybrid dynamic tree) or .nvdb (NanoVDB).",
                path.display()
            ))),
        }
    }
}
