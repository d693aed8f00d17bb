//! Detect workspace: where the nominal lies in a scan of many things, without a start.

use super::picks::Pick;
use super::{PanelContext, no_result, rows};
use crate::choosing::Purpose;
use crate::lengths::{length_text, position_text, with_unit};
use crate::theme;
use crate::viewport::{ACTUAL_COLOUR, SELECTED_COLOUR, part_group};
use dispatch::Detect;
use geometry::Point;
use inspect::detection::{Detection, DetectionRecipe, Found, Parameters, Placed};
use render::{BACKGROUND_COLOUR, GROUP_COLOURS};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Panel of the workspace.
#[derive(Default)]
pub struct DetectPanel {
    /// Parameters being edited.
    parameters: Parameters,
    /// The detection that they were taken from, and its recipe then.
    edited: Option<(ElementId, DetectionRecipe)>,
    /// Whether parts are looked for first where they were found last.
    tracks: bool,
    /// The nominal found last, and where.
    last: Option<(ElementId, Vec<Placed>)>,
}

impl DetectPanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.follow(context);
        let document = context.document();
        let is_loaded = document.nominal().is_some() && document.actual().is_some();
        theme::weak(
            ui,
            match is_loaded {
                true => text!("detect-about"),
                false => text!("detect-load-first"),
            },
        );
        let ready = is_loaded && !context.is_busy;
        let shown = self.edited.as_ref().map(|(id, _)| *id);
        let is_due = self.edited.as_ref().is_none_or(|(id, made_with)| {
            made_with.parameters != self.parameters || document.state(*id) != State::Fresh
        });
        let label = if shown.is_some() { text!("detect-find-again") } else { text!("detect-find") };
        if theme::wide_main_button(ui, ready && is_due, label).clicked() {
            context.display.shown.detection = 0;
            let nominal = context.document().active.nominal;
            let last = self.last.clone().filter(|(own, _)| self.tracks && Some(*own) == nominal);
            context.send(match last {
                Some((_, last)) => Detect::Track(self.parameters.clone(), last),
                None => Detect::Find(self.parameters.clone()),
            });
        }
        self.options(ui);
        if let Some(id) = shown {
            result(ui, context, id);
        }
    }

    /// Takes the parameters of the detection in the plan.
    fn follow(&mut self, context: &PanelContext<'_>) {
        let first = context.document().plan.elements().iter().find_map(|own| match &own.recipe {
            Recipe::Detection(recipe) => Some((own.id, DetectionRecipe::clone(recipe))),
            _ => None,
        });
        if self.edited != first {
            if let Some((_, recipe)) = &first {
                self.parameters = recipe.parameters.clone();
            }
            self.edited = first;
        }
        // Kept here: another scan has no result yet, and its own recipe says what it was begun with.
        if let Some((id, recipe)) = &self.edited
            && let Some(found) = context.document().result::<Found>(Some(*id))
            && context.document().state(*id) == State::Fresh
        {
            let last = found.detections.iter().map(Detection::placed).collect();
            self.last = Some((recipe.nominal, last));
        }
    }

    fn options(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new(text!("detect-options")).show(ui, |ui| {
            let Parameters { min_score, min_agreement, max_of_each, .. } = &mut self.parameters;
            for (name, hint, value) in [
                (text!("detect-least-score"), text!("detect-least-score-hint"), min_score),
                (text!("detect-least-agreement"), text!("detect-least-agreement-hint"), min_agreement),
            ] {
                ui.horizontal(|ui| {
                    let label = ui.label(name).on_hover_text(hint);
                    let field =
                        crate::number_field::NumberField::new(value).speed(0.01).range(0.0..=1.0).max_decimals(2);
                    ui.add(field).labelled_by(label.id);
                });
            }
            let mut is_single = *max_of_each == Some(1);
            if ui.checkbox(&mut is_single, text!("detect-only-one")).changed() {
                *max_of_each = is_single.then_some(1);
            }
            ui.checkbox(&mut self.tracks, text!("detect-track")).on_hover_text(text!("detect-track-hint"));
        });
    }
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    theme::heading(ui, document.plan.name(id));
    let Some(found) = document.result::<Found>(Some(id)) else { return no_result(ui, document, id) };
    if document.state(id) != State::Fresh {
        theme::weak(ui, text!("detect-stale"));
    }
    let is_ready = !context.is_busy && document.state(id) == State::Fresh;
    match found.rejection() {
        Some(rejection) => {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&rejection));
        }
        None => {
            let explained = format!("{:.0}", 100.0 * found.explained);
            theme::weak(ui, text!("detect-explained", percent = explained))
                .on_hover_text(format!("{:.2} s", found.total_ms / 1e3));
        }
    }
    if let Some(about) = found.about_sensor() {
        theme::weak(ui, texts::word(about));
    }
    if let (Some(limit), Some(about)) = (found.detection_limit, found.about_differences()) {
        let width = with_unit(length_text(limit.width_mm, 1));
        let deviation = with_unit(length_text(limit.deviation_mm, 2));
        theme::weak(ui, text!("detect-noticeable", width = width, deviation = deviation))
            .on_hover_text(texts::word(&about));
    }
    explanations(ui, &mut context.display.shown.explanations, found);
    let count = found.detections.len();
    let are_coloured = context.display.shown.explanations;
    let chosen = &mut context.display.shown.detection;
    *chosen = (*chosen).min((count + found.possible.len()).saturating_sub(1));
    let mut list = |ui: &mut egui::Ui, name_of: fn(usize) -> String, first: usize, all: &[Detection]| {
        for (index, own) in all.iter().enumerate() {
            let seen = format!("{:.0}", 100.0 * own.terms.visible_fraction());
            let (name, score) = (name_of(index + 1), format!("{:.2}", own.score));
            let line = match (own.is_accepted, own.is_in_doubt()) {
                (true, _) => text!("detect-line-accepted", name = name, score = score, percent = seen),
                (false, false) => text!("detect-line", name = name, score = score, percent = seen),
                (false, true) => text!("detect-line-in-doubt", name = name, score = score, percent = seen),
            };
            ui.horizontal(|ui| {
                if are_coloured && first == 0 {
                    let of_part = GROUP_COLOURS[usize::from(part_group(index))];
                    theme::dot(ui, theme::colour(if *chosen == index { SELECTED_COLOUR } else { of_part }));
                }
                if theme::chip(ui, *chosen == first + index, line).clicked() {
                    *chosen = first + index;
                }
            });
        }
    };
    list(ui, |number| text!("detect-part", number = number), 0, &found.detections);
    if !found.possible.is_empty() {
        theme::heading(ui, text!("detect-possible"));
        list(ui, |number| text!("detect-candidate", number = number), count, &found.possible);
    }
    let chosen = *chosen;
    said_before(ui, context, id, is_ready);
    if let Some(own) = found.detections.get(chosen) {
        let button = theme::wide_main_button(ui, is_ready, text!("detect-use"));
        if button.on_hover_text(text!("detect-use-hint")).clicked() {
            context.send(Detect::Use(id, chosen));
            context.ask(crate::Action::Show(crate::Workspace::Compare));
        }
        if count > 1 {
            let button = egui::Button::new(text!("detect-measure-all", count = count));
            if ui.add_enabled(is_ready, button).on_hover_text(text!("detect-measure-all-hint")).clicked() {
                context.ask(crate::Action::Browse(Purpose::Machine(Pick::FoundParts(id))));
            }
        }
        let button = egui::Button::new(text!("detect-refuse"));
        if ui.add_enabled(is_ready, button).on_hover_text(text!("detect-refuse-hint")).clicked() {
            context.send(Detect::Refuse(id, chosen));
        }
        figures(ui, own);
    } else if let Some(own) = found.possible.get(chosen - count) {
        let button = egui::Button::new(text!("detect-accept"));
        if ui.add_enabled(is_ready, button).on_hover_text(text!("detect-accept-hint")).clicked() {
            context.send(Detect::Accept(id, chosen - count));
        }
        figures(ui, own);
    }
}

/// Whether the scan is coloured by what its points lie on, and what beside the parts they do.
fn explanations(ui: &mut egui::Ui, are_shown: &mut bool, found: &Found) {
    ui.checkbox(are_shown, text!("detect-colour")).on_hover_text(text!("detect-colour-hint"));
    if !*are_shown {
        return;
    }
    let [background, _, nothing] = found.explanations.shares().map(|share| format!("{:.0}", 100.0 * share));
    for (colour, words) in [
        (BACKGROUND_COLOUR, text!("detect-share-background", percent = background)),
        (ACTUAL_COLOUR, text!("detect-share-nothing", percent = nothing)),
    ] {
        ui.horizontal(|ui| {
            theme::dot(ui, theme::colour(colour));
            theme::weak(ui, words);
        });
    }
}

/// What was said of parts in the scan, and how to take it back.
fn said_before(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId, is_ready: bool) {
    let Some(Recipe::Detection(recipe)) = context.document().plan.get(id).map(|own| &own.recipe) else { return };
    let (accepted, refused) = (recipe.known.accepted.len(), recipe.known.refused.len());
    if accepted + refused == 0 {
        return;
    }
    ui.horizontal(|ui| {
        theme::weak(ui, text!("detect-said", accepted = accepted, refused = refused));
        if ui.add_enabled(is_ready, egui::Button::new(text!("detect-forget"))).clicked() {
            context.send(Detect::Forget(id));
        }
    });
}

/// What speaks for a part found and what does not.
fn figures(ui: &mut egui::Ui, own: &Detection) {
    let doubt = own.doubt.as_ref().map(|doubt| doubt.sentence.clone()).or_else(|| own.ambiguity(&[]));
    let is_clear = doubt.is_none();
    if let Some(doubt) = doubt {
        ui.colored_label(ui.visuals().warn_fg_color, format!("{}.", base::capitalised(&texts::word(&doubt))));
    }
    let at: Point = own.scene_from_part * Point::origin();
    let terms = &own.terms;
    let share = |count: u32| format!("{:.0} %", 100.0 * f64::from(count) / f64::from(terms.facing.max(1)));
    rows(
        ui,
        "detection figures",
        &[
            (text!("detect-seen"), share(terms.explained)),
            (text!("detect-hidden"), share(terms.hidden)),
            (text!("detect-not-measured"), share(terms.unknown)),
            (text!("detect-tilted"), share(terms.tilted)),
            (text!("detect-missing"), share(terms.missing)),
            (text!("detect-goes-on"), format!("{:.0} %", 100.0 * (1.0 - own.coverage))),
            (text!("detect-points"), theme::count(own.points.len())),
            (text!("detect-fit"), format!("{} RMS", with_unit(length_text(own.fit.rms_mm, 4)))),
            (text!("detect-origin"), with_unit(position_text([at.x, at.y, at.z], 2))),
            (text!("detect-round"), own.round.to_string()),
        ],
    );
    position(ui, own);
    if is_clear {
        theme::weak(ui, format!("{}.", base::capitalised(&texts::word(&own.fit.information.weakest))));
    }
}

/// How well the position of a part found is known.
fn position(ui: &mut egui::Ui, own: &Detection) {
    let Some(axes) = own.fit.information.position_axes(own.fit.rms_mm) else { return };
    let determined: Vec<String> =
        axes.iter().filter_map(|axis| axis.sigma_mm).map(|sigma_mm| length_text(sigma_mm, 4)).collect();
    let open = axes.len() - determined.len();
    let known = with_unit(determined.join(", "));
    let words = match (determined.is_empty(), open) {
        (true, _) => text!("detect-position-open"),
        (false, 0) => text!("detect-position", known = known),
        (false, open) => text!("detect-position-partly", known = known, open = open),
    };
    theme::weak(ui, words).on_hover_text(text!("detect-position-hint"));
}
