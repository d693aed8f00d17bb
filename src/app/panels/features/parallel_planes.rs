//! Fit of parallel planes with a common normal, in the Features workspace.

use super::super::{PanelContext, named};
use crate::number_field::NumberField;
use crate::theme;
use dispatch::Features;
use inspect::features::Kind;
use inspect::features::fits::weights::{Weighting, Weights};
use session::selection::Selectable;
use texts::text;

/// State of the section.
#[derive(Clone, Debug)]
pub struct ParallelPlanes {
    /// Names of the ticked planes and selections.
    chosen: Vec<String>,
    by: Weighting,
    masks: bool,
    max_incidence_deg: f64,
}

impl Default for ParallelPlanes {
    fn default() -> Self {
        Self { chosen: Vec::new(), by: Weighting::None, masks: false, max_incidence_deg: 60.0 }
    }
}

impl ParallelPlanes {
    /// Draws the section. Parallel planes are fitted to named selections of points and to fitted planes.
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, clip_sigmas: Option<f64>) {
        let (ready, document) = (!context.is_busy, context.document());
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
        let draft = &mut *self;
        draft.chosen.retain(|name| names.contains(name));
        egui::CollapsingHeader::new(text!("features-parallel-planes")).show(ui, |ui| {
            theme::weak(ui, text!("features-parallel-planes-note"));
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
            let weights = text!("features-weights");
            theme::choice(ui, &weights, &mut draft.by, &Weighting::ALL, |own| texts::word(own.name()));
            ui.horizontal(|ui| {
                ui.checkbox(&mut draft.masks, text!("features-mask-incidence"));
                let drag = NumberField::new(&mut draft.max_incidence_deg).speed(0.5).range(1.0..=90.0).suffix("°");
                named(&ui.add_enabled(draft.masks, drag), &text!("features-max-incidence"));
            });
            let has_enough = draft.chosen.len() >= 2;
            let button = ui.add_enabled(ready && has_enough, egui::Button::new(text!("features-fit-parallel-planes")));
            if button.on_disabled_hover_text(text!("features-tick-two")).clicked() {
                let max_incidence_rad = draft.masks.then_some(draft.max_incidence_deg.to_radians());
                let weights = Weights { by: draft.by, max_incidence_rad };
                context.send(Features::FitParallelPlanes { planes: draft.chosen.clone(), weights, clip_sigmas });
            }
        });
    }
}
