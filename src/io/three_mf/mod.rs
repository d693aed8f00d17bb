//! 3MF (ISO/IEC 25422): the objects placed by the build section, with models in several files (production extension).

mod model;
pub(super) mod write;

use std::collections::{HashMap, HashSet};
use std::io::{BufReader, Read};
use std::path::Path;

use nalgebra::Matrix4;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::account::{Account, FACETS, OBJECTS};
use super::source::Source;
use base::{Progress, Result, UserError, limits};
use geometry::{Mesh, Point};
use model::{Model, Placement};

/// Largest depth of nested assemblies; a deeper one contains itself.
const MAX_DEPTH: usize = 64;

/// Reads all objects that the build places except support structures, in mm.
pub fn read(source: Source, account: &mut Account, progress: &Progress) -> Result<Mesh> {
    let path = source.path().to_owned();
    let mut package = Package {
        archive: ZipArchive::new(source).map_err(|e| bad(&path, &format!("it is not a readable package ({e})")))?,
        path: &path,
        models: HashMap::new(),
    };
    let root = package.root()?;
    package.load(&root)?;
    let items = package.models.get(&root).map(|model| model.items.clone()).unwrap_or_default();
    if items.is_empty() {
        return Err(bad(&path, "its build places no part"));
    }
    let mut mesh = Mesh::default();
    let (mut supports, mut placed) = (0, HashSet::new());
    let mut stack: Vec<(String, Placement, Matrix4<f64>, usize)> =
        items.into_iter().map(|item| (root.clone(), item, Matrix4::identity(), 0)).collect();
    while let Some((referring_file, placement, build_from_parent, depth)) = stack.pop() {
        progress.report(0.5, "Placing the parts")?;
        if depth > MAX_DEPTH {
            return Err(bad(&path, "its components form a cycle"));
        }
        let file = placement.file.unwrap_or(referring_file);
        package.load(&file)?;
        let missing = || bad(&path, &format!("object {} is placed but not in the file", placement.object));
        let model = package.models.get(&file).ok_or_else(missing)?;
        let object = model.objects.get(&placement.object).ok_or_else(missing)?;
        placed.insert((file.clone(), placement.object));
        if object.is_support {
            supports += 1;
            continue;
        }
        let build_from_object = build_from_parent * placement.transform;
        let part = &object.mesh;
        // Objects may be placed any number of times: a small file can expand to any size.
        limits::require_bytes((mesh.bytes() + part.bytes()) * 2, &format!("Reading {}", path.display()))?;
        if mesh.vertices.len() + part.vertices.len() >= u32::MAX as usize {
            return Err(bad(&path, "it places more vertices than can be read"));
        }
        append(part, &build_from_object, model.unit_mm, &mut mesh);
        stack.extend(object.components.iter().map(|part| (file.clone(), part.clone(), build_from_object, depth + 1)));
        // Placements multiply with depth; their total is limited like that of the vertices.
        if stack.len() > 10_000_000 {
            return Err(bad(&path, "it places more objects than can be read"));
        }
    }
    let outside: u64 = package.models.values().map(|model| model.outside).sum();
    account.count(FACETS, None, mesh.facets.len() as u64 + outside);
    account.left_out(OBJECTS, supports, "they are support structures for printing");
    let all = package.models.iter().flat_map(|(file, model)| model.objects.keys().map(move |id| (file.clone(), *id)));
    account.left_out(OBJECTS, all.filter(|own| !placed.contains(own)).count() as u64, "its build does not place them");
    account.left_out(FACETS, outside, "they belong to no object");
    Ok(mesh)
}

fn bad(path: &Path, what: &str) -> UserError {
    UserError::input(format!("{}: {what}; export the 3MF file again.", path.display()))
}

/// Appends a part, transformed into the build frame and scaled to mm; winding is kept under mirroring transforms.
fn append(part: &Mesh, build_from_object: &Matrix4<f64>, unit_mm: f64, mesh: &mut Mesh) {
    let first = mesh.vertices.len() as u32;
    let linear = build_from_object.fixed_view::<3, 3>(0, 0).into_owned();
    let translation = build_from_object.fixed_view::<3, 1>(0, 3).into_owned();
    let placed = |vertex: &Point| Point::from((linear * vertex.coords + translation) * unit_mm);
    mesh.vertices.extend(part.vertices.iter().map(placed));
    let is_mirrored = linear.determinant() < 0.0;
    mesh.facets.extend(part.facets.iter().map(|&[a, b, c]| {
        let (b, c) = if is_mirrored { (c, b) } else { (b, c) };
        [a + first, b + first, c + first]
    }));
}

struct Package<'a> {
    archive: ZipArchive<Source>,
    path: &'a Path,
    /// Models by their name in the package, without a leading slash.
    models: HashMap<String, Model>,
}

impl Package<'_> {
    /// Name of the root model, as the package relationships give it.
    fn root(&mut self) -> Result<String> {
        let default_name = "3D/3dmodel.model".to_owned();
        let Ok(relations) = self.archive.by_name("_rels/.rels") else { return Ok(default_name) };
        let mut reader = quick_xml::Reader::from_reader(BufReader::new(relations.take(1 << 20)));
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer).map_err(|e| bad(self.path, &e.to_string()))?;
            match event {
                Event::Start(tag) | Event::Empty(tag) if tag.local_name().as_ref() == "Relationship" => {
                    if model::attribute(&tag, "Type").is_some_and(|kind| kind.ends_with("/3dmodel"))
                        && let Some(target) = model::attribute(&tag, "Target")
                    {
                        return Ok(target.trim_start_matches('/').to_owned());
                    }
                }
                Event::Eof => return Ok(default_name),
                _ => {}
            }
        }
    }

    /// Reads a model of the package unless it was read before.
    fn load(&mut self, name: &str) -> Result<()> {
        if self.models.contains_key(name) {
            return Ok(());
        }
        let path = self.path;
        let entry =
            self.archive.by_name(name).map_err(|e| bad(path, &format!("its model {name} cannot be read ({e})")))?;
        // A small package can decompress to any size.
        let max_bytes = limits::available_bytes().unwrap_or(u64::MAX) / 2;
        let model = model::read(BufReader::with_capacity(1 << 16, entry.take(max_bytes)), path)?;
        self.models.insert(name.to_owned(), model);
        Ok(())
    }
}
