//! File format detection: by extension, checked against the leading bytes of the file.

use std::path::Path;

use base::{Result, UserError};

/// A supported file format.
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
    /// Text with one point per line in columns (XYZ, ASC, CSV, TXT, PTS).
    Xyz,
    /// Leica PTX: organised scans of terrestrial laser scanners.
    Ptx,
    /// ASTM E57.
    E57,
    /// ASPRS LAS, uncompressed or compressed (LAZ).
    Las,
}

impl Format {
    /// File extensions offered for nominals: facets or CAD surfaces.
    pub const NOMINAL_EXTENSIONS: [&str; 11] =
        ["step", "stp", "iges", "igs", "stl", "obj", "ply", "glb", "gltf", "off", "3mf"];
    /// File extensions accepted for scans.
    pub const SCAN_EXTENSIONS: [&str; 17] = [
        "ply", "pcd", "xyz", "asc", "csv", "txt", "pts", "ptx", "e57", "las", "laz", "stl", "obj", "glb", "gltf",
        "off", "3mf",
    ];

    /// Format by the extension of `path`; a trailing `.gz` is ignored. Returns an error if the extension is unknown.
    pub fn from_extension(path: &Path) -> Result<Self> {
        let extension =
            |path: &Path| path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let is_gzip = extension(path) == "gz";
        let extension = if is_gzip { extension(&path.with_extension("")) } else { extension(path) };
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
                    "{}: “.{extension}” is not a supported file format; use STEP, IGES, STL, OBJ, OFF, PLY, 3MF, glTF, \
                     PCD, E57, PTX, LAS, LAZ or text with columns (XYZ, ASC, CSV, PTS).",
                    path.display()
                )));
            }
        })
    }

    /// Format by the leading bytes `head` of a file; `None` if they match no known signature.
    pub fn from_signature(head: &[u8]) -> Option<Self> {
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

    /// Format of `path` by its extension and leading bytes `head`, with a note if the two disagree (the contents win).
    /// Returns an error if the format is unknown, or cannot be read gzip-compressed and `path` ends in `.gz`.
    pub fn detect(path: &Path, head: &[u8]) -> Result<(Self, Option<String>)> {
        let (format, note) = Self::identify(path, head)?;
        let is_gzip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        if is_gzip && matches!(format, Self::Step | Self::Iges | Self::E57 | Self::Gltf | Self::ThreeMf | Self::Las) {
            return Err(UserError::input(format!(
                "{} is gzip-compressed; decompress it first (gunzip).",
                path.display()
            )));
        }
        Ok((format, note))
    }

    fn identify(path: &Path, head: &[u8]) -> Result<(Self, Option<String>)> {
        let named = Self::from_extension(path);
        match (named, Self::from_signature(head)) {
            (Ok(named), Some(found)) if named != found => Ok((
                found,
                Some(format!(
                    "The extension says {}, but the contents are {contents}: read as {contents}.",
                    named.name(),
                    contents = found.name()
                )),
            )),
            (Err(_), Some(found)) => Ok((found, None)),
            (named, _) => Ok((named?, None)),
        }
    }

    /// Display name, for messages.
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
            Self::Xyz => "XYZ text",
            Self::Ptx => "PTX",
            Self::E57 => "E57",
            Self::Las => "LAS",
            Self::ThreeMf => "3MF",
        }
    }
}
