//! A flag as it is drawn: lines, boxes and texts, for whatever draws them.

use super::{Content, Flag};
use inspect::deviation::Verdict;

/// Rectangle: left, top, width, height, points.
pub type Rect = [f32; 4];

/// Size of the texts, points.
pub const TEXT_SIZE: f32 = 12.5;
/// Width of the stripe in the colour of the deviation or the verdict, points.
const STRIPE: f32 = 5.0;
/// Space left of the stripe, above and below it, points.
const BORDER: f32 = 3.0;
/// From the upper left corner of a flag to its content, and what both sides leave free, points.
const INDENT: [f32; 2] = [STRIPE + 9.0, 4.0];
const PADDING: [f32; 2] = [STRIPE + 14.0, 8.0];
/// Width of lines to what flags tell of, points: of one pixel, a line takes half the triangles of a thicker one.
const LINE: f32 = 1.0;
/// Width of what keeps them apart from the picture, points.
const HALO: f32 = 3.0;
/// Radius of the corners of flags, points.
pub const CORNER: f32 = 2.0;

/// A colour of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Of texts and lines.
    Ink,
    /// Of the lines of feature control frames, somewhat paler.
    Frame,
    /// Of the edge of the flag, paler still.
    Edge,
    /// Of the flag.
    Plate,
    /// About lines, so that they are seen on anything.
    Halo,
    /// RGB.
    Own([u8; 3]),
    /// That of a verdict.
    Verdict(Verdict),
}

/// Something that is drawn of a flag; lengths in points, positions from the upper left corner of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum FlagMark {
    /// The line to what the flag tells of: its ends, its width, and whether it is dashed.
    Leader([[f32; 2]; 2], f32, Shade, bool),
    /// A line through points, with its width.
    Path(Vec<[f32; 2]>, f32, Shade),
    /// A filled disc: centre and radius.
    Disc([f32; 2], f32, Shade),
    /// A circle: centre, radius and width of its line.
    Ring([f32; 2], f32, f32, Shade),
    /// A box with the radius of its corners, filled or not, and with a line along its inside or not.
    Plate(Rect, f32, Option<Shade>, Option<(f32, Shade)>),
    /// A text in one line, from its upper left corner, with its width.
    Text([f32; 2], f32, String),
}

/// Width and height of a text in one line of [`TEXT_SIZE`], points.
pub(super) type Measure<'a> = &'a dyn Fn(&str) -> [f32; 2];

impl Content {
    fn size(&self, measure: Measure<'_>) -> [f32; 2] {
        match self {
            Self::Text(text) => measure(text),
            Self::Frame(frame) => frame.size(measure),
        }
    }

    fn marks(&self, min: [f32; 2], measure: Measure<'_>) -> Vec<FlagMark> {
        match self {
            Self::Text(text) => vec![FlagMark::Text(min, measure(text)[0], text.clone())],
            Self::Frame(frame) => frame.marks(min, measure),
        }
    }
}

impl Flag {
    /// Width and height, points.
    pub(super) fn size(&self, measure: Measure<'_>) -> [f32; 2] {
        let [width, height] = self.content.size(measure);
        [width + PADDING[0], height + PADDING[1]]
    }

    /// The flag within a rectangle of its size.
    pub(super) fn standing(
        self,
        rect: Rect,
        (anchor, is_hidden): ([f32; 2], bool),
        measure: Measure<'_>,
    ) -> PlacedFlag {
        let content = self.content.marks([rect[0] + INDENT[0], rect[1] + INDENT[1]], measure);
        PlacedFlag { flag: self, rect, anchor, is_hidden, content }
    }
}

/// A flag where it stands.
#[derive(Clone, Debug)]
pub struct PlacedFlag {
    /// What it tells.
    pub flag: Flag,
    /// Where it stands.
    pub rect: Rect,
    /// Where what it tells of is seen.
    pub anchor: [f32; 2],
    /// Whether the part lies before that.
    pub is_hidden: bool,
    content: Vec<FlagMark>,
}

impl PlacedFlag {
    /// The line to what it tells of. All of them are drawn before the first flag, so that none runs over one.
    pub fn leader(&self) -> Vec<FlagMark> {
        let ([left, top, width, height], anchor) = (self.rect, self.anchor);
        let side = if anchor[0] < left + 0.5 * width { left } else { left + width };
        let ends = [[side, top + 0.5 * height], anchor];
        let halo = FlagMark::Leader(ends, HALO, Shade::Halo, false);
        let line = FlagMark::Leader(ends, LINE, Shade::Ink, self.is_hidden);
        if self.is_hidden {
            return vec![halo, line, FlagMark::Ring(anchor, 3.5, LINE, Shade::Ink)];
        }
        vec![halo, line, FlagMark::Disc(anchor, 4.0, Shade::Halo), FlagMark::Disc(anchor, 3.0, Shade::Ink)]
    }

    /// The flag itself.
    pub fn body(&self) -> impl Iterator<Item = FlagMark> {
        let [left, top, _, height] = self.rect;
        let plate = FlagMark::Plate(self.rect, CORNER, Some(Shade::Plate), Some((1.0, Shade::Edge)));
        let stripe = [left + BORDER, top + BORDER, STRIPE, height - 2.0 * BORDER];
        let stripe = FlagMark::Plate(stripe, 0.0, Some(self.flag.stripe), None);
        [plate, stripe].into_iter().chain(self.content.iter().cloned())
    }
}
