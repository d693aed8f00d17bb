//! Parallel planes of one normal: a part of the Features workspace.

use super::super::{App, theme};
use super::named;
use crate::number_field::NumberField;
use dispatch::{Command, Features};
use inspect::features::Kind;
use inspect::features::weights::{Weighting, Weights};
use session::selection::Selectable;

/// What this part remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Names of what is ticked.
    chosen: Vec<String>,
    by: Weighting,
    masks: bool,
    max_incidence_deg: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Self { chosen: Vec::new(), by: Weighting::None, masks: false, max_incidence_deg: 60.0 }
    }
}

impl App {
    /// Named selections of points and fitted planes are what parallel planes are fitted to.
    pub(super) fn parallel_planes(&mut self, ui: &mut egui::Ui, clip_sigmas: Option<f64>, send: &mut Option<Command>) {
        let (ready, document) = (!self.is_busy(), &self.dispatcher.document);
        let selections =
            document.selections.iter().filter(|own| own.of == Selectable::Points).map(|own| own.name.as_str());
        let planes =
            document.features().into_iter().filter(|own| own.recipe.fitting.kind == Kind::Plane).map(|own| own.name);
        let mut names: Vec<String> = Vec::new();
        for name in selections.chain(planes) {
            if !names.iter().any(|own| own == name) {
                names.push(name.to_owned());
            }
        }
        if names.len() < 2 {
            return;
        }
        let draft = &mut self.plane_set_draft;
        draft.chosen.retain(|name| names.contains(name));
        egui::CollapsingHeader::new("Parallel planes").show(ui, |ui| {
            theme::weak(ui, "One normal for the points of all that are ticked, each plane through its own centroid.");
            for name in &names {
                let mut is_chosen = draft.chosen.contains(name);
                if ui.checkbox(&mut is_chosen, name.as_str()).changed() {
                    if is_chosen {
                        draft.chosen.push(name.clone());
                    } else {
                        draft.chosen.retain(|own| own != name);
                    }
                }
            }
            theme::choice(ui, "Weights", &mut draft.by, &Weighting::ALL, Weighting::name);
            ui.horizontal(|ui| {
                ui.checkbox(&mut draft.masks, "Mask points seen at more than");
                let drag = NumberField::new(&mut draft.max_incidence_deg).speed(0.5).range(1.0..=90.0).suffix("°");
                named(&ui.add_enabled(draft.masks, drag), "Largest angle of incidence");
            });
            let enough = draft.chosen.len() >= 2;
            let button = egui::Button::new("Fit parallel planes");
            if ui.add_enabled(ready && enough, button).on_disabled_hover_text("Tick two planes or more").clicked() {
                let max_incidence_rad = draft.masks.then_some(draft.max_incidence_deg.to_radians());
                let weights = Weights { by: draft.by, max_incidence_rad };
                *send = Some(Features::FitParallelPlanes { planes: draft.chosen.clone(), weights, clip_sigmas }.into());
            }
        });
    }
}
