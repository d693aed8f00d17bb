//! Signed closest points.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::point_deviation::{PointDeviation, Request};
use shadowgraph::compute::{Backend, Compute, DeviceKind};
use shadowgraph::geometry::{Mesh, OrderedPoints, Point, Pose, Surface, Vector, mesh::shapes, sampling};

use super::device;

pub fn deviations(
    backend: &dyn Backend,
    surface: &Surface,
    points: &[Point],
    normals: &[Vector],
    pose: &Pose,
) -> Vec<PointDeviation> {
    let points = OrderedPoints::new(points);
    let request = Request {
        surface,
        points: &points,
        normals,
        oriented: true,
        nominal_from_scan: pose,
        max_distance_mm: 8.0,
        max_angle_rad: 1.2,
    };
    backend.compute(&request, &Progress::silent()).unwrap()
}

/// The kernels give the processor's answers, to the bit.
fn agree(mesh: Mesh, spread_mm: f64, count: usize) {
    let surface = Surface::new(mesh);
    let mut random = Random::new(count as u64, 3);
    let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
    let samples = sampling::by_area(surface.mesh(), count, 1);
    let mut points = Vec::new();
    let mut normals = Vec::new();
    for sample in &samples {
        let place = sample.point + random.rotation() * Vector::z() * random.range(0.0, spread_mm);
        points.push(pose.inverse() * place);
        normals.push(random.rotation() * Vector::z());
    }
    // Places exactly on corners and edges, and one that is no place.
    points.extend(surface.mesh().vertices.iter().take(50).map(|vertex| pose.inverse() * vertex));
    points.push(Point::new(f64::NAN, 0.0, 0.0));
    normals.resize(points.len(), Vector::x());
    let cuda = device();
    let ours = deviations(&cuda, &surface, &points, &normals, &pose);
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = deviations(&Cpu, &surface, &points, &normals, &pose);
    for (i, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
        assert_eq!(ours.state, reference.state, "{i}: {ours:?} {reference:?}");
        if reference.value().is_some() {
            assert_eq!(ours.deviation_mm.to_bits(), reference.deviation_mm.to_bits(), "{i}: {ours:?} {reference:?}");
        }
    }
    assert!(reference.iter().any(|deviation| deviation.value().is_some()));
}

#[test]
fn closest_points_agree_with_the_processor() {
    agree(shapes::torus(30.0, 8.0, 40, 20), 12.0, 1500);
    // Far from the origin, where f32 alone would lose the answer.
    let mut far = shapes::torus(30.0, 8.0, 20, 12);
    far.vertices.iter_mut().for_each(|vertex| vertex.coords.x += 10_000.0);
    agree(far, 12.0, 400);
    // Open rims.
    let mut open = shapes::torus(30.0, 8.0, 24, 16);
    open.facets.truncate(500);
    agree(open, 12.0, 800);
}

#[test]
fn meshes_of_few_facets_and_equal_keys() {
    for facets in [1, 2, 3, 4, 5, 9, 12] {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(4.0, 5.0, 6.0));
        mesh.facets.truncate(facets);
        agree(mesh, 9.0, 60);
    }
    // The same facet many times: all keys are equal, and the lowest number wins.
    let mut stack = shapes::cuboid(Point::origin(), Point::new(4.0, 5.0, 6.0));
    stack.facets = vec![stack.facets[0]; 700];
    agree(stack, 9.0, 200);
}

#[test]
fn no_points_and_no_facets_are_no_fault() {
    let surface = Surface::new(shapes::sphere(5.0, 2));
    let cuda = device();
    assert!(deviations(&cuda, &surface, &[], &[], &Pose::identity()).is_empty());
    let lonely = deviations(&cuda, &Surface::new(Mesh::default()), &[Point::origin()], &[], &Pose::identity());
    assert!(lonely.len() == 1 && lonely[0].value().is_none(), "{lonely:?}");
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    assert_eq!(cuda.device().kind, DeviceKind::Cuda);
}
