//! The distance field: a slider through all offsets.

use super::PanelContext;
use crate::lengths::{length_text, with_unit};
use crate::number_field::NumberField;
use crate::theme;
use base::limits::format_bytes;
use dispatch::Elements;
use inspect::offset::field::Parameters;
use inspect::offset::{FieldRecipe, PartField};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Resolutions offered by name.
fn resolutions() -> [(u32, String); 4] {
    [
        (128, text!("offset-draft")),
        (256, text!("offset-normal")),
        (512, text!("offset-detailed")),
        (1024, text!("offset-very-detailed")),
    ]
}

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct FieldPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The field that they were taken from, and its recipe then.
    edited: Option<(ElementId, FieldRecipe)>,
}

impl FieldPart {
    /// Draws it. Returns the distance shown if an offset volume is wanted there.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) -> Option<f64> {
        self.follow(context);
        let shown = self.edited.as_ref().map(|(id, _)| *id);
        let wanted = match shown {
            Some(id) => slider(ui, context, id),
            None => {
                theme::weak(ui, text!("offset-live-about"));
                None
            }
        };
        match shown {
            Some(_) => {
                egui::CollapsingHeader::new(text!("offset-reach-detail")).show(ui, |ui| self.parameters(ui));
            }
            None => self.parameters(ui),
        }
        match &self.edited {
            Some((id, made_with)) => {
                let is_due = made_with.parameters != self.parameters || context.document().state(*id) != State::Fresh;
                if is_due && theme::wide_main_button(ui, ready, text!("offset-prepare-again")).clicked() {
                    let recipe = FieldRecipe { nominal: made_with.nominal, parameters: self.parameters.clone() };
                    context.send(Elements::SetRecipe(*id, Box::new(recipe.into())));
                }
            }
            None => {
                let nominal = context.document().active.nominal;
                if theme::wide_main_button(ui, ready, text!("offset-prepare")).clicked()
                    && let Some(nominal) = nominal
                {
                    let recipe = FieldRecipe { nominal, parameters: self.parameters.clone() };
                    context.send(Elements::Add(text!("offset-field-name"), Box::new(recipe.into())));
                }
            }
        }
        wanted
    }

    /// Takes the field that is selected in the tree, or the first there is.
    fn follow(&mut self, context: &PanelContext<'_>) {
        let mut fields = context.document().plan.elements().iter().filter_map(|own| match &own.recipe {
            Recipe::Field(recipe) => Some((own.id, FieldRecipe::clone(recipe))),
            _ => None,
        });
        let first = fields.next();
        let selected = fields.find(|(id, _)| Some(*id) == context.display.shown.offset).or(first);
        if self.edited != selected {
            if let Some((_, recipe)) = &selected {
                self.parameters = recipe.parameters.clone();
            }
            self.edited = selected;
        }
    }

    fn parameters(&mut self, ui: &mut egui::Ui) {
        let parameters = &mut self.parameters;
        ui.horizontal(|ui| {
            let label = ui.label(text!("offset-reach")).on_hover_text(text!("offset-reach-hint"));
            let field = NumberField::new(&mut parameters.reach_mm).speed(0.05).range(1e-3..=1e4).max_decimals(3);
            ui.add(field.unit("mm")).labelled_by(label.id);
        });
        ui.horizontal_wrapped(|ui| {
            for (resolution, name) in resolutions() {
                let hint = text!("offset-samples-hint", count = resolution);
                theme::pick(ui, &mut parameters.resolution, resolution, name).on_hover_text(hint);
            }
        });
    }
}

fn slider(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) -> Option<f64> {
    let document = context.document();
    let field = super::result::<PartField>(ui, document, id)?;
    let reach_mm = field.parameters.reach_mm;
    let exactness = text!(
        "offset-exactness",
        within = with_unit(length_text(field.error.p95_mm, 3)),
        points = theme::count(field.error.points),
        most = with_unit(length_text(field.error.max_mm, 3))
    );
    let size = text!(
        "offset-field-size",
        bricks = theme::count(field.field.bricks()),
        memory = format_bytes(field.field.bytes()),
        seconds = format!("{:.2}", field.field_ms / 1e3)
    );
    super::doubts(ui, &field.notes);
    let distance_mm = &mut context.display.shown.field_distance_mm;
    *distance_mm = distance_mm.clamp(-reach_mm, reach_mm);
    ui.horizontal(|ui| {
        let label = ui.label(text!("offset-distance")).on_hover_text(text!("offset-distance-hint"));
        let field = NumberField::new(distance_mm).speed(0.01).range(-reach_mm..=reach_mm).max_decimals(3);
        ui.add(field.unit("mm")).labelled_by(label.id);
    });
    theme::wide_slider(ui, &text!("offset-live-distance"), distance_mm, -reach_mm..=reach_mm);
    let distance_mm = *distance_mm;
    theme::weak(ui, exactness).on_hover_text(size);
    let hint = text!("offset-make-volume-hint");
    ui.button(text!("offset-make-volume")).on_hover_text(hint).clicked().then_some(distance_mm)
}
