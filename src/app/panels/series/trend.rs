//! Trend of a value over the parts, in the order of the series.

use egui::Ui;
use egui_plot::{HLine, Line, LineStyle, Plot, Points};

use super::super::rows;
use crate::{lengths, theme};
use inspect::process_performance::MIN_PARTS;
use report::series::{Place, Trend, place_of};
use session::series::PartRecord;
use texts::text;

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
        theme::weak(ui, text!("series-no-value"));
        return;
    };
    let name = |own: &Trend| format!("{}: {}", own.element, texts::word(&own.figure));
    ui.horizontal(|ui| {
        let label = ui.label(text!("series-trend-of"));
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
        let has_limits = trend.lower.is_some() || trend.upper.is_some();
        if has_limits && trend.over_parts.count < MIN_PARTS {
            theme::weak(right, text!("series-few-parts", count = trend.over_parts.count, least = MIN_PARTS));
        }
    });
}

fn chart(ui: &mut Ui, records: &[PartRecord], trend: &Trend) {
    let shown = |value: f64| lengths::figure(value, &trend.unit);
    let placed = |(at, record): (usize, &PartRecord)| {
        let element = record.elements.iter().find(|own| own.name == trend.element)?;
        let figure = element.figures.iter().find(|own| own.name == trend.figure)?;
        Some(([at as f64 + 1.0, shown(figure.value?)], place_of(figure)?))
    };
    let all: Vec<([f64; 2], Place)> = records.iter().enumerate().filter_map(placed).collect();
    let points = |wanted: Place| -> Vec<[f64; 2]> {
        all.iter().filter(|(_, place)| *place == wanted).map(|(point, _)| *point).collect()
    };
    let values: Vec<[f64; 2]> = all.iter().map(|(point, _)| *point).collect();
    let limits: Vec<f64> = [trend.lower, trend.upper].into_iter().flatten().map(shown).collect();
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
        .x_axis_label(text!("series-axis-part"))
        .y_axis_label(lengths::unit_of(&trend.unit).to_owned());
    for limit in &limits {
        plot = plot.include_y(*limit);
    }
    plot.show(ui, |plot| {
        plot.hline(HLine::new(text!("series-line-mean"), shown(trend.over_parts.mean)).color(text).width(1.0));
        for limit in limits {
            plot.hline(
                HLine::new(text!("series-line-limit"), limit)
                    .color(theme::BAD)
                    .width(1.0)
                    .style(LineStyle::dashed_loose()),
            );
        }
        plot.line(Line::new(text!("series-line-parts"), values).color(theme::ACCENT).width(1.0));
        let [within, in_doubt, beyond] = [Place::Within, Place::InDoubt, Place::Beyond].map(points);
        plot.points(Points::new(text!("series-points-within"), within).color(theme::ACCENT).radius(3.0));
        plot.points(Points::new(text!("series-points-in-doubt"), in_doubt).color(theme::WARN).radius(4.0));
        plot.points(Points::new(text!("series-points-beyond"), beyond).color(theme::BAD).radius(4.0));
    });
}

fn figures(trend: &Trend) -> Vec<(String, String)> {
    let own = &trend.over_parts;
    let (unit, digits) = (lengths::unit_of(&trend.unit), lengths::decimals_of(&trend.unit, 4, 4));
    let written = |value: f64| format!("{:.digits$}", lengths::figure(value, &trend.unit));
    let with_unit = |value: f64| format!("{} {unit}", written(value));
    let [least, greatest] = [own.least, own.greatest].map(written);
    let stated = |limit: f64| lengths::stated_figure(limit, &trend.unit);
    let limits = match (trend.lower, trend.upper) {
        (None, None) => text!("common-none"),
        (Some(lower), None) => text!("series-lower-limit", lower = stated(lower), unit = unit),
        (None, Some(upper)) => text!("series-upper-limit", upper = stated(upper), unit = unit),
        (Some(lower), Some(upper)) => {
            text!("series-from-to", least = stated(lower), greatest = stated(upper), unit = unit)
        }
    };
    let mut figures = vec![
        (
            text!("series-count"),
            text!("series-count-beyond", count = own.count, beyond = trend.beyond, doubtful = trend.in_doubt),
        ),
        (text!("series-limits"), limits),
        (text!("series-mean"), with_unit(own.mean)),
        (text!("series-range"), text!("series-from-to", least = least, greatest = greatest, unit = unit)),
    ];
    figures.extend(own.sigma.map(|sigma| (text!("series-sigma"), with_unit(sigma))));
    figures.extend(own.pp.map(|pp| ("Pp".to_owned(), format!("{pp:.2}"))));
    let ppk = own.ppk.map(|ppk| format!("{ppk:.2}")).map(|ppk| match own.ppk_lower_95 {
        Some(bound) => text!("series-ppk-above", ppk = ppk, bound = format!("{bound:.2}")),
        None => ppk,
    });
    figures.extend(ppk.map(|ppk| ("Ppk".to_owned(), ppk)));
    figures
}
