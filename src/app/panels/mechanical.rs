//! The mechanical alignment in the workspace Calibrate: what is being turned, where its figures come from, its screws.

use egui::RichText;

use super::super::{App, theme};
use super::rows;
use crate::number_field::NumberField;
use dispatch::Command;
use dispatch::mechanical::{Live, Order, Source};
use inspect::calibration::mechanical::{TURNS, Turned};

impl App {
    pub(super) fn mechanical_panel(&mut self, ui: &mut egui::Ui) {
        theme::heading(ui, "What is turned");
        let mechanical = &mut self.calibration.setup.mechanical;
        ui.horizontal(|ui| {
            theme::pick(ui, &mut mechanical.turned, Turned::Artefact, "1. Artefact's module");
            theme::pick(ui, &mut mechanical.turned, Turned::Sensor, "2. Sensor's module");
        });
        theme::weak(
            ui,
            match mechanical.turned {
                Turned::Artefact => {
                    "Touch the plate (LP, RP or PLATE) and its side face (SIDE) or the long slot (LL, LR), turn the screws, \
                 and touch again."
                }
                Turned::Sensor => {
                    "Take a snapshot of the aligned artefact, turn the screws, and take the next. The artefact counts as it was \
                 touched."
                }
            },
        );
        theme::heading(ui, "Sources");
        self.mechanical_sources(ui);
        theme::heading(ui, "Screws");
        self.mechanical_screws(ui);
        let heading = RichText::new("Set-up").heading();
        egui::CollapsingHeader::new(heading).id_salt("mechanical set-up").show(ui, |ui| self.set_up(ui));
        self.commit_set_up(ui);
    }

    fn mechanical_sources(&mut self, ui: &mut egui::Ui) {
        let mechanical = &mut self.calibration.setup.mechanical;
        let is_running = self.dispatcher.mechanical.is_running();
        let fields = [
            ("Snapshot folder", &mut mechanical.folder, "where the sensor writes", "Snapshots are read as they come"),
            (
                "Machine line",
                &mut mechanical.line,
                "tcp://host:port or /dev/ttyUSB0",
                "A network port, or a serial device. After an @ its speed and frame, where they are not 9600,8N1: \
                 /dev/ttyUSB0@19200,7E1",
            ),
        ];
        ui.add_enabled_ui(!is_running, |ui| {
            for (name, text, hint, more) in fields {
                ui.horizontal(|ui| {
                    let label = ui.label(name);
                    let field = egui::TextEdit::singleline(text).hint_text(hint).desired_width(180.0);
                    ui.add(field).on_hover_text(more).labelled_by(label.id);
                });
            }
        });
        let text = if is_running { "Stop watching" } else { "Start watching" };
        if theme::wide_main_button(ui, true, text).clicked() {
            // What was typed last counts.
            self.send_set_up();
            self.send(Command::Mechanical(if is_running { Order::Stop } else { Order::Start }));
        }
        state(ui, &self.dispatcher.mechanical);
        let has_touches = !self.dispatcher.mechanical.touched.is_empty();
        let hint = "The next touches are of a new measurement";
        if ui.add_enabled(has_touches, egui::Button::new("Forget touches")).on_hover_text(hint).clicked() {
            self.send(Command::Mechanical(Order::ForgetTouches));
        }
    }

    fn mechanical_screws(&mut self, ui: &mut egui::Ui) {
        let mechanical = &mut self.calibration.setup.mechanical;
        let mut drag = |name: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, suffix: &str, hint: &str| {
            ui.horizontal(|ui| {
                let label = ui.label(name);
                let drag = NumberField::new(value).speed(0.01).range(range).max_decimals(4).suffix(suffix);
                ui.add(drag).labelled_by(label.id).on_hover_text(hint);
            });
        };
        drag("Angle limit", &mut mechanical.limit_deg, 0.001..=5.0, "°", "Green up to this, the uncertainty included");
        let module = mechanical.module_mut();
        drag("Screw pitch", &mut module.pitch_mm, 0.01..=10.0, " mm", "How far a screw moves in one turn of it");
        for (turn, arm) in TURNS.into_iter().zip(&mut module.arm_mm) {
            let name = format!("Arm of {}", turn.to_lowercase());
            drag(&name, arm, 1.0..=2000.0, " mm", "From the axis that it turns about to the screw");
        }
    }
}

/// Where the sources are, and what came from them.
fn state(ui: &mut egui::Ui, live: &Live) {
    let words = |source: &Source| match source {
        Source::Off => "not asked for",
        Source::Opening => "being opened",
        Source::Open => "open",
        Source::Lost(_) => "lost",
    };
    let touches = live.touched.counts();
    let mut figures = vec![
        ("Folder is", words(&live.folder_source).to_owned()),
        ("Line is", words(&live.line_source).to_owned()),
        ("Snapshots came", theme::count(live.snapshots)),
        ("Touches came", theme::count(touches.iter().map(|(_, count)| count).sum())),
    ];
    if let Some(at) = live.position_mm {
        figures.push(("Machine stands at", format!("{:.1}, {:.1}, {:.1} mm", at.x, at.y, at.z)));
    }
    rows(ui, "mechanical sources", &figures);
    if !touches.is_empty() {
        let each = touches.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>();
        theme::weak(ui, each.join(", "));
    }
    for source in [&live.folder_source, &live.line_source] {
        if let Source::Lost(sentence) = source {
            ui.colored_label(theme::BAD, sentence);
        }
    }
    let (skipped, why) = &live.skipped;
    if *skipped > 0 {
        theme::weak(ui, format!("{skipped} lines skipped. {why}"));
    }
}
