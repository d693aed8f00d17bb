//! The Calibrate workspace: regions of the artefact in what both devices measured, and where that puts the sensor.

use std::path::PathBuf;

use egui::{Color32, RichText};

use super::super::files::Purpose;
use super::super::viewport::brush::Tool;
use super::super::{Action, App, theme};
use super::rows;
use crate::dispatch::Command;
use crate::inspect::calibration::{ArtefactFrame, ArtefactKind, Handedness, Light, light};
use crate::render::GROUP_COLOURS;
use crate::report::certificate::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};
use crate::report::date;
use crate::session::calibrating::{Device, Outcome, Setup};

/// What the panel remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Whose points are shown.
    pub device: Device,
    /// The region that strokes go to.
    pub region: usize,
    /// Whether points are coloured by their distance from the fits.
    pub shows_residuals: bool,
    /// Why an expired calibration is used all the same.
    pub reason: String,
    setup: Setup,
    folder: String,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            device: Device::Sensor,
            region: 0,
            shows_residuals: false,
            reason: String::new(),
            setup: Setup::default(),
            folder: "calibration".into(),
        }
    }
}

/// Noise that a fit of the device's points is judged by, mm.
pub fn expected_mm(device: Device) -> f64 {
    match device {
        Device::Sensor => EXPECTED_SENSOR_MM,
        Device::Cmm => EXPECTED_CMM_MM,
    }
}

fn colour_of(light: Light) -> Color32 {
    match light {
        Light::Green => theme::GOOD,
        Light::Amber => theme::WARN,
        Light::Red => theme::BAD,
    }
}

impl App {
    pub(super) fn calibrate_panel(&mut self, ui: &mut egui::Ui) {
        let heading = RichText::new("Set-up").heading();
        egui::CollapsingHeader::new(heading).id_salt("set-up").default_open(true).show(ui, |ui| self.set_up(ui));
        theme::heading(ui, "Measured");
        self.measured(ui);
        theme::heading(ui, "Regions");
        self.region_list(ui);
        theme::heading(ui, "Calibration");
        self.calibration_result(ui);
    }

    /// Follows the document, after undo too.
    pub(in super::super) fn follow_calibration(&mut self) {
        self.calibration.setup = self.dispatcher.document.calibration.setup.clone();
    }

    fn set_up(&mut self, ui: &mut egui::Ui) {
        let setup = &mut self.calibration.setup;
        theme::choice(ui, "Artefact", &mut setup.artefact, &ArtefactKind::ALL, |kind| kind.artefact().name());
        theme::choice(
            ui,
            "Sensor frame",
            &mut setup.handedness,
            &[Handedness::Right, Handedness::Left],
            |own| match own {
                Handedness::Right => "Right-handed",
                Handedness::Left => "Left-handed",
            },
        );
        ui.horizontal(|ui| {
            let label = ui.label("Probe radius");
            let mut radius = setup.probe_radius_mm.unwrap_or_default();
            let drag = egui::DragValue::new(&mut radius).speed(0.01).range(0.0..=100.0).max_decimals(4).suffix(" mm");
            let text =
                if setup.probe_radius_mm.is_some() { drag } else { drag.custom_formatter(|_, _| "not set".into()) };
            if ui.add(text).labelled_by(label.id).changed() {
                setup.probe_radius_mm = Some(radius);
            }
        });
        ui.horizontal(|ui| {
            ui.label("CMM position");
            for (value, axis) in setup.position_mm.iter_mut().zip(["X", "Y", "Z"]) {
                let drag = egui::DragValue::new(value).speed(0.1).max_decimals(4);
                ui.add(drag).on_hover_text(format!("{axis} of the machine at the snapshot, mm"));
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Smooth sensor error");
            let drag =
                egui::DragValue::new(&mut setup.bias_mm).speed(0.001).range(0.0..=1.0).max_decimals(4).suffix(" mm");
            ui.add(drag).labelled_by(label.id).on_hover_text(
                "Largest smooth error over the sensor's field, from its data sheet or acceptance test: it adds to the \
                 uncertainties",
            );
        });
        ui.horizontal(|ui| {
            let label = ui.label("Operator");
            ui.add(egui::TextEdit::singleline(&mut setup.operator).desired_width(150.0)).labelled_by(label.id);
        });
        let settled = !ui.ctx().egui_is_using_pointer() && !ui.ctx().text_edit_focused();
        if settled && !self.is_busy() && self.calibration.setup != self.dispatcher.document.calibration.setup {
            self.send(Command::SetUpCalibration(Box::new(self.calibration.setup.clone())));
        }
    }

    fn measured(&mut self, ui: &mut egui::Ui) {
        let calibrating = &self.dispatcher.document.calibration;
        let mut browse = None;
        egui::Grid::new("measured").num_columns(3).spacing([10.0, 6.0]).show(ui, |ui| {
            for (device, purpose) in [(Device::Sensor, Purpose::Snapshot), (Device::Cmm, Purpose::Touches)] {
                theme::pick(ui, &mut self.calibration.device, device, device.name())
                    .on_hover_text("Shows its points in the viewport");
                let measurement = calibrating.of(device);
                let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
                match measurement.source() {
                    Some(source) => ui.label(format!("{} points", theme::count(points))).on_hover_text(source.name()),
                    None => ui.label(RichText::new("none yet").weak()),
                };
                let (text, hint) = match device {
                    Device::Sensor => ("Open snapshot…", "A snapshot of the artefact as the sensor reports it"),
                    Device::Cmm => ("Open touches…", "The CMM's touches: region, x, y, z, or points alone"),
                };
                if ui.button(text).on_hover_text(hint).clicked() {
                    browse = Some(purpose);
                }
                ui.end_row();
            }
        });
        if let Some(purpose) = browse {
            self.actions.push(Action::Browse(purpose));
        }
    }

    fn region_list(&mut self, ui: &mut egui::Ui) {
        let calibrating = &self.dispatcher.document.calibration;
        let artefact = calibrating.setup.artefact.artefact();
        let device = self.calibration.device;
        let outcome = calibrating.outcome.clone();
        let lights: Vec<Option<Light>> =
            (0..artefact.regions().len()).map(|region| light_of(outcome.as_deref(), device, region)).collect();
        let mut send = None;
        self.brush_options(ui);
        let calibrating = &self.dispatcher.document.calibration;
        let measurement = calibrating.of(device);
        egui::Grid::new("regions").num_columns(4).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
            for (number, region) in artefact.regions().iter().enumerate() {
                let points = measurement.region(number).len();
                let [r, g, b] = GROUP_COLOURS[number % GROUP_COLOURS.len()].map(|c| (255.0 * c) as u8);
                ui.horizontal(|ui| {
                    theme::dot(ui, Color32::from_rgb(r, g, b));
                    let chosen = self.calibration.region == number;
                    let hint = "Strokes go to this region";
                    let name = theme::chip(ui, chosen, region.short).on_hover_text(hint);
                    if name.clicked() {
                        self.calibration.region = number;
                        if self.brush.tool == Tool::Off {
                            self.brush.tool = Tool::Rectangle;
                        }
                    }
                });
                ui.label(RichText::new(region.long).weak());
                ui.label(theme::count(points));
                ui.horizontal(|ui| {
                    if let Some(light) = lights[number] {
                        theme::dot(ui, colour_of(light)).on_hover_text(words_of(light));
                    }
                    if points > 0 && ui.small_button("Clear").clicked() {
                        send = Some(Command::ClearRegion(device, number));
                    }
                });
                ui.end_row();
            }
        });
        let has_snapshot = calibrating.sensor.actual.is_some();
        if device == Device::Sensor {
            let find = ui.add_enabled(has_snapshot && !self.is_busy(), egui::Button::new("Find regions"));
            if find.on_hover_text("Recognises the artefact in the snapshot and names its regions").clicked() {
                send = Some(Command::FindRegions);
            }
        }
        if let Some(command) = send {
            self.send(command);
        }
    }

    fn calibration_result(&mut self, ui: &mut egui::Ui) {
        let calibrating = &self.dispatcher.document.calibration;
        let filled = |device| {
            let regions = &calibrating.of(device).regions;
            let count = calibrating.setup.artefact.artefact().regions().len();
            regions.len() == count && regions.iter().all(|region| region.len() >= 3)
        };
        let missing = match (filled(Device::Sensor), filled(Device::Cmm), calibrating.setup.probe_radius_mm) {
            (false, ..) => Some("Every region needs points of the sensor."),
            (_, false, _) => Some("Every region needs touches of the CMM."),
            (_, _, None) => Some("Say the radius of the probe."),
            _ => None,
        };
        let outcome = calibrating.outcome.clone();
        let ready = missing.is_none() && !self.is_busy();
        if theme::wide_main_button(ui, ready, "Calibrate sensor").clicked() {
            self.send(Command::Calibrate);
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
        let expired = made.expires_unix_s() < date::unix_now();
        if expired {
            ui.colored_label(theme::BAD, "This calibration has expired: calibrate again.");
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
            self.send(Command::WriteCertificate(folder));
        }
        let ready = !self.is_busy() && (!expired || !self.calibration.reason.trim().is_empty());
        let hint = "Brings snapshots into the CMM's frame: a table of file, x, y, z of the machine at each";
        if ui.add_enabled(ready, egui::Button::new("Merge snapshots…")).on_hover_text(hint).clicked() {
            self.actions.push(Action::Browse(Purpose::Positions));
        }
    }
}

fn words_of(light: Light) -> &'static str {
    match light {
        Light::Green => "As even as expected",
        Light::Amber => "Rougher than expected: look at the residuals",
        Light::Red => "Much rougher than expected: brush this region again",
    }
}

/// Of the fit that a region went into.
fn light_of(outcome: Option<&Outcome>, device: Device, region: usize) -> Option<Light> {
    let part = outcome?.frame(device).parts.iter().find(|part| part.regions.contains(&region))?;
    Some(light(&part.fit, expected_mm(device)))
}
