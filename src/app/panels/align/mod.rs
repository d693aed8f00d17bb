//! Align workspace: automatic alignment, best fit and its options, point pairs.

mod by_hand;
mod main_alignment;
mod search_registration;
pub mod searches;

use super::{PanelContext, rows};
use crate::lengths::{length_text, position_text, with_unit};
use crate::{Action, theme};
use base::capitalised;
use compute::registration::{Metric, Robust};
use dispatch::{Align, Inspect};
use geometry::Point;
use inspect::alignment::information::axis_words;
use inspect::alignment::{Alignment, AmongOthers, Method};
pub(crate) use main_alignment::MainAlignmentDraft;
use search_registration::SearchRegistration;
use texts::text;

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
    /// A point of the nominal or the scan that places a section.
    SectionPoint,
    /// The pivot for moving the scan by hand, on the nominal.
    Pivot,
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
        theme::heading(ui, text!("align-heading"));
        let document = context.document();
        let ready = document.nominal().is_some() && document.actual().is_some() && !context.is_busy;
        ui.add_enabled_ui(ready, |ui| {
            if theme::wide_main_button(ui, ready, text!("align-and-compare")).clicked() {
                context.send(Inspect::AlignAndCompare);
            }
            ui.horizontal_wrapped(|ui| {
                let hint = text!("align-automatically-hint");
                if ui.button(text!("align-automatically")).on_hover_text(hint).clicked() {
                    context.send(Align::Run(Method::Auto));
                }
                if ui.button(text!("align-best-fit")).on_hover_text(text!("align-best-fit-hint")).clicked() {
                    context.send(Align::Run(Method::BestFit));
                }
                by_hand::toggle(ui, context);
            });
        });
        if !ready && !context.is_busy {
            theme::weak(ui, text!("align-load-first"));
        }
        by_hand::show(ui, context);
        alignment_result(ui, context);
        main_alignment::show(ui, context);
        self.best_fit_options(ui, context, ready);
        pairs(ui, context, ready);
        searches(ui, context, ready);
    }

    fn best_fit_options(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        egui::CollapsingHeader::new(text!("align-options")).show(ui, |ui| {
            let fit = &mut context.settings.best_fit;
            let name = |metric: Metric| match metric {
                Metric::PointToTriangle => text!("align-distance-surface"),
                Metric::PointToPlane => text!("align-distance-planes"),
                Metric::PointToPoint => text!("align-distance-points"),
            };
            let metrics = [Metric::PointToTriangle, Metric::PointToPlane, Metric::PointToPoint];
            theme::choice(ui, &text!("align-distance-to"), &mut fit.metric, &metrics, name);
            let mut robust = fit.robust == Robust::Tukey;
            if ui.checkbox(&mut robust, text!("align-reject-outliers")).changed() {
                fit.robust = if robust { Robust::Tukey } else { Robust::None };
            }
            let mut percent = 100.0 * fit.trim;
            let slider = egui::Slider::new(&mut percent, 0.0..=50.0).suffix(" %").text(text!("align-reject-farthest"));
            if ui.add(slider).changed() {
                fit.trim = percent / 100.0;
            }
            ui.label(text!("align-locked"));
            ui.horizontal_wrapped(|ui| {
                let names = [
                    text!("align-locked-rotation-x"),
                    text!("align-locked-rotation-y"),
                    text!("align-locked-rotation-z"),
                    text!("align-locked-translation-x"),
                    text!("align-locked-translation-y"),
                    text!("align-locked-translation-z"),
                ];
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
    theme::heading(ui, text!("align-result"));
    let angle = alignment.nominal_from_scan.rotation.angle().to_degrees();
    let translation = alignment.nominal_from_scan.translation.vector;
    let mut figures = match alignment.main {
        Some(_) => vec![method(alignment)],
        // Nothing was fitted.
        None if alignment.by_hand => vec![method(alignment)],
        None => vec![
            (text!("align-rms"), with_unit(length_text(alignment.rms_mm, 4))),
            (text!("align-points-used"), format!("{:.1} %", 100.0 * alignment.overlap)),
            (text!("align-iterations"), alignment.iterations.to_string()),
        ],
    };
    figures.extend([
        (text!("align-rotation"), format!("{angle:.3}°")),
        (text!("align-translation"), with_unit(position_text([translation.x, translation.y, translation.z], 3))),
    ]);
    rows(ui, "alignment", &figures);
    if let Some(main) = &alignment.main {
        theme::weak(ui, texts::word(&main.words()));
        if !alignment.as_before.is_empty() {
            let motions = capitalised(&freedoms_in_words(&alignment.as_before));
            theme::weak(ui, text!("align-as-before", motions = motions));
        }
    } else if alignment.by_hand {
        theme::weak(ui, text!("align-not-fitted"));
    } else if !alignment.information.weakest.is_empty() {
        theme::weak(ui, format!("{}.", capitalised(&texts::word(&alignment.information.weakest))));
    }
    if alignment.method == Method::Auto {
        let rivals = alignment.rivals.words();
        theme::weak(ui, text!("align-rivals", rivals = texts::word(&rivals).into_owned()));
    }
    if let Some(sentence) = alignment.about_others().map(|own| texts::word(&own).into_owned()) {
        match alignment.among_others {
            Some(AmongOthers::Found { .. }) => theme::weak(ui, sentence),
            _ => ui.colored_label(ui.visuals().warn_fg_color, sentence),
        };
    }
    if let Some(offset) = alignment.uniform_offset {
        let sentence = offset.remark().unwrap_or_else(|| format!("{}.", capitalised(&offset.reservation())));
        ui.colored_label(ui.visuals().warn_fg_color, texts::word(&sentence));
    }
    if !alignment.alternatives.is_empty() {
        ui.colored_label(ui.visuals().warn_fg_color, text!("align-alternatives"));
        for (i, alternative) in alignment.alternatives.iter().enumerate() {
            let angle = alternative.angle_rad.to_degrees();
            let rotation = alternative.nominal_from_scan.rotation * alignment.nominal_from_scan.rotation.inverse();
            let (angle, rms) = (format!("{angle:.1}"), with_unit(length_text(alternative.rms_mm, 4)));
            let words = match rotation.axis().map(|axis| axis_words([axis.x, axis.y, axis.z])) {
                Some(axis) => match axis.strip_prefix("the direction ") {
                    Some(direction) => {
                        text!("align-rotated-about-direction", angle = angle, direction = direction, rms = rms)
                    }
                    None => text!("align-rotated-about", angle = angle, axis = axis, rms = rms),
                },
                None => text!("align-rotated", angle = angle, rms = rms),
            };
            let button = egui::Button::new(words).min_size(egui::vec2(ui.available_width(), 24.0));
            if ui.add_enabled(!context.is_busy, button).on_hover_text(text!("align-use-pose")).clicked() {
                context.send(Align::ChooseAlternative(i));
            }
        }
    }
}

/// The row that names the method.
fn method(alignment: &Alignment) -> (String, String) {
    (text!("align-method"), texts::word(&alignment.method_name()).into_owned())
}

/// Degrees of freedom in words, in the language of the window.
fn freedoms_in_words(all: &[String]) -> String {
    let words: Vec<_> = all.iter().map(|own| texts::word(own)).collect();
    words.join(", ")
}

fn searches(ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
    theme::heading(ui, text!("align-searches"));
    ui.horizontal(|ui| {
        let button = egui::Button::new(text!("align-compare-searches"));
        if ui.add_enabled(ready, button).on_hover_text(text!("align-compare-searches-hint")).clicked() {
            context.send(Align::CompareSearches { start: None });
        }
        if context.document().searches.is_some() && ui.button(text!("align-show-last")).clicked() {
            context.ask(Action::ShowSearches);
        }
    });
}

fn pairs(ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
    theme::heading(ui, text!("align-pairs"));
    match context.display.picking {
        None | Some(Picking::ReferencePoint | Picking::SurfacePoint | Picking::SectionPoint | Picking::Pivot) => {
            if ui.add_enabled(ready, egui::Button::new(text!("align-pick-pairs"))).clicked() {
                context.display.picking = Some(Picking::Pair { nominal: None });
            }
        }
        Some(picking) => {
            let step = if picking.is_on_nominal() { text!("align-click-nominal") } else { text!("align-click-scan") };
            ui.colored_label(theme::ACCENT, step);
            if ui.button(text!("align-stop-picking")).clicked() {
                context.display.picking = None;
            }
        }
    }
    let pairs = &context.document().pairs;
    let residuals = inspect::alignment::point_pairs::fit(pairs).ok();
    egui::Grid::new("pairs").num_columns(3).striped(true).show(ui, |ui| {
        for (i, pair) in pairs.iter().enumerate() {
            let mut enabled = pair.enabled;
            if ui.checkbox(&mut enabled, text!("align-pair", number = i + 1)).changed() {
                context.send(Align::TogglePair(i));
            }
            let residual = residuals.as_ref().and_then(|fit| fit.residuals_mm.get(i));
            ui.label(residual.map_or_else(|| "–".to_owned(), |mm| with_unit(length_text(*mm, 3))));
            if ui.small_button(text!("common-remove")).clicked() {
                context.send(Align::RemovePair(i));
            }
            ui.end_row();
        }
    });
    if !pairs.is_empty() {
        ui.horizontal(|ui| {
            if ui.add_enabled(residuals.is_some(), egui::Button::new(text!("align-by-pairs"))).clicked() {
                context.send(Align::ByPairs);
            }
            if ui.button(text!("align-remove-all")).clicked() {
                context.send(Align::ClearPairs);
            }
        });
    }
    if !pairs.is_empty() && residuals.is_none() {
        theme::weak(ui, text!("align-few-pairs"));
    }
}
