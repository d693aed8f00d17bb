//! Which format a file has: by its name, checked against its first bytes.

use std::path::Path;

use crate::base::{Result, UserError};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Stereolithography, binary or ASCII.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY.
    Ply,
    /// glTF, text or binary.
    Gltf,
    /// STEP (AP203, AP214, AP242).
    Step,
    /// IGES.
    Iges,
    /// Point Cloud Library.
    Pcd,
    /// Columns of numbers.
    Xyz,
    /// ASTM E57.
    E57,
}

impl Format {
    /// Extensions of files with facets or CAD surfaces.
    pub const NOMINAL_EXTENSIONS: [&str; 8] = ["step", "stp", "iges", "igs", "stl", "obj", "ply", "glb"];
    /// Extensions of scans.
    pub const SCAN_EXTENSIONS: [&str; 9] = ["ply", "pcd", "xyz", "asc", "csv", "txt", "e57", "stl", "obj"];

    /// The format that the name of `path` promises.
    pub fn of_name(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        Ok(match extension.as_str() {
            "stl" => Self::Stl,
            "obj" => Self::Obj,
            "ply" => Self::Ply,
            "gltf" | "glb" => Self::Gltf,
            "step" | "stp" => Self::Step,
            "iges" | "igs" => Self::Iges,
            "pcd" => Self::Pcd,
            "xyz" | "asc" | "csv" | "txt" | "pts" => Self::Xyz,
            "e57" => Self::E57,
            _ => {
                return Err(UserError::input(format!(
                    "{}: “.{extension}” is not a format that can be read; use STEP, IGES, STL, OBJ, PLY, glTF, PCD, \
                     E57 or columns of numbers (XYZ, ASC, CSV).",
                    path.display()
                )));
            }
        })
    }

    /// The format that the first bytes of a file show, where they show one for sure.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        let starts = |magic: &[u8]| head.starts_with(magic);
        if starts(b"ply\n") || starts(b"ply\r") {
            Some(Self::Ply)
        } else if starts(b"glTF") {
            Some(Self::Gltf)
        } else if starts(b"ISO-10303-21") {
            Some(Self::Step)
        } else if starts(b"ASTM-E57") {
            Some(Self::E57)
        } else if starts(b"# .PCD") {
            Some(Self::Pcd)
        } else {
            None
        }
    }

    /// Format of `path`, and a note where its contents contradict its name (the contents win).
    pub fn detect(path: &Path, head: &[u8]) -> Result<(Self, Option<String>)> {
        let named = Self::of_name(path);
        match (named, Self::of_head(head)) {
            (Ok(named), Some(shown)) if named != shown => Ok((
                shown,
                Some(format!("The name says {}, but the contents are {}: read as such.", named.name(), shown.name())),
            )),
            (Err(_), Some(shown)) => Ok((shown, None)),
            (named, _) => Ok((named?, None)),
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stl => "STL",
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
            Self::Step => "STEP",
            Self::Iges => "IGES",
            Self::Pcd => "PCD",
            Self::Xyz => "columns of numbers",
            Self::E57 => "E57",
        }
    }
}
