//! Text files with one point per line in columns (XYZ, ASC, CSV, TXT, PTS). Which columns hold the coordinates is told from their
//! titles, or from the numbers; where neither tells it, it is asked. Decimal commas, grouped digits and units in titles are understood.

mod choice;
mod dialect;
mod table;
mod titles;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::account::{Account, POINTS};
use super::lines::Lines;
use super::source::Source;
use base::{LengthUnit, Progress, Result, UserError};
use geometry::health::CloudFindings;
use geometry::{Cloud, Point};
use table::Table;

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
    /// Column titles; empty if the file has none.
    pub titles: Vec<String>,
    /// Rows of cells, as text.
    pub rows: Vec<Vec<String>>,
    /// Columns by the titles, or by the numbers.
    pub columns: Columns,
    /// Why it has to be asked which columns these are; `None` if it is known.
    pub question: Option<String>,
    /// Unit that the titles state.
    pub unit: Option<LengthUnit>,
    /// Whether numbers have decimal commas.
    pub decimal_comma: bool,
}

/// Previews the first `count` rows of `source`.
pub fn preview(source: Source, count: usize) -> Result<Preview> {
    let mut table = Table::find(source)?;
    let choice = choice::choose(&table, None);
    table.rows.truncate(count);
    Ok(Preview {
        titles: table.titles,
        rows: table.rows,
        columns: choice.columns,
        question: choice.question,
        unit: choice.unit,
        decimal_comma: table.dialect.decimal_comma,
    })
}

/// What a text file holds.
pub struct Contents {
    /// Points with usable coordinates, in the file's unit.
    pub cloud: Cloud,
    /// What was left out.
    pub findings: CloudFindings,
    /// What was taken as what, as sentences.
    pub notes: Vec<String>,
    /// Unit that the titles state.
    pub unit: Option<LengthUnit>,
}

/// Reads all points with usable coordinates. If `columns` is `None`, they are those of [`preview`]; an error if it cannot tell them.
pub fn read(source: Source, columns: Option<Columns>, account: &mut Account) -> Result<Contents> {
    let path = source.path().to_owned();
    let table = Table::find(Source::open(&path, &Progress::silent())?)?;
    let choice = choice::choose(&table, columns);
    if let Some(question) = choice.question {
        return Err(UserError::input(format!(
            "{}: {question} Choose the columns of x, y and z, on the command line by --columns, such as 2,3,4.",
            path.display()
        )));
    }
    let mut rows = Rows::new(choice.columns);
    let mut counts = Counts { declared: table.declared, left: table.declared };
    let mut lines = Lines::new(source.into_utf8()?.buffered());
    let mut number = 0;
    while let Some(line) = lines.next(&path)? {
        number += 1;
        if number < table.first_line || table::is_comment(line) {
            continue;
        }
        let cells = table.dialect.cells(line);
        if cells.len() == 1 && counts.begins_block(cells.get(0).unwrap_or_default()) {
            continue;
        }
        if !rows.add(&cells, |cell| table.dialect.number(cell)) {
            return Err(invalid_line(&path, number, line, choice.columns));
        }
        counts.left = counts.left.map(|left| left.saturating_sub(1));
    }
    let mut notes = choice.taken;
    if table.preamble > 0 {
        notes.push(format!(
            "{}.",
            base::counted(table.preamble, "line before the table was left out", "lines before the table were left out")
        ));
    }
    let found = (rows.cloud.points.len() + rows.findings.not_finite_points) as u64;
    account.last_line(lines.is_terminated || lines.number <= 1);
    account.count(POINTS, counts.declared, found);
    let (cloud, findings) = rows.finish();
    Ok(Contents { cloud, findings, notes, unit: choice.unit })
}

/// Numbers of points that a PTS file states, one before each of its blocks.
struct Counts {
    declared: Option<u64>,
    /// Rows of the block that are still to come.
    left: Option<u64>,
}

impl Counts {
    /// Whether a line states the number of points of another block.
    fn begins_block(&mut self, cell: &str) -> bool {
        let (Some(declared), Some(0), Ok(count)) = (self.declared, self.left, cell.parse::<u64>()) else {
            return false;
        };
        (self.declared, self.left) = (Some(declared.saturating_add(count)), Some(count));
        true
    }
}

/// Collects points.
struct Rows {
    columns: Columns,
    cloud: Cloud,
    findings: CloudFindings,
}

impl Rows {
    fn new(columns: Columns) -> Self {
        Self { columns, cloud: Cloud::default(), findings: CloudFindings::default() }
    }

    /// Adds a row; false if its coordinates are no numbers.
    fn add(&mut self, cells: &dialect::Cells<'_>, number: impl Fn(&str) -> Option<f64>) -> bool {
        let value = |column: usize| cells.get(column).and_then(&number);
        let triple = |[a, b, c]: [usize; 3]| Some([value(a)?, value(b)?, value(c)?]);
        let Some([x, y, z]) = triple(self.columns.xyz) else { return false };
        let point = Point::new(x, y, z);
        if !super::load::is_usable(&point) {
            self.findings.not_finite_points += 1;
            return true;
        }
        self.cloud.points.push(point);
        if let Some([x, y, z]) = self.columns.normal.and_then(triple) {
            self.cloud.normals.push([x as f32, y as f32, z as f32]);
        }
        if let Some(intensity) = self.columns.intensity.and_then(value) {
            self.cloud.intensity.push(intensity as f32);
        }
        true
    }

    fn finish(mut self) -> (Cloud, CloudFindings) {
        // A column that is missing in some lines is discarded.
        if self.cloud.normals.len() != self.cloud.points.len() {
            self.cloud.normals = Vec::new();
        }
        if self.cloud.intensity.len() != self.cloud.points.len() {
            self.cloud.intensity = Vec::new();
        }
        self.cloud.points.shrink_to_fit();
        (self.cloud, self.findings)
    }
}

fn invalid_line(path: &Path, number: u64, line: &str, columns: Columns) -> UserError {
    let [x, y, z] = columns.xyz.map(|column| column + 1);
    UserError::input(format!(
        "{}, line {number}: “{}” has no numbers in columns {x}, {y} and {z}, or some that can be read in two ways; choose the columns \
         of x, y, z, or check that the file holds one point per line.",
        path.display(),
        table::start_of(line)
    ))
}

#[cfg(test)]
mod tests;
