//! The saved views in the element tree.

use egui::{Align, Button, Layout, RichText, Ui};

use super::super::{PanelContext, named};
use super::name_edit::NameEdit;
use crate::Action;
use dispatch::{Command, Present};
use session::presentation::SavedView;
use texts::text;

/// The rows of the saved views.
#[derive(Default)]
pub struct ViewRows {
    /// Renaming of a view, by its name.
    renaming: NameEdit<String>,
}

impl ViewRows {
    /// Whether a view is being renamed.
    pub fn is_renaming(&self) -> bool {
        self.renaming.is_active()
    }

    pub fn show(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let views = context.document().plan.presentation.views.all().to_vec();
        if views.is_empty() {
            return;
        }
        egui::CollapsingHeader::new(text!("elements-views", count = views.len())).default_open(true).show(ui, |ui| {
            views.iter().for_each(|view| self.row(ui, context, view));
        });
    }

    fn row(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, view: &SavedView) {
        if self.renaming.is_of(&view.name) {
            if let Some((old, new)) = self.renaming.show(ui) {
                context.send(Present::RenameView(old, new));
            }
            return;
        }
        let row = ui.horizontal(|ui| {
            ui.set_min_height(ui.spacing().interact_size.y);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if view.in_report {
                    ui.label(RichText::new(text!("elements-view-in-report")).weak());
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(Button::new(&view.name).frame(false).truncate())
                })
                .inner
            })
            .inner
        });
        let response = row.inner.on_hover_text(text!("elements-view-hint"));
        named(&response, &text!("elements-view", name = view.name.as_str()));
        if response.clicked() {
            context.ask(Action::LookAs(view.name.clone()));
        }
        response.context_menu(|ui| self.menu(ui, context, view));
    }

    fn menu(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, view: &SavedView) {
        let (ready, name) = (!context.is_busy, || view.name.clone());
        if ui.add_enabled(ready, Button::new(text!("elements-rename"))).clicked() {
            self.renaming.begin(name(), &view.name);
            ui.close();
        }
        if ui.add_enabled(ready, Button::new(text!("elements-view-replace"))).clicked() {
            context.ask(Action::SaveView(Some(name())));
            ui.close();
        }
        let report = if view.in_report { text!("elements-view-leave-out") } else { text!("elements-view-put-into") };
        let mut entry = |ui: &mut Ui, text: String, command: Present| {
            if ui.add_enabled(ready, Button::new(text)).clicked() {
                context.send(Command::from(command));
                ui.close();
            }
        };
        entry(ui, report, Present::SetInReport(name(), !view.in_report));
        ui.separator();
        entry(ui, text!("common-remove"), Present::RemoveView(name()));
    }
}
