//! Row of the element tree: status, name, main value and context menu of an element.

use egui::{Align, Button, Color32, Layout, RichText, Ui};

use super::super::compare::{CompareView, verdict_colour};
use super::super::{PanelContext, named};
use super::ElementsPanel;
use crate::{Action, Workspace, lengths, theme};
use dispatch::{Command, Elements, Features, Inspect};
use session::Document;
use session::pipeline::State;
use session::plan::{Element, ElementId, Recipe};
use texts::text;

/// Status of an element: colour and text.
fn status(document: &Document, element: &Element) -> (Color32, String) {
    let made = document.stage().results.made(element.id);
    match document.state(element.id) {
        State::Fresh => {
            let words = |all: &[String]| all.iter().map(|own| texts::word(own)).collect::<Vec<_>>().join("\n");
            let text = made.map(|made| words(&made.sentences)).unwrap_or_default();
            (made.and_then(|made| made.verdict).map_or(theme::FEATURE, verdict_colour), text)
        }
        State::Stale => (theme::WARN, text!("elements-stale")),
        State::NotMade => (Color32::GRAY, text!("elements-not-made")),
        State::Failed(message) => (theme::BAD, texts::word(&message).into_owned()),
        State::Waits(on) => (theme::WARN, text!("elements-waits", names = on.join(", "))),
    }
}

/// Main value of an element with its unit; `None` if there is none or it is not up to date.
fn value(document: &Document, element: &Element) -> Option<String> {
    let figure = document.stage().results.made(element.id)?.figures.first()?;
    let is_current = document.state(element.id) == State::Fresh;
    let unit = if figure.unit == "°" { "°".to_owned() } else { format!(" {}", lengths::unit_of(figure.unit)) };
    // Without a unit it is a count.
    let digits = match figure.unit {
        "%" => 1,
        "" => 0,
        other => lengths::decimals_of(other, 3, 3),
    };
    is_current.then(|| format!("{:.digits$}{unit}", lengths::figure(figure.value, figure.unit)))
}

/// The workspace for elements of this kind.
fn workspace(recipe: &Recipe) -> Option<Workspace> {
    match recipe {
        alignment if alignment.is_alignment() => Some(Workspace::Align),
        Recipe::Comparison(_) | Recipe::Section(_) | Recipe::SurfacePoints(_) => Some(Workspace::Compare),
        Recipe::Detection(_) => Some(Workspace::Detect),
        Recipe::Calibration(_) => Some(Workspace::Calibrate),
        Recipe::ScanSurface(_) => Some(Workspace::Offset),
        offset if offset.is_offset() => Some(Workspace::Offset),
        Recipe::Nominal(_) | Recipe::Scan(_) | Recipe::Unknown(_) => None,
        _ => Some(Workspace::Features),
    }
}

impl ElementsPanel {
    /// Draws the row of an element; `is_shown` if it is the active one of its kind.
    pub(super) fn element_row(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, id: ElementId, is_shown: bool) {
        let Some(element) = context.document().plan.get(id).cloned() else { return };
        let height = ui.spacing().interact_size.y;
        // Rows out of view cost nothing.
        if !ui.is_rect_visible(ui.available_rect_before_wrap().with_max_y(ui.cursor().top() + height)) {
            ui.add_space(height + ui.spacing().item_spacing.y);
            return;
        }
        if self.renaming.is_of(&id) {
            if let Some((id, name)) = self.renaming.show(ui) {
                context.send(Elements::Rename(id, name));
            }
            return;
        }
        let document = context.document();
        let (colour, status) = status(document, &element);
        let value = value(document, &element);
        let row = ui.horizontal(|ui| {
            ui.set_min_height(height);
            theme::dot(ui, colour);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some(value) = value {
                    ui.label(RichText::new(value).weak());
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let mut name = RichText::new(&element.name);
                    if is_shown {
                        name = name.family(theme::strong_family());
                    }
                    if context.display.hidden.contains(&id) {
                        name = name.weak();
                    }
                    ui.add(Button::new(name).frame(false).truncate())
                })
                .inner
            })
            .inner
        });
        let kind = texts::word(element.recipe.kind());
        let hint = text!("elements-element-hint", kind = &*kind, name = element.name.as_str(), status = status);
        let response = row.inner.on_hover_text(hint.trim_end());
        named(&response, &text!("elements-element", name = element.name.as_str()));
        if response.clicked() {
            choose(context, &element, is_shown);
        }
        response.context_menu(|ui| self.element_menu(ui, context, &element));
    }

    fn element_menu(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, element: &Element) {
        let ready = !context.is_busy;
        let id = element.id;
        if ui.add_enabled(ready, Button::new(text!("elements-rename"))).clicked() {
            self.renaming.begin(id, &element.name);
            ui.close();
        }
        let position = context.document().plan.elements().iter().position(|own| own.id == id).unwrap_or(0);
        if element.recipe.is_feature() || element.recipe.is_offset() {
            let is_hidden = context.display.hidden.contains(&id);
            if ui.button(if is_hidden { text!("elements-show") } else { text!("elements-hide") }).clicked() {
                if !context.display.hidden.remove(&id) {
                    context.display.hidden.insert(id);
                }
                ui.close();
            }
            if ui.button(text!("elements-show-only")).clicked() {
                let is_offset = element.recipe.is_offset();
                let is_alike = |own: &Recipe| if is_offset { own.is_offset() } else { own.is_feature() };
                let elements = context.document().plan.elements().iter();
                let alike: Vec<ElementId> = elements.filter(|own| is_alike(&own.recipe)).map(|own| own.id).collect();
                context.display.hidden.extend(alike);
                context.display.hidden.remove(&id);
                ui.close();
            }
            if ui.add_enabled(!context.display.hidden.is_empty(), Button::new(text!("elements-show-all"))).clicked() {
                context.display.hidden.clear();
                ui.close();
            }
        }
        let mut entry = |ui: &mut Ui, is_possible: bool, text: &str, command: Command| {
            if ui.add_enabled(ready && is_possible, Button::new(text)).clicked() {
                context.send(command);
                ui.close();
            }
        };
        entry(ui, true, &text!("elements-update"), Elements::Update(Some(id)).into());
        if element.recipe.is_of_one_scan() {
            entry(ui, true, &text!("elements-on-faces"), Features::OnFaces(id).into());
        }
        entry(ui, position > 0, &text!("elements-move-up"), Elements::MoveTo(id, position.saturating_sub(1)).into());
        entry(ui, true, &text!("elements-move-down"), Elements::MoveTo(id, position + 1).into());
        ui.separator();
        entry(ui, true, &text!("common-remove"), Elements::Remove(id).into());
    }
}

/// Chooses an element as a click on its row does.
pub fn select(context: &mut PanelContext<'_>, id: ElementId) {
    let Some(element) = context.document().plan.get(id) else { return };
    let active = context.document().active;
    choose(context, element, [active.nominal, active.alignment, active.comparison].contains(&Some(id)));
}

/// Opens the workspace of the element, and activates the element if only one of its kind is active.
fn choose(context: &mut PanelContext<'_>, element: &Element, is_shown: bool) {
    let is_exclusive =
        element.recipe.is_alignment() || matches!(element.recipe, Recipe::Comparison(_) | Recipe::Nominal(_));
    if is_exclusive && !is_shown {
        context.send(Inspect::Show(element.id));
    }
    match element.recipe {
        Recipe::Comparison(_) => context.display.compare = CompareView::Surface,
        Recipe::Section(_) => {
            context.display.compare = CompareView::Sections;
            context.display.section.selected = Some(element.id);
        }
        Recipe::SurfacePoints(_) => {
            context.display.compare = CompareView::Points;
            context.display.surface_points = Some(element.id);
        }
        _ => {}
    }
    if element.recipe.is_offset() {
        context.display.shown.offset = Some(element.id);
    }
    context.display.chosen = Some(element.id);
    if let Some(workspace) = workspace(&element.recipe) {
        context.ask(Action::Show(workspace));
    }
}
