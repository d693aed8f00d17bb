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
use shadowgraph::compute::{Backend, DeviceKind};
use shadowgraph::geometry::{Mesh, OrderedPoints, Point, Pose, Surface, Vector, mesh::shapes, sampling};

/// The kernels as a shared library for the processor, made once a run.
fn library() -> &'static libloading::Library {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/shim/launch.cpp");
        let folder = tempfile::tempdir().unwrap().keep();
        let target = folder.join("kernels.so");
        let made = Command::new("g++")
            .args(["-O2", "-std=c++17", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-o"])
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

#[test]
fn no_points_is_no_fault() {
    let surface = Surface::new(shapes::sphere(5.0, 2));
    let cuda = Cuda::on(Arc::new(Shim::default()));
    assert!(deviations(&cuda, &surface, &[], &[], &Pose::identity()).is_empty());
    assert_eq!(cuda.device().kind, DeviceKind::Cuda);
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
