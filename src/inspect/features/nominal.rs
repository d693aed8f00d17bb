//! Nominals of measured features from facets of the nominal mesh, and deviations of features from their nominals.

use super::element::Situation;
use super::{Element, Kind, Options, Shape, fit};
use base::{ErrorKind, Progress, Result, UserError};
use geometry::{Aabb, Mesh, Point, Vector};

/// Maximum distance of facet vertices from the fitted nominal, as a share of the facets' extent: vertices of a
/// tessellation lie on the CAD surface except for the digits of the file.
const RELATIVE_TOLERANCE: f64 = 1e-3;
/// Lower bound of that distance for small features, mm.
const MIN_TOLERANCE_MM: f64 = 1e-3;

/// Fits a nominal of the kind and orientation of `measured` to the vertices of `facets`; both in the nominal frame. A
/// nominal circle is the section of the fitted cylinder or cone at the height of the measured circle.
///
/// Returns an error if the facets do not form such a feature.
pub fn by_facets(measured: &Shape, mesh: &Mesh, facets: &[u32], progress: &Progress) -> Result<Shape> {
    let corners = mesh.part(facets).vertices;
    let fitted = |kind: Kind| fit_kind(kind, &corners, progress);
    let shape = match measured.kind() {
        Kind::Line => {
            return Err(UserError::usage("Facets define no line; assign a nominal to the plane of the edge instead."));
        }
        Kind::Circle => {
            let wall = match fitted(Kind::Cylinder) {
                Err(error) if error.kind != ErrorKind::Cancelled => {
                    fitted(Kind::Cone).map_err(|_| error.about("A circle needs the facets of the wall around it"))
                }
                wall => wall,
            };
            circle_of(&wall?, &measured.position())?
        }
        kind => fitted(kind)?,
    };
    match Element::from(shape).oriented_like(&(*measured).into()) {
        Element::Shape(shape) => Ok(shape),
        Element::Point(_) => Err(UserError::internal("A feature became a point.")),
    }
}

/// Fits a feature of this kind to the vertices of `facets`; the normal of a plane points out of the material.
///
/// Returns an error if the facets do not form such a feature.
pub fn on_facets(kind: Kind, mesh: &Mesh, facets: &[u32], progress: &Progress) -> Result<Shape> {
    let shape = fit_kind(kind, &mesh.part(facets).vertices, progress)?;
    let Shape::Plane { point, normal } = shape else { return Ok(shape) };
    let outward = facets.first().map_or(normal, |facet| mesh.normal(*facet as usize));
    Ok(Shape::Plane { point, normal: if normal.dot(&outward) < 0.0 { -normal } else { normal } })
}

fn fit_kind(kind: Kind, corners: &[Point], progress: &Progress) -> Result<Shape> {
    let name = kind.name().to_lowercase();
    let found = fit(kind, corners, &[], &Options::default(), progress)
        .map_err(|error| error.about(&format!("Fit of a {name} to the facets")))?;
    let limit_mm = (RELATIVE_TOLERANCE * Aabb::of_points_parallel(corners).diagonal()).max(MIN_TOLERANCE_MM);
    let off_mm = found.residuals_mm.iter().fold(0.0_f64, |max, residual| max.max(residual.abs()));
    if off_mm > limit_mm {
        return Err(UserError::input(format!(
            "The facets form no {name}: their vertices lie up to {off_mm:.3} mm from the best fit. Select whole faces \
             of the feature only."
        )));
    }
    Ok(found.shape)
}

/// The circle of a cylinder or cone at the height of `level`.
fn circle_of(wall: &Shape, level: &Point) -> Result<Shape> {
    match *wall {
        Shape::Cylinder { point, axis, radius } => {
            let centre = point + axis * (level - point).dot(&axis);
            Ok(Shape::Circle { centre, normal: axis, radius })
        }
        Shape::Cone { point, axis, radius, half_angle_rad } => {
            let height = (level - point).dot(&axis);
            let radius = radius + height * half_angle_rad.tan();
            if radius <= 0.0 {
                return Err(UserError::input("The measured circle lies beyond the apex of the facets' cone."));
            }
            Ok(Shape::Circle { centre: point + axis * height, normal: axis, radius })
        }
        _ => Err(UserError::internal("A circle was requested of a surface that is neither a cylinder nor a cone.")),
    }
}

/// Deviation of a feature from its nominal.
#[derive(Clone, Debug, PartialEq)]
pub struct Off {
    /// From the nominal to the measured position, mm: for planes along the nominal normal, for lines and axes
    /// perpendicular to the nominal direction.
    pub shift_mm: Vector,
    /// Acute angle between the directions, rad; `None` if one has no direction.
    pub turn_rad: Option<f64>,
    /// Measured minus nominal size parameters, by name: lengths in mm, angles in rad.
    pub numbers: Vec<(&'static str, f64)>,
}

/// Deviation of `measured` from `nominal`, both in the same frame.
pub fn off(measured: &Shape, nominal: &Element) -> Off {
    let position = measured.position();
    let shift_mm = match nominal.situation() {
        Situation::Point(point) => position - point,
        Situation::Line(line) => position - line.foot(&position),
        Situation::Plane(plane) => position - plane.foot(&position),
    };
    let directions = measured.direction().zip(nominal.direction());
    let turn_rad = directions.map(|(one, other)| one.cross(&other).norm().atan2(one.dot(&other).abs()));
    let Element::Shape(nominal) = nominal else { return Off { shift_mm, turn_rad, numbers: Vec::new() } };
    let numbers = match (*measured, *nominal) {
        (Shape::Circle { radius, .. }, Shape::Circle { radius: nominal, .. })
        | (Shape::Sphere { radius, .. }, Shape::Sphere { radius: nominal, .. })
        | (Shape::Cylinder { radius, .. }, Shape::Cylinder { radius: nominal, .. }) => {
            vec![("Radius", radius - nominal)]
        }
        (
            Shape::Cone { radius, half_angle_rad, .. },
            Shape::Cone { point, axis, radius: nominal, half_angle_rad: nominal_rad },
        ) => {
            // The nominal radius at the measured cone's reference point.
            let nominal_radius = nominal + (position - point).dot(&axis) * nominal_rad.tan();
            vec![("Radius", radius - nominal_radius), ("Half angle", half_angle_rad - nominal_rad)]
        }
        (Shape::Torus { major, minor, .. }, Shape::Torus { major: nominal, minor: nominal_minor, .. }) => {
            vec![("Major radius", major - nominal), ("Minor radius", minor - nominal_minor)]
        }
        _ => Vec::new(),
    };
    Off { shift_mm, turn_rad, numbers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;

    fn all(mesh: &Mesh) -> Vec<u32> {
        (0..mesh.facets.len() as u32).collect()
    }

    /// Facets of a surface of revolution about the z axis whose radius grows by `slope` per unit of height.
    fn wall(radius: f64, slope: f64, height: f64) -> Mesh {
        let steps = 24;
        let corner = |i: usize, z: f64| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / f64::from(steps)).sin_cos();
            let radius = radius + slope * z;
            Point::new(5.0 + radius * cos, -3.0 + radius * sin, z)
        };
        let mut mesh = Mesh::default();
        for i in 0..steps as usize {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([corner(i, 0.0), corner(i + 1, 0.0), corner(i + 1, height), corner(i, height)]);
            mesh.facets.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
        mesh
    }

    #[test]
    fn walls_give_nominal_cylinders_and_circles() {
        let silent = Progress::silent();
        let mesh = wall(6.0, 0.0, 10.0);
        let axis = -Vector::z();
        let measured = Shape::Cylinder { point: Point::new(5.1, -3.0, 4.0), axis, radius: 6.05 };
        let nominal = by_facets(&measured, &mesh, &all(&mesh), &silent).unwrap();
        let off = off(&measured, &nominal.into());
        assert!((off.shift_mm - Vector::x() * 0.1).norm() < 1e-9 && off.turn_rad.unwrap() < 1e-9, "{off:?}");
        assert!(off.numbers[0].0 == "Radius" && (off.numbers[0].1 - 0.05).abs() < 1e-9, "{off:?}");
        assert!(nominal.direction().unwrap().z < 0.0);

        let cone = wall(6.0, 0.2, 10.0);
        let circle = Shape::Circle { centre: Point::new(5.0, -3.02, 7.0), normal: Vector::z(), radius: 7.4 };
        for (mesh, radius) in [(&mesh, 6.0), (&cone, 7.4)] {
            let nominal = by_facets(&circle, mesh, &all(mesh), &silent).unwrap();
            assert!((nominal.position() - Point::new(5.0, -3.0, 7.0)).norm() < 1e-8, "{nominal:?}");
            let off = super::off(&circle, &nominal.into());
            assert!((off.numbers[0].1 - (7.4 - radius)).abs() < 1e-8, "{off:?}");
        }
    }

    #[test]
    fn facets_of_another_feature_are_an_error() {
        let cube = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        let measured = Shape::Plane { point: Point::new(1.0, 2.0, 10.05), normal: Vector::z() };
        let top: Vec<u32> = all(&cube).into_iter().filter(|&facet| cube.normal(facet as usize).z > 0.9).collect();
        let silent = Progress::silent();
        let nominal = by_facets(&measured, &cube, &top, &silent).unwrap();
        assert!((off(&measured, &nominal.into()).shift_mm - Vector::z() * 0.05).norm() < 1e-9);
        let said = by_facets(&measured, &cube, &all(&cube), &silent).unwrap_err().sentence;
        assert!(said.contains("form no plane") && said.contains("whole faces"), "{said}");
        let line = Shape::Line { point: Point::origin(), direction: Vector::x() };
        assert!(by_facets(&line, &cube, &top, &silent).unwrap_err().sentence.contains("no line"));
        let sphere = Shape::Sphere { centre: Point::origin(), radius: 1.0 };
        assert!(by_facets(&sphere, &cube, &top[..1], &silent).is_err());
    }
}
