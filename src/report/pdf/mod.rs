//! `report.pdf` and the certificate of a calibration, laid out here and written by krilla.

mod certificate;
mod lettering;
mod paper;
mod table;
mod writer;

use super::content::{Bars, Content, Figure, Section};
use super::date::Stamp;
use super::pictures::Pictures;
use base::{Result, UserError};
pub use certificate::of as of_certificate;
use inspect::deviation::Verdict;
use lettering::{Colour, Style, lines, shape, width};
use paper::{HAIR, Ink, Kind, MM, Paper, SMALL, SOFT, TEXT, WIDTH};
use table::Table;

const GOOD: Colour = [26, 127, 55];
const DOUBT: Colour = [178, 106, 0];
const BAD: Colour = [198, 40, 40];
const WHITE: Colour = [255, 255, 255];
/// Width of names before values, points.
const NAMES: f32 = 44.0 * MM;
/// Height of the pictures over their width.
const ASPECT: f32 = 0.72;

/// The report as PDF.
pub fn of(content: &Content, pictures: &Pictures, stamp: Stamp) -> Result<Vec<u8>> {
    let mut paper = Paper::default();
    title(&mut paper, content);
    if let Some(missing) = &content.no_pictures {
        paper.space(6.0);
        paper.paragraph(missing, TEXT);
    }
    let png = |figure: &Figure| pictures.views.iter().find(|view| view.file == figure.file).map(|view| &view.png);
    let views: Vec<_> = content.figures.iter().filter_map(|figure| Some((figure, png(figure)?))).collect();
    paper.space(8.0);
    for pair in views[..views.len().min(4)].chunks(2) {
        let high = paper.y();
        let wide = 0.5 * (WIDTH - 4.0 * MM);
        for (column, (figure, png)) in pair.iter().enumerate() {
            paper.go_to(high);
            view(&mut paper, figure, png, column as f32 * (wide + 4.0 * MM), wide, ASPECT * wide);
        }
    }
    scale(&mut paper, content);
    part_and_histogram(&mut paper, content);
    if let Some((figure, png)) = views.get(4) {
        paper.heading("Worst spot", ASPECT * WIDTH + 20.0);
        view(&mut paper, figure, png, 0.0, WIDTH, ASPECT * WIDTH);
    }
    for section in content.sections.iter().skip(1).take(3) {
        pairs(&mut paper, section);
    }
    regions(&mut paper, content);
    content.sections.iter().skip(4).for_each(|section| pairs(&mut paper, section));
    if !content.notes.is_empty() {
        paper.heading("Remarks", 3.0 * TEXT.leading());
        content.notes.iter().for_each(|note| paper.item(note, TEXT));
    }
    let below = format!("{} · {}", content.software, content.date);
    paper.furnish([&content.title, &content.subtitle], &below);
    written(paper, &content.title, stamp)
}

fn written(paper: Paper, title: &str, stamp: Stamp) -> Result<Vec<u8>> {
    writer::write(paper, title, super::software(), stamp)
        .map_err(|reason| UserError::internal(format!("The PDF could not be written: {reason}.")))
}

/// Title, subtitle and the verdict in a band of its colour.
fn title(paper: &mut Paper, content: &Content) {
    let style = Style::plain(19.0).strong();
    let part = paper.part(Kind::Heading(1), None);
    let end = paper.text(&lines(&content.title, style, WIDTH), [0.0, paper.y()], WIDTH, 0.0, Some(part));
    paper.go_to(end);
    paper.paragraph(&content.subtitle, TEXT.coloured(SOFT));
    paper.space(6.0);
    let colour = match content.status {
        Verdict::Pass => GOOD,
        Verdict::Fail => BAD,
        Verdict::Incomplete => DOUBT,
    };
    // The headline begins with the verdict, which stands large before it.
    let word = shape(content.status.name(), Style::plain(19.0).strong().coloured(WHITE));
    let covers = content.verdict.strip_prefix(content.status.name()).unwrap_or(&content.verdict).trim();
    let beside = word.width + 26.0;
    let wide = WIDTH - beside - 12.0;
    let broken = [
        (covers, Style::plain(10.5).strong().coloured(WHITE)),
        (content.verdict_reason.as_str(), Style::plain(9.0).coloured(WHITE)),
    ];
    let broken = broken.iter().filter(|(text, _)| !text.is_empty());
    let broken: Vec<_> = broken.flat_map(|(text, style)| lines(text, *style, wide)).collect();
    let text_height: f32 = broken.iter().map(|line| line.style.leading()).sum();
    let height = text_height.max(word.style.leading()) + 14.0;
    let top = paper.y();
    paper.draw(Ink::Fill([0.0, top, WIDTH, height], colour, 4.0), None);
    let part = paper.part(Kind::Paragraph, None);
    paper.text(&[word], [12.0, top + 6.0], wide, 0.0, Some(part));
    paper.text(&broken, [beside, top + 0.5 * (height - text_height)], wide, 0.0, Some(part));
    paper.go_to(top + height);
}

/// A picture in a frame with its caption.
fn view(paper: &mut Paper, figure: &Figure, png: &[u8], x: f32, wide: f32, high: f32) {
    let caption = 16.0;
    paper.need(high + caption + 4.0);
    let (top, part) = (paper.y(), paper.part(Kind::Figure(figure.caption.clone()), None));
    let size = pixels(png).unwrap_or([1.0, 1.0]);
    let shrink = (wide / size[0]).min(high / size[1]);
    let [w, h] = size.map(|side| side * shrink);
    paper.draw(Ink::Picture([x + 0.5 * (wide - w), top, w, h], png.to_vec()), Some(part));
    for (from, to) in frame([x, top, wide, high + caption]) {
        paper.draw(Ink::Rule(from, to, HAIR, 0.6, false), None);
    }
    let part = paper.part(Kind::Paragraph, None);
    paper.text(&[shape(&figure.caption, SMALL)], [x + 6.0, top + high + 3.0], wide, 0.0, Some(part));
    paper.go_to(top + high + caption + 4.0 * MM);
}

fn frame([x, y, w, h]: paper::Rect) -> [([f32; 2], [f32; 2]); 4] {
    let [a, b, c, d] = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    [(a, b), (b, c), (c, d), (d, a)]
}

/// Width and height of a PNG picture, from its header.
fn pixels(png: &[u8]) -> Option<[f32; 2]> {
    let side = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?) as f32);
    Some([side(16)?, side(20)?])
}

/// The colours with their ends below and the limits above.
fn scale(paper: &mut Paper, content: &Content) {
    let (inset, high) = (8.0 * MM, 4.0 * MM);
    let wide = WIDTH - 2.0 * inset;
    paper.need(46.0);
    let top = paper.y() + 12.0;
    let part = paper.part(Kind::Paragraph, None);
    let step = wide / content.scale_colours.len().max(1) as f32;
    let mut from = inset;
    for run in content.scale_colours.chunk_by(|a, b| a == b) {
        // From behind the one before to its own end, so that no seam shows between them.
        let to = from + run.len() as f32 * step;
        paper.draw(Ink::Fill([from, top, inset + wide - from, high], rgb(&run[0]), 0.0), None);
        from = to;
    }
    for (at, label) in &content.scale_limits {
        let x = inset + *at as f32 * wide;
        paper.draw(Ink::Rule([x, top - 2.0], [x, top + high], TEXT.colour, 0.6, false), None);
        let line = shape(label, SMALL);
        let from = (x - 0.5 * line.width).clamp(0.0, WIDTH - line.width);
        paper.text(&[line], [from, top - 13.0], WIDTH, 0.0, Some(part));
    }
    let below = top + high + 2.0;
    for (label, align) in content.scale_ends.iter().zip([0.0, 1.0]) {
        paper.text(&[shape(label, SMALL)], [inset, below], wide, align, Some(part));
    }
    paper.text(&[shape("grey: no data", SMALL)], [inset, below], wide, 0.5, Some(part));
    paper.go_to(below + SMALL.leading());
}

fn rgb(hex: &str) -> Colour {
    let channel = |at: usize| hex.get(at..at + 2).and_then(|text| u8::from_str_radix(text, 16).ok()).unwrap_or(0);
    [channel(1), channel(3), channel(5)]
}

/// What part it is on the left, how often each deviation occurs on the right.
fn part_and_histogram(paper: &mut Paper, content: &Content) {
    let half = 0.5 * (WIDTH - 9.0 * MM);
    let Some(section) = content.sections.first() else { return };
    let table = Table::of_pairs(&section.rows, 26.0 * MM, half);
    paper.heading(&section.title, table.height().max(120.0));
    let top = paper.y();
    let beside = half + 9.0 * MM;
    let part = paper.part(Kind::Heading(2), None);
    let heading = Style::plain(11.5).strong();
    paper.text(&[shape("Histogram", heading)], [beside, top - 5.0 - heading.leading()], half, 0.0, Some(part));
    table.draw(paper, 0.0);
    let left = paper.y();
    let right = histogram(paper, &content.histogram, [beside, top], [half, 34.0 * MM]);
    paper.go_to(left.max(right));
}

fn histogram(paper: &mut Paper, bars: &Bars, [x, y]: [f32; 2], [wide, high]: [f32; 2]) -> f32 {
    let step = wide / bars.heights.len().max(1) as f32;
    for (i, (share, colour)) in bars.heights.iter().zip(&bars.colours).enumerate() {
        let tall = high * *share as f32;
        if tall > 0.0 {
            let rect = [x + i as f32 * step, y + high - tall, 0.92 * step, tall];
            paper.draw(Ink::Fill(rect, rgb(colour), 0.0), None);
        }
    }
    for limit in &bars.limits {
        let at = x + *limit as f32 * wide;
        paper.draw(Ink::Rule([at, y], [at, y + high], TEXT.colour, 0.6, true), None);
    }
    paper.draw(Ink::Rule([x, y + high], [x + wide, y + high], SOFT, 0.6, false), None);
    let part = paper.part(Kind::Figure("How often each deviation occurs".to_owned()), None);
    for (label, align) in bars.labels.iter().zip([0.0, 0.5, 1.0]) {
        paper.text(&[shape(label, SMALL)], [x, y + high + 2.0], wide, align, Some(part));
    }
    y + high + 2.0 + SMALL.leading()
}

fn pairs(paper: &mut Paper, section: &Section) {
    Table::of_pairs(&section.rows, NAMES, WIDTH).draw_under(paper, &section.title);
}

fn regions(paper: &mut Paper, content: &Content) {
    if content.regions.is_empty() {
        paper.heading("Regions out of tolerance", TEXT.leading());
        return paper.paragraph("None.", TEXT);
    }
    let first = width("000", TEXT) + 12.0;
    let wide = (WIDTH - first) / 5.0;
    let table = Table {
        widths: [vec![first], vec![wide; 5]].concat(),
        aligned: vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        head: ["#", "x", "y", "z", "Area", "Peak"].map(str::to_owned).to_vec(),
        rows: content.regions.iter().map(|row| row.iter().map(|text| text.as_str().into()).collect()).collect(),
    };
    table.draw_under(paper, "Regions out of tolerance");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_go_on_over_pages_with_their_head_and_short_ones_stay_whole() {
        let mut paper = Paper::default();
        let cells = |i: usize| vec![i.to_string().into(), "value".into()];
        let table = |rows: usize| Table {
            widths: vec![60.0, 100.0],
            aligned: vec![0.0; 2],
            head: vec!["Number".into(), "Value".into()],
            rows: (0..rows).map(cells).collect(),
        };
        table(120).draw(&mut paper, 0.0);
        let heads = |paper: &Paper, text: &str| -> Vec<usize> {
            let says = |mark: &paper::Mark| matches!(&mark.ink, Ink::Text(_, line) if line.text == text);
            paper.pages.iter().map(|page| page.iter().filter(|mark| says(mark)).count()).collect()
        };
        assert_eq!(heads(&paper, "Number"), vec![1; paper.pages.len()]);
        let of_long = paper.pages.len();
        assert!((3..5).contains(&of_long), "{of_long}");
        // Twenty rows begin a page rather than being torn.
        table(20).draw(&mut paper, 0.0);
        let pages = paper.pages.len();
        table(20).draw(&mut paper, 0.0);
        table(20).draw(&mut paper, 0.0);
        assert!(paper.pages.len() > pages && heads(&paper, "Number").iter().sum::<usize>() == of_long + 3);
    }

    #[test]
    fn what_is_written_is_a_pdf_that_says_its_words() {
        let mut paper = Paper::default();
        paper.heading("Überschrift", 0.0);
        paper.paragraph("±0.100 mm over 61 % of the surface", TEXT);
        paper.furnish(["a", "b"], "c");
        let pdf = written(paper, "Title", Stamp::of_unix(0)).unwrap();
        assert!(pdf.starts_with(b"%PDF") && pdf.len() > 3000, "{}", pdf.len());
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.contains("/StructTreeRoot") && text.contains("/Lang"), "not tagged");
    }

    #[test]
    fn the_size_of_a_picture_is_read_from_its_header() {
        let mut png = Vec::new();
        let picture = image::RgbaImage::new(7, 3);
        picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        assert_eq!(pixels(&png), Some([7.0, 3.0]));
        assert_eq!(pixels(&png[..20]), None);
    }
}
