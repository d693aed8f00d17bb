//! Text files with one point per line in columns (XYZ, ASC, CSV, TXT, PTS). Columns can be previewed and chosen;
//! decimal commas are recognised.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::source::Source;
use base::{Result, UserError};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point};

/// Column indices, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// Columns of x, y, z.
    pub xyz: [usize; 3],
    /// Columns of the normal x, y, z.
    pub normal: Option<[usize; 3]>,
    /// Column of the intensity.
    pub intensity: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { xyz: [0, 1, 2], normal: None, intensity: None }
    }
}

/// The first lines of a file, split as by the reader, for choosing columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Column titles; empty if the file has no header line.
    pub titles: Vec<String>,
    /// Rows of cells, as text.
    pub rows: Vec<Vec<String>>,
    /// Columns detected from the titles.
    pub columns: Columns,
    /// Whether numbers have decimal commas.
    pub decimal_comma: bool,
}

/// Separator and number format of a file.
#[derive(Clone, Copy)]
struct Dialect {
    /// `None` for white space.
    separator: Option<char>,
    decimal_comma: bool,
}

impl Dialect {
    /// Detected from the first line of data: commas beside semicolons, tabs or blanks are decimal commas.
    fn detect(line: &str) -> Self {
        let explicit = [';', '\t'].into_iter().find(|c| line.contains(*c));
        let words = line.split_whitespace().count();
        // A decimal comma stands between digits.
        let between_digits =
            |word: &str| word.matches(',').count() == 1 && !word.starts_with(',') && !word.ends_with(',');
        let with_comma = || line.split(|c: char| c.is_whitespace() || c == ';').filter(|word| word.contains(','));
        let decimal_comma = !line.contains('.')
            && (explicit.is_some() || words >= 3)
            && with_comma().next().is_some()
            && with_comma().all(between_digits);
        let separator = explicit.or_else(|| (line.contains(',') && !decimal_comma).then_some(','));
        Self { separator, decimal_comma }
    }

    fn split<'a>(&self, line: &'a str) -> Vec<&'a str> {
        match self.separator {
            Some(separator) => line.split(separator).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        }
    }

    fn number(&self, word: &str) -> Option<f64> {
        // If the separator is not a comma, each word may have a decimal comma of its own.
        let may_have_comma = self.decimal_comma || matches!(self.separator, Some(';' | '\t'));
        if may_have_comma && word.matches(',').count() == 1 {
            return word.replace(',', ".").parse().ok();
        }
        word.parse().ok()
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', '%', '!']) || line.starts_with("//")
}

/// Previews the first `count` rows of `source`.
pub fn preview(source: Source, count: usize) -> Result<Preview> {
    let path = source.path().to_owned();
    let mut lines = Lines::new(source.buffered());
    let mut preview = Preview::default();
    let mut dialect = None;
    while preview.rows.len() < count {
        let Some(line) = lines.next(&path)? else { break };
        if is_comment(line) {
            continue;
        }
        let current = *dialect.get_or_insert_with(|| Dialect::detect(line));
        let words = current.split(line);
        let numbers = words.iter().filter(|word| current.number(word).is_some()).count();
        if preview.rows.is_empty() && numbers < 3 && preview.titles.is_empty() && words.len() > 2 {
            preview.titles = words.iter().map(|word| word.trim_matches('"').to_owned()).collect();
            dialect = None;
            continue;
        }
        preview.decimal_comma = current.decimal_comma;
        preview.rows.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
    preview.columns = columns_of(&preview.titles);
    Ok(preview)
}

/// Columns by their titles; x, y, z default to the first three columns.
fn columns_of(titles: &[String]) -> Columns {
    let find = |names: &[&str]| {
        titles.iter().position(|title| {
            let title = title.to_ascii_lowercase();
            let bare = title.split(['_', ' ', '[', '(']).next().unwrap_or_default();
            names.contains(&bare)
        })
    };
    let triple = |names: [&[&str]; 3]| {
        let [a, b, c] = names.map(find);
        Some([a?, b?, c?])
    };
    Columns {
        xyz: triple([&["x", "//x"], &["y"], &["z"]]).unwrap_or([0, 1, 2]),
        normal: triple([&["nx"], &["ny"], &["nz"]]),
        intensity: find(&["intensity", "i"]),
    }
}

/// Reads all points with usable coordinates, in the file's unit. If `columns` is `None`, they are detected as in
/// [`preview`].
pub fn read(source: Source, columns: Option<Columns>) -> Result<(Cloud, CloudFindings)> {
    let path = source.path().to_owned();
    let first = preview(Source::open(&path, &base::Progress::silent())?, 20)?;
    let columns = columns.unwrap_or(first.columns);
    let mut lines = Lines::new(source.buffered());
    let (mut cloud, mut findings) = (Cloud::default(), CloudFindings::default());
    let mut dialect: Option<Dialect> = None;
    let mut has_pending_titles = !first.titles.is_empty();
    let mut may_be_count = true;
    while let Some(line) = lines.next(&path)? {
        if is_comment(line) {
            continue;
        }
        if std::mem::take(&mut has_pending_titles) {
            continue;
        }
        let current = *dialect.get_or_insert_with(|| Dialect::detect(line));
        let words = current.split(line);
        // PTS files begin with the number of points.
        if std::mem::take(&mut may_be_count) && words.len() == 1 && words.iter().all(|w| w.parse::<u64>().is_ok()) {
            dialect = None;
            continue;
        }
        let value = |column: usize| words.get(column).and_then(|word| current.number(word));
        let triple = |[a, b, c]: [usize; 3]| Some([value(a)?, value(b)?, value(c)?]);
        let Some([x, y, z]) = triple(columns.xyz) else {
            let line: String = line.chars().take(60).collect();
            return Err(invalid_line(&path, lines.number, &line, columns));
        };
        let point = Point::new(x, y, z);
        if !super::load::is_usable(&point) {
            findings.not_finite_points += 1;
            continue;
        }
        cloud.points.push(point);
        if let Some([x, y, z]) = columns.normal.and_then(triple) {
            cloud.normals.push([x as f32, y as f32, z as f32]);
        }
        if let Some(intensity) = columns.intensity.and_then(value) {
            cloud.intensity.push(intensity as f32);
        }
    }
    // A column that is missing in some lines is discarded.
    if cloud.normals.len() != cloud.points.len() {
        cloud.normals = Vec::new();
    }
    if cloud.intensity.len() != cloud.points.len() {
        cloud.intensity = Vec::new();
    }
    cloud.points.shrink_to_fit();
    Ok((cloud, findings))
}

fn invalid_line(path: &Path, number: u64, line: &str, columns: Columns) -> UserError {
    let [x, y, z] = columns.xyz.map(|column| column + 1);
    UserError::input(format!(
        "{}, line {number}: “{line}” has no numbers in columns {x}, {y} and {z}; choose the columns of x, y, z, or \
         check that the file holds one point per line.",
        path.display()
    ))
}
