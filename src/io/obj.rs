//! Wavefront OBJ: vertices and faces, read with the `tobj` library. All other lines are filtered out first, and faces
//! reduced to their vertex indices, so that materials, curves and stray bytes cannot interfere.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::account::{Account, FACES};
use super::lines::Lines;
use super::polygon::Polygons;
use super::source::Source;
use base::{Progress, Result, UserError};
use geometry::{Mesh, Point};

/// Reads all faces, divided into triangles. If there are none, the mesh holds the vertices alone.
pub fn read(source: Source, account: &mut Account) -> Result<Mesh> {
    let path = source.path().to_owned();
    let mut filtered = BufReader::new(ObjFilter::new(source.buffered(), &path));
    let options = tobj::LoadOptions { triangulate: false, single_index: false, ..tobj::LoadOptions::default() };
    let loaded = tobj::load_obj_buf(&mut filtered, &options, |_| Ok(Default::default()));
    let filtered = filtered.into_inner();
    if let Some(error) = filtered.error {
        return Err(error);
    }
    account.last_line(filtered.lines.is_terminated);
    for (name, count) in &filtered.left_out {
        account.left_out(*name, *count, "only vertices and faces are read");
    }
    let (models, _) = loaded.map_err(|error| user_error(&path, &error))?;
    let mut mesh = Mesh::default();
    let (mut polygons, mut crossed) = (Polygons::new(), 0);
    let mut faces = 0;
    for model in &models {
        let offset = mesh.vertices.len() as u32;
        mesh.vertices.extend(model.mesh.positions.as_chunks::<3>().0.iter().map(|&[x, y, z]| Point::new(x, y, z)));
        let indices: Vec<u32> = model.mesh.indices.iter().map(|index| index + offset).collect();
        // Without arities, all are triangles.
        let mut rest = indices.as_slice();
        let arities = model.mesh.face_arities.iter().map(|arity| *arity as usize);
        let triangles = if model.mesh.face_arities.is_empty() { indices.len() / 3 } else { 0 };
        for arity in arities.chain(std::iter::repeat_n(3, triangles)) {
            let Some((corners, after)) = rest.split_at_checked(arity) else { break };
            crossed += u64::from(!polygons.divide(&mesh.vertices, corners, &mut mesh.facets));
            rest = after;
            faces += 1;
        }
    }
    account.count(FACES, None, faces);
    account.crossed_faces(crossed);
    if mesh.facets.is_empty() {
        // The library drops vertices that no face uses: an OBJ may still be a point cloud.
        mesh.vertices = filtered.read_vertices(&path)?;
    }
    Ok(mesh)
}

/// Converts a library error to a user error; the file is read again to find the line.
fn user_error(path: &Path, error: &tobj::LoadError) -> UserError {
    let what = match error {
        tobj::LoadError::FaceVertexOutOfBounds => "a face refers to a vertex that is not in the file",
        tobj::LoadError::FaceParseError => "a face has no readable vertex indices",
        tobj::LoadError::PositionParseError | tobj::LoadError::ColorParseError => {
            "a vertex has no three readable coordinates (decimal points are needed)"
        }
        _ => "a line cannot be read",
    };
    let line = find_invalid_line(path).map_or_else(String::new, |line| format!(", line {line}"));
    UserError::input(format!("{}{line}: {what}. Export the file again.", path.display()))
}

/// Number of the first invalid line, for error messages.
fn find_invalid_line(path: &Path) -> Option<u64> {
    let source = Source::open(path, &Progress::silent()).ok()?;
    let mut lines = Lines::new(source.buffered());
    let mut vertices = 0_i64;
    while let Ok(Some(line)) = lines.next(path) {
        let mut words = without_comment(line).split_whitespace();
        let is_valid = match words.next() {
            Some("v") => {
                vertices += 1;
                words.clone().take(3).filter(|w| w.parse::<f64>().is_ok()).count() == 3
            }
            Some("f") => words.all(|word| {
                let index = word.split('/').next().and_then(|i| i.parse::<i64>().ok());
                index.is_some_and(|i| (1..=vertices).contains(&i) || (i < 0 && -i <= vertices))
            }),
            _ => true,
        };
        if !is_valid {
            return Some(lines.number);
        }
    }
    None
}

/// Geometry that is not read, by its keywords.
const OTHERS: [(&str, [&str; 2]); 5] = [
    ("l", ["line", "lines"]),
    ("p", ["point", "points"]),
    ("surf", ["free-form surface", "free-form surfaces"]),
    ("curv", ["free-form curve", "free-form curves"]),
    ("curv2", ["free-form curve", "free-form curves"]),
];

/// A line up to a comment.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

/// Passes on `v` and `f` lines, reduced to coordinates and vertex indices.
struct ObjFilter<R> {
    lines: Lines<R>,
    path: std::path::PathBuf,
    pending: VecDeque<u8>,
    /// Error behind the I/O error that the library saw.
    error: Option<UserError>,
    /// Geometry of other kinds, by its keyword.
    left_out: BTreeMap<[&'static str; 2], u64>,
}

impl<R: BufRead> ObjFilter<R> {
    fn new(reader: R, path: &Path) -> Self {
        Self {
            lines: Lines::new(reader),
            path: path.to_owned(),
            pending: VecDeque::new(),
            error: None,
            left_out: BTreeMap::new(),
        }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        while self.pending.is_empty() {
            match self.lines.next(&self.path) {
                Ok(None) => return Ok(()),
                Ok(Some(line)) => {
                    let (line, number) = (line.to_owned(), self.lines.number);
                    self.filter_line(&line, number)?;
                }
                Err(error) => return Err(self.fail(error)),
            }
        }
        Ok(())
    }

    fn filter_line(&mut self, line: &str, number: u64) -> std::io::Result<()> {
        let keyword = line.split_whitespace().next().unwrap_or_default();
        if let Some((_, name)) = OTHERS.iter().find(|(own, _)| *own == keyword) {
            *self.left_out.entry(*name).or_default() += 1;
        }
        if !matches!(keyword, "v" | "f") {
            return Ok(());
        }
        let mut logical = without_comment(line).to_owned();
        // A trailing backslash continues the line.
        while logical.ends_with('\\') {
            logical.pop();
            let next = match self.lines.next(&self.path) {
                Ok(next) => without_comment(next.unwrap_or_default()).to_owned(),
                Err(error) => return Err(self.fail(error)),
            };
            logical.push(' ');
            logical.push_str(&next);
            if logical.len() > 1 << 16 {
                let path = self.path.display();
                return Err(self.fail(UserError::input(format!(
                    "{path}, line {number}: this line goes on for more than 65,000 characters; export the file again."
                ))));
            }
        }
        let mut words = logical.split_whitespace();
        let words: Vec<&str> = match words.next() {
            Some("v") => std::iter::once("v").chain(words.take(3)).collect(),
            Some("f") => std::iter::once("f").chain(words.map(|w| w.split('/').next().unwrap_or(w))).collect(),
            _ => return Ok(()),
        };
        if words.first() == Some(&"v")
            && !words.iter().skip(1).all(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
            || words.len() < 4
        {
            let path = self.path.display();
            return Err(self.fail(UserError::input(format!(
                "{path}, line {number}: “{}” is not readable; three coordinates with decimal points, or a face of at \
                 least three vertex indices, were expected. Export the file again.",
                words.join(" ").chars().take(60).collect::<String>()
            ))));
        }
        self.pending.extend(words.join(" ").bytes());
        self.pending.push_back(b'\n');
        Ok(())
    }

    fn fail(&mut self, error: UserError) -> std::io::Error {
        self.error = Some(error);
        std::io::Error::other("unreadable line")
    }

    fn read_vertices(self, path: &Path) -> Result<Vec<Point>> {
        let mut lines = Lines::new(Source::open(path, &Progress::silent())?.buffered());
        let mut vertices = Vec::new();
        while let Some(line) = lines.next(path)? {
            let mut words = without_comment(line).split_whitespace();
            if words.next() == Some("v") {
                let mut next = || words.next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
                vertices.push(Point::new(next(), next(), next()));
            }
        }
        Ok(vertices)
    }
}

impl<R: BufRead> Read for ObjFilter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.pending.is_empty() {
            self.refill()?;
        }
        self.pending.read(buffer)
    }
}
