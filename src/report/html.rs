//! Inspection report as a self-contained HTML file: `report.html`.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::content::{Content, HistogramBars, ReportBlock, region_header};
use super::flags::FlagPicture;
use super::logo::Logo;
use super::pictures::{Pictures, ViewKind};
use super::results;
use session::presentation::ReportSection;
use texts::text;

const STYLE: &str = include_str!("report.css");

/// The report as HTML with embedded pictures (data URLs).
pub fn of(content: &Content, pictures: &Pictures) -> String {
    let mut html = String::with_capacity(1 << 20);
    let badge = content.status.name().to_lowercase();
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\
         <header>{logo}<div><h1>{title}</h1><p class=\"sub\">{subtitle}</p></div>\
         <div class=\"verdict {badge}\"><strong>{verdict}</strong><span>{reason}</span></div></header>",
        language = texts::language().code(),
        title = escape(&content.title),
        logo = content.logo.as_ref().map(logo).unwrap_or_default(),
        subtitle = escape(&content.subtitle),
        verdict = escape(&content.verdict),
        reason = escape(&content.verdict_reason),
    );
    if let Some(missing) = &content.no_pictures {
        let _ = write!(html, "<p class=\"note\">{}</p>", escape(missing));
    }
    for runs in content.order.chunk_by(|one, next| is_narrow(*one) && is_narrow(*next)) {
        let is_narrow = runs.first().is_some_and(|section| is_narrow(*section));
        html.push_str(if is_narrow { "<div class=\"columns\">" } else { "" });
        runs.iter().for_each(|section| push_section(&mut html, *section, content, pictures));
        html.push_str(if is_narrow { "</div>" } else { "" });
    }
    if !content.notes.is_empty() {
        html.push_str(&format!("<section><h2>{}</h2><ul>", text!("printed-remarks")));
        content.notes.iter().for_each(|note| {
            let _ = write!(html, "<li>{}</li>", escape(note));
        });
        html.push_str("</ul></section>");
    }
    let _ = writeln!(
        html,
        "<footer>{} · {}</footer></main></body></html>",
        escape(&content.software),
        escape(&content.date)
    );
    html
}

/// Whether a section stands beside another one.
fn is_narrow(section: ReportSection) -> bool {
    matches!(section, ReportSection::Part | ReportSection::Deviation | ReportSection::Coverage)
}

fn push_section(html: &mut String, section: ReportSection, content: &Content, pictures: &Pictures) {
    match section {
        ReportSection::Views => {
            push_views(html, "standard", pictures, ViewKind::Standard);
            push_views(html, "saved", pictures, ViewKind::Saved);
            push_scale(html, content);
        }
        ReportSection::Regions => {
            push_regions(html, content);
            push_views(html, "regions", pictures, ViewKind::Region);
        }
        ReportSection::Results => push_results(html, content),
        _ => content.blocks.iter().filter(|block| block.section == section).for_each(|block| push_block(html, block)),
    }
    if section == ReportSection::Part {
        html.push_str(&format!("<section><h2>{}</h2>", text!("printed-histogram")));
        push_histogram(html, &content.histogram);
        html.push_str("</section>");
    }
    if section == ReportSection::Sections && !content.drawings.is_empty() {
        html.push_str(&format!("<section><h2>{}</h2>", text!("printed-drawings")));
        content.drawings.iter().for_each(|drawing| html.push_str(&drawing.svg()));
        html.push_str("</section>");
    }
}

fn logo(logo: &Logo) -> String {
    format!("<img class=\"logo\" alt=\"Logo\" src=\"data:image/png;base64,{}\">", BASE64.encode(&logo.png))
}

fn push_views(html: &mut String, class: &str, pictures: &Pictures, kind: ViewKind) {
    let _ = write!(html, "<section class=\"views {class}\">");
    for view in pictures.views.iter().filter(|view| view.kind == kind) {
        let _ = write!(
            html,
            "<figure><div><img alt=\"{caption}\" src=\"data:image/png;base64,{data}\">",
            caption = escape(&view.caption),
            data = BASE64.encode(&view.png),
        );
        html.push_str(&view.flags.as_ref().map(FlagPicture::svg).unwrap_or_default());
        for mark in view.marks.iter().filter(|_| view.flags.is_none()) {
            let [x, y] = mark.at.map(|share| 100.0 * share);
            // At the right edge the number stands on the left.
            let side = if x > 88.0 { " class=\"left\"" } else { "" };
            let _ = write!(html, "<b{side} style=\"left:{x:.2}%;top:{y:.2}%\">{}</b>", mark.number);
        }
        let _ = write!(html, "</div><figcaption>{}</figcaption></figure>", escape(&view.caption));
    }
    html.push_str("</section>");
}

fn push_block(html: &mut String, block: &ReportBlock) {
    let _ = write!(html, "<section><h2>{}</h2><table class=\"pairs\">", escape(&block.title));
    for (name, value) in &block.rows {
        let _ = write!(html, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(value));
    }
    html.push_str("</table></section>");
}

fn push_scale(html: &mut String, content: &Content) {
    let _ = write!(
        html,
        "<div class=\"scale\"><div class=\"bar\" style=\"background:linear-gradient(90deg,{})\"></div>",
        content.scale_colours.join(",")
    );
    for (position, label) in &content.scale_limits {
        let _ = write!(html, "<span class=\"limit\" style=\"left:{:.2}%\">{}</span>", 100.0 * position, escape(label));
    }
    for (percent, label) in [0, 100].iter().zip(&content.scale_ends) {
        let _ = write!(html, "<span style=\"left:{percent}%\">{}</span>", escape(label));
    }
    let _ = write!(html, "<em>{}</em></div>", escape(&content.scale_key));
}

fn push_histogram(html: &mut String, bars: &HistogramBars) {
    let label = text!("printed-histogram-of-deviations");
    html.push_str(&format!("<svg viewBox=\"0 0 600 190\" role=\"img\" aria-label=\"{label}\">"));
    let width = 600.0 / bars.heights.len().max(1) as f64;
    for (i, (height, colour)) in bars.heights.iter().zip(&bars.colours).enumerate() {
        let _ = write!(
            html,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\"/>",
            i as f64 * width,
            160.0 - 150.0 * height,
            width * 0.92,
            150.0 * height
        );
    }
    for limit in &bars.limits {
        let x = 600.0 * limit;
        let _ = write!(html, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"4\" y2=\"160\" class=\"limit\"/>");
    }
    html.push_str("<line x1=\"0\" x2=\"600\" y1=\"160\" y2=\"160\" class=\"axis\"/>");
    let anchors = ["start", "middle", "end"];
    for (i, label) in bars.labels.iter().enumerate() {
        let anchor = anchors.get(i).copied().unwrap_or("end");
        let _ = write!(html, "<text x=\"{}\" y=\"180\" text-anchor=\"{anchor}\">{}</text>", 300 * i, escape(label));
    }
    html.push_str("</svg>");
}

fn push_regions(html: &mut String, content: &Content) {
    html.push_str(&format!("<section><h2>{}</h2>", text!("printed-regions")));
    if content.regions.is_empty() {
        html.push_str(&format!("<p>{}</p></section>", text!("printed-no-regions")));
        return;
    }
    html.push_str("<table class=\"list\"><tr>");
    region_header().iter().for_each(|head| html.push_str(&format!("<th>{head}</th>")));
    html.push_str("</tr>");
    for region in &content.regions {
        html.push_str("<tr>");
        region.iter().for_each(|cell| {
            let _ = write!(html, "<td>{}</td>", escape(cell));
        });
        html.push_str("</tr>");
    }
    html.push_str("</table></section>");
}

/// Table of features and checks; nothing where there are none.
fn push_results(html: &mut String, content: &Content) {
    if content.results.is_empty() {
        return;
    }
    let _ = write!(html, "<section><h2>{}</h2><table class=\"list results\"><tr>", text!("printed-results"));
    results::headings().iter().for_each(|head| html.push_str(&format!("<th>{}</th>", escape(head))));
    html.push_str("</tr>");
    for line in &content.results {
        html.push_str("<tr>");
        line.cells.iter().for_each(|cell| html.push_str(&format!("<td>{}</td>", escape(cell))));
        let class = line.verdict.verdict().map_or(String::new(), |own| own.name().to_lowercase());
        let _ = write!(html, "<td><i class=\"{class}\"></i>{}</td></tr>", escape(&line.verdict_text()));
    }
    html.push_str("</table></section>");
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_escaped() {
        assert_eq!(escape("<script>\"&"), "&lt;script&gt;&quot;&amp;");
    }
}
