//! One model of a 3MF package, streamed: a mesh of ten million facets is a gigabyte of XML.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use nalgebra::Matrix4;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::bad;
use base::{Result, limits};
use geometry::{Mesh, Point};

/// Number of vertices and facets read between two checks of the free memory.
const MEMORY_CHECK_INTERVAL: usize = 1 << 20;

/// Objects of a model and the build items that place them.
#[derive(Default)]
pub(super) struct Model {
    /// Length unit of the model, mm.
    pub unit_mm: f64,
    /// Objects by id.
    pub objects: HashMap<u64, Object>,
    /// Build items.
    pub items: Vec<Placement>,
    /// Triangles outside any object.
    pub outside: u64,
}

/// A mesh, or an assembly of other objects.
#[derive(Default)]
pub(super) struct Object {
    pub mesh: Mesh,
    pub components: Vec<Placement>,
    /// Support structure for printing, not part of the nominal geometry.
    pub is_support: bool,
}

/// A placed object: a build item or a component.
#[derive(Clone)]
pub(super) struct Placement {
    /// Name of the model that holds the object; `None` for the referring model.
    pub file: Option<String>,
    /// Id of the object in that model.
    pub object: u64,
    /// Acts on column vectors, in the unit of the model.
    pub transform: Matrix4<f64>,
}

/// Reads a model; meshes stay in the unit of the model.
pub(super) fn read(text: impl BufRead, path: &Path) -> Result<Model> {
    let mut reader = Reader::from_reader(text);
    let mut model = Model { unit_mm: 1.0, ..Model::default() };
    let mut object: Option<(u64, Object)> = None;
    let mut buffer = Vec::new();
    let mut is_whole = false;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let event = event.map_err(|e| match e {
            quick_xml::Error::Io(error) => crate::source::read_error(path, &error),
            other => bad(path, &format!("its XML is damaged at byte {} ({other})", reader.buffer_position())),
        })?;
        let damaged = |what: &str| bad(path, &format!("{what} at byte {} of its model", reader.buffer_position()));
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "model" => {
                    let unit = attribute(&tag, "unit");
                    model.unit_mm = unit_mm(unit.as_deref()).ok_or_else(|| damaged("an unknown unit"))?;
                }
                "object" => {
                    let id = object_id(&tag).ok_or_else(|| damaged("an object without an id"))?;
                    let kind = attribute(&tag, "type").unwrap_or_default();
                    let is_support = matches!(kind.as_str(), "support" | "solidsupport");
                    object = Some((id, Object { is_support, ..Object::default() }));
                }
                "vertex" => {
                    let vertex = parse_vertex(&tag).ok_or_else(|| damaged("a vertex without three numbers"))?;
                    push(&mut object, |mesh| mesh.vertices.push(vertex), path)?;
                }
                "triangle" => {
                    let facet = parse_triangle(&tag).ok_or_else(|| damaged("a triangle without three corners"))?;
                    model.outside += u64::from(object.is_none());
                    push(&mut object, |mesh| mesh.facets.push(facet), path)?;
                }
                name @ ("component" | "item") => {
                    let placement = parse_placement(&tag).ok_or_else(|| damaged("a placement that cannot be read"))?;
                    match &mut object {
                        Some((_, object)) if name == "component" => object.components.push(placement),
                        _ => model.items.push(placement),
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "object" => {
                if let Some((id, object)) = object.take() {
                    let vertices = object.mesh.vertices.len();
                    if object.mesh.facets.iter().flatten().any(|&corner| corner as usize >= vertices) {
                        return Err(damaged("a triangle refers to a vertex that does not exist, before"));
                    }
                    if model.objects.insert(id, object).is_some() {
                        return Err(damaged(&format!("a second object has the id {id},")));
                    }
                }
            }
            Event::End(tag) if tag.local_name().as_ref() == "model" => is_whole = true,
            Event::Eof if is_whole => return Ok(model),
            Event::Eof => return Err(bad(path, "its model ends in the middle")),
            _ => {}
        }
    }
}

/// Adds to the mesh of the current object; vertices and triangles outside an object are ignored.
fn push(object: &mut Option<(u64, Object)>, add: impl FnOnce(&mut Mesh), path: &Path) -> Result<()> {
    let Some((_, Object { mesh, .. })) = object else { return Ok(()) };
    add(mesh);
    if (mesh.vertices.len() + mesh.facets.len()).is_multiple_of(MEMORY_CHECK_INTERVAL) {
        limits::require_bytes(mesh.bytes() * 2, &format!("Reading {}", path.display()))?;
    }
    Ok(())
}

/// Value of an attribute by its local name, whatever its namespace prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(quick_xml::escape::unescape(&found.value).ok()?.into_owned())
}

fn parse_vertex(tag: &BytesStart<'_>) -> Option<Point> {
    let mut coordinates = [f64::NAN; 3];
    for attribute in tag.attributes().flatten() {
        let [axis @ b'x'..=b'z'] = attribute.key.as_ref().as_bytes() else { continue };
        let value = attribute.value.trim().parse().ok()?;
        *coordinates.get_mut(usize::from(axis - b'x'))? = value;
    }
    Some(Point::from(coordinates))
}

fn parse_triangle(tag: &BytesStart<'_>) -> Option<[u32; 3]> {
    let mut facet = [None; 3];
    for attribute in tag.attributes().flatten() {
        let [b'v', corner @ b'1'..=b'3'] = attribute.key.as_ref().as_bytes() else { continue };
        *facet.get_mut(usize::from(corner - b'1'))? = attribute.value.trim().parse().ok();
    }
    let [a, b, c] = facet;
    Some([a?, b?, c?])
}

fn object_id(tag: &BytesStart<'_>) -> Option<u64> {
    attribute(tag, "id")?.parse().ok()
}

fn parse_placement(tag: &BytesStart<'_>) -> Option<Placement> {
    let transform = match attribute(tag, "transform") {
        None => Matrix4::identity(),
        Some(text) => {
            let numbers: Vec<f64> = text.split_whitespace().map_while(|number| number.parse().ok()).collect();
            let rows: [f64; 12] = numbers.try_into().ok()?;
            // The file has the matrix for row vectors: transposed here.
            let mut transform = Matrix4::identity();
            for (row, values) in rows.as_chunks::<3>().0.iter().enumerate() {
                for (column, value) in values.iter().enumerate() {
                    *transform.get_mut((column, row))? = *value;
                }
            }
            transform.iter().all(|value| value.is_finite()).then_some(transform)?
        }
    };
    let file = attribute(tag, "path").map(|path| path.trim_start_matches('/').to_owned());
    Some(Placement { file, object: attribute(tag, "objectid")?.parse().ok()?, transform })
}

/// Length of a unit by its 3MF name, mm; `None` if the name is unknown.
fn unit_mm(name: Option<&str>) -> Option<f64> {
    Some(match name {
        None | Some("millimeter") => 1.0,
        Some("micron") => 1e-3,
        Some("centimeter") => 10.0,
        Some("inch") => 25.4,
        Some("foot") => 304.8,
        Some("meter") => 1000.0,
        Some(_) => return None,
    })
}
