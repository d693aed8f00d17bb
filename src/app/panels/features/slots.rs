//! Fitted slots, in the Features workspace.

use super::super::{PanelContext, named, no_result, rows};
use crate::theme;
use dispatch::Elements;
use dispatch::Select;
use geometry::Pose;
use geometry::subset::Combine;
use inspect::features::sheet_metal::slot::SlotFit;
use session::selection::Selectable;
use texts::text;

pub fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let pose = document.nominal_from_scan();
    let slots = document.slots();
    for (i, slot) in slots.iter().enumerate() {
        let Some((made, fit)) = slot.made.and_then(|made| Some((made, made.slot()?))) else {
            no_result(ui, document, slot.id);
            continue;
        };
        let title = format!("{}   RMS {:.4} mm", slot.name, fit.rms_mm);
        let id = ui.make_persistent_id(("slot", i));
        let last = i + 1 == slots.len();
        egui::CollapsingHeader::new(title).id_salt(id).default_open(last).show(ui, |ui| {
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
    }
}

/// Names and values of the results of a slot; `pose` transforms from the scan to the displayed frame.
fn figures(fit: &SlotFit, pose: &Pose) -> Vec<(String, String)> {
    let (u, own) = (&fit.uncertainty, fit.slot.moved(pose));
    let number = |i: usize| u.numbers.get(i).copied().unwrap_or_default();
    let three = |x: f64, y: f64, z: f64, digits: usize| format!("{x:.digits$}, {y:.digits$}, {z:.digits$}");
    let (used, rejected) = (theme::count(fit.used), theme::count(fit.dropped.len()));
    vec![
        (text!("features-length"), format!("{:.4} ± {:.4} mm", own.length_mm, number(0))),
        (text!("features-width"), format!("{:.4} ± {:.4} mm", own.width_mm, number(1))),
        (text!("features-centre"), format!("{} mm", three(own.centre.x, own.centre.y, own.centre.z, 4))),
        (String::new(), format!("± {:.4} mm", u.position_mm)),
        (text!("features-direction"), three(own.direction.x, own.direction.y, own.direction.z, 5)),
        (text!("features-form-error"), format!("{:.4} mm", fit.form_error_mm)),
        (text!("features-points"), text!("features-points-used", used = used, rejected = rejected)),
    ]
}
