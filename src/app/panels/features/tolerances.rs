//! Datums, tolerances and their results, in the Features workspace.

use egui::RichText;

use super::super::steps::{self, Sought, StepState};
use super::super::{PanelContext, named};
use super::constructions::choose;
use super::tolerance_details::{details, exact_element, shape_of};
use crate::lengths::{length_text, with_unit};
use crate::number_field::NumberField;
use crate::{lengths, theme};
use dispatch::{Command, Tolerances};
use geometry::Vector;
use inspect::tolerances::common::joined;
use inspect::tolerances::{Characteristic, Judged, Plan, SizeClass, Tolerance};
use session::Document;
use session::plan::ElementId;
use session::tolerancing::Judgement;
use texts::text;

/// Available datum letters.
const LETTERS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
/// Maximum number of datums of a tolerance.
const MAX_DATUMS: usize = 3;
/// Limit of a new tolerance, mm.
const DEFAULT_LIMIT_MM: f64 = 0.1;

/// State of the section: the tolerances being edited, sent when an edit ends.
#[derive(Clone, Debug, Default)]
pub struct ToleranceSection {
    plan: Plan,
    /// The document's tolerances when the edit began.
    from: Plan,
    /// Path of the list, as typed.
    file: String,
    /// Nesting index of the filter for tolerances of the CAD, mm.
    filter_mm: Option<f64>,
}

impl ToleranceSection {
    /// Draws the section, and leads to the tolerance that is sought.
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, state: &StepState, sought: &mut Sought) {
        theme::heading(ui, text!("features-tolerances"));
        super::pmi::show(ui, context, &mut self.filter_mm);
        let document = context.document();
        let current = document.asked();
        let (names, busy) = (document.element_names(), context.is_busy);
        let draft = &mut *self;
        if draft.from != current {
            (draft.plan, draft.from) = (current.clone(), current);
        }
        if names.is_empty() && draft.plan.tolerances.is_empty() {
            steps::missing(ui, state);
        } else {
            datums(ui, &mut draft.plan, &names);
            let judgement = document.judgement().filter(|_| draft.plan == draft.from);
            list(ui, &mut draft.plan, document, (&names, judgement.as_deref()), sought);
            steps::missing(ui, state);
            if ui.add_enabled(!names.is_empty(), egui::Button::new(text!("features-add-tolerance"))).clicked() {
                draft.plan.tolerances.push(new_tolerance(names.first()));
            }
            let mut are_shown = !context.display.hides_callouts;
            ui.checkbox(&mut are_shown, text!("features-flags")).on_hover_text(text!("features-flags-hint"));
            context.display.hides_callouts = !are_shown;
            let ready = !busy && !draft.plan.tolerances.is_empty();
            if theme::wide_main_button(ui, ready, text!("features-evaluate")).clicked() {
                context.send(Tolerances::Judge);
            }
        }
        file(ui, draft, busy, context);
    }

    /// The command that sends what was edited.
    pub fn edit(&mut self, document: &Document) -> Option<Command> {
        if self.plan == self.from || self.from != document.asked() {
            return None;
        }
        // Sent once: what is undone afterwards, or refused, is not sent again.
        self.from.clone_from(&self.plan);
        Some(Tolerances::Set(Box::new(self.plan.clone())).into())
    }
}

/// A flatness tolerance, which needs no further details.
fn new_tolerance(feature: Option<&String>) -> Tolerance {
    Tolerance {
        name: String::new(),
        feature: feature.cloned().unwrap_or_default(),
        characteristic: Characteristic::Flatness {},
        limit_mm: DEFAULT_LIMIT_MM,
        fit: None,
        datums: Vec::new(),
        maximum_material: None,
        expanded_uncertainty_mm: None,
        filter_mm: None,
        filter_upr: None,
        outlier_sigmas: None,
        min_coverage: None,
    }
}

/// A drop-down list for each datum letter in use, and for the next one.
fn datums(ui: &mut egui::Ui, plan: &mut Plan, names: &[String]) {
    let used = LETTERS.iter().rposition(|letter| plan.datums.contains_key(*letter)).map_or(0, |last| last + 1);
    egui::Grid::new("datum letters").num_columns(2).show(ui, |ui| {
        for letter in LETTERS.iter().take((used + 1).max(MAX_DATUMS)) {
            let title = text!("features-datum", letter = *letter);
            let label = ui.label(&title);
            let mut name = plan.datums.get(*letter).cloned().unwrap_or_default();
            choose(ui, &title, &mut name, names, true).labelled_by(label.id);
            ui.end_row();
            if name.is_empty() {
                plan.datums.remove(*letter);
            } else if plan.datums.get(*letter) != Some(&name) {
                plan.datums.insert((*letter).to_owned(), name);
            }
        }
    });
}

fn list(
    ui: &mut egui::Ui,
    plan: &mut Plan,
    document: &Document,
    (names, judgement): (&[String], Option<&[Judgement]>),
    sought: &mut Sought,
) {
    let common = document.common_datums(&plan.datums);
    let letters: Vec<String> = plan.datums.keys().cloned().chain(common.iter().map(|own| joined(own))).collect();
    let ids: Vec<ElementId> = document.tolerances().map(|(id, _)| id).collect();
    let mut removed = None;
    for (i, tolerance) in plan.tolerances.iter_mut().enumerate() {
        if let Some(id) = ids.get(i) {
            sought.lead_and_reach(ui, *id);
        }
        ui.separator();
        let result = judgement.and_then(|judgement| judgement.get(i));
        let before = (tolerance.characteristic.name(), tolerance.feature.clone());
        ui.horizontal(|ui| {
            characteristic(ui, i, &mut tolerance.characteristic);
            let combo = choose(ui, &format!("toleranced {i}"), &mut tolerance.feature, names, false);
            named(&combo, &text!("features-feature-of", number = i + 1));
            let button = ui.small_button("×").on_hover_text(text!("features-remove-tolerance-hint"));
            named(&button, &text!("features-remove-tolerance", number = i + 1));
            if button.clicked() {
                removed = Some(i);
            }
        });
        if before != (tolerance.characteristic.name(), tolerance.feature.clone()) {
            set_defaults(tolerance, &letters, document);
        }
        limits(ui, i, tolerance, &letters);
        if matches!(tolerance.characteristic, Characteristic::Size { .. }) {
            size_class(ui, i + 1, tolerance, document);
        }
        details(ui, i, tolerance, document);
        match result {
            Some(Ok(result)) => verdict(ui, i, result),
            Some(Err(message)) => {
                ui.colored_label(theme::WARN, texts::word(message).into_owned());
            }
            None => {}
        }
    }
    if let Some(i) = removed {
        plan.tolerances.remove(i);
    }
}

fn characteristic(ui: &mut egui::Ui, i: usize, own: &mut Characteristic) {
    let combo = egui::ComboBox::from_id_salt(("characteristic", i))
        .selected_text(texts::word(own.name()))
        .width(125.0)
        .height(330.0)
        .truncate();
    let shown = combo.show_ui(ui, |ui| {
        for choice in Characteristic::usual() {
            let chosen = choice.name() == own.name();
            if ui.selectable_label(chosen, texts::word(choice.name()).into_owned()).clicked() && !chosen {
                *own = choice;
            }
        }
    });
    named(&shown.response, &text!("features-characteristic-of", number = i + 1));
}

/// Sets the defaults of a newly chosen characteristic or feature: its datum, and no details that it does not take.
fn set_defaults(tolerance: &mut Tolerance, letters: &[String], document: &Document) {
    if !tolerance.characteristic.takes_datums() {
        tolerance.datums.clear();
    } else if tolerance.characteristic.needs_datum() && tolerance.datums.is_empty() {
        tolerance.datums.extend(letters.first().cloned());
    }
    if !matches!(tolerance.characteristic, Characteristic::Size { .. }) {
        tolerance.fit = None;
    }
    let shape = shape_of(&tolerance.feature, document);
    if !shape.is_some_and(|shape| tolerance.takes_undulations(&shape)) {
        tolerance.filter_upr = None;
    }
    if !shape.is_some_and(|shape| tolerance.takes_outliers(&shape)) {
        tolerance.outlier_sigmas = None;
    }
    if let Characteristic::Position { true_place, .. } = &mut tolerance.characteristic {
        let has_nominal = document.nominal_of(&tolerance.feature).is_some();
        let element = document.element(&tolerance.feature).filter(|_| !has_nominal);
        // Without one it is asked for: any would be a guess, and a verdict by it too.
        *true_place = element.zip(*true_place).map(|(element, exact)| {
            exact_element(&element, exact.position(), exact.direction().unwrap_or_else(Vector::z))
        });
    }
}

/// Limits and datums of a tolerance.
fn limits(ui: &mut egui::Ui, i: usize, tolerance: &mut Tolerance, letters: &[String]) {
    let number = i + 1;
    ui.horizontal(|ui| {
        if let Characteristic::Size { lower_mm } = &mut tolerance.characteristic {
            let mut lower = lower_mm.unwrap_or(0.0);
            if limit(ui, &mut lower, &text!("features-lower-limit-of", number = number)) {
                *lower_mm = (lower > 0.0).then_some(lower);
                tolerance.fit = None;
            }
            ui.label(text!("features-limits-to"));
        }
        // Limits of one's own are no longer those of a fit.
        if limit(ui, &mut tolerance.limit_mm, &text!("features-limit-of", number = number)) {
            tolerance.fit = None;
        }
        if !tolerance.characteristic.takes_datums() {
            return;
        }
        // The datums in use, and a field for one more.
        let mut chosen = tolerance.datums.clone();
        chosen.push(String::new());
        chosen.truncate(MAX_DATUMS.max(tolerance.datums.len()));
        for (k, letter) in chosen.iter_mut().enumerate() {
            let combo =
                egui::ComboBox::from_id_salt(("datum of", i, k)).width(if letter.len() > 1 { 48.0 } else { 34.0 });
            let text = if letter.is_empty() { "–" } else { letter.as_str() };
            let shown = combo.selected_text(text.to_owned()).show_ui(ui, |ui| {
                ui.selectable_value(letter, String::new(), text!("features-none"));
                for choice in letters {
                    let shown = ui.selectable_value(letter, choice.clone(), choice.as_str());
                    if choice.contains('-') {
                        shown.on_hover_text(text!("features-common-datum-hint"));
                    }
                }
            });
            named(&shown.response, &text!("features-datum-of", position = k + 1, number = number));
        }
        chosen.retain(|letter| !letter.is_empty());
        if chosen != tolerance.datums {
            tolerance.datums = chosen;
        }
    });
}

/// Tolerance class of a size, which sets its limits, and what it means; or the reason why it cannot be used.
fn size_class(ui: &mut egui::Ui, number: usize, tolerance: &mut Tolerance, document: &Document) {
    let nominal_mm = document.nominal_of(&tolerance.feature).and_then(|nominal| nominal.diameter_mm());
    let mut typed = tolerance.fit.clone().unwrap_or_default();
    let response = ui.horizontal(|ui| {
        ui.label(RichText::new(text!("features-size-class")).weak()).on_hover_text(text!("features-size-class-hint"));
        ui.add(egui::TextEdit::singleline(&mut typed).hint_text("25 H7").desired_width(70.0))
    });
    let response = response.inner;
    named(&response, &text!("features-size-class-of", number = number));
    if response.changed() {
        tolerance.fit = (!typed.trim().is_empty()).then_some(typed);
    }
    let Some(fit) = &tolerance.fit else { return };
    match SizeClass::read(fit, nominal_mm) {
        Ok(class) => {
            let designation = tolerance.fit.clone();
            if response.changed() || response.lost_focus() {
                tolerance.set_size_class(&class);
            }
            // What is being typed stays as it is.
            if response.has_focus() {
                tolerance.fit = designation;
            }
            theme::weak(ui, base::capitalised(&texts::word(&class.words())));
        }
        Err(error) => {
            ui.colored_label(theme::WARN, texts::word(&error.sentence).into_owned());
        }
    }
}

/// Field for a limit, mm; returns whether it changed.
fn limit(ui: &mut egui::Ui, mm: &mut f64, name: &str) -> bool {
    let drag = NumberField::new(mm).speed(0.001).range(0.0..=1e6).max_decimals(4).unit("mm");
    let response = ui.add(drag);
    named(&response, name);
    response.changed()
}

fn verdict(ui: &mut egui::Ui, i: usize, result: &Judged) {
    ui.horizontal(|ui| {
        theme::dot(ui, theme::of_judged(result)).on_hover_text(texts::word(&result.how));
        let label = ui.label(RichText::new(texts::word(result.words())).family(theme::strong_family()));
        let how = match result.uncertainty_mm {
            Some(_) => texts::word(&result.how).into_owned(),
            None => text!("features-how-not-proven", how = texts::word(&result.how).into_owned()),
        };
        label.on_hover_text(&how);
        let (measured, upper) = (result.measured_in(lengths::unit()), with_unit(length_text(result.limit_mm, 4)));
        let text = match result.lower_mm {
            Some(lower) => {
                text!("features-measured-between", measured = measured, lower = length_text(lower, 4), upper = upper)
            }
            None => text!("features-measured-of", measured = measured, upper = upper),
        };
        let figures = ui.add(egui::Label::new(RichText::new(text).weak()).truncate());
        figures.on_hover_text(text!("features-tolerance-how", number = i + 1, how = how));
    });
    for said in [&result.preparation, &result.rejected].into_iter().filter(|own| !own.is_empty()) {
        theme::weak(ui, base::capitalised(&texts::word(said)));
    }
    if !result.incomplete.is_empty() {
        ui.colored_label(theme::WARN, texts::word(&result.incomplete));
    }
    // Several sentences, each of them a fixed one.
    let reading: Vec<_> = result.reading.split_inclusive("). ").map(|own| texts::word(own.trim_end())).collect();
    theme::weak(ui, reading.join(" "));
}

/// Reading and writing of the list of tolerances.
fn file(ui: &mut egui::Ui, draft: &mut ToleranceSection, busy: bool, context: &mut PanelContext<'_>) {
    ui.horizontal(|ui| {
        let label = ui.label(text!("features-list"));
        let edit = egui::TextEdit::singleline(&mut draft.file).hint_text("tolerances.json").desired_width(80.0);
        ui.add(edit).labelled_by(label.id);
        let ready = !busy && !draft.file.trim().is_empty();
        let path = std::path::PathBuf::from(draft.file.trim());
        let hint = text!("features-open-list-hint");
        if ui.add_enabled(ready, egui::Button::new(text!("features-open-list"))).on_hover_text(hint).clicked() {
            context.send(Tolerances::Open(path.clone()));
        }
        let hint = text!("features-save-list-hint");
        if ui.add_enabled(ready, egui::Button::new(text!("features-save-list"))).on_hover_text(hint).clicked() {
            context.send(Tolerances::Save(path));
        }
    });
}
