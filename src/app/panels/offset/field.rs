//! The distance field: a slider through all offsets.

use super::PanelContext;
use crate::number_field::NumberField;
use crate::theme;
use base::limits::format_bytes;
use dispatch::Elements;
use inspect::offset::field::Parameters;
use inspect::offset::{FieldRecipe, PartField};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};

/// Resolutions offered by name.
const RESOLUTIONS: [(u32, &str); 4] = [(128, "Draft"), (256, "Normal"), (512, "Detailed"), (1024, "Very detailed")];

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
                theme::weak(ui, "Prepare it once, then see the part at every distance while you move a slider.");
                None
            }
        };
        match shown {
            Some(_) => {
                egui::CollapsingHeader::new("Reach and detail").show(ui, |ui| self.parameters(ui));
            }
            None => self.parameters(ui),
        }
        match &self.edited {
            Some((id, made_with)) => {
                let is_due = made_with.parameters != self.parameters || context.document().state(*id) != State::Fresh;
                if is_due && theme::wide_main_button(ui, ready, "Prepare again").clicked() {
                    let recipe = FieldRecipe { nominal: made_with.nominal, parameters: self.parameters.clone() };
                    context.send(Elements::SetRecipe(*id, Box::new(recipe.into())));
                }
            }
            None => {
                let nominal = context.document().active.nominal;
                if theme::wide_main_button(ui, ready, "Prepare live offset").clicked()
                    && let Some(nominal) = nominal
                {
                    let recipe = FieldRecipe { nominal, parameters: self.parameters.clone() };
                    context.send(Elements::Add("Distance field".to_owned(), Box::new(recipe.into())));
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
            let label = ui.label("Reach").on_hover_text("Greatest distance to both sides of the part");
            let field = NumberField::new(&mut parameters.reach_mm).speed(0.05).range(1e-3..=1e4).max_decimals(3);
            ui.add(field.suffix(" mm")).labelled_by(label.id);
        });
        ui.horizontal_wrapped(|ui| {
            for (resolution, name) in RESOLUTIONS {
                let hint =
                    format!("{resolution} samples along the part and its reach, fewer where that is exact enough");
                theme::pick(ui, &mut parameters.resolution, resolution, name).on_hover_text(hint);
            }
        });
    }
}

fn slider(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) -> Option<f64> {
    let document = context.document();
    let field = super::result::<PartField>(ui, document, id)?;
    let reach_mm = field.parameters.reach_mm;
    let exactness = format!(
        "The view is within {:.3} mm of the true distance at 95 % of {} points, {:.3} mm at most.",
        field.error.p95_mm,
        theme::count(field.error.points),
        field.error.max_mm
    );
    let size = format!(
        "{} bricks, {}, {:.2} s",
        theme::count(field.field.bricks()),
        format_bytes(field.field.bytes()),
        field.field_ms / 1e3
    );
    super::doubts(ui, &field.notes);
    let distance_mm = &mut context.display.shown.field_distance_mm;
    *distance_mm = distance_mm.clamp(-reach_mm, reach_mm);
    ui.horizontal(|ui| {
        let label = ui.label("Distance").on_hover_text("Grows the part if positive, shrinks it if negative");
        let field = NumberField::new(distance_mm).speed(0.01).range(-reach_mm..=reach_mm).max_decimals(3);
        ui.add(field.suffix(" mm")).labelled_by(label.id);
    });
    theme::wide_slider(ui, "Live distance", distance_mm, -reach_mm..=reach_mm);
    let distance_mm = *distance_mm;
    theme::weak(ui, exactness).on_hover_text(size);
    let hint = "Begins an offset volume at this distance, which is computed exactly and can be saved as a mesh";
    ui.button("Make a volume of it…").on_hover_text(hint).clicked().then_some(distance_mm)
}
