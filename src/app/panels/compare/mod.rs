//! Compare workspace: deviations over the surface, in sections, and at points.

mod colours;
mod direction;
mod own_tolerances;
pub(crate) mod points;
mod section_points;
mod sections;
mod surface;

use super::PanelContext;
use super::turn::Turn;
use crate::theme;
use colours::ColoursPart;
use dispatch::Command;
use inspect::deviation::{OwnScale, Verdict};
use points::PointsPart;
pub(crate) use section_points::SectionPoints;
use sections::SectionsPart;
use session::Document;
use texts::text;

/// What the workspace is turned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CompareView {
    #[default]
    Surface,
    Sections,
    Points,
}

/// Panel of the workspace.
#[derive(Default)]
pub struct ComparePanel {
    colours: ColoursPart,
    sections: SectionsPart,
    points: PointsPart,
}

impl ComparePanel {
    /// The operator's own colours as they are being edited, if they are valid and of this document.
    pub fn edited_colours(&self, document: &Document) -> Option<&OwnScale> {
        self.colours.edited(document)
    }

    /// The commands that send what was edited: the operator's own colours, and limits of dimensions.
    pub fn edits(&mut self, document: &Document) -> impl Iterator<Item = Command> + use<> {
        self.colours.edit(document).into_iter().chain(self.sections.dimensions_edit(document))
    }

    pub fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let turn = Turn::begin(ui, "compare");
        let before = context.display.compare;
        let shown = &mut context.display.compare;
        ui.horizontal(|ui| {
            let of_surface = text!("compare-surface-hint");
            theme::pick(ui, shown, CompareView::Surface, text!("compare-surface")).on_hover_text(of_surface);
            let of_sections = text!("compare-sections-hint");
            theme::pick(ui, shown, CompareView::Sections, text!("compare-sections")).on_hover_text(of_sections);
            let of_points = text!("compare-points-hint");
            theme::pick(ui, shown, CompareView::Points, text!("compare-points")).on_hover_text(of_points);
        });
        ui.separator();
        match turn.drawn(before, *shown) {
            CompareView::Surface => surface::show(ui, context, &mut self.colours),
            CompareView::Sections => self.sections.show(ui, context),
            CompareView::Points => self.points.show(ui, context),
        }
        turn.end(ui, before, &mut context.display.compare);
    }
}

/// A verdict on its colour, with what it covers and reasons.
fn banner(ui: &mut egui::Ui, verdict: Verdict, covers: &str, reasons: impl Iterator<Item = String>) {
    egui::Frame::new().fill(verdict_colour(verdict)).corner_radius(6.0).inner_margin(8.0).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let white = |text: String| egui::RichText::new(text).color(egui::Color32::WHITE);
        ui.label(white(texts::word(verdict.name()).into_owned()).family(theme::strong_family()).size(22.0));
        if !covers.is_empty() {
            ui.label(white(texts::word(covers).into_owned()).family(theme::strong_family()));
        }
        for reason in reasons {
            ui.label(white(texts::word(&reason).into_owned()));
        }
    });
}

/// Colour of a verdict.
pub(crate) fn verdict_colour(verdict: Verdict) -> egui::Color32 {
    match verdict {
        Verdict::Pass => theme::GOOD,
        Verdict::Fail => theme::BAD,
        Verdict::Incomplete => theme::WARN,
    }
}
