//! The Calibrate workspace: regions of the artefact in what both devices measured, and where that puts the sensor.

use egui::{Color32, RichText};

use super::super::choosing::Purpose;
use super::super::viewport::brush::Tool;
use super::super::{Action, App, theme};
use super::calibration_result::{light_of, words_of};
use super::picks::Pick;
use crate::number_field::NumberField;
use dispatch::{Calibrate, Command};
use inspect::alignment::multi_view;
use inspect::calibration::{ArtefactKind, Handedness, Light};
use io::SourceFile;
use render::GROUP_COLOURS;
use report::certificate::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};
use session::calibrating::{Calibrating, Device, Measurement, NominalFiles, Setup};

/// What the panel remembers between frames.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Whose points are shown.
    pub device: Device,
    /// The region that strokes go to.
    pub region: usize,
    /// Whether points are coloured by their distance from the fits.
    pub shows_residuals: bool,
    /// Whether points are as bright as the camera saw them.
    pub shows_grey: bool,
    /// Whether the mechanical alignment is shown instead.
    pub mechanical: bool,
    /// Why a calibration that has expired or is not certified is used all the same.
    pub reason: String,
    /// Whether merged snapshots are moved until they agree where they overlap.
    pub refines: bool,
    /// How surely they are placed before.
    pub placed: multi_view::Parameters,
    pub(super) setup: Setup,
    pub(super) folder: String,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            device: Device::Sensor,
            region: 0,
            shows_residuals: false,
            shows_grey: true,
            mechanical: false,
            reason: String::new(),
            refines: false,
            placed: multi_view::Parameters::default(),
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

pub(super) fn colour_of(light: Light) -> Color32 {
    match light {
        Light::Green => theme::GOOD,
        Light::Amber => theme::WARN,
        Light::Red => theme::BAD,
    }
}

/// Whether a device's regions hold enough points to fit.
pub(super) fn filled(calibrating: &Calibrating, device: Device) -> bool {
    let regions = &calibrating.of(device).regions;
    let count = calibrating.setup.artefact.artefact().regions().len();
    regions.len() == count && regions.iter().all(|region| region.len() >= 3)
}

impl App {
    pub(super) fn calibrate_panel(&mut self, ui: &mut egui::Ui) {
        let hint = "Shows how far the modules of the artefact and of the sensor are still to be turned";
        ui.checkbox(&mut self.calibration.mechanical, "Mechanical alignment").on_hover_text(hint);
        if self.calibration.mechanical {
            return self.mechanical_panel(ui);
        }
        let heading = RichText::new("Set-up").heading();
        egui::CollapsingHeader::new(heading).id_salt("set-up").default_open(true).show(ui, |ui| self.set_up(ui));
        theme::heading(ui, "Measured");
        self.measured(ui);
        theme::heading(ui, "Regions");
        self.region_list(ui);
        self.snapshots(ui);
        theme::heading(ui, "Calibration");
        self.stated_errors(ui);
        self.calibration_result(ui);
        self.calibration_log(ui);
        self.repeatability_section(ui);
        self.probing_section(ui);
        self.acceptance_section(ui);
    }

    /// Follows the document, after undo too.
    pub(in super::super) fn follow_calibration(&mut self) {
        self.calibration.setup = self.dispatcher.document.calibration.setup.clone();
    }

    pub(super) fn set_up(&mut self, ui: &mut egui::Ui) {
        let setup = &mut self.calibration.setup;
        theme::choice(ui, "Artefact", &mut setup.artefact, &ArtefactKind::ALL, |kind| kind.artefact().name());
        if !setup.artefact.artefact().is_told_by_edges() {
            self.artefact_cad(ui);
        }
        let setup = &mut self.calibration.setup;
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
            let drag = NumberField::new(&mut radius).speed(0.01).range(0.0..=100.0).max_decimals(4).suffix(" mm");
            let text =
                if setup.probe_radius_mm.is_some() { drag } else { drag.custom_formatter(|_, _| "not set".into()) };
            if ui.add(text).labelled_by(label.id).changed() {
                setup.probe_radius_mm = Some(radius);
            }
        });
        ui.horizontal(|ui| {
            ui.label("CMM position");
            for (value, axis) in setup.position_mm.iter_mut().zip(["X", "Y", "Z"]) {
                let drag = NumberField::new(value).speed(0.1).max_decimals(4);
                ui.add(drag).on_hover_text(format!("{axis} of the machine at the snapshot, mm"));
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Smooth sensor error");
            let drag = NumberField::new(&mut setup.bias_mm).speed(0.001).range(0.0..=1.0).max_decimals(4).suffix(" mm");
            ui.add(drag).labelled_by(label.id).on_hover_text(
                "Largest smooth error over the sensor's field, from its data sheet or acceptance test: it adds to the \
                 uncertainties",
            );
        });
        ui.horizontal(|ui| {
            let label = ui.label("Operator");
            ui.add(egui::TextEdit::singleline(&mut setup.operator).desired_width(150.0)).labelled_by(label.id);
        });
        ui.collapsing("Serial numbers", |ui| {
            egui::Grid::new("serials").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
                let serials = &mut setup.serials;
                for (name, serial) in [
                    ("Sensor", &mut serials.sensor),
                    ("Machine", &mut serials.machine),
                    ("Artefact", &mut serials.artefact),
                ] {
                    let label = ui.label(name);
                    ui.add(egui::TextEdit::singleline(serial).desired_width(150.0)).labelled_by(label.id);
                    ui.end_row();
                }
            });
        });
        self.commit_set_up(ui);
    }

    /// Sends the edited set-up once the user has let go of the widget.
    pub(super) fn commit_set_up(&mut self, ui: &egui::Ui) {
        let settled = !ui.ctx().egui_is_using_pointer() && !ui.ctx().text_edit_focused();
        if settled && !self.is_busy() {
            self.send_set_up();
        }
    }

    /// Sends the edited set-up, if it was.
    pub(super) fn send_set_up(&mut self) {
        if self.calibration.setup != self.dispatcher.document.calibration.setup {
            self.send(Calibrate::SetUp(Box::new(self.calibration.setup.clone())));
        }
    }

    /// The artefact's own CAD, by which its regions are found where it is not the one drawn here.
    fn artefact_cad(&mut self, ui: &mut egui::Ui) {
        let NominalFiles { cad, regions } = &mut self.calibration.setup.nominal;
        let header = egui::CollapsingHeader::new("Its CAD").default_open(cad.is_some() || regions.is_some());
        header.show(ui, |ui| {
            theme::weak(
                ui,
                "Of an artefact of your own: its regions are found by its CAD and by places on each of them.",
            );
            let rows = [
                ("CAD…", "A CAD file or a mesh of the artefact", Pick::ArtefactCad, cad),
                (
                    "Places…",
                    "Region, x, y, z in mm, in the axes of the CAD; one or more on every face",
                    Pick::ArtefactRegions,
                    regions,
                ),
            ];
            for (text, hint, pick, path) in rows {
                ui.horizontal(|ui| {
                    if ui.button(text).on_hover_text(hint).clicked() {
                        self.actions.push(Action::Browse(Purpose::Machine(pick)));
                    }
                    let Some(name) = path.as_ref().and_then(|path| path.file_name()) else {
                        ui.label(RichText::new("none").weak());
                        return;
                    };
                    ui.label(name.to_string_lossy());
                    if ui.small_button("Leave out").clicked() {
                        *path = None;
                    }
                });
            }
        });
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
        let has_grey = calibrating.sensor.actual.as_ref().is_some_and(|actual| !actual.cloud.intensity.is_empty());
        if has_grey && self.calibration.device == Device::Sensor {
            ui.checkbox(&mut self.calibration.shows_grey, "Greyscale").on_hover_text("As the sensor's camera saw it");
        }
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
        let mut send: Option<Command> = None;
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
                        send = Some(Calibrate::ClearRegion(device, number).into());
                    }
                });
                ui.end_row();
            }
        });
        let has_snapshot = calibrating.sensor.actual.is_some();
        if device == Device::Sensor {
            let find = ui.add_enabled(has_snapshot && !self.is_busy(), egui::Button::new("Find regions"));
            if find.on_hover_text("Recognises the artefact in the snapshot and names its regions").clicked() {
                send = Some(Calibrate::FindRegions.into());
            }
        }
        if let Some(command) = send {
            self.send(command);
        }
    }

    /// Snapshots set aside, for artefacts that need several, or to find the machine's faults.
    fn snapshots(&mut self, ui: &mut egui::Ui) {
        let calibrating = &self.dispatcher.document.calibration;
        let several = !calibrating.setup.artefact.artefact().determines()[3];
        let taken = calibrating.taken.len();
        let heading = RichText::new("More snapshots").heading();
        let shown = egui::CollapsingHeader::new(heading).id_salt("more snapshots").default_open(several || taken > 0);
        let ready = filled(calibrating, Device::Sensor) && filled(calibrating, Device::Cmm) && !self.is_busy();
        let wanted = &mut self.calibration.setup.wanted;
        let mut send: Option<Command> = None;
        shown.show(ui, |ui| {
            theme::weak(ui, if several {
                "One sphere gives a place and no directions: set aside snapshots of it from three or more positions."
            } else {
                "Several snapshots together are surer; placements a quarter turn apart show the machine's own faults."
            });
            egui::Grid::new("snapshots").num_columns(3).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
                for (number, taken) in calibrating.taken.iter().enumerate() {
                    let name = |device: &Measurement| device.source().map(SourceFile::name).unwrap_or_default();
                    ui.label(name(&taken.sensor)).on_hover_text(format!("Touches: {}", name(&taken.cmm)));
                    let [x, y, z] = taken.position_mm;
                    ui.label(RichText::new(format!("{x:.1}, {y:.1}, {z:.1} mm")).weak());
                    if ui.small_button("Forget").clicked() {
                        send = Some(Calibrate::ForgetSnapshot(number).into());
                    }
                    ui.end_row();
                }
            });
            let hint = "Keeps this snapshot with its regions, its touches and its position, and makes room for the next";
            if ui.add_enabled(ready, egui::Button::new("Set snapshot aside")).on_hover_text(hint).clicked() {
                send = Some(Calibrate::KeepSnapshot.into());
            }
            ui.add_enabled_ui(taken > 0, |ui| {
                ui.checkbox(&mut wanted.squareness, "Find the squareness of X and Y");
                ui.checkbox(&mut wanted.scales, "Find the scales of the axes");
            });
        });
        if let Some(command) = send {
            self.send(command);
        }
    }
}
