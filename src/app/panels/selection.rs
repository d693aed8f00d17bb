//! The brush, what it has selected, and what can be done with that.

use super::super::choosing::Purpose;
use super::super::viewport::brush::Tool;
use super::super::{Action, App, theme};
use dispatch::{Command, Parts, Select, Visibility};
use geometry::Combine;
use inspect::cleaning::Step;
use session::selection::Selectable;

impl App {
    /// Whether points or facets are brushed.
    pub(super) fn brush_what(&mut self, ui: &mut egui::Ui) {
        let document = &self.dispatcher.document;
        let there = Selectable::ALL.map(|of| (of, document.count(of).is_some()));
        // What is not there cannot be brushed.
        if !there.contains(&(self.brush.of, true)) {
            self.brush.of = there.iter().find(|(_, is_there)| *is_there).map_or(Selectable::Points, |(of, _)| *of);
        }
        ui.horizontal(|ui| {
            for (of, is_there) in there {
                let (text, hint) = match of {
                    Selectable::Points => ("Scan points", "Load a scan first"),
                    Selectable::Facets => ("Nominal facets", "Load a nominal first"),
                };
                ui.add_enabled_ui(is_there, |ui| {
                    ui.radio_value(&mut self.brush.of, of, text).on_disabled_hover_text(hint);
                });
            }
        });
    }

    /// How it is brushed.
    pub(super) fn brush_options(&mut self, ui: &mut egui::Ui) {
        let brush = &mut self.brush;
        ui.horizontal(|ui| {
            for tool in Tool::ALL {
                theme::pick(ui, &mut brush.tool, tool, tool.name());
            }
        });
        ui.add_enabled_ui(brush.tool != Tool::Off, |ui| {
            ui.horizontal(|ui| {
                ui.radio_value(&mut brush.combine, Combine::Add, "Add");
                ui.radio_value(&mut brush.combine, Combine::Remove, "Remove");
                ui.checkbox(&mut brush.only_visible, "Visible only")
                    .on_hover_text("Leaves out what something else hides");
            });
            if brush.tool == Tool::Circle {
                let slider = egui::Slider::new(&mut brush.radius, 2.0..=400.0).logarithmic(true).max_decimals(0);
                ui.add(slider.text("Radius"));
            }
        });
        if brush.tool != Tool::Off {
            let how = match brush.tool {
                Tool::Polygon => {
                    "Click its corners; Enter, a double click or its first corner closes it, Esc drops it."
                }
                Tool::Circle => "The wheel sets the radius.",
                _ => "Drag over the part.",
            };
            theme::weak(ui, format!("{how} Ctrl removes. Alt-drag turns the view, right-drag moves it."));
        }
    }

    /// What is selected, and what can be done with it.
    pub(super) fn selection(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let (document, of) = (&self.dispatcher.document, self.brush.of);
        let marked = document.marked(of);
        let (some, what) = (!marked.selected.is_empty(), of.name());
        theme::heading(ui, "Selection");
        let hidden = match marked.hidden.len() {
            0 => String::new(),
            count => format!(", {} hidden", theme::count(count)),
        };
        ui.label(format!("{} {what} selected{hidden}", theme::count(marked.selected.len())));
        // While facets are brushed the scan is not drawn, but fits take its selection all the same.
        let others = document.points.selected.len();
        let others = if of == Selectable::Facets { others } else { 0 };
        if others > 0 {
            let text = format!("{} points of the scan are selected too; fits use them.", theme::count(others));
            ui.colored_label(ui.visuals().warn_fg_color, text);
        }
        ui.horizontal(|ui| {
            let mut button = |text: &str, hint: &str, enabled: bool, command: &dyn Fn() -> Command| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    *send = Some(command());
                }
            };
            button("None", "Selects nothing, neither points nor facets", some || others > 0, &|| {
                Command::Select(Select::Nothing)
            });
            button("Invert", "Selects what was not", true, &|| Select::Invert(of).into());
            match of {
                Selectable::Points => {
                    let remove = || Parts::CleanScan(Step::Remove(marked.selected.clone())).into();
                    button("Delete points", "Removes the selected points from the scan", some, &remove);
                }
                Selectable::Facets => {
                    let hint = "Removes the selected facets from the nominal; its file stays as it is";
                    button("Delete facets", hint, some, &|| Parts::RemoveFacets.into());
                }
            }
            if ui.add_enabled(some, egui::Button::new("Export…")).on_hover_text("Writes them into a file").clicked() {
                self.actions.push(Action::Browse(Purpose::ExportSelection(of)));
            }
        });
        ui.horizontal(|ui| {
            let mut button = |text: &str, hint: &str, enabled: bool, which: Visibility| {
                if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(hint).clicked() {
                    *send = Some(Select::Show(of, which).into());
                }
            };
            button("Hide", "Hides what is selected; it counts all the same", some, Visibility::WithoutSelected);
            button("Show only these", "Hides all but what is selected", some, Visibility::OnlySelected);
            button("Show all", "Shows what is hidden again", !marked.hidden.is_empty(), Visibility::All);
        });
        if of == Selectable::Facets {
            self.of_facets(ui, send);
        }
        self.named_selections(ui, send);
    }

    /// What can be done with facets alone.
    fn of_facets(&self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let some = !document.facets.selected.is_empty();
        ui.horizontal(|ui| {
            let hint =
                "Selects the faces of the CAD that the selected facets are part of; of a mesh, all up to its edges";
            if ui.add_enabled(some, egui::Button::new("Whole faces")).on_hover_text(hint).clicked() {
                *send = Some(Select::WholeFaces.into());
            }
            let hint = "Selects the scan's points that lie by these facets, to fit or to judge them";
            let button = egui::Button::new("Select points on these");
            if ui.add_enabled(some && document.actual().is_some(), button).on_hover_text(hint).clicked() {
                *send = Some(Select::PointsOnFacets.into());
            }
        });
    }

    fn named_selections(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let (document, of) = (&self.dispatcher.document, self.brush.of);
        let marked = document.marked(of);
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            ui.add(egui::TextEdit::singleline(&mut self.feature_draft.name).desired_width(130.0)).labelled_by(label.id);
            let named = !marked.selected.is_empty() && !self.feature_draft.name.trim().is_empty();
            if ui.add_enabled(named, egui::Button::new("Keep")).on_hover_text("Keeps the selection by name").clicked() {
                *send = Some(Select::Name(of, std::mem::take(&mut self.feature_draft.name)).into());
            }
        });
        for (i, named) in document.selections.iter().enumerate() {
            ui.horizontal(|ui| {
                let text = format!("{}   {} {}", named.name, theme::count(named.numbers.len()), named.of.name());
                let chosen = named.numbers.is_same(&document.marked(named.of).selected);
                if theme::chip(ui, chosen, &text).on_hover_text("Selects these").clicked() {
                    self.brush.of = named.of;
                    *send = Some(Select::Numbers(named.of, named.numbers.clone(), Combine::Replace).into());
                }
                if ui.small_button("Forget").clicked() {
                    *send = Some(Select::Forget(i).into());
                }
            });
        }
    }
}
