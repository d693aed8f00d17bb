//! Cleaning of the scan: outlier removal, thinning and normal estimation.

use super::super::PanelContext;
use crate::number_field::NumberField;
use crate::theme;
use compute::thinning::Rule;
use dispatch::Parts;
use inspect::cleaning::Step;

/// Cleaning parameters being edited.
#[derive(Clone, Copy, Debug)]
pub struct CleaningSection {
    sigmas: f64,
    distance_mm: f64,
}

impl Default for CleaningSection {
    fn default() -> Self {
        Self { sigmas: 3.0, distance_mm: 0.5 }
    }
}

impl CleaningSection {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ready = !context.is_busy;
        let mut step = None;
        let draft = &mut *self;
        egui::CollapsingHeader::new("Clean scan").show(ui, |ui| {
            let parameter = |ui: &mut egui::Ui, name: &str, value: &mut f64, unit: &str, button: &str, hint: &str| {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let low = if unit.contains("mm") { 1e-3 } else { 0.0 };
                    let drag = NumberField::new(value).speed(0.01).range(low..=1e3).max_decimals(3).suffix(unit);
                    ui.add(drag).labelled_by(label.id);
                });
                ui.add_enabled(ready, egui::Button::new(button)).on_hover_text(hint).clicked()
            };
            let hint = "Removes points whose mean distance from their neighbours exceeds the mean of all points by \
                        more than this many standard deviations";
            if parameter(ui, "Outliers beyond", &mut draft.sigmas, " σ", "Remove outliers", hint) {
                step = Some(Step::RemoveOutliers { neighbours: 16, sigmas: draft.sigmas });
            }
            let hint = "Thins the points to an even density: no two closer than this";
            if parameter(ui, "Min. point distance", &mut draft.distance_mm, " mm", "Thin", hint) {
                step = Some(Step::Thin(Rule::Distance(draft.distance_mm)));
            }
            let hint = "Estimates the normal of every point from its neighbours, oriented towards the sensor if its \
                        position is known from the scan";
            if ui.add_enabled(ready, egui::Button::new("Find normals")).on_hover_text(hint).clicked() {
                step = Some(Step::Normals);
            }
        });
        let done = context.document().actual().into_iter().flat_map(|actual| &actual.cleaning);
        for step in done.map(Step::name) {
            theme::weak(ui, format!("{step}: done"));
        }
        if let Some(step) = step {
            context.send(Parts::CleanScan(step));
        }
    }
}
