//! Element tree: the elements of the plan with their status, by nominal, actual, alignment, features and checks.

mod cleaning;
mod name_edit;
mod row;
mod views;

use super::PanelContext;
use super::compare::verdict_colour;
use crate::open_dialog::Role;
use crate::{Action, theme};
use cleaning::CleaningSection;
use inspect::alignment::Alignment;
use name_edit::NameEdit;
use session::Document;
use session::plan::{ElementId, Recipe};
use session::verdict;
use views::ViewRows;

/// The element tree.
#[derive(Default)]
pub struct ElementsPanel {
    /// Renaming of an element.
    renaming: NameEdit<ElementId>,
    views: ViewRows,
    cleaning: CleaningSection,
}

impl ElementsPanel {
    /// Whether an element or a view is being renamed.
    pub fn is_renaming(&self) -> bool {
        self.renaming.is_active() || self.views.is_renaming()
    }

    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::Panel::left("elements").resizable(true).default_size(230.0).size_range(170.0..=360.0).show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                theme::heading(ui, "Elements");
                self.nominal_element(ui, context);
                self.actual_element(ui, context);
                self.alignment_element(ui, context);
                self.offset_elements(ui, context);
                self.detection_elements(ui, context);
                self.feature_elements(ui, context);
                self.check_elements(ui, context);
                self.views.show(ui, context);
            });
        });
    }

    /// Rows of elements of which only one is active, if there are several.
    fn alternatives(
        &mut self,
        ui: &mut egui::Ui,
        context: &mut PanelContext<'_>,
        ids: &[ElementId],
        shown: Option<ElementId>,
    ) {
        if ids.len() > 1 {
            ids.iter().for_each(|id| self.element_row(ui, context, *id, shown == Some(*id)));
        }
    }

    fn nominal_element(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Nominal").default_open(true).show(ui, |ui| {
            let ids = ids(context.document(), |recipe| matches!(recipe, Recipe::Nominal(_)));
            self.alternatives(ui, context, &ids, context.document().active.nominal);
            let Some(nominal) = context.document().shared_nominal() else {
                if let Some(id) = context.document().active.nominal {
                    return super::no_result(ui, context.document(), id);
                }
                theme::weak(ui, "No CAD or mesh loaded.");
                if ui.button("Open nominal…").clicked() {
                    context.ask(Action::OpenAs(Role::Nominal));
                }
                return;
            };
            ui.checkbox(&mut context.display.shown.nominal, nominal.source.name())
                .on_hover_text(nominal.source.path.display().to_string());
            let opacity = egui::Slider::new(&mut context.display.shown.nominal_opacity, 0.15..=1.0);
            ui.add_enabled(context.display.shown.nominal, opacity.text("Opacity").show_value(false));
            let mesh = nominal.surface.mesh();
            let size = nominal.surface.bounds().size();
            theme::weak(ui, format!("{} facets", theme::count(mesh.facets.len())));
            theme::weak(ui, format!("{:.1} × {:.1} × {:.1} mm", size.x, size.y, size.z));
            for sentence in nominal.findings.sentences() {
                theme::weak(ui, sentence);
            }
            let hint = "Such as a tool or the stock, in the frame of the first nominal";
            if ui.small_button("Add nominal…").on_hover_text(hint).clicked() {
                context.ask(Action::OpenAs(Role::FurtherNominal));
            }
        });
    }

    fn actual_element(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Actual").default_open(true).show(ui, |ui| {
            let Some(actual) = context.document().shared_actual() else {
                theme::weak(ui, "No scan loaded.");
                if ui.button("Open scan…").clicked() {
                    context.ask(Action::OpenAs(Role::Scan));
                }
                return;
            };
            let name = actual.sources.first().map(io::SourceFile::name).unwrap_or_default();
            ui.checkbox(&mut context.display.shown.actual, name);
            theme::weak(ui, format!("{} points", theme::count(actual.cloud.points.len())));
            let left_out = actual.made_surface().map_or(0, |surface| surface.left_out);
            if left_out > 0 && context.display.shown.as_surface {
                let text = format!("{} of them not in the surface", theme::count(left_out));
                theme::weak(ui, text)
                    .on_hover_text("Stray points, and points nearly where others are. S shows all points.");
            }
            if let Some(facets) = &actual.facets {
                theme::weak(ui, format!("{} facets", theme::count(facets.mesh().facets.len())));
            }
            for sentence in actual.findings.sentences() {
                theme::weak(ui, sentence);
            }
            let surfaces = ids(context.document(), |recipe| matches!(recipe, Recipe::ScanSurface(_)));
            surfaces.iter().for_each(|id| self.element_row(ui, context, *id, false));
            self.cleaning.show(ui, context);
        });
    }

    fn alignment_element(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Alignment").default_open(true).show(ui, |ui| {
            let ids = context.document().alignments();
            self.alternatives(ui, context, &ids, context.document().active.alignment);
            let document = context.document();
            match (document.alignment(), document.active.alignment) {
                (Some(alignment), _) => {
                    // A given pose has no RMS of a fit.
                    let is_given = alignment.iterations == 0 && alignment.rms_mm == 0.0;
                    ui.label(match &alignment.main {
                        Some(main) => base::capitalised(&main.name()),
                        None if is_given => "Given pose, not fitted".to_owned(),
                        None => format!("RMS {:.4} mm", alignment.rms_mm),
                    });
                    if !alignment.alternatives.is_empty() {
                        ui.colored_label(
                            ui.visuals().warn_fg_color,
                            match alignment.alternatives.len() {
                                1 => "1 alternative pose fits as well".to_owned(),
                                count => format!("{count} alternative poses fit as well"),
                            },
                        );
                    }
                }
                (None, Some(id)) => super::no_result(ui, document, id),
                (None, None) => {
                    theme::weak(ui, "Not aligned.");
                }
            }
        });
    }

    fn offset_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ids = ids(context.document(), Recipe::is_offset);
        if ids.is_empty() {
            return;
        }
        egui::CollapsingHeader::new(format!("Offsets ({})", ids.len())).default_open(true).show(ui, |ui| {
            let selected = context.display.shown.offset;
            ids.iter().for_each(|id| self.element_row(ui, context, *id, selected == Some(*id)));
        });
    }

    fn detection_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ids = ids(context.document(), |recipe| matches!(recipe, Recipe::Detection(_)));
        if ids.is_empty() {
            return;
        }
        egui::CollapsingHeader::new("Found").default_open(true).show(ui, |ui| {
            ids.iter().for_each(|id| self.element_row(ui, context, *id, false));
        });
    }

    /// Fitted features, constructed elements and datums.
    fn feature_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ids = ids(context.document(), |recipe| {
            recipe.is_feature() || matches!(recipe, Recipe::Datum(_) | Recipe::Unknown(_))
        });
        if ids.is_empty() {
            return;
        }
        // Not “Features”, which is the name of a workspace.
        egui::CollapsingHeader::new(format!("Measured features ({})", ids.len())).default_open(true).show(ui, |ui| {
            ids.iter().for_each(|id| self.element_row(ui, context, *id, false));
        });
    }

    fn check_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Check").default_open(true).show(ui, |ui| {
            let comparisons = ids(context.document(), |recipe| matches!(recipe, Recipe::Comparison(_)));
            self.verdict(ui, context);
            self.alternatives(ui, context, &comparisons, context.document().active.comparison);
            let others = ids(context.document(), |recipe| {
                matches!(recipe, Recipe::Measure(_) | Recipe::Tolerance(_) | Recipe::Calibration(_))
            });
            others.iter().for_each(|id| self.element_row(ui, context, *id, false));
            let sections = ids(context.document(), |recipe| matches!(recipe, Recipe::Section(_)));
            let selected = context.display.section.selected;
            sections.iter().for_each(|id| self.element_row(ui, context, *id, selected == Some(*id)));
            let points = ids(context.document(), |recipe| matches!(recipe, Recipe::SurfacePoints(_)));
            let selected = context.display.surface_points;
            points.iter().for_each(|id| self.element_row(ui, context, *id, selected == Some(*id)));
        });
    }

    fn verdict(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let overall = verdict::overall(document);
        let has_others = document.alignment().is_some_and(Alignment::is_among_others);
        let Some(check) = document.current_check() else {
            if document.check().is_some() {
                theme::weak(ui, "Out of date: compare again.");
            } else if overall.is_none() {
                theme::weak(ui, "Not compared.");
            }
            return;
        };
        ui.checkbox(&mut context.display.shown.deviations, "Deviation colours");
        if has_others {
            ui.checkbox(&mut context.display.shown.others, "Other things in the scan")
                .on_hover_text("In the workspace Compare; elsewhere they are always shown");
        }
        let Some(overall) = overall else { return };
        let colour = verdict_colour(overall.verdict);
        let name = egui::RichText::new(overall.verdict.name()).color(colour);
        ui.label(name.family(theme::strong_family()).size(18.0));
        theme::weak(ui, &overall.covers);
        let regions = check.regions.len();
        theme::weak(ui, format!("{regions} {} out of tolerance", if regions == 1 { "region" } else { "regions" }));
    }
}

/// The elements of some kinds, in the order of the plan.
fn ids(document: &Document, is_of: impl Fn(&Recipe) -> bool) -> Vec<ElementId> {
    document.plan.elements().iter().filter(|own| is_of(&own.recipe)).map(|own| own.id).collect()
}
