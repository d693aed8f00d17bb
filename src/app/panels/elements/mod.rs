//! Element tree: the elements of the plan with their status, by nominal, actual, alignment, features and checks.

mod cleaning;
mod name_edit;
mod row;
mod views;

use super::PanelContext;
use super::compare::verdict_colour;
use crate::lengths::{length_text, with_unit};
use crate::open_dialog::Role;
use crate::{Action, theme};
use cleaning::CleaningSection;
use inspect::alignment::Alignment;
use inspect::deviation::DeviationMap;
use name_edit::NameEdit;
pub use row::select;
use session::Document;
use session::plan::{ElementId, Recipe};
use texts::text;
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
                theme::heading(ui, text!("elements-heading"));
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
        egui::CollapsingHeader::new(text!("elements-nominal")).default_open(true).show(ui, |ui| {
            let ids = ids(context.document(), |recipe| matches!(recipe, Recipe::Nominal(_)));
            self.alternatives(ui, context, &ids, context.document().active.nominal);
            let Some(nominal) = context.document().shared_nominal() else {
                if let Some(id) = context.document().active.nominal {
                    return super::no_result(ui, context.document(), id);
                }
                theme::weak(ui, text!("elements-no-nominal"));
                if ui.button(text!("elements-open-nominal")).clicked() {
                    context.ask(Action::OpenAs(Role::Nominal));
                }
                return;
            };
            ui.checkbox(&mut context.display.shown.nominal, nominal.source.name())
                .on_hover_text(nominal.source.path.display().to_string());
            let opacity = egui::Slider::new(&mut context.display.shown.nominal_opacity, 0.15..=1.0);
            ui.add_enabled(context.display.shown.nominal, opacity.text(text!("elements-opacity")).show_value(false));
            let mesh = nominal.surface.mesh();
            let size = nominal.surface.bounds().size();
            theme::weak(ui, text!("elements-facets", shown = theme::count(mesh.facets.len())));
            theme::weak(ui, with_unit([size.x, size.y, size.z].map(|mm| length_text(mm, 1)).join(" × ")));
            for sentence in nominal.findings.sentences() {
                theme::weak(ui, texts::word(&sentence));
            }
            let hint = text!("elements-add-nominal-hint");
            if ui.small_button(text!("elements-add-nominal")).on_hover_text(hint).clicked() {
                context.ask(Action::OpenAs(Role::FurtherNominal));
            }
        });
    }

    fn actual_element(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new(text!("elements-actual")).default_open(true).show(ui, |ui| {
            let Some(actual) = context.document().shared_actual() else {
                theme::weak(ui, text!("elements-no-scan"));
                if ui.button(text!("elements-open-scan")).clicked() {
                    context.ask(Action::OpenAs(Role::Scan));
                }
                return;
            };
            let name = actual.sources.first().map(io::SourceFile::name).unwrap_or_default();
            let shown = ui.checkbox(&mut context.display.shown.actual, name);
            theme::weak(ui, text!("elements-points", shown = theme::count(actual.cloud.points.len())));
            let left_out = actual.made_surface().map_or(0, |surface| surface.left_out);
            if left_out > 0 && context.display.shown.as_surface {
                let are_shown = &mut context.display.shown.left_out;
                let text = text!("elements-left-out", shown = theme::count(left_out));
                let response = if *are_shown { ui.checkbox(are_shown, text) } else { theme::weak(ui, text) };
                response.on_hover_text(text!("elements-left-out-hint"));
                shown.context_menu(|ui| {
                    ui.checkbox(are_shown, text!("elements-show-left-out"));
                });
            }
            if let Some(facets) = &actual.facets {
                theme::weak(ui, text!("elements-facets", shown = theme::count(facets.mesh().facets.len())));
            }
            for sentence in actual.findings.sentences() {
                theme::weak(ui, texts::word(&sentence));
            }
            let surfaces = ids(context.document(), |recipe| matches!(recipe, Recipe::ScanSurface(_)));
            surfaces.iter().for_each(|id| self.element_row(ui, context, *id, false));
            self.cleaning.show(ui, context);
        });
    }

    fn alignment_element(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new(text!("elements-alignment")).default_open(true).show(ui, |ui| {
            let ids = context.document().alignments();
            self.alternatives(ui, context, &ids, context.document().active.alignment);
            let document = context.document();
            match (document.alignment(), document.active.alignment) {
                (Some(alignment), _) => {
                    // A given pose has no RMS of a fit.
                    let is_given = alignment.iterations == 0 && alignment.rms_mm == 0.0;
                    ui.label(match &alignment.main {
                        Some(main) => base::capitalised(&main.name()),
                        None if alignment.by_hand => base::capitalised(&texts::word(&alignment.method_name())),
                        None if is_given => text!("elements-given-pose"),
                        None => format!("RMS {}", with_unit(length_text(alignment.rms_mm, 4))),
                    });
                    if !alignment.alternatives.is_empty() {
                        ui.colored_label(
                            ui.visuals().warn_fg_color,
                            text!("elements-alternatives", count = alignment.alternatives.len()),
                        );
                    }
                }
                (None, Some(id)) => super::no_result(ui, document, id),
                (None, None) => {
                    theme::weak(ui, text!("elements-not-aligned"));
                }
            }
        });
    }

    fn offset_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ids = ids(context.document(), Recipe::is_offset);
        if ids.is_empty() {
            return;
        }
        egui::CollapsingHeader::new(text!("elements-offsets", count = ids.len())).default_open(true).show(ui, |ui| {
            let selected = context.display.shown.offset;
            ids.iter().for_each(|id| self.element_row(ui, context, *id, selected == Some(*id)));
        });
    }

    fn detection_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let ids = ids(context.document(), |recipe| matches!(recipe, Recipe::Detection(_)));
        if ids.is_empty() {
            return;
        }
        egui::CollapsingHeader::new(text!("elements-found")).default_open(true).show(ui, |ui| {
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
        egui::CollapsingHeader::new(text!("elements-features", count = ids.len())).default_open(true).show(ui, |ui| {
            ids.iter().for_each(|id| self.element_row(ui, context, *id, false));
        });
    }

    fn check_elements(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new(text!("elements-check")).default_open(true).show(ui, |ui| {
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
        let overall = context.display.overall.of(document);
        let has_others = document.alignment().is_some_and(Alignment::is_among_others);
        let Some(check) = document.current_check() else {
            if document.check().is_some() {
                theme::weak(ui, text!("elements-comparison-stale"));
            } else if overall.is_none() {
                theme::weak(ui, text!("elements-not-compared"));
            }
            return;
        };
        ui.checkbox(&mut context.display.shown.deviations, text!("elements-deviation-colours"));
        if context.display.shown.deviations && matches!(check.measurement.map(), DeviationMap::Points(_)) {
            let on_nominal = &mut context.display.shown.on_nominal;
            ui.horizontal(|ui| {
                ui.add_space(ui.spacing().indent);
                theme::pick(ui, on_nominal, false, text!("elements-on-scan"));
                theme::pick(ui, on_nominal, true, text!("elements-on-nominal"))
                    .on_hover_text(text!("elements-on-nominal-hint"));
            });
        }
        if has_others {
            ui.checkbox(&mut context.display.shown.others, text!("elements-others"))
                .on_hover_text(text!("elements-others-hint"));
        }
        let Some(overall) = overall else { return };
        let colour = verdict_colour(overall.verdict);
        let name = egui::RichText::new(texts::word(overall.verdict.name())).color(colour);
        ui.label(name.family(theme::strong_family()).size(18.0));
        theme::weak(ui, &overall.covers);
        theme::weak(ui, text!("elements-regions", count = check.regions.len()));
    }
}

/// The elements of some kinds, in the order of the plan.
fn ids(document: &Document, is_of: impl Fn(&Recipe) -> bool) -> Vec<ElementId> {
    document.plan.elements().iter().filter(|own| is_of(&own.recipe)).map(|own| own.id).collect()
}
