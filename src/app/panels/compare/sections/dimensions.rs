//! Dimensions of a section.

use super::super::super::{PanelContext, named};
use super::super::verdict_colour;
use super::SectionsPart;
use crate::lengths::unit;
use crate::number_field::NumberField;
use crate::theme;
use base::LengthUnit;
use dispatch::{Command, Sections};
use inspect::deviation::Tolerance;
use inspect::section::dimension::{Dimension, DimensionKind};
use inspect::section::{Parameters, Section};
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

impl SectionsPart {
    /// The dimensions of a section, and the buttons that make others by clicks in its drawing.
    pub(super) fn dimensions(
        &mut self,
        ui: &mut egui::Ui,
        context: &mut PanelContext<'_>,
        (id, section): (ElementId, &Section),
    ) {
        theme::heading(ui, text!("compare-dimensions"));
        let ready = !context.is_busy && context.document().state(id) == State::Fresh;
        let display = &mut context.display.section;
        ui.add_enabled_ui(ready, |ui| {
            ui.horizontal_wrapped(|ui| {
                // How flush the sides of a gap are comes with it.
                for kind in DimensionKind::ALL.into_iter().filter(|own| *own != DimensionKind::Flush) {
                    let is_on = display.measuring == Some(kind);
                    if theme::chip(ui, is_on, texts::word(kind.name())).on_hover_text(hint_of(kind)).clicked() {
                        (display.measuring, display.first_pick) = ((!is_on).then_some(kind), None);
                    }
                }
            });
        });
        if let Some(kind) = display.measuring {
            let text = match (kind.picks(), display.first_pick) {
                (1, _) => text!("compare-click-arc"),
                _ if kind == DimensionKind::Gap && display.first_pick.is_none() => text!("compare-click-reference"),
                _ if kind == DimensionKind::Gap => text!("compare-click-other-side"),
                (_, None) => text!("compare-click-first"),
                (_, Some(_)) => text!("compare-click-second"),
            };
            ui.colored_label(theme::ACCENT, text);
        }
        let mut parameters = section.parameters.clone();
        for (number, own) in section.dimensions.iter().enumerate() {
            let name = format!("{} {}", texts::word(own.dimension.kind.name()), number + 1);
            ui.horizontal(|ui| {
                theme::dot(ui, own.verdict().map_or(theme::FEATURE, verdict_colour));
                ui.label(egui::RichText::new(&name).family(theme::strong_family()));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let response = ui.add_enabled(ready, egui::Button::new(text!("common-remove")).small());
                    named(&response, &text!("compare-remove-of", name = name.as_str()));
                    if response.clicked() {
                        parameters.dimensions.remove(number);
                    }
                });
            });
            let is_converted = unit() != LengthUnit::Mm && own.dimension.kind != DimensionKind::Angle;
            if let Some(value) = own.value_in(unit()).filter(|_| is_converted) {
                // The sentence below is in millimetres.
                ui.label(value);
            }
            theme::weak(ui, base::capitalised(&texts::word(&own.words())));
            let Some(asked) = self.parameters.dimensions.get_mut(number) else { continue };
            extent(ui, ready, asked, &name);
            ui.horizontal(|ui| {
                let mut is_judged = asked.tolerance.is_some();
                let response = ui.add_enabled(ready, egui::Checkbox::new(&mut is_judged, text!("compare-limits")));
                named(&response, &text!("compare-limits-of", name = name.as_str()));
                if response.changed() {
                    asked.tolerance = is_judged.then(Tolerance::default);
                }
                let Some(tolerance) = &mut asked.tolerance else { return };
                let ends = [
                    (text!("compare-lower-limit-of", name = name.as_str()), &mut tolerance.low_mm),
                    (text!("compare-upper-limit-of", name = name.as_str()), &mut tolerance.high_mm),
                ];
                for (end, value) in ends {
                    let unit = format!(" {}", asked.kind.unit());
                    let field = NumberField::new(value).speed(0.01).range(-1e3..=1e3).max_decimals(4);
                    named(&ui.add(field.unit(&unit)), &end);
                }
            });
        }
        if parameters != section.parameters && parameters.check().is_ok() {
            context.send(Sections::Change(id, parameters));
        }
    }
}

impl SectionsPart {
    /// The command that sends the dimensions that were edited: limits are judged when they have been entered, whatever
    /// else of the section is being edited.
    pub fn dimensions_edit(&mut self, document: &Document) -> Option<Command> {
        let (id, taken_from) = self.edited.as_mut()?;
        let is_current = matches!(
            document.plan.get(*id).map(|own| &own.recipe),
            Some(Recipe::Section(own)) if **own == *taken_from
        );
        let section = document.result::<Section>(Some(*id)).filter(|_| document.state(*id) == State::Fresh)?;
        let asked = &self.parameters.dimensions;
        if !is_current || *asked == section.parameters.dimensions {
            return None;
        }
        let parameters = Parameters { dimensions: asked.clone(), ..section.parameters.clone() };
        parameters.check().ok()?;
        // Sent once: what is undone afterwards is not sent again.
        taken_from.parameters.dimensions.clone_from(asked);
        Some(Sections::Change(*id, parameters).into())
    }
}

/// The depth of a gap, or the length of a flush.
fn extent(ui: &mut egui::Ui, ready: bool, asked: &mut Dimension, name: &str) {
    let (label, of_name) = match asked.kind {
        DimensionKind::Gap => (text!("compare-gap-depth"), text!("compare-gap-depth-of", name = name)),
        DimensionKind::Flush => (text!("compare-flush-length"), text!("compare-flush-length-of", name = name)),
        _ => return,
    };
    ui.horizontal(|ui| {
        ui.label(label);
        let mut extent_mm = asked.extent_mm();
        let field = NumberField::new(&mut extent_mm).speed(0.05).range(1e-3..=1e3).max_decimals(3);
        let response = ui.add_enabled(ready, field.unit("mm"));
        named(&response, &of_name);
        if response.changed() {
            asked.extent_mm = Some(extent_mm);
        }
    });
}

fn hint_of(kind: DimensionKind) -> String {
    match kind {
        DimensionKind::Distance => text!("compare-distance-hint"),
        DimensionKind::Step => text!("compare-step-hint"),
        DimensionKind::Angle => text!("compare-angle-hint"),
        DimensionKind::Radius => text!("compare-radius-hint"),
        DimensionKind::Gap | DimensionKind::Flush => text!("compare-gap-hint"),
    }
}
