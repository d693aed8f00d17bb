//! Help: keys and mouse, and about the program.

use super::panels::bottom;
use super::{App, menu, theme};

/// A page of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Keys of all actions, and what the mouse does in the view.
    Keys,
    /// Name, version, licences.
    About,
}

const MOUSE: [(&str, &str); 8] = [
    ("Rotate", "Drag"),
    ("Pan", "Shift + drag, right drag or middle drag"),
    ("Zoom at the pointer", "Wheel or pinch"),
    ("Value under the pointer", "Hover"),
    ("Fly to a region", "Click its flag"),
    ("Rotate while brushing", "Alt + drag"),
    ("Size of the round brush", "Wheel while brushing"),
    ("Close a polygon", "Double click or Enter"),
];

impl App {
    pub(super) fn help_window(&mut self, ui: &egui::Ui) {
        let Some(page) = self.help else { return };
        let modal = theme::dialog("help", ui.ctx()).show(ui.ctx(), |ui| {
            match page {
                Page::Keys => keys(ui),
                Page::About => about(ui, &bottom::device_name(&self.dispatcher.context)),
            }
            ui.add_space(8.0);
            ui.button("Close").clicked()
        });
        if modal.inner || modal.should_close() {
            self.help = None;
        }
    }
}

fn keys(ui: &mut egui::Ui) {
    theme::heading(ui, "Keyboard and mouse");
    let height = (ui.ctx().content_rect().height() - 160.0).max(200.0);
    egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        let entries = menu::entries();
        let of_menu = |ui: &mut egui::Ui, menu: &str| {
            let keyed = entries.iter().filter(|own| own.0 == menu).filter_map(|own| Some((own.1, own.3.as_ref()?)));
            let rows: Vec<_> = keyed.map(|(name, key)| (name, ui.ctx().format_shortcut(key))).collect();
            table(ui, menu, rows.iter().map(|(name, key)| (*name, key.as_str())));
        };
        ui.horizontal_top(|ui| {
            for column in [["File", "Edit", "Inspect"].as_slice(), &["View"]] {
                ui.vertical(|ui| {
                    for menu in column {
                        of_menu(ui, menu);
                    }
                    if column.len() > 1 {
                        table(ui, "Mouse in the view", MOUSE.into_iter());
                    }
                });
                ui.add_space(20.0);
            }
        });
    });
}

fn table<'a>(ui: &mut egui::Ui, title: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    ui.label(egui::RichText::new(title).family(theme::strong_family()));
    egui::Grid::new(title).num_columns(2).spacing([16.0, 4.0]).min_col_width(165.0).show(ui, |ui| {
        for (name, key) in rows {
            ui.label(name);
            ui.label(egui::RichText::new(key).weak());
            ui.end_row();
        }
    });
    ui.add_space(10.0);
}

fn about(ui: &mut egui::Ui, device: &str) {
    ui.set_width(440.0);
    theme::heading(ui, &report::software());
    ui.label("Scan-to-CAD inspection for structured-light sensors on coordinate measuring machines.");
    ui.add_space(4.0);
    theme::weak(ui, format!("Computes on: {device}"));
    theme::weak(ui, "Typeface: Inter, SIL Open Font License 1.1. Icons: Phosphor, MIT License.");
}
