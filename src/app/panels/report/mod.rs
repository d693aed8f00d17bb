//! Report workspace: data of the report, and its folder.

mod contents;

use std::path::PathBuf;

use super::PanelContext;
use crate::choosing::Purpose;
use crate::{Action, icons, theme};
use base::{LengthUnit, PageSize, file_name};
use dispatch::{Inspect, Report};

/// The workspace's panel.
pub struct ReportPanel {
    /// Folder of the report, as typed.
    pub folder: String,
    /// The serial number while it is being edited.
    serial: Option<String>,
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

    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        theme::heading(ui, "Report");
        let known = context.document().stage().serial.clone();
        let serial = self.serial.get_or_insert_with(|| known.clone());
        let info = &mut context.settings.report;
        egui::Grid::new("report").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            let field = |ui: &mut egui::Ui, name: &str, text: &mut String| {
                let label = ui.label(name);
                ui.add(egui::TextEdit::singleline(text).desired_width(190.0)).labelled_by(label.id);
                ui.end_row();
            };
            field(ui, "Title", &mut info.title);
            field(ui, "Part number", &mut info.part_number);
            field(ui, "Serial number", serial);
            field(ui, "Operator", &mut info.operator);
            field(ui, "Folder", &mut self.folder);
            ui.label("Logo");
            ui.scope(|ui| {
                ui.set_max_width(190.0);
                let name = info.logo.as_deref().map_or_else(|| "none".to_owned(), file_name);
                let shown = ui.add(egui::Label::new(name).truncate());
                if let Some(path) = &info.logo {
                    shown.on_hover_text(path.display().to_string());
                }
            });
            ui.end_row();
            theme::labelled_choice(ui, "Page size", &mut info.page_size, &PageSize::ALL, PageSize::name);
            ui.end_row();
            let unit = &mut context.settings.shown_unit;
            theme::labelled_choice(ui, "Report unit", unit, &LengthUnit::ALL, LengthUnit::symbol);
            ui.end_row();
        });
        ui.horizontal_wrapped(|ui| {
            if ui.button("Choose folder…").clicked() {
                context.ask(Action::Browse(Purpose::ReportFolder));
            }
            if ui.button("Choose logo…").clicked() {
                context.ask(Action::Browse(Purpose::Logo));
            }
            let logo = &mut context.settings.report.logo;
            if logo.is_some() && ui.button("Remove logo").clicked() {
                *logo = None;
            }
        });
        context.commit_settings(ui);
        if context.may_commit(ui)
            && let Some(serial) = self.serial.take()
            && serial != known
        {
            context.send(Inspect::IdentifyPart { serial });
        }
        let ready = context.document().current_check().is_some() && !context.is_busy;
        let folder = PathBuf::from(self.folder.trim());
        let has_folder = !folder.as_os_str().is_empty();
        if theme::wide_main_button(ui, ready && has_folder, "Write report").clicked() {
            context.ask(Action::WriteReport);
        }
        let preview = egui::Button::new((icons::atom(icons::PREVIEW, None), "Preview"));
        if ui.add_enabled(ready, preview).on_hover_text("Shows the pages as they would be printed").clicked() {
            context.ask(Action::PreviewReport);
        }
        let [report, workbook] = ["report.pdf", "results.xlsx"].map(|name| folder.join(name));
        if has_folder && report.is_file() {
            ui.horizontal_wrapped(|ui| {
                let workbook = workbook.is_file().then_some(("Open workbook", &workbook));
                let files = [Some(("Open report", &report)), workbook, Some(("Open folder", &folder))];
                for (text, path) in files.into_iter().flatten() {
                    if ui.button(text).on_hover_text(path.display().to_string()).clicked() {
                        context.ask(Action::OpenOutside(path.clone()));
                    }
                }
            });
        }
        if context.document().current_check().is_none() {
            theme::weak(ui, "A report needs a comparison: align and compare first.");
        }
        theme::weak(
            ui,
            "Writes report.pdf, report.html, results.xlsx, results.qif, summary.json, deviations.csv, colormap.ply and pictures.",
        );
        contents::show(ui, context);
    }
}
