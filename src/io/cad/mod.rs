//! STEP and IGES, read by a child process: OpenCASCADE may crash, hang or be absent without harm to this program.
//!
//! The child writes a binary stream to its standard output: the magic, counts, vertices (f64), facets (u32) and the CAD
//! face of each facet (u32), then the numbers of faces that could not be meshed, and unit and parts as lines of text; its
//! last line on standard error is the reason when it fails.

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

/// First bytes of the child's answer.
pub const MAGIC: &[u8; 8] = b"SGCAD\0\0\x02";

/// The program that reads CAD files, and how finely it meshes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CadReader {
    /// Path of the reader program, handed down by whoever starts this one; `None` where none was built.
    #[serde(skip)]
    pub program: Option<PathBuf>,
    /// Largest distance between a facet and its CAD surface, mm.
    pub chord_mm: f64,
    /// Largest angle between neighbouring facets of a surface, degrees.
    pub angle_deg: f64,
    /// Longest time to wait for a file without its size, s.
    pub timeout_s: u64,
}

/// And so much longer for each million bytes, s: a sound file of that size needs a tenth of it.
const TIMEOUT_S_PER_MB: f64 = 120.0;

impl Default for CadReader {
    fn default() -> Self {
        Self { program: None, chord_mm: 0.005, angle_deg: 5.0, timeout_s: 60 }
    }
}

/// What a CAD file gave.
#[derive(Debug)]
pub struct CadMesh {
    /// The facets, with their CAD faces, mm.
    pub mesh: Mesh,
    /// Faces that could not be meshed, as a sentence.
    pub notes: Vec<String>,
    /// Its unit and parts.
    pub structure: CadStructure,
}

/// Reads and meshes `path` in a child process; cancel and time-out end the child.
pub fn read(path: &Path, is_iges: bool, reader: &CadReader, progress: &Progress) -> Result<CadMesh> {
    let sensible = reader.chord_mm > 0.0 && reader.angle_deg > 0.0 && reader.angle_deg < 180.0;
    if !sensible {
        return Err(UserError::usage("The chord must be above 0 mm and the angle between 0 and 180 degrees."));
    }
    let program = reader.program.as_ref().filter(|program| program.exists()).ok_or_else(|| {
        UserError::input(format!(
            "{} is a CAD file, and this build has no CAD reader. Build with the default features (Debian package \
             libocct-data-exchange-dev), or export the part as STL.",
            path.display()
        ))
    })?;
    progress.report(0.0, "Reading the CAD file")?;
    let mut child = Command::new(program)
        .arg(if is_iges { "iges" } else { "step" })
        .arg(path)
        .arg(reader.chord_mm.to_string())
        .arg(reader.angle_deg.to_radians().to_string())
        // It ends when this pipe does: with this process, however that goes.
        .arg("--watched")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| UserError::internal(format!("The CAD reader {} does not start: {e}.", program.display())))?;
    let output = drain(child.stdout.take());
    let done = Arc::new(AtomicU32::new(0));
    let errors = listen(child.stderr.take(), Arc::clone(&done));
    let status = wait(&mut child, path, reader, &done, progress)?;
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    if status.success() {
        return decode(&output, path);
    }
    Err(explain(path, status.code(), &errors))
}

/// Reads a pipe to its end on a thread, so that a full pipe never blocks the child.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came until a broken pipe is judged by its own checks.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Follows what the child tells of its progress, into thousandths of `done`; the rest is returned.
fn listen(pipe: Option<impl Read + Send + 'static>, done: Arc<AtomicU32>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut rest = String::new();
        let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
        for line in lines.map_while(std::result::Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match line.strip_prefix("progress ").and_then(|share| share.parse::<f32>().ok()) {
                Some(share) => done.store((1000.0 * share) as u32, Ordering::Relaxed),
                None => rest = rest + &line + "\n",
            }
        }
        rest
    })
}

fn wait(
    child: &mut Child,
    path: &Path,
    reader: &CadReader,
    done: &AtomicU32,
    progress: &Progress,
) -> Result<std::process::ExitStatus> {
    let started = Instant::now();
    let megabytes = std::fs::metadata(path).map_or(0.0, |file| file.len() as f64 * 1e-6);
    let longest = Duration::from_secs_f64(reader.timeout_s as f64 + TIMEOUT_S_PER_MB * megabytes);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Ok(status);
        }
        let seconds = started.elapsed().as_secs_f32();
        // While it parses, the library tells nothing: an honest, slowing bar shows that it lives.
        let told = done.load(Ordering::Relaxed) as f32 / 1000.0;
        let share = told.max(0.3 - 0.3 / (1.0 + 0.2 * seconds));
        let stage = if told < 0.4 { "Reading the CAD file" } else { "Meshing the CAD file" };
        let cancelled = progress.report(share, stage);
        let late = started.elapsed() > longest;
        if cancelled.is_err() || late {
            // It may have ended on its own in this instant; either way it is gone.
            let _ = child.kill();
            let _ = child.wait();
            cancelled?;
            return Err(UserError::input(format!(
                "{}: the CAD reader gave no answer within {:.0} s, ten times what a sound file of this size needs, and was \
                 stopped: the file is damaged. Export the part again, or as STL.",
                path.display(),
                longest.as_secs_f64()
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
        _ => UserError::input(format!(
            "{shown}: OpenCASCADE crashed on this file; everything else is untouched. Export the part again in another \
             STEP version, or as STL."
        )),
    }
}

/// Reads the child's answer; a broken one is an internal error.
pub fn decode(bytes: &[u8], path: &Path) -> Result<CadMesh> {
    let broken = || UserError::internal(format!("{}: the CAD reader's answer is incomplete.", path.display()));
    let mut cursor = Cursor { bytes };
    if cursor.take(8).ok_or_else(broken)? != MAGIC {
        return Err(broken());
    }
    let mut count = || cursor.take(8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes).ok_or_else(broken);
    let (vertices, facets, faces, unmeshed, letters) = (count()?, count()?, count()?, count()?, count()?);
    if vertices >= u64::from(u32::MAX) || vertices * 24 + facets * 16 > bytes.len() as u64 {
        return Err(broken());
    }
    limits::require_bytes(vertices * 24 + facets * 16, &format!("Reading {}", path.display()))?;
    let mut doubles = cursor.take(vertices as usize * 24).ok_or_else(broken)?.as_chunks::<8>().0.iter();
    let mut next = || doubles.next().map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes));
    let mut mesh =
        Mesh { vertices: (0..vertices).map(|_| Point::new(next(), next(), next())).collect(), ..Mesh::default() };
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect() };
    let corners = words(cursor.take(facets as usize * 12).ok_or_else(broken)?);
    if corners.iter().any(|&corner| u64::from(corner) >= vertices) {
        return Err(broken());
    }
    mesh.facets = corners.as_chunks::<3>().0.to_vec();
    mesh.cad_faces = words(cursor.take(facets as usize * 4).ok_or_else(broken)?);
    let mut notes = vec![format!("{faces} CAD faces meshed into {facets} facets.")];
    let unmeshed_bytes = unmeshed.checked_mul(4).and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(broken)?;
    let numbers = words(cursor.take(unmeshed_bytes).ok_or_else(broken)?);
    let text = cursor.take(usize::try_from(letters).map_err(|_| broken())?).ok_or_else(broken)?;
    if unmeshed > 0 {
        let shown: Vec<String> = numbers.iter().take(8).map(|face| (face + 1).to_string()).collect();
        notes.push(format!(
            "{unmeshed} of {faces} CAD faces could not be meshed and are missing (faces {}{}): deviations there have no \
             data.",
            shown.join(", "),
            if unmeshed > 8 { ", …" } else { "" }
        ));
    }
    Ok(CadMesh { mesh, notes, structure: CadStructure::parse(&String::from_utf8_lossy(text)) })
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }
}
