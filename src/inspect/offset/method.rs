//! How an offset is computed: by exact distance, or by templates of voxels as published.

use serde::{Deserialize, Serialize};

use super::Parameters;
use super::meshing::Offset;
use super::voxel_mesh;
use crate::offset::volume::EarlierPass;
use base::{Progress, Result, UserError};
use compute::morphological_offset::{self, Template};
use compute::{Backend, Compute, distance_offset, voxel_error, voxelisation};
use geometry::voxels::{Lattice, VoxelTree};
use geometry::{Mesh, SolidSurface};

/// How an offset is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By the exact distance to the facets.
    #[default]
    Exact,
    /// By the voxels of a ball, moved over the voxelised part.
    Ball,
    /// By the skin of that ball; what is smaller than the distance leaves cavities.
    Shell,
    /// By rings of voxels on that skin, 2.9 voxels apart, as in the published measurements.
    Ring,
}

/// Greatest number of passes.
pub const MAX_PASSES: u32 = 32;

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Ball, Self::Shell, Self::Ring];

    /// Its template; `None` if it has none.
    pub fn template(self) -> Option<Template> {
        match self {
            Self::Exact => None,
            Self::Ball => Some(Template::Ball),
            Self::Shell => Some(Template::Shell),
            Self::Ring => Some(Template::Ring),
        }
    }

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "Exact distance",
            Self::Ball => "Ball of voxels",
            Self::Shell => "Shell of voxels",
            Self::Ring => "Rings of voxels",
        }
    }
}

/// What a method has made.
pub(super) struct Computed {
    pub tree: VoxelTree,
    pub mesh: Mesh,
    /// Passes before the last.
    pub earlier: Vec<EarlierPass>,
    /// Deviation of the skin from the distance, for templates.
    pub voxel_error: Option<voxel_error::Answer>,
    pub voxels_ms: f64,
    pub mesh_ms: f64,
}

/// Offsets `solid` by the method of `parameters`.
pub(super) fn compute(
    backend: &dyn Backend,
    solid: &SolidSurface<'_>,
    lattice: Lattice,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Computed> {
    let (made, voxels_ms) = match parameters.method.template() {
        None => timed(|| by_distance(backend, solid, lattice, parameters, &progress.part(0.0, 0.45)))?,
        Some(template) => {
            timed(|| by_template(backend, solid, lattice, parameters, template, &progress.part(0.0, 0.6)))?
        }
    };
    let Voxels { tree, mut earlier, error } = made;
    let part = progress.part(0.6, 1.0);
    let (mesh, mesh_ms) = timed(|| match parameters.method {
        Method::Exact => {
            Offset { solid, distance_mm: parameters.distance_mm, lattice }.mesh(&tree, &progress.part(0.45, 1.0))
        }
        _ => voxel_mesh::mesh(&tree, &part),
    })?;
    for pass in &mut earlier {
        pass.mesh = voxel_mesh::mesh(&pass.tree, &part)?;
    }
    Ok(Computed { tree, mesh, earlier, voxel_error: error, voxels_ms, mesh_ms })
}

struct Voxels {
    tree: VoxelTree,
    earlier: Vec<EarlierPass>,
    error: Option<voxel_error::Answer>,
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let started = std::time::Instant::now();
    Ok((work()?, started.elapsed().as_secs_f64() * 1e3))
}

fn by_distance(
    backend: &dyn Backend,
    solid: &SolidSurface<'_>,
    lattice: Lattice,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Voxels> {
    let Parameters { distance_mm, layout, cell_format, .. } = *parameters;
    let request = distance_offset::Request { solid, distance_mm, lattice, layout, cell_format };
    Ok(Voxels { tree: backend.compute(&request, progress)?.tree, earlier: Vec::new(), error: None })
}

/// Voxelises the part and moves the template over it, pass by pass.
fn by_template(
    backend: &dyn Backend,
    solid: &SolidSurface<'_>,
    lattice: Lattice,
    parameters: &Parameters,
    template: Template,
    progress: &Progress,
) -> Result<Voxels> {
    let Parameters { distance_mm, layout, cell_format, passes, .. } = *parameters;
    let step = distance_mm / lattice.voxel_mm / f64::from(passes);
    if step != 0.0 && step.abs() < 1.0 {
        return Err(UserError::input(format!(
            "Each of {passes} passes would be {:.2} voxels; a template needs at least one voxel: choose fewer passes or a \
             higher resolution.",
            step.abs()
        )));
    }
    let request = voxelisation::Request { solid, lattice, layout, cell_format };
    let source = backend.compute(&request, &progress.part(0.0, 0.1))?.tree;
    let mut trees = vec![source];
    for pass in 0..passes {
        let share = |pass: u32| 0.1 + 0.75 * pass as f32 / passes as f32;
        let last = trees.last().unwrap_or(&trees[0]);
        // Distances decide alone on what a ball reaches, and on what is left for other templates to decide; but these
        // leave cavities, which are part of the method.
        let culls = template == Template::Ball;
        let request =
            morphological_offset::Request { tree: last, distance: step, template, earlier_passes: pass, culls };
        let made = backend.compute(&request, &progress.part(share(pass), share(pass + 1)))?.tree;
        trees.push(made);
    }
    let source = trees.remove(0);
    let Some(tree) = trees.pop() else { return Err(UserError::internal("An offset without passes was requested.")) };
    let request = voxel_error::Request { offset: &tree, source: &source, distance: distance_mm / lattice.voxel_mm };
    let error = backend.compute(&request, &progress.part(0.85, 1.0))?;
    let earlier = (1..).zip(trees).map(|(number, tree)| EarlierPass {
        distance_mm: f64::from(number) * step * lattice.voxel_mm,
        tree,
        mesh: Mesh::default(),
    });
    Ok(Voxels { earlier: earlier.collect(), tree, error: Some(error) })
}
