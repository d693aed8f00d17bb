//! Iterations of registration.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::registration::{Metric, Problem, Robust, Step, Target};
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::{KdTree, Mesh, OrderedPoints, Point, Pose, Surface, Vector, mesh::shapes, sampling};

use super::device;

/// One step on the device and on the processor: what is counted agrees exactly, what is summed to rounding.
fn steps_agree(surface: &Surface, samples: &[Point], normals: &[Vector], step: &Step) {
    agree(Target::Surface(surface), samples, normals, step);
}

fn agree(target: Target<'_>, samples: &[Point], normals: &[Vector], step: &Step) {
    let points = OrderedPoints::new(samples);
    let problem = Problem { target, points: &points, normals, oriented: false };
    let cuda = device();
    let ours = cuda.registration(problem).step(step, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.registration(problem).step(step, &Progress::silent()).unwrap();
    assert_eq!((ours.matched, ours.used), (reference.matched, reference.used), "{step:?}");
    assert_eq!(ours.scale_mm.to_bits(), reference.scale_mm.to_bits(), "{step:?}");
    let close = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-12 * size;
    assert!(close(ours.weight, reference.weight, reference.weight));
    assert!(close(ours.weighted_squares, reference.weighted_squares, reference.weighted_squares), "{step:?}");
    assert!(close(ours.curvature, reference.curvature, reference.weight));
    assert!((ours.hessian - reference.hessian).amax() <= 1e-12 * reference.hessian.amax());
    assert!((ours.gradient - reference.gradient).amax() <= 1e-12 * reference.hessian.amax());
}

#[test]
fn registration_steps_agree_with_the_processor() {
    let mesh = shapes::torus(30.0, 8.0, 40, 20);
    let surface = Surface::new(mesh);
    let mut random = Random::new(4, 4);
    let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
    let noisy = |random: &mut Random| random.rotation() * Vector::z() * random.range(0.0, 0.8);
    let samples = sampling::by_area(surface.mesh(), 3000, 1);
    let points: Vec<Point> =
        samples.iter().map(|sample| pose.inverse() * (sample.point + noisy(&mut random))).collect();
    let normals: Vec<Vector> = samples.iter().map(|sample| pose.inverse() * sample.normal).collect();
    let nudge = Pose::new(Vector::new(0.3, -0.2, 0.1), Vector::new(0.01, 0.02, -0.01));
    let step = Step {
        stride: 1,
        nominal_from_scan: nudge * pose,
        pivot: surface.bounds().centre(),
        max_distance_mm: 0.9,
        max_angle_rad: 1.0,
        trim: 0.0,
        robust: Robust::Tukey,
        floor_mm: 1e-6,
        metric: Metric::PointToTriangle,
    };
    for metric in [Metric::PointToTriangle, Metric::PointToPlane, Metric::PointToPoint] {
        for (trim, robust) in [(0.0, Robust::Tukey), (0.3, Robust::Tukey), (0.1, Robust::None)] {
            steps_agree(&surface, &points, &normals, &Step { metric, trim, robust, ..step });
        }
    }
    // Every seventh point, no normals; nothing in reach; one point; all residuals equal, and all zero.
    steps_agree(&surface, &points, &[], &Step { stride: 7, ..step });
    steps_agree(&surface, &points, &[], &Step { nominal_from_scan: Pose::translation(1e4, 0.0, 0.0), ..step });
    steps_agree(&surface, &points[..1], &[], &Step { max_distance_mm: 9.0, ..step });
    steps_agree(&Surface::new(Mesh::default()), &points, &[], &step);
    let cube = Surface::new(shapes::cuboid(Point::origin(), Point::new(4.0, 5.0, 6.0)));
    for height in [0.25, 0.0] {
        let flat: Vec<Point> =
            (0..900).map(|i| Point::new(f64::from(i % 30) / 8.0, f64::from(i / 30) / 8.0, 6.0 + height)).collect();
        steps_agree(&cube, &flat, &[], &Step { nominal_from_scan: Pose::identity(), ..step });
    }
}

#[test]
fn registration_onto_points_agrees_with_the_processor() {
    let mesh = shapes::torus(30.0, 8.0, 40, 20);
    let nominal = sampling::by_area(&mesh, 2500, 6);
    let (points, normals): (Vec<Point>, Vec<Vector>) = nominal.iter().map(|s| (s.point, s.normal)).unzip();
    let tree = KdTree::new(&points);
    let target = Target::Cloud { points: &points, tree: &tree, normals: &normals };
    let scan = sampling::by_area(&mesh, 1500, 7);
    let (samples, scan_normals): (Vec<Point>, Vec<Vector>) = scan.iter().map(|s| (s.point, s.normal)).unzip();
    let step = Step {
        stride: 1,
        nominal_from_scan: Pose::new(Vector::new(0.3, -0.2, 0.1), Vector::new(0.01, 0.02, -0.01)),
        pivot: Point::origin(),
        max_distance_mm: 1.5,
        max_angle_rad: 0.3,
        trim: 0.0,
        robust: Robust::Tukey,
        floor_mm: 1e-6,
        metric: Metric::PointToPlane,
    };
    for (metric, trim) in [(Metric::PointToPlane, 0.0), (Metric::PointToPoint, 0.2), (Metric::PointToTriangle, 0.0)] {
        agree(target, &samples, &scan_normals, &Step { metric, trim, ..step });
    }
    agree(target, &samples, &[], &Step { stride: 3, ..step });
    agree(target, &samples, &[], &Step { nominal_from_scan: Pose::translation(1e4, 0.0, 0.0), ..step });
    let nothing = Target::Cloud { points: &[], tree: &KdTree::new(&[]), normals: &[] };
    agree(nothing, &samples, &[], &step);
}
