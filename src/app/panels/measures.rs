//! Distances and angles between features: a part of the Features workspace.

use std::sync::Arc;

use super::super::{App, theme};
use super::constructions::choose;
use super::{is_settled, named, not_made, rows};
use crate::number_field::NumberField;
use base::UserError;
use dispatch::{Command, Elements};
use egui::RichText;
use inspect::features::measured::MeasuredFeature;
use inspect::features::measures::{Angle, AngleConvention, Distance, angle, distance};
use inspect::recipe::Product;
use inspect::tolerances::measure::{Measure, MeasureRecipe, Quantity};
use session::plan::{ElementId, Recipe};

/// What this part remembers between frames.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// From one feature to another, by their names.
    chosen: [String; 2],
    between: Option<Between>,
    /// The limits that are being edited: of which element, and what it was when the edit began.
    edited: Option<(ElementId, MeasureRecipe)>,
}

/// What was measured between two features.
#[derive(Clone, Debug)]
struct Between {
    of: [Arc<MeasuredFeature>; 2],
    distance: Result<Distance, UserError>,
    angle: Result<Angle, UserError>,
}

impl Between {
    fn of(of: [Arc<MeasuredFeature>; 2]) -> Self {
        let points = [of[0].used(), of[1].used()];
        let (one, other) = (of[0].known(&points[0]), of[1].known(&points[1]));
        let (distance, angle) = (distance(&one, &other), angle(&one, &other, AngleConvention::Acute));
        Self { distance, angle, of }
    }

    fn is_of(&self, of: &[Arc<MeasuredFeature>; 2]) -> bool {
        self.of.iter().zip(of).all(|(own, other)| Arc::ptr_eq(own, other))
    }
}

impl App {
    pub(super) fn measures(&mut self, ui: &mut egui::Ui, names: &[String], send: &mut Option<Command>) {
        theme::heading(ui, "Measure");
        self.measure_between(ui, names, send);
        self.kept_measures(ui, send);
    }

    fn measure_between(&mut self, ui: &mut egui::Ui, names: &[String], send: &mut Option<Command>) {
        let ready = !self.is_busy();
        let document = &self.dispatcher.document;
        let draft = &mut self.measure_draft;
        ui.horizontal(|ui| {
            for (name, title) in draft.chosen.iter_mut().zip(["From", "To"]) {
                let label = ui.label(RichText::new(title).weak());
                choose(ui, title, name, names, "choose").labelled_by(label.id);
            }
        });
        let [from, to] = &draft.chosen;
        let ids = [document.feature_id(from), document.feature_id(to)];
        let (Some(one), Some(other), [Some(from), Some(to)], true) =
            (document.shared(ids[0]), document.shared(ids[1]), ids, from != to)
        else {
            theme::weak(ui, "Choose two elements to see how far apart they are, and at which angle.");
            return;
        };
        let of = [one, other];
        let kept = draft.between.take().filter(|between| between.is_of(&of));
        let between = kept.unwrap_or_else(|| Between::of(of));
        let mut figures = Vec::new();
        if let Ok(distance) = &between.distance {
            figures.push(("Distance", with(distance.distance_mm, distance.uncertainty_mm, " mm")));
        }
        if let Ok(angle) = &between.angle {
            let uncertainty = angle.uncertainty_rad.map(f64::to_degrees);
            figures.push(("Angle", with(angle.angle_rad.to_degrees(), uncertainty, "°")));
        }
        rows(ui, "measures", &figures);
        match &between.distance {
            Ok(distance) => theme::weak(ui, format!("{}.", distance.how)),
            Err(error) => theme::weak(ui, &error.sentence),
        };
        // Points have no angle: nothing is missing then.
        if let Ok(angle) = &between.angle {
            theme::weak(ui, format!("{}. Uncertainties with k = 2; constructed elements count as exact.", angle.how));
        }
        let keeps = [
            ("Keep distance", "Distance", Quantity::Distance, between.distance.is_ok()),
            ("Keep angle", "Angle", Quantity::Angle(AngleConvention::Acute), between.angle.is_ok()),
        ];
        ui.horizontal(|ui| {
            for (text, name, quantity, is_there) in keeps {
                let button = ui.add_enabled(ready && is_there, egui::Button::new(text));
                if button.on_hover_text("Measures it on every part; limits can be given below").clicked() {
                    let recipe = MeasureRecipe { quantity, from, to, lower: None, upper: None };
                    *send = Some(Elements::Add(document.free_name(name, Some(1)), Box::new(recipe.into())).into());
                }
            }
        });
        draft.between = Some(between);
    }

    /// Those of the plan, with their limits.
    fn kept_measures(&mut self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let draft = &mut self.measure_draft;
        for element in document.plan.elements() {
            let Recipe::Measure(own) = &element.recipe else { continue };
            ui.separator();
            let Some(measure) = document.result::<Measure>(Some(element.id)) else {
                not_made(ui, document, element.id);
                remove(ui, element.id, &element.name, send);
                continue;
            };
            let figure = &measure.figure;
            ui.horizontal(|ui| {
                theme::dot(ui, super::series::colour(measure.verdict()));
                ui.label(RichText::new(&element.name).family(theme::strong_family())).on_hover_text(&measure.how);
                let unit = if figure.unit == "°" { "°" } else { " mm" };
                ui.label(with(figure.value, figure.uncertainty, unit));
            });
            let names = [own.from, own.to].map(|id| document.plan.name(id));
            theme::weak(ui, format!("{} to {}", names[0], names[1]));
            let mut edited = match &draft.edited {
                Some((id, recipe)) if *id == element.id => recipe.clone(),
                _ => MeasureRecipe::clone(own),
            };
            ui.horizontal(|ui| {
                limit(ui, "at least", &format!("Least {}", element.name), &mut edited.lower, figure.value);
                limit(ui, "at most", &format!("Most {}", element.name), &mut edited.upper, figure.value);
                remove(ui, element.id, &element.name, send);
            });
            if edited != **own {
                draft.edited = Some((element.id, edited));
            }
        }
        let is_settled = is_settled(ui) && send.is_none() && self.dispatcher.job().is_none();
        if is_settled && let Some((id, recipe)) = self.measure_draft.edited.take() {
            *send = Some(Elements::SetRecipe(id, Box::new(recipe.into())).into());
        }
    }
}

fn remove(ui: &mut egui::Ui, id: ElementId, name: &str, send: &mut Option<Command>) {
    let button = ui.small_button("×").on_hover_text("Removes it from the plan");
    named(&button, &format!("Remove {name}"));
    if button.clicked() {
        *send = Some(Elements::Remove(id).into());
    }
}

/// A limit that may be there or not.
fn limit(ui: &mut egui::Ui, text: &str, name: &str, limit: &mut Option<f64>, usual: f64) {
    let mut is_there = limit.is_some();
    if ui.checkbox(&mut is_there, text).changed() {
        *limit = is_there.then_some((usual * 1000.0).round() / 1000.0);
    }
    if let Some(limit) = limit {
        let field = ui.add(NumberField::new(limit).speed(0.001).max_decimals(4));
        named(&field, name);
    }
}

/// “12.3456 ± 0.0010 mm”.
fn with(value: f64, uncertainty: Option<f64>, unit: &str) -> String {
    let sure = uncertainty.map_or_else(String::new, |own| format!(" ± {own:.4}"));
    format!("{value:.4}{sure}{unit}")
}
