//! An offset volume: its voxels, the mesh around them, and what is known of both.

use serde::{Deserialize, Serialize};

use super::completeness::{Completeness, OffsetSurface};
use super::estimate;
use super::meshing::{MeshError, Offset};
use super::method::{self, Computed, MAX_PASSES, Method};
use super::sides::Prepared;
use crate::parts::Nominal;
use base::limits::format_bytes;
use base::words::counted;
use base::{Progress, Result, UserError};
use compute::{Backend, voxel_error};
use geometry::voxels::{CellFormat, Lattice, Layout, Statistics, VoxelTree};
use geometry::{Aabb, Mesh, Sides, Surface};

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
    /// How it is computed.
    #[serde(default)]
    pub method: Method,
    /// Passes in which templates go the distance.
    #[serde(default = "one")]
    pub passes: u32,
    /// Layout of the voxel tree.
    pub layout: Layout,
    /// Format of its cells.
    pub cell_format: CellFormat,
}

fn one() -> u32 {
    1
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            distance_mm: 1.0,
            resolution: 512,
            method: Method::default(),
            passes: one(),
            layout: Layout::default(),
            cell_format: CellFormat::default(),
        }
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
        if !(1..=MAX_PASSES).contains(&self.passes) {
            return Err(UserError::usage(format!("Passes must be from 1 to {MAX_PASSES}, not {}.", self.passes)));
        }
        if self.passes > 1 && self.method.template().is_none() {
            return Err(UserError::usage(
                "An offset by exact distance is made in one pass; choose a template for more.",
            ));
        }
        Ok(())
    }

    /// The voxels for a part of these bounds.
    pub fn lattice(&self, bounds: &Aabb) -> Lattice {
        Lattice::around(bounds, self.distance_mm.max(0.0), self.resolution)
    }
}

/// What is offset.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// Its surface.
    pub surface: &'a Surface,
    /// Whether it encloses nothing.
    pub is_sheet: bool,
}

impl<'a> From<&'a Surface> for Part<'a> {
    fn from(surface: &'a Surface) -> Self {
        Self { surface, is_sheet: false }
    }
}

impl<'a> From<&'a Nominal> for Part<'a> {
    fn from(nominal: &'a Nominal) -> Self {
        Self { surface: &nominal.surface, is_sheet: nominal.is_sheet }
    }
}

impl Part<'_> {
    /// Returns an error if nothing is left of it by an offset by `distance_mm`.
    fn check(&self, distance_mm: f64) -> Result<()> {
        if self.is_sheet && distance_mm <= 0.0 {
            return Err(UserError::usage(
                "The surface of a scan encloses nothing: it can be dilated, but nothing is left of it otherwise.",
            ));
        }
        Ok(())
    }
}

/// A pass of a template before the last one.
#[derive(Debug)]
pub struct EarlierPass {
    /// Distance reached, mm.
    pub distance_mm: f64,
    /// Voxels, nominal frame.
    pub tree: VoxelTree,
    /// The mesh around them, nominal frame, facing outward.
    pub mesh: Mesh,
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
    /// The passes that led to it, the last one left out.
    pub earlier: Vec<EarlierPass>,
    /// Contents and storage of the voxels.
    pub statistics: Statistics,
    /// Deviation of the skin from the distance, voxels; for templates.
    pub voxel_error: Option<voxel_error::Answer>,
    /// Deviation of the mesh's vertices.
    pub error: MeshError,
    /// The other way round: how far the offset surface is from the mesh, and what of it is lost.
    pub completeness: Completeness,
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
pub fn run<'a>(
    backend: &dyn Backend,
    part: impl Into<Part<'a>>,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<OffsetVolume> {
    parameters.check()?;
    let part @ Part { surface, .. } = part.into();
    if surface.mesh().facets.is_empty() {
        return Err(UserError::input("A part without facets has no offset."));
    }
    part.check(parameters.distance_mm)?;
    let prepared = prepared(part, parameters);
    let made = run_with(backend, surface, parameters, &prepared, progress)?;
    let is_doubtful = made.error.max_mm > CONTRADICTED * made.tree.lattice().voxel_mm;
    if prepared.sides != Sides::Normals || parameters.method != Method::Exact || !is_doubtful {
        return Ok(made);
    }
    let notes = vec![
        "The facets of the part contradict each other about its inside, such as where it is folded or doubled; it was \
         decided by how often they surround a point."
            .to_owned(),
    ];
    drop(made);
    run_with(backend, surface, parameters, &Prepared::decided_by(Sides::WindingNumbers, notes), progress)
}

/// A part prepared for an offset, to half a voxel.
pub(super) fn prepared(part: Part<'_>, parameters: &Parameters) -> Prepared {
    let voxel_mm = parameters.lattice(part.surface.bounds()).voxel_mm;
    Prepared::of(part, parameters.distance_mm, 0.5 * voxel_mm)
}

/// Voxels per axis that the walls and gaps of an offset need that its voxels do not tell; `None` if they tell all. Known before
/// the offset is computed.
///
/// Returns an error as [`run`] does.
pub fn needed_resolution<'a>(
    backend: &dyn Backend,
    part: impl Into<Part<'a>>,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Option<u32>> {
    parameters.check()?;
    let part @ Part { surface, .. } = part.into();
    let prepared = prepared(part, parameters);
    let (solid, lattice) = (prepared.solid(surface), parameters.lattice(surface.bounds()));
    OffsetSurface { solid: &solid, distance_mm: parameters.distance_mm, lattice }.needed_resolution(backend, progress)
}

/// Deviation of an exact offset from its distance, voxels, that only a wrong side explains.
const CONTRADICTED: f64 = 2.0;

fn run_with(
    backend: &dyn Backend,
    surface: &Surface,
    parameters: &Parameters,
    prepared: &Prepared,
    progress: &Progress,
) -> Result<OffsetVolume> {
    let (solid, mut notes) = (prepared.solid(surface), prepared.notes.clone());
    let lattice = parameters.lattice(surface.bounds());
    estimate::check(&solid, parameters, lattice)?;
    let Computed { tree, mesh, earlier, voxel_error, voxels_ms, mesh_ms } =
        method::compute(backend, &solid, lattice, parameters, &progress.part(0.0, 0.85))?;
    progress.report(0.85, "Measuring the offset mesh")?;
    let distance_mm = parameters.distance_mm;
    let (error, statistics) = (Offset { solid: &solid, distance_mm, lattice }.error(&mesh), tree.statistics());
    let (offset_surface, is_exact) =
        (OffsetSurface { solid: &solid, distance_mm, lattice }, parameters.method == Method::Exact);
    let (completeness, mesh) = offset_surface.completeness(backend, mesh, is_exact, &progress.part(0.9, 1.0))?;
    if distance_mm.abs() > 0.0 && distance_mm.abs() < lattice.voxel_mm {
        notes.push(format!(
            "The offset of {distance_mm} mm is less than a voxel ({:.4} mm); choose a higher resolution.",
            lattice.voxel_mm
        ));
    }
    notes.extend(completeness.sentences(distance_mm, !mesh.facets.is_empty()));
    notes.extend(uncertain_volume(&mesh, &error));
    if mesh.facets.is_empty() && distance_mm >= 0.0 {
        notes.push("No voxel centre lies inside the part; choose a higher resolution.".to_owned());
    }
    if parameters.method == Method::Exact && error.max_mm > CONTRADICTED * lattice.voxel_mm {
        notes.push(format!(
            "At its worst the mesh is {:.3} mm off the distance: the part does not tell its inside from its outside there.",
            error.max_mm
        ));
    }
    if matches!(parameters.method, Method::Shell | Method::Ring) && error.max_mm > 2.0 * lattice.voxel_mm {
        notes.push(
            "Shells and rings of voxels leave cavities around what is smaller than the distance; the exact distance does \
             not."
                .to_owned(),
        );
    }
    Ok(OffsetVolume {
        parameters: parameters.clone(),
        volume_mm3: mesh.volume_mm3(),
        area_mm2: mesh.area_mm2(),
        tree,
        mesh,
        earlier,
        statistics,
        voxel_error,
        error,
        completeness,
        sides: prepared.sides,
        notes,
        voxels_ms,
        mesh_ms,
    })
}

/// Share of the volume that the error of its mesh may be without a word.
const MAX_VOLUME_ERROR: f64 = 0.01;

/// What the error of a mesh does to its volume, in a sentence; `None` where that is little.
fn uncertain_volume(mesh: &Mesh, error: &MeshError) -> Option<String> {
    let share = error.volume_mm3 / mesh.volume_mm3().abs().max(f64::MIN_POSITIVE);
    let way = if share > 0.0 { "large" } else { "small" };
    (share.abs() > MAX_VOLUME_ERROR && share.is_finite()).then(|| {
        format!(
            "The mesh lies {:.4} mm RMS from the offset surface, and its volume is about {:.1} % too {way}; choose a \
             higher resolution.",
            error.rms_mm,
            100.0 * share.abs()
        )
    })
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
            if self.completeness.max_mm.is_finite() {
                sentences.push(format!(
                    "The other way round, the offset surface is {:.4} mm RMS and {:.4} mm at most from the mesh.",
                    self.completeness.rms_mm, self.completeness.max_mm
                ));
            }
        }
        if let Some(error) = &self.voxel_error {
            let passes = counted(self.parameters.passes as usize, "pass", "passes");
            sentences.push(format!(
                "Its skin, made by the method “{}” in {passes}, deviates from the distance by {:.3} voxels on average, {:.3} \
                 at most.",
                self.parameters.method.name(),
                error.mean_absolute,
                error.max.abs().max(error.min.abs())
            ));
        }
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    /// Distance reached after a pass from 0, and the mesh around the volume then; the last pass if there are fewer.
    pub fn after_pass(&self, pass: usize) -> (f64, &Mesh) {
        match self.earlier.get(pass) {
            Some(earlier) => (earlier.distance_mm, &earlier.mesh),
            None => (self.parameters.distance_mm, &self.mesh),
        }
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        let earlier: u64 = self.earlier.iter().map(|pass| pass.tree.bytes() + pass.mesh.bytes()).sum();
        self.tree.bytes() + self.mesh.bytes() + earlier
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod thin_tests;
