//! Fitted slots: a part of the Features workspace.

use super::super::{App, theme};
use super::{named, not_made, rows};
use dispatch::Elements;
use dispatch::{Command, Select};
use geometry::Pose;
use geometry::subset::Combine;
use inspect::features::slot::SlotFit;
use session::selection::Selectable;

impl App {
    pub(super) fn slots(&self, ui: &mut egui::Ui, send: &mut Option<Command>) {
        let document = &self.dispatcher.document;
        let pose = document.nominal_from_scan();
        let slots = document.slots();
        for (i, slot) in slots.iter().enumerate() {
            let Some((made, fit)) = slot.made.and_then(|made| Some((made, made.slot()?))) else {
                not_made(ui, document, slot.id);
                continue;
            };
            let title = format!("{}   RMS {:.4} mm", slot.name, fit.rms_mm);
            let id = ui.make_persistent_id(("slot", i));
            let last = i + 1 == slots.len();
            egui::CollapsingHeader::new(title).id_salt(id).default_open(last).show(ui, |ui| {
                rows(ui, &format!("slot {i}"), &figures(fit, &pose));
                theme::weak(ui, format!("{}.", fit.uncertainty.assumption));
                ui.horizontal(|ui| {
                    let select = ui.button("Select its points");
                    named(&select, &format!("Select points of {}", slot.name));
                    if select.clicked() {
                        let points = made.numbers.clone();
                        *send = Some(Select::Numbers(Selectable::Points, points, Combine::Replace).into());
                    }
                    let remove = ui.button("Remove");
                    named(&remove, &format!("Remove {}", slot.name));
                    if remove.clicked() {
                        *send = Some(Elements::Remove(slot.id).into());
                    }
                });
            });
        }
    }
}

/// The slot's figures by name, in the frame that `pose` leads to from the scan's.
fn figures(fit: &SlotFit, pose: &Pose) -> Vec<(&'static str, String)> {
    let (u, own) = (&fit.uncertainty, fit.slot.moved(pose));
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
