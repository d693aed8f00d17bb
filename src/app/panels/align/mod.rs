//! Align workspace: automatic alignment, best fit and its options, point pairs.

mod main_alignment;
mod search_registration;
pub mod searches;

use super::{PanelContext, rows};
use crate::{Action, theme};
use base::capitalised;
use compute::registration::{Metric, Robust};
use dispatch::{Align, Inspect};
use geometry::Point;
use inspect::alignment::information::axis_words;
use inspect::alignment::{AmongOthers, Method};
pub(crate) use main_alignment::MainAlignmentDraft;
use search_registration::SearchRegistration;

/// What a click in the view picks.
#[derive(Clone, Copy, Debug)]
pub enum Picking {
    /// A point pair: first on the nominal, then on the scan.
    Pair {
        /// Point already picked on the nominal, nominal frame.
        nominal: Option<Point>,
    },
    /// A reference point on the nominal.
    ReferencePoint,
    /// A surface point on the nominal.
    SurfacePoint,
}

impl Picking {
    /// Whether the next click picks a point on the nominal, rather than on the scan.
    pub fn is_on_nominal(self) -> bool {
        !matches!(self, Self::Pair { nominal: Some(_) })
    }
}

/// Panel of the workspace.
#[derive(Default)]
pub struct AlignPanel {
    search_registration: SearchRegistration,
}

impl AlignPanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        theme::heading(ui, "Align");
        let document = context.document();
        let ready = document.nominal().is_some() && document.actual().is_some() && !context.is_busy;
        ui.add_enabled_ui(ready, |ui| {
            if theme::wide_main_button(ui, ready, "Align and compare").clicked() {
                context.send(Inspect::AlignAndCompare);
            }
            ui.horizontal(|ui| {
                if ui.button("Align automatically").on_hover_text("Finds the pose without initial alignment").clicked()
                {
                    context.send(Align::Run(Method::Auto));
                }
                if ui.button("Best fit").on_hover_text("Starts from the current pose").clicked() {
                    context.send(Align::Run(Method::BestFit));
                }
            });
        });
        if !ready && !context.is_busy {
            theme::weak(ui, "Load a nominal and a scan to begin.");
        }
        alignment_result(ui, context);
        main_alignment::show(ui, context);
        self.best_fit_options(ui, context, ready);
        pairs(ui, context, ready);
        searches(ui, context, ready);
        context.commit_settings(ui);
    }

    fn best_fit_options(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        egui::CollapsingHeader::new("Best fit options").show(ui, |ui| {
            let fit = &mut context.settings.best_fit;
            let name = |metric: Metric| match metric {
                Metric::PointToTriangle => "true surface",
                Metric::PointToPlane => "facet planes",
                Metric::PointToPoint => "closest points",
            };
            let metrics = [Metric::PointToTriangle, Metric::PointToPlane, Metric::PointToPoint];
            theme::choice(ui, "Distance to", &mut fit.metric, &metrics, name);
            let mut robust = fit.robust == Robust::Tukey;
            if ui.checkbox(&mut robust, "Reject outliers (Tukey weights)").changed() {
                fit.robust = if robust { Robust::Tukey } else { Robust::None };
            }
            let mut percent = 100.0 * fit.trim;
            let slider = egui::Slider::new(&mut percent, 0.0..=50.0).suffix(" %").text("Reject farthest points");
            if ui.add(slider).changed() {
                fit.trim = percent / 100.0;
            }
            ui.label("Locked degrees of freedom");
            ui.horizontal_wrapped(|ui| {
                let names =
                    ["Rotation x", "Rotation y", "Rotation z", "Translation x", "Translation y", "Translation z"];
                for (locked, name) in fit.locked.iter_mut().zip(names) {
                    ui.checkbox(locked, name);
                }
            });
            self.search_registration.show(ui, context, ready);
        });
    }
}

fn alignment_result(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let Some(alignment) = context.document().alignment() else { return };
    theme::heading(ui, "Result");
    let angle = alignment.nominal_from_scan.rotation.angle().to_degrees();
    let translation = alignment.nominal_from_scan.translation.vector;
    let mut figures = match alignment.main {
        Some(_) => vec![("Method", alignment.method_name())],
        None => vec![
            ("RMS minimised", format!("{:.4} mm", alignment.rms_mm)),
            ("Points used", format!("{:.1} %", 100.0 * alignment.overlap)),
            ("Iterations", alignment.iterations.to_string()),
        ],
    };
    figures.extend([
        ("Rotation", format!("{angle:.3}°")),
        ("Translation", format!("{:.3}, {:.3}, {:.3} mm", translation.x, translation.y, translation.z)),
    ]);
    rows(ui, "alignment", &figures);
    if let Some(main) = &alignment.main {
        theme::weak(ui, main.words());
        if !alignment.as_before.is_empty() {
            theme::weak(ui, format!("{}: as in the pre-alignment.", capitalised(&alignment.as_before.join(", "))));
        }
    } else if !alignment.information.weakest.is_empty() {
        theme::weak(ui, format!("{}.", capitalised(&alignment.information.weakest)));
    }
    if alignment.method == Method::Auto {
        theme::weak(ui, format!("Alternative poses: {}.", alignment.rivals.words()));
    }
    if let Some(sentence) = alignment.about_others() {
        match alignment.among_others {
            Some(AmongOthers::Found { .. }) => theme::weak(ui, sentence),
            _ => ui.colored_label(ui.visuals().warn_fg_color, sentence),
        };
    }
    if !alignment.alternatives.is_empty() {
        ui.colored_label(
            ui.visuals().warn_fg_color,
            "Comparable alternative poses; the part is symmetric as far as this scan shows:",
        );
        for (i, alternative) in alignment.alternatives.iter().enumerate() {
            let angle = alternative.angle_rad.to_degrees();
            let rotation = alternative.nominal_from_scan.rotation * alignment.nominal_from_scan.rotation.inverse();
            let axis = rotation
                .axis()
                .map_or_else(String::new, |axis| format!(" about {}", axis_words([axis.x, axis.y, axis.z])));
            let text = format!("Rotated by {angle:.1}°{axis}, RMS {:.4} mm", alternative.rms_mm);
            let button = egui::Button::new(text).min_size(egui::vec2(ui.available_width(), 24.0));
            if ui.add_enabled(!context.is_busy, button).on_hover_text("Use this pose").clicked() {
                context.send(Align::ChooseAlternative(i));
            }
        }
    }
}

fn searches(ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
    theme::heading(ui, "Search methods");
    ui.horizontal(|ui| {
        let hint = "Registers this scan with every closest-point search method on every device, from the current pose";
        if ui.add_enabled(ready, egui::Button::new("Compare search methods")).on_hover_text(hint).clicked() {
            context.send(Align::CompareSearches { start: None });
        }
        if context.document().searches.is_some() && ui.button("Show last").clicked() {
            context.ask(Action::ShowSearches);
        }
    });
}

fn pairs(ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
    theme::heading(ui, "Point pairs");
    match context.display.picking {
        None | Some(Picking::ReferencePoint | Picking::SurfacePoint) => {
            if ui.add_enabled(ready, egui::Button::new("Pick pairs")).clicked() {
                context.display.picking = Some(Picking::Pair { nominal: None });
            }
        }
        Some(picking) => {
            let step = if picking.is_on_nominal() {
                "Click a point on the nominal."
            } else {
                "Click the same point on the scan."
            };
            ui.colored_label(theme::ACCENT, step);
            if ui.button("Stop picking").clicked() {
                context.display.picking = None;
            }
        }
    }
    let pairs = &context.document().pairs;
    let residuals = inspect::alignment::point_pairs::fit(pairs).ok();
    egui::Grid::new("pairs").num_columns(3).striped(true).show(ui, |ui| {
        for (i, pair) in pairs.iter().enumerate() {
            let mut enabled = pair.enabled;
            if ui.checkbox(&mut enabled, format!("Pair {}", i + 1)).changed() {
                context.send(Align::TogglePair(i));
            }
            let residual = residuals.as_ref().and_then(|fit| fit.residuals_mm.get(i));
            ui.label(residual.map_or_else(|| "–".to_owned(), |mm| format!("{mm:.3} mm")));
            if ui.small_button("Remove").clicked() {
                context.send(Align::RemovePair(i));
            }
            ui.end_row();
        }
    });
    if !pairs.is_empty() {
        ui.horizontal(|ui| {
            if ui.add_enabled(residuals.is_some(), egui::Button::new("Align by pairs")).clicked() {
                context.send(Align::ByPairs);
            }
            if ui.button("Remove all").clicked() {
                context.send(Align::ClearPairs);
            }
        });
    }
    if !pairs.is_empty() && residuals.is_none() {
        theme::weak(ui, "At least three non-collinear pairs are required.");
    }
}
