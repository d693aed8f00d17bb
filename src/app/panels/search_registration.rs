//! Registration point to point with a chosen search: a part of the options in the workspace Align.

use super::super::{App, theme};
use super::named;
use crate::number_field::NumberField;
use compute::icp::{Filter, Search};
use dispatch::{Align, Command};
use inspect::alignment::search_registration::Parameters;

/// Which pairs are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftOut {
    None,
    Sigma,
    Robust,
}

impl LeftOut {
    const ALL: [Self; 3] = [Self::None, Self::Sigma, Self::Robust];

    fn name(self) -> &'static str {
        match self {
            Self::None => "no pairs",
            Self::Sigma => "by standard deviation",
            Self::Robust => "by robust deviation",
        }
    }
}

/// What this part remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    parameters: Parameters,
    left_out: LeftOut,
    from: usize,
    sigmas: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Self { parameters: Parameters::default(), left_out: LeftOut::None, from: 15, sigmas: 3.0 }
    }
}

impl Draft {
    fn command(&self) -> Command {
        let filter = match self.left_out {
            LeftOut::None => Filter::None,
            LeftOut::Sigma => Filter::Sigma { from: self.from, limit: self.sigmas },
            LeftOut::Robust => Filter::Mad { from: self.from, limit: self.sigmas },
        };
        Command::Align(Align::BySearch(Box::new(Parameters { filter, ..self.parameters.clone() })))
    }
}

impl App {
    pub(super) fn by_search(&mut self, ui: &mut egui::Ui, ready: bool, send: &mut Option<Command>) {
        ui.separator();
        let draft = &mut self.search_draft;
        theme::choice(ui, "Search", &mut draft.parameters.search, &Search::ALL, Search::name);
        theme::choice(ui, "Leave out", &mut draft.left_out, &LeftOut::ALL, LeftOut::name);
        if draft.left_out != LeftOut::None {
            ui.horizontal(|ui| {
                let label = ui.label("Beyond");
                let drag = NumberField::new(&mut draft.sigmas).speed(0.05).range(0.1..=100.0).suffix(" σ");
                ui.add(drag).labelled_by(label.id);
                let label = ui.label("from iteration");
                ui.add(NumberField::new(&mut draft.from).range(0..=10_000)).labelled_by(label.id);
            });
        }
        ui.horizontal(|ui| {
            let label = ui.label("Iterations at most");
            let drag = NumberField::new(&mut draft.parameters.max_iterations).range(1..=10_000);
            ui.add(drag).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            let label = ui.label("Stop at a mean square of").on_hover_text("0 never stops by it");
            let drag = NumberField::new(&mut draft.parameters.error_limit_mm2).speed(1e-5).max_decimals(9);
            ui.add(drag.range(0.0..=1e6).suffix(" mm²")).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            let limit = &mut draft.parameters.change_limit_mm2;
            let mut is_given = limit.is_some();
            let hint = "Otherwise the square of a millionth of the nominal's diagonal";
            if ui.checkbox(&mut is_given, "or at a change of").on_hover_text(hint).changed() {
                *limit = is_given.then_some(1e-8);
            }
            if let Some(limit) = limit {
                let drag = NumberField::new(limit).speed(1e-9).max_decimals(12).range(0.0..=1e6);
                named(&ui.add(drag.suffix(" mm²")), "Smallest change");
            }
        });
        let hint = "Point to point from the present pose, with this search for the closest point on sampled facets";
        let button = egui::Button::new("Register with this search");
        if ui.add_enabled(ready, button).on_hover_text(hint).clicked() {
            *send = Some(draft.command());
        }
    }
}
