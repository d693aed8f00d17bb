//! One element of the plan as a row of the tree: how it stands, its name, its main value, and what can be done with it.

use egui::{Align, Button, Color32, Key, Layout, RichText, Ui};

use super::super::super::{Action, App, Workspace, theme};
use super::super::compare::verdict_colour;
use super::super::named;
use dispatch::{Command, Elements, Features, Inspect};
use session::Document;
use session::pipeline::State;
use session::plan::{Element, ElementId, Recipe};

/// A name that is being typed.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    of: Option<ElementId>,
    name: String,
    /// Whether the field is to get the keyboard.
    wants_focus: bool,
}

impl Renaming {
    /// Whether a name is being typed.
    pub fn is_under_way(&self) -> bool {
        self.of.is_some()
    }
}

/// How an element stands, in a colour and in words.
fn standing(document: &Document, element: &Element) -> (Color32, String) {
    let made = document.stage().results.made(element.id);
    match document.state(element.id) {
        State::Fresh => {
            let said = made.map(|made| made.sentences.join("\n")).unwrap_or_default();
            (made.and_then(|made| made.verdict).map_or(theme::FEATURE, verdict_colour), said)
        }
        State::Stale => (theme::WARN, "Out of date: something that it is made from has changed.".to_owned()),
        State::NotMade => (Color32::GRAY, "Not made yet.".to_owned()),
        State::Failed(sentence) => (theme::BAD, sentence),
        State::Waits(on) => (theme::WARN, format!("Waits for {}.", on.join(", "))),
    }
}

/// The value that stands for the element where there is room for one.
fn value(document: &Document, element: &Element) -> Option<String> {
    let figure = document.stage().results.made(element.id)?.figures.first()?;
    let is_current = document.state(element.id) == State::Fresh;
    let unit = if figure.unit == "°" { "°".to_owned() } else { format!(" {}", figure.unit) };
    let digits = if figure.unit == "%" { 1 } else { 3 };
    is_current.then(|| format!("{:.digits$}{unit}", figure.value))
}

/// The workspace in which such an element is worked on.
fn workspace(recipe: &Recipe) -> Option<Workspace> {
    match recipe {
        Recipe::Alignment(_) => Some(Workspace::Align),
        Recipe::Comparison(_) => Some(Workspace::Compare),
        Recipe::Nominal(_) | Recipe::Scan(_) | Recipe::Unknown(_) => None,
        _ => Some(Workspace::Features),
    }
}

impl App {
    /// A row for an element; `is_shown` where it is the one of its kind that the rooms work on.
    pub(super) fn element_row(&mut self, ui: &mut Ui, id: ElementId, is_shown: bool) {
        let Some(element) = self.dispatcher.document.plan.get(id).cloned() else { return };
        let height = ui.spacing().interact_size.y;
        // Rows out of view cost nothing.
        if !ui.is_rect_visible(ui.available_rect_before_wrap().with_max_y(ui.cursor().top() + height)) {
            ui.add_space(height + ui.spacing().item_spacing.y);
            return;
        }
        if self.renaming.of == Some(id) {
            return self.name_field(ui, id);
        }
        let document = &self.dispatcher.document;
        let (colour, said) = standing(document, &element);
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
                    if self.unseen.contains(&id) {
                        name = name.weak();
                    }
                    ui.add(Button::new(name).frame(false).truncate())
                })
                .inner
            })
            .inner
        });
        let hint = format!("{} “{}”\n{said}", element.recipe.kind(), element.name);
        let response = row.inner.on_hover_text(hint.trim_end());
        named(&response, &format!("Element {}", element.name));
        if response.clicked() {
            self.choose_element(&element, is_shown);
        }
        response.context_menu(|ui| self.element_menu(ui, &element));
    }

    /// Goes to where the element is worked on, and shows it where those of its kind take turns.
    fn choose_element(&mut self, element: &Element, is_shown: bool) {
        let takes_turns = matches!(element.recipe, Recipe::Comparison(_) | Recipe::Alignment(_) | Recipe::Nominal(_));
        if takes_turns && !is_shown {
            self.actions.push(Action::Send(Box::new(Inspect::Show(element.id).into())));
        }
        if let Some(workspace) = workspace(&element.recipe) {
            self.workspace = workspace;
        }
    }

    fn element_menu(&mut self, ui: &mut Ui, element: &Element) {
        let ready = !self.is_busy();
        let id = element.id;
        if ui.add_enabled(ready, Button::new("Rename…")).clicked() {
            self.renaming = Renaming { of: Some(id), name: element.name.clone(), wants_focus: true };
            ui.close();
        }
        let position = self.dispatcher.document.plan.elements().iter().position(|own| own.id == id).unwrap_or(0);
        if element.recipe.is_feature() {
            let is_unseen = self.unseen.contains(&id);
            if ui.button(if is_unseen { "Show" } else { "Hide" }).clicked() {
                if !self.unseen.remove(&id) {
                    self.unseen.insert(id);
                }
                ui.close();
            }
        }
        let mut entry = |ui: &mut Ui, is_possible: bool, text: &str, command: Command| {
            if ui.add_enabled(ready && is_possible, Button::new(text)).clicked() {
                self.actions.push(Action::Send(Box::new(command)));
                ui.close();
            }
        };
        entry(ui, true, "Update", Elements::Update(Some(id)).into());
        if element.recipe.is_of_one_scan() {
            entry(ui, true, "Measure on its faces", Features::OnFaces(id).into());
        }
        entry(ui, position > 0, "Move up", Elements::MoveTo(id, position.saturating_sub(1)).into());
        entry(ui, true, "Move down", Elements::MoveTo(id, position + 1).into());
        ui.separator();
        entry(ui, true, "Remove", Elements::Remove(id).into());
    }

    /// Enter takes the name, and so does a click elsewhere; Esc leaves the name as it was.
    fn name_field(&mut self, ui: &mut Ui, id: ElementId) {
        let field = ui.add(egui::TextEdit::singleline(&mut self.renaming.name).desired_width(f32::INFINITY));
        named(&field, "New name");
        if std::mem::take(&mut self.renaming.wants_focus) {
            field.request_focus();
        }
        if !field.lost_focus() {
            return;
        }
        let renaming = std::mem::take(&mut self.renaming);
        let is_same = renaming.name.trim() == self.dispatcher.document.plan.name(id);
        if !ui.input(|input| input.key_pressed(Key::Escape)) && !is_same {
            self.actions.push(Action::Send(Box::new(Elements::Rename(id, renaming.name).into())));
        }
    }
}
