//! Features workspace: selection, fitted features, constructions, measures and tolerances, a step each.

mod constructions;
mod feature_steps;
mod fitted;
mod measures;
mod parallel_planes;
mod pmi;
mod selection;
mod slots;
mod tolerance_details;
mod tolerances;

use std::collections::BTreeMap;

use super::PanelContext;
use super::steps::{self, Sought, Step as _, StepState};
use crate::number_field::NumberField;
use crate::{edits, theme};
use constructions::{ConstructionSection, choose};
use dispatch::{Command, Elements, Features};
use feature_steps::FeatureStep;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Element, Kind, Objective, Shape};
use measures::MeasureSection;
use parallel_planes::ParallelPlanes;
pub(super) use selection::brush_options;
use session::Document;
use session::plan::{ElementId, Recipe};
use session::selection::Selectable;
use texts::text;
use tolerances::ToleranceSection;

/// Default rejection limit, robust standard deviations.
const DEFAULT_SIGMAS: f64 = 3.0;

/// Panel of the workspace.
pub struct FeaturesPanel {
    /// The step that is shown.
    step: FeatureStep,
    /// The element that its step leads to.
    sought: Sought,
    /// Name for the selection, as typed.
    name: String,
    /// Name of the plane in which lines, circles and slots are fitted; empty to fit them in space.
    plane: String,
    objective: Objective,
    robust: bool,
    clips: bool,
    sigmas: f64,
    /// Fit options being edited, of their features.
    edited: BTreeMap<ElementId, Fitting>,
    parallel_planes: ParallelPlanes,
    constructions: ConstructionSection,
    measures: MeasureSection,
    tolerances: ToleranceSection,
}

impl Default for FeaturesPanel {
    fn default() -> Self {
        Self {
            step: FeatureStep::default(),
            sought: Sought::default(),
            name: String::new(),
            plane: String::new(),
            objective: Objective::default(),
            robust: false,
            clips: true,
            sigmas: DEFAULT_SIGMAS,
            edited: BTreeMap::new(),
            parallel_planes: ParallelPlanes::default(),
            constructions: ConstructionSection::default(),
            measures: MeasureSection::default(),
            tolerances: ToleranceSection::default(),
        }
    }
}

impl FeaturesPanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let was_editing = ui.ctx().text_edit_focused();
        let document = context.document();
        let states: Vec<StepState> = FeatureStep::ALL.iter().map(|own| own.state(document)).collect();
        let mut step = self.step;
        steps::show(ui, &mut step, &states, |ui, shown, state| self.contents(ui, context, shown, state));
        if step != self.step {
            (self.step, self.sought) = (step, Sought::default());
        }
        self.turn_to_chosen(ui, context, was_editing);
    }

    /// Begins with another inspection, in the step that was reached in it.
    pub fn begin(&mut self, document: &Document) {
        (self.step, self.sought) = (FeatureStep::reached(document), Sought::default());
    }

    /// Whether the mouse brushes in the step that is shown, where it has a brush.
    pub fn has_brush(&self) -> bool {
        matches!(self.step, FeatureStep::Select | FeatureStep::Fit)
    }

    /// Turns to the element that was chosen elsewhere, if a step shows elements of its kind; in the next frame if a field
    /// was being edited, so that it takes what was typed.
    fn turn_to_chosen(&mut self, ui: &egui::Ui, context: &mut PanelContext<'_>, was_editing: bool) {
        let Some(id) = context.display.chosen else { return };
        let element = context.document().plan.get(id);
        let Some(step) = element.and_then(|own| FeatureStep::of(&own.recipe)) else { return };
        ui.ctx().request_repaint();
        if was_editing {
            return edits::end(ui.ctx());
        }
        (self.step, self.sought) = (step, Sought(Some(id)));
        context.display.chosen = None;
    }

    fn contents(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, step: FeatureStep, state: &StepState) {
        if !feature_steps::has_parts(context.document()) {
            return steps::missing(ui, state);
        }
        let names = context.document().element_names();
        let sought = &mut self.sought;
        match step {
            FeatureStep::Select => {
                selection::brush(ui, context);
                self.selection(ui, context);
                steps::missing(ui, state);
            }
            FeatureStep::Fit => {
                selection::brush(ui, context);
                self.fits(ui, context, state);
                self.features(ui, context);
                slots::show(ui, context, &mut self.sought);
            }
            FeatureStep::Construct => self.constructions.show(ui, context, (&names, state), sought),
            FeatureStep::Measure => self.measures.show(ui, context, (&names, state), sought),
            FeatureStep::Tolerances => self.tolerances.show(ui, context, state, sought),
        }
    }

    fn fits(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, state: &StepState) {
        let document = context.document();
        let selected = document.points.selected.len();
        let ready = selected > 0 && !context.is_busy;
        theme::heading(ui, text!("features-fit"));
        if selected > 0 {
            ui.label(selection::count(selected, document.points.hidden.len(), Selectable::Points));
        }
        steps::missing(ui, state);
        let is_plane = |name: &String| matches!(document.element(name), Some(Element::Shape(Shape::Plane { .. })));
        let planes: Vec<String> = document.element_names().into_iter().filter(is_plane).collect();
        let draft = &mut *self;
        if !planes.contains(&draft.plane) {
            draft.plane.clear();
        }
        let plane = Some(draft.plane.clone()).filter(|plane| !plane.is_empty());
        let clip_sigmas = draft.clips.then_some(draft.sigmas);
        ui.horizontal_wrapped(|ui| {
            for kind in Kind::ALL {
                let button = egui::Button::new(texts::word(kind.name()).into_owned()).min_size(egui::vec2(70.0, 26.0));
                let ready = ready && draft.objective.suits(kind);
                if ui.add_enabled(ready, button).on_disabled_hover_text(text!("features-brush-first")).clicked() {
                    let (plane, robust) = (plane.clone(), draft.robust);
                    context.send(match (kind, plane) {
                        (Kind::Line | Kind::Circle, Some(plane)) => {
                            Command::Features(Features::FitInPlane { kind, plane, robust, clip_sigmas })
                        }
                        _ => Command::Features(Features::Fit { kind, objective: draft.objective, robust, clip_sigmas }),
                    });
                }
            }
            let button = egui::Button::new(text!("features-slot")).min_size(egui::vec2(70.0, 26.0));
            if ui.add_enabled(ready, button).on_disabled_hover_text(text!("features-brush-first")).clicked() {
                context.send(Features::FitSlot { plane, clip_sigmas });
            }
        });
        if !planes.is_empty() {
            ui.horizontal(|ui| {
                let label = ui.label(text!("features-in-plane")).on_hover_text(text!("features-in-plane-hint"));
                choose(ui, "in plane", &mut draft.plane, &planes, true).labelled_by(label.id);
            });
        }
        let objective = text!("features-objective");
        theme::choice(ui, &objective, &mut draft.objective, &Objective::ALL, |own| texts::word(own.name()));
        ui.checkbox(&mut draft.robust, text!("features-robust")).on_hover_text(text!("features-robust-hint"));
        ui.horizontal(|ui| {
            ui.checkbox(&mut draft.clips, text!("features-reject-points"));
            let drag = NumberField::new(&mut draft.sigmas).speed(0.05).range(1.0..=10.0).suffix(" σ");
            ui.add_enabled(draft.clips, drag);
        });
        self.parallel_planes.show(ui, context, clip_sigmas);
    }

    /// The commands that send what was edited: fit options, limits of measures, and tolerances.
    pub fn edits(&mut self, document: &Document) -> Vec<Command> {
        let mut edits = Vec::new();
        for (id, fitting) in std::mem::take(&mut self.edited) {
            if let Some(Recipe::Feature(own)) = document.plan.get(id).map(|own| &own.recipe)
                && own.fitting != fitting
            {
                let recipe = FeatureRecipe { fitting, ..FeatureRecipe::clone(own) };
                edits.push(Elements::SetRecipe(id, Box::new(recipe.into())).into());
            }
        }
        edits.extend(self.measures.edits(document));
        edits.extend(self.tolerances.edit(document));
        edits
    }
}
