//! Lines of the table: rows of the results as texts, those that pass the filter in their order.

use std::cmp::Ordering;

use crate::lengths;
use base::LengthUnit;
use geometry::Point;
use session::plan::ElementId;
use session::results::{ResultRow, RowVerdict, rows};
use session::{Document, DocumentState};
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

    /// Its text of a row, lengths in the unit of the window.
    fn cell(self, row: &ResultRow) -> String {
        let unit = lengths::unit();
        match self {
            Self::Element => row.title(),
            Self::Characteristic if row.unit.is_empty() => texts::word(&row.characteristic).into_owned(),
            Self::Characteristic => format!("{}, {}", texts::word(&row.characteristic), row.shown_unit(unit)),
            Self::Verdict => texts::word(row.verdict.name()).into_owned(),
            figure => row.written(figure.figure(row), unit, figure == Self::Deviation),
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

    /// Whether it shows a row; `wanted` is its text in lower case.
    fn allows(&self, (row, line): &(ResultRow, Line), wanted: &str) -> bool {
        self.of_checks.is_none_or(|of_checks| row.is_check == of_checks)
            && (!self.only_open || row.verdict.is_open())
            && line.searched.contains(wanted)
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
    /// What the filter looks for its text in: all of the above that is read, in lower case.
    searched: String,
}

impl Line {
    fn of(row: &ResultRow) -> Self {
        let cells = Column::ALL.map(|column| column.cell(row));
        let why = texts::word(&row.why).into_owned();
        // Whoever types no line break finds nothing across two cells.
        let searched = format!("{}\n{why}", cells.join("\n")).to_lowercase();
        Self {
            element: row.element,
            key: format!("{} {} {}", row.element, row.characteristic, row.item),
            title: row.title(),
            cells,
            verdict: row.verdict,
            why,
            at: row.at,
            searched,
        }
    }

    /// Its figures and verdict with the names of their columns, for screen readers.
    pub fn spoken(&self) -> String {
        let cells = Column::ALL.iter().zip(&self.cells).skip(2).filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| format!("{} {cell}", column.heading()));
        std::iter::once(self.cells[1].clone()).chain(cells).collect::<Vec<_>>().join("; ")
    }
}

/// The lines of the table. The rows are made again where document, language or unit have changed; sorted again where the column
/// has; and what is typed into the filter only chooses among them.
#[derive(Default)]
pub struct Lines {
    /// What all rows were made of.
    made_of: Option<(DocumentState, Language, LengthUnit)>,
    /// All rows and their lines, in the order of the plan.
    all: Vec<(ResultRow, Line)>,
    /// Indices of all lines in their order.
    order: Vec<usize>,
    /// The filter that the lines which are shown follow.
    chosen_by: Option<Filter>,
    /// Indices of the lines that are shown, in their order.
    shown: Vec<usize>,
}

impl Lines {
    /// Makes them again as far as need be.
    pub fn follow(&mut self, document: &Document, filter: &Filter) {
        let made_of = Some((document.current_state(), texts::language(), lengths::unit()));
        if self.made_of != made_of {
            self.set_rows(rows(document));
            self.made_of = made_of;
        }
        self.choose(filter);
    }

    fn set_rows(&mut self, rows: Vec<ResultRow>) {
        let with_line = |row: ResultRow| {
            let line = Line::of(&row);
            (row, line)
        };
        (self.all, self.chosen_by) = (rows.into_iter().map(with_line).collect(), None);
    }

    fn choose(&mut self, filter: &Filter) {
        if self.chosen_by.as_ref() == Some(filter) {
            return;
        }
        if self.chosen_by.as_ref().is_none_or(|own| own.sort != filter.sort) {
            self.order = order(&self.all, filter.sort);
        }
        let wanted = filter.text.trim().to_lowercase();
        let is_shown = |index: &usize| self.all.get(*index).is_some_and(|own| filter.allows(own, &wanted));
        self.shown = self.order.iter().copied().filter(is_shown).collect();
        self.chosen_by = Some(filter.clone());
    }

    /// Number of all rows.
    pub fn all_count(&self) -> usize {
        self.all.len()
    }

    /// Number of the lines that are shown.
    pub fn shown_count(&self) -> usize {
        self.shown.len()
    }

    /// A line of those that are shown, by its index among them.
    pub fn get(&self, index: usize) -> Option<&Line> {
        self.all.get(*self.shown.get(index)?).map(|(_, line)| line)
    }

    /// The lines that are shown as text, columns separated by tabs, with headings.
    pub fn as_text(&self) -> String {
        let plain = |cell: &String| cell.replace(['\t', '\n'], " ");
        let headings = Column::ALL.map(|column| plain(&column.heading()));
        let lines = (0..self.shown_count()).filter_map(|index| self.get(index));
        let rows = lines.map(|line| line.cells.iter().map(plain).collect::<Vec<_>>().join("\t"));
        std::iter::once(headings.join("\t")).chain(rows).map(|row| row + "\n").collect()
    }
}

/// Indices of all rows as they are sorted.
fn order(all: &[(ResultRow, Line)], sort: Option<(Column, bool)>) -> Vec<usize> {
    let mut order: Vec<(usize, &(ResultRow, Line))> = all.iter().enumerate().collect();
    if let Some((column, is_down)) = sort {
        order.sort_by(|(_, one), (_, other)| {
            let order = compared(column, one, other, is_down);
            if is_down { order.reverse() } else { order }
        });
    }
    order.into_iter().map(|(index, _)| index).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use session::pipeline::Results;

    fn row(name: &str, actual: Option<f64>, verdict: RowVerdict) -> ResultRow {
        ResultRow {
            element: ElementId(1),
            name: name.to_owned(),
            item: String::new(),
            is_check: verdict != RowVerdict::None,
            characteristic: "Diameter".into(),
            nominal: None,
            actual,
            deviation: None,
            lower: None,
            upper: None,
            uncertainty: None,
            unit: "mm",
            verdict,
            why: "By 12 points.".to_owned(),
            at: None,
        }
    }

    fn titles(lines: &Lines) -> Vec<&str> {
        (0..lines.shown_count()).filter_map(|index| lines.get(index)).map(|line| line.title.as_str()).collect()
    }

    /// Three rows that stand for what was made of the document.
    fn lines(document: &Document) -> Lines {
        let mut lines = Lines::default();
        lines.set_rows(vec![
            row("Bore 2", Some(5.0), RowVerdict::Fail),
            row("Slot", None, RowVerdict::None),
            row("Bore 1", Some(-7.0), RowVerdict::Pass),
        ]);
        lines.made_of = Some((document.current_state(), texts::language(), lengths::unit()));
        lines
    }

    #[test]
    fn typing_and_sorting_choose_among_rows_that_a_revision_makes_once() {
        let mut document = Document::default();
        let (mut lines, mut filter) = (lines(&document), Filter::default());
        for (typed, shown) in [("", 3), ("b", 3), ("bo", 2), (" BORE 1 ", 1), ("bore 12", 0), ("12 points", 3)] {
            filter.text = typed.to_owned();
            lines.follow(&document, &filter);
            // Made again, there would be none: this document is empty.
            assert_eq!((lines.shown_count(), lines.all_count()), (shown, 3), "{typed}");
        }
        filter = Filter { only_open: true, ..Filter::default() };
        lines.follow(&document, &filter);
        assert_eq!(titles(&lines), ["Bore 2"]);
        filter = Filter { of_checks: Some(true), ..Filter::default() };
        filter.sort_by(Column::Element);
        lines.follow(&document, &filter);
        assert_eq!(titles(&lines), ["Bore 1", "Bore 2"]);
        document.revision += 1;
        lines.follow(&document, &filter);
        assert_eq!((lines.shown_count(), lines.all_count()), (0, 0));
        // What was judged again has no revision of its own.
        lines.set_rows(vec![row("Bore 2", Some(5.0), RowVerdict::Fail)]);
        document.stages.shown_mut().results = Results::default();
        lines.follow(&document, &filter);
        assert_eq!(lines.all_count(), 0);
    }

    #[test]
    fn what_has_no_figure_stays_last_in_both_directions() {
        let (mut lines, mut filter) = (lines(&Document::default()), Filter::default());
        filter.sort_by(Column::Actual);
        lines.choose(&filter);
        assert_eq!(titles(&lines), ["Bore 1", "Bore 2", "Slot"]);
        filter.sort_by(Column::Actual);
        lines.choose(&filter);
        assert_eq!(titles(&lines), ["Bore 2", "Bore 1", "Slot"]);
        filter.sort_by(Column::Actual);
        lines.choose(&filter);
        assert_eq!(titles(&lines), ["Bore 2", "Slot", "Bore 1"]);
        let text = lines.as_text();
        assert!(text.lines().count() == 4 && text.contains("\nSlot\tDiameter, mm\t"), "{text}");
    }

    #[test]
    fn lengths_follow_the_unit_of_the_window_and_angles_stay() {
        lengths::set_unit(LengthUnit::Inch);
        let bore = ResultRow { deviation: Some(0.0254), ..row("Bore", Some(50.8), RowVerdict::Pass) };
        let cells = Line::of(&bore).cells;
        assert_eq!([&cells[1], &cells[3], &cells[4]], ["Diameter, inch", "2.00000", "+0.00100"]);
        let angle = ResultRow { unit: "°", characteristic: "Angle".into(), ..bore };
        let cells = Line::of(&angle).cells;
        assert_eq!([&cells[1], &cells[3]], ["Angle, °", "50.8000"]);
        lengths::set_unit(LengthUnit::Mm);
    }

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
