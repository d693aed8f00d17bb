//! The report as a template gets it: `report.json`, schema `shadowgraph.report/1`, and the pictures that it names. All of
//! it are values to be printed as they are, in the language of the report; `assets/report/template.typ` describes them.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::content::{Content, ReportBlock, region_header};
use super::super::pictures::{Pictures, View, ViewKind};
use super::super::results::ResultLine;
use super::super::sections::Drawing;
use super::{PageData, write as write_file};
use base::{PageSize, Result, UserError};
use session::presentation::ReportSection;
use texts::{text, word};

/// Folder of the pictures, and the logo in it.
pub(super) const PICTURES: &str = "pictures";
const LOGO: &str = "pictures/logo.png";

/// A titled part of the report, in the order of the pages. A section of the report has one or several of them.
#[derive(Debug, Serialize)]
struct Section {
    id: ReportSection,
    heading: String,
    paragraphs: Vec<String>,
    tables: Vec<Table>,
    figures: Vec<Figure>,
}

#[derive(Debug, Serialize)]
struct Table {
    /// Empty for rows of label and value; there an empty label continues the row above.
    header: Vec<String>,
    /// `left` or `right`, of each column.
    align: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct Figure {
    file: String,
    caption: String,
    kind: &'static str,
    marks: Vec<Mark>,
    /// Picture of its flags (SVG), as large as the picture and to be laid over it in place of the marks, if it has any.
    flags: Option<String>,
}

/// The number of a region at its peak, shares of width and height from the upper left corner.
#[derive(Debug, Serialize)]
struct Mark {
    number: usize,
    x: f32,
    y: f32,
}

/// Writes `report.json` and the pictures into a folder.
pub(super) fn write(folder: &Path, data: &PageData<'_>) -> Result<()> {
    let pictures = folder.join(PICTURES);
    std::fs::create_dir(&pictures).map_err(|e| UserError::file("make the folder", &pictures, &e))?;
    for view in &data.pictures.views {
        write_file(&folder.join(picture_file(view)), &view.png)?;
        if let Some(flags) = &view.flags {
            write_file(&folder.join(flags_file(view)), flags.svg().as_bytes())?;
        }
    }
    for (index, drawing) in data.content.drawings.iter().enumerate() {
        // Its caption stands below it.
        let plain = Drawing { caption: String::new(), ..drawing.clone() };
        write_file(&folder.join(drawing_file(index)), plain.svg().as_bytes())?;
    }
    if let Some(logo) = &data.content.logo {
        write_file(&folder.join(LOGO), &logo.png)?;
    }
    let text = serde_json::to_vec(&of(data))
        .map_err(|e| UserError::internal(format!("The report cannot be written as JSON: {e}.")))?;
    write_file(&folder.join("report.json"), &text)
}

/// The report as JSON.
pub(super) fn of(data: &PageData<'_>) -> Value {
    let content = data.content;
    let info = &data.document.settings.report;
    let (status, covers) = content.verdict_parts();
    let [r, g, b] = super::super::pdf::verdict_colour(content.status);
    json!({
        "schema": "shadowgraph.report/1",
        "language": texts::language().code(),
        // As typst calls them.
        "page_size": match content.page_size {
            PageSize::A4 => "a4",
            PageSize::Letter => "us-letter",
        },
        "title": content.title,
        "subtitle": content.subtitle,
        "date": content.date,
        "software": content.software,
        "part": {
            "part_number": info.part_number,
            "serial_number": data.document.stage().serial,
            "operator": info.operator,
        },
        "logo": content.logo.as_ref().map(|_| LOGO),
        "verdict": {
            "status": content.status,
            "word": status,
            "covers": covers,
            "headline": content.verdict,
            "reason": content.verdict_reason,
            "colour": format!("#{r:02x}{g:02x}{b:02x}"),
        },
        "no_pictures": content.no_pictures,
        "sections": sections(content, data.pictures),
        "histogram": content.histogram,
        "scale": {
            "colours": content.scale_colours,
            "limits": content.scale_limits,
            "key": content.scale_key,
            "ends": content.scale_ends,
        },
        "remarks": { "heading": text!("printed-remarks"), "items": content.notes },
        "labels": {
            "page": text!("printed-page", number = "{number}", count = "{count}"),
            "histogram": text!("printed-histogram"),
            "inspected_by": text!("printed-inspected-by"),
            "released_by": text!("printed-released-by"),
        },
        "summary": data.summary,
    })
}

/// The sections as the pages of the built-in layout have them.
fn sections(content: &Content, pictures: &Pictures) -> Vec<Section> {
    let mut all = Vec::new();
    for own in content.order.iter().copied() {
        let blocks = content.blocks.iter().filter(|block| block.section == own).map(of_block);
        match own {
            ReportSection::Views => {
                let figures = [ViewKind::Standard, ViewKind::Saved].into_iter().flat_map(|kind| views(pictures, kind));
                all.push(Section { figures: figures.collect(), ..Section::new(own, word(own.name())) });
            }
            ReportSection::Regions => all.extend(regions(content, pictures)),
            ReportSection::Results if !content.results.is_empty() => all.push(results(content)),
            _ => all.extend(blocks),
        }
        if own == ReportSection::Sections && !content.drawings.is_empty() {
            let figures = content.drawings.iter().enumerate().map(|(index, drawing)| Figure {
                file: drawing_file(index),
                caption: drawing.caption.clone(),
                kind: "drawing",
                marks: Vec::new(),
                flags: None,
            });
            all.push(Section { figures: figures.collect(), ..Section::new(own, text!("printed-drawings")) });
        }
    }
    all
}

impl Section {
    fn new(id: ReportSection, heading: impl Into<String>) -> Self {
        let (paragraphs, tables, figures) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, heading: heading.into(), paragraphs, tables, figures }
    }
}

fn of_block(block: &ReportBlock) -> Section {
    let rows = block.rows.iter().map(|(label, value)| vec![label.clone(), value.clone()]).collect();
    let table = Table { header: Vec::new(), align: vec!["left"; 2], rows };
    Section { tables: vec![table], ..Section::new(block.section, block.title.as_str()) }
}

/// The table of features and checks.
fn results(content: &Content) -> Section {
    let row = |line: &ResultLine| line.cells.iter().cloned().chain([line.verdict_text()]).collect();
    let table = Table {
        header: super::super::results::headings().to_vec(),
        align: [vec!["left"; 2], vec!["right"; 6], vec!["left"]].concat(),
        rows: content.results.iter().map(row).collect(),
    };
    Section { tables: vec![table], ..Section::new(ReportSection::Results, text!("printed-results")) }
}

/// The list of the regions out of tolerance, and pictures of the worst ones.
fn regions(content: &Content, pictures: &Pictures) -> Vec<Section> {
    let id = ReportSection::Regions;
    let mut list = Section::new(id, text!("printed-regions"));
    if content.regions.is_empty() {
        list.paragraphs.push(text!("printed-no-regions"));
    } else {
        let rows = content.regions.iter().map(|row| row.to_vec()).collect();
        let align = [vec!["left"], vec!["right"; 5]].concat();
        list.tables.push(Table { header: region_header().to_vec(), align, rows });
    }
    let figures: Vec<Figure> = views(pictures, ViewKind::Region).collect();
    let count = figures.len();
    let worst =
        (count > 0).then(|| Section { figures, ..Section::new(id, text!("printed-worst-regions", count = count)) });
    std::iter::once(list).chain(worst).collect()
}

fn views(pictures: &Pictures, kind: ViewKind) -> impl Iterator<Item = Figure> {
    pictures.views.iter().filter(move |view| view.kind == kind).map(|view| Figure {
        file: picture_file(view),
        caption: view.caption.clone(),
        kind: match view.kind {
            ViewKind::Standard => "standard",
            ViewKind::Saved => "saved",
            ViewKind::Region => "region",
        },
        marks: view.marks.iter().map(|mark| Mark { number: mark.number, x: mark.at[0], y: mark.at[1] }).collect(),
        flags: view.flags.as_ref().map(|_| flags_file(view)),
    })
}

/// Path of a view's picture, relative to the template.
fn picture_file(view: &View) -> String {
    format!("{PICTURES}/{}", view.file.trim_start_matches("views/"))
}

/// Path of the flags of a view's picture, relative to the template.
fn flags_file(view: &View) -> String {
    format!("{}-flags.svg", picture_file(view).trim_end_matches(".png"))
}

/// Path of the drawing of a section, relative to the template.
fn drawing_file(index: usize) -> String {
    format!("{PICTURES}/section-{}.svg", index + 1)
}
