//! One model of a 3MF package: streamed, since a mesh of ten million facets is a gigabyte of text.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use nalgebra::Matrix4;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::bad;
use base::{Result, limits};
use geometry::{Mesh, Point};

/// How many corners or facets are read between two looks at the memory.
const BLOCK: usize = 1 << 20;

/// Objects and what the build places of them.
#[derive(Default)]
pub(super) struct Model {
    /// One unit of its numbers, mm.
    pub unit_mm: f64,
    /// By their numbers.
    pub objects: HashMap<u64, Object>,
    /// What the build places.
    pub items: Vec<Placement>,
}

/// A mesh, or an assembly of other objects.
#[derive(Default)]
pub(super) struct Object {
    pub mesh: Mesh,
    pub components: Vec<Placement>,
    /// Printed beside the part, and not of it.
    pub is_support: bool,
}

/// An object at a place.
#[derive(Clone)]
pub(super) struct Placement {
    /// The model that holds it, where that is another.
    pub file: Option<String>,
    /// Its number there.
    pub object: u64,
    /// Column vectors, the model's unit.
    pub place: Matrix4<f64>,
}

/// Reads a model; meshes stay in its unit.
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
            quick_xml::Error::Io(error) => crate::source::error(path, &error),
            other => bad(path, &format!("its text is damaged at byte {} ({other})", reader.buffer_position())),
        })?;
        let damaged = |what: &str| bad(path, &format!("{what} at byte {} of its model", reader.buffer_position()));
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "model" => {
                    let unit = attribute(&tag, "unit");
                    model.unit_mm = unit_mm(unit.as_deref()).ok_or_else(|| damaged("an unknown unit"))?;
                }
                "object" => {
                    let number = number(&tag).ok_or_else(|| damaged("an object without a number"))?;
                    let kind = attribute(&tag, "type").unwrap_or_default();
                    let is_support = matches!(kind.as_str(), "support" | "solidsupport");
                    object = Some((number, Object { is_support, ..Object::default() }));
                }
                "vertex" => {
                    let corner = vertex(&tag).ok_or_else(|| damaged("a vertex without three numbers"))?;
                    push(&mut object, |mesh| mesh.vertices.push(corner), path)?;
                }
                "triangle" => {
                    let facet = triangle(&tag).ok_or_else(|| damaged("a triangle without three corners"))?;
                    push(&mut object, |mesh| mesh.facets.push(facet), path)?;
                }
                name @ ("component" | "item") => {
                    let placement = placement(&tag).ok_or_else(|| damaged("a placement that cannot be read"))?;
                    match &mut object {
                        Some((_, object)) if name == "component" => object.components.push(placement),
                        _ => model.items.push(placement),
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "object" => {
                if let Some((number, object)) = object.take() {
                    let corners = object.mesh.vertices.len();
                    if object.mesh.facets.iter().flatten().any(|&corner| corner as usize >= corners) {
                        return Err(damaged("a triangle names a vertex that is not there, before"));
                    }
                    model.objects.insert(number, object);
                }
            }
            Event::End(tag) if tag.local_name().as_ref() == "model" => is_whole = true,
            Event::Eof if is_whole => return Ok(model),
            Event::Eof => return Err(bad(path, "its model ends in the middle")),
            _ => {}
        }
    }
}

fn push(object: &mut Option<(u64, Object)>, add: impl FnOnce(&mut Mesh), path: &Path) -> Result<()> {
    let Some((_, Object { mesh, .. })) = object else { return Ok(()) };
    add(mesh);
    if (mesh.vertices.len() + mesh.facets.len()).is_multiple_of(BLOCK) {
        limits::require_bytes(mesh.bytes() * 2, &format!("Reading {}", path.display()))?;
    }
    Ok(())
}

/// An attribute as text, whatever the prefix of its name.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(quick_xml::escape::unescape(&found.value).ok()?.into_owned())
}

fn vertex(tag: &BytesStart<'_>) -> Option<Point> {
    let mut corner = [f64::NAN; 3];
    for attribute in tag.attributes().flatten() {
        let [axis @ b'x'..=b'z'] = attribute.key.as_ref().as_bytes() else { continue };
        let value = attribute.value.trim().parse().ok()?;
        *corner.get_mut(usize::from(axis - b'x'))? = value;
    }
    Some(Point::from(corner))
}

fn triangle(tag: &BytesStart<'_>) -> Option<[u32; 3]> {
    let mut facet = [None; 3];
    for attribute in tag.attributes().flatten() {
        let [b'v', corner @ b'1'..=b'3'] = attribute.key.as_ref().as_bytes() else { continue };
        *facet.get_mut(usize::from(corner - b'1'))? = attribute.value.trim().parse().ok();
    }
    let [a, b, c] = facet;
    Some([a?, b?, c?])
}

fn number(tag: &BytesStart<'_>) -> Option<u64> {
    attribute(tag, "id")?.parse().ok()
}

fn placement(tag: &BytesStart<'_>) -> Option<Placement> {
    let place = match attribute(tag, "transform") {
        None => Matrix4::identity(),
        Some(text) => {
            let numbers: Vec<f64> = text.split_whitespace().map_while(|number| number.parse().ok()).collect();
            let rows: [f64; 12] = numbers.try_into().ok()?;
            // Rows of the file act on row vectors from the right.
            let mut place = Matrix4::identity();
            for (row, values) in rows.as_chunks::<3>().0.iter().enumerate() {
                for (column, value) in values.iter().enumerate() {
                    *place.get_mut((column, row))? = *value;
                }
            }
            place.iter().all(|value| value.is_finite()).then_some(place)?
        }
    };
    let file = attribute(tag, "path").map(|path| path.trim_start_matches('/').to_owned());
    Some(Placement { file, object: attribute(tag, "objectid")?.parse().ok()?, place })
}

/// Length of a unit by its name in the file, mm.
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
