//! Own tolerances of the surface comparison: faces whose limits are tighter or wider than those of the part.

use std::collections::HashSet;
use std::ops::Range;

use super::super::picks::Pick;
use super::super::{PanelContext, named};
use super::verdict_colour;
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::{Inspect, Select};
use inspect::deviation::{FaceResult, FaceTolerance, Verdict};
use texts::text;

/// Own tolerances beyond which the list scrolls by itself, and only those in sight are made.
const MAX_LINES: usize = 7;
/// Between two lines, points.
const LINE_GAP: f32 = 4.0;

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
    let is_free = !context.is_busy;
    match scrolled(ui, &mut context.settings.deviation.own_tolerances, (results, what), is_free) {
        Some((index, LineAction::Select)) => context.send(Select::FacesOfOwnTolerance(index)),
        Some((index, LineAction::Remove)) => {
            context.settings.deviation.own_tolerances.remove(index);
        }
        None => {}
    }
}

/// The list, which scrolls where it is long; returns what was done to which line.
fn scrolled(
    ui: &mut egui::Ui,
    all: &mut [FaceTolerance],
    results: (&[FaceResult], &str),
    is_free: bool,
) -> Option<(usize, LineAction)> {
    let count = all.len();
    if count <= MAX_LINES {
        return lines(ui, all, 0..count, results, is_free);
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = LINE_GAP;
        let height = 2.0 * ui.spacing().interact_size.y + LINE_GAP;
        let list = egui::ScrollArea::vertical().id_salt("own tolerance lines");
        let list = list.max_height(MAX_LINES as f32 * (height + LINE_GAP));
        list.show_rows(ui, height, count, |ui, shown| lines(ui, all, shown, results, is_free)).inner
    })
    .inner
}

/// Those lines of the list.
fn lines(
    ui: &mut egui::Ui,
    all: &mut [FaceTolerance],
    shown: Range<usize>,
    (results, what): (&[FaceResult], &str),
    is_free: bool,
) -> Option<(usize, LineAction)> {
    let mut clicked = None;
    for (index, own) in all.iter_mut().enumerate().take(shown.end).skip(shown.start) {
        // Results are in the order of the own tolerances unless these have changed since.
        let result = at_or_elsewhere(results, index, |result| result.name == own.name);
        // A field that is typed into stays the same one while the list scrolls.
        let action = ui.push_id(index, |ui| line(ui, own, index + 1, (result, what), is_free)).inner;
        clicked = action.map(|action| (index, action)).or(clicked);
    }
    clicked
}

/// What is meant, most likely at an index; elsewhere only if it is not there.
fn at_or_elsewhere<T>(all: &[T], index: usize, is_meant: impl Fn(&T) -> bool) -> Option<&T> {
    all.get(index).filter(|own| is_meant(own)).or_else(|| all.iter().find(|own| is_meant(own)))
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
            let field = NumberField::new(value).speed(0.01).range(-1e3..=1e3).max_decimals(4).unit("mm");
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
    let taken: HashSet<&str> = taken.iter().map(|own| own.name.as_str()).collect();
    let name = |number: usize| text!("compare-face-name", number = number);
    (1..).map(name).find(|name| !taken.contains(name.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Point, Subset, Surface};
    use inspect::deviation::Tolerance;
    use inspect::parts::{Faces, Nominal};

    fn named_faces(names: impl Iterator<Item = String>) -> Vec<FaceTolerance> {
        let cuboid = shapes::cuboid(Point::origin(), Point::new(3.0, 2.0, 1.0));
        let faces = Faces::of(Subset::new(vec![0, 1]), &Nominal::in_memory("box", Surface::new(cuboid)));
        let tolerance = Tolerance { low_mm: -0.1, high_mm: 0.1 };
        names.map(|name| FaceTolerance { name, faces: faces.clone(), tolerance }).collect()
    }

    /// Number of texts that a frame with the list draws.
    fn texts_of(all: &mut [FaceTolerance]) -> usize {
        fn count(shape: &egui::Shape) -> usize {
            match shape {
                egui::Shape::Text(_) => 1,
                egui::Shape::Vec(all) => all.iter().map(count).sum(),
                _ => 0,
            }
        }
        let context = egui::Context::default();
        let draw = |ui: &mut egui::Ui| {
            scrolled(ui, all, (&[], "points"), true);
        };
        context.run_ui(egui::RawInput::default(), draw).shapes.iter().map(|own| count(&own.shape)).sum()
    }

    #[test]
    fn of_a_long_list_only_the_lines_in_sight_are_drawn() {
        let mut all = named_faces((0..5000).map(|number| format!("Face {number}")));
        let (few, many) = (texts_of(&mut all[..3]), texts_of(&mut all));
        assert!(few >= 9, "name, facets and limits of each: {few}");
        assert!(many > few && many < 8 * few, "{many} texts");
    }

    #[test]
    fn a_result_is_found_by_its_name_where_the_order_has_changed() {
        // Names, and how often each was looked at.
        let results = ["A", "B", "C"].map(|name| (name, std::cell::Cell::new(0)));
        let found = |index: usize, name: &str| {
            let is_meant = |own: &(&str, std::cell::Cell<u32>)| {
                own.1.set(own.1.get() + 1);
                own.0 == name
            };
            at_or_elsewhere(&results, index, is_meant).map(|own| own.0)
        };
        assert_eq!([found(0, "A"), found(1, "B"), found(2, "C")], ["A", "B", "C"].map(Some));
        assert!(results.iter().all(|own| own.1.get() == 1), "those in their order are found at once");
        // The first was removed; another was renamed, and one added.
        assert_eq!([found(0, "B"), found(1, "C"), found(1, "D"), found(9, "E")], [Some("B"), Some("C"), None, None]);
    }

    #[test]
    fn a_free_name_is_the_first_that_nothing_has() {
        let taken = named_faces(["Face 2", "Face 1", "Face 4"].map(str::to_owned).into_iter());
        assert_eq!(free_name(&taken), "Face 3");
    }
}
