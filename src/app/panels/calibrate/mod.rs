//! Calibrate workspace: regions of the artefact in the measurements of both instruments, and the mounting of the sensor
//! on the CMM that follows from them; in steps from the set-up to the use of the calibration.

mod acceptance;
mod calibrate_steps;
mod certification;
mod measurements;
mod mechanical;
mod probing;
mod repeatability;
mod result;

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Color32, RichText};

use super::PanelContext;
use super::picks::Pick;
use super::steps::{self, Step as _, StepState};
use super::turn::Turn;
use crate::choosing::Purpose;
use crate::lengths::symbol;
use crate::number_field::NumberField;
use crate::{Action, edits, theme};
use acceptance::AcceptanceSection;
pub use acceptance::Artefact;
use calibrate_steps::CalibrateStep;
use dispatch::{Calibrate, Command};
use inspect::alignment::multi_view;
use inspect::calibration::{ArtefactKind, Handedness, Light};
use probing::ProbingSection;
use repeatability::RepeatabilitySection;
use report::certificate::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};
use session::Document;
use session::calibration::{CalibrationState, Instrument, NominalFiles, Setup};
use session::plan::Recipe;
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
    /// The step that is shown.
    step: CalibrateStep,
    /// Address of the calibration shown last; `None` without one.
    outcome_address: Option<usize>,
    /// Reason for using a calibration that has expired or is not certified.
    pub reason: String,
    /// Whether merged snapshots are globally registered.
    pub refines: bool,
    /// Parameters of the global registration.
    pub registration: multi_view::Parameters,
    setup: Setup,
    /// The set-up of the document that it was last taken from.
    setup_of: Setup,
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
            step: CalibrateStep::default(),
            outcome_address: None,
            reason: String::new(),
            refines: false,
            registration: multi_view::Parameters::default(),
            setup: Setup::default(),
            setup_of: Setup::default(),
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
        let field = NumberField::new(&mut radius).speed(0.01).range(0.0..=100.0).max_decimals(4).length();
        let field = match radius_mm {
            Some(_) => field.unit("mm"),
            None => field.custom_formatter(|_, _| text!("calibrate-not-set")),
        };
        if ui.add(field).labelled_by(label.id).changed() {
            *radius_mm = Some(radius);
        }
    });
}

impl CalibratePanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let turn = Turn::begin(ui, "mechanical");
        let shown = self.mechanical;
        let hint = text!("calibrate-mechanical-hint");
        ui.checkbox(&mut self.mechanical, text!("calibrate-mechanical")).on_hover_text(hint);
        if shown {
            super::scrolled(ui, |ui| self.mechanical_panel(ui, context));
        } else {
            let document = context.document();
            let states: Vec<StepState> = CalibrateStep::ALL.iter().map(|own| own.state(document)).collect();
            let mut step = self.step;
            steps::show(ui, &mut step, &states, |ui, shown, state| self.contents(ui, context, shown, state));
            self.turn_to(step);
        }
        let was_editing = turn.was_editing();
        turn.end(ui, shown, &mut self.mechanical);
        self.turn_to_chosen(ui, context, was_editing);
    }

    /// Begins with another inspection, in the step that was reached in it.
    pub fn begin(&mut self, document: &Document) {
        self.turn_to(CalibrateStep::reached(document));
    }

    /// Shows the points of an instrument, in the step in which its regions are assigned.
    pub fn show_instrument(&mut self, instrument: Instrument) {
        self.turn_to(CalibrateStep::of(instrument));
    }

    /// Leads to a hole of the hybrid measurement.
    pub fn show_hole(&mut self, name: &str) {
        self.mechanical = false;
        self.turn_to(CalibrateStep::Use);
        self.probing.lead_to(name);
    }

    /// Whether the mouse brushes in the step that is shown, where it has a brush.
    pub fn has_brush(&self) -> bool {
        !self.mechanical && self.step.instrument().is_some()
    }

    /// Shows a step, and the points of the instrument that it is of.
    fn turn_to(&mut self, step: CalibrateStep) {
        self.step = step;
        self.instrument = step.instrument().unwrap_or(self.instrument);
    }

    /// Turns to the result if the calibration was chosen elsewhere; in the next frame if a field was being edited, so that
    /// it takes what was typed.
    fn turn_to_chosen(&mut self, ui: &egui::Ui, context: &mut PanelContext<'_>, was_editing: bool) {
        let chosen = context.display.chosen.and_then(|id| context.document().plan.get(id));
        if chosen.is_some_and(|own| matches!(own.recipe, Recipe::Calibration(_))) {
            ui.ctx().request_repaint();
            if was_editing {
                return edits::end(ui.ctx());
            }
            self.turn_to(CalibrateStep::Result);
            self.mechanical = false;
            context.display.chosen = None;
        }
    }

    fn contents(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, step: CalibrateStep, state: &StepState) {
        match step {
            CalibrateStep::Setup => {
                theme::heading(ui, text!("calibrate-setup"));
                self.setup_fields(ui, context);
                self.stated_errors(ui);
                steps::missing(ui, state);
            }
            CalibrateStep::Snapshot | CalibrateStep::Probing => {
                theme::heading(ui, text!("calibrate-measurements"));
                self.measurement(ui, context);
                theme::heading(ui, text!("calibrate-regions"));
                self.region_list(ui, context);
                steps::missing(ui, state);
                if step == CalibrateStep::Probing {
                    self.snapshots(ui, context);
                }
            }
            CalibrateStep::Result => {
                theme::heading(ui, text!("calibrate-calibration"));
                self.result(ui, context);
                steps::missing(ui, state);
            }
            CalibrateStep::Verification => {
                self.repeatability.log_field(ui, context);
                steps::missing(ui, state);
                self.repeatability.show(ui, context);
                self.acceptance.show(ui, context);
            }
            CalibrateStep::Use => {
                self.merging(ui, context);
                steps::missing(ui, state);
                self.probing.show(ui, context);
            }
        }
    }

    /// Updates the panel to the document, for example after undo or where something was refused; a new calibration is
    /// shown.
    pub fn follow(&mut self, document: &Document, is_refused: bool) {
        let setup = &document.calibration.setup;
        if is_refused || self.setup_of != *setup {
            (self.setup, self.setup_of) = (setup.clone(), setup.clone());
        }
        let address = document.calibration.outcome.as_ref().map(|own| Arc::as_ptr(own).addr());
        let is_new = address.is_some() && address != self.outcome_address;
        self.outcome_address = address;
        if is_new {
            self.turn_to(CalibrateStep::Result);
        }
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
                let drag = NumberField::new(value).speed(0.1).max_decimals(4).drawn_length();
                ui.add(drag).on_hover_text(text!("calibrate-cmm-position-hint", axis = axis, unit = symbol()));
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label(text!("calibrate-bias"));
            let drag = NumberField::new(&mut setup.bias_mm).speed(0.001).range(0.0..=1.0).max_decimals(4).unit("mm");
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
    }

    /// The commands that send what was edited: the setup, and the data of the calibration's monitoring.
    pub fn edits(&mut self, document: &Document) -> impl Iterator<Item = Command> + use<> {
        let setup = &document.calibration.setup;
        let is_edited = self.setup_of == *setup && self.setup != *setup;
        let setup = is_edited.then(|| Command::from(Calibrate::SetUp(Box::new(self.setup.clone()))));
        setup.into_iter().chain(self.repeatability.edit(&document.monitoring))
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
}
