//! Contact volumes: where the centre of a ball-end tool may move, pass by pass.

use super::{PanelContext, rows};
use crate::choosing::Purpose;
use crate::lengths::{length_text, stated_length, volume_cm3, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use dispatch::Elements;
use inspect::offset::contact::Parameters;
use inspect::offset::{ContactRecipe, ContactVolumes};
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct ContactPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The volumes that they were taken from, and their recipe then; `None` for new ones.
    edited: Option<(ElementId, ContactRecipe)>,
}

/// Resolutions offered by name.
fn resolutions() -> [(u32, String); 3] {
    [(128, text!("offset-preview")), (256, text!("offset-coarse")), (512, text!("offset-medium"))]
}

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
                (text!("offset-tool-radius"), text!("offset-tool-radius-hint"), tool_radius_mm),
                (text!("offset-depth"), text!("offset-depth-hint"), depth_mm),
                (text!("offset-margin"), text!("offset-margin-hint"), margin_mm),
            ] {
                let label = ui.label(name).on_hover_text(hint);
                let field = NumberField::new(value).speed(0.02).range(0.0..=1e4).max_decimals(3);
                ui.add(field.unit("mm")).labelled_by(label.id);
                ui.end_row();
            }
        });
        ui.horizontal(|ui| {
            for (own, name) in resolutions() {
                let hint = text!("offset-voxels-per-axis", count = own);
                theme::pick(ui, resolution, own, name).on_hover_text(hint);
            }
        });
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>, ready: bool) {
        match &self.edited {
            Some((id, made_with)) => {
                let is_due = made_with.parameters != self.parameters || context.document().state(*id) != State::Fresh;
                if theme::wide_main_button(ui, ready && is_due, text!("offset-apply")).clicked() {
                    let recipe = ContactRecipe { nominal: made_with.nominal, parameters: self.parameters };
                    context.send(Elements::SetRecipe(*id, Box::new(recipe.into())));
                }
                if ui.button(text!("offset-contact-new")).clicked() {
                    context.display.shown.offset = None;
                }
            }
            None => {
                let nominal = context.document().active.nominal;
                if theme::wide_main_button(ui, ready, text!("offset-contact-add")).clicked()
                    && let Some(nominal) = nominal
                {
                    let recipe = ContactRecipe { nominal, parameters: self.parameters };
                    context.send(Elements::Add(text!("offset-contact-name"), Box::new(recipe.into())));
                }
            }
        }
    }
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    theme::heading(ui, document.plan.name(id));
    let Some(made) = super::result::<ContactVolumes>(ui, document, id) else { return };
    super::doubts(ui, &made.notes);
    let last = made.passes.len() - 1;
    let shown = &mut context.display.shown.contact_pass;
    super::pass_player(ui, shown, last);
    let pass = &made.passes[*shown];
    let clearance = match pass.clearance_mm {
        mm if mm < 0.0 => text!("offset-too-close", length = with_unit(length_text(-mm, 4))),
        mm => text!("offset-to-spare", length = with_unit(length_text(mm, 4))),
    };
    rows(
        ui,
        "contact figures",
        &[
            (text!("offset-taken-off"), stated_length(pass.depth_mm)),
            (text!("offset-volume-figure"), volume_cm3(pass.volume_mm3, 3)),
            (text!("offset-clearance"), clearance),
            (text!("offset-facets"), theme::count(pass.mesh.facets.len())),
            (text!("offset-voxel"), with_unit(length_text(pass.tree.lattice().voxel_mm, 4))),
        ],
    );
    theme::weak(ui, text!("offset-contact-about"));
    let button = egui::Button::new(text!("offset-save-mesh"));
    let hint = text!("offset-save-pass-hint");
    if ui.add_enabled(!pass.mesh.facets.is_empty() && !context.is_busy, button).on_hover_text(hint).clicked() {
        context.ask(Action::Browse(Purpose::OffsetMesh(id)));
    }
}
