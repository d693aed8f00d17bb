//! Wall thickness and gap width over the part.

use super::{PanelContext, rows};
use crate::lengths::{area_cm2, length_text, stated_length, with_unit};
use crate::number_field::NumberField;
use crate::viewport::Spot;
use crate::{Action, theme};
use dispatch::Elements;
use inspect::deviation::judgement::percent;
use inspect::thickness::{Between, Method, Parameters, ThicknessMap, ThicknessRecipe};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct ThicknessPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The map that they were taken from, and its recipe then; `None` for a new one.
    edited: Option<(ElementId, ThicknessRecipe)>,
}

impl ThicknessPart {
    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        self.follow_selection(context);
        self.what_and_how(ui);
        self.limits(ui);
        self.buttons(ui, context, ready);
        if let Some((id, _)) = &self.edited {
            result(ui, context, *id);
        }
    }

    /// Takes the parameters of the map that is selected in the tree.
    fn follow_selection(&mut self, context: &PanelContext<'_>) {
        let selected = context.display.shown.offset.and_then(|id| match &context.document().plan.get(id)?.recipe {
            Recipe::Thickness(own) => Some((id, ThicknessRecipe::clone(own))),
            _ => None,
        });
        if self.edited != selected {
            if let Some((_, recipe)) = &selected {
                self.parameters = recipe.parameters;
            }
            self.edited = selected;
        }
    }

    fn what_and_how(&mut self, ui: &mut egui::Ui) {
        let Parameters { between, method, .. } = &mut self.parameters;
        ui.horizontal(|ui| {
            ui.label(text!("offset-measure"));
            let hint = text!("offset-walls-hint");
            theme::pick(ui, between, Between::Material, text!("offset-walls")).on_hover_text(hint);
            let hint = text!("offset-gaps-hint");
            theme::pick(ui, between, Between::Air, text!("offset-gaps")).on_hover_text(hint);
        });
        ui.horizontal(|ui| {
            ui.label(text!("offset-by"));
            let hint = text!("offset-ball-hint");
            theme::pick(ui, method, Method::Ball, text!("offset-ball")).on_hover_text(hint);
            let hint = text!("offset-ray-hint");
            theme::pick(ui, method, Method::Ray, text!("offset-ray")).on_hover_text(hint);
        });
    }

    fn limits(&mut self, ui: &mut egui::Ui) {
        let parameters = &mut self.parameters;
        egui::Grid::new("thickness").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
            let label = ui.label(text!("offset-up-to")).on_hover_text(text!("offset-up-to-hint"));
            let field = NumberField::new(&mut parameters.max_mm).speed(0.05).range(1e-3..=1e4).max_decimals(3);
            ui.add(field.unit("mm")).labelled_by(label.id);
            ui.end_row();
            let label = ui.label(text!("offset-at-least")).on_hover_text(text!("offset-at-least-hint"));
            let field = NumberField::new(&mut parameters.min_mm).speed(0.02).range(0.0..=1e4).max_decimals(3);
            ui.add(field.unit("mm")).labelled_by(label.id);
            ui.end_row();
            let label = ui.label(text!("offset-thickest")).on_hover_text(text!("offset-thickest-hint"));
            let mut limit_mm = parameters.max_thickness_mm.unwrap_or_default();
            let field = NumberField::new(&mut limit_mm).speed(0.02).range(0.0..=1e4).max_decimals(3);
            let field = match parameters.max_thickness_mm {
                Some(_) => field.unit("mm"),
                None => field.length().custom_formatter(|_, _| text!("common-none")),
            };
            ui.add(field).labelled_by(label.id);
            parameters.max_thickness_mm = (limit_mm > 0.0).then_some(limit_mm);
            ui.end_row();
            let label = ui.label(text!("offset-min-coverage")).on_hover_text(text!("offset-min-coverage-hint"));
            let mut percent = 100.0 * parameters.min_coverage;
            let field = NumberField::new(&mut percent).speed(0.5).range(0.0..=100.0).max_decimals(1);
            if ui.add(field.suffix(" %")).labelled_by(label.id).changed() {
                parameters.min_coverage = percent / 100.0;
            }
            ui.end_row();
        });
        if let Err(error) = parameters.check() {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&error.sentence).into_owned());
        }
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        let ready = ready && self.parameters.check().is_ok();
        // Walls and gaps are maps of their own.
        let edited = self.edited.as_ref().filter(|(_, own)| own.parameters.between == self.parameters.between);
        match edited {
            Some((id, made_with)) => {
                let is_due = made_with.parameters != self.parameters || context.document().state(*id) != State::Fresh;
                if theme::wide_main_button(ui, ready && is_due, text!("offset-measure-again")).clicked() {
                    let recipe = ThicknessRecipe { nominal: made_with.nominal, parameters: self.parameters };
                    context.send(Elements::SetRecipe(*id, Box::new(recipe.into())));
                }
                if ui.button(text!("offset-map-new")).clicked() {
                    context.display.shown.offset = None;
                }
            }
            None => {
                let nominal = context.document().active.nominal;
                let text = if self.parameters.between == Between::Material {
                    text!("offset-measure-walls")
                } else {
                    text!("offset-measure-gaps")
                };
                if theme::wide_main_button(ui, ready, text).clicked()
                    && let Some(nominal) = nominal
                {
                    let recipe = ThicknessRecipe { nominal, parameters: self.parameters };
                    context.send(Elements::Add(name(&self.parameters), Box::new(recipe.into())));
                }
            }
        }
    }
}

fn name(parameters: &Parameters) -> String {
    if parameters.between == Between::Material { text!("offset-walls-name") } else { text!("offset-gaps-name") }
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    theme::heading(ui, document.plan.name(id));
    let Some(map) = super::result::<ThicknessMap>(ui, document, id) else { return };
    match map.verdict() {
        Some(verdict) => {
            let colour = super::super::compare::verdict_colour(verdict);
            ui.colored_label(colour, texts::word(&verdict.headline(&map.covered())).into_owned());
        }
        None => {
            theme::weak(ui, text!("offset-not-judged"));
        }
    }
    super::doubts(ui, &map.notes);
    let (own, limits) = (&map.statistics, &map.parameters);
    let share = |area_mm2: f64| format!("{} ({:.1} %)", area_cm2(area_mm2, 2), 100.0 * area_mm2 / own.area_mm2);
    let mut figures = vec![(text!("offset-measured"), share(own.measured_mm2))];
    if limits.min_mm > 0.0 {
        figures.push((text!("offset-too-thin"), share(own.thin_mm2)));
    }
    if limits.max_thickness_mm.is_some() {
        figures.push((text!("offset-too-thick"), share(own.thick_mm2)));
    }
    if own.measured_mm2 > 0.0 {
        figures.push((text!("offset-least"), with_unit(length_text(own.min_mm, 3))));
        figures.push((text!("offset-five-below"), with_unit(length_text(own.p05_mm, 3))));
        figures.push((text!("offset-half-below"), with_unit(length_text(own.median_mm, 3))));
        figures.push((text!("offset-greatest"), with_unit(length_text(own.max_mm, 3))));
    }
    rows(ui, "thickness figures", &figures);
    theme::weak(ui, text!("offset-grey", length = stated_length(limits.max_mm)));
    if limits.has_limits() && map.coverage() < limits.min_coverage {
        let measured = percent(map.coverage());
        let text = text!("offset-too-little", measured = measured, required = percent(limits.min_coverage));
        ui.colored_label(ui.visuals().warn_fg_color, text);
    }
    if own.measured_mm2 <= 0.0 {
        return;
    }
    theme::heading(ui, text!("offset-thinnest"));
    if map.spots.is_empty() {
        theme::weak(ui, text!("offset-thinnest-none"));
    }
    let radius_mm = 0.04 * map.mesh.bounds().diagonal();
    for (number, spot) in map.spots.iter().enumerate() {
        let text = format!("{}   {}", number + 1, with_unit(length_text(spot.thickness_mm, 3)));
        let button = egui::Button::selectable(false, text);
        if ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(text!("offset-show-point")).clicked() {
            let name = (number + 1).to_string();
            context.ask(Action::FlyTo(Spot { name, at: spot.at, radius_mm }));
        }
    }
    let Some(spot) = map.thickest.filter(|_| limits.max_thickness_mm.is_some()) else { return };
    theme::heading(ui, text!("offset-thickest-point"));
    let button = egui::Button::selectable(false, format!("{} mm", length_text(spot.thickness_mm, 3)));
    if ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(text!("offset-show-point")).clicked() {
        let name = text!("offset-thickest-point");
        context.ask(Action::FlyTo(Spot { name, at: spot.at, radius_mm }));
    }
}
