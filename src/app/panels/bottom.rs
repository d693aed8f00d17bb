//! The bottom: the running job with its cancel, the last message, and the log.

use super::super::{App, theme};
use compute::{DeviceId, DeviceKind};
use dispatch::Command;

impl App {
    /// The device that computes, and the others to choose from.
    fn device_menu(&mut self, ui: &mut egui::Ui) {
        let (name, mut chosen) = (self.device_name(), None);
        ui.visuals_mut().widgets.inactive.weak_bg_fill = egui::Color32::TRANSPARENT;
        let menu = ui.menu_button(egui::RichText::new(&name).weak(), |ui| {
            ui.set_min_width(260.0);
            for (id, device) in &self.devices.0 {
                let kind = if *id == DeviceId::Cpu { DeviceKind::Cpu } else { DeviceKind::Cuda };
                let own = format!("{}, {device}", kind.name());
                let entry = egui::RadioButton::new(own == name, format!("Compute on {own}"));
                if ui.add_enabled(!self.is_busy(), entry).clicked() && own != name {
                    chosen = Some(*id);
                }
            }
            if let Some(reason) = &self.devices.1 {
                theme::weak(ui, reason);
            }
        });
        menu.response.on_hover_text("The device that computes");
        if let Some(id) = chosen {
            self.send(Command::UseDevice(id));
        }
    }

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
                        let text = if state.doing.is_empty() { label } else { state.doing };
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
                    self.device_menu(ui);
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
