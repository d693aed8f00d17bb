//! Trend of a value over the parts, in the order of the series.

use egui::Ui;
use egui_plot::{HLine, Line, LineStyle, Plot, Points};

use super::super::rows;
use crate::theme;
use report::series::Trend;
use session::series::PartRecord;

/// Minimum number of parts for reliable capability indices.
const MIN_PARTS: usize = 25;

/// Draws the choice of the value, its chart and its statistics.
pub fn section(ui: &mut Ui, records: &[PartRecord], trends: &[Trend], chosen: &mut Option<(String, String)>) {
    let is_chosen = |own: &&Trend| {
        chosen.as_ref().is_some_and(|(element, figure)| *element == own.element && *figure == own.figure)
    };
    // The default is the first main value of an element that has limits.
    let is_main =
        |i: usize, own: &Trend| i == 0 || trends.get(i - 1).is_some_and(|before| before.element != own.element);
    let has_limits = |(i, own): &(usize, &Trend)| is_main(*i, own) && (own.lower.is_some() || own.upper.is_some());
    let default = || trends.iter().enumerate().find(has_limits).map(|(_, own)| own).or(trends.first());
    let Some(trend) = trends.iter().find(is_chosen).or_else(default) else {
        theme::weak(ui, "No part has a value.");
        return;
    };
    let name = |own: &Trend| format!("{}: {}", own.element, own.figure);
    ui.horizontal(|ui| {
        let label = ui.label("Trend of");
        let list = egui::ComboBox::from_id_salt("series value").selected_text(name(trend)).width(300.0);
        let shown = list.show_ui(ui, |ui| {
            for own in trends {
                let is_shown = (&own.element, &own.figure) == (&trend.element, &trend.figure);
                if ui.selectable_label(is_shown, name(own)).clicked() {
                    *chosen = Some((own.element.clone(), own.figure.clone()));
                }
            }
        });
        shown.response.labelled_by(label.id);
    });
    ui.columns(2, |columns| {
        let [left, right] = columns else { return };
        chart(left, records, trend);
        rows(right, "series figures", &figures(trend));
        if trend.over_parts.cpk.is_some() && trend.over_parts.count < MIN_PARTS {
            theme::weak(
                right,
                format!("{} parts: indices from fewer than {MIN_PARTS} are unreliable.", trend.over_parts.count),
            );
        }
    });
}

fn chart(ui: &mut Ui, records: &[PartRecord], trend: &Trend) {
    let value = |record: &PartRecord| {
        let element = record.elements.iter().find(|own| own.name == trend.element)?;
        element.figures.iter().find(|own| own.name == trend.figure)?.value
    };
    let values: Vec<[f64; 2]> =
        records.iter().enumerate().filter_map(|(i, record)| Some([i as f64 + 1.0, value(record)?])).collect();
    let is_beyond =
        |own: &f64| trend.lower.is_some_and(|lower| *own < lower) || trend.upper.is_some_and(|upper| *own > upper);
    let (beyond, within): (Vec<[f64; 2]>, Vec<[f64; 2]>) = values.iter().partition(|point| is_beyond(&point[1]));
    let text = ui.visuals().text_color();
    let mut plot = Plot::new("series trend")
        .height(170.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .include_x(0.5)
        .include_x(records.len() as f64 + 0.5)
        .x_axis_label("part")
        .y_axis_label(trend.unit.clone());
    for limit in [trend.lower, trend.upper].into_iter().flatten() {
        plot = plot.include_y(limit);
    }
    plot.show(ui, |plot| {
        plot.hline(HLine::new("mean", trend.over_parts.mean).color(text).width(1.0));
        for limit in [trend.lower, trend.upper].into_iter().flatten() {
            plot.hline(HLine::new("limit", limit).color(theme::BAD).width(1.0).style(LineStyle::dashed_loose()));
        }
        plot.line(Line::new("parts", values).color(theme::ACCENT).width(1.0));
        plot.points(Points::new("within", within).color(theme::ACCENT).radius(3.0));
        plot.points(Points::new("beyond", beyond).color(theme::BAD).radius(4.0));
    });
}

fn figures(trend: &Trend) -> Vec<(&'static str, String)> {
    let own = &trend.over_parts;
    let with_unit = |value: f64| format!("{value:.4} {}", trend.unit);
    let limits = match (trend.lower, trend.upper) {
        (None, None) => "none".to_owned(),
        (Some(lower), None) => format!("min. {lower} {}", trend.unit),
        (None, Some(upper)) => format!("max. {upper} {}", trend.unit),
        (Some(lower), Some(upper)) => format!("{lower} to {upper} {}", trend.unit),
    };
    let mut figures = vec![
        ("Parts", format!("{}, {} out of limits", own.count, trend.beyond)),
        ("Limits", limits),
        ("Mean", with_unit(own.mean)),
        ("Range", format!("{:.4} to {:.4} {}", own.least, own.greatest, trend.unit)),
    ];
    figures.extend(own.sigma.map(|sigma| ("Standard deviation", with_unit(sigma))));
    figures.extend(own.cp.map(|cp| ("Cp", format!("{cp:.2}"))));
    let bound = own.cpk_lower_95.map(|bound| format!(" (above {bound:.2} with 95 % confidence)")).unwrap_or_default();
    figures.extend(own.cpk.map(|cpk| ("Cpk", format!("{cpk:.2}{bound}"))));
    figures
}
