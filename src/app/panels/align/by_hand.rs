//! Moving the scan by hand: what its handles in the view follow, and the same by typed values.

use super::super::{PanelContext, named};
use super::Picking;
use crate::lengths::symbol;
use crate::number_field::NumberField;
use crate::theme;
use crate::viewport::gizmo::{AXES, Axes, HandTool, Pivot};
use dispatch::Align;
use texts::text;

/// The switch of the tool.
pub(super) fn toggle(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let is_on = &mut context.display.by_hand.is_on;
    if theme::chip(ui, *is_on, text!("align-by-hand")).on_hover_text(text!("align-by-hand-hint")).clicked() {
        *is_on = !*is_on;
    }
}

/// Draws what the tool asks for while it is on.
pub(super) fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let has_both = document.nominal().is_some() && document.actual().is_some();
    if !context.display.by_hand.is_on || !has_both {
        return;
    }
    theme::heading(ui, text!("align-hand"));
    if !HandTool::is_available(document) {
        theme::weak(ui, text!("align-hand-main"));
        return;
    }
    theme::weak(ui, text!("align-hand-how"));
    choices(ui, context);
    typed(ui, context);
}

/// Axes and pivot.
fn choices(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let tool = &mut context.display.by_hand;
    ui.horizontal_wrapped(|ui| {
        ui.label(text!("align-hand-axes"));
        theme::pick(ui, &mut tool.axes, Axes::Part, text!("align-hand-axes-part"));
        theme::pick(ui, &mut tool.axes, Axes::View, text!("align-hand-axes-view"));
    });
    let picking = &mut context.display.picking;
    let is_picking = matches!(picking, Some(Picking::Pivot));
    ui.horizontal_wrapped(|ui| {
        ui.label(text!("align-hand-pivot"));
        theme::pick(ui, &mut tool.pivot, Pivot::Scan, text!("align-hand-pivot-scan"));
        theme::pick(ui, &mut tool.pivot, Pivot::Origin, text!("align-hand-pivot-origin"));
        let is_picked = is_picking || matches!(tool.pivot, Pivot::Picked(_));
        if theme::chip(ui, is_picked, text!("align-hand-pivot-picked")).clicked() {
            *picking = (!is_picking).then_some(Picking::Pivot);
        }
    });
    if is_picking {
        ui.colored_label(theme::ACCENT, text!("align-click-nominal"));
    }
}

/// Translations and rotations along and about the axes of the part, applied at once.
fn typed(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let tool = &mut context.display.by_hand;
    egui::Grid::new("by hand").num_columns(4).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("");
        for axis in AXES {
            ui.weak(axis);
        }
        ui.end_row();
        ui.label(text!("align-hand-shift", unit = symbol()));
        for (mm, axis) in tool.shift_mm.iter_mut().zip(AXES) {
            let field = ui.add(NumberField::new(mm).speed(0.02).range(-1e5..=1e5).max_decimals(4).length());
            named(&field, &text!("align-hand-shift-along", axis = axis));
        }
        ui.end_row();
        ui.label(text!("align-hand-turn"));
        for (degrees, axis) in tool.turn_deg.iter_mut().zip(AXES) {
            let field = ui.add(NumberField::new(degrees).speed(0.1).range(-360.0..=360.0).max_decimals(4));
            named(&field, &text!("align-hand-turn-about", axis = axis));
        }
        ui.end_row();
    });
    let button = egui::Button::new(text!("align-hand-apply"));
    let is_applied = ui.add_enabled(!context.is_busy, button).on_hover_text(text!("align-hand-apply-hint")).clicked();
    let document = context.document();
    let Some(actual) = document.actual().filter(|_| is_applied) else { return };
    let pose = document.nominal_from_scan();
    let tool = &mut context.display.by_hand;
    let Some(motion) = tool.typed(&tool.pivot_at(&pose, &actual.cloud.bounds().centre())) else { return };
    (tool.shift_mm, tool.turn_deg) = ([0.0; 3], [0.0; 3]);
    context.send(Align::MoveByHand(motion * pose));
}
