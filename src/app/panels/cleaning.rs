//! What can be done to the points of a scan before it is compared.

use super::super::{App, theme};
use crate::number_field::NumberField;
use compute::thinning::Rule;
use dispatch::Parts;
use inspect::cleaning::Step;

/// The figures as the panel edits them.
#[derive(Clone, Copy, Debug)]
pub struct Draft {
    sigmas: f64,
    distance_mm: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Self { sigmas: 3.0, distance_mm: 0.5 }
    }
}

impl App {
    pub(super) fn cleaning(&mut self, ui: &mut egui::Ui) {
        let ready = !self.is_busy();
        let mut step = None;
        let draft = &mut self.cleaning;
        egui::CollapsingHeader::new("Clean").show(ui, |ui| {
            let figure = |ui: &mut egui::Ui, name: &str, value: &mut f64, unit: &str, button: &str, hint: &str| {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let low = if unit.contains("mm") { 1e-3 } else { 0.0 };
                    let drag = NumberField::new(value).speed(0.01).range(low..=1e3).max_decimals(3).suffix(unit);
                    ui.add(drag).labelled_by(label.id);
                });
                ui.add_enabled(ready, egui::Button::new(button)).on_hover_text(hint).clicked()
            };
            let hint = "Removes points that stand farther from their neighbours than the mean and so many standard \
                        deviations of all points";
            if figure(ui, "Outliers beyond", &mut draft.sigmas, " σ", "Remove outliers", hint) {
                step = Some(Step::RemoveOutliers { neighbours: 16, sigmas: draft.sigmas });
            }
            let hint = "Leaves fewer points of even density: no two nearer than this";
            if figure(ui, "No two nearer than", &mut draft.distance_mm, " mm", "Thin", hint) {
                step = Some(Step::Thin(Rule::Distance(draft.distance_mm)));
            }
            let hint = "Finds the normal of every point from its neighbours, turned towards the sensor where the scan \
                        says where it stood";
            if ui.add_enabled(ready, egui::Button::new("Find normals")).on_hover_text(hint).clicked() {
                step = Some(Step::Normals);
            }
        });
        let done = self.dispatcher.document.actual().into_iter().flat_map(|actual| &actual.cleaning);
        for step in done.map(Step::name) {
            theme::weak(ui, format!("{step}: done"));
        }
        if let Some(step) = step {
            self.send(Parts::CleanScan(step));
        }
    }
}
