//! Tables of text as operators write them: cells separated by commas, or by semicolons with decimal commas or points.

use base::UserError;

/// A line of a table.
pub(crate) struct Row<'a> {
    /// Number of the line, from 1.
    number: usize,
    /// Its cells, without the blanks around them.
    pub cells: Vec<&'a str>,
    by_semicolons: bool,
}

/// The lines of `text` that hold something. Comments after # are left out.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.trim_start_matches('\u{feff}').lines().zip(1..).filter_map(|(line, number)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let by_semicolons = line.contains(';');
        let cells = line.split(if by_semicolons { ';' } else { ',' }).map(str::trim).collect();
        (!line.is_empty()).then_some(Row { number, cells, by_semicolons })
    })
}

impl Row<'_> {
    /// The finite number in a cell of this row.
    pub fn number_in(&self, cell: &str) -> Option<f64> {
        let number = if self.by_semicolons { cell.replace(',', ".").parse::<f64>() } else { cell.parse() };
        number.ok().filter(|own| own.is_finite())
    }

    /// Whether no cell holds a number, as in a heading.
    pub fn has_no_numbers(&self) -> bool {
        self.cells.iter().all(|cell| self.number_in(cell).is_none())
    }

    /// An error that names the line.
    pub fn error(&self, what: &str) -> UserError {
        UserError::input(format!("Line {}: {what}", self.number))
    }
}
