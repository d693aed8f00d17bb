//! The CAD reader: a separate program that meshes one STEP or IGES file with OpenCASCADE and writes the facets to
//! standard output. If it crashes or hangs, the main program reports an error.
#![allow(unsafe_code, reason = "the bridge to OpenCASCADE is a C interface")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;

unsafe extern "C" {
    fn shadowgraph_cad_read(path: *const c_char, format: c_int, chord_mm: f64, angle_rad: f64) -> *mut c_void;
    fn shadowgraph_cad_limit_memory(bytes: u64);
    fn shadowgraph_cad_error(answer: *mut c_void) -> *const c_char;
    fn shadowgraph_cad_face_count(answer: *mut c_void) -> u64;
    fn shadowgraph_cad_array(answer: *mut c_void, which: c_int, data: *mut *const c_void) -> u64;
    fn shadowgraph_cad_free(answer: *mut c_void);
}

fn main() -> std::process::ExitCode {
    use std::os::unix::ffi::OsStrExt;
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let (arguments, is_watched) = match arguments.split_last() {
        Some((last, before)) if last == WATCHED => (before, true),
        _ => (arguments.as_slice(), false),
    };
    let [format, path, chord, angle] = arguments else {
        return fail("usage: shadowgraph-cad step|iges|step-without-pmi FILE CHORD_MM ANGLE_RAD [--watched]");
    };
    if is_watched {
        exit_with_parent();
    }
    if let Some(bytes) = shadowgraph::base::limits::available_bytes() {
        // SAFETY: takes a plain number and only sets a resource limit of this process.
        unsafe { shadowgraph_cad_limit_memory(bytes) };
    }
    let number = |text: &std::ffi::OsStr| text.to_str().and_then(|text| text.parse::<f64>().ok());
    let (Some(chord_mm), Some(angle_rad), Ok(path)) = (number(chord), number(angle), CString::new(path.as_bytes()))
    else {
        return fail("the chord and the angle must be numbers");
    };
    let format = match format.to_str() {
        Some("iges") => 1,
        Some("step-without-pmi") => 2,
        _ => 0,
    };
    // SAFETY: `path` is a valid C string for the call; the answer is freed once, below.
    let answer = unsafe { shadowgraph_cad_read(path.as_ptr(), format, chord_mm, angle_rad) };
    // SAFETY: the answer lives until it is freed; its error text is a valid C string.
    let error = unsafe { CStr::from_ptr(shadowgraph_cad_error(answer)) }.to_string_lossy().into_owned();
    let outcome = if error.is_empty() { write(answer).map_err(|e| e.to_string()) } else { Err(error) };
    // SAFETY: created by `shadowgraph_cad_read` and not used afterwards.
    unsafe { shadowgraph_cad_free(answer) };
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(reason) => fail(&reason),
    }
}

/// Option by which the parent promises to hold the other end of standard input open for as long as it needs the output.
const WATCHED: &str = "--watched";

/// Exits this program with code 4 when standard input is closed, because the parent has exited or been killed.
fn exit_with_parent() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(4);
    });
}

/// Prints `reason` to standard error; exit code 3.
fn fail(reason: &str) -> std::process::ExitCode {
    eprintln!("{reason}");
    std::process::ExitCode::from(3)
}

/// Writes the output in the format described in `shadowgraph::io::cad`.
fn write(answer: *mut c_void) -> std::io::Result<()> {
    let arrays = [(0, 8), (1, 4), (2, 4), (3, 4), (4, 1)].map(|(which, size)| {
        let mut data = std::ptr::null();
        // SAFETY: the answer is alive; `data` receives a pointer to `count` elements of `size` bytes.
        let count = unsafe { shadowgraph_cad_array(answer, which, &raw mut data) } as usize;
        if count == 0 || data.is_null() {
            return (&[] as &[u8], 0);
        }
        // SAFETY: the elements are plain numbers that live as long as the answer.
        (unsafe { std::slice::from_raw_parts(data.cast::<u8>(), count * size) }, count as u64)
    });
    // SAFETY: the answer is alive.
    let faces = unsafe { shadowgraph_cad_face_count(answer) };
    let mut out = std::io::stdout().lock();
    out.write_all(shadowgraph::io::cad::MAGIC)?;
    for count in [arrays[0].1 / 3, arrays[2].1, faces, arrays[3].1, arrays[4].1] {
        out.write_all(&count.to_le_bytes())?;
    }
    for (bytes, _) in arrays {
        out.write_all(bytes)?;
    }
    out.flush()
}
