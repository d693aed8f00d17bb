//! The Report workspace: what stands on the report, and where it goes.

use std::path::{Path, PathBuf};

use super::super::choosing::Purpose;
use super::super::{Action, App, theme};
use base::LengthUnit;
use dispatch::{Message, Report};

impl App {
    /// Writes the report into its folder, where one is named.
    pub(in super::super) fn write_report(&mut self) {
        let folder = PathBuf::from(self.report_folder.trim());
        if folder.as_os_str().is_empty() {
            let text = "Name a folder for the report first.".to_owned();
            self.notice = Some(Message { text, is_error: true, scan_unit: None });
        } else {
            self.send(Report::Write { folder });
        }
    }

    /// Opens a file or folder in the program that the desktop has for it.
    fn show_outside(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let quiet = || std::process::Stdio::null();
        let opener = std::process::Command::new("xdg-open").arg(&path).stdout(quiet()).stderr(quiet()).spawn();
        if let Err(error) = opener {
            let why =
                format!("{} could not be opened ({error}): the Debian package xdg-utils does that.", path.display());
            self.notice = Some(Message { text: why, is_error: true, scan_unit: None });
        }
    }

    pub(super) fn report_panel(&mut self, ui: &mut egui::Ui) {
        theme::heading(ui, "Report");
        let info = &mut self.draft.report;
        egui::Grid::new("report").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            let field = |ui: &mut egui::Ui, name: &str, text: &mut String| {
                let label = ui.label(name);
                ui.add(egui::TextEdit::singleline(text).desired_width(190.0)).labelled_by(label.id);
                ui.end_row();
            };
            field(ui, "Title", &mut info.title);
            field(ui, "Part number", &mut info.part_number);
            field(ui, "Serial number", &mut info.serial);
            field(ui, "Operator", &mut info.operator);
            field(ui, "Folder", &mut self.report_folder);
        });
        if ui.button("Choose folder…").clicked() {
            self.actions.push(Action::Browse(Purpose::ReportFolder));
        }
        theme::choice(ui, "Unit on the report", &mut self.draft.shown_unit, &LengthUnit::ALL, LengthUnit::symbol);
        self.commit_settings(ui);
        let ready = self.dispatcher.document.current_check().is_some() && !self.is_busy();
        let folder = PathBuf::from(self.report_folder.trim());
        let has_folder = !folder.as_os_str().is_empty();
        if theme::wide_main_button(ui, ready && has_folder, "Write report").clicked() {
            self.write_report();
        }
        let report = folder.join("report.pdf");
        if has_folder && report.is_file() {
            ui.horizontal(|ui| {
                for (text, path) in [("Open report", &report), ("Open folder", &folder)] {
                    if ui.button(text).on_hover_text(path.display().to_string()).clicked() {
                        self.show_outside(path);
                    }
                }
            });
        }
        if self.dispatcher.document.current_check().is_none() {
            theme::weak(ui, "A report needs a comparison: align and compare first.");
        }
        theme::weak(ui, "Writes report.pdf, report.html, summary.json, deviations.csv, colormap.ply and pictures.");
    }
}
