//! What a calibration gave: the mounting, how sure it is, what limits it; its certificate.

use std::path::PathBuf;

use egui::RichText;

use super::super::choosing::Purpose;
use super::super::{Action, App, theme};
use super::calibrate::{expected_mm, filled};
use super::certification::certification;
use super::rows;
use crate::number_field::NumberField;
use base::signed;
use dispatch::Calibrate;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::{ArtefactFrame, Calibration, Light, light};
use report::date;
use session::calibrating::{Device, Outcome};

impl App {
    pub(super) fn calibration_result(&mut self, ui: &mut egui::Ui) {
        let calibrating = &self.dispatcher.document.calibration;
        // Those set aside are filled; the one in work may not have been begun.
        let has_more = !calibrating.taken.is_empty();
        let missing = match (
            has_more || filled(calibrating, Device::Sensor),
            has_more || filled(calibrating, Device::Cmm),
            calibrating.setup.probe_radius_mm,
        ) {
            (false, ..) => Some("Every region needs points of the sensor."),
            (_, false, _) => Some("Every region needs touches of the CMM."),
            (_, _, None) => Some("Say the radius of the probe."),
            _ => None,
        };
        let outcome = calibrating.outcome.clone();
        let ready = missing.is_none() && !self.is_busy();
        if theme::wide_main_button(ui, ready, "Calibrate sensor").clicked() {
            self.send(Calibrate::Run);
        }
        match (&outcome, missing) {
            (Some(outcome), _) => self.outcome(ui, outcome),
            (None, Some(missing)) => {
                theme::weak(ui, missing);
            }
            (None, None) => {}
        }
    }

    fn outcome(&mut self, ui: &mut egui::Ui, outcome: &Outcome) {
        let (calibration, made) = (&outcome.calibration, &outcome.made);
        let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
        let angles = mounting.angles_rad().map(f64::to_degrees);
        let turns = uncertainty.angles_rad.map(|sigma| 2.0 * sigma.to_degrees());
        let shift = mounting.cmm_from_sensor.translation.vector;
        let places = uncertainty.place_mm().map(|sigma| 2.0 * sigma);
        certification(ui, calibration);
        egui::Grid::new("mounting").num_columns(3).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
            for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                ui.label(RichText::new(axis).family(theme::strong_family()));
                ui.label(format!("{:.4} ± {:.4} mm", shift[k], places[k]));
                ui.label(format!("{:.4} ± {:.4}°", angles[k], turns[k]));
                ui.end_row();
            }
        });
        theme::weak(ui, "CMM from sensor; angles of Rx Ry Rz. Uncertainties with k = 2, of places at the artefact.");
        let weakest = |frame: &ArtefactFrame| frame.weakest().map_or("none", |part| part.name).to_owned();
        let expires = date::Stamp::of_unix(made.expires_unix_s()).to_string();
        let drawn = calibration.bootstrap.map_or_else(
            || "none".to_owned(),
            |own| own.angles_rad.map(|sigma| format!("{:.4}°", 2.0 * sigma.to_degrees())).join("  "),
        );
        let figures = [
            ("Angles, drawn again", drawn),
            ("Sensor limited by", weakest(&calibration.sensor)),
            ("CMM limited by", weakest(&calibration.cmm)),
            ("Dropped points", theme::count(calibration.sensor.parts.iter().map(|part| part.fit.dropped.len()).sum())),
            ("Valid until", expires),
        ];
        rows(ui, "calibration figures", &figures);
        several(ui, calibration);
        let expired = made.expires_unix_s() < date::unix_now();
        if expired {
            ui.colored_label(theme::BAD, "This calibration has expired: calibrate again.");
        }
        let needs_reason = expired || !calibration.certification().is_certified();
        if needs_reason {
            ui.horizontal(|ui| {
                let label = ui.label("Used because");
                let hint = "a reason in writing";
                let edit = egui::TextEdit::singleline(&mut self.calibration.reason).hint_text(hint);
                ui.add(edit.desired_width(150.0)).labelled_by(label.id);
            });
        }
        ui.checkbox(&mut self.calibration.shows_residuals, "Residual colours");
        ui.horizontal(|ui| {
            let label = ui.label("Folder");
            ui.add(egui::TextEdit::singleline(&mut self.calibration.folder).desired_width(170.0)).labelled_by(label.id);
        });
        let folder = PathBuf::from(self.calibration.folder.trim());
        let ready = !folder.as_os_str().is_empty() && !self.is_busy();
        let hint = "Writes certificate.pdf and calibration.json";
        if ui.add_enabled(ready, egui::Button::new("Save certificate")).on_hover_text(hint).clicked() {
            self.send(Calibrate::WriteCertificate(folder));
        }
        self.merging(ui, needs_reason);
    }

    /// Snapshots of many positions, into one scan.
    fn merging(&mut self, ui: &mut egui::Ui, needs_reason: bool) {
        theme::heading(ui, "Merge");
        let hint = "Moves the snapshots until they agree where they overlap, as far as their surfaces tell";
        ui.checkbox(&mut self.calibration.refines, "Refine where they overlap").on_hover_text(hint);
        if self.calibration.refines {
            let placed = &mut self.calibration.placed;
            let hint = "How far a snapshot may be off by the machine and the calibration, one standard deviation";
            for (name, value, most, suffix) in [
                ("Placed to", &mut placed.shift_sigma_mm, 10.0, " mm"),
                ("Turned to", &mut placed.turn_sigma_deg, 1.0, "°"),
            ] {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let drag = NumberField::new(value).speed(0.001).range(0.0001..=most).suffix(suffix);
                    ui.add(drag.max_decimals(4)).on_hover_text(hint).labelled_by(label.id);
                });
            }
        }
        let ready = !self.is_busy() && (!needs_reason || !self.calibration.reason.trim().is_empty());
        let hint = "Brings snapshots into the CMM's frame: a table of file, x, y, z of the machine at each";
        if ui.add_enabled(ready, egui::Button::new("Merge snapshots…")).on_hover_text(hint).clicked() {
            self.actions.push(Action::Browse(Purpose::Positions));
        }
    }
}

/// What several snapshots, or spheres, told beside the mounting.
fn several(ui: &mut egui::Ui, calibration: &Calibration) {
    let mut figures = Vec::new();
    if let Some(joint) = &calibration.joint {
        figures.push(("Snapshots", format!("{}, misfit {:.2} σ", calibration.snapshots, joint.misfit)));
        let (faults, sigma) = (&joint.faults, joint.faults_sigma);
        if sigma[0] > 0.0 {
            let text = format!("{:.1} ± {:.1} µrad", 1e6 * faults.squareness_rad, 2e6 * sigma[0]);
            figures.push(("Squareness", text));
        }
        for (k, name) in ["Scale of X", "Scale of Y", "Scale of Z"].into_iter().enumerate() {
            if sigma[k + 1] > 0.0 {
                let text = format!("{:.1} ± {:.1} µm/m", 1e6 * faults.scales[k], 2e6 * sigma[k + 1]);
                figures.push((name, text));
            }
        }
    }
    for (name, bias_mm) in radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm) {
        figures.push(("Radius, sensor less CMM", format!("{name}  {} mm", signed(bias_mm, 4))));
    }
    if !figures.is_empty() {
        rows(ui, "several", &figures);
    }
}

pub(super) fn words_of(light: Light) -> &'static str {
    match light {
        Light::Green => "As even as expected",
        Light::Amber => "Rougher than expected: look at the residuals",
        Light::Red => "Much rougher than expected: brush this region again",
    }
}

/// Of the fit that a region went into.
pub(super) fn light_of(outcome: Option<&Outcome>, device: Device, region: usize) -> Option<Light> {
    let part = outcome?.frame(device).parts.iter().find(|part| part.regions.contains(&region))?;
    Some(light(&part.fit, expected_mm(device)))
}
