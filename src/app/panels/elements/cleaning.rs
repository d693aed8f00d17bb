//! Cleaning of the scan: outlier removal, thinning and normal estimation.

use super::super::PanelContext;
use crate::number_field::NumberField;
use crate::theme;
use compute::thinning::Rule;
use dispatch::Parts;
use inspect::cleaning::Step;
use texts::text;

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
        egui::CollapsingHeader::new(text!("elements-clean")).show(ui, |ui| {
            let parameter =
                |ui: &mut egui::Ui, name: &str, value: &mut f64, unit: &str, button: String, hint: String| {
                    ui.horizontal(|ui| {
                        let label = ui.label(name);
                        let low = if unit.contains("mm") { 1e-3 } else { 0.0 };
                        let drag = NumberField::new(value).speed(0.01).range(low..=1e3).max_decimals(3).unit(unit);
                        ui.add(drag).labelled_by(label.id);
                    });
                    ui.add_enabled(ready, egui::Button::new(button)).on_hover_text(hint).clicked()
                };
            let (name, button) = (text!("elements-outliers"), text!("elements-remove-outliers"));
            if parameter(ui, &name, &mut draft.sigmas, " σ", button, text!("elements-outliers-hint")) {
                step = Some(Step::RemoveOutliers { neighbours: 16, sigmas: draft.sigmas });
            }
            let (name, button) = (text!("elements-point-distance"), text!("elements-thin"));
            if parameter(ui, &name, &mut draft.distance_mm, " mm", button, text!("elements-thin-hint")) {
                step = Some(Step::Thin(Rule::Distance(draft.distance_mm)));
            }
            let find = egui::Button::new(text!("elements-find-normals"));
            if ui.add_enabled(ready, find).on_hover_text(text!("elements-find-normals-hint")).clicked() {
                step = Some(Step::Normals);
            }
        });
        let done = context.document().actual().into_iter().flat_map(|actual| &actual.cleaning);
        for step in done.map(Step::name) {
            theme::weak(ui, text!("elements-cleaned", step = &*texts::word(step)));
        }
        if let Some(step) = step {
            context.send(Parts::CleanScan(step));
        }
    }
}
