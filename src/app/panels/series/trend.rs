//! What one value does over the parts, in the order they were named.

use egui::Ui;
use egui_plot::{HLine, Line, LineStyle, Plot, Points};

use super::super::rows;
use crate::theme;
use report::series::Trend;
use session::series::PartRecord;

/// With fewer parts an index says little.
const FEW: usize = 25;

/// The value to be shown, its chart and its figures.
pub fn section(ui: &mut Ui, records: &[PartRecord], trends: &[Trend], chosen: &mut Option<(String, String)>) {
    let is_it = |own: &&Trend| {
        chosen.as_ref().is_some_and(|(element, figure)| *element == own.element && *figure == own.figure)
    };
    // What stands for an element and has limits is what is asked of the part.
    let is_main =
        |i: usize, own: &Trend| i == 0 || trends.get(i - 1).is_some_and(|before| before.element != own.element);
    let is_asked = |(i, own): &(usize, &Trend)| is_main(*i, own) && (own.lower.is_some() || own.upper.is_some());
    let usual = || trends.iter().enumerate().find(is_asked).map(|(_, own)| own).or(trends.first());
    let Some(trend) = trends.iter().find(is_it).or_else(usual) else {
        theme::weak(ui, "No part has a value.");
        return;
    };
    let name = |own: &Trend| format!("{}: {}", own.element, own.figure);
    ui.horizontal(|ui| {
        let label = ui.label("Value over the parts");
        let list = egui::ComboBox::from_id_salt("series value").selected_text(name(trend)).width(300.0);
        let shown = list.show_ui(ui, |ui| {
            for own in trends {
                let is_chosen = (&own.element, &own.figure) == (&trend.element, &trend.figure);
                if ui.selectable_label(is_chosen, name(own)).clicked() {
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
        if trend.over_parts.cpk.is_some() && trend.over_parts.count < FEW {
            theme::weak(
                right,
                format!("From {} parts: an index of fewer than {FEW} says little.", trend.over_parts.count),
            );
        }
    });
}

fn chart(ui: &mut Ui, records: &[PartRecord], trend: &Trend) {
    let value = |record: &PartRecord| {
        let element = record.elements.iter().find(|own| own.name == trend.element)?;
        element.figures.iter().find(|own| own.name == trend.figure)?.value
    };
    let places: Vec<[f64; 2]> =
        records.iter().enumerate().filter_map(|(i, record)| Some([i as f64 + 1.0, value(record)?])).collect();
    let is_beyond =
        |own: &f64| trend.lower.is_some_and(|lower| *own < lower) || trend.upper.is_some_and(|upper| *own > upper);
    let (beyond, within): (Vec<[f64; 2]>, Vec<[f64; 2]>) = places.iter().partition(|place| is_beyond(&place[1]));
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
        plot.line(Line::new("parts", places).color(theme::ACCENT).width(1.0));
        plot.points(Points::new("within", within).color(theme::ACCENT).radius(3.0));
        plot.points(Points::new("beyond", beyond).color(theme::BAD).radius(4.0));
    });
}

fn figures(trend: &Trend) -> Vec<(&'static str, String)> {
    let own = &trend.over_parts;
    let with_unit = |value: f64| format!("{value:.4} {}", trend.unit);
    let limits = match (trend.lower, trend.upper) {
        (None, None) => "none".to_owned(),
        (Some(lower), None) => format!("at least {lower} {}", trend.unit),
        (None, Some(upper)) => format!("at most {upper} {}", trend.unit),
        (Some(lower), Some(upper)) => format!("{lower} to {upper} {}", trend.unit),
    };
    let mut figures = vec![
        ("Parts", format!("{}, {} beyond a limit", own.count, trend.beyond)),
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
