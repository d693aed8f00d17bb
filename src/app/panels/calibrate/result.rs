//! Result of a calibration: the mounting with its uncertainties, the certificate, and merging of snapshots.

use std::path::PathBuf;

use egui::RichText;

use super::super::{PanelContext, rows};
use super::calibrate_steps::{has_expired, missing_input, needs_reason};
use super::certification::certification;
use super::{CalibratePanel, expected_mm};
use crate::choosing::Purpose;
use crate::lengths::{length_text, signed_length, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::date;
use dispatch::Calibrate;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::{ArtefactFrame, Calibration, Light, light};
use session::calibration::{Instrument, Outcome};
use texts::text;

impl CalibratePanel {
    pub(super) fn result(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        let outcome = calibrating.outcome.clone();
        let ready = missing_input(calibrating).is_none() && !context.is_busy;
        if theme::wide_main_button(ui, ready, text!("calibrate-run")).clicked() {
            context.send(Calibrate::Run);
        }
        if let Some(outcome) = &outcome {
            self.outcome(ui, context, outcome);
        }
    }

    fn outcome(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, outcome: &Outcome) {
        let (calibration, provenance) = (&outcome.calibration, &outcome.provenance);
        let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
        let angles = mounting.angles_rad().map(f64::to_degrees);
        let angles_k2 = uncertainty.angles_rad.map(|sigma| 2.0 * sigma.to_degrees());
        let translation = mounting.cmm_from_sensor.translation.vector;
        let positions_k2 = uncertainty.place_mm().map(|sigma| 2.0 * sigma);
        certification(ui, calibration);
        egui::Grid::new("mounting").num_columns(3).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
            for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                ui.label(RichText::new(axis).family(theme::strong_family()));
                ui.label(with_unit(format!(
                    "{} ± {}",
                    length_text(translation[k], 4),
                    length_text(positions_k2[k], 4)
                )));
                ui.label(format!("{:.4} ± {:.4}°", angles[k], angles_k2[k]));
                ui.end_row();
            }
        });
        theme::weak(ui, text!("calibrate-transformation"));
        let weakest = |frame: &ArtefactFrame| {
            frame.weakest().map_or_else(|| text!("common-none"), |part| texts::word(part.name).into_owned())
        };
        let expires = date::Stamp::of_unix(provenance.expires_unix_s()).to_string();
        let bootstrap = calibration.bootstrap.map_or_else(
            || text!("common-none"),
            |own| own.angles_rad.map(|sigma| format!("{:.4}°", 2.0 * sigma.to_degrees())).join("  "),
        );
        let rejected: usize = calibration.sensor.parts.iter().map(|part| part.fit.dropped.len()).sum();
        let figures = [
            (text!("calibrate-bootstrap"), bootstrap),
            (text!("calibrate-weakest-sensor"), weakest(&calibration.sensor)),
            (text!("calibrate-weakest-cmm"), weakest(&calibration.cmm)),
            (text!("calibrate-rejected"), theme::count(rejected)),
            (text!("calibrate-valid-until"), expires),
        ];
        rows(ui, "calibration figures", &figures);
        further_results(ui, calibration);
        if has_expired(outcome) {
            ui.colored_label(theme::BAD, text!("calibrate-has-expired"));
        }
        ui.horizontal(|ui| {
            for instrument in Instrument::ALL {
                theme::pick(ui, &mut self.instrument, instrument, texts::word(instrument.name()))
                    .on_hover_text(text!("calibrate-instrument-hint"));
            }
        });
        ui.checkbox(&mut self.shows_residuals, text!("calibrate-residual-colours"));
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-folder"));
            ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(170.0)).labelled_by(label.id);
        });
        let folder = PathBuf::from(self.folder.trim());
        let ready = !folder.as_os_str().is_empty() && !context.is_busy;
        let hint = text!("calibrate-certificate-hint");
        if ui.add_enabled(ready, egui::Button::new(text!("calibrate-certificate-save"))).on_hover_text(hint).clicked() {
            context.send(Calibrate::WriteCertificate(folder.clone()));
        }
        let record = folder.join("calibration.json");
        let hint = text!("calibrate-require-hint");
        let button = egui::Button::new(text!("calibrate-require"));
        if ui.add_enabled(ready && record.is_file(), button).on_hover_text(hint).clicked() {
            context.send(Calibrate::Require(record));
        }
    }

    /// Merging of snapshots from several CMM positions into one scan.
    pub(super) fn merging(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let Some(outcome) = &context.document().calibration.outcome else { return };
        let needs_reason = needs_reason(outcome);
        theme::heading(ui, text!("calibrate-merge"));
        if needs_reason {
            ui.horizontal(|ui| {
                let label = ui.label(text!("calibrate-reason"));
                let hint = text!("calibrate-reason-hint");
                let edit = egui::TextEdit::singleline(&mut self.reason).hint_text(hint);
                ui.add(edit.desired_width(150.0)).labelled_by(label.id);
            });
        }
        let hint = text!("calibrate-registration-hint");
        ui.checkbox(&mut self.refines, text!("calibrate-registration")).on_hover_text(hint);
        if self.refines {
            let registration = &mut self.registration;
            let hint = text!("calibrate-pose-hint");
            for (name, value, max, suffix) in [
                (text!("calibrate-shift-uncertainty"), &mut registration.shift_sigma_mm, 10.0, " mm"),
                (text!("calibrate-turn-uncertainty"), &mut registration.turn_sigma_deg, 1.0, "°"),
            ] {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let drag = NumberField::new(value).speed(0.001).range(0.0001..=max).unit(suffix);
                    ui.add(drag.max_decimals(4)).on_hover_text(hint.as_str()).labelled_by(label.id);
                });
            }
        }
        let ready = !context.is_busy && (!needs_reason || !self.reason.trim().is_empty());
        let hint = text!("calibrate-merge-hint");
        if ui.add_enabled(ready, egui::Button::new(text!("calibrate-merge-snapshots"))).on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Positions));
        }
    }
}

/// Results of several snapshots and of spheres, in addition to the mounting.
fn further_results(ui: &mut egui::Ui, calibration: &Calibration) {
    let mut figures = Vec::new();
    if let Some(joint) = &calibration.joint {
        let rms = format!("{:.2}", joint.misfit);
        let text = text!("calibrate-normalised-rms", count = calibration.snapshots, rms = rms);
        figures.push((text!("calibrate-snapshots"), text));
        let (errors, sigma) = (&joint.faults, joint.faults_sigma);
        if sigma[0] > 0.0 {
            let text = format!("{:.1} ± {:.1} µrad", 1e6 * errors.squareness_rad, 2e6 * sigma[0]);
            figures.push((text!("calibrate-squareness"), text));
        }
        for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            if sigma[k + 1] > 0.0 {
                let text = format!("{:.1} ± {:.1} µm/m", 1e6 * errors.scales[k], 2e6 * sigma[k + 1]);
                figures.push((text!("calibrate-scale-error-of", axis = axis), text));
            }
        }
    }
    for (name, bias_mm) in radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm) {
        figures.push((text!("calibrate-radius-bias"), format!("{name}  {}", with_unit(signed_length(bias_mm, 4)))));
    }
    if !figures.is_empty() {
        rows(ui, "further results", &figures);
    }
}

/// Description of the light of a fit.
pub(super) fn description_of(light: Light) -> String {
    match light {
        Light::Green => text!("calibrate-light-green"),
        Light::Amber => text!("calibrate-light-amber"),
        Light::Red => text!("calibrate-light-red"),
    }
}

/// Light of the fit of a region; `None` without one.
pub(super) fn light_of(outcome: Option<&Outcome>, instrument: Instrument, region: usize) -> Option<Light> {
    let part = outcome?.frame(instrument).parts.iter().find(|part| part.regions.contains(&region))?;
    Some(light(&part.fit, expected_mm(instrument)))
}
