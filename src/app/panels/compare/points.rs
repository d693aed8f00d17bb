//! Surface points: picked on the nominal or read from a table, and measured on every part.

use std::ops::Range;

use super::super::align::Picking;
use super::super::picks::Pick;
use super::super::{PanelContext, direction_choice, element_choice, named};
use super::banner;
use crate::choosing::Purpose;
use crate::lengths::{length_text, signed_length, symbol, with_unit};
use crate::number_field::NumberField;
use crate::viewport::Spot;
use crate::{Action, theme};
use dispatch::SurfacePoints as Commands;
use inspect::recipe::Product as _;
use inspect::surface_points::{Parameters, SurfacePoint, SurfacePoints, SurfacePointsRecipe};
use inspect::tolerances::Conformity;
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Lines of the table beyond which it scrolls by itself, and only those in sight are made.
const MAX_LINES: usize = 14;
/// Between two lines, points.
const LINE_GAP: f32 = 4.0;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct PointsPart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The element that they were taken from, and its recipe then.
    edited: Option<(ElementId, SurfacePointsRecipe)>,
}

/// What was done to a row of the table.
enum RowAction {
    Remove(usize),
    Fly(Spot),
}

impl PointsPart {
    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        if document.nominal().is_none() || document.alignment().is_none() {
            theme::weak(ui, text!("compare-points-load"));
            return;
        }
        self.follow(context);
        let all = elements(context.document());
        if all.len() > 1
            && let Some(id) = element_choice(
                ui,
                &text!("compare-points-shown"),
                context.document(),
                &all,
                context.display.surface_points,
            )
        {
            context.display.surface_points = Some(id);
        }
        picking(ui, context);
        let Self { parameters, edited } = self;
        let Some((id, made_with)) = edited else {
            theme::weak(ui, text!("compare-points-none"));
            return;
        };
        let id = *id;
        if let Some(made) = made(context.document(), id)
            && let Some(verdict) = made.verdict()
        {
            banner(ui, verdict, &made.covers().unwrap_or_default(), made.sentences().into_iter().take(1));
        }
        match table(ui, parameters, made(context.document(), id)) {
            Some(RowAction::Remove(index)) => {
                parameters.at.points.remove(index);
                context.send(Commands::Change(id, parameters.clone()));
            }
            Some(RowAction::Fly(spot)) => context.ask(Action::FlyTo(spot)),
            None => {}
        }
        limits(ui, parameters);
        let checked = parameters.check();
        let is_due = made_with.parameters != *parameters || context.document().state(id) != State::Fresh;
        if theme::wide_main_button(ui, !context.is_busy && checked.is_ok() && is_due, text!("compare-measure-again"))
            .clicked()
        {
            context.send(Commands::Change(id, parameters.clone()));
        }
        if let Err(error) = checked {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&error.sentence).into_owned());
        }
    }

    /// Selects an element where none is, and takes the parameters of the selected one.
    fn follow(&mut self, context: &mut PanelContext<'_>) {
        let document = context.document();
        let recipe = |id: ElementId| match &document.plan.get(id)?.recipe {
            Recipe::SurfacePoints(own) => Some((id, &**own)),
            _ => None,
        };
        let selected = context.display.surface_points.and_then(recipe);
        let selected = selected.or_else(|| recipe(*elements(document).last()?));
        context.display.surface_points = selected.map(|(id, _)| id);
        if self.edited.as_ref().map(|(id, recipe)| (*id, recipe)) != selected {
            if let Some((_, recipe)) = selected {
                self.parameters = recipe.parameters.clone();
            }
            self.edited = selected.map(|(id, recipe)| (id, recipe.clone()));
        }
    }
}

/// The sets of surface points of the plan.
fn elements(document: &Document) -> Vec<ElementId> {
    let all = document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::SurfacePoints(_)));
    all.map(|own| own.id).collect()
}

/// Its up-to-date result.
pub(crate) fn made(document: &Document, id: ElementId) -> Option<&SurfacePoints> {
    document.result::<SurfacePoints>(Some(id)).filter(|_| document.state(id) == State::Fresh)
}

/// Where a surface point lies, to be shown.
fn spot(own: &SurfacePoint, radius_mm: f64) -> Spot {
    Spot { name: own.name.clone(), at: own.at, radius_mm }
}

fn picking(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let is_picking = matches!(context.display.picking, Some(Picking::SurfacePoint));
    ui.horizontal(|ui| {
        let text = if is_picking { text!("compare-stop-picking") } else { text!("compare-pick-points") };
        if ui.button(text).clicked() {
            context.display.picking = (!is_picking).then_some(Picking::SurfacePoint);
        }
        let hint = text!("compare-from-table-hint");
        if ui
            .add_enabled(!context.is_busy, egui::Button::new(text!("compare-from-table")))
            .on_hover_text(hint)
            .clicked()
        {
            context.ask(Action::Browse(Purpose::Machine(Pick::SurfacePoints)));
        }
    });
    if is_picking {
        ui.colored_label(theme::ACCENT, text!("compare-click-points"));
    }
}

fn table(ui: &mut egui::Ui, parameters: &mut Parameters, made: Option<&SurfacePoints>) -> Option<RowAction> {
    // The headings are a line, too.
    let count = 1 + parameters.at.points.len();
    if count <= MAX_LINES {
        return lines(ui, parameters, made, 0..count);
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = LINE_GAP;
        let height = ui.spacing().interact_size.y;
        let list = egui::ScrollArea::vertical().id_salt("surface points");
        let list = list.max_height(MAX_LINES as f32 * (height + LINE_GAP));
        list.show_rows(ui, height, count, |ui, shown| lines(ui, parameters, made, shown)).inner
    })
    .inner
}

/// Those lines of the table, the headings being the first.
fn lines(
    ui: &mut egui::Ui,
    parameters: &mut Parameters,
    made: Option<&SurfacePoints>,
    shown: Range<usize>,
) -> Option<RowAction> {
    let mut action = None;
    egui::Grid::new("surface points").num_columns(4).striped(true).spacing([8.0, LINE_GAP]).show(ui, |ui| {
        if shown.start == 0 {
            let [point, along] = [text!("compare-column-point"), text!("compare-column-along")];
            for heading in [point, along, text!("compare-column-deviation", unit = symbol()), String::new()] {
                ui.weak(heading);
            }
            ui.end_row();
        }
        let Parameters { at, tolerance } = parameters;
        for (index, own) in at.points.iter_mut().enumerate().take(shown.end - 1).skip(shown.start.max(1) - 1) {
            let number = index + 1;
            let [x, y, z] = [own.point.x, own.point.y, own.point.z].map(|mm| length_text(mm, 3));
            let found = made.and_then(|made| made.points.iter().find(|point| point.name == own.name));
            let field = ui.add(egui::TextEdit::singleline(&mut own.name).desired_width(48.0));
            let position = text!("compare-point-at", x = x, y = y, z = with_unit(z));
            named(&field.on_hover_text(position), &text!("compare-name-of-point", number = number));
            direction_choice(ui, &mut own.direction, &text!("compare-direction-of-point", number = number));
            match found.map(|point| (point, &point.measured)) {
                Some((point, Ok((mm, count)))) => {
                    let colour = match point.conformity(tolerance) {
                        Some(Conformity::Conforms) => ui.visuals().text_color(),
                        Some(Conformity::DoesNotConform) => theme::BAD,
                        Some(Conformity::Undecided) | None => theme::WARN,
                    };
                    let text = egui::RichText::new(signed_length(*mm, 3)).color(colour);
                    let hint = match point.uncertainty_mm {
                        Some(mm) => {
                            let uncertainty = with_unit(length_text(mm, 4));
                            text!("compare-point-found-uncertain", count = *count, uncertainty = uncertainty)
                        }
                        None => text!("compare-point-found", count = *count),
                    };
                    if ui.add(egui::Button::new(text).frame(false)).on_hover_text(hint).clicked() {
                        action = Some(RowAction::Fly(spot(point, at.radius_mm)));
                    }
                }
                Some((_, Err(sentence))) => {
                    ui.colored_label(ui.visuals().warn_fg_color, text!("compare-not-measured")).on_hover_text(sentence);
                }
                None => {
                    ui.label("–");
                }
            }
            let button = ui.small_button("×").on_hover_text(text!("compare-remove-point-hint"));
            named(&button, &text!("compare-remove-point", number = number));
            if button.clicked() {
                action = Some(RowAction::Remove(index));
            }
            ui.end_row();
        }
    });
    action
}

fn limits(ui: &mut egui::Ui, parameters: &mut Parameters) {
    egui::Grid::new("surface point limits").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
        let Parameters { at, tolerance } = parameters;
        let hint = text!("compare-measured-within-hint");
        let fields = [
            (text!("compare-lower-limit"), &mut tolerance.low_mm, -1e3..=1e3, text!("compare-smallest-hint")),
            (text!("compare-upper-limit"), &mut tolerance.high_mm, -1e3..=1e3, text!("compare-largest-hint")),
            (text!("compare-measured-within"), &mut at.radius_mm, 1e-3..=1e3, hint),
        ];
        for (name, value, range, hint) in fields {
            let label = ui.label(name);
            let field = NumberField::new(value).speed(0.01).range(range).max_decimals(4);
            ui.add(field.unit("mm")).labelled_by(label.id).on_hover_text(hint);
            ui.end_row();
        }
    });
}
