//! Writers of STL (with the `stl_io` library), PLY (with or without colours), OBJ, 3MF and text with columns.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::atomic;
use super::format::Format;
use super::three_mf;
use base::{Result, UserError};
use geometry::{Cloud, Mesh, Point, Vector};

/// Writes a mesh in mm, in the format given by the extension of `path`. Returns an error if it is not STL, PLY, OBJ
/// or 3MF.
pub fn mesh(path: &Path, mesh: &Mesh) -> Result<()> {
    match Format::from_extension(path)? {
        Format::Stl => atomic::write(path, |writer| stl(writer, mesh)),
        Format::Ply => atomic::write(path, |writer| ply_mesh(writer, mesh, &[])),
        Format::Obj => atomic::write(path, |writer| {
            writeln!(writer, "# mm")?;
            for v in &mesh.vertices {
                writeln!(writer, "v {} {} {}", v.x, v.y, v.z)?;
            }
            mesh.facets.iter().try_for_each(|[a, b, c]| writeln!(writer, "f {} {} {}", a + 1, b + 1, c + 1))
        }),
        Format::ThreeMf => atomic::write(path, |writer| three_mf::write::mesh(writer, mesh)),
        other => Err(not_for_meshes(path, other)),
    }
}

/// Returns an error if [`mesh()`] cannot write a file of this name; for checks before long work.
pub fn check_mesh(path: &Path) -> Result<()> {
    match Format::from_extension(path)? {
        Format::Stl | Format::Ply | Format::Obj | Format::ThreeMf => Ok(()),
        other => Err(not_for_meshes(path, other)),
    }
}

/// Least rounding of coordinates that matters, mm, and as a share of the diagonal of a mesh.
const MIN_ROUNDING_MM: f64 = 1e-4;
const MIN_ROUNDING: f64 = 1e-6;

/// What the format given by the extension of `path` loses of a mesh, in a sentence: STL keeps coordinates in single precision,
/// which is coarse far from the origin. `None` if nothing that matters.
pub fn rounding_note(path: &Path, mesh: &Mesh) -> Option<String> {
    let bounds = mesh.bounds();
    let farthest_mm = bounds.min.coords.amax().max(bounds.max.coords.amax());
    let rounding_mm = 0.5 * f64::from(f32::EPSILON) * farthest_mm;
    let matters = rounding_mm > MIN_ROUNDING_MM && rounding_mm > MIN_ROUNDING * bounds.diagonal();
    let is_single = matches!(Format::from_extension(path), Ok(Format::Stl));
    (is_single && matters && !mesh.facets.is_empty()).then(|| {
        format!(
            "STL rounds these coordinates by up to {rounding_mm:.4} mm, as the part lies far from the origin; PLY, OBJ and 3MF \
             keep them."
        )
    })
}

fn not_for_meshes(path: &Path, format: Format) -> UserError {
    unsupported(path, format, "a mesh", "STL, PLY, OBJ or 3MF")
}

/// Writes a point cloud in mm, in the format given by the extension of `path`. Returns an error if it is not PLY or
/// text with columns.
pub fn cloud(path: &Path, cloud: &Cloud) -> Result<()> {
    match Format::from_extension(path)? {
        Format::Ply => atomic::write(path, |writer| ply_cloud(writer, cloud, &[])),
        Format::Xyz => atomic::write(path, |writer| {
            let separator = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) { "," } else { " " };
            if separator == "," {
                writeln!(writer, "x_mm,y_mm,z_mm")?;
            }
            cloud.points.iter().try_for_each(|p| writeln!(writer, "{}{separator}{}{separator}{}", p.x, p.y, p.z))
        }),
        other => Err(unsupported(path, other, "a point cloud", "PLY, XYZ, ASC or CSV")),
    }
}

fn unsupported(path: &Path, format: Format, what: &str, instead: &str) -> UserError {
    UserError::usage(format!("{}: {what} cannot be written as {}; use {instead}.", path.display(), format.name()))
}

fn stl(writer: &mut BufWriter<std::fs::File>, mesh: &Mesh) -> std::io::Result<()> {
    let single = |v: &nalgebra::Vector3<f64>| stl_io::Vector::new([v.x as f32, v.y as f32, v.z as f32]);
    let triangles = (0..mesh.facets.len()).map(|facet| stl_io::Triangle {
        normal: single(&mesh.normal(facet)),
        vertices: mesh.corners(facet).map(|corner| single(&corner.coords)),
    });
    stl_io::write_stl(writer, triangles)
}

/// RGB colours of the points or facets; empty for none.
pub type Colours<'a> = &'a [[u8; 3]];

/// Writes a binary little-endian PLY of a cloud in mm, with normals, directions to the sensor, intensities and one
/// colour per point, as far as present.
pub fn ply_cloud(writer: &mut impl Write, cloud: &Cloud, colours: Colours<'_>) -> std::io::Result<()> {
    write!(writer, "ply\nformat binary_little_endian 1.0\ncomment unit mm\nelement vertex {}\n", cloud.points.len())?;
    write!(writer, "property double x\nproperty double y\nproperty double z\n")?;
    let triple = |writer: &mut dyn Write, names: [&str; 3]| {
        names.iter().try_for_each(|name| writeln!(writer, "property float {name}"))
    };
    if !cloud.normals.is_empty() {
        triple(writer, ["nx", "ny", "nz"])?;
    }
    let has_sensor = !cloud.to_sensor.is_empty() || cloud.viewpoint.is_some();
    if has_sensor {
        triple(writer, ["to_sensor_x", "to_sensor_y", "to_sensor_z"])?;
    }
    if !cloud.intensity.is_empty() {
        writeln!(writer, "property float intensity")?;
    }
    colour_properties(writer, colours)?;
    writeln!(writer, "end_header")?;
    for (i, point) in cloud.points.iter().enumerate() {
        write_point(writer, point)?;
        let to_sensor = has_sensor.then(|| cloud.direction_to_sensor(i).map_or([0.0; 3], |own| direction(&own)));
        for direction in cloud.normals.get(i).copied().iter().chain(&to_sensor) {
            direction.iter().try_for_each(|value| writer.write_all(&value.to_le_bytes()))?;
        }
        if let Some(intensity) = cloud.intensity.get(i) {
            writer.write_all(&intensity.to_le_bytes())?;
        }
        if let Some(colour) = colours.get(i) {
            writer.write_all(colour)?;
        }
    }
    Ok(())
}

/// Writes a binary little-endian PLY of a mesh in mm, with one colour per facet if `colours` is not empty.
pub fn ply_mesh(writer: &mut impl Write, mesh: &Mesh, colours: Colours<'_>) -> std::io::Result<()> {
    write!(writer, "ply\nformat binary_little_endian 1.0\ncomment unit mm\nelement vertex {}\n", mesh.vertices.len())?;
    write!(writer, "property double x\nproperty double y\nproperty double z\n")?;
    write!(writer, "element face {}\nproperty list uchar int vertex_indices\n", mesh.facets.len())?;
    colour_properties(writer, colours)?;
    writeln!(writer, "end_header")?;
    mesh.vertices.iter().try_for_each(|vertex| write_point(writer, vertex))?;
    for (i, facet) in mesh.facets.iter().enumerate() {
        writer.write_all(&[3])?;
        facet.iter().try_for_each(|index| writer.write_all(&(*index as i32).to_le_bytes()))?;
        if let Some(colour) = colours.get(i) {
            writer.write_all(colour)?;
        }
    }
    Ok(())
}

fn colour_properties(writer: &mut impl Write, colours: Colours<'_>) -> std::io::Result<()> {
    if colours.is_empty() {
        return Ok(());
    }
    ["red", "green", "blue"].iter().try_for_each(|name| writeln!(writer, "property uchar {name}"))
}

fn write_point(writer: &mut impl Write, point: &Point) -> std::io::Result<()> {
    point.coords.iter().try_for_each(|value| writer.write_all(&value.to_le_bytes()))
}

/// Converts a direction to single precision, as stored in files.
pub fn direction(vector: &Vector) -> [f32; 3] {
    vector.cast::<f32>().into()
}
