//! Offset workspace: the nominal grown or shrunk, live or as volumes, the way of a tool around it, and how thick its
//! walls are.

mod clip;
mod contact;
mod field;
mod thickness;
mod volume;

use std::any::Any;

use super::{PanelContext, no_result, rows};
use crate::theme;
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

use contact::ContactPart;
use field::FieldPart;
use thickness::ThicknessPart;
use volume::VolumePart;

/// What the operator wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UseCase {
    #[default]
    Live,
    Volume,
    Contact,
    Thickness,
}

/// Panel of the workspace.
#[derive(Default)]
pub struct OffsetPanel {
    use_case: UseCase,
    /// The newest element of the workspace at the last frame, and the one that was selected then.
    followed: (Option<ElementId>, Option<ElementId>),
    field: FieldPart,
    volume: VolumePart,
    contact: ContactPart,
    thickness: ThicknessPart,
}

impl UseCase {
    /// With their names and what they are for.
    fn all() -> [(Self, String, String); 4] {
        [
            (Self::Live, text!("offset-live"), text!("offset-live-hint")),
            (Self::Volume, text!("offset-volume"), text!("offset-volume-hint")),
            (Self::Contact, text!("offset-contact"), text!("offset-contact-hint")),
            (Self::Thickness, text!("offset-thickness"), text!("offset-thickness-hint")),
        ]
    }

    /// The one that an element belongs to.
    fn of(recipe: &Recipe) -> Option<Self> {
        match recipe {
            Recipe::Field(_) => Some(Self::Live),
            Recipe::Offset(_) => Some(Self::Volume),
            Recipe::Contact(_) => Some(Self::Contact),
            Recipe::Thickness(_) => Some(Self::Thickness),
            _ => None,
        }
    }
}

impl OffsetPanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.follow(context);
        self.choice(ui, context);
        let ready = context.document().nominal().is_some() && !context.is_busy;
        if context.document().nominal().is_none() && context.document().actual().is_none() {
            theme::weak(ui, text!("offset-load"));
        }
        match self.use_case {
            UseCase::Live => {
                if let Some(distance_mm) = self.field.show(ui, context, ready) {
                    self.volume.begin(distance_mm);
                    context.display.shown.offset = None;
                    self.use_case = UseCase::Volume;
                }
            }
            UseCase::Volume => self.volume.show(ui, context),
            UseCase::Contact => self.contact.show(ui, context, ready),
            UseCase::Thickness => self.thickness.show(ui, context, ready),
        }
        if context.document().plan.elements().iter().any(|own| own.recipe.is_offset()) {
            theme::heading(ui, text!("offset-view"));
            if self.use_case != UseCase::Thickness {
                ui.horizontal(|ui| {
                    ui.label(text!("offset-opacity"));
                    let opacity = &mut context.display.shown.volume_opacity;
                    theme::wide_slider(ui, &text!("offset-opacity-of"), opacity, 0.1..=1.0);
                });
            }
            clip::show(ui, &mut context.display.shown.clip);
        }
    }

    /// Selects what is new, and turns to the use case of what is selected.
    fn follow(&mut self, context: &mut PanelContext<'_>) {
        let plan = &context.document().plan;
        let newest = plan.elements().iter().filter(|own| own.recipe.is_offset()).map(|own| own.id).max();
        let selected = &mut context.display.shown.offset;
        if newest > self.followed.0 {
            *selected = newest;
        }
        let recipe = selected.and_then(|id| plan.get(id)).map(|own| &own.recipe);
        if recipe.is_none() {
            *selected = None;
        }
        if *selected != self.followed.1
            && let Some(use_case) = recipe.and_then(UseCase::of)
        {
            self.use_case = use_case;
        }
        self.followed = (newest, *selected);
    }

    fn choice(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        ui.horizontal_wrapped(|ui| {
            for (use_case, name, hint) in UseCase::all() {
                if theme::chip(ui, self.use_case == use_case, name).on_hover_text(hint).clicked() {
                    self.use_case = use_case;
                    let plan = &context.document().plan;
                    let mut own = plan.elements().iter().filter(|own| UseCase::of(&own.recipe) == Some(use_case));
                    context.display.shown.offset = own.next().map(|own| own.id);
                }
            }
        });
        ui.separator();
    }
}

/// The result of an element, and a line if it is out of date; `None`, and why, if there is none.
fn result<'a, T: Any + Send + Sync>(ui: &mut egui::Ui, document: &'a Document, id: ElementId) -> Option<&'a T> {
    let Some(made) = document.result::<T>(Some(id)) else {
        no_result(ui, document, id);
        return None;
    };
    if document.state(id) != State::Fresh {
        theme::weak(ui, text!("offset-stale"));
    }
    Some(made)
}

/// Leads through passes, of which `last` is the last, from 0.
fn pass_player(ui: &mut egui::Ui, shown: &mut usize, last: usize) {
    let mut pass = (*shown).min(last);
    ui.horizontal(|ui| {
        ui.label(text!("offset-pass-of", number = pass + 1, count = last + 1));
        if ui.add_enabled(pass > 0, egui::Button::new(text!("offset-previous"))).clicked() {
            pass -= 1;
        }
        if ui.add_enabled(pass < last, egui::Button::new(text!("offset-next"))).clicked() {
            pass += 1;
        }
    });
    theme::wide_slider(ui, &text!("offset-pass"), &mut pass, 0..=last);
    *shown = pass;
}

/// What a result depends on.
fn doubts(ui: &mut egui::Ui, notes: &[String]) {
    for note in notes {
        ui.colored_label(ui.visuals().warn_fg_color, texts::word(note).into_owned());
    }
}
