//! Alignments by reference points and datums against closed forms, on blocks with tilted faces in random poses.

mod centres;
mod common_datums;
mod noise;

use super::Main;
use super::association::DatumFeature;
use super::datum_system::{self, DatumAssociation};
use super::reference_points::{self, Centres, Direction, ReferencePoint, ReferencePoints, ReferenceResult};
use super::within_tolerance::{self, ToleranceFit};
use crate::alignment::Alignment;
use crate::deviation::Tolerance;
use crate::features::{Kind, Objective, Options, Shape, fit};
use crate::parts::{Actual, Nominal};
use base::{Progress, random::Random};
use geometry::mesh::shapes;
use geometry::{Point, Pose, Surface, Vector, sampling};

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
    ReferencePoint::held_along(name.into(), Point::from(point), direction)
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

fn closed_form(part: &Part) -> Pose {
    closed_form_at(part, &three_two_one().iter().map(|own| own.point).collect::<Vec<_>>())
}

/// In the scan frame: the rotation that makes the primary plane's normal that of the first three points and lets the
/// secondary one hold the next two, and the translation that lets all three planes pass through their points.
fn closed_form_at(part: &Part, at: &[Point]) -> Pose {
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

/// Aligned with a radius of 3 mm about the reference points.
fn align(nominal: &Surface, part: &Part, points: &[ReferencePoint], start: &Pose) -> base::Result<Alignment> {
    let references = ReferencePoints { points: points.to_vec(), radius_mm: 3.0 };
    reference_points::align(nominal, &part.scan, &references, &Centres::new(), start, &Progress::silent())
}

fn at_the_points(found: &Alignment) -> (&[ReferenceResult], Option<f64>) {
    match &found.main {
        Some(Main::ReferencePoints { points, amplification }) => (points, *amplification),
        other => panic!("{other:?}"),
    }
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
        let found = align(&nominal, &part, &three_two_one(), &start).unwrap();
        let off_mm = far(&found.nominal_from_scan, &closed_form(&part), &part);
        assert!(off_mm < 1e-7, "{off_mm} mm");
        assert!(found.converged && found.information.open.is_empty());
        let (points, amplification) = at_the_points(&found);
        assert!(points.iter().all(|own| own.deviation_mm.abs() < 1e-8 && own.points >= 3), "{points:?}");
        assert!(amplification.is_some_and(|own| own > 1.0 && own < 10.0), "{amplification:?}");
    }
}

/// A point held along several directions.
fn held(name: &str, point: [f64; 3], directions: &[Direction]) -> ReferencePoint {
    let mut own = reference(name, point, directions[0]);
    directions.iter().for_each(|direction| own.hold(*direction, true));
    own
}

/// Two points on an edge hold y and z each, one on another edge holds x alone though the upper face is as close.
#[test]
fn points_that_hold_several_directions_are_the_closed_form_on_many_parts() {
    let [x, y, z] = SIZE.map(|size| size / 2.0);
    let points = vec![
        held("R1", [-30.0, y, z], &[Direction::Z, Direction::Y]),
        held("R2", [30.0, y, z], &[Direction::Y, Direction::Z]),
        reference("R3", [0.0, -14.0, z], Direction::Z),
        reference("R4", [x, 4.0, z], Direction::X),
    ];
    let nominal = block();
    assert_eq!(reference_points::open_freedoms(&nominal, &points).unwrap(), Vec::<String>::new());
    // The first three anticlockwise as seen from above.
    let at = [1, 0, 2, 0, 1, 3].map(|index: usize| points[index].point);
    // The scan ends 1 mm before the edges.
    let references = ReferencePoints { points, radius_mm: 10.0 };
    let mut random = Random::new(1101, 0);
    for _ in 0..crate::test_sizes::draws(25, 100) {
        let part = part(&mut random);
        let start = part.start(&mut random);
        let (silent, none) = (Progress::silent(), Centres::new());
        let found = reference_points::align(&nominal, &part.scan, &references, &none, &start, &silent).unwrap();
        let off_mm = far(&found.nominal_from_scan, &closed_form_at(&part, &at), &part);
        assert!(found.converged && off_mm < 1e-6, "{off_mm} mm");
        let (results, _) = at_the_points(&found);
        let held: Vec<_> = results.iter().map(|own| (own.name.as_str(), own.direction, own.is_further)).collect();
        let both = |name| [(name, Direction::Y, false), (name, Direction::Z, true)];
        let others = [("R3", Direction::Z, false), ("R4", Direction::X, false)];
        assert_eq!(held, [both("R1"), both("R2"), others].concat());
        assert!(found.main.unwrap().name().starts_with("4 reference points"));
    }
}

/// A smooth face says nothing of motions along itself: all directions of a point on it count as one.
#[test]
fn several_directions_on_a_smooth_face_count_as_one() {
    let mut mesh = shapes::sphere(1.0, 5);
    mesh.vertices.iter_mut().for_each(|own| *own = Point::new(40.0 * own.x, 28.0 * own.y, 20.0 * own.z));
    let nominal = Surface::new(mesh);
    let toward = Vector::new(2.0, 1.0, 1.0).normalize();
    let ray = nominal.first_hit(&Point::origin(), &toward, 0.0, 100.0).unwrap();
    let at = toward * ray.t;
    let all = held("R1", at.into(), &Direction::ALL);
    assert_eq!(all.directions().count(), 4);
    assert_eq!(reference_points::open_freedoms(&nominal, std::slice::from_ref(&all)).unwrap().len(), 5);
    let beside = held("R2", [-at.x, at.y, at.z], &[Direction::X, Direction::Y, Direction::Z]);
    assert_eq!(reference_points::open_freedoms(&nominal, &[all, beside]).unwrap().len(), 4);
}

/// As written before points could hold several directions, and the other way round.
#[test]
fn points_of_one_direction_are_stored_as_before() {
    let stored = r#"{"name":"R1","point":[1.0,2.0,3.0],"direction":"z"}"#;
    let own: ReferencePoint = serde_json::from_str(stored).unwrap();
    assert_eq!(own, reference("R1", [1.0, 2.0, 3.0], Direction::Z));
    assert_eq!(serde_json::to_string(&own).unwrap(), stored);
    let mut several = own.clone();
    several.hold(Direction::X, true);
    let text = serde_json::to_string(&several).unwrap();
    assert_eq!(serde_json::from_str::<ReferencePoint>(&text).unwrap(), several);
    several.hold(Direction::X, false);
    several.hold(Direction::Z, false);
    assert_eq!(several, own);
}

/// RPS with more points than degrees of freedom: on plane faces they agree, whichever are added.
#[test]
fn more_points_than_needed_on_plane_faces_agree_on_100_parts() {
    let (nominal, mut random) = (block(), Random::new(8, 0));
    for _ in 0..100 {
        let part = part(&mut random);
        let mut points = three_two_one();
        for _ in 0..3 {
            let at = [random.range(-35.0, 35.0), random.range(-20.0, 20.0), 15.0];
            points.push(reference("more", at, Direction::Normal));
        }
        let found = align(&nominal, &part, &points, &part.start(&mut random)).unwrap();
        let off_mm = far(&found.nominal_from_scan, &closed_form(&part), &part);
        assert!(found.rms_mm < 1e-8 && off_mm < 1e-7, "{} {off_mm}", found.rms_mm);
    }
}

/// RPS on a part without a plane face: an ellipsoid, each point held along its normal or along an axis.
#[test]
fn points_on_curved_faces_give_the_pose_of_many_parts() {
    let mut mesh = shapes::sphere(1.0, 5);
    mesh.vertices.iter_mut().for_each(|own| *own = Point::new(40.0 * own.x, 28.0 * own.y, 20.0 * own.z));
    let nominal = Surface::new(mesh);
    let mut random = Random::new(17, 0);
    let scan: Vec<Point> = sampling::by_area(nominal.mesh(), 40_000, 3).iter().map(|own| own.point).collect();
    for _ in 0..crate::test_sizes::draws(25, 100) {
        let nominal_from_scan =
            Pose::from_parts(Vector::from_fn(|_, _| random.range(-300.0, 300.0)).into(), random.rotation());
        let scan_from_nominal = nominal_from_scan.inverse();
        let part = Part {
            faces: [face(2, &mut random), face(1, &mut random), face(0, &mut random)],
            scan: scan.iter().map(|point| scan_from_nominal * point).collect(),
            nominal_from_scan,
        };
        let start = part.start(&mut random);
        // Points that hold the part well; others would magnify what noise there is.
        let found = loop {
            let points: Vec<ReferencePoint> = (0..8)
                .map(|index| {
                    let at = scan[(random.range(0.0, 1.0) * scan.len() as f64) as usize % scan.len()];
                    let normal = nominal.mesh().normal(nominal.closest_point(&at, 1.0).unwrap().facet as usize);
                    let axis = [Direction::X, Direction::Y, Direction::Z][normal.iamax()];
                    reference("on it", at.into(), if index % 2 == 0 { axis } else { Direction::Normal })
                })
                .collect();
            let found = align(&nominal, &part, &points, &start).unwrap();
            if at_the_points(&found).1.is_some_and(|own| own < 30.0) {
                break found;
            }
        };
        let off_mm = far(&found.nominal_from_scan, &part.nominal_from_scan, &part);
        assert!(found.converged && off_mm < 1e-6, "{off_mm} mm after {} steps", found.iterations);
    }
}

#[test]
fn points_that_leave_freedom_say_which_and_keep_the_pre_alignment() {
    let (nominal, mut random) = (block(), Random::new(5, 0));
    let part = part(&mut random);
    let start = part.start(&mut random);
    let found = align(&nominal, &part, &three_two_one()[..3], &start).unwrap();
    let open = &found.information.open;
    assert_eq!(open.len(), 3, "{open:?}");
    assert!(open.iter().all(|own| own.starts_with("rotation about z") || own.starts_with("translation along")));
    assert!(found.doubt().unwrap().contains("undetermined"));
    assert_eq!(at_the_points(&found).1, None);
    // Six points on one face leave the same freedom.
    let on_top = [-1.0, 0.0, 1.0].map(|k| [[30.0 * k, -15.0, 15.0], [28.0 * k, 18.0, 15.0]]).concat();
    let on_top: Vec<ReferencePoint> = on_top.into_iter().map(|at| reference("R", at, Direction::Normal)).collect();
    let many = align(&nominal, &part, &on_top, &start).unwrap();
    assert!(at_the_points(&many).1.is_none() && many.information.open.len() == 3);
    let centre = start.inverse() * Point::origin();
    let (shift_mm, _) = geometry::transform::difference(&found.nominal_from_scan, &start, &centre);
    assert!(shift_mm < 1.0, "{shift_mm}");
    // It is known before anything is measured.
    let known = |points: &[ReferencePoint]| reference_points::open_freedoms(&nominal, points).unwrap().len();
    let all = three_two_one();
    assert_eq!((0..=6).map(|count| known(&all[..count])).collect::<Vec<_>>(), [6, 5, 4, 3, 2, 1, 0]);
}

#[test]
fn points_that_cannot_be_held_are_refused_with_a_sentence() {
    let (nominal, mut random) = (block(), Random::new(6, 0));
    let part = part(&mut random);
    let says =
        |points: &[ReferencePoint]| align(&nominal, &part, points, &part.nominal_from_scan).unwrap_err().sentence;
    assert!(says(&[]).contains("at least one"));
    assert!(says(&[reference("R9", [0.0, 0.0, 40.0], Direction::Normal)]).contains("“R9” is more than 0.5 mm"));
    assert!(says(&[reference("R9", [0.0, 0.0, 15.0], Direction::X)]).contains("cannot be held along x"));
    assert!(says(&[reference("R9", [0.0, 0.0, -15.0], Direction::Z)]).contains("“R9” was not measured"));
    assert!(says(&[reference("R9", [39.9, 24.9, 15.0], Direction::Z)]).contains("“R9” lies at the border"));
}

fn datum(letter: &str, element: Shape, nominal: Shape, points: Vec<Point>, is_outward: bool) -> DatumFeature {
    let (element, nominal) = (element.into(), Some(nominal.into()));
    DatumFeature {
        letter: letter.into(),
        element,
        nominal,
        points,
        contacts: None,
        faces: Vec::new(),
        is_outward,
        heights_mm: Vec::new(),
        is_two_sided: false,
    }
}

/// The highest of the points along an axis of the nominal frame.
fn highest(points: &[Point], pose: &Pose, axis: usize) -> f64 {
    points.iter().map(|own| (pose * own)[axis]).fold(f64::NEG_INFINITY, f64::max)
}

/// Planes with form errors in random poses: no datum plane has a positive deviation, each touches its face, and the
/// secondary one stands on the primary one and encloses its face in the narrowest zone.
#[test]
fn datum_planes_touch_and_have_no_positive_deviation_on_100_parts() {
    let mut random = Random::new(5459, 0);
    for _ in 0..100 {
        let part = part(&mut random);
        let back = part.nominal_from_scan.inverse();
        let datums: Vec<DatumFeature> = (0..3)
            .map(|index| {
                let (face, axis) = (part.faces[index], 2 - index);
                let (point, normal) = part.plane(index);
                let rough = |own: &Point| back * (own - face.normal * random.range(0.0, 0.05));
                let points = face.points().iter().step_by(7).map(rough).collect();
                let nominal =
                    Shape::Plane { point: Vector::ith(axis, SIZE[axis] / 2.0).into(), normal: Vector::ith(axis, 1.0) };
                datum(["A", "B", "C"][index], Shape::Plane { point, normal }, nominal, points, true)
            })
            .collect();
        let start = part.start(&mut random);
        let align =
            |datums: &[DatumFeature], how| datum_system::align(datums, how, &start, &Progress::silent()).unwrap();
        let found = align(&datums, DatumAssociation::Contacting);
        assert!(found.information.open.is_empty());
        for (index, own) in datums.iter().enumerate() {
            let high_mm = highest(&own.points, &found.nominal_from_scan, 2 - index) - SIZE[2 - index] / 2.0;
            assert!(high_mm.abs() < 1e-9, "{}: {high_mm}", own.letter);
        }
        let width = |turn_rad: f64| {
            let turn = geometry::transform::step_about(&Point::origin(), Vector::z() * turn_rad, Vector::zeros());
            let pose = turn * found.nominal_from_scan;
            let y = datums[1].points.iter().map(|own| (pose * own).y);
            y.clone().fold(f64::NEG_INFINITY, f64::max) - y.fold(f64::INFINITY, f64::min)
        };
        // A convex function with no lower value on either side is smallest there.
        assert!([-1e-3, -1e-7, 1e-7, 1e-3].iter().all(|turn| width(*turn) >= width(0.0)), "{}", width(0.0));
        let zone = Options { objective: Objective::MinimumZone, ..Options::default() };
        let primary = fit(Kind::Plane, &datums[0].points, &[], &zone, &Progress::silent());
        let normal = found.nominal_from_scan * primary.unwrap().shape.direction().unwrap();
        assert!((1.0 - normal.z.abs()) < 1e-15, "{normal}");
        // As fitted, the fitted planes are used: the measured normals, made perpendicular in order of priority.
        let fitted = align(&datums, DatumAssociation::Fitted).nominal_from_scan;
        assert!((fitted * part.plane(0).1 - Vector::z()).norm() < 1e-12);
        assert!((fitted * part.plane(1).1).x.abs() < 1e-12);
        // The first datum alone leaves three degrees of freedom, which stay as in the pre-alignment.
        let alone = align(&datums[..1], DatumAssociation::Contacting);
        assert_eq!(alone.information.open, ["translation along x", "translation along y", "rotation about z"]);
        let moved = alone.nominal_from_scan * (start.inverse() * Point::origin());
        assert!(moved.x.hypot(moved.y) < 0.5, "{moved}");
    }
}

/// Planes with a hole that leans and a pin, of random sizes, positions and leans.
#[test]
fn holes_and_pins_are_contacting_and_perpendicular_to_the_primary_plane_on_many_parts() {
    let mut random = Random::new(12, 0);
    for number in 0..crate::test_sizes::draws(20, 100) {
        let pose = Pose::from_parts(Vector::new(30.0, -70.0, 15.0).into(), random.rotation());
        let back = pose.inverse();
        let top: Vec<Point> = (0..900)
            .map(|i| back * Point::new(f64::from(i % 30) * 2.0 - 29.0, f64::from(i / 30) - 14.5, 0.0))
            .collect();
        let lean_rad = random.range(0.0, 0.3_f64).to_radians();
        let (towards_y, towards_x) = random.range(0.0, std::f64::consts::TAU).sin_cos();
        let lean = Vector::new(lean_rad.sin() * towards_x, lean_rad.sin() * towards_y, lean_rad.cos());
        let hole = [random.range(8.0, 16.0), random.range(-5.0, 5.0)];
        let pin = [random.range(-24.0, -16.0), random.range(-5.0, 5.0)];
        let (hole_mm, pin_mm) = (random.range(3.0, 6.0), random.range(2.0, 5.0));
        let wall = |at: [f64; 2], axis: Vector, radius_mm: f64| -> Vec<Point> {
            let [u, v] = geometry::transform::perpendicular_axes(&axis);
            let one = |i: i32| {
                let (sin, cos) = (f64::from(i % 720) * 0.5_f64.to_radians()).sin_cos();
                let height = f64::from(i / 720) - 5.0;
                back * (Point::new(at[0], at[1], 0.0) + axis * height + (u * cos + v * sin) * radius_mm)
            };
            (0..720 * 11).map(one).collect()
        };
        let plane = |pose: &Pose| Shape::Plane { point: pose * Point::origin(), normal: pose * Vector::z() };
        let cylinder = |pose: &Pose, at: [f64; 2], axis: Vector, radius: f64| Shape::Cylinder {
            point: pose * Point::new(at[0], at[1], 0.0),
            axis: pose * axis,
            radius,
        };
        let (here, up) = (Pose::identity(), Vector::z());
        let pinned = [cylinder(&back, pin, up, pin_mm), cylinder(&here, pin, up, pin_mm)];
        let holed = [cylinder(&back, hole, lean, hole_mm), cylinder(&here, hole, up, hole_mm)];
        let datums = [
            datum("A", plane(&back), plane(&here), top, true),
            datum("B", holed[0], holed[1], wall(hole, lean, hole_mm), false),
            datum("C", pinned[0], pinned[1], wall(pin, up, pin_mm), true),
        ];
        let align = |datums: &[DatumFeature]| {
            datum_system::align(datums, DatumAssociation::Contacting, &pose, &Progress::silent())
        };
        let found = align(&datums).unwrap();
        assert!(found.information.open.is_empty(), "{:?}", found.information.open);
        // By symmetry, the largest cylinder in a leaning hole is at the middle of its depth.
        let (shift_mm, turn_rad) =
            geometry::transform::difference(&found.nominal_from_scan, &pose, &datums[1].points[0]);
        // Points 0.5° apart leave it some 1e-4 mm.
        assert!(shift_mm < 2.5e-4 && turn_rad < 1e-5, "part {number}: {shift_mm} {turn_rad}");
        // A hole of which a side was measured does not say where the largest cylinder in it is.
        let mut half = datums.clone();
        half[1].points.retain(|own| (pose * own).x > hole[0] + 1.0);
        let sentence = align(&half).unwrap_err().sentence;
        assert!(sentence.contains("Datum B"), "{sentence}");
    }
}

/// A block scanned above and below; `top` gives its upper face.
fn scanned_block(top: impl Fn(f64, f64) -> f64) -> (Nominal, Actual) {
    let cuboid = shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0));
    let grid = (0..4800).map(|i| (f64::from(i % 80) + 0.5, f64::from(i / 80) + 0.5));
    let points = grid.flat_map(|(x, y)| [Point::new(x, y, top(x, y)), Point::new(x, y, 0.0)]);
    (
        Nominal::in_memory("block", Surface::new(cuboid)),
        Actual::in_memory("scan", geometry::Cloud::from_points(points.collect())),
    )
}

fn within(nominal: &Nominal, actual: &Actual, start: &Pose) -> base::Result<Alignment> {
    let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.1 };
    let wanted = ToleranceFit { tolerance, max_distance_mm: 2.0, max_angle_deg: 60.0 };
    within_tolerance::align(&compute::cpu::Cpu, nominal, actual, &wanted, start, &Progress::silent())
}

#[test]
fn within_tolerance_the_part_moves_no_further_than_needed() {
    // 0.2 mm too thick: both faces keep ±0.1 mm in one height alone.
    let (nominal, actual) = scanned_block(|_, _| 20.2);
    let found = within(&nominal, &actual, &Pose::identity()).unwrap();
    let shift = found.nominal_from_scan.translation.vector;
    assert!((shift.z + 0.1).abs() < 1e-6 && found.nominal_from_scan.rotation.angle() < 1e-8, "{shift}");
    assert!(shift.x.abs() < 1e-9 && shift.y.abs() < 1e-9, "nothing asks for a shift along x or y: {shift}");
    // 0.3 mm too thick: in the middle, each face exceeds its limit by 0.05 mm.
    let (nominal, actual) = scanned_block(|_, _| 20.3);
    let found = within(&nominal, &actual, &Pose::identity()).unwrap();
    assert!((found.nominal_from_scan.translation.z + 0.15).abs() < 1e-6);
    let Some(Main::WithinTolerance { points_beyond, largest_excess_mm, .. }) = found.main else { panic!() };
    assert!(points_beyond == 9600 && (largest_excess_mm - 0.05).abs() < 1e-6, "{points_beyond} {largest_excess_mm}");
    // 0.15 mm too thick: as soon as the upper face keeps its limit.
    let (nominal, actual) = scanned_block(|_, _| 20.15);
    let found = within(&nominal, &actual, &Pose::identity()).unwrap();
    assert!((found.nominal_from_scan.translation.z + 0.05).abs() < 2e-6);
    assert!(found.converged && matches!(found.main, Some(Main::WithinTolerance { points_beyond: 0, .. })));
    // In tolerance as it lies: not moved at all.
    let (nominal, actual) = scanned_block(|x, _| 20.0 + 0.001 * x);
    let found = within(&nominal, &actual, &Pose::identity()).unwrap();
    assert_eq!(found.nominal_from_scan, Pose::identity());
    assert!(found.main.unwrap().words().contains("not moved"));
    // Far away.
    let sentence = within(&nominal, &actual, &Pose::translation(0.0, 0.0, 500.0)).unwrap_err().sentence;
    assert!(sentence.contains("align the scan first"), "{sentence}");
}
