//! An offset volume: its voxels, the mesh around them, and what is known of both.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::meshing::{MeshError, Offset};
use base::limits::format_bytes;
use base::{Progress, Result, UserError};
use compute::{Backend, Compute, distance_offset};
use geometry::voxels::{CellFormat, Lattice, Layout, Statistics, VoxelTree};
use geometry::{Mesh, Sides, SolidSurface, Surface, winding};

/// Greatest resolution, voxels per axis.
pub const MAX_RESOLUTION: u32 = 1 << 15;
/// Least resolution, voxels per axis.
const MIN_RESOLUTION: u32 = 16;

/// Parameters of an offset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Offset, mm: dilation if positive, erosion if negative, the part itself if zero.
    pub distance_mm: f64,
    /// Voxels along each axis of the cube around the offset part.
    pub resolution: u32,
    /// Layout of the voxel tree.
    pub layout: Layout,
    /// Format of its cells.
    pub cell_format: CellFormat,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { distance_mm: 1.0, resolution: 512, layout: Layout::default(), cell_format: CellFormat::default() }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        self.layout.check()?;
        if !self.distance_mm.is_finite() {
            return Err(UserError::usage("The offset distance must be a number of mm."));
        }
        if !(MIN_RESOLUTION..=MAX_RESOLUTION).contains(&self.resolution) {
            return Err(UserError::usage(format!(
                "The resolution must be from {MIN_RESOLUTION} to {MAX_RESOLUTION} voxels per axis, not {}.",
                self.resolution
            )));
        }
        Ok(())
    }
}

/// An offset volume of a part.
#[derive(Debug)]
pub struct OffsetVolume {
    /// How it was made.
    pub parameters: Parameters,
    /// Voxels, nominal frame.
    pub tree: VoxelTree,
    /// The mesh around them, nominal frame, facing outward; empty if nothing is left.
    pub mesh: Mesh,
    /// Contents and storage of the voxels.
    pub statistics: Statistics,
    /// Deviation of the mesh's vertices.
    pub error: MeshError,
    /// Volume within the mesh, mm³.
    pub volume_mm3: f64,
    /// Area of the mesh, mm².
    pub area_mm2: f64,
    /// What decided on the sides of the part.
    pub sides: Sides,
    /// What the result depends on, one sentence each.
    pub notes: Vec<String>,
    /// Time for the voxels, ms.
    pub voxels_ms: f64,
    /// Time for the mesh, ms.
    pub mesh_ms: f64,
}

/// Offsets a part.
///
/// Returns an error if the part has no facets, a parameter is out of range, the memory does not suffice, or the work is
/// cancelled.
pub fn run(
    backend: &dyn Backend,
    surface: &Surface,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<OffsetVolume> {
    parameters.check()?;
    if surface.mesh().facets.is_empty() {
        return Err(UserError::input("A part without facets has no offset."));
    }
    let (sides, mut notes) = sides(surface, parameters.distance_mm);
    let solid = SolidSurface::new(surface, sides);
    let lattice = Lattice::around(surface.bounds(), parameters.distance_mm.max(0.0), parameters.resolution);
    let Parameters { distance_mm, layout, cell_format, .. } = *parameters;
    let started = Instant::now();
    let request = distance_offset::Request { solid: &solid, distance_mm, lattice, layout, cell_format };
    let tree = backend.compute(&request, &progress.part(0.0, 0.4))?.tree;
    let voxels_ms = started.elapsed().as_secs_f64() * 1e3;
    let started = Instant::now();
    let offset = Offset { solid: &solid, distance_mm, lattice };
    let mesh = offset.mesh(&tree, &progress.part(0.4, 0.9))?;
    let mesh_ms = started.elapsed().as_secs_f64() * 1e3;
    progress.report(0.9, "Measuring the offset mesh")?;
    let (error, statistics) = (offset.error(&mesh), tree.statistics());
    if distance_mm.abs() > 0.0 && distance_mm.abs() < lattice.voxel_mm {
        notes.push(format!(
            "The offset of {distance_mm} mm is less than a voxel ({:.4} mm); choose a higher resolution.",
            lattice.voxel_mm
        ));
    }
    if mesh.facets.is_empty() {
        notes.push(match distance_mm < 0.0 {
            true => format!("Nothing is left of the part when {} mm are taken off all around.", -distance_mm),
            false => "No voxel centre lies inside the part; choose a higher resolution.".to_owned(),
        });
    }
    let (volume_mm3, area_mm2) = (mesh.volume_mm3(), mesh.area_mm2());
    let parameters = parameters.clone();
    Ok(OffsetVolume {
        parameters,
        tree,
        mesh,
        statistics,
        error,
        volume_mm3,
        area_mm2,
        sides,
        notes,
        voxels_ms,
        mesh_ms,
    })
}

/// What decides on the sides of a part, and what the result then depends on.
pub(super) fn sides(surface: &Surface, distance_mm: f64) -> (Sides, Vec<String>) {
    let (reversed, orientation) = winding::examine(surface);
    let (is_closed, overlapping) = (surface.topology().is_closed(), orientation.undecided);
    if is_closed && overlapping == 0 && reversed.is_empty() {
        return (Sides::Normals, Vec::new());
    }
    let mut notes = Vec::new();
    if !is_closed {
        notes.push(
            "The part is not closed: where it has gaps, its inside was decided by how far its facets surround a \
             point, and a part that surrounds nothing is offset as a sheet."
                .to_owned(),
        );
    }
    if !reversed.is_empty() {
        notes.push(format!("{} facets face the wrong way; unify the winding first.", reversed.len()));
    }
    if overlapping > 0 && distance_mm < 0.0 {
        notes.push(format!(
            "{overlapping} shells overlap; the erosion also starts from their faces inside each other, so too much is \
             taken off there."
        ));
    }
    (Sides::WindingNumbers, notes)
}

impl OffsetVolume {
    /// The result in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let (distance, lattice) = (self.parameters.distance_mm, self.tree.lattice());
        let action = if distance < 0.0 { "eroded" } else { "dilated" };
        let mut sentences = vec![format!(
            "The part, {action} by {} mm, has a volume of {:.4} cm³ and an area of {:.4} cm².",
            distance.abs(),
            self.volume_mm3 / 1000.0,
            self.area_mm2 / 100.0
        )];
        sentences.push(format!(
            "{} voxels per axis of {:.4} mm: {} of the skin, {} leaves, {} cells, {}.",
            lattice.voxels,
            lattice.voxel_mm,
            self.statistics.active_voxels,
            self.statistics.leaves,
            self.statistics.cells,
            format_bytes(self.statistics.bytes)
        ));
        if !self.mesh.facets.is_empty() {
            sentences.push(format!(
                "The vertices of its mesh deviate from the distance by {:.4} mm RMS, {:.4} mm at most.",
                self.error.rms_mm, self.error.max_mm
            ));
        }
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        self.tree.bytes() + self.mesh.bytes()
    }
}

#[cfg(test)]
mod tests;
