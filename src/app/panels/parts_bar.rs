//! Bar above the viewport with the parts measured in this inspection, to switch between them.

use egui::RichText;

use super::{PanelContext, named};
use crate::{Action, theme};
use dispatch::Inspect;
use inspect::verdict::Verdict;
use texts::text;

/// Draws the bar if there are at least two parts.
pub fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    if document.stages.all().len() < 2 {
        return;
    }
    let shown = document.stages.number();
    let own: Option<Verdict> = context.display.overall.of(document).map(|overall| overall.verdict);
    let ready = !context.is_busy;
    let mut chosen = None;
    egui::Panel::top("parts").show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new(text!("elements-parts")).weak());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button(text!("elements-table")).clicked() {
                    context.ask(Action::ShowParts);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    egui::ScrollArea::horizontal().id_salt("parts").show(ui, |ui| {
                        for (index, stage) in document.stages.all().iter().enumerate() {
                            let verdict = match &stage.record {
                                Some(record) if index != shown => record.verdict,
                                _ => own,
                            };
                            theme::dot(ui, super::series::colour(verdict));
                            let chip = ui.add_enabled_ui(ready, |ui| theme::chip(ui, index == shown, stage.label()));
                            let hint = stage.record.as_ref().filter(|_| index != shown);
                            let hint = hint.map_or_else(
                                || text!("elements-current-part"),
                                |record| texts::word(&record.headline).into_owned(),
                            );
                            let chip = chip.inner.on_hover_text(hint);
                            named(&chip, &text!("elements-part", name = stage.label()));
                            if chip.clicked() && index != shown {
                                chosen = Some(index);
                            }
                        }
                    });
                });
            });
        });
    });
    if let Some(index) = chosen {
        context.send(Inspect::ShowPart(index));
    }
}
