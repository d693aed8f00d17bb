//! Status bar: the running job, the last message, the log and the compute device.

use super::PanelContext;
use crate::{Action, theme};
use compute::{DeviceId, DeviceKind};
use dispatch::Command;
use texts::text;

/// The status bar.
#[derive(Default)]
pub struct BottomBar {
    is_log_open: bool,
}

impl BottomBar {
    /// Draws it; `has_results` where the table of results is open.
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, has_results: bool) {
        egui::Panel::bottom("bottom").show(ui, |ui| {
            ui.add_space(3.0);
            ui.horizontal(|ui| {
                // From the right, so that a long message ends before the device.
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.scope(|ui| device_menu(ui, context));
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        self.state(ui, context, has_results);
                    });
                });
            });
            if self.is_log_open {
                ui.separator();
                egui::ScrollArea::vertical().max_height(150.0).auto_shrink([false, true]).stick_to_bottom(true).show(
                    ui,
                    |ui| {
                        for message in &context.dispatcher.messages {
                            let colour = if message.is_error { theme::BAD } else { ui.visuals().text_color() };
                            ui.colored_label(colour, texts::word(&message.text));
                        }
                    },
                );
            }
            ui.add_space(3.0);
        });
    }

    /// What can be opened above the bar; the running job, or the last message.
    fn state(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, has_results: bool) {
        let label = if has_results { text!("elements-hide-results") } else { text!("elements-show-results") };
        if ui.small_button(label).clicked() {
            context.ask(Action::ToggleResults);
        }
        let label = if self.is_log_open { text!("elements-hide-log") } else { text!("elements-show-log") };
        if ui.small_button(label).clicked() {
            self.is_log_open = !self.is_log_open;
        }
        match context.dispatcher.job().map(|(label, state)| (label.to_owned(), state)) {
            Some((label, state)) => {
                if ui.small_button(text!("common-cancel")).clicked() {
                    context.ask(Action::StopJob);
                }
                let text = if state.doing.is_empty() { label } else { state.doing };
                ui.add(egui::ProgressBar::new(state.fraction).desired_width(220.0).show_percentage());
                ui.label(texts::word(&text));
                // Repaints between progress reports, too.
                ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
            }
            None => {
                if let Some(last) = context.dispatcher.messages.last() {
                    let text = texts::word(&last.text);
                    ui.add(egui::Label::new(egui::RichText::new(&*text).weak()).truncate()).on_hover_text(text);
                }
            }
        }
    }
}

/// The compute device, for the operator.
pub fn device_name(context: &dispatch::Context) -> String {
    let device = context.backend.device();
    format!("{}, {}", device.kind.name(), device.device)
}

/// Menu of the compute devices.
fn device_menu(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let name = device_name(&context.dispatcher.context);
    let mut chosen = None;
    ui.visuals_mut().widgets.inactive.weak_bg_fill = egui::Color32::TRANSPARENT;
    let menu = ui.menu_button(egui::RichText::new(&name).weak(), |ui| {
        ui.set_min_width(260.0);
        for (id, device) in &context.devices.0 {
            let kind = if *id == DeviceId::Cpu { DeviceKind::Cpu } else { DeviceKind::Cuda };
            let own = format!("{}, {device}", kind.name());
            let entry = egui::RadioButton::new(own == name, text!("elements-compute-on", device = own.as_str()));
            if ui.add_enabled(!context.is_busy, entry).clicked() && own != name {
                chosen = Some(*id);
            }
        }
        if let Some(reason) = &context.devices.1 {
            theme::weak(ui, texts::word(reason));
        }
    });
    menu.response.on_hover_text(text!("elements-device"));
    if let Some(id) = chosen {
        context.send(Command::UseDevice(id));
    }
}
