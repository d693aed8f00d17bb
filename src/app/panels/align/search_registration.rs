//! Point-to-point registration with a chosen search method: part of the best fit options of the Align workspace.

use super::super::{PanelContext, named};
use crate::number_field::NumberField;
use crate::theme;
use compute::icp::{Filter, Search};
use dispatch::{Align, Command};
use inspect::alignment::search_registration::Parameters;
use texts::text;

/// Rejection of point pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PairRejection {
    None,
    Sigma,
    Robust,
}

impl PairRejection {
    const ALL: [Self; 3] = [Self::None, Self::Sigma, Self::Robust];

    fn name(self) -> String {
        match self {
            Self::None => text!("common-none"),
            Self::Sigma => text!("align-reject-sigma"),
            Self::Robust => text!("align-reject-mad"),
        }
    }
}

/// Parameters being edited.
#[derive(Clone, Debug)]
pub struct SearchRegistration {
    parameters: Parameters,
    rejection: PairRejection,
    /// First iteration that rejects pairs, from 0.
    from: usize,
    /// Limit, standard deviations.
    sigmas: f64,
}

impl Default for SearchRegistration {
    fn default() -> Self {
        Self { parameters: Parameters::default(), rejection: PairRejection::None, from: 15, sigmas: 3.0 }
    }
}

impl SearchRegistration {
    fn command(&self) -> Command {
        let filter = match self.rejection {
            PairRejection::None => Filter::None,
            PairRejection::Sigma => Filter::Sigma { from: self.from, limit: self.sigmas },
            PairRejection::Robust => Filter::Mad { from: self.from, limit: self.sigmas },
        };
        Command::Align(Align::BySearch(Box::new(Parameters { filter, ..self.parameters.clone() })))
    }
}

impl SearchRegistration {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        ui.separator();
        let draft = &mut *self;
        let name = |search: Search| texts::word(search.name());
        theme::choice(ui, &text!("align-search"), &mut draft.parameters.search, &Search::ALL, name);
        let label = text!("align-reject-pairs");
        theme::choice(ui, &label, &mut draft.rejection, &PairRejection::ALL, PairRejection::name);
        if draft.rejection != PairRejection::None {
            ui.horizontal(|ui| {
                let label = ui.label(text!("align-reject-beyond"));
                let drag = NumberField::new(&mut draft.sigmas).speed(0.05).range(0.1..=100.0).suffix(" σ");
                ui.add(drag).labelled_by(label.id);
                let label = ui.label(text!("align-reject-from"));
                ui.add(NumberField::new(&mut draft.from).range(0..=10_000)).labelled_by(label.id);
            });
        }
        ui.horizontal(|ui| {
            let label = ui.label(text!("align-max-iterations"));
            let drag = NumberField::new(&mut draft.parameters.max_iterations).range(1..=10_000);
            ui.add(drag).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            let label = ui.label(text!("align-error-limit")).on_hover_text(text!("align-error-limit-hint"));
            let drag = NumberField::new(&mut draft.parameters.error_limit_mm2).speed(1e-5).max_decimals(9);
            ui.add(drag.range(0.0..=1e6).unit("mm²")).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            let limit = &mut draft.parameters.change_limit_mm2;
            let mut is_given = limit.is_some();
            let hint = text!("align-change-limit-hint");
            if ui.checkbox(&mut is_given, text!("align-change-limit")).on_hover_text(hint).changed() {
                *limit = is_given.then_some(1e-8);
            }
            if let Some(limit) = limit {
                let drag = NumberField::new(limit).speed(1e-9).max_decimals(12).range(0.0..=1e6);
                named(&ui.add(drag.unit("mm²")), &text!("align-min-change"));
            }
        });
        let button = egui::Button::new(text!("align-register"));
        if ui.add_enabled(ready, button).on_hover_text(text!("align-register-hint")).clicked() {
            context.send(draft.command());
        }
    }
}
