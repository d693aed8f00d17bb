//! What a measured feature should be, by the facets of the nominal that it was made as; and how far it is off.

use super::element::Situation;
use super::{Element, Kind, Options, Shape, fit};
use base::{ErrorKind, Progress, Result, UserError};
use geometry::{Aabb, Mesh, Point, Vector};

/// Share of the facets' extent that their corners may lie off a feature and still be of it: corners of a tessellation
/// lie on the surface of the CAD, but for the digits of the file.
const LEANT: f64 = 1e-3;
/// The same in small features, mm.
const LEAST_MM: f64 = 1e-3;

/// The feature that `facets` are of, as the nominal's corners have it, of the kind of `measured` and on its side; both
/// in the frame of the nominal. A circle is where the cylinder or cone of the facets is as high as the measured one.
///
/// Fails with a sentence where the facets are of no such feature.
pub fn by_facets(measured: &Shape, mesh: &Mesh, facets: &[u32], progress: &Progress) -> Result<Shape> {
    let corners = mesh.part(facets).vertices;
    let of = |kind: Kind| of_kind(kind, &corners, progress);
    let shape = match measured.kind() {
        Kind::Line => {
            return Err(UserError::usage("Facets have no line; give the edge's plane a nominal instead."));
        }
        Kind::Circle => {
            let wall = match of(Kind::Cylinder) {
                Err(error) if error.kind != ErrorKind::Cancelled => {
                    of(Kind::Cone).map_err(|_| error.about("A circle's facets are those of the wall about it"))
                }
                wall => wall,
            };
            circle_of(&wall?, &measured.place())?
        }
        kind => of(kind)?,
    };
    match Element::from(shape).oriented_like(&(*measured).into()) {
        Element::Shape(shape) => Ok(shape),
        Element::Point(_) => Err(UserError::internal("A feature became a point.")),
    }
}

fn of_kind(kind: Kind, corners: &[Point], progress: &Progress) -> Result<Shape> {
    let name = kind.name().to_lowercase();
    let found = fit(kind, corners, &[], &Options::default(), progress)
        .map_err(|error| error.about(&format!("The corners of the facets as a {name}")))?;
    let most_mm = (LEANT * Aabb::of_many(corners).diagonal()).max(LEAST_MM);
    let off_mm = found.residuals_mm.iter().fold(0.0_f64, |most, own| most.max(own.abs()));
    if off_mm > most_mm {
        return Err(UserError::input(format!(
            "The facets are of no {name}: their corners lie up to {off_mm:.3} mm off the best one. Select whole faces, \
             and no others."
        )));
    }
    Ok(found.shape)
}

/// The circle of a wall at the height of `place`.
fn circle_of(wall: &Shape, place: &Point) -> Result<Shape> {
    match *wall {
        Shape::Cylinder { point, axis, radius } => {
            let centre = point + axis * (place - point).dot(&axis);
            Ok(Shape::Circle { centre, normal: axis, radius })
        }
        Shape::Cone { point, axis, radius, half_angle_rad } => {
            let height = (place - point).dot(&axis);
            let radius = radius + height * half_angle_rad.tan();
            if radius <= 0.0 {
                return Err(UserError::input("The measured circle lies beyond the apex of the facets' cone."));
            }
            Ok(Shape::Circle { centre: point + axis * height, normal: axis, radius })
        }
        _ => Err(UserError::internal("A wall is a cylinder or a cone.")),
    }
}

/// How far a feature is from what it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Off {
    /// From where it should be to where it is, mm: of planes along their normal, of lines and axes square to them.
    pub shift_mm: Vector,
    /// Between the directions, rad; `None` where there are none.
    pub turn_rad: Option<f64>,
    /// Its numbers less those that it should have, by name: lengths in mm, angles in rad.
    pub numbers: Vec<(&'static str, f64)>,
}

/// How far `measured` is from `nominal`; both in one frame.
pub fn off(measured: &Shape, nominal: &Element) -> Off {
    let place = measured.place();
    let shift_mm = match nominal.situation() {
        Situation::Point(point) => place - point,
        Situation::Line(line) => place - line.foot(&place),
        Situation::Plane(plane) => place - plane.foot(&place),
    };
    let directions = measured.direction().zip(nominal.direction());
    let turn_rad = directions.map(|(one, other)| one.cross(&other).norm().atan2(one.dot(&other).abs()));
    let Element::Shape(nominal) = nominal else { return Off { shift_mm, turn_rad, numbers: Vec::new() } };
    let numbers = match (*measured, *nominal) {
        (Shape::Circle { radius, .. }, Shape::Circle { radius: wanted, .. })
        | (Shape::Sphere { radius, .. }, Shape::Sphere { radius: wanted, .. })
        | (Shape::Cylinder { radius, .. }, Shape::Cylinder { radius: wanted, .. }) => vec![("Radius", radius - wanted)],
        (
            Shape::Cone { radius, half_angle_rad, .. },
            Shape::Cone { point, axis, radius: wanted, half_angle_rad: wanted_rad },
        ) => {
            // Where the measured radius is stated.
            let there = wanted + (place - point).dot(&axis) * wanted_rad.tan();
            vec![("Radius", radius - there), ("Half angle", half_angle_rad - wanted_rad)]
        }
        (Shape::Torus { major, minor, .. }, Shape::Torus { major: wanted, minor: wanted_minor, .. }) => {
            vec![("Major radius", major - wanted), ("Minor radius", minor - wanted_minor)]
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

    /// Facets of a wall about the Z axis whose radius grows by `slope` with the height.
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
    fn walls_lead_to_cylinders_cones_and_circles() {
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
            assert!((nominal.place() - Point::new(5.0, -3.0, 7.0)).norm() < 1e-8, "{nominal:?}");
            let off = super::off(&circle, &nominal.into());
            assert!((off.numbers[0].1 - (7.4 - radius)).abs() < 1e-8, "{off:?}");
        }
    }

    #[test]
    fn facets_of_another_feature_are_a_sentence() {
        let cube = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        let measured = Shape::Plane { point: Point::new(1.0, 2.0, 10.05), normal: Vector::z() };
        let top: Vec<u32> = all(&cube).into_iter().filter(|&facet| cube.normal(facet as usize).z > 0.9).collect();
        let silent = Progress::silent();
        let nominal = by_facets(&measured, &cube, &top, &silent).unwrap();
        assert!((off(&measured, &nominal.into()).shift_mm - Vector::z() * 0.05).norm() < 1e-9);
        let said = by_facets(&measured, &cube, &all(&cube), &silent).unwrap_err().sentence;
        assert!(said.contains("of no plane") && said.contains("whole faces"), "{said}");
        let line = Shape::Line { point: Point::origin(), direction: Vector::x() };
        assert!(by_facets(&line, &cube, &top, &silent).unwrap_err().sentence.contains("no line"));
        let sphere = Shape::Sphere { centre: Point::origin(), radius: 1.0 };
        assert!(by_facets(&sphere, &cube, &top[..1], &silent).is_err());
    }
}
