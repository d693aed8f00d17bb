//! Help: keys and mouse, and about the program.

use super::menu::{self, Menu};
use super::panels::bottom;
use super::{App, theme};
use texts::text;

/// A page of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Keys of all actions, and what the mouse does in the view.
    Keys,
    /// Name, version, licences.
    About,
}

/// What the mouse does in the view, and how.
fn mouse() -> [(String, String); 8] {
    [
        (text!("window-mouse-rotate"), text!("window-mouse-rotate-by")),
        (text!("window-mouse-pan"), text!("window-mouse-pan-by")),
        (text!("window-mouse-zoom"), text!("window-mouse-zoom-by")),
        (text!("window-mouse-value"), text!("window-mouse-value-by")),
        (text!("window-mouse-fly"), text!("window-mouse-fly-by")),
        (text!("window-mouse-brushing"), text!("window-mouse-brushing-by")),
        (text!("window-mouse-brush-size"), text!("window-mouse-brush-size-by")),
        (text!("window-mouse-polygon"), text!("window-mouse-polygon-by")),
    ]
}

impl App {
    pub(super) fn help_window(&mut self, ui: &egui::Ui) {
        let Some(page) = self.help else { return };
        let modal = theme::dialog("help", ui.ctx()).show(ui.ctx(), |ui| {
            match page {
                Page::Keys => keys(ui),
                Page::About => about(ui, &bottom::device_name(&self.dispatcher.context)),
            }
            ui.add_space(8.0);
            ui.button(text!("common-close")).clicked()
        });
        if modal.inner || modal.should_close() {
            self.help = None;
        }
    }
}

fn keys(ui: &mut egui::Ui) {
    theme::heading(ui, text!("window-keys"));
    let height = (ui.ctx().content_rect().height() - 160.0).max(200.0);
    egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        let entries = menu::entries();
        let of_menu = |ui: &mut egui::Ui, menu: Menu| {
            let keyed = entries.iter().filter(|own| own.menu == menu).filter_map(|own| Some((&own.name, own.key?)));
            let rows: Vec<_> = keyed.map(|(name, key)| (name.clone(), ui.ctx().format_shortcut(&key))).collect();
            table(ui, &menu.name(), rows);
        };
        ui.horizontal_top(|ui| {
            for column in [[Menu::File, Menu::Edit, Menu::Inspect].as_slice(), &[Menu::View]] {
                ui.vertical(|ui| {
                    for menu in column {
                        of_menu(ui, *menu);
                    }
                    if column.len() > 1 {
                        table(ui, &text!("window-mouse"), mouse());
                    }
                });
                ui.add_space(20.0);
            }
        });
    });
}

fn table(ui: &mut egui::Ui, title: &str, rows: impl IntoIterator<Item = (String, String)>) {
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
    theme::heading(ui, report::software());
    ui.label(text!("window-about-what"));
    ui.add_space(4.0);
    theme::weak(ui, text!("window-computes-on", device = device));
    theme::weak(ui, text!("window-licences"));
}
