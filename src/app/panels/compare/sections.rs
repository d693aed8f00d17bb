//! Sections: where they lie, and what they show.

use std::sync::Arc;

use super::super::{PanelContext, named, no_result, rows};
use super::{banner, verdict_colour};
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::signed;
use dispatch::Sections;
use geometry::Aabb;
use inspect::deviation::Tolerance;
use inspect::deviation::judgement::percent;
use inspect::recipe::Product as _;
use inspect::section::dimension::DimensionKind;
use inspect::section::{Parameters, Placement, Section, SectionRecipe};
use session::Document;
use session::pipeline::State;
use session::plan::{Element, ElementId, Recipe};
use texts::text;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct SectionsPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The section that they were taken from, and its recipe then; `None` for a new one.
    edited: Option<(ElementId, SectionRecipe)>,
    /// The newest section at the last frame.
    newest: Option<ElementId>,
    /// The nominal that a new section was placed in the middle of.
    placed_in: Option<ElementId>,
}

impl SectionsPart {
    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.follow(context);
        let Some(bounds) = context.document().nominal().map(|own| *own.surface.bounds()) else {
            theme::weak(ui, text!("compare-section-load"));
            return;
        };
        self.choice(ui, context);
        self.position_and_limits(ui, &bounds);
        self.buttons(ui, context);
        if let Some(id) = self.edited.as_ref().map(|(id, _)| *id) {
            result(ui, context, id);
            if let Some(section) = context.document().result::<Section>(Some(id)) {
                self.dimensions(ui, context, (id, section));
            }
        }
    }

    /// Selects what is new, and takes the parameters of what is selected.
    fn follow(&mut self, context: &mut PanelContext<'_>) {
        let document = context.document();
        let newest = sections(document).map(|own| own.id).max();
        let display = &mut context.display.section;
        if newest > self.newest {
            display.selected = newest;
        }
        self.newest = newest;
        let recipe = |id| match &document.plan.get(id)?.recipe {
            Recipe::Section(own) => Some((id, SectionRecipe::clone(own))),
            _ => None,
        };
        let selected = display.selected.and_then(recipe);
        if selected.is_none() {
            display.selected = None;
        }
        if self.edited != selected {
            if let Some((id, recipe)) = &selected {
                match &self.edited {
                    // What else is being edited stays when a dimension comes or goes.
                    Some((edited, before)) if edited == id && is_alike(before, recipe) => {
                        self.parameters.dimensions.clone_from(&recipe.parameters.dimensions);
                    }
                    before => {
                        if before.as_ref().is_none_or(|(edited, _)| edited != id) {
                            display.plane = 0;
                        }
                        self.parameters = recipe.parameters.clone();
                    }
                }
            }
            self.edited = selected;
        }
        // A new section starts in the middle of the part, with the limits of the comparison.
        if self.edited.is_none() && self.placed_in != document.active.nominal {
            self.placed_in = document.active.nominal;
            if let Some(nominal) = document.nominal() {
                let tolerance = document.settings.deviation.tolerance;
                let placement = in_the_middle(nominal.surface.bounds(), 2);
                self.parameters = Parameters { placement, tolerance, ..Parameters::default() };
            }
        }
    }

    /// Choice among the sections of the plan, and a new one.
    fn choice(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        if sections(document).next().is_none() {
            return;
        }
        let selected = &mut context.display.section.selected;
        ui.horizontal(|ui| {
            let text = selected.map_or_else(|| text!("compare-new-section"), |id| document.plan.name(id));
            let combo = egui::ComboBox::from_id_salt("section").selected_text(text).width(190.0).truncate();
            let response = combo.show_ui(ui, |ui| {
                for own in sections(document) {
                    ui.selectable_value(selected, Some(own.id), own.name.as_str());
                }
            });
            named(&response.response, &text!("compare-section-shown"));
            if ui.button(text!("compare-new-section")).clicked() {
                *selected = None;
            }
        });
    }

    /// Where it lies, and its limits.
    fn position_and_limits(&mut self, ui: &mut egui::Ui, bounds: &Aabb) {
        let parameters = &mut self.parameters;
        ui.horizontal(|ui| {
            ui.label(text!("compare-perpendicular"));
            for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                let is_on = matches!(parameters.placement, Placement::Axis { axis: own, .. } if own == axis);
                if theme::chip(ui, is_on, name).clicked() && !is_on {
                    parameters.placement = in_the_middle(bounds, axis);
                }
            }
        });
        match &mut parameters.placement {
            Placement::Axis { axis, at_mm } => {
                let range = bounds.min[*axis]..=bounds.max[*axis];
                let response = theme::wide_slider(ui, &text!("compare-section-position"), at_mm, range);
                if response.changed() {
                    *at_mm = (100.0 * *at_mm).round() / 100.0;
                }
            }
            other => {
                theme::weak(ui, text!("compare-plane", place = texts::word(&other.describe()).into_owned()));
            }
        }
        egui::Grid::new("section parameters").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
            if let Placement::Axis { at_mm, .. } = &mut parameters.placement {
                let label = ui.label(text!("compare-position"));
                ui.add(NumberField::new(at_mm).speed(0.05).max_decimals(3).suffix(" mm")).labelled_by(label.id);
                ui.end_row();
            }
            let label = ui.label(text!("compare-planes"));
            ui.add(NumberField::new(&mut parameters.count).speed(0.1).range(1..=1000)).labelled_by(label.id);
            ui.end_row();
            if parameters.count > 1 {
                let label = ui.label(text!("compare-spacing"));
                let field = NumberField::new(&mut parameters.spacing_mm).speed(0.05).max_decimals(3);
                ui.add(field.suffix(" mm")).labelled_by(label.id);
                ui.end_row();
            }
            let tolerance = &mut parameters.tolerance;
            let numbers = [
                (text!("compare-lower-limit"), &mut tolerance.low_mm, -1e3..=1e3),
                (text!("compare-upper-limit"), &mut tolerance.high_mm, -1e3..=1e3),
                (text!("compare-max-distance"), &mut parameters.max_distance_mm, 1e-3..=1e4),
            ];
            for (name, value, range) in numbers {
                let label = ui.label(name);
                let field = NumberField::new(value).speed(0.01).range(range).max_decimals(4);
                ui.add(field.suffix(" mm")).labelled_by(label.id);
                ui.end_row();
            }
        });
    }

    /// The dimensions of a section, and the buttons that make others by clicks in its drawing.
    fn dimensions(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, (id, section): (ElementId, &Section)) {
        theme::heading(ui, text!("compare-dimensions"));
        let ready = !context.is_busy && context.document().state(id) == State::Fresh;
        let display = &mut context.display.section;
        ui.add_enabled_ui(ready, |ui| {
            ui.horizontal_wrapped(|ui| {
                for kind in DimensionKind::ALL {
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
            theme::weak(ui, base::capitalised(&texts::word(&own.words())));
            let Some(asked) = self.parameters.dimensions.get_mut(number) else { continue };
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
                    named(&ui.add(field.suffix(&unit)), &end);
                }
            });
        }
        // Limits are judged when they have been entered, whatever else is being edited.
        let asked = &self.parameters.dimensions;
        if parameters == section.parameters && *asked != parameters.dimensions && ready && context.may_commit(ui) {
            parameters.dimensions.clone_from(asked);
        }
        if parameters != section.parameters && parameters.check().is_ok() {
            context.send(Sections::Change(id, parameters));
        }
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let checked = self.parameters.check();
        let ready = !context.is_busy && checked.is_ok();
        match &self.edited {
            Some((id, made_with)) => {
                let document = context.document();
                // What was cut before the scan was aligned is compared now.
                let is_bare = made_with.scan.is_none() && document.alignment().is_some();
                let is_due = is_bare || made_with.parameters != self.parameters || document.state(*id) != State::Fresh;
                if theme::wide_main_button(ui, ready && is_due, text!("compare-cut-again")).clicked() {
                    context.send(Sections::Change(*id, self.parameters.clone()));
                }
            }
            None => {
                if theme::wide_main_button(ui, ready, text!("compare-add-section")).clicked() {
                    context.send(Sections::Add(self.parameters.clone()));
                }
            }
        }
        if let Err(error) = checked {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&error.sentence).into_owned());
        }
        if context.document().actual().is_some() && context.document().alignment().is_none() {
            theme::weak(ui, text!("compare-not-aligned"));
        }
    }
}

/// Whether two recipes differ in their dimensions at most.
fn is_alike(one: &SectionRecipe, other: &SectionRecipe) -> bool {
    let bare = |own: &SectionRecipe| {
        let parameters = Parameters { dimensions: Vec::new(), ..own.parameters.clone() };
        SectionRecipe { parameters, ..own.clone() }
    };
    bare(one) == bare(other)
}

/// Perpendicular to an axis, in the middle of `bounds` to a tenth of a millimetre.
fn in_the_middle(bounds: &Aabb, axis: usize) -> Placement {
    Placement::Axis { axis, at_mm: (10.0 * bounds.centre()[axis]).round() / 10.0 }
}

fn hint_of(kind: DimensionKind) -> String {
    match kind {
        DimensionKind::Distance => text!("compare-distance-hint"),
        DimensionKind::Step => text!("compare-step-hint"),
        DimensionKind::Angle => text!("compare-angle-hint"),
        DimensionKind::Radius => text!("compare-radius-hint"),
    }
}

/// The sections of the plan.
fn sections(document: &Document) -> impl Iterator<Item = &Arc<Element>> {
    document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Section(_)))
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    let Some(section) = document.result::<Section>(Some(id)) else {
        return no_result(ui, document, id);
    };
    if document.state(id) != State::Fresh {
        theme::weak(ui, text!("compare-section-stale"));
    }
    let own = section.statistics();
    if let Some(verdict) = section.verdict() {
        banner(ui, verdict, &section.covers().unwrap_or_default(), std::iter::empty());
    }
    let mut figures = vec![(text!("compare-contour"), format!("{:.3} mm", own.length_mm))];
    if section.is_compared {
        figures.push((text!("compare-measured"), percent(own.coverage())));
    }
    if own.measured_mm > 0.0 {
        figures.push((text!("compare-in-tolerance"), percent(own.in_tolerance_mm / own.measured_mm)));
        figures.push((text!("compare-min-max"), format!("{}, {} mm", signed(own.min_mm, 4), signed(own.max_mm, 4))));
        figures.push((text!("compare-mean"), format!("{} mm", signed(own.mean_mm, 4))));
        figures.push((text!("compare-rms"), format!("{:.4} mm", own.rms_mm)));
    }
    rows(ui, "section figures", &figures);
    for note in &section.notes {
        ui.colored_label(ui.visuals().warn_fg_color, note);
    }
    if section.is_compared {
        let width_mm = format!("{:.2}", 2.0 * section.half_width_mm);
        theme::weak(ui, text!("compare-section-medians", mm = width_mm));
    }
    view(ui, context, section);
    let ready = !context.is_busy && document.state(id) == State::Fresh;
    if ui
        .add_enabled(ready, egui::Button::new(text!("compare-save-drawings")))
        .on_hover_text(text!("compare-save-drawings-hint"))
        .clicked()
    {
        context.ask(Action::Browse(Purpose::SectionFolder(id)));
    }
}

/// Which plane is shown, and how.
fn view(ui: &mut egui::Ui, context: &mut PanelContext<'_>, section: &Section) {
    let display = &mut context.display.section;
    let last = section.planes.len().saturating_sub(1);
    display.plane = display.plane.min(last);
    theme::heading(ui, text!("compare-view"));
    if last > 0 {
        ui.horizontal(|ui| {
            ui.label(text!("compare-plane-of", number = display.plane + 1, count = last + 1));
            if ui.add_enabled(display.plane > 0, egui::Button::new(text!("compare-previous"))).clicked() {
                display.plane -= 1;
            }
            if ui.add_enabled(display.plane < last, egui::Button::new(text!("compare-next"))).clicked() {
                display.plane += 1;
            }
        });
    }
    if section.is_compared {
        ui.horizontal(|ui| {
            let label = ui.label(text!("compare-enlarge"));
            let times = |factor: f64| text!("compare-times", factor = factor.to_string());
            let text = display.factor.map_or_else(|| text!("compare-automatic"), times);
            let combo = egui::ComboBox::from_id_salt("enlarge").selected_text(text).width(110.0);
            let combo = combo.show_ui(ui, |ui| {
                ui.selectable_value(&mut display.factor, None, text!("compare-automatic"));
                for factor in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0] {
                    ui.selectable_value(&mut display.factor, Some(factor), times(factor));
                }
            });
            combo.response.labelled_by(label.id);
        });
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut display.clips, text!("compare-clip"));
        if display.clips && ui.button(text!("compare-flip")).on_hover_text(text!("compare-flip-hint")).clicked() {
            display.is_flipped = !display.is_flipped;
        }
    });
}
