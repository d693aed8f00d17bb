//! Tables: kept on one page where they fit on one, else broken between rows with their head repeated.

use super::lettering::{Colour, Line, Style, lines};
use super::paper::{HAIR, Ink, Kind, Paper, SOFT, TEXT};

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// How it looks.
    pub style: Style,
    /// A dot before the text.
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
    /// In the colour of names.
    pub fn soft(mut self) -> Self {
        self.style = self.style.coloured(SOFT);
        self
    }

    /// With a light before it.
    pub fn lit(mut self, colour: Colour) -> Self {
        self.dot = Some(colour);
        self
    }
}

/// Columns and rows.
pub struct Table {
    /// Widths of the columns, points.
    pub widths: Vec<f32>,
    /// Where the text of each column stands: 0 left, 1 right.
    pub aligned: Vec<f32>,
    /// Names of the columns; none are not shown.
    pub head: Vec<String>,
    /// Rows of as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A row with its text broken.
struct Laid<'a> {
    cells: Vec<(&'a Cell, Vec<Line>)>,
    height: f32,
}

/// Above and below the text of a row.
const PADDING: f32 = 3.0;
/// Between columns.
const GUTTER: f32 = 8.0;
const DOT: f32 = 8.0;

impl Table {
    /// Names and values; names take `names` points of `wide`.
    pub fn of_pairs(pairs: &[(String, String)], names: f32, wide: f32) -> Self {
        let row = |(name, value): &(String, String)| vec![Cell::from(name.as_str()).soft(), value.as_str().into()];
        Self {
            widths: vec![names, wide - names],
            aligned: vec![0.0; 2],
            head: Vec::new(),
            rows: pairs.iter().map(row).collect(),
        }
    }

    fn laid<'a>(&self, row: &'a [Cell]) -> Laid<'a> {
        let broken = |(column, cell): (usize, &'a Cell)| {
            let dot = if cell.dot.is_some() { DOT } else { 0.0 };
            (cell, lines(&cell.text, cell.style, self.width_of(column) - dot))
        };
        let cells: Vec<_> = row.iter().enumerate().map(broken).collect();
        let tallest = cells.iter().map(|(cell, lines)| lines.len() as f32 * cell.style.leading());
        let height = tallest.fold(0.0, f32::max) + 2.0 * PADDING;
        Laid { cells, height }
    }

    /// Width that a column has for its text; the last one goes to the margin.
    fn width_of(&self, column: usize) -> f32 {
        self.widths[column] - if column + 1 < self.widths.len() { GUTTER } else { 0.0 }
    }

    /// Height of all of it, points.
    pub fn height(&self) -> f32 {
        let head = self.head_row();
        let rows = self.rows.iter().map(|row| self.laid(row).height);
        rows.sum::<f32>() + head.map_or(0.0, |head| self.laid(&head).height)
    }

    fn head_row(&self) -> Option<Vec<Cell>> {
        (!self.head.is_empty()).then(|| self.head.iter().map(|name| Cell::from(name.as_str()).soft()).collect())
    }

    /// Draws it under a heading, with the heading on one page unless it fills more than one.
    pub fn draw_under(&self, paper: &mut Paper, heading: &str) {
        let height = self.height();
        paper.heading(heading, if height < Paper::height() - 60.0 { height } else { 80.0 });
        self.draw(paper, 0.0);
    }

    /// Draws it at `x`, on as many pages as it needs.
    pub fn draw(&self, paper: &mut Paper, x: f32) {
        let part = paper.part(Kind::Table, None);
        let head = self.head_row();
        let head = head.as_ref().map(|head| self.laid(head));
        let height = self.height();
        if height < Paper::height() {
            paper.need(height);
        }
        if let Some(head) = &head {
            self.row(paper, head, x, part, true);
        }
        for row in &self.rows {
            let laid = self.laid(row);
            let before = paper.pages.len();
            paper.need(laid.height);
            if paper.pages.len() > before
                && let Some(head) = &head
            {
                self.row(paper, head, x, part, true);
            }
            self.row(paper, &laid, x, part, false);
        }
    }

    fn row(&self, paper: &mut Paper, row: &Laid<'_>, x: f32, table: usize, is_head: bool) {
        let part = paper.part(Kind::Row, Some(table));
        let top = paper.y();
        let mut left = x;
        for (column, (cell, broken)) in row.cells.iter().enumerate() {
            let names = is_head || (column == 0 && self.head.is_empty());
            let own = paper.part(if names { Kind::HeaderCell } else { Kind::Cell }, Some(part));
            let (mut from, wide) = (left, self.width_of(column));
            if let Some(colour) = cell.dot {
                let middle = top + PADDING + 0.62 * cell.style.ascent();
                paper.draw(Ink::Fill([from, middle - 2.2, 4.4, 4.4], colour, 2.2), None);
                from += DOT;
            }
            paper.text(broken, [from, top + PADDING], wide, self.aligned[column], Some(own));
            left += self.widths[column];
        }
        let bottom = top + row.height;
        paper.draw(Ink::Rule([x, bottom], [left, bottom], HAIR, 0.5, false), None);
        paper.go_to(bottom);
    }
}
