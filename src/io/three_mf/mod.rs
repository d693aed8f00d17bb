//! 3MF (ISO/IEC 25422): the parts that the build places, with the production extension's models in several files.

mod model;

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::path::Path;

use nalgebra::Matrix4;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::source::Source;
use base::{Progress, Result, UserError, limits};
use geometry::{Mesh, Point};
use model::{Model, Placement};

/// Assemblies of assemblies end here; a deeper one holds itself.
const MOST_LEVELS: usize = 64;

/// Reads all parts that the build places, in mm, and what the user should know.
pub fn read(source: Source, progress: &Progress) -> Result<(Mesh, Vec<String>)> {
    let path = source.path().to_owned();
    let mut package = Package {
        archive: ZipArchive::new(source).map_err(|e| bad(&path, &format!("it is no readable package ({e})")))?,
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
    let mut supports = 0_usize;
    let mut stack: Vec<(String, Placement, Matrix4<f64>, usize)> =
        items.into_iter().map(|item| (root.clone(), item, Matrix4::identity(), 0)).collect();
    while let Some((named_in, placement, parent, level)) = stack.pop() {
        progress.report(0.5, "Placing the parts")?;
        if level > MOST_LEVELS {
            return Err(bad(&path, "its parts hold one another in a circle"));
        }
        let file = placement.file.unwrap_or(named_in);
        package.load(&file)?;
        let unknown = || bad(&path, &format!("part {} is placed and not in the file", placement.object));
        let model = package.models.get(&file).ok_or_else(unknown)?;
        let object = model.objects.get(&placement.object).ok_or_else(unknown)?;
        if object.is_support {
            supports += 1;
            continue;
        }
        let world = parent * placement.place;
        let part = &object.mesh;
        // Parts may be placed any number of times: a small file can ask for any amount.
        limits::require_bytes((mesh.bytes() + part.bytes()) * 2, &format!("Reading {}", path.display()))?;
        if mesh.vertices.len() + part.vertices.len() >= u32::MAX as usize {
            return Err(bad(&path, "it places more corners than are worth reading"));
        }
        add(part, &world, model.unit_mm, &mut mesh);
        stack.extend(object.components.iter().map(|part| (file.clone(), part.clone(), world, level + 1)));
        // Placements multiply from level to level; the sum of all is bounded as the corners are.
        if stack.len() > 10_000_000 {
            return Err(bad(&path, "it places more parts than are worth reading"));
        }
    }
    let notes = (supports > 0).then(|| format!("{supports} of its objects are supports for printing; left out."));
    Ok((mesh, notes.into_iter().collect()))
}

fn bad(path: &Path, what: &str) -> UserError {
    UserError::input(format!("{}: {what}; export the 3MF file again.", path.display()))
}

/// Appends a part at its place.
fn add(part: &Mesh, world: &Matrix4<f64>, unit_mm: f64, mesh: &mut Mesh) {
    let first = mesh.vertices.len() as u32;
    let (turn, shift) = (world.fixed_view::<3, 3>(0, 0).into_owned(), world.fixed_view::<3, 1>(0, 3).into_owned());
    mesh.vertices.extend(part.vertices.iter().map(|corner| Point::from((turn * corner.coords + shift) * unit_mm)));
    let is_mirrored = turn.determinant() < 0.0;
    mesh.facets.extend(part.facets.iter().map(|&[a, b, c]| {
        let (b, c) = if is_mirrored { (c, b) } else { (b, c) };
        [a + first, b + first, c + first]
    }));
}

struct Package<'a> {
    archive: ZipArchive<Source>,
    path: &'a Path,
    /// By their names in the package, without a slash before.
    models: HashMap<String, Model>,
}

impl Package<'_> {
    /// The model that the package's relations name as its start.
    fn root(&mut self) -> Result<String> {
        let usual = "3D/3dmodel.model".to_owned();
        let Ok(relations) = self.archive.by_name("_rels/.rels") else { return Ok(usual) };
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
                Event::Eof => return Ok(usual),
                _ => {}
            }
        }
    }

    /// Reads a model of the package, once.
    fn load(&mut self, name: &str) -> Result<()> {
        if self.models.contains_key(name) {
            return Ok(());
        }
        let path = self.path;
        let entry =
            self.archive.by_name(name).map_err(|e| bad(path, &format!("its model {name} cannot be read ({e})")))?;
        // A small package may unpack to any amount.
        let most = limits::available_bytes().unwrap_or(u64::MAX) / 2;
        let model = model::read(BufReader::with_capacity(1 << 16, entry.take(most)), path)?;
        self.models.insert(name.to_owned(), model);
        Ok(())
    }
}
