//! Certification of a calibration: traffic lights and comparison of both instruments; stated errors of the instruments.

use egui::RichText;

use super::super::PanelContext;
use super::{CalibratePanel, colour_of};
use crate::number_field::NumberField;
use crate::theme;
use inspect::calibration::Calibration;
use inspect::calibration::consistency::{Comparison, Outcome};

impl CalibratePanel {
    /// Stated errors of both instruments, and the mounting of the sensor; seldom changed.
    pub(super) fn stated_errors(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Stated errors and mounting").id_salt("stated errors").show(ui, |ui| {
            let setup = &mut self.setup;
            ui.horizontal(|ui| {
                let label = ui.label("CMM probing error");
                let drag = NumberField::new(&mut setup.probing_mm).speed(0.0001).range(0.0..=1.0);
                let hint = "Max. probing error, ±, from the CMM's acceptance test; included in the uncertainties";
                ui.add(drag.max_decimals(4).suffix(" mm")).labelled_by(label.id).on_hover_text(hint);
            });
            let mut is_known = setup.field_mm.is_some();
            let hint = "Sides in X and Y at the artefact's distance, centred on the sensor's Z axis, from its data sheet. \
                        Otherwise the systematic error is taken to reach its maximum within what the artefact fills";
            ui.checkbox(&mut is_known, "Sensor's measuring field is known").on_hover_text(hint);
            if is_known != setup.field_mm.is_some() {
                setup.field_mm = is_known.then_some([100.0, 100.0]);
            }
            if let Some(sides_mm) = &mut setup.field_mm {
                ui.horizontal(|ui| {
                    ui.label("Measuring field");
                    for (side, axis) in sides_mm.iter_mut().zip(["X", "Y"]) {
                        let drag = NumberField::new(side).speed(0.5).range(1.0..=10_000.0).max_decimals(2).suffix(" mm");
                        ui.add(drag).on_hover_text(format!("Along the sensor's {axis}"));
                    }
                });
            }
            let mut is_known = setup.scale.is_some();
            let hint = "If it is known more accurately than the systematic sensor error implies";
            ui.checkbox(&mut is_known, "Sensor scale error is known").on_hover_text(hint);
            if is_known != setup.scale.is_some() {
                setup.scale = is_known.then_some(5e-5);
            }
            if let Some(scale) = &mut setup.scale {
                ui.horizontal(|ui| {
                    let label = ui.label("Sensor scale error");
                    let mut micro = 1e6 * *scale;
                    let drag = NumberField::new(&mut micro).speed(1.0).range(0.0..=10_000.0).max_decimals(1);
                    if ui.add(drag.suffix(" µm/m")).labelled_by(label.id).changed() {
                        *scale = 1e-6 * micro;
                    }
                });
            }
            let hint = "Confirms a mounting other than with the sensor X along the CMM X, looking down";
            ui.checkbox(&mut setup.any_mounting, "Any mounting").on_hover_text(hint);
            self.commit_setup(ui, context);
        });
    }
}

/// Result of the certification, traffic lights, and comparison of both instruments.
pub(super) fn certification(ui: &mut egui::Ui, calibration: &Calibration) {
    let certification = calibration.certification();
    let (text, colour) =
        if certification.is_certified() { ("Certified", theme::GOOD) } else { ("Not certified", theme::BAD) };
    ui.label(RichText::new(text).heading().color(colour));
    for reason in certification.reasons() {
        ui.add(egui::Label::new(RichText::new(reason).color(theme::BAD)).wrap());
    }
    egui::Grid::new("lights").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        for own in &certification.lights {
            theme::dot(ui, colour_of(own.light)).on_hover_text(own.sentence.as_str());
            ui.label(own.name).on_hover_text(own.sentence.as_str());
            ui.end_row();
        }
    });
    let header = egui::CollapsingHeader::new("Comparison of sensor and CMM").id_salt("both instruments");
    header.show(ui, |ui| {
        egui::Grid::new("comparisons").num_columns(4).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
            for title in ["Quantity", "Sensor", "CMM", "|d| / U"] {
                ui.label(RichText::new(title).weak());
            }
            ui.end_row();
            calibration.consistency.comparisons.iter().for_each(|own| comparison(ui, own));
        });
        for sentence in &calibration.consistency.unseen {
            theme::weak(ui, sentence.as_str());
        }
    });
}

fn comparison(ui: &mut egui::Ui, own: &Comparison) {
    ui.horizontal(|ui| {
        theme::dot(ui, colour_of(own.light()));
        ui.label(own.quantity.as_str());
    });
    ui.label(own.shown(own.sensor));
    ui.label(own.shown(own.cmm));
    let is_judged = own.outcome != Outcome::NotJudged;
    ui.label(if is_judged { format!("{:.2}", own.normalised) } else { "not judged".to_owned() });
    ui.end_row();
}
