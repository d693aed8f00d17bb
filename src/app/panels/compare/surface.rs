//! Surface comparisons: method, tolerance, verdict, statistics, histogram and regions.

use egui_plot::{Bar, BarChart, Plot, VLine};

use super::super::{PanelContext, element_choice, rows};
use super::colours::ColoursPart;
use super::{banner, direction, own_tolerances};
use crate::lengths::{area, decimals, length_text, signed_length, symbol, unit, with_unit};
use crate::number_field::NumberField;
use crate::viewport::Spot;
use crate::{Action, theme};
use base::LengthUnit;
use dispatch::{Align, Inspect};
use inspect::deviation::Check;
use inspect::deviation::Method;
use inspect::deviation::histogram::Histogram;
use inspect::deviation::judgement::percent;
use render::colour_scale::ColourScale;
use session::plan::ElementId;
use session::verdict::Overall;
use texts::text;

/// Most remarks below the verdict; the report has all.
const MAX_REMARKS: usize = 8;

fn method_name(method: Method) -> String {
    match method {
        Method::Closest => text!("compare-method-closest"),
        Method::PointFacet => text!("compare-method-points"),
        Method::FacetFacet => text!("compare-method-facets"),
    }
}

/// Draws it.
pub(super) fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>, colours: &mut ColoursPart) {
    theme::heading(ui, text!("compare-compare"));
    let document = context.document();
    let ready = document.nominal().is_some() && document.actual().is_some() && !context.is_busy;
    let clicked = theme::wide_main_button(ui, ready, text!("compare-now")).clicked();
    comparisons(ui, context);
    measured_in(ui, context);
    comparison_options(ui, context, colours);
    colours.show(ui, context);
    let added = own_tolerances::show(ui, context);
    if let Some(command) = added {
        context.send(command);
    }
    if clicked {
        context.send(Inspect::Compare);
    }
    let document = context.document();
    match document.shared_check() {
        Some(check) => check_result(ui, context, &check),
        None if context.document().check().is_some() => {
            theme::weak(ui, text!("compare-stale"));
        }
        None => {
            theme::weak(ui, text!("compare-not-yet"));
        }
    }
}

/// Choice of the comparison shown, and a button to add one.
fn comparisons(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let all: Vec<ElementId> = document.comparisons().map(|own| own.id).collect();
    if all.is_empty() {
        return;
    }
    let ready = !context.is_busy;
    let mut chosen = None;
    ui.horizontal(|ui| {
        if all.len() > 1 {
            chosen = element_choice(ui, &text!("compare-comparison"), document, &all, document.active.comparison);
        }
        let hint = text!("compare-add-hint");
        if ui.add_enabled(ready, egui::Button::new(text!("compare-add"))).on_hover_text(hint).clicked() {
            context.send(Inspect::AddComparison);
        }
    });
    if let Some(id) = chosen.filter(|_| ready) {
        context.send(Inspect::Show(id));
    }
}

/// Choice of the alignment that the comparison shown is measured in.
fn measured_in(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let all = document.alignments();
    if all.len() < 2 || document.active.comparison.is_none() {
        return;
    }
    let chosen = element_choice(ui, &text!("compare-measured-in"), document, &all, document.active.alignment);
    if let Some(id) = chosen.filter(|_| !context.is_busy) {
        context.send(Align::MeasureIn(id));
    }
}

fn comparison_options(ui: &mut egui::Ui, context: &mut PanelContext<'_>, colours: &mut ColoursPart) {
    let (document, saved) = (&context.dispatcher.document, context.saved_scales);
    let draft = &mut context.settings;
    let deviation = &mut draft.deviation;
    let methods = [Method::Closest, Method::PointFacet, Method::FacetFacet];
    theme::choice(ui, &text!("compare-method"), &mut deviation.method, &methods, method_name);
    if deviation.method == Method::Closest {
        direction::show(ui, deviation);
    }
    egui::Grid::new("options").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
        let number = |ui: &mut egui::Ui, name: &str, value: &mut f64, unit: &str, low: f64, high: f64| {
            let label = ui.label(name);
            ui.add(NumberField::new(value).speed(0.01).range(low..=high).max_decimals(4).unit(unit))
                .labelled_by(label.id);
            ui.end_row();
        };
        number(ui, &text!("compare-lower-limit"), &mut deviation.tolerance.low_mm, " mm", -1e3, 1e3);
        number(ui, &text!("compare-upper-limit"), &mut deviation.tolerance.high_mm, " mm", -1e3, 1e3);
        number(ui, &text!("compare-scale"), &mut draft.scale_mm, " mm", 1e-4, 1e3);
        colours.choice(ui, document, saved);
        number(ui, &text!("compare-max-distance"), &mut deviation.max_distance_mm, " mm", 1e-3, 1e4);
        let mut region_mm2 = deviation.min_region_mm2.unwrap_or_default();
        let hint = text!("compare-min-region-hint");
        let label = ui.label(text!("compare-min-region")).on_hover_text(hint.clone());
        let field = NumberField::new(&mut region_mm2).speed(0.01).range(0.0..=1e6).max_decimals(4);
        let field = match deviation.min_region_mm2 {
            Some(_) => field.unit("mm²"),
            None => field.custom_formatter(|_, _| text!("compare-automatic")),
        };
        ui.add(field).labelled_by(label.id).on_hover_text(hint);
        ui.end_row();
        // As in the fields below, 0 leaves it to the data.
        deviation.min_region_mm2 = (region_mm2 > 0.0).then_some(region_mm2);
        let mut coverage = 100.0 * deviation.min_coverage;
        number(ui, &text!("compare-min-coverage"), &mut coverage, " %", 0.0, 100.0);
        deviation.min_coverage = coverage / 100.0;
        if deviation.method != Method::Closest {
            let mut edge = deviation.max_edge_mm.unwrap_or(0.0);
            number(ui, &text!("compare-max-edge"), &mut edge, " mm", 0.0, 1e3);
            deviation.max_edge_mm = (edge > 0.0).then_some(edge);
        }
    });
}

fn check_result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, check: &Check) {
    let document = context.document();
    let overall = context.display.overall.of(document);
    if let Some(overall) = &overall {
        verdict_banner(ui, overall);
    }
    theme::heading(ui, text!("compare-histogram"));
    let scale = report::colour_scale(check.parameters.tolerance, context.document());
    histogram(ui, &scale, &check.histogram);
    let s = &check.statistics;
    theme::heading(ui, text!("compare-statistics"));
    rows(
        ui,
        "statistics",
        &[
            (text!("compare-surface-measured"), percent(check.measurement.coverage.fraction)),
            (text!("compare-points-evaluated"), theme::count(s.count)),
            (text!("compare-without-data"), theme::count(s.excluded)),
            (text!("compare-mean"), with_unit(signed_length(s.mean_mm, 4))),
            (text!("compare-sigma"), with_unit(length_text(s.sigma_mm, 4))),
            (text!("compare-rms"), with_unit(length_text(s.rms_mm, 4))),
            (
                text!("compare-min-max"),
                with_unit(format!("{}, {}", signed_length(s.min_mm, 3), signed_length(s.max_mm, 3))),
            ),
            (
                text!("compare-percentiles"),
                with_unit(format!(
                    "{}, {}",
                    signed_length(s.percentiles_mm.p01, 3),
                    signed_length(s.percentiles_mm.p99, 3)
                )),
            ),
            (text!("compare-in-tolerance"), format!("{:.2} %", 100.0 * s.in_tolerance_fraction)),
        ],
    );
    regions(ui, context, check);
}

fn histogram(ui: &mut egui::Ui, scale: &ColourScale, histogram: &Histogram) {
    let shown = |mm: f64| unit().from_mm(mm);
    let width = shown(histogram.bin_width_mm());
    let bars: Vec<Bar> = histogram
        .counts
        .iter()
        .enumerate()
        .map(|(bin, &count)| {
            let centre = histogram.bin_centre_mm(bin);
            let [r, g, b] = scale.colour(Some(centre));
            Bar::new(shown(centre), count as f64)
                .width(width * 0.94)
                .fill(egui::Color32::from_rgb(r, g, b))
                .stroke(egui::Stroke::NONE)
        })
        .collect();
    let top = histogram.counts.iter().copied().max().unwrap_or(1).max(1) as f64 * 1.05;
    let limits = [scale.tolerance.low_mm, scale.tolerance.high_mm].map(shown);
    let line = ui.visuals().text_color();
    let mut plot = Plot::new("histogram")
        .height(130.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_grid([false, true])
        .y_axis_formatter(|mark, _| {
            if mark.value >= 1000.0 { format!("{:.0}k", mark.value / 1000.0) } else { format!("{:.0}", mark.value) }
        });
    // Millimetres go without saying.
    if unit() != LengthUnit::Mm {
        plot = plot.x_axis_label(symbol());
    }
    plot.show(ui, |plot| {
        // Otherwise the bounds of the first data shown are kept.
        plot.set_plot_bounds_x(shown(histogram.low_mm)..=shown(histogram.high_mm));
        plot.set_plot_bounds_y(0.0..=top);
        plot.bar_chart(BarChart::new("points", bars));
        for limit in limits {
            plot.vline(VLine::new("limit", limit).color(line).width(1.0));
        }
    });
}

fn regions(ui: &mut egui::Ui, context: &mut PanelContext<'_>, check: &Check) {
    theme::heading(ui, text!("compare-regions"));
    if check.regions.is_empty() {
        theme::weak(ui, text!("compare-regions-none"));
    } else {
        let mut are_shown = !context.display.hides_callouts;
        ui.checkbox(&mut are_shown, text!("compare-flags")).on_hover_text(text!("compare-flags-hint"));
        context.display.hides_callouts = !are_shown;
    }
    let mut fly_to = None;
    for (i, region) in check.regions.iter().take(60).enumerate() {
        let peak = with_unit(format!("{:+.*}", decimals(3), unit().from_mm(region.peak_mm)));
        let text = format!("{}   {peak}   {}", i + 1, area(region.area_mm2, 1));
        let button = egui::Button::selectable(false, text);
        if ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(text!("compare-show-region")).clicked() {
            let name = (i + 1).to_string();
            fly_to = Some(Spot { name, at: region.peak_at_mm.into(), radius_mm: region.radius_mm });
        }
    }
    if !check.measurement.coverage.unmeasured.is_empty() {
        theme::heading(ui, text!("compare-unmeasured"));
        ui.checkbox(&mut context.display.shown.unmeasured, text!("compare-show-unmeasured"));
    }
    for (i, region) in check.measurement.coverage.unmeasured.iter().take(20).enumerate() {
        let button = egui::Button::selectable(false, format!("{}   {}", i + 1, area(region.area_mm2, 0)));
        let hint = text!("compare-show-region");
        if ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(hint).clicked() {
            let name = (i + 1).to_string();
            fly_to = Some(Spot { name, at: region.centre_mm.into(), radius_mm: region.radius_mm });
        }
    }
    if let Some(spot) = fly_to {
        context.ask(Action::FlyTo(spot));
    }
}

/// Overall verdict with its coverage and reasons.
fn verdict_banner(ui: &mut egui::Ui, overall: &Overall) {
    let reasons = overall.components.iter().map(|component| match overall.components.len() {
        1 => component.reason.clone(),
        _ => text!(
            "compare-component",
            name = component.name.as_str(),
            verdict = texts::word(component.verdict.name()).into_owned(),
            reason = component.reason.as_str()
        ),
    });
    banner(ui, overall.verdict, &overall.covers, reasons);
    for remark in overall.remarks.iter().take(MAX_REMARKS) {
        theme::weak(ui, remark);
    }
    let more = overall.remarks.len().saturating_sub(MAX_REMARKS);
    if more > 0 {
        theme::weak(ui, text!("compare-more-remarks", count = more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect::deviation::Tolerance;

    /// All that a frame writes.
    fn texts(shape: &egui::Shape, found: &mut Vec<String>) {
        match shape {
            egui::Shape::Text(text) => found.push(text.galley.text().to_owned()),
            egui::Shape::Vec(all) => all.iter().for_each(|own| texts(own, found)),
            _ => {}
        }
    }

    #[test]
    fn the_axis_of_the_histogram_follows_new_data() {
        let context = egui::Context::default();
        let scale = ColourScale::new(Tolerance { low_mm: -0.1, high_mm: 0.1 }, 0.3);
        let shown = |half_mm: f64| {
            let data =
                Histogram { low_mm: -half_mm, high_mm: half_mm, counts: vec![1, 5, 9, 5, 1], below: 0, above: 0 };
            let mut found = Vec::new();
            // What a plot writes on its axis follows a frame later.
            for _ in 0..3 {
                found.clear();
                let output = context.run_ui(egui::RawInput::default(), |ui| histogram(ui, &scale, &data));
                output.shapes.iter().for_each(|own| texts(&own.shape, &mut found));
            }
            let numbers = found.iter().filter_map(|text| text.replace('\u{2212}', "-").parse::<f64>().ok());
            numbers.map(f64::abs).filter(|number| *number < 9.0 && *number > 0.0).fold(0.0, f64::max)
        };
        for half_mm in [0.2, 6.0, 0.04] {
            let largest = shown(half_mm);
            assert!(largest <= half_mm && largest >= 0.4 * half_mm, "{half_mm}: the axis ends at {largest}");
        }
    }
}
