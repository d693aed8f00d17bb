//! Text in two weights of the Inter typeface: shaping with tabular figures and line breaking.

use std::ops::Range;
use std::sync::LazyLock;

use harfrust::{Feature, FontRef, ShapeOptions, ShaperData, Tag, UnicodeBuffer};

/// Font files in the order of [`Weight`].
pub const FACES: [&[u8]; 2] = [
    include_bytes!("../../../assets/fonts/Inter-Regular.otf"),
    include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"),
];

/// Font weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Regular, for running text.
    Regular,
    /// Semi-bold, for headings and emphasis.
    Strong,
}

/// RGB colour.
pub type Colour = [u8; 3];

/// Text style.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Font weight.
    pub weight: Weight,
    /// Font size, points.
    pub size: f32,
    /// Text colour.
    pub colour: Colour,
}

impl Style {
    /// Regular weight in the default text colour; `size` in points.
    pub const fn plain(size: f32) -> Self {
        Self { weight: Weight::Regular, size, colour: [28, 32, 38] }
    }

    /// The same style in semi-bold.
    pub const fn strong(self) -> Self {
        Self { weight: Weight::Strong, ..self }
    }

    /// The same style in another colour.
    pub const fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// Distance between baselines, points.
    pub fn leading(&self) -> f32 {
        1.38 * self.size
    }

    /// Distance from the top of a line to its baseline, points.
    pub fn ascent(&self) -> f32 {
        1.02 * self.size
    }
}

/// Positioned glyph of a line; lengths in units of the font size.
#[derive(Clone, Debug, PartialEq)]
pub struct Glyph {
    /// Glyph index in the font.
    pub id: u32,
    /// Byte range of the text that the glyph represents.
    pub text_range: Range<usize>,
    /// Horizontal advance.
    pub advance: f32,
    /// Offset from the pen position, x and y.
    pub offset: [f32; 2],
}

/// Line of shaped text.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// Style of the whole line.
    pub style: Style,
    /// Glyphs, left to right.
    pub glyphs: Vec<Glyph>,
    /// Width, points.
    pub width: f32,
}

struct Face {
    font: FontRef<'static>,
    data: ShaperData,
}

/// The embedded fonts; `None` if one cannot be read, which a test rules out.
static FONTS: LazyLock<Option<[Face; 2]>> = LazyLock::new(|| {
    let face = |bytes: &'static [u8]| {
        let font = FontRef::from_index(bytes, 0).ok()?;
        Some(Face { data: ShaperData::new(&font), font })
    };
    Some([face(FACES[0])?, face(FACES[1])?])
});

/// Shapes `text` as one line.
pub fn shape(text: &str, style: Style) -> Line {
    let mut line = Line { text: text.to_owned(), style, glyphs: Vec::new(), width: 0.0 };
    let Some(faces) = FONTS.as_ref() else { return line };
    let face = &faces[style.weight as usize];
    let shaper = face.data.shaper(&face.font).build();
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.guess_segment_properties();
    // Tabular figures, so that columns of numbers align.
    let features = [Feature::new(Tag::new(b"tnum"), 1, ..)];
    let shaped = shaper.shape(buffer, ShapeOptions::new().features(&features));
    let em = shaper.units_per_em() as f32;
    let infos = shaped.glyph_infos();
    let mut starts: Vec<usize> = infos.iter().map(|info| info.cluster as usize).collect();
    starts.sort_unstable();
    for (info, position) in infos.iter().zip(shaped.glyph_positions()) {
        let from = info.cluster as usize;
        let next = starts.partition_point(|start| *start <= from);
        let to = starts.get(next).copied().unwrap_or(text.len());
        let advance = position.x_advance as f32 / em;
        let offset = [position.x_offset as f32 / em, position.y_offset as f32 / em];
        line.glyphs.push(Glyph { id: info.glyph_id, text_range: from..to, advance, offset });
        line.width += advance * style.size;
    }
    line
}

/// Width of `text` on one line, points.
pub fn width(text: &str, style: Style) -> f32 {
    shape(text, style).width
}

/// `text` as one line of at most `max_width` points, cut off with an ellipsis where it is longer.
pub fn shortened(text: &str, style: Style, max_width: f32) -> Line {
    if beginning(text, style, max_width).is_none() {
        return shape(text, style);
    }
    let kept = beginning(text, style, max_width - width("…", style)).map_or_else(|| text.to_owned(), |line| line.text);
    shape(&format!("{}…", kept.trim_end()), style)
}

/// As much of a word as fits, at least a letter; `None` if all of it does.
fn beginning(word: &str, style: Style, max_width: f32) -> Option<Line> {
    let line = shape(word, style);
    if line.width <= max_width {
        return None;
    }
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).skip(1).collect();
    let mut width = 0.0;
    let fitting = line.glyphs.iter().take_while(|glyph| {
        width += glyph.advance * style.size;
        width <= max_width
    });
    let end = fitting.last().map_or(0, |glyph| glyph.text_range.end);
    // A letter at the end of a line may be wider than within it.
    let mut prefixes = ends.iter().rev().skip_while(|at| **at > end).map(|at| shape(&word[..*at], style));
    let first = || ends.first().map(|at| shape(&word[..*at], style));
    prefixes.find(|line| line.width <= max_width).or_else(first)
}

/// Breaks `text` into lines of at most `max_width` points: at spaces, and within words that do not fit on a line
/// (digests, paths).
pub fn lines(text: &str, style: Style, max_width: f32) -> Vec<Line> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    let fits = |text: &str| width(text, style) <= max_width;
    for paragraph in text.split('\n') {
        for word in paragraph.split(' ') {
            let extended = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if fits(&extended) {
                line = extended;
                continue;
            }
            if !line.is_empty() {
                lines.push(shape(&std::mem::take(&mut line), style));
            }
            let mut rest = word;
            while let Some(first) = beginning(rest, style, max_width) {
                rest = &rest[first.text.len()..];
                lines.push(first);
            }
            rest.clone_into(&mut line);
        }
        lines.push(shape(&std::mem::take(&mut line), style));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style::plain(9.0);

    #[test]
    fn the_fonts_are_readable_and_figures_are_tabular() {
        assert!(FONTS.is_some());
        assert!(width("Deviation", STYLE) > 30.0);
        assert!((width("111111", STYLE) - width("888888", STYLE)).abs() < 1e-3);
        assert!(width("Deviation", STYLE.strong()) > width("Deviation", STYLE));
    }

    #[test]
    fn what_is_longer_ends_in_an_ellipsis() {
        assert_eq!(shortened("Housing", STYLE, 120.0), shape("Housing", STYLE));
        let cut = shortened("Gehäuse für Prüfstück 4711, zweite Aufspannung", STYLE, 120.0);
        assert!(cut.width <= 120.0 && cut.width > 105.0, "{}", cut.width);
        assert!(cut.text.starts_with("Gehäuse für Prüf") && cut.text.ends_with('…'), "{}", cut.text);
    }

    #[test]
    fn lines_keep_within_their_width_and_lose_no_text() {
        let text = "The scan covers 61 % of the nominal 0123456789abcdef0123456789abcdef0123456789abcdef and ends";
        let broken = lines(text, STYLE, 120.0);
        assert!(broken.len() > 3 && broken.iter().all(|line| line.width <= 120.0), "{broken:?}");
        let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
        assert_eq!(broken.iter().map(|line| letters(&line.text)).collect::<String>(), letters(text));
        // A letter wider than the maximum width still gets its own line.
        assert_eq!(lines("WWW", STYLE, 1.0).len(), 3);
    }
}
