//! Lines of the table: rows of the results as texts, those that pass the filter in their order.

use std::cmp::Ordering;

use base::LengthUnit;
use geometry::Point;
use session::Document;
use session::plan::ElementId;
use session::results::{ResultRow, RowVerdict, rows};
use texts::{Language, text};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Element,
    Characteristic,
    Nominal,
    Actual,
    Deviation,
    Lower,
    Upper,
    Uncertainty,
    Verdict,
}

impl Column {
    pub const ALL: [Self; 9] = [
        Self::Element,
        Self::Characteristic,
        Self::Nominal,
        Self::Actual,
        Self::Deviation,
        Self::Lower,
        Self::Upper,
        Self::Uncertainty,
        Self::Verdict,
    ];

    /// Its heading.
    pub fn heading(self) -> String {
        match self {
            Self::Element => text!("results-element"),
            Self::Characteristic => text!("results-characteristic"),
            Self::Nominal => text!("results-nominal"),
            Self::Actual => text!("results-actual"),
            Self::Deviation => text!("results-deviation"),
            Self::Lower => text!("results-lower"),
            Self::Upper => text!("results-upper"),
            Self::Uncertainty => text!("results-uncertainty"),
            Self::Verdict => text!("results-verdict"),
        }
    }

    /// Whether it holds figures, aligned on the decimal point.
    pub fn is_of_figures(self) -> bool {
        !matches!(self, Self::Element | Self::Characteristic | Self::Verdict)
    }

    fn figure(self, row: &ResultRow) -> Option<f64> {
        match self {
            Self::Nominal => row.nominal,
            Self::Actual => row.actual,
            Self::Deviation => row.deviation,
            Self::Lower => row.lower,
            Self::Upper => row.upper,
            Self::Uncertainty => row.uncertainty,
            Self::Element | Self::Characteristic | Self::Verdict => None,
        }
    }

    /// Its text of a row, lengths in mm as everywhere in the window.
    fn cell(self, row: &ResultRow) -> String {
        match self {
            Self::Element => row.title(),
            Self::Characteristic if row.unit.is_empty() => texts::word(row.characteristic).into_owned(),
            Self::Characteristic => format!("{}, {}", texts::word(row.characteristic), row.unit),
            Self::Verdict => texts::word(row.verdict.name()).into_owned(),
            figure => row.written(figure.figure(row), LengthUnit::Mm, figure == Self::Deviation),
        }
    }
}

/// Which rows are shown, and in which order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Checks alone, or features alone.
    pub of_checks: Option<bool>,
    /// Only those that are required and not a pass.
    pub only_open: bool,
    /// Text that a row contains, whatever its case.
    pub text: String,
    /// The column that they are sorted by, and whether downwards; `None` for the order of the plan.
    pub sort: Option<(Column, bool)>,
}

impl Filter {
    /// Sorts by a column; again, downwards; and a third time as in the plan.
    pub fn sort_by(&mut self, column: Column) {
        self.sort = match self.sort {
            Some((own, false)) if own == column => Some((column, true)),
            Some((own, true)) if own == column => None,
            _ => Some((column, false)),
        };
    }

    fn allows(&self, row: &ResultRow, line: &Line) -> bool {
        let wanted = self.text.trim().to_lowercase();
        self.of_checks.is_none_or(|of_checks| row.is_check == of_checks)
            && (!self.only_open || row.verdict.is_open())
            && (wanted.is_empty()
                || line.cells.iter().chain([&line.why]).any(|text| text.to_lowercase().contains(&wanted)))
    }
}

/// A line of the table.
pub struct Line {
    /// The element.
    pub element: ElementId,
    /// Identifies the line while the document changes.
    pub key: String,
    /// Element, and which of several things that it measures.
    pub title: String,
    /// Texts of the columns.
    pub cells: [String; Column::ALL.len()],
    /// The verdict.
    pub verdict: RowVerdict,
    /// How it was measured, or why not.
    pub why: String,
    /// Where it lies, nominal frame, mm.
    pub at: Option<Point>,
}

impl Line {
    fn of(row: &ResultRow) -> Self {
        Self {
            element: row.element,
            key: format!("{} {} {}", row.element, row.characteristic, row.item),
            title: row.title(),
            cells: Column::ALL.map(|column| column.cell(row)),
            verdict: row.verdict,
            why: texts::word(&row.why).into_owned(),
            at: row.at,
        }
    }

    /// Its figures and verdict with the names of their columns, for screen readers.
    pub fn spoken(&self) -> String {
        let cells = Column::ALL.iter().zip(&self.cells).skip(2).filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| format!("{} {cell}", column.heading()));
        std::iter::once(self.cells[1].clone()).chain(cells).collect::<Vec<_>>().join("; ")
    }
}

/// The lines that are shown, made again where document, filter or language have changed.
#[derive(Default)]
pub struct Lines {
    /// What they were made of: inspection and revision of the document, language, filter.
    made_of: Option<((u64, u64), Language, Filter)>,
    /// The lines, in their order.
    pub shown: Vec<Line>,
    /// Number of all rows.
    pub count: usize,
}

impl Lines {
    /// Makes them again if need be.
    pub fn follow(&mut self, document: &Document, filter: &Filter) {
        let made_of = ((document.inspection, document.revision), texts::language(), filter.clone());
        if self.made_of.as_ref() == Some(&made_of) {
            return;
        }
        let rows = rows(document);
        self.count = rows.len();
        let mut kept: Vec<(ResultRow, Line)> = rows
            .into_iter()
            .map(|row| {
                let line = Line::of(&row);
                (row, line)
            })
            .filter(|(row, line)| filter.allows(row, line))
            .collect();
        if let Some((column, is_down)) = filter.sort {
            kept.sort_by(|one, other| {
                let order = compared(column, one, other, is_down);
                if is_down { order.reverse() } else { order }
            });
        }
        self.shown = kept.into_iter().map(|(_, line)| line).collect();
        self.made_of = Some(made_of);
    }
}

/// Order of two rows by a column. What has no figure stays last, also downwards.
fn compared(column: Column, one: &(ResultRow, Line), other: &(ResultRow, Line), is_down: bool) -> Ordering {
    if column == Column::Verdict {
        return one.0.verdict.cmp(&other.0.verdict);
    }
    if !column.is_of_figures() {
        let text = |own: &(ResultRow, Line)| own.1.cells[column as usize].to_lowercase();
        return text(one).cmp(&text(other));
    }
    let last = if is_down { f64::NEG_INFINITY } else { f64::INFINITY };
    let figure = |own: &(ResultRow, Line)| column.figure(&own.0).unwrap_or(last);
    figure(one).total_cmp(&figure(other))
}

/// Lines as text, columns separated by tabs, with headings.
pub fn as_text(lines: &[Line]) -> String {
    let plain = |cell: &String| cell.replace(['\t', '\n'], " ");
    let headings = Column::ALL.map(|column| plain(&column.heading()));
    let rows = lines.iter().map(|line| line.cells.iter().map(plain).collect::<Vec<_>>().join("\t"));
    std::iter::once(headings.join("\t")).chain(rows).map(|row| row + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_click_restores_the_order_of_the_plan() {
        let mut filter = Filter::default();
        filter.sort_by(Column::Actual);
        assert_eq!(filter.sort, Some((Column::Actual, false)));
        filter.sort_by(Column::Actual);
        assert_eq!(filter.sort, Some((Column::Actual, true)));
        filter.sort_by(Column::Actual);
        assert_eq!(filter.sort, None);
        filter.sort_by(Column::Actual);
        filter.sort_by(Column::Verdict);
        assert_eq!(filter.sort, Some((Column::Verdict, false)));
    }

    #[test]
    fn columns_stand_where_their_numbers_say() {
        for (index, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(column as usize, index);
        }
    }
}
