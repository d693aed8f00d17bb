//! Clipping of the view.

use crate::{ClipPlane, theme};
use texts::text;

/// Controls of the clip plane; `None` clips nothing.
pub(super) fn show(ui: &mut egui::Ui, clip: &mut Option<ClipPlane>) {
    ui.horizontal(|ui| {
        ui.label(text!("offset-clip"));
        if theme::chip(ui, clip.is_none(), text!("offset-clip-off")).clicked() {
            *clip = None;
        }
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            let is_on = clip.is_some_and(|own| own.axis == axis);
            if theme::chip(ui, is_on, name).on_hover_text(text!("offset-clip-hint", axis = name)).clicked() {
                *clip = Some(ClipPlane { axis, ..clip.unwrap_or(ClipPlane { axis, share: 0.5, is_flipped: false }) });
            }
        }
        if let Some(clip) = clip
            && ui.button(text!("offset-flip")).on_hover_text(text!("offset-flip-hint")).clicked()
        {
            clip.is_flipped = !clip.is_flipped;
        }
    });
    if let Some(clip) = clip {
        theme::wide_slider(ui, &text!("offset-clip-position"), &mut clip.share, 0.0..=1.0);
    }
}
