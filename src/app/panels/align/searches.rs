//! Window with the comparison of search methods: table and histogram of walk lengths.

use egui_plot::{Bar, BarChart, Legend, Plot};

use super::super::PanelContext;
use crate::lengths::{length_text, with_unit};
use crate::theme;
use inspect::alignment::search_comparison::{Row, SearchComparison};
use texts::text;

/// State of the window.
#[derive(Default)]
pub struct SearchesWindow {
    /// Whether the window is shown.
    pub is_open: bool,
}

impl SearchesWindow {
    /// Draws the window with the last comparison.
    pub fn show(&mut self, egui: &egui::Context, context: &PanelContext<'_>) {
        let Some(comparison) = context.document().searches.clone() else { return };
        let mut open = self.is_open;
        egui::Window::new(text!("align-searches-title"))
            .open(&mut open)
            .collapsible(false)
            .default_size([760.0, 560.0])
            .default_pos([280.0, 90.0])
            .show(egui, |ui| {
                ui.label(text!(
                    "align-searches-points",
                    scan = theme::count(comparison.sensed),
                    nominal = theme::count(comparison.truth),
                    agreement = texts::word(&comparison.agreement()).into_owned(),
                ));
                let (tree, graph) = (format!("{:.1}", comparison.tree_ms), format!("{:.0}", comparison.graph_ms));
                theme::weak(ui, text!("align-searches-about", tree = tree, graph = graph));
                ui.add_space(6.0);
                table(ui, &comparison);
                ui.add_space(8.0);
                ui.horizontal(|ui| {
                    theme::heading(ui, text!("align-searches-walks"));
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let button = ui.button(text!("align-searches-copy"));
                        if button.on_hover_text(text!("align-searches-copy-hint")).clicked() {
                            ui.ctx().copy_text(csv(&comparison));
                        }
                    });
                });
                walks(ui, &comparison);
            });
        self.is_open = open;
    }
}

/// Number of columns.
const COLUMNS: usize = 8;

/// Titles and descriptions of the columns.
fn columns() -> [(String, String); COLUMNS] {
    [
        (text!("align-searches-method"), text!("align-searches-method-hint")),
        (text!("align-searches-device"), text!("align-searches-device-hint")),
        (text!("align-searches-time"), text!("align-searches-time-hint")),
        (text!("align-searches-iterations"), text!("align-searches-iterations-hint")),
        (text!("align-searches-rms"), text!("align-searches-rms-hint")),
        (text!("align-searches-difference"), text!("align-searches-difference-hint")),
        (text!("align-searches-visited"), text!("align-searches-visited-hint")),
        (text!("align-searches-share"), text!("align-searches-share-hint")),
    ]
}

fn cells(row: &Row) -> [String; COLUMNS] {
    [
        texts::word(row.search).into_owned(),
        texts::word(row.device.kind.name()).into_owned(),
        format!("{:.2} ms", row.total_ms),
        row.iterations.to_string(),
        with_unit(length_text(row.rms_mm, 4)),
        if row.apart_mm < 1e-6 { with_unit(0) } else { with_unit(length_text(row.apart_mm, 4)) },
        row.mean_visited.map_or_else(|| "–".to_owned(), |visited| format!("{visited:.2}")),
        row.search_share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
    ]
}

/// A table cell: text left-aligned, figures right-aligned.
fn cell(ui: &mut egui::Ui, column: usize, text: egui::RichText) -> egui::Response {
    if column < 2 {
        return ui.label(text);
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label(text)).inner
}

fn table(ui: &mut egui::Ui, comparison: &SearchComparison) {
    let fastest = |row: &Row| {
        let own = comparison.rows.iter().filter(|other| other.device == row.device && other.is_exact);
        row.is_exact && own.fold(f64::INFINITY, |min, other| min.min(other.total_ms)) >= row.total_ms
    };
    egui::Grid::new("searches").num_columns(COLUMNS).striped(true).spacing([18.0, 5.0]).show(ui, |ui| {
        for (column, (name, hint)) in columns().into_iter().enumerate() {
            let text = egui::RichText::new(name).family(theme::strong_family());
            cell(ui, column, text).on_hover_text(hint);
        }
        ui.end_row();
        for row in &comparison.rows {
            for (column, text) in cells(row).into_iter().enumerate() {
                let text = egui::RichText::new(text);
                let text = if column == 2 && fastest(row) { text.color(theme::GOOD).strong() } else { text };
                cell(ui, column, text);
            }
            ui.end_row();
        }
    });
}

/// Histogram of walk lengths on the first device.
fn walks(ui: &mut egui::Ui, comparison: &SearchComparison) {
    let Some(first) = comparison.rows.first() else { return };
    let rows: Vec<&Row> =
        comparison.rows.iter().filter(|row| row.device == first.device && !row.walks.is_empty()).collect();
    let charts = rows.iter().enumerate().map(|(i, row)| {
        let all = f64::from(row.walks.iter().sum::<u32>().max(1));
        let bars = row.walks.iter().enumerate().filter(|(_, walks)| **walks > 0).map(|(length, walks)| {
            let position = length as f64 + 0.2 * (i as f64 - 1.5);
            Bar::new(position, 100.0 * f64::from(*walks) / all).width(0.2)
        });
        BarChart::new(texts::word(row.search), bars.collect())
    });
    let charts: Vec<BarChart> = charts.collect();
    Plot::new("walks")
        .height(170.0)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_zoom(false)
        .legend(Legend::default())
        .x_axis_label(text!("align-searches-axis-visited"))
        .y_axis_label(text!("align-searches-axis-walks"))
        .show(ui, |plot| charts.into_iter().for_each(|chart| plot.bar_chart(chart)));
}

fn csv(comparison: &SearchComparison) -> String {
    let mut text = "search,device,total_ms,iterations,rms_mm,apart_mm,apart_deg,search_share,mean_visited\n".to_owned();
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for row in &comparison.rows {
        text.push_str(&format!(
            "\"{}\",\"{}\",{},{},{},{},{},{},{}\n",
            row.search,
            row.device.device,
            row.total_ms,
            row.iterations,
            row.rms_mm,
            row.apart_mm,
            row.apart_deg,
            optional(row.search_share),
            optional(row.mean_visited)
        ));
    }
    text
}
