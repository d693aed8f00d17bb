//! Brush, selection and named selections, in the Features workspace.

use super::super::PanelContext;
use super::FeaturesPanel;
use crate::choosing::Purpose;
use crate::viewport::brush::{Brush, Tool};
use crate::{Action, theme};
use dispatch::{Command, Parts, Select, Visibility};
use geometry::Combine;
use inspect::cleaning::Step;
use session::selection::Selectable;
use texts::text;

/// The brush: what it selects, and its options.
pub fn brush(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    theme::heading(ui, text!("features-brush"));
    brush_target(ui, context);
    brush_options(ui, &mut context.display.brush);
}

/// How many points or facets are selected, and how many hidden.
pub fn count(selected: usize, hidden: usize, of: Selectable) -> String {
    let (shown, kind) = (theme::count(selected), texts::word(of.name()).into_owned());
    match hidden {
        0 => text!("features-selected", shown = shown, kind = kind),
        count => text!("features-selected-hidden", shown = shown, kind = kind, hidden = theme::count(count)),
    }
}

/// Choice between points and facets for the brush.
fn brush_target(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let available = Selectable::ALL.map(|of| (of, document.count(of).is_some()));
    // Switch to the kind that is loaded.
    if !available.contains(&(context.display.brush.of, true)) {
        let first = available.iter().find(|(_, is_available)| *is_available);
        context.display.brush.of = first.map_or(Selectable::Points, |(of, _)| *of);
    }
    ui.horizontal(|ui| {
        for (of, is_available) in available {
            let (text, hint) = match of {
                Selectable::Points => (text!("features-scan-points"), text!("features-load-scan")),
                Selectable::Facets => (text!("features-nominal-facets"), text!("features-load-nominal")),
            };
            ui.add_enabled_ui(is_available, |ui| {
                ui.radio_value(&mut context.display.brush.of, of, text).on_disabled_hover_text(hint);
            });
        }
    });
}

/// Options of the brush.
pub(in super::super) fn brush_options(ui: &mut egui::Ui, brush: &mut Brush) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for tool in Tool::ALL {
            theme::pick(ui, &mut brush.tool, tool, tool.name());
        }
    });
    ui.add_enabled_ui(brush.tool != Tool::Off, |ui| {
        ui.horizontal(|ui| {
            ui.radio_value(&mut brush.combine, Combine::Add, text!("common-add"));
            ui.radio_value(&mut brush.combine, Combine::Remove, text!("common-remove"));
            let check = ui.checkbox(&mut brush.only_visible, text!("features-visible-only"));
            check.on_hover_text(text!("features-visible-only-hint"));
        });
        if brush.tool == Tool::Circle {
            let slider = egui::Slider::new(&mut brush.radius, 2.0..=400.0).logarithmic(true).max_decimals(0);
            ui.add(slider.text(text!("features-radius")));
        }
    });
    if brush.tool != Tool::Off {
        let how = match brush.tool {
            Tool::Polygon => text!("features-how-polygon"),
            Tool::Circle => text!("features-how-circle"),
            _ => text!("features-how-drag"),
        };
        theme::weak(ui, how);
    }
}

impl FeaturesPanel {
    /// The selection and its commands.
    pub(super) fn selection(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let (document, of) = (context.document(), context.display.brush.of);
        let marked = document.marked(of);
        let has_selection = !marked.selected.is_empty();
        theme::heading(ui, text!("features-selection"));
        ui.label(count(marked.selected.len(), marked.hidden.len(), of));
        // While facets are brushed the scan is not drawn, but its selection is still used for fits.
        let others = document.points.selected.len();
        let others = if of == Selectable::Facets { others } else { 0 };
        if others > 0 {
            let text = text!("features-selected-too", shown = theme::count(others));
            ui.colored_label(ui.visuals().warn_fg_color, text);
        }
        ui.horizontal_wrapped(|ui| {
            let mut button = |text: String, hint: String, enabled: bool, command: &dyn Fn() -> Command| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    context.send(command());
                }
            };
            let (text, hint) = (text!("features-deselect"), text!("features-deselect-hint"));
            button(text, hint, has_selection || others > 0, &|| Command::Select(Select::Nothing));
            let (text, hint) = (text!("features-invert"), text!("features-invert-hint"));
            button(text, hint, true, &|| Select::Invert(of).into());
            match of {
                Selectable::Points => {
                    let remove = || Parts::CleanScan(Step::Remove(marked.selected.clone())).into();
                    let (text, hint) = (text!("features-delete-points"), text!("features-delete-points-hint"));
                    button(text, hint, has_selection, &remove);
                }
                Selectable::Facets => {
                    let (text, hint) = (text!("features-delete-facets"), text!("features-delete-facets-hint"));
                    button(text, hint, has_selection, &|| Parts::RemoveFacets.into());
                }
            }
            let export = ui.add_enabled(has_selection, egui::Button::new(text!("features-export")));
            if export.on_hover_text(text!("features-export-hint")).clicked() {
                context.ask(Action::Browse(Purpose::ExportSelection(of)));
            }
        });
        ui.horizontal_wrapped(|ui| {
            let mut button = |text: String, hint: String, enabled: bool, which: Visibility| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    context.send(Select::Show(of, which));
                }
            };
            let (text, hint) = (text!("features-hide"), text!("features-hide-hint"));
            button(text, hint, has_selection, Visibility::WithoutSelected);
            let (text, hint) = (text!("features-show-only"), text!("features-show-only-hint"));
            button(text, hint, has_selection, Visibility::OnlySelected);
            let (text, hint) = (text!("features-show-all"), text!("features-show-all-hint"));
            button(text, hint, !marked.hidden.is_empty(), Visibility::All);
        });
        if of == Selectable::Facets {
            facet_commands(ui, context);
        }
        self.named_selections(ui, context);
    }

    fn named_selections(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let (document, of) = (context.document(), context.display.brush.of);
        let marked = document.marked(of);
        ui.horizontal(|ui| {
            let label = ui.label(text!("common-name"));
            ui.add(egui::TextEdit::singleline(&mut self.name).desired_width(130.0)).labelled_by(label.id);
            let ready = !marked.selected.is_empty() && !self.name.trim().is_empty();
            let store = ui.add_enabled(ready, egui::Button::new(text!("features-store")));
            if store.on_hover_text(text!("features-store-hint")).clicked() {
                context.send(Select::Name(of, std::mem::take(&mut self.name)));
            }
        });
        for (i, named) in document.selections.iter().enumerate() {
            ui.horizontal(|ui| {
                let kind = texts::word(named.of.name());
                let text = format!("{}   {} {kind}", named.name, theme::count(named.numbers.len()));
                let chosen = named.numbers.is_same(&document.marked(named.of).selected);
                if theme::chip(ui, chosen, &text).on_hover_text(text!("features-select-again")).clicked() {
                    context.display.brush.of = named.of;
                    context.send(Select::Numbers(named.of, named.numbers.clone(), Combine::Replace));
                }
                if ui.small_button(text!("features-delete")).clicked() {
                    context.send(Select::Forget(i));
                }
            });
        }
    }
}

/// Commands for selected facets.
fn facet_commands(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let has_selection = !document.facets.selected.is_empty();
    ui.horizontal_wrapped(|ui| {
        let button = ui.add_enabled(has_selection, egui::Button::new(text!("features-whole-faces")));
        if button.on_hover_text(text!("features-whole-faces-hint")).clicked() {
            context.send(Select::WholeFaces);
        }
        let hint = text!("features-points-on-facets-hint");
        let button = egui::Button::new(text!("features-points-on-facets"));
        if ui.add_enabled(has_selection && document.actual().is_some(), button).on_hover_text(hint).clicked() {
            context.send(Select::PointsOnFacets);
        }
    });
}
