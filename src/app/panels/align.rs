//! The Align workspace: automatic start, best fit and its options, point pairs.

use super::super::{App, theme};
use super::rows;
use base::capitalised;
use compute::registration::{Metric, Robust};
use dispatch::{Align, Command, Inspect};
use geometry::Point;
use inspect::alignment::Method;
use inspect::alignment::information::axis_words;

/// Picking of point pairs: first on the nominal, then on the scan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Picking {
    /// The place already picked on the nominal.
    pub nominal: Option<Point>,
}

impl App {
    pub(super) fn align_panel(&mut self, ui: &mut egui::Ui) {
        theme::heading(ui, "Align");
        let document = &self.dispatcher.document;
        let ready = document.nominal().is_some() && document.actual().is_some() && !self.is_busy();
        let mut send = None;
        ui.add_enabled_ui(ready, |ui| {
            if theme::wide_main_button(ui, ready, "Align and compare").clicked() {
                send = Some(Inspect::AlignAndCompare.into());
            }
            ui.horizontal(|ui| {
                if ui.button("Align automatically").on_hover_text("Finds the pose with no guess").clicked() {
                    send = Some(Align::Run(Method::Auto).into());
                }
                if ui.button("Best fit").on_hover_text("Fits from the present pose").clicked() {
                    send = Some(Align::Run(Method::BestFit).into());
                }
            });
        });
        if !ready && !self.is_busy() {
            theme::weak(ui, "Load a nominal and a scan to begin.");
        }
        self.alignment_result(ui, &mut send);
        self.best_fit_options(ui, ready, &mut send);
        self.pairs(ui, ready, &mut send);
        self.searches(ui, ready, &mut send);
        if let Some(command) = send {
            self.send(command);
        }
        self.commit_settings(ui);
    }

    fn alignment_result(&self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let Some(alignment) = self.dispatcher.document.alignment() else { return };
        theme::heading(ui, "Result");
        let angle = alignment.nominal_from_scan.rotation.angle().to_degrees();
        let shift = alignment.nominal_from_scan.translation.vector;
        rows(
            ui,
            "alignment",
            &[
                ("RMS minimised", format!("{:.4} mm", alignment.rms_mm)),
                ("Points used", format!("{:.1} %", 100.0 * alignment.overlap)),
                ("Iterations", alignment.iterations.to_string()),
                ("Rotation", format!("{angle:.3}°")),
                ("Translation", format!("{:.3}, {:.3}, {:.3} mm", shift.x, shift.y, shift.z)),
            ],
        );
        if !alignment.information.weakest.is_empty() {
            theme::weak(ui, format!("{}.", capitalised(&alignment.information.weakest)));
        }
        if alignment.method == Method::Auto {
            theme::weak(ui, format!("Other poses were {}.", alignment.rivals.words()));
        }
        if !alignment.alternatives.is_empty() {
            ui.colored_label(
                ui.visuals().warn_fg_color,
                "Other poses fit about as well; the part is symmetric as far as this scan shows:",
            );
            for (i, alternative) in alignment.alternatives.iter().enumerate() {
                let angle = alternative.angle_rad.to_degrees();
                let turn = alternative.nominal_from_scan.rotation * alignment.nominal_from_scan.rotation.inverse();
                let axis = turn
                    .axis()
                    .map_or_else(String::new, |axis| format!(" about {}", axis_words([axis.x, axis.y, axis.z])));
                let text = format!("Turned by {angle:.1}°{axis}, RMS {:.4} mm", alternative.rms_mm);
                let button = egui::Button::new(text).min_size(egui::vec2(ui.available_width(), 24.0));
                if ui.add_enabled(!self.is_busy(), button).on_hover_text("Take this pose instead").clicked() {
                    *send = Some(Align::ChooseAlternative(i).into());
                }
            }
        }
    }

    fn best_fit_options(&mut self, ui: &mut egui::Ui, ready: bool, send: &mut Option<Command>) {
        egui::CollapsingHeader::new("Best fit options").show(ui, |ui| {
            let fit = &mut self.draft.best_fit;
            let name = |metric: Metric| match metric {
                Metric::PointToTriangle => "true surface",
                Metric::PointToPlane => "facet planes",
                Metric::PointToPoint => "closest points",
            };
            let metrics = [Metric::PointToTriangle, Metric::PointToPlane, Metric::PointToPoint];
            theme::choice(ui, "Distance to", &mut fit.metric, &metrics, name);
            let mut robust = fit.robust == Robust::Tukey;
            if ui.checkbox(&mut robust, "Ignore outliers (Tukey weights)").changed() {
                fit.robust = if robust { Robust::Tukey } else { Robust::None };
            }
            let mut percent = 100.0 * fit.trim;
            let slider = egui::Slider::new(&mut percent, 0.0..=50.0).suffix(" %").text("Leave out the farthest");
            if ui.add(slider).changed() {
                fit.trim = percent / 100.0;
            }
            ui.label("Keep as they are");
            ui.horizontal_wrapped(|ui| {
                let names = ["Turn x", "Turn y", "Turn z", "Shift x", "Shift y", "Shift z"];
                for (locked, name) in fit.locked.iter_mut().zip(names) {
                    ui.checkbox(locked, name);
                }
            });
            self.by_search(ui, ready, send);
        });
    }

    fn searches(&mut self, ui: &mut egui::Ui, ready: bool, send: &mut Option<Command>) {
        theme::heading(ui, "Searches");
        ui.horizontal(|ui| {
            let hint =
                "Registers this scan with every search for closest points on every device, from the present pose";
            if ui.add_enabled(ready, egui::Button::new("Compare searches")).on_hover_text(hint).clicked() {
                *send = Some(Align::CompareSearches { start: None }.into());
            }
            if self.dispatcher.document.searches.is_some() && ui.button("Show the last").clicked() {
                self.searches_open = true;
            }
        });
    }

    fn pairs(&mut self, ui: &mut egui::Ui, ready: bool, send: &mut Option<Command>) {
        theme::heading(ui, "Point pairs");
        match &self.picking {
            None => {
                if ui.add_enabled(ready, egui::Button::new("Pick pairs")).clicked() {
                    self.picking = Some(Picking::default());
                }
            }
            Some(picking) => {
                let step = if picking.nominal.is_none() {
                    "Click a place on the nominal."
                } else {
                    "Click the same place on the scan."
                };
                ui.colored_label(theme::ACCENT, step);
                if ui.button("Stop picking").clicked() {
                    self.picking = None;
                }
            }
        }
        let pairs = &self.dispatcher.document.pairs;
        let residuals = inspect::alignment::point_pairs::fit(pairs).ok();
        egui::Grid::new("pairs").num_columns(3).striped(true).show(ui, |ui| {
            for (i, pair) in pairs.iter().enumerate() {
                let mut enabled = pair.enabled;
                if ui.checkbox(&mut enabled, format!("Pair {}", i + 1)).changed() {
                    *send = Some(Align::TogglePair(i).into());
                }
                let residual = residuals.as_ref().and_then(|fit| fit.residuals_mm.get(i));
                ui.label(residual.map_or_else(|| "–".to_owned(), |mm| format!("{mm:.3} mm")));
                if ui.small_button("Remove").clicked() {
                    *send = Some(Align::RemovePair(i).into());
                }
                ui.end_row();
            }
        });
        if !pairs.is_empty() {
            ui.horizontal(|ui| {
                if ui.add_enabled(residuals.is_some(), egui::Button::new("Align by pairs")).clicked() {
                    *send = Some(Align::ByPairs.into());
                }
                if ui.button("Remove all").clicked() {
                    *send = Some(Align::ClearPairs.into());
                }
            });
        }
        if !pairs.is_empty() && residuals.is_none() {
            theme::weak(ui, "Three pairs or more, not on one line, are needed.");
        }
    }
}
