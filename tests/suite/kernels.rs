//! The CUDA kernels, run on the processor by kernels/shim, against the processor's own backend.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use shadowgraph::base::{Progress, Result, UserError, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::cuda::{Cuda, driver::Driver};
use shadowgraph::compute::point_deviation::{PointDeviation, Request};
use shadowgraph::compute::point_facet_matching::FacetDeviation;
use shadowgraph::compute::registration::{Metric, Problem, Robust, Step, Target};
use shadowgraph::compute::{Backend, DeviceKind, facet_facet_matching, parallel_planes, point_facet_matching};
use shadowgraph::dispatch::{self, Context, Dispatcher};
use shadowgraph::geometry::{
    Cloud, Mesh, OrderedPoints, Point, Pose, SearchablePoints, Surface, Vector, mesh::shapes, sampling,
};
use shadowgraph::inspect::alignment::Method;
use shadowgraph::io::write;

use super::support::cad_reader;

/// The kernels as a shared library for the processor, made once a run.
fn library() -> &'static libloading::Library {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/shim/launch.cpp");
        let folder = tempfile::tempdir().unwrap().keep();
        let target = folder.join("kernels.so");
        let made = Command::new("g++")
            .args([
                "-O2",
                "-std=c++17",
                "-ffp-contract=off",
                "-fPIC",
                "-shared",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unknown-pragmas",
                "-o",
            ])
            .arg(&target)
            .arg(source)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // SAFETY: our own library, without initialisers that could misbehave.
        let library = unsafe { libloading::Library::new(&target) }.unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        library
    })
}

/// Host memory in place of a device's. Launches take turns: the shim runs one block at a time.
#[derive(Default)]
struct Shim {
    turn: std::sync::Mutex<()>,
    /// Fails every allocation above this many bytes.
    most_bytes: Option<usize>,
    /// Kernels launched, by name.
    launches: std::sync::Mutex<std::collections::BTreeMap<&'static str, usize>>,
}

impl Driver for Shim {
    fn name(&self) -> String {
        "processor, kernels in a shim".into()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        if self.most_bytes.is_some_and(|most| bytes > most) {
            return Err(UserError::input(format!("There is no room for {bytes} bytes.")));
        }
        // The length travels in front of the block; memory is poisoned, so that what nothing wrote shows.
        let mut block = vec![0xFF_u8; bytes + 128];
        block[..8].copy_from_slice(&(bytes as u64 + 128).to_le_bytes());
        let address = Box::leak(block.into_boxed_slice()).as_mut_ptr() as u64;
        Ok(address + 64 + (64 - address % 64) % 64)
    }

    // Tests are short: their memory goes with the process.
    fn free(&self, _place: u64) {}

    fn upload(&self, place: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: `place` was given by `allocate` for at least as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place as *mut u8, bytes.len()) };
        Ok(())
    }

    fn download(&self, bytes: &mut [u8], place: u64) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy_nonoverlapping(place as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn clear(&self, place: u64, bytes: usize) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::write_bytes(place as *mut u8, 0, bytes) };
        Ok(())
    }

    fn launch(&self, kernel: &'static str, blocks: u32, threads: u32, arguments: &[&[u8]]) -> Result<()> {
        static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _turn =
            (self.turn.lock().unwrap(), ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        *self.launches.lock().unwrap().entry(kernel).or_default() += 1;
        let name = CString::new(kernel).unwrap();
        let mut parameters: Vec<*mut c_void> = arguments.iter().map(|bytes| bytes.as_ptr() as *mut c_void).collect();
        // SAFETY: the signature is that of kernels/shim/launch.cpp.
        let code = unsafe {
            type Launch = unsafe extern "C" fn(*const c_char, u32, u32, *mut *mut c_void) -> c_int;
            let launch: libloading::Symbol<'_, Launch> = library().get(b"shim_launch").unwrap();
            launch(name.as_ptr(), blocks, threads, parameters.as_mut_ptr())
        };
        if code == 0 { Ok(()) } else { Err(UserError::internal(format!("{kernel} ended with code {code}."))) }
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}

fn deviations(
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
    backend.point_deviation(&request, &Progress::silent()).unwrap()
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
    let cuda = Cuda::on(Arc::new(Shim::default()));
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

/// One step on the device and on the processor: what is counted agrees exactly, what is summed to rounding.
fn steps_agree(surface: &Surface, samples: &[Point], normals: &[Vector], step: &Step) {
    let points = OrderedPoints::new(samples);
    let problem = Problem { target: Target::Surface(surface), points: &points, normals, oriented: false };
    let cuda = Cuda::on(Arc::new(Shim::default()));
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
    let cube = Surface::new(shapes::cuboid(Point::origin(), Point::new(4.0, 5.0, 6.0)));
    for height in [0.25, 0.0] {
        let flat: Vec<Point> =
            (0..900).map(|i| Point::new(f64::from(i % 30) / 8.0, f64::from(i / 30) / 8.0, 6.0 + height)).collect();
        steps_agree(&cube, &flat, &[], &Step { nominal_from_scan: Pose::identity(), ..step });
    }
}

/// Point-facet matching on the device counts what the processor counts, and its means agree to rounding.
fn point_facets_agree(nominal: &Mesh, points: &[Point], directions: &[Vector], pose: &Pose, radius_mm: Option<f64>) {
    let points = SearchablePoints::new(points);
    let request = point_facet_matching::Request {
        nominal,
        points: &points,
        directions,
        nominal_from_scan: pose,
        radius_mm,
        max_distance_mm: 0.7,
        max_angle_rad: 1.2,
    };
    let cuda = Cuda::on(Arc::new(Shim::default()));
    let ours = cuda.point_facet_matching(&request, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.point_facet_matching(&request, &Progress::silent()).unwrap();
    for (facet, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
        assert_eq!(ours.matches, reference.matches, "{facet}");
        let apart = ours.value().unwrap_or_default() - reference.value().unwrap_or_default();
        assert!(apart.abs() < 1e-12, "{facet}: {ours:?} {reference:?}");
    }
}

#[test]
fn point_facet_matching_agrees_with_the_processor() {
    let mut random = Random::new(8, 8);
    for offset_mm in [0.0, 10_000.0] {
        let mut nominal = shapes::torus(30.0, 8.0, 60, 30);
        nominal.vertices.iter_mut().for_each(|vertex| vertex.coords.x += offset_mm);
        let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
        let samples = sampling::by_area(&nominal, 6000, 2);
        let away = |random: &mut Random| random.range(-1.0, 1.0);
        let points: Vec<Point> =
            samples.iter().map(|s| pose.inverse() * (s.point + s.normal * away(&mut random))).collect();
        let directions: Vec<Vector> = samples.iter().map(|s| pose.inverse() * s.normal).collect();
        point_facets_agree(&nominal, &points, &[], &pose, None);
        point_facets_agree(&nominal, &points, &directions, &pose, Some(0.9));
        // Few points; all points the same.
        point_facets_agree(&nominal, &points[..1], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &points[..3], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &vec![points[0]; 500], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &[], &[], &pose, None);
    }
}

#[test]
fn facet_facet_matching_agrees_with_the_processor_to_the_bit() {
    let mut random = Random::new(9, 9);
    for offset_mm in [0.0, 10_000.0] {
        let mut nominal = shapes::torus(30.0, 8.0, 50, 24);
        nominal.vertices.iter_mut().for_each(|vertex| vertex.coords.x += offset_mm);
        let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
        let mut scan = shapes::torus(30.1, 8.05, 70, 31);
        scan.vertices.iter_mut().for_each(|vertex| {
            let noise = random.rotation() * Vector::z() * random.range(0.0, 0.1);
            vertex.coords.x += offset_mm;
            *vertex = pose.inverse() * (*vertex + noise);
        });
        for facets in [scan.facets.len(), 900, 3, 1] {
            let mut part = scan.clone();
            part.facets.truncate(facets);
            let scan = Surface::new(part);
            let request = facet_facet_matching::Request {
                nominal: &nominal,
                scan: &scan,
                nominal_from_scan: &pose,
                max_distance_mm: 1.0,
                max_angle_rad: 1.2,
            };
            let cuda = Cuda::on(Arc::new(Shim::default()));
            let ours = cuda.facet_facet_matching(&request, &Progress::silent()).unwrap();
            assert_eq!(cuda.take_notices(), Vec::<String>::new());
            let reference = Cpu.facet_facet_matching(&request, &Progress::silent()).unwrap();
            let bits = |answers: &[FacetDeviation]| -> Vec<Option<u64>> {
                answers.iter().map(|answer| answer.value().map(f64::to_bits)).collect()
            };
            assert_eq!(bits(&ours), bits(&reference), "{facets} facets, {offset_mm} mm off");
            assert!(facets < 900 || ours.iter().filter(|answer| answer.value().is_some()).count() > 300);
        }
    }
}

#[test]
fn no_points_is_no_fault() {
    let surface = Surface::new(shapes::sphere(5.0, 2));
    let cuda = Cuda::on(Arc::new(Shim::default()));
    assert!(deviations(&cuda, &surface, &[], &[], &Pose::identity()).is_empty());
    assert_eq!(cuda.device().kind, DeviceKind::Cuda);
}

#[test]
fn parallel_planes_agree_with_the_processor() {
    let mut random = Random::new(5, 5);
    // Chunks that are full, partly full, single and missing; two sets.
    let planes = [20_000, 1, 8192, 0, 8193, 3];
    let points: Vec<[f32; 4]> = (0..planes.iter().sum())
        .map(|i| {
            let weight = if i % 50 == 7 { 0.0 } else { random.range(1.0, 2.0) };
            let height = if i % 50 == 7 { f64::NAN } else { 0.1 * random.normal() };
            [random.range(-50.0, 50.0) as f32, random.range(-50.0, 50.0) as f32, height as f32, weight as f32]
        })
        .collect();
    let origin = Point::new(1e4, 2.0, 3.0);
    let request = parallel_planes::Request { points: &points, origin, planes: &planes, sets: &[4, 2] };
    let cuda = Cuda::on(Arc::new(Shim::default()));
    let job = cuda.prepare_parallel_planes(&request).unwrap();
    let reference = Cpu.parallel_planes(&request, &Progress::silent()).unwrap();
    for _ in 0..2 {
        job.launch().unwrap();
        for (ours, reference) in job.read().unwrap().iter().zip(&reference) {
            assert!((ours.normal.unwrap() - reference.normal.unwrap()).norm() < 1e-12);
            assert!((ours.moments_mm2[0] / reference.moments_mm2[0] - 1.0).abs() < 1e-9);
            for (ours, reference) in ours.planes.iter().zip(&reference.planes) {
                assert!((ours.weight - reference.weight).abs() <= 1e-12 * reference.weight);
                assert!(reference.weight == 0.0 || (ours.centroid - reference.centroid).norm() < 1e-9);
            }
        }
    }
}

#[test]
fn the_whole_job_runs_on_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = shapes::torus(30.0, 8.0, 40, 20);
    let mut lopsided = mesh.clone();
    lopsided.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.3 + 0.01 * vertex.coords.y);
    let points = sampling::by_area(&lopsided, 1500, 1).iter().map(|sample| sample.point).collect();
    let (part, scan) = (folder.path().join("part.stl"), folder.path().join("scan.ply"));
    write::mesh(&part, &lopsided).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let driver = Arc::new(Shim::default());
    let backend: Arc<dyn Backend> = Arc::new(Cuda::on(Arc::clone(&driver) as Arc<dyn Driver>));
    let mut dispatcher = Dispatcher::new(Context { backend, cad: cad_reader() });
    let mut run = |command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    run(dispatch::Command::OpenNominal { path: part, unit: None });
    run(dispatch::Command::OpenScans { paths: vec![scan], unit: None, columns: None });
    run(dispatch::Command::Align(Method::BestFit));
    run(dispatch::Command::Compare);
    let launches = driver.launches.lock().unwrap().clone();
    let of = |kernel: &str| launches.get(kernel).copied().unwrap_or_default();
    let iterations = dispatcher.document.alignment.as_ref().unwrap().iterations;
    assert_eq!(of("pair_with_surface"), iterations, "{launches:?}");
    assert_eq!(of("signed_closest"), 1, "{launches:?}");
    assert_eq!(of("closest_candidates"), iterations + 1, "{launches:?}");
    // The tree is built once.
    assert_eq!(of("facet_boxes"), 1, "{launches:?}");
    assert!(dispatcher.document.current_check().is_some());
}

#[test]
fn a_full_device_leaves_the_step_to_the_processor_with_a_sentence() {
    let surface = Surface::new(shapes::sphere(5.0, 3));
    let cuda = Cuda::on(Arc::new(Shim { most_bytes: Some(4096), ..Shim::default() }));
    let points = [Point::new(6.0, 0.0, 0.0)];
    let answer = deviations(&cuda, &surface, &points, &[], &Pose::identity());
    assert_eq!(answer, deviations(&Cpu, &surface, &points, &[], &Pose::identity()));
    let notices = cuda.take_notices();
    assert!(notices.len() == 1 && notices[0].ends_with("This step was computed on the processor."), "{notices:?}");
}
