//! Piles of the detection's bench as files, for other programs: the scan, and the true poses.

use std::path::Path;

use serde_json::{Value, json};

use super::poses::Part;
use base::Result;
use geometry::transform;
use inspect::simulation::pile::{Pile, PlacedPart};
use io::atomic::write_bytes;
use io::write;

/// Writes a pile to `FOLDER/pile-N`: `scene.ply` and `truth.json`, which lists parts by name with poses as rows of 4x4
/// matrices that map the part into the scene, mm, and with the share of each that is visible.
pub fn write(folder: &Path, number: u64, parts: &[Part], pile: &Pile) -> Result<()> {
    let folder = folder.join(format!("pile-{number}"));
    base::folder::make(&folder)?;
    write::cloud(&folder.join("scene.ply"), &pile.cloud)?;
    write_bytes(&folder.join("truth.json"), truth(parts, pile).to_string().as_bytes())
}

/// What lies in a pile of some parts.
pub fn truth(parts: &[impl std::borrow::Borrow<Part>], pile: &Pile) -> Value {
    let of_part = |own: &PlacedPart| {
        Some(json!({
            "part": parts.get(own.part)?.borrow().name,
            "scene_from_part": transform::rows_of(&own.scene_from_part),
            "visible_fraction": own.visible_fraction,
        }))
    };
    pile.parts.iter().filter_map(of_part).collect()
}
