//! The bottom: the running job with its cancel, the last message, and the log.

use super::super::{App, theme};

impl App {
    pub(in super::super) fn bottom_bar(&mut self, ui: &mut egui::Ui) {
        egui::Panel::bottom("bottom").show(ui, |ui| {
            ui.add_space(3.0);
            ui.horizontal(|ui| {
                let label = if self.log_open { "Hide log" } else { "Show log" };
                if ui.small_button(label).clicked() {
                    self.log_open = !self.log_open;
                }
                match self.dispatcher.job().map(|(label, state)| (label.to_owned(), state)) {
                    Some((label, state)) => {
                        if ui.small_button("Cancel").clicked() {
                            self.dispatcher.cancel();
                        }
                        let text = if state.stage.is_empty() { label } else { state.stage };
                        ui.add(egui::ProgressBar::new(state.fraction).desired_width(220.0).show_percentage());
                        ui.label(text);
                        // Between reports the bar stands still; look again soon all the same.
                        ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
                    }
                    None => {
                        if let Some(last) = self.dispatcher.messages.last() {
                            let text = last.text.clone();
                            ui.add(egui::Label::new(egui::RichText::new(&text).weak()).truncate()).on_hover_text(text);
                        }
                    }
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    theme::weak(ui, self.device_name());
                });
            });
            if self.log_open {
                ui.separator();
                egui::ScrollArea::vertical().max_height(150.0).auto_shrink([false, true]).stick_to_bottom(true).show(
                    ui,
                    |ui| {
                        for message in &self.dispatcher.messages {
                            let colour = if message.is_error { theme::BAD } else { ui.visuals().text_color() };
                            ui.colored_label(colour, &message.text);
                        }
                    },
                );
            }
            ui.add_space(3.0);
        });
    }
}
