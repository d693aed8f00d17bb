//! The flags of a picture of the report: vectors over it, so that they are read at any size and found by their texts.

use std::fmt::Write as _;

use super::super::html::escape;
use super::super::pdf::{Style, verdict_colour, width};
use super::Flag;
use super::drawing::{FlagMark, PlacedFlag, Rect, Shade, TEXT_SIZE};
use super::layout::{FlagView, Kept, placed};
use geometry::Surface;
use render::ViewCamera;

/// Sides of the polygon that is drawn for a circle.
const SIDES: u8 = 32;
const INK: [u8; 3] = [22, 25, 29];
const PLATE: [u8; 3] = [255; 3];
/// What is left of the ink in the lines of feature control frames, and in the edges of flags.
const FRAME: f32 = 0.7;
const EDGE: f32 = 0.35;

/// The flags of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagPicture {
    /// Width and height of the picture, points of the flags.
    pub size: [f32; 2],
    /// What is drawn, in its order.
    pub marks: Vec<FlagMark>,
    /// Where the flags stand.
    pub rects: Vec<Rect>,
}

impl FlagPicture {
    /// The flags of what `camera` sees, laid out for a picture that is `width` points wide.
    pub fn of(flags: Vec<Flag>, camera: &ViewCamera, surface: &Surface, width: f32) -> Self {
        let [wide, high] = camera.size().map(|pixels| pixels as f32);
        let pixels_per_point = wide / width;
        let size = [width, high / pixels_per_point];
        let view = FlagView { camera, pixels_per_point, size, kept: Kept::default() };
        let all = placed(flags, &view, Some(surface), &text_size);
        let leaders = all.iter().flat_map(PlacedFlag::leader);
        let marks = leaders.chain(all.iter().flat_map(PlacedFlag::body)).collect();
        Self { size, marks, rects: all.iter().map(|own| own.rect).collect() }
    }

    /// The flags as SVG, without a background.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.2} {height:.2}\" \
             font-family=\"Inter, sans-serif\" font-size=\"{TEXT_SIZE}\">\n"
        );
        self.marks.iter().for_each(|mark| push(&mut svg, mark));
        svg.push_str("</svg>\n");
        svg
    }
}

/// Width and height of a text in one line.
fn text_size(text: &str) -> [f32; 2] {
    let style = Style::plain(TEXT_SIZE);
    [width(text, style), style.leading()]
}

/// The colour of a shade on paper, RGB.
pub(in super::super) fn colour_of(shade: Shade) -> [u8; 3] {
    let paler = |share: f32| INK.map(|channel| (255.0 - share * (255.0 - f32::from(channel))) as u8);
    match shade {
        Shade::Ink => INK,
        Shade::Frame => paler(FRAME),
        Shade::Edge => paler(EDGE),
        Shade::Plate | Shade::Halo => PLATE,
        Shade::Own(colour) => colour,
        Shade::Verdict(verdict) => verdict_colour(verdict),
    }
}

/// The corners of a polygon for a circle; the first is repeated.
pub(in super::super) fn circle([x, y]: [f32; 2], radius: f32) -> Vec<[f32; 2]> {
    let angle = |side: u8| std::f32::consts::TAU * f32::from(side) / f32::from(SIDES);
    (0..=SIDES).map(|side| angle(side).sin_cos()).map(|(sin, cos)| [x + radius * cos, y + radius * sin]).collect()
}

/// Writes a mark as SVG. Writing to a string cannot fail.
fn push(svg: &mut String, mark: &FlagMark) {
    let hex = |shade: Shade| {
        let [r, g, b] = colour_of(shade);
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    match mark {
        FlagMark::Leader([[x1, y1], [x2, y2]], width, shade, is_dashed) => {
            let dashes = if *is_dashed { " stroke-dasharray=\"8 6\"" } else { "" };
            let _ = writeln!(
                svg,
                "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{}\" \
                 stroke-width=\"{width}\"{dashes}/>",
                hex(*shade)
            );
        }
        FlagMark::Path(points, width, shade) => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
            let (points, colour) = (points.join(" "), hex(*shade));
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" points=\"{points}\"/>"
            );
        }
        FlagMark::Disc([x, y], radius, shade) => {
            let _ = writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>", hex(*shade));
        }
        FlagMark::Ring([x, y], radius, width, shade) => {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"none\" stroke=\"{}\" \
                 stroke-width=\"{width}\"/>",
                hex(*shade)
            );
        }
        FlagMark::Plate(rect, radius, fill, edge) => {
            let (width, line) = edge.map_or((0.0, "none".to_owned()), |(width, shade)| (width, hex(shade)));
            let fill = fill.map_or("none".to_owned(), hex);
            let [x, y, w, h] = inset(*rect, 0.5 * width);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" rx=\"{radius}\" fill=\"{fill}\" \
                 stroke=\"{line}\" stroke-width=\"{width}\"/>"
            );
        }
        FlagMark::Text([x, y], width, text) => {
            let (y, colour) = (y + Style::plain(TEXT_SIZE).ascent(), hex(Shade::Ink));
            // In whatever typeface, it is as wide as its box. Several spaces are kept.
            let _ = writeln!(
                svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" fill=\"{colour}\" textLength=\"{width:.2}\" \
                 lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{}</text>",
                escape(text)
            );
        }
    }
}

/// A rectangle smaller by `by` on all sides.
pub(in super::super) fn inset([x, y, w, h]: Rect, by: f32) -> Rect {
    [x + by, y + by, w - 2.0 * by, h - 2.0 * by]
}

#[cfg(test)]
mod tests {
    use super::super::control_frame::ControlFrame;
    use super::super::{Content, FlagKind};
    use super::*;
    use base::LengthUnit;
    use geometry::Point;
    use geometry::mesh::shapes;
    use inspect::tolerances::{Characteristic, Tolerance};
    use render::camera::StandardView;

    fn block() -> Surface {
        Surface::new(shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 20.0)))
    }

    fn flag(name: &str, at: Point) -> Flag {
        Flag {
            kind: FlagKind::Region,
            name: name.to_owned(),
            at,
            radius_mm: 1.0,
            element: None,
            beside_mm: 0.0,
            stripe: Shade::Own([200, 0, 0]),
            content: Content::Text(format!("{name}   +0.123 mm")),
        }
    }

    fn camera(view: StandardView, surface: &Surface) -> ViewCamera {
        let mut camera = ViewCamera::new(surface.bounds());
        camera.set_size(1280, 920);
        camera.look_from(view);
        camera
    }

    #[test]
    fn flags_do_not_overlap_in_any_standard_view_and_lie_within_the_picture() {
        let surface = block();
        // On all faces, and close together.
        let steps = (0..4).flat_map(|i| (0..3).map(move |j| (f64::from(i), f64::from(j))));
        let points = steps.flat_map(|(i, j)| {
            let z = if j > 1.0 { 0.0 } else { 20.0 };
            [Point::new(5.0 + 3.0 * i, 4.0 + j, z), Point::new(40.0 * (j % 2.0), 7.0 + i, 9.0 + j)]
        });
        let flags: Vec<Flag> = points.enumerate().map(|(index, at)| flag(&format!("P{index}"), at)).collect();
        for view in StandardView::ALL {
            let camera = camera(view, &surface);
            let own = FlagPicture::of(flags.clone(), &camera, &surface, 400.0);
            let [width, height] = own.size;
            assert!((width - 400.0).abs() < 1e-3 && (height - 287.5).abs() < 1e-2, "{:?}", own.size);
            assert!(own.rects.len() > 8, "{view:?}: {} flags", own.rects.len());
            for (index, [x, y, w, h]) in own.rects.iter().enumerate() {
                assert!(*x >= 0.0 && x + w <= width && *y >= 0.0 && y + h <= height, "{view:?}: {:?}", own.rects);
                for [x2, y2, w2, h2] in &own.rects[index + 1..] {
                    let beside = x + w <= *x2 || x2 + w2 <= *x;
                    assert!(beside || y + h <= *y2 || y2 + h2 <= *y, "{view:?}: {:?}", own.rects);
                }
            }
        }
    }

    #[test]
    fn lines_are_dashed_to_what_is_hidden_and_what_is_seen_goes_first() {
        let surface = block();
        let camera = camera(StandardView::Top, &surface);
        let dashes = |z: f64| {
            let own = FlagPicture::of(vec![flag("1", Point::new(20.0, 15.0, z))], &camera, &surface, 520.0);
            own.svg().matches("stroke-dasharray").count()
        };
        assert_eq!([dashes(20.0), dashes(0.0)], [0, 1]);
        // Many below, and after them one above.
        let below = (0..60).map(|i| flag(&format!("below {i}"), Point::new(0.6 * f64::from(i), 15.0, 0.0)));
        let flags = below.chain([flag("above", Point::new(20.0, 15.0, 20.0))]).collect();
        let own = FlagPicture::of(flags, &camera, &surface, 400.0);
        assert!(own.rects.len() < 40 && own.svg().contains(">above   +0.123 mm</text>"), "{}", own.rects.len());
    }

    #[test]
    fn a_control_frame_has_its_symbol_its_boxes_and_its_value() {
        let characteristic = Characteristic::Coaxiality {};
        let tolerance = Tolerance {
            name: String::new(),
            feature: "Bore <1>".to_owned(),
            characteristic,
            limit_mm: 0.05,
            datums: vec!["A".to_owned(), "B&C".to_owned()],
            maximum_material: None,
            expanded_uncertainty_mm: None,
            filter_mm: None,
            filter_upr: None,
            outlier_sigmas: None,
            min_coverage: None,
            fit: None,
        };
        let frame = ControlFrame::of(&tolerance, "Ø ", "0.031".to_owned(), LengthUnit::Mm);
        let own = Flag { content: Content::Frame(frame), ..flag("Coaxiality", Point::new(20.0, 15.0, 20.0)) };
        let surface = block();
        let own = FlagPicture::of(vec![own], &camera(StandardView::Top, &surface), &surface, 520.0);
        let svg = own.svg();
        for text in [">Ø 0.05<", ">A<", ">B&amp;C<", ">0.031<"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        // Of the symbol two circles; of frame and flag three boxes, the plate and its stripe, and the one of the symbol.
        let rings = own.marks.iter().filter(|mark| matches!(mark, FlagMark::Ring(..))).count();
        assert_eq!((rings, svg.matches("<rect").count()), (2, 6));
        // All of it lies within the flag.
        let [x, y, w, h] = own.rects[0];
        for mark in &own.marks {
            if let FlagMark::Text([left, top], width, text) = mark {
                assert!(*left > x && left + width < x + w && *top > y && *top < y + h, "{text}");
            }
        }
    }
}
