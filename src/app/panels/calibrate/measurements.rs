//! Measurements of both instruments in the Calibrate workspace: files, regions, stored snapshots.

use egui::{RichText, Ui};

use super::super::{PanelContext, named};
use super::result::{description_of, light_of};
use super::{CalibratePanel, colour_of, has_all_regions};
use crate::choosing::Purpose;
use crate::lengths::{position_text, with_unit};
use crate::number_field::NumberField;
use crate::viewport::brush::Tool;
use crate::{Action, theme};
use dispatch::Calibrate;
use inspect::calibration::Light;
use inspect::calibration::joint::{KnownErrors, Stated};
use io::SourceFile;
use render::GROUP_COLOURS;
use session::calibration::{Instrument, Measurement};
use texts::text;

impl CalibratePanel {
    /// The measurement of the instrument that is shown.
    pub(super) fn measurement(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let (calibrating, instrument) = (&context.document().calibration, self.instrument);
        let measurement = calibrating.of(instrument);
        let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
        let (text, hint, purpose) = match instrument {
            Instrument::Sensor => {
                (text!("calibrate-snapshot-open"), text!("calibrate-snapshot-open-hint"), Purpose::Snapshot)
            }
            Instrument::Cmm => {
                (text!("calibrate-probed-open"), text!("calibrate-probed-open-hint"), Purpose::ProbedPoints)
            }
        };
        ui.horizontal(|ui| {
            ui.label(RichText::new(texts::word(instrument.name())).family(theme::strong_family()));
            match measurement.source() {
                Some(source) => {
                    ui.label(text!("calibrate-points", shown = theme::count(points))).on_hover_text(source.name())
                }
                None => ui.label(RichText::new(text!("calibrate-none-yet")).weak()),
            };
            if ui.button(text).on_hover_text(hint).clicked() {
                context.ask(Action::Browse(purpose));
            }
        });
        let has_grey = measurement.actual.as_ref().is_some_and(|actual| !actual.cloud.intensity.is_empty());
        if has_grey && instrument == Instrument::Sensor {
            ui.checkbox(&mut self.shows_grey, text!("calibrate-grey")).on_hover_text(text!("calibrate-grey-hint"));
        }
    }

    /// The regions of the instrument that is shown, and the brush for them.
    pub(super) fn region_list(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let calibrating = &context.document().calibration;
        let artefact = calibrating.setup.artefact.artefact();
        let instrument = self.instrument;
        let outcome = calibrating.outcome.clone();
        let lights: Vec<Option<Light>> =
            (0..artefact.regions().len()).map(|region| light_of(outcome.as_deref(), instrument, region)).collect();
        super::super::features::brush_options(ui, &mut context.display.brush);
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
    pub(super) fn snapshots(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
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
                    ui.label(RichText::new(with_unit(position_text(snapshot.position_mm, 1))).weak());
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
            known_errors(ui, &mut wanted.known);
            ui.add_enabled_ui(stored > 0, |ui| {
                ui.checkbox(&mut wanted.squareness, text!("calibrate-squareness-estimate"));
                ui.checkbox(&mut wanted.scales, text!("calibrate-scales-estimate"));
            });
        });
    }
}

/// Squareness and scales of the CMM that are known from another measurement, with their U.
fn known_errors(ui: &mut Ui, known: &mut KnownErrors) {
    let mut is_known = known.squareness_rad.is_some();
    let label = text!("calibrate-squareness-known");
    if ui.checkbox(&mut is_known, label.as_str()).on_hover_text(text!("calibrate-known-hint")).changed() {
        known.squareness_rad = is_known.then(Stated::default);
    }
    if let Some(own) = &mut known.squareness_rad {
        ui.horizontal(|ui| stated(ui, std::slice::from_mut(&mut own.value), &mut own.expanded, (&label, " µrad")));
    }
    let mut is_known = known.scales.iter().any(Option::is_some);
    let label = text!("calibrate-scales-known");
    if ui.checkbox(&mut is_known, label.as_str()).on_hover_text(text!("calibrate-known-hint")).changed() {
        known.scales = [is_known.then(Stated::default); 3];
    }
    if let [Some(x), Some(y), Some(z)] = known.scales {
        let (mut values, mut expanded) = ([x.value, y.value, z.value], x.expanded);
        ui.horizontal(|ui| stated(ui, &mut values, &mut expanded, (&label, " µm/m")));
        known.scales = values.map(|value| Some(Stated { value, expanded }));
    }
}

/// Fields of values in millionths and of their common U.
fn stated(ui: &mut Ui, values: &mut [f64], expanded: &mut f64, (name, unit): (&str, &str)) {
    let axes: &[&str] = if values.len() == 1 { &[""] } else { &["X ", "Y ", "Z "] };
    for (value, axis) in values.iter_mut().zip(axes) {
        let mut micro = 1e6 * *value;
        let field = NumberField::new(&mut micro).speed(1.0).max_decimals(2).prefix(axis.to_string()).suffix(unit);
        let response = ui.add(field);
        named(&response, &format!("{name} {axis}"));
        if response.changed() {
            *value = 1e-6 * micro;
        }
    }
    let mut micro = 1e6 * *expanded;
    let field = NumberField::new(&mut micro).speed(1.0).max_decimals(2).range(0.0..=1e5).prefix("± ").suffix(unit);
    let response = ui.add(field);
    named(&response, &format!("{name} U"));
    if response.changed() {
        *expanded = 1e-6 * micro;
    }
}
