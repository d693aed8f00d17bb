//! Text in the two weights of Inter: shaped with figures of one width, and broken into lines.

use std::ops::Range;
use std::sync::LazyLock;

use harfrust::{Feature, FontRef, ShapeOptions, ShaperData, Tag, UnicodeBuffer};

/// The bytes of the typeface, regular and strong.
pub const FACES: [&[u8]; 2] = [
    include_bytes!("../../../assets/fonts/Inter-Regular.otf"),
    include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"),
];

/// A weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For what is read.
    Regular,
    /// For headings and figures that matter.
    Strong,
}

/// RGB.
pub type Colour = [u8; 3];

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Its weight.
    pub weight: Weight,
    /// Size, points.
    pub size: f32,
    /// Colour.
    pub colour: Colour,
}

impl Style {
    /// Regular, in the usual ink.
    pub const fn plain(size: f32) -> Self {
        Self { weight: Weight::Regular, size, colour: [28, 32, 38] }
    }

    /// The same, strong.
    pub const fn strong(self) -> Self {
        Self { weight: Weight::Strong, ..self }
    }

    /// The same in another colour.
    pub const fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// Distance of baselines, points.
    pub fn leading(&self) -> f32 {
        1.38 * self.size
    }

    /// From the top of a line to its baseline, points.
    pub fn ascent(&self) -> f32 {
        1.02 * self.size
    }
}

/// A glyph of a line; lengths in units of the size.
#[derive(Clone, Debug, PartialEq)]
pub struct Glyph {
    /// Its number in the face.
    pub id: u32,
    /// What it stands for, bytes of the text.
    pub of: Range<usize>,
    /// How far it leads.
    pub advance: f32,
    /// Where it stands beside its place.
    pub offset: [f32; 2],
}

/// One line of shaped text.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// How it looks.
    pub style: Style,
    /// Its glyphs, left to right.
    pub glyphs: Vec<Glyph>,
    /// Width, points.
    pub width: f32,
}

struct Face {
    font: FontRef<'static>,
    data: ShaperData,
}

/// `None` where the typeface that was built in cannot be read, which a test rules out.
static SHAPERS: LazyLock<Option<[Face; 2]>> = LazyLock::new(|| {
    let face = |bytes: &'static [u8]| {
        let font = FontRef::from_index(bytes, 0).ok()?;
        Some(Face { data: ShaperData::new(&font), font })
    };
    Some([face(FACES[0])?, face(FACES[1])?])
});

/// Shapes `text` as one line.
pub fn shape(text: &str, style: Style) -> Line {
    let mut line = Line { text: text.to_owned(), style, glyphs: Vec::new(), width: 0.0 };
    let Some(faces) = SHAPERS.as_ref() else { return line };
    let face = &faces[style.weight as usize];
    let shaper = face.data.shaper(&face.font).build();
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.guess_segment_properties();
    // Columns of figures stand under each other.
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
        line.glyphs.push(Glyph { id: info.glyph_id, of: from..to, advance, offset });
        line.width += advance * style.size;
    }
    line
}

/// Width of `text` on one line, points.
pub fn width(text: &str, style: Style) -> f32 {
    shape(text, style).width
}

/// Breaks `text` into lines of at most `wide` points: at spaces, and within words that are too long for a line of their
/// own (fingerprints, paths).
pub fn lines(text: &str, style: Style, wide: f32) -> Vec<Line> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    let fits = |text: &str| width(text, style) <= wide;
    for paragraph in text.split('\n') {
        for word in paragraph.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if fits(&longer) {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(shape(&std::mem::take(&mut line), style));
            }
            for letter in word.chars() {
                line.push(letter);
                if !fits(&line) && line.chars().count() > 1 {
                    line.pop();
                    lines.push(shape(&std::mem::take(&mut line), style));
                    line.push(letter);
                }
            }
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
    fn the_typeface_is_there_and_figures_have_one_width() {
        assert!(SHAPERS.is_some());
        assert!(width("Deviation", STYLE) > 30.0);
        assert!((width("111111", STYLE) - width("888888", STYLE)).abs() < 1e-3);
        assert!(width("Deviation", STYLE.strong()) > width("Deviation", STYLE));
    }

    #[test]
    fn lines_keep_within_their_width_and_lose_nothing() {
        let text = "The scan covers 61 % of the nominal 0123456789abcdef0123456789abcdef0123456789abcdef and ends";
        let broken = lines(text, STYLE, 120.0);
        assert!(broken.len() > 3 && broken.iter().all(|line| line.width <= 120.0), "{broken:?}");
        let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
        assert_eq!(broken.iter().map(|line| letters(&line.text)).collect::<String>(), letters(text));
        // A letter wider than the line still gets a line.
        assert_eq!(lines("WWW", STYLE, 1.0).len(), 3);
    }
}
