//! STEP and IGES, read by a child process: OpenCASCADE may crash, hang or be missing without harm to this program.
//!
//! The child writes a binary little-endian stream to standard output: the magic; the numbers of vertices, facets, CAD
//! faces, faces that could not be meshed, and bytes of text (u64); vertices (f64), facets (u32), the CAD face index of
//! each facet (u32), the indices of the faces that could not be meshed (u32), and unit, parts and tolerances as lines of
//! text. On failure, the last line on standard error is the reason.

pub mod pmi;
mod structure;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError, limits};
use geometry::{Mesh, Point};

pub use structure::{CadPart, CadStructure};

/// Magic bytes at the start of the child's output.
pub const MAGIC: &[u8; 8] = b"SGCAD\0\0\x02";

/// CAD reader program and its meshing tolerances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CadReader {
    /// Path of the reader program, set by the main program; `None` if none was built.
    #[serde(skip)]
    pub program: Option<PathBuf>,
    /// Maximum chordal deviation between a facet and its CAD surface, mm; above 0.
    pub chord_mm: f64,
    /// Maximum angle between adjacent facets of a surface, degrees; between 0 and 180.
    pub angle_deg: f64,
    /// Timeout per file, s, to which an allowance for the file size is added.
    pub timeout_s: u64,
}

/// Additional timeout per million bytes, s; an intact file of that size needs a tenth of it.
const TIMEOUT_S_PER_MB: f64 = 120.0;

impl Default for CadReader {
    fn default() -> Self {
        Self { program: None, chord_mm: 0.005, angle_deg: 5.0, timeout_s: 60 }
    }
}

/// Mesh and structure of a CAD file.
#[derive(Debug)]
pub struct CadMesh {
    /// Facets with the CAD face of each, mm.
    pub mesh: Mesh,
    /// Notes for the operator: the number of faces and facets, and the faces that could not be meshed.
    pub notes: Vec<String>,
    /// Unit and parts.
    pub structure: CadStructure,
}

/// Reads and meshes `path` in a child process, which is killed on cancellation and timeout. Returns an error if a
/// meshing tolerance is out of range, the reader program is missing, or the file cannot be read.
pub fn read(path: &Path, is_iges: bool, reader: &CadReader, progress: &Progress) -> Result<CadMesh> {
    let is_valid = reader.chord_mm > 0.0 && reader.angle_deg > 0.0 && reader.angle_deg < 180.0;
    if !is_valid {
        return Err(UserError::usage(
            "The chordal deviation must be above 0 mm and the angle between 0 and 180 degrees.",
        ));
    }
    let program = reader.program.as_ref().filter(|program| program.exists()).ok_or_else(|| {
        UserError::input(format!(
            "{} is a CAD file, and this build has no CAD reader. Build with the default features (Debian package \
             libocct-data-exchange-dev), or export the part as STL.",
            path.display()
        ))
    })?;
    progress.report(0.0, "Reading the CAD file")?;
    let (status, output, errors) = run(program, if is_iges { "iges" } else { "step" }, path, reader, progress)?;
    if status.success() {
        return decode(&output, path);
    }
    // OpenCASCADE may stumble over what a file states of tolerances where its shape is sound.
    if !is_iges && has_failed(status, &errors) {
        let (again, output, _) = run(program, "step-without-pmi", path, reader, progress)?;
        if again.success() {
            let mut read = decode(&output, path)?;
            read.structure.pmi.unread += 1;
            return Ok(read);
        }
    }
    Err(explain(path, status.code(), &errors))
}

/// Whether OpenCASCADE failed, other than for lack of memory.
fn has_failed(status: std::process::ExitStatus, errors: &str) -> bool {
    match status.code() {
        None => !errors.contains("memory allocation of"),
        Some(code) => code == 3 && errors.contains("OpenCASCADE failed"),
    }
}

/// Runs the reader program on a file; returns its exit status, its output and its messages.
fn run(
    program: &Path,
    format: &str,
    path: &Path,
    reader: &CadReader,
    progress: &Progress,
) -> Result<(std::process::ExitStatus, Vec<u8>, String)> {
    let mut child = Command::new(program)
        .arg(format)
        .arg(path)
        .arg(reader.chord_mm.to_string())
        .arg(reader.angle_deg.to_radians().to_string())
        // It exits when its standard input closes, hence with this process, however that ends.
        .arg("--watched")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| UserError::internal(format!("The CAD reader {} does not start: {e}.", program.display())))?;
    let output = drain(child.stdout.take());
    let progress_per_mille = Arc::new(AtomicU32::new(0));
    let errors = read_progress(child.stderr.take(), Arc::clone(&progress_per_mille));
    let status = wait_for_exit(&mut child, path, reader, &progress_per_mille, progress)?;
    let output = output.join().unwrap_or_default();
    Ok((status, output, errors.join().unwrap_or_default()))
}

/// Reads a pipe to its end on a separate thread, so that a full pipe never blocks the child.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // If the pipe breaks, the bytes received so far fail the checks of `decode`.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Reads the child's standard error on a separate thread: stores progress lines in `per_mille` and returns all others.
fn read_progress(
    pipe: Option<impl Read + Send + 'static>,
    per_mille: Arc<AtomicU32>,
) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut messages = String::new();
        let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
        for line in lines.map_while(std::result::Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match line.strip_prefix("progress ").and_then(|fraction| fraction.parse::<f32>().ok()) {
                Some(fraction) => per_mille.store((1000.0 * fraction) as u32, Ordering::Relaxed),
                None => messages = messages + &line + "\n",
            }
        }
        messages
    })
}

/// Waits for the child to exit; kills it on cancellation and timeout.
fn wait_for_exit(
    child: &mut Child,
    path: &Path,
    reader: &CadReader,
    per_mille: &AtomicU32,
    progress: &Progress,
) -> Result<std::process::ExitStatus> {
    let started = Instant::now();
    let megabytes = std::fs::metadata(path).map_or(0.0, |file| file.len() as f64 * 1e-6);
    let timeout = Duration::from_secs_f64(reader.timeout_s as f64 + TIMEOUT_S_PER_MB * megabytes);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Ok(status);
        }
        let seconds = started.elapsed().as_secs_f32();
        // OpenCASCADE reports no progress while it parses: until then, the bar advances ever more slowly with time.
        let reported = per_mille.load(Ordering::Relaxed) as f32 / 1000.0;
        let fraction = reported.max(0.3 - 0.3 / (1.0 + 0.2 * seconds));
        let activity = if reported < 0.4 { "Reading the CAD file" } else { "Meshing the CAD file" };
        let cancelled = progress.report(fraction, activity);
        let is_timed_out = started.elapsed() > timeout;
        if cancelled.is_err() || is_timed_out {
            // Errors are ignored: the child may just have exited by itself.
            let _ = child.kill();
            let _ = child.wait();
            cancelled?;
            return Err(UserError::input(format!(
                "{}: the CAD reader did not finish within {:.0} s, ten times what an intact file of this size needs, \
                 and was stopped: the file is probably damaged. Export the part again, or as STL.",
                path.display(),
                timeout.as_secs_f64()
            )));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn explain(path: &Path, code: Option<i32>, errors: &str) -> UserError {
    let shown = path.display();
    if errors.contains("error while loading shared libraries") {
        return UserError::input(format!(
            "{shown} is a CAD file, and OpenCASCADE is not installed on this machine. Install the Debian package \
             libocct-data-exchange-dev, or export the part as STL."
        ));
    }
    match code {
        Some(3) => {
            let reason = errors.lines().last().unwrap_or("it cannot be read").trim_end_matches('.').to_owned();
            UserError::input(format!("{shown}: {reason}. Check that the file is complete, and export it again."))
        }
        // The reader's own code, or Rust's words where its copy finds no room.
        code if code == Some(5) || errors.contains("memory allocation of") => UserError::input(format!(
            "{shown}: reading it needs more memory than is free on this machine. Close other programs, mesh it more \
             coarsely, or export it as STL."
        )),
        _ => UserError::input(format!(
            "{shown}: OpenCASCADE crashed on this file; everything else is unaffected. Export the part again in \
             another STEP version, or as STL."
        )),
    }
}

/// Decodes the child's output. Returns an internal error if it is incomplete or inconsistent; `path` is for messages.
pub fn decode(bytes: &[u8], path: &Path) -> Result<CadMesh> {
    let incomplete = || UserError::internal(format!("{}: the CAD reader's output is incomplete.", path.display()));
    let mut cursor = Cursor { bytes };
    if cursor.take(8).ok_or_else(incomplete)? != MAGIC {
        return Err(incomplete());
    }
    let mut count = || cursor.take(8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes).ok_or_else(incomplete);
    let (vertices, facets, faces, unmeshed, text_bytes) = (count()?, count()?, count()?, count()?, count()?);
    let needed = (vertices.checked_mul(24).zip(facets.checked_mul(16))).and_then(|(one, other)| one.checked_add(other));
    let needed = needed.filter(|needed| *needed <= bytes.len() as u64).ok_or_else(incomplete)?;
    if vertices >= u64::from(u32::MAX) {
        return Err(incomplete());
    }
    limits::require_bytes(needed, &format!("Reading {}", path.display()))?;
    let mut doubles = cursor.take(vertices as usize * 24).ok_or_else(incomplete)?.as_chunks::<8>().0.iter();
    let mut next = || doubles.next().map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes));
    let mut mesh =
        Mesh { vertices: (0..vertices).map(|_| Point::new(next(), next(), next())).collect(), ..Mesh::default() };
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect() };
    let corners = words(cursor.take(facets as usize * 12).ok_or_else(incomplete)?);
    if corners.iter().any(|&corner| u64::from(corner) >= vertices) {
        return Err(incomplete());
    }
    mesh.facets = corners.as_chunks::<3>().0.to_vec();
    mesh.cad_faces = words(cursor.take(facets as usize * 4).ok_or_else(incomplete)?);
    let mut notes = vec![format!("{faces} CAD faces meshed into {facets} facets.")];
    let unmeshed_bytes =
        unmeshed.checked_mul(4).and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(incomplete)?;
    let unmeshed_faces = words(cursor.take(unmeshed_bytes).ok_or_else(incomplete)?);
    let text = cursor.take(usize::try_from(text_bytes).map_err(|_| incomplete())?).ok_or_else(incomplete)?;
    if unmeshed > 0 {
        let shown: Vec<String> = unmeshed_faces.iter().take(8).map(|face| (face + 1).to_string()).collect();
        notes.push(format!(
            "{unmeshed} of {faces} CAD faces could not be meshed and are missing (faces {}{}): there are no deviations \
             on them.",
            shown.join(", "),
            if unmeshed > 8 { ", …" } else { "" }
        ));
    }
    Ok(CadMesh { mesh, notes, structure: CadStructure::parse(&String::from_utf8_lossy(text)) })
}

/// Reads consecutive slices of a buffer.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(head)
    }
}
