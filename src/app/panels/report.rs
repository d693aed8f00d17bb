//! The Report workspace: what stands on the report, and where it goes.

use std::path::PathBuf;

use super::super::{Action, App, theme};
use crate::base::LengthUnit;
use crate::dispatch::Command;

impl App {
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
            self.actions.push(Action::ChooseReportFolder);
        }
        theme::choice(ui, "Unit on the report", &mut self.draft.shown_unit, &LengthUnit::ALL, LengthUnit::symbol);
        self.commit_settings(ui);
        let ready = self.dispatcher.document.current_check().is_some() && !self.is_busy();
        let folder = PathBuf::from(self.report_folder.trim());
        let has_folder = !folder.as_os_str().is_empty();
        if theme::wide_main_button(ui, ready && has_folder, "Write report").clicked() {
            self.send(Command::WriteReport { folder });
        }
        if self.dispatcher.document.current_check().is_none() {
            theme::weak(ui, "A report needs a comparison: align and compare first.");
        }
        theme::weak(ui, "Writes report.pdf, report.html, summary.json, deviations.csv, colormap.ply and pictures.");
    }
}
