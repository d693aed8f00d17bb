//! Where the table of a text file begins, what its columns are called, and how its numbers are written.

use std::path::Path;

use super::dialect::{Dialect, Separator};
use crate::lines::Lines;
use crate::source::Source;
use base::{Result, UserError};

/// Rows that a table is known by.
const SAMPLE_ROWS: usize = 200;
/// Lines that may stand before it.
const MAX_PREAMBLE: usize = 1000;

/// The beginning of a text file of coordinates.
pub struct Table {
    pub dialect: Dialect,
    /// Titles, one per column; empty if there are none.
    pub titles: Vec<String>,
    /// Titles that do not match the columns.
    pub unmatched: Option<String>,
    /// Number of the line of the first row, from 1.
    pub first_line: u64,
    /// Number of points that is stated before it.
    pub declared: Option<u64>,
    /// Lines before it that are neither comments nor titles.
    pub preamble: usize,
    /// The first rows.
    pub rows: Vec<Vec<String>>,
}

/// A line with its number.
struct Line {
    number: u64,
    text: String,
}

impl Table {
    /// Finds it. An error if there are no lines with at least three numbers, or if a line before them is a damaged row.
    pub fn find(source: Source) -> Result<Self> {
        let path = source.path().to_owned();
        let (lines, comments) = first_lines(source, &path)?;
        let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let Some(dialect) = Dialect::detect(&texts) else { return Err(no_rows(&path, &lines)) };
        let is_row = |line: &Line| dialect.numbers_in(&line.text) >= 3;
        let first = lines.iter().position(is_row).unwrap_or_default();
        let (before, table) = lines.split_at(first);
        let width =
            table.iter().filter(|line| is_row(line)).map(|line| dialect.cells(&line.text).len()).max().unwrap_or(0);
        let mut before = before.iter().rev().peekable();
        let mut declared = None;
        if let Some(line) = before.peek()
            && let Ok(count) = line.text.trim().parse()
        {
            (declared, _) = (Some(count), before.next());
        }
        let cells_of = |line: &Line| {
            let cells = titles_in(&line.text, &dialect, width);
            (cells.len() == width).then_some(cells)
        };
        let mut titles = Vec::new();
        let mut unmatched = None;
        if let Some(line) = before.peek() {
            if dialect.cells(&line.text).len() >= width && dialect.numbers_in(&line.text) > 0 {
                return Err(UserError::input(format!(
                    "{}, line {}: “{}” cannot be read as a row of numbers; correct or remove it.",
                    path.display(),
                    line.number,
                    start_of(&line.text)
                )));
            }
            match cells_of(line) {
                Some(cells) => (titles, _) = (cells, before.next()),
                None if dialect.cells(&line.text).len() > 2 => unmatched = Some(start_of(&line.text)),
                None => {}
            }
            // Units may stand in a line of their own.
            let is_units = titles.iter().all(|own| own.is_empty() || super::titles::is_unit(own));
            if !titles.is_empty()
                && is_units
                && let Some(above) = before.peek().and_then(|line| cells_of(line))
            {
                titles = above.iter().zip(&titles).map(|(title, unit)| format!("{title} [{unit}]")).collect();
                before.next();
            }
        }
        // Titles may stand in the comment above the rows.
        if titles.is_empty() && unmatched.is_none() {
            let cells = comments
                .last()
                .map(|line| titles_in(line.text.trim_start_matches(['#', '%', '!', '/', ' ']), &dialect, width));
            titles = cells.filter(|cells| cells.len() == width).unwrap_or_default();
        }
        let rows = table.iter().map(|line| dialect.cells(&line.text).iter().map(str::to_owned).collect()).collect();
        let first_line = table.first().map_or(1, |line| line.number);
        Ok(Self { dialect, titles, unmatched, first_line, declared, preamble: before.count(), rows })
    }
}

/// The first lines that are neither blank nor comments, and the comments before the first of those with digits.
fn first_lines(source: Source, path: &Path) -> Result<(Vec<Line>, Vec<Line>)> {
    let mut lines = Lines::new(source.into_utf8()?.buffered());
    let (mut found, mut comments) = (Vec::<Line>::new(), Vec::new());
    let mut rows = 0;
    while rows < SAMPLE_ROWS && found.len() < MAX_PREAMBLE + SAMPLE_ROWS {
        let Some(text) = lines.next(path)?.map(str::to_owned) else { break };
        let line = Line { number: lines.number, text };
        if !is_comment(&line.text) {
            rows += usize::from(line.text.bytes().filter(u8::is_ascii_digit).count() > 2);
            found.push(line);
        } else if rows == 0 && !line.text.trim().is_empty() {
            comments.push(line);
        }
    }
    Ok((found, comments))
}

pub fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', '%', '!']) || line.starts_with("//")
}

/// The first characters of a line, for messages.
pub fn start_of(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Titles in a line: separated as the numbers are, or otherwise if that gives one per column.
fn titles_in(line: &str, dialect: &Dialect, width: usize) -> Vec<String> {
    let by = |separator| -> Vec<String> {
        Dialect { separator, ..*dialect }.cells(line).iter().map(str::to_owned).collect()
    };
    let own = by(dialect.separator);
    if own.len() == width {
        return own;
    }
    let others =
        [Separator::Character(b';'), Separator::Character(b'\t'), Separator::Character(b','), Separator::Blanks];
    let other = others.into_iter().map(by).find(|cells| cells.len() == width);
    other.unwrap_or_else(|| match dialect.separator {
        // A unit in brackets belongs to the word before it.
        Separator::Blanks => own.into_iter().fold(Vec::new(), |mut joined: Vec<String>, word| {
            match joined.last_mut() {
                Some(last) if word.starts_with(['[', '(']) => last.push_str(&word),
                _ => joined.push(word),
            }
            joined
        }),
        Separator::Character(_) => own,
    })
}

fn no_rows(path: &Path, lines: &[Line]) -> UserError {
    let with_digits = lines.iter().find(|line| line.text.bytes().any(|own| own.is_ascii_digit()));
    let Some(line) = with_digits.or(lines.first()) else {
        return UserError::input(format!("{} holds no point with finite coordinates.", path.display()));
    };
    UserError::input(format!(
        "{}, line {}: “{}” has no three numbers; check that the file holds one point per line, with its coordinates in columns.",
        path.display(),
        line.number,
        start_of(&line.text)
    ))
}
