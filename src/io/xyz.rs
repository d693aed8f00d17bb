//! Columns of numbers: XYZ, ASC, CSV. The columns can be chosen and previewed; decimal commas are recognised.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::source::Source;
use base::{Result, UserError};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point};

/// Which columns (from 0) hold what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// x, y, z.
    pub xyz: [usize; 3],
    /// Normal x, y, z.
    pub normal: Option<[usize; 3]>,
    /// Intensity.
    pub intensity: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { xyz: [0, 1, 2], normal: None, intensity: None }
    }
}

/// The first lines of a file, split as the reader would, for choosing columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Titles, where the file has a title line.
    pub titles: Vec<String>,
    /// Rows of words.
    pub rows: Vec<Vec<String>>,
    /// The columns that would be taken.
    pub columns: Columns,
    /// Whether the file writes 1,5 for one and a half.
    pub decimal_comma: bool,
}

/// How a file separates and writes its numbers.
#[derive(Clone, Copy)]
struct Dialect {
    separator: Option<char>,
    decimal_comma: bool,
}

impl Dialect {
    /// Decided by the first line of data: a semicolon or tab, or blanks, beside commas means decimal commas.
    fn of(line: &str) -> Self {
        let hard = [';', '\t'].into_iter().find(|c| line.contains(*c));
        let words = line.split_whitespace().count();
        // A decimal comma stands between digits.
        let between_digits =
            |word: &str| word.matches(',').count() == 1 && !word.starts_with(',') && !word.ends_with(',');
        let with_comma = || line.split(|c: char| c.is_whitespace() || c == ';').filter(|word| word.contains(','));
        let decimal_comma = !line.contains('.')
            && (hard.is_some() || words >= 3)
            && with_comma().next().is_some()
            && with_comma().all(between_digits);
        let separator = hard.or_else(|| (line.contains(',') && !decimal_comma).then_some(','));
        Self { separator, decimal_comma }
    }

    fn split<'a>(&self, line: &'a str) -> Vec<&'a str> {
        match self.separator {
            Some(separator) => line.split(separator).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        }
    }

    fn number(&self, word: &str) -> Option<f64> {
        // Behind a separator that is no comma, each word may have a decimal comma of its own.
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

/// Shows the first `count` rows of `source`.
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
        let here = *dialect.get_or_insert_with(|| Dialect::of(line));
        let words = here.split(line);
        let numbers = words.iter().filter(|word| here.number(word).is_some()).count();
        if preview.rows.is_empty() && numbers < 3 && preview.titles.is_empty() && words.len() > 2 {
            preview.titles = words.iter().map(|word| word.trim_matches('"').to_owned()).collect();
            dialect = None;
            continue;
        }
        preview.decimal_comma = here.decimal_comma;
        preview.rows.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
    preview.columns = columns_of(&preview.titles);
    Ok(preview)
}

/// The columns that titles name; the first three where they name none.
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

/// Reads all points; `columns` of `None` takes what the titles say, else the first three.
pub fn read(source: Source, columns: Option<Columns>) -> Result<(Cloud, CloudFindings)> {
    let path = source.path().to_owned();
    let first = preview(Source::open(&path, &base::Progress::silent())?, 20)?;
    let columns = columns.unwrap_or(first.columns);
    let mut lines = Lines::new(source.buffered());
    let (mut cloud, mut findings) = (Cloud::default(), CloudFindings::default());
    let mut dialect: Option<Dialect> = None;
    let mut titles_left = !first.titles.is_empty();
    let mut lone_count = true;
    while let Some(line) = lines.next(&path)? {
        if is_comment(line) {
            continue;
        }
        if std::mem::take(&mut titles_left) {
            continue;
        }
        let here = *dialect.get_or_insert_with(|| Dialect::of(line));
        let words = here.split(line);
        // PTS files begin with the number of points.
        if std::mem::take(&mut lone_count) && words.len() == 1 && words.iter().all(|w| w.parse::<u64>().is_ok()) {
            dialect = None;
            continue;
        }
        let at = |column: usize| words.get(column).and_then(|word| here.number(word));
        let triple = |[a, b, c]: [usize; 3]| Some([at(a)?, at(b)?, at(c)?]);
        let Some([x, y, z]) = triple(columns.xyz) else {
            let line: String = line.chars().take(60).collect();
            return Err(bad_line(&path, lines.number, &line, columns));
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
        if let Some(intensity) = columns.intensity.and_then(at) {
            cloud.intensity.push(intensity as f32);
        }
    }
    // A column that some lines lack is no column.
    if cloud.normals.len() != cloud.points.len() {
        cloud.normals = Vec::new();
    }
    if cloud.intensity.len() != cloud.points.len() {
        cloud.intensity = Vec::new();
    }
    cloud.points.shrink_to_fit();
    Ok((cloud, findings))
}

fn bad_line(path: &Path, number: u64, line: &str, columns: Columns) -> UserError {
    let [x, y, z] = columns.xyz.map(|column| column + 1);
    UserError::input(format!(
        "{}, line {number}: “{line}” has no numbers in columns {x}, {y} and {z}; choose the columns of x, y, z, or check \
         that the file holds one point a line.",
        path.display()
    ))
}
