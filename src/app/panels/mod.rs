//! The panels around the viewport.

pub mod acceptance;
pub mod align;
mod bottom;
pub mod calibrate;
mod calibration_result;
mod certification;
pub mod cleaning;
mod compare;
pub mod constructions;
pub mod elements;
pub mod features;
pub mod measures;
mod mechanical;
pub mod parallel_planes;
mod parts_bar;
pub mod picks;
pub mod probing;
pub mod repeatability;
mod report;
pub mod search_registration;
mod searches;
mod selection;
pub mod series;
mod slots;
mod tolerance_details;
pub mod tolerances;

use super::{App, Workspace, theme};
use dispatch::Inspect;
use session::Document;
use session::pipeline::State;
use session::plan::ElementId;

impl App {
    /// What belongs to the chosen workspace.
    pub(super) fn properties_panel(&mut self, ui: &mut egui::Ui) {
        egui::Panel::right("properties").resizable(true).default_size(330.0).size_range(290.0..=480.0).show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.workspace {
                Workspace::Calibrate => self.calibrate_panel(ui),
                Workspace::Align => self.align_panel(ui),
                Workspace::Compare => self.compare_panel(ui),
                Workspace::Features => self.features_panel(ui),
                Workspace::Report => self.report_panel(ui),
            });
        });
    }

    /// Sends the edited settings once the user has let go of the widget.
    fn commit_settings(&mut self, ui: &egui::Ui) {
        if is_settled(ui) && !self.is_busy() && self.draft != self.dispatcher.document.settings {
            let settings = Box::new(self.draft.clone());
            self.send(Inspect::SetSettings(settings));
        }
    }
}

/// Whether the user has let go of the widget that was edited last.
fn is_settled(ui: &egui::Ui) -> bool {
    !ui.ctx().egui_is_using_pointer() && !ui.ctx().text_edit_focused()
}

/// Gives a widget without a label of its own a name, for accessibility.
fn named(response: &egui::Response, name: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
}

/// An element that is not there, and why.
fn not_made(ui: &mut egui::Ui, document: &Document, id: ElementId) {
    let name = document.plan.name(id);
    let why = match document.state(id) {
        State::Failed(sentence) => sentence,
        State::Waits(on) => format!("Waits for {}.", on.join(", ")),
        State::NotMade | State::Stale | State::Fresh => "Not made yet: update it.".to_owned(),
    };
    ui.horizontal_wrapped(|ui| {
        theme::dot(ui, theme::WARN);
        ui.label(name);
    });
    theme::weak(ui, why);
}

/// Two columns of names and values.
fn rows(ui: &mut egui::Ui, id: &str, rows: &[(&str, String)]) {
    egui::Grid::new(id).num_columns(2).striped(true).spacing([16.0, 4.0]).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(egui::RichText::new(*name).weak());
            ui.label(value);
            ui.end_row();
        }
    });
}
