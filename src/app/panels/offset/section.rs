//! The section through the view.

use crate::{Section, theme};

/// Controls of the section; `None` is no section.
pub(super) fn show(ui: &mut egui::Ui, section: &mut Option<Section>) {
    ui.horizontal(|ui| {
        ui.label("Section");
        if theme::chip(ui, section.is_none(), "Off").clicked() {
            *section = None;
        }
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            let is_on = section.is_some_and(|own| own.axis == axis);
            if theme::chip(ui, is_on, name).on_hover_text(format!("Cut perpendicular to {name}")).clicked() {
                *section = Some(Section { axis, ..section.unwrap_or(Section { axis, share: 0.5, is_flipped: false }) });
            }
        }
        if let Some(section) = section
            && ui.button("Flip").on_hover_text("Shows the other side").clicked()
        {
            section.is_flipped = !section.is_flipped;
        }
    });
    if let Some(section) = section {
        theme::wide_slider(ui, "Position of the section", &mut section.share, 0.0..=1.0);
    }
}
