//! Steps of a panel: numbered steps above, the contents of one of them, and the way to the next one below.
//!
//! Any step can be visited at any time; what is missing for it is said in it.

use egui::{Align, Button, Color32, Layout, Response, RichText, Ui};

use super::named;
use super::turn::Turn;
use crate::{icons, theme};
use session::plan::ElementId;
use texts::text;

/// Height of the row below the contents with its line and the spaces between, points.
const FOOT_HEIGHT: f32 = 46.0;

/// A step of a panel.
pub trait Step: Copy + PartialEq + Send + Sync + 'static {
    /// All steps, in the order in which they are usually taken.
    const ALL: &'static [Self];

    /// Its name, a word or two.
    fn name(self) -> String;

    /// What is done in it, in a sentence without full stop.
    fn about(self) -> String;
}

/// How far a step is.
#[derive(Clone, Debug, Default)]
pub struct StepState {
    /// Whether it has its result.
    pub is_done: bool,
    /// What is still missing for it, in a sentence.
    pub missing: Option<String>,
}

/// Draws the row of steps, the contents of the current one in their own scroll area, and the row below; `states` are
/// those of all steps, in their order.
pub fn show<S: Step>(
    ui: &mut Ui,
    current: &mut S,
    states: &[StepState],
    contents: impl FnOnce(&mut Ui, S, &StepState),
) {
    // After a click the contents are drawn once more, so that what was being edited in them is sent.
    let turn = Turn::begin(ui, "steps");
    let shown = *current;
    breadcrumb(ui, current, states);
    ui.separator();
    let index = index_of(shown);
    let height = (ui.available_height() - FOOT_HEIGHT).max(0.0);
    super::scrolled_within(ui, ("step", index), height, |ui| match states.get(index) {
        Some(state) => contents(ui, shown, state),
        None => contents(ui, shown, &StepState::default()),
    });
    ui.separator();
    foot(ui, shown, current);
    turn.end(ui, shown, current);
}

/// What is missing for a step, where it is; draws nothing if nothing is missing.
pub fn missing(ui: &mut Ui, state: &StepState) {
    if let Some(sentence) = &state.missing {
        ui.horizontal_top(|ui| {
            theme::dot(ui, theme::WARN);
            theme::weak(ui, sentence);
        });
    }
}

fn index_of<S: Step>(step: S) -> usize {
    S::ALL.iter().position(|own| *own == step).unwrap_or_default()
}

/// The row of all steps; a click on one goes there.
fn breadcrumb<S: Step>(ui: &mut Ui, current: &mut S, states: &[StepState]) {
    ui.add_space(2.0);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
        ui.spacing_mut().button_padding.x = 6.0;
        ui.horizontal_wrapped(|ui| {
            let shown = *current;
            for (index, step) in S::ALL.iter().copied().enumerate() {
                let state = states.get(index).cloned().unwrap_or_default();
                if crumb(ui, index + 1, step, step == shown, &state).clicked() {
                    *current = step;
                }
            }
        });
    });
}

/// Number and name of a step; a check mark in place of the number once it is done.
fn crumb<S: Step>(ui: &mut Ui, number: usize, step: S, is_current: bool, state: &StepState) -> Response {
    let name = step.name();
    let (mut digit, mut text) = (RichText::new(number.to_string()).weak(), RichText::new(&name));
    if is_current {
        digit = RichText::new(number.to_string()).color(Color32::WHITE);
        text = text.color(Color32::WHITE).family(theme::strong_family());
    }
    let button = if state.is_done {
        let colour = if is_current { Color32::WHITE } else { theme::GOOD };
        Button::selectable(is_current, (icons::atom(icons::CHECK, Some(colour)), text))
    } else {
        Button::selectable(is_current, (digit, text))
    };
    let response = ui.add(button.wrap_mode(egui::TextWrapMode::Extend));
    let label = text!("common-step", number = number, name = name.as_str());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, is_current, &label));
    let mut standing: Vec<String> = state.is_done.then(|| text!("common-step-done")).into_iter().collect();
    standing.extend(state.missing.clone());
    // Screen readers read it as well, after the name.
    response.on_hover_text(format!("{}\n{}", step.about(), standing.join("\n")).trim_end())
}

/// The way back, and on to the next step.
fn foot<S: Step>(ui: &mut Ui, shown: S, current: &mut S) {
    let index = index_of(shown);
    ui.horizontal(|ui| {
        let before = index.checked_sub(1).and_then(|before| S::ALL.get(before)).copied();
        // It is there in the first step too, so that the keyboard stays on the button beside it.
        let button = Button::new((icons::atom(icons::BACK, None), RichText::new(text!("common-back"))));
        let response = ui.add_enabled(before.is_some(), button);
        if let Some(before) = before {
            let name = text!("common-back-to", name = before.name());
            named(&response, &name);
            if response.on_hover_text(name).clicked() {
                *current = before;
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let Some(next) = S::ALL.get(index + 1).copied() else { return };
            let name = text!("common-next-step", name = next.name());
            let button = Button::new((RichText::new(&name), icons::atom(icons::NEXT, None)));
            let response = ui.add(button);
            named(&response, &name);
            if response.on_hover_text(next.about()).clicked() {
                *current = next;
            }
        });
    });
}

/// An element that was chosen elsewhere, until the step that shows it has led there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sought(pub Option<ElementId>);

impl Sought {
    /// Scrolls to what is drawn next if it is this element; returns whether to open its header.
    pub fn lead(self, ui: &Ui, id: ElementId) -> Option<bool> {
        let is_sought = self.0 == Some(id);
        if is_sought {
            ui.scroll_to_cursor(Some(Align::TOP));
        }
        is_sought.then_some(true)
    }

    /// Ends the search for this element once its header is open; `openness` from 0 to 1.
    pub fn reach(&mut self, id: ElementId, openness: f32) {
        if self.0 == Some(id) && openness >= 1.0 {
            self.0 = None;
        }
    }

    /// Leads to an element that has no header.
    pub fn lead_and_reach(&mut self, ui: &Ui, id: ElementId) {
        self.lead(ui, id);
        self.reach(id, 1.0);
    }
}
