//! glTF and GLB: triangles of the default scene, read with the `gltf` library. Its known pitfalls are avoided: buffers
//! come only from the file itself, its folder or inline data; accessors are checked before they are read; the node tree
//! is walked without recursion.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Semantic};
use nalgebra::{Matrix3, Matrix4};

use super::account::{Account, FACETS, OBJECTS};
use super::source::Source;
use base::{Progress, Result, UserError, limits};
use geometry::{Mesh, Point};

/// Reads all triangles of the default scene, in metres as glTF defines, with the Y axis up as stored.
pub fn read(source: Source, account: &mut Account, progress: &Progress) -> Result<Mesh> {
    let path = source.path().to_owned();
    let bad = |what: &str| UserError::input(format!("{}: {what}; export the file again.", path.display()));
    // Limit on vertices and on facets, far above what the file can hold without instancing.
    let max_elements = (source.length() as usize).saturating_mul(100).clamp(10_000_000, 400_000_000);
    let bytes = source.read_all()?;
    let parsed = gltf::Gltf::from_slice_without_validation(&bytes)
        .map_err(|e| bad(&format!("not a readable glTF file ({e})")))?;
    drop(bytes);
    let gltf::Gltf { document, blob } = parsed;
    {
        // The validation in the library would index past the end on these.
        let root = document.as_json();
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let has_dangling =
            primitives.flat_map(|p| p.attributes.values()).any(|index| index.value() >= root.accessors.len());
        if has_dangling {
            return Err(bad("a primitive refers to an accessor that is not in the file"));
        }
    }
    let document =
        Document::from_json(document.into_json()).map_err(|e| bad(&format!("not a valid glTF file ({e})")))?;
    let buffers = buffers(&document, blob, &path, progress)?;
    let mut mesh = Mesh::default();
    let mut visited = vec![false; document.nodes().len()];
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut stack: Vec<(gltf::Node<'_>, Matrix4<f64>)> =
        scene.iter().flat_map(|scene| scene.nodes()).map(|node| (node, Matrix4::identity())).collect();
    let mut others = 0;
    while let Some((node, scene_from_parent)) = stack.pop() {
        match visited.get_mut(node.index()) {
            Some(visited) if !*visited => *visited = true,
            _ => return Err(bad("its nodes form a cycle")),
        }
        let scene_from_node = scene_from_parent * Matrix4::from(node.transform().matrix()).cast::<f64>();
        progress.report(0.5, "Reading the scene")?;
        // Nodes may share a mesh: a small file can expand to any size.
        limits::require_bytes(mesh.bytes() * 2, &format!("Reading {}", path.display()))?;
        if mesh.vertices.len().max(mesh.facets.len()) > max_elements {
            return Err(bad("its nodes instance more triangles than can be read"));
        }
        others +=
            node.mesh().iter().flat_map(|mesh| mesh.primitives()).filter(|own| !has_triangles(own)).count() as u64;
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            add_primitive(&primitive, &scene_from_node, &buffers, &mut mesh)
                .ok_or_else(|| bad("a primitive's positions or indices are damaged, sparse or compressed"))?;
        }
        stack.extend(node.children().map(|child| (child, scene_from_node)));
    }
    account.count(FACETS, None, mesh.facets.len() as u64);
    account.left_out(["set of points or lines", "sets of points or lines"], others, "only triangles are read");
    let unused =
        document.nodes().filter(|node| node.mesh().is_some() && visited.get(node.index()) == Some(&false)).count();
    account.left_out(OBJECTS, unused as u64, "the scene that is shown first does not contain them");
    Ok(mesh)
}

fn buffers(document: &Document, blob: Option<Vec<u8>>, path: &Path, progress: &Progress) -> Result<Vec<Vec<u8>>> {
    let mut blob = blob;
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let missing = |what: &str| {
            UserError::input(format!("{}: {what}; export the file again, preferably as .glb.", path.display()))
        };
        let data = match buffer.source() {
            gltf::buffer::Source::Bin => blob.take().ok_or_else(|| missing("its binary chunk is missing"))?,
            gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(inline) => inline
                    .split_once(";base64,")
                    .and_then(|(_, text)| BASE64.decode(text).ok())
                    .ok_or_else(|| missing("an inline buffer is not base64"))?,
                None => {
                    let uri = percent_decoded(uri).ok_or_else(|| missing("the name of a buffer is damaged"))?;
                    let plain = !uri.contains([':', '\\']) && !uri.starts_with('/') && !uri.contains("..");
                    if !plain {
                        return Err(missing("a buffer lies outside the file's folder"));
                    }
                    Source::open(&path.with_file_name(uri), progress)?.read_all()?
                }
            },
        };
        if data.len() < buffer.length() {
            return Err(missing("a buffer is shorter than declared"));
        }
        buffers.push(data);
    }
    Ok(buffers)
}

/// A URI without percent encoding; `None` if that is damaged.
fn percent_decoded(uri: &str) -> Option<String> {
    let mut parts = uri.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// `Some` if an accessor lies within its buffer, is neither sparse nor empty, and has one of the component `types` and
/// the `dimensions` expected.
fn check_accessor(
    accessor: &Accessor<'_>,
    types: &[DataType],
    dimensions: Dimensions,
    buffers: &[Vec<u8>],
) -> Option<()> {
    let has_type = types.contains(&accessor.data_type()) && accessor.dimensions() == dimensions;
    if !has_type || accessor.sparse().is_some() || accessor.count() == 0 {
        return None;
    }
    let view = accessor.view()?;
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size);
    let needed =
        accessor.count().checked_sub(1)?.checked_mul(stride)?.checked_add(size)?.checked_add(accessor.offset())?;
    let end = view.offset().checked_add(view.length())?;
    (stride >= size && needed <= view.length() && end <= buffers.get(view.buffer().index())?.len()).then_some(())
}

fn has_triangles(primitive: &gltf::Primitive<'_>) -> bool {
    matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)
}

/// Appends the triangles of a primitive to `mesh`, in scene coordinates; winding is kept under mirroring transforms.
/// Points and lines are skipped. `None` if the data is damaged, sparse or compressed.
fn add_primitive(
    primitive: &gltf::Primitive<'_>,
    scene_from_node: &Matrix4<f64>,
    buffers: &[Vec<u8>],
    mesh: &mut Mesh,
) -> Option<()> {
    if !has_triangles(primitive) {
        return Some(());
    }
    check_accessor(&primitive.get(&Semantic::Positions)?, &[DataType::F32], Dimensions::Vec3, buffers)?;
    if let Some(indices) = primitive.indices() {
        check_accessor(&indices, &[DataType::U8, DataType::U16, DataType::U32], Dimensions::Scalar, buffers)?;
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let offset = mesh.vertices.len() as u32;
    mesh.vertices.extend(reader.read_positions()?.map(|[x, y, z]| {
        Point::from_homogeneous(scene_from_node * Point::new(f64::from(x), f64::from(y), f64::from(z)).to_homogeneous())
            .unwrap_or_else(|| Point::new(f64::NAN, f64::NAN, f64::NAN))
    }));
    let count = mesh.vertices.len() as u32 - offset;
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..count).collect(),
    };
    if indices.iter().any(|&index| index >= count) {
        return None;
    }
    let linear: Matrix3<f64> = scene_from_node.fixed_view::<3, 3>(0, 0).into_owned();
    let is_mirrored = linear.determinant() < 0.0;
    let mut push = |a: u32, b: u32, c: u32| {
        let (b, c) = if is_mirrored { (c, b) } else { (b, c) };
        mesh.facets.push([a + offset, b + offset, c + offset]);
    };
    match primitive.mode() {
        Mode::Triangles => indices.as_chunks::<3>().0.iter().for_each(|&[a, b, c]| push(a, b, c)),
        Mode::TriangleStrip => indices.windows(3).enumerate().for_each(|(i, corners)| {
            if let &[a, b, c] = corners {
                if i % 2 == 0 { push(a, b, c) } else { push(b, a, c) }
            }
        }),
        _ => {
            let hub = indices.first().copied()?;
            indices.windows(2).skip(1).for_each(|pair| {
                if let &[b, c] = pair {
                    push(hub, b, c);
                }
            });
        }
    }
    Some(())
}
