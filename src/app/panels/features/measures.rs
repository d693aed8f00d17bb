//! Distances and angles between features, in the Features workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::steps::{self, Sought, StepState};
use super::super::{PanelContext, named, no_result, rows};
use super::constructions::choose;
use crate::number_field::NumberField;
use crate::{lengths, theme};
use base::UserError;
use dispatch::{Command, Elements};
use egui::RichText;
use inspect::features::measured::MeasuredFeature;
use inspect::features::measures::{Angle, AngleConvention, Distance, angle, distance};
use inspect::recipe::{Figure, Product};
use inspect::tolerances::measure::{Measure, MeasureRecipe, Quantity};
use session::Document;
use session::plan::{ElementId, Recipe};
use texts::text;

/// State of the section.
#[derive(Clone, Debug, Default)]
pub struct MeasureSection {
    /// Names of the two features.
    chosen: [String; 2],
    between: Option<PairMeasurement>,
    /// Recipes with the limits being edited.
    edited: BTreeMap<ElementId, MeasureRecipe>,
}

/// Distance and angle between two features.
#[derive(Clone, Debug)]
struct PairMeasurement {
    of: [Arc<MeasuredFeature>; 2],
    distance: Result<Distance, UserError>,
    angle: Result<Angle, UserError>,
}

impl PairMeasurement {
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

impl MeasureSection {
    /// Draws the section; `names` are those of all features.
    pub fn show(
        &mut self,
        ui: &mut egui::Ui,
        context: &mut PanelContext<'_>,
        (names, state): (&[String], &StepState),
        sought: &mut Sought,
    ) {
        theme::heading(ui, text!("features-measure"));
        steps::missing(ui, state);
        if !names.is_empty() {
            self.pair_measurement(ui, context, names);
        }
        self.plan_measures(ui, context, sought);
    }

    fn pair_measurement(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, names: &[String]) {
        let ready = !context.is_busy;
        let document = context.document();
        let draft = &mut *self;
        ui.horizontal(|ui| {
            for (name, title) in draft.chosen.iter_mut().zip([text!("features-from"), text!("features-to")]) {
                let label = ui.label(RichText::new(&title).weak());
                choose(ui, &title, name, names, false).labelled_by(label.id);
            }
        });
        let [from, to] = &draft.chosen;
        let ids = [document.feature_id(from), document.feature_id(to)];
        let (Some(one), Some(other), [Some(from), Some(to)], true) =
            (document.shared(ids[0]), document.shared(ids[1]), ids, from != to)
        else {
            theme::weak(ui, text!("features-choose-two"));
            return;
        };
        let of = [one, other];
        let cached = draft.between.take().filter(|between| between.is_of(&of));
        let between = cached.unwrap_or_else(|| PairMeasurement::of(of));
        let mut figures = Vec::new();
        if let Ok(distance) = &between.distance {
            figures.push((text!("features-distance"), with(distance.distance_mm, distance.uncertainty_mm, "mm")));
        }
        if let Ok(angle) = &between.angle {
            let uncertainty = angle.uncertainty_rad.map(f64::to_degrees);
            figures.push((text!("features-angle"), with(angle.angle_rad.to_degrees(), uncertainty, "°")));
        }
        rows(ui, "measures", &figures);
        match &between.distance {
            Ok(distance) => theme::weak(ui, format!("{}.", texts::word(&distance.how))),
            Err(error) => theme::weak(ui, texts::word(&error.sentence)),
        };
        // Points have no angle, which is not an error.
        if let Ok(angle) = &between.angle {
            theme::weak(ui, text!("features-angle-how", how = texts::word(&angle.how).into_owned()));
        }
        let measures = [
            (text!("features-add-distance"), "Distance", Quantity::Distance, between.distance.is_ok()),
            (text!("features-add-angle"), "Angle", Quantity::Angle(AngleConvention::Acute), between.angle.is_ok()),
        ];
        ui.horizontal(|ui| {
            for (text, name, quantity, is_defined) in measures {
                let button = ui.add_enabled(ready && is_defined, egui::Button::new(text));
                if button.on_hover_text(text!("features-add-measure-hint")).clicked() {
                    let recipe = MeasureRecipe {
                        quantity,
                        from,
                        to,
                        lower: None,
                        upper: None,
                        min_coverage: None,
                        of_cad: false,
                    };
                    let name = document.free_name(&texts::name(name), Some(1));
                    context.send(Elements::Add(name, Box::new(recipe.into())));
                }
            }
        });
        draft.between = Some(between);
    }

    /// Measures of the plan with their limits.
    fn plan_measures(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, sought: &mut Sought) {
        let document = context.document();
        let draft = &mut *self;
        for element in document.plan.elements() {
            let Recipe::Measure(own) = &element.recipe else { continue };
            sought.lead_and_reach(ui, element.id);
            ui.separator();
            let Some(measure) = document.result::<Measure>(Some(element.id)) else {
                no_result(ui, document, element.id);
                remove(ui, element.id, &element.name, context);
                continue;
            };
            let figure = &measure.figure;
            ui.horizontal(|ui| {
                theme::dot(ui, crate::panels::series::colour(measure.verdict()));
                let name = RichText::new(&element.name).family(theme::strong_family());
                ui.label(name).on_hover_text(texts::word(&measure.how));
                ui.label(with(figure.value, figure.uncertainty, figure.unit));
            });
            let names = [own.from, own.to].map(|id| document.plan.name(id));
            let [from, to] = names.each_ref().map(String::as_str);
            theme::weak(ui, text!("features-from-to", from = from, to = to));
            let mut edited = draft.edited.get(&element.id).unwrap_or(own).clone();
            ui.horizontal(|ui| {
                let (min, max) = (text!("features-min"), text!("features-max"));
                let min_name = text!("features-min-of", name = element.name.as_str());
                let max_name = text!("features-max-of", name = element.name.as_str());
                limit(ui, &min, &min_name, &mut edited.lower, figure);
                limit(ui, &max, &max_name, &mut edited.upper, figure);
                remove(ui, element.id, &element.name, context);
            });
            if edited == **own {
                draft.edited.remove(&element.id);
            } else {
                draft.edited.insert(element.id, edited);
            }
        }
    }

    /// The commands that send what was edited.
    pub fn edits(&mut self, document: &Document) -> Vec<Command> {
        let is_edited = |id: ElementId, edited: &MeasureRecipe| match document.plan.get(id).map(|own| &own.recipe) {
            Some(Recipe::Measure(own)) => **own != *edited,
            _ => false,
        };
        let edited = std::mem::take(&mut self.edited).into_iter().filter(|(id, edited)| is_edited(*id, edited));
        edited.map(|(id, edited)| Elements::SetRecipe(id, Box::new(edited.into())).into()).collect()
    }
}

fn remove(ui: &mut egui::Ui, id: ElementId, name: &str, context: &mut PanelContext<'_>) {
    let button = ui.small_button("×").on_hover_text(text!("features-remove-from-plan"));
    named(&button, &text!("features-remove-named", name = name));
    if button.clicked() {
        context.send(Elements::Remove(id));
    }
}

/// Optional limit of a figure; its initial value is that of the figure, rounded to 0.001 mm or degrees.
fn limit(ui: &mut egui::Ui, text: &str, name: &str, limit: &mut Option<f64>, figure: &Figure) {
    let mut is_set = limit.is_some();
    if ui.checkbox(&mut is_set, text).changed() {
        *limit = is_set.then_some((figure.value * 1000.0).round() / 1000.0);
    }
    if let Some(limit) = limit {
        let field = NumberField::new(limit).speed(0.001).max_decimals(4);
        let field = if figure.unit == "mm" { field.drawn_length() } else { field };
        named(&ui.add(field), name);
    }
}

/// Value in mm or degrees with its expanded uncertainty, for example “12.3456 ± 0.0010 mm”.
fn with(value: f64, uncertainty: Option<f64>, unit: &str) -> String {
    let digits = lengths::decimals_of(unit, 4, 4);
    let written = |value: f64| format!("{:.digits$}", lengths::figure(value, unit));
    let uncertainty = uncertainty.map_or_else(String::new, |own| format!(" ± {}", written(own)));
    let unit = if unit == "°" { "°".to_owned() } else { format!(" {}", lengths::unit_of(unit)) };
    format!("{}{uncertainty}{unit}", written(value))
}
