//! The parts measured so far, above the viewport: one click goes to each.

use egui::RichText;

use super::super::{Action, App, theme};
use super::named;
use dispatch::Inspect;
use inspect::verdict::Verdict;
use session::verdict;

impl App {
    pub(in super::super) fn parts_bar(&mut self, ui: &mut egui::Ui) {
        let document = &self.dispatcher.document;
        if document.stages.all().len() < 2 {
            return;
        }
        let shown = document.stages.number();
        let own: Option<Verdict> = verdict::overall(document).map(|overall| overall.verdict);
        let ready = !self.is_busy();
        let mut chosen = None;
        egui::Panel::top("parts").show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Parts").weak());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Table and trend…").clicked() {
                        self.actions.push(Action::ShowParts);
                    }
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        egui::ScrollArea::horizontal().id_salt("parts").show(ui, |ui| {
                            for (number, stage) in document.stages.all().iter().enumerate() {
                                let verdict = match &stage.record {
                                    Some(record) if number != shown => record.verdict,
                                    _ => own,
                                };
                                theme::dot(ui, super::series::colour(verdict));
                                let chip = ui.add_enabled_ui(ready, |ui| theme::chip(ui, number == shown, &stage.name));
                                let hint = stage.record.as_ref().filter(|_| number != shown);
                                let hint = hint.map_or("The shown part", |record| record.headline.as_str());
                                let chip = chip.inner.on_hover_text(hint);
                                named(&chip, &format!("Part {}", stage.name));
                                if chip.clicked() && number != shown {
                                    chosen = Some(number);
                                }
                            }
                        });
                    });
                });
            });
        });
        if let Some(number) = chosen {
            self.actions.push(Action::Send(Box::new(Inspect::ShowPart(number).into())));
        }
    }
}
