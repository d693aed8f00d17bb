//! The shared library behind shadowgraph.h: the computations of Shadowgraph for other inspection programs.
#![allow(unsafe_code, clippy::not_unsafe_ptr_arg_deref, reason = "a C interface takes pointers")]

use std::ffi::{CString, c_char, c_int};
use std::sync::Arc;

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};
use shadowgraph::base::{Progress, Result, UserError};
use shadowgraph::compute::registration::Target;
use shadowgraph::compute::{self, Backend, Compute, DeviceChoice, point_deviation, point_facet_matching};
use shadowgraph::geometry::{Mesh, OrderedPoints, Point, Pose, SearchablePoints, Surface, Vector};
use shadowgraph::inspect::alignment::best_fit;
use shadowgraph::inspect::features::fits::plane_set::{PlanePoints, fit_parallel};
use shadowgraph::session::jobs::catch_panic;

/// A compute device, the uploaded data, and the last error message.
pub struct Handle {
    backend: Arc<dyn Backend>,
    nominal: Option<Surface>,
    points: Vec<Point>,
    ordered: OrderedPoints,
    directions: Vec<Vector>,
    device: CString,
    error: CString,
}

/// Runs `work` and returns 0, or -1 on an error, whose message is kept for `shadowgraph_error`; -2 for a null handle.
fn run(handle: *mut Handle, work: impl FnOnce(&mut Handle) -> Result<()>) -> c_int {
    // SAFETY: the header requires a handle returned by `shadowgraph_open`, used by one thread at a time.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return -2 };
    let outcome = catch_panic(|| work(handle));
    handle.error = outcome.as_ref().map_or_else(|error| text(&error.sentence), |()| CString::default());
    if outcome.is_ok() { 0 } else { -1 }
}

fn text(message: &str) -> CString {
    CString::new(message.replace('\0', " ")).unwrap_or_default()
}

/// The caller's array of `count` values; an error if it is null and `count` is not 0.
fn borrowed<'a, T>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(UserError::usage(format!("The {what} are missing: the pointer is null.")));
    }
    // SAFETY: the header requires this many values, valid until the call returns.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// The caller's output array of `count` values; `None` for null.
fn borrowed_mut<'a, T>(pointer: *mut T, count: usize) -> Option<&'a mut [T]> {
    // SAFETY: as for `borrowed`, and nothing else uses the array during the call.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Writes one value of every result to an output array, unless that is null.
fn write_output<A, T>(results: &[A], output: *mut T, value: impl Fn(&A) -> T) {
    if let Some(out) = borrowed_mut(output, results.len()) {
        out.iter_mut().zip(results).for_each(|(out, result)| *out = value(result));
    }
}

fn triples(values: &[f64]) -> impl Iterator<Item = [f64; 3]> {
    values.as_chunks::<3>().0.iter().copied()
}

fn pose_of(rows: *const f64) -> Result<Pose> {
    let m = borrowed(rows, 16, "elements of the pose")?;
    let rotation = Matrix3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
    let is_rigid =
        (rotation * rotation.transpose() - Matrix3::identity()).amax() < 1e-6 && rotation.determinant() > 0.0;
    if !is_rigid || m.iter().any(|value| !value.is_finite()) {
        return Err(UserError::usage("The pose is not a rigid motion: its 3x3 part must be a rotation."));
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Ok(Pose::from_parts(Vector::new(m[3], m[7], m[11]).into(), rotation))
}

fn nominal(handle: &Handle) -> Result<&Surface> {
    handle.nominal.as_ref().ok_or_else(|| UserError::usage("Set a nominal first."))
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_open(device: c_int) -> *mut Handle {
    let choice = match device {
        1 => DeviceChoice::Cpu,
        2 => DeviceChoice::Cuda,
        _ => DeviceChoice::Auto,
    };
    let (backend, notice) = compute::open(choice);
    let device = text(&backend.device().device);
    Box::into_raw(Box::new(Handle {
        backend,
        nominal: None,
        points: Vec::new(),
        ordered: OrderedPoints::default(),
        directions: Vec::new(),
        device,
        error: text(&notice.unwrap_or_default()),
    }))
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_close(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: it was returned by `shadowgraph_open` and is not used afterwards.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_device(handle: *mut Handle) -> *const c_char {
    // SAFETY: as in `run`.
    unsafe { handle.as_ref() }.map_or(std::ptr::null(), |handle| handle.device.as_ptr())
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_error(handle: *mut Handle) -> *const c_char {
    // SAFETY: as in `run`.
    unsafe { handle.as_ref() }.map_or(std::ptr::null(), |handle| handle.error.as_ptr())
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_set_nominal(
    handle: *mut Handle,
    vertices_mm: *const f64,
    vertices: usize,
    facets: *const u32,
    facet_count: usize,
) -> c_int {
    run(handle, |handle| {
        let vertices: Vec<Point> = triples(borrowed(vertices_mm, 3 * vertices, "vertices")?).map(Point::from).collect();
        let facets = borrowed(facets, 3 * facet_count, "facets")?.as_chunks::<3>().0.to_vec();
        if vertices.iter().any(|vertex| vertex.coords.iter().any(|c| !c.is_finite())) {
            return Err(UserError::input("A vertex of the nominal has a coordinate that is not finite."));
        }
        if facets.iter().flatten().any(|&corner| corner as usize >= vertices.len()) {
            return Err(UserError::input("A facet refers to a vertex that does not exist."));
        }
        handle.nominal = Some(Surface::new(Mesh { vertices, facets, ..Mesh::default() }));
        Ok(())
    })
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_set_points(
    handle: *mut Handle,
    points_mm: *const f64,
    directions: *const f64,
    points: usize,
) -> c_int {
    run(handle, |handle| {
        let coordinates: Vec<Point> = triples(borrowed(points_mm, 3 * points, "points")?).map(Point::from).collect();
        if coordinates.iter().any(|point| point.coords.iter().any(|c| !c.is_finite())) {
            return Err(UserError::input("A point of the scan has a coordinate that is not finite."));
        }
        handle.directions = if directions.is_null() {
            Vec::new()
        } else {
            triples(borrowed(directions, 3 * points, "directions")?).map(Vector::from).collect()
        };
        handle.ordered = OrderedPoints::new(&coordinates);
        handle.points = coordinates;
        Ok(())
    })
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_closest(
    handle: *mut Handle,
    nominal_from_scan: *const f64,
    max_distance_mm: f64,
    deviation_mm: *mut f64,
    facet: *mut u32,
) -> c_int {
    run(handle, |handle| {
        let pose = pose_of(nominal_from_scan)?;
        let request = point_deviation::Request {
            surface: nominal(handle)?,
            points: &handle.ordered,
            normals: &[],
            oriented: false,
            nominal_from_scan: &pose,
            max_distance_mm,
            max_angle_rad: std::f64::consts::PI,
        };
        let results = handle.backend.compute(&request, &Progress::silent())?;
        write_output(&results, deviation_mm, |result| result.value().unwrap_or(f64::NAN));
        write_output(&results, facet, |result| result.facet);
        Ok(())
    })
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_point_facet(
    handle: *mut Handle,
    nominal_from_scan: *const f64,
    radius_mm: f64,
    max_distance_mm: f64,
    max_angle_rad: f64,
    deviation_mm: *mut f64,
    matches: *mut u32,
) -> c_int {
    run(handle, |handle| {
        let pose = pose_of(nominal_from_scan)?;
        let points = SearchablePoints::new(&handle.points);
        let request = point_facet_matching::Request {
            nominal: nominal(handle)?.mesh(),
            points: &points,
            directions: &handle.directions,
            nominal_from_scan: &pose,
            radius_mm: (radius_mm > 0.0).then_some(radius_mm),
            max_distance_mm,
            max_angle_rad,
        };
        let results = handle.backend.compute(&request, &Progress::silent())?;
        write_output(&results, deviation_mm, |result| result.value().unwrap_or(f64::NAN));
        write_output(&results, matches, |result| result.matches);
        Ok(())
    })
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
pub extern "C" fn shadowgraph_best_fit(handle: *mut Handle, nominal_from_scan: *mut f64, rms_mm: *mut f64) -> c_int {
    run(handle, |handle| {
        let start = pose_of(nominal_from_scan)?;
        let surface = nominal(handle)?;
        let problem = best_fit::Problem {
            target: Target::Surface(surface),
            bounds: *surface.bounds(),
            points: &handle.ordered,
            normals: &[],
            oriented: false,
        };
        let (parameters, silent) = (best_fit::Parameters::default(), Progress::silent());
        let fit = best_fit::run(handle.backend.as_ref(), &problem, &start, &parameters, &silent, &mut |_, _| ())?;
        let matrix = fit.nominal_from_scan.to_homogeneous();
        if let Some(out) = borrowed_mut(nominal_from_scan, 16) {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = matrix[(i / 4, i % 4)]);
        }
        if let Some(out) = borrowed_mut(rms_mm, 1) {
            out[0] = fit.rms_mm;
        }
        Ok(())
    })
}

/// See shadowgraph.h.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "C passes each array and its length")]
pub extern "C" fn shadowgraph_parallel_planes(
    handle: *mut Handle,
    points_mm: *const f64,
    weights: *const f64,
    points: usize,
    points_of_plane: *const usize,
    planes: usize,
    planes_of_set: *const usize,
    sets: usize,
    clip_sigmas: f64,
    normals: *mut f64,
    normal_uncertainties_rad: *mut f64,
    centroids_mm: *mut f64,
    rms_mm: *mut f64,
) -> c_int {
    run(handle, |handle| {
        let coordinates: Vec<Point> = triples(borrowed(points_mm, 3 * points, "points")?).map(Point::from).collect();
        let weights = if weights.is_null() { &[][..] } else { borrowed(weights, points, "weights")? };
        let of_plane = borrowed(points_of_plane, planes, "counts of points")?;
        let of_set = borrowed(planes_of_set, sets, "counts of planes")?;
        let adds_up = |parts: &[usize], whole: usize| {
            parts.iter().try_fold(0_usize, |sum, &part| sum.checked_add(part)) == Some(whole)
        };
        if !adds_up(of_plane, points) || !adds_up(of_set, planes) {
            return Err(UserError::usage("The counts of points and planes do not add up to the totals given."));
        }
        let mut first = 0;
        let part = |&count: &usize| {
            let own = first..first + count;
            first += count;
            PlanePoints { points: &coordinates[own.clone()], weights: weights.get(own).unwrap_or_default() }
        };
        let all: Vec<PlanePoints<'_>> = of_plane.iter().map(part).collect();
        let (mut rest, mut fitted) = (all.as_slice(), Vec::with_capacity(sets));
        for (index, &count) in of_set.iter().enumerate() {
            let (own, others) = rest.split_at(count);
            rest = others;
            let clip = (clip_sigmas > 0.0).then_some(clip_sigmas);
            let set = fit_parallel(handle.backend.as_ref(), own, clip, &Progress::silent());
            fitted.push(set.map_err(|error| error.about(&format!("Set {}", index + 1)))?);
        }
        write_output(&fitted, normals.cast::<[f64; 3]>(), |set| set.normal.into());
        write_output(&fitted, normal_uncertainties_rad, |set| set.normal_uncertainty_rad);
        let planes: Vec<_> = fitted.iter().flat_map(|set| &set.planes).collect();
        write_output(&planes, centroids_mm.cast::<[f64; 3]>(), |plane| plane.shape.position().coords.into());
        write_output(&planes, rms_mm, |plane| plane.rms_mm);
        Ok(())
    })
}
