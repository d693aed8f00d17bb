//! Defects of known size, applied to a mesh.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};
use geometry::{Mesh, Point, Surface, Vector, refine};

/// A defect of a part, nominal frame. Deviations are in µm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Defect {
    /// A cosine bell on the surface, along the normal at its centre; a dent if `height_um` is negative.
    Bump {
        /// Centre on the surface, mm.
        centre_mm: [f64; 3],
        /// Radius, mm.
        radius_mm: f64,
        /// Height, µm.
        height_um: f64,
    },
    /// The part beyond a hinge is bent; the displacement grows with the square of the distance from the hinge.
    Bend {
        /// A point on the hinge, mm.
        hinge_mm: [f64; 3],
        /// Direction from the hinge to the bent part.
        towards: [f64; 3],
        /// Direction of the displacement.
        direction: [f64; 3],
        /// Distance from the hinge at which `displacement_um` applies, mm.
        length_mm: f64,
        /// Displacement at `length_mm`, µm.
        displacement_um: f64,
        /// Only points within this distance of `hinge_mm` are displaced, mm.
        within_mm: f64,
    },
    /// A missing hole: a plug closes it.
    MissingHole {
        /// Centre of the hole, mm.
        centre_mm: [f64; 3],
        /// Direction of its axis.
        axis: [f64; 3],
        /// Radius of the hole, mm.
        radius_mm: f64,
        /// Thickness of the sheet, mm.
        thickness_mm: f64,
    },
    /// A scale error about the origin.
    Scale {
        /// Scale factor; 1 for none.
        factor: f64,
    },
}

/// Applies all `defects` to `nominal`, in order.
///
/// Returns an error if a parameter is out of range.
pub fn apply(nominal: &Mesh, defects: &[Defect]) -> Result<Mesh> {
    let mut mesh = nominal.clone();
    for defect in defects {
        match *defect {
            Defect::Bump { centre_mm, radius_mm, height_um } => {
                mesh = bump(mesh, centre_mm.into(), radius_mm, height_um / 1000.0)?;
            }
            Defect::Bend { hinge_mm, towards, direction, length_mm, displacement_um, within_mm } => {
                let hinge = Point::from(hinge_mm);
                let (towards, direction) = (unit(towards)?, unit(direction)?);
                mesh = refine::near(&mesh, &hinge, within_mm, within_mm / 40.0);
                for vertex in &mut mesh.vertices {
                    let beyond = (*vertex - hinge).dot(&towards).max(0.0);
                    if (*vertex - hinge).norm() <= within_mm {
                        *vertex += direction * (displacement_um / 1000.0 * (beyond / length_mm).powi(2));
                    }
                }
            }
            Defect::MissingHole { centre_mm, axis, radius_mm, thickness_mm } => {
                mesh.append(&plug(centre_mm.into(), unit(axis)?, radius_mm, thickness_mm));
            }
            Defect::Scale { factor } => {
                if !(factor > 0.0 && factor.is_finite()) {
                    return Err(UserError::usage("The scale of a simulated part must be a positive number."));
                }
                mesh.scale(factor);
            }
        }
    }
    Ok(mesh)
}

fn unit(direction: [f64; 3]) -> Result<Vector> {
    let vector = Vector::from(direction);
    if vector.norm() > 0.0 && vector.norm().is_finite() {
        Ok(vector.normalize())
    } else {
        Err(UserError::usage("A defect's direction must not be zero."))
    }
}

fn bump(mesh: Mesh, centre: Point, radius_mm: f64, height_mm: f64) -> Result<Mesh> {
    if !(radius_mm > 0.0) {
        return Err(UserError::usage("The radius of a bump must be a positive number of mm."));
    }
    let fine = refine::near(&mesh, &centre, radius_mm * 1.1, radius_mm / 25.0);
    let surface = Surface::new(fine);
    let Some(hit) = surface.closest_point(&centre, f64::INFINITY) else {
        return Err(UserError::input("A bump needs a part with at least one facet."));
    };
    let normal = surface.pseudo_normal(hit.facet, hit.feature).normalize();
    let mut mesh = surface.mesh().clone();
    for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
        let distance = (*vertex - hit.point).norm();
        // Only the near side of a thin sheet is displaced, not its back.
        let same_side = surface.vertex_normals()[index].dot(&normal) > 0.0;
        if distance < radius_mm && same_side {
            let bell = 0.5 + 0.5 * (std::f64::consts::PI * distance / radius_mm).cos();
            *vertex += normal * (height_mm * bell);
        }
    }
    Ok(mesh)
}

fn plug(centre: Point, axis: Vector, radius_mm: f64, thickness_mm: f64) -> Mesh {
    const SIDES: u32 = 64;
    let across = if axis.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
    let u = axis.cross(&across).normalize();
    let v = axis.cross(&u);
    let mut mesh = Mesh::default();
    for end in [-0.5, 0.5] {
        let end_centre = centre + axis * (end * thickness_mm);
        mesh.vertices.push(end_centre);
        for i in 0..SIDES {
            let angle = f64::from(i) / f64::from(SIDES) * std::f64::consts::TAU;
            mesh.vertices.push(end_centre + (u * angle.cos() + v * angle.sin()) * radius_mm);
        }
    }
    let top = SIDES + 1;
    for i in 0..SIDES {
        let (a, b) = (1 + i, 1 + (i + 1) % SIDES);
        mesh.facets.push([0, b, a]);
        mesh.facets.push([top, top + a, top + b]);
        mesh.facets.push([a, b, top + b]);
        mesh.facets.push([a, top + b, top + a]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{mesh::shapes, topology::Topology};

    #[test]
    fn a_bump_rises_by_its_height_on_one_side_only() {
        let plate = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 1.5));
        let bump = Defect::Bump { centre_mm: [20.0, 15.0, 1.5], radius_mm: 4.0, height_um: 250.0 };
        let mesh = apply(&plate, &[bump]).unwrap();
        let highest = mesh.vertices.iter().map(|v| v.z).fold(f64::MIN, f64::max);
        assert!((highest - 1.75).abs() < 0.002, "{highest}");
        assert!(mesh.vertices.iter().all(|v| v.z >= 0.0));
        assert!(Topology::new(&mesh).is_closed());
    }

    #[test]
    fn a_plug_is_closed_and_faces_outward() {
        let plug = plug(Point::new(1.0, 2.0, 3.0), Vector::z(), 2.0, 1.5);
        assert!(Topology::new(&plug).is_closed());
        assert!((plug.volume_mm3() / (std::f64::consts::PI * 4.0 * 1.5) - 1.0).abs() < 0.01);
    }
}
