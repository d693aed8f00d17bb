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

/// Choice between points and facets for the brush.
pub fn brush_target(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
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
                Selectable::Points => ("Scan points", "Load a scan first"),
                Selectable::Facets => ("Nominal facets", "Load a nominal first"),
            };
            ui.add_enabled_ui(is_available, |ui| {
                ui.radio_value(&mut context.display.brush.of, of, text).on_disabled_hover_text(hint);
            });
        }
    });
}

/// Options of the brush.
pub(in super::super) fn brush_options(ui: &mut egui::Ui, brush: &mut Brush) {
    ui.horizontal(|ui| {
        for tool in Tool::ALL {
            theme::pick(ui, &mut brush.tool, tool, tool.name());
        }
    });
    ui.add_enabled_ui(brush.tool != Tool::Off, |ui| {
        ui.horizontal(|ui| {
            ui.radio_value(&mut brush.combine, Combine::Add, "Add");
            ui.radio_value(&mut brush.combine, Combine::Remove, "Remove");
            ui.checkbox(&mut brush.only_visible, "Visible only").on_hover_text("Excludes occluded points and facets");
        });
        if brush.tool == Tool::Circle {
            let slider = egui::Slider::new(&mut brush.radius, 2.0..=400.0).logarithmic(true).max_decimals(0);
            ui.add(slider.text("Radius"));
        }
    });
    if brush.tool != Tool::Off {
        let how = match brush.tool {
            Tool::Polygon => {
                "Click the vertices; Enter, double click or a click on the first vertex closes, Esc discards."
            }
            Tool::Circle => "The mouse wheel sets the radius.",
            _ => "Drag over the part.",
        };
        theme::weak(ui, format!("{how} Ctrl removes. Alt-drag rotates the view, right-drag pans."));
    }
}

impl FeaturesPanel {
    /// The selection and its commands.
    pub(super) fn selection(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let (document, of) = (context.document(), context.display.brush.of);
        let marked = document.marked(of);
        let (has_selection, kind) = (!marked.selected.is_empty(), of.name());
        theme::heading(ui, "Selection");
        let hidden = match marked.hidden.len() {
            0 => String::new(),
            count => format!(", {} hidden", theme::count(count)),
        };
        ui.label(format!("{} {kind} selected{hidden}", theme::count(marked.selected.len())));
        // While facets are brushed the scan is not drawn, but its selection is still used for fits.
        let others = document.points.selected.len();
        let others = if of == Selectable::Facets { others } else { 0 };
        if others > 0 {
            let text = format!("{} points of the scan are selected too; fits use them.", theme::count(others));
            ui.colored_label(ui.visuals().warn_fg_color, text);
        }
        ui.horizontal(|ui| {
            let mut button = |text: &str, hint: &str, enabled: bool, command: &dyn Fn() -> Command| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    context.send(command());
                }
            };
            button("None", "Deselects all points and facets", has_selection || others > 0, &|| {
                Command::Select(Select::Nothing)
            });
            button("Invert", "Inverts the selection", true, &|| Select::Invert(of).into());
            match of {
                Selectable::Points => {
                    let remove = || Parts::CleanScan(Step::Remove(marked.selected.clone())).into();
                    button("Delete points", "Removes the selected points from the scan", has_selection, &remove);
                }
                Selectable::Facets => {
                    let hint = "Removes the selected facets from the nominal; its file is not changed";
                    button("Delete facets", hint, has_selection, &|| Parts::RemoveFacets.into());
                }
            }
            let export = ui.add_enabled(has_selection, egui::Button::new("Export…"));
            if export.on_hover_text("Writes the selection into a file").clicked() {
                context.ask(Action::Browse(Purpose::ExportSelection(of)));
            }
        });
        ui.horizontal(|ui| {
            let mut button = |text: &str, hint: &str, enabled: bool, which: Visibility| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    context.send(Select::Show(of, which));
                }
            };
            button("Hide", "Hides the selection; it is still evaluated", has_selection, Visibility::WithoutSelected);
            button("Show only these", "Hides everything else", has_selection, Visibility::OnlySelected);
            button("Show all", "Shows all hidden points or facets", !marked.hidden.is_empty(), Visibility::All);
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
            let label = ui.label("Name");
            ui.add(egui::TextEdit::singleline(&mut self.name).desired_width(130.0)).labelled_by(label.id);
            let ready = !marked.selected.is_empty() && !self.name.trim().is_empty();
            let store = ui.add_enabled(ready, egui::Button::new("Store"));
            if store.on_hover_text("Stores the selection under this name").clicked() {
                context.send(Select::Name(of, std::mem::take(&mut self.name)));
            }
        });
        for (i, named) in document.selections.iter().enumerate() {
            ui.horizontal(|ui| {
                let text = format!("{}   {} {}", named.name, theme::count(named.numbers.len()), named.of.name());
                let chosen = named.numbers.is_same(&document.marked(named.of).selected);
                if theme::chip(ui, chosen, &text).on_hover_text("Selects these again").clicked() {
                    context.display.brush.of = named.of;
                    context.send(Select::Numbers(named.of, named.numbers.clone(), Combine::Replace));
                }
                if ui.small_button("Delete").clicked() {
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
    ui.horizontal(|ui| {
        let hint = "Extends the selection to whole CAD faces; on a mesh, up to its edges";
        if ui.add_enabled(has_selection, egui::Button::new("Whole faces")).on_hover_text(hint).clicked() {
            context.send(Select::WholeFaces);
        }
        let hint = "Selects the scan points near these facets";
        let button = egui::Button::new("Select points on these");
        if ui.add_enabled(has_selection && document.actual().is_some(), button).on_hover_text(hint).clicked() {
            context.send(Select::PointsOnFacets);
        }
    });
}
