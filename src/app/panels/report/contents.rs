//! What the report contains: sections in their order, standard and saved views.

use egui::Ui;

use super::super::{PanelContext, named};
use crate::{icons, theme};
use base::StandardView;
use dispatch::Present;
use session::presentation::ReportSection;

/// Draws the choice.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    theme::heading(ui, "Contents");
    let presentation = &context.document().plan.presentation;
    let mut contents = presentation.report.clone();
    let order = contents.order();
    ui.add_enabled_ui(!context.is_busy, |ui| {
        ui.horizontal_wrapped(|ui| {
            for view in StandardView::ALL {
                let mut is_in = contents.has_view(view);
                let box_ = egui::Checkbox::new(&mut is_in, view.name());
                let response = ui.add_enabled(contents.has(ReportSection::Views), box_);
                named(&response, &format!("View {} in the report", view.name()));
                if response.changed() {
                    contents.set_view(view, is_in);
                }
            }
        });
        for view in presentation.views.all() {
            let mut is_in = view.in_report;
            let box_ = egui::Checkbox::new(&mut is_in, format!("View “{}”", view.name));
            if ui.add_enabled(contents.has(ReportSection::Views), box_).changed() {
                context.send(Present::SetInReport(view.name.clone(), is_in));
            }
        }
        ui.add_space(4.0);
        for (position, section) in order.iter().copied().enumerate() {
            ui.horizontal(|ui| {
                let mut is_in = contents.has(section);
                if ui.checkbox(&mut is_in, section.name()).changed() {
                    contents.set(section, is_in);
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let moves =
                        [(icons::DOWN, "down", 1, position + 1 < order.len()), (icons::UP, "up", -1, position > 0)];
                    for (icon, name, steps, is_possible) in moves {
                        let button = egui::Button::new(icons::atom(icon, None)).small().frame(false);
                        let response = ui.add_enabled(is_possible, button);
                        named(&response, &format!("Move {} {name}", section.name()));
                        if response.on_hover_text(format!("Moves the section {name}")).clicked() {
                            contents.shift(section, steps);
                        }
                    }
                });
            });
        }
        theme::weak(
            ui,
            "Title, verdict, remarks and the lines to sign on are in every report; it says what was left out.",
        );
    });
    if contents != presentation.report {
        context.send(Present::SetContents(contents));
    }
}
