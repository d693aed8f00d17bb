//! File dialog: path field, button for the desktop's dialog, and for files to be opened role, unit and column preview.

use std::path::{Path, PathBuf};

use super::choosing::{PathKind, Purpose};
use super::files::{Kind, kind_of};
use super::{App, theme};
use base::{LengthUnit, Progress};
use dispatch::{Command, Parts};
use io::format::Format;
use io::xyz::{self, Preview};
use texts::text;

/// What an operator does where a file leaves its columns open.
const CHOOSE: &str = "Choose the columns of x, y and z.";

/// Role of a file to be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The nominal.
    #[default]
    Nominal,
    /// A further nominal, such as a tool or the stock.
    FurtherNominal,
    /// The scan.
    Scan,
}

/// State of the file dialog.
#[derive(Default)]
pub struct OpenDialog {
    open: bool,
    /// Whether the path field is to get the keyboard focus.
    wants_focus: bool,
    purpose: Purpose,
    path: String,
    role: Role,
    unit: Option<LengthUnit>,
    columns: [usize; 3],
    preview: Option<(String, Preview)>,
}

impl OpenDialog {
    /// Shows the dialog to open a file, with an initial path.
    pub fn ask_to_open(&mut self, path: PathBuf, role: Role) {
        self.ask(Purpose::Open, path);
        self.role = role;
    }

    /// Shows the dialog for `purpose`, with an initial path.
    pub fn ask(&mut self, purpose: Purpose, path: PathBuf) {
        (self.open, self.wants_focus, self.purpose) = (true, true, purpose);
        self.path = path.display().to_string();
        self.unit = None;
    }

    /// Whether the dialog is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Shows the dialog for a path returned by the desktop's dialog.
    pub fn fill(&mut self, path: PathBuf) {
        match kind_of(&path) {
            Kind::Nominal if self.role == Role::FurtherNominal => {}
            Kind::Nominal => self.role = Role::Nominal,
            Kind::Scan => self.role = Role::Scan,
            _ => {}
        }
        self.ask(Purpose::Open, path);
    }

    /// Reads the first rows of a text file of coordinates, once per path.
    fn refresh_preview(&mut self) {
        if self.preview.as_ref().is_some_and(|(path, _)| *path == self.path) {
            return;
        }
        let preview = (self.purpose == Purpose::Open).then(|| columns_in(Path::new(&self.path))).flatten();
        let preview = preview.unwrap_or_default();
        self.columns = preview.columns.xyz;
        self.preview = Some((self.path.clone(), preview));
    }
}

/// The first rows of a text file of coordinates; `None` for any other file, and one that cannot be read.
fn columns_in(path: &Path) -> Option<Preview> {
    let is_table = matches!(Format::from_extension(path), Ok(Format::Xyz)) && path.is_file();
    let source = is_table.then(|| io::Source::open(path, &Progress::silent()).ok()).flatten()?;
    xyz::preview(source, 6).ok()
}

/// Whether a file does not say which of its columns hold coordinates.
pub(super) fn asks_for_columns(path: &Path) -> bool {
    columns_in(path).is_some_and(|preview| preview.question.is_some())
}

impl App {
    pub(super) fn open_dialog_window(&mut self, ui: &mut egui::Ui) {
        if !self.open_dialog.open {
            return;
        }
        self.open_dialog.refresh_preview();
        let modal = theme::dialog("open dialog", ui.ctx()).show(ui.ctx(), |ui| {
            ui.set_width(520.0);
            self.open_dialog_contents(ui)
        });
        // A click beside the dialog must not discard the input.
        let escaped = modal.should_close() && !modal.backdrop_response.clicked();
        let committed = modal.inner == Some(true);
        if escaped || modal.inner.is_some() {
            self.open_dialog.open = false;
            self.leaving.dialog_closed(committed);
        }
    }

    /// Whether the dialog was confirmed (true) or cancelled; `None` while it is open.
    fn open_dialog_contents(&mut self, ui: &mut egui::Ui) -> Option<bool> {
        let spec = self.open_dialog.purpose.dialog();
        theme::heading(ui, spec.title.as_str());
        let entered = self.path_row(ui, matches!(spec.kind, PathKind::Folder));
        let dialog = &mut self.open_dialog;
        if let Some(reason) = self.no_chooser {
            theme::weak(ui, texts::word(reason));
        }
        let path = spec.with_extension(PathBuf::from(dialog.path.trim()));
        let is_project = kind_of(&path) == Kind::Project;
        if dialog.purpose == Purpose::Open && !is_project {
            ui.horizontal(|ui| {
                ui.label(text!("files-open-as"));
                ui.selectable_value(&mut dialog.role, Role::Nominal, text!("files-as-nominal"));
                if self.has_nominal {
                    let further = text!("files-as-further-nominal");
                    ui.selectable_value(&mut dialog.role, Role::FurtherNominal, further);
                }
                ui.selectable_value(&mut dialog.role, Role::Scan, text!("files-as-scan"));
            });
            unit_row(ui, &path, &mut dialog.unit);
            if let Some((_, preview)) = &dialog.preview
                && !preview.rows.is_empty()
            {
                columns_rows(ui, preview, &mut dialog.columns);
            }
        }
        let replaces = spec.is_written() && path.is_file();
        if replaces {
            theme::weak(ui, text!("files-exists", path = path.display().to_string()));
        }
        ui.add_space(6.0);
        let verb = match spec.kind {
            PathKind::NewFile(..) if replaces => text!("files-replace"),
            PathKind::NewFile(..) => text!("common-save"),
            PathKind::Folder => text!("files-choose"),
            PathKind::File(..) => text!("files-open"),
        };
        let ready = !dialog.path.trim().is_empty();
        let mut done = None;
        ui.horizontal(|ui| {
            let clicked = ui.add_enabled(ready, theme::main_button(verb, ready)).clicked();
            // Enter must not replace an existing file.
            if ready && (clicked || (entered && !replaces)) {
                self.commit_open(path, is_project);
                done = Some(true);
            }
            if ui.button(text!("common-cancel")).clicked() {
                done = Some(false);
            }
        });
        done
    }

    /// Path field and button for the desktop's dialog. Returns whether Enter was pressed in the field.
    fn path_row(&mut self, ui: &mut egui::Ui, of_folder: bool) -> bool {
        let dialog = &mut self.open_dialog;
        let mut entered = false;
        ui.horizontal(|ui| {
            let label = ui.label(if of_folder { text!("files-folder") } else { text!("files-file") });
            let hint = if of_folder { text!("files-folder-path") } else { text!("files-file-path") };
            let field = egui::TextEdit::singleline(&mut dialog.path).hint_text(hint).desired_width(380.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut dialog.wants_focus) {
                field.request_focus();
                select_name(ui.ctx(), field.id, &dialog.path);
            }
            entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let browse = ui.add_enabled(self.no_chooser.is_none(), egui::Button::new(text!("common-browse")));
            if browse.clicked() {
                self.chooser.show(dialog.purpose, self.files.folder(), ui.ctx());
            }
        });
        entered
    }

    fn commit_open(&mut self, path: PathBuf, is_project: bool) {
        let dialog = &self.open_dialog;
        if dialog.purpose != Purpose::Open {
            return self.chosen(dialog.purpose, path);
        }
        let (role, unit) = (dialog.role, dialog.unit);
        let preview = dialog.preview.as_ref().map(|(_, preview)| preview).filter(|preview| !preview.rows.is_empty());
        let columns = preview.map(|preview| xyz::Columns { xyz: dialog.columns, ..preview.columns });
        if is_project {
            return self.open_project(path);
        }
        self.files.remember(&path);
        self.send(match role {
            Role::Nominal => Command::Parts(Parts::OpenNominal { path, unit }),
            Role::FurtherNominal => Command::Parts(Parts::AddNominal { path, unit }),
            Role::Scan => Command::Parts(Parts::OpenScans { paths: vec![path], unit, columns }),
        });
    }
}

/// Selects the file name without extension in the path field, so that typing replaces it.
fn select_name(context: &egui::Context, field: egui::Id, path: &str) {
    let folder = path.rfind('/').map_or(0, |at| at + 1);
    let end = path[folder..].rfind('.').map_or(path.len(), |at| folder + at);
    let [from, to] = [folder, end].map(|at| egui::text::CCursor::new(path[..at].chars().count()));
    let mut state = egui::text_edit::TextEditState::load(context, field).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::two(from, to)));
    state.store(context, field);
}

fn unit_row(ui: &mut egui::Ui, path: &Path, unit: &mut Option<LengthUnit>) {
    if matches!(Format::from_extension(path), Ok(Format::Step | Format::Iges)) {
        theme::weak(ui, text!("files-cad-unit"));
        return;
    }
    let choices = [None, Some(LengthUnit::Mm), Some(LengthUnit::Cm), Some(LengthUnit::M), Some(LengthUnit::Inch)];
    let name = |unit: Option<LengthUnit>| match unit {
        Some(unit) => unit.symbol().to_owned(),
        None => text!("files-unit-of-file"),
    };
    theme::choice(ui, &text!("files-unit"), unit, &choices, name);
}

fn columns_rows(ui: &mut egui::Ui, preview: &Preview, columns: &mut [usize; 3]) {
    let width = preview.rows.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(question) = &preview.question {
        ui.colored_label(theme::WARN, texts::word(&format!("{question} {CHOOSE}")));
    }
    ui.horizontal(|ui| {
        for (axis, column) in ["x", "y", "z"].into_iter().zip(columns.iter_mut()) {
            egui::ComboBox::from_label(text!("files-column", axis = axis))
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
        theme::weak(ui, text!("files-decimal-commas"));
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
