//! Command palette: finds actions by name.

use super::{App, menu};
use texts::text;

/// State of the command palette.
#[derive(Default)]
pub struct Palette {
    open: bool,
    query: String,
    just_opened: bool,
}

impl Palette {
    /// Shows the palette with an empty query.
    pub fn open(&mut self) {
        *self = Self { open: true, query: String::new(), just_opened: true };
    }
}

impl App {
    pub(super) fn palette_window(&mut self, ui: &mut egui::Ui) {
        if !self.palette.open {
            return;
        }
        let mut chosen = None;
        let modal = egui::Modal::new(egui::Id::unique("palette")).show(ui.ctx(), |ui| {
            ui.set_width(420.0);
            let field = egui::TextEdit::singleline(&mut self.palette.query)
                .hint_text(text!("window-type-a-command"))
                .desired_width(f32::INFINITY);
            let field = ui.add(field);
            if std::mem::take(&mut self.palette.just_opened) {
                field.request_focus();
            }
            let enter = ui.input(|input| input.key_pressed(egui::Key::Enter));
            let query = self.palette.query.to_lowercase();
            let matches = |name: &str| query.split_whitespace().all(|word| name.to_lowercase().contains(word));
            let found = menu::entries()
                .into_iter()
                .map(|entry| (entry.menu.name(), entry.name, entry.action))
                .filter(|(menu, name, action)| matches(&format!("{menu} {name}")) && self.is_possible(action));
            for (i, (menu, name, action)) in found.take(12).enumerate() {
                let button = egui::Button::selectable(i == 0, format!("{menu}: {name}")).right_text("");
                if ui.add_sized([ui.available_width(), 24.0], button).clicked() || (i == 0 && enter) {
                    chosen = Some(action);
                }
            }
        });
        if modal.should_close() || chosen.is_some() {
            self.palette.open = false;
        }
        self.actions.extend(chosen);
    }
}
