//! Fitted slots: a part of the Features workspace.

use super::super::{App, theme};
use super::{named, rows};
use dispatch::{Command, Features, Select};
use geometry::Pose;
use geometry::subset::Combine;
use session::selection::Selectable;
use session::slots::SlotFeature;

impl App {
    pub(super) fn slots(&self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let pose = document.nominal_from_scan();
        for (i, slot) in document.tolerancing.slots.iter().enumerate() {
            let title = format!("{}   RMS {:.4} mm", slot.recipe.name, slot.fit.rms_mm);
            let id = ui.make_persistent_id(("slot", i));
            let last = i + 1 == document.tolerancing.slots.len();
            egui::CollapsingHeader::new(title).id_salt(id).default_open(last).show(ui, |ui| {
                rows(ui, &format!("slot {i}"), &figures(slot, &pose));
                theme::weak(ui, format!("{}.", slot.fit.uncertainty.assumption));
                ui.horizontal(|ui| {
                    let select = ui.button("Select its points");
                    named(&select, &format!("Select points of {}", slot.recipe.name));
                    if select.clicked() {
                        *send = Some(
                            Select::Numbers(Selectable::Points, slot.recipe.points.clone(), Combine::Replace).into(),
                        );
                    }
                    let remove = ui.button("Remove");
                    named(&remove, &format!("Remove {}", slot.recipe.name));
                    if remove.clicked() {
                        *send = Some(Features::RemoveSlot(i).into());
                    }
                });
            });
        }
    }
}

/// The slot's figures by name, in the frame that `pose` leads to from the scan's.
fn figures(slot: &SlotFeature, pose: &Pose) -> Vec<(&'static str, String)> {
    let (fit, u, own) = (&slot.fit, &slot.fit.uncertainty, slot.fit.slot.moved(pose));
    let number = |i: usize| u.numbers.get(i).copied().unwrap_or_default();
    let three = |x: f64, y: f64, z: f64, digits: usize| format!("{x:.digits$}, {y:.digits$}, {z:.digits$}");
    vec![
        ("Length", format!("{:.4} ± {:.4} mm", own.length_mm, number(0))),
        ("Width", format!("{:.4} ± {:.4} mm", own.width_mm, number(1))),
        ("Middle", format!("{} mm", three(own.centre.x, own.centre.y, own.centre.z, 4))),
        ("", format!("± {:.4} mm", u.position_mm)),
        ("Along", three(own.direction.x, own.direction.y, own.direction.z, 5)),
        ("Form error", format!("{:.4} mm", fit.form_error_mm)),
        ("Points", format!("{} used, {} dropped", theme::count(fit.used), theme::count(fit.dropped.len()))),
    ]
}
