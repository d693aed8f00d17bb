//! Colours of deviations: the choice of a scale, and the operator's own one being edited.

use egui::Ui;

use super::super::{PanelContext, named};
use crate::choosing::Purpose;
use crate::lengths::symbol;
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::{Command, Present};
use inspect::deviation::own_scale::{BoundaryUnit, MAX_STOPS, MIN_STOPS, OwnScale};
use inspect::deviation::{Colours, Tolerance};
use session::Document;
use texts::text;

/// Largest boundary that is dragged or typed, mm or shares of the tolerance.
const MAX_BOUNDARY: f64 = 1e6;

/// The colours as they are edited; sent when an edit ends.
#[derive(Default)]
pub struct ColoursPart {
    built_in: Colours,
    own: Option<OwnScale>,
    /// What the document had when the edit began.
    begun_from: Option<(Colours, Option<OwnScale>)>,
}

/// What a row of the list of colours asks for.
enum RowAction {
    AddAfter(usize),
    Remove(usize),
}

impl ColoursPart {
    /// The own colours being edited, if they are valid and of this document.
    pub fn edited(&self, document: &Document) -> Option<&OwnScale> {
        let begun_from = self.begun_from.as_ref().filter(|begun_from| **begun_from == colours_of(document));
        begun_from.and(self.own.as_ref()).filter(|own| own.check().is_ok())
    }

    /// Draws the drop-down list of colours, two cells of a grid.
    pub fn choice(&mut self, ui: &mut Ui, document: &Document, saved: &[OwnScale]) {
        let now = colours_of(document);
        if self.begun_from.as_ref() != Some(&now) {
            (self.built_in, self.own) = now.clone();
            self.begun_from = Some(now);
        }
        let label = ui.label(text!("compare-colours"));
        let selected = match &self.own {
            Some(own) => own.name.clone(),
            None => texts::word(self.built_in.name()).into_owned(),
        };
        let list = egui::ComboBox::from_id_salt("colours").selected_text(selected).show_ui(ui, |ui| {
            for colours in Colours::ALL {
                let is_chosen = self.own.is_none() && self.built_in == colours;
                if ui.selectable_label(is_chosen, texts::word(colours.name()).into_owned()).clicked() {
                    (self.built_in, self.own) = (colours, None);
                }
            }
            ui.separator();
            for scale in saved {
                if ui.selectable_label(self.own.as_ref() == Some(scale), scale.name.as_str()).clicked() {
                    self.own = Some(scale.clone());
                }
            }
            if self.own.is_none() && ui.selectable_label(false, text!("compare-colours-colours")).clicked() {
                self.own = Some(begun(document, &text!("compare-colours-name")));
            }
        });
        list.response.labelled_by(label.id);
        ui.end_row();
    }

    /// Draws the own colours, if there are any.
    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let tolerance = context.document().settings.deviation.tolerance;
        if let Some(own) = &mut self.own {
            scale(ui, own, &tolerance);
            buttons(ui, own, context);
        }
        if let Some(Err(error)) = self.own.as_ref().map(OwnScale::check) {
            ui.colored_label(ui.visuals().error_fg_color, texts::word(&error.sentence).into_owned());
        }
    }

    /// The command that sends what was edited, if it is valid.
    pub fn edit(&mut self, document: &Document) -> Option<Command> {
        let now = colours_of(document);
        let edited = (self.built_in, self.own.clone());
        let is_valid = edited.1.as_ref().is_none_or(|own| own.check().is_ok());
        if !is_valid || edited == now || self.begun_from.as_ref() != Some(&now) {
            return None;
        }
        // Sent once: what is undone afterwards is not sent again.
        self.begun_from = Some(edited.clone());
        Some(Present::SetColours(edited.0, edited.1).into())
    }
}

/// The colours of a document.
fn colours_of(document: &Document) -> (Colours, Option<OwnScale>) {
    (document.settings.colours, document.plan.presentation.colours.clone())
}

/// The built-in colours of a document as own ones.
fn begun(document: &Document, name: &str) -> OwnScale {
    report::built_in_scale(document.settings.deviation.tolerance, document).as_own(name)
}

/// Name, kind, and colours from the highest boundary down.
fn scale(ui: &mut Ui, own: &mut OwnScale, tolerance: &Tolerance) {
    egui::Grid::new("own colours").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
        let label = ui.label(text!("common-name"));
        ui.add(egui::TextEdit::singleline(&mut own.name).desired_width(150.0)).labelled_by(label.id);
        ui.end_row();
        let mut unit = own.unit;
        theme::labelled_choice(ui, &text!("compare-colours-boundaries"), &mut unit, &BoundaryUnit::ALL, |unit| {
            match unit {
                BoundaryUnit::Mm => symbol().to_owned(),
                BoundaryUnit::Tolerance => text!("compare-colours-shares"),
            }
        });
        ui.end_row();
        if unit != own.unit {
            *own = own.clone().stated_in(unit, tolerance);
        }
    });
    ui.checkbox(&mut own.is_stepped, text!("compare-colours-stepped"))
        .on_hover_text(text!("compare-colours-stepped-hint"));
    let mut action = None;
    for index in (0..own.stops.len()).rev() {
        ui.horizontal(|ui| action = row(ui, own, index).or(action.take()));
    }
    match action {
        Some(RowAction::AddAfter(index)) => own.add_after(index),
        Some(RowAction::Remove(index)) => own.remove(index),
        None => {}
    }
}

/// A colour with its boundary, and what its buttons ask for.
fn row(ui: &mut Ui, own: &mut OwnScale, index: usize) -> Option<RowAction> {
    let (number, count, is_stepped) = (index + 1, own.stops.len(), own.is_stepped);
    let unit = if own.unit == BoundaryUnit::Mm { "mm" } else { "" };
    let below = index.checked_sub(1).and_then(|below| own.stops.get(below)).map(|stop| stop.at);
    let above = own.stops.get(number).map(|stop| stop.at);
    let stop = own.stops.get_mut(index)?;
    let mut colour = stop.colour;
    let button = ui.color_edit_button_srgb(&mut colour);
    named(&button, &text!("compare-colours-colour", number = number));
    // Colours that were not changed must not be rounded.
    if button.changed() {
        stop.colour = colour;
    }
    if is_stepped && index == 0 {
        theme::weak(ui, text!("compare-colours-below"));
    } else {
        // Boundaries of a file may lie beyond what can be typed.
        let low = below.unwrap_or(stop.at.min(-MAX_BOUNDARY));
        let high = above.unwrap_or(stop.at.max(MAX_BOUNDARY));
        let field = NumberField::new(&mut stop.at).speed(0.01).range(low..=high).max_decimals(4).unit(unit);
        named(&ui.add(field), &text!("compare-colours-boundary", number = number));
    }
    let mut action = None;
    let add = ui.add_enabled(count < MAX_STOPS, egui::Button::new("+").small());
    named(&add, &text!("compare-colours-add", number = number));
    if add.on_hover_text(text!("compare-colours-add-hint")).clicked() {
        action = Some(RowAction::AddAfter(index));
    }
    let remove = ui.add_enabled(count > MIN_STOPS, egui::Button::new("×").small());
    named(&remove, &text!("compare-colours-remove", number = number));
    if remove.on_hover_text(text!("compare-colours-remove-hint")).clicked() {
        action = Some(RowAction::Remove(index));
    }
    action
}

/// What is done with the whole scale.
fn buttons(ui: &mut Ui, own: &mut OwnScale, context: &mut PanelContext<'_>) {
    ui.horizontal_wrapped(|ui| {
        if ui.button(text!("compare-colours-reset")).on_hover_text(text!("compare-colours-reset-hint")).clicked() {
            *own = begun(context.document(), &own.name);
        }
        if context.saved_scales.contains(own) {
            if ui.button(text!("compare-colours-forget")).on_hover_text(text!("compare-colours-forget-hint")).clicked()
            {
                context.ask(Action::ForgetColours(own.name.clone()));
            }
        } else {
            let keep = ui.add_enabled(own.check().is_ok(), egui::Button::new(text!("compare-colours-keep")));
            if keep.on_hover_text(text!("compare-colours-keep-hint")).clicked() {
                context.ask(Action::KeepColours(own.clone()));
            }
        }
        if ui.button(text!("compare-colours-save")).clicked() {
            context.ask(Action::Browse(Purpose::SaveColours));
        }
        if ui.button(text!("compare-colours-load")).clicked() {
            context.ask(Action::Browse(Purpose::LoadColours));
        }
    });
}
