//! Mechanical alignment in the Calibrate workspace: module to be adjusted, data sources, adjustment screws.

use egui::RichText;

use super::super::{PanelContext, rows};
use super::CalibratePanel;
use crate::lengths::{position_text, with_unit};
use crate::number_field::NumberField;
use crate::theme;
use dispatch::mechanical::{Live, Order, Source};
use dispatch::{Calibrate, Command};
use inspect::calibration::mechanical::Turned;
use texts::text;

impl CalibratePanel {
    pub(super) fn mechanical_panel(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        theme::heading(ui, text!("calibrate-module"));
        let mechanical = &mut self.setup.mechanical;
        ui.horizontal(|ui| {
            theme::pick(ui, &mut mechanical.turned, Turned::Artefact, text!("calibrate-module-artefact"));
            theme::pick(ui, &mut mechanical.turned, Turned::Sensor, text!("calibrate-module-sensor"));
        });
        theme::weak(
            ui,
            match mechanical.turned {
                Turned::Artefact => text!("calibrate-module-artefact-about"),
                Turned::Sensor => text!("calibrate-module-sensor-about"),
            },
        );
        theme::heading(ui, text!("calibrate-sources"));
        self.mechanical_sources(ui, context);
        theme::heading(ui, text!("calibrate-screws"));
        self.mechanical_screws(ui);
        let heading = RichText::new(text!("calibrate-setup")).heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("mechanical setup");
        header.show(ui, |ui| self.setup_fields(ui, context));
    }

    fn mechanical_sources(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let mechanical = &mut self.setup.mechanical;
        let is_running = context.dispatcher.mechanical.is_running();
        let fields = [
            (
                text!("calibrate-snapshot-folder"),
                &mut mechanical.folder,
                text!("calibrate-snapshot-folder-empty"),
                text!("calibrate-snapshot-folder-hint"),
            ),
            (
                text!("calibrate-connection"),
                &mut mechanical.line,
                text!("calibrate-connection-empty"),
                text!("calibrate-connection-hint"),
            ),
        ];
        ui.add_enabled_ui(!is_running, |ui| {
            for (name, text, hint, description) in fields {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let field = egui::TextEdit::singleline(text).hint_text(hint).desired_width(180.0);
                    ui.add(field).on_hover_text(description).labelled_by(label.id);
                });
            }
        });
        let text = if is_running { text!("calibrate-stop") } else { text!("calibrate-start") };
        if theme::wide_main_button(ui, true, text).clicked() {
            // While a job is running what was edited would be sent after it, and thus after the start.
            if context.is_busy && self.setup != context.document().calibration.setup {
                context.send(Calibrate::SetUp(Box::new(self.setup.clone())));
            }
            context.send(Command::Mechanical(if is_running { Order::Stop } else { Order::Start }));
        }
        source_state(ui, &context.dispatcher.mechanical);
        let has_points = !context.dispatcher.mechanical.touched.is_empty();
        let hint = text!("calibrate-clear-probed-hint");
        if ui.add_enabled(has_points, egui::Button::new(text!("calibrate-clear-probed"))).on_hover_text(hint).clicked()
        {
            context.send(Command::Mechanical(Order::ForgetTouches));
        }
    }

    fn mechanical_screws(&mut self, ui: &mut egui::Ui) {
        let mechanical = &mut self.setup.mechanical;
        let mut drag =
            |name: String, value: &mut f64, range: std::ops::RangeInclusive<f64>, suffix: &str, hint: String| {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).unit(suffix);
                    ui.add(drag).labelled_by(label.id).on_hover_text(hint);
                });
            };
        drag(
            text!("calibrate-angle-limit"),
            &mut mechanical.limit_deg,
            0.001..=5.0,
            "°",
            text!("calibrate-angle-limit-hint"),
        );
        let module = mechanical.module_mut();
        let (name, hint) = (text!("calibrate-screw-pitch"), text!("calibrate-screw-pitch-hint"));
        drag(name, &mut module.pitch_mm, 0.01..=10.0, " mm", hint);
        let names = [text!("calibrate-arm-roll"), text!("calibrate-arm-pitch"), text!("calibrate-arm-yaw")];
        for (name, arm) in names.into_iter().zip(&mut module.arm_mm) {
            drag(name, arm, 1.0..=2000.0, " mm", text!("calibrate-arm-hint"));
        }
    }
}

/// State of the data sources, and the data received.
fn source_state(ui: &mut egui::Ui, live: &Live) {
    let state = |source: &Source| match source {
        Source::Off => text!("calibrate-state-off"),
        Source::Opening => text!("calibrate-state-opening"),
        Source::Open => text!("calibrate-state-open"),
        Source::Lost(_) => text!("calibrate-state-lost"),
    };
    let points = live.touched.counts();
    let mut figures = vec![
        (text!("calibrate-folder-state"), state(&live.folder_source)),
        (text!("calibrate-connection-state"), state(&live.line_source)),
        (text!("calibrate-snapshots-received"), theme::count(live.snapshots)),
        (text!("calibrate-points-received"), theme::count(points.iter().map(|(_, count)| count).sum())),
    ];
    if let Some(at) = live.position_mm {
        figures.push((text!("calibrate-cmm-position"), with_unit(position_text([at.x, at.y, at.z], 1))));
    }
    rows(ui, "mechanical sources", &figures);
    if !points.is_empty() {
        let counts = points.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>();
        theme::weak(ui, counts.join(", "));
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(message) = source {
            ui.colored_label(theme::BAD, texts::word(message));
        }
    }
    let (skipped, reason) = &live.skipped;
    if *skipped > 0 {
        theme::weak(ui, text!("calibrate-skipped", count = *skipped, reason = reason.as_str()));
    }
}
