//! Serialises laid-out pages as a tagged PDF file.

use krilla::Document;
use krilla::SerializeSettings;
use krilla::color::rgb;
use krilla::geom::{PathBuilder, Point, Rect as PdfRect, Size, Transform};
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node, SpanTag, TableHeaderScope, Tag, TagGroup, TagTree,
};
use krilla::text::{Font, GlyphId, KrillaGlyph};

use super::lettering::{Colour, FACES, Line};
use super::paper::{Ink, Kind, Mark, Paper, Part, Rect};
use base::date::Stamp;

/// Distance of the control points of a cubic Bézier curve that approximates a quarter circle, in radii.
const QUARTER_CIRCLE_CONTROL: f32 = 0.552_285;

/// The bytes of the PDF file, or the reason why it cannot be written.
pub fn write(paper: Paper, title: &str, software: String, stamp: Stamp) -> Result<Vec<u8>, String> {
    let fonts: Option<Vec<Font>> = FACES.iter().map(|bytes| Font::new(bytes.to_vec().into(), 0)).collect();
    let fonts = fonts.ok_or("the font cannot be read")?;
    let settings = SerializeSettings { enable_tagging: true, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    let date = DateTime::new(stamp.year.clamp(0, 9999) as u16).month(stamp.month).day(stamp.day);
    let date = date.hour(stamp.hour).minute(stamp.minute).second(stamp.second);
    let date = date.utc_offset_hour((stamp.offset_minutes / 60) as i8);
    let date = date.utc_offset_minute((stamp.offset_minutes.abs() % 60) as u8);
    document.set_metadata(
        Metadata::new()
            .title(title.to_owned())
            .creator(software.clone())
            .authors(vec![software])
            .language(texts::language().code().to_owned())
            .creation_date(date),
    );
    let mut contents: Vec<Vec<Identifier>> = vec![Vec::new(); paper.parts.len()];
    let [width, height] = paper.size;
    for marks in &paper.pages {
        let settings = PageSettings::from_wh(width, height).ok_or("the page has no size")?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for mark in marks {
            let identifier = surface.start_tagged(tag_of(mark));
            draw(&mut surface, &mark.ink, &fonts)?;
            surface.end_tagged();
            if let Some(part) = mark.part {
                contents[part].push(identifier);
            }
        }
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(tree(&paper.parts, contents));
    document.finish().map_err(|error| format!("{error:?}"))
}

fn tag_of(mark: &Mark) -> ContentTag<'static> {
    match (&mark.part, &mark.ink) {
        (None, _) => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
        (Some(_), Ink::Text(..)) => ContentTag::Span(SpanTag::empty()),
        _ => ContentTag::Other,
    }
}

/// The structure tree: nested parts with the content drawn for each.
fn tree(parts: &[Part], contents: Vec<Vec<Identifier>>) -> TagTree {
    let mut groups: Vec<Option<TagGroup>> = parts.iter().map(|part| Some(group(&part.kind))).collect();
    for (group, contents) in groups.iter_mut().zip(contents) {
        if let Some(group) = group {
            group.children.extend(contents.into_iter().map(Node::from));
        }
    }
    let mut tree = TagTree::new().with_lang(Some(texts::language().code().to_owned()));
    // Children follow their parent, so in reverse order each part is complete when it is attached.
    let mut roots = Vec::new();
    for index in (0..parts.len()).rev() {
        let Some(group) = groups[index].take() else { continue };
        match parts[index].parent.and_then(|parent| groups[parent].as_mut()) {
            Some(parent) => parent.children.insert(0, group.into()),
            None => roots.push(group),
        }
    }
    roots.into_iter().rev().for_each(|root| tree.push(root));
    tree
}

fn group(kind: &Kind) -> TagGroup {
    match kind {
        Kind::Heading(level) => {
            TagGroup::new(Tag::Hn(std::num::NonZeroU16::new(*level).unwrap_or(std::num::NonZeroU16::MIN), None))
        }
        Kind::Paragraph => TagGroup::new(Tag::P),
        Kind::Table => TagGroup::new(Tag::Table),
        Kind::Row => TagGroup::new(Tag::TR),
        Kind::HeaderCell => TagGroup::new(Tag::TH(TableHeaderScope::Both)),
        Kind::Cell => TagGroup::new(Tag::TD),
        Kind::Figure(alt) => TagGroup::new(Tag::Figure(Some(alt.clone()))),
    }
}

fn fill(colour: Colour) -> Fill {
    let [r, g, b] = colour;
    Fill { paint: rgb::Color::new(r, g, b).into(), opacity: NormalizedF32::ONE, rule: Default::default() }
}

fn draw(surface: &mut Surface<'_>, ink: &Ink, fonts: &[Font]) -> Result<(), String> {
    match ink {
        Ink::Text(at, line) => text(surface, *at, line, fonts),
        Ink::Fill(rect, colour, radius) => {
            surface.set_stroke(None);
            surface.set_fill(Some(fill(*colour)));
            if let Some(path) = rounded(*rect, *radius) {
                surface.draw_path(&path);
            }
        }
        Ink::Rule(from, to, [r, g, b], width, dashed) => {
            let mut path = PathBuilder::new();
            path.move_to(from[0], from[1]);
            path.line_to(to[0], to[1]);
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                paint: rgb::Color::new(*r, *g, *b).into(),
                width: *width,
                dash: dashed.then(|| StrokeDash { array: vec![2.0, 2.0], offset: 0.0 }),
                ..Stroke::default()
            }));
            if let Some(path) = path.finish() {
                surface.draw_path(&path);
            }
            surface.set_stroke(None);
        }
        Ink::Picture([x, y, width, height], png) => {
            let image = Image::from_png(png.clone().into(), true)?;
            let size = Size::from_wh(*width, *height).ok_or("a picture has no size")?;
            surface.push_transform(&Transform::from_translate(*x, *y));
            surface.draw_image(image, size);
            surface.pop();
        }
    }
    Ok(())
}

fn text(surface: &mut Surface<'_>, [x, y]: [f32; 2], line: &Line, fonts: &[Font]) {
    let glyphs: Vec<KrillaGlyph> = line
        .glyphs
        .iter()
        .map(|glyph| {
            let [x_offset, y_offset] = glyph.offset;
            KrillaGlyph::new(
                GlyphId::new(glyph.id),
                glyph.advance,
                x_offset,
                y_offset,
                0.0,
                glyph.text_range.clone(),
                None,
            )
        })
        .collect();
    surface.set_stroke(None);
    surface.set_fill(Some(fill(line.style.colour)));
    let font = fonts[line.style.weight as usize].clone();
    surface.draw_glyphs(Point::from_xy(x, y), &glyphs, font, &line.text, line.style.size, false);
}

/// A rectangle with corners rounded by at most `radius`.
fn rounded([x, y, width, height]: Rect, radius: f32) -> Option<krilla::geom::Path> {
    let mut path = PathBuilder::new();
    let r = radius.min(0.5 * width).min(0.5 * height);
    if r <= 0.0 {
        path.push_rect(PdfRect::from_xywh(x, y, width, height)?);
        return path.finish();
    }
    let (right, bottom, k) = (x + width, y + height, r * (1.0 - QUARTER_CIRCLE_CONTROL));
    path.move_to(x + r, y);
    path.line_to(right - r, y);
    path.cubic_to(right - k, y, right, y + k, right, y + r);
    path.line_to(right, bottom - r);
    path.cubic_to(right, bottom - k, right - k, bottom, right - r, bottom);
    path.line_to(x + r, bottom);
    path.cubic_to(x + k, bottom, x, bottom - k, x, bottom - r);
    path.line_to(x, y + r);
    path.cubic_to(x, y + k, x + k, y, x + r, y);
    path.close();
    path.finish()
}
