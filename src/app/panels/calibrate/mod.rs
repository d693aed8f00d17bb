//! Calibrate workspace: regions of the artefact in the measurements of both instruments, and the mounting of the sensor
//! on the CMM that follows from them.

mod acceptance;
mod certification;
mod mechanical;
mod probing;
mod repeatability;
mod result;

use std::path::PathBuf;

use egui::{Color32, RichText};

use super::PanelContext;
use super::picks::Pick;
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::viewport::brush::Tool;
use crate::{Action, theme};
use acceptance::AcceptanceSection;
pub use acceptance::Artefact;
use dispatch::Calibrate;
use inspect::alignment::multi_view;
use inspect::calibration::{ArtefactKind, Handedness, Light};
use io::SourceFile;
use probing::ProbingSection;
use render::GROUP_COLOURS;
use repeatability::RepeatabilitySection;
use report::certificate::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};
use result::{description_of, light_of};
use session::Document;
use session::calibration::{CalibrationState, Instrument, Measurement, NominalFiles, Setup};
use texts::text;

/// Panel of the workspace.
pub struct CalibratePanel {
    /// Instrument whose points are shown.
    pub instrument: Instrument,
    /// Index of the region that strokes select.
    pub region: usize,
    /// Whether points are coloured by their residuals.
    pub shows_residuals: bool,
    /// Whether points are shown with the grey values of the camera.
    pub shows_grey: bool,
    /// Whether the panel shows the mechanical alignment instead.
    pub mechanical: bool,
    /// Reason for using a calibration that has expired or is not certified.
    pub reason: String,
    /// Whether merged snapshots are globally registered.
    pub refines: bool,
    /// Parameters of the global registration.
    pub registration: multi_view::Parameters,
    setup: Setup,
    /// Folder of the certificate, as typed.
    folder: String,
    repeatability: RepeatabilitySection,
    probing: ProbingSection,
    acceptance: AcceptanceSection,
}

impl Default for CalibratePanel {
    fn default() -> Self {
        Self {
            instrument: Instrument::Sensor,
            region: 0,
            shows_residuals: false,
            shows_grey: true,
            mechanical: false,
            reason: String::new(),
            refines: false,
            registration: multi_view::Parameters::default(),
            setup: Setup::default(),
            folder: "calibration".into(),
            repeatability: RepeatabilitySection::default(),
            probing: ProbingSection::default(),
            acceptance: AcceptanceSection::default(),
        }
    }
}

/// Expected standard deviation of fits to the instrument's points, mm.
pub fn expected_mm(instrument: Instrument) -> f64 {
    match instrument {
        Instrument::Sensor => EXPECTED_SENSOR_MM,
        Instrument::Cmm => EXPECTED_CMM_MM,
    }
}

pub(super) fn colour_of(light: Light) -> Color32 {
    match light {
        Light::Green => theme::GOOD,
        Light::Amber => theme::WARN,
        Light::Red => theme::BAD,
    }
}

/// Whether all regions of an instrument have enough points for a fit.
pub(super) fn has_all_regions(calibrating: &CalibrationState, instrument: Instrument) -> bool {
    let regions = &calibrating.of(instrument).regions;
    let count = calibrating.setup.artefact.artefact().regions().len();
    regions.len() == count && regions.iter().all(|region| region.len() >= 3)
}

/// Field of the radius of the stylus tip, which has no usual value.
fn stylus_radius(ui: &mut egui::Ui, radius_mm: &mut Option<f64>) {
    ui.horizontal(|ui| {
        let label = ui.label(text!("calibrate-stylus-radius"));
        let mut radius = radius_mm.unwrap_or_default();
        let field = NumberField::new(&mut radius).speed(0.01).range(0.0..=100.0).max_decimals(4);
        let field = match radius_mm {
            Some(_) => field.suffix(" mm"),
            None => field.custom_formatter(|_, _| text!("calibrate-not-set")),
        };
        if ui.add(field).labelled_by(label.id).changed() {
            *radius_mm = Some(radius);
        }
    });
}

impl CalibratePanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let hint = text!("calibrate-mechanical-hint");
        ui.checkbox(&mut self.mechanical, text!("calibrate-mechanical")).on_hover_text(hint);
        if self.mechanical {
            return self.mechanical_panel(ui, context);
        }
        let heading = RichText::new(text!("calibrate-setup")).heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("setup").default_open(true);
        header.show(ui, |ui| self.setup_fields(ui, context));
        theme::heading(ui, text!("calibrate-measurements"));
        self.measurements(ui, context);
        theme::heading(ui, text!("calibrate-regions"));
        self.region_list(ui, context);
        self.snapshots(ui, context);
        theme::heading(ui, text!("calibrate-calibration"));
        self.stated_errors(ui, context);
        self.result(ui, context);
        self.repeatability.log_field(ui, context);
        self.repeatability.show(ui, context);
        self.probing.show(ui, context);
        self.acceptance.show(ui, context);
    }

    /// Updates the setup to the document, for example after undo.
    pub fn follow(&mut self, document: &Document) {
        self.setup = document.calibration.setup.clone();
    }

    /// Fills in a chosen path as if it had been typed.
    pub fn take(&mut self, pick: Pick, path: PathBuf) {
        match pick {
            Pick::Log => self.repeatability.log = path.display().to_string(),
            Pick::Certificate => self.repeatability.certificate = path.display().to_string(),
            Pick::ArtefactCad => self.setup.nominal.cad = Some(path),
            Pick::ArtefactRegions => self.setup.nominal.regions = Some(path),
            Pick::Accepted(artefact) => self.acceptance.add(artefact, path),
            _ => {}
        }
    }

    pub(super) fn setup_fields(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let setup = &mut self.setup;
        let artefact = text!("calibrate-artefact");
        theme::choice(ui, &artefact, &mut setup.artefact, &ArtefactKind::ALL, |kind| {
            texts::word(kind.artefact().name())
        });
        if !setup.artefact.artefact().is_told_by_edges() {
            self.artefact_cad(ui, context);
        }
        let setup = &mut self.setup;
        theme::choice(
            ui,
            &text!("calibrate-sensor-frame"),
            &mut setup.handedness,
            &[Handedness::Right, Handedness::Left],
            |own| match own {
                Handedness::Right => text!("calibrate-right-handed"),
                Handedness::Left => text!("calibrate-left-handed"),
            },
        );
        stylus_radius(ui, &mut setup.probe_radius_mm);
        ui.horizontal(|ui| {
            ui.label(text!("calibrate-cmm-position"));
            for (value, axis) in setup.position_mm.iter_mut().zip(["X", "Y", "Z"]) {
                let drag = NumberField::new(value).speed(0.1).max_decimals(4);
                ui.add(drag).on_hover_text(text!("calibrate-cmm-position-hint", axis = axis));
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-bias"));
            let drag = NumberField::new(&mut setup.bias_mm).speed(0.001).range(0.0..=1.0).max_decimals(4).suffix(" mm");
            ui.add(drag).labelled_by(label.id).on_hover_text(text!("calibrate-bias-hint"));
        });
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-operator"));
            ui.add(egui::TextEdit::singleline(&mut setup.operator).desired_width(150.0)).labelled_by(label.id);
        });
        ui.collapsing(text!("calibrate-serials"), |ui| {
            egui::Grid::new("serials").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
                let serials = &mut setup.serials;
                for (name, serial) in [
                    (text!("calibrate-sensor"), &mut serials.sensor),
                    (text!("calibrate-cmm"), &mut serials.machine),
                    (text!("calibrate-artefact"), &mut serials.artefact),
                ] {
                    let label = ui.label(name);
                    ui.add(egui::TextEdit::singleline(serial).desired_width(150.0)).labelled_by(label.id);
                    ui.end_row();
                }
            });
        });
        self.commit_setup(ui, context);
    }

    /// Sends the edited setup once the edit has ended.
    pub(super) fn commit_setup(&mut self, ui: &egui::Ui, context: &mut PanelContext<'_>) {
        if context.may_commit(ui) {
            self.send_setup(context);
        }
    }

    /// Sends the setup if it was edited.
    pub(super) fn send_setup(&self, context: &mut PanelContext<'_>) {
        if self.setup != context.document().calibration.setup {
            context.send(Calibrate::SetUp(Box::new(self.setup.clone())));
        }
    }

    /// CAD model and region points of a custom artefact.
    fn artefact_cad(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let NominalFiles { cad, regions } = &mut self.setup.nominal;
        let header = egui::CollapsingHeader::new(text!("calibrate-artefact-cad"))
            .default_open(cad.is_some() || regions.is_some());
        header.show(ui, |ui| {
            theme::weak(ui, text!("calibrate-artefact-cad-about"));
            let rows = [
                (text!("calibrate-cad-open"), text!("calibrate-cad-open-hint"), Pick::ArtefactCad, cad),
                (text!("calibrate-points-open"), text!("calibrate-points-open-hint"), Pick::ArtefactRegions, regions),
            ];
            for (text, hint, pick, path) in rows {
                ui.horizontal(|ui| {
                    if ui.button(text).on_hover_text(hint).clicked() {
                        context.ask(Action::Browse(Purpose::Machine(pick)));
                    }
                    let Some(name) = path.as_ref().and_then(|path| path.file_name()) else {
                        ui.label(RichText::new(text!("common-none")).weak());
                        return;
                    };
                    ui.label(name.to_string_lossy());
                    if ui.small_button(text!("common-remove")).clicked() {
                        *path = None;
                    }
                });
            }
        });
    }

    fn measurements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        let mut browse = None;
        egui::Grid::new("measurements").num_columns(3).spacing([10.0, 6.0]).show(ui, |ui| {
            for (instrument, purpose) in
                [(Instrument::Sensor, Purpose::Snapshot), (Instrument::Cmm, Purpose::ProbedPoints)]
            {
                theme::pick(ui, &mut self.instrument, instrument, texts::word(instrument.name()))
                    .on_hover_text(text!("calibrate-instrument-hint"));
                let measurement = calibrating.of(instrument);
                let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
                match measurement.source() {
                    Some(source) => {
                        ui.label(text!("calibrate-points", shown = theme::count(points))).on_hover_text(source.name())
                    }
                    None => ui.label(RichText::new(text!("calibrate-none-yet")).weak()),
                };
                let (text, hint) = match instrument {
                    Instrument::Sensor => (text!("calibrate-snapshot-open"), text!("calibrate-snapshot-open-hint")),
                    Instrument::Cmm => (text!("calibrate-probed-open"), text!("calibrate-probed-open-hint")),
                };
                if ui.button(text).on_hover_text(hint).clicked() {
                    browse = Some(purpose);
                }
                ui.end_row();
            }
        });
        let has_grey = calibrating.sensor.actual.as_ref().is_some_and(|actual| !actual.cloud.intensity.is_empty());
        if has_grey && self.instrument == Instrument::Sensor {
            ui.checkbox(&mut self.shows_grey, text!("calibrate-grey")).on_hover_text(text!("calibrate-grey-hint"));
        }
        if let Some(purpose) = browse {
            context.ask(Action::Browse(purpose));
        }
    }

    fn region_list(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        let artefact = calibrating.setup.artefact.artefact();
        let instrument = self.instrument;
        let outcome = calibrating.outcome.clone();
        let lights: Vec<Option<Light>> =
            (0..artefact.regions().len()).map(|region| light_of(outcome.as_deref(), instrument, region)).collect();
        super::features::brush_options(ui, &mut context.display.brush);
        let calibrating = &context.document().calibration;
        let measurement = calibrating.of(instrument);
        egui::Grid::new("regions").num_columns(4).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
            for (index, region) in artefact.regions().iter().enumerate() {
                let points = measurement.region(index).len();
                ui.horizontal(|ui| {
                    theme::dot(ui, theme::colour(GROUP_COLOURS[index % GROUP_COLOURS.len()]));
                    let chosen = self.region == index;
                    let hint = text!("calibrate-brush-hint");
                    let name = theme::chip(ui, chosen, region.short).on_hover_text(hint);
                    if name.clicked() {
                        self.region = index;
                        if context.display.brush.tool == Tool::Off {
                            context.display.brush.tool = Tool::Rectangle;
                        }
                    }
                });
                ui.label(RichText::new(texts::word(region.long)).weak());
                ui.label(theme::count(points));
                ui.horizontal(|ui| {
                    if let Some(light) = lights[index] {
                        theme::dot(ui, colour_of(light)).on_hover_text(description_of(light));
                    }
                    if points > 0 && ui.small_button(text!("calibrate-clear")).clicked() {
                        context.send(Calibrate::ClearRegion(instrument, index));
                    }
                });
                ui.end_row();
            }
        });
        let has_snapshot = calibrating.sensor.actual.is_some();
        if instrument == Instrument::Sensor {
            let find =
                ui.add_enabled(has_snapshot && !context.is_busy, egui::Button::new(text!("calibrate-find-regions")));
            if find.on_hover_text(text!("calibrate-find-regions-hint")).clicked() {
                context.send(Calibrate::FindRegions);
            }
        }
    }

    /// Stored snapshots, for artefacts that require several, or to estimate the CMM geometric errors.
    fn snapshots(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        let several = !calibrating.setup.artefact.artefact().determines()[3];
        let stored = calibrating.set_aside.len();
        let heading = RichText::new(text!("calibrate-snapshots-more")).heading();
        let is_open = several || stored > 0;
        let header = egui::CollapsingHeader::new(heading).id_salt("more snapshots").default_open(is_open);
        let ready = has_all_regions(calibrating, Instrument::Sensor)
            && has_all_regions(calibrating, Instrument::Cmm)
            && !context.is_busy;
        let wanted = &mut self.setup.wanted;
        header.show(ui, |ui| {
            theme::weak(
                ui,
                if several { text!("calibrate-snapshots-needed") } else { text!("calibrate-snapshots-useful") },
            );
            egui::Grid::new("snapshots").num_columns(3).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
                for (index, snapshot) in calibrating.set_aside.iter().enumerate() {
                    let name = |instrument: &Measurement| instrument.source().map(SourceFile::name).unwrap_or_default();
                    ui.label(name(&snapshot.sensor))
                        .on_hover_text(text!("calibrate-probed-points-of", file = name(&snapshot.cmm)));
                    let [x, y, z] = snapshot.position_mm;
                    ui.label(RichText::new(format!("{x:.1}, {y:.1}, {z:.1} mm")).weak());
                    if ui.small_button(text!("common-remove")).clicked() {
                        context.send(Calibrate::ForgetSnapshot(index));
                    }
                    ui.end_row();
                }
            });
            let hint = text!("calibrate-store-hint");
            if ui.add_enabled(ready, egui::Button::new(text!("calibrate-store"))).on_hover_text(hint).clicked() {
                context.send(Calibrate::KeepSnapshot);
            }
            ui.add_enabled_ui(stored > 0, |ui| {
                ui.checkbox(&mut wanted.squareness, text!("calibrate-squareness-estimate"));
                ui.checkbox(&mut wanted.scales, text!("calibrate-scales-estimate"));
            });
        });
    }
}
