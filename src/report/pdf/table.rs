//! Tables: kept on one page if possible, otherwise broken between rows with the header repeated.

use super::lettering::{Colour, Line, Style, lines};
use super::paper::{HAIRLINE, Ink, Kind, Paper, SECONDARY, TEXT};

/// Table cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Text style.
    pub style: Style,
    /// Colour of a status dot before the text.
    pub dot: Option<Colour>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: TEXT, dot: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Cell {
    /// The cell in the colour of labels.
    pub fn soft(mut self) -> Self {
        self.style = self.style.coloured(SECONDARY);
        self
    }

    /// The cell with a status dot before the text.
    pub fn with_dot(mut self, colour: Colour) -> Self {
        self.dot = Some(colour);
        self
    }
}

/// Table of text cells.
pub struct Table {
    /// Column widths, points.
    pub widths: Vec<f32>,
    /// Horizontal alignment of each column: 0 left, 1 right.
    pub aligned: Vec<f32>,
    /// Column headings; empty for a table without a header.
    pub head: Vec<String>,
    /// Rows, one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// Row with its text broken into lines; height in points.
struct RowLayout<'a> {
    cells: Vec<(&'a Cell, Vec<Line>)>,
    height: f32,
}

/// Space above and below the text of a row, points.
const PADDING: f32 = 3.0;
/// Space between columns, points.
const GUTTER: f32 = 8.0;
/// Width reserved for a status dot, points.
const DOT_WIDTH: f32 = 8.0;

impl Table {
    /// Table of label-value pairs, `width` points wide, with labels in the first `label_width` points.
    pub fn of_pairs(pairs: &[(String, String)], label_width: f32, width: f32) -> Self {
        let row = |(label, value): &(String, String)| vec![Cell::from(label.as_str()).soft(), value.as_str().into()];
        Self {
            widths: vec![label_width, width - label_width],
            aligned: vec![0.0; 2],
            head: Vec::new(),
            rows: pairs.iter().map(row).collect(),
        }
    }

    fn row_layout<'a>(&self, row: &'a [Cell]) -> RowLayout<'a> {
        let break_lines = |(column, cell): (usize, &'a Cell)| {
            let dot_width = if cell.dot.is_some() { DOT_WIDTH } else { 0.0 };
            (cell, lines(&cell.text, cell.style, self.text_width(column) - dot_width))
        };
        let cells: Vec<_> = row.iter().enumerate().map(break_lines).collect();
        let heights = cells.iter().map(|(cell, lines)| lines.len() as f32 * cell.style.leading());
        let height = heights.fold(0.0, f32::max) + 2.0 * PADDING;
        RowLayout { cells, height }
    }

    /// Width available for the text of a column, points; only the last column has no gutter.
    fn text_width(&self, column: usize) -> f32 {
        self.widths[column] - if column + 1 < self.widths.len() { GUTTER } else { 0.0 }
    }

    /// Total height including the header, points.
    pub fn height(&self) -> f32 {
        let head = self.header();
        let rows = self.rows.iter().map(|row| self.row_layout(row).height);
        rows.sum::<f32>() + head.map_or(0.0, |head| self.row_layout(&head).height)
    }

    /// The headings, as large as the rows.
    fn header(&self) -> Option<Vec<Cell>> {
        let size = self.rows.first().and_then(|row| row.first()).map_or(TEXT.size, |cell| cell.style.size);
        let cell = |name: &String| Cell { style: Style { size, ..TEXT }, ..Cell::from(name.as_str()) }.soft();
        (!self.head.is_empty()).then(|| self.head.iter().map(cell).collect())
    }

    /// Draws a heading and the table, on the same page if the table fits on one.
    pub fn draw_under(&self, paper: &mut Paper, heading: &str) {
        let height = self.height();
        paper.heading(heading, if height < paper.height() - 60.0 { height } else { 80.0 });
        self.draw(paper, 0.0);
    }

    /// Draws the table at `x`, points from the left margin, on as many pages as needed.
    pub fn draw(&self, paper: &mut Paper, x: f32) {
        let part = paper.part(Kind::Table, None);
        let head = self.header();
        let head = head.as_ref().map(|head| self.row_layout(head));
        let height = self.height();
        if height < paper.height() {
            paper.ensure_space(height);
        }
        if let Some(head) = &head {
            self.draw_row(paper, head, x, part, true);
        }
        for row in &self.rows {
            let layout = self.row_layout(row);
            let pages_before = paper.pages.len();
            paper.ensure_space(layout.height);
            if paper.pages.len() > pages_before
                && let Some(head) = &head
            {
                self.draw_row(paper, head, x, part, true);
            }
            self.draw_row(paper, &layout, x, part, false);
        }
    }

    fn draw_row(&self, paper: &mut Paper, row: &RowLayout<'_>, x: f32, table: usize, is_head: bool) {
        let part = paper.part(Kind::Row, Some(table));
        let top = paper.y();
        let mut left = x;
        for (column, (cell, lines)) in row.cells.iter().enumerate() {
            let is_header_cell = is_head || (column == 0 && self.head.is_empty());
            let cell_part = paper.part(if is_header_cell { Kind::HeaderCell } else { Kind::Cell }, Some(part));
            let (mut from, width) = (left, self.text_width(column));
            if let Some(colour) = cell.dot {
                let centre = top + PADDING + 0.62 * cell.style.ascent();
                paper.draw(Ink::Fill([from, centre - 2.2, 4.4, 4.4], colour, 2.2), None);
                from += DOT_WIDTH;
            }
            paper.text(lines, [from, top + PADDING], width, self.aligned[column], Some(cell_part));
            left += self.widths[column];
        }
        let bottom = top + row.height;
        paper.draw(Ink::Rule([x, bottom], [left, bottom], HAIRLINE, 0.5, false), None);
        paper.go_to(bottom);
    }
}
