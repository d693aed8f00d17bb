//! The element tree: nominal, actual, check.

use super::super::open_dialog::Role;
use super::super::{App, theme};
use super::compare::verdict_colour;
use session::verdict;

impl App {
    pub(in super::super) fn elements_panel(&mut self, ui: &mut egui::Ui) {
        egui::Panel::left("elements").resizable(true).default_size(230.0).size_range(170.0..=360.0).show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                theme::heading(ui, "Elements");
                self.nominal_element(ui);
                self.actual_element(ui);
                self.alignment_element(ui);
                self.check_element(ui);
            });
        });
    }

    fn nominal_element(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Nominal").default_open(true).show(ui, |ui| {
            let Some(nominal) = self.dispatcher.document.nominal.clone() else {
                theme::weak(ui, "No CAD or mesh loaded.");
                if ui.button("Open nominal…").clicked() {
                    self.open_dialog.ask_to_open(self.files.start(), Role::Nominal);
                }
                return;
            };
            ui.checkbox(&mut self.shown.nominal, nominal.source.name())
                .on_hover_text(nominal.source.path.display().to_string());
            let mesh = nominal.surface.mesh();
            let size = nominal.surface.bounds().size();
            theme::weak(ui, format!("{} facets", theme::count(mesh.facets.len())));
            theme::weak(ui, format!("{:.1} × {:.1} × {:.1} mm", size.x, size.y, size.z));
            for sentence in nominal.findings.sentences() {
                theme::weak(ui, sentence);
            }
        });
    }

    fn actual_element(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Actual").default_open(true).show(ui, |ui| {
            let Some(actual) = self.dispatcher.document.actual.clone() else {
                theme::weak(ui, "No scan loaded.");
                if ui.button("Open scan…").clicked() {
                    self.open_dialog.ask_to_open(self.files.start(), Role::Scan);
                }
                return;
            };
            let name = actual.sources.first().map(io::SourceFile::name).unwrap_or_default();
            ui.checkbox(&mut self.shown.actual, name);
            theme::weak(ui, format!("{} points", theme::count(actual.cloud.points.len())));
            if let Some(facets) = &actual.facets {
                theme::weak(ui, format!("{} facets", theme::count(facets.mesh().facets.len())));
            }
            for sentence in actual.findings.sentences() {
                theme::weak(ui, sentence);
            }
            self.cleaning(ui);
        });
    }

    fn alignment_element(&self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Alignment").default_open(true).show(ui, |ui| {
            match &self.dispatcher.document.alignment {
                Some(alignment) => {
                    ui.label(format!("RMS {:.4} mm", alignment.rms_mm));
                    if !alignment.alternatives.is_empty() {
                        ui.colored_label(
                            ui.visuals().warn_fg_color,
                            match alignment.alternatives.len() {
                                1 => "1 other pose fits as well".to_owned(),
                                count => format!("{count} other poses fit as well"),
                            },
                        );
                    }
                }
                None => {
                    theme::weak(ui, "Not aligned.");
                }
            }
        });
    }

    fn check_element(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Check").default_open(true).show(ui, |ui| {
            let document = &self.dispatcher.document;
            let Some(check) = document.check.clone() else {
                theme::weak(ui, "Not compared.");
                return;
            };
            if document.is_stale(&check) {
                theme::weak(ui, "Out of date: compare again.");
                return;
            }
            ui.checkbox(&mut self.shown.deviations, "Deviation colours");
            let Some(overall) = verdict::overall(document) else { return };
            let colour = verdict_colour(overall.verdict);
            let name = egui::RichText::new(overall.verdict.name()).color(colour);
            ui.label(name.family(theme::strong_family()).size(18.0));
            theme::weak(ui, &overall.covers);
            let regions = check.regions.len();
            theme::weak(ui, format!("{regions} {} out of tolerance", if regions == 1 { "region" } else { "regions" }));
        });
    }
}
