//! Page layout: drawn items with their positions and the structure elements they belong to. Lengths in points.

use super::lettering::{Colour, Line, Style, lines, shape, shortened};
use base::PageSize;

/// Points per millimetre.
pub const MM: f32 = 72.0 / 25.4;
const TOP: f32 = 20.0 * MM;
/// Margin below the text, points.
const BELOW: f32 = 19.0 * MM;
/// Width of the text, the same on all sizes of pages, points.
pub const WIDTH: f32 = 176.0 * MM;

/// Colour of secondary text.
pub const SECONDARY: Colour = [107, 114, 128];
/// Colour of hairlines.
pub const HAIRLINE: Colour = [226, 229, 234];
/// Style of running text.
pub const TEXT: Style = Style::plain(9.0);
/// Style of labels and captions.
pub const SMALL: Style = Style::plain(7.5).coloured(SECONDARY);

/// Type of a structure element, for assistive technology (tagged PDF).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Heading of the given level, from 1.
    Heading(u16),
    /// Paragraph.
    Paragraph,
    /// Table.
    Table,
    /// Table row.
    Row,
    /// Header cell of a row or column.
    HeaderCell,
    /// Data cell.
    Cell,
    /// Figure with its alternative text.
    Figure(String),
}

/// Structure element of the document.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its type.
    pub kind: Kind,
    /// Index of the enclosing element in [`Paper::parts`]; `None` at the top level.
    pub parent: Option<usize>,
}

/// Rectangle: left, top, width, height, points.
pub type Rect = [f32; 4];

/// Drawn item.
#[derive(Clone, Debug)]
pub enum Ink {
    /// Line of text; left end of its baseline.
    Text([f32; 2], Line),
    /// Filled rectangle with its corner radius.
    Fill(Rect, Colour, f32),
    /// Line between two points, with width, and whether it is dashed.
    Rule([f32; 2], [f32; 2], Colour, f32, bool),
    /// PNG picture scaled to the rectangle.
    Picture(Rect, Vec<u8>),
}

/// Drawn item with its structure element.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The drawn item.
    pub ink: Ink,
    /// Index of its structure element in [`Paper::parts`]; `None` for decoration.
    pub part: Option<usize>,
}

/// Pages under construction.
pub struct Paper {
    /// Width and height of each page, points.
    pub size: [f32; 2],
    /// Drawn items of each page.
    pub pages: Vec<Vec<Mark>>,
    /// Structure elements in reading order.
    pub parts: Vec<Part>,
    /// Top of the next block, from the top of the page.
    y: f32,
}

impl Paper {
    /// An empty page.
    pub fn new(size: PageSize) -> Self {
        Self { size: size.mm().map(|side| side * MM), pages: vec![Vec::new()], parts: Vec::new(), y: TOP }
    }

    /// Margin left of the text, points.
    pub fn left(&self) -> f32 {
        0.5 * (self.size[0] - WIDTH)
    }

    fn bottom(&self) -> f32 {
        self.size[1] - BELOW
    }

    /// Adds a structure element and returns its index.
    pub fn part(&mut self, kind: Kind, parent: Option<usize>) -> usize {
        self.parts.push(Part { kind, parent });
        self.parts.len() - 1
    }

    /// Top of the next block, from the top of the page.
    pub fn y(&self) -> f32 {
        self.y
    }

    /// Sets the top of the next block on this page.
    pub fn go_to(&mut self, y: f32) {
        self.y = y;
    }

    /// Adds vertical space.
    pub fn space(&mut self, height: f32) {
        self.y += height;
    }

    /// Starts a new page if less than `height` is left on this one.
    pub fn ensure_space(&mut self, height: f32) {
        if self.y + height > self.bottom() && self.y > TOP {
            self.pages.push(Vec::new());
            self.y = TOP;
        }
    }

    /// Usable height of a page.
    pub fn height(&self) -> f32 {
        self.bottom() - TOP
    }

    /// Draws an item on the current page; x from the left margin, y from the top of the page.
    pub fn draw(&mut self, ink: Ink, part: Option<usize>) {
        let left = self.left();
        let point = |[x, y]: [f32; 2]| [x + left, y];
        let rectangle = |[x, y, w, h]: Rect| [x + left, y, w, h];
        let ink = match ink {
            Ink::Text(from, line) => Ink::Text(point(from), line),
            Ink::Fill(rect, colour, radius) => Ink::Fill(rectangle(rect), colour, radius),
            Ink::Rule(from, to, colour, width, dashed) => Ink::Rule(point(from), point(to), colour, width, dashed),
            Ink::Picture(rect, png) => Ink::Picture(rectangle(rect), png),
        };
        if let Some(page) = self.pages.last_mut() {
            page.push(Mark { ink, part });
        }
    }

    /// Draws lines of text below each other from `y` in a column at `x` of the given width, aligned left (0), centred
    /// (0.5) or right (1). Returns the bottom of the last line.
    pub fn text(&mut self, text: &[Line], [x, y]: [f32; 2], width: f32, align: f32, part: Option<usize>) -> f32 {
        let mut top = y;
        for line in text {
            let from = x + align * (width - line.width);
            self.draw(Ink::Text([from, top + line.style.ascent()], line.clone()), part);
            top += line.style.leading();
        }
        top
    }

    /// Adds a paragraph over the full text width.
    pub fn paragraph(&mut self, text: &str, style: Style) {
        let part = self.part(Kind::Paragraph, None);
        self.flow(&lines(text, style, WIDTH), 0.0, part);
    }

    /// Adds an item of a bulleted list.
    pub fn item(&mut self, text: &str, style: Style) {
        let part = self.part(Kind::Paragraph, None);
        let indent = 11.0;
        self.ensure_space(style.leading());
        let bullet = [1.0, self.y + style.ascent()];
        self.draw(Ink::Text(bullet, shape("•", style)), None);
        self.flow(&lines(text, style, WIDTH - indent), indent, part);
        self.y += 1.5;
    }

    /// Adds lines of text at `x`, with page breaks between lines.
    fn flow(&mut self, text: &[Line], x: f32, part: usize) {
        for line in text {
            self.ensure_space(line.style.leading());
            self.y = self.text(std::slice::from_ref(line), [x, self.y], WIDTH, 0.0, Some(part));
        }
    }

    /// Adds a heading, on a page with space for at least `following` points below it.
    pub fn heading(&mut self, text: &str, following: f32) {
        let style = Style::plain(11.5).strong();
        self.y += 15.0;
        self.ensure_space(style.leading() + 6.0 + following);
        let part = self.part(Kind::Heading(2), None);
        self.y = self.text(&[shape(text, style)], [0.0, self.y], WIDTH, 0.0, Some(part)) + 5.0;
    }

    /// Adds headers (`left`, `right`; not on the first page) and footers (`footer`, page number) to all pages.
    pub fn add_headers_and_footers(&mut self, [left, right]: [&str; 2], footer: &str) {
        let (count, from, height) = (self.pages.len(), self.left(), self.size[1]);
        for (i, page) in self.pages.iter_mut().enumerate() {
            let mut write = |text: &str, y: f32, align: f32| {
                let line = shortened(text, SMALL, 0.48 * WIDTH);
                page.push(Mark { ink: Ink::Text([from + align * (WIDTH - line.width), y], line), part: None });
            };
            // The first page has the title.
            if i > 0 {
                write(left, 12.0 * MM, 0.0);
                write(right, 12.0 * MM, 1.0);
            }
            write(footer, height - 10.0 * MM, 0.0);
            write(&texts::text!("printed-page", number = i + 1, count = count), height - 10.0 * MM, 1.0);
            if i > 0 {
                let y = 13.5 * MM;
                let ink = Ink::Rule([from, y], [from + WIDTH, y], HAIRLINE, 0.5, false);
                page.push(Mark { ink, part: None });
            }
        }
    }
}
