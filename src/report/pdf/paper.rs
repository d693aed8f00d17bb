//! Pages as they fill: what is drawn where, and what part of the document's structure it belongs to.

use super::lettering::{Colour, Line, Style, lines, shape};

/// Points of a millimetre.
pub const MM: f32 = 72.0 / 25.4;
/// A4, points.
pub const SIZE: [f32; 2] = [210.0 * MM, 297.0 * MM];
const LEFT: f32 = 17.0 * MM;
const TOP: f32 = 20.0 * MM;
const BOTTOM: f32 = SIZE[1] - 19.0 * MM;
/// Width of the text, points.
pub const WIDTH: f32 = SIZE[0] - 2.0 * LEFT;

/// Of secondary text.
pub const SOFT: Colour = [107, 114, 128];
/// Of hairlines.
pub const HAIR: Colour = [226, 229, 234];
/// Of running text.
pub const TEXT: Style = Style::plain(9.0);
/// Of labels and captions.
pub const SMALL: Style = Style::plain(7.5).coloured(SOFT);

/// What a part of the document is, for programs that read it aloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A heading of this level.
    Heading(u16),
    /// A paragraph.
    Paragraph,
    /// A table.
    Table,
    /// A row of a table.
    Row,
    /// A cell that names its row or column.
    HeaderCell,
    /// A cell.
    Cell,
    /// A picture, with what it shows.
    Figure(String),
}

/// A part of the document.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// The part that it lies in.
    pub parent: Option<usize>,
}

/// A rectangle: left, top, width, height, points.
pub type Rect = [f32; 4];

/// Something drawn.
#[derive(Clone, Debug)]
pub enum Ink {
    /// A line of text from its left end, on its baseline.
    Text([f32; 2], Line),
    /// A filled rectangle with round corners.
    Fill(Rect, Colour, f32),
    /// A line between two places; dashed or not.
    Rule([f32; 2], [f32; 2], Colour, f32, bool),
    /// A PNG picture.
    Picture(Rect, Vec<u8>),
}

/// Something drawn, and the part that it belongs to; decoration belongs to none.
#[derive(Clone, Debug)]
pub struct Mark {
    /// What is drawn.
    pub ink: Ink,
    /// Its part.
    pub part: Option<usize>,
}

/// The pages.
pub struct Paper {
    /// What is drawn on each.
    pub pages: Vec<Vec<Mark>>,
    /// The parts, in reading order.
    pub parts: Vec<Part>,
    /// Where the next block begins, from the top.
    y: f32,
}

impl Default for Paper {
    fn default() -> Self {
        Self { pages: vec![Vec::new()], parts: Vec::new(), y: TOP }
    }
}

impl Paper {
    /// Begins a part.
    pub fn part(&mut self, kind: Kind, parent: Option<usize>) -> usize {
        self.parts.push(Part { kind, parent });
        self.parts.len() - 1
    }

    /// Where the next block begins.
    pub fn y(&self) -> f32 {
        self.y
    }

    /// Moves to `y` on this page.
    pub fn go_to(&mut self, y: f32) {
        self.y = y;
    }

    /// Leaves a space.
    pub fn space(&mut self, height: f32) {
        self.y += height;
    }

    /// Begins a page where less than `height` is left of this one.
    pub fn need(&mut self, height: f32) {
        if self.y + height > BOTTOM && self.y > TOP {
            self.pages.push(Vec::new());
            self.y = TOP;
        }
    }

    /// Height that a whole page has.
    pub const fn height() -> f32 {
        BOTTOM - TOP
    }

    /// Draws, x from the left margin, y from the top of the page.
    pub fn draw(&mut self, ink: Ink, part: Option<usize>) {
        let at = |[x, y]: [f32; 2]| [x + LEFT, y];
        let moved = |[x, y, w, h]: Rect| [x + LEFT, y, w, h];
        let ink = match ink {
            Ink::Text(from, line) => Ink::Text(at(from), line),
            Ink::Fill(rect, colour, radius) => Ink::Fill(moved(rect), colour, radius),
            Ink::Rule(from, to, colour, wide, dashed) => Ink::Rule(at(from), at(to), colour, wide, dashed),
            Ink::Picture(rect, png) => Ink::Picture(moved(rect), png),
        };
        if let Some(page) = self.pages.last_mut() {
            page.push(Mark { ink, part });
        }
    }

    /// Draws lines of text under each other from `y`, at `x` of the width `wide`: at its left, its middle (0.5) or its
    /// right end (1). Returns where they end.
    pub fn text(&mut self, broken: &[Line], [x, y]: [f32; 2], wide: f32, align: f32, part: Option<usize>) -> f32 {
        let mut top = y;
        for line in broken {
            let from = x + align * (wide - line.width);
            self.draw(Ink::Text([from, top + line.style.ascent()], line.clone()), part);
            top += line.style.leading();
        }
        top
    }

    /// A paragraph over the whole width.
    pub fn paragraph(&mut self, text: &str, style: Style) {
        let part = self.part(Kind::Paragraph, None);
        self.flow(&lines(text, style, WIDTH), 0.0, part);
    }

    /// An item of a list.
    pub fn item(&mut self, text: &str, style: Style) {
        let part = self.part(Kind::Paragraph, None);
        let indent = 11.0;
        self.need(style.leading());
        let dot = [1.0, self.y + style.ascent()];
        self.draw(Ink::Text(dot, shape("•", style)), None);
        self.flow(&lines(text, style, WIDTH - indent), indent, part);
        self.y += 1.5;
    }

    fn flow(&mut self, broken: &[Line], x: f32, part: usize) {
        for line in broken {
            self.need(line.style.leading());
            self.y = self.text(std::slice::from_ref(line), [x, self.y], WIDTH, 0.0, Some(part));
        }
    }

    /// A heading, on a page with at least `follows` points of what it heads.
    pub fn heading(&mut self, text: &str, follows: f32) {
        let style = Style::plain(11.5).strong();
        self.y += 15.0;
        self.need(style.leading() + 6.0 + follows);
        let part = self.part(Kind::Heading(2), None);
        self.y = self.text(&[shape(text, style)], [0.0, self.y], WIDTH, 0.0, Some(part)) + 5.0;
    }

    /// Header and footer on every page: `left` and `right` above, `software` and the number below.
    pub fn furnish(&mut self, [left, right]: [&str; 2], below: &str) {
        let count = self.pages.len();
        for (i, page) in self.pages.iter_mut().enumerate() {
            let mut write = |text: &str, y: f32, align: f32| {
                let line = shape(text, SMALL);
                page.push(Mark { ink: Ink::Text([LEFT + align * (WIDTH - line.width), y], line), part: None });
            };
            // The first page has its title.
            if i > 0 {
                write(left, 12.0 * MM, 0.0);
                write(right, 12.0 * MM, 1.0);
            }
            write(below, SIZE[1] - 10.0 * MM, 0.0);
            write(&format!("Page {} of {count}", i + 1), SIZE[1] - 10.0 * MM, 1.0);
            if i > 0 {
                let y = 13.5 * MM;
                let ink = Ink::Rule([LEFT, y], [LEFT + WIDTH, y], HAIR, 0.5, false);
                page.push(Mark { ink, part: None });
            }
        }
    }
}
