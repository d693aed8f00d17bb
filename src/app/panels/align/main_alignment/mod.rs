//! Main alignments: reference points picked on the nominal, datum systems, and best fits on faces and within tolerance.

mod draft;

use super::super::{PanelContext, element_choice, named};
use super::{Picking, freedoms_in_words};
use crate::lengths::{length_text, signed_length, symbol, with_unit};
use crate::number_field::NumberField;
use crate::theme;
use dispatch::{Align, Inspect};
use draft::Kind;
pub(crate) use draft::MainAlignmentDraft;
use inspect::features::measured::MeasuredFeature;
use inspect::main_alignment::reference_points::Direction;
use inspect::main_alignment::{DatumAssociation, Main, ReferencePoint, ReferenceResult};
use inspect::tolerances::common::joined;
use inspect::tolerances::recipe::DatumElements;
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Draws it.
pub(super) fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    context.display.main_alignment.follow(document);
    theme::heading(ui, text!("align-main"));
    let all = document.alignments();
    if all.is_empty() {
        theme::weak(ui, text!("align-main-before"));
        return;
    }
    shown_alignment(ui, context, &all);
    ui.horizontal_wrapped(|ui| {
        let kind = &mut context.display.main_alignment.kind;
        theme::pick(ui, kind, Kind::References, text!("align-references"))
            .on_hover_text(text!("align-references-hint"));
        theme::pick(ui, kind, Kind::Datums, text!("align-datums")).on_hover_text(text!("align-datums-hint"));
        theme::pick(ui, kind, Kind::Faces, text!("align-faces")).on_hover_text(text!("align-faces-hint"));
        theme::pick(ui, kind, Kind::Tolerance, text!("align-tolerance")).on_hover_text(text!("align-tolerance-hint"));
    });
    match context.display.main_alignment.kind {
        Kind::References => references(ui, context),
        Kind::Datums => datums(ui, context),
        Kind::Faces => faces(ui, context),
        Kind::Tolerance => {
            let tolerance = context.document().settings.deviation.tolerance;
            let [low, high] = [tolerance.low_mm, tolerance.high_mm].map(|mm| signed_length(mm, 3));
            theme::weak(ui, text!("align-tolerance-limits", low = low, high = with_unit(high)));
        }
    }
    buttons(ui, context);
}

/// Choice among the alignments of the plan.
fn shown_alignment(ui: &mut egui::Ui, context: &mut PanelContext<'_>, all: &[ElementId]) {
    let document = context.document();
    if all.len() < 2 {
        return;
    }
    let chosen = element_choice(ui, &text!("align-main-shown"), document, all, document.active.alignment);
    if let Some(id) = chosen.filter(|_| !context.is_busy) {
        context.send(Inspect::Show(id));
    }
}

fn references(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let is_picking = matches!(context.display.picking, Some(Picking::ReferencePoint));
    ui.horizontal(|ui| {
        let is_ready = context.document().nominal().is_some();
        let label = if is_picking { text!("align-stop-picking") } else { text!("align-pick-points") };
        if ui.add_enabled(is_ready, egui::Button::new(label)).clicked() {
            context.display.picking = (!is_picking).then_some(Picking::ReferencePoint);
        }
        if is_picking {
            ui.colored_label(theme::ACCENT, text!("align-click-points"));
        }
    });
    let measured = measured(context);
    let document = context.document();
    let centres = centres(document);
    let draft = &mut context.display.main_alignment;
    let mut removed = None;
    egui::Grid::new("reference points").num_columns(5).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
        if !draft.references.points.is_empty() {
            let headings = [
                text!("align-reference-point"),
                text!("align-reference-along"),
                text!("align-reference-before", unit = symbol()),
                text!("align-reference-left", unit = symbol()),
                String::new(),
            ];
            for heading in headings {
                ui.weak(heading);
            }
            ui.end_row();
        }
        for (i, own) in draft.references.points.iter_mut().enumerate() {
            let [x, y, z] = [own.point.x, own.point.y, own.point.z].map(|mm| length_text(mm, 3));
            let field = ui.add(egui::TextEdit::singleline(&mut own.name).desired_width(44.0));
            let field = field.on_hover_text(text!("align-reference-at", x = x, y = y, z = with_unit(z)));
            named(&field, &text!("align-reference-name", number = i + 1));
            if centres.is_empty() && own.centre_of.is_none() {
                directions(ui, own, i + 1);
            } else {
                ui.horizontal(|ui| {
                    directions(ui, own, i + 1);
                    centre_choice(ui, own, i + 1, (document, &centres));
                });
            }
            // One line for each direction.
            let lines = |value: fn(&ReferenceResult) -> f64| {
                let of = |direction: Direction| {
                    let found = measured.iter().find(|found| found.name == own.name && found.direction == direction);
                    found.map_or_else(|| "–".to_owned(), |found| signed_length(value(found), 3))
                };
                own.directions().map(of).collect::<Vec<_>>().join("\n")
            };
            ui.label(lines(|found| found.before_mm));
            ui.label(lines(|found| found.deviation_mm));
            let button = ui.small_button("×").on_hover_text(text!("align-reference-remove-hint"));
            named(&button, &text!("align-reference-remove", number = i + 1));
            if button.clicked() {
                removed = Some(i);
            }
            ui.end_row();
        }
    });
    if let Some(i) = removed {
        draft.references.points.remove(i);
    }
    if draft.references.points.is_empty() {
        theme::weak(ui, text!("align-references-none"));
    } else {
        ui.horizontal(|ui| {
            let label = ui.label(text!("align-references-radius"));
            let hint = text!("align-references-radius-hint");
            let field = NumberField::new(&mut draft.references.radius_mm).speed(0.05).range(1e-3..=1e3).max_decimals(3);
            ui.add(field.unit("mm")).labelled_by(label.id).on_hover_text(hint);
        });
        freedoms(ui, context);
    }
}

/// A box for each direction in which a point can be held; the only one held stays.
fn directions(ui: &mut egui::Ui, own: &mut ReferencePoint, number: usize) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for direction in [Direction::X, Direction::Y, Direction::Z, Direction::Normal] {
            // A centre has no normal.
            if direction == Direction::Normal && own.centre_of.is_some() {
                continue;
            }
            let mut is_held = own.directions().any(|held| held == direction);
            let is_only = is_held && own.also.is_empty();
            let name = texts::word(direction.name());
            let label = text!("align-reference-held", direction = &*name, number = number);
            let shown = ui.add_enabled(!is_only, egui::Checkbox::new(&mut is_held, &*name));
            let shown = shown.on_hover_text(text!("align-reference-held-hint"));
            named(&shown, &label);
            if shown.changed() {
                own.hold(direction, is_held);
            }
        }
    });
}

/// The measured features that have a centre, with their names.
fn centres(document: &Document) -> Vec<(ElementId, String)> {
    let has_centre =
        |id: ElementId| document.result::<MeasuredFeature>(Some(id)).is_some_and(|own| own.centre().is_some());
    let features = document.plan.elements().iter().filter(|own| own.recipe.is_feature());
    features.filter(|own| has_centre(own.id)).map(|own| (own.id, own.name.clone())).collect()
}

/// Whether a point lies on the surface, or is the centre of a hole or slot.
fn centre_choice(
    ui: &mut egui::Ui,
    own: &mut ReferencePoint,
    number: usize,
    (document, centres): (&Document, &[(ElementId, String)]),
) {
    let surface = text!("align-reference-surface");
    let shown = own.centre_of.map_or_else(|| surface.clone(), |id| document.plan.name(id));
    let mut chosen = own.centre_of;
    let combo = egui::ComboBox::from_id_salt(("centre", number)).selected_text(shown).width(80.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen, None, surface.as_str());
        for (id, name) in centres {
            ui.selectable_value(&mut chosen, Some(*id), name.as_str());
        }
    });
    let response = combo.response.on_hover_text(text!("align-reference-centre-hint"));
    named(&response, &text!("align-reference-centre", number = number));
    if chosen != own.centre_of {
        own.set_centre(chosen, chosen.and_then(|id| document.nominal_of(&document.plan.name(id))));
    }
}

/// Deviations at the reference points before and after the shown alignment.
fn measured(context: &PanelContext<'_>) -> Vec<ReferenceResult> {
    let document = context.document();
    let is_fresh = document.active.alignment.is_some_and(|id| document.state(id) == State::Fresh);
    match document.alignment().filter(|_| is_fresh).and_then(|own| own.main.as_ref()) {
        Some(Main::ReferencePoints { points, .. }) => points.clone(),
        _ => Vec::new(),
    }
}

/// The counter of degrees of freedom.
fn freedoms(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    match context.display.main_alignment.update_freedoms(document) {
        Ok(open) if open.is_empty() => {
            ui.label(text!("align-freedoms-held"));
        }
        Ok(open) => {
            let words = text!("align-freedoms-open", held = 6 - open.len(), motions = freedoms_in_words(open));
            ui.colored_label(ui.visuals().warn_fg_color, words);
        }
        Err(sentence) => {
            ui.colored_label(ui.visuals().error_fg_color, texts::word(sentence));
        }
    }
}

fn datums(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let choices = datum_choices(document);
    if choices.is_empty() {
        theme::weak(ui, text!("align-datums-none"));
        return;
    }
    let draft = &mut context.display.main_alignment;
    let names = [text!("align-datum-primary"), text!("align-datum-secondary"), text!("align-datum-tertiary")];
    egui::Grid::new("datums").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
        for (datum, name) in draft.datums.iter_mut().zip(&names) {
            let label = ui.label(name);
            let exists = |own: &&DatumElements<ElementId>| own.all().iter().all(|id| document.plan.get(*id).is_some());
            let text = datum.as_ref().filter(exists).map_or_else(|| "–".to_owned(), |own| datum_name(own, document));
            let combo = egui::ComboBox::from_id_salt(name).selected_text(text).width(170.0).truncate();
            let combo = combo.show_ui(ui, |ui| {
                ui.selectable_value(datum, None, "–");
                for (own, name) in &choices {
                    ui.selectable_value(datum, Some(own.clone()), name.as_str());
                }
            });
            combo.response.labelled_by(label.id);
            ui.end_row();
        }
        ui.label(text!("align-associated"));
        ui.horizontal_wrapped(|ui| {
            let own = &mut draft.association;
            theme::pick(ui, own, DatumAssociation::Contacting, text!("align-contacting"))
                .on_hover_text(text!("align-contacting-hint"));
            theme::pick(ui, own, DatumAssociation::ContactingExtreme, text!("align-contacting-extreme"))
                .on_hover_text(text!("align-contacting-extreme-hint"));
            theme::pick(ui, own, DatumAssociation::Fitted, text!("align-as-fitted"))
                .on_hover_text(text!("align-as-fitted-hint"));
        });
        ui.end_row();
    });
}

/// The datums of the plan, the common datums that they can form, and the features, with their names.
fn datum_choices(document: &Document) -> Vec<(DatumElements<ElementId>, String)> {
    let elements = document.plan.elements();
    let letters: Vec<(&str, ElementId)> = elements
        .iter()
        .filter_map(
            |own| if let Recipe::Datum(datum) = &own.recipe { Some((datum.letter.as_str(), own.id)) } else { None },
        )
        .collect();
    let datum_of = |letter: &String| letters.iter().find(|(own, _)| own == letter).map(|(_, id)| *id);
    let common = document.common_datums(&document.asked().datums).into_iter().filter_map(|all| {
        let members: Option<Vec<ElementId>> = all.iter().map(datum_of).collect();
        Some(DatumElements::of(members?))
    });
    let single = |of_datums: bool| {
        let is_of =
            move |recipe: &Recipe| if of_datums { matches!(recipe, Recipe::Datum(_)) } else { recipe.is_feature() };
        elements.iter().filter(move |own| is_of(&own.recipe)).map(|own| DatumElements::Single(own.id))
    };
    let all = single(true).chain(common).chain(single(false));
    all.map(|own| (own.clone(), datum_name(&own, document))).collect()
}

/// The name of a datum for display, such as “Datum A”, or “Datum A-B” of a common datum.
fn datum_name(own: &DatumElements<ElementId>, document: &Document) -> String {
    let letter = |id: &ElementId| match document.plan.get(*id).map(|own| &own.recipe) {
        Some(Recipe::Datum(datum)) => datum.letter.clone(),
        _ => document.plan.name(*id),
    };
    match own {
        DatumElements::Single(id) => document.plan.name(*id),
        DatumElements::Common(all) => {
            text!("features-datum", letter = joined(&all.iter().map(letter).collect::<Vec<_>>()))
        }
    }
}

fn faces(ui: &mut egui::Ui, context: &PanelContext<'_>) {
    let (selected, stored) = (context.document().facets.selected.len(), &context.display.main_alignment.faces);
    let words = match (selected, stored) {
        (0, None) => text!("align-faces-none"),
        (0, Some(own)) => text!("align-faces-stored", shown = theme::count(own.facets.len())),
        (count, _) => text!("align-faces-selected", shown = theme::count(count)),
    };
    theme::weak(ui, words);
}

fn buttons(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let is_free = !context.is_busy && document.actual().is_some();
    let draft = &mut context.display.main_alignment;
    let has_other_facets = draft.has_other_facets(document);
    let method = draft.method(document);
    let ready = is_free && (has_other_facets || method.is_some());
    let clicked = match &draft.edited {
        Some((id, before)) => {
            let id = *id;
            let is_changed = has_other_facets || method.is_some_and(|own| own != *before);
            let is_due = is_changed || document.state(id) != State::Fresh;
            let again = theme::wide_main_button(ui, ready && is_due, text!("align-main-again")).clicked();
            let add = ui.add_enabled(ready, egui::Button::new(text!("align-main-add")));
            let adds = add.on_hover_text(text!("align-main-add-hint")).clicked();
            if again { Some(Some(id)) } else { adds.then_some(None) }
        }
        None => theme::wide_main_button(ui, ready, text!("align-to-these")).clicked().then_some(None),
    };
    let Some(changed) = clicked else { return };
    draft.take_facets(document);
    if let Some(method) = draft.method(document) {
        context.display.picking = None;
        context.send(match changed {
            Some(id) => Align::ChangeMain(id, method),
            None => Align::AddMain(method),
        });
    }
}
