//! Fitted slots, in the Features workspace.

use super::super::steps::Sought;
use super::super::{PanelContext, named, no_result, rows};
use crate::theme;
use base::{decimals, length_text};
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
        let title = format!("{}   RMS {} mm", slot.name, length_text(fit.rms_mm, 4));
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
    let three = |x: f64, y: f64, z: f64, digits: usize| format!("{x:.digits$}, {y:.digits$}, {z:.digits$}");
    let (used, rejected) = (theme::count(fit.used), theme::count(fit.dropped.len()));
    vec![
        (text!("features-length"), format!("{} ± {} mm", length_text(own.length_mm, 4), length_text(number(0), 4))),
        (text!("features-width"), format!("{} ± {} mm", length_text(own.width_mm, 4), length_text(number(1), 4))),
        (text!("features-centre"), format!("{} mm", three(own.centre.x, own.centre.y, own.centre.z, decimals(4)))),
        (String::new(), format!("± {} mm", length_text(u.position_mm, 4))),
        (text!("features-direction"), three(own.direction.x, own.direction.y, own.direction.z, 5)),
        (text!("features-form-error"), format!("{} mm", length_text(fit.form_error_mm, 4))),
        (text!("features-points"), text!("features-points-used", used = used, rejected = rejected)),
    ]
}
