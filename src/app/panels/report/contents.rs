//! What the report contains: sections in their order, standard and saved views.

use egui::Ui;

use super::super::{PanelContext, named};
use crate::{icons, theme};
use base::StandardView;
use dispatch::Present;
use session::presentation::{Contents, ReportSection};
use texts::text;

/// Draws the choice.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    theme::heading(ui, text!("report-contents"));
    let presentation = &context.document().plan.presentation;
    let mut contents = presentation.report.clone();
    let order = contents.order();
    ui.add_enabled_ui(!context.is_busy, |ui| {
        ui.horizontal_wrapped(|ui| {
            for view in StandardView::ALL {
                let mut is_in = contents.has_view(view);
                let name = texts::word(view.name());
                let box_ = egui::Checkbox::new(&mut is_in, &*name);
                let response = ui.add_enabled(contents.has(ReportSection::Views), box_);
                named(&response, &text!("report-view-named", view = &*name));
                if response.changed() {
                    contents.set_view(view, is_in);
                }
            }
        });
        pictures(ui, &mut contents, context.display.hides_callouts);
        for view in presentation.views.all() {
            let mut is_in = view.in_report;
            let box_ = egui::Checkbox::new(&mut is_in, text!("report-saved-view", name = view.name.as_str()));
            if ui.add_enabled(contents.has(ReportSection::Views), box_).changed() {
                context.send(Present::SetInReport(view.name.clone(), is_in));
            }
        }
        ui.add_space(4.0);
        for (position, section) in order.iter().copied().enumerate() {
            ui.horizontal(|ui| {
                let mut is_in = contents.has(section);
                let name = texts::word(section.name());
                if ui.checkbox(&mut is_in, &*name).changed() {
                    contents.set(section, is_in);
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let down = text!("report-move-down-named", section = &*name);
                    let up = text!("report-move-up-named", section = &*name);
                    let moves = [
                        (icons::DOWN, down, text!("report-move-down"), 1, position + 1 < order.len()),
                        (icons::UP, up, text!("report-move-up"), -1, position > 0),
                    ];
                    for (icon, name, hint, steps, is_possible) in moves {
                        let button = egui::Button::new(icons::atom(icon, None)).small().frame(false);
                        let response = ui.add_enabled(is_possible, button);
                        named(&response, &name);
                        if response.on_hover_text(hint).clicked() {
                            contents.shift(section, steps);
                        }
                    }
                });
            });
        }
        theme::weak(ui, text!("report-always"));
    });
    if contents != presentation.report {
        context.send(Present::SetContents(contents));
    }
}

/// What the pictures show beside the part. Until the operator chooses, flags are as in the view.
fn pictures(ui: &mut Ui, contents: &mut Contents, hides_flags: bool) {
    ui.add_enabled_ui(contents.has(ReportSection::Views) || contents.has(ReportSection::Regions), |ui| {
        let mut has_flags = contents.flags().unwrap_or(!hides_flags);
        if ui.checkbox(&mut has_flags, text!("report-flags")).on_hover_text(text!("report-flags-hint")).changed() {
            contents.set_flags(Some(has_flags));
        }
        let mut on_nominal = contents.on_nominal();
        let response = ui.checkbox(&mut on_nominal, text!("report-on-nominal"));
        if response.on_hover_text(text!("report-on-nominal-hint")).changed() {
            contents.set_on_nominal(on_nominal);
        }
    });
}
