//! Loads a nominal or a scan from any supported file, in mm, with findings on its quality.

use std::path::Path;

use super::account::{self, Account};
use super::cad::pmi::Pmi;
use super::cad::{self, CadReader, CadStructure};
use super::format::Format;
use super::source::Source;
use super::{e57, gltf, las, obj, off, pcd, ply, ptx, stl, three_mf, xyz};
use base::{LengthUnit, Progress, Result, UserError};
use geometry::health::{CloudFindings, MeshFindings};
use geometry::{Cloud, Mesh, weld};

/// Options for loading files.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Length unit of the coordinates; `None` uses the unit that the file or its format defines, else mm.
    pub unit: Option<LengthUnit>,
    /// Columns of text files; `None` detects them.
    pub columns: Option<xyz::Columns>,
    /// CAD reader program and its meshing tolerances.
    pub cad: CadReader,
}

/// A loaded nominal, mm.
#[derive(Clone, Debug)]
pub struct LoadedMesh {
    /// Cleaned mesh with welded vertices, mm.
    pub mesh: Mesh,
    /// Defects that were found, dropped or merged.
    pub findings: MeshFindings,
    /// What the file declares and holds, and what of it was read.
    pub account: Account,
    /// Notes for the operator, as sentences.
    pub notes: Vec<String>,
    /// Length unit from which the coordinates were converted.
    pub unit: LengthUnit,
    /// Unit and parts of a CAD file; `None` for meshes.
    pub structure: Option<CadStructure>,
}

/// A loaded scan, mm.
#[derive(Clone, Debug)]
pub struct LoadedScan {
    /// Points with usable coordinates, mm.
    pub cloud: Cloud,
    /// Facets, mm; `None` if the file has none.
    pub mesh: Option<Mesh>,
    /// Defects that were found or dropped.
    pub findings: CloudFindings,
    /// What the file declares and holds, and what of it was read.
    pub account: Account,
    /// Notes for the operator, as sentences.
    pub notes: Vec<String>,
    /// Length unit from which the coordinates were converted.
    pub unit: LengthUnit,
}

/// Whether a file holds points without facets, by its format and, of PLY, its header.
pub fn holds_points(source: &mut Source) -> Result<bool> {
    let head = source.head(4096)?;
    Ok(match Format::detect(source.path(), &head)?.0 {
        Format::Pcd | Format::Xyz | Format::E57 | Format::Ptx | Format::Las => true,
        Format::Ply => ply::declares_no_facets(&head),
        _ => false,
    })
}

/// Reads a nominal from a mesh or CAD file, scaled to mm. Returns an error if `path` holds no facets.
pub fn load_nominal(path: &Path, options: &LoadOptions, progress: &Progress) -> Result<LoadedMesh> {
    load_nominal_from(Source::open(path, progress)?, options, progress)
}

/// As [`load_nominal`], of a file that was opened. CAD files are read by their path.
pub fn load_nominal_from(mut source: Source, options: &LoadOptions, progress: &Progress) -> Result<LoadedMesh> {
    let path = source.path().to_owned();
    let path = path.as_path();
    let (format, note) = Format::detect(path, &source.head(256)?)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut structure = None;
    let mut account = Account::default();
    let (mut mesh, mut findings) = match format {
        Format::Step | Format::Iges => {
            let read = cad::read(path, format == Format::Iges, &options.cad, progress)?;
            notes.extend(read.notes);
            structure = Some(read.structure);
            weld::clean(read.mesh)
        }
        Format::Stl => {
            let triangles = stl::read(source, &mut account)?;
            progress.report(0.9, "Welding vertices")?;
            weld::weld(&triangles)
        }
        Format::Obj => weld::clean(obj::read(source, &mut account)?),
        Format::Off => weld::clean(off::read(source, &mut account)?),
        Format::Gltf => weld::clean(gltf::read(source, &mut account, progress)?),
        Format::Ply => weld::clean(ply::into_mesh(ply::read(source, &mut account)?)),
        Format::ThreeMf => weld::clean(three_mf::read(source, &mut account, progress)?),
        Format::Pcd | Format::Xyz | Format::E57 | Format::Ptx | Format::Las => {
            return Err(UserError::input(format!(
                "{} holds points without a surface ({}); a nominal needs facets or CAD surfaces (STEP, IGES, STL, OBJ, \
                 OFF, PLY, 3MF, glTF).",
                path.display(),
                format.name()
            )));
        }
    };
    findings.merged_vertices *= usize::from(matches!(format, Format::Obj | Format::Off | Format::Ply));
    if mesh.facets.is_empty() {
        return Err(UserError::input(format!(
            "{} has no facet with a non-zero area; choose a file with a surface as nominal.",
            path.display()
        )));
    }
    if !mesh.vertices.iter().all(is_usable) {
        return Err(UserError::input(format!(
            "{} has coordinates that are too large (1e12 or more); check its unit and export it again.",
            path.display()
        )));
    }
    let unit = unit_of(format, options, None, &mut notes);
    mesh.scale(unit.mm_per_unit());
    if let Some(own) =
        structure.as_mut().filter(|own: &&mut CadStructure| unit != LengthUnit::Mm && !own.pmi.is_empty())
    {
        own.pmi = Pmi::default();
        notes.push("Its tolerances and dimensions are left out, since another unit was chosen for it.".to_owned());
    }
    notes.extend(account.sentences());
    Ok(LoadedMesh { mesh, findings, account, notes, unit, structure })
}

/// Reads a scan, scaled to mm: a point cloud, or a mesh whose vertices become the points. Returns an error if `path`
/// holds no point with usable coordinates.
pub fn load_scan(path: &Path, options: &LoadOptions, progress: &Progress) -> Result<LoadedScan> {
    load_scan_from(Source::open(path, progress)?, options, progress)
}

/// As [`load_scan`], of a file that was opened.
pub fn load_scan_from(mut source: Source, options: &LoadOptions, progress: &Progress) -> Result<LoadedScan> {
    let path = source.path().to_owned();
    let path = path.as_path();
    let (format, note) = Format::detect(path, &source.head(256)?)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let (mut stated, mut account) = (None, Account::default());
    let (mut cloud, mut mesh, mut findings) = match format {
        Format::Pcd => points(pcd::read(source, &mut account)?),
        Format::Xyz => {
            let contents = xyz::read(source, options.columns, &mut account)?;
            notes.extend(contents.notes);
            stated = contents.unit;
            points((contents.cloud, contents.findings))
        }
        Format::E57 => points(e57::read(source, &mut account)?),
        Format::Ptx => points(ptx::read(source, &mut account)?),
        Format::Las => points(las::read(source, &mut account)?),
        Format::Ply => {
            let contents = ply::read(source, &mut account)?;
            if contents.facets.is_empty() {
                let (cloud, findings) = drop_not_finite(contents.cloud);
                (cloud, None, findings)
            } else {
                // The points keep their normals and intensities; welded vertices have none.
                let cloud = contents.cloud.clone();
                facets_over(cloud, weld::clean(ply::into_mesh(contents)))
            }
        }
        Format::Stl => facets(weld::weld(&stl::read(source, &mut account)?)),
        Format::Obj | Format::Off => {
            let mesh = match format {
                Format::Obj => obj::read(source, &mut account)?,
                _ => off::read(source, &mut account)?,
            };
            if mesh.facets.is_empty() {
                let (cloud, findings) = drop_not_finite(Cloud::from_points(mesh.vertices));
                (cloud, None, findings)
            } else {
                facets(weld::clean(mesh))
            }
        }
        Format::Gltf => facets(weld::clean(gltf::read(source, &mut account, progress)?)),
        Format::ThreeMf => facets(weld::clean(three_mf::read(source, &mut account, progress)?)),
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
    leave_out_normals(&mut cloud, &mut account);
    findings.duplicate_points = count_duplicates(&cloud);
    let unit = unit_of(format, options, stated, &mut notes);
    cloud.scale(unit.mm_per_unit());
    if let Some(mesh) = &mut mesh {
        mesh.scale(unit.mm_per_unit());
    }
    notes.extend(account.sentences());
    // The findings say it in words.
    account.left_out(account::POINTS, findings.not_finite_points as u64, "their coordinates are not finite");
    Ok(LoadedScan { cloud, mesh, findings, account, notes, unit })
}

type ScanParts = (Cloud, Option<Mesh>, CloudFindings);

/// Of points of which the reader has dropped the unusable ones.
fn points((cloud, findings): (Cloud, CloudFindings)) -> ScanParts {
    (cloud, None, findings)
}

/// One normal that is no direction discards all of them.
fn leave_out_normals(cloud: &mut Cloud, account: &mut Account) {
    let is_none = |normal: &&[f32; 3]| {
        let length = normal.iter().map(|value| value * value).sum::<f32>();
        !(length.is_finite() && length > 0.0)
    };
    let count = cloud.normals.iter().filter(is_none).count();
    if count > 0 {
        let all = cloud.normals.len();
        account.remarks.push(format!("Its normals were left out: {count} of {all} are not finite, or zero."));
        cloud.normals = Vec::new();
    }
}

/// Scan from a mesh, whose vertices become the points.
fn facets((mesh, found): (Mesh, MeshFindings)) -> ScanParts {
    facets_over(Cloud::from_points(mesh.vertices.clone()), (mesh, found))
}

fn facets_over(cloud: Cloud, (mesh, found): (Mesh, MeshFindings)) -> ScanParts {
    let (cloud, mut findings) = drop_not_finite(cloud);
    findings.not_finite_facets = found.not_finite_facets;
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

/// Whether all coordinates are finite and below 1e12 in magnitude.
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

/// Length unit of the coordinates: the requested one, else the one that the file states, else the one that the format defines, else
/// mm; with a note.
fn unit_of(format: Format, options: &LoadOptions, stated: Option<LengthUnit>, notes: &mut Vec<String>) -> LengthUnit {
    if let Some(stated) = stated {
        let unit = options.unit.unwrap_or(stated);
        notes.push(match unit == stated {
            true => format!("Its titles state {}.", stated.symbol()),
            false => format!("Its titles state {}, but another unit was chosen.", stated.symbol()),
        });
        return unit;
    }
    match (options.unit, format) {
        // The readers convert to mm by the unit given in the file.
        (given, Format::Step | Format::Iges | Format::ThreeMf) => {
            if given.is_some() {
                notes.push(format!("{} carries its unit: the given unit was ignored.", format.name()));
            }
            LengthUnit::Mm
        }
        (Some(unit), _) => unit,
        (None, Format::Gltf | Format::E57 | Format::Ptx) => {
            notes.push(format!("{} is in metres by definition; converted to mm.", format.name()));
            LengthUnit::M
        }
        (None, Format::Las) => {
            notes.push("LAS carries no unit: read as metres, the unit scanners write, and converted to mm.".into());
            LengthUnit::M
        }
        (None, _) => {
            notes.push(format!("{} carries no unit: read as mm.", format.name()));
            LengthUnit::Mm
        }
    }
}
