//! Report workspace: data of the report, and its folder.

mod contents;

use std::path::{Path, PathBuf};

use super::PanelContext;
use crate::choosing::Purpose;
use crate::{Action, icons, theme};
use base::{LengthUnit, PageSize, file_name};
use dispatch::{Command, Inspect, Present, Report};
use session::Document;
use texts::{Language, text};

/// The workspace's panel.
pub struct ReportPanel {
    /// Folder of the report, as typed.
    pub folder: String,
    /// The serial number while it is being edited.
    serial: Option<SerialEdit>,
}

/// The serial number of a part being edited.
struct SerialEdit {
    /// Name and serial number of the part when the edit began.
    of: (String, String),
    typed: String,
}

impl SerialEdit {
    fn begin(document: &Document) -> Self {
        let stage = document.stage();
        Self { of: (stage.name.clone(), stage.serial.clone()), typed: stage.serial.clone() }
    }

    fn is_of(&self, document: &Document) -> bool {
        let stage = document.stage();
        self.of.0 == stage.name && self.of.1 == stage.serial
    }
}

impl Default for ReportPanel {
    fn default() -> Self {
        Self { folder: "report".to_owned(), serial: None }
    }
}

impl ReportPanel {
    /// The command that writes the report; `None` without folder.
    pub fn command(&self) -> Option<Report> {
        let folder = PathBuf::from(self.folder.trim());
        (!folder.as_os_str().is_empty()).then_some(Report::Write { folder })
    }

    /// The command that sends the serial number, if it was edited.
    pub fn edit(&mut self, document: &Document) -> Option<Command> {
        let edited = self.serial.take().filter(|own| own.is_of(document) && own.typed != own.of.1)?;
        Some(Inspect::IdentifyPart { serial: edited.typed }.into())
    }

    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        theme::heading(ui, text!("report-heading"));
        let template = context.document().plan.presentation.template.clone();
        let kept = self.serial.take().filter(|own| own.is_of(context.document()));
        let serial = &mut self.serial.insert(kept.unwrap_or_else(|| SerialEdit::begin(context.document()))).typed;
        let info = &mut context.settings.report;
        egui::Grid::new("report").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            let field = |ui: &mut egui::Ui, name: &str, text: &mut String| {
                let label = ui.label(name);
                ui.add(egui::TextEdit::singleline(text).desired_width(190.0)).labelled_by(label.id);
                ui.end_row();
            };
            field(ui, &text!("report-title"), &mut info.title);
            field(ui, &text!("report-part-number"), &mut info.part_number);
            field(ui, &text!("report-serial-number"), serial);
            field(ui, &text!("report-operator"), &mut info.operator);
            field(ui, &text!("report-folder"), &mut self.folder);
            file_row(ui, text!("report-logo"), info.logo.as_deref(), text!("report-no-logo"));
            file_row(ui, text!("report-template"), template.as_deref(), text!("report-no-template"));
            let (label, name) = (text!("report-page-size"), |size: PageSize| texts::word(size.name()));
            theme::labelled_choice(ui, &label, &mut info.page_size, &PageSize::ALL, name);
            ui.end_row();
            let language = &mut info.language;
            let languages = [None, Some(Language::English), Some(Language::German)];
            let name =
                |own: Option<Language>| own.map_or_else(|| text!("report-as-window"), |own| own.name().to_owned());
            theme::labelled_choice(ui, &text!("report-language"), language, &languages, name);
            ui.end_row();
            let unit = &mut context.settings.shown_unit;
            theme::labelled_choice(ui, &text!("report-unit"), unit, &LengthUnit::ALL, LengthUnit::symbol);
            ui.end_row();
        });
        ui.horizontal_wrapped(|ui| {
            if ui.button(text!("report-choose-folder")).clicked() {
                context.ask(Action::Browse(Purpose::ReportFolder));
            }
            if ui.button(text!("report-choose-logo")).clicked() {
                context.ask(Action::Browse(Purpose::Logo));
            }
            let logo = &mut context.settings.report.logo;
            if logo.is_some() && ui.button(text!("report-remove-logo")).clicked() {
                *logo = None;
            }
        });
        template_buttons(ui, template.is_some(), context);
        let ready = context.document().current_check().is_some() && !context.is_busy;
        let folder = PathBuf::from(self.folder.trim());
        let has_folder = !folder.as_os_str().is_empty();
        if theme::wide_main_button(ui, ready && has_folder, text!("report-write")).clicked() {
            context.ask(Action::WriteReport);
        }
        let preview = egui::Button::new((icons::atom(icons::PREVIEW, None), text!("report-preview")));
        if ui.add_enabled(ready, preview).on_hover_text(text!("report-preview-hint")).clicked() {
            context.ask(Action::PreviewReport);
        }
        let [report, workbook] = ["report.pdf", "results.xlsx"].map(|name| folder.join(name));
        if has_folder && report.is_file() {
            ui.horizontal_wrapped(|ui| {
                let workbook = workbook.is_file().then_some((text!("report-open-workbook"), &workbook));
                let report = Some((text!("report-open"), &report));
                let files = [report, workbook, Some((text!("report-open-folder"), &folder))];
                for (text, path) in files.into_iter().flatten() {
                    if ui.button(text).on_hover_text(path.display().to_string()).clicked() {
                        context.ask(Action::OpenOutside(path.clone()));
                    }
                }
            });
        }
        if context.document().current_check().is_none() {
            theme::weak(ui, text!("report-no-comparison"));
        }
        theme::weak(ui, text!("report-writes"));
        contents::show(ui, context);
    }
}

/// A row of the grid with the name of a file, or what is said without one.
fn file_row(ui: &mut egui::Ui, label: String, path: Option<&Path>, none: String) {
    ui.label(label);
    ui.scope(|ui| {
        ui.set_max_width(190.0);
        let shown = ui.add(egui::Label::new(path.map_or(none, file_name)).truncate());
        if let Some(path) = path {
            shown.on_hover_text(path.display().to_string());
        }
    });
    ui.end_row();
}

/// Chooses or removes the template of the pages, and saves one to start from.
fn template_buttons(ui: &mut egui::Ui, has_template: bool, context: &mut PanelContext<'_>) {
    ui.add_enabled_ui(!context.is_busy, |ui| {
        ui.horizontal_wrapped(|ui| {
            let choose = ui.button(text!("report-choose-template"));
            if choose.on_hover_text(text!("report-template-hint")).clicked() {
                context.ask(Action::Browse(Purpose::Template));
            }
            if has_template && ui.button(text!("report-remove-template")).clicked() {
                context.send(Present::SetTemplate(None));
            }
            if ui.button(text!("report-save-template")).clicked() {
                context.ask(Action::Browse(Purpose::StartingTemplate));
            }
        });
    });
}
