//! The open dialog: a path field that always works, a button for the system's dialog, the file's role and unit, and a
//! preview of columns.

use std::path::{Path, PathBuf};

use super::files::{Kind, Purpose, kind_of};
use super::{App, theme};
use crate::base::{LengthUnit, Progress};
use crate::dispatch::Command;
use crate::io::format::Format;
use crate::io::xyz::{self, Preview};
use crate::session::selection::Selectable;

/// What the file is to become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The nominal.
    #[default]
    Nominal,
    /// The scan.
    Scan,
    /// The next scan, inspected at once.
    NextScan,
    /// Where the project is saved.
    SaveProject,
    /// Where the selected points or facets go.
    ExportSelection(Selectable),
}

impl Role {
    /// Whether the file is written.
    fn writes(self) -> bool {
        matches!(self, Self::SaveProject | Self::ExportSelection(_))
    }
}

/// State of the dialog.
#[derive(Default)]
pub struct OpenDialog {
    /// Whether it is shown.
    pub open: bool,
    path: String,
    role: Role,
    unit: Option<LengthUnit>,
    columns: [usize; 3],
    preview: Option<(String, Preview)>,
}

impl OpenDialog {
    /// Shows the dialog with a path and a role filled in.
    pub fn ask(&mut self, path: PathBuf, role: Role) {
        self.open = true;
        self.path = path.display().to_string();
        self.role = role;
    }

    /// Takes a path that the system's dialog returned.
    pub fn fill(&mut self, path: PathBuf) {
        self.open = true;
        match kind_of(&path) {
            Kind::Nominal => self.role = Role::Nominal,
            Kind::Scan => self.role = Role::Scan,
            _ => {}
        }
        self.path = path.display().to_string();
    }

    /// Reads the first rows of a file of numbers, once per path.
    fn refresh_preview(&mut self) {
        if self.preview.as_ref().is_some_and(|(path, _)| *path == self.path) {
            return;
        }
        let path = Path::new(&self.path);
        let is_columns = matches!(Format::of_name(path), Ok(Format::Xyz)) && path.is_file();
        let preview = if is_columns {
            crate::io::Source::open(path, &Progress::silent()).and_then(|source| xyz::preview(source, 6)).ok()
        } else {
            None
        };
        let preview = preview.unwrap_or_default();
        self.columns = preview.columns.xyz;
        self.preview = Some((self.path.clone(), preview));
    }
}

impl App {
    pub(super) fn open_dialog_window(&mut self, ui: &mut egui::Ui) {
        if !self.open_dialog.open {
            return;
        }
        self.open_dialog.refresh_preview();
        let title = match self.open_dialog.role {
            Role::SaveProject => "Save the project",
            Role::ExportSelection(Selectable::Points) => "Export the selected points",
            Role::ExportSelection(Selectable::Facets) => "Export the selected facets",
            Role::NextScan => "Inspect the next scan",
            _ => "Open a file",
        };
        let mut open = true;
        let mut done = false;
        egui::Window::new(title)
            .id(egui::Id::unique("open dialog"))
            .open(&mut open)
            .collapsible(false)
            .resizable(false)
            .anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO)
            .show(ui.ctx(), |ui| {
                ui.set_width(520.0);
                done = self.open_dialog_contents(ui);
            });
        self.open_dialog.open = open && !done;
    }

    /// Returns whether the dialog is done.
    fn open_dialog_contents(&mut self, ui: &mut egui::Ui) -> bool {
        let dialog = &mut self.open_dialog;
        let saving = dialog.role.writes();
        let mut entered = false;
        ui.horizontal(|ui| {
            let label = ui.label("File");
            let field = egui::TextEdit::singleline(&mut dialog.path)
                .hint_text("Path of the file, or drop it on the window")
                .desired_width(380.0);
            let field = ui.add(field).labelled_by(label.id);
            entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if ui.button("Browse…").clicked() {
                let purpose = match dialog.role {
                    Role::SaveProject => Purpose::SaveProject,
                    Role::ExportSelection(of) => Purpose::ExportSelection(of),
                    Role::NextScan => Purpose::NextScan,
                    _ => Purpose::Open,
                };
                self.files.browse(purpose, ui.ctx());
            }
        });
        let path = PathBuf::from(dialog.path.trim());
        let is_project = kind_of(&path) == Kind::Project;
        if !saving && !is_project {
            if dialog.role != Role::NextScan {
                ui.horizontal(|ui| {
                    ui.label("As");
                    ui.selectable_value(&mut dialog.role, Role::Nominal, "Nominal (CAD)");
                    ui.selectable_value(&mut dialog.role, Role::Scan, "Scan (measured)");
                });
            }
            unit_row(ui, &path, &mut dialog.unit);
            if let Some((_, preview)) = &dialog.preview
                && !preview.rows.is_empty()
            {
                columns_rows(ui, preview, &mut dialog.columns);
            }
        }
        ui.add_space(6.0);
        let verb = if saving { "Save" } else { "Open" };
        let ready = !dialog.path.trim().is_empty();
        let mut done = false;
        ui.horizontal(|ui| {
            let clicked = ui.add_enabled(ready, theme::main_button(verb, ready)).clicked();
            if ready && (clicked || entered) {
                self.commit_open(path, is_project);
                done = true;
            }
            done |= ui.button("Close").clicked();
        });
        done
    }

    fn commit_open(&mut self, path: PathBuf, is_project: bool) {
        let (role, unit) = (self.open_dialog.role, self.open_dialog.unit);
        if !role.writes() {
            self.files.remember(&path);
        }
        let has_preview = self.open_dialog.preview.as_ref().is_some_and(|(_, preview)| !preview.rows.is_empty());
        let columns = has_preview.then(|| {
            let titled = self.open_dialog.preview.as_ref().map(|(_, preview)| preview.columns).unwrap_or_default();
            xyz::Columns { xyz: self.open_dialog.columns, ..titled }
        });
        let command = match role {
            Role::SaveProject => Command::SaveProject(path),
            Role::ExportSelection(of) => Command::ExportSelection(of, path),
            _ if is_project => Command::OpenProject(path),
            Role::Nominal => Command::OpenNominal { path, unit },
            Role::Scan => Command::OpenScans { paths: vec![path], unit, columns },
            Role::NextScan => Command::InspectNext { paths: vec![path], unit },
        };
        self.send(command);
    }
}

fn unit_row(ui: &mut egui::Ui, path: &Path, unit: &mut Option<LengthUnit>) {
    if matches!(Format::of_name(path), Ok(Format::Step | Format::Iges)) {
        theme::weak(ui, "CAD files carry their unit.");
        return;
    }
    let choices = [None, Some(LengthUnit::Mm), Some(LengthUnit::Cm), Some(LengthUnit::M), Some(LengthUnit::Inch)];
    theme::choice(ui, "Unit", unit, &choices, |unit| unit.map_or("as the file says, else mm", LengthUnit::symbol));
}

fn columns_rows(ui: &mut egui::Ui, preview: &Preview, columns: &mut [usize; 3]) {
    let width = preview.rows.iter().map(Vec::len).max().unwrap_or(0);
    ui.horizontal(|ui| {
        for (axis, column) in ["x", "y", "z"].into_iter().zip(columns.iter_mut()) {
            egui::ComboBox::from_label(format!("Column of {axis}"))
                .selected_text((*column + 1).to_string())
                .width(46.0)
                .show_ui(ui, |ui| {
                    for choice in 0..width {
                        ui.selectable_value(column, choice, (choice + 1).to_string());
                    }
                });
        }
    });
    if preview.decimal_comma {
        theme::weak(ui, "The numbers are written with decimal commas.");
    }
    egui::Grid::new("preview").striped(true).spacing([14.0, 3.0]).show(ui, |ui| {
        for column in 0..width.min(8) {
            let title = preview.titles.get(column).cloned().unwrap_or_else(|| (column + 1).to_string());
            ui.label(egui::RichText::new(title).weak());
        }
        ui.end_row();
        for row in &preview.rows {
            for word in row.iter().take(8) {
                ui.label(egui::RichText::new(word).monospace());
            }
            ui.end_row();
        }
    });
}
