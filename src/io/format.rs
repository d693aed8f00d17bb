//! Which format a file has: by its name, checked against its first bytes.

use std::path::Path;

use base::{Result, UserError};

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
    /// Geomview OFF.
    Off,
    /// 3D Manufacturing Format.
    #[serde(rename = "3mf")]
    ThreeMf,
    /// STEP (AP203, AP214, AP242).
    Step,
    /// IGES.
    Iges,
    /// Point Cloud Library.
    Pcd,
    /// Columns of numbers.
    Xyz,
    /// Organised scans of terrestrial scanners.
    Ptx,
    /// ASTM E57.
    E57,
    /// ASPRS LAS, packed (LAZ) or not.
    Las,
}

impl Format {
    /// Extensions of files with facets or CAD surfaces.
    pub const NOMINAL_EXTENSIONS: [&str; 10] = ["step", "stp", "iges", "igs", "stl", "obj", "ply", "glb", "off", "3mf"];
    /// Extensions of scans.
    pub const SCAN_EXTENSIONS: [&str; 15] =
        ["ply", "pcd", "xyz", "asc", "csv", "txt", "pts", "ptx", "e57", "las", "laz", "stl", "obj", "off", "3mf"];

    /// The format that the name of `path` promises.
    pub fn of_name(path: &Path) -> Result<Self> {
        let extension =
            |path: &Path| path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let is_packed = extension(path) == "gz";
        let extension = if is_packed { extension(&path.with_extension("")) } else { extension(path) };
        Ok(match extension.as_str() {
            "stl" => Self::Stl,
            "obj" => Self::Obj,
            "ply" => Self::Ply,
            "gltf" | "glb" => Self::Gltf,
            "off" => Self::Off,
            "step" | "stp" => Self::Step,
            "iges" | "igs" => Self::Iges,
            "pcd" => Self::Pcd,
            "xyz" | "asc" | "csv" | "txt" | "pts" => Self::Xyz,
            "ptx" => Self::Ptx,
            "e57" => Self::E57,
            "las" | "laz" => Self::Las,
            "3mf" => Self::ThreeMf,
            _ => {
                return Err(UserError::input(format!(
                    "{}: “.{extension}” is not a format that can be read; use STEP, IGES, STL, OBJ, OFF, PLY, 3MF, glTF, \
                     PCD, E57, PTX, LAS, LAZ or columns of numbers (XYZ, ASC, CSV, PTS).",
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
        } else if starts(b"OFF\n") || starts(b"OFF\r") || starts(b"COFF") {
            Some(Self::Off)
        } else if starts(b"glTF") {
            Some(Self::Gltf)
        } else if starts(b"ISO-10303-21") {
            Some(Self::Step)
        } else if starts(b"ASTM-E57") {
            Some(Self::E57)
        } else if starts(b"LASF") {
            Some(Self::Las)
        } else if starts(b"# .PCD") {
            Some(Self::Pcd)
        } else {
            None
        }
    }

    /// Format of `path`, and a note where its contents contradict its name (the contents win).
    pub fn detect(path: &Path, head: &[u8]) -> Result<(Self, Option<String>)> {
        let (format, note) = Self::shown(path, head)?;
        let is_packed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        if is_packed && matches!(format, Self::Step | Self::Iges | Self::E57 | Self::Gltf | Self::ThreeMf | Self::Las) {
            return Err(UserError::input(format!("{} is packed; unpack it first (gunzip).", path.display())));
        }
        Ok((format, note))
    }

    fn shown(path: &Path, head: &[u8]) -> Result<(Self, Option<String>)> {
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
            Self::Off => "OFF",
            Self::Step => "STEP",
            Self::Iges => "IGES",
            Self::Pcd => "PCD",
            Self::Xyz => "columns of numbers",
            Self::Ptx => "PTX",
            Self::E57 => "E57",
            Self::Las => "LAS",
            Self::ThreeMf => "3MF",
        }
    }
}
