//! Sections: their block of the report, and files of them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::content::ReportBlock;
use base::Result;
use inspect::deviation::Tolerance;
use inspect::recipe::Product as _;
use inspect::section::drawing::{self, DrawnLine, Stroke};
use inspect::section::{PlaneSection, Section};
use io::atomic;
use render::colour_scale::ColourScale;
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;
use session::presentation::ReportSection;

/// Size of the longer side of a drawing, and the space about it, points.
const DRAWING_SIZE: f64 = 900.0;
const MARGIN: f64 = 40.0;
/// Height of the texts in a drawing, points.
const TEXT_HEIGHT: f64 = 13.0;
/// Most drawings in a report.
const MAX_DRAWINGS: usize = 12;

/// What the sections say; `None` if there are none.
pub(super) fn block(document: &Document) -> Option<ReportBlock> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let Recipe::Section(_) = &element.recipe else { continue };
        let is_fresh = document.state(element.id) == State::Fresh;
        let Some(section) = document.result::<Section>(Some(element.id)).filter(|_| is_fresh) else {
            rows.push((element.name.clone(), "no up-to-date result".to_owned()));
            continue;
        };
        let verdict = section.verdict().map(|own| own.headline(&section.covers().unwrap_or_default()) + ". ");
        let mut sentences = section.sentences();
        if let (Some(verdict), Some(first)) = (verdict, sentences.first_mut()) {
            *first = verdict + first;
        }
        let names = std::iter::once(element.name.clone()).chain(std::iter::repeat(String::new()));
        rows.extend(names.zip(sentences));
    }
    (!rows.is_empty()).then(|| ReportBlock { section: ReportSection::Sections, title: "Sections".to_owned(), rows })
}

/// Writes a section into a folder: for each plane a drawing (SVG, deviations enlarged by `factor`, `None` for one that
/// shows them well) and the contours in true size (DXF), and one table of deviations (CSV). Returns the files.
///
/// Returns an error if a file cannot be written.
pub fn save(folder: &Path, section: &Section, scale: &ColourScale, factor: Option<f64>) -> Result<Vec<PathBuf>> {
    base::folder::make(folder)?;
    let tolerance = &section.parameters.tolerance;
    let mut files = Vec::new();
    for (number, plane) in section.planes.iter().enumerate() {
        let factor = factor.unwrap_or_else(|| drawing::readable_factor(plane, tolerance));
        for (ending, text) in
            [("svg", draw(&plane.name, (section, plane), scale, factor).svg()), ("dxf", dxf(plane, tolerance))]
        {
            let path = folder.join(format!("section-{}.{ending}", number + 1));
            atomic::write_bytes(&path, text.as_bytes())?;
            files.push(path);
        }
    }
    if section.is_compared {
        let path = folder.join("deviations.csv");
        atomic::write(&path, |writer| {
            writeln!(writer, "section,contour,along_mm,x_mm,y_mm,z_mm,deviation_mm,points")?;
            for (number, plane) in section.planes.iter().enumerate() {
                for own in &plane.whiskers {
                    let (at, along_mm) = (plane.plane.outward(own.at), 0.5 * (own.piece_mm[0] + own.piece_mm[1]));
                    let deviation = own.deviation_mm.map_or_else(String::new, |mm| mm.to_string());
                    let (contour, count) = (own.contour + 1, own.points);
                    let [x, y, z] = [at.x, at.y, at.z];
                    writeln!(writer, "{},{contour},{along_mm},{x},{y},{z},{deviation},{count}", number + 1)?;
                }
            }
            Ok(())
        })?;
        files.push(path);
    }
    Ok(files)
}

/// A drawing of a plane, points from its upper left corner.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// What it shows.
    pub caption: String,
    /// Width and height.
    pub size: [f64; 2],
    /// Its lines, in the order of drawing.
    pub lines: Vec<Ruled>,
    /// Texts, and where each has its middle.
    pub texts: Vec<([f64; 2], String)>,
}

/// A line of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Ruled {
    /// Its corners; of a closed line the first is repeated.
    pub points: Vec<[f64; 2]>,
    /// RGB.
    pub colour: [u8; 3],
    /// Width, points.
    pub width: f64,
    /// Whether it is dashed.
    pub is_dashed: bool,
}

/// Colour of dimensions.
const DIMENSION: [u8; 3] = [138, 43, 158];

/// The drawing of a plane of `whole`, with deviations and limits `factor` times as large as they are.
pub fn draw(name: &str, (whole, section): (&Section, &PlaneSection), scale: &ColourScale, factor: f64) -> Drawing {
    let lines = drawing::lines(section, &scale.tolerance, factor);
    let dimensions: Vec<_> = whole.dimensions_of(section).collect();
    let shown = dimensions.iter().flat_map(|(_, own)| &own.line);
    let [low, high] = drawing::bounds(lines.iter().flat_map(|line| &line.points).chain(shown));
    let size_mm = [0, 1].map(|axis| (high[axis] - low[axis]).max(1e-9));
    let points_per_mm = (DRAWING_SIZE - 2.0 * MARGIN) / size_mm[0].max(size_mm[1]);
    let size = size_mm.map(|mm| mm * points_per_mm + 2.0 * MARGIN);
    // Up is up.
    let place = |point: &[f64; 2]| {
        [MARGIN + (point[0] - low[0]) * points_per_mm, size[1] - MARGIN - (point[1] - low[1]) * points_per_mm]
    };
    let ruled = |line: &DrawnLine| {
        let (colour, width) = match line.stroke {
            Stroke::Nominal => ([31, 41, 51], 1.4),
            Stroke::Limit => ([138, 148, 160], 0.8),
            Stroke::Measured => ([38, 118, 214], 1.0),
            Stroke::Whisker(deviation_mm) => (scale.colour(Some(deviation_mm)), 1.2),
        };
        let repeated = line.points.first().filter(|_| line.is_closed);
        let points = line.points.iter().chain(repeated).map(place).collect();
        Ruled { points, colour, width, is_dashed: line.stroke == Stroke::Limit }
    };
    let caption = match section.whiskers.is_empty() {
        true => name.to_owned(),
        false => texts::text!("printed-enlarged", name = name, factor = factor.to_string()),
    };
    let (mut lines, mut texts): (Vec<Ruled>, _) = (lines.iter().map(ruled).collect(), Vec::new());
    for (name, own) in &dimensions {
        let points: Vec<[f64; 2]> = own.line.iter().map(place).collect();
        if let (Some((points, at)), Some(value)) = (drawing::labelled(&points, TEXT_HEIGHT), own.value()) {
            texts.push((at, format!("{}: {value}", texts::word(name))));
            lines.push(Ruled { points, colour: DIMENSION, width: 1.0, is_dashed: false });
        }
    }
    Drawing { caption, size, lines, texts }
}

/// Drawings of all sections with up-to-date results, at most [`MAX_DRAWINGS`].
pub(super) fn drawings(document: &Document) -> Vec<Drawing> {
    let sections = document.plan.elements().iter().filter_map(|element| {
        let is_fresh = document.state(element.id) == State::Fresh;
        let section = document.result::<Section>(Some(element.id)).filter(|_| is_fresh)?;
        Some((element.name.as_str(), section))
    });
    let planes = sections.flat_map(|(name, section)| {
        let scale = super::colour_scale(section.parameters.tolerance, document);
        section.planes.iter().map(move |plane| {
            let factor = drawing::readable_factor(plane, &scale.tolerance);
            let of_plane = texts::word(&plane.name);
            let name = if section.planes.len() == 1 { name.to_owned() } else { format!("{name}: {of_plane}") };
            draw(&name, (section, plane), &scale, factor)
        })
    });
    planes.take(MAX_DRAWINGS).collect()
}

impl Drawing {
    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let ([width, height], caption) = (self.size, super::html::escape(&self.caption));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {:.1}\" role=\"img\" \
             aria-label=\"{caption}\" font-family=\"sans-serif\" font-size=\"13\">\n",
            height + 24.0
        );
        for line in &self.lines {
            let ([r, g, b], width) = (line.colour, line.width);
            let dashes = if line.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
            let _ = write!(
                svg,
                "<polyline fill=\"none\" stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{width}\"{dashes} points=\""
            );
            for [x, y] in &line.points {
                let _ = write!(svg, "{x:.2},{y:.2} ");
            }
            svg.push_str("\"/>\n");
        }
        for ([x, y], text) in &self.texts {
            let [r, g, b] = DIMENSION;
            let text = super::html::escape(text);
            // A halo keeps it readable across lines.
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#{r:02x}{g:02x}{b:02x}\" stroke=\"#fff\" \
                 stroke-width=\"4\" paint-order=\"stroke\">{text}</text>",
                y + 4.0
            );
        }
        let _ =
            writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.1}\" fill=\"#1f2933\">{caption}</text>\n</svg>", height + 12.0);
        svg
    }
}

/// The contours in true size as DXF (R12), mm: layers NOMINAL and MEASURED, in the coordinates of the plane.
pub fn dxf(section: &PlaneSection, tolerance: &Tolerance) -> String {
    let mut dxf = String::from("999\nmm\n0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n0\nENDSEC\n");
    dxf.push_str("0\nSECTION\n2\nTABLES\n0\nTABLE\n2\nLAYER\n70\n2\n");
    for (layer, colour) in [("NOMINAL", 7), ("MEASURED", 5)] {
        let _ = write!(dxf, "0\nLAYER\n2\n{layer}\n70\n0\n62\n{colour}\n6\nCONTINUOUS\n");
    }
    dxf.push_str("0\nENDTAB\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n");
    for line in drawing::lines(section, tolerance, 1.0) {
        let layer = match line.stroke {
            Stroke::Nominal => "NOMINAL",
            Stroke::Measured => "MEASURED",
            Stroke::Limit | Stroke::Whisker(_) => continue,
        };
        let is_closed = u8::from(line.is_closed);
        let _ = write!(dxf, "0\nPOLYLINE\n8\n{layer}\n66\n1\n70\n{is_closed}\n10\n0.0\n20\n0.0\n30\n0.0\n");
        for [x, y] in line.points {
            let _ = write!(dxf, "0\nVERTEX\n8\n{layer}\n10\n{x}\n20\n{y}\n30\n0.0\n");
        }
        let _ = write!(dxf, "0\nSEQEND\n8\n{layer}\n");
    }
    dxf.push_str("0\nENDSEC\n0\nEOF\n");
    dxf
}
