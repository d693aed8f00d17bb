//! What is being edited in the panels, sent before anything is done with the document.
//!
//! Panels keep what is edited as drafts, and say here which commands send them. They need not be shown for that: a panel
//! that is left, a project that is saved, a job that is started and a window that is closed all have what was typed.

use egui::Context;

use super::{Action, App, Workspace};
use dispatch::{Command, Inspect};
use session::Settings;

/// Whether no widget is being edited.
pub fn is_settled(context: &Context) -> bool {
    !context.egui_is_using_pointer() && !context.text_edit_focused()
}

/// Takes the keyboard from the field that is being edited: it takes what was typed into it when it is drawn next.
pub fn end(context: &Context) {
    if context.text_edit_focused() {
        context.memory_mut(|memory| memory.focused().into_iter().for_each(|field| memory.surrender_focus(field)));
    }
}

impl App {
    /// Performs the actions of this frame, and before them `waited`, those that waited for it. `was_editing`: a field had
    /// the keyboard when the frame began.
    pub(super) fn perform_all(&mut self, waited: Vec<Action>, was_editing: bool, context: &Context) {
        let asked = std::mem::take(&mut self.actions);
        let is_editing = was_editing || context.text_edit_focused();
        if waited.is_empty() && is_editing && asked.iter().any(Action::ends_edits) {
            // Fields take what was typed when they are drawn without the keyboard, so all is drawn once more as it is.
            self.waiting = asked;
            context.request_repaint();
            return;
        }
        let actions: Vec<Action> = waited.into_iter().chain(asked).collect();
        if is_settled(context) || actions.iter().any(Action::ends_edits) {
            self.send_edits();
        }
        for action in actions {
            self.perform(action, context);
        }
    }

    /// Shows a workspace, at once unless a field is being edited.
    pub(super) fn turn_to(&mut self, workspace: Workspace, context: &Context) {
        if context.text_edit_focused() {
            self.actions.push(Action::Show(workspace));
        } else {
            self.workspace = workspace;
        }
    }

    /// Sends the settings of the document with a change.
    pub(super) fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.dispatcher.document.settings.clone();
        change(&mut settings);
        self.send(Inspect::SetSettings(Box::new(settings)));
    }

    /// Sends what was edited in the panels, whether they are shown or not. While a job is running it stays a draft, as it
    /// was edited in what the document is without the result of the job.
    pub(super) fn send_edits(&mut self) {
        if self.is_busy() {
            return;
        }
        let document = &self.dispatcher.document;
        // Where something else has just changed the settings the draft follows it.
        let is_changed = self.draft != document.settings && self.draft_of == document.settings;
        let settings = is_changed.then(|| Command::from(Inspect::SetSettings(Box::new(self.draft.clone()))));
        let edits: Vec<Command> = settings.into_iter().chain(self.panels.edits(document)).collect();
        for edit in edits {
            self.send(edit);
        }
    }
}
