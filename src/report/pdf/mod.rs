//! PDF layout of the inspection report and of the calibration certificate; krilla writes the file.

mod certificate;
mod lettering;
mod paper;
mod pictures;
mod table;
mod writer;

use super::content::{Content, HistogramBars, ReportBlock, region_header};
use super::logo::Logo;
use super::pictures::Pictures;
use super::results::ResultLine;
use super::sections::Drawing;
use base::date::Stamp;
use base::{Result, UserError};
pub use certificate::of as of_certificate;
use inspect::deviation::Verdict;
use lettering::{Colour, lines, shape};
pub(super) use lettering::{FACES, Style, width};
pub use lettering::{Line, Weight};
use paper::{HAIRLINE, Kind, MM, SECONDARY, SMALL, TEXT, WIDTH};
pub use paper::{Ink, Mark, Paper};
use session::presentation::ReportSection;
use table::{Cell, Table};
use texts::text;

const GREEN: Colour = [26, 127, 55];
const AMBER: Colour = [178, 106, 0];
const RED: Colour = [198, 40, 40];
const WHITE: Colour = [255, 255, 255];
/// Greatest width and height of the logo, points.
const LOGO: [f32; 2] = [50.0 * MM, 16.0 * MM];
/// Width of the labels of label-value tables, points.
const LABEL_WIDTH: f32 = 44.0 * MM;

/// The inspection report as PDF.
///
/// Returns an error if the PDF cannot be written.
pub fn of(content: &Content, pictures: &Pictures, stamp: Stamp) -> Result<Vec<u8>> {
    serialise(pages(content, pictures), &content.title, stamp)
}

/// The pages of the inspection report.
pub fn pages(content: &Content, pictures: &Pictures) -> Paper {
    let mut paper = Paper::new(content.page_size);
    title(&mut paper, content);
    if let Some(missing) = &content.no_pictures {
        paper.space(6.0);
        paper.paragraph(missing, TEXT);
    }
    paper.space(8.0);
    for own in &content.order {
        let blocks = content.blocks.iter().filter(|block| block.section == *own);
        match own {
            ReportSection::Views => {
                pictures::standard(&mut paper, pictures);
                pictures::saved(&mut paper, pictures);
                scale(&mut paper, content);
            }
            ReportSection::Part => blocks.for_each(|block| part_and_histogram(&mut paper, block, content)),
            ReportSection::Regions => {
                regions(&mut paper, content);
                pictures::regions(&mut paper, pictures);
            }
            ReportSection::Results => results(&mut paper, content),
            _ => blocks.for_each(|block| draw_block(&mut paper, block)),
        }
        if *own == ReportSection::Sections {
            for (number, drawing) in content.drawings.iter().enumerate() {
                section(&mut paper, drawing, number == 0);
            }
        }
    }
    if !content.notes.is_empty() {
        paper.heading(&text!("printed-remarks"), 3.0 * TEXT.leading());
        content.notes.iter().for_each(|note| paper.item(note, TEXT));
    }
    signatures(&mut paper);
    let footer = format!("{} · {}", content.software, content.date);
    paper.add_headers_and_footers([&content.title, &content.subtitle], &footer);
    paper
}

fn serialise(paper: Paper, title: &str, stamp: Stamp) -> Result<Vec<u8>> {
    writer::write(paper, title, super::software(), stamp)
        .map_err(|reason| UserError::internal(format!("The PDF could not be written: {reason}.")))
}

/// Lines to sign on.
fn signatures(paper: &mut Paper) {
    let (height, gap) = (16.0 * MM, 9.0 * MM);
    let width = 0.5 * (WIDTH - gap);
    paper.space(6.0);
    paper.ensure_space(height + SMALL.leading());
    let line = paper.y() + height;
    let part = paper.part(Kind::Paragraph, None);
    for (column, text) in [text!("printed-inspected-by"), text!("printed-released-by")].iter().enumerate() {
        let x = column as f32 * (width + gap);
        paper.draw(Ink::Rule([x, line], [x + width, line], SECONDARY, 0.6, false), None);
        paper.text(&[shape(text, SMALL)], [x, line + 2.0], width, 0.0, Some(part));
    }
    paper.go_to(line + SMALL.leading());
}

/// Title and subtitle beside the logo; returns the bottom of the lower of them.
fn beside_logo(paper: &mut Paper, logo: Option<&Logo>, title: &str, subtitle: &str) -> f32 {
    let top = paper.y();
    let [logo_width, logo_height] = logo.map_or([0.0; 2], |logo| logo.within(LOGO));
    if let Some(logo) = logo {
        let part = paper.part(Kind::Figure("Logo".to_owned()), None);
        paper.draw(Ink::Picture([WIDTH - logo_width, top, logo_width, logo_height], logo.png.clone()), Some(part));
    }
    let width = if logo.is_some() { WIDTH - logo_width - 5.0 * MM } else { WIDTH };
    let texts =
        [(Kind::Heading(1), title, Style::plain(19.0).strong()), (Kind::Paragraph, subtitle, TEXT.coloured(SECONDARY))];
    for (kind, text, style) in texts {
        let part = paper.part(kind, None);
        let end = paper.text(&lines(text, style, width), [0.0, paper.y()], width, 0.0, Some(part));
        paper.go_to(end);
    }
    let end = paper.y().max(top + logo_height);
    paper.go_to(end);
    end
}

/// Colour of a verdict, RGB.
pub(super) fn verdict_colour(verdict: Verdict) -> Colour {
    match verdict {
        Verdict::Pass => GREEN,
        Verdict::Fail => RED,
        Verdict::Incomplete => AMBER,
    }
}

/// Title, subtitle and logo, and the verdict on a band of its colour.
fn title(paper: &mut Paper, content: &Content) {
    beside_logo(paper, content.logo.as_ref(), &content.title, &content.subtitle);
    paper.space(6.0);
    let colour = verdict_colour(content.status);
    // The verdict at the start of the headline is set in large type on its own.
    let (status, coverage) = content.verdict_parts();
    let word = shape(&status, Style::plain(19.0).strong().coloured(WHITE));
    let text_left = word.width + 26.0;
    let text_width = WIDTH - text_left - 12.0;
    let texts = [
        (coverage.as_str(), Style::plain(10.5).strong().coloured(WHITE)),
        (content.verdict_reason.as_str(), Style::plain(9.0).coloured(WHITE)),
    ];
    let texts = texts.iter().filter(|(text, _)| !text.is_empty());
    let text: Vec<_> = texts.flat_map(|(text, style)| lines(text, *style, text_width)).collect();
    let text_height: f32 = text.iter().map(|line| line.style.leading()).sum();
    let height = text_height.max(word.style.leading()) + 14.0;
    let top = paper.y();
    paper.draw(Ink::Fill([0.0, top, WIDTH, height], colour, 4.0), None);
    let part = paper.part(Kind::Paragraph, None);
    paper.text(&[word], [12.0, top + 6.0], text_width, 0.0, Some(part));
    paper.text(&text, [text_left, top + 0.5 * (height - text_height)], text_width, 0.0, Some(part));
    paper.go_to(top + height);
}

/// A drawing of a section in a frame with its caption.
fn section(paper: &mut Paper, drawing: &Drawing, is_first: bool) {
    // Tall ones fill the width less.
    let scale = f64::from(WIDTH / drawing.size[0] as f32).min(f64::from(0.7 * WIDTH) / drawing.size[1]);
    let (height, caption_height) = ((scale * drawing.size[1]) as f32, 16.0);
    if is_first {
        paper.heading(&text!("printed-drawings"), height + caption_height);
    }
    paper.ensure_space(height + caption_height + 4.0);
    let top = paper.y();
    let left = 0.5 * (WIDTH - (scale * drawing.size[0]) as f32);
    let place = |[x, y]: [f64; 2]| [left + (scale * x) as f32, top + (scale * y) as f32];
    for line in &drawing.lines {
        for pair in line.points.windows(2) {
            let width = (0.7 * line.width) as f32;
            paper.draw(Ink::Rule(place(pair[0]), place(pair[1]), line.colour, width, line.is_dashed), None);
        }
    }
    for (at, text) in &drawing.texts {
        let line = shape(text, SMALL);
        let [x, y] = place(*at);
        let corner = [(x - 0.5 * line.width).clamp(2.0, WIDTH - line.width - 2.0), y - 0.5 * SMALL.leading()];
        let plate = [corner[0] - 2.0, corner[1], line.width + 4.0, SMALL.leading()];
        paper.draw(Ink::Fill(plate, WHITE, 2.0), None);
        paper.text(&[line], corner, WIDTH, 0.0, None);
    }
    for (from, to) in pictures::frame([0.0, top, WIDTH, height + caption_height]) {
        paper.draw(Ink::Rule(from, to, HAIRLINE, 0.6, false), None);
    }
    let part = paper.part(Kind::Figure(drawing.caption.clone()), None);
    paper.text(&[shape(&drawing.caption, SMALL)], [6.0, top + height + 3.0], WIDTH, 0.0, Some(part));
    paper.go_to(top + height + caption_height + 4.0 * MM);
}

/// The colour scale, with its end values below and the tolerance limits above.
fn scale(paper: &mut Paper, content: &Content) {
    let (inset, height) = (8.0 * MM, 4.0 * MM);
    let width = WIDTH - 2.0 * inset;
    paper.ensure_space(46.0);
    let top = paper.y() + 12.0;
    let part = paper.part(Kind::Paragraph, None);
    let step = width / content.scale_colours.len().max(1) as f32;
    let mut from = inset;
    for run in content.scale_colours.chunk_by(|a, b| a == b) {
        // Each colour is filled up to the end of the scale and overlaid by the next, so that no seams show.
        let to = from + run.len() as f32 * step;
        paper.draw(Ink::Fill([from, top, inset + width - from, height], rgb(&run[0]), 0.0), None);
        from = to;
    }
    for (position, label) in &content.scale_limits {
        let x = inset + *position as f32 * width;
        paper.draw(Ink::Rule([x, top - 2.0], [x, top + height], TEXT.colour, 0.6, false), None);
        let line = shape(label, SMALL);
        let from = (x - 0.5 * line.width).clamp(0.0, WIDTH - line.width);
        paper.text(&[line], [from, top - 13.0], WIDTH, 0.0, Some(part));
    }
    let below = top + height + 2.0;
    for (label, align) in content.scale_ends.iter().zip([0.0, 1.0]) {
        paper.text(&[shape(label, SMALL)], [inset, below], width, align, Some(part));
    }
    paper.text(&[shape(&content.scale_key, SMALL)], [inset, below], width, 0.5, Some(part));
    paper.go_to(below + SMALL.leading());
}

/// Colour of `#rrggbb`.
fn rgb(hex: &str) -> Colour {
    let channel =
        |offset: usize| hex.get(offset..offset + 2).and_then(|text| u8::from_str_radix(text, 16).ok()).unwrap_or(0);
    [channel(1), channel(3), channel(5)]
}

/// Data of the part on the left, histogram of the deviations on the right.
fn part_and_histogram(paper: &mut Paper, block: &ReportBlock, content: &Content) {
    let half = 0.5 * (WIDTH - 9.0 * MM);
    let table = Table::of_pairs(&block.rows, 26.0 * MM, half);
    paper.heading(&block.title, table.height().max(120.0));
    let top = paper.y();
    let right_column = half + 9.0 * MM;
    let part = paper.part(Kind::Heading(2), None);
    let heading = Style::plain(11.5).strong();
    paper.text(
        &[shape(&text!("printed-histogram"), heading)],
        [right_column, top - 5.0 - heading.leading()],
        half,
        0.0,
        Some(part),
    );
    table.draw(paper, 0.0);
    let left_end = paper.y();
    let right_end = histogram(paper, &content.histogram, [right_column, top], [half, 34.0 * MM]);
    paper.go_to(left_end.max(right_end));
}

/// Draws the histogram; returns its lower end.
fn histogram(paper: &mut Paper, bars: &HistogramBars, [x, y]: [f32; 2], [width, height]: [f32; 2]) -> f32 {
    let step = width / bars.heights.len().max(1) as f32;
    for (i, (fraction, colour)) in bars.heights.iter().zip(&bars.colours).enumerate() {
        let bar_height = height * *fraction as f32;
        if bar_height > 0.0 {
            let rect = [x + i as f32 * step, y + height - bar_height, 0.92 * step, bar_height];
            paper.draw(Ink::Fill(rect, rgb(colour), 0.0), None);
        }
    }
    for limit in &bars.limits {
        let limit_x = x + *limit as f32 * width;
        paper.draw(Ink::Rule([limit_x, y], [limit_x, y + height], TEXT.colour, 0.6, true), None);
    }
    paper.draw(Ink::Rule([x, y + height], [x + width, y + height], SECONDARY, 0.6, false), None);
    let part = paper.part(Kind::Figure(text!("printed-histogram-of-deviations")), None);
    for (label, align) in bars.labels.iter().zip([0.0, 0.5, 1.0]) {
        paper.text(&[shape(label, SMALL)], [x, y + height + 2.0], width, align, Some(part));
    }
    y + height + 2.0 + SMALL.leading()
}

fn draw_block(paper: &mut Paper, block: &ReportBlock) {
    Table::of_pairs(&block.rows, LABEL_WIDTH, WIDTH).draw_under(paper, &block.title);
}

fn regions(paper: &mut Paper, content: &Content) {
    if content.regions.is_empty() {
        paper.heading(&text!("printed-regions"), TEXT.leading());
        return paper.paragraph(&text!("printed-no-regions"), TEXT);
    }
    let number_width = width("000", TEXT) + 12.0;
    let value_width = (WIDTH - number_width) / 5.0;
    let table = Table {
        widths: [vec![number_width], vec![value_width; 5]].concat(),
        aligned: vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        head: region_header().to_vec(),
        rows: content.regions.iter().map(|row| row.iter().map(|text| text.as_str().into()).collect()).collect(),
    };
    table.draw_under(paper, &text!("printed-regions"));
}

/// Style of the table of features and checks, which has many columns.
const FIGURES: Style = Style::plain(7.0);
/// Width of its verdicts, and the least one of its names, points.
const VERDICT_WIDTH: f32 = 22.0 * MM;
const MIN_NAME_WIDTH: f32 = 40.0 * MM;

/// Table of features and checks; nothing where there are none.
fn results(paper: &mut Paper, content: &Content) {
    if content.results.is_empty() {
        return;
    }
    let cell = |text: &String| Cell { style: FIGURES, ..Cell::from(text.as_str()) };
    let row = |line: &ResultLine| {
        let colour = line.verdict.verdict().map(verdict_colour);
        let verdict = Cell { dot: colour, ..cell(&line.verdict_text()) };
        line.cells.iter().map(cell).chain([verdict]).collect::<Vec<Cell>>()
    };
    let head = super::results::headings().to_vec();
    // As wide as the widest figure and the longest word of the heading; names have the rest.
    let width_of = |column: usize| {
        let figures = content.results.iter().map(|line| line.cells[column].as_str());
        figures.chain(head[column].split(' ')).map(|text| width(text, FIGURES) + 10.0).fold(0.0, f32::max)
    };
    let figures: Vec<f32> = (2..8).map(width_of).collect();
    let (room, wanted) = (WIDTH - VERDICT_WIDTH, figures.iter().sum::<f32>());
    let scale = ((room - MIN_NAME_WIDTH) / wanted).min(1.0);
    let names = room - scale * wanted;
    let table = Table {
        widths: [
            vec![0.55 * names, 0.45 * names],
            figures.iter().map(|width| scale * width).collect(),
            vec![VERDICT_WIDTH],
        ]
        .concat(),
        aligned: [vec![0.0; 2], vec![1.0; 6], vec![0.0]].concat(),
        head,
        rows: content.results.iter().map(row).collect(),
    };
    table.draw_under(paper, &text!("printed-results"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::PageSize;
    use session::results::RowVerdict;

    #[test]
    fn long_tables_repeat_their_header_on_each_page_and_short_ones_are_not_split() {
        let mut paper = Paper::new(PageSize::A4);
        let cells = |i: usize| vec![i.to_string().into(), "value".into()];
        let table = |rows: usize| Table {
            widths: vec![60.0, 100.0],
            aligned: vec![0.0; 2],
            head: vec!["Number".into(), "Value".into()],
            rows: (0..rows).map(cells).collect(),
        };
        table(120).draw(&mut paper, 0.0);
        let headers = |paper: &Paper, text: &str| -> Vec<usize> {
            let is_text = |mark: &paper::Mark| matches!(&mark.ink, Ink::Text(_, line) if line.text == text);
            paper.pages.iter().map(|page| page.iter().filter(|mark| is_text(mark)).count()).collect()
        };
        assert_eq!(headers(&paper, "Number"), vec![1; paper.pages.len()]);
        let long_pages = paper.pages.len();
        assert!((3..5).contains(&long_pages), "{long_pages}");
        // Tables of twenty rows start a new page rather than being split.
        table(20).draw(&mut paper, 0.0);
        let pages = paper.pages.len();
        table(20).draw(&mut paper, 0.0);
        table(20).draw(&mut paper, 0.0);
        assert!(paper.pages.len() > pages && headers(&paper, "Number").iter().sum::<usize>() == long_pages + 3);
    }

    #[test]
    fn a_logo_stands_beside_the_title_and_above_the_verdict() {
        let png = vec![0; 24];
        let logo = Logo { png, size: [300, 150] };
        let logo_of = |paper: &Paper| {
            let mut pictures = paper.pages[0].iter().filter_map(|mark| match &mark.ink {
                Ink::Picture(rect, _) => Some(*rect),
                _ => None,
            });
            pictures.next().unwrap()
        };
        for size in PageSize::ALL {
            let mut paper = Paper::new(size);
            let text = "An inspection report with a title that takes more than one line beside a logo of a company";
            let end = beside_logo(&mut paper, Some(&logo), text, "a.ply against a.step");
            let [x, y, width, height] = logo_of(&paper);
            assert!((x + width - paper.left() - WIDTH).abs() < 0.01 && (width / height - 2.0).abs() < 1e-3);
            assert!(end >= y + height && end == paper.y());
            for mark in &paper.pages[0] {
                let Ink::Text([from, _], line) = &mark.ink else { continue };
                assert!(from + line.width < x, "“{}” lies under the logo", line.text);
            }
        }
    }

    /// A report of one page, and one of more than sixty with words that fit no line, lie within their margins.
    #[test]
    fn nothing_is_cut_off_on_one_page_and_on_sixty() {
        let row =
            |number: usize| (format!("Row {number}"), format!("{} {}", "ab".repeat(200), "a few words ".repeat(20)));
        let block = |section, count: usize| ReportBlock {
            section,
            title: "A table with a title".into(),
            rows: (0..count).map(row).collect(),
        };
        let result = |number: usize| ResultLine {
            cells: std::array::from_fn(|column| match column {
                0 => format!("A feature of some length {number}"),
                1 => "Offset along the normal, mm".to_owned(),
                _ => "-12345.6789".to_owned(),
            }),
            verdict: RowVerdict::InDoubt,
        };
        for (size, count) in PageSize::ALL.into_iter().flat_map(|size| [(size, 0), (size, 400)]) {
            let content = Content {
                title: if count > 0 { "A long title ".repeat(20) } else { "Title".into() },
                logo: None,
                page_size: size,
                subtitle: "scan.ply against part.step".into(),
                verdict: "FAIL on 99 % of the surface".into(),
                verdict_reason: "Of the regions some are out of tolerance. ".repeat(1 + count / 100),
                status: Verdict::Fail,
                date: "today".into(),
                software: "Shadowgraph".into(),
                order: ReportSection::ALL.to_vec(),
                blocks: vec![block(ReportSection::Part, count.min(3)), block(ReportSection::Tolerances, count)],
                histogram: HistogramBars {
                    heights: vec![0.2, 1.0],
                    colours: vec!["#808080".into(); 2],
                    limits: vec![0.3, 0.7],
                    labels: vec!["-1 mm".into(), "0 mm".into(), "+1 mm".into()],
                },
                scale_colours: vec!["#808080".into(); 4],
                scale_limits: vec![(0.0, "-0.1 mm".into()), (1.0, "+0.1 mm".into())],
                scale_key: "grey: no data".into(),
                scale_ends: ["-0.3 mm".into(), "+0.3 mm".into()],
                regions: (0..count.min(40)).map(|number| std::array::from_fn(|_| number.to_string())).collect(),
                results: (0..count).map(result).collect(),
                drawings: Vec::new(),
                no_pictures: None,
                notes: vec!["A remark of some length. ".repeat(30); count / 20],
            };
            let paper = pages(&content, &Pictures::default());
            let [few, many] = [count == 0 && paper.pages.len() == 1, count > 0 && paper.pages.len() >= 60];
            assert!(few || many, "{count} rows on {} pages", paper.pages.len());
            let (left, right) = (paper.left() - 0.1, paper.left() + WIDTH + 0.1);
            for mark in paper.pages.iter().flatten() {
                let [x, y, width, height] = match &mark.ink {
                    Ink::Text([x, y], line) => [*x, y - line.style.ascent(), line.width, line.style.leading()],
                    Ink::Fill(rect, ..) | Ink::Picture(rect, _) => *rect,
                    Ink::Rule([x, y], to, ..) => [x.min(to[0]), y.min(to[1]), (to[0] - x).abs(), (to[1] - y).abs()],
                };
                assert!(x >= left && x + width <= right, "{:?} from {x} to {}", mark.ink, x + width);
                assert!(y >= 8.0 * MM && y + height <= paper.size[1] - 6.0 * MM, "{:?} at {y}", mark.ink);
            }
        }
    }

    #[test]
    fn the_output_is_a_tagged_pdf() {
        let mut paper = Paper::new(PageSize::A4);
        paper.heading("Überschrift", 0.0);
        paper.paragraph("±0.100 mm over 61 % of the surface", TEXT);
        paper.add_headers_and_footers(["a", "b"], "c");
        let pdf = serialise(paper, "Title", Stamp::of_unix(0)).unwrap();
        assert!(pdf.starts_with(b"%PDF") && pdf.len() > 3000, "{}", pdf.len());
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.contains("/StructTreeRoot") && text.contains("/Lang"), "not tagged");
    }
}
