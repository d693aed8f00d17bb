//! OFF (Geomview), ASCII: a header, vertices, and faces with any number of corners.

use std::io::BufRead;
use std::path::Path;

use super::account::{Account, FACES, FEW_CORNERS, POINTS};
use super::lines::Lines;
use super::polygon::Polygons;
use super::source::Source;
use base::{Result, UserError, limits};
use geometry::{Mesh, Point};

/// Reads all faces, divided into triangles. If there are none, the mesh holds the vertices alone.
pub fn read(source: Source, account: &mut Account) -> Result<Mesh> {
    let (path, length) = (source.path().to_owned(), source.length());
    let mut rows = Rows { lines: Lines::new(source.buffered()), path: &path };
    let header = rows.next()?.unwrap_or_default();
    let mut words = header.split_whitespace();
    let keyword = words.next().unwrap_or_default().trim_start_matches('\u{feff}').to_ascii_uppercase();
    // Normals, colours and texture coordinates may follow the coordinates; a fourth dimension is not supported.
    if !matches!(keyword.as_str(), "OFF" | "COFF" | "NOFF" | "CNOFF" | "STOFF" | "NCOFF")
        || words.next() == Some("BINARY")
    {
        return Err(rows.invalid("an ASCII OFF header was expected"));
    }
    let mut counts = numbers(header.split_whitespace().skip(1));
    if counts.len() < 2 {
        counts = numbers(rows.next()?.unwrap_or_default().split_whitespace());
    }
    let [vertices, faces] = match counts.as_slice() {
        [vertices, faces, ..] if *vertices >= 0.0 && *faces >= 0.0 => [*vertices, *faces].map(|count| count as u64),
        _ => return Err(rows.invalid("the vertex and face counts were expected")),
    };
    // A vertex takes at least six bytes, a face at least eight.
    if vertices.saturating_mul(6).saturating_add(faces.saturating_mul(8)) > length.saturating_add(16) {
        return Err(rows.invalid(&format!(
            "the header declares {vertices} vertices and {faces} faces, more than the file can hold"
        )));
    }
    limits::require_bytes(vertices * 24 + faces * 24, &format!("Reading {}", path.display()))?;
    let mut mesh = Mesh::default();
    for _ in 0..vertices {
        let Some(row) = rows.next()? else { return Err(rows.invalid("the file ends within its vertices")) };
        match numbers(row.split_whitespace().take(3)).as_slice() {
            &[x, y, z] => mesh.vertices.push(Point::new(x, y, z)),
            _ => return Err(rows.invalid("three coordinates were expected")),
        }
    }
    let (mut polygons, mut too_small, mut crossed) = (Polygons::new(), 0, 0);
    for _ in 0..faces {
        let Some(row) = rows.next()? else { return Err(rows.invalid("the file ends within its faces")) };
        let mut words = row.split_whitespace().map(str::parse::<u32>);
        let count = words.next().and_then(|count| count.ok()).unwrap_or(0) as usize;
        let corners: Vec<u32> = words.take(count).map_while(|corner| corner.ok()).collect();
        if corners.len() < count || count == 0 || corners.iter().any(|corner| u64::from(*corner) >= vertices) {
            return Err(rows.invalid("a face was expected: the number of corners, then indices of existing vertices"));
        }
        too_small += u64::from(corners.len() < 3);
        crossed += u64::from(!polygons.divide(&mesh.vertices, &corners, &mut mesh.facets));
    }
    account.count(POINTS, Some(vertices), vertices);
    account.count(FACES, Some(faces), faces);
    while rows.next()?.is_some() {
        account.lines_left_over += 1;
    }
    account.left_out(FACES, too_small, FEW_CORNERS);
    account.crossed_faces(crossed);
    Ok(mesh)
}

/// Leading words that are numbers.
fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<f64> {
    words.map_while(|word| word.parse().ok()).collect()
}

/// Lines that are not blank, without comments.
struct Rows<'a, R> {
    lines: Lines<R>,
    path: &'a Path,
}

impl<R: BufRead> Rows<'_, R> {
    fn next(&mut self) -> Result<Option<String>> {
        while let Some(line) = self.lines.next(self.path)? {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
        Ok(None)
    }

    fn invalid(&self, what: &str) -> UserError {
        let (path, line) = (self.path.display(), self.lines.number);
        UserError::input(format!("{path}, line {line}: {what}. Export the file again."))
    }
}
