//! Own tolerances of the surface comparison: faces whose limits are tighter or wider than those of the part.

use super::super::picks::Pick;
use super::super::{PanelContext, named};
use super::verdict_colour;
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::{Inspect, Select};
use inspect::deviation::{FaceResult, FaceTolerance, Verdict};
use texts::text;

/// What was done to a line of the list.
enum LineAction {
    Select,
    Remove,
}

/// Draws it; returns the command that adds one, to be sent after the settings that were edited before.
pub(super) fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>) -> Option<Inspect> {
    let count = context.settings.deviation.own_tolerances.len();
    let group = egui::CollapsingHeader::new(text!("compare-face-tolerances", count = count));
    let shown = group.id_salt("own tolerances").show(ui, |ui| {
        list(ui, context);
        buttons(ui, context)
    });
    shown.body_returned.flatten()
}

fn list(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let check = context.document().shared_check();
    let results = check.as_ref().map_or(&[][..], |check| &check.own_tolerances);
    let what = check.as_ref().map_or("points", |check| check.parameters.method.measured());
    let mut clicked = None;
    for (index, own) in context.settings.deviation.own_tolerances.iter_mut().enumerate() {
        let result = results.iter().find(|result| result.name == own.name);
        if let Some(action) = line(ui, own, index + 1, (result, what), !context.is_busy) {
            clicked = Some((index, action));
        }
    }
    match clicked {
        Some((index, LineAction::Select)) => context.send(Select::FacesOfOwnTolerance(index)),
        Some((index, LineAction::Remove)) => {
            context.settings.deviation.own_tolerances.remove(index);
        }
        None => {}
    }
}

/// An own tolerance: its name and faces, and below its limits and what they make of the scan, of which `what` was
/// measured.
fn line(
    ui: &mut egui::Ui,
    own: &mut FaceTolerance,
    number: usize,
    (result, what): (Option<&FaceResult>, &str),
    is_free: bool,
) -> Option<LineAction> {
    let mut action = None;
    ui.horizontal(|ui| {
        let field = ui.add(egui::TextEdit::singleline(&mut own.name).desired_width(130.0));
        named(&field, &text!("compare-face-name-of", number = number));
        let facets = egui::Button::new(text!("compare-face-facets", count = own.faces.facets.len()));
        if ui.add_enabled(is_free, facets).on_hover_text(text!("compare-face-facets-hint")).clicked() {
            action = Some(LineAction::Select);
        }
        let remove = ui.add_enabled(is_free, egui::Button::new("×").small());
        let remove = remove.on_hover_text(text!("compare-face-remove-hint"));
        named(&remove, &text!("compare-face-remove", number = number));
        if remove.clicked() {
            action = Some(LineAction::Remove);
        }
    });
    ui.horizontal(|ui| {
        let fields = [
            (&mut own.tolerance.low_mm, text!("compare-face-lower", number = number)),
            (&mut own.tolerance.high_mm, text!("compare-face-upper", number = number)),
        ];
        for (value, name) in fields {
            let field = NumberField::new(value).speed(0.01).range(-1e3..=1e3).max_decimals(4).suffix(" mm");
            named(&ui.add(field), &name);
        }
        if let Some(result) = result {
            let share = match (result.verdict, result.in_tolerance_fraction()) {
                (Verdict::Incomplete, _) => text!("compare-face-not-judged"),
                (_, Some(share)) => format!("{:.1} %", 100.0 * share),
                (verdict, None) => texts::word(verdict.name()).into_owned(),
            };
            let sentence = texts::word(&result.sentence(what)).into_owned();
            ui.colored_label(verdict_colour(result.verdict), share).on_hover_text(sentence);
        }
    });
    action
}

fn buttons(ui: &mut egui::Ui, context: &mut PanelContext<'_>) -> Option<Inspect> {
    let document = context.document();
    let selected = document.facets.selected.len();
    let words = match selected {
        0 => text!("align-faces-none"),
        count => text!("align-faces-selected", shown = theme::count(count)),
    };
    theme::weak(ui, words);
    let is_ready = !context.is_busy && document.nominal().is_some();
    let mut added = None;
    ui.horizontal(|ui| {
        let add = ui.add_enabled(is_ready && selected > 0, egui::Button::new(text!("compare-face-add")));
        if add.on_hover_text(text!("compare-face-add-hint")).clicked() {
            let deviation = &context.settings.deviation;
            let (name, tolerance) = (free_name(&deviation.own_tolerances), deviation.tolerance);
            added = Some(Inspect::AddOwnTolerance { name, tolerance });
        }
        let table = ui.add_enabled(is_ready, egui::Button::new(text!("compare-from-table")));
        if table.on_hover_text(text!("compare-face-table-hint")).clicked() {
            context.ask(Action::Browse(Purpose::Machine(Pick::OwnTolerances)));
        }
    });
    added
}

/// A name that no own tolerance has yet.
fn free_name(taken: &[FaceTolerance]) -> String {
    let name = |number: usize| text!("compare-face-name", number = number);
    (1..).map(name).find(|name| taken.iter().all(|own| own.name != *name)).unwrap_or_default()
}
