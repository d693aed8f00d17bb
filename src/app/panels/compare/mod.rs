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

/// A verdict on its colour, with what it covers and reasons.
fn banner(ui: &mut egui::Ui, verdict: Verdict, covers: &str, reasons: impl Iterator<Item = String>) {
    egui::Frame::new().fill(verdict_colour(verdict)).corner_radius(6.0).inner_margin(8.0).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let white = |text: String| egui::RichText::new(text).color(egui::Color32::WHITE);
        ui.label(white(verdict.name().to_owned()).family(theme::strong_family()).size(22.0));
        if !covers.is_empty() {
            ui.label(white(covers.to_owned()).family(theme::strong_family()));
        }
        for reason in reasons {
            ui.label(white(reason));
        }
    });
}

/// Colour of a verdict.
pub(super) fn verdict_colour(verdict: Verdict) -> egui::Color32 {
    match verdict {
        Verdict::Pass => theme::GOOD,
        Verdict::Fail => theme::BAD,
        Verdict::Incomplete => theme::WARN,
    }
}
