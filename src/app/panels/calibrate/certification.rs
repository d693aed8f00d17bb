//! Certification of a calibration: traffic lights and comparison of both instruments; stated errors of the instruments.

use egui::RichText;

use super::{CalibratePanel, colour_of};
use crate::number_field::NumberField;
use crate::theme;
use inspect::calibration::Calibration;
use inspect::calibration::consistency::{Comparison, Outcome};
use texts::text;

impl CalibratePanel {
    /// Stated errors of both instruments, and the mounting of the sensor; seldom changed.
    pub(super) fn stated_errors(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new(text!("calibrate-stated")).id_salt("stated errors").show(ui, |ui| {
            let setup = &mut self.setup;
            ui.horizontal(|ui| {
                let label = ui.label(text!("calibrate-probing-error"));
                let drag = NumberField::new(&mut setup.probing_mm).speed(0.0001).range(0.0..=1.0);
                let hint = text!("calibrate-probing-error-hint");
                ui.add(drag.max_decimals(4).unit("mm")).labelled_by(label.id).on_hover_text(hint);
            });
            let mut is_known = setup.probe_radius_error_mm.is_some();
            let hint = text!("calibrate-radius-error-known-hint");
            ui.checkbox(&mut is_known, text!("calibrate-radius-error-known")).on_hover_text(hint);
            if is_known != setup.probe_radius_error_mm.is_some() {
                setup.probe_radius_error_mm = is_known.then_some(0.002);
            }
            if let Some(error_mm) = &mut setup.probe_radius_error_mm {
                ui.horizontal(|ui| {
                    let label = ui.label(text!("calibrate-radius-error"));
                    let drag = NumberField::new(error_mm).speed(0.0001).range(0.0..=1.0).max_decimals(4).unit("mm");
                    ui.add(drag).labelled_by(label.id);
                });
            }
            let mut is_known = setup.field_mm.is_some();
            let hint = text!("calibrate-field-known-hint");
            ui.checkbox(&mut is_known, text!("calibrate-field-known")).on_hover_text(hint);
            if is_known != setup.field_mm.is_some() {
                setup.field_mm = is_known.then_some([100.0, 100.0]);
            }
            if let Some(sides_mm) = &mut setup.field_mm {
                ui.horizontal(|ui| {
                    ui.label(text!("calibrate-field"));
                    for (side, axis) in sides_mm.iter_mut().zip(["X", "Y"]) {
                        let drag = NumberField::new(side).speed(0.5).range(1.0..=10_000.0).max_decimals(2).unit("mm");
                        ui.add(drag).on_hover_text(text!("calibrate-field-hint", axis = axis));
                    }
                });
            }
            let mut is_known = setup.scale.is_some();
            let hint = text!("calibrate-scale-known-hint");
            ui.checkbox(&mut is_known, text!("calibrate-scale-known")).on_hover_text(hint);
            if is_known != setup.scale.is_some() {
                setup.scale = is_known.then_some(5e-5);
            }
            if let Some(scale) = &mut setup.scale {
                ui.horizontal(|ui| {
                    let label = ui.label(text!("calibrate-scale"));
                    let mut micro = 1e6 * *scale;
                    let drag = NumberField::new(&mut micro).speed(1.0).range(0.0..=10_000.0).max_decimals(1);
                    if ui.add(drag.suffix(" µm/m")).labelled_by(label.id).changed() {
                        *scale = 1e-6 * micro;
                    }
                });
            }
            let hint = text!("calibrate-any-mounting-hint");
            ui.checkbox(&mut setup.any_mounting, text!("calibrate-any-mounting")).on_hover_text(hint);
        });
    }
}

/// Result of the certification, traffic lights, and comparison of both instruments.
pub(super) fn certification(ui: &mut egui::Ui, calibration: &Calibration) {
    let certification = calibration.certification();
    let (text, colour) = if certification.is_certified() {
        (text!("calibrate-certified"), theme::GOOD)
    } else {
        (text!("calibrate-not-certified"), theme::BAD)
    };
    ui.label(RichText::new(text).heading().color(colour));
    for reason in certification.reasons() {
        ui.add(egui::Label::new(RichText::new(texts::word(&reason)).color(theme::BAD)).wrap());
    }
    egui::Grid::new("lights").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        for own in &certification.lights {
            theme::dot(ui, colour_of(own.light)).on_hover_text(texts::word(&own.sentence));
            ui.label(texts::word(own.name)).on_hover_text(texts::word(&own.sentence));
            ui.end_row();
        }
    });
    let header = egui::CollapsingHeader::new(text!("calibrate-comparison")).id_salt("both instruments");
    header.show(ui, |ui| {
        egui::Grid::new("comparisons").num_columns(4).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
            let [sensor, cmm] = [text!("calibrate-sensor"), text!("calibrate-cmm")];
            for title in [text!("calibrate-quantity"), sensor, cmm, "|d| / U".to_owned()] {
                ui.label(RichText::new(title).weak());
            }
            ui.end_row();
            calibration.consistency.comparisons.iter().for_each(|own| comparison(ui, own));
        });
        for sentence in &calibration.consistency.unseen {
            theme::weak(ui, texts::word(sentence));
        }
    });
}

fn comparison(ui: &mut egui::Ui, own: &Comparison) {
    ui.horizontal(|ui| {
        theme::dot(ui, colour_of(own.light()));
        ui.label(texts::word(&own.quantity));
    });
    ui.label(own.shown(own.sensor));
    ui.label(own.shown(own.cmm));
    let is_judged = own.outcome != Outcome::NotJudged;
    ui.label(if is_judged { format!("{:.2}", own.normalised) } else { text!("calibrate-not-judged") });
    ui.end_row();
}
