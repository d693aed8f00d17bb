//! Contact volumes of ball-end milling: where the centre of the tool may move. The part, dilated by the radius of the
//! tool, united with the stock as it is after each pass, dilated or eroded likewise; on its surface the tool touches the
//! part or takes off the depth of cut, and gouges neither.

mod clearing;
mod meshing;

use serde::{Deserialize, Serialize};

use super::meshing::Offset;
use super::sides::Prepared;
use base::{Progress, Result, UserError};
use compute::{Backend, Compute, distance_offset};
use geometry::mesh::shapes;
use geometry::voxels::{Boolean, CellFormat, Lattice, Layout, VoxelTree, combine};
use geometry::{Aabb, Mesh, Sides, SolidSurface, Surface, Vector};
use meshing::Union;

/// Parameters of contact volumes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Radius of the ball of the tool, mm.
    pub tool_radius_mm: f64,
    /// Material that a pass takes off the stock, mm.
    pub depth_mm: f64,
    /// How far the stock, a cuboid, stands over the part on each side, mm.
    pub margin_mm: f64,
    /// Voxels along each axis of the cube around the stock and the tool.
    pub resolution: u32,
}

/// Most passes.
pub const MAX_PASSES: usize = 64;

impl Default for Parameters {
    fn default() -> Self {
        Self { tool_radius_mm: 3.0, depth_mm: 4.0, margin_mm: 2.0, resolution: 256 }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        let lengths = [self.tool_radius_mm, self.depth_mm];
        if !lengths.iter().all(|length| length.is_finite() && *length > 0.0) {
            return Err(UserError::usage("Tool radius and depth of cut must be positive numbers of mm."));
        }
        if !(self.margin_mm.is_finite() && self.margin_mm >= 0.0) {
            return Err(UserError::usage("The margin of the stock must be a number of mm, at least 0."));
        }
        super::Parameters { resolution: self.resolution, ..super::Parameters::default() }.check()
    }
}

/// The contact volume of one pass.
#[derive(Debug)]
pub struct Pass {
    /// Material that is taken off the stock after this pass, mm.
    pub depth_mm: f64,
    /// Voxels, nominal frame.
    pub tree: VoxelTree,
    /// The surface on which the centre of the tool moves, nominal frame, facing outward.
    pub mesh: Mesh,
    /// Least distance of a point of its facets from the part, less the radius of the tool, mm: negative where it gouges.
    pub clearance_mm: f64,
    /// Volume within the mesh, mm³.
    pub volume_mm3: f64,
}

/// The contact volumes of all passes.
#[derive(Debug)]
pub struct ContactVolumes {
    /// How they were made.
    pub parameters: Parameters,
    /// The stock before the first pass, nominal frame.
    pub stock: Aabb,
    /// The passes; with the last one, no stock is left beside the part.
    pub passes: Vec<Pass>,
    /// What the result depends on, one sentence each.
    pub notes: Vec<String>,
}

/// Computes the contact volumes of a part.
///
/// Returns an error if the part has no facets, a parameter is out of range, there would be too many passes, or the work
/// is cancelled.
pub fn run(
    backend: &dyn Backend,
    surface: &Surface,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<ContactVolumes> {
    parameters.check()?;
    if surface.mesh().facets.is_empty() {
        return Err(UserError::input("A part without facets has no contact volume."));
    }
    let Parameters { tool_radius_mm, depth_mm, margin_mm, resolution } = *parameters;
    let margin = Vector::repeat(margin_mm);
    let bounds = surface.bounds();
    let stock = Aabb { min: bounds.min - margin, max: bounds.max + margin };
    // With the last pass, half of the least extent is gone.
    let count = ((0.5 * stock.size().min() + tool_radius_mm) / depth_mm).ceil().max(1.0);
    if count > MAX_PASSES as f64 {
        return Err(UserError::input(format!(
            "There would be {count} passes; choose a depth of cut of at least {:.2} mm.",
            (0.5 * stock.size().min() + tool_radius_mm) / MAX_PASSES as f64
        )));
    }
    let lattice = Lattice::around(&stock, tool_radius_mm, resolution);
    let cuboid = Surface::new(shapes::cuboid(stock.min, stock.max));
    let prepared = Prepared::of(surface.into(), tool_radius_mm, 0.5 * lattice.voxel_mm);
    let [part, block] = [prepared.solid(surface), SolidSurface::new(&cuboid, Sides::Normals)];
    let offset = |solid, distance_mm, progress: &Progress| {
        let (layout, cell_format) = (Layout::default(), CellFormat::Compact);
        let request = distance_offset::Request { solid, distance_mm, lattice, layout, cell_format };
        backend.compute(&request, progress).map(|answer| answer.tree)
    };
    let dilated = offset(&part, tool_radius_mm, &progress.part(0.0, 0.1))?;
    let mut passes = Vec::new();
    for number in 1..=count as usize {
        let share = |step: usize| 0.1 + 0.9 * step as f32 / count as f32;
        let part_of = progress.part(share(number - 1), share(number));
        let taken_mm = number as f64 * depth_mm;
        let left_mm = tool_radius_mm - taken_mm;
        let shrunk = offset(&block, left_mm, &part_of.part(0.0, 0.2))?;
        let tree = combine(&dilated, &shrunk, Boolean::Union, &part_of.part(0.2, 0.4))?;
        let part = Offset { solid: &part, distance_mm: tool_radius_mm, lattice };
        let union = Union { part: &part, stock: &stock, distance_mm: left_mm };
        let mut mesh = union.mesh(&tree, &part_of.part(0.4, 0.9))?;
        // Rounding is no gouge.
        let clearance_mm = clearing::clear(surface, &mut mesh, tool_radius_mm) - tool_radius_mm;
        let clearance_mm = if clearance_mm.abs() < 1e-6 { 0.0 } else { clearance_mm };
        let volume_mm3 = mesh.volume_mm3();
        passes.push(Pass { depth_mm: taken_mm, tree, mesh, clearance_mm, volume_mm3 });
    }
    Ok(ContactVolumes { parameters: *parameters, stock, passes, notes: prepared.notes })
}

impl ContactVolumes {
    /// The least clearance of all passes, mm.
    pub fn clearance_mm(&self) -> f64 {
        self.passes.iter().map(|pass| pass.clearance_mm).fold(f64::INFINITY, f64::min)
    }

    /// The result in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let Parameters { tool_radius_mm, depth_mm, .. } = self.parameters;
        let size = self.stock.size();
        let mut sentences = vec![format!(
            "{} passes of {depth_mm} mm with a ball of {tool_radius_mm} mm radius, out of a stock of {:.2} x {:.2} x \
             {:.2} mm.",
            self.passes.len(),
            size.x,
            size.y,
            size.z
        )];
        let voxel_mm = self.passes.first().map_or(0.0, |pass| pass.tree.lattice().voxel_mm);
        sentences.push(match self.clearance_mm() {
            mm if mm < 0.0 => format!(
                "The tool gouges the part by up to {:.4} mm at a voxel of {voxel_mm:.4} mm; choose a higher resolution.",
                -mm
            ),
            _ => format!("Nowhere on these surfaces does the tool gouge the part; a voxel is {voxel_mm:.4} mm."),
        });
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        self.passes.iter().map(|pass| pass.tree.bytes() + pass.mesh.bytes()).sum()
    }
}

#[cfg(test)]
mod tests;
