//! Alignments by reference points and datums against closed forms, on blocks with tilted faces in random poses.

use super::datum_system::{self, outer_tangent_plane};
use super::reference_points::{Direction, ReferencePoint, align};
use crate::features::{Element, Shape};
use crate::tolerances::Datum;
use base::{Progress, random::Random};
use geometry::mesh::shapes;
use geometry::{Point, Pose, Surface, Vector};

const SIZE: [f64; 3] = [80.0, 50.0, 30.0];

/// The nominal block, centred on the origin.
fn block() -> Surface {
    let half = Vector::from(SIZE) / 2.0;
    Surface::new(shapes::cuboid(Point::from(-half), Point::from(half)))
}

/// The face of the block along +axis as manufactured: displaced and tilted.
#[derive(Clone, Copy)]
struct Face {
    axis: usize,
    point: Point,
    normal: Vector,
}

fn face(axis: usize, random: &mut Random) -> Face {
    let mut tilted = || random.range(-0.004, 0.004);
    let normal = (Vector::ith(axis, 1.0) + Vector::new(tilted(), tilted(), tilted())).normalize();
    let point = Point::from(Vector::ith(axis, SIZE[axis] / 2.0 + random.range(-0.2, 0.2)));
    Face { axis, point, normal }
}

impl Face {
    /// Its points on a grid, inside of the edges.
    fn points(&self) -> Vec<Point> {
        let (a, b) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut points = Vec::new();
        for i in 0..60 {
            for j in 0..60 {
                let mut own = Point::origin();
                own[a] = (f64::from(i) / 59.0 - 0.5) * (SIZE[a] - 2.0);
                own[b] = (f64::from(j) / 59.0 - 0.5) * (SIZE[b] - 2.0);
                own[self.axis] = self.point[self.axis];
                let height = (self.point - own).dot(&self.normal) / self.normal[self.axis];
                own[self.axis] += height;
                points.push(own);
            }
        }
        points
    }
}

/// The manufactured faces +z, +y, +x, the scan of them, and its pose in the nominal frame.
struct Part {
    faces: [Face; 3],
    scan: Vec<Point>,
    nominal_from_scan: Pose,
}

fn part(random: &mut Random) -> Part {
    let faces = [face(2, random), face(1, random), face(0, random)];
    let nominal_from_scan =
        Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation());
    let scan_from_nominal = nominal_from_scan.inverse();
    let scan = faces.iter().flat_map(Face::points).map(|point| scan_from_nominal * point).collect();
    Part { faces, scan, nominal_from_scan }
}

impl Part {
    /// A pre-alignment that is some tenths of a millimetre off.
    fn start(&self, random: &mut Random) -> Pose {
        let mut small = |size: f64| Vector::from_fn(|_, _| random.range(-size, size));
        geometry::transform::step_about(&Point::origin(), small(0.004), small(0.3)) * self.nominal_from_scan
    }

    /// A face's plane in the scan frame, as point and outward normal.
    fn plane(&self, index: usize) -> (Point, Vector) {
        let back = self.nominal_from_scan.inverse();
        (back * self.faces[index].point, back * self.faces[index].normal)
    }
}

fn reference(name: &str, point: [f64; 3], direction: Direction) -> ReferencePoint {
    ReferencePoint { name: name.into(), point: Point::from(point), direction }
}

/// Three points on +z, two on +y, one on +x.
fn three_two_one() -> Vec<ReferencePoint> {
    let [x, y, z] = SIZE.map(|size| size / 2.0);
    vec![
        reference("R1", [-30.0, -15.0, z], Direction::Z),
        reference("R2", [30.0, -15.0, z], Direction::Z),
        reference("R3", [0.0, 18.0, z], Direction::Normal),
        reference("R4", [-28.0, y, 2.0], Direction::Y),
        reference("R5", [28.0, y, -3.0], Direction::Y),
        reference("R6", [x, 4.0, 1.0], Direction::X),
    ]
}

/// In the scan frame: the rotation that makes the primary plane's normal that of R1 to R3 and lets the secondary one
/// hold R4 and R5, and the translation that lets all three planes pass through their points.
fn closed_form(part: &Part) -> Pose {
    let at: Vec<Point> = three_two_one().iter().map(|own| own.point).collect();
    let ((a, n), (b, m), (c, k)) = (part.plane(0), part.plane(1), part.plane(2));
    // In the nominal frame: N is the normal of R1 to R3, M that of the secondary plane, with the angle as measured.
    let normal = (at[1] - at[0]).cross(&(at[2] - at[0])).normalize();
    let between = at[4] - at[3];
    let cosine = n.dot(&m);
    let sine = (1.0 - cosine * cosine).sqrt();
    // M = cosine N + sine W with W perpendicular to N and M · between = 0.
    let (e, f) = (Vector::x(), normal.cross(&Vector::x()).normalize());
    let e = (e - normal * e.dot(&normal)).normalize();
    let wanted = -cosine * normal.dot(&between) / sine;
    let (p, q) = (e.dot(&between), f.dot(&between));
    let (radius, phase) = (p.hypot(q), q.atan2(p));
    let candidates = [1.0, -1.0].map(|sign| {
        let angle = phase + sign * (wanted / radius).acos();
        e * angle.cos() + f * angle.sin()
    });
    let w = if candidates[0].y > candidates[1].y { candidates[0] } else { candidates[1] };
    let secondary = normal * cosine + w * sine;
    let frame = |one: &Vector, other: &Vector| {
        let y = (other - one * other.dot(one)).normalize();
        nalgebra::Rotation3::from_basis_unchecked(&[y.cross(one), y, *one])
    };
    let rotation = frame(&normal, &secondary) * frame(&n, &m).inverse();
    let normals = nalgebra::Matrix3::from_rows(&[
        (rotation * n).transpose(),
        (rotation * m).transpose(),
        (rotation * k).transpose(),
    ]);
    let off = |normal: &Vector, on: &Point, at: &Point| (rotation * normal).dot(&(at - rotation * on));
    let right = Vector::new(off(&n, &a, &at[0]), off(&m, &b, &at[3]), off(&k, &c, &at[5]));
    Pose::from_parts(normals.lu().solve(&right).unwrap().into(), rotation.into())
}

fn far(one: &Pose, other: &Pose, part: &Part) -> f64 {
    part.scan.iter().map(|point| (one * point - other * point).norm()).fold(0.0, f64::max)
}

#[test]
fn three_two_one_is_the_closed_form_on_100_parts() {
    let (nominal, mut random) = (block(), Random::new(321, 0));
    for _ in 0..100 {
        let part = part(&mut random);
        let start = part.start(&mut random);
        let found = align(&nominal, &part.scan, &three_two_one(), 3.0, &start, &Progress::silent()).unwrap();
        let off_mm = far(&found.alignment.nominal_from_scan, &closed_form(&part), &part);
        assert!(off_mm < 1e-7, "{off_mm} mm");
        assert!(found.alignment.converged && found.alignment.information.open.is_empty());
        assert!(found.points.iter().all(|own| own.deviation_mm.abs() < 1e-8 && own.points >= 3), "{:?}", found.points);
        assert!(found.amplification > 1.0 && found.amplification < 10.0, "{}", found.amplification);
    }
}

#[test]
fn more_points_than_needed_share_their_deviations() {
    let (nominal, mut random) = (block(), Random::new(8, 0));
    let part = part(&mut random);
    let mut points = three_two_one();
    points.extend([[-30.0, 15.0, 15.0], [30.0, 15.0, 15.0]].map(|at| reference("more", at, Direction::Normal)));
    let found = align(&nominal, &part.scan, &points, 3.0, &part.start(&mut random), &Progress::silent()).unwrap();
    // The primary face is plane, so that five points on it agree.
    assert!(found.alignment.rms_mm < 1e-8);
}

#[test]
fn points_that_leave_freedom_say_which_and_keep_the_pre_alignment() {
    let (nominal, mut random) = (block(), Random::new(5, 0));
    let part = part(&mut random);
    let start = part.start(&mut random);
    let found = align(&nominal, &part.scan, &three_two_one()[..3], 3.0, &start, &Progress::silent()).unwrap();
    let open = &found.alignment.information.open;
    assert_eq!(open.len(), 3, "{open:?}");
    assert!(open.iter().all(|own| own.starts_with("rotation about z") || own.starts_with("translation along")));
    assert!(found.alignment.doubt().unwrap().contains("undetermined"));
    assert!(found.amplification.is_infinite());
    let (shift_mm, _) = geometry::transform::difference(
        &found.alignment.nominal_from_scan,
        &start,
        &(start.inverse() * Point::origin()),
    );
    assert!(shift_mm < 1.0, "{shift_mm}");
}

#[test]
fn points_that_cannot_be_held_are_refused_with_a_sentence() {
    let (nominal, mut random) = (block(), Random::new(6, 0));
    let part = part(&mut random);
    let says = |points: &[ReferencePoint]| {
        align(&nominal, &part.scan, points, 3.0, &part.nominal_from_scan, &Progress::silent()).unwrap_err().sentence
    };
    assert!(says(&[]).contains("at least one"));
    assert!(says(&[reference("R9", [0.0, 0.0, 40.0], Direction::Normal)]).contains("R9 is more than 0.5 mm"));
    assert!(says(&[reference("R9", [0.0, 0.0, 15.0], Direction::X)]).contains("cannot be held along X"));
    assert!(says(&[reference("R9", [0.0, 0.0, -15.0], Direction::Z)]).contains("R9 was not measured"));
    assert!(says(&[reference("R9", [39.9, 24.9, 15.0], Direction::Z)]).contains("R9 lies at the border"));
}

/// Planes with form errors in random poses: the datum plane has no positive deviation, the later datums keep their
/// angles and touch in one point.
#[test]
fn datum_planes_have_no_positive_deviation_on_100_parts() {
    let mut random = Random::new(5459, 0);
    let plane = |point: Point, normal: Vector| Element::from(Shape::Plane { point, normal });
    for _ in 0..100 {
        let part = part(&mut random);
        let back = part.nominal_from_scan.inverse();
        let rough = |face: &Face, random: &mut Random| -> Vec<Point> {
            face.points().iter().step_by(7).map(|own| back * (own - face.normal * random.range(0.0, 0.05))).collect()
        };
        let points = part.faces.map(|face| rough(&face, &mut random));
        let start = part.start(&mut random);
        let tangent =
            |index: usize| outer_tangent_plane(&points[index], &part.plane(index).1, &Progress::silent()).unwrap();
        let nominals =
            [2, 1, 0].map(|axis| plane(Point::from(Vector::ith(axis, SIZE[axis] / 2.0)), Vector::ith(axis, 1.0)));
        let datums: Vec<Datum<'_>> = ["A", "B", "C"]
            .into_iter()
            .enumerate()
            .map(|(i, letter)| Datum { letter, element: tangent(i), nominal: Some(nominals[i]) })
            .collect();
        let found = datum_system::align(&datums, &start).unwrap();
        assert!(found.information.open.is_empty());
        let highest = points[0].iter().map(|own| (found.nominal_from_scan * own).z - SIZE[2] / 2.0);
        let highest = highest.fold(f64::NEG_INFINITY, f64::max);
        assert!(highest.abs() < 1e-9, "{highest}");
        // Closed form: the measured normals, made perpendicular in order of priority, and the corner of the planes.
        let normal = |index: usize| datums[index].element.direction().unwrap();
        let z = normal(0);
        let y = (normal(1) - z * normal(1).dot(&z)).normalize();
        let x = y.cross(&z);
        let rotation = nalgebra::Rotation3::from_basis_unchecked(&[x, y, z]).inverse();
        let height = |index: usize, axis: Vector| axis.dot(&datums[index].element.position().coords);
        let corner = Vector::new(height(2, x), height(1, y), height(0, z));
        let closed = Pose::from_parts((Vector::from(SIZE) / 2.0 - corner).into(), rotation.into());
        assert!(far(&found.nominal_from_scan, &closed, &part) < 1e-9);
        // The first datum alone leaves three degrees of freedom, which stay as in the pre-alignment.
        let alone = datum_system::align(&datums[..1], &start).unwrap();
        assert_eq!(alone.information.open, ["translation along x", "translation along y", "rotation about z"]);
        let centre = start.inverse() * Point::origin();
        let moved = alone.nominal_from_scan * centre;
        assert!(moved.x.hypot(moved.y) < 0.5, "{moved}");
        assert!((alone.nominal_from_scan.rotation * z - Vector::z()).norm() < 1e-12);
    }
}
