//! Fitted slots, in the Features workspace.

use super::super::steps::Sought;
use super::super::{PanelContext, named, no_result, rows};
use crate::lengths::{length_text, position_text, with_unit};
use crate::theme;
use dispatch::Elements;
use dispatch::Select;
use geometry::Pose;
use geometry::subset::Combine;
use inspect::features::sheet_metal::slot::SlotFit;
use session::selection::Selectable;
use texts::text;

/// Draws them; the one that is sought is opened.
pub fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>, sought: &mut Sought) {
    let document = context.document();
    let pose = document.nominal_from_scan();
    let slots = document.slots();
    for (i, slot) in slots.iter().enumerate() {
        let opens = sought.lead(ui, slot.id);
        let Some((made, fit)) = slot.made.and_then(|made| Some((made, made.slot()?))) else {
            no_result(ui, document, slot.id);
            sought.reach(slot.id, 1.0);
            continue;
        };
        let title = format!("{}   RMS {}", slot.name, with_unit(length_text(fit.rms_mm, 4)));
        let id = ui.make_persistent_id(("slot", i));
        let last = i + 1 == slots.len();
        let header = egui::CollapsingHeader::new(title).id_salt(id).default_open(last).open(opens);
        let shown = header.show(ui, |ui| {
            rows(ui, &format!("slot {i}"), &figures(fit, &pose));
            theme::weak(ui, format!("{}.", texts::word(&fit.uncertainty.assumption)));
            ui.horizontal(|ui| {
                let select = ui.button(text!("features-select-points"));
                named(&select, &text!("features-select-points-of", name = slot.name));
                if select.clicked() {
                    let points = made.numbers.clone();
                    context.send(Select::Numbers(Selectable::Points, points, Combine::Replace));
                }
                let remove = ui.button(text!("common-remove"));
                named(&remove, &text!("features-remove-named", name = slot.name));
                if remove.clicked() {
                    context.send(Elements::Remove(slot.id));
                }
            });
        });
        sought.reach(slot.id, shown.openness);
    }
}

/// Names and values of the results of a slot; `pose` transforms from the scan to the displayed frame.
fn figures(fit: &SlotFit, pose: &Pose) -> Vec<(String, String)> {
    let (u, own) = (&fit.uncertainty, fit.slot.moved(pose));
    let number = |i: usize| u.numbers.get(i).copied().unwrap_or_default();
    let with_u = |mm: f64, u_mm: f64| match u_mm.is_finite() {
        true => with_unit(format!("{} ± {}", length_text(mm, 4), length_text(u_mm, 4))),
        false => format!("{}, {}", with_unit(length_text(mm, 4)), text!("features-no-uncertainty")),
    };
    let position = match u.position_mm.is_finite() {
        true => with_unit(format!("± {}", length_text(u.position_mm, 4))),
        false => text!("features-no-uncertainty"),
    };
    let direction = format!("{:.5}, {:.5}, {:.5}", own.direction.x, own.direction.y, own.direction.z);
    let (used, rejected) = (theme::count(fit.used), theme::count(fit.dropped.len()));
    vec![
        (text!("features-length"), with_u(own.length_mm, number(0))),
        (text!("features-width"), with_u(own.width_mm, number(1))),
        (text!("features-centre"), with_unit(position_text([own.centre.x, own.centre.y, own.centre.z], 4))),
        (String::new(), position),
        (text!("features-direction"), direction),
        (text!("features-form-error"), with_unit(length_text(fit.form_error_mm, 4))),
        (text!("features-points"), text!("features-points-used", used = used, rejected = rejected)),
    ]
}
