//! Loads a nominal or a scan from any readable file, in mm, with what was found wrong with it.

use std::path::Path;

use super::cad::{self, CadReader, CadStructure};
use super::format::Format;
use super::source::Source;
use super::{e57, gltf, las, obj, off, pcd, ply, ptx, stl, three_mf, xyz};
use base::{LengthUnit, Progress, Result, UserError};
use geometry::health::{CloudFindings, MeshFindings};
use geometry::{Cloud, Mesh, weld};

/// How files are to be read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The unit of the file's numbers; `None` takes what the file says, else mm.
    pub unit: Option<LengthUnit>,
    /// Columns of x, y, z in files of numbers.
    pub columns: Option<xyz::Columns>,
    /// The program that reads CAD files, and how finely it meshes them.
    pub cad: CadReader,
}

/// A loaded nominal, mm.
#[derive(Clone, Debug)]
pub struct LoadedMesh {
    /// The mesh.
    pub mesh: Mesh,
    /// What the reader skipped or merged.
    pub findings: MeshFindings,
    /// Things the user should know, as sentences.
    pub notes: Vec<String>,
    /// The unit that was applied.
    pub unit: LengthUnit,
    /// What a CAD file says of its unit and parts.
    pub structure: Option<CadStructure>,
}

/// A loaded scan, mm.
#[derive(Clone, Debug)]
pub struct LoadedScan {
    /// The points.
    pub cloud: Cloud,
    /// Its facets, where the file has them.
    pub mesh: Option<Mesh>,
    /// What the reader skipped.
    pub findings: CloudFindings,
    /// Things the user should know, as sentences.
    pub notes: Vec<String>,
    /// The unit that was applied.
    pub unit: LengthUnit,
}

/// Reads a nominal: a mesh or a CAD file.
pub fn load_nominal(path: &Path, options: &LoadOptions, progress: &Progress) -> Result<LoadedMesh> {
    let mut source = Source::open(path, progress)?;
    let (format, note) = Format::detect(path, &source.head(256)?)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut structure = None;
    let (mut mesh, mut findings) = match format {
        Format::Step | Format::Iges => {
            let read = cad::read(path, format == Format::Iges, &options.cad, progress)?;
            notes.extend(read.notes);
            structure = Some(read.structure);
            weld::clean(read.mesh)
        }
        Format::Stl => {
            let triangles = stl::read(source)?;
            progress.report(0.9, "Joining vertices")?;
            weld::weld(&triangles)
        }
        Format::Obj => weld::clean(obj::read(source)?),
        Format::Off => weld::clean(off::read(source)?),
        Format::Gltf => weld::clean(gltf::read(source, progress)?),
        Format::Ply => weld::clean(ply::mesh_of(ply::read(source)?)),
        Format::ThreeMf => {
            let (read, said) = three_mf::read(source, progress)?;
            notes.extend(said);
            weld::clean(read)
        }
        Format::Pcd | Format::Xyz | Format::E57 | Format::Ptx | Format::Las => {
            return Err(UserError::input(format!(
                "{} holds points without a surface ({}); a nominal needs facets or CAD surfaces (STEP, IGES, STL, OBJ, OFF, \
                 PLY, 3MF, glTF).",
                path.display(),
                format.name()
            )));
        }
    };
    findings.merged_vertices *= usize::from(matches!(format, Format::Obj | Format::Off | Format::Ply));
    if mesh.facets.is_empty() {
        return Err(UserError::input(format!(
            "{} has no facet with an area; load a file with a surface as nominal.",
            path.display()
        )));
    }
    if !mesh.vertices.iter().all(is_usable) {
        return Err(UserError::input(format!(
            "{} has coordinates too large to work with; check its unit and export it again.",
            path.display()
        )));
    }
    let unit = unit_of(format, options, &mut notes);
    mesh.scale(unit.in_mm());
    Ok(LoadedMesh { mesh, findings, notes, unit, structure })
}

/// Reads a scan: points, or a mesh whose vertices are the points.
pub fn load_scan(path: &Path, options: &LoadOptions, progress: &Progress) -> Result<LoadedScan> {
    let mut source = Source::open(path, progress)?;
    let (format, note) = Format::detect(path, &source.head(256)?)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let (mut cloud, mut mesh, mut findings) = match format {
        Format::Pcd => points(pcd::read(source)?),
        Format::Xyz => points(xyz::read(source, options.columns)?),
        Format::E57 => points(e57::read(source)?),
        Format::Ptx => points(ptx::read(source)?),
        Format::Las => points(las::read(source)?),
        Format::Ply => {
            let contents = ply::read(source)?;
            if contents.facets.is_empty() {
                let (cloud, findings) = drop_not_finite(contents.cloud);
                (cloud, None, findings)
            } else {
                // Its points keep their normals and intensities, which joined vertices have not.
                let cloud = contents.cloud.clone();
                facets_over(cloud, weld::clean(ply::mesh_of(contents)))
            }
        }
        Format::Stl => facets(weld::weld(&stl::read(source)?)),
        Format::Obj | Format::Off => {
            let mesh = if format == Format::Obj { obj::read(source)? } else { off::read(source)? };
            if mesh.facets.is_empty() {
                let (cloud, findings) = drop_not_finite(Cloud::from_points(mesh.vertices));
                (cloud, None, findings)
            } else {
                facets(weld::clean(mesh))
            }
        }
        Format::Gltf => facets(weld::clean(gltf::read(source, progress)?)),
        Format::ThreeMf => {
            let (mesh, said) = three_mf::read(source, progress)?;
            notes.extend(said);
            facets(weld::clean(mesh))
        }
        Format::Step | Format::Iges => {
            return Err(UserError::input(format!("{} is a CAD file, not a scan; load it as nominal.", path.display())));
        }
    };
    if cloud.points.is_empty() {
        return Err(UserError::input(format!("{} holds no point with finite coordinates.", path.display())));
    }
    if cloud.points.len() >= u32::MAX as usize {
        return Err(UserError::input(format!(
            "{} holds {} points; up to 4 billion can be inspected at once. Split or thin the scan.",
            path.display(),
            cloud.points.len()
        )));
    }
    findings.duplicate_points = count_duplicates(&cloud);
    let unit = unit_of(format, options, &mut notes);
    cloud.scale(unit.in_mm());
    if let Some(mesh) = &mut mesh {
        mesh.scale(unit.in_mm());
    }
    Ok(LoadedScan { cloud, mesh, findings, notes, unit })
}

type ScanParts = (Cloud, Option<Mesh>, CloudFindings);

fn points((cloud, findings): (Cloud, CloudFindings)) -> ScanParts {
    // The readers dropped what they saw; a normal that is no number is worth no more than none.
    let mut cloud = cloud;
    if cloud.normals.iter().flatten().any(|value| !value.is_finite()) {
        cloud.normals = Vec::new();
    }
    (cloud, None, findings)
}

/// A mesh whose vertices are the points.
fn facets((mesh, found): (Mesh, MeshFindings)) -> ScanParts {
    facets_over(Cloud::from_points(mesh.vertices.clone()), (mesh, found))
}

fn facets_over(cloud: Cloud, (mesh, found): (Mesh, MeshFindings)) -> ScanParts {
    let (cloud, mut findings) = drop_not_finite(cloud);
    findings.not_finite_points = findings.not_finite_points.max(found.not_finite_facets);
    let mesh = (!mesh.facets.is_empty()).then_some(mesh);
    (cloud, mesh, findings)
}

fn drop_not_finite(cloud: Cloud) -> (Cloud, CloudFindings) {
    let finite = is_usable;
    let dropped = cloud.points.iter().filter(|point| !finite(point)).count();
    if dropped == 0 {
        return (cloud, CloudFindings::default());
    }
    let keep: Vec<u32> =
        cloud.points.iter().enumerate().filter(|(_, point)| finite(point)).map(|(i, _)| i as u32).collect();
    (cloud.select(&keep), CloudFindings { not_finite_points: dropped, ..CloudFindings::default() })
}

/// Whether a place can be computed with: a number, and not absurdly far away.
pub(super) fn is_usable(point: &geometry::Point) -> bool {
    point.coords.iter().all(|c| c.abs() < 1e12)
}

fn count_duplicates(cloud: &Cloud) -> usize {
    use rayon::prelude::*;
    let mut keys: Vec<[u64; 3]> =
        cloud.points.par_iter().map(|p| [p.x, p.y, p.z].map(|value| (value + 0.0).to_bits())).collect();
    keys.par_sort_unstable();
    keys.windows(2).filter(|pair| pair.first() == pair.last()).count()
}

/// The unit asked for, else the one that the format defines, else mm, said so.
fn unit_of(format: Format, options: &LoadOptions, notes: &mut Vec<String>) -> LengthUnit {
    match (options.unit, format) {
        // Their readers convert to mm by the unit that the file names.
        (given, Format::Step | Format::Iges | Format::ThreeMf) => {
            if given.is_some() {
                notes.push(format!("{} carries its unit: the one given was not used.", format.name()));
            }
            LengthUnit::Mm
        }
        (Some(unit), _) => unit,
        (None, Format::Gltf | Format::E57 | Format::Ptx) => {
            notes.push(format!("{} is in metres by definition; converted to mm.", format.name()));
            LengthUnit::M
        }
        (None, Format::Las) => {
            notes.push("LAS names no unit; read as metres, in which scanners write it, and converted to mm.".into());
            LengthUnit::M
        }
        (None, _) => {
            notes.push(format!("{} carries no unit: read as mm.", format.name()));
            LengthUnit::Mm
        }
    }
}
