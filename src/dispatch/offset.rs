//! Commands on offset volumes.

use std::path::{Path, PathBuf};

use super::edit::Execution;
use super::features::named_sentences;
use super::{Context, Edit};
use base::{Progress, Result, UserError, full_path};
use geometry::Mesh;
use inspect::offset::{ContactVolumes, OffsetRecipe, OffsetVolume, Parameters, ScanSurfaceRecipe, level_set};
use inspect::parts::Nominal;
use io::voxels::{VoxelFormat, hdt, slices};
use session::Document;
use session::plan::{ElementId, Recipe};

/// Commands on offset volumes.
#[derive(Clone, Debug)]
pub enum Offset {
    /// Adds an offset volume of the nominal.
    Add(Parameters),
    /// Adds an offset volume of the scan, placed by the alignment; of points without facets, of discs about them with
    /// this radius, mm (`None`: from their spacing).
    AddOfScan(Parameters, Option<f64>),
    /// Adds the nominal dilated to the upper and eroded to the lower limit of the tolerance.
    AddToleranceShells(Parameters),
    /// Changes distance and voxels of an offset volume.
    Change(ElementId, Parameters),
    /// Writes the mesh around an offset volume after a pass from 0, the last one if there are fewer.
    SaveMesh(ElementId, usize, PathBuf),
    /// Writes the voxels of an offset volume: a hybrid dynamic tree or a level set.
    SaveVoxels(ElementId, PathBuf),
    /// Writes the layers of an offset volume as pictures into a folder.
    SaveSlices(ElementId, PathBuf),
    /// Writes the mesh of one pass of contact volumes, from 0.
    SavePass(ElementId, usize, PathBuf),
}

impl Offset {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Add(parameters) => Execution::work("Offsetting", move |progress, _| {
                let name = name(&parameters);
                let nominal = before.active.nominal;
                add(nominal, &[(name, parameters)], "Add an offset volume", before, &context, progress)
            }),
            Self::AddOfScan(parameters, splat_radius_mm) => Execution::work("Offsetting", move |progress, _| {
                let (mut document, name) = (before, format!("{} of the scan", name(&parameters)));
                let surface = surface_of_scan(splat_radius_mm, &mut document)?;
                add(Some(surface), &[(name, parameters)], "Add an offset volume", document, &context, progress)
            }),
            Self::AddToleranceShells(parameters) => {
                let tolerance = before.settings.deviation.tolerance;
                let shell =
                    |name: &str, distance_mm| (name.to_owned(), Parameters { distance_mm, ..parameters.clone() });
                let shells = [
                    shell("Upper tolerance shell", tolerance.high_mm),
                    shell("Lower tolerance shell", tolerance.low_mm),
                ];
                Execution::work("Offsetting", move |progress, _| {
                    add(before.active.nominal, &shells, "Add tolerance shells", before, &context, progress)
                })
            }
            Self::Change(id, parameters) => {
                Execution::work("Offsetting", move |progress, _| change(id, parameters, before, &context, progress))
            }
            Self::SaveMesh(id, pass, path) => Execution::work("Saving the mesh", move |_, _| {
                let mesh = before.result::<OffsetVolume>(Some(id)).map(|made| made.after_pass(pass).1);
                save_mesh(mesh, id, &path, &before)
            }),
            Self::SaveVoxels(id, path) => {
                Execution::work("Saving the voxels", move |progress, _| save_voxels(id, &path, &before, progress))
            }
            Self::SaveSlices(id, folder) => Execution::work("Saving the layers", move |progress, _| {
                let made = made_volume(id, &before)?;
                let count = slices::write(&folder, &made.tree, 2, 1, progress)?;
                let name = before.plan.name(id);
                Ok(Edit::nothing(format!("Saved {count} layers of “{name}” in {}.", full_path(&folder))))
            }),
            Self::SavePass(id, pass, path) => Execution::work("Saving the mesh", move |_, _| {
                let made = before.result::<ContactVolumes>(Some(id));
                let mesh = made.and_then(|made| made.passes.get(pass)).map(|pass| &pass.mesh);
                save_mesh(mesh, id, &path, &before)
            }),
        })
    }
}

/// E.g. “Dilation 2 mm”.
fn name(parameters: &Parameters) -> String {
    let distance = parameters.distance_mm;
    format!("{} {} mm", if distance < 0.0 { "Erosion" } else { "Dilation" }, distance.abs())
}

/// The surface of the active scan, which is added if there is none of this radius.
fn surface_of_scan(splat_radius_mm: Option<f64>, document: &mut Document) -> Result<ElementId> {
    let scan = document.active.scan.ok_or_else(|| UserError::usage("Load a scan first."))?;
    let alignment = document.active.alignment.filter(|_| document.alignment().is_some());
    let recipe: Recipe = ScanSurfaceRecipe { scan, alignment, splat_radius_mm }.into();
    let same = document.plan.elements().iter().find(|own| own.recipe == recipe).map(|own| own.id);
    let name = document.free_name(&texts::name("Surface of the scan"), None);
    same.map_or_else(|| document.plan.add(&name, recipe), Ok)
}

fn add(
    of: Option<ElementId>,
    volumes: &[(String, Parameters)],
    label: &str,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let nominal = of.ok_or_else(|| UserError::usage("Load a nominal first."))?;
    let mut ids = Vec::new();
    for (name, parameters) in volumes {
        parameters.check()?;
        let name = document.free_name(&texts::name(name), None);
        ids.push(document.plan.add(&name, OffsetRecipe { nominal, parameters: parameters.clone() }.into())?);
    }
    for (index, id) in ids.iter().enumerate() {
        let share = |index: usize| index as f32 / ids.len() as f32;
        document.make_one(*id, &context.quiet_tools(), &progress.part(share(index), share(index + 1)))?;
    }
    let notes: Vec<String> = ids.iter().flat_map(|id| named_sentences(&document, *id)).collect();
    Ok(Edit::replacing(label, document).with_notes(notes))
}

fn change(
    id: ElementId,
    parameters: Parameters,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    parameters.check()?;
    let element = document.plan.get(id).ok_or_else(|| UserError::usage("There is no such offset volume."))?.clone();
    let Recipe::Offset(before) = &element.recipe else {
        return Err(UserError::usage(format!("“{}” is not an offset volume.", element.name)));
    };
    let recipe = OffsetRecipe { parameters: parameters.clone(), ..OffsetRecipe::clone(before) };
    let names = [name(&before.parameters), name(&parameters)];
    Edit::changing(id, recipe.into(), names, document, context, progress)
}

fn made_volume(id: ElementId, document: &Document) -> Result<&OffsetVolume> {
    let name = document.plan.name(id);
    let made = document.result::<OffsetVolume>(Some(id));
    made.ok_or_else(|| UserError::usage(format!("“{name}” is not computed yet: update it first.")))
}

fn save_voxels(id: ElementId, path: &Path, document: &Document, progress: &Progress) -> Result<Edit> {
    let made = made_volume(id, document)?;
    match VoxelFormat::from_extension(path)? {
        VoxelFormat::Hdt => hdt::write(path, &made.tree)?,
        VoxelFormat::NanoVdb => {
            let recipe = document.plan.get(id).map(|own| &own.recipe);
            let nominal = match recipe {
                Some(Recipe::Offset(own)) => document.result::<Nominal>(Some(own.nominal)),
                _ => None,
            };
            let nominal = nominal.ok_or_else(|| UserError::usage("The part of this volume is not loaded."))?;
            level_set::write(path, made, &nominal.surface, progress)?;
        }
    }
    Ok(Edit::nothing(format!("Saved the voxels of “{}” as {}.", document.plan.name(id), full_path(path))))
}

fn save_mesh(mesh: Option<&Mesh>, id: ElementId, path: &Path, document: &Document) -> Result<Edit> {
    let name = document.plan.name(id);
    let mesh = mesh.ok_or_else(|| UserError::usage(format!("“{name}” is not computed yet: update it first.")))?;
    if mesh.facets.is_empty() {
        return Err(UserError::usage(format!("Nothing is left of “{name}”, so there is no mesh to save.")));
    }
    io::write::mesh(path, mesh)?;
    let rounding = io::write::rounding_note(path, mesh).map(|own| format!(" {own}")).unwrap_or_default();
    Ok(Edit::nothing(format!("Saved {} facets of “{name}” as {}.{rounding}", mesh.facets.len(), full_path(path))))
}
