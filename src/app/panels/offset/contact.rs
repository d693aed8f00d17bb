//! Contact volumes: where the centre of a ball-end tool may move, pass by pass.

use super::{PanelContext, rows};
use crate::choosing::Purpose;
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::Elements;
use inspect::offset::contact::Parameters;
use inspect::offset::{ContactRecipe, ContactVolumes};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct ContactPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The volumes that they were taken from, and their recipe then; `None` for new ones.
    edited: Option<(ElementId, ContactRecipe)>,
}

/// Resolutions offered by name.
const RESOLUTIONS: [(u32, &str); 3] = [(128, "Preview"), (256, "Coarse"), (512, "Medium")];

impl ContactPart {
    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        self.follow_selection(context);
        self.tool_and_stock(ui);
        self.buttons(ui, context, ready);
        if let Some((id, _)) = &self.edited {
            result(ui, context, *id);
        }
    }

    /// Takes the parameters of the volumes that are selected in the tree.
    fn follow_selection(&mut self, context: &PanelContext<'_>) {
        let selected = context.display.shown.offset.and_then(|id| match &context.document().plan.get(id)?.recipe {
            Recipe::Contact(own) => Some((id, ContactRecipe::clone(own))),
            _ => None,
        });
        if self.edited != selected {
            if let Some((_, recipe)) = &selected {
                self.parameters = recipe.parameters;
            }
            self.edited = selected;
        }
    }

    fn tool_and_stock(&mut self, ui: &mut egui::Ui) {
        let Parameters { tool_radius_mm, depth_mm, margin_mm, resolution } = &mut self.parameters;
        egui::Grid::new("contact").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
            for (name, hint, value) in [
                ("Tool radius", "Radius of the ball at the end of the tool", tool_radius_mm),
                ("Depth of cut", "What each pass takes off the stock", depth_mm),
                ("Stock margin", "How far the cuboid of stock stands over the part on each side", margin_mm),
            ] {
                let label = ui.label(name).on_hover_text(hint);
                let field = NumberField::new(value).speed(0.02).range(0.0..=1e4).max_decimals(3);
                ui.add(field.suffix(" mm")).labelled_by(label.id);
                ui.end_row();
            }
        });
        ui.horizontal(|ui| {
            for (own, name) in RESOLUTIONS {
                let hint = format!("{own} voxels per axis");
                theme::pick(ui, resolution, own, name).on_hover_text(hint);
            }
        });
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        match &self.edited {
            Some((id, made_with)) => {
                let is_due = made_with.parameters != self.parameters || context.document().state(*id) != State::Fresh;
                if theme::wide_main_button(ui, ready && is_due, "Apply").clicked() {
                    let recipe = ContactRecipe { nominal: made_with.nominal, parameters: self.parameters };
                    context.send(Elements::SetRecipe(*id, Box::new(recipe.into())));
                }
                if ui.button("New contact volumes").clicked() {
                    context.display.shown.offset = None;
                }
            }
            None => {
                let nominal = context.document().active.nominal;
                if theme::wide_main_button(ui, ready, "Add contact volumes").clicked()
                    && let Some(nominal) = nominal
                {
                    let recipe = ContactRecipe { nominal, parameters: self.parameters };
                    context.send(Elements::Add("Contact volumes".to_owned(), Box::new(recipe.into())));
                }
            }
        }
    }
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    theme::heading(ui, &document.plan.name(id));
    let Some(made) = super::result::<ContactVolumes>(ui, document, id) else { return };
    super::doubts(ui, &made.notes);
    let last = made.passes.len() - 1;
    let shown = &mut context.display.shown.contact_pass;
    super::pass_player(ui, shown, last);
    let pass = &made.passes[*shown];
    let clearance = match pass.clearance_mm {
        mm if mm < 0.0 => format!("{:.4} mm too close", -mm),
        mm => format!("{mm:.4} mm to spare"),
    };
    rows(
        ui,
        "contact figures",
        &[
            ("Taken off", format!("{} mm", pass.depth_mm)),
            ("Volume", format!("{:.3} cm³", pass.volume_mm3 / 1000.0)),
            ("Tool to part", clearance),
            ("Facets", theme::count(pass.mesh.facets.len())),
            ("Voxel", format!("{:.4} mm", pass.tree.lattice().voxel_mm)),
        ],
    );
    theme::weak(
        ui,
        "The centre of the tool moves on this surface: the tool then touches the part, or cuts as deep as the pass.",
    );
    let button = egui::Button::new("Save mesh…");
    let hint = "Writes the closed mesh of this pass: STL, PLY, 3MF …";
    if ui.add_enabled(!pass.mesh.facets.is_empty() && !context.is_busy, button).on_hover_text(hint).clicked() {
        context.ask(Action::Browse(Purpose::OffsetMesh(id)));
    }
}
