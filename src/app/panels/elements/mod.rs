//! The element tree: the plan with how each element stands, by nominal, actual and checks.

mod row;

use super::super::open_dialog::Role;
use super::super::{App, theme};
use super::compare::verdict_colour;
pub use row::Renaming;
use session::plan::{ElementId, Recipe};
use session::verdict;

impl App {
    pub(in super::super) fn elements_panel(&mut self, ui: &mut egui::Ui) {
        egui::Panel::left("elements").resizable(true).default_size(230.0).size_range(170.0..=360.0).show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                theme::heading(ui, "Elements");
                self.nominal_element(ui);
                self.actual_element(ui);
                self.alignment_element(ui);
                self.feature_elements(ui);
                self.check_elements(ui);
            });
        });
    }

    /// The elements of some kinds, in the plan's order.
    fn ids(&self, is_of: impl Fn(&Recipe) -> bool) -> Vec<ElementId> {
        self.dispatcher.document.plan.elements().iter().filter(|own| is_of(&own.recipe)).map(|own| own.id).collect()
    }

    /// Rows of those that take turns, where there are several.
    fn turns(&mut self, ui: &mut egui::Ui, ids: &[ElementId], shown: Option<ElementId>) {
        if ids.len() > 1 {
            ids.iter().for_each(|id| self.element_row(ui, *id, shown == Some(*id)));
        }
    }

    fn nominal_element(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Nominal").default_open(true).show(ui, |ui| {
            let ids = self.ids(|recipe| matches!(recipe, Recipe::Nominal(_)));
            self.turns(ui, &ids, self.dispatcher.document.active.nominal);
            let Some(nominal) = self.dispatcher.document.shared_nominal() else {
                if let Some(id) = self.dispatcher.document.active.nominal {
                    return super::not_made(ui, &self.dispatcher.document, id);
                }
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
            let Some(actual) = self.dispatcher.document.shared_actual() else {
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

    fn alignment_element(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Alignment").default_open(true).show(ui, |ui| {
            let ids = self.ids(|recipe| matches!(recipe, Recipe::Alignment(_)));
            self.turns(ui, &ids, self.dispatcher.document.active.alignment);
            let document = &self.dispatcher.document;
            match (document.alignment(), document.active.alignment) {
                (Some(alignment), _) => {
                    // A pose that was given has no misfit of its own.
                    let is_given = alignment.iterations == 0 && alignment.rms_mm == 0.0;
                    let rms = format!("RMS {:.4} mm", alignment.rms_mm);
                    ui.label(if is_given { "Given, not fitted" } else { rms.as_str() });
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
                (None, Some(id)) => super::not_made(ui, document, id),
                (None, None) => {
                    theme::weak(ui, "Not aligned.");
                }
            }
        });
    }

    /// Fitted, constructed, and with letters.
    fn feature_elements(&mut self, ui: &mut egui::Ui) {
        let ids = self.ids(|recipe| recipe.is_feature() || matches!(recipe, Recipe::Datum(_) | Recipe::Unknown(_)));
        if ids.is_empty() {
            return;
        }
        // Not “Features”: that is a workspace.
        egui::CollapsingHeader::new(format!("Measured features ({})", ids.len())).default_open(true).show(ui, |ui| {
            ids.iter().for_each(|id| self.element_row(ui, *id, false));
        });
    }

    fn check_elements(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new("Check").default_open(true).show(ui, |ui| {
            let comparisons = self.ids(|recipe| matches!(recipe, Recipe::Comparison(_)));
            self.verdict(ui);
            self.turns(ui, &comparisons, self.dispatcher.document.active.comparison);
            let others = self.ids(|recipe| matches!(recipe, Recipe::Measure(_) | Recipe::Tolerance(_)));
            others.iter().for_each(|id| self.element_row(ui, *id, false));
        });
    }

    fn verdict(&mut self, ui: &mut egui::Ui) {
        let document = &self.dispatcher.document;
        let overall = verdict::overall(document);
        let Some(check) = document.current_check() else {
            if document.check().is_some() {
                theme::weak(ui, "Out of date: compare again.");
            } else if overall.is_none() {
                theme::weak(ui, "Not compared.");
            }
            return;
        };
        ui.checkbox(&mut self.shown.deviations, "Deviation colours");
        let Some(overall) = overall else { return };
        let colour = verdict_colour(overall.verdict);
        let name = egui::RichText::new(overall.verdict.name()).color(colour);
        ui.label(name.family(theme::strong_family()).size(18.0));
        theme::weak(ui, &overall.covers);
        let regions = check.regions.len();
        theme::weak(ui, format!("{regions} {} out of tolerance", if regions == 1 { "region" } else { "regions" }));
    }
}
