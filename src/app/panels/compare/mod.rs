//! Compare workspace: deviations over the surface, and in sections.

mod sections;
mod surface;

use super::PanelContext;
use crate::theme;
use inspect::deviation::Verdict;
use sections::SectionsPart;

/// Panel of the workspace.
#[derive(Default)]
pub struct ComparePanel {
    sections: SectionsPart,
}

impl ComparePanel {
    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let is_shown = &mut context.display.section.is_shown;
        ui.horizontal(|ui| {
            let of_surface = "Deviations over the whole surface, in colours";
            theme::pick(ui, is_shown, false, "Surface").on_hover_text(of_surface);
            let of_sections = "The part cut by planes, and the deviations in them";
            theme::pick(ui, is_shown, true, "Sections").on_hover_text(of_sections);
        });
        ui.separator();
        if *is_shown {
            self.sections.show(ui, context);
        } else {
            surface::show(ui, context);
        }
    }
}

/// Colour of a verdict.
pub(super) fn verdict_colour(verdict: Verdict) -> egui::Color32 {
    match verdict {
        Verdict::Pass => theme::GOOD,
        Verdict::Fail => theme::BAD,
        Verdict::Incomplete => theme::WARN,
    }
}
