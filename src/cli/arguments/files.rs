//! Arguments of `convert` and `info`.

use std::path::PathBuf;

use clap::Args;

use super::Cleaning;
use base::LengthUnit;
use compute::DeviceChoice;

/// `convert`
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  shadowgraph convert part.step part.stl --chord-mm 0.01\n  shadowgraph convert scan.pcd scan.ply\n  \
    shadowgraph convert scan.ply thin.ply --remove-outliers 3 --thin-mm 0.5 --normals"
)]
pub struct Convert {
    /// File to read.
    pub input: PathBuf,
    /// File to write: STL, PLY, OBJ for meshes; PLY, XYZ, ASC, CSV for clouds. Always mm.
    pub output: PathBuf,
    /// Unit of the input's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Maximum distance between facets and CAD surface, mm.
    #[arg(long, default_value_t = 0.005)]
    pub chord_mm: f64,
    /// Maximum angle between neighbouring facets of a CAD surface, degrees.
    #[arg(long, default_value_t = 5.0)]
    pub angle_deg: f64,
    /// Maximum edge length that facets are refined to, mm.
    #[arg(long)]
    pub max_edge_mm: Option<f64>,
    /// Mesh an organised snapshot instead of writing its points.
    #[arg(long)]
    pub mesh: bool,
    /// Orient facets consistently, facing outward.
    #[arg(long)]
    pub unify_winding: bool,
    /// Cleaning of the points.
    #[command(flatten)]
    pub cleaning: Cleaning,
    /// Compute device.
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: DeviceChoice,
}

/// `info`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  shadowgraph info part.step scan.ply\n  shadowgraph info")]
pub struct Info {
    /// Files to describe.
    pub files: Vec<PathBuf>,
}
