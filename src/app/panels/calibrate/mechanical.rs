//! Mechanical alignment in the Calibrate workspace: module to be adjusted, data sources, adjustment screws.

use egui::RichText;

use super::super::{PanelContext, rows};
use super::CalibratePanel;
use crate::number_field::NumberField;
use crate::theme;
use dispatch::Command;
use dispatch::mechanical::{Live, Order, Source};
use inspect::calibration::mechanical::{TURNS, Turned};

impl CalibratePanel {
    pub(super) fn mechanical_panel(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        theme::heading(ui, "Module");
        let mechanical = &mut self.setup.mechanical;
        ui.horizontal(|ui| {
            theme::pick(ui, &mut mechanical.turned, Turned::Artefact, "1. Artefact module");
            theme::pick(ui, &mut mechanical.turned, Turned::Sensor, "2. Sensor module");
        });
        theme::weak(
            ui,
            match mechanical.turned {
                Turned::Artefact => {
                    "Probe the plate (LP, RP or PLATE) and its side face (SIDE) or the long slot (LL, LR), adjust the \
                     screws, and probe again."
                }
                Turned::Sensor => {
                    "Take a snapshot of the aligned artefact, adjust the screws, and take the next. The artefact is \
                     assumed to be as last probed."
                }
            },
        );
        theme::heading(ui, "Data sources");
        self.mechanical_sources(ui, context);
        theme::heading(ui, "Adjustment screws");
        self.mechanical_screws(ui);
        let heading = RichText::new("Setup").heading();
        let header = egui::CollapsingHeader::new(heading).id_salt("mechanical setup");
        header.show(ui, |ui| self.setup_fields(ui, context));
        self.commit_setup(ui, context);
    }

    fn mechanical_sources(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let mechanical = &mut self.setup.mechanical;
        let is_running = context.dispatcher.mechanical.is_running();
        let fields = [
            ("Snapshot folder", &mut mechanical.folder, "folder of the sensor", "Snapshots are read on arrival"),
            (
                "CMM connection",
                &mut mechanical.line,
                "tcp://host:port or /dev/ttyUSB0",
                "Network or serial port. Serial settings other than 9600,8N1 follow an @: /dev/ttyUSB0@19200,7E1",
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
        let text = if is_running { "Stop monitoring" } else { "Start monitoring" };
        if theme::wide_main_button(ui, true, text).clicked() {
            // Text being edited is sent first.
            self.send_setup(context);
            context.send(Command::Mechanical(if is_running { Order::Stop } else { Order::Start }));
        }
        source_state(ui, &context.dispatcher.mechanical);
        let has_points = !context.dispatcher.mechanical.touched.is_empty();
        let hint = "Starts a new measurement";
        if ui.add_enabled(has_points, egui::Button::new("Clear probed points")).on_hover_text(hint).clicked() {
            context.send(Command::Mechanical(Order::ForgetTouches));
        }
    }

    fn mechanical_screws(&mut self, ui: &mut egui::Ui) {
        let mechanical = &mut self.setup.mechanical;
        let mut drag = |name: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, suffix: &str, hint: &str| {
            ui.horizontal(|ui| {
                let label = ui.label(name);
                let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).suffix(suffix);
                ui.add(drag).labelled_by(label.id).on_hover_text(hint);
            });
        };
        drag(
            "Angle limit",
            &mut mechanical.limit_deg,
            0.001..=5.0,
            "°",
            "Green up to this angle, including uncertainty",
        );
        let module = mechanical.module_mut();
        drag("Screw pitch", &mut module.pitch_mm, 0.01..=10.0, " mm", "Travel per turn of a screw");
        for (turn, arm) in TURNS.into_iter().zip(&mut module.arm_mm) {
            let name = format!("Lever arm, {}", turn.to_lowercase());
            drag(&name, arm, 1.0..=2000.0, " mm", "From the axis of rotation to the screw");
        }
    }
}

/// State of the data sources, and the data received.
fn source_state(ui: &mut egui::Ui, live: &Live) {
    let state = |source: &Source| match source {
        Source::Off => "off",
        Source::Opening => "connecting",
        Source::Open => "connected",
        Source::Lost(_) => "lost",
    };
    let points = live.touched.counts();
    let mut figures = vec![
        ("Folder state", state(&live.folder_source).to_owned()),
        ("Connection state", state(&live.line_source).to_owned()),
        ("Snapshots received", theme::count(live.snapshots)),
        ("Points received", theme::count(points.iter().map(|(_, count)| count).sum())),
    ];
    if let Some(at) = live.position_mm {
        figures.push(("CMM position", format!("{:.1}, {:.1}, {:.1} mm", at.x, at.y, at.z)));
    }
    rows(ui, "mechanical sources", &figures);
    if !points.is_empty() {
        let counts = points.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>();
        theme::weak(ui, counts.join(", "));
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(message) = source {
            ui.colored_label(theme::BAD, message);
        }
    }
    let (skipped, reason) = &live.skipped;
    if *skipped > 0 {
        theme::weak(ui, format!("{skipped} lines skipped. {reason}"));
    }
}
