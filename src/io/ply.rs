//! PLY. The `ply-rs-bw` library reads the header. The body is streamed here, because the library keeps a whole element
//! in memory and refuses ASCII numbers such as `nan`.

use std::io::BufRead;
use std::path::Path;

use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, ElementDef, Encoding, PropertyType, ScalarType};

use super::account::{Account, FACES, FEW_CORNERS, POINTS};
use super::lines::Lines;
use super::polygon::Polygons;
use super::source::{Source, read_error};
use base::{Result, UserError, limits};
use geometry::{Cloud, Mesh, Point};

/// Contents of a PLY file: vertices, and facets if the file has faces.
pub struct PlyContents {
    /// Vertices with their attributes (normals, directions to the sensor, intensity).
    pub cloud: Cloud,
    /// Facets as vertex indices; empty for a point cloud.
    pub facets: Vec<[u32; 3]>,
}

/// Whether the header that a file begins with ends there and declares neither faces nor strips of them.
pub fn declares_no_facets(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim_end);
    let mut has_facets = false;
    let ends = lines.by_ref().any(|line| {
        let is_facets = FACE_ELEMENTS.iter().any(|name| {
            line.strip_prefix("element ")
                .and_then(|rest| rest.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with(' '))
        });
        has_facets |= is_facets && !line.ends_with(" 0");
        line == "end_header"
    });
    ends && !has_facets
}

/// Reads the vertices, and the faces and strips as triangles, in the file's unit.
pub fn read(source: Source, account: &mut Account) -> Result<PlyContents> {
    let path = source.path().to_owned();
    let length = source.length();
    // The header is limited to 1 MiB, so that a file without line ends is not read whole.
    let mut reader = Reader::new(std::io::Read::take(source.buffered(), 1 << 20));
    let header = Parser::<DefaultElement>::new().read_header(&mut reader).map_err(|e| {
        let line = e.line().map_or_else(String::new, |line| format!(", line {line}"));
        UserError::input(format!(
            "{}{line}: the PLY header cannot be read; “ply”, “format …”, “element …” and “property …” lines were \
             expected. Export the file again.",
            path.display()
        ))
    })?;
    let mut body = Body {
        reader: Lines::new(reader.into_inner().into_inner()),
        encoding: header.encoding,
        path: &path,
        long_lines: 0,
    };
    let mut contents = PlyContents { cloud: Cloud::default(), facets: Vec::new() };
    for (name, element) in &header.elements {
        check_count(&path, name, element, length, header.encoding)?;
        match name.as_str() {
            "vertex" => {
                account.count(POINTS, Some(element.count as u64), element.count as u64);
                body.vertices(element, &mut contents.cloud)?;
            }
            _ if FACE_ELEMENTS.contains(&name.as_str()) => body.faces(element, &mut contents, account)?,
            _ => {
                body.skip(element)?;
                let names = [format!("“{name}” entry"), format!("“{name}” entries")];
                account.left_out(names.each_ref().map(String::as_str), element.count as u64, OTHER_ELEMENT);
            }
        }
    }
    body.count_rest(account)?;
    if contents.cloud.points.is_empty() {
        return Err(UserError::input(format!("{} holds no vertex; export it again.", path.display())));
    }
    Ok(contents)
}

/// Returns an error if the file is too short for the declared element count, before anything is allocated.
fn check_count(path: &Path, name: &str, element: &ElementDef, length: u64, encoding: Encoding) -> Result<()> {
    let min_entry_bytes: u64 = element
        .properties
        .values()
        .map(|property| match (encoding, &property.data_type) {
            // A digit and a separator.
            (Encoding::Ascii, _) => 2,
            (_, PropertyType::Scalar(scalar)) => size(scalar) as u64,
            (_, PropertyType::List(count, _)) => size(count) as u64,
        })
        .sum();
    let needed = (element.count as u64).saturating_mul(min_entry_bytes.max(1));
    if needed > length {
        return Err(UserError::input(format!(
            "{}: the header declares {} “{name}” entries, which needs at least {}, but the file has {}; it was cut \
             short or its header is wrong. Export it again.",
            path.display(),
            element.count,
            limits::format_bytes(needed),
            limits::format_bytes(length)
        )));
    }
    Ok(())
}

fn size(scalar: &ScalarType) -> usize {
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

fn decode(scalar: &ScalarType, bytes: &[u8], encoding: Encoding) -> f64 {
    fn word<const N: usize>(bytes: &[u8], big: bool) -> [u8; N] {
        let mut word = [0; N];
        if let Some(source) = bytes.get(..N) {
            word.copy_from_slice(source);
        }
        if big {
            word.reverse();
        }
        word
    }
    let big = encoding == Encoding::BinaryBigEndian;
    match scalar {
        ScalarType::Char => f64::from(i8::from_le_bytes(word(bytes, big))),
        ScalarType::UChar => f64::from(u8::from_le_bytes(word(bytes, big))),
        ScalarType::Short => f64::from(i16::from_le_bytes(word(bytes, big))),
        ScalarType::UShort => f64::from(u16::from_le_bytes(word(bytes, big))),
        ScalarType::Int => f64::from(i32::from_le_bytes(word(bytes, big))),
        ScalarType::UInt => f64::from(u32::from_le_bytes(word(bytes, big))),
        ScalarType::Float => f64::from(f32::from_le_bytes(word(bytes, big))),
        ScalarType::Double => f64::from_le_bytes(word(bytes, big)),
    }
}

/// Vertex properties that are read, each with its accepted names.
const COLUMNS: [&[&str]; 10] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx", "normal_x"],
    &["ny", "normal_y"],
    &["nz", "normal_z"],
    &["to_sensor_x"],
    &["to_sensor_y"],
    &["to_sensor_z"],
    &["intensity", "scalar_intensity", "scalar_Intensity", "Intensity"],
];

/// Elements that hold faces, or strips of triangles, and their properties that hold corners.
const FACE_ELEMENTS: [&str; 6] = ["face", "faces", "polygon", "polygons", "tristrips", "tristrip"];
const CORNERS: [&str; 4] = ["vertex_indices", "vertex_index", "vertex_indexes", "vertex_ids"];
const OTHER_ELEMENT: &str = "only vertices, faces and strips of triangles are read";

struct Body<'a, R> {
    reader: Lines<R>,
    encoding: Encoding,
    path: &'a Path,
    /// Lines with more numbers than the header names.
    long_lines: u64,
}

impl<R: BufRead> Body<'_, R> {
    fn vertices(&mut self, element: &ElementDef, cloud: &mut Cloud) -> Result<()> {
        let names: Vec<&str> = element.properties.values().map(|property| property.name.as_str()).collect();
        let indices = COLUMNS.map(|spellings| names.iter().position(|name| spellings.contains(name)));
        if indices.iter().take(3).any(Option::is_none) {
            return Err(UserError::input(format!(
                "{}: the vertices have no x, y and z (found: {}); export the file with coordinates.",
                self.path.display(),
                names.join(", ")
            )));
        }
        limits::require_bytes(element.count as u64 * 36, &format!("Reading {}", self.path.display()))?;
        cloud.points.reserve_exact(element.count);
        let has = |first: usize| indices.iter().skip(first).take(3).all(Option::is_some);
        let (normals, directions, intensity) = (has(3), has(6), indices.last().is_some_and(Option::is_some));
        let mut row = vec![0.0; names.len()];
        let mut scratch = Vec::new();
        for _ in 0..element.count {
            self.row(element, &mut row, &mut scratch, &mut Vec::new())?;
            let value = |column: usize| {
                indices.get(column).copied().flatten().and_then(|index| row.get(index)).copied().unwrap_or(f64::NAN)
            };
            cloud.points.push(Point::new(value(0), value(1), value(2)));
            if normals {
                cloud.normals.push([value(3) as f32, value(4) as f32, value(5) as f32]);
            }
            if directions {
                cloud.to_sensor.push([value(6) as f32, value(7) as f32, value(8) as f32]);
            }
            if intensity {
                cloud.intensity.push(value(9) as f32);
            }
        }
        Ok(())
    }

    /// Reads faces, or strips of triangles.
    fn faces(&mut self, element: &ElementDef, contents: &mut PlyContents, account: &mut Account) -> Result<()> {
        let vertices = contents.cloud.points.len();
        account.count(FACES, Some(element.count as u64), element.count as u64);
        let list = element.properties.values().position(|property| CORNERS.contains(&property.name.as_str()));
        let Some(list) = list else {
            account.left_out(FACES, element.count as u64, "no list of their corners is among their properties");
            return self.skip(element);
        };
        let are_strips = element.name.starts_with("tristrip");
        let mut row = vec![0.0; element.properties.len()];
        let (mut scratch, mut lists) = (Vec::new(), Vec::new());
        let (mut polygons, mut too_small, mut crossed) = (Polygons::new(), 0, 0);
        for face_index in 0..element.count {
            lists.clear();
            self.row(element, &mut row, &mut scratch, &mut lists)?;
            let corners = lists.iter().filter(|(property, _)| *property == list).map(|(_, value)| *value);
            let is_end = |value: f64| are_strips && value == -1.0;
            let is_corner = |value: f64| (0.0..vertices as f64).contains(&value) && value.fract() == 0.0;
            if let Some(bad) = corners.clone().find(|value| !is_corner(*value) && !is_end(*value)) {
                return Err(UserError::input(format!(
                    "{}: face {} refers to vertex {bad}, but there are {vertices} vertices, counted from 0; the file is damaged, so \
                     export it again.",
                    self.path.display(),
                    face_index + 1
                )));
            }
            if are_strips {
                let strips: Vec<f64> = corners.collect();
                strips.split(|value| is_end(*value)).for_each(|strip| add_strip(strip, &mut contents.facets));
                continue;
            }
            let corners: Vec<u32> = corners.map(|value| value as u32).collect();
            too_small += u64::from(corners.len() < 3);
            crossed += u64::from(!polygons.divide(&contents.cloud.points, &corners, &mut contents.facets));
        }
        account.left_out(FACES, too_small, FEW_CORNERS);
        account.crossed_faces(crossed);
        Ok(())
    }

    /// Notes what follows the last element.
    fn count_rest(&mut self, account: &mut Account) -> Result<()> {
        if self.encoding == Encoding::Ascii {
            while let Some(line) = self.reader.next(self.path)? {
                account.lines_left_over += u64::from(!line.trim().is_empty());
            }
        } else {
            let rest = std::io::copy(self.reader.reader(), &mut std::io::sink());
            account.bytes_left_over += rest.map_err(|e| read_error(self.path, &e))?;
        }
        if self.long_lines > 0 {
            let lines = base::counted(self.long_lines as usize, "line holds", "lines hold");
            account.remarks.push(format!("{lines} more numbers than the header names, and these were left out."));
        }
        Ok(())
    }

    fn skip(&mut self, element: &ElementDef) -> Result<()> {
        let mut row = vec![0.0; element.properties.len()];
        let (mut scratch, mut lists) = (Vec::new(), Vec::new());
        for _ in 0..element.count {
            lists.clear();
            self.row(element, &mut row, &mut scratch, &mut lists)?;
        }
        Ok(())
    }

    /// Reads one entry: scalars into `row` by property index, list items into `lists` as (property index, value).
    fn row(
        &mut self,
        element: &ElementDef,
        row: &mut [f64],
        scratch: &mut Vec<u8>,
        lists: &mut Vec<(usize, f64)>,
    ) -> Result<()> {
        if self.encoding == Encoding::Ascii {
            return self.ascii_row(element, row, lists);
        }
        let encoding = self.encoding;
        for (index, property) in element.properties.values().enumerate() {
            match &property.data_type {
                PropertyType::Scalar(scalar) => {
                    let value = decode(scalar, self.bytes(size(scalar), scratch)?, encoding);
                    if let Some(slot) = row.get_mut(index) {
                        *slot = value;
                    }
                }
                PropertyType::List(count, item) => {
                    let count = decode(count, self.bytes(size(count), scratch)?, encoding);
                    if !(0.0..=1e6).contains(&count) {
                        return Err(UserError::input(format!(
                            "{}: a list of “{}” declares {count} entries; the file is damaged, so export it again.",
                            self.path.display(),
                            element.name
                        )));
                    }
                    for _ in 0..count as usize {
                        let value = decode(item, self.bytes(size(item), scratch)?, encoding);
                        lists.push((index, value));
                    }
                }
            }
        }
        Ok(())
    }

    fn bytes<'s>(&mut self, count: usize, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        scratch.resize(count, 0);
        self.reader.reader().read_exact(scratch).map_err(|e| read_error(self.path, &e))?;
        Ok(scratch)
    }

    fn ascii_row(&mut self, element: &ElementDef, row: &mut [f64], lists: &mut Vec<(usize, f64)>) -> Result<()> {
        let path = self.path;
        let line = loop {
            match self.reader.next(path)? {
                None => return Err(read_error(path, &std::io::Error::from(std::io::ErrorKind::UnexpectedEof))),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => break line.to_owned(),
            }
        };
        let number = self.reader.number;
        let unreadable = |word: Option<&str>| {
            UserError::input(format!(
                "{}, line {number} of the data: “{}” is not a number; “{}” entries were expected here.",
                path.display(),
                word.unwrap_or("nothing").chars().take(40).collect::<String>(),
                element.name
            ))
        };
        let mut words = line.split_whitespace();
        let mut next = || {
            let word = words.next();
            word.and_then(|word| word.parse::<f64>().ok()).ok_or_else(|| unreadable(word))
        };
        for (index, property) in element.properties.values().enumerate() {
            let value = next()?;
            if let PropertyType::List(..) = property.data_type {
                if !(0.0..=1e6).contains(&value) {
                    return Err(unreadable(None));
                }
                for _ in 0..value as usize {
                    lists.push((index, next()?));
                }
            } else if let Some(slot) = row.get_mut(index) {
                *slot = value;
            }
        }
        self.long_lines += u64::from(words.next().is_some());
        Ok(())
    }
}

/// Adds the triangles of a strip: every second one is wound the other way around.
fn add_strip(strip: &[f64], facets: &mut Vec<[u32; 3]>) {
    for (index, corners) in strip.windows(3).enumerate() {
        if let [a, b, c] = corners {
            let [a, b, c] = [a, b, c].map(|value| *value as u32);
            facets.push(if index % 2 == 0 { [a, b, c] } else { [b, a, c] });
        }
    }
}

/// Converts `contents` to a mesh; vertex attributes are dropped.
pub fn into_mesh(contents: PlyContents) -> Mesh {
    Mesh { vertices: contents.cloud.points, facets: contents.facets, cad_faces: Vec::new() }
}
