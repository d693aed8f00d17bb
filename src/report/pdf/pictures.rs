//! Pictures of the report on its pages: the part from all sides, and the worst regions.

use super::super::flags::{self, FlagMark, FlagPicture, Shade, TEXT_SIZE};
use super::super::pictures::{Pictures, RegionMark, View, ViewKind};
use super::lettering::{Colour, Style, shape, shortened};
use super::paper::{HAIRLINE, Ink, Kind, MM, Paper, Rect, SMALL, WIDTH};

/// Height of the pictures divided by their width.
const ASPECT_RATIO: f32 = 0.72;
const GAP: f32 = 4.0 * MM;
const CAPTION_HEIGHT: f32 = 16.0;
/// Radius of the discs with the numbers of regions, and their distance from the peaks, points.
const MARK_RADIUS: f32 = 4.8;
const MARK_DISTANCE: f32 = 15.0;
const DARK: Colour = [22, 25, 29];
const WHITE: Colour = [255, 255, 255];

/// The first view large with two beside it, the others in a row.
pub fn standard(paper: &mut Paper, pictures: &Pictures) {
    let views = of_kind(pictures, ViewKind::Standard);
    let Some((first, others)) = views.split_first() else { return };
    let (beside, below) = others.split_at(others.len().min(2));
    // Two small pictures with their captions are as high as the large one with its own.
    let small = (WIDTH - GAP - (CAPTION_HEIGHT + GAP) / ASPECT_RATIO) / 3.0;
    let large = WIDTH - GAP - small;
    paper.ensure_space(ASPECT_RATIO * large + CAPTION_HEIGHT);
    let top = paper.y();
    let end = view(paper, first, [0.0, top], large);
    let mut y = top;
    for own in beside {
        y = view(paper, own, [large + GAP, y], small) + GAP;
    }
    paper.go_to(end + GAP);
    // Few are no larger than the first one.
    row(paper, below, below.len().max(3));
}

/// The views that the operator saved, two in a row.
pub fn saved(paper: &mut Paper, pictures: &Pictures) {
    let views = of_kind(pictures, ViewKind::Saved);
    views.chunks(2).for_each(|pair| row(paper, pair, 2));
}

/// The worst regions, two in a row.
pub fn regions(paper: &mut Paper, pictures: &Pictures) {
    let views = of_kind(pictures, ViewKind::Region);
    for (index, pair) in views.chunks(2).enumerate() {
        if index == 0 {
            let height = ASPECT_RATIO * 0.5 * (WIDTH - GAP) + CAPTION_HEIGHT;
            paper.heading(&texts::text!("printed-worst-regions", count = views.len()), height);
        }
        row(paper, pair, 2);
    }
}

fn of_kind(pictures: &Pictures, kind: ViewKind) -> Vec<&View> {
    pictures.views.iter().filter(|view| view.kind == kind).collect()
}

/// Pictures side by side, in a row that holds `columns`.
fn row(paper: &mut Paper, views: &[&View], columns: usize) {
    if views.is_empty() {
        return;
    }
    let width = (WIDTH - GAP * (columns - 1) as f32) / columns as f32;
    paper.ensure_space(ASPECT_RATIO * width + CAPTION_HEIGHT);
    let top = paper.y();
    let mut end = top;
    for (column, own) in views.iter().enumerate() {
        end = view(paper, own, [column as f32 * (width + GAP), top], width);
    }
    paper.go_to(end + GAP);
}

/// A picture in a frame with its marks and its caption; its lower end.
fn view(paper: &mut Paper, own: &View, [x, top]: [f32; 2], width: f32) -> f32 {
    let height = ASPECT_RATIO * width;
    let part = paper.part(Kind::Figure(own.caption.clone()), None);
    let size = pixel_size(&own.png).unwrap_or([1.0, 1.0]);
    let scale = (width / size[0]).min(height / size[1]);
    let [w, h] = size.map(|side| side * scale);
    let left = x + 0.5 * (width - w);
    paper.draw(Ink::Picture([left, top, w, h], own.png.clone()), Some(part));
    match &own.flags {
        Some(flags) => draw_flags(paper, flags, [left, top, w, h], part),
        None => numbers(paper, &own.marks, [left, top, w, h], part),
    }
    for (from, to) in frame([x, top, width, height + CAPTION_HEIGHT]) {
        paper.draw(Ink::Rule(from, to, HAIRLINE, 0.6, false), None);
    }
    let part = paper.part(Kind::Paragraph, None);
    paper.text(&[shortened(&own.caption, SMALL, width - 12.0)], [x + 6.0, top + height + 3.0], width, 0.0, Some(part));
    top + height + CAPTION_HEIGHT
}

/// The numbers of regions in a picture, beside their peaks.
fn numbers(paper: &mut Paper, marks: &[RegionMark], picture: Rect, part: usize) {
    let [left, top, w, h] = picture;
    let peaks: Vec<[f32; 2]> = marks.iter().map(|mark| [left + mark.at[0] * w, top + mark.at[1] * h]).collect();
    let style = Style::plain(6.5).strong().coloured(WHITE);
    for ((mark, peak), [cx, cy]) in marks.iter().zip(&peaks).zip(beside(&peaks, picture)) {
        for (width, colour) in [(1.8, WHITE), (0.7, DARK)] {
            paper.draw(Ink::Rule(*peak, [cx, cy], colour, width, false), None);
        }
        for (radius, colour) in [(MARK_RADIUS + 0.8, WHITE), (MARK_RADIUS, DARK)] {
            paper.draw(disc([cx, cy], radius, colour), None);
        }
        let number = shape(&mark.number.to_string(), style);
        let at = [cx - 0.5 * number.width, cy - 0.5 * style.leading()];
        paper.text(&[number], at, w, 0.0, Some(part));
    }
}

/// The flags of a picture, at its size.
fn draw_flags(paper: &mut Paper, own: &FlagPicture, [left, top, w, _]: Rect, part: usize) {
    let scale = w / own.size[0];
    let point = |[x, y]: [f32; 2]| [left + scale * x, top + scale * y];
    let rectangle = |[x, y, w, h]: Rect| [left + scale * x, top + scale * y, scale * w, scale * h];
    let colour = |shade: &Shade| flags::colour_of(*shade);
    let rule = |paper: &mut Paper, points: &[[f32; 2]], width: f32, shade: &Shade, is_dashed: bool| {
        for (from, to) in points.iter().zip(points.iter().skip(1)) {
            paper.draw(Ink::Rule(point(*from), point(*to), colour(shade), scale * width, is_dashed), None);
        }
    };
    for mark in &own.marks {
        match mark {
            FlagMark::Leader(ends, width, shade, is_dashed) => rule(paper, ends, *width, shade, *is_dashed),
            FlagMark::Path(points, width, shade) => rule(paper, points, *width, shade, false),
            FlagMark::Disc(centre, radius, shade) => {
                paper.draw(disc(point(*centre), scale * radius, colour(shade)), None);
            }
            FlagMark::Ring(centre, radius, width, shade) => {
                rule(paper, &flags::circle(*centre, *radius), *width, shade, false);
            }
            FlagMark::Plate(rect, radius, Some(fill), edge) => {
                let (width, line) = edge.as_ref().map_or((0.0, fill), |(width, shade)| (*width, shade));
                paper.draw(Ink::Fill(rectangle(*rect), colour(line), scale * radius), None);
                let within = rectangle(flags::inset(*rect, width));
                paper.draw(Ink::Fill(within, colour(fill), scale * (radius - width).max(0.0)), None);
            }
            FlagMark::Plate(rect, _, None, edge) => {
                let Some((width, shade)) = edge else { continue };
                for (from, to) in frame(flags::inset(*rect, 0.5 * width)) {
                    rule(paper, &[from, to], *width, shade, false);
                }
            }
            FlagMark::Text(at, _, text) => {
                let line = shape(text, Style::plain(scale * TEXT_SIZE).coloured(colour(&Shade::Ink)));
                paper.text(&[line], point(*at), w, 0.0, Some(part));
            }
        }
    }
}

fn disc([x, y]: [f32; 2], radius: f32, colour: Colour) -> Ink {
    Ink::Fill([x - radius, y - radius, 2.0 * radius, 2.0 * radius], colour, radius)
}

/// Where the numbers of peaks stand: beside them, clear of other peaks and numbers where there is room, and within the
/// picture.
fn beside(peaks: &[[f32; 2]], [x, y, w, h]: Rect) -> Vec<[f32; 2]> {
    let distance = |a: &[f32; 2], b: &[f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let mut placed: Vec<[f32; 2]> = Vec::new();
    for peak in peaks {
        let around = |step: u8| {
            // To the upper right first, then round about.
            let (sin, cos) = (std::f32::consts::FRAC_PI_4 * (f32::from(step) - 1.0)).sin_cos();
            [peak[0] + MARK_DISTANCE * cos, peak[1] + MARK_DISTANCE * sin]
        };
        let is_inside = |[px, py]: [f32; 2]| {
            let r = MARK_RADIUS + 1.0;
            px - r > x && px + r < x + w && py - r > y && py + r < y + h
        };
        let is_clear = |at: &[f32; 2]| {
            placed.iter().all(|other| distance(at, other) > 2.0 * MARK_RADIUS + 1.0)
                && peaks.iter().all(|other| distance(at, other) > MARK_RADIUS + 2.0)
        };
        let inside = || (0..8).map(around).filter(|at| is_inside(*at));
        let at = inside().find(is_clear).or_else(|| inside().next()).unwrap_or(*peak);
        placed.push(at);
    }
    placed
}

/// The sides of a rectangle.
pub fn frame([x, y, w, h]: Rect) -> [([f32; 2], [f32; 2]); 4] {
    let [a, b, c, d] = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    [(a, b), (b, c), (c, d), (d, a)]
}

/// Width and height of a PNG picture in pixels, from its header.
fn pixel_size(png: &[u8]) -> Option<[f32; 2]> {
    let side = |offset: usize| Some(u32::from_be_bytes(png.get(offset..offset + 4)?.try_into().ok()?) as f32);
    Some([side(16)?, side(20)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::PageSize;

    #[test]
    fn the_pixel_size_is_read_from_the_png_header() {
        let mut png = Vec::new();
        let picture = image::RgbaImage::new(7, 3);
        picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        assert_eq!(pixel_size(&png), Some([7.0, 3.0]));
        assert_eq!(pixel_size(&png[..20]), None);
    }

    #[test]
    fn numbers_stand_beside_their_peaks_and_apart() {
        let peaks = [[50.0, 50.0], [53.0, 52.0], [2.0, 2.0], [98.0, 98.0]];
        let placed = beside(&peaks, [0.0, 0.0, 100.0, 100.0]);
        for (index, at) in placed.iter().enumerate() {
            assert!(at.iter().all(|c| (MARK_RADIUS..100.0 - MARK_RADIUS).contains(c)), "{placed:?}");
            for other in placed[..index].iter().chain(&peaks) {
                assert!((at[0] - other[0]).hypot(at[1] - other[1]) > MARK_RADIUS + 2.0, "{placed:?}");
            }
        }
    }

    #[test]
    fn a_picture_with_flags_differs_where_they_lie_and_nowhere_else() {
        let mut png = Vec::new();
        image::RgbaImage::new(100, 72).write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        let rect = [10.0, 20.0, 60.0, 24.0];
        let marks = vec![
            FlagMark::Leader([[70.0, 32.0], [120.0, 90.0]], 1.0, Shade::Ink, true),
            FlagMark::Plate(rect, 2.0, Some(Shade::Plate), Some((1.0, Shade::Edge))),
            FlagMark::Plate(rect, 0.0, None, Some((1.0, Shade::Frame))),
            FlagMark::Ring([30.0, 30.0], 5.0, 1.0, Shade::Ink),
            FlagMark::Text([14.0, 22.0], 20.0, "0.1".to_owned()),
        ];
        let flags = FlagPicture { size: [200.0, 144.0], marks, rects: vec![rect] };
        let drawn = |flags: Option<FlagPicture>| {
            let (caption, kind) = ("Top".to_owned(), ViewKind::Standard);
            let own = View { file: "top.png".to_owned(), caption, png: png.clone(), kind, marks: Vec::new(), flags };
            let mut paper = Paper::new(PageSize::A4);
            view(&mut paper, &own, [0.0, 100.0], 200.0);
            let left = paper.left();
            let inks = paper.pages[0].iter().map(|mark| mark.ink.clone());
            (inks.collect::<Vec<Ink>>(), left)
        };
        let ((plain, left), (flagged, _)) = (drawn(None), drawn(Some(flags)));
        let words = |inks: &[Ink]| inks.iter().map(|ink| format!("{ink:?}")).collect::<Vec<String>>();
        let (before, after) = (words(&plain), words(&flagged));
        assert!(before.iter().all(|ink| after.contains(ink)), "what was there has changed");
        let added: Vec<&Ink> = flagged.iter().filter(|ink| !before.contains(&format!("{ink:?}"))).collect();
        assert!(added.len() > 30, "{}", added.len());
        // Flags laid out on 200 points, and a picture as wide.
        let is_within = |[x, y]: [f32; 2]| {
            let [x, y] = [x - left, y - 100.0];
            (9.9..=120.1).contains(&x) && (19.9..=90.1).contains(&y)
        };
        for ink in added {
            let corners = match ink {
                Ink::Text(at, _) => [*at, *at],
                Ink::Fill([x, y, w, h], ..) => [[*x, *y], [x + w, y + h]],
                Ink::Rule(from, to, ..) => [*from, *to],
                Ink::Picture([x, y, ..], _) => [[*x, *y], [*x, *y]],
            };
            assert!(corners.into_iter().all(is_within), "{ink:?}");
        }
    }

    #[test]
    fn all_pictures_lie_within_the_page_and_apart() {
        PageSize::ALL.into_iter().for_each(pictures_lie_within_and_apart);
    }

    fn pictures_lie_within_and_apart(size: PageSize) {
        let mut png = Vec::new();
        let picture = image::RgbaImage::new(100, 72);
        picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        let view = |number: usize| View {
            file: format!("{number}.png"),
            caption: number.to_string(),
            png: png.clone(),
            kind: [ViewKind::Standard, ViewKind::Saved, ViewKind::Region][number.saturating_sub(4) / 3],
            marks: Vec::new(),
            flags: None,
        };
        let pictures = Pictures { views: (0..11).map(view).collect(), missing: None };
        let mut paper = Paper::new(size);
        standard(&mut paper, &pictures);
        saved(&mut paper, &pictures);
        regions(&mut paper, &pictures);
        let mut count = 0;
        for page in &paper.pages {
            let drawn = page.iter().filter_map(|mark| match &mark.ink {
                Ink::Picture(rect, _) => Some(*rect),
                _ => None,
            });
            let drawn: Vec<Rect> = drawn.collect();
            count += drawn.len();
            let (left, right) = (paper.left() - 0.01, paper.left() + WIDTH + 0.01);
            assert!(drawn.iter().all(|[x, _, w, _]| *x >= left && x + w <= right), "{drawn:?}");
            assert!(drawn.iter().all(|[_, y, _, h]| y + h <= paper.size[1] - 15.0 * MM), "{drawn:?}");
            for (index, [x, y, w, h]) in drawn.iter().enumerate() {
                for [x2, y2, w2, h2] in &drawn[index + 1..] {
                    let beside = x + w <= x2 + 0.01 || x2 + w2 <= x + 0.01;
                    assert!(beside || y + h <= y2 + 0.01 || y2 + h2 <= y + 0.01, "{drawn:?}");
                }
            }
        }
        assert_eq!(count, 11);
    }
}
