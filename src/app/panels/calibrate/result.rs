//! Result of a calibration: the mounting with its uncertainties, the certificate, and merging of snapshots.

use std::path::PathBuf;

use egui::RichText;

use super::super::{PanelContext, rows};
use super::certification::certification;
use super::{CalibratePanel, expected_mm, has_all_regions};
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::date;
use base::signed;
use dispatch::Calibrate;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::{ArtefactFrame, Calibration, Light, light};
use session::calibration::{Instrument, Outcome};

impl CalibratePanel {
    pub(super) fn result(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        // Stored snapshots are complete; the current one may be empty.
        let has_stored = !calibrating.set_aside.is_empty();
        let missing = match (
            has_stored || has_all_regions(calibrating, Instrument::Sensor),
            has_stored || has_all_regions(calibrating, Instrument::Cmm),
            calibrating.setup.probe_radius_mm,
        ) {
            (false, ..) => Some("Every region needs points of the sensor."),
            (_, false, _) => Some("Every region needs probed points of the CMM."),
            (_, _, None) => Some("Enter the stylus tip radius."),
            _ => None,
        };
        let outcome = calibrating.outcome.clone();
        let ready = missing.is_none() && !context.is_busy;
        if theme::wide_main_button(ui, ready, "Calibrate sensor").clicked() {
            context.send(Calibrate::Run);
        }
        match (&outcome, missing) {
            (Some(outcome), _) => self.outcome(ui, context, outcome),
            (None, Some(missing)) => {
                theme::weak(ui, missing);
            }
            (None, None) => {}
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
                ui.label(format!("{:.4} ± {:.4} mm", translation[k], positions_k2[k]));
                ui.label(format!("{:.4} ± {:.4}°", angles[k], angles_k2[k]));
                ui.end_row();
            }
        });
        theme::weak(
            ui,
            "Transformation from sensor to CMM, angles of R = Rx Ry Rz; ± U (k = 2), for positions at the artefact.",
        );
        let weakest = |frame: &ArtefactFrame| frame.weakest().map_or("none", |part| part.name).to_owned();
        let expires = date::Stamp::of_unix(provenance.expires_unix_s()).to_string();
        let bootstrap = calibration.bootstrap.map_or_else(
            || "none".to_owned(),
            |own| own.angles_rad.map(|sigma| format!("{:.4}°", 2.0 * sigma.to_degrees())).join("  "),
        );
        let figures = [
            ("Angles, U by bootstrap", bootstrap),
            ("Weakest fit, sensor", weakest(&calibration.sensor)),
            ("Weakest fit, CMM", weakest(&calibration.cmm)),
            ("Rejected points", theme::count(calibration.sensor.parts.iter().map(|part| part.fit.dropped.len()).sum())),
            ("Valid until", expires),
        ];
        rows(ui, "calibration figures", &figures);
        further_results(ui, calibration);
        let expired = provenance.expires_unix_s() < date::unix_now();
        if expired {
            ui.colored_label(theme::BAD, "This calibration has expired. Calibrate again.");
        }
        let needs_reason = expired || !calibration.certification().is_certified();
        if needs_reason {
            ui.horizontal(|ui| {
                let label = ui.label("Reason for use");
                let hint = "required for merging";
                let edit = egui::TextEdit::singleline(&mut self.reason).hint_text(hint);
                ui.add(edit.desired_width(150.0)).labelled_by(label.id);
            });
        }
        ui.checkbox(&mut self.shows_residuals, "Residual colours");
        ui.horizontal(|ui| {
            let label = ui.label("Folder");
            ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(170.0)).labelled_by(label.id);
        });
        let folder = PathBuf::from(self.folder.trim());
        let ready = !folder.as_os_str().is_empty() && !context.is_busy;
        let hint = "Writes certificate.pdf and calibration.json";
        if ui.add_enabled(ready, egui::Button::new("Save certificate")).on_hover_text(hint).clicked() {
            context.send(Calibrate::WriteCertificate(folder.clone()));
        }
        let record = folder.join("calibration.json");
        let hint =
            "What is measured on a part rests on the calibration saved here: the verdict is open once it expires";
        let button = egui::Button::new("Require for parts");
        if ui.add_enabled(ready && record.is_file(), button).on_hover_text(hint).clicked() {
            context.send(Calibrate::Require(record));
        }
        self.merging(ui, context, needs_reason);
    }

    /// Merging of snapshots from several CMM positions into one scan.
    fn merging(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, needs_reason: bool) {
        theme::heading(ui, "Merge");
        let hint = "Registers the snapshots to each other where they overlap, as far as their surfaces allow";
        ui.checkbox(&mut self.refines, "Global registration of snapshots").on_hover_text(hint);
        if self.refines {
            let registration = &mut self.registration;
            let hint = "Standard uncertainty of the pose of a snapshot from CMM and calibration";
            for (name, value, max, suffix) in [
                ("Position uncertainty u", &mut registration.shift_sigma_mm, 10.0, " mm"),
                ("Rotation uncertainty u", &mut registration.turn_sigma_deg, 1.0, "°"),
            ] {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let drag = NumberField::new(value).speed(0.001).range(0.0001..=max).suffix(suffix);
                    ui.add(drag.max_decimals(4)).on_hover_text(hint).labelled_by(label.id);
                });
            }
        }
        let ready = !context.is_busy && (!needs_reason || !self.reason.trim().is_empty());
        let hint = "Transforms snapshots into the CMM frame, from a table of file and CMM position x, y, z";
        if ui.add_enabled(ready, egui::Button::new("Merge snapshots…")).on_hover_text(hint).clicked() {
            context.ask(Action::Browse(Purpose::Positions));
        }
    }
}

/// Results of several snapshots and of spheres, in addition to the mounting.
fn further_results(ui: &mut egui::Ui, calibration: &Calibration) {
    let mut figures = Vec::new();
    if let Some(joint) = &calibration.joint {
        figures.push(("Snapshots", format!("{}, normalised RMS {:.2}", calibration.snapshots, joint.misfit)));
        let (errors, sigma) = (&joint.faults, joint.faults_sigma);
        if sigma[0] > 0.0 {
            let text = format!("{:.1} ± {:.1} µrad", 1e6 * errors.squareness_rad, 2e6 * sigma[0]);
            figures.push(("Squareness", text));
        }
        for (k, name) in ["Scale error of X", "Scale error of Y", "Scale error of Z"].into_iter().enumerate() {
            if sigma[k + 1] > 0.0 {
                let text = format!("{:.1} ± {:.1} µm/m", 1e6 * errors.scales[k], 2e6 * sigma[k + 1]);
                figures.push((name, text));
            }
        }
    }
    for (name, bias_mm) in radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm) {
        figures.push(("Radius, sensor minus CMM", format!("{name}  {} mm", signed(bias_mm, 4))));
    }
    if !figures.is_empty() {
        rows(ui, "further results", &figures);
    }
}

/// Description of the light of a fit.
pub(super) fn description_of(light: Light) -> &'static str {
    match light {
        Light::Green => "Residuals as expected",
        Light::Amber => "Residuals larger than expected: check the residual colours",
        Light::Red => "Residuals much larger than expected: brush this region again",
    }
}

/// Light of the fit of a region; `None` without one.
pub(super) fn light_of(outcome: Option<&Outcome>, instrument: Instrument, region: usize) -> Option<Light> {
    let part = outcome?.frame(instrument).parts.iter().find(|part| part.regions.contains(&region))?;
    Some(light(&part.fit, expected_mm(instrument)))
}
